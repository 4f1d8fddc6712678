//! Families of random graphs, one file each, and the list of all.
//!
//! Erdős–Rényi and community graphs reproduce the reference draw for draw. The others are
//! additions: they choose the edges, and share the code that draws directions and weights.

mod barabasi_albert;
mod community;
mod erdos_renyi;
mod geometric;
mod grid;
mod watts_strogatz;

use crate::Result;
pub use crate::options::FamilyChoice;
use crate::options::{Direction, OptionName, Options};
use crate::registry;
use crate::rng::Rng;
use crate::symmetry::{self, Symmetry};
use crate::values::Grid;

/// A kind of random graph.
#[derive(Debug)]
pub struct Family {
    /// The registered name.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// The sampler options that it uses.
    pub options: &'static [OptionName],
    /// Draws a graph.
    pub(crate) draw: fn(&mut Rng, usize, &Shape, &Options) -> Result<Grid<f64>>,
}

/// Parameters of a random graph that all families share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The direction of edges.
    pub(crate) direction: Direction,
    /// Whether edges have weights other than 1.
    pub(crate) weighted: bool,
    /// The edge probability, for families that have one.
    pub(crate) p: f64,
    /// The lower bound of the weights.
    pub(crate) low: f64,
    /// The upper bound of the weights, exclusive.
    pub(crate) high: f64,
}

/// All families. To add one, write its file and add it here.
pub static ALL: &[Family] = &[
    erdos_renyi::FAMILY,
    community::FAMILY,
    watts_strogatz::FAMILY,
    barabasi_albert::FAMILY,
    geometric::FAMILY,
    grid::FAMILY,
];

/// Looks a family up by name.
pub fn find(name: &str) -> Result<&'static Family> {
    registry::find("family", ALL, |family| family.name, name)
}

impl FamilyChoice {
    /// The chosen family, or the one named `default`.
    pub(crate) fn graph(&self, default: &str) -> &'static Family {
        let name = self.graph.unwrap_or(default);
        find(name).expect("a choice and a default name families of the list")
    }
    /// The symmetries, in the order in which they are applied.
    pub(crate) fn symmetries(&self) -> Vec<&'static Symmetry> {
        let find = |name: &&str| symmetry::find(name).expect("a choice names known symmetries");
        self.symmetries.iter().map(find).collect()
    }
}

impl std::str::FromStr for FamilyChoice {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut choice = Self::default();
        for name in text.split('+').filter(|name| !name.is_empty()) {
            if let Ok(symmetry) = symmetry::find(name) {
                choice.symmetries.push(symmetry.name);
            } else if choice.graph.is_none() {
                let names: Vec<&str> = ALL
                    .iter()
                    .map(|family| family.name)
                    .chain(symmetry::ALL.iter().map(|symmetry| symmetry.name))
                    .collect();
                registry::find("family or symmetry", &names, |name| name, name)?;
                choice.graph = Some(find(name)?.name);
            } else {
                return Err(crate::options::bad(
                    "family",
                    "at most one family, and any symmetries",
                    text,
                ));
            }
        }
        Ok(choice)
    }
}

impl std::fmt::Display for FamilyChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let graph = self.graph.iter().copied();
        let symmetries = self.symmetries.iter().copied();
        f.write_str(&graph.chain(symmetries).collect::<Vec<_>>().join("+"))
    }
}

/// Draws directions and weights for undirected edges.
///
/// In a directed graph, the direction of each edge is random; in an acyclic one, it follows a
/// random order of the nodes.
fn orient_and_weight(
    rng: &mut Rng,
    nodes: usize,
    edges: &[(usize, usize)],
    shape: &Shape,
) -> Grid<f64> {
    let mut grid = Grid::filled(nodes, 0.0);
    let rank = match shape.direction {
        Direction::Acyclic => rng.permutation(nodes),
        Direction::Undirected | Direction::Directed => vec![],
    };
    for &(u, v) in edges {
        let weight = if shape.weighted { nonzero_weight(rng, shape) } else { 1.0 };
        let (u, v) = match shape.direction {
            Direction::Undirected => {
                grid[(v, u)] = weight;
                (u, v)
            }
            Direction::Directed if rng.below(2) == 0 => (u, v),
            Direction::Acyclic if rank[u] < rank[v] => (u, v),
            Direction::Directed | Direction::Acyclic => (v, u),
        };
        grid[(u, v)] = weight;
    }
    grid
}

/// Draws a weight other than 0, which would mean "no edge".
fn nonzero_weight(rng: &mut Rng, shape: &Shape) -> f64 {
    loop {
        let weight = rng.uniform(shape.low, shape.high);
        // If the range contains only 0, there is no other weight.
        if weight != 0.0 || (shape.low == 0.0 && shape.high == 0.0) {
            return weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::instance::graph::node_on_a_cycle;

    #[test]
    fn every_file_is_registered() {
        let names: Vec<&str> = ALL.iter().map(|family| family.name).collect();
        registry::tests::assert_files_are_registered("src/family", &names);
    }

    #[test]
    fn a_choice_parses_its_own_display() {
        for text in ["", "grid", "reweight+relabel", "watts_strogatz+rescale"] {
            assert_eq!(text.parse::<FamilyChoice>().unwrap().to_string(), text);
        }
        let error = "gird".parse::<FamilyChoice>().unwrap_err().to_string();
        assert_eq!(error, r#"unknown family or symmetry "gird"; the closest name is "grid""#);
        assert!("grid+community".parse::<FamilyChoice>().is_err());
    }

    proptest! {
        #[test]
        fn every_family_respects_its_parameters(
            seed: u32,
            nodes in 4usize..40,
            weighted: bool,
            which in 0..3usize,
            p in 0.1..0.9,
        ) {
            let direction = [Direction::Undirected, Direction::Directed, Direction::Acyclic][which];
            let shape = Shape { direction, weighted, p, low: 0.25, high: 0.75 };
            for family in ALL {
                let graph =
                    (family.draw)(&mut Rng::seeded(seed), nodes, &shape, &Options::default()).unwrap();
                prop_assert_eq!(graph.nodes(), nodes);
                if direction == Direction::Acyclic {
                    let cycle = node_on_a_cycle(&graph);
                    prop_assert!(cycle.is_none(), "{} has a cycle through {cycle:?}", family.name);
                }
                for (u, v, w) in graph.edges() {
                    if direction == Direction::Undirected {
                        prop_assert_eq!(w, graph[(v, u)], "{} is not symmetric", family.name);
                    }
                    // The reference adds 1e-3 under the square root of undirected weights.
                    let in_range = if weighted { (0.25..0.76).contains(&w) } else { w == 1.0 };
                    prop_assert!(in_range, "{}: weight {w}", family.name);
                }
            }
        }
    }
}
