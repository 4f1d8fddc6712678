//! Instances: what a sampler draws and a user's file holds, one file per kind of problem.
//!
//! An instance is the bare problem: a graph and a source, an array, two strings. The algorithm
//! adds what follows from it (`pos`, `adj`) when it makes its [`Input`](crate::signature::Signature).

pub mod graph;
pub mod intervals;
pub mod keys;
pub mod network;
pub mod own;
pub mod points;
pub mod query;
pub mod search_tree;
pub mod strings;
pub mod tasks;

use crate::Result;
use crate::options::Options;
use crate::rng::Rng;
use own::Own;

/// One kind of problem.
pub trait Instance: Sized + Send {
    /// What an algorithm says of the instances that it takes.
    type Law: Send + Sync + 'static;

    /// The options that [`Instance::sample`] takes.
    fn options(law: &Self::Law, options: &Options) -> Vec<&'static str>;

    /// Draws a random instance.
    fn sample(law: &Self::Law, rng: &mut Rng, length: usize, options: &Options) -> Result<Self>;

    /// Draws random instances without end. Families whose members depend on each other override it.
    fn draws<'a>(
        law: &'a Self::Law,
        rng: &'a mut Rng,
        length: usize,
        options: &'a Options,
    ) -> Result<Draws<'a, Self>> {
        Ok(Box::new(std::iter::repeat_with(move || Self::sample(law, rng, length, options))))
    }

    /// What [`Instance::read`] wants to find, for help texts and errors.
    fn wanted(law: &Self::Law) -> String;

    /// Takes an instance that a user brought.
    fn read(law: &Self::Law, own: &Own) -> Result<Self>;

    /// Whether the user can say where to start.
    fn takes_source(_law: &Self::Law) -> bool {
        false
    }

    /// Whether the user can say what is searched for.
    fn takes_target(_law: &Self::Law) -> bool {
        false
    }

    /// Takes an instance that a user brought, if nothing was said of it that plays no role.
    fn take(law: &Self::Law, own: &Own) -> Result<Self> {
        let useless = [
            (own.source.is_some() && !Self::takes_source(law), "source"),
            (own.target.is_some() && !Self::takes_target(law), "target"),
        ];
        match useless.iter().find(|(is_useless, _)| *is_useless) {
            Some((_, what)) => {
                Err(own::refuse(Self::wanted(law), format!("a {what}, which plays no role")))
            }
            None => Self::read(law, own),
        }
    }
}

/// Random instances, one after the other.
pub type Draws<'a, T> = Box<dyn Iterator<Item = Result<T>> + 'a>;

/// The largest problem: a table of its pairs takes most of a gigabyte.
pub const MOST_NODES: usize = 10_000;

/// Refuses lengths that are too small.
pub(crate) fn at_least(least: usize, length: usize) -> Result<()> {
    if length < least { Err(crate::Error::TooSmall { least, got: length }) } else { Ok(()) }
}
