//! Scopes: how the modules of a network get their weights.
//!
//! A module has one constructor, which requests layers from a scope by name. The same constructor
//! declares the parameters when a network is laid out and binds the weights when it is used, so the
//! two cannot disagree.

use std::collections::BTreeMap;

use burn_tensor::{Device, Tensor};
use narscope_net::config::Part;
use narscope_net::weights::Weights;

use super::layers::{LayerNorm, Linear};
use super::tensors::leaves;
use crate::declaration::{Declaration, Init};

/// Collects declarations, or hands out weights.
pub struct Store {
    device: Device,
    /// The weights; none while parameters are declared.
    leaves: Option<Vec<Tensor<1>>>,
    /// The parameters requested so far.
    declared: Vec<Declaration>,
    /// How often the reference has used a module name.
    used: BTreeMap<String, usize>,
}

impl Store {
    /// A store that declares parameters.
    pub fn declaring(device: &Device) -> Self {
        Self { device: device.clone(), leaves: None, declared: vec![], used: BTreeMap::new() }
    }

    /// A store that hands out weights; with `learn`, gradients are tracked.
    pub fn binding(weights: &Weights, device: &Device, learn: bool) -> Self {
        Self { leaves: Some(leaves(weights, device, learn)), ..Self::declaring(device) }
    }

    /// All declared parameters.
    pub fn into_declarations(self) -> Vec<Declaration> {
        self.declared
    }

    /// All weights, in the order of the declarations.
    pub fn into_leaves(self) -> Vec<Tensor<1>> {
        self.leaves.unwrap_or_default()
    }

    /// A scope for a part of a network.
    pub fn scope(&mut self, name: &str, haiku: &str, part: Part, task: Option<usize>) -> Scope<'_> {
        Scope { store: self, name: name.to_owned(), haiku: haiku.to_owned(), part, task }
    }

    fn take(&mut self, declaration: Declaration) -> Tensor<1> {
        let tensor = match &self.leaves {
            Some(leaves) => leaves[self.declared.len()].clone(),
            None => Tensor::zeros([declaration.size()], &self.device),
        };
        assert_eq!(tensor.dims()[0], declaration.size(), "weights of {}", declaration.name);
        self.declared.push(declaration);
        tensor
    }

    /// Haiku numbers modules that would have the same name.
    fn unique(&mut self, haiku: String) -> String {
        let used = self.used.entry(haiku.clone()).or_default();
        *used += 1;
        if *used == 1 { haiku } else { format!("{haiku}_{}", *used - 1) }
    }
}

/// A path in a network under which layers are requested by name.
pub struct Scope<'a> {
    store: &'a mut Store,
    name: String,
    /// Prefix of the Haiku names of the layers.
    haiku: String,
    part: Part,
    task: Option<usize>,
}

/// Initialisation of a linear layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearInit {
    /// Standard deviation of its weights before truncation; by default `1 / sqrt(inputs)`.
    pub std: Option<f32>,
    /// Initial bias.
    pub bias: f32,
}

impl LinearInit {
    /// The initialisation of layers that do not choose another.
    pub const DEFAULT: Self = Self { std: None, bias: 0.0 };
}

impl Scope<'_> {
    /// The device of the weights.
    pub fn device(&self) -> &Device {
        &self.store.device
    }

    /// A linear layer.
    pub fn linear(&mut self, name: &str, inputs: usize, outputs: usize) -> Linear {
        self.linear_from(name, inputs, outputs, LinearInit::DEFAULT)
    }

    /// A linear layer with its own initialisation.
    pub fn linear_from(
        &mut self,
        name: &str,
        inputs: usize,
        outputs: usize,
        init: LinearInit,
    ) -> Linear {
        let module = self.store.unique(format!("{}linear", self.haiku));
        self.linear_of(&module, name, inputs, outputs, init)
    }

    /// The layers of a multilayer perceptron; the reference numbers them from 0.
    pub fn perceptron(&mut self, name: &str, sizes: &[usize]) -> Vec<Linear> {
        let layers = sizes.windows(2).enumerate().map(|(i, size)| {
            let module = format!("{}mlp/~/linear_{i}", self.haiku);
            let name = format!("{name}.{i}");
            self.linear_of(&module, &name, size[0], size[1], LinearInit::DEFAULT)
        });
        layers.collect()
    }

    fn linear_of(
        &mut self,
        module: &str,
        name: &str,
        inputs: usize,
        outputs: usize,
        init: LinearInit,
    ) -> Linear {
        let std = init.std.unwrap_or(1.0 / (inputs as f32).sqrt());
        let init = [Init::TruncatedNormal(std), Init::Constant(init.bias)];
        Linear {
            weight: self
                .parameter(
                    &format!("{name}.weight"),
                    &format!("{module}/w"),
                    &[inputs, outputs],
                    init[0],
                )
                .reshape([inputs, outputs]),
            bias: self.parameter(
                &format!("{name}.bias"),
                &format!("{module}/b"),
                &[outputs],
                init[1],
            ),
        }
    }

    /// A layer norm over the last axis.
    pub fn layer_norm(&mut self, name: &str, size: usize) -> LayerNorm {
        let module = self.store.unique(format!("{}layer_norm", self.haiku));
        let mut one = |part: &str, start| {
            let (name, haiku) = (format!("{name}.{part}"), format!("{module}/{part}"));
            self.parameter(&name, &haiku, &[size], Init::Constant(start))
        };
        // In the order of the reference.
        let offset = one("offset", 0.0);
        LayerNorm { scale: one("scale", 1.0), offset }
    }

    /// A learnable scalar, which the reference does not have.
    pub fn scalar(&mut self, name: &str, start: f32) -> Tensor<1> {
        let haiku = format!("{}{name}", self.haiku);
        self.parameter(name, &haiku, &[1], Init::Constant(start))
    }

    fn parameter(&mut self, name: &str, haiku: &str, shape: &[usize], init: Init) -> Tensor<1> {
        self.store.take(Declaration {
            name: format!("{}.{name}", self.name),
            haiku: haiku.to_owned(),
            shape: shape.to_vec(),
            part: self.part,
            task: self.task,
            init,
        })
    }
}
