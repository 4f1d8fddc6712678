//! Processors, one file each, and the one list that names them all.

pub mod gat;
pub mod gatv2;
pub mod pgn;

use burn_tensor::Tensor;

use crate::aggregate::Aggregator;
use crate::features::{Features, Processed};
use crate::scope::Scope;
use gat::{Gat, GatConfig};
use gatv2::Gatv2;
use pgn::{Pgn, PgnConfig};

/// One round of message passing.
pub trait Processor: Send + Sync {
    /// The next hidden state, from the problem and the last one, `(B, N, H)`.
    fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed;
}

/// Who hears whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every node hears every node.
    Everyone,
    /// Nodes hear their neighbours and themselves.
    Neighbours,
    /// Nodes hear themselves only.
    Itself,
}

impl Reach {
    /// 1 where a node hears another, `(B, N, N)`, or nothing if everyone hears everyone.
    pub fn restrict(self, adjacency: &Tensor<3>) -> Option<Tensor<3>> {
        match self {
            Self::Everyone => None,
            Self::Neighbours => Some(adjacency.clone()),
            Self::Itself => {
                let ([b, n, _], device) = (adjacency.dims(), adjacency.device());
                Some(Tensor::<2>::eye(n, &device).reshape([1, n, n]).expand([b, n, n]))
            }
        }
    }
}

/// What all processors are told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `H`.
    pub hidden: usize,
    /// Channels of the messages of triplets.
    pub triplet_channels: usize,
    /// Heads of attention.
    pub heads: usize,
    /// Whether the next state is normalised.
    pub layer_norm: bool,
    /// How messages are summed up; the temperature that is learnt, if one is, comes with it.
    pub aggregator: Aggregator,
}

/// The mathematics of a processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProcessorConfig {
    /// Pointer graph networks and their relatives.
    Pgn(PgnConfig),
    /// Graph attention.
    Gat(GatConfig),
    /// Graph attention whose scores depend on both ends together.
    Gatv2(GatConfig),
}

impl ProcessorConfig {
    /// Makes the processor.
    pub fn build(self, scope: &mut Scope<'_>, settings: &Settings) -> Box<dyn Processor> {
        match self {
            Self::Pgn(config) => Box::new(Pgn::new(config, scope, settings)),
            Self::Gat(config) => Box::new(Gat::new(config, scope, settings)),
            Self::Gatv2(config) => Box::new(Gatv2::new(config, scope, settings)),
        }
    }

    /// What it does, in a few words.
    pub fn summary(self) -> String {
        let (kind, reach, switches) = match self {
            Self::Pgn(config) => ("message passing", config.reach, config.switches()),
            Self::Gat(config) => ("attention", config.reach, vec![]),
            Self::Gatv2(config) => ("attention to pairs", config.reach, vec![]),
        };
        let reach = match reach {
            Reach::Everyone => "between all nodes",
            Reach::Neighbours => "between neighbours",
            Reach::Itself => "from each node to itself",
        };
        let what = format!("{kind} {reach}");
        std::iter::once(what.as_str()).chain(switches).collect::<Vec<_>>().join(", ")
    }

    /// Whether it says something of pairs of nodes, which decoders then read.
    pub fn has_edges(self) -> bool {
        matches!(self, Self::Pgn(PgnConfig { triplets: true, .. }))
    }

    /// Whether decoders may only choose what is linked.
    pub fn masks_decoders(self) -> bool {
        matches!(self, Self::Pgn(PgnConfig { masked: true, .. }))
    }

    /// Whether it has an aggregator that can be chosen.
    pub fn aggregates(self) -> bool {
        matches!(self, Self::Pgn(_))
    }

    /// Whether it has heads.
    pub fn attends(self) -> bool {
        matches!(self, Self::Gat(_) | Self::Gatv2(_))
    }
}

/// A processor under the name that papers use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// The name.
    pub name: &'static str,
    /// The module that holds its weights in the reference, if the reference has it.
    pub haiku: &'static str,
    /// What it is.
    pub config: ProcessorConfig,
}

const fn pgn(name: &'static str, config: PgnConfig) -> Preset {
    Preset { name, haiku: "mpnn_aggr_clrs_processor", config: ProcessorConfig::Pgn(config) }
}

const BASE: PgnConfig = PgnConfig::BASE;
const EVERYONE: PgnConfig = PgnConfig { reach: Reach::Everyone, ..BASE };

