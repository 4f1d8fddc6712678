//! Encoders: from the values of probes to features, by location and kind.
//!
//! An encoder is a linear layer, and features are sums of encodings. So the numbers of all probes
//! that reach a node (or an edge, or the graph) are laid side by side, and one matrix, the encoders'
//! weights below each other, encodes them at once.

use burn_tensor::Tensor;
use narscope_clrs::probe::{Kind, Location, Probe, Stage};

use crate::config::EncoderInit;
use crate::features::{EdgeFeatures, Features};
use crate::layers::Linear;
use crate::scope::{LinearInit, Store};
use crate::values::options;
use crate::weights::Part;

/// What one probe, or several together, say of nodes, edges and the graph, before it is encoded.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// `(B, N, K)`.
    pub node: Option<Tensor<3>>,
    /// `(B, N, N, K)`.
    pub edge: Option<Tensor<4>>,
    /// `(B, K)`.
    pub graph: Option<Tensor<2>>,
    /// Above 0 where nodes are linked: `(B, N, N)`.
    pub links: Option<Tensor<3>>,
}

impl Sources {
    /// What a probe with these values says; values are `(B, P, C)`.
    fn of(probe: &Probe, values: Tensor<3>, nodes: usize) -> Self {
        let [b, _, options] = values.dims();
        let n = nodes;
        match (probe.location, probe.kind) {
            (Location::Node, kind) if kind.is_pointer() => {
                let links = linked(values.clone(), 0.5);
                let edge = values.reshape([b, n, n, 1]);
                Self { edge: Some(edge), links: Some(links), ..Self::default() }
            }
            (Location::Edge, kind) if kind.is_pointer() => {
                // The pointer of pair (i, j) to k says something of (j, k) and something of (i, k).
                let cube = values.reshape([b, n, n, n]); // (B, i, j, k)
                let by_first = cube.clone().mean_dim(1).reshape([b, n, n, 1]);
                let by_second = cube.mean_dim(2).reshape([b, n, n, 1]);
                let edge = Tensor::cat(vec![by_first, by_second], 3);
                Self { edge: Some(edge), ..Self::default() }
            }
            (Location::Graph, kind) if kind.is_pointer() => {
                Self { node: Some(values.reshape([b, n, 1])), ..Self::default() }
            }
            (Location::Node, Kind::MaskOne) => {
                Self { node: Some(values.reshape([b, n, 1])), ..Self::default() }
            }
            (Location::Node, _) => Self { node: Some(values), ..Self::default() },
            (Location::Edge, kind) => {
                let options = if kind == Kind::MaskOne { 1 } else { options };
                let links =
                    (kind == Kind::Mask).then(|| linked(values.clone().reshape([b, n, n]), 0.0));
                Self { edge: Some(values.reshape([b, n, n, options])), links, ..Self::default() }
            }
            (Location::Graph, _) => {
                Self { graph: Some(values.reshape([b, options])), ..Self::default() }
            }
        }
    }

    /// Both together.
    #[must_use]
    pub fn beside(self, other: Self) -> Self {
        Self {
            node: beside(self.node, other.node),
            edge: beside(self.edge, other.edge),
            graph: beside(self.graph, other.graph),
            links: match (self.links, other.links) {
                (Some(a), Some(b)) => Some(a.max_pair(b)),
                (a, b) => a.or(b),
            },
        }
    }

    /// The first so many samples.
    #[must_use]
    pub fn first(&self, samples: usize) -> Self {
        Self {
            node: self.node.clone().map(|x| x.narrow(0, 0, samples)),
            edge: self.edge.clone().map(|x| x.narrow(0, 0, samples)),
            graph: self.graph.clone().map(|x| x.narrow(0, 0, samples)),
            links: self.links.clone().map(|x| x.narrow(0, 0, samples)),
        }
    }
}

fn beside<const D: usize>(a: Option<Tensor<D>>, b: Option<Tensor<D>>) -> Option<Tensor<D>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Tensor::cat(vec![a, b], D - 1)),
        (a, b) => a.or(b),
    }
}

/// 1 where `x + xᵀ` is above a threshold; no gradient flows through this.
// Parity: soft masks are never 0, so feeding them back links everything with everything.
fn linked(x: Tensor<3>, threshold: f32) -> Tensor<3> {
    let x = x.detach();
    (x.clone() + x.swap_dims(1, 2)).greater_scalar(threshold).float()
}

/// The encoders of the probes of one stage of a task.
#[derive(Clone, Debug)]
pub struct Encoders {
    probes: Vec<Probe>,
    node: Option<Linear>,
    edge: Option<Linear>,
    graph: Option<Linear>,
}

