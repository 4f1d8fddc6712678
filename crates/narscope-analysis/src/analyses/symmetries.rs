//! What images of a graph under symmetries of shortest paths look like inside a network (section
//! 3.3 of the paper).

use narscope_clrs::options::Options;
use narscope_clrs::trace::Traces;
use narscope_model::rollout::NoHook;
use narscope_model::trajectory::{Kept, Trajectories};
use serde::{Deserialize, Serialize};

use super::dimensionality::{three, trajectories};
use super::{Analysis, Measure};
use crate::linalg::clusters::{nearest_centroid_accuracy, silhouette};
use crate::linalg::intrinsic::two_nearest_neighbours;
use crate::linalg::{Pca, Points};
use crate::study::{Ask, Study};
use crate::{Error, Result};

/// How many base graphs the clusters come from.
const CLASSES: usize = 8;
/// Base graphs are drawn until as many take the same number of steps: so many times as many.
const SPARE: usize = 4;
/// How many trajectories of each class are kept to be drawn.
const DRAWN: usize = 64;

/// The orbits that are looked at: name, symmetry, number of classes, the paper's `c`.
const ORBITS: [(&str, &str, usize, Option<f64>); 6] = [
    ("relabelling", "relabel", 1, None),
    ("rescaling", "rescale", 1, None),
    ("reweighting, c = 1/2", "reweight", 1, Some(0.5)),
    ("reweighting, c = 1/4", "reweight", 1, Some(0.25)),
    ("reweighting of 8 graphs, c = 1/2", "reweight", CLASSES, Some(0.5)),
    ("reweighting of 8 graphs, c = 1/4", "reweight", CLASSES, Some(0.25)),
];

/// What images of graphs look like inside a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symmetries {
    /// All orbits.
    pub orbits: Vec<Orbit>,
}

/// Images of one or several graphs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Orbit {
    /// What it is called.
    pub name: String,
    /// How many graphs it starts from.
    pub classes: usize,
    /// How many images each of them has.
    pub images: usize,
    /// How many steps all of them take.
    pub steps: usize,
    /// The share of the variance of all states in three dimensions.
    pub in_three: f64,
    /// Each step by itself.
    pub by_step: Vec<OrbitStep>,
    /// How far apart classes are, as whole trajectories.
    pub separation: Option<Separation>,
    /// How accurate the network is on them.
    pub score: f64,
    /// Trajectories to draw: three coordinates per step, class after class.
    pub drawn: Vec<Vec<[f32; 3]>>,
    /// The class of each of these.
    pub drawn_classes: Vec<usize>,
}

/// The states after one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrbitStep {
    /// The share of their variance in the first three dimensions, one by one.
    pub ratios: Vec<f64>,
    /// See [`Pca::participation_ratio`].
    pub participation_ratio: f64,
    /// How many dimensions they have, however bent: `None` where all are the same.
    pub intrinsic_dimension: Option<f64>,
    /// How far apart classes are.
    pub separation: Option<Separation>,
}

/// How far apart classes are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    /// From -1 to 1; see [`silhouette`].
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
        "Do graphs on which the algorithm does the same lie together, and in what shape?";
    const PAPER: &'static str = "Figure 1 middle and right, section 3.3, appendix I";

    fn of(study: &Study<'_>) -> Result<Self> {
        let orbits = ORBITS.iter().enumerate();
        let orbits = orbits.map(|(place, orbit)| Orbit::of(study, *orbit, place as u32));
        Ok(Self { orbits: orbits.collect::<Result<_>>()? })
    }

    fn sentence(&self) -> String {
        let (Some(scaled), Some(clusters)) = (self.orbit(1), self.orbit(5)) else {
            return "Some orbits are missing.".to_owned();
        };
        let separation = clusters.separation.map_or(f64::NAN, |it| it.nearest_centroid);
        format!(
            "Rescaled graphs lie on a curve of {:.1} dimensions; of 8 classes of reweighted graphs, {:.1} % are nearest to \
             the centre of their own.",
            scaled.dimension().unwrap_or(f64::NAN),
            100.0 * separation
        )
    }

    fn measures(&self) -> Vec<Measure> {
        let mut measures = vec![];
        if let Some(scaled) = self.orbit(1)
            && let Some(dimension) = scaled.dimension()
        {
            let label = "dimensions of the scaling orbit, mean over steps";
            measures.push(Measure::number("scaling_dimension", label, dimension));
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
        self.orbits.iter().find(|orbit| orbit.name == ORBITS[place].0)
    }
}

impl Orbit {
    /// The mean over steps at which states differ.
    pub fn dimension(&self) -> Option<f64> {
        let known: Vec<f64> =
            self.by_step.iter().filter_map(|step| step.intrinsic_dimension).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }

    fn of(
        study: &Study<'_>,
        (name, family, classes, c): (&str, &str, usize, Option<f64>),
        place: u32,
    ) -> Result<Self> {
        let drawn = if classes > 1 { SPARE * classes } else { 1 };
        let options =
            Options { family: family.parse()?, classes: Some(drawn), c, ..Options::default() };
        let ask = Ask {
            options,
            offset: 100 + place,
            kept: Kept::Max,
            ..Ask::new(drawn * study.size.images)
        };
        let traces = study.samples(Symmetries::NAME, &ask)?;
        let (steps, chosen) = same_steps(&traces, drawn, classes)?;
        let samples: Vec<usize> =
            (0..traces.len()).filter(|i| chosen.contains(&(i % drawn))).collect();
        let class = |&sample: &usize| chosen.iter().position(|&class| class == sample % drawn);
        let class_of: Vec<usize> =
            samples.iter().map(|i| class(i).expect("samples are of chosen classes")).collect();
        let all = study.run(Symmetries::NAME, &traces.select(&samples), &ask, &mut NoHook)?;
        Self::of_trajectories(name, &all, steps, &class_of)
    }

    /// The orbit of trajectories of known classes that all take the same number of steps.
    fn of_trajectories(
        name: &str,
        all: &Trajectories,
        steps: usize,
        class_of: &[usize],
    ) -> Result<Self> {
        let samples: Vec<usize> = (0..all.len()).collect();
        let whole = trajectories(all, &samples, steps, all.kept, false);
        let whole = whole.expect("states are kept as they are asked for, of at least one step");
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
        let drawn_samples: Vec<usize> = samples
            .into_iter()
            .filter(|&sample| {
                taken[class_of[sample]] += 1;
                taken[class_of[sample]] <= DRAWN
            })
            .collect();
        let drawn = drawn_samples.iter().map(|&sample| {
            let states = whole.get(sample).chunks_exact(all.hidden);
            states.map(|state| three(&pca.project(state))).collect()
        });
        Ok(Self {
            name: name.to_owned(),
            classes,
            images: all.len() / classes.max(1),
            steps,
            in_three: pca.explained(3),
            separation: separation(&whole),
            score: all.mean_score(),
            drawn: drawn.collect(),
            drawn_classes: drawn_samples.iter().map(|&sample| class_of[sample]).collect(),
            by_step,
        })
    }
}

/// The number of steps that most base graphs take, and the first so many of those that do.
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
