//! Analyses of the hidden states of neural algorithmic reasoners, with answers as plain data.
//!
//! An [analysis](analyses) answers one question about one network: it draws samples, runs the network on them,
//! examines the [trajectories](narscope_model::trajectory) of its hidden states or [perturbs](hooks) them, and
//! returns an answer that can be serialised, compared with published numbers and drawn. Nothing here draws or prints.
//!
//! | Module | Contents |
//! | --- | --- |
//! | [`analysed`] | the model and task that are analysed |
//! | [`sampling`], [`context`] | how many samples are drawn; trajectories on them, recorded once for all analyses |
//! | [`own`], [`prediction`] | samples of users; what a network predicts for one |
//! | [`protocol`] | the two ways to repeat an experiment: as its code did it, and as its text describes it |
//! | [`analyses`] | one file per analysis, and their registry |
//! | [`behaviour`] | one network in a few numbers, in a second or two: to compare hundreds |
//! | [`answers`] | answers cached in files beside a run |
//! | [`recording`] | trajectories in files |
//! | [`hooks`], [`directions`] | perturbations of states, along the leading directions of clusters |
//! | [`linalg`], [`histogram`] | principal components, clusters, intrinsic dimension, AUC |
//!
//! Record trajectories of a network and analyse them:
//!
//! ```
//! use narscope_analysis::analyses::Analysis as _;
//! use narscope_analysis::analyses::dimensionality::Dimensionality;
//! use narscope_analysis::context::{Context, NoProgress, Request};
//! use narscope_analysis::{AnalysedModel, Sampling};
//! use narscope_model::config::Draft;
//! use narscope_model::{Model, OpenModel as _};
//!
//! // An untrained network for BFS; `AnalysedModel::open` opens a trained one.
//! let config = "algorithms = ['bfs']\nprocessor_type = 'mpnn'\nhidden_size = 8";
//! let model = Model::initial(&Draft::parse(config)?.finish()?)?;
//! let model = AnalysedModel::new("untrained".to_owned(), model, None)?;
//!
//! // Its trajectories on 50 random graphs of 8 nodes.
//! let sampling = Sampling { graphs: 50, length: 8, ..Sampling::QUICK };
//! let context = Context::new(&model, sampling, &NoProgress);
//! let trajectories = context.trajectories("example", &Request::new(sampling.graphs))?;
//! assert_eq!((trajectories.len(), trajectories.hidden), (50, 8));
//!
//! // The principal components of these trajectories.
//! let answer = Dimensionality::run(&context)?;
//! assert_eq!(answer.graphs, 50);
//! println!("{}", answer.sentence());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysed;
pub mod analyses;
pub mod answers;
pub mod behaviour;
pub mod context;
pub mod directions;
mod error;
pub mod histogram;
pub mod hooks;
pub mod linalg;
pub mod own;
mod pointers;
pub mod prediction;
mod probe_network;
pub mod protocol;
pub mod recording;
mod rollouts;
pub mod sampling;
mod step_outputs;

pub use analysed::AnalysedModel;
pub use behaviour::Behaviour;
pub use context::Context;
pub use error::{Error, Result};
pub use protocol::Protocol;
pub use sampling::Sampling;
