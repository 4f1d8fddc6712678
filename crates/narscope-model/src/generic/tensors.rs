//! Conversions between plain values and Burn tensors.

use burn_tensor::{Device, Gradients, Int, Tensor, TensorData};
use narscope_clrs::probe::Probe;
use narscope_net::rollout::Logits;
use narscope_net::values::Values;
use narscope_net::weights::Weights;

/// A tensor of floats.
pub(crate) fn tensor<const D: usize>(
    values: Vec<f32>,
    shape: [usize; D],
    device: &Device,
) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// A tensor of indices.
pub(crate) fn indices<const D: usize>(
    index: &[u32],
    shape: [usize; D],
    device: &Device,
) -> Tensor<D, Int> {
    let index: Vec<i32> = index.iter().map(|&i| i as i32).collect();
    Tensor::from_data(TensorData::new(index, shape), device)
}

/// The floats of a tensor, in C order.
pub(crate) fn floats<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.try_into_vec_as::<f32>().expect("a tensor of floats on a device that answers")
}

/// Raw predictions as plain values.
pub(crate) fn logits(raw: Tensor<3>) -> Logits {
    Logits { shape: raw.dims(), values: floats(raw) }
}

/// True values as the network is fed with them, `(B, P, C)`.
pub(crate) fn dense(values: &Values, probe: &Probe, nodes: usize, device: &Device) -> Tensor<3> {
    let (locations, choices) = (probe.locations(nodes), probe.choices(nodes));
    let dense = values.to_dense(probe, nodes);
    let samples = dense.len() / (locations * choices);
    tensor(dense, [samples, locations, choices], device)
}

/// The weights as flat tensors, one per parameter; with `learn`, gradients are tracked.
pub(crate) fn leaves(weights: &Weights, device: &Device, learn: bool) -> Vec<Tensor<1>> {
    let leaves = weights.iter().map(|(parameter, values)| {
        let leaf = tensor(values.to_vec(), [parameter.size()], device);
        if learn { leaf.autodiff().require_grad() } else { leaf }
    });
    leaves.collect()
}

/// The gradient of all leaves, one after the other; 0 where the loss does not depend on a leaf.
pub(crate) fn gradient(leaves: &[Tensor<1>], gradients: &Gradients) -> Vec<f32> {
    let mut all = vec![];
    for leaf in leaves {
        match leaf.grad(gradients) {
            Some(gradient) => all.extend(floats(gradient)),
            None => all.resize(all.len() + leaf.dims()[0], 0.0),
        }
    }
    all
}
