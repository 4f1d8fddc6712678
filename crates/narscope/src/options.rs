//! Flags of samplers.

use narscope::clrs::algorithms::Entry;
use narscope::clrs::family::FamilyChoice;
use narscope::clrs::options::{Direction, Options, names};
use narscope::model::run::Which;

use crate::progress::warn;

/// The checkpoint named by `--checkpoint`.
pub(crate) fn checkpoint(name: &str) -> Which {
    if name == "last" { Which::Last } else { Which::Best }
}

/// Headings of sampler options, by what they apply to.
const GRAPHS: &str = "Sampler: graphs";
const FAMILIES: &str = "Sampler: graph families (--family)";
const SYMMETRIES: &str = "Sampler: symmetries of shortest paths (--family)";
const VALUES: &str = "Sampler: keys, weights and coordinates";
const POINTS: &str = "Sampler: points in the plane";
const STRINGS: &str = "Sampler: strings and bipartite graphs";
const TASKS: &str = "Sampler: tasks with deadlines";

/// Sampler options. Defaults are those of dm-clrs; options that an algorithm's sampler does not have
/// are ignored with a warning, as in dm-clrs
#[derive(Clone, clap::Args)]
pub(crate) struct SamplerOptions {
    /// Graph family and symmetries, joined by `+`; see `narscope list families` and `narscope list symmetries`
    #[arg(long, default_value = "", hide_default_value = true, help_heading = GRAPHS)]
    family: FamilyChoice,
    /// Directed graphs
    #[arg(long, conflicts_with = "undirected", help_heading = GRAPHS)]
    directed: bool,
    /// Undirected graphs
    #[arg(long, help_heading = GRAPHS)]
    undirected: bool,
    /// Edge probabilities, such as 0.1,0.5; one is drawn per sample
    #[arg(long, value_delimiter = ',', help_heading = GRAPHS)]
    p: Option<Vec<f64>>,
    /// Lower bound of keys, weights or coordinates
    #[arg(long, allow_hyphen_values = true, help_heading = VALUES)]
    low: Option<f64>,
    /// Upper bound of keys, weights or coordinates
    #[arg(long, allow_hyphen_values = true, help_heading = VALUES)]
    high: Option<f64>,
    /// Truncate real values to this many decimals
    #[arg(long, alias = "truncate_decimals", value_parser = clap::value_parser!(u32).range(0..=15), help_heading = VALUES)]
    truncate_decimals: Option<u32>,
    /// Size of the alphabet of strings, 1 to 4
    #[arg(long, help_heading = STRINGS)]
    chars: Option<usize>,
    /// Length of the second string, or number of nodes on the right side of a bipartite graph
    #[arg(long, alias = "length_2", help_heading = STRINGS)]
    length_2: Option<usize>,
    /// Length of the needle; negative: random, from 1 to the absolute value
    #[arg(long, alias = "length_needle", allow_hyphen_values = true, help_heading = STRINGS)]
    length_needle: Option<i64>,
    /// Latest deadline of a task
    #[arg(long, alias = "max_deadline", help_heading = TASKS)]
    max_deadline: Option<usize>,
    /// community: number of communities
    #[arg(long, help_heading = FAMILIES)]
    k: Option<usize>,
    /// community: probability of an edge between communities
    #[arg(long, help_heading = FAMILIES)]
    eps: Option<f64>,
    /// Centre of the disc that points are drawn from: x
    #[arg(long, alias = "origin_x", allow_hyphen_values = true, help_heading = POINTS)]
    origin_x: Option<f64>,
    /// Centre of the disc that points are drawn from: y
    #[arg(long, alias = "origin_y", allow_hyphen_values = true, help_heading = POINTS)]
    origin_y: Option<f64>,
    /// Radius of the disc that points are drawn from
    #[arg(long, help_heading = POINTS)]
    radius: Option<f64>,
    /// How often points are redrawn if three are collinear
    #[arg(long, alias = "collinearity_resampling_attempts", help_heading = POINTS)]
    collinearity_attempts: Option<usize>,
    /// Three points are collinear if twice the area of their triangle is below this
    #[arg(long, alias = "collineararity_eps", help_heading = POINTS)]
    collinearity_eps: Option<f64>,
    /// `watts_strogatz`: nearest neighbours of each node
    #[arg(long, help_heading = FAMILIES)]
    neighbours: Option<usize>,
    /// `watts_strogatz`: probability that an edge is rewired
    #[arg(long, help_heading = FAMILIES)]
    rewire: Option<f64>,
    /// `barabasi_albert`: edges of each new node
    #[arg(long, help_heading = FAMILIES)]
    attach: Option<usize>,
    /// Symmetries: number of base graphs, whose transformed copies are the samples
    #[arg(long, help_heading = SYMMETRIES)]
    classes: Option<usize>,
    /// reweight: potentials are drawn from (0, c), base weights from (c, 1 - c)
    #[arg(long, help_heading = SYMMETRIES)]
    c: Option<f64>,
    /// rescale: factor of all weights [default: random, from (1/2, 1)]
    #[arg(long, help_heading = SYMMETRIES)]
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
