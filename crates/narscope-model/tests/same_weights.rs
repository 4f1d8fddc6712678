//! The same seed gives the same weights as in version 0.1.0, bit for bit.
//!
//! The hashes were recorded with commit dd2eb51, before the networks moved to `narscope-net`. Bits
//! depend on the width of the CPU's vectors, so there is a hash for each; on a CPU without a recorded
//! hash, losses and scores are compared.

use narscope_model::config::Draft;
use narscope_model::train::Trainer;

const STEPS: usize = 6;
const TINY: &str = "hidden_size = 16\nnb_triplet_fts = 4\nbatch_size = 8\ntrain_lengths = [5, 8]";

/// A short run and what came of it.
struct Recorded {
    config: &'static str,
    /// Loss of the last step.
    loss: f64,
    /// Validation score of the first algorithm after it.
    score: f64,
    /// Hash of the weights with AVX-512, and with AVX2.
    hashes: [u64; 2],
}

const RECORDED: [Recorded; 8] = [
    Recorded {
        config: "algorithms = ['bellman_ford']\nprocessor_type = 'mpnn'",
        loss: 3.969_775_207_463_788_6,
        score: 0.765_625,
        hashes: [0x3a05_6478_ac9b_289d, 0],
    },
    Recorded {
        config: "algorithms = ['bellman_ford']\nprocessor_type = 'mpnn'\nkernels = 'generic'",
        loss: 3.969_774_246_215_820_3,
        score: 0.765_625,
        hashes: [0xdf5d_97cc_f090_14e6, 0],
    },
    Recorded {
        config: "algorithms = ['insertion_sort']\nprocessor_type = 'triplet_gmpnn'\n\
                 hint_teacher_forcing = 0.5\ndropout_prob = 0.1",
        loss: 25.205_856_537_994_414,
        score: 0.291_015_625,
        hashes: [0x1f2d_9683_592b_6b94, 0],
    },
    Recorded {
        config: "algorithms = ['bfs', 'minimum', 'floyd_warshall']\n\
                 processor_type = 'triplet_gmpnn'",
        loss: 5.869_738_188_677_608_5,
        score: 0.445_312_5,
        hashes: [0xf741_1f75_3290_4e3c, 0],
    },
    Recorded {
        config: "algorithms = ['bfs', 'minimum', 'floyd_warshall']\n\
                 processor_type = 'triplet_gmpnn'\nkernels = 'generic'",
        loss: 5.869_738_101_959_228_5,
        score: 0.445_312_5,
        hashes: [0x5baf_df01_e807_ec14, 0],
    },
    Recorded {
        config: "algorithms = ['dijkstra']\nprocessor_type = 'linear_pgn'\n\
                 aggregator = 'softmax'\ndecay = 0.9",
        loss: 7.468_331_824_204_554,
        score: 0.482_421_875,
        hashes: [0x9aad_48c1_85d7_fadc, 0],
    },
    Recorded {
        config: "algorithms = ['bfs', 'minimum']\nprocessor_type = 'mpnn'\n\
                 chunked_training = true\nchunk_length = 3",
        loss: 4.757_490_158_081_055,
        score: 0.353_515_625,
        hashes: [0x6390_a8a2_c4bf_aa1c, 0],
    },
    Recorded {
        config: "algorithms = ['bfs']\nprocessor_type = 'gatv2'\nuse_lstm = true",
        loss: 4.527_454_376_220_703,
        score: 0.351_562_5,
        hashes: [0x3ad0_1d92_c2a6_334f, 0],
    },
];

/// Index of the recorded hash for this CPU, if there is one.
fn vector_width() -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return Some(0);
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Some(1);
        }
    }
    None
}

#[test]
fn the_same_seed_gives_the_same_weights_as_in_version_0_1_0() {
    for Recorded { config, loss, score, hashes } in RECORDED {
        let draft = Draft::parse(&format!("{config}\n{TINY}")).unwrap();
        let mut trainer = Trainer::new(&draft.finish().unwrap()).unwrap();
        let losses: Vec<f64> = (0..STEPS).map(|_| trainer.step().unwrap()).collect();
        let ours = losses[STEPS - 1];
        assert!((ours - loss).abs() <= 1e-4 * loss, "{config}: loss {ours}, recorded {loss}");
        let hash = trainer.weights.fingerprint();
        if let Some(width) = vector_width().filter(|&width| hashes[width] != 0) {
            let recorded = hashes[width];
            assert_eq!(hash, recorded, "{config}: hash {hash:#018x}, recorded {recorded:#018x}");
            assert_eq!(trainer.validate().unwrap()[0].score, score, "{config}");
        }
    }
}
