//! Validity: whether an answer is correct, even if it differs from the reference's.
//!
//! Two paths can be equally short, and equal keys can be sorted in either order. A network that
//! finds the other answer differs from the reference but is not wrong. Where several answers can be
//! correct, an algorithm has a checker, [`Algorithm::VALID`](crate::algorithms::Algorithm::VALID).
//! It judges the parts of an answer separately; an answer is correct if and only if all its parts
//! are. Sums of reals are compared with a relative tolerance of 1e-9, because they depend on the
//! order of summation.
//!
//! | Algorithms | Part | Correct if |
//! | --- | --- | --- |
//! | `bellman_ford`, `dag_shortest_paths`, `dijkstra`, `bfs` | a node | its pointers lead to the source along edges, and no path is shorter; the source and unreachable nodes point to themselves |
//! | `floyd_warshall` | a pair of nodes | the same for each source; unreachable pairs point to the source; a node paired with itself does so too, or, if it has a self loop, points to its predecessor on a shortest cycle |
//! | `mst_prim` | a node | its pointers lead to the source along the nearest minimum spanning tree; the source and unreachable nodes point to themselves |
//! | `mst_kruskal` | a pair that is marked or should be | it is marked, and in the nearest minimum spanning forest |
//! | `strongly_connected_components` | a node | it points to the member of its component that most of the component points to |
//! | `lcs_length` | a letter of each string | the arrow leads to prefixes whose longest common subsequence extends to one of these prefixes |
//! | `matrix_chain_order`, `optimal_bst` | a chain, a range of keys | no other split of it is cheaper |
//! | the four sorts | the whole | the pointers form one chain of all nodes, and no key is less than its predecessor |
//! | `topological_sort` | the whole | the pointers form one chain of all nodes from the head, and every edge points forwards |
//! | `minimum`, `quickselect`, `binary_search` | the whole | the node has the same key as the reference's |
//! | `find_maximum_subarray`, `find_maximum_subarray_kadane` | the whole | no subarray has a larger sum |
//! | `activity_selector` | the whole | no two activities overlap, and there are at least as many as in the reference's answer, which is a maximum if all durations are positive |
//! | `bipartite_matching` | the whole | only edges have flow, flow is conserved at inner nodes, and it is a maximum |
//!
//! The *nearest* minimum spanning tree is the one that shares the most edges with the answer. Pairs
//! without a meaning, such as chains that end before they begin, are not parts.
//!
//! Two kinds of problems are not judged, because the reference's own answer can be wrong:
//! `mst_prim` on a directed graph, and `matrix_chain_order` with a dimension that is not positive
//! (the reference stops too early if products cost 0).
//!
//! The other algorithms have no checker:
//!
//! - `articulation_points`, `bridges`, `graham_scan`, `jarvis_march`, `segments_intersect`,
//!   `kmp_matcher` and `naive_string_matcher` have a unique correct answer: a set, a boolean, the
//!   first match.
//! - `dfs`: there are other depth-first forests, but the order of the nodes, which is part of the
//!   problem, determines one of them.
//! - `task_scheduling`: the reference tests whether a task can be scheduled last, not whether it can
//!   be scheduled at all, so its selection is not an optimum.

mod choices;
mod components;
mod flow;
mod orders;
mod paths;
mod spanning;
mod tables;

use serde::{Deserialize, Serialize};

pub use choices::{activities, first_at_least, median, smallest, subarray};
pub use components::components;
pub use flow::maximum_flow;
pub use orders::{sorted, topological_order};
pub use paths::{all_shortest_paths, shortest_paths};
pub use spanning::{spanning_forest, spanning_tree};
pub use tables::Arrow;
pub use tables::{arrows, chain_splits, search_tree_roots};

/// How much of an answer is correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validity {
    /// Number of correct parts.
    #[serde(rename = "right")]
    pub correct: usize,
    /// Number of parts.
    #[serde(rename = "of")]
    pub total: usize,
}

impl Validity {
    /// Whether the answer is right.
    pub fn is_valid(self) -> bool {
        self.correct == self.total
    }

    /// The share of its parts that are right: 1 if it has none, because then nothing is wrong.
    pub fn fraction(self) -> f64 {
        if self.total == 0 { 1.0 } else { self.correct as f64 / self.total as f64 }
    }

    /// Of an answer with one part.
    fn from_whole(correct: bool) -> Self {
        Self { correct: usize::from(correct), total: 1 }
    }

