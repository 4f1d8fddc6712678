//! A bipartite graph as a flow network.

use super::user::{Data, Reading, UserInstance, invalid, wrong_form};
use super::{Instance, at_least};
use crate::Result;
use crate::options::{OptionName, Options, probability};
use crate::rng::Rng;
use crate::values::Grid;

/// A flow network for bipartite matching: the source, the left side, the right side, the sink.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Edge capacities: 1 for each edge.
    pub capacities: Grid<f64>,
}

/// The default probability of an edge between the two sides.
pub struct Density(pub f64);

impl Network {
    /// Adds edges from the source to the left, from the right to the sink, and from left node `u`
    /// to right node `v` if `is_edge(u, v)`.
    fn new(left: usize, right: usize, mut is_edge: impl FnMut(usize, usize) -> bool) -> Self {
        let nodes = left + right + 2;
        let capacities = Grid::from_fn(nodes, |u, v| {
            let on_left = |w| (1..=left).contains(&w);
            let on_right = |w| (left + 1..=left + right).contains(&w);
            let edge = (u == 0 && on_left(v))
                || (on_right(u) && v == nodes - 1)
                || (on_left(u) && on_right(v) && is_edge(u - 1, v - left - 1));
            f64::from(u8::from(edge))
        });
        Self { capacities }
    }
}

impl Instance for Network {
    type Params = Density;

    fn options(_params: &Density, _options: &Options) -> Vec<OptionName> {
        vec![OptionName::P, OptionName::Length2]
    }

    fn sample(params: &Density, rng: &mut Rng, length: usize, options: &Options) -> Result<Self> {
        at_least(1, length)?;
        let (left, right) = match options.length_2 {
            None => (length - length / 2, length / 2),
            Some(right) => (length, right),
        };
        let p = options.edge_probability(params.0, rng)?;
        let edges = rng.coins(p, left * right);
        Ok(Self::new(left, right, |u, v| edges[u * right + v]))
    }

    fn wanted(_params: &Density) -> String {
        "a bipartite graph: an edge list of pairs left,right, or a 0/1 matrix of left x right"
            .to_owned()
    }

    fn read(params: &Density, user: &UserInstance) -> Result<Self> {
        match &user.data {
            Data::Edges(list) if !list.is_empty() => {
                let [left, right] = list.sides()?;
                let mut is_edge = vec![false; left.nodes * right.nodes];
                for edge in list.edges() {
                    let (u, v) = edge.ends(&left, &right);
                    is_edge[u * right.nodes + v] = true;
                }
                Ok(Self::new(left.nodes, right.nodes, |u, v| is_edge[u * right.nodes + v]))
            }
            Data::Matrix { columns, cells } if !cells.is_empty() => {
                if let Some(cell) = cells.iter().find(|&&cell| cell != 0.0 && cell != 1.0) {
                    return Err(invalid(Self::wanted(params), format!("the entry {cell}")));
                }
                let left = cells.len() / columns;
                Ok(Self::new(left, *columns, |u, v| cells[u * columns + v] == 1.0))
            }
            other => Err(wrong_form(&Self::wanted(params), other)),
        }
    }

    fn reading(_params: &Density, user: &UserInstance) -> Result<Reading> {
        let Data::Edges(list) = &user.data else { return Ok(Reading::default()) };
        let [left, right] = list.sides()?;
        if left.names.is_empty() && right.names.is_empty() {
            return Ok(Reading::default());
        }
        let names = [left, right].into_iter().flat_map(|side| {
            let numbers = (0..side.nodes).map(|node| node.to_string()).collect();
            if side.names.is_empty() { numbers } else { side.names }
        });
        let names =
            std::iter::once("source".to_owned()).chain(names).chain(["sink".to_owned()]).collect();
        Ok(Reading { names, graph: None })
    }
}

impl Options {
    /// Draws one of the given edge probabilities.
    pub(crate) fn edge_probability(&self, default: f64, rng: &mut Rng) -> Result<f64> {
        match self.p.as_deref() {
            None => Ok(default),
            Some([]) => Err(crate::options::bad("p", "one or more probabilities", "none")),
            Some(given) => {
                for &p in given {
                    probability("p", p)?;
                }
                Ok(rng.choice(given))
            }
        }
    }
}
