//! Algorithms that are defined at run time: the spec is data and the body is a function, so that they
//! can be written in another language. Once defined, they are entries like all others: samplers, files,
//! training and analyses find them by name.
//!
//! ```
//! use narscope_clrs::dynamic::{Definition, NewProbe, Problems};
//! use narscope_clrs::{Category, Kind, Location, Options, Rng, Stage, algorithms};
//!
//! let probe = |name: &str, stage, kind| NewProbe {
//!     name: name.to_owned(),
//!     stage,
//!     location: Location::Node,
//!     kind,
//!     classes: vec![],
//!     meaning: String::new(),
//! };
//! let entry = Definition {
//!     name: "first_minimum".to_owned(),
//!     summary: "finds the smallest key".to_owned(),
//!     category: Category::Searching,
//!     probes: vec![
//!         probe("key", Stage::Input, Kind::Scalar),
//!         probe("min_h", Stage::Hint, Kind::MaskOne),
//!         probe("min", Stage::Output, Kind::MaskOne),
//!     ],
//!     // Arrays, as `minimum` draws them. `pos` is added as the first input.
//!     problems: Problems::Of(algorithms::find("minimum")?),
//!     run: Box::new(|nodes, inputs, steps| {
//!         let key = &inputs[1];
//!         let one_hot = |node| (0..nodes).map(|i| f64::from(i == node)).collect();
//!         let mut min = 0;
//!         for i in 0..nodes {
//!             min = if key[i] < key[min] { i } else { min };
//!             steps.hint(&[one_hot(min)])?;
//!         }
//!         Ok(vec![one_hot(min)])
//!     }),
//! }
//! .define()?;
//!
//! let traces = entry.generate(&mut Rng::seeded(1), 8, &Options::default(), 4)?;
//! assert_eq!((traces.len(), traces.steps(0)), (4, 8));
//! assert_eq!(algorithms::find("first_minimum")?.name, "first_minimum");
//! # Ok::<(), narscope_clrs::Error>(())
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::algorithm::Category;
use crate::algorithms;
use crate::body::Body;
use crate::column::Column;
use crate::entry::Entry;
use crate::instance::user::{Reading, UserInstance};
use crate::kind::{Choices, Kind};
use crate::location::Location;
use crate::options::{OptionName, Options};
use crate::probe::{Dtype, Probe, Stage};
use crate::rng::Rng;
use crate::trace::Traces;
use crate::validity::Validity;
use crate::values::NodeScalar;
use crate::{Error, Result};

/// The input that every algorithm has: one value per node.
const POSITIONS: &str = "pos";

/// The values of the probes of one stage, in the order of the spec, each laid out as in the reference:
/// see [`Probe::shape`].
pub type Record = Vec<Vec<f64>>;

/// Runs an algorithm on an instance: number of nodes, inputs, what records hints. Returns the outputs.
pub type Run = dyn Fn(usize, &[Vec<f64>], &mut Steps<'_>) -> Result<Record> + Send + Sync;

/// Draws an instance: the inputs, from a seed and the number of nodes.
pub type Draw = dyn Fn(u32, usize) -> Result<Record> + Send + Sync;

/// An algorithm whose spec and body are values.
pub struct Definition {
    /// The name: lower-case letters, digits and underscores.
    pub name: String,
    /// What it computes, in a few words.
    pub summary: String,
    /// The chapter it belongs to.
    pub category: Category,
    /// The spec. [`Definition::define`] sorts it by stage (inputs, outputs, hints), keeps the order
    /// within a stage, and adds the input `pos` if there is none.
    pub probes: Vec<NewProbe>,
    /// What it runs on.
    pub problems: Problems,
    /// What it does.
    pub run: Box<Run>,
}

/// A row of the spec of a [`Definition`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProbe {
    /// The name.
    pub name: String,
    /// When it is available.
    pub stage: Stage,
    /// What it is attached to.
    pub location: Location,
    /// How it is represented.
    pub kind: Kind,
    /// The names of the classes, if it is categorical.
    pub classes: Vec<String>,
    /// A short description.
    pub meaning: String,
}

