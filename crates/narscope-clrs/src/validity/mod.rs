//! Validity: whether an answer is right, though it need not be the reference's.
//!
//! Two paths can be equally short, and equal keys can be sorted either way. A network that finds
//! the other answer differs from the reference and is no worse. Where several answers can be right,
//! an algorithm names its checker, [`Algorithm::VALID`](crate::algorithms::Algorithm::VALID), and
//! the answer is judged in parts, each right or wrong. All parts are right if and only if the
//! answer is. Sums of reals are compared with a relative tolerance of 1e-9, because they may have
//! been added up in another order.
//!
//! | Algorithms | A part | It is right if |
//! | --- | --- | --- |
//! | `bellman_ford`, `dag_shortest_paths`, `dijkstra`, `bfs` | a node | the pointers lead from it to the source along edges, and no path is shorter; the source and nodes out of reach point to themselves |
//! | `floyd_warshall` | a pair of nodes | the same from each source; pairs out of reach point to the source; a node to itself does so too, or has its predecessor on a shortest way round if it has a self loop |
//! | `mst_prim` | a node | the pointers lead from it to the source along the nearest minimum spanning tree; the source and nodes out of reach point to themselves |
//! | `mst_kruskal` | a pair that is marked or should be | it is marked, and in the nearest minimum spanning forest |
//! | `strongly_connected_components` | a node | it points to the member of its component that most of the component points to |
//! | `lcs_length` | a letter of each string | the arrow leads to prefixes that a longest common subsequence of these can be taken from |
//! | `matrix_chain_order`, `optimal_bst` | a chain, a set of keys | no other split of it is cheaper |
//! | the four sorts | the whole | the pointers chain all nodes up, and no key is less than the one before it |
//! | `topological_sort` | the whole | the pointers chain all nodes up from the head on, and every edge leads forwards |
//! | `minimum`, `quickselect`, `binary_search` | the whole | the node has the same key as the one that is looked for |
//! | `find_maximum_subarray`, `find_maximum_subarray_kadane` | the whole | no subarray has a larger sum |
//! | `activity_selector` | the whole | no two activities overlap, and they are at least as many as the reference's, which are the most that can be if each takes some time |
//! | `bipartite_matching` | the whole | flow goes through edges only, comes out of each inner node as it goes in, and cannot be more |
//!
//! The *nearest* minimum spanning tree is the one that shares most edges with the answer. Pairs that
//! stand for nothing, such as chains that end before they begin, are no parts.
//!
//! Nothing is said of two kinds of problems, because the reference's own answer need not be right:
//! `mst_prim` on a directed graph, and `matrix_chain_order` with a dimension that is not positive
//! (the reference stops too early if products cost nothing).
//!
//! The other algorithms have no checker:
//!
//! - `articulation_points`, `bridges`, `graham_scan`, `jarvis_march`, `segments_intersect`,
//!   `kmp_matcher` and `naive_string_matcher` have one right answer each: a set, a yes or no, the
//!   first match.
//! - `dfs`: other forests are depth-first, too, but the order of the nodes, which is part of the
//!   problem, says which one is meant.
//! - `task_scheduling`: the reference asks whether a task can be done last, not whether it can be
//!   done at all, so that its selection is not the optimum of anything.

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

/// How much of an answer is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validity {
    /// How many parts of the answer are right.
    pub right: usize,
    /// How many parts it has.
    pub of: usize,
}

impl Validity {
    /// Whether the answer is right.
    pub fn whole(self) -> bool {
        self.right == self.of
    }

    /// The share of its parts that are right: 1 if it has none, because then nothing is wrong.
    pub fn share(self) -> f64 {
        if self.of == 0 { 1.0 } else { self.right as f64 / self.of as f64 }
    }

    /// Of an answer with one part.
    fn of_whole(right: bool) -> Self {
        Self { right: usize::from(right), of: 1 }
    }

    /// Of an answer whose parts are judged one by one.
    fn of_parts(parts: impl IntoIterator<Item = bool>) -> Self {
        parts.into_iter().fold(Self { right: 0, of: 0 }, |sum, right| Self {
            right: sum.right + usize::from(right),
            of: sum.of + 1,
        })
    }
}

/// Judges an output by the input that it belongs to; `None` if nothing can be said of such an input.
///
/// An output may be anything a network says, as long as its pointers point to nodes.
pub type Checker<I, O> = fn(&I, &O) -> Option<Validity>;

