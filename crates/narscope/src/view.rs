//! A trace as a person reads it: what each probe means, then what changes at every step.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use narscope::clrs::algorithms::Entry;
use narscope::clrs::column::Column;
use narscope::clrs::probe::{Kind, Location, Probe, Stage};
use narscope::clrs::trace::Traces;

const HEADING: Style = Style::new().bold();
const CHANGED: Style = AnsiColor::Green.on_default().bold();
const FAINT: Style = Style::new().dimmed();

/// Up to so many nodes, every node has a column of its own.
const MOST_COLUMNS: usize = 20;
/// So many pairs of nodes are listed before the rest is counted.
const MOST_PAIRS: usize = 24;

/// Writes the first trace.
pub(crate) fn show(
    entry: &Entry,
    traces: &Traces,
    origin: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let (nodes, steps) = (traces.nodes, traces.steps(0));
    writeln!(out, "{HEADING}{}{HEADING:#}: {}", entry.name, entry.summary)?;
    writeln!(out, "{nodes} nodes, {steps} steps ({origin})")?;
    let traces = &traces.unpacked();
    let view = View::of(traces);

    view.heading("given", out)?;
    for place in view.places(Stage::Input) {
        view.row(place, 0, None, out)?;
        view.meaning(place, out)?;
    }

    view.heading("hints", out)?;
    for place in view.places(Stage::Hint) {
        write!(out, "  {:width$}", traces.probes[place].name, width = view.name_width)?;
        view.meaning(place, out)?;
    }

    for step in 0..steps {
        view.heading(&format!("step {}", step + 1), out)?;
        let mut changed = false;
        for place in view.places(Stage::Hint) {
            if step == 0 || view.differs(place, step - 1, step) {
                view.row(place, step, step.checked_sub(1), out)?;
                writeln!(out)?;
                changed = true;
            }
        }
        if !changed {
            writeln!(out, "  {FAINT}nothing changes{FAINT:#}")?;
        }
    }

    view.heading("answer", out)?;
    for place in view.places(Stage::Output) {
        view.row(place, 0, None, out)?;
        view.meaning(place, out)?;
    }
    Ok(())
}

struct View<'a> {
    traces: &'a Traces,
    name_width: usize,
    cell_width: usize,
}

impl<'a> View<'a> {
    fn of(traces: &'a Traces) -> Self {
        let name_width = traces.probes.iter().map(|probe| probe.name.len()).max().unwrap_or(0);
        let classes = traces
            .probes
            .iter()
            .filter(|probe| probe.location == Location::Node)
            .flat_map(|probe| probe.classes);
        let cell_width = classes.map(|class| class.len()).max().unwrap_or(0).max(5);
        let of_nodes = traces.probes.iter().zip(&traces.columns);
        let of_nodes = of_nodes.filter(|(probe, _)| probe.location == Location::Node);
        let numbers = of_nodes.filter_map(|(_, column)| match column {
            Column::Real(records) => Some(records.plain()),
            _ => None,
        });
        let widths = numbers.flatten().map(|&x| number(x).len());
        let cell_width = widths.fold(cell_width, usize::max);
        Self { traces, name_width, cell_width }
    }

