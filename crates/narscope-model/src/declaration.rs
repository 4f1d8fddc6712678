//! Declarations: the parameters of a network, with what training and the reference need to know.

use narscope_net::config::Part;
use narscope_net::random::Stream;
use narscope_net::weights::{Parameter, Weights};

/// How a parameter is initialised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// Normal with this standard deviation, truncated at two of them.
    TruncatedNormal(f32),
    /// All values the same.
    Constant(f32),
}

/// A parameter as a network declares it. The declarations of a network, in order, are the layout of
/// its weights, of their gradient and of the optimiser's moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Path in the network, for example `processor.sender.weight`.
    pub name: String,
    /// Module and name in the reference.
    pub haiku: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// The part of the network that it belongs to.
    pub part: Part,
    /// The only task that uses it, if it is not shared.
    pub task: Option<usize>,
    /// How it is initialised.
    pub init: Init,
}

impl Declaration {
    /// Number of values.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Name and shape.
    pub fn parameter(&self) -> Parameter {
        Parameter { name: self.name.clone(), shape: self.shape.clone() }
    }
}

/// Names and shapes of all declarations.
pub fn parameters(declarations: &[Declaration]) -> Vec<Parameter> {
    declarations.iter().map(Declaration::parameter).collect()
}

/// Initial weights. Each parameter has its own random stream, named after it.
pub fn initial_weights(declarations: &[Declaration], seed: u32) -> Weights {
    let mut values = vec![];
    for declaration in declarations {
        match declaration.init {
            Init::Constant(value) => {
                values.extend(std::iter::repeat_n(value, declaration.size()));
            }
            Init::TruncatedNormal(scale) => {
                let mut stream = Stream::named(seed, &declaration.name);
                let draws = (0..declaration.size()).map(|_| scale * stream.truncated_normal());
                values.extend(draws);
            }
        }
    }
    Weights { parameters: parameters(declarations), values }
}
