//! Processors: one round of message passing each, one file per kind of mathematics.
//!
//! Names and switches are data in [`narscope_net::processor`]; this is what they compute. Another
//! crate adds its own with [`register`].

pub mod gat;
pub mod gatv2;
pub mod pgn;

use std::sync::RwLock;

use burn_tensor::Tensor;
use narscope_net::processor::{self, CustomConfig, Preset, ProcessorConfig, Reach};

use super::aggregate::Aggregator;
use super::features::{Features, Processed};
use super::scope::Scope;
use crate::{Error, Result};
use gat::Gat;
use gatv2::Gatv2;
use pgn::Pgn;

/// One round of message passing.
pub trait Processor: Send + Sync {
    /// The next hidden state, from the encoded problem and the last state, `(B, N, H)`.
    fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed;
}

/// The settings of all processors.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `H`.
    pub hidden: usize,
    /// Channels of triplet messages.
    pub triplet_channels: usize,
    /// Attention heads.
    pub heads: usize,
    /// Whether the next state is normalised.
    pub layer_norm: bool,
    /// The aggregator, with its temperature if that is learnable.
    pub aggregator: Aggregator,
}

/// Constructor of a processor: requests its weights from a scope.
pub type Build = fn(&mut Scope<'_>, &Settings) -> Box<dyn Processor>;

/// Constructors of processors of other crates.
static REGISTERED: RwLock<Vec<(&'static str, Build)>> = RwLock::new(vec![]);

/// Adds a processor of another crate under a name for `processor_type`. It is run by the generic
/// engine, in training and in prediction, and can be used wherever the built-in ones can.
///
/// ```
/// use narscope_model::generic::features::{Features, Processed};
/// use narscope_model::generic::layers::Linear;
/// use narscope_model::generic::processors::{Processor, register};
/// use narscope_model::{Tensor, processor::CustomConfig};
///
/// /// Ignores all edges.
/// struct Perceptron(Linear);
///
/// impl Processor for Perceptron {
///     fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed {
///         let z = Tensor::cat(vec![x.node.clone(), hidden], 2);
///         Processed { node: self.0.forward(z).tanh(), edge: None }
///     }
/// }
///
/// let config = CustomConfig {
///     summary: "a perceptron per node",
///     has_edges: false,
///     aggregates: false,
///     attends: false,
/// };
/// register("perceptron", config, |scope, settings| {
///     Box::new(Perceptron(scope.linear("layer", 2 * settings.hidden, settings.hidden)))
/// })?;
/// assert!(register("mpnn", config, |_, _| unreachable!()).is_err());
/// # Ok::<(), narscope_model::Error>(())
/// ```
///
/// # Errors
/// If the name is taken.
pub fn register(name: &'static str, config: CustomConfig, build: Build) -> Result<()> {
    let mut registered = REGISTERED.write().expect("no thread panics while it holds the lock");
    if !processor::register(name, config) {
        return Err(Error::NameTaken { what: "processor", name: name.to_owned() });
    }
    registered.push((name, build));
    Ok(())
}

/// Makes a processor.
pub(crate) fn build(
    preset: &Preset,
    scope: &mut Scope<'_>,
    settings: &Settings,
) -> Box<dyn Processor> {
    match preset.config {
        ProcessorConfig::Pgn(config) => Box::new(Pgn::new(config, scope, settings)),
        ProcessorConfig::Gat(config) => Box::new(Gat::new(config, scope, settings)),
        ProcessorConfig::Gatv2(config) => Box::new(Gatv2::new(config, scope, settings)),
        ProcessorConfig::Custom(_) => {
            let registered = REGISTERED.read().expect("no thread panics while it holds the lock");
            let found = registered.iter().find(|(name, _)| *name == preset.name);
            let (_, build) = found.expect("a registered processor has a constructor");
            build(scope, settings)
        }
    }
}

/// 1 where a sender has a message for a receiver, `(B, N, N)`; none if every node sends to every
/// node.
pub fn sent(reach: Reach, adjacency: &Tensor<3>) -> Option<Tensor<3>> {
    match reach {
        Reach::All => None,
        Reach::Neighbours => Some(adjacency.clone()),
        Reach::Itself => {
            let ([b, n, _], device) = (adjacency.dims(), adjacency.device());
            Some(Tensor::<2>::eye(n, &device).reshape([1, n, n]).expand([b, n, n]))
        }
    }
}

#[cfg(test)]
mod tests {
    use burn_tensor::{Device, Int};

    use super::*;
    use crate::declaration::initial_weights;
    use crate::generic::features::EdgeFeatures;
    use crate::generic::scope::Store;
    use crate::generic::tensors::{floats, indices, tensor};
    use narscope_net::config::{Aggregation, Part};
    use narscope_net::processor::PRESETS;
    use narscope_net::random::{Purpose, Stream};

    const B: usize = 2;
    const N: usize = 5;
    const H: usize = 8;

    fn built(preset: &Preset) -> Box<dyn Processor> {
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
            build(preset, &mut scope, &settings)
        };
        let mut declared = Store::declaring(&device);
        with(&mut declared);
        let weights = initial_weights(&declared.into_declarations(), 4);
        with(&mut Store::binding(&weights, &device, false))
    }

    fn random<const D: usize>(stream: &mut Stream, shape: [usize; D]) -> Tensor<D> {
        let values = (0..shape.iter().product()).map(|_| stream.uniform() - 0.5).collect();
        tensor(values, shape, &Device::flex())
    }

    #[test]
    fn processors_are_equivariant_to_permutations_of_the_nodes() {
        let names: Tensor<1, Int> = indices(&[3, 0, 4, 1, 2], [N], &Device::flex());
        for preset in PRESETS {
            let mut stream = Stream::new(3, Purpose::Noise, 0);
            let stream = &mut stream;
            let processor = built(preset);
            let adjacency = (random(stream, [B, N, N])
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
                adjacency,
            };
            let hidden = random(stream, [B, N, H]);
            let (edge_values, encoder) = x.edge.encoded.clone().unwrap();
            let renamed = Features {
                node: x.node.clone().select(1, names.clone()),
                edge: EdgeFeatures {
                    encoded: Some((
                        edge_values.select(1, names.clone()).select(2, names.clone()),
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
                // `total_cmp` orders NaN above every number.
                let errors = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
                errors.max_by(f32::total_cmp).expect("a value")
            };
            let node = error(floats(expected.node.select(1, names.clone())), floats(actual.node));
            assert!(node < 1e-4, "{} is off by {node}", preset.name);
            assert_eq!(expected.edge.is_some(), preset.config.has_edges(), "{}", preset.name);
            if let (Some(expected), Some(actual)) = (expected.edge, actual.edge) {
                let expected = expected.select(1, names.clone()).select(2, names.clone());
                let edge = error(floats(expected), floats(actual));
                assert!(edge < 1e-4, "{} is off by {edge} on edges", preset.name);
            }
        }
    }

    #[test]
    fn every_file_has_a_preset_of_its_name() {
        let files =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/generic/processors"))
                .unwrap();
        for file in files.map(|file| file.unwrap().path()) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let used = name == "mod" || PRESETS.iter().any(|preset| preset.name == name);
            assert!(used, "no preset is named after {}", file.display());
        }
    }
}