/// The name of a probe's weights, and what the reference's begin with.
pub(crate) fn names(algorithm: &str, task: usize, probe: &Probe, what: &str) -> (String, String) {
    let stage = probe.stage.name();
    (
        format!("{algorithm}.{stage}.{}", probe.name),
        format!("net/~_construct_encoders_decoders/algo_{task}_{}_{what}_", probe.name),
    )
}

impl Encoders {
    /// Encoders for the probes of a stage.
    pub fn new(
        store: &mut Store,
        (algorithm, task): (&str, usize),
        probes: Vec<Probe>,
        hidden: usize,
        init: EncoderInit,
    ) -> Self {
        let (mut node, mut edge, mut graph) = (vec![], vec![], vec![]);
        for probe in &probes {
            let (name, haiku) = names(algorithm, task, probe, "enc");
            let mut scope = store.scope(&name, &haiku, Part::Encoders, Some(task));
            let inputs = if probe.kind == Kind::Categorical { options(probe, 0) } else { 1 };
            let scalar_hint = probe.stage == Stage::Hint && probe.kind == Kind::Scalar;
            let spread = (init == EncoderInit::XavierOnScalars && scalar_hint)
                .then(|| 1.0 / (hidden as f32).sqrt());
            let mut layer =
                |name| scope.linear_from(name, inputs, hidden, LinearInit { spread, bias: 0.0 });
            match (probe.location, probe.kind.is_pointer()) {
                (Location::Node, false) | (Location::Graph, true) => node.push(layer("encode")),
                (Location::Node, true) | (Location::Edge, false) => edge.push(layer("encode")),
                (Location::Edge, true) => {
                    edge.extend([layer("encode_by_first"), layer("encode_by_second")]);
                }
                (Location::Graph, false) => graph.push(layer("encode")),
            }
        }
        Self { probes, node: together(&node), edge: together(&edge), graph: together(&graph) }
    }

    /// What the probes say, before it is encoded; one tensor `(B, P, C)` per probe.
    #[track_caller]
    pub fn sources(&self, values: Vec<Tensor<3>>, nodes: usize) -> Sources {
        assert_eq!(values.len(), self.probes.len(), "values for every probe");
        let sources = self.probes.iter().zip(values);
        sources.fold(Sources::default(), |all, (probe, values)| {
            all.beside(Sources::of(probe, values, nodes))
        })
    }

    /// These encoders and those of another stage as one.
    #[must_use]
    pub fn beside(&self, other: &Self) -> Self {
        let pair = |a: &Option<Linear>, b: &Option<Linear>| {
            together(&a.iter().chain(b).cloned().collect::<Vec<_>>())
        };
        Self {
            probes: self.probes.iter().chain(&other.probes).cloned().collect(),
            node: pair(&self.node, &other.node),
            edge: pair(&self.edge, &other.edge),
            graph: pair(&self.graph, &other.graph),
        }
    }

    /// The features that sources make.
    pub fn features(&self, sources: Sources, hidden: usize) -> Features {
        let Sources { node, edge, graph, links } = sources;
        let node = node.expect("every algorithm has positions");
        let ([b, n, _], device) = (node.dims(), node.device());
        let itself = Tensor::<2>::eye(n, &device).reshape([1, n, n]);
        let no_bias = || Tensor::zeros([hidden], &device);
        let encoder = self.edge.as_ref();
        Features {
            node: self.node.as_ref().expect("every algorithm has positions").forward(node),
            edge: EdgeFeatures {
                encoded: edge.zip(encoder.map(|encoder| encoder.weight.clone())),
                bias: encoder.map_or_else(no_bias, |encoder| encoder.bias.clone()),
                size: [b, n],
            },
            graph: match (&self.graph, graph) {
                (Some(encoder), Some(graph)) => encoder.forward(graph),
                _ => Tensor::zeros([b, hidden], &device),
            },
            adjacency: match links {
                Some(links) => links.max_pair(itself),
                None => itself.expand([b, n, n]),
            },
        }
    }
}

/// Layers whose results are added, as one layer of all their inputs.
fn together(layers: &[Linear]) -> Option<Linear> {
    let weights = layers.iter().map(|layer| layer.weight.clone()).collect::<Vec<_>>();
    let bias = layers.iter().map(|layer| layer.bias.clone()).reduce(|a, b| a + b)?;
    Some(Linear { weight: Tensor::cat(weights, 0), bias })
}