/// Where the instances of an algorithm come from.
pub enum Problems {
    /// They are those of another algorithm, with its sampler and its options. The spec names which of
    /// its inputs are used.
    Of(&'static Entry),
    /// A function draws them. Seeds come from the sampler's generator, so that samples are
    /// reproducible.
    Drawn(Box<Draw>),
}

/// Records the hints of a running algorithm.
pub struct Steps<'a> {
    probes: &'a [Probe],
    columns: &'a mut [Column],
    nodes: usize,
    count: usize,
}

impl Steps<'_> {
    /// Records the state of the algorithm as the next step. Returns an error if a probe cannot hold its
    /// value.
    pub fn hint(&mut self, state: &[Vec<f64>]) -> Result<()> {
        let step = self.count;
        let place = || format!(" at step {step}");
        write(self.nodes, self.probes, state, self.columns, &place)?;
        self.count += 1;
        Ok(())
    }
}

impl Definition {
    /// Makes the algorithm known to this process. It takes the place of an earlier definition of the
    /// same name; samplers and models that were made before keep the old one. A definition lives as long
    /// as the process.
    ///
    /// Returns an error if the spec is not one, or the name that of a built-in algorithm.
    pub fn define(self) -> Result<&'static Entry> {
        let Self { name, summary, category, probes, problems, run } = self;
        check_name(&name)?;
        let probes = spec(&probes, &problems)
            .map_err(|error| Error::Definition { algorithm: name.clone(), error: error.into() })?;
        let body: &'static dyn Body =
            Box::leak(Box::new(Defined { probes: probes.clone(), problems, run }));
        let entry: &'static Entry = Box::leak(Box::new(Entry {
            name: String::leak(name),
            summary: String::leak(summary),
            category,
            probes: Vec::leak(probes),
            multiplier: 1,
            in_clrs_30: false,
            sparse: false,
            body,
        }));
        algorithms::register_again(entry)?;
        Ok(entry)
    }
}

/// The body of a defined algorithm.
struct Defined {
    /// By stage: inputs, outputs, hints.
    probes: Vec<Probe>,
    problems: Problems,
    run: Box<Run>,
}

impl Defined {
    fn of_stage(&self, stage: Stage) -> &[Probe] {
        let first = self.probes.iter().position(|probe| probe.stage == stage);
        let count = self.probes.iter().filter(|probe| probe.stage == stage).count();
        first.map_or(&[], |first| &self.probes[first..first + count])
    }

    /// Runs the algorithm on one instance and appends its trace.
    fn record(&self, traces: &mut Traces, values: &[Vec<f64>]) -> Result<()> {
        let nodes = traces.nodes;
        let [inputs, outputs, hints] = traces.begin_run();
        write(nodes, self.of_stage(Stage::Input), values, inputs, &String::new)?;
        let mut steps =
            Steps { probes: self.of_stage(Stage::Hint), columns: hints, nodes, count: 0 };
        let output = (self.run)(nodes, values, &mut steps)?;
        let count = steps.count;
        if count == 0 {
            let (wanted, found) = ("at least one step with hints".to_owned(), "none".to_owned());
            return Err(Error::BadRecord { wanted, found });
        }
        write(nodes, self.of_stage(Stage::Output), &output, outputs, &String::new)?;
        traces.end_run(count);
        Ok(())
    }

    /// Runs the algorithm on every instance. One after the other: the function may hold a lock, as
    /// those of Python do.
    fn record_all(&self, instances: &Traces, made: &(dyn Fn(usize) + Sync)) -> Result<Traces> {
        let mut traces = Traces::new(self.probes.clone(), instances.nodes);
        let places: Vec<usize> = self
            .of_stage(Stage::Input)
            .iter()
            .map(|probe| instances.find(Stage::Input, &probe.name).expect("the spec was checked"))
            .collect();
        for run in 0..instances.len() {
            let values: Record = places.iter().map(|&place| instances.dense(place, run)).collect();
            self.record(&mut traces, &values)?;
            made(1);
        }
        Ok(traces)
    }

    /// The instances as traces without hints and outputs.
    fn drawn(&self, draw: &Draw, rng: &mut Rng, nodes: usize, count: usize) -> Result<Traces> {
        crate::error::at_least(1, nodes)?;
        let probes = self.of_stage(Stage::Input);
        let mut traces = Traces::new(probes.to_vec(), nodes);
        for _ in 0..count {
            let values = draw(rng.word(), nodes)?;
            let [inputs, ..] = traces.begin_run();
            write(nodes, probes, &values, inputs, &String::new)?;
            traces.end_run(0);
        }
        Ok(traces)
    }
}

