//! The engine: its networks and corpora, and the answer to every request.

use std::collections::BTreeMap;

use narscope_clrs::algorithms;
use narscope_clrs::rng::Rng;
use serde::Serialize;
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::corpus::Corpus;
use crate::frame::{self, Bytes};
use crate::limits::LIMITS;
use crate::network::{self, Network};
use crate::problem::{Form, Problem};
use crate::request::{RandomOptions, Request, RolloutRequest};
use crate::rollout::Rollout;
use crate::trace::Trace;
use crate::{Error, Result, corpus, pasted, request};

/// The engine of one page.
#[derive(Debug, Default)]
pub struct Explorer {
    networks: Vec<Network>,
    corpora: BTreeMap<u32, Corpus>,
}

/// An answer: a value, or a sentence.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer<T> {
    Done { ok: bool, value: T },
    Error { ok: bool, error: String },
}

/// The frame of an answer.
fn answered<T: Serialize>(bytes: Bytes, value: Result<T>) -> Vec<u8> {
    match value {
        Ok(value) => bytes.into_frame(&Answer::Done { ok: true, value }),
        Err(Error(error)) => Bytes::default().into_frame(&Answer::<()>::Error { ok: false, error }),
    }
}

impl Explorer {
    /// Answers a request: a [frame] in, a frame out.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let parsed =
            frame::decode(request).and_then(|(json, bytes)| Ok((request::parse(json)?, bytes)));
        match parsed {
            Ok((request, bytes)) => self.answer_to(request, bytes),
            Err(error) => answered::<()>(Bytes::default(), Err(error)),
        }
    }

    fn answer_to(&mut self, request: Request, uploaded: &[u8]) -> Vec<u8> {
        let mut bytes = Bytes::default();
        match request {
            Request::Hello => answered(bytes, Ok(Catalogue::new())),
            Request::Open { name, config, test } => {
                let opened = self.open(name, config, test.as_deref(), uploaded);
                answered(bytes, opened)
            }
            Request::Random { algorithm, options } => answered(bytes, random(&algorithm, &options)),
            Request::Read { algorithm, text } => answered(
                bytes,
                algorithms::find(&algorithm)
                    .map_err(Error::from)
                    .and_then(|entry| pasted::read(entry, &text)),
            ),
            Request::Trace { algorithm, problem } => {
                let trace = Trace::of(&algorithm, &problem);
                let trace = trace.map(|trace| trace.into_value(&mut bytes));
                answered(bytes, trace)
            }
            Request::Rollout(request) => {
                let value = self.rollout(&request, &mut bytes);
                answered(bytes, value)
            }
            Request::CorpusBegin(request) => {
                let id = request.id;
                let begun = network::find(&mut self.networks, &request.network)
                    .and_then(|network| Corpus::begin(network, request));
                answered(bytes, begun.map(|corpus| drop(self.corpora.insert(id, corpus))))
            }
            Request::CorpusMore { corpus } => {
                let Self { networks, corpora, .. } = self;
                answered(bytes, corpus::find(corpora, corpus).and_then(|it| it.more(networks)))
            }
            Request::CorpusEnd { corpus } => {
                let value =
                    corpus::find(&mut self.corpora, corpus).and_then(|it| it.finish(&mut bytes));
                answered(bytes, value)
            }
            Request::CorpusProblem { corpus, sample } => {
                let problem =
                    corpus::find(&mut self.corpora, corpus).and_then(|it| it.problem(sample));
                answered(bytes, problem)
            }
            Request::Forget { corpus } => {
                self.corpora.remove(&corpus);
                answered(bytes, Ok(()))
            }
        }
    }

    /// Opens a network; one of the same name is replaced.
    fn open(
        &mut self,
        name: String,
        config: Value,
        test: Option<&str>,
        weights: &[u8],
    ) -> Result<network::Summary> {
        let network = Network::open(name, config, test, weights)?;
        let summary = network.summary();
        self.networks.retain(|other| other.name() != network.name());
        self.networks.push(network);
        Ok(summary)
    }

    fn rollout<'r>(
        &mut self,
        request: &'r RolloutRequest,
        bytes: &mut Bytes,
    ) -> Result<impl Serialize + use<'r>> {
        let network = network::find(&mut self.networks, &request.network)?;
        let corpus = match request.corpus {
            None => None,
            Some(corpus) => Some(&*corpus::find(&mut self.corpora, corpus)?),
        };
        let model = network.with((&request.knobs).into())?;
        Rollout::of(model, request)?.into_value(request, corpus, bytes)
    }
}

/// A random problem of an algorithm.
fn random(algorithm: &str, random: &RandomOptions) -> Result<Problem> {
    let entry = algorithms::find(algorithm)?;
    let form = Form::of(entry)?;
    LIMITS.check_nodes(random.length)?;
    LIMITS.check_graphs(random.index)?;
    let (options, count) = (random.options()?, random.index + 1);
    let traces = entry.generate(&mut Rng::seeded(random.seed), random.length, &options, count)?;
    Ok(Problem::of(&form, &traces, random.index))
}
