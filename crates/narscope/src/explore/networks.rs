//! The networks that an explorer shows: runs, or those that come with the program.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use narscope::model::run::{Run, Which};
use narscope::model::{Model, Weights};
use narscope::study::Pretrained;
use serde::Serialize;

use crate::shipped;

/// The files of a network, as the page needs them.
#[derive(Debug)]
pub(crate) struct Network {
    /// What the page calls it.
    pub(crate) name: String,
    /// The text of its `config.toml`.
    pub(crate) config: String,
    /// The text of its `test.json`.
    pub(crate) test: Option<String>,
    /// Its weights alone, as safetensors.
    pub(crate) weights: Vec<u8>,
}

/// A network in the list that the page reads.
#[derive(Serialize)]
pub(crate) struct Listed<'a> {
    name: &'a str,
    config: &'a str,
    test: Option<&'a str>,
    /// Where its weights are, or what they are.
    weights: String,
}

/// The list of all networks, with `weights` of each.
pub(crate) fn list<'a>(
    networks: &'a [Network],
    weights: impl Fn(usize, &Network) -> String,
) -> Vec<Listed<'a>> {
    let listed = |(index, network): (usize, &'a Network)| Listed {
        name: &network.name,
        config: &network.config,
        test: network.test.as_deref(),
        weights: weights(index, network),
    };
    networks.iter().enumerate().map(listed).collect()
}

/// The networks of runs, or those that come with the program if there are none.
pub(crate) fn open(runs: &[PathBuf], half: bool) -> anyhow::Result<Vec<Network>> {
    let mut networks = if runs.is_empty() {
        shipped::ALL.iter().map(of_program).collect::<anyhow::Result<Vec<Network>>>()?
    } else {
        runs.iter().map(|run| of_run(run)).collect::<anyhow::Result<Vec<Network>>>()?
    };
    let names: Vec<String> = networks.iter().map(|network| network.name.clone()).collect();
    for (index, network) in networks.iter_mut().enumerate() {
        // Two folders of one name are told apart by their paths.
        if names.iter().filter(|name| **name == network.name).count() > 1 {
            network.name = runs[index].display().to_string();
        }
        if half {
            let weights = Weights::from_safetensors(&network.weights)?;
            network.weights = weights
                .to_half_safetensors()
                .with_context(|| format!("{} cannot be exported with --half", network.name))?;
        }
    }
    Ok(networks)
}

/// A network that comes with the program.
fn of_program(network: &Pretrained) -> anyhow::Result<Network> {
    let bytes = |wanted: &str| {
        let mut files = network.files.iter();
        files.find(|(name, _)| *name == wanted).map(|(_, bytes)| *bytes)
    };
    let text = |wanted: &str| -> anyhow::Result<Option<String>> {
        Ok(bytes(wanted).map(|bytes| str::from_utf8(bytes)).transpose()?.map(str::to_owned))
    };
    let missing = |file| format!("the network {} of the program has no {file}", network.name);
    Ok(Network {
        name: network.name.to_owned(),
        config: text("config.toml")?.with_context(|| missing("config.toml"))?,
        test: text("test.json")?,
        weights: bytes("best.safetensors").with_context(|| missing("best.safetensors"))?.to_owned(),
    })
}

/// The network of a run, checked as everywhere else: its checksum, its shapes, its algorithms.
fn of_run(folder: &Path) -> anyhow::Result<Network> {
    let run = Run::open(folder)?;
    if !run.file(Which::Best.file()).exists() {
        bail!(
            "expected a run with weights, found no {} in {}: it is not trained, or not validated yet",
            Which::Best.file(),
            folder.display()
        );
    }
    let weights = run.checkpoint(Which::Best)?.weights;
    let config = run.config.to_toml();
    // The page would refuse it with the same sentence, but later.
    Model::new(run.config.clone(), weights.clone())
        .with_context(|| format!("{} cannot be explored", folder.display()))?;
    let named = std::path::absolute(folder)?;
    let name = named.file_name().unwrap_or(named.as_os_str()).to_string_lossy().into_owned();
    Ok(Network {
        name,
        config,
        test: std::fs::read_to_string(run.file("test.json")).ok(),
        weights: weights.to_safetensors()?,
    })
}