/// All processors. A new combination of old switches is a line here; new mathematics is a file and
/// an arm of [`ProcessorConfig`].
pub const PRESETS: &[Preset] = &[
    pgn("deepsets", PgnConfig { reach: Reach::Itself, ..BASE }),
    pgn("mpnn", EVERYONE),
    pgn("pgn", BASE),
    pgn("pgn_mask", PgnConfig { masked: true, ..BASE }),
    pgn("triplet_mpnn", PgnConfig { triplets: true, ..EVERYONE }),
    pgn("triplet_pgn", PgnConfig { triplets: true, ..BASE }),
    pgn("triplet_pgn_mask", PgnConfig { triplets: true, masked: true, ..BASE }),
    pgn("gmpnn", PgnConfig { gated: true, ..EVERYONE }),
    pgn("gpgn", PgnConfig { gated: true, ..BASE }),
    pgn("gpgn_mask", PgnConfig { gated: true, masked: true, ..BASE }),
    pgn("triplet_gmpnn", PgnConfig { triplets: true, gated: true, ..EVERYONE }),
    pgn("triplet_gpgn", PgnConfig { triplets: true, gated: true, ..BASE }),
    pgn("triplet_gpgn_mask", PgnConfig { triplets: true, gated: true, masked: true, ..BASE }),
    pgn("linear_pgn", PgnConfig { linear: true, ..BASE }),
    Preset {
        name: "gat",
        haiku: "gat_aggr_clrs_processor",
        config: ProcessorConfig::Gat(GatConfig { reach: Reach::Neighbours }),
    },
    Preset {
        name: "gat_full",
        haiku: "gat_aggr_clrs_processor",
        config: ProcessorConfig::Gat(GatConfig { reach: Reach::Everyone }),
    },
    Preset {
        name: "gatv2",
        haiku: "gatv2_aggr_clrs_processor",
        config: ProcessorConfig::Gatv2(GatConfig { reach: Reach::Neighbours }),
    },
    Preset {
        name: "gatv2_full",
        haiku: "gatv2_aggr_clrs_processor",
        config: ProcessorConfig::Gatv2(GatConfig { reach: Reach::Everyone }),
    },
];

#[cfg(test)]
mod tests {
    use burn_tensor::{Device, Int};

    use super::*;
    use crate::aggregate::Aggregation;
    use crate::features::EdgeFeatures;
    use crate::random::{Purpose, Stream};
    use crate::scope::Store;
    use crate::values::{indices, numbers, tensor};
    use crate::weights::{Part, Weights};

    const B: usize = 2;
    const N: usize = 5;
    const H: usize = 8;

    fn build(config: ProcessorConfig) -> Box<dyn Processor> {
        let device = Device::flex();
        let settings = Settings {
            hidden: H,
            triplet_channels: 3,
            heads: 2,
            layer_norm: true,
            aggregator: Aggregator { aggregation: Aggregation::Max, temperature: None },
        };
        let with = |store: &mut Store| {
            let mut scope = store.scope("processor", "", Part::Processor, None);
            config.build(&mut scope, &settings)
        };
        let mut declared = Store::declaring(&device);
        with(&mut declared);
        let weights = Weights::initial(declared.into_parameters(), 4);
        with(&mut Store::binding(&weights, &device, false))
    }

    fn random<const D: usize>(stream: &mut Stream, shape: [usize; D]) -> Tensor<D> {
        let numbers = (0..shape.iter().product()).map(|_| stream.uniform() - 0.5).collect();
        tensor(numbers, shape, &Device::flex())
    }

    #[test]
    fn renaming_the_nodes_renames_the_states_and_changes_nothing_else() {
        let names: Tensor<1, Int> = indices(&[3, 0, 4, 1, 2], [N], &Device::flex());
        for preset in PRESETS {
            let mut stream = Stream::new(3, Purpose::Noise, 0);
            let stream = &mut stream;
            let processor = build(preset.config);
            let linked = (random(stream, [B, N, N])
                + Tensor::<2>::eye(N, &Device::flex()).unsqueeze())
            .greater_scalar(0.0)
            .float();
            let x = Features {
                node: random(stream, [B, N, H]),
                edge: EdgeFeatures {
                    encoded: Some((random(stream, [B, N, N, 2]), random(stream, [2, H]))),
                    bias: random(stream, [H]),
                    size: [B, N],
                },
                graph: random(stream, [B, H]),
                adjacency: linked,
            };
            let hidden = random(stream, [B, N, H]);
            let (numbers_of_edges, encoder) = x.edge.encoded.clone().unwrap();
            let renamed = Features {
                node: x.node.clone().select(1, names.clone()),
                edge: EdgeFeatures {
                    encoded: Some((
                        numbers_of_edges.select(1, names.clone()).select(2, names.clone()),
                        encoder,
                    )),
                    ..x.edge.clone()
                },
                adjacency: x.adjacency.clone().select(1, names.clone()).select(2, names.clone()),
                graph: x.graph.clone(),
            };

            let expected = processor.step(&x, hidden.clone());
            let actual = processor.step(&renamed, hidden.select(1, names.clone()));

            let error = |a: Vec<f32>, b: Vec<f32>| {
                // Greater than any number, if one of them is none.
                let errors = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
                errors.max_by(f32::total_cmp).expect("a number")
            };
            let node = error(numbers(expected.node.select(1, names.clone())), numbers(actual.node));
            assert!(node < 1e-4, "{} is off by {node}", preset.name);
            assert_eq!(expected.edge.is_some(), preset.config.has_edges(), "{}", preset.name);
            if let (Some(expected), Some(actual)) = (expected.edge, actual.edge) {
                let expected = expected.select(1, names.clone()).select(2, names.clone());
                let edge = error(numbers(expected), numbers(actual));
                assert!(edge < 1e-4, "{} is off by {edge} on edges", preset.name);
            }
        }
    }

    #[test]
    fn every_file_is_used() {
        let files =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/processors")).unwrap();
        for file in files.map(|file| file.unwrap().path()) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let used = name == "mod" || PRESETS.iter().any(|preset| preset.name == name);
            assert!(used, "no preset is named after {}", file.display());
        }
    }
}
