//! The type-erased form of algorithms, which registries hold.

use crate::algorithm::{Algorithm, Category};
use crate::body::{Body, Typed};
use crate::column::Column;
use crate::instance::user::{Reading, UserInstance};
use crate::options::{MAX_NODES, OptionName, Options};
use crate::probe::{Probe, Stage};
use crate::rng::Rng;
use crate::trace::Traces;
use crate::validity::Validity;
use crate::{Error, Result, family, symmetry};

/// A registered algorithm, with its types erased.
pub struct Entry {
    /// The registered name.
    pub name: &'static str,
    /// What it computes.
    pub summary: &'static str,
    /// The chapter it belongs to.
    pub category: Category,
    /// The spec: inputs, outputs, hints.
    pub probes: &'static [Probe],
    /// Factor of the number of validation and test samples in the benchmark.
    pub multiplier: usize,
    /// Whether it is one of the thirty of CLRS-30.
    pub in_clrs_30: bool,
    /// Whether training graphs have half the usual edge probabilities.
    pub sparse: bool,
    /// What it does: from a type, or from values.
    pub(crate) body: &'static dyn Body,
}

impl Entry {
    /// The entry of an algorithm.
    ///
    /// ```
    /// use narscope_clrs::Entry;
    /// use narscope_clrs::algorithms::bfs::Bfs;
    ///
    /// static BFS: Entry = Entry::of::<Bfs>();
    /// assert_eq!(BFS.name, "bfs");
    /// ```
    pub const fn of<A: Algorithm + 'static>() -> Self {
        Self {
            name: A::NAME,
            summary: A::SUMMARY,
            category: A::CATEGORY,
            probes: A::PROBES,
            multiplier: A::MULTIPLIER,
            in_clrs_30: A::IN_CLRS_30,
            sparse: A::SPARSE,
            body: Typed::<A>::BODY,
        }
    }

    /// Draws `count` instances one after the other and runs them, in parallel.
    ///
    /// The result depends on the generator and the options, never on the number of threads.
    pub fn generate(
        &self,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
    ) -> Result<Traces> {
        self.generate_with(rng, length, options, count, &|_| {})
    }

    /// The first seed from 1 on whose instance has a path from its source to every node, for a first
    /// look at an algorithm; 1 if the algorithm has no source, or no such instance is found soon.
    pub fn telling_seed(&self, length: usize, options: &Options) -> Result<u32> {
        const TRIED: u32 = 500;
        const LONGEST: usize = 64;
        let tried = if length > LONGEST { 1 } else { TRIED };
        for seed in 1..=tried {
            match self.generate(&mut Rng::seeded(seed), length, options, 1)?.reaches_every_node(0) {
                Some(true) => return Ok(seed),
                Some(false) => {}
                None => break,
            }
        }
        Ok(1)
    }

    /// Like [`Entry::generate`]; calls `made` with the number of new samples, every few samples.
    pub fn generate_with(
        &self,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
        made: &(dyn Fn(usize) + Sync),
    ) -> Result<Traces> {
        self.make(None, rng, length, options, count, made)
    }

    /// Like [`Entry::generate`], but reuses the memory of `spare`. Saves allocations in a loop over
    /// batches.
    pub fn generate_into(
        &self,
        spare: Traces,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
    ) -> Result<Traces> {
        self.make(Some(spare), rng, length, options, count, &|_| {})
    }

    fn make(
        &self,
        spare: Option<Traces>,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
        made: &(dyn Fn(usize) + Sync),
    ) -> Result<Traces> {
        if count == 0 {
            // The number of nodes may differ from the length; draw one sample to find out.
            let one = self.generate(&mut rng.clone(), length, options, 1)?;
            return Ok(Traces::new(self.probes.to_vec(), one.nodes));
        }
        let fits = if length > MAX_NODES {
            Err(Error::TooLarge { most: MAX_NODES, got: length })
        } else {
            options.check()
        };
        fits.and_then(|()| self.body.generate(spare, rng, length, options, count, made))
            .map_err(|error| error.of(self.name))
    }

    /// Runs the algorithm on an instance read from a file.
    pub fn trace(&self, user: &UserInstance) -> Result<Traces> {
        self.body.read(user).map_err(|error| error.of(self.name))
    }

    /// How [`Entry::trace`] reads an instance: names of nodes, direction of edges.
    pub fn reading(&self, user: &UserInstance) -> Result<Reading> {
        self.body.reading(user).map_err(|error| error.of(self.name))
    }

    /// Whether dividing all numbers of an instance by a positive number leaves the answer as it is and
    /// divides the scalars among the hints by the same number, as for shortest paths.
    pub fn scales(&self) -> bool {
        self.body.scales()
    }

    /// Estimates how many bytes the trace of one instance takes, with every step stored in full, as in
    /// files. The number of steps is estimated from a small instance, as if it were proportional to
    /// the number of nodes: for most instances it is larger.
    pub fn estimated_bytes(&self, nodes: usize) -> usize {
        const SMALL: usize = 16;
        let small = self.generate(&mut Rng::seeded(1), SMALL, &Options::default(), 1);
        let steps = small.map_or(1, |small| small.longest() * nodes / small.nodes.max(1)).max(1);
        let records = self.probes.iter().map(|probe| {
            let records = if probe.stage == Stage::Hint { steps } else { 1 };
            probe.record_bytes(nodes).saturating_mul(records)
        });
        records.fold(0, usize::saturating_add)
    }

    /// Describes the data that [`Entry::trace`] expects.
    pub fn wanted(&self) -> String {
        self.body.wanted()
    }

    /// Runs the algorithm again on the inputs of a trace: one column per input probe.
    ///
    /// Returns an error if an algorithm that was [defined at run time](crate::dynamic) does.
    pub fn replay(&self, nodes: usize, inputs: &[Column], run: usize) -> Result<Traces> {
        self.body.replay(nodes, inputs, run).map_err(|error| error.of(self.name))
    }

    /// Whether several outputs can be correct and [`Entry::validity`] checks them.
    pub fn has_validity(&self) -> bool {
        self.body.has_validity()
    }

    /// Checks an output, of the algorithm or of a network: one column per input probe and one per
    /// output probe. [`crate::validity`] defines what is correct, and when the result is `None`.
    ///
    /// # Panics
    /// If the columns do not match the spec, or an output points to a node that does not exist.
    pub fn validity(
        &self,
        nodes: usize,
        inputs: &[Column],
        outputs: &[Column],
        run: usize,
    ) -> Option<Validity> {
        self.body.validity(nodes, inputs, outputs, run)
    }

    /// The options that the sampler accepts, given the family in `options`.
    pub fn options(&self, options: &Options) -> Vec<OptionName> {
        self.body.options(options)
    }

    /// The options that are set but that the sampler does not accept.
    pub fn ignored(&self, options: &Options) -> Vec<OptionName> {
        let accepted = self.options(options);
        options.given().into_iter().filter(|name| !accepted.contains(name)).collect()
    }

    /// The options that the sampler accepts with some family or symmetry, in the order of
    /// [`OptionName::ALL`]; for help texts.
    pub fn possible_options(&self) -> Vec<OptionName> {
        /// A size that every family can draw.
        const LENGTH: usize = 8;
        let mut possible = self.options(&Options::default());
        let choices = family::ALL.iter().map(|family| family.name);
        for choice in choices.chain(symmetry::ALL.iter().map(|symmetry| symmetry.name)) {
            let options = Options {
                family: choice.parse().expect("a registered name"),
                ..Options::default()
            };
            let accepted = self.options(&options);
            // Whether a symmetry preserves the answers is known only to the sampler.
            if accepted.contains(&OptionName::Family)
                && self.generate(&mut Rng::seeded(1), LENGTH, &options, 1).is_ok()
            {
                possible.extend(accepted);
            }
        }
        OptionName::ALL.iter().copied().filter(|option| possible.contains(option)).collect()
    }

    /// The edge probabilities of training graphs, as in the reference's run script.
    pub fn training_probabilities(&self) -> Vec<f64> {
        let factor = if self.sparse { 0.5 } else { 1.0 };
        (0..9).map(|i| (0.1 + 0.1 * f64::from(i)) * factor).collect()
    }
}

/// The name: everything else follows from it.
impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}
