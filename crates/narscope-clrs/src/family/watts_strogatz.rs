//! Small-world graphs: a ring lattice, some of whose edges are rewired at random.
//!
//! D. J. Watts and S. H. Strogatz, Collective dynamics of small-world networks, 1998.

use super::{Family, Shape, orient_and_weight};
use crate::Result;
use crate::options::{OptionName, Options, bad, probability};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "watts_strogatz",
    summary: "small-world: a ring lattice, each edge rewired with probability `rewire`",
    options: &[OptionName::Neighbours, OptionName::Rewire],
    draw,
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape, options: &Options) -> Result<Grid<f64>> {
    let most = (nodes - 1) / 2 * 2;
    let neighbours = options.neighbours.unwrap_or(4.min(most));
    if neighbours % 2 == 1 || neighbours > most {
        let wanted = format!("an even number of at most {most}, half of them on each side");
        return Err(bad("neighbours", wanted, neighbours));
    }
    let rewire = probability("rewire", options.rewire.unwrap_or(0.1))?;

    let mut adjacent = Grid::filled(nodes, false);
    for hop in 1..=neighbours / 2 {
        for u in 0..nodes {
            let v = (u + hop) % nodes;
            (adjacent[(u, v)], adjacent[(v, u)]) = (true, true);
        }
    }
    for hop in 1..=neighbours / 2 {
        for u in 0..nodes {
            let v = (u + hop) % nodes;
            let candidates: Vec<usize> =
                (0..nodes).filter(|&w| w != u && !adjacent[(u, w)]).collect();
            if rng.double() < rewire && !candidates.is_empty() {
                let w = rng.choice(&candidates);
                (adjacent[(u, v)], adjacent[(v, u)]) = (false, false);
                (adjacent[(u, w)], adjacent[(w, u)]) = (true, true);
            }
        }
    }
    let pairs = (0..nodes).flat_map(|u| (u + 1..nodes).map(move |v| (u, v)));
    let edges: Vec<(usize, usize)> = pairs.filter(|&pair| adjacent[pair]).collect();
    Ok(orient_and_weight(rng, nodes, &edges, shape))
}