/// Whether a sum is no larger than another, whose terms without their signs add up to `scale`, but
/// for rounding.
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

    /// Where the columns of a stage are.
    fn columns(traces: &Traces, stage: Stage) -> &[Column] {
        let place = |stage| traces.probes.iter().filter(|probe| probe.stage == stage).count();
        let inputs = place(Stage::Input);
        match stage {
            Stage::Input => &traces.columns[..inputs],
            Stage::Output => &traces.columns[inputs..inputs + place(Stage::Output)],
            Stage::Hint => &traces.columns[inputs + place(Stage::Output)..],
        }
    }

    fn judge(entry: &Entry, traces: &Traces, run: usize) -> Option<Validity> {
        let (inputs, outputs) = (columns(traces, Stage::Input), columns(traces, Stage::Output));
        entry.validity(traces.nodes, inputs, outputs, run)
    }

    /// One record of anything that a network might say.
    fn garbage(probe: &Probe, nodes: usize, rng: &mut Rng) -> Column {
        let width = probe.locations(nodes);
        match Column::of(probe, nodes) {
            Column::Index(_) => {
                let pointers: Vec<u32> = (0..width).map(|_| rng.below(nodes) as u32).collect();
                Column::Index(Records::from_plain(width, &pointers))
            }
            Column::Class(_) => {
                // Masks are -1 to 1, classes count from 0.
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
    fn the_algorithms_with_several_right_answers_are_those_of_the_table() {
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
    fn an_answer_without_parts_has_nothing_wrong() {
        let none = Validity { right: 0, of: 0 };
        assert!(none.whole());
        assert_eq!(none.share(), 1.0);
        assert_eq!(Validity { right: 1, of: 4 }.share(), 0.25);
    }

    #[test]
    fn faulty_variants_are_judged_by_the_problem_they_should_have_solved() {
        for entry in variants::all() {
            let options = Options::default();
            let traces = entry.generate(&mut Rng::seeded(3), 16, &options, 50).unwrap();
            let judged: Vec<_> = (0..50).map(|run| judge(entry, &traces, run).unwrap()).collect();
            assert!(judged.iter().any(|validity| !validity.whole()), "{}", entry.name);
        }
    }

    #[test]
    fn nothing_is_said_where_there_is_nothing_to_choose() {
        for entry in ALL.iter().filter(|entry| !entry.has_validity()) {
            let traces = entry.generate(&mut Rng::seeded(1), 8, &Options::default(), 1).unwrap();
            assert_eq!(judge(entry, &traces, 0), None, "{}", entry.name);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_references_own_answer_is_right(seed: u32, length in 4usize..20) {
            for entry in with_checker() {
                let options = Options::default();
                let traces = entry.generate(&mut Rng::seeded(seed), length, &options, 3).unwrap();
                for run in 0..3 {
                    let judged = judge(entry, &traces, run);
                    prop_assert!(judged.is_some_and(Validity::whole), "{}: {:?}", entry.name, judged);
                }
            }
        }

        #[test]
        fn the_references_own_answer_is_right_among_ties(seed: u32, length in 4usize..20) {
            for entry in with_checker() {
                let decimals = if entry.name == "optimal_bst" { 2 } else { 1 };
                let options = Options { truncate_decimals: Some(decimals), ..Options::default() };
                let traces = entry.generate(&mut Rng::seeded(seed), length, &options, 3).unwrap();
                for run in 0..3 {
                    // Dimensions may have been truncated to 0.
                    let silent = entry.name == "matrix_chain_order";
                    let judged = judge(entry, &traces, run);
                    let right = judged.map_or(silent, Validity::whole);
                    prop_assert!(right, "{}: {:?}", entry.name, judged);
                }
            }
        }

        #[test]
        fn the_references_own_paths_are_right_one_way_and_with_negative_weights(
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
                prop_assert!(judged.is_some_and(Validity::whole), "{}: {:?}", name, judged);
            }
        }

        #[test]
        fn anything_a_network_might_say_is_judged(seed: u32, length in 4usize..12) {
            for entry in with_checker() {
                let rng = &mut Rng::seeded(seed);
                let traces = entry.generate(rng, length, &Options::default(), 1).unwrap();
                let outputs = entry.probes.iter().filter(|probe| probe.stage == Stage::Output);
                for _ in 0..4 {
                    let said: Vec<Column> =
                        outputs.clone().map(|probe| garbage(probe, traces.nodes, rng)).collect();
                    let inputs = columns(&traces, Stage::Input);
                    let judged = entry.validity(traces.nodes, inputs, &said, 0).unwrap();
                    prop_assert!(judged.right <= judged.of, "{}: {:?}", entry.name, judged);
                }
            }
        }

        #[test]
        fn one_wrong_pointer_spoils_no_node_but_those_behind_it(seed: u32, v in 0usize..8) {
            let entry = find("dijkstra").unwrap();
            let traces = entry.generate(&mut Rng::seeded(seed), 8, &Options::default(), 1).unwrap();
            let [output] = columns(&traces, Stage::Output) else { unreachable!("one output") };
            let mut pi = output.unpacked().plain::<u32>().to_vec();
            let behind = |u: usize| {
                std::iter::successors(Some(u), |&u| Some(pi[u] as usize)).take(8).any(|u| u == v)
            };
            let spoilt = (0..8).filter(|&u| behind(u)).count();
            // Weights are all different: there is no other right pointer.
            let wrong = (pi[v] + 1) % 8;
            pi[v] = wrong;
            let said = [Column::Index(Records::from_plain(8, &pi))];
            let judged = entry.validity(8, columns(&traces, Stage::Input), &said, 0).unwrap();
            // Whoever is behind the source reaches it before its pointer is asked for.
            let source = traces.columns[traces.find(Stage::Input, "s").unwrap()].plain::<u32>()[0];
            let wanted = if v == source as usize { 7 } else { 8 - spoilt };
            prop_assert_eq!(judged, Validity { right: wanted, of: 8 });
        }
    }
}
