//! Hidden states of images of a graph under symmetries of shortest paths (section 3.3 of the paper).

use narscope_clrs::options::Options;
use narscope_clrs::trace::Traces;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::NoHook;
use narscope_model::trajectory::Trajectories;
use serde::{Deserialize, Serialize};

use super::dimensionality::{chosen_steps, not_reduced, three, trajectories};
use super::{Analysis, Measure};
use crate::context::{Context, Request};
use crate::linalg::clusters::{nearest_centroid_accuracy, silhouette};
use crate::linalg::intrinsic::two_nearest_neighbours;
use crate::linalg::{Pca, Points};
use crate::{Error, Result};

/// Number of base graphs, each of which gives a cluster.
const CLASSES: usize = 8;
/// Factor by which more base graphs are drawn, so that enough take the same number of steps.
const SPARE: usize = 4;
/// Number of trajectories of each class that are drawn.
const DRAWN: usize = 64;

/// How an orbit is drawn.
#[derive(Clone, Copy)]
struct OrbitSpec {
    name: &'static str,
    /// Name of the symmetry.
    symmetry: &'static str,
    /// Number of base graphs.
    classes: usize,
    /// The paper's `c`, for reweighting.
    c: Option<f64>,
}

impl OrbitSpec {
    const fn new(
        name: &'static str,
        symmetry: &'static str,
        classes: usize,
        c: Option<f64>,
    ) -> Self {
        Self { name, symmetry, classes, c }
    }
}

/// The analysed orbits.
const ORBITS: [OrbitSpec; 6] = [
    OrbitSpec::new("relabelling", "relabel", 1, None),
    OrbitSpec::new("rescaling", "rescale", 1, None),
    OrbitSpec::new("reweighting, c = 1/2", "reweight", 1, Some(0.5)),
    OrbitSpec::new("reweighting, c = 1/4", "reweight", 1, Some(0.25)),
    OrbitSpec::new("reweighting of 8 graphs, c = 1/2", "reweight", CLASSES, Some(0.5)),
    OrbitSpec::new("reweighting of 8 graphs, c = 1/4", "reweight", CLASSES, Some(0.25)),
];

/// The orbits that the dimension of rescaling is measured on. The estimate depends on where the images of a graph
/// happen to lie, so several graphs are used.
const RESCALED: OrbitSpec = OrbitSpec::new("rescaling of 8 graphs", "rescale", CLASSES, None);

/// Hidden states of images of graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symmetries {
    /// All orbits.
    pub orbits: Vec<Orbit>,
    /// Per rescaled graph, the intrinsic dimension of its images, averaged over steps.
    pub rescaling: Vec<f64>,
}

/// Images of one or several graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Orbit {
    /// Name.
    pub name: String,
    /// Number of base graphs.
    pub classes: usize,
    /// Number of images of each.
    pub images: usize,
    /// Number of steps that all of them take.
    pub steps: usize,
    /// Explained variance ratio of three components of all states.
    pub in_three: f64,
    /// Statistics of each step.
    pub by_step: Vec<OrbitStep>,
    /// Separation of classes as whole trajectories.
    pub separation: Option<Separation>,
    /// Mean score of the network on the images.
    pub score: f64,
    /// Trajectories to draw: three coordinates per step.
    pub drawn: Vec<Vec<[f32; 3]>>,
    /// Class of each drawn trajectory.
    pub drawn_classes: Vec<usize>,
}

/// The states after one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrbitStep {
    /// Explained variance ratios of the first three components.
    pub ratios: Vec<f64>,
    /// See [`Pca::participation_ratio`].
    pub participation_ratio: f64,
    /// Intrinsic dimension; `None` if all states are equal.
    pub intrinsic_dimension: Option<f64>,
    /// Separation of classes.
    pub separation: Option<Separation>,
}

/// Separation of classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    /// Mean silhouette, from -1 to 1; see [`silhouette`].
    pub silhouette: f64,
    /// See [`nearest_centroid_accuracy`].
    pub nearest_centroid: f64,
}

impl Separation {
    fn of(points: &Points, classes: &[usize]) -> Self {
        Self {
            silhouette: silhouette(points, classes),
            nearest_centroid: nearest_centroid_accuracy(points, classes),
        }
    }
}

impl Analysis for Symmetries {
    const NAME: &'static str = "symmetries";
    const QUESTION: &'static str =
        "Do graphs with the same execution form clusters, and of what shape?";
    const PAPER: &'static str = "Figure 1 middle and right, section 3.3, appendices F and G";

