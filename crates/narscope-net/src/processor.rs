//! Processors as data: which message passing each name stands for.
//!
//! The fused engine runs the [`PgnConfig`] family. The generic engine of `narscope-model` defines
//! all of them, and those that other crates register.

use std::sync::RwLock;

use narscope_clrs::registry;

use crate::Result;

/// Which nodes send messages to which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every node to every node.
    All,
    /// Every node to its neighbours and to itself.
    Neighbours,
    /// Every node to itself only.
    Itself,
}

/// Switches of the family of pointer graph networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct PgnConfig {
    /// Which nodes send messages to which.
    pub reach: Reach,
    /// Whether edges get messages too, from all third nodes.
    pub triplets: bool,
    /// Whether a gate mixes the old state into the new one.
    pub gated: bool,
    /// Whether decoders of pointers and edge masks are restricted to the adjacency.
    pub masked: bool,
    /// Leaves out every ReLU: the aggregator is the only non-linearity.
    pub linear: bool,
}

impl PgnConfig {
    /// The plain pointer graph network.
    pub const BASE: Self = Self {
        reach: Reach::Neighbours,
        triplets: false,
        gated: false,
        masked: false,
        linear: false,
    };

    /// Names of the switches that are on.
    fn switches(self) -> Vec<&'static str> {
        let all = [
            (self.triplets, "triplets"),
            (self.gated, "gate"),
            (self.masked, "decoders restricted to the adjacency"),
            (self.linear, "no ReLU"),
        ];
        all.into_iter().filter(|(on, _)| *on).map(|(_, name)| name).collect()
    }
}

/// Switches of graph attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatConfig {
    /// Which nodes attend to which.
    pub reach: Reach,
}

/// Properties of a processor that another crate defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CustomConfig {
    /// One line for `narscope list processors`.
    pub summary: &'static str,
    /// Whether it returns edge states, which decoders then read.
    pub has_edges: bool,
    /// Whether it uses the configured aggregator.
    pub aggregates: bool,
    /// Whether it uses the configured number of heads.
    pub attends: bool,
}

/// What a processor computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProcessorConfig {
    /// Message passing: pointer graph networks and their relatives.
    Pgn(PgnConfig),
    /// Graph attention.
    Gat(GatConfig),
    /// Graph attention with scores that depend on both ends jointly.
    Gatv2(GatConfig),
    /// A processor of another crate.
    Custom(CustomConfig),
}

impl ProcessorConfig {
    /// One line for listings.
    pub fn summary(self) -> String {
        let (kind, reach, switches) = match self {
            Self::Pgn(config) => ("message passing", config.reach, config.switches()),
            Self::Gat(config) => ("attention", config.reach, vec![]),
            Self::Gatv2(config) => ("attention with joint scores", config.reach, vec![]),
            Self::Custom(config) => return config.summary.to_owned(),
        };
        let reach = match reach {
            Reach::All => "between all nodes",
            Reach::Neighbours => "between neighbours",
            Reach::Itself => "from each node to itself",
        };
        let what = format!("{kind} {reach}");
        std::iter::once(what.as_str()).chain(switches).collect::<Vec<_>>().join(", ")
    }

    /// Whether it returns edge states, which decoders then read.
    pub fn has_edges(self) -> bool {
        match self {
            Self::Pgn(config) => config.triplets,
            Self::Gat(_) | Self::Gatv2(_) => false,
            Self::Custom(config) => config.has_edges,
        }
    }

    /// Whether decoders of pointers and edge masks are restricted to the adjacency.
    pub fn masks_decoders(self) -> bool {
        match self {
            Self::Pgn(config) => config.masked,
            Self::Gat(_) | Self::Gatv2(_) | Self::Custom(_) => false,
        }
    }

    /// Whether it uses the configured aggregator.
    pub fn aggregates(self) -> bool {
        match self {
            Self::Pgn(_) => true,
            Self::Gat(_) | Self::Gatv2(_) => false,
            Self::Custom(config) => config.aggregates,
        }
    }

