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
use crate::directions::{CODED_C, coded_probabilities};
use crate::linalg::clusters::{nearest_centroid_accuracy, silhouette};
use crate::linalg::intrinsic::two_nearest_neighbours;
use crate::linalg::{Pca, Points};
use crate::protocol::Protocol;
use crate::sampling::Sampling;
use crate::{Error, Result};

/// Number of base graphs, each of which gives a cluster.
const CLASSES: usize = 8;
/// Factor by which more base graphs are drawn, so that enough take the same number of steps.
const SPARE: usize = 4;
/// Number of trajectories of each class that are drawn.
const DRAWN: usize = 64;

/// Smallest number of base graphs whose images are compared.
const LEAST_CLASSES: usize = 3;

/// How an orbit is drawn.
#[derive(Clone, Debug)]
struct OrbitSpec {
    name: String,
    /// Name of the symmetry.
    symmetry: &'static str,
    /// Number of base graphs.
    classes: usize,
    /// The paper's `c`, for reweighting.
    c: Option<f64>,
    /// Probabilities of edges, of which each base graph draws one.
    p: Option<Vec<f64>>,
    /// End of the keys of its measures, if it has some.
    key: Option<&'static str>,
    /// Added to the seed of samples.
    seed_offset: u32,
}

impl OrbitSpec {
    /// Images of one graph.
    fn of_one(name: &str, symmetry: &'static str, c: Option<f64>, seed_offset: u32) -> Self {
        Self { name: name.to_owned(), symmetry, classes: 1, c, p: None, key: None, seed_offset }
    }

    /// Reweighted images of several graphs.
    fn of_several(
        how: &str,
        key: &'static str,
        (p, c): (Option<Vec<f64>>, Option<f64>),
        seed_offset: u32,
    ) -> Self {
        let name = format!("reweighting of {CLASSES} graphs, {how}");
        Self { name, symmetry: "reweight", classes: CLASSES, c, p, key: Some(key), seed_offset }
    }

    /// The orbits that the dimension of rescaling is measured on. The estimate depends on where the images of a graph
    /// happen to lie, so several graphs are used.
    fn rescaled() -> Self {
        let name = format!("rescaling of {CLASSES} graphs");
        Self { classes: CLASSES, ..Self::of_one(&name, "rescale", None, 106) }
    }

    /// The orbits of a protocol. Each has a seed of its own.
    fn of_protocol(protocol: Protocol) -> Vec<Self> {
        match protocol {
            Protocol::AsStated => vec![
                Self::of_one("relabelling", "relabel", None, 100),
                Self::of_one("rescaling", "rescale", None, 101),
                Self::of_one("reweighting, c = 1/2", "reweight", Some(0.5), 102),
                Self::of_one("reweighting, c = 1/4", "reweight", Some(0.25), 103),
                Self::of_several("c = 1/2", "half", (None, Some(0.5)), 104),
                Self::of_several("c = 1/4", "quarter", (None, Some(0.25)), 105),
            ],
            Protocol::AsCoded => {
                let sparse = (Some(vec![0.1]), Some(0.25));
                let mixed = (Some(coded_probabilities()), Some(CODED_C));
                vec![
                    Self::of_several("p = 0.1, c = 1/4", "sparse_quarter", sparse, 107),
                    Self::of_several("mixed p, c = 1/16", "mixed_sixteenth", mixed, 108),
                ]
            }
        }
    }

    /// The orbit with the requested `p` and `c`, if one of them is.
    fn requested(sampling: &Sampling) -> Option<Self> {
        let Sampling { p, c, .. } = *sampling;
        let named = [p.map(|p| format!("p = {p}")), c.map(|c| format!("c = {c}"))];
        let how = named.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let options = (p.map(|p| vec![p]), c);
        (!how.is_empty())
            .then(|| Self::of_several(&format!("requested {how}"), "requested", options, 109))
    }

    /// All orbits to analyse.
    fn all(sampling: &Sampling) -> Vec<Self> {
        let orbits = sampling.protocols().flat_map(Self::of_protocol);
        orbits.chain(Self::requested(sampling)).collect()
    }

    /// Number of base graphs that are drawn, so that enough of them take the same number of steps.
    fn classes_drawn(&self) -> usize {
        if self.classes > 1 { SPARE * self.classes } else { 1 }
    }
}

/// Hidden states of images of graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symmetries {
    /// All orbits.
    pub orbits: Vec<Orbit>,
    /// Per rescaled graph, the intrinsic dimension of its images, averaged over steps.
    pub rescaling: Vec<f64>,
    /// Why each orbit that could not be analysed is missing.
    pub left_out: Vec<String>,
}