    fn places(&self, stage: Stage) -> impl Iterator<Item = usize> + use<'a> {
        let probes = &self.traces.probes;
        (0..probes.len()).filter(move |&place| probes[place].stage == stage)
    }

    /// A heading, and the numbers of the nodes where they head columns.
    fn heading(&self, text: &str, out: &mut impl Write) -> io::Result<()> {
        let width = self.name_width + 2;
        write!(out, "\n{HEADING}{text:width$}{HEADING:#}")?;
        if self.traces.nodes <= MOST_COLUMNS && text != "hints" {
            for node in 0..self.traces.nodes {
                write!(out, " {FAINT}{node:>width$}{FAINT:#}", width = self.cell_width)?;
            }
        }
        writeln!(out)
    }

    fn meaning(&self, place: usize, out: &mut impl Write) -> io::Result<()> {
        let probe = &self.traces.probes[place];
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
    fn differs(&self, place: usize, before: usize, now: usize) -> bool {
        let width = self.traces.probes[place].width(self.traces.nodes);
        (0..width).any(|i| self.item(place, before, i) != self.item(place, now, i))
    }

    fn item(&self, place: usize, record: usize, i: usize) -> Item {
        let width = self.traces.probes[place].width(self.traces.nodes);
        let place_of_item = record * width + i;
        match &self.traces.columns[place] {
            Column::Real(records) => Item::Real(records.plain()[place_of_item]),
            Column::Class(records) => Item::Class(records.plain()[place_of_item]),
            Column::Index(records) => Item::Index(records.plain()[place_of_item] as usize),
        }
    }

    /// One probe at one step, without the end of the line; what differs from `before` stands out.
    fn row(
        &self,
        place: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let probe = &self.traces.probes[place];
        write!(out, "  {:width$}", probe.name, width = self.name_width)?;
        match (probe.location, probe.kind) {
            (Location::Edge, _) => self.pairs(place, record, before, out),
            (Location::Node, Kind::MaskOne) => self.marked_node(place, record, before, out),
            (Location::Node, _) => self.nodes(place, record, before, out),
            (Location::Graph, _) => {
                let style = if before.is_some() { CHANGED } else { Style::new() };
                write!(out, " {style}{}{style:#}", text(probe, self.item(place, record, 0)))
            }
        }
    }

    fn nodes(
        &self,
        place: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let probe = &self.traces.probes[place];
        let columns = self.traces.nodes <= MOST_COLUMNS;
        for node in 0..self.traces.nodes {
            let item = self.item(place, record, node);
            let changed = before.is_some_and(|before| self.item(place, before, node) != item);
            let style = if changed { CHANGED } else { Style::new() };
            let text = text(probe, item);
            if columns {
                write!(out, " {style}{text:>width$}{style:#}", width = self.cell_width)?;
            } else if changed || before.is_none() {
                // Too many for columns: the node's number stands beside its value.
                write!(out, " {FAINT}{node}:{FAINT:#}{style}{text}{style:#}")?;
            }
        }
        Ok(())
    }

    fn marked_node(
        &self,
        place: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Item::Index(marked) = self.item(place, record, 0) else {
            panic!("a one-hot mask is stored as an index")
        };
        let style = if before.is_some() { CHANGED } else { Style::new() };
        if self.traces.nodes <= MOST_COLUMNS {
            let column = self.cell_width + 1;
            let left = (marked + 1) * column;
            // A meaning follows where there is no step to follow.
            let right = match self.traces.probes[place].stage {
                Stage::Hint => 0,
                Stage::Input | Stage::Output => self.traces.nodes * column - left,
            };
            write!(out, "{style}{:>left$}{style:#}{:right$}", '▲', "")
        } else {
            write!(out, " {style}node {marked}{style:#}")
        }
    }

    /// The pairs of nodes that matter: those that changed, or at first those that are not zero.
    fn pairs(
        &self,
        place: usize,
        record: usize,
        before: Option<usize>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (probe, nodes) = (&self.traces.probes[place], self.traces.nodes);
        let item = |i| self.item(place, record, i);
        let matters = |&i: &usize| match before {
            Some(before) => self.item(place, before, i) != item(i),
            None => says_something(probe.kind, item(i), i / nodes),
        };
        // What is the same both ways is said once.
        let back = |i| i % nodes * nodes + i / nodes;
        let both_ways = (0..nodes * nodes).all(|i| item(i) == item(back(i)));
        let arrow = if both_ways { '–' } else { '→' };
        let pairs: Vec<usize> = (0..nodes * nodes)
            .filter(matters)
            .filter(|&i| !both_ways || i / nodes <= i % nodes)
            .collect();
        let style = if before.is_some() { CHANGED } else { Style::new() };
        for &i in pairs.iter().take(MOST_PAIRS) {
            let value = match (probe.kind, text(probe, item(i)).as_str()) {
                // Where there is only one thing to say, the pair alone says it.
                (Kind::Mask, "●") => String::new(),
                (_, value) => format!("={value}"),
            };
            let (u, v) = (i / nodes, i % nodes);
            write!(out, " {FAINT}{u}{arrow}{v}{FAINT:#}{style}{value}{style:#}")?;
        }
        match pairs.len() {
            0 => write!(out, " {FAINT}nothing yet{FAINT:#}"),
            count if count > MOST_PAIRS => {
                write!(out, " {FAINT}and {} more{FAINT:#}", count - MOST_PAIRS)
            }
            _ => Ok(()),
        }
    }
}

/// One stored item.
#[derive(Clone, Copy, PartialEq)]
enum Item {
    Real(f64),
    Class(i8),
    Index(usize),
}

/// Whether a table cell in row `i` is worth listing: not zero, not ignored, not the node itself.
fn says_something(kind: Kind, item: Item, i: usize) -> bool {
    match (kind, item) {
        (_, Item::Real(x)) => x != 0.0,
        (Kind::Mask, Item::Class(code)) => code > 0,
        (_, Item::Class(code)) => code >= 0,
        (_, Item::Index(node)) => node != 0 && node != i,
    }
}

/// `FindU` as a person writes it.
fn words(class: &str) -> String {
    let mut words = String::new();
    for letter in class.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

fn text(probe: &Probe, item: Item) -> String {
    match (probe.kind, item) {
        (Kind::Mask, Item::Class(1)) => "●".to_owned(),
        (Kind::Mask, Item::Class(0)) => "·".to_owned(),
        (_, Item::Class(code)) if code < 0 => "ignored".to_owned(),
        (_, Item::Class(code)) => words(probe.classes[code as usize]),
        (_, Item::Index(node)) => node.to_string(),
        (_, Item::Real(x)) => number(x),
    }
}

/// A number with three decimals, or digits: nothing is shown as 0 but 0.
fn number(x: f64) -> String {
    /// From here on, a number with all its digits fills a line.
    const LONG: f64 = 1e15;
    let is_readable = x.abs() >= 0.0005 && (x.abs() < 1e7 || (x.fract() == 0.0 && x.abs() < LONG));
    if x != 0.0 && !is_readable {
        return format!("{x:.2e}");
    }
    let text = format!("{x:.3}");
    // Whole numbers and short fractions without their zeros.
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    };
    if text == "-0" { "0".to_owned() } else { text }
}
