//! Study files: which networks a study has, how they are trained, and on which samples they are analysed.

use std::collections::BTreeSet;
use std::path::Path;

use narscope_analysis::analyses::{self, Entry};
use narscope_analysis::sampling::{Overrides, Sampling};
use narscope_model::config::{Config, Draft};
use narscope_results::{file_name, variant_name};
use serde::Deserialize;
use toml::Table;

use crate::{Error, Result};

/// A study: its networks and its samples.
#[derive(Clone, Debug)]
pub struct Study {
    /// Title of the report.
    pub title: String,
    /// All networks, in the order of the file.
    pub networks: Vec<Network>,
    /// Samples for results in minutes.
    pub quick: Sampling,
    /// Samples of the full study.
    pub full: Sampling,
}

/// A network of a study.
#[derive(Clone)]
pub struct Network {
    /// Name of the variant: the same for all seeds.
    pub label: String,
    /// Configuration of its training.
    pub config: Config,
    /// Samples of the full study that differ from those of the other networks.
    pub samples: Overrides,
    /// Analyses of the network.
    pub analyses: Vec<&'static Entry>,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} analyses)", self.name(), self.analyses.len())
    }
}

impl Network {
    /// Returns the label and the seed, for messages.
    pub fn name(&self) -> String {
        format!("{}, seed {}", self.label, self.config.seed)
    }

    /// Returns the name of its folder.
    pub fn folder(&self) -> String {
        file_name(&format!("{} {}", self.label, self.config.seed))
    }
}

/// Contents of a study file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    title: String,
    seeds: Vec<u32>,
    /// Configuration of all networks.
    #[serde(default)]
    config: Table,
    #[serde(default)]
    samples: Samples,
    groups: Vec<Group>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Samples {
    quick: Overrides,
    full: Overrides,
}

/// Networks with the same analyses.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// Appended to the label of each network, after a comma.
    label: Option<String>,
    /// Seeds of the networks; those of the study if omitted.
    seeds: Option<Vec<u32>>,
    /// Samples of the full study; those of the study where omitted.
    #[serde(default)]
    samples: Overrides,
    /// Names of analyses; all if omitted.
    analyses: Option<Vec<String>>,
    /// Configuration of the networks of this group.
    #[serde(default)]
    config: Table,
    /// Configuration of each network.
    networks: Vec<Table>,
}

