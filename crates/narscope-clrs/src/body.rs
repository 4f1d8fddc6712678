//! What an entry does, whatever the algorithm is made of: a type ([`Typed`]) or values that are known
//! at run time only ([`crate::dynamic`]).

use std::marker::PhantomData;

use crate::algorithm::Algorithm;
use crate::column::Column;
use crate::instance::Instance;
use crate::instance::user::{Reading, UserInstance};
use crate::options::{OptionName, Options};
use crate::probe::{Probe, Stage};
use crate::rng::Rng;
use crate::signature::{Problem as _, Values as _};
use crate::trace::Traces;
use crate::validity::Validity;
use crate::{Result, parallel};

/// The operations of an algorithm. [`Entry`](crate::Entry) has one method for each, which adds the
/// algorithm's name to errors.
pub(crate) trait Body: Send + Sync {
    /// The options that the sampler accepts.
    fn options(&self, options: &Options) -> Vec<OptionName>;

    /// Draws `count` instances and runs the algorithm on each. `spare` is memory to reuse; `made` is
    /// told how many more are done.
    fn generate(
        &self,
        spare: Option<Traces>,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
        made: &(dyn Fn(usize) + Sync),
    ) -> Result<Traces>;

    /// Draws the instances that [`Body::generate`] draws: traces without hints and outputs.
    fn draw(&self, rng: &mut Rng, length: usize, options: &Options, count: usize)
    -> Result<Traces>;

    /// The data that [`Body::read`] expects.
    fn wanted(&self) -> String;

    /// Runs the algorithm on an instance of a user.
    fn read(&self, user: &UserInstance) -> Result<Traces>;

    /// The inputs that an instance of a user becomes: a trace without hints and outputs.
    fn take(&self, user: &UserInstance) -> Result<Traces>;

    /// How an instance of a user is read.
    fn reading(&self, user: &UserInstance) -> Result<Reading>;

    /// Whether scaling all numbers of an instance leaves the answer as it is.
    fn scales(&self) -> bool;

    /// Runs the algorithm again on the inputs of a trace.
    fn replay(&self, nodes: usize, inputs: &[Column], run: usize) -> Result<Traces>;

    /// Whether [`Body::validity`] checks outputs.
    fn has_validity(&self) -> bool;

    /// Decides whether an output is correct.
    fn validity(
        &self,
        nodes: usize,
        inputs: &[Column],
        outputs: &[Column],
        run: usize,
    ) -> Option<Validity>;

    /// Whether another definition may take its place under the same name.
    fn is_replaceable(&self) -> bool {
        false
    }
}

/// The body of an algorithm that is a type.
pub(crate) struct Typed<A>(PhantomData<fn() -> A>);

impl<A: Algorithm + 'static> Typed<A> {
    pub(crate) const BODY: &'static dyn Body = &Self(PhantomData);
}

impl<A: Algorithm> Body for Typed<A> {
    fn options(&self, options: &Options) -> Vec<OptionName> {
        A::Instance::options(&A::PARAMS, options)
    }

    fn generate(
        &self,
        spare: Option<Traces>,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
        made: &(dyn Fn(usize) + Sync),
    ) -> Result<Traces> {
        let params = A::PARAMS;
        let draws = A::Instance::draws(&params, rng, length, options)?;
        run_all::<A>(spare, draws.take(count), made)
    }

    fn draw(
        &self,
        rng: &mut Rng,
        length: usize,
        options: &Options,
        count: usize,
    ) -> Result<Traces> {
        let params = A::PARAMS;
        let draws = A::Instance::draws(&params, rng, length, options)?;
        inputs_of::<A>(draws.take(count))
    }

    fn wanted(&self) -> String {
        A::Instance::wanted(&A::PARAMS)
    }

    fn read(&self, user: &UserInstance) -> Result<Traces> {
        run_all::<A>(None, std::iter::once(A::Instance::take(&A::PARAMS, user)), &|_| {})
    }

    fn take(&self, user: &UserInstance) -> Result<Traces> {
        inputs_of::<A>(std::iter::once(A::Instance::take(&A::PARAMS, user)))
    }

    fn reading(&self, user: &UserInstance) -> Result<Reading> {
        A::Instance::reading(&A::PARAMS, user)
    }

    fn scales(&self) -> bool {
        A::Instance::scales(&A::PARAMS)
    }

    fn replay(&self, nodes: usize, inputs: &[Column], run: usize) -> Result<Traces> {
        let mut traces = Traces::new(A::PROBES.to_vec(), nodes);
        traces.record::<A>(&A::Input::read(nodes, inputs, run), A::run);
        Ok(traces)
    }

    fn has_validity(&self) -> bool {
        A::VALID.is_some()
    }

    fn validity(
        &self,
        nodes: usize,
        inputs: &[Column],
        outputs: &[Column],
        run: usize,
    ) -> Option<Validity> {
        let valid = A::VALID?;
        valid(&A::Input::read(nodes, inputs, run), &A::Output::read(nodes, outputs, run))
    }
}

/// The inputs of every instance, in order.
fn inputs_of<A: Algorithm>(instances: impl Iterator<Item = Result<A::Instance>>) -> Result<Traces> {
    let probes: Vec<Probe> =
        A::PROBES.iter().filter(|probe| probe.stage == Stage::Input).cloned().collect();
    let mut traces = Traces::new(probes.clone(), 0);
    for instance in instances {
        let input = A::input(instance?);
        if traces.is_empty() {
            traces = Traces::new(probes.clone(), input.nodes());
        }
        let [inputs, ..] = traces.begin_run();
        input.write(inputs);
        traces.end_run(0);
    }
    Ok(traces)
}

/// Traces every instance, in order. Instances are drawn one after the other and run in parallel.
fn run_all<A: Algorithm>(
    spare: Option<Traces>,
    instances: impl Iterator<Item = Result<A::Instance>>,
    made: &(dyn Fn(usize) + Sync),
) -> Result<Traces> {
    /// Instances per parallel task.
    const PART: usize = 32;
    let record = |traces: &mut Traces, input: &A::Input| traces.record::<A>(input, A::run);
    let empty = |nodes| Traces::new(A::PROBES.to_vec(), nodes);

    let mut inputs = instances.map(|instance| instance.map(A::input)).peekable();
    let nodes = match inputs.peek() {
        Some(Ok(input)) => input.nodes(),
        _ => 0,
    };
    let mut all = match spare {
        Some(spare) if spare.nodes == nodes && spare.probes == A::PROBES => spare.cleared(),
        _ => empty(nodes),
    };
    let threads = parallel::threads();
    if threads == 1 {
        for input in inputs {
            record(&mut all, &input?);
            made(1);
        }
        return Ok(all);
    }
    while inputs.peek().is_some() {
        let some: Vec<A::Input> =
            inputs.by_ref().take(4 * threads * PART).collect::<Result<_>>()?;
        let parts: Vec<Traces> = parallel::map_chunks(&some, PART, |part| {
            let mut traces = empty(nodes);
            for input in part {
                record(&mut traces, input);
            }
            made(part.len());
            traces
        });
        for part in &parts {
            all.append(part, 0..part.len());
        }
    }
    Ok(all)
}
