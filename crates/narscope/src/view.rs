//! Text output of a trace: the meaning of each probe, then the changes at every step.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use narscope::clrs::algorithms::Entry;
use narscope::clrs::column::Column;
use narscope::clrs::kind::Choices;
use narscope::clrs::probe::{Location, Probe, Stage};
use narscope::clrs::trace::Traces;

use crate::own::counted;

const HEADING: Style = Style::new().bold();
const CHANGED: Style = AnsiColor::Green.on_default().bold();
const FAINT: Style = Style::new().dimmed();

/// With at most this many nodes, every node has its own column.
const MAX_COLUMNS: usize = 20;
/// Number of node pairs that are listed; the rest is counted.
const MAX_PAIRS: usize = 24;

/// The widest line, where nodes with names have columns.
const MAX_WIDTH: usize = 140;
/// The widest column of a node with a name; longer names are cut.
const MAX_NAME: usize = 12;

/// Where an instance comes from, and what is known about it.
#[derive(Default)]
pub(crate) struct Origin<'a> {
    /// A file, or how it was drawn.
    pub(crate) place: String,
    /// A line about the graph.
    pub(crate) graph: Option<String>,
    /// Names of the nodes, or none.
    pub(crate) names: &'a [String],
}

/// Writes the first of `traces`.
pub(crate) fn write_trace(
    entry: &Entry,
    traces: &Traces,
    origin: &Origin<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (nodes, steps) = (counted(traces.nodes, "node"), counted(traces.steps(0), "step"));
    writeln!(out, "{HEADING}{}{HEADING:#}: {}", entry.name, entry.summary)?;
    writeln!(out, "{nodes}, {steps} ({})", origin.place)?;
    if let Some(graph) = &origin.graph {
        writeln!(out, "{graph}")?;
    }
    let steps = traces.steps(0);
    let traces = &traces.unpacked();
    let view = View::of(traces, origin.names);

    view.heading("inputs", out)?;
    for index in view.probes(Stage::Input) {
        view.row(index, 0, None, out)?;
        view.meaning(index, out)?;
    }

    view.heading("hints", out)?;
    for index in view.probes(Stage::Hint) {
        write!(out, "  {:width$}", traces.probes[index].name, width = view.name_width)?;
        view.meaning(index, out)?;
    }

    for step in 0..steps {
        view.heading(&format!("step {}", step + 1), out)?;
        let mut changed = false;
        for index in view.probes(Stage::Hint) {
            if step == 0 || view.differs(index, step - 1, step) {
                view.row(index, step, step.checked_sub(1), out)?;
                writeln!(out)?;
                changed = true;
            }
        }
        if !changed {
            writeln!(out, "  {FAINT}no changes{FAINT:#}")?;
        }
    }

    view.heading("outputs", out)?;
    for index in view.probes(Stage::Output) {
        view.row(index, 0, None, out)?;
        view.meaning(index, out)?;
    }
    Ok(())
}

struct View<'a> {
    traces: &'a Traces,
    /// What each node is called.
    labels: Vec<String>,
    name_width: usize,
    cell_width: usize,
    /// Whether every node has its own column.
    has_columns: bool,
    /// What separates items of a list: a comma if names have spaces.
    gap: &'static str,
}

impl<'a> View<'a> {
    fn of(traces: &'a Traces, names: &[String]) -> Self {
        let names_of_probes = traces.probes.iter().map(|probe| probe.name.len());
        // As wide as the heading `outputs`, two letters to the left.
        let name_width = names_of_probes.fold(5, usize::max);
        let classes = traces
            .probes
            .iter()
            .filter(|probe| probe.location == Location::Node)
            .flat_map(|probe| probe.classes);
        let cell_width = classes.map(|class| class.len()).max().unwrap_or(0).max(5);
        let of_nodes = traces.probes.iter().zip(&traces.columns);
        let of_nodes = of_nodes.filter(|(probe, _)| probe.location == Location::Node);
        let values = of_nodes.filter_map(|(_, column)| match column {
            Column::Real(records) => Some(records.plain()),
            _ => None,
        });
        let widths = values.flatten().map(|&x| number(x).len());
        let cell_width = widths.fold(cell_width, usize::max);
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let cell_width = cell_width.max(longest.min(MAX_NAME));
        let width = name_width + 2 + traces.nodes * (cell_width + 1);
        let has_columns = traces.nodes <= MAX_COLUMNS && (names.is_empty() || width <= MAX_WIDTH);
        let label = |node: usize| names.get(node).cloned().unwrap_or_else(|| node.to_string());
        let labels: Vec<String> = (0..traces.nodes).map(label).collect();
        let has_spaces = labels.iter().any(|label| label.contains(char::is_whitespace));
        let gap = if has_spaces { ", " } else { " " };
        Self { traces, labels, name_width, cell_width, has_columns, gap }
    }

