//! Weights: every number that a network learns, by name, in one piece of memory.
//!
//! A network's constructors declare what they need through a [`Scope`](crate::scope::Scope); that
//! list is the layout of the weights, of their gradients and of the optimiser's moments alike.

use burn_tensor::{Device, Gradients, Tensor};

use crate::random::Stream;
use crate::values::{numbers, tensor};
use crate::{Error, Result};

/// The part of a network that a parameter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// What all tasks share.
    Processor,
    /// What turns a task's probes into features.
    Encoders,
    /// What reads a task's predictions off the hidden state.
    Decoders,
}

/// How a parameter starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// A normal number cut off at two, times this.
    TruncatedNormal(f32),
    /// All the same.
    Constant(f32),
}

/// A named piece of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Where it is in the network, like `processor.sender.weight`.
    pub name: String,
    /// What the reference calls it: its module and its name there.
    pub haiku: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// The part of the network that it belongs to.
    pub part: Part,
    /// The task that alone uses it, if it is not shared.
    pub task: Option<usize>,
    /// How it starts.
    pub init: Init,
}

impl Parameter {
    /// How many numbers it has.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// The weights of a network, or anything else that has one number per weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What the numbers are, in their order.
    pub parameters: Vec<Parameter>,
    /// The numbers.
    pub values: Vec<f32>,
}

impl Weights {
    /// Fresh weights for a list of parameters.
    pub fn initial(parameters: Vec<Parameter>, seed: u32) -> Self {
        let mut values = vec![];
        for parameter in &parameters {
            match parameter.init {
                Init::Constant(value) => {
                    values.extend(std::iter::repeat_n(value, parameter.size()));
                }
                Init::TruncatedNormal(scale) => {
                    let mut stream = Stream::named(seed, &parameter.name);
                    let draws = (0..parameter.size()).map(|_| scale * stream.truncated_normal());
                    values.extend(draws);
                }
            }
        }
        Self { parameters, values }
    }

    /// The parameters with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&Parameter, &[f32])> {
        let mut rest = self.values.as_slice();
        self.parameters.iter().map(move |parameter| {
            let (these, after) = rest.split_at(parameter.size());
            rest = after;
            (parameter, these)
        })
    }

    /// Fills the weights from named arrays.
    ///
    /// # Errors
    /// If one is missing or has another shape.
    pub fn fill<'a>(
        &mut self,
        mut find: impl FnMut(&Parameter) -> Option<(&'a [usize], &'a [f32])>,
    ) -> Result<()> {
        let mut start = 0;
        for parameter in &self.parameters {
            let (shape, values) = find(parameter)
                .ok_or_else(|| Error::MissingWeight { name: parameter.name.clone() })?;
            if shape != parameter.shape {
                return Err(Error::WeightShape {
                    name: parameter.name.clone(),
                    wanted: parameter.shape.clone(),
                    found: shape.to_vec(),
                });
            }
            let end = start + parameter.size();
            self.values[start..end].copy_from_slice(values);
            start = end;
        }
        Ok(())
    }

    /// The weights as tensors of one dimension, which gradients can be asked for if `learn`.
    pub(crate) fn leaves(&self, device: &Device, learn: bool) -> Vec<Tensor<1>> {
        let leaves = self.iter().map(|(parameter, values)| {
            let leaf = tensor(values.to_vec(), [parameter.size()], device);
            if learn { leaf.autodiff().require_grad() } else { leaf }
        });
        leaves.collect()
    }
}

/// The gradients of leaves, one after the other. What the loss does not depend on has gradient 0.
pub(crate) fn gradients(leaves: &[Tensor<1>], gradients: &Gradients) -> Vec<f32> {
    let mut all = vec![];
    for leaf in leaves {
        match leaf.grad(gradients) {
            Some(gradient) => all.extend(numbers(gradient)),
            None => all.resize(all.len() + leaf.dims()[0], 0.0),
        }
    }
    all
}
