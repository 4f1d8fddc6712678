//! Faulty Bellman–Fords. Each one differs from the textbook in its relaxation rule only.

use crate::algorithms::bellman_ford::{
    BellmanFord, Hint, Input, Offer, Output, relax_until_stable,
};
use crate::algorithms::{Algorithm, Category, Entry};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::probe::Probe;
use crate::rng::Rng;
use crate::signature::Signature;
use crate::trace::Tracer;
use crate::validity::Checker;

/// A relaxation rule that is wrong in its own way.
struct Rule {
    name: &'static str,
    summary: &'static str,
    improves: fn(&Offer, &mut Rng) -> bool,
}

/// The three simplifications that the paper suspects a network of.
const RULES: [Rule; 3] = [
    Rule {
        name: "bellman_ford:greedy",
        summary: "faulty: compares the weights of edges instead of the lengths of paths",
        improves: |offer, _| offer.weight < offer.current_weight,
    },
    Rule {
        name: "bellman_ford:decay",
        summary: "faulty: takes a new path only if it is shorter than 0.9 of the old one",
        improves: |offer, _| offer.distance < 0.9 * offer.best,
    },
    Rule {
        name: "bellman_ford:noisy",
        summary: "faulty: misjudges every comparison by up to 0.05",
        improves: |offer, rng| offer.distance < offer.best + rng.uniform(-0.05, 0.05),
    },
];

/// Bellman–Ford with rule `R` of the table.
pub struct Faulty<const R: usize>;

/// One row per rule.
pub static ALL: &[Entry] =
    &[Entry::of::<Faulty<0>>(), Entry::of::<Faulty<1>>(), Entry::of::<Faulty<2>>()];

impl<const R: usize> Signature for Faulty<R> {
    type Input = Input;
    type Hint = Hint;
    type Output = Output;
    const PROBES: &'static [Probe] = BellmanFord::PROBES;
}

impl<const R: usize> Algorithm for Faulty<R> {
    const NAME: &'static str = RULES[R].name;
    const SUMMARY: &'static str = RULES[R].summary;
    const CATEGORY: Category = BellmanFord::CATEGORY;
    type Instance = GraphInstance;
    const PARAMS: GraphParams = BellmanFord::PARAMS;
    const IN_CLRS_30: bool = false;
    const VALID: Option<Checker<Input, Output>> = BellmanFord::VALID;

    fn input(instance: GraphInstance) -> Input {
        BellmanFord::input(instance)
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let mut rng = Rng::seeded(fingerprint(input));
        relax_until_stable(input, trace, |offer| (RULES[R].improves)(&offer, &mut rng))
    }
}

/// The noise is drawn anew for each graph, and for the same graph it is always the same: whoever
/// runs it, in whatever order, on however many threads.
fn fingerprint(input: &Input) -> u32 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    let words = input.A.cells().iter().map(|weight| weight.to_bits());
    let hash = words.fold(0xcbf2_9ce4_8422_2325, mix);
    let hash = mix(hash, input.s.0 as u64);
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::trace::Traces;
    use crate::values::{Grid, NodePointer};

    #[test]
    fn greed_prefers_the_last_light_edge_to_the_short_path() {
        // 0 to 2 costs 0.5 directly, and 0.9 + 0.2 through 1, whose last edge is lighter.
        let weights = Grid::from_edges(3, &[(0, 2, 0.5), (0, 1, 0.9), (1, 2, 0.2)]);
        let graph = GraphInstance { weights, source: 0 };

        let right = Traces::of::<BellmanFord>(graph.clone()).last::<NodePointer>("pi");
        let greedy = Traces::of::<Faulty<0>>(graph).last::<NodePointer>("pi");

        assert_eq!((right, greedy), (NodePointer::from([0, 0, 0]), NodePointer::from([0, 0, 1])));
    }

    #[test]
    fn decay_does_not_bother_about_a_path_that_is_a_little_shorter() {
        let weights = Grid::from_edges(3, &[(0, 2, 1.0), (0, 1, 0.5), (1, 2, 0.45)]);
        let graph = GraphInstance { weights, source: 0 };
        let decay = Traces::of::<Faulty<1>>(graph).last::<NodePointer>("pi");
        assert_eq!(decay, NodePointer::from([0, 0, 0]));
    }

    #[test]
    fn the_noise_is_the_same_whenever_the_graph_is() {
        let noisy = &ALL[2];
        let sample = || noisy.generate(&mut Rng::seeded(4), 16, &Options::default(), 8).unwrap();
        assert_eq!(sample(), sample());
    }
}
