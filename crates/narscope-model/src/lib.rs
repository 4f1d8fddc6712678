//! Networks that learn to execute algorithms: encode, process, decode; train, evaluate, resume.
//!
//! The data flows one way: a [batch](narscope_clrs::batch::Batch) of traces is laid out as
//! [tensors](values), [encoders](encode) turn it into [`Features`](features::Features), a
//! [processor](processors) moves the hidden state on, [decoders](decode) read predictions off it.
//! The one loop that does so again and again is [`rollout`]; training, evaluation, recording and
//! perturbing all use it and differ in a hook.
//!
//! Shapes have one legend: `B` batch, `T` steps, `N` nodes, `H` hidden units, `P` places of a probe
//! (one, the nodes, or the pairs), `C` what it chooses from at each place.

pub mod aggregate;
pub mod answers;
pub mod checkpoint;
pub mod chunked;
pub mod config;
pub mod data;
pub mod decode;
pub mod encode;
mod error;
pub mod evaluate;
pub mod features;
pub mod fused;
pub mod haiku;
pub mod layers;
pub mod loss;
pub mod lstm;
pub mod memory;
pub mod net;
pub mod numerics;
pub mod optimise;
pub mod predict;
pub mod processors;
pub mod random;
pub mod rollout;
pub mod run;
pub mod scope;
pub mod score;
pub mod sinkhorn;
mod testing;
pub mod train;
pub mod trajectory;
pub mod values;
pub mod weights;

pub use burn_tensor::{Device, Tensor, TensorData};
pub use error::{Error, Result};
