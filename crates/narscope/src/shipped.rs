//! Trained networks that come with the program.

use narscope::study::Pretrained;

macro_rules! shipped {
    ($($name:literal)+) => {
        &[$(Pretrained {
            name: $name,
            files: &[
                shipped!($name, "best.safetensors"),
                shipped!($name, "test.json"),
                shipped!($name, "config.toml"),
            ],
        }),+]
    };
    ($name:literal, $file:literal) => {
        ($file, include_bytes!(concat!("../networks/", $name, "/", $file)))
    };
}

/// All of them, as `narscope export` wrote them.
pub(crate) static ALL: &[Pretrained] = shipped! {
    "linear_pgn-42"
    "linear_pgn-43"
    "linear_pgn-44"
    "linear_pgn-softmax-42"
    "linear_pgn-decay-42"
    "triplet_gmpnn-42"
};
