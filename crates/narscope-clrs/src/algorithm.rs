//! What an algorithm is.

use serde::Serialize;

use crate::instance::Instance;
use crate::signature::{Problem as _, Signature};
use crate::trace::{Tracer, Traces};
use crate::validity::Checker;

/// The chapter of the benchmark that an algorithm belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Sorting an array.
    Sorting,
    /// Searching an array.
    Searching,
    /// Divide and conquer.
    DivideAndConquer,
    /// Greedy algorithms.
    Greedy,
    /// Dynamic programming.
    DynamicProgramming,
    /// Graph algorithms.
    Graphs,
    /// String matching.
    Strings,
    /// Computational geometry.
    Geometry,
}

/// A textbook algorithm that can be sampled and traced.
///
/// The [front page](crate) implements it for selection sort.
pub trait Algorithm: Signature {
    /// The name of the algorithm and of its file.
    const NAME: &'static str;
    /// What it computes, in a few words.
    const SUMMARY: &'static str;
    /// The chapter it belongs to.
    const CATEGORY: Category;
    /// The problem it solves, with its sampler.
    type Instance: Instance;
    /// The parameters of the sampler.
    const PARAMS: <Self::Instance as Instance>::Params;
    /// Factor of the number of validation and test samples in the benchmark.
    const MULTIPLIER: usize = 1;
    /// Whether it is one of the thirty of CLRS-30.
    const IN_CLRS_30: bool = true;
    /// Whether training graphs have half the usual edge probabilities.
    const SPARSE: bool = false;
    /// Decides whether an output is correct, for problems with several correct outputs.
    const VALID: Option<Checker<Self::Input, Self::Output>> = None;
    /// Adds derived values, such as positions, to an instance.
    fn input(instance: Self::Instance) -> Self::Input;
    /// Runs the algorithm, recording a hint at every step.
    fn run(input: &Self::Input, trace: &mut Tracer<Self::Hint>) -> Self::Output;
}

impl Traces {
    /// The trace of one instance.
    ///
    /// ```
    /// use narscope_clrs::algorithms::insertion_sort::InsertionSort;
    /// use narscope_clrs::instance::keys::Keys;
    /// use narscope_clrs::{NodeChain, Traces};
    ///
    /// let traces = Traces::of::<InsertionSort>(Keys(vec![0.3, 0.1, 0.2]));
    /// assert_eq!(traces.last::<NodeChain>("pred"), NodeChain::chained(&[1, 2, 0]));
    /// ```
    pub fn of<A: Algorithm>(instance: A::Instance) -> Self {
        let input = A::input(instance);
        let mut traces = Self::new(A::PROBES.to_vec(), input.nodes());
        traces.record::<A>(&input, A::run);
        traces
    }
}
