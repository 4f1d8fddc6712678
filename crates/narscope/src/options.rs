//! The flags that become a sampler's options.

use std::path::PathBuf;

use narscope::clrs::algorithms::Entry;
use narscope::clrs::family::FamilyChoice;
use narscope::clrs::instance::own::Own;
use narscope::clrs::options::{Direction, Options};
use narscope::files::read;
use narscope::model::run::Which;

use crate::progress::warn;

/// The checkpoint that `--checkpoint` names.
pub(crate) fn checkpoint(name: &str) -> Which {
    if name == "last" { Which::Last } else { Which::Best }
}

/// The user's own instance
#[derive(clap::Args)]
pub(crate) struct OwnOptions {
    /// Your own instance instead of random ones; an edge list has a first line `source,target,weight`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["length", "seed"])]
    input: Option<PathBuf>,
    /// Node to start from, in your own graph
    #[arg(long, requires = "input")]
    source: Option<usize>,
    /// Number to search for, in your own array
    #[arg(long, requires = "input", allow_hyphen_values = true)]
    target: Option<f64>,
}

impl OwnOptions {
    /// Whether there is an instance of the user's own.
    pub(crate) fn is_given(&self) -> bool {
        self.input.is_some()
    }

    /// What the file holds and what was said of it, and the name of the file.
    pub(crate) fn read(
        self,
        direction: Option<Direction>,
    ) -> anyhow::Result<Option<(Own, PathBuf)>> {
        let Self { input, source, target } = self;
        let Some(path) = input else { return Ok(None) };
        Ok(Some((Own { data: read::read(&path)?, source, target, direction }, path)))
    }
}

/// Sampler options. What is left out takes the reference's default; what an algorithm's sampler
/// does not take is ignored with a warning, as in the reference
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Sampler options")]
pub(crate) struct SamplerOptions {
    /// Kind of random graph and symmetries, joined by `+`: see `narscope list families`, `narscope list symmetries`
    #[arg(long, default_value = "", hide_default_value = true)]
    family: FamilyChoice,
    /// Take every edge one way only
    #[arg(long, conflicts_with = "undirected")]
    directed: bool,
    /// Take every edge both ways
    #[arg(long)]
    undirected: bool,
    /// Probabilities of an edge, one chosen for each sample, like 0.1,0.5
    #[arg(long, value_delimiter = ',')]
    p: Option<Vec<f64>>,
    /// Least key, weight or coordinate
    #[arg(long, allow_hyphen_values = true)]
    low: Option<f64>,
    /// Bound of keys, weights or coordinates
    #[arg(long, allow_hyphen_values = true)]
    high: Option<f64>,
    /// Keep only so many decimals of every real number
    #[arg(long, alias = "truncate_decimals", value_parser = clap::value_parser!(u32).range(0..=15))]
    truncate_decimals: Option<u32>,
    /// Number of different letters of strings, up to 4
    #[arg(long)]
    chars: Option<usize>,
    /// Length of the second string, or nodes on the right side
    #[arg(long, alias = "length_2")]
    length_2: Option<usize>,
    /// Length of the needle; negative: drawn from 1 up to its absolute value
    #[arg(long, alias = "length_needle", allow_hyphen_values = true)]
    length_needle: Option<i64>,
    /// Latest deadline of a task
    #[arg(long, alias = "max_deadline")]
    max_deadline: Option<usize>,
    /// Number of communities
    #[arg(long)]
    k: Option<usize>,
    /// Probability of an edge between communities
    #[arg(long)]
    eps: Option<f64>,
    /// Centre of the disc that points come from
    #[arg(long, alias = "origin_x", allow_hyphen_values = true)]
    origin_x: Option<f64>,
    /// Centre of the disc that points come from
    #[arg(long, alias = "origin_y", allow_hyphen_values = true)]
    origin_y: Option<f64>,
    /// Radius of the disc that points come from
    #[arg(long)]
    radius: Option<f64>,
    /// How often points are redrawn because three lie on a line
    #[arg(long, alias = "collinearity_resampling_attempts")]
    collinearity_attempts: Option<usize>,
    /// Twice the area of a triangle that counts as a line
    #[arg(long, alias = "collineararity_eps")]
    collinearity_eps: Option<f64>,
    /// Nearest neighbours of a node of a small world
    #[arg(long)]
    neighbours: Option<usize>,
    /// Probability that an edge of a small world is rewired
    #[arg(long)]
    rewire: Option<f64>,
    /// Edges that a new node of a scale-free graph brings
    #[arg(long)]
    attach: Option<usize>,
    /// Base graphs of a symmetry's orbit
    #[arg(long)]
    classes: Option<usize>,
    /// Reweighting: potentials come from (0, c), base weights from (c, 1 - c)
    #[arg(long)]
    c: Option<f64>,
    /// Rescaling: what weights are multiplied by, instead of by a random number from (1/2, 1)
    #[arg(long)]
    factor: Option<f64>,
}

impl SamplerOptions {
    /// Which way edges go, if it was said.
    pub(crate) fn direction(&self) -> Option<Direction> {
        match (self.directed, self.undirected) {
            (true, _) => Some(Direction::Directed),
            (_, true) => Some(Direction::Undirected),
            _ => None,
        }
    }

    /// The options, as they were given.
    pub(crate) fn plain(self) -> Options {
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

    /// The options, after a warning about those that the sampler does not take.
    pub(crate) fn into_options(self, entry: &Entry) -> Options {
        let options = self.plain();
        let ignored = entry.ignored(&options);
        if !ignored.is_empty() {
            let taken = entry.options(&options).join(", ");
            let ignored = ignored.join(", ");
            warn(&format!("{} does not take {ignored}: ignored (it takes {taken})", entry.name));
        }
        options
    }
}