    fn run(context: &Context<'_>) -> Result<Self> {
        if let Some((all, classes)) = context.recorded_images() {
            return Ok(Self {
                orbits: vec![Orbit::recorded(all, classes, context)?],
                rescaling: vec![],
            });
        }
        context.shortest_path_network(Self::NAME)?;
        let orbits = ORBITS.iter().enumerate();
        let orbits = orbits.map(|(place, orbit)| Orbit::of(context, *orbit, place as u32));
        let orbits = orbits.collect::<Result<_>>()?;
        let Images { all, steps, class_of } = images(context, RESCALED, ORBITS.len() as u32)?;
        let classes = class_of.iter().max().map_or(0, |most| most + 1);
        let rescaling = (0..classes).filter_map(|class| {
            let samples: Vec<usize> = (0..all.len()).filter(|&i| class_of[i] == class).collect();
            let of_step = |step: usize| {
                let mut points = Points::new(all.hidden);
                for &sample in &samples {
                    points.push(all.state(sample, step));
                }
                two_nearest_neighbours(&points)
            };
            mean(&(0..steps).filter_map(of_step).collect::<Vec<f64>>())
        });
        Ok(Self { orbits, rescaling: rescaling.collect() })
    }

    fn sentence(&self) -> String {
        let Some(clusters) = self.orbit(5) else {
            return self.orbits.iter().map(Orbit::sentence).collect::<Vec<_>>().join(" ");
        };
        let separation = clusters.separation.map_or(f64::NAN, |it| it.nearest_centroid);
        format!(
            "The images of a rescaled graph have an intrinsic dimension of {:.1}; of the reweighted images of 8 graphs, {:.1} % are nearest \
             to the centroid of their own graph.",
            mean(&self.rescaling).unwrap_or(f64::NAN),
            100.0 * separation
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        if let Some(dimension) = mean(&self.rescaling) {
            let label = "dimensions of the scaling orbit, mean over steps";
            let error = standard_error(&self.rescaling);
            measures.push(Measure::number("scaling_dimension", label, dimension).with_error(error));
        }
        for (place, key) in [(4, "half"), (5, "quarter")] {
            let Some(orbit) = self.orbit(place) else { continue };
            measures.push(Measure::share(
                format!("reweighting_in_three_{key}"),
                format!("variance in 3 dimensions, step-wise, {}", orbit.name),
                orbit.in_three,
            ));
            if let Some(separation) = orbit.separation {
                measures.push(Measure::number(
                    format!("silhouette_{key}"),
                    format!("silhouette of trajectories, {}", orbit.name),
                    separation.silhouette,
                ));
                measures.push(Measure::share(
                    format!("nearest_centroid_{key}"),
                    format!("nearest to their own centre, {}", orbit.name),
                    separation.nearest_centroid,
                ));
            }
        }
        measures
    }
}

impl Symmetries {
    fn orbit(&self, place: usize) -> Option<&Orbit> {
        self.orbits.iter().find(|orbit| orbit.name == ORBITS[place].name)
    }
}

/// The mean; `None` without values.
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Trajectories of images of graphs that all take the same number of steps.
struct Images {
    all: Trajectories,
    steps: usize,
    /// Index of the base graph of each image.
    class_of: Vec<usize>,
}

fn images(context: &Context<'_>, orbit: OrbitSpec, place: u32) -> Result<Images> {
    let OrbitSpec { symmetry, classes, c, .. } = orbit;
    let drawn = if classes > 1 { SPARE * classes } else { 1 };
    let options =
        Options { family: symmetry.parse()?, classes: Some(drawn), c, ..Options::default() };
    let request = Request {
        options,
        seed_offset: 100 + place,
        pooling: Pooling::Max,
        ..Request::new(drawn * context.sampling.images)
    };
    let traces = context.samples(Symmetries::NAME, &request)?;
    let (steps, chosen) = same_steps(&traces, drawn, classes)?;
    let samples: Vec<usize> = (0..traces.len()).filter(|i| chosen.contains(&(i % drawn))).collect();
    let class = |&sample: &usize| chosen.iter().position(|&class| class == sample % drawn);
    let class_of: Vec<usize> =
        samples.iter().map(|i| class(i).expect("samples are of chosen classes")).collect();
    let all = context.run(Symmetries::NAME, &traces.select(&samples), &request, &mut NoHook)?;
    Ok(Images { all, steps, class_of })
}

/// Standard error of the mean; `None` for a single value.
fn standard_error(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt() / count.sqrt())
}

