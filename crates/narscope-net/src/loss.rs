//! Losses of predictions and their gradients.

use std::ops::Range;

use narscope_clrs::kind::Loss;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use narscope_kernels::softmax::cross_entropy;

use crate::engine::{Losses, loss_name};
use crate::rollout::Predictions;
use crate::spec::Spec;
use crate::values::{Reader, Values, of_stage};

/// Losses of predictions, summed over any number of batches: as training defines them, with all
/// samples in one batch, but without what training adds (dropout, noise, forced hints).
#[derive(Clone, Debug)]
pub(crate) struct LossSums {
    outputs: Vec<LossSum>,
    hints: Vec<LossSum>,
    /// Gradients are computed together with losses; these are not needed.
    unused: Vec<f32>,
}

#[derive(Clone, Debug)]
struct LossSum {
    probe: Probe,
    sum: f64,
    count: f64,
}

impl LossSums {
    /// No losses yet.
    pub(crate) fn new(spec: &Spec) -> Self {
        let empty = |stage| {
            let probes = of_stage(&spec.probes, stage).into_iter();
            probes.map(|probe| LossSum { probe, sum: 0.0, count: 0.0 }).collect()
        };
        Self { outputs: empty(Stage::Output), hints: empty(Stage::Hint), unused: vec![] }
    }

    /// Adds the losses of a batch: of its outputs, and of its hints if they were kept.
    pub(crate) fn add(&mut self, predictions: &Predictions, traces: &Traces) {
        let Self { outputs, hints, unused } = self;
        let (order, nodes) = (&predictions.order, traces.nodes);
        let mut add = |loss: &mut LossSum, raw: &[f32], truth: &Values, samples: usize| {
            unused.resize(raw.len(), 0.0);
            loss.count += count(&loss.probe, truth);
            loss.sum += add_loss(&loss.probe, raw, truth, 0..samples, nodes, 0.0, unused);
        };
        let truth = Reader::new(traces, Stage::Output, order).next(order.len());
        for ((loss, raw), truth) in outputs.iter_mut().zip(&predictions.outputs).zip(&truth) {
            add(loss, &raw.values, truth, order.len());
        }
        if predictions.hints.is_empty() {
            return;
        }
        let mut reader = Reader::new(traces, Stage::Hint, order);
        // The first hint is given, not predicted.
        reader.next(order.len());
        for (step, raw) in predictions.hints.iter().enumerate() {
            let known = predictions.comparable(step, traces);
            if known == 0 {
                break;
            }
            for ((loss, raw), truth) in hints.iter_mut().zip(raw).zip(reader.next(known)) {
                add(loss, raw.first(known), &truth, known);
            }
        }
    }

    /// The means; hints without any prediction have none.
    pub(crate) fn finish(self) -> Losses {
        let all = self.outputs.into_iter().chain(self.hints).filter(|loss| loss.count > 0.0);
        let probes: Vec<(String, f64)> =
            all.map(|loss| (loss_name(&loss.probe), loss.sum / loss.count)).collect();
        Losses { total: probes.iter().map(|(_, loss)| loss).sum(), probes }
    }
}

/// Number of true values that count in the loss.
pub(crate) fn count(probe: &Probe, truth: &Values) -> f64 {
    match (truth, probe.kind.info().loss) {
        (Values::Real(values), Loss::SquaredError) => values.len() as f64,
        (Values::Real(mask), _) => mask.iter().filter(|&&value| value != -1.0).count() as f64,
        (Values::Index { valid, .. }, _) => valid.iter().filter(|&&valid| valid).count() as f64,
    }
}

/// Returns the loss of raw predictions, summed over all values that count, and adds its gradient
/// times `scale`. `samples` are the predicted samples among those of the true values.
pub(crate) fn add_loss(
    probe: &Probe,
    raw: &[f32],
    truth: &Values,
    samples: Range<usize>,
    n: usize,
    scale: f32,
    gradient: &mut [f32],
) -> f64 {
    let (locations, choices) = (probe.locations(n), probe.choices(n));
    let range = samples.start * locations..samples.end * locations;
    let mut sum = 0.0;
    let loss = probe.kind.info().loss;
    match (truth, loss) {
        (Values::Real(values), Loss::SquaredError) => {
            for ((x, truth), d) in raw.iter().zip(&values[range]).zip(gradient) {
                let off = x - truth;
                sum += f64::from(off * off);
                *d += 2.0 * scale * off;
            }
        }
        (Values::Real(mask), Loss::BinaryCrossEntropy) => {
            for ((&x, &mark), d) in raw.iter().zip(&mask[range]).zip(gradient) {
                if mark != -1.0 {
                    // Binary cross-entropy, without overflow.
                    let small = (-x.abs()).exp();
                    sum += f64::from(x.max(0.0) - x * mark + small.ln_1p());
                    // `p - mark`, without cancellation.
                    let rest = small / (1.0 + small);
                    let off = if x >= 0.0 { (1.0 - mark) - rest } else { rest - mark };
                    *d += scale * off;
                }
            }
        }
        (Values::Index { index, valid }, Loss::CrossEntropy | Loss::NegativeLogLikelihood) => {
            let truth = index[range.clone()].iter().zip(&valid[range]);
            let rows = raw.chunks_exact(choices).zip(gradient.chunks_exact_mut(choices));
            for ((&target, &valid), (raw, d)) in truth.zip(rows) {
                let target = target as usize;
                if !valid {
                    continue;
                }
                if loss == Loss::NegativeLogLikelihood {
                    // The prediction is a log-probability already.
                    sum -= f64::from(raw[target]);
                    d[target] -= scale;
                } else {
                    sum += f64::from(cross_entropy(raw, target, scale, d));
                }
            }
        }
        (truth, loss) => panic!("{loss:?} of {truth:?}"),
    }
    sum
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;

    use super::*;

    #[test]
    fn the_gradient_of_a_confident_mask_has_full_precision() {
        let entry = algorithms::find("bfs").unwrap();
        let probe = entry.probes.iter().find(|probe| probe.name == "reach_h").unwrap();
        let (raw, truth) = ([20.0, -20.0, 1.0], Values::Real(vec![1.0, 0.0, -1.0]));
        let mut gradient = [0.0; 3];
        add_loss(probe, &raw, &truth, 0..1, 3, 1.0, &mut gradient);
        let off = (-20.0_f32).exp();
        for (found, wanted) in gradient.iter().zip([-off, off, 0.0]) {
            assert!((found - wanted).abs() <= 1e-6 * off, "{found} and {wanted}");
        }
    }
}
