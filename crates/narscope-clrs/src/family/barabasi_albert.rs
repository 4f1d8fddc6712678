//! Scale-free graphs by preferential attachment.
//!
//! A.-L. Barabási and R. Albert, Emergence of scaling in random networks, 1999.

use super::{Family, Shape, orient_and_weight};
use crate::Result;
use crate::options::{OptionName, Options, bad};
use crate::rng::Rng;
use crate::values::Grid;

pub(super) const FAMILY: Family = Family {
    name: "barabasi_albert",
    summary: "scale-free: each new node gets `attach` edges, preferably to nodes of high degree",
    options: &[OptionName::Attach],
    draw,
};

fn draw(rng: &mut Rng, nodes: usize, shape: &Shape, options: &Options) -> Result<Grid<f64>> {
    let attach = options.attach.unwrap_or(2.min(nodes - 1));
    if attach == 0 || attach >= nodes {
        return Err(bad("attach", format!("1 to {}", nodes - 1), attach));
    }
    // Start with a star. A node occurs in `endpoints` once per edge, so drawing from them is
    // proportional to degree.
    let mut edges: Vec<(usize, usize)> = (1..=attach).map(|leaf| (0, leaf)).collect();
    let mut endpoints: Vec<usize> = edges.iter().flat_map(|&(u, v)| [u, v]).collect();
    for new in attach + 1..nodes {
        let mut targets: Vec<usize> = vec![];
        while targets.len() < attach {
            let target = rng.choice(&endpoints);
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        for target in targets {
            edges.push((target, new));
            endpoints.extend([target, new]);
        }
    }
    // The oldest nodes have the highest degrees: without relabelling, `pos` would reveal that.
    let labels = rng.permutation(nodes);
    let edges: Vec<(usize, usize)> = edges.iter().map(|&(u, v)| (labels[u], labels[v])).collect();
    Ok(orient_and_weight(rng, nodes, &edges, shape))
}