/// Images of one or several graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Orbit {
    /// Name.
    pub name: String,
    /// End of the keys of its measures, if it has some.
    pub key: Option<String>,
    /// Number of base graphs.
    pub classes: usize,
    /// Number of base graphs that were drawn, and of those among them that take the most frequent number of steps: the
    /// first ones of these are analysed.
    pub classes_drawn: usize,
    /// See [`classes_drawn`](Self::classes_drawn).
    pub classes_with_steps: usize,
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
    const REVISION: u32 = 6;
    const PROTOCOLS: Option<&'static str> = Some(
        "Whether images of several reweighted graphs form clusters depends on the density of the graphs. As stated, base graphs have \
         p = 0.5, with c = 1/2 or 1/4. As coded, they have p = 0.1 and c = 1/4, or each draws its p from {0.05, 0.10, …, 0.90}, with \
         c = 1/16. In both, only graphs that take the same number of steps are compared.",
    );

    fn run(context: &Context<'_>) -> Result<Self> {
        if let Some((all, classes)) = context.recorded_images() {
            return Ok(Self {
                orbits: vec![Orbit::recorded(all, classes, context)?],
                rescaling: vec![],
                left_out: vec![],
            });
        }
        context.shortest_path_network(Self::NAME)?;
        let (mut orbits, mut left_out) = (vec![], vec![]);
        for orbit in OrbitSpec::all(&context.sampling) {
            match Orbit::of(context, &orbit) {
                Ok(orbit) => orbits.push(orbit),
                Err(error) if error.is_unsuitable() => left_out.push(error.to_string()),
                Err(error) => return Err(error),
            }
        }
        let rescaling = Images::of(context, &OrbitSpec::rescaled())?.dimensions();
        Ok(Self { orbits, rescaling, left_out })
    }

    fn sentence(&self) -> String {
        let Some(scaling) = mean(&self.rescaling) else {
            return self.orbits.iter().map(Orbit::sentence).collect::<Vec<_>>().join(" ");
        };
        let mut sentence =
            format!("The images of a rescaled graph have an intrinsic dimension of {scaling:.1}.");
        for orbit in self.orbits.iter().filter(|orbit| orbit.key.is_some()) {
            sentence.extend([" ", &orbit.sentence_on_classes()]);
        }
        for reason in &self.left_out {
            sentence.extend([" Left out: ", reason, "."]);
        }
        sentence
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        if let Some(dimension) = mean(&self.rescaling) {
            let label = "dimensions of the scaling orbit, mean over steps";
            let error = standard_error(&self.rescaling);
            measures.push(Measure::number("scaling_dimension", label, dimension).with_error(error));
        }
        measures.extend(self.orbits.iter().flat_map(Orbit::measures));
        measures
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
    /// Number of drawn base graphs that take this number of steps.
    classes_with_steps: usize,
}

impl Images {
    /// Runs the network on the images of an orbit.
    fn of(context: &Context<'_>, orbit: &OrbitSpec) -> Result<Self> {
        let drawn = orbit.classes_drawn();
        let options = Options {
            family: orbit.symmetry.parse()?,
            classes: Some(drawn),
            c: orbit.c,
            p: orbit.p.clone(),
            ..Options::default()
        };
        let request = Request {
            options,
            seed_offset: orbit.seed_offset,
            pooling: Pooling::Max,
            ..Request::new(drawn * context.sampling.images)
        };
        let traces = context.samples(Symmetries::NAME, &request)?;
        let (steps, mut chosen) = same_steps(&traces, drawn)?;
        let classes_with_steps = chosen.len();
        chosen.truncate(orbit.classes);
        if orbit.key.is_some() {
            check_classes(&orbit.name, drawn, steps, classes_with_steps)?;
        }
        let samples: Vec<usize> =
            (0..traces.len()).filter(|i| chosen.contains(&(i % drawn))).collect();
        let class = |&sample: &usize| chosen.iter().position(|&class| class == sample % drawn);
        let class_of: Vec<usize> =
            samples.iter().map(|i| class(i).expect("samples are of chosen classes")).collect();
        let all = context.run(Symmetries::NAME, &traces.select(&samples), &request, &mut NoHook)?;
        Ok(Self { all, steps, class_of, classes_with_steps })
    }

    /// Per base graph, the intrinsic dimension of its images, averaged over steps.
    fn dimensions(&self) -> Vec<f64> {
        let Self { all, steps, class_of, .. } = self;
        let classes = class_of.iter().max().map_or(0, |most| most + 1);
        let of_class = |class: usize| {
            let samples: Vec<usize> = (0..all.len()).filter(|&i| class_of[i] == class).collect();
            let of_step = |step: usize| {
                let mut points = Points::new(all.hidden);
                for &sample in &samples {
                    points.push(all.state(sample, step));
                }
                two_nearest_neighbours(&points)
            };
            mean(&(0..*steps).filter_map(of_step).collect::<Vec<f64>>())
        };
        (0..classes).filter_map(of_class).collect()
    }
}

