//! Training and validation data: batches drawn as in the run script of the reference.

use std::collections::VecDeque;

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::Batch;
use narscope_clrs::chunk::{Chunk, Chunks, RowPosition};
use narscope_clrs::convert;
use narscope_clrs::options::{Direction, OptionName, Options};
use narscope_clrs::rng::Rng;
use narscope_clrs::sampler::Sampler;
use narscope_clrs::split::Split;
use narscope_clrs::trace::Traces;
use narscope_net::config::Config;
use narscope_net::model::EVALUATION_BATCH;
use narscope_net::spec::{Spec, convert as convert_traces};

use crate::Result;

/// Training and validation data of a run.
pub struct Data {
    config: Config,
    /// First draws the seeds of the samplers, then random positions.
    rng: Rng,
    tasks: Vec<TaskData>,
}

struct TaskData {
    entry: &'static Entry,
    /// One per length, used in turn.
    train: Vec<Sampler>,
    /// Per length, the chunks that batches are cut into in chunked training.
    windows: Vec<Windows>,
    val: Sampler,
}

/// Batches cut into chunks.
struct Windows {
    chunks: Chunks,
    /// The generators that each buffered batch was drawn with: that of its sampler and that of
    /// positions. A batch is a function of the two, so a checkpoint need not keep batches.
    drawn_with: VecDeque<(Rng, Rng)>,
}

impl Data {
    /// The data of a configuration.
    pub fn new(config: &Config, specs: &[Spec]) -> Result<Self> {
        let mut data =
            Self { config: config.clone(), rng: Rng::seeded(config.data_seed()), tasks: vec![] };
        // Parity: the first draw is the JAX key of the reference.
        data.rng.word();
        for spec in specs {
            data.tasks.push(TaskData::new(spec.entry, config, &mut data.rng)?);
        }
        // Parity: the reference draws one batch of each to get its shapes.
        for task in &mut data.tasks {
            prepare(task.val.next_batch(EVALUATION_BATCH)?, config, &mut data.rng)?;
        }
        Ok(data)
    }

    /// The training batch of a task for update `step`.
    pub fn train_batch(&mut self, task: usize, step: usize) -> Result<Traces> {
        let samplers = &mut self.tasks[task].train;
        let turn = step % samplers.len();
        let batch = samplers[turn].next_batch(self.config.batch_size)?;
        prepare(batch, &self.config, &mut self.rng)
    }

    /// The chunk of a task for update `step`.
    pub fn train_chunk(&mut self, task: usize, step: usize) -> Result<Chunk> {
        let Self { config, rng, tasks } = self;
        let TaskData { train, windows, .. } = &mut tasks[task];
        let turn = step % train.len();
        let Windows { chunks, drawn_with } = &mut windows[turn];
        let chunk = chunks.next_chunk(|| {
            drawn_with.push_back((train[turn].rng().clone(), rng.clone()));
            let batch = train[turn].next_batch(config.batch_size)?;
            prepare(batch, config, rng)
        })?;
        drawn_with.drain(..drawn_with.len() - chunks.buffered());
        Ok(chunk)
    }

    /// Number of training lengths of a task.
    pub fn lengths(&self, task: usize) -> usize {
        self.tasks[task].train.len()
    }

    /// Size of a task's samples for update `step`.
    pub fn length(&self, task: usize, step: usize) -> usize {
        let samplers = &self.tasks[task].train;
        samplers[step % samplers.len()].length()
    }

    /// The next validation batches of a task: twice as many samples as in the benchmark.
    pub fn val_batches(&mut self, task: usize) -> Result<Vec<Traces>> {
        let batches = 2 * self.tasks[task].entry.multiplier;
        let batches = (0..batches).map(|_| {
            let batch = self.tasks[task].val.next_batch(EVALUATION_BATCH)?;
            prepare(batch, &self.config, &mut self.rng)
        });
        batches.collect()
    }

    /// The states of all generators, by name, for a checkpoint.
    pub fn generators(&self) -> Vec<(String, Vec<u32>)> {
        let mut all = vec![("positions".to_owned(), self.rng.to_words())];
        for task in &self.tasks {
            let name = task.entry.name;
            for (i, sampler) in task.train.iter().enumerate() {
                all.push((format!("{name}.train.{i}"), sampler.rng().to_words()));
            }
            all.push((format!("{name}.val"), task.val.rng().to_words()));
            for (i, windows) in task.windows.iter().enumerate() {
                let lanes = windows.chunks.positions().iter();
                let lanes = lanes.flat_map(|lane| [lane.batch as u32, lane.step as u32]);
                all.push((format!("{name}.window.{i}.lanes"), lanes.collect()));
                for (j, (sampler, positions)) in windows.drawn_with.iter().enumerate() {
                    all.push((format!("{name}.window.{i}.{j}.sampler"), sampler.to_words()));
                    all.push((format!("{name}.window.{i}.{j}.positions"), positions.to_words()));
                }
            }
        }
        all
    }