impl Orbit {
    fn of(context: &Context<'_>, orbit: OrbitSpec, place: u32) -> Result<Self> {
        let Images { all, steps, class_of } = images(context, orbit, place)?;
        let samples: Vec<usize> = (0..all.len()).collect();
        let orbit = Self::of_trajectories(orbit.name, &all, &samples, steps, &class_of)?;
        Ok(orbit.expect("the requested states were recorded, for at least one step"))
    }

    /// Describes the orbit.
    fn sentence(&self) -> String {
        let Self { name, classes, images, steps, in_three, separation, .. } = self;
        let apart = separation.map_or(String::new(), |it| {
            format!(
                "; {:.1} % are nearest to the centroid of their own graph",
                100.0 * it.nearest_centroid
            )
        });
        format!(
            "{name}: three principal components explain {:.1} % of the variance of {classes} x {images} images that take {steps} steps{apart}.",
            100.0 * in_three
        )
    }

    /// The orbit of a recording: its classes with the most frequent number of steps.
    fn recorded(all: &Trajectories, classes: &[usize], context: &Context<'_>) -> Result<Self> {
        let steps: Vec<usize> = (0..all.len()).map(|sample| all.steps(sample)).collect();
        let (steps, _) = chosen_steps(Symmetries::NAME, &steps, context.sampling.steps)?;
        let samples = all.with_steps(steps);
        let mut known: Vec<usize> = samples.iter().map(|&sample| classes[sample]).collect();
        known.sort_unstable();
        known.dedup();
        let class = |sample: &usize| {
            known.binary_search(&classes[*sample]).expect("all classes are listed")
        };
        let class_of: Vec<usize> = samples.iter().map(class).collect();
        let whole = Self::of_trajectories("as recorded", all, &samples, steps, &class_of)?;
        whole.ok_or_else(|| not_reduced(Symmetries::NAME, all.pooling))
    }

    /// The orbit of trajectories with given classes that all take the same number of steps.
    fn of_trajectories(
        name: &str,
        all: &Trajectories,
        samples: &[usize],
        steps: usize,
        class_of: &[usize],
    ) -> Result<Option<Self>> {
        let over_nodes = if all.pooling == Pooling::Each { Pooling::Max } else { all.pooling };
        let Some(whole) = trajectories(all, samples, steps, over_nodes, false) else {
            return Ok(None);
        };
        let classes = class_of.iter().max().map_or(0, |most| most + 1);
        let separation = |points: &Points| (classes > 1).then(|| Separation::of(points, class_of));
        let each = Points { dimensions: all.hidden, data: whole.data.clone() };
        let pca = Pca::of(&each, 3)?;
        let by_step = (0..steps).map(|step| {
            let alone = each.select((step..each.len()).step_by(steps));
            let pca = Pca::of(&alone, 3)?;
            Ok(OrbitStep {
                participation_ratio: pca.participation_ratio,
                intrinsic_dimension: two_nearest_neighbours(&alone),
                separation: separation(&alone),
                ratios: pca.ratios,
            })
        });
        let by_step = by_step.collect::<Result<_>>()?;
        let mut taken = vec![0; classes];
        let drawn_samples: Vec<usize> = (0..samples.len())
            .filter(|&sample| {
                taken[class_of[sample]] += 1;
                taken[class_of[sample]] <= DRAWN
            })
            .collect();
        let scores: Vec<f64> = samples.iter().map(|&sample| all.scores[sample]).collect();
        let drawn = drawn_samples.iter().map(|&sample| {
            let states = whole.get(sample).chunks_exact(all.hidden);
            states.map(|state| three(&pca.project(state))).collect()
        });
        Ok(Some(Self {
            name: name.to_owned(),
            classes,
            images: samples.len() / classes.max(1),
            steps,
            in_three: pca.explained(3),
            separation: separation(&whole),
            score: mean(&scores).unwrap_or(f64::NAN),
            drawn: drawn.collect(),
            drawn_classes: drawn_samples.iter().map(|&sample| class_of[sample]).collect(),
            by_step,
        }))
    }
}

/// Returns the number of steps that most base graphs take, and the first `wanted` base graphs that take it.
fn same_steps(traces: &Traces, drawn: usize, wanted: usize) -> Result<(usize, Vec<usize>)> {
    let steps = |class: usize| traces.steps(class).saturating_sub(1).max(1);
    let with = |steps_wanted: usize| {
        (0..drawn).filter(move |&class| steps(class) == steps_wanted).collect::<Vec<usize>>()
    };
    let most = (0..drawn).map(steps).max_by_key(|&count| (with(count).len(), count));
    let most = most.ok_or(Error::TooFewPoints { least: 2, found: 0 })?;
    let mut chosen = with(most);
    chosen.truncate(wanted);
    Ok((most, chosen))
}
