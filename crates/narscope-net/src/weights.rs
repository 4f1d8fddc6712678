//! Weights of a network: named tensors in one contiguous vector.

use narscope_clrs::probe::Probe;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::half::{from_half, to_half};
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
    /// file, in single or half precision. Optimiser moments and generators are skipped.
    ///
    /// # Errors
    /// If the bytes are not safetensors. The checksum of a checkpoint is not verified here:
    /// `narscope_model::checkpoint` does that.
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self> {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|error| Error::WeightFormat(error.to_string()))?;
        let (mut parameters, mut values) = (vec![], vec![]);
        for (name, tensor) in file.iter().filter(|(name, _)| is_weight(name)) {
            match tensor.dtype() {
                Dtype::F32 => values.extend(singles(tensor.data())),
                Dtype::F16 => values.extend(halves(tensor.data())),
                _ => continue,
            }
            parameters.push(Parameter { name: name.to_owned(), shape: tensor.shape().to_vec() });
        }
        Ok(Self { parameters, values })
    }

    /// Whether the bytes of a safetensors file hold weights in half precision.
    ///
    /// # Errors
    /// If the bytes are not safetensors.
    pub fn are_half(bytes: &[u8]) -> Result<bool> {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|error| Error::WeightFormat(error.to_string()))?;
        let mut weights = file.iter().filter(|(name, _)| is_weight(name));
        Ok(weights.any(|(_, tensor)| tensor.dtype() == Dtype::F16))
    }

    /// The bytes of a safetensors file with these weights alone.
    ///
    /// # Errors
    /// If two parameters have one name.
    pub fn to_safetensors(&self) -> Result<Vec<u8>> {
        self.serialized(Dtype::F32, |values| {
            values.iter().flat_map(|value| value.to_le_bytes()).collect()
        })
    }

    /// The bytes of a safetensors file with these weights in half precision.
    ///
    /// # Errors
    /// If a weight is too large for half precision.
    pub fn to_half_safetensors(&self) -> Result<Vec<u8>> {
        for (parameter, values) in self.iter() {
            if let Some(value) =
                values.iter().find(|value| from_half(to_half(**value)).is_infinite())
            {
                return Err(Error::WeightFormat(format!(
                    "expected weights up to 65504 for half precision, found {value} in {}",
                    parameter.name
                )));
            }
        }
        self.serialized(Dtype::F16, |values| {
            values.iter().flat_map(|&value| to_half(value).to_le_bytes()).collect()
        })
    }

    fn serialized(&self, dtype: Dtype, to_bytes: impl Fn(&[f32]) -> Vec<u8>) -> Result<Vec<u8>> {
        let tensors: Vec<(&Parameter, Vec<u8>)> =
            self.iter().map(|(parameter, values)| (parameter, to_bytes(values))).collect();
        let views = tensors.iter().map(|(parameter, bytes)| {
            let view = TensorView::new(dtype, parameter.shape.clone(), bytes);
            (&parameter.name, view.expect("shapes fit their data"))
        });
        safetensors::serialize(views, None).map_err(|error| Error::WeightFormat(error.to_string()))
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

/// Whether a tensor of a checkpoint is a weight, and not a moment of the optimiser or a generator.
fn is_weight(name: &str) -> bool {
    !["adam.", "generator.", "carried."].iter().any(|prefix| name.starts_with(prefix))
}

/// Little-endian numbers in single precision.
pub fn singles(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Little-endian numbers in half precision.
pub fn halves(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.chunks_exact(2).map(|b| from_half(u16::from_le_bytes([b[0], b[1]])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(values: Vec<f32>) -> Weights {
        let parameters = vec![Parameter { name: "w".to_owned(), shape: vec![values.len()] }];
        Weights { parameters, values }
    }

    #[test]
    fn weights_in_half_precision_are_read_back_rounded() {
        let bytes = weights(vec![0.5, -3.0, 0.1]).to_half_safetensors().unwrap();
        assert!(Weights::are_half(&bytes).unwrap());
        let read = Weights::from_safetensors(&bytes).unwrap();
        assert_eq!(read, weights(vec![0.5, -3.0, from_half(to_half(0.1))]));
        let error = weights(vec![1e6]).to_half_safetensors().unwrap_err().to_string();
        assert!(error.contains("up to 65504"), "{error}");
    }
}
