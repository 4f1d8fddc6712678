//! The algorithms, one file each, and the one list that names them all.

pub mod activity_selector;
pub mod articulation_points;
pub mod bellman_ford;
pub mod bfs;
pub mod binary_search;
pub mod bipartite_matching;
pub mod bridges;
pub mod bubble_sort;
pub mod dag_shortest_paths;
pub mod dfs;
pub mod dijkstra;
pub mod find_maximum_subarray;
pub mod find_maximum_subarray_kadane;
pub mod floyd_warshall;
pub mod graham_scan;
pub mod heapsort;
pub mod insertion_sort;
pub mod jarvis_march;
pub mod kmp_matcher;
pub mod lcs_length;
pub mod matrix_chain_order;
pub mod minimum;
pub mod mst_kruskal;
pub mod mst_prim;
pub mod naive_string_matcher;
pub mod optimal_bst;
pub mod quickselect;
pub mod quicksort;
pub mod segments_intersect;
pub mod strongly_connected_components;
pub mod task_scheduling;
pub mod topological_sort;

use rayon::prelude::*;
use serde::Serialize;

use crate::column::Column;
use crate::instance::own::Own;
use crate::instance::{Instance, MOST_NODES};
use crate::options::Options;
use crate::probe::Probe;
use crate::rng::Rng;
use crate::signature::{Problem as _, Signature, Values as _};
use crate::trace::{Tracer, Traces};
use crate::validity::{Checker, Validity};
use crate::{Error, Result, registry, variants};

/// The chapter of the benchmark that an algorithm belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Putting an array in order.
    Sorting,
    /// Finding an item of an array.
    Searching,
    /// Solving halves first.
    DivideAndConquer,
    /// Never taking a choice back.
    Greedy,
    /// Filling a table of smaller problems.
    DynamicProgramming,
    /// Walking and measuring graphs.
    Graphs,
    /// Matching strings.
    Strings,
    /// Points in the plane.
    Geometry,
}

/// A textbook algorithm that can be sampled and traced.
pub trait Algorithm: Signature {
    /// The name of the algorithm and of its file.
    const NAME: &'static str;
    /// What it computes, in a few words.
    const SUMMARY: &'static str;
    /// The chapter it belongs to.
    const CATEGORY: Category;
    /// The kind of problem it solves.
    type Instance: Instance;
    /// What it says of its instances.
    const LAW: <Self::Instance as Instance>::Law;
    /// How many times as many validation and test samples the benchmark has of it.
    const MULTIPLIER: usize = 1;
    /// Whether it is one of the thirty of CLRS-30.
    const IN_CLRS_30: bool = true;
    /// What tells whether an answer is right, if several can be.
    const VALID: Option<Checker<Self::Input, Self::Output>> = None;
    /// Adds to an instance what follows from it.
    fn input(instance: Self::Instance) -> Self::Input;
    /// Runs the algorithm, recording a hint at every step.
    fn run(input: &Self::Input, trace: &mut Tracer<Self::Hint>) -> Self::Output;
}

/// A registered algorithm, with its types erased.
#[derive(Debug)]
pub struct Entry {
    /// The registered name.
    pub name: &'static str,
    /// What it computes.
    pub summary: &'static str,
    /// The chapter it belongs to.
    pub category: Category,
    /// The spec: inputs, outputs, hints.
    pub probes: &'static [Probe],
    /// How many times as many validation and test samples the benchmark has of it.
    pub multiplier: usize,
    /// Whether it is one of the thirty of CLRS-30.
    pub in_clrs_30: bool,
    options: fn(&Options) -> Vec<&'static str>,
    generate: Generate,
    wanted: fn() -> String,
    read: fn(&Own) -> Result<Traces>,
    replay: fn(usize, &[Column], usize) -> Traces,
    validity: Option<Judge>,
}

/// Judges the outputs of a run by its inputs.
type Judge = fn(usize, &[Column], &[Column], usize) -> Option<Validity>;