impl Body for Defined {
    fn options(&self, options: &Options) -> Vec<OptionName> {
        match &self.problems {
            Problems::Of(entry) => entry.body.options(options),
            Problems::Drawn(_) => vec![],
        }
    }

    fn generate(
        &self,
        _spare: Option<Traces>,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
        made: &(dyn Fn(usize) + Sync),
    ) -> Result<Traces> {
        self.record_all(&self.draw(rng, length, options, count)?, made)
    }

    fn draw(
        &self,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
    ) -> Result<Traces> {
        match &self.problems {
            Problems::Of(entry) => entry.body.draw(rng, length, options, count),
            Problems::Drawn(draw) => self.drawn(draw, rng, length, count),
        }
    }

    fn wanted(&self) -> String {
        match &self.problems {
            Problems::Of(entry) => entry.body.wanted(),
            Problems::Drawn(_) => "an instance that its own sampler draws".to_owned(),
        }
    }

    fn read(&self, user: &UserInstance) -> Result<Traces> {
        self.record_all(&self.take(user)?, &|_| {})
    }

    fn take(&self, user: &UserInstance) -> Result<Traces> {
        match &self.problems {
            Problems::Of(entry) => entry.body.take(user),
            Problems::Drawn(_) => {
                Err(crate::instance::user::wrong_form(&self.wanted(), &user.data))
            }
        }
    }

    fn reading(&self, user: &UserInstance) -> Result<Reading> {
        match &self.problems {
            Problems::Of(entry) => entry.body.reading(user),
            Problems::Drawn(_) => Ok(Reading::default()),
        }
    }

    fn scales(&self) -> bool {
        false
    }

    fn replay(&self, nodes: usize, inputs: &[Column], run: usize) -> Result<Traces> {
        let values = self.of_stage(Stage::Input).iter().zip(inputs).map(|(probe, column)| {
            let mut dense = vec![0.0; probe.size(nodes)];
            let mut rows = column.rows_from(run);
            probe.expand(rows.next_row().expect("the record is there"), &mut dense);
            dense
        });
        let values: Record = values.collect();
        let mut traces = Traces::new(self.probes.clone(), nodes);
        self.record(&mut traces, &values)?;
        Ok(traces)
    }

    fn has_validity(&self) -> bool {
        false
    }

    fn validity(&self, _: usize, _: &[Column], _: &[Column], _: usize) -> Option<Validity> {
        None
    }

    fn is_replaceable(&self) -> bool {
        true
    }
}

/// Appends one record to each column. An error names the probe, and the `place` in the run.
fn write(
    nodes: usize,
    probes: &[Probe],
    values: &[Vec<f64>],
    columns: &mut [Column],
    place: &dyn Fn() -> String,
) -> Result<()> {
    if values.len() != probes.len() {
        let names: Vec<&str> = probes.iter().map(|probe| probe.name.as_ref()).collect();
        let wanted = format!("values of {}{}", names.join(", "), place());
        return Err(Error::BadRecord { wanted, found: format!("{} values", values.len()) });
    }
    for ((probe, values), column) in probes.iter().zip(values).zip(columns) {
        let size = probe.size(nodes);
        let written = if values.len() == size {
            probe.compact(nodes, values, column)
        } else {
            let (wanted, found) = (format!("{size} numbers"), values.len().to_string());
            Err(Error::BadRecord { wanted, found })
        };
        written.map_err(|error| match error {
            Error::BadRecord { wanted, found } => {
                let what = format!("the {} {:?}{}", probe.stage.name(), probe.name, place());
                Error::BadRecord { wanted: format!("{wanted} in {what}"), found }
            }
            other => other,
        })?;
    }
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits) {
        return Ok(());
    }
    Err(Error::BadOption {
        option: "the name of an algorithm",
        wanted: "lower-case letters, digits and underscores, a letter first".to_owned(),
        got: format!("{name:?}"),
    })
}

