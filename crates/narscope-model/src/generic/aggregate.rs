//! Aggregators: reductions of the messages to a node.

use burn_tensor::Tensor;
use narscope_kernels::aggregate::MASKED_MESSAGE;
use narscope_net::config::Aggregation;

/// An aggregator with its temperature.
#[derive(Clone, Debug)]
pub struct Aggregator {
    /// The reduction.
    pub aggregation: Aggregation,
    /// The temperature of a softmax, `(1)`; none means 0, the maximum.
    pub temperature: Option<Tensor<1>>,
}

impl Aggregator {
    /// Reduces messages `(B, S, R, H)` from senders to receivers over the senders: `(B, R, H)`.
    ///
    /// `sent` is 1 where there is a message and 0 elsewhere, `(B, S, R)`; without it, everywhere.
    pub fn reduce(&self, messages: Tensor<4>, sent: Option<Tensor<3>>) -> Tensor<3> {
        let [b, senders, r, h] = messages.dims();
        let sent = sent.map(|sent| sent.unsqueeze_dim::<4>(3)); // (B, S, R, 1)
        let instead = |filler: f32| match &sent {
            Some(sent) => {
                let unsent = sent.clone().lower_scalar(0.5).expand([b, senders, r, h]);
                messages.clone().mask_fill(unsent, filler)
            }
            None => messages.clone(),
        };
        let counted = |x: Tensor<4>| match &sent {
            Some(sent) => x * sent.clone(),
            None => x,
        };
        let reduced = match (self.aggregation, &self.temperature) {
            (Aggregation::Max, _) | (Aggregation::Softmax, None) => {
                instead(MASKED_MESSAGE).max_dim(1)
            }
            (Aggregation::Min, _) => instead(-MASKED_MESSAGE).min_dim(1),
            (Aggregation::Sum, _) => counted(messages).sum_dim(1),
            (Aggregation::Mean, _) => {
                let all = counted(messages.clone()).sum_dim(1);
                match &sent {
                    Some(sent) => all / sent.clone().sum_dim(1).clamp_min(1.0),
                    None => all / senders as f32,
                }
            }
            (Aggregation::Softmax, Some(temperature)) => {
                // The maximum is subtracted first: exponents stay finite however large the messages
                // and however low the temperature.
                let largest = instead(f32::MIN).max_dim(1).detach();
                let behind = (messages.clone() - largest).clamp_max(0.0);
                let weights = counted((behind / temperature.clone().unsqueeze::<4>()).exp());
                let total = weights.clone().sum_dim(1).clamp_min(f32::MIN_POSITIVE);
                (weights * messages).sum_dim(1) / total
            }
        };
        reduced.reshape([b, r, h])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generic::tensors::{floats, tensor};
    use burn_tensor::Device;
    use proptest::prelude::*;

    fn softmax(temperature: f32) -> Aggregator {
        let temperature =
            (temperature > 0.0).then(|| tensor(vec![temperature], [1], &Device::flex()));
        Aggregator { aggregation: Aggregation::Softmax, temperature }
    }

    fn plain(aggregation: Aggregation) -> Aggregator {
        Aggregator { aggregation, temperature: None }
    }

    fn reduce(aggregator: &Aggregator, messages: &[f32], sent: Option<&[f32]>) -> f32 {
        let (n, device) = (messages.len(), Device::flex());
        let sent = sent.map(|sent| tensor(sent.to_vec(), [1, n, 1], &device));
        floats(aggregator.reduce(tensor(messages.to_vec(), [1, n, 1, 1], &device), sent))[0]
    }

    #[test]
    fn only_sent_messages_are_reduced() {
        let (messages, sent) = ([5.0, -1.0, 2.0, -7.0], [0.0, 1.0, 1.0, 0.0]);
        let of = |aggregator: &Aggregator| reduce(aggregator, &messages, Some(&sent));
        assert_eq!(of(&plain(Aggregation::Max)), 2.0);
        assert_eq!(of(&plain(Aggregation::Min)), -1.0);
        assert_eq!(of(&plain(Aggregation::Sum)), 1.0);
        assert_eq!(of(&plain(Aggregation::Mean)), 0.5);
        assert_eq!(of(&softmax(0.0)), 2.0);
        let e = 3.0_f32.exp();
        assert!((of(&softmax(1.0)) - (2.0 * e - 1.0) / (e + 1.0)).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn a_softmax_lies_between_the_mean_and_the_maximum_and_reaches_both(
            messages in proptest::collection::vec(-50.0_f32..50.0, 1..9),
            temperature in 0.001_f32..1e6,
        ) {
            let max = reduce(&plain(Aggregation::Max), &messages, None);
            let mean = reduce(&plain(Aggregation::Mean), &messages, None);
            let soft = reduce(&softmax(temperature), &messages, None);
            let slack = 1e-4 * (1.0 + max.abs());
            prop_assert!(mean - slack <= soft && soft <= max + slack, "{mean} {soft} {max}");
            prop_assert_eq!(reduce(&softmax(0.0), &messages, None), max);
            let hot = reduce(&softmax(1e9), &messages, None);
            prop_assert!((hot - mean).abs() < slack, "{} is not {}", hot, mean);
        }

        #[test]
        fn a_softmax_of_huge_messages_is_finite(
            messages in proptest::collection::vec(-1e30_f32..1e30, 1..9),
        ) {
            prop_assert!(reduce(&softmax(0.01), &messages, None).is_finite());
        }
    }
}
