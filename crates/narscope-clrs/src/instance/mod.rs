//! Instances: what a sampler draws and a user's file holds, one file per kind of problem.
//!
//! An instance is the bare problem: a graph and a source, an array, two strings. The algorithm
//! adds what follows from it (`pos`, `adj`) when it makes its [`Input`](crate::signature::Signature).

pub mod graph;
pub mod intervals;
pub mod keys;
pub mod network;
pub mod points;
pub mod query;
pub mod search_tree;
pub mod strings;
pub mod tasks;
pub mod user;

use crate::Result;
use crate::options::{OptionName, Options};
use crate::rng::Rng;
use user::UserInstance;

/// One kind of problem.
pub trait Instance: Sized + Send {
    /// What an algorithm says of the instances that it takes.
    type Params: Send + Sync + 'static;

    /// The options that [`Instance::sample`] takes.
    fn options(params: &Self::Params, options: &Options) -> Vec<OptionName>;

    /// Draws a random instance.
    fn sample(
        params: &Self::Params,
        rng: &mut Rng,
        length: usize,
        options: &Options,
    ) -> Result<Self>;

    /// Draws random instances without end. Families whose members depend on each other override it.
    fn draws<'a>(
        params: &'a Self::Params,
        rng: &'a mut Rng,
        length: usize,
        options: &'a Options,
    ) -> Result<Draws<'a, Self>> {
        Ok(Box::new(std::iter::repeat_with(move || Self::sample(params, rng, length, options))))
    }

    /// What [`Instance::read`] wants to find, for help texts and errors.
    fn wanted(params: &Self::Params) -> String;

    /// Takes an instance that a user brought.
    fn read(params: &Self::Params, user: &UserInstance) -> Result<Self>;

    /// Whether the user can say where to start.
    fn takes_source(_params: &Self::Params) -> bool {
        false
    }

    /// Whether the user can say what is searched for.
    fn takes_target(_params: &Self::Params) -> bool {
        false
    }

    /// Takes an instance that a user brought, if nothing was said of it that plays no role.
    fn take(params: &Self::Params, user: &UserInstance) -> Result<Self> {
        let useless = [
            (user.source.is_some() && !Self::takes_source(params), "source"),
            (user.target.is_some() && !Self::takes_target(params), "target"),
        ];
        match useless.iter().find(|(is_useless, _)| *is_useless) {
            Some((_, what)) => {
                Err(user::refuse(Self::wanted(params), format!("a {what}, which plays no role")))
            }
            None => Self::read(params, user),
        }
    }
}

/// Random instances, one after the other.
pub type Draws<'a, T> = Box<dyn Iterator<Item = Result<T>> + 'a>;

pub(crate) use crate::error::at_least;
pub use crate::options::MAX_NODES;
