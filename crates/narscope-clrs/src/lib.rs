//! The CLRS-30 benchmark: textbook algorithms that record what they do, step by step.
//!
//! Data flows one way. An [`Rng`] draws an [`Instance`], an [`Algorithm`] runs on it and records
//! [`Traces`], a [`Sampler`] groups them into [batches](Batch). Samples equal those of the
//! reference, dm-clrs 2.0.3, bit for bit; `docs/parity.md` lists every deliberate difference.
//!
//! ```
//! use narscope_clrs::{Options, Sampler, algorithms};
//!
//! let bfs = algorithms::find("bfs")?;
//! let mut sampler = Sampler::endless(bfs, 16, 42, Options::default(), false)?;
//! let batch = sampler.next_batch(32)?;
//! assert_eq!(batch.traces.len(), 32);
//! # Ok::<(), narscope_clrs::Error>(())
//! ```
//!
//! # An algorithm of your own
//!
//! An algorithm is a type with a spec, declared by [`probes!`], and an implementation of
//! [`Algorithm`]. It can live in any crate. Once it is [registered](algorithms::register), whatever
//! finds algorithms by name finds it: samplers, files, training, analyses. Selection sort:
//!
//! ```
//! use narscope_clrs::array::NodeArray;
//! use narscope_clrs::instance::keys::{Keys, Range};
//! use narscope_clrs::{
//!     Algorithm, Category, Entry, Node, NodeChain, NodeMaskOne, NodePointer, NodeScalar, Options,
//!     Sampler, Traces, Tracer, algorithms, probes,
//! };
//!
//! pub struct SelectionSort;
//!
//! probes!(SelectionSort {
//!     input {
//!         /// position in the array, scaled to [0, 1)
//!         pos: NodeScalar,
//!         /// key to sort by
//!         key: NodeScalar,
//!     }
//!     output {
//!         /// predecessor in sorted order
//!         pred: NodeChain,
//!     }
//!     hint {
//!         /// predecessor in the current order
//!         pred_h: NodePointer,
//!         /// node moved to the front last
//!         i: NodeMaskOne,
//!     }
//! });
//!
//! impl Algorithm for SelectionSort {
//!     const NAME: &'static str = "selection_sort";
//!     const SUMMARY: &'static str = "moves the smallest remaining key to the front";
//!     const CATEGORY: Category = Category::Sorting;
//!     type Instance = Keys;
//!     const PARAMS: Range = Range::UNIT;
//!     const IN_CLRS_30: bool = false;
//!
//!     fn input(Keys(keys): Keys) -> Input {
//!         Input { pos: NodeScalar::positions(keys.len()), key: Node(keys) }
//!     }
//!
//!     fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
//!         let mut a = NodeArray::of(&input.key);
//!         let n = a.len();
//!         let mut x = Hint { pred_h: NodePointer::to_left(n), i: NodeMaskOne(0) };
//!         trace.hint(&x);
//!         for i in 0..n - 1 {
//!             let smallest = (i..n).reduce(|s, j| if a.keys[j] < a.keys[s] { j } else { s });
//!             a.swap(i, smallest.expect("i < n"));
//!             x.i = NodeMaskOne(a.nodes[i]);
//!             x.pred_h.chain(&a.nodes);
//!             trace.hint(&x);
//!         }
//!         Output { pred: NodeChain::chained(&a.nodes) }
//!     }
//! }
//!
//! static SELECTION_SORT: Entry = Entry::of::<SelectionSort>();
//!
//! # fn main() -> narscope_clrs::Result<()> {
//! // One instance.
//! let traces = Traces::of::<SelectionSort>(Keys(vec![0.3, 0.1, 0.2]));
//! assert_eq!(traces.last::<NodeChain>("pred"), NodeChain::chained(&[1, 2, 0]));
//!
//! // Batches of random instances, by name.
//! algorithms::register(&SELECTION_SORT)?;
//! let entry = algorithms::find("selection_sort")?;
//! let mut sampler = Sampler::endless(entry, 16, 42, Options::default(), false)?;
//! let batch = sampler.next_batch(4)?;
//! let hint = batch.traces.probes.iter().position(|probe| probe.name == "pred_h").unwrap();
//! assert_eq!(batch.shape(hint), [16, 4, 16]); // steps, samples, nodes
//! # Ok(())
//! # }
//! ```
//!
//! `docs/adding-an-algorithm.md` has a graph algorithm and the list of all value types.
//!
//! # Features
//!
//! `rayon` (default) runs algorithms on all threads. Without it everything runs on the calling
//! thread, with the same results. The crate builds for `wasm32-unknown-unknown`.
//!
//! This crate knows nothing about neural networks or files.

pub mod algorithm;
pub mod algorithms;
pub mod array;
pub mod batch;
mod body;
pub mod chunk;
pub mod column;
pub mod content;
pub mod convert;
mod dense;
mod depth_first;
pub mod dynamic;
pub mod entry;
mod error;
pub mod family;
pub mod graph;
pub mod instance;
pub mod kind;
pub mod location;
mod mersenne;
mod nearest_first;
pub mod options;
mod parallel;
pub mod probe;
pub mod records;
pub mod registry;
pub mod rng;
pub mod sampler;
pub mod signature;
pub mod split;
pub mod symmetry;
pub mod trace;
pub mod validity;
pub mod values;

pub use algorithm::{Algorithm, Category};
pub use algorithms::variants;
pub use batch::Batch;
pub use dynamic::Definition;
pub use entry::Entry;
pub use error::{Error, Foreign, Result};
pub use instance::Instance;
pub use kind::Kind;
pub use location::Location;
pub use options::{OptionName, Options};
pub use probe::{Dtype, Probe, Stage};
pub use rng::Rng;
pub use sampler::Sampler;
pub use split::{Edition, Split};
pub use trace::{Tracer, Traces};
pub use values::{
    Edge, EdgeClass, EdgeMask, EdgePartialMask, EdgePointer, EdgeScalar, EdgeWhole, Graph,
    GraphClass, GraphMask, GraphScalar, Grid, Node, NodeChain, NodeClass, NodeMask, NodeMaskOne,
    NodeOrder, NodePointer, NodeScalar, NodeWhole,
};
