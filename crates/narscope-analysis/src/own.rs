//! Samples of users, as a network takes them, and what is known about them.

use narscope_clrs::instance::user::{Reading, UserInstance};
use narscope_clrs::trace::Traces;
use narscope_model::training_range::SampleRange;

use crate::Result;
use crate::analysed::AnalysedModel;

/// An instance of a user as a sample for a network.
#[derive(Clone, Debug)]
pub struct OwnSample {
    /// The trace, as the network takes it: with weights divided by `divisor`.
    pub traces: Traces,
    /// What the instance is called: its file, and its graph if the file has several.
    pub name: String,
    /// Names of nodes, direction of edges.
    pub reading: Reading,
    /// What weights were divided by; 1 if they were not. A power of two, so multiplying by it gives
    /// back the user's numbers.
    pub divisor: f64,
}

impl OwnSample {
    /// Converts an instance to a sample in the form that the network takes.
    pub fn new(model: &AnalysedModel, own: &UserInstance) -> Result<Self> {
        let reading = model.spec().entry.reading(own)?;
        let traces = model.task().instance(own)?;
        Ok(Self { traces, name: own.origin.name(), reading, divisor: 1.0 })
    }

    /// Converts an instance with all weights divided by a number, a power of two.
    pub fn divided(model: &AnalysedModel, own: &UserInstance, divisor: f64) -> Result<Self> {
        let traces = model.task().instance(&own.divided(divisor))?;
        Ok(Self { traces, divisor, ..Self::new(model, own)? })
    }

    /// Sizes, weights and directions, to compare with those of training.
    pub fn range(&self) -> SampleRange {
        SampleRange::of(&self.traces).expect("there is one sample")
    }

    /// Whether edges have a direction, if the instance is a graph.
    pub fn is_directed(&self) -> Option<bool> {
        self.reading.graph.as_ref().map(|graph| graph.is_directed)
    }
}
