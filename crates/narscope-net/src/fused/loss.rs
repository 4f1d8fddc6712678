//! Losses of predictions and their gradients.

use std::ops::Range;

use narscope_clrs::kind::Loss;
use narscope_clrs::probe::Probe;
use narscope_kernels::softmax::cross_entropy;

use crate::values::Values;

/// Number of true values that count in the loss.
pub(super) fn count(probe: &Probe, truth: &Values) -> f64 {
    match (truth, probe.kind.info().loss) {
        (Values::Real(values), Loss::SquaredError) => values.len() as f64,
        (Values::Real(mask), _) => mask.iter().filter(|&&value| value != -1.0).count() as f64,
        (Values::Index { valid, .. }, _) => valid.iter().filter(|&&valid| valid).count() as f64,
    }
}

/// Returns the loss of raw predictions, summed over all values that count, and adds its gradient
/// times `scale`. `samples` are the predicted samples among those of the true values.
pub(super) fn add_loss(
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
