//! Labels that tell variants of networks apart.

use std::collections::BTreeSet;

use narscope_results::NetworkAnswers;

use crate::{Error, Result};

/// Adds settings to the names of variants that differ in more than their seed, so that means are over seeds only.
///
/// # Errors
/// If two networks have the same settings and seed.
pub fn distinguish(networks: &mut [NetworkAnswers]) -> Result<()> {
    let settings = |network: &NetworkAnswers| -> BTreeSet<String> {
        let config = network.config.to_toml();
        config.lines().filter(|line| !line.starts_with("seed ")).map(str::to_owned).collect()
    };
    let all: Vec<(String, BTreeSet<String>)> =
        networks.iter().map(|network| (network.variant.clone(), settings(network))).collect();
    for (network, (variant, own)) in networks.iter_mut().zip(&all) {
        let others = all.iter().filter(|(other, _)| other == variant);
        let differs: BTreeSet<&String> =
            others.flat_map(|(_, other)| own.difference(other)).collect();
        for setting in differs {
            network.variant.extend([", ", setting]);
        }
    }
    let mut seen = BTreeSet::new();
    for NetworkAnswers { variant, seed, .. } in networks {
        if !seen.insert((variant.clone(), *seed)) {
            return Err(Error::SameSeed { variant: variant.clone(), seed: *seed });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Config;

    use super::*;

    fn network(seed: u32, hidden_size: usize) -> NetworkAnswers {
        let config = Config { seed, hidden_size, ..Config::default() };
        let variant = "mpnn".to_owned();
        NetworkAnswers { variant, seed, config, sampling: None, answers: vec![] }
    }

    #[test]
    fn variants_are_named_by_the_settings_that_differ() {
        let mut seeds = [network(1, 8), network(2, 8)];
        distinguish(&mut seeds).unwrap();
        assert!(seeds.iter().all(|network| network.variant == "mpnn"));
        let mut sizes = [network(1, 8), network(1, 4)];
        distinguish(&mut sizes).unwrap();
        let names = sizes.map(|network| network.variant);
        assert_eq!(names, ["mpnn, hidden_size = 8", "mpnn, hidden_size = 4"]);
    }

    #[test]
    fn the_same_network_twice_is_an_error() {
        let error = distinguish(&mut [network(1, 8), network(1, 8)]).unwrap_err().to_string();
        assert!(error.starts_with("two runs are mpnn with seed 1"), "{error}");
    }
}
