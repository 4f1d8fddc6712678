//! Corpora: states of many samples, and the principal components in which the page draws them.

use std::collections::BTreeMap;

use narscope_clrs::trace::Traces;
use narscope_net::pooling::Pooling;
use narscope_net::rollout::{NoHook, Steps};
use narscope_net::trajectory::RecordOptions;
use serde::Serialize;

use crate::frame::{Array, Bytes};
use crate::limits::{LIMITS, check_bytes};
use crate::network::{self, Network};
use crate::pca::Pca;
use crate::problem::{Form, Problem};
use crate::request::{CorpusRequest, PointKind};
use crate::{Error, Result};

/// Samples per request, so that the page hears of progress and can give up.
const CHUNK: usize = 8;
/// Number of principal components, if none is given.
const COMPONENTS: usize = 3;

/// Samples of a network, with their states as far as they have run.
#[derive(Debug)]
pub(crate) struct Corpus {
    request: CorpusRequest,
    form: Form,
    /// Number of base graphs, if samples are images of them.
    classes: Option<usize>,
    hidden: usize,
    traces: Traces,
    /// Per sample that has run, its states after each step, and its score.
    states: Vec<Vec<f32>>,
    scores: Vec<f32>,
    pca: Option<Pca>,
}

/// How far a corpus is.
#[derive(Debug, Serialize)]
pub(crate) struct Progress {
    done: usize,
    of: usize,
}

/// A corpus for the page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CorpusValue {
    id: u32,
    hidden: usize,
    components: usize,
    directions: Array,
    variances: Array,
    shares: Array,
    mean: Array,
    points: Array,
    sample: Array,
    record: Array,
    node: Array,
    cluster: Array,
    steps: Array,
    scores: Array,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster_directions: Option<Array>,
}

/// States of a rollout along the principal components of a corpus.
#[derive(Debug, Serialize)]
pub(crate) struct Projection {
    pooled: Array,
    nodes: Array,
}

/// The corpus of a number.
pub(crate) fn find(corpora: &mut BTreeMap<u32, Corpus>, corpus: u32) -> Result<&mut Corpus> {
    corpora.get_mut(&corpus).ok_or_else(|| {
        Error::new("this corpus was freed, or the engine was started again; compute it anew")
    })
}

impl Corpus {
    /// Draws the samples.
    pub(crate) fn begin(network: &mut Network, request: CorpusRequest) -> Result<Self> {
        let model = network.with((&request.knobs).into())?;
        let task = model.task(&request.algorithm)?;
        let form = Form::of(task.spec().entry)?;
        let random = &request.random;
        LIMITS.check_nodes(random.length)?;
        LIMITS.check_graphs(request.graphs)?;
        if request.graphs < 2 {
            return Err(Error::new(format!(
                "expected at least 2 graphs for principal components, found {}",
                request.graphs
            )));
        }
        let options = random.options()?;
        let traces = task.sample(random.length, &options, random.seed, request.graphs)?;
        let steps = Steps::OwnAnd(request.extra_steps);
        let hidden = model.config().hidden_size;
        let records: usize = (0..traces.len()).map(|i| steps.of(traces.steps(i))).sum();
        let width = hidden * pooling(request.points).vectors(traces.nodes);
        // The states, and a centred copy of them.
        check_bytes("this corpus", 8 * records * width)?;
        LIMITS.check_steps(steps.of(traces.longest()))?;
        let classes = random.classes(&options);
        Ok(Self {
            request,
            form,
            classes,
            hidden,
            traces,
            states: vec![],
            scores: vec![],
            pca: None,
        })
    }

    /// Runs the network on some more samples.
    pub(crate) fn more(&mut self, networks: &mut [Network]) -> Result<Progress> {
        let network = network::find(networks, &self.request.network)?;
        let model = network.with((&self.request.knobs).into())?;
        let task = model.task(&self.request.algorithm)?;
        let next = self.states.len()..(self.states.len() + CHUNK).min(self.traces.len());
        if !next.is_empty() {
            let batch = self.traces.select(&next.collect::<Vec<_>>());
            let options = RecordOptions {
                steps: Steps::OwnAnd(self.request.extra_steps),
                pooling: pooling(self.request.points),
                ..RecordOptions::default()
            };
            let recorded = task.record(&batch, options, &mut NoHook, &mut |_| true)?;
            let recorded = recorded.expect("it was not interrupted");
            self.states.extend(recorded.states);
            self.scores.extend(recorded.scores.iter().map(|&score| score as f32));
        }
        Ok(Progress { done: self.states.len(), of: self.traces.len() })
    }