    /// Indices of the probes of a stage.
    fn probes(&self, stage: Stage) -> impl Iterator<Item = usize> + use<'a> {
        let probes = &self.traces.probes;
        (0..probes.len()).filter(move |&index| probes[index].stage == stage)
    }

    /// A heading and, where nodes have columns, the indices of the nodes.
    fn heading(&self, text: &str, out: &mut impl Write) -> io::Result<()> {
        let width = self.name_width + 2;
        write!(out, "\n{HEADING}{text:width$}{HEADING:#}")?;
        if self.has_columns && text != "hints" {
            for label in &self.labels {
                let label = cut(label, self.cell_width);
                write!(out, " {FAINT}{label:>width$}{FAINT:#}", width = self.cell_width)?;
            }
        }
        writeln!(out)
    }

    fn meaning(&self, index: usize, out: &mut impl Write) -> io::Result<()> {
        let probe = &self.traces.probes[index];
        let classes = match probe.classes {
            [] => String::new(),
            classes => {
                let classes: Vec<String> = classes.iter().map(|class| words(class)).collect();
                format!(" ({})", classes.join(", "))
            }
        };
        writeln!(out, "  {FAINT}{}{classes}{FAINT:#}", probe.meaning)
    }

    /// Whether a hint differs between two steps.
    fn differs(&self, index: usize, before: usize, now: usize) -> bool {
        let width = self.traces.probes[index].locations(self.traces.nodes);
        (0..width).any(|i| self.item(index, before, i) != self.item(index, now, i))
    }

    fn item(&self, index: usize, record: usize, i: usize) -> Item {
        let width = self.traces.probes[index].locations(self.traces.nodes);
        let position = record * width + i;
        match &self.traces.columns[index] {
            Column::Real(records) => Item::Real(records.plain()[position]),
            Column::Class(records) => {
                let code = records.plain()[position];
                match self.traces.probes[index].kind.info().choices {
                    Choices::One => Item::Mask(code),
                    Choices::Classes | Choices::Nodes => Item::Class(code),
                }
            }
            Column::Index(records) => Item::Index(records.plain()[position] as usize),
        }
    }

    /// One probe at one step, without a newline; values that differ from step `before` are highlighted.
    fn row(
        &self,
        index: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let probe = &self.traces.probes[index];
        write!(out, "  {:width$}", probe.name, width = self.name_width)?;
        match probe.location {
            Location::Edge => self.pairs(index, record, before, out),
            Location::Node if probe.kind.info().selects_location => {
                self.one_hot_node(index, record, before, out)
            }
            Location::Node => self.nodes(index, record, before, out),
            Location::Graph => {
                let style = if before.is_some() { CHANGED } else { Style::new() };
                write!(out, " {style}{}{style:#}", self.text(probe, self.item(index, record, 0)))
            }
        }
    }

    fn nodes(
        &self,
        index: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let probe = &self.traces.probes[index];
        let mut gap = " ";
        for node in 0..self.traces.nodes {
            let item = self.item(index, record, node);
            let changed = before.is_some_and(|before| self.item(index, before, node) != item);
            let style = if changed { CHANGED } else { Style::new() };
            let text = self.text(probe, item);
            if self.has_columns {
                let text = cut(&text, self.cell_width);
                write!(out, " {style}{text:>width$}{style:#}", width = self.cell_width)?;
            } else if changed || before.is_none() {
                // Too many nodes for columns: each value has its node in front.
                let label = &self.labels[node];
                write!(out, "{gap}{FAINT}{label}:{FAINT:#}{style}{text}{style:#}")?;
                gap = self.gap;
            }
        }
        Ok(())
    }

    fn one_hot_node(
        &self,
        index: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Item::Index(node) = self.item(index, record, 0) else {
            panic!("a one-hot mask is stored as an index")
        };
        let style = if before.is_some() { CHANGED } else { Style::new() };
        if self.has_columns {
            let column = self.cell_width + 1;
            let left = (node + 1) * column;
            // Inputs and outputs have their meaning at the end of the line: pad up to it.
            let right = match self.traces.probes[index].stage {
                Stage::Hint => 0,
                Stage::Input | Stage::Output => self.traces.nodes * column - left,
            };
            write!(out, "{style}{:>left$}{style:#}{:right$}", '▲', "")
        } else {
            write!(out, " {style}node {}{style:#}", self.labels[node])
        }
    }

    /// The pairs of nodes that changed or, without `before`, those that are not zero.
    fn pairs(
        &self,
        index: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (probe, nodes) = (&self.traces.probes[index], self.traces.nodes);
        let item = |i| self.item(index, record, i);
        let is_listed = |&i: &usize| match before {
            Some(before) => self.item(index, before, i) != item(i),
            None => is_nonzero(item(i), i / nodes),
        };
        // A symmetric matrix lists each pair once.
        let transposed = |i| i % nodes * nodes + i / nodes;
        let is_symmetric = (0..nodes * nodes).all(|i| item(i) == item(transposed(i)));
        let arrow = if is_symmetric { '–' } else { '→' };
        let pairs: Vec<usize> = (0..nodes * nodes)
            .filter(is_listed)
            .filter(|&i| !is_symmetric || i / nodes <= i % nodes)
            .collect();
        let style = if before.is_some() { CHANGED } else { Style::new() };
        for (listed, &i) in pairs.iter().take(MAX_PAIRS).enumerate() {
            let gap = if listed == 0 { " " } else { self.gap };
            let value = match self.text(probe, item(i)).as_str() {
                // A listed pair of a mask is set: no value needed.
                "●" => String::new(),
                value => format!("={value}"),
            };
            let [u, v] = [i / nodes, i % nodes].map(|node| &self.labels[node]);
            write!(out, "{gap}{FAINT}{u}{arrow}{v}{FAINT:#}{style}{value}{style:#}")?;
        }
        match pairs.len() {
            0 => write!(out, " {FAINT}none{FAINT:#}"),
            count if count > MAX_PAIRS => {
                write!(out, " {FAINT}and {} more{FAINT:#}", count - MAX_PAIRS)
            }
            _ => Ok(()),
        }
    }
}

