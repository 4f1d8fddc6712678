//! Small worlds: a ring of near neighbours, some of whose edges are rewired at random.
//!
//! D. J. Watts and S. H. Strogatz, Collective dynamics of small-world networks, 1998.

use super::{Family, Shape, finish};
use crate::Result;
use crate::options::{OptionName, Options, bad, probability};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "watts_strogatz",
    summary: "a small world: a ring of near neighbours, each edge rewired with some probability",
    options: &[OptionName::Neighbours, OptionName::Rewire],
    draw,
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape, options: &Options) -> Result<Grid<f64>> {
    let most = (nodes - 1) / 2 * 2;
    let neighbours = options.neighbours.unwrap_or(4.min(most));
    if neighbours % 2 == 1 || neighbours > most {
        let wanted = format!("an even number up to {most}, half of them on each side");
        return Err(bad("neighbours", wanted, neighbours));
    }
    let rewire = probability("rewire", options.rewire.unwrap_or(0.1))?;

    let mut joined = Grid::filled(nodes, false);
    for hop in 1..=neighbours / 2 {
        for u in 0..nodes {
            let v = (u + hop) % nodes;
            (joined[(u, v)], joined[(v, u)]) = (true, true);
        }
    }
    for hop in 1..=neighbours / 2 {
        for u in 0..nodes {
            let v = (u + hop) % nodes;
            let strangers: Vec<usize> = (0..nodes).filter(|&w| w != u && !joined[(u, w)]).collect();
            if rng.double() < rewire && !strangers.is_empty() {
                let w = rng.choice(&strangers);
                (joined[(u, v)], joined[(v, u)]) = (false, false);
                (joined[(u, w)], joined[(w, u)]) = (true, true);
            }
        }
    }
    let pairs = (0..nodes).flat_map(|u| (u + 1..nodes).map(move |v| (u, v)));
    let edges: Vec<(usize, usize)> = pairs.filter(|&pair| joined[pair]).collect();
    Ok(finish(rng, nodes, &edges, shape))
}
