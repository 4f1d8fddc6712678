//! Encoders: from the values of probes to features, by location and kind.
//!
//! An encoder is a linear layer, and features are sums of encodings. So the values of all probes of a
//! node (or an edge, or the graph) are concatenated, and one matrix, the stacked weights of the
//! encoders, encodes them at once.

use burn_tensor::Tensor;
use narscope_clrs::kind::Storage;
use narscope_clrs::probe::{Location, Probe, Stage};
use narscope_net::config::{EncoderInit, Part};
use narscope_net::weights::parameter_path;

use super::features::{EdgeFeatures, Features};
use super::layers::Linear;
use super::scope::{LinearInit, Store};

/// The unencoded values of probes, by what they are encoded on.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// `(B, N, K)`.
    pub node: Option<Tensor<3>>,
    /// `(B, N, N, K)`.
    pub edge: Option<Tensor<4>>,
    /// `(B, K)`.
    pub graph: Option<Tensor<2>>,
    /// Above 0 where nodes are adjacent: `(B, N, N)`.
    pub links: Option<Tensor<3>>,
}

impl Sources {
    /// The sources of one probe from its values `(B, P, C)`.
    fn of(probe: &Probe, values: Tensor<3>, nodes: usize) -> Self {
        let [b, ..] = values.dims();
        let n = nodes;
        let links = match probe.kind.info().adds_edges {
            Some((location, threshold)) if location == probe.location => {
                Some(adjacent(values.clone().reshape([b, n, n]), threshold))
            }
            _ => None,
        };
        let channels = probe.channels();
        match (probe.location, probe.kind.is_pointer()) {
            (Location::Node, false) | (Location::Graph, true) => {
                let node = values.reshape([b, n, channels]);
                Self { node: Some(node), links, ..Self::default() }
            }
            (Location::Node, true) | (Location::Edge, false) => {
                let edge = values.reshape([b, n, n, channels]);
                Self { edge: Some(edge), links, ..Self::default() }
            }
            (Location::Edge, true) => {
                // The pointer of the pair (i, j) to k is encoded on the edges (j, k) and (i, k).
                let cube = values.reshape([b, n, n, n]); // (B, i, j, k)
                let by_first = cube.clone().mean_dim(1).reshape([b, n, n, 1]);
                let by_second = cube.mean_dim(2).reshape([b, n, n, 1]);
                let edge = Tensor::cat(vec![by_first, by_second], 3);
                Self { edge: Some(edge), links, ..Self::default() }
            }
            (Location::Graph, false) => {
                let graph = values.reshape([b, channels]);
                Self { graph: Some(graph), links, ..Self::default() }
            }
        }
    }

    /// Concatenates two sources.
    #[must_use]
    pub fn concat(self, other: Self) -> Self {
        Self {
            node: concat(self.node, other.node),
            edge: concat(self.edge, other.edge),
            graph: concat(self.graph, other.graph),
            links: match (self.links, other.links) {
                (Some(a), Some(b)) => Some(a.max_pair(b)),
                (a, b) => a.or(b),
            },
        }
    }

    /// The sources of the first `samples` samples.
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

fn concat<const D: usize>(a: Option<Tensor<D>>, b: Option<Tensor<D>>) -> Option<Tensor<D>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Tensor::cat(vec![a, b], D - 1)),
        (a, b) => a.or(b),
    }
}

/// 1 where `x + xᵀ` is above a threshold; no gradient flows through this.
// Parity: soft masks are never 0, so feeding them back connects all nodes.
fn adjacent(x: Tensor<3>, threshold: f32) -> Tensor<3> {
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

/// Path of a probe's parameters, and their prefix in the reference.
pub(crate) fn names(algorithm: &str, task: usize, probe: &Probe, what: &str) -> (String, String) {
    (
        parameter_path(algorithm, probe),
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
            let inputs = probe.channels();
            let scalar_hint =
                probe.stage == Stage::Hint && probe.kind.info().storage == Storage::Real;
            let std = (init == EncoderInit::XavierOnScalars && scalar_hint)
                .then(|| 1.0 / (hidden as f32).sqrt());
            let mut layer =
                |name| scope.linear_from(name, inputs, hidden, LinearInit { std, bias: 0.0 });
            match (probe.location, probe.kind.is_pointer()) {
                (Location::Node, false) | (Location::Graph, true) => node.push(layer("encode")),
                (Location::Node, true) | (Location::Edge, false) => edge.push(layer("encode")),
                (Location::Edge, true) => {
                    edge.extend([layer("encode_by_first"), layer("encode_by_second")]);
                }
                (Location::Graph, false) => graph.push(layer("encode")),
            }
        }
        Self { probes, node: stacked(&node), edge: stacked(&edge), graph: stacked(&graph) }
    }

    /// The unencoded values of the probes, from one tensor `(B, P, C)` per probe.
    #[track_caller]
    pub fn sources(&self, values: Vec<Tensor<3>>, nodes: usize) -> Sources {
        assert_eq!(values.len(), self.probes.len(), "values for every probe");
        let sources = self.probes.iter().zip(values);
        sources.fold(Sources::default(), |all, (probe, values)| {
            all.concat(Sources::of(probe, values, nodes))
        })
    }

    /// The encoders of two stages together.
    #[must_use]
    pub fn concat(&self, other: &Self) -> Self {
        let pair = |a: &Option<Linear>, b: &Option<Linear>| {
            stacked(&a.iter().chain(b).cloned().collect::<Vec<_>>())
        };
        Self {
            probes: self.probes.iter().chain(&other.probes).cloned().collect(),
            node: pair(&self.node, &other.node),
            edge: pair(&self.edge, &other.edge),
            graph: pair(&self.graph, &other.graph),
        }
    }

    /// Encodes sources.
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

/// Linear layers whose outputs are added, as one layer of the concatenated inputs.
fn stacked(layers: &[Linear]) -> Option<Linear> {
    let weights = layers.iter().map(|layer| layer.weight.clone()).collect::<Vec<_>>();
    let bias = layers.iter().map(|layer| layer.bias.clone()).reduce(|a, b| a + b)?;
    Some(Linear { weight: Tensor::cat(weights, 0), bias })
}
