//! What another crate gets for its algorithms: traces, batches and files.

use narscope_clrs::instance::keys::Keys;
use narscope_clrs::instance::user::{Data, EdgeList, Place, UserInstance};
use narscope_clrs::{Batch, NodeChain, NodePointer, Options, Rng, Sampler, Traces, algorithms};
use narscope::files::atomic::Existing;
use narscope::files::format::Format;
use narscope::files::metadata::Metadata;
use narscope::files::samples;
use selection_sort::selection_sort::SelectionSort;

#[test]
fn selection_sort_sorts_in_one_step_per_key() {
    let traces = Traces::of::<SelectionSort>(Keys(vec![3.0, 1.0, 2.0]));
    assert_eq!(traces.last::<NodeChain>("pred"), NodeChain::chained(&[1, 2, 0]));
    assert_eq!(traces.steps(0), 3);
}

#[test]
fn components_are_labelled_by_their_smallest_nodes() {
    selection_sort::register().unwrap();
    let edges = vec![(0, 2, 1.0), (2, 4, 1.0), (1, 3, 1.0)];
    let entry = algorithms::find("components").unwrap();
    let traces = entry.trace(&UserInstance::new(Data::Edges(edges.into()))).unwrap();
    assert_eq!(traces.last::<NodePointer>("label"), NodePointer::from([0, 1, 0, 1, 0]));
}

#[test]
fn components_keep_the_names_of_their_nodes() {
    selection_sort::register().unwrap();
    let mut edges = EdgeList::default();
    for (i, [u, v]) in [["Rome", "Bonn"], ["Oslo", "Bonn"], ["Lima", "Kyiv"]].iter().enumerate() {
        edges.add_edge(u, v, 1.0, Place::Edge(i));
    }
    let user = UserInstance::new(Data::Edges(edges));
    let entry = algorithms::find("components").unwrap();
    assert_eq!(entry.reading(&user).unwrap().names, ["Rome", "Bonn", "Oslo", "Lima", "Kyiv"]);
    let traces = entry.trace(&user).unwrap();
    assert_eq!(traces.last::<NodePointer>("label"), NodePointer::from([0, 0, 0, 3, 3]));
}

#[test]
fn registered_algorithms_are_found_after_the_built_in_ones() {
    selection_sort::register().unwrap();
    let names: Vec<&str> = algorithms::all().iter().map(|entry| entry.name).collect();
    assert_eq!(names[names.len() - 2..], ["selection_sort", "components"]);
    let error = algorithms::find("selectionsort").unwrap_err().to_string();
    assert!(error.contains(r#"the closest name is "selection_sort""#), "{error}");
}

#[test]
fn batches_are_written_and_read_back_in_every_format() {
    selection_sort::register().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for entry in &selection_sort::ALL {
        let mut sampler = Sampler::endless(entry, 8, 42, Options::default(), false).unwrap();
        let batch = sampler.next_batch(4).unwrap();
        for format in Format::ALL {
            let path = folder.path().join(format!("{}.{}", entry.name, format.extension()));
            samples::write(&path, Existing::Keep, &batch, &Metadata::new(entry.name)).unwrap();
            let read: Batch = samples::read(&path, entry).unwrap();
            assert_eq!(read.traces.unpacked(), batch.traces.unpacked(), "{}", path.display());
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_samples() {
    let sample = |entry: &narscope_clrs::Entry| {
        entry.generate(&mut Rng::seeded(3), 16, &Options::default(), 40).unwrap()
    };
    for entry in &selection_sort::ALL {
        assert_eq!(sample(entry), sample(entry), "{}", entry.name);
    }
}
