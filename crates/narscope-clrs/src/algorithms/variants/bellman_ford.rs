//! Faulty variants of Bellman–Ford, which differ only in the relaxation rule.

use crate::algorithms::bellman_ford::{
    BellmanFord, Candidate, Hint, Input, Output, relax_until_stable,
};
use crate::algorithms::{Algorithm, Category, Entry};
use crate::instance::graph::{GraphInstance, GraphParams};
use crate::probe::Probe;
use crate::rng::Rng;
use crate::signature::Signature;
use crate::trace::Tracer;
use crate::validity::Checker;

/// A faulty relaxation rule.
struct Rule {
    name: &'static str,
    summary: &'static str,
    improves: fn(&Candidate, &mut Rng) -> bool,
}

/// The three simplifications that the paper considers for networks.
const RULES: [Rule; 3] = [
    Rule {
        name: "bellman_ford:greedy",
        summary: "faulty: compares edge weights instead of path lengths",
        improves: |candidate, _| candidate.weight < candidate.current_weight,
    },
    Rule {
        name: "bellman_ford:decay",
        summary: "faulty: accepts a new path only if it is shorter than 0.9 times the old one",
        improves: |candidate, _| candidate.distance < 0.9 * candidate.best,
    },
    Rule {
        name: "bellman_ford:noisy",
        summary: "faulty: adds noise of up to 0.05 to every comparison",
        improves: |candidate, rng| candidate.distance < candidate.best + rng.uniform(-0.05, 0.05),
    },
];

/// Bellman–Ford with rule `R` of `RULES`.
pub struct Faulty<const R: usize>;

/// The registry entries, one per rule.
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
        relax_until_stable(input, trace, |candidate| (RULES[R].improves)(&candidate, &mut rng))
    }
}

/// Hash of the input that seeds the noise, which therefore depends on the graph alone, not on the
/// order of samples or the number of threads.
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
    fn greedy_prefers_a_light_last_edge_to_a_shorter_path() {
        // 0 to 2 costs 0.5 directly, and 0.9 + 0.2 through 1, whose last edge is lighter.
        let weights = Grid::from_edges(3, &[(0, 2, 0.5), (0, 1, 0.9), (1, 2, 0.2)]);
        let graph = GraphInstance { weights, source: 0 };

        let right = Traces::of::<BellmanFord>(graph.clone()).last::<NodePointer>("pi");
        let greedy = Traces::of::<Faulty<0>>(graph).last::<NodePointer>("pi");

        assert_eq!((right, greedy), (NodePointer::from([0, 0, 0]), NodePointer::from([0, 0, 1])));
    }

    #[test]
    fn decay_ignores_a_path_that_is_only_slightly_shorter() {
        let weights = Grid::from_edges(3, &[(0, 2, 1.0), (0, 1, 0.5), (1, 2, 0.45)]);
        let graph = GraphInstance { weights, source: 0 };
        let decay = Traces::of::<Faulty<1>>(graph).last::<NodePointer>("pi");
        assert_eq!(decay, NodePointer::from([0, 0, 0]));
    }

    #[test]
    fn equal_graphs_get_equal_noise() {
        let noisy = &ALL[2];
        let sample = || noisy.generate(&mut Rng::seeded(4), 16, &Options::default(), 8).unwrap();
        assert_eq!(sample(), sample());
    }
}
