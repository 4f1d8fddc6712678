//! Scale-free graphs: each new node joins old ones in proportion to their degree.
//!
//! A.-L. Barabási and R. Albert, Emergence of scaling in random networks, 1999.

use super::{Family, Shape, finish};
use crate::Result;
use crate::options::{OptionName, Options, bad};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "barabasi_albert",
    summary: "scale-free: each new node joins `attach` old ones, the well-connected first",
    options: &[OptionName::Attach],
    draw,
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape, options: &Options) -> Result<Grid<f64>> {
    let attach = options.attach.unwrap_or(2.min(nodes - 1));
    if attach == 0 || attach >= nodes {
        return Err(bad("attach", format!("1 to {}", nodes - 1), attach));
    }
    // A star to begin with; then every end of every edge is one ticket in the lottery.
    let mut edges: Vec<(usize, usize)> = (1..=attach).map(|leaf| (0, leaf)).collect();
    let mut tickets: Vec<usize> = edges.iter().flat_map(|&(u, v)| [u, v]).collect();
    for newcomer in attach + 1..nodes {
        let mut friends: Vec<usize> = vec![];
        while friends.len() < attach {
            let friend = rng.choice(&tickets);
            if !friends.contains(&friend) {
                friends.push(friend);
            }
        }
        for friend in friends {
            edges.push((friend, newcomer));
            tickets.extend([friend, newcomer]);
        }
    }
    // The oldest nodes are the best connected: without new names, `pos` would give that away.
    let names = rng.permutation(nodes);
    let edges: Vec<(usize, usize)> = edges.iter().map(|&(u, v)| (names[u], names[v])).collect();
    Ok(finish(rng, nodes, &edges, shape))
}
