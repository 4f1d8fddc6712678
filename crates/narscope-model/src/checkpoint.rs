//! Checkpoints: everything that a run needs to continue as if it had never stopped, in one file.
//!
//! The format is safetensors: weights under their names, the optimiser's moments and the
//! generators beside them, the rest as JSON in the header, with a checksum over all of it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use narscope_files::atomic::{self, Existing};
use narscope_files::checksum::hex;
use narscope_files::memory;
use safetensors::{Dtype, SafeTensors, View};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use narscope_net::config::Config;
use narscope_net::engine::Losses;
use narscope_net::half::to_half;
use narscope_net::weights::{Parameter, Weights, halves, singles};

use crate::optimise::Adam;
use crate::{Error, Result};

/// Progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Finished steps, with one update per algorithm each.
    pub step: usize,
    /// The best validation score so far, and its step.
    pub best: Option<(f64, usize)>,
    /// Validations since the best one.
    pub stale: usize,
    /// Per algorithm, the sum and number of losses since the last line of metrics.
    pub losses: Vec<(f64, u64)>,
    /// Per algorithm, what else is summed over the same updates. Empty in files of earlier versions,
    /// and then not written, so that their checksums hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<UpdateSums>,
}

/// Sums over the updates of an algorithm since the last line of metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpdateSums {
    /// Norms of the gradient, before clipping.
    pub gradient_norm: f64,
    /// Losses of each probe, with its name.
    pub probes: Vec<(String, f64)>,
}

impl Progress {
    /// The progress of a run of `tasks` algorithms that has not begun.
    pub fn new(tasks: usize) -> Self {
        let (losses, sums) = (vec![(0.0, 0); tasks], vec![UpdateSums::default(); tasks]);
        Self { losses, sums, ..Self::default() }
    }

    /// Whether training of a configuration is over: all steps are done, or it does not improve any more.
    pub fn is_over(&self, config: &Config) -> bool {
        self.step >= config.train_steps
            || (config.early_stop > 0 && self.stale >= config.early_stop)
    }

    /// Counts an update of an algorithm.
    pub fn add(&mut self, task: usize, losses: &Losses, gradient_norm: f64) {
        let (sum, count) = &mut self.losses[task];
        *sum += losses.total;
        *count += 1;
        let sums = &mut self.sums[task];
        sums.gradient_norm += gradient_norm;
        if sums.probes.is_empty() {
            sums.probes.clone_from(&losses.probes);
        } else {
            let both = sums.probes.iter_mut().zip(&losses.probes);
            both.for_each(|((_, sum), (_, loss))| *sum += loss);
        }
    }
}

/// The complete state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The weights.
    pub weights: Weights,
    /// The optimiser.
    pub adam: Adam,
    /// The state of every generator, by name.
    pub generators: Vec<(String, Vec<u32>)>,
    /// Tensors that training carries from one update to the next, by name.
    pub carried: Vec<(String, Vec<usize>, Vec<f32>)>,
    /// Progress of the run.
    pub progress: Progress,
}

/// Metadata in the header of the file.
#[derive(Serialize, Deserialize)]
struct Header {
    version: String,
    progress: Progress,
    updates: u64,
    sha256: String,
}

/// The only key of the metadata: with several, their order would be random.
const KEY: &str = "narscope";

struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for Tensor {
    fn dtype(&self) -> Dtype {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }
    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

fn floats(shape: &[usize], values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Tensor { dtype: Dtype::F32, shape: shape.to_vec(), bytes }
}

fn words(values: &[u32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Tensor { dtype: Dtype::U32, shape: vec![values.len()], bytes }
}

impl Checkpoint {
    /// The weights alone, a third of the bytes: enough for prediction, not to continue training.
    #[must_use]
    pub fn without_training(self) -> Self {
        let adam = Adam { updates: self.adam.updates, ..Adam::new(0) };
        Self { adam, generators: vec![], carried: vec![], ..self }
    }

    /// Whether training can continue from this checkpoint.
    pub fn has_training(&self) -> bool {
        self.adam.first.len() == self.weights.values.len()
    }

    fn tensors(&self) -> Vec<(String, Tensor)> {
        let mut tensors = vec![];
        let mut start = 0;
        for (parameter, values) in self.weights.iter() {
            let (Parameter { name, shape, .. }, range) = (parameter, start..start + values.len());
            start = range.end;
            tensors.push((name.clone(), floats(shape, values)));
            let moments = [("first", &self.adam.first), ("second", &self.adam.second)];
            for (moment, all) in moments.into_iter().filter(|_| self.has_training()) {
                tensors.push((format!("adam.{moment}.{name}"), floats(shape, &all[range.clone()])));
            }
        }
        for (name, state) in &self.generators {
            tensors.push((format!("generator.{name}"), words(state)));
        }
        for (name, shape, values) in &self.carried {
            tensors.push((format!("carried.{name}"), floats(shape, values)));
        }
        tensors
    }

    /// Writes the file atomically, replacing an old one.
    pub fn write(&self, path: &Path) -> Result<()> {
        self.write_tensors(self.tensors(), path)
    }

    /// Writes the file with numbers in half precision: half the bytes, to share a network.
    pub fn write_half(&self, path: &Path) -> Result<()> {
        let mut tensors = self.tensors();
        for (_, tensor) in tensors.iter_mut().filter(|(_, tensor)| tensor.dtype == Dtype::F32) {
            let halves = singles(&tensor.bytes).flat_map(|value| to_half(value).to_le_bytes());
            tensor.bytes = halves.collect();
            tensor.dtype = Dtype::F16;
        }
        self.write_tensors(tensors, path)
    }

    fn write_tensors(&self, tensors: Vec<(String, Tensor)>, path: &Path) -> Result<()> {
        let mut header = Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            progress: self.progress.clone(),
            updates: self.adam.updates,
            sha256: String::new(),
        };
        let named = tensors.iter().map(|(name, tensor)| (name.as_str(), &*tensor.bytes));
        let mut named: Vec<(&str, &[u8])> = named.collect();
        named.sort_by_key(|(name, _)| *name);
        header.sha256 = checksum(&header, &named);
        let header = serde_json::to_string(&header).expect("a header is JSON");
        let header = HashMap::from([(KEY.to_owned(), header)]);
        let bytes = safetensors::serialize(tensors, Some(header)).expect("shapes fit their data");
        atomic::write(path, Existing::Replace, |file| file.write_all(&bytes))?;
        Ok(())
    }

    /// Reads a checkpoint for the given parameters.
    pub fn read(path: &Path, parameters: Vec<Parameter>) -> Result<Self> {
        let damaged = |what: String| Error::Checkpoint { what, path: path.to_owned() };
        let unreadable = |error| damaged(format!("the checkpoint cannot be read ({error})"));
        let size = std::fs::metadata(path).map_err(unreadable)?.len() as usize;
        // The file, and the values that are made of it.
        if let Some(available) = memory::too_small_for(size.saturating_mul(2)) {
            return Err(damaged(format!(
                "the checkpoint has {:.1} GB, too much for {:.1} GB of available memory",
                size as f64 / 1e9,
                available as f64 / 1e9
            )));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let not_whole = |_| damaged("the checkpoint is not a complete safetensors file".to_owned());
        let file = SafeTensors::deserialize(&bytes).map_err(not_whole)?;
        let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(not_whole)?;
        let header = metadata.metadata().as_ref().and_then(|header| header.get(KEY));
        let header = header.ok_or_else(|| {
            damaged("the file has tensors, but was not written by narscope".to_owned())
        })?;
        let mut header: Header = serde_json::from_str(header)
            .map_err(|error| damaged(format!("the checkpoint's header is damaged ({error})")))?;

        let recorded = std::mem::take(&mut header.sha256);
        let mut all: Vec<(&str, &[u8])> = vec![];
        for name in file.names() {
            all.push((name, file.tensor(name).map_err(not_whole)?.data()));
        }
        // In an order that does not depend on the reader of the file.
        all.sort_by_key(|(name, _)| *name);
        if checksum(&header, &all) != recorded {
            return Err(damaged(
                "the checkpoint is damaged: its checksum does not match its content".to_owned(),
            ));
        }

        let total = parameters.iter().map(Parameter::size).sum();
        let has_training = all.iter().any(|(name, _)| name.starts_with("adam."));
        let mut adam = Adam::new(if has_training { total } else { 0 });
        adam.updates = header.updates;
        let mut weights = Weights { parameters, values: vec![0.0; total] };
        let fill = |weights: &mut Weights, prefix: &str| {
            let found: Vec<Option<(Vec<usize>, Vec<f32>)>> = weights
                .parameters
                .iter()
                .map(|parameter| read_floats(&file, &format!("{prefix}{}", parameter.name)))
                .collect();
            let mut found = found.iter();
            weights.fill(|_| {
                let tensor = found.next().expect("one per parameter").as_ref()?;
                Some((tensor.0.as_slice(), tensor.1.as_slice()))
            })
        };
        let moments = [("adam.first.", &mut adam.first), ("adam.second.", &mut adam.second)];
        for (prefix, moments) in moments.into_iter().filter(|_| has_training) {
            fill(&mut weights, prefix)?;
            moments.copy_from_slice(&weights.values);
        }
        fill(&mut weights, "")?;

        let mut generators = vec![];
        let mut carried = vec![];
        for (name, data) in &all {
            if let Some(generator) = name.strip_prefix("generator.") {
                let words =
                    data.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
                generators.push((generator.to_owned(), words));
            }
            if let Some(what) = name.strip_prefix("carried.") {
                let (shape, values) = read_floats(&file, name).ok_or_else(|| {
                    damaged(format!("the checkpoint is damaged: {name} should have type F32"))
                })?;
                carried.push((what.to_owned(), shape, values));
            }
        }
        Ok(Self { weights, adam, generators, carried, progress: header.progress })
    }
}

fn read_floats(file: &SafeTensors<'_>, name: &str) -> Option<(Vec<usize>, Vec<f32>)> {
    let tensor = file.tensor(name).ok()?;
    let values = match tensor.dtype() {
        Dtype::F32 => singles(tensor.data()).collect(),
        // Networks that come with the program.
        Dtype::F16 => halves(tensor.data()).collect(),
        _ => return None,
    };
    Some((tensor.shape().to_vec(), values))
}

/// The checksum of a header, its own field empty, and of all tensors, sorted by name.
fn checksum(header: &Header, tensors: &[(&str, &[u8])]) -> String {
    let mut sha = Sha256::new();
    sha.update(serde_json::to_vec(header).expect("a header is JSON"));
    for (name, bytes) in tensors {
        sha.update(name);
        sha.update(bytes);
    }
    hex(&sha.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parameters() -> Vec<Parameter> {
        let parameter = |name: &str, shape: &[usize]| Parameter {
            name: name.to_owned(),
            shape: shape.to_vec(),
        };
        vec![parameter("b.weight", &[2, 3]), parameter("a.bias", &[3])]
    }

    fn checkpoint() -> Checkpoint {
        let mut weights = Weights::zeros(parameters());
        weights.values.iter_mut().zip(1_u8..).for_each(|(x, i)| *x = 1.0 / f32::from(i));
        let mut adam = Adam::new(9);
        adam.first[4] = 0.5;
        adam.second[8] = 0.25;
        adam.updates = 7;
        Checkpoint {
            weights,
            adam,
            generators: vec![("positions".to_owned(), vec![1, 2, 3])],
            carried: vec![("hidden".to_owned(), vec![1, 2], vec![0.5, -0.5])],
            progress: Progress {
                step: 3,
                best: Some((0.1 + 0.2, 1)),
                stale: 2,
                losses: vec![(1.5, 2)],
                sums: vec![UpdateSums {
                    gradient_norm: 0.1 + 0.7,
                    probes: vec![("output/pi".to_owned(), 1.0 / 3.0)],
                }],
            },
        }
    }

    #[test]
    fn weights_alone_read_back_and_cannot_be_trained() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.safetensors");
        let slim = checkpoint().without_training();
        slim.write(&path).unwrap();
        let back = Checkpoint::read(&path, parameters()).unwrap();
        assert_eq!(back, slim);
        assert_eq!(back.weights, checkpoint().weights);
        assert!(checkpoint().has_training() && !back.has_training());
    }

    #[test]
    fn a_checkpoint_reads_back_and_is_written_the_same_twice() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        checkpoint().write(&one).unwrap();
        let read = Checkpoint::read(&one, parameters()).unwrap();
        assert_eq!(read, checkpoint());
        read.write(&two).unwrap();
        assert_eq!(std::fs::read(one).unwrap(), std::fs::read(two).unwrap());
    }

    #[test]
    fn weights_of_another_network_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("last.safetensors");
        checkpoint().write(&path).unwrap();
        let mut other = parameters();
        other[0].shape = vec![3, 2];
        let error = Checkpoint::read(&path, other).unwrap_err().to_string();
        assert_eq!(
            error,
            "b.weight should have shape [3, 2], found [2, 3]: the weights belong to another network"
        );
    }

    #[test]
    fn progress_of_earlier_versions_is_written_as_it_was_read() {
        let old = r#"{"step":3,"best":[0.5,1],"stale":2,"losses":[[1.5,2]]}"#;
        let progress: Progress = serde_json::from_str(old).unwrap();
        assert_eq!(serde_json::to_string(&progress).unwrap(), old, "the checksum covers this text");
    }

    /// Found by the fuzzer.
    #[test]
    fn a_carried_tensor_of_another_type_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("last.safetensors");
        let mut tensors = checkpoint().tensors();
        tensors.push(("carried.other".to_owned(), words(&[1])));
        checkpoint().write_tensors(tensors, &path).unwrap();
        let error = Checkpoint::read(&path, parameters()).unwrap_err().to_string();
        assert!(error.contains("carried.other should have type F32"), "{error}");
    }

    proptest! {
        #[test]
        fn damage_anywhere_is_noticed(place in 0.0_f64..1.0, cut: bool) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("last.safetensors");
            checkpoint().write(&path).unwrap();
            let mut bytes = std::fs::read(&path).unwrap();
            let place = (place * bytes.len() as f64) as usize;
            if cut { bytes.truncate(place) } else { bytes[place] ^= 4 }
            std::fs::write(&path, bytes).unwrap();
            // The one byte that may change unnoticed is a space that pads the header.
            if let Ok(read) = Checkpoint::read(&path, parameters()) {
                prop_assert_eq!(read, checkpoint());
            }
        }
    }
}