    /// Fits the principal components.
    pub(crate) fn finish(&mut self, bytes: &mut Bytes) -> Result<impl Serialize + use<>> {
        if self.states.len() < self.traces.len() {
            return Err(Error::new(format!(
                "expected the states of all {} samples, found {}",
                self.traces.len(),
                self.states.len()
            )));
        }
        let hidden = self.hidden;
        let all = self.states.concat();
        let components = self.request.components.unwrap_or(COMPONENTS);
        let pca = Pca::of(&all, hidden, components)?;
        let points: Vec<f32> = all.chunks_exact(hidden).flat_map(|x| pca.project(x)).collect();
        let nodes = pooling(self.request.points).vectors(self.traces.nodes);
        let (mut sample, mut record, mut node, mut steps) = (vec![], vec![], vec![], vec![]);
        for (index, states) in self.states.iter().enumerate() {
            let count = states.len() / (hidden * nodes);
            steps.push(count as u32);
            for step in 0..count {
                for place in 0..nodes {
                    sample.push(index as u32);
                    record.push(step as u32 + 1);
                    node.push(match self.request.points {
                        PointKind::Pooled => -1,
                        PointKind::Nodes => place as i32,
                    });
                }
            }
        }
        let classes = self.classes.unwrap_or(self.traces.len());
        let cluster: Vec<u32> = (0..self.traces.len()).map(|i| (i % classes) as u32).collect();
        let value = CorpusValue {
            id: self.request.id,
            hidden,
            components: pca.components(),
            directions: bytes.f32(&pca.directions),
            variances: bytes.f32(&pca.variances),
            shares: bytes.f32(&pca.shares),
            mean: bytes.f32(&pca.mean),
            points: bytes.f32(&points),
            sample: bytes.u32(&sample),
            record: bytes.u32(&record),
            node: bytes.i32(&node),
            cluster: bytes.u32(&cluster),
            steps: bytes.u32(&steps),
            scores: bytes.f32(&self.scores),
            cluster_directions: self.cluster_directions(nodes)?.map(|it| bytes.f32(&it)),
        };
        self.pca = Some(pca);
        Ok(value)
    }

    /// The first principal component of the last states of each orbit; zeros for an orbit of one.
    fn cluster_directions(&self, nodes: usize) -> Result<Option<Vec<f32>>> {
        let Some(classes) = self.classes else { return Ok(None) };
        let mut directions = vec![];
        for class in 0..classes {
            let images = self.states.iter().skip(class).step_by(classes);
            let last: Vec<f32> = images
                .flat_map(|states| &states[states.len() - self.hidden * nodes..])
                .copied()
                .collect();
            if last.len() < 2 * self.hidden {
                directions.resize(directions.len() + self.hidden, 0.0);
            } else {
                directions.extend(Pca::of(&last, self.hidden, 1)?.directions);
            }
        }
        Ok(Some(directions))
    }

    /// The problem of a sample.
    pub(crate) fn problem(&self, sample: usize) -> Result<Problem> {
        if sample >= self.traces.len() {
            return Err(Error::new(format!(
                "expected a sample from 0 to {}, found {sample}",
                self.traces.len() - 1
            )));
        }
        Ok(Problem::of(&self.form, &self.traces, sample))
    }

    /// States `(T, N, H)` along the principal components.
    pub(crate) fn project(
        &self,
        states: &[f32],
        nodes: usize,
        hidden: usize,
        bytes: &mut Bytes,
    ) -> Result<Projection> {
        let pca = self.pca.as_ref().filter(|_| hidden == self.hidden).ok_or_else(|| {
            Error::new("expected a finished corpus of a network with as many hidden units; compute it anew")
        })?;
        let mut pooled = vec![];
        for record in states.chunks_exact(nodes * hidden) {
            let mut state = vec![];
            Pooling::Max.push(record, hidden, &mut state);
            pooled.extend(pca.project(&state));
        }
        let of_nodes: Vec<f32> =
            states.chunks_exact(hidden).flat_map(|state| pca.project(state)).collect();
        Ok(Projection { pooled: bytes.f32(&pooled), nodes: bytes.f32(&of_nodes) })
    }
}

fn pooling(points: PointKind) -> Pooling {
    match points {
        PointKind::Pooled => Pooling::Max,
        PointKind::Nodes => Pooling::All,
    }
}