impl Study {
    /// Reads a study file.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).map_err(narscope_files::Error::io("read", path))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Parses the text of a study file; `file` is its name in errors.
    ///
    /// ```
    /// use narscope_study::Study;
    ///
    /// let study = Study::parse(
    ///     r#"
    ///     title = "Aggregators of an MPNN on BFS"
    ///     seeds = [1, 2]
    ///     config = { algorithms = ["bfs"], train_steps = 1000 }
    ///
    ///     [samples.quick]
    ///     graphs = 200
    ///     length = 16
    ///
    ///     [[groups]]
    ///     analyses = ["score", "dimensionality"]
    ///     networks = [
    ///       { processor_type = "mpnn" },
    ///       { processor_type = "mpnn", aggregator = "softmax", temperature = 0.1 },
    ///     ]
    ///     "#,
    ///     "bfs.toml",
    /// )?;
    /// assert_eq!(study.networks.len(), 4);
    /// assert_eq!(study.networks[2].name(), "mpnn + softmax 0.1, seed 1");
    /// # Ok::<(), narscope_study::Error>(())
    /// ```
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let wrong = |what: String| Error::Study { file: file.to_owned(), what };
        let contents: Contents = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
            let line = line.map_or_else(String::new, |line| format!("line {line}: "));
            wrong(format!("{line}{}", error.message()))
        })?;
        let Contents { title, seeds, config, samples, groups } = contents;
        let sampling = |name: &str, base: Sampling, overrides: &Overrides| {
            let checked = base.with(overrides).check();
            checked.map_err(|error| wrong(format!("samples.{name}: {error}")))
        };
        let quick = sampling("quick", Sampling::QUICK, &samples.quick)?;
        let full = sampling("full", Sampling::FULL, &samples.full)?;

        let mut networks: Vec<Network> = vec![];
        for (place, group) in groups.iter().enumerate() {
            let in_group =
                |error: &dyn std::fmt::Display| wrong(format!("group {}: {error}", place + 1));
            let find = |names: &Vec<String>| -> Result<Vec<_>, _> {
                names.iter().map(|name| analyses::find(name)).collect()
            };
            let named = group.analyses.as_ref().map(find).transpose();
            let named = named.map_err(|error| in_group(&error))?;
            let checked = full.with(&group.samples).check();
            checked.map_err(|error| in_group(&format!("samples: {error}")))?;
            for (index, settings) in group.networks.iter().enumerate() {
                for &seed in group.seeds.as_ref().unwrap_or(&seeds) {
                    let tables = [&config, &group.config, settings];
                    let config = configuration(tables, seed)
                        .map_err(|error| in_group(&format!("network {}: {error}", index + 1)))?;
                    let suffix = group.label.as_ref().map(|label| format!(", {label}"));
                    let label = variant_name(&config) + &suffix.unwrap_or_default();
                    let all = || analyses::for_algorithms(config.algorithms.len()).collect();
                    let analyses = named.clone().unwrap_or_else(all);
                    let samples = group.samples;
                    networks.push(Network { label, config, samples, analyses });
                }
            }
        }
        let mut folders = BTreeSet::new();
        if let Some(twice) = networks.iter().find(|network| !folders.insert(network.folder())) {
            let what = format!("{} is listed twice: label one of the groups", twice.name());
            return Err(wrong(what));
        }
        if networks.is_empty() {
            return Err(wrong("the study has no network and seed".to_owned()));
        }
        Ok(Self { title, networks, quick, full })
    }

    /// Returns the samples of the full or the quick study with overrides.
    ///
    /// The study's number of steps is dropped if graphs are fewer than in the quick study or of another size: too few
    /// would take that many steps.
    pub fn sampling(&self, is_full: bool, overrides: &Overrides) -> Sampling {
        let base = if is_full { self.full } else { self.quick };
        let sampling = base.with(overrides);
        let Sampling { graphs, length, .. } = self.quick;
        let has_steps = sampling.length == length && sampling.graphs >= graphs;
        let steps = overrides.steps.or(base.steps.filter(|_| has_steps));
        Sampling { steps, ..sampling }
    }

    /// Returns the samples of one network: in the full study, its group may have others.
    pub fn sampling_of(
        &self,
        network: &Network,
        is_full: bool,
        overrides: &Overrides,
    ) -> Result<Sampling> {
        let study = self.sampling(is_full, overrides);
        if !is_full {
            return Ok(study);
        }
        Ok(study.with(&network.samples).with(overrides).check()?)
    }
}

/// The configuration of a network; later tables override earlier ones.
fn configuration(tables: [&Table; 3], seed: u32) -> Result<Config, narscope_model::NetError> {
    let mut all = Table::new();
    for table in tables {
        all.extend(table.clone());
    }
    all.insert("seed".to_owned(), i64::from(seed).into());
    Draft::parse(&all.to_string())?.finish()
}

#[cfg(test)]
mod tests {
    use narscope_clrs::options::Direction;
    use narscope_results::RunResult;

    use super::*;

    fn paper() -> Study {
        Study::read(Path::new("../../experiments/paper.toml")).unwrap()
    }

    /// The networks of ablations, and all others.
    fn ablations(study: &Study) -> (Vec<&Network>, Vec<&Network>) {
        study.networks.iter().partition(|network| network.label.ends_with(", 10000 steps"))
    }

