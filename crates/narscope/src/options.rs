//! Flags of samplers and of the user's own instances.

use std::path::PathBuf;

use narscope::clrs::algorithms::Entry;
use narscope::clrs::family::FamilyChoice;
use narscope::clrs::instance::user::UserInstance;
use narscope::clrs::options::{Direction, Options, names};
use narscope::files::instance;
use narscope::model::run::Which;

use crate::progress::warn;

/// The checkpoint named by `--checkpoint`.
pub(crate) fn checkpoint(name: &str) -> Which {
    if name == "last" { Which::Last } else { Which::Best }
}

/// An instance from a file of the user
#[derive(clap::Args)]
pub(crate) struct OwnOptions {
    /// Read the instance from a file: .csv, .tsv, .npy or .txt; an edge list starts with the line `source,target,weight`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["length", "seed"])]
    input: Option<PathBuf>,
    /// Source node, with --input
    #[arg(long, requires = "input")]
    source: Option<usize>,
    /// Key to search for, with --input
    #[arg(long, requires = "input", allow_hyphen_values = true)]
    target: Option<f64>,
}

impl OwnOptions {
    /// Whether `--input` was given.
    pub(crate) fn is_given(&self) -> bool {
        self.input.is_some()
    }

    /// Reads the instance; also returns the path of its file.
    pub(crate) fn read(
        self,
        direction: Option<Direction>,
    ) -> anyhow::Result<Option<(UserInstance, PathBuf)>> {
        let Self { input, source, target } = self;
        let Some(path) = input else { return Ok(None) };
        Ok(Some((UserInstance { data: instance::read(&path)?, source, target, direction }, path)))
    }
}

/// Sampler options. Defaults are those of dm-clrs; options that an algorithm's sampler does not have
/// are ignored with a warning, as in dm-clrs
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Sampler options")]
pub(crate) struct SamplerOptions {
    /// Graph family and symmetries, joined by `+`; see `narscope list families` and `narscope list symmetries`
    #[arg(long, default_value = "", hide_default_value = true)]
    family: FamilyChoice,
    /// Directed graphs
    #[arg(long, conflicts_with = "undirected")]
    directed: bool,
    /// Undirected graphs
    #[arg(long)]
    undirected: bool,
    /// Edge probabilities, such as 0.1,0.5; one is drawn per sample
    #[arg(long, value_delimiter = ',')]
    p: Option<Vec<f64>>,
    /// Lower bound of keys, weights or coordinates
    #[arg(long, allow_hyphen_values = true)]
    low: Option<f64>,
    /// Upper bound of keys, weights or coordinates
    #[arg(long, allow_hyphen_values = true)]
    high: Option<f64>,
    /// Truncate real values to this many decimals
    #[arg(long, alias = "truncate_decimals", value_parser = clap::value_parser!(u32).range(0..=15))]
    truncate_decimals: Option<u32>,
    /// Size of the alphabet of strings, 1 to 4
    #[arg(long)]
    chars: Option<usize>,
    /// Length of the second string, or number of nodes on the right side of a bipartite graph
    #[arg(long, alias = "length_2")]
    length_2: Option<usize>,
    /// Length of the needle; negative: random, from 1 to the absolute value
    #[arg(long, alias = "length_needle", allow_hyphen_values = true)]
    length_needle: Option<i64>,
    /// Latest deadline of a task
    #[arg(long, alias = "max_deadline")]
    max_deadline: Option<usize>,
    /// community: number of communities
    #[arg(long)]
    k: Option<usize>,
    /// community: probability of an edge between communities
    #[arg(long)]
    eps: Option<f64>,
    /// Centre of the disc that points are drawn from: x
    #[arg(long, alias = "origin_x", allow_hyphen_values = true)]
    origin_x: Option<f64>,
    /// Centre of the disc that points are drawn from: y
    #[arg(long, alias = "origin_y", allow_hyphen_values = true)]
    origin_y: Option<f64>,
    /// Radius of the disc that points are drawn from
    #[arg(long)]
    radius: Option<f64>,
    /// How often points are redrawn if three are collinear
    #[arg(long, alias = "collinearity_resampling_attempts")]
    collinearity_attempts: Option<usize>,
    /// Three points are collinear if twice the area of their triangle is below this
    #[arg(long, alias = "collineararity_eps")]
    collinearity_eps: Option<f64>,
    /// `watts_strogatz`: nearest neighbours of each node
    #[arg(long)]
    neighbours: Option<usize>,
    /// `watts_strogatz`: probability that an edge is rewired
    #[arg(long)]
    rewire: Option<f64>,
    /// `barabasi_albert`: edges of each new node
    #[arg(long)]
    attach: Option<usize>,
    /// Symmetries: number of base graphs, whose transformed copies are the samples
    #[arg(long)]
    classes: Option<usize>,
    /// reweight: potentials are drawn from (0, c), base weights from (c, 1 - c)
    #[arg(long)]
    c: Option<f64>,
    /// rescale: factor of all weights [default: random, from (1/2, 1)]
    #[arg(long)]
    factor: Option<f64>,
}

impl SamplerOptions {
    /// `--directed` or `--undirected`, if given.
    pub(crate) fn direction(&self) -> Option<Direction> {
        match (self.directed, self.undirected) {
            (true, _) => Some(Direction::Directed),
            (_, true) => Some(Direction::Undirected),
            _ => None,
        }
    }

    /// The options, without checking them against an algorithm.
    pub(crate) fn unchecked(self) -> Options {
        let direction = self.direction();
        Options {
            p: self.p,
            low: self.low,
            high: self.high,
            truncate_decimals: self.truncate_decimals,
            chars: self.chars,
            length_2: self.length_2,
            length_needle: self.length_needle,
            max_deadline: self.max_deadline,
            k: self.k,
            eps: self.eps,
            origin_x: self.origin_x,
            origin_y: self.origin_y,
            radius: self.radius,
            collinearity_attempts: self.collinearity_attempts,
            collinearity_eps: self.collinearity_eps,
            direction,
            family: self.family,
            neighbours: self.neighbours,
            rewire: self.rewire,
            attach: self.attach,
            classes: self.classes,
            c: self.c,
            factor: self.factor,
        }
    }

    /// The options; warns about those that the algorithm's sampler does not have.
    pub(crate) fn into_options(self, entry: &Entry) -> Options {
        let options = self.unchecked();
        let ignored = entry.ignored(&options);
        if !ignored.is_empty() {
            let taken = names(&entry.options(&options));
            let ignored = names(&ignored);
            let name = entry.name;
            warn(&format!("{name} has no option {ignored}: ignored (its options: {taken})"));
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use clap::Args as _;
    use narscope::clrs::options::OptionName;

    use super::*;

    #[test]
    fn flags_are_the_options_of_the_library_with_their_help_texts() {
        let command = SamplerOptions::augment_args(clap::Command::new("narscope"));
        let flags: Vec<_> = command.get_arguments().collect();
        for &option in OptionName::ALL {
            // --directed and --undirected together are the direction.
            if option == OptionName::Direction {
                continue;
            }
            let flag = flags.iter().find(|flag| flag.get_id() == option.name());
            let flag = flag.unwrap_or_else(|| panic!("no flag for {option}"));
            let help = flag.get_help().expect("a help text").to_string();
            assert_eq!(help, option.help().trim_end_matches('.'), "{option}");
        }
        assert_eq!(flags.len(), OptionName::ALL.len() + 1, "no flag without an option");
    }
}
