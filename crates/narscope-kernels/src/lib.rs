//! What neural algorithmic reasoners spend their time on, forward and back, over plain slices.
//!
//! Nothing here knows of networks or algorithms: matrices and their products, messages between
//! nodes, their aggregation, triplets, pointers, norms. Every kernel works on one sample or on a
//! block of them on the thread that calls it, in an order that depends on sizes only; who calls may
//! run blocks in parallel and gets the same bits from any number of threads.

pub mod aggregate;
pub mod gate;
pub mod heard;
pub mod matrix;
pub mod messages;
pub mod norm;
pub mod pointer;
mod simd;
pub mod sinkhorn;
pub mod softmax;
pub mod triplets;
mod vector;