impl View<'_> {
    fn text(&self, probe: &Probe, item: Item) -> String {
        match item {
            Item::Mask(1) => "●".to_owned(),
            Item::Mask(0) => "·".to_owned(),
            Item::Mask(_) => "ignored".to_owned(),
            Item::Class(code) if code < 0 => "ignored".to_owned(),
            Item::Class(code) => words(probe.classes[code as usize]),
            Item::Index(node) => self.labels[node].clone(),
            Item::Real(x) => number(x),
        }
    }
}

/// One stored item.
#[derive(Clone, Copy, PartialEq)]
enum Item {
    Real(f64),
    Mask(i8),
    Class(i8),
    Index(usize),
}

/// Whether a value in row `i` of a matrix is listed: not zero, not ignored, no pointer to `i` itself.
fn is_nonzero(item: Item, i: usize) -> bool {
    match item {
        Item::Real(x) => x != 0.0,
        Item::Mask(code) => code > 0,
        Item::Class(code) => code >= 0,
        Item::Index(node) => node != 0 && node != i,
    }
}

/// Splits a class name into words: `FindU` becomes `find u`.
pub(crate) fn words(class: &str) -> String {
    let mut words = String::new();
    for letter in class.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// A label of at most this many letters.
fn cut(label: &str, width: usize) -> String {
    if label.chars().count() <= width {
        return label.to_owned();
    }
    label.chars().take(width - 1).chain(['…']).collect()
}

/// Formats with three decimals, or in scientific notation: only 0 is printed as 0.
pub(crate) fn number(x: f64) -> String {
    /// Integers from here on are printed in scientific notation.
    const LONG: f64 = 1e15;
    let is_readable = x.abs() >= 0.0005 && (x.abs() < 1e7 || (x.fract() == 0.0 && x.abs() < LONG));
    if x != 0.0 && !is_readable {
        return format!("{x:.2e}");
    }
    let text = format!("{x:.3}");
    // Without trailing zeros.
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    };
    if text == "-0" { "0".to_owned() } else { text }
}
