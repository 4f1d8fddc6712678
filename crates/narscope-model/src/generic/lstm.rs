//! A long short-term memory after message passing, one cell per node with shared weights.

use burn_tensor::Tensor;
use burn_tensor::activation::sigmoid;

use super::layers::Linear;
use super::scope::Scope;

/// An LSTM cell.
#[derive(Clone, Debug)]
pub struct Lstm {
    gates: Linear,
}

impl Lstm {
    /// A cell with `hidden` units.
    pub fn new(scope: &mut Scope<'_>, hidden: usize) -> Self {
        Self { gates: scope.linear("gates", 2 * hidden, 4 * hidden) }
    }

    /// The next output and cell state, all `(B, N, H)`.
    pub fn step(&self, x: Tensor<3>, hidden: Tensor<3>, cell: Tensor<3>) -> (Tensor<3>, Tensor<3>) {
        let h = x.dims()[2];
        let gates = self.gates.forward(Tensor::cat(vec![x, hidden], 2)); // (B, N, 4H)
        let gate = |i: usize| gates.clone().narrow(2, i * h, h);
        let (input, candidate, forget, output) = (gate(0), gate(1), gate(2), gate(3));
        let cell = sigmoid(forget + 1.0) * cell + sigmoid(input) * candidate.tanh();
        (sigmoid(output) * cell.clone().tanh(), cell)
    }
}
