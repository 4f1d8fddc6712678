//! The engine of the explorer (`narscope explore`): algorithms and networks in a browser's Web Worker.
//!
//! The page asks in JSON and gets JSON with arrays of numbers beside it, in one [`frame`].
//! [`Explorer::answer`] is the only function: natively it is called with slices, in WebAssembly
//! through three functions of a C ABI (`abi.rs`, the only file with `unsafe`). No `wasm-bindgen`:
//! its generated code would wrap three functions, tie the build to a tool of exactly its version,
//! and copy arrays that the page can read in place.
//!
//! One thread, no clock, no files. What goes wrong is a [sentence](Error) for the user, in the
//! answer. A request that panics all the same ends the worker; the page says so and starts another.
//!
//! The TypeScript side is `tools/explorer/src/engine`: `types.ts` documents every request and answer.

#[cfg(target_arch = "wasm32")]
mod abi;
mod agreement;
mod catalogue;
mod corpus;
mod error;
mod explorer;
pub mod frame;
mod interventions;
mod limits;
mod network;
mod pasted;
mod pca;
mod predicted;
mod problem;
mod request;
mod rollout;
mod trace;

pub use error::{Error, Result};
pub use explorer::Explorer;