    #[test]
    fn the_paper_has_twenty_seeds_of_five_networks_five_of_triplets_and_three_of_ablations() {
        let study = paper();
        let seeds = |label: &str| study.networks.iter().filter(|it| it.label == label).count();
        for suffix in
            ["", " + softmax", " + decay", " + softmax + decay", " + softmax 1, evaluated with max"]
        {
            assert_eq!(seeds(&format!("linear_pgn{suffix}")), 20, "{suffix}");
        }
        assert_eq!(seeds("triplet_gmpnn"), 5);
        let analysed = &study.networks[..12];
        let (ablations, _) = ablations(&study);
        assert_eq!(ablations.len(), 24);
        let all = analyses::for_algorithms(1).count();
        assert!(analysed.iter().all(|network| network.analyses.len() == all));
        assert!(ablations.iter().all(|network| network.analyses.len() == 1));
        assert_eq!(analysed[3].name(), "linear_pgn + softmax, seed 42");
        assert_eq!(analysed[3].folder(), "linear_pgn-softmax-42");
        assert_eq!(ablations[0].name(), "triplet_gmpnn, 10000 steps, seed 42");
        let directed = Some(Direction::Directed);
        let quick = Sampling { direction: directed, steps: Some(8), ..Sampling::QUICK };
        let full = Sampling { direction: directed, steps: Some(8), ..Sampling::FULL };
        assert_eq!((study.quick, study.full), (quick, full));
        let none = Overrides::default();
        let graphs = |place: usize, is_full, given: &Overrides| {
            study.sampling_of(&study.networks[place], is_full, given).unwrap().graphs
        };
        assert_eq!((graphs(0, true, &none), graphs(12, true, &none)), (16_384, 4096));
        assert_eq!(graphs(12, false, &none), 640, "the quick study has the same samples for all");
        let given = Overrides { graphs: Some(5000), ..none };
        assert_eq!(graphs(12, true, &given), 5000, "flags override the file");
    }

    #[test]
    fn smaller_or_fewer_graphs_do_not_have_the_steps_of_the_study() {
        let study = paper();
        let steps = |is_full, overrides| study.sampling(is_full, &overrides).steps;
        assert_eq!(steps(true, Overrides::default()), Some(8));
        assert_eq!(steps(true, Overrides { graphs: Some(640), ..Overrides::default() }), Some(8));
        assert_eq!(steps(false, Overrides { graphs: Some(60), ..Overrides::default() }), None);
        assert_eq!(steps(false, Overrides { length: Some(16), ..Overrides::default() }), None);
        let given = Overrides { length: Some(16), steps: Some(3), ..Overrides::default() };
        assert_eq!(steps(false, given), Some(3));
    }

    #[test]
    fn the_sweep_of_ablations_has_the_networks_of_the_study() {
        let study = paper();
        let kept =
            RunResult::read_file(Path::new("../../experiments/results/ablations/results.jsonl"));
        let kept = kept.unwrap();
        let (ablations, others) = ablations(&study);
        let is_kept = |network: &&Network| kept.iter().any(|kept| kept.config == network.config);
        assert!(ablations.iter().all(is_kept));
        assert!(!others.iter().any(is_kept), "these are trained for longer");
    }

    #[track_caller]
    fn assert_error(text: &str, expected: &str) {
        assert_eq!(Study::parse(text, "study.toml").unwrap_err().to_string(), expected);
    }

    #[test]
    fn errors_name_the_file_the_place_and_the_key() {
        let head = "title = 'A'\nseeds = [1]\n";
        let group = "[[groups]]\nnetworks = [{ processor_type = 'mpnn' }]\n";
        assert!(Study::parse(&format!("{head}{group}"), "study.toml").is_ok());
        let error = Study::parse(&format!("{head}sedes = [2]\n{group}"), "study.toml");
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("study.toml: line 3: unknown field `sedes`"), "{error}");
        let error = Study::parse("title = 'A'\nseeds = 1\n", "study.toml").unwrap_err().to_string();
        assert!(error.starts_with("study.toml: line 2: invalid type: integer `1`"), "{error}");
        assert_error(
            &format!("{head}[[groups]]\nnetworks = [{{ agregator = 'max' }}]"),
            "study.toml: group 1: network 1: unknown key \"agregator\"; the closest name is \"aggregator\"",
        );
        assert_error(
            &format!("{head}[[groups]]\nanalyses = ['scores']\nnetworks = []"),
            "study.toml: group 1: unknown analysis \"scores\"; the closest name is \"score\"",
        );
        assert_error(
            &format!("{head}samples = {{ quick = {{ graphs = 1 }} }}\n{group}"),
            "study.toml: samples.quick: graphs should be at least 2, found 1",
        );
        assert_error(
            &format!("{head}{group}{group}"),
            "study.toml: mpnn, seed 1 is listed twice: label one of the groups",
        );
        assert_error(
            &format!("{head}[[groups]]\nnetworks = []"),
            "study.toml: the study has no network and seed",
        );
    }
}