    /// Of an answer whose parts are judged one by one.
    fn from_parts(parts: impl IntoIterator<Item = bool>) -> Self {
        parts.into_iter().fold(Self { correct: 0, total: 0 }, |sum, correct| Self {
            correct: sum.correct + usize::from(correct),
            total: sum.total + 1,
        })
    }
}

/// Judges an output for an input; `None` if such an input cannot be judged.
///
/// An output may be any prediction of a network, as long as its pointers are nodes.
pub type Checker<I, O> = fn(&I, &O) -> Option<Validity>;

/// Whether `sum <= bound` up to rounding; `scale` is the sum of the absolute values of the terms.
fn at_most(sum: f64, bound: f64, scale: f64) -> bool {
    sum <= bound + 1e-9 * scale
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::variants;
    use crate::algorithms::{ALL, Entry, find};
    use crate::column::Column;
    use crate::options::{Direction, Options};
    use crate::probe::{Probe, Stage};
    use crate::records::Records;
    use crate::rng::Rng;
    use crate::trace::Traces;

    fn with_checker() -> impl Iterator<Item = &'static Entry> {
        ALL.iter().filter(|entry| entry.has_validity())
    }

    /// The columns of a stage.
    fn columns(traces: &Traces, stage: Stage) -> &[Column] {
        let count = |stage| traces.probes.iter().filter(|probe| probe.stage == stage).count();
        let inputs = count(Stage::Input);
        match stage {
            Stage::Input => &traces.columns[..inputs],
            Stage::Output => &traces.columns[inputs..inputs + count(Stage::Output)],
            Stage::Hint => &traces.columns[inputs + count(Stage::Output)..],
        }
    }

    fn judge(entry: &Entry, traces: &Traces, run: usize) -> Option<Validity> {
        let (inputs, outputs) = (columns(traces, Stage::Input), columns(traces, Stage::Output));
        entry.validity(traces.nodes, inputs, outputs, run)
    }

    /// One random record, such as an untrained network might predict.
    fn random_prediction(probe: &Probe, nodes: usize, rng: &mut Rng) -> Column {
        let width = probe.locations(nodes);
        match Column::of(probe, nodes) {
            Column::Index(_) => {
                let pointers: Vec<u32> = (0..width).map(|_| rng.below(nodes) as u32).collect();
                Column::Index(Records::from_plain(width, &pointers))
            }
            Column::Class(_) => {
                // Mask values are -1, 0 and 1; class codes count from 0.
                let (low, codes) =
                    if probe.classes.is_empty() { (-1, 3) } else { (0, probe.classes.len()) };
                let codes: Vec<i8> = (0..width).map(|_| low + rng.below(codes) as i8).collect();
                Column::Class(Records::from_plain(width, &codes))
            }
            Column::Real(_) => {
                Column::Real(Records::from_plain(width, &rng.uniforms(-1.0, 1.0, width)))
            }
        }
    }

    #[test]
    fn the_algorithms_without_a_checker_are_those_of_the_list() {
        let without: Vec<&str> =
            ALL.iter().filter(|entry| !entry.has_validity()).map(|entry| entry.name).collect();
        let wanted = [
            "articulation_points",
            "bridges",
            "dfs",
            "graham_scan",
            "jarvis_march",
            "kmp_matcher",
            "naive_string_matcher",
            "segments_intersect",
            "task_scheduling",
        ];
        assert_eq!(without, wanted);
    }

    #[test]
    fn an_answer_without_parts_is_valid() {
        let none = Validity { correct: 0, total: 0 };
        assert!(none.is_valid());
        assert_eq!(none.fraction(), 1.0);
        assert_eq!(Validity { correct: 1, total: 4 }.fraction(), 0.25);
    }

    #[test]
    fn faulty_variants_are_judged_by_the_original_problem() {
        for entry in variants::all() {
            let options = Options::default();
            let traces = entry.generate(&mut Rng::seeded(3), 16, &options, 50).unwrap();
            let judged: Vec<_> = (0..50).map(|run| judge(entry, &traces, run).unwrap()).collect();
            assert!(judged.iter().any(|validity| !validity.is_valid()), "{}", entry.name);
        }
    }

    #[test]
    fn algorithms_without_a_checker_are_not_judged() {
        for entry in ALL.iter().filter(|entry| !entry.has_validity()) {
            let traces = entry.generate(&mut Rng::seeded(1), 8, &Options::default(), 1).unwrap();
            assert_eq!(judge(entry, &traces, 0), None, "{}", entry.name);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_references_answer_is_valid(seed: u32, length in 4usize..20) {
            for entry in with_checker() {
                let options = Options::default();
                let traces = entry.generate(&mut Rng::seeded(seed), length, &options, 3).unwrap();
                for run in 0..3 {
                    let judged = judge(entry, &traces, run);
                    prop_assert!(judged.is_some_and(Validity::is_valid), "{}: {:?}", entry.name, judged);
                }
            }
        }

        #[test]
        fn the_references_answer_is_valid_with_ties(seed: u32, length in 4usize..20) {
            for entry in with_checker() {
                let decimals = if entry.name == "optimal_bst" { 2 } else { 1 };
                let options = Options { truncate_decimals: Some(decimals), ..Options::default() };
                let traces = entry.generate(&mut Rng::seeded(seed), length, &options, 3).unwrap();
                for run in 0..3 {
                    // Dimensions may have been truncated to 0.
                    let may_be_none = entry.name == "matrix_chain_order";
                    let judged = judge(entry, &traces, run);
                    let valid = judged.map_or(may_be_none, Validity::is_valid);
                    prop_assert!(valid, "{}: {:?}", entry.name, judged);
                }
            }
        }

        #[test]
        fn the_references_paths_are_valid_on_directed_graphs_and_with_negative_weights(
            seed: u32, length in 4usize..20,
        ) {
            let names = ["bellman_ford", "bfs", "dijkstra", "floyd_warshall", "dag_shortest_paths"];
            for name in names {
                let entry = find(name).unwrap();
                let acyclic = name == "dag_shortest_paths";
                let options = Options {
                    direction: (!acyclic).then_some(Direction::Directed),
                    low: acyclic.then_some(-1.0),
                    truncate_decimals: Some(1),
                    p: Some(vec![0.3]),
                    ..Options::default()
                };
                let traces = entry.generate(&mut Rng::seeded(seed), length, &options, 1).unwrap();
                let judged = judge(entry, &traces, 0);
                prop_assert!(judged.is_some_and(Validity::is_valid), "{}: {:?}", name, judged);
            }
        }

        #[test]
        fn any_prediction_is_judged(seed: u32, length in 4usize..12) {
            for entry in with_checker() {
                let rng = &mut Rng::seeded(seed);
                let traces = entry.generate(rng, length, &Options::default(), 1).unwrap();
                let outputs = entry.probes.iter().filter(|probe| probe.stage == Stage::Output);
                for _ in 0..4 {
                    let predicted: Vec<Column> =
                        outputs.clone().map(|probe| random_prediction(probe, traces.nodes, rng)).collect();
                    let inputs = columns(&traces, Stage::Input);
                    let judged = entry.validity(traces.nodes, inputs, &predicted, 0).unwrap();
                    prop_assert!(judged.correct <= judged.total, "{}: {:?}", entry.name, judged);
                }
            }
        }

        #[test]
        fn a_wrong_pointer_invalidates_only_the_subtree_of_its_node(seed: u32, v in 0usize..8) {
            let entry = find("dijkstra").unwrap();
            let traces = entry.generate(&mut Rng::seeded(seed), 8, &Options::default(), 1).unwrap();
            let [output] = columns(&traces, Stage::Output) else { unreachable!("one output") };
            let mut pi = output.unpacked().plain::<u32>().to_vec();
            let in_subtree = |u: usize| {
                std::iter::successors(Some(u), |&u| Some(pi[u] as usize)).take(8).any(|u| u == v)
            };
            let subtree = (0..8).filter(|&u| in_subtree(u)).count();
            // All weights differ: there is no other correct pointer.
            let wrong = (pi[v] + 1) % 8;
            pi[v] = wrong;
            let predicted = [Column::Index(Records::from_plain(8, &pi))];
            let judged = entry.validity(8, columns(&traces, Stage::Input), &predicted, 0).unwrap();
            // Paths end at the source, so a wrong pointer of the source affects only itself.
            let source = traces.columns[traces.find(Stage::Input, "s").unwrap()].plain::<u32>()[0];
            let wanted = if v == source as usize { 7 } else { 8 - subtree };
            prop_assert_eq!(judged, Validity { correct: wanted, total: 8 });
        }
    }
}