/// The spec of a definition: by stage, with `pos`.
fn spec(new: &[NewProbe], problems: &Problems) -> Result<Vec<Probe>> {
    let bad =
        |wanted: &str, found: String| Err(Error::BadRecord { wanted: wanted.to_owned(), found });
    let mut new = new.to_vec();
    if !new.iter().any(|probe| probe.stage == Stage::Input && probe.name == POSITIONS) {
        new.insert(0, NewProbe::positions());
    }
    let mut probes = vec![];
    let mut names = BTreeSet::new();
    for stage in [Stage::Input, Stage::Output, Stage::Hint] {
        let before = probes.len();
        for probe in new.iter().filter(|probe| probe.stage == stage) {
            if !names.insert(&probe.name) {
                return bad("probes with names of their own", format!("two {:?}", probe.name));
            }
            probe.check()?;
            probes.push(match problems {
                Problems::Of(entry) if stage == Stage::Input => probe.input_of(entry)?,
                _ => probe.probe(),
            });
        }
        if probes.len() == before {
            return bad(&format!("at least one {}", stage.name()), "none".to_owned());
        }
    }
    Ok(probes)
}

impl NewProbe {
    /// The input `pos`: the number of each node, scaled to [0, 1).
    fn positions() -> Self {
        Self {
            name: POSITIONS.to_owned(),
            stage: Stage::Input,
            location: Location::Node,
            kind: Kind::Scalar,
            classes: vec![],
            meaning: "the node's position, in [0, 1)".to_owned(),
        }
    }

    fn check(&self) -> Result<()> {
        /// Classes are stored as `i8`.
        const MOST_CLASSES: usize = 127;
        let Self { name, location, kind, classes, .. } = self;
        let bad = |wanted: &str, found: String| {
            Err(Error::BadRecord { wanted: format!("{wanted} for {name:?}"), found })
        };
        let described = || format!("{} at {location:?}", kind.info().name).to_lowercase();
        let of_classes = kind.info().choices == Choices::Classes;
        let axes = location.axes();
        if of_classes && !(2..=MOST_CLASSES).contains(&classes.len()) {
            return bad("2 to 127 names of classes", classes.len().to_string());
        }
        if !of_classes && !classes.is_empty() {
            return bad("no names of classes", classes.len().to_string());
        }
        match kind {
            Kind::MaskOne if axes == 0 => bad("a node or edge location", described()),
            Kind::ShouldBePermutation if axes != 1 => bad("a node location", described()),
            Kind::PermutationPointer => {
                bad("should_be_permutation, which is converted", described())
            }
            _ => Ok(()),
        }
    }

    fn probe(&self) -> Probe {
        let classes: Vec<&'static str> =
            self.classes.iter().map(|class| &*String::leak(class.clone())).collect();
        Probe {
            name: Cow::Owned(self.name.clone()),
            stage: self.stage,
            location: self.location,
            kind: self.kind,
            classes: Vec::leak(classes),
            dtype: Dtype::of(self.stage, self.location, self.kind, false),
            constant: false,
            meaning: String::leak(self.meaning.clone()),
        }
    }

    /// The input of another algorithm that has this name, location and kind.
    fn input_of(&self, entry: &Entry) -> Result<Probe> {
        let inputs: Vec<&Probe> =
            entry.probes.iter().filter(|probe| probe.stage == Stage::Input).collect();
        let same = |probe: &&&Probe| {
            probe.name == self.name.as_str()
                && (probe.location, probe.kind) == (self.location, self.kind)
        };
        if let Some(probe) = inputs.iter().find(same) {
            return Ok((*probe).clone());
        }
        let describe = |name: &str, location: Location, kind: Kind| {
            format!("{name} ({location:?} {})", kind.info().name).to_lowercase()
        };
        let names: Vec<String> =
            inputs.iter().map(|probe| describe(&probe.name, probe.location, probe.kind)).collect();
        Err(Error::BadRecord {
            wanted: format!("inputs that instances of {} have: {}", entry.name, names.join(", ")),
            found: describe(&self.name, self.location, self.kind),
        })
    }
}

/// Positions as the input `pos` of `nodes` nodes, for functions that draw instances.
pub fn positions(nodes: usize) -> Vec<f64> {
    NodeScalar::positions(nodes).0
}

#[cfg(test)]
mod tests;