/// Draws and runs so many instances of a length, and tells of every few that are made.
type Generate =
    fn(Option<Traces>, &mut Rng, usize, &Options, usize, &(dyn Fn(usize) + Sync)) -> Result<Traces>;

impl Entry {
    /// The row of an algorithm.
    pub(crate) const fn of<A: Algorithm>() -> Self {
        Self {
            name: A::NAME,
            summary: A::SUMMARY,
            category: A::CATEGORY,
            probes: A::PROBES,
            multiplier: A::MULTIPLIER,
            in_clrs_30: A::IN_CLRS_30,
            options: |options| A::Instance::options(&A::LAW, options),
            generate: |spare, rng, length, options, count, made| {
                let law = A::LAW;
                let draws = A::Instance::draws(&law, rng, length, options)?;
                run_all::<A>(spare, draws.take(count), made)
            },
            wanted: || A::Instance::wanted(&A::LAW),
            read: |own| {
                run_all::<A>(None, std::iter::once(A::Instance::take(&A::LAW, own)), &|_| {})
            },
            replay: |nodes, inputs, run| {
                let mut traces = Traces::new(A::PROBES.to_vec(), nodes);
                traces.record::<A>(&A::Input::read(nodes, inputs, run), A::run);
                traces
            },
            validity: match A::VALID {
                None => None,
                Some(_) => Some(|nodes, inputs, outputs, run| {
                    let (input, output) =
                        (A::Input::read(nodes, inputs, run), A::Output::read(nodes, outputs, run));
                    A::VALID.and_then(|valid| valid(&input, &output))
                }),
            },
        }
    }

    /// Draws `count` instances one after the other and runs them, in parallel.
    ///
    /// The result depends on the generator and the options, never on the number of threads.
    pub fn generate(
        &self,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
    ) -> Result<Traces> {
        self.generate_with(rng, length, options, count, &|_| {})
    }

    /// [`Entry::generate`] for those who want to see it go on: `made` is told of every few samples.
    pub fn generate_with(
        &self,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
        made: &(dyn Fn(usize) + Sync),
    ) -> Result<Traces> {
        self.make(None, rng, length, options, count, made)
    }

    /// [`Entry::generate`] into the memory of traces that nobody needs any more. Somebody who takes
    /// batch after batch spares the system the work of making new memory for each.
    pub fn generate_into(
        &self,
        spare: Traces,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
    ) -> Result<Traces> {
        self.make(Some(spare), rng, length, options, count, &|_| {})
    }

    fn make(
        &self,
        spare: Option<Traces>,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
        made: &(dyn Fn(usize) + Sync),
    ) -> Result<Traces> {
        if count == 0 {
            // What no sample can tell, one more than asked for does: the number of nodes.
            let one = self.generate(&mut rng.clone(), length, options, 1)?;
            return Ok(Traces::new(self.probes.to_vec(), one.nodes));
        }
        let fits = if length > MOST_NODES {
            Err(Error::TooLarge { most: MOST_NODES, got: length })
        } else {
            options.check()
        };
        fits.and_then(|()| (self.generate)(spare, rng, length, options, count, made))
            .map_err(|error| error.of(self.name))
    }

    /// Runs an instance that a user brought.
    pub fn trace(&self, own: &Own) -> Result<Traces> {
        (self.read)(own).map_err(|error| error.of(self.name))
    }

    /// What [`Entry::trace`] wants to be given.
    pub fn wanted(&self) -> String {
        (self.wanted)()
    }

    /// Runs the algorithm again on the inputs of a trace: one column per input probe.
    pub fn replay(&self, nodes: usize, inputs: &[Column], run: usize) -> Traces {
        (self.replay)(nodes, inputs, run)
    }

    /// Whether several answers can be right, and [`Entry::validity`] tells which.
    pub fn has_validity(&self) -> bool {
        self.validity.is_some()
    }