    /// Whether it has attention heads.
    pub fn attends(self) -> bool {
        match self {
            Self::Pgn(_) => false,
            Self::Gat(_) | Self::Gatv2(_) => true,
            Self::Custom(config) => config.attends,
        }
    }
}

/// A processor under the name that papers use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// The name, a value of `processor_type`.
    pub name: &'static str,
    /// The Haiku module of its weights in the reference; ours alone if the reference lacks it.
    pub haiku: &'static str,
    /// What it computes.
    pub config: ProcessorConfig,
}

const fn pgn(name: &'static str, config: PgnConfig) -> Preset {
    Preset { name, haiku: "mpnn_aggr_clrs_processor", config: ProcessorConfig::Pgn(config) }
}

const fn gat(name: &'static str, reach: Reach) -> Preset {
    let config = ProcessorConfig::Gat(GatConfig { reach });
    Preset { name, haiku: "gat_aggr_clrs_processor", config }
}

const fn gatv2(name: &'static str, reach: Reach) -> Preset {
    let config = ProcessorConfig::Gatv2(GatConfig { reach });
    Preset { name, haiku: "gatv2_aggr_clrs_processor", config }
}

const BASE: PgnConfig = PgnConfig::BASE;
const FULL: PgnConfig = PgnConfig { reach: Reach::All, ..BASE };

/// The built-in processors. A new combination of existing switches is a line here; new mathematics
/// is a file in `narscope-model` and an arm of [`ProcessorConfig`].
pub const PRESETS: &[Preset] = &[
    pgn("deepsets", PgnConfig { reach: Reach::Itself, ..BASE }),
    pgn("mpnn", FULL),
    pgn("pgn", BASE),
    pgn("pgn_mask", PgnConfig { masked: true, ..BASE }),
    pgn("triplet_mpnn", PgnConfig { triplets: true, ..FULL }),
    pgn("triplet_pgn", PgnConfig { triplets: true, ..BASE }),
    pgn("triplet_pgn_mask", PgnConfig { triplets: true, masked: true, ..BASE }),
    pgn("gmpnn", PgnConfig { gated: true, ..FULL }),
    pgn("gpgn", PgnConfig { gated: true, ..BASE }),
    pgn("gpgn_mask", PgnConfig { gated: true, masked: true, ..BASE }),
    pgn("triplet_gmpnn", PgnConfig { triplets: true, gated: true, ..FULL }),
    pgn("triplet_gpgn", PgnConfig { triplets: true, gated: true, ..BASE }),
    pgn("triplet_gpgn_mask", PgnConfig { triplets: true, gated: true, masked: true, ..BASE }),
    pgn("linear_pgn", PgnConfig { linear: true, ..BASE }),
    gat("gat", Reach::Neighbours),
    gat("gat_full", Reach::All),
    gatv2("gatv2", Reach::Neighbours),
    gatv2("gatv2_full", Reach::All),
];

/// Processors of other crates, in the order of their registration.
static REGISTERED: RwLock<Vec<Preset>> = RwLock::new(vec![]);

/// All processors: the built-in ones, then those of other crates.
pub fn all() -> Vec<Preset> {
    let registered = REGISTERED.read().expect("no thread panics while it holds the lock");
    PRESETS.iter().chain(registered.iter()).copied().collect()
}

/// Adds the name and the properties of a processor of another crate. Called by
/// `narscope_model::generic::processors::register`, which also takes its constructor.
///
/// Returns `false`, and changes nothing, if the name is taken.
pub fn register(name: &'static str, config: CustomConfig) -> bool {
    let mut registered = REGISTERED.write().expect("no thread panics while it holds the lock");
    if PRESETS.iter().chain(registered.iter()).any(|preset| preset.name == name) {
        return false;
    }
    registered.push(Preset { name, haiku: name, config: ProcessorConfig::Custom(config) });
    true
}

/// Finds a processor by its name.
pub fn find(name: &str) -> Result<Preset> {
    Ok(*registry::find("processor", &all(), |preset| preset.name, name)?)
}
