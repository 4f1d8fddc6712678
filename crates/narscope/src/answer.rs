//! Text output of a prediction: each node with what the network and what the algorithm says.

use std::io::{self, Write};

use narscope::analysis::prediction::{Item, Output, Prediction};
use narscope::clrs::probe::Location;

use crate::own::counted;
use crate::view::{number, words};

/// Number of wrong pairs of nodes that are listed; the rest is counted.
const MAX_PAIRS: usize = 12;

/// Writes every output of a prediction.
pub(crate) fn write_prediction(found: &Prediction, out: &mut impl Write) -> io::Result<()> {
    for output in &found.outputs {
        writeln!(out, "\n{}: {}", output.name, output.meaning)?;
        match output.location {
            Location::Node => write_nodes(found, output, out)?,
            Location::Edge => write_pairs(found, output, out)?,
            Location::Graph => {
                let [predicted, right] =
                    [output.predicted[0], output.right[0]].map(|item| text(found, item));
                writeln!(out, "  predicted {predicted}, {} says {right}", found.algorithm)?;
            }
        }
    }
    let wrong = found.outputs.iter().any(|output| output.wrong().next().is_some());
    let valid = match found.valid {
        Some(true) if wrong => "; a correct answer, though not the algorithm's own",
        _ => "",
    };
    writeln!(out, "score {:.2} %{valid}", 100.0 * found.score)
}

/// A line per node, with the lengths of both paths if the output is one of shortest paths.
fn write_nodes(found: &Prediction, output: &Output, out: &mut impl Write) -> io::Result<()> {
    let is_wrong: Vec<usize> = output.wrong().collect();
    let paths = found.paths.as_ref().filter(|_| output.name == "pi");
    let length = |length: Option<f64>| length.map_or_else(|| "none".to_owned(), number);
    let mut head = vec!["node".to_owned(), "predicted".to_owned(), found.algorithm.to_owned()];
    if paths.is_some() {
        head.extend(["path", "shortest"].map(str::to_owned));
    }
    let mut lines = vec![head];
    for node in 0..found.nodes {
        let items = [output.predicted[node], output.right[node]].map(|item| text(found, item));
        let mut line = vec![found.label(node)];
        line.extend(items);
        if let Some(paths) = paths {
            line.extend([paths.predicted[node], paths.right[node]].map(length));
        }
        let same_length = paths.is_some_and(|paths| {
            let both = paths.predicted[node].zip(paths.right[node]);
            both.is_some_and(|(found, right)| (found - right).abs() <= 1e-9 * right.abs())
        });
        match (is_wrong.contains(&node), same_length) {
            (true, true) => line.push("differs, equally short".to_owned()),
            (true, false) => line.push("wrong".to_owned()),
            (false, _) => {}
        }
        lines.push(line);
    }
    let columns = lines[0].len();
    let width =
        |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in &lines {
        // Lengths are numbers, to the right; the remark is the last and needs no width.
        let cells = line.iter().enumerate().map(|(column, cell)| match widths.get(column) {
            Some(&width) if column > 2 => format!("{cell:>width$}"),
            Some(&width) => format!("{cell:width$}"),
            None => cell.clone(),
        });
        let row = format!("  {}", cells.collect::<Vec<_>>().join("  "));
        writeln!(out, "{}", row.trim_end())?;
    }
    let right = output.counted() - is_wrong.len();
    writeln!(out, "{right} of {} right", counted(output.counted(), "node"))
}

/// The number of pairs that are right, and those that are wrong.
fn write_pairs(found: &Prediction, output: &Output, out: &mut impl Write) -> io::Result<()> {
    let wrong: Vec<usize> = output.wrong().collect();
    for &pair in wrong.iter().take(MAX_PAIRS) {
        let [u, v] = [pair / found.nodes, pair % found.nodes].map(|node| found.label(node));
        let [predicted, right] =
            [output.predicted[pair], output.right[pair]].map(|item| text(found, item));
        writeln!(out, "  {u}, {v}: predicted {predicted}, {} says {right}", found.algorithm)?;
    }
    if wrong.len() > MAX_PAIRS {
        writeln!(out, "  and {} more", wrong.len() - MAX_PAIRS)?;
    }
    let right = output.counted() - wrong.len();
    writeln!(out, "{right} of {} right", counted(output.counted(), "pair"))
}

fn text(found: &Prediction, item: Item) -> String {
    match item {
        Item::Number(value) => number(value),
        Item::Mask(true) => "yes".to_owned(),
        Item::Mask(false) => "no".to_owned(),
        Item::Class(name) => words(name),
        Item::Node(node) => found.label(node),
        Item::Ignored => "ignored".to_owned(),
    }
}
