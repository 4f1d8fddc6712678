//! Weights of a network: named tensors in one contiguous vector.

use narscope_clrs::probe::Probe;
use safetensors::{Dtype, SafeTensors};

use crate::random::fnv;
use crate::{Error, Result};

/// Name and shape of one tensor of the weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Path in the network, for example `processor.sender.weight`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
}

impl Parameter {
    /// Number of values.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Path of the encoder or decoder of a probe, for example `bfs.hint.pi_h`.
pub fn parameter_path(algorithm: &str, probe: &Probe) -> String {
    format!("{algorithm}.{}.{}", probe.stage.name(), probe.name)
}

/// The weights of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Names and shapes, in the order of the values.
    pub parameters: Vec<Parameter>,
    /// The values of all parameters, one after the other.
    pub values: Vec<f32>,
}

impl Weights {
    /// Weights that are all zero.
    pub fn zeros(parameters: Vec<Parameter>) -> Self {
        let size = parameters.iter().map(Parameter::size).sum();
        Self { parameters, values: vec![0.0; size] }
    }

    /// Reads the weights of a checkpoint or an exported network from the bytes of a safetensors
    /// file. Optimiser moments and generators are skipped.
    ///
    /// # Errors
    /// If the bytes are not safetensors. The checksum of a checkpoint is not verified here:
    /// `narscope_model::checkpoint` does that.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self> {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|error| Error::WeightFormat(error.to_string()))?;
        let is_weight = |name: &str, dtype| {
            let other = ["adam.", "generator.", "carried."];
            dtype == Dtype::F32 && !other.iter().any(|prefix| name.starts_with(prefix))
        };
        let (mut parameters, mut values) = (vec![], vec![]);
        for (name, tensor) in file.iter().filter(|(name, tensor)| is_weight(name, tensor.dtype())) {
            parameters.push(Parameter { name: name.to_owned(), shape: tensor.shape().to_vec() });
            let floats = tensor.data().chunks_exact(4);
            values.extend(floats.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        }
        Ok(Self { parameters, values })
    }

    /// Parameters with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&Parameter, &[f32])> {
        let mut rest = self.values.as_slice();
        self.parameters.iter().map(move |parameter| {
            let (values, after) = rest.split_at(parameter.size());
            rest = after;
            (parameter, values)
        })
    }

    /// Fills the weights from named arrays.
    ///
    /// # Errors
    /// If an array is missing or has another shape.
    pub fn fill<'a>(
        &mut self,
        mut find: impl FnMut(&Parameter) -> Option<(&'a [usize], &'a [f32])>,
    ) -> Result<()> {
        let mut start = 0;
        for parameter in &self.parameters {
            let (shape, values) = find(parameter)
                .ok_or_else(|| Error::MissingWeight { name: parameter.name.clone() })?;
            if shape != parameter.shape {
                return Err(Error::WeightShape {
                    name: parameter.name.clone(),
                    expected: parameter.shape.clone(),
                    found: shape.to_vec(),
                });
            }
            let end = start + parameter.size();
            self.values[start..end].copy_from_slice(values);
            start = end;
        }
        Ok(())
    }

    /// Hash of the values; identifies weights in caches and interrupted tests.
    pub fn fingerprint(&self) -> u64 {
        fnv(self.values.iter().flat_map(|value| value.to_le_bytes()))
    }
}
