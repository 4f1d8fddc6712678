//! Scopes: how the pieces of a network ask for their weights.
//!
//! A piece is made by one constructor that asks a scope for layers by name. The same constructor
//! declares the weights when a network is laid out and picks them up when it is used, so the two
//! cannot disagree.

use std::collections::BTreeMap;

use burn_tensor::{Device, Tensor};

use crate::layers::{LayerNorm, Linear};
use crate::weights::{Init, Parameter, Part, Weights};

/// Where parameters go to, or come from.
pub struct Store {
    device: Device,
    /// The weights, or nothing while they are declared.
    leaves: Option<Vec<Tensor<1>>>,
    /// What has been asked for so far.
    asked: Vec<Parameter>,
    /// How often the reference would have used a name.
    used: BTreeMap<String, usize>,
}

impl Store {
    /// Declares parameters.
    pub fn declaring(device: &Device) -> Self {
        Self { device: device.clone(), leaves: None, asked: vec![], used: BTreeMap::new() }
    }

    /// Hands out weights, as tensors that gradients can be asked for if `learn`.
    pub fn binding(weights: &Weights, device: &Device, learn: bool) -> Self {
        Self { leaves: Some(weights.leaves(device, learn)), ..Self::declaring(device) }
    }

    /// All that was asked for.
    pub fn into_parameters(self) -> Vec<Parameter> {
        self.asked
    }

    /// All weights, in the order in which they were asked for.
    pub fn into_leaves(self) -> Vec<Tensor<1>> {
        self.leaves.unwrap_or_default()
    }

    /// A scope for a part of a network.
    pub fn scope(&mut self, name: &str, haiku: &str, part: Part, task: Option<usize>) -> Scope<'_> {
        Scope { store: self, name: name.to_owned(), haiku: haiku.to_owned(), part, task }
    }

    fn take(&mut self, parameter: Parameter) -> Tensor<1> {
        let tensor = match &self.leaves {
            Some(leaves) => leaves[self.asked.len()].clone(),
            None => Tensor::zeros([parameter.size()], &self.device),
        };
        assert_eq!(tensor.dims()[0], parameter.size(), "weights of {}", parameter.name);
        self.asked.push(parameter);
        tensor
    }

    /// The reference numbers modules that would have the same name.
    fn unique(&mut self, haiku: String) -> String {
        let used = self.used.entry(haiku.clone()).or_default();
        *used += 1;
        if *used == 1 { haiku } else { format!("{haiku}_{}", *used - 1) }
    }
}

/// A place in a network that layers are asked for by name.
pub struct Scope<'a> {
    store: &'a mut Store,
    name: String,
    /// What the reference calls the module that layers are made in, up to their own name.
    haiku: String,
    part: Part,
    task: Option<usize>,
}

/// How a linear layer starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearInit {
    /// The spread of its weights before they are cut off at two; by default that of its inputs.
    pub spread: Option<f32>,
    /// Its bias.
    pub bias: f32,
}

impl LinearInit {
    /// What layers have unless they say otherwise.
    pub const DEFAULT: Self = Self { spread: None, bias: 0.0 };
}

impl Scope<'_> {
    /// Where the weights are.
    pub fn device(&self) -> &Device {
        &self.store.device
    }

    /// A linear layer.
    pub fn linear(&mut self, name: &str, inputs: usize, outputs: usize) -> Linear {
        self.linear_from(name, inputs, outputs, LinearInit::DEFAULT)
    }

    /// A linear layer that starts in a way of its own.
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

    /// The layers of a perceptron, which the reference numbers from 0 on.
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
        let spread = init.spread.unwrap_or(1.0 / (inputs as f32).sqrt());
        let init = [Init::TruncatedNormal(spread), Init::Constant(init.bias)];
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
        // The order in which the reference lists them.
        let offset = one("offset", 0.0);
        LayerNorm { scale: one("scale", 1.0), offset }
    }

    /// A number of its own, which the reference does not have.
    pub fn number(&mut self, name: &str, start: f32) -> Tensor<1> {
        let haiku = format!("{}{name}", self.haiku);
        self.parameter(name, &haiku, &[1], Init::Constant(start))
    }

    fn parameter(&mut self, name: &str, haiku: &str, shape: &[usize], init: Init) -> Tensor<1> {
        self.store.take(Parameter {
            name: format!("{}.{name}", self.name),
            haiku: haiku.to_owned(),
            shape: shape.to_vec(),
            part: self.part,
            task: self.task,
            init,
        })
    }
}
