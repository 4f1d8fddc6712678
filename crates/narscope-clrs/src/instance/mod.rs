//! Instances: problems drawn by a sampler or read from a user's file, one file per kind.
//!
//! An instance is the bare problem: a graph and a source, an array, two strings. The algorithm
//! derives further inputs from it (`pos`, `adj`) in its [`Input`](crate::signature::Signature).

pub mod edge_list;
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
use user::{Reading, UserInstance};

/// A kind of problem: how to sample it and how to read it from user data.
pub trait Instance: Sized + Send {
    /// The instances that an algorithm accepts, and its defaults for sampling.
    type Params: Send + Sync + 'static;

    /// Names of the options that [`Instance::sample`] uses.
    fn options(params: &Self::Params, options: &Options) -> Vec<OptionName>;

    /// Draws a random instance.
    fn sample(
        params: &Self::Params,
        rng: &mut Rng,
        length: usize,
        options: &Options,
    ) -> Result<Self>;

    /// An endless iterator of random instances. Overridden where samples depend on each other.
    fn draws<'a>(
        params: &'a Self::Params,
        rng: &'a mut Rng,
        length: usize,
        options: &'a Options,
    ) -> Result<Draws<'a, Self>> {
        Ok(Box::new(std::iter::repeat_with(move || Self::sample(params, rng, length, options))))
    }

    /// Describes the data that [`Instance::read`] expects, for help texts and errors.
    fn wanted(params: &Self::Params) -> String;

    /// Reads and validates an instance given by a user.
    fn read(params: &Self::Params, user: &UserInstance) -> Result<Self>;

    /// How [`Instance::read`] reads an instance given by a user: names of nodes, direction of edges.
    fn reading(_params: &Self::Params, _user: &UserInstance) -> Result<Reading> {
        Ok(Reading::default())
    }

    /// Whether dividing all numbers of an instance by a positive number leaves the answer as it is and
    /// divides the scalars among the hints by the same number.
    fn scales(_params: &Self::Params) -> bool {
        false
    }

    /// Whether the user can give a source node.
    fn takes_source(_params: &Self::Params) -> bool {
        false
    }

    /// Whether the user can give a search target.
    fn takes_target(_params: &Self::Params) -> bool {
        false
    }

    /// [`Instance::read`], which first rejects a source or target that the problem does not use.
    fn take(params: &Self::Params, user: &UserInstance) -> Result<Self> {
        let unused = [
            (user.source.is_some() && !Self::takes_source(params), "source"),
            (user.target.is_some() && !Self::takes_target(params), "target"),
        ];
        match unused.iter().find(|(is_unused, _)| *is_unused) {
            Some((_, what)) => Err(user::invalid(
                Self::wanted(params),
                format!("a {what}, which this problem does not use"),
            )),
            None => Self::read(params, user),
        }
    }
}

/// An iterator of random instances.
pub type Draws<'a, T> = Box<dyn Iterator<Item = Result<T>> + 'a>;

pub(crate) use crate::error::at_least;
pub use crate::options::MAX_NODES;
