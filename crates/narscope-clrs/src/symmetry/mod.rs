//! Symmetries: changes of a graph that keep its shortest paths, one file each.
//!
//! A network that has learnt an algorithm should answer all images of a graph alike; the shape of
//! their embeddings is what the latent-space paper looks at.

mod relabel;
mod rescale;
mod reweight;

use crate::Result;
use crate::instance::graph::GraphInstance;
use crate::options::{Options, bad};
use crate::registry;
use crate::rng::Rng;

/// A change of a graph that keeps its shortest paths.
#[derive(Debug)]
pub struct Symmetry {
    /// The registered name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Whether it is a symmetry of shortest paths only.
    pub changes_weights: bool,
    /// The range that weights of the base graph must come from, if any will not do.
    base_range: BaseRange,
    /// A random image of a graph.
    image: fn(&GraphInstance, &mut Rng, &Options) -> Result<GraphInstance>,
}

/// The least and the largest weight of a base graph.
type BaseRange = fn(&Options) -> Result<Option<(f64, f64)>>;

/// Every symmetry. To add one: write its file, then add its row.
pub static ALL: &[Symmetry] = &[relabel::SYMMETRY, rescale::SYMMETRY, reweight::SYMMETRY];

/// Looks a symmetry up by name.
pub fn find(name: &str) -> Result<&'static Symmetry> {
    registry::find("symmetry", ALL, |symmetry| symmetry.name, name)
}

/// The options that base graphs are drawn with: weights from where the symmetries want them.
pub(crate) fn base_options(symmetries: &[&Symmetry], options: &Options) -> Result<Options> {
    let mut base = options.clone();
    for symmetry in symmetries {
        if let Some((low, high)) = (symmetry.base_range)(options)? {
            if let Some(asked) = options.low.filter(|&asked| asked < low) {
                let wanted =
                    format!("at least c = {low}, or {} makes weights negative", symmetry.name);
                return Err(bad("low", wanted, asked));
            }
            base.low = options.low.or(Some(low));
            base.high = options.high.or(Some(high));
        }
    }
    Ok(base)
}

/// A random image of `graph` under the symmetries, one after the other.
pub(crate) fn image(
    symmetries: &[&Symmetry],
    graph: &GraphInstance,
    rng: &mut Rng,
    options: &Options,
) -> Result<GraphInstance> {
    symmetries
        .iter()
        .try_fold(graph.clone(), |graph, symmetry| (symmetry.image)(&graph, rng, options))
}

pub use relabel::relabelled;
pub use rescale::rescaled;
pub use reweight::reweighted;
