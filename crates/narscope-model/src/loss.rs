//! Losses, by kind.
//!
//! The loss of a probe is a sum over places, samples and, for hints, steps, divided by how many of
//! them count. Long runs weigh more than short ones; each probe weighs the same.

use burn_tensor::activation::log_softmax;
use burn_tensor::{Device, Tensor};
use narscope_clrs::probe::{Kind, Probe, Stage};
use narscope_clrs::trace::Traces;

use crate::rollout::Predictions;
use crate::values::{Reader, Values, indices, of_stage, tensor};

/// The loss of one probe.
#[derive(Clone, Debug)]
pub struct ProbeLoss {
    /// The probe.
    pub probe: Probe,
    /// The sum over all that counts, `(1)`; none if nothing was predicted.
    sum: Option<Tensor<1>>,
    /// How much counts.
    count: f64,
}

impl ProbeLoss {
    /// Nothing yet.
    pub fn new(probe: Probe) -> Self {
        Self { probe, sum: None, count: 0.0 }
    }

    /// Whether nothing was predicted.
    pub fn is_empty(&self) -> bool {
        self.sum.is_none()
    }

    /// The mean over all that counts, `(1)`.
    pub fn mean(&self, device: &Device) -> Tensor<1> {
        match &self.sum {
            // Differs: an output whose mask is empty makes the reference's loss NaN.
            Some(sum) => sum.clone() / self.count.max(1e-12) as f32,
            None => Tensor::zeros([1], device),
        }
    }

    /// Adds raw predictions `(B, P, C)` and what is true of them.
    pub fn add(&mut self, raw: Tensor<3>, truth: &Values) {
        let (device, [b, p, _]) = (raw.device(), raw.dims());
        let (loss, count) = match truth {
            Values::Numbers(numbers) if self.probe.kind == Kind::Scalar => {
                let truth = tensor(numbers.clone(), [b, p, 1], &device);
                ((raw - truth).square().sum(), numbers.len() as f64)
            }
            Values::Numbers(marks) => {
                let counts: Vec<f32> = marks.iter().map(|&m| f32::from(m != -1.0)).collect();
                let count = counts.iter().map(|&c| f64::from(c)).sum();
                let counts = tensor(counts, [b, p, 1], &device);
                let marks = tensor(marks.clone(), [b, p, 1], &device);
                ((cross_entropy(raw, marks) * counts).sum(), count)
            }
            Values::Choices { index, counts } => {
                let count = counts.iter().filter(|&&counts| counts).count() as f64;
                // A permutation's prediction is a logarithm of probabilities already.
                let log = match self.probe.kind {
                    Kind::PermutationPointer => raw,
                    _ => log_softmax(raw, 2),
                };
                let chosen = log.gather(2, indices(index, [b, p, 1], &device));
                let chosen = if counts.iter().all(|&counts| counts) {
                    chosen
                } else {
                    let counts = counts.iter().map(|&counts| f32::from(counts)).collect();
                    chosen * tensor(counts, [b, p, 1], &device)
                };
                (-chosen.sum(), count)
            }
        };
        self.count += count;
        self.sum = Some(match self.sum.take() {
            Some(sum) => sum + loss,
            None => loss,
        });
    }
}

/// `-log p` of a mark for a raw score, without overflow.
fn cross_entropy(raw: Tensor<3>, marks: Tensor<3>) -> Tensor<3> {
    raw.clone().clamp_min(0.0) - raw.clone() * marks + (-raw.abs()).exp().log1p()
}

/// The losses of what was predicted for a batch: outputs first, then hints if they were kept.
pub fn losses(predictions: &Predictions, traces: &Traces) -> Vec<ProbeLoss> {
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
