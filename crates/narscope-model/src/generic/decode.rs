//! Decoders: from the hidden state to predictions, by location and kind.
//!
//! A prediction is raw: a value, or a score per choice, in the layout `(B, P, C)` of the values that
//! it predicts.

use burn_tensor::Tensor;
use burn_tensor::activation::{sigmoid, softmax};
use narscope_clrs::kind::Activation;
use narscope_clrs::probe::{Location, Probe};
use narscope_net::config::Part;
use narscope_net::feedback::Feedback;
use narscope_net::random::Stream;
use narscope_net::sinkhorn::{ROUNDS_IN_DECODERS, ROUNDS_IN_FEEDBACK, gumbel};

use super::encode::names;
use super::features::EdgeFeatures;
use super::layers::Linear;
use super::scope::Store;
use super::sinkhorn::log_sinkhorn;
use super::tensors::tensor;

/// The inputs of decoders after one step.
#[derive(Clone, Debug)]
pub struct View {
    /// Node features, the state before the step and the state after it: `(B, N, 3H)`.
    pub node: Tensor<3>,
    /// Edge features.
    pub edge: EdgeFeatures,
    /// Edge states of the processor: `(B, N, N, H)`.
    pub processed_edge: Option<Tensor<4>>,
    /// Graph features: `(B, H)`.
    pub graph: Tensor<2>,
    /// `(B, N, N)`.
    pub adjacency: Tensor<3>,
}

impl View {
    /// The inputs of samples `start..start + count`.
    #[must_use]
    pub fn samples(&self, start: usize, count: usize) -> Self {
        let EdgeFeatures { encoded, bias, size: [_, n] } = self.edge.clone();
        Self {
            node: self.node.clone().narrow(0, start, count),
            edge: EdgeFeatures {
                encoded: encoded
                    .map(|(numbers, encoder)| (numbers.narrow(0, start, count), encoder)),
                bias,
                size: [count, n],
            },
            processed_edge: self.processed_edge.clone().map(|edge| edge.narrow(0, start, count)),
            graph: self.graph.clone().narrow(0, start, count),
            adjacency: self.adjacency.clone().narrow(0, start, count),
        }
    }

    /// A linear layer applied to edge features and edge states: `(B, N, N, outputs)`.
    fn edge_through(&self, layer: &Linear) -> Tensor<4> {
        let Some(processed) = &self.processed_edge else { return self.edge.through(layer) };
        let hidden = self.edge.bias.dims()[0];
        let (encoded, rest) = layer.split(hidden);
        let bias = Tensor::zeros([rest.dims()[1]], &rest.device());
        let rest = Linear { weight: rest, bias };
        self.edge.through(&encoded) + rest.forward(processed.clone())
    }
}

/// The decoders of the probes of one stage of a task.
#[derive(Clone, Debug)]
pub struct Decoders {
    probes: Vec<Probe>,
    layers: Vec<Vec<Linear>>,
    masked: bool,
}

/// Stream of the Gumbel noise of permutations in training.
pub type Noise<'a> = &'a mut Stream;

impl Decoders {
    /// Decoders for the probes of a stage. `edges`: the processor has edge states; `masked`: scores
    /// are restricted to the adjacency.
    pub fn new(
        store: &mut Store,
        (algorithm, task): (&str, usize),
        probes: Vec<Probe>,
        hidden: usize,
        edges: bool,
        masked: bool,
    ) -> Self {
        let (node, edge) = (3 * hidden, if edges { 2 * hidden } else { hidden });
        let layers = probes.iter().map(|probe| {
            let (name, haiku) = names(algorithm, task, probe, "dec");
            let mut scope = store.scope(&name, &haiku, Part::Decoders, Some(task));
            let choices = probe.channels();
            let mut layer = |name, inputs, outputs| scope.linear(name, inputs, outputs);
            match (probe.location, probe.kind.is_pointer()) {
                (Location::Node, false) => vec![layer("decode", node, choices)],
                (Location::Node, true) => vec![
                    layer("decode_from", node, hidden),
                    layer("decode_to", node, hidden),
                    layer("decode_edge", edge, hidden),
                    layer("decode", hidden, 1),
                ],
                (Location::Edge, false) => vec![
                    layer("decode_first", node, choices),
                    layer("decode_second", node, choices),
                    layer("decode_edge", edge, choices),
                ],
                (Location::Edge, true) => vec![
                    layer("decode_first", node, hidden),
                    layer("decode_second", node, hidden),
                    layer("decode_edge", edge, hidden),
                    layer("decode_to", node, hidden),
                    layer("decode", hidden, 1),
                ],
                (Location::Graph, false) => {
                    vec![
                        layer("decode_node", node, choices),
                        layer("decode_graph", hidden, choices),
                    ]
                }
                (Location::Graph, true) => vec![
                    layer("decode_node", node, 1),
                    layer("decode_graph", hidden, 1),
                    layer("decode_to", node, 1),
                ],
            }
        });
        let layers = layers.collect();
        Self { probes, layers, masked }
    }