    /// Judges an answer, which need not be the algorithm's own: one column per input probe, and one
    /// per output probe. [`crate::validity`] says what is right, and when there is nothing to say.
    ///
    /// # Panics
    /// If the columns are not those of the spec, or an output points to a node that is not there.
    pub fn validity(
        &self,
        nodes: usize,
        inputs: &[Column],
        outputs: &[Column],
        run: usize,
    ) -> Option<Validity> {
        self.validity.and_then(|judge| judge(nodes, inputs, outputs, run))
    }

    /// The names of the options that the sampler takes, given the family among `options`.
    pub fn options(&self, options: &Options) -> Vec<&'static str> {
        (self.options)(options)
    }

    /// The names among the given options that the sampler does not take.
    pub fn ignored(&self, options: &Options) -> Vec<&'static str> {
        let taken = self.options(options);
        options.given().into_iter().filter(|name| !taken.contains(name)).collect()
    }
}

/// Traces every instance, in order. Drawing is sequential, running is not.
fn run_all<A: Algorithm>(
    spare: Option<Traces>,
    instances: impl Iterator<Item = Result<A::Instance>>,
    made: &(dyn Fn(usize) + Sync),
) -> Result<Traces> {
    /// Worth the start of a task, and soon done.
    const PART: usize = 32;
    let record = |traces: &mut Traces, input: &A::Input| traces.record::<A>(input, A::run);
    let empty = |nodes| Traces::new(A::PROBES.to_vec(), nodes);

    let mut inputs = instances.map(|instance| instance.map(A::input)).peekable();
    let nodes = match inputs.peek() {
        Some(Ok(input)) => input.nodes(),
        _ => 0,
    };
    let mut all = match spare {
        Some(spare) if spare.nodes == nodes && spare.probes == A::PROBES => spare.cleared(),
        _ => empty(nodes),
    };
    let threads = rayon::current_num_threads();
    if threads == 1 {
        for input in inputs {
            record(&mut all, &input?);
            made(1);
        }
        return Ok(all);
    }
    while inputs.peek().is_some() {
        let some: Vec<A::Input> =
            inputs.by_ref().take(4 * threads * PART).collect::<Result<_>>()?;
        let parts: Vec<Traces> = some
            .par_chunks(PART)
            .map(|part| {
                let mut traces = empty(nodes);
                for input in part {
                    record(&mut traces, input);
                }
                made(part.len());
                traces
            })
            .collect();
        for part in &parts {
            all.append(part, 0..part.len());
        }
    }
    Ok(all)
}

/// The thirty algorithms of CLRS-30 in the order of the benchmark, then the reference's two others.
/// To add an algorithm: write its file, add its `pub mod`, then its row.
pub static ALL: &[Entry] = &[
    Entry::of::<articulation_points::ArticulationPoints>(),
    Entry::of::<activity_selector::ActivitySelector>(),
    Entry::of::<bellman_ford::BellmanFord>(),
    Entry::of::<bfs::Bfs>(),
    Entry::of::<binary_search::BinarySearch>(),
    Entry::of::<bridges::Bridges>(),
    Entry::of::<bubble_sort::BubbleSort>(),
    Entry::of::<dag_shortest_paths::DagShortestPaths>(),
    Entry::of::<dfs::Dfs>(),
    Entry::of::<dijkstra::Dijkstra>(),
    Entry::of::<find_maximum_subarray_kadane::FindMaximumSubarrayKadane>(),
    Entry::of::<floyd_warshall::FloydWarshall>(),
    Entry::of::<graham_scan::GrahamScan>(),
    Entry::of::<heapsort::Heapsort>(),
    Entry::of::<insertion_sort::InsertionSort>(),
    Entry::of::<jarvis_march::JarvisMarch>(),
    Entry::of::<kmp_matcher::KmpMatcher>(),
    Entry::of::<lcs_length::LcsLength>(),
    Entry::of::<matrix_chain_order::MatrixChainOrder>(),
    Entry::of::<minimum::Minimum>(),
    Entry::of::<mst_kruskal::MstKruskal>(),
    Entry::of::<mst_prim::MstPrim>(),
    Entry::of::<naive_string_matcher::NaiveStringMatcher>(),
    Entry::of::<optimal_bst::OptimalBst>(),
    Entry::of::<quickselect::Quickselect>(),
    Entry::of::<quicksort::Quicksort>(),
    Entry::of::<segments_intersect::SegmentsIntersect>(),
    Entry::of::<strongly_connected_components::StronglyConnectedComponents>(),
    Entry::of::<task_scheduling::TaskScheduling>(),
    Entry::of::<topological_sort::TopologicalSort>(),
    Entry::of::<find_maximum_subarray::FindMaximumSubarray>(),
    Entry::of::<bipartite_matching::BipartiteMatching>(),
];