/// Standard error of the mean; `None` for a single value.
fn standard_error(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt() / count.sqrt())
}

impl Orbit {
    fn of(context: &Context<'_>, spec: &OrbitSpec) -> Result<Self> {
        let Images { all, steps, class_of, classes_with_steps } = Images::of(context, spec)?;
        let samples: Vec<usize> = (0..all.len()).collect();
        let orbit = Self::of_trajectories(&spec.name, &all, &samples, steps, &class_of)?;
        let orbit = orbit.expect("the requested states were recorded, for at least one step");
        Ok(Self {
            key: spec.key.map(str::to_owned),
            classes_drawn: spec.classes_drawn(),
            classes_with_steps,
            ..orbit
        })
    }

    /// How far the classes of the orbit are apart, and how many of the drawn ones are left.
    fn sentence_on_classes(&self) -> String {
        let Self { name, classes, classes_drawn, classes_with_steps, steps, separation, .. } = self;
        let nearest = separation.map_or(f64::NAN, |it| it.nearest_centroid);
        format!(
            "{name}: {:.1} % of the images are nearest to the centroid of their own graph ({classes} graphs, of {classes_with_steps} among \
             {classes_drawn} that take {steps} steps).",
            100.0 * nearest
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let Some(key) = &self.key else { return vec![] };
        let mut measures = vec![Measure::share(
            format!("reweighting_in_three_{key}"),
            format!("variance in 3 dimensions, step-wise, {}", self.name),
            self.in_three,
        )];
        if let Some(Separation { silhouette, nearest_centroid }) = self.separation {
            let label = format!("silhouette of trajectories, {}", self.name);
            measures.push(Measure::number(format!("silhouette_{key}"), label, silhouette));
            let label = format!("nearest to their own centre, {}", self.name);
            measures.push(Measure::share(
                format!("nearest_centroid_{key}"),
                label,
                nearest_centroid,
            ));
        }
        measures
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
        let drawn = classes.iter().max().map_or(0, |most| most + 1);
        if drawn >= LEAST_CLASSES {
            check_classes("the recording", drawn, steps, known.len())?;
        }
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
            key: None,
            classes,
            classes_drawn: classes,
            classes_with_steps: classes,
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

/// Checks that enough base graphs take the same number of steps for their images to be compared.
fn check_classes(orbit: &str, drawn: usize, steps: usize, found: usize) -> Result<()> {
    if found >= LEAST_CLASSES {
        return Ok(());
    }
    Err(Error::TooFewClasses { orbit: orbit.to_owned(), least: LEAST_CLASSES, drawn, steps, found })
}

/// Returns the number of steps that most base graphs take, and the base graphs that take it.
fn same_steps(traces: &Traces, drawn: usize) -> Result<(usize, Vec<usize>)> {
    let steps = |class: usize| traces.steps(class).saturating_sub(1).max(1);
    let with = |steps_wanted: usize| {
        (0..drawn).filter(move |&class| steps(class) == steps_wanted).collect::<Vec<usize>>()
    };
    let most = (0..drawn).map(steps).max_by_key(|&count| (with(count).len(), count));
    let most = most.ok_or(Error::TooFewPoints { least: 2, found: 0 })?;
    Ok((most, with(most)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn fewer_than_three_classes_are_an_error_of_that_orbit_only() {
        assert!(check_classes("reweighting", 32, 6, 3).is_ok());
        let error = check_classes("reweighting", 32, 6, 2).unwrap_err();
        assert!(error.is_unsuitable());
        assert_eq!(
            error.to_string(),
            "reweighting needs at least 3 base graphs with equally many steps, but of 32 only 2 take 6 steps"
        );
    }

    #[test]
    fn every_orbit_has_samples_and_keys_of_its_own() {
        let sampling = Sampling { p: Some(0.2), ..Sampling::QUICK };
        let mut all = OrbitSpec::all(&sampling);
        all.push(OrbitSpec::rescaled());
        let seeds: BTreeSet<u32> = all.iter().map(|orbit| orbit.seed_offset).collect();
        assert_eq!(seeds.len(), all.len());
        let keys: Vec<&str> = all.iter().filter_map(|orbit| orbit.key).collect();
        assert_eq!(keys, ["half", "quarter", "sparse_quarter", "mixed_sixteenth", "requested"]);
        assert_eq!(all[8].name, "reweighting of 8 graphs, requested p = 0.2");
        let coded = Sampling { protocol: Some(Protocol::AsCoded), ..Sampling::QUICK };
        assert_eq!(OrbitSpec::all(&coded).len(), 2);
    }
}
