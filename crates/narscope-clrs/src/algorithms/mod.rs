//! The algorithms, one file each, and the list of them. Other crates [`register`] their own.

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
pub mod variants;

use std::sync::{PoisonError, RwLock};

pub use crate::algorithm::{Algorithm, Category};
pub use crate::entry::Entry;
use crate::{Error, Result, registry};

/// The built-in algorithms: the thirty of CLRS-30 in the order of the benchmark, then the reference's
/// two others. To add one: write its file, add its `pub mod`, then its row.
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

/// Algorithms of other crates.
static REGISTERED: RwLock<Vec<&'static Entry>> = RwLock::new(vec![]);

/// Makes an algorithm of another crate known to this process, so that [`find`] finds it.
///
/// Returns an error if another algorithm has the name. Registering an entry again changes nothing.
pub fn register(entry: &'static Entry) -> Result<()> {
    let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
    let known = |other: &&Entry| other.name == entry.name;
    match ALL.iter().chain(variants::all()).chain(registered.iter().copied()).find(known) {
        None => registered.push(entry),
        Some(same) if std::ptr::eq(same, entry) => {}
        Some(_) => return Err(Error::DuplicateName { name: entry.name }),
    }
    Ok(())
}

/// Like [`register`], but takes the place of an algorithm of the same name that was defined at run time
/// too: a cell of a notebook is run again after a change.
pub(crate) fn register_again(entry: &'static Entry) -> Result<()> {
    {
        let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
        let same = |other: &&mut &'static Entry| other.name == entry.name;
        if let Some(old) = registered.iter_mut().find(same).filter(|old| old.body.is_replaceable())
        {
            *old = entry;
            return Ok(());
        }
    }
    register(entry)
}

/// The built-in algorithms, then the registered ones in the order of registration.
pub fn all() -> Vec<&'static Entry> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    ALL.iter().chain(registered.iter().copied()).collect()
}

/// Looks up an algorithm or a faulty variant by name.
pub fn find(name: &str) -> Result<&'static Entry> {
    match variants::find(name) {
        Some(variant) => Ok(variant),
        None => registry::find("algorithm", all(), |entry| entry.name, name),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;
    use crate::column::Column;
    use crate::convert::order_of_chain;
    use crate::instance::user::Data;
    use crate::instance::user::UserInstance;
    use crate::options::Options;
    use crate::probe::{Kind, Stage};
    use crate::records::Records;
    use crate::rng::Rng;
    use crate::trace::Traces;

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

    #[test]
    fn a_name_is_registered_once() {
        static BFS: Entry = Entry::of::<bfs::Bfs>();
        let error = register(&BFS).unwrap_err().to_string();
        assert_eq!(error, r#"an algorithm named "bfs" is registered already"#);
        // The built-in entry itself is known.
        assert_eq!(register(find("bfs").unwrap()), Ok(()));
        assert_eq!(all().len(), ALL.len());
    }

    #[test]
    fn matrices_at_every_step_are_known_to_be_large_and_lists_are_not() {
        const GB: usize = 1 << 30;
        let bytes = |name: &str| find(name).unwrap().estimated_bytes(3_334);
        assert!(bytes("floyd_warshall") > 100 * GB, "{}", bytes("floyd_warshall"));
        assert!(bytes("bellman_ford") < GB, "{}", bytes("bellman_ford"));
        assert!(bytes("heapsort") < GB, "{}", bytes("heapsort"));
    }

    #[test]
    fn a_telling_seed_reaches_every_node_of_rooted_graphs() {
        let options = Options::default();
        for entry in ALL {
            let seed = entry.telling_seed(5, &options);
            let Ok(seed) = seed else { continue };
            let traces = entry.generate(&mut Rng::seeded(seed), 5, &options, 1).unwrap();
            match traces.reaches_every_node(0) {
                Some(all) => assert!(all, "{} with seed {seed}", entry.name),
                None => assert_eq!(seed, 1, "{}", entry.name),
            }
        }
        let sparse = Options { p: Some(vec![0.0]), ..options };
        assert_eq!(find("bfs").unwrap().telling_seed(5, &sparse), Ok(1), "there is none");
    }

    #[test]
    fn answers_of_algorithms_that_scale_do_not_depend_on_the_unit() {
        let scaling: Vec<&str> =
            ALL.iter().filter(|entry| entry.scales()).map(|entry| entry.name).collect();
        let expected = [
            "bellman_ford",
            "dag_shortest_paths",
            "dijkstra",
            "floyd_warshall",
            "mst_kruskal",
            "mst_prim",
        ];
        for name in expected {
            assert!(scaling.contains(&name), "{name}");
        }
        for entry in scaling.into_iter().map(|name| find(name).unwrap()) {
            let traces = entry.generate(&mut Rng::seeded(3), 9, &Options::default(), 1).unwrap();
            let weights = traces.find(Stage::Input, "A").unwrap();
            let mut inputs: Vec<Column> = traces.columns.clone();
            inputs.truncate(traces.probes.iter().filter(|it| it.stage == Stage::Input).count());
            let divided: Vec<f64> =
                inputs[weights].unpacked().plain::<f64>().iter().map(|w| w / 8.0).collect();
            inputs[weights] = Column::Real(Records::from_plain(81, &divided));
            let scaled = entry.replay(9, &inputs, 0).unwrap();
            for (place, probe) in traces.probes.iter().enumerate() {
                let (one, other) = (traces.dense(place, 0), scaled.dense(place, 0));
                let is_scaled =
                    probe.name == "A" || (probe.stage == Stage::Hint && probe.kind == Kind::Scalar);
                let factor = if is_scaled { 8.0 } else { 1.0 };
                let other: Vec<f64> = other.iter().map(|value| value * factor).collect();
                assert_eq!(one, other, "{} of {}", probe.name, entry.name);
            }
        }
    }

    proptest! {
        #[test]
        fn every_sort_sorts_arrays_with_ties(
            keys in proptest::collection::vec(0..9u8, 2..20),
        ) {
            let cells = keys.iter().copied().map(f64::from).collect();
            let own = UserInstance::new(Data::Matrix { columns: 1, cells });
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