/// Looks an algorithm or a faulty variant up by name.
pub fn find(name: &str) -> Result<&'static Entry> {
    match variants::find(name) {
        Some(variant) => Ok(variant),
        None => registry::find("algorithm", ALL, |entry| entry.name, name),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;
    use crate::convert::order_of_chain;
    use crate::instance::own::Data;
    use crate::probe::Stage;

    #[test]
    fn every_file_is_registered() {
        let names: Vec<&str> = ALL.iter().map(|entry| entry.name).collect();
        registry::tests::assert_files_are_registered("src/algorithms", &names);
    }

    #[test]
    fn every_algorithm_leaves_hints_and_fills_every_probe() {
        for entry in ALL {
            let traces = entry.generate(&mut Rng::seeded(1), 8, &Options::default(), 3).unwrap();
            assert_eq!(traces.len(), 3);
            for i in 0..traces.len() {
                assert!(traces.steps(i) > 0, "{} recorded no hint", entry.name);
            }
            for (probe, column) in traces.probes.iter().zip(&traces.columns) {
                let records = traces.records(probe.stage, traces.len() - 1).end;
                assert_eq!(column.len(), records, "{}: {}", entry.name, probe.name);
            }
        }
    }

    #[test]
    fn memory_that_was_used_before_changes_nothing() {
        let options = Options::default();
        let mut spare = Traces::new(vec![], 0);
        for entry in ALL {
            for seed in [1, 2] {
                let new = entry.generate(&mut Rng::seeded(seed), 8, &options, 3).unwrap();
                let rng = &mut Rng::seeded(seed);
                spare = entry.generate_into(spare, rng, 8, &options, 3).unwrap();
                assert_eq!(spare, new, "{}", entry.name);
            }
        }
    }

    #[test]
    fn every_probe_says_what_it_means() {
        for entry in ALL {
            for probe in entry.probes {
                assert!(!probe.meaning.is_empty(), "{}: {}", entry.name, probe.name);
            }
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_closest_one() {
        assert_eq!(
            find("bellman-ford").unwrap_err().to_string(),
            r#"unknown algorithm "bellman-ford"; the closest name is "bellman_ford""#
        );
    }

    proptest! {
        #[test]
        fn every_sort_sorts_arrays_with_ties(
            keys in proptest::collection::vec(0..9u8, 2..20),
        ) {
            let cells = keys.iter().copied().map(f64::from).collect();
            let own = Own::new(Data::Matrix { columns: 1, cells });
            for entry in ALL.iter().filter(|entry| entry.category == Category::Sorting) {
                let traces = entry.trace(&own).unwrap();
                let pred = traces.find(Stage::Output, "pred").unwrap();
                let order = order_of_chain(traces.columns[pred].plain()).unwrap();
                let sorted = order.is_sorted_by_key(|&v| keys[v as usize]);
                prop_assert!(sorted, "{}: {order:?}", entry.name);
            }
        }
    }
}
