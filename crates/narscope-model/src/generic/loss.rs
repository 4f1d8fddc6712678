//! Losses, by kind.
//!
//! The loss of a probe is the mean over valid locations, samples and, for hints, steps. So long
//! traces weigh more than short ones, and each probe weighs the same.

use burn_tensor::activation::log_softmax;
use burn_tensor::{Device, Tensor};
use narscope_clrs::kind::Loss;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_net::rollout::Predictions;
use narscope_net::values::{Reader, Values, of_stage};

use super::tensors::{indices, tensor};

/// The loss of one probe.
#[derive(Clone, Debug)]
pub struct ProbeLoss {
    /// The probe.
    pub probe: Probe,
    /// Sum over valid locations, `(1)`; none if nothing was predicted.
    sum: Option<Tensor<1>>,
    /// Number of valid locations.
    count: f64,
}

impl ProbeLoss {
    /// An empty loss.
    pub fn new(probe: Probe) -> Self {
        Self { probe, sum: None, count: 0.0 }
    }

    /// Whether nothing was predicted.
    pub fn is_empty(&self) -> bool {
        self.sum.is_none()
    }

    /// Mean over valid locations, `(1)`.
    pub fn mean(&self, device: &Device) -> Tensor<1> {
        match &self.sum {
            // Differs: an output whose mask is empty makes the reference's loss NaN.
            Some(sum) => sum.clone() / self.count.max(1e-12) as f32,
            None => Tensor::zeros([1], device),
        }
    }

    /// Adds raw predictions `(B, P, C)` with their true values.
    pub fn add(&mut self, raw: Tensor<3>, truth: &Values) {
        let (device, [b, p, _]) = (raw.device(), raw.dims());
        let (loss, count) = match (truth, self.probe.kind.info().loss) {
            (Values::Real(values), Loss::SquaredError) => {
                let truth = tensor(values.clone(), [b, p, 1], &device);
                ((raw - truth).square().sum(), values.len() as f64)
            }
            (Values::Real(mask), Loss::BinaryCrossEntropy) => {
                let valid: Vec<f32> = mask.iter().map(|&m| f32::from(m != -1.0)).collect();
                let count = valid.iter().map(|&v| f64::from(v)).sum();
                let valid = tensor(valid, [b, p, 1], &device);
                let mask = tensor(mask.clone(), [b, p, 1], &device);
                ((cross_entropy(raw, mask) * valid).sum(), count)
            }
            (Values::Index { index, valid }, Loss::CrossEntropy) => {
                log_likelihood(log_softmax(raw, 2), index, valid)
            }
            (Values::Index { index, valid }, Loss::NegativeLogLikelihood) => {
                log_likelihood(raw, index, valid)
            }
            (truth, loss) => panic!("{loss:?} of {truth:?}"),
        };
        self.count += count;
        self.sum = Some(match self.sum.take() {
            Some(sum) => sum + loss,
            None => loss,
        });
    }
}

/// Sum of the negative log-probabilities of the valid true choices, and their number.
fn log_likelihood(log: Tensor<3>, index: &[u32], valid: &[bool]) -> (Tensor<1>, f64) {
    let (device, [b, p, _]) = (log.device(), log.dims());
    let count = valid.iter().filter(|&&valid| valid).count() as f64;
    let chosen = log.gather(2, indices(index, [b, p, 1], &device));
    let chosen = if valid.iter().all(|&valid| valid) {
        chosen
    } else {
        let valid = valid.iter().map(|&valid| f32::from(valid)).collect();
        chosen * tensor(valid, [b, p, 1], &device)
    };
    (-chosen.sum(), count)
}

/// Binary cross entropy of logits and a mask, without overflow.
fn cross_entropy(raw: Tensor<3>, mask: Tensor<3>) -> Tensor<3> {
    raw.clone().clamp_min(0.0) - raw.clone() * mask + (-raw.abs()).exp().log1p()
}

/// The losses of the predictions for a batch: outputs first, then hints if they were kept.
pub fn losses(predictions: &Predictions<Tensor<3>>, traces: &Traces) -> Vec<ProbeLoss> {
    let order = &predictions.order;
    let start = |stage| of_stage(&traces.probes, stage).into_iter().map(ProbeLoss::new);
    let mut outputs: Vec<ProbeLoss> = start(Stage::Output).collect();
    let truth = Reader::new(traces, Stage::Output, order).next(order.len());
    for ((loss, raw), truth) in outputs.iter_mut().zip(&predictions.outputs).zip(&truth) {
        loss.add(raw.clone(), truth);
    }
    if predictions.hints.is_empty() {
        return outputs;
    }
    let mut hints: Vec<ProbeLoss> = start(Stage::Hint).collect();
    let mut reader = Reader::new(traces, Stage::Hint, order);
    reader.next(order.len());
    for (step, raw) in predictions.hints.iter().enumerate() {
        let known = predictions.comparable(step, traces);
        if known == 0 {
            break;
        }
        for ((loss, raw), truth) in hints.iter_mut().zip(raw).zip(reader.next(known)) {
            loss.add(raw.clone().narrow(0, 0, known), &truth);
        }
    }
    outputs.extend(hints);
    outputs
}