    /// The probes that are decoded.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// Raw predictions, one tensor `(B, P, C)` per probe.
    pub fn forward(&self, view: &View, mut noise: Option<Noise<'_>>) -> Vec<Tensor<3>> {
        let decoders = self.probes.iter().zip(&self.layers);
        let raw = decoders.map(|(probe, layers)| {
            let mut raw = decode(probe, layers, view);
            if self.masked && probe.kind.info().adjacency_masked == Some(probe.location) {
                raw = masked(raw, view.adjacency.clone());
            }
            if probe.kind.info().activation == Activation::Sinkhorn {
                if let Some(noise) = &mut noise {
                    let shape = raw.dims();
                    let gumbel =
                        (0..shape.iter().product()).map(|_| gumbel(noise.uniform())).collect();
                    raw = raw.clone() + tensor(gumbel, shape, &raw.device());
                }
                raw = log_sinkhorn(raw, ROUNDS_IN_DECODERS);
            }
            raw
        });
        raw.collect()
    }
}

/// Bytes of edge pointer scores above which they are computed sample by sample.
const LARGE: usize = 256 << 20;

fn decode(probe: &Probe, layers: &[Linear], view: &View) -> Tensor<3> {
    let [b, n, _] = view.node.dims();
    let (locations, choices) = (probe.locations(n), probe.choices(n));
    let node = |layer: &Linear| layer.forward(view.node.clone());
    match (probe.location, layers) {
        (Location::Node, [value]) => node(value).reshape([b, locations, choices]),
        (Location::Node, [from, to, edge, score]) => {
            // Parity: the edge is read in the other direction than by messages.
            let to = node(to).unsqueeze_dim::<4>(1) // (B, 1, j, H)
                + view.edge_through(edge).swap_dims(1, 2); // (B, i, j, H)
            let pair = node(from).unsqueeze_dim::<4>(2).expand(to.dims()).max_pair(to);
            score.forward(pair).reshape([b, locations, choices])
        }
        (Location::Edge, [first, second, edge]) => {
            let value = node(first).unsqueeze_dim::<4>(2)
                + node(second).unsqueeze_dim(1)
                + view.edge_through(edge);
            value.reshape([b, locations, choices])
        }
        (Location::Edge, [first, second, edge, to, score]) => {
            let hidden = score.weight.dims()[0];
            if b > 1 && b * n * n * n * hidden * 4 > LARGE {
                let each = (0..b).map(|i| decode(probe, layers, &view.samples(i, 1)));
                return Tensor::cat(each.collect(), 0);
            }
            let pair = node(first).unsqueeze_dim::<4>(2)
                + node(second).unsqueeze_dim(1)
                + view.edge_through(edge); // (B, i, j, H)
            let to = node(to).reshape([b, 1, 1, n, hidden]).expand([b, n, n, n, hidden]);
            let triple = pair.unsqueeze_dim::<5>(3).expand([b, n, n, n, hidden]).max_pair(to);
            score.forward(triple).reshape([b, locations, choices])
        }
        (Location::Graph, [node, graph, to @ ..]) => {
            let pooled = view.node.clone().max_dim(1); // (B, 1, 3H)
            let value = node.forward(pooled) + graph.forward(view.graph.clone().unsqueeze_dim(1));
            match to {
                [] => value, // (B, 1, C)
                [to, ..] => value + to.forward(view.node.clone()).swap_dims(1, 2),
            }
        }
        (location, layers) => panic!("{} layers for {location:?} {:?}", layers.len(), probe.kind),
    }
}

/// Sets the scores of pairs that are not adjacent below all others of the sample.
fn masked(raw: Tensor<3>, adjacency: Tensor<3>) -> Tensor<3> {
    let ([b, n, _], shape) = (adjacency.dims(), raw.dims());
    let raw = raw.reshape([b, n, n]);
    let least = raw.clone().min_dim(2).min_dim(1); // (B, 1, 1)
    let worse = (least - 1.0).clamp_max(-1.0).expand([b, n, n]);
    raw.mask_where(adjacency.lower_equal_scalar(0.5), worse).reshape(shape)
}

/// What the next step is fed with in place of the true hint: a raw prediction, activated by kind.
pub fn feed_back(feedback: Feedback, probe: &Probe, raw: Tensor<3>) -> Tensor<3> {
    match (feedback, probe.kind.info().activation) {
        (Feedback::Soft, Activation::Identity) => raw,
        (Feedback::Hard, Activation::Identity) => raw.detach(),
        (Feedback::Soft, Activation::Sigmoid) => sigmoid(raw),
        (Feedback::Hard, Activation::Sigmoid) => raw.detach().greater_scalar(0.0).float(),
        (Feedback::Soft, Activation::Softmax) => softmax(raw, 2),
        (Feedback::Hard, Activation::Softmax) => one_hot_argmax(raw.detach()),
        (Feedback::Soft, Activation::Sinkhorn) => log_sinkhorn(raw, ROUNDS_IN_FEEDBACK).exp(),
        (Feedback::Hard, Activation::Sinkhorn) => {
            one_hot_argmax(log_sinkhorn(raw.detach(), ROUNDS_IN_FEEDBACK).exp())
        }
    }
}

/// 1 at the first largest score, 0 elsewhere.
fn one_hot_argmax(scores: Tensor<3>) -> Tensor<3> {
    let choices = scores.dims()[2];
    scores.argmax(2).squeeze_dim::<2>(2).one_hot::<3>(choices).float()
}