    /// Restores all generators. The error is the name of one that is missing or damaged.
    pub fn restore(&mut self, find: impl Fn(&str) -> Option<Vec<u32>>) -> Result<(), String> {
        let generator =
            |name: String| find(&name).and_then(|words| Rng::from_words(&words)).ok_or(name);
        let Self { config, rng, tasks } = self;
        for TaskData { entry, train, windows, .. } in tasks.iter_mut() {
            for (i, windows) in windows.iter_mut().enumerate() {
                let name = format!("{}.window.{i}", entry.name);
                let lanes = find(&format!("{name}.lanes")).ok_or_else(|| name.clone())?;
                let lanes = lanes.chunks_exact(2);
                let lanes = lanes
                    .map(|lane| RowPosition { batch: lane[0] as usize, step: lane[1] as usize });
                let mut batches = vec![];
                windows.drawn_with.clear();
                while let Ok(sampler) = generator(format!("{name}.{}.sampler", batches.len())) {
                    let mut positions = generator(format!("{name}.{}.positions", batches.len()))?;
                    windows.drawn_with.push_back((sampler.clone(), positions.clone()));
                    train[i].set_rng(sampler);
                    let batch = train[i].next_batch(config.batch_size).map_err(|_| name.clone())?;
                    batches.push(prepare(batch, config, &mut positions).map_err(|_| name.clone())?);
                }
                windows.chunks.restore(&batches, lanes.collect());
            }
        }
        *rng = generator("positions".to_owned())?;
        for TaskData { entry, train, val, .. } in tasks {
            let name = entry.name;
            for (i, sampler) in train.iter_mut().enumerate() {
                sampler.set_rng(generator(format!("{name}.train.{i}"))?);
            }
            val.set_rng(generator(format!("{name}.val"))?);
        }
        Ok(())
    }
}

/// Converts samples as the network takes them.
fn prepare(batch: Batch, config: &Config, rng: &mut Rng) -> Result<Traces> {
    let mut traces = batch.traces;
    if config.random_pos {
        convert::random_positions(&mut traces, rng);
    }
    convert_traces(&mut traces, config)?;
    Ok(traces)
}

impl TaskData {
    fn new(entry: &'static Entry, config: &Config, rng: &mut Rng) -> Result<Self> {
        let mut options = Options::default();
        let taken = entry.options(&options);
        if taken.contains(&OptionName::P) {
            options.p = Some(entry.training_probabilities());
        }
        let matches_strings = taken.contains(&OptionName::LengthNeedle);
        if matches_strings && config.length_needle != 0 {
            options.length_needle = Some(config.length_needle);
        }
        let longest = config.train_lengths.iter().copied().max().expect("a checked configuration");
        let benchmark =
            |length: i64| if length < 0 { Split::Train.length() } else { length as usize };
        // String matching has one length, with needles of all lengths.
        let (lengths, val_length) = if matches_strings {
            let length = benchmark(longest) * 5 / 4;
            // Differs: the reference validates on the longest training length, which is too short for
            // the longest needles, and fails.
            (vec![length as i64], length)
        } else {
            (config.train_lengths.clone(), benchmark(longest))
        };
        let directed = config.directed_training && taken.contains(&OptionName::Direction);
        let train_options = Options {
            direction: directed.then_some(Direction::Directed).or(options.direction),
            ..options.clone()
        };
        let train = lengths.iter().map(|&length| {
            let seed = rng.word();
            if length < 0 {
                let (length, seed) = (Split::Train.length(), Split::Train.seed());
                return Sampler::fixed(
                    entry,
                    length,
                    seed,
                    Options::default(),
                    Split::Train.count(entry),
                );
            }
            Sampler::endless(entry, length as usize, seed, train_options.clone(), true)
        });
        let train = train.collect::<narscope_clrs::Result<Vec<_>>>()?;
        let window =
            |_| Windows { chunks: Chunks::new(config.chunk_length), drawn_with: VecDeque::new() };
        let windows =
            if config.chunked_training { train.iter().map(window).collect() } else { vec![] };
        let samples = 2 * EVALUATION_BATCH * entry.multiplier;
        let val = Sampler::fixed(entry, val_length, rng.word(), options, samples)?;
        Ok(Self { entry, train, windows, val })
    }
}
