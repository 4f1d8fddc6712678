//! Small answers, made up, for the tests of each figure.

use narscope_analysis::Protocol;
use narscope_analysis::Sampling;
use narscope_analysis::analyses::attractors::{Attractors, Spread};
use narscope_analysis::analyses::cluster_directions::{
    ClusterDirections, Crowded, DirectionStep, Found,
};
use narscope_analysis::analyses::dimensionality::{Dimensionality, Drawn, PointIs, View};
use narscope_analysis::analyses::mispredicts::{Agreement, History, Mispredicts};
use narscope_analysis::analyses::symmetries::{Orbit, Separation, Symmetries};
use narscope_analysis::analyses::value_generalisation::{
    CodedHistograms, Setting, ValueGeneralisation,
};
use narscope_analysis::analyses::walkthrough::{WalkStep, Walkthrough};
use narscope_analysis::analyses::{Analysis, Answer};
use narscope_analysis::histogram::{Histogram, OwnRange};
use narscope_model::config::{Config, Draft};
use narscope_model::pooling::Pooling;
use narscope_results::NetworkAnswers;

use super::{Counterpart, DECAY, LINEAR, SOFTMAX, TRIPLETS, counterparts};
use crate::figures::value_generalisation::SPARSE;

/// All networks of the paper, with one seed each.
pub(super) fn networks() -> Vec<NetworkAnswers> {
    [LINEAR, SOFTMAX, DECAY, TRIPLETS].map(network).into()
}

fn network(variant: &str) -> NetworkAnswers {
    let paper = Draft::preset("paper").and_then(Draft::finish).unwrap();
    NetworkAnswers {
        variant: variant.to_owned(),
        seed: 42,
        config: Config { algorithms: vec!["bellman_ford".to_owned()], ..paper },
        sampling: Some(Sampling::FULL),
        answers: vec![
            Answer::new(&dimensionality()),
            Answer::new(&symmetries()),
            Answer::new(&cluster_directions()),
            Answer::new(&attractors()),
            Answer::new(&mispredicts()),
            Answer::new(&value_generalisation()),
            Answer::new(&walkthrough()),
        ],
    }
}

/// The counterpart in a file, composed from some networks.
pub(super) fn counterpart(file: &str, networks: &[NetworkAnswers]) -> Counterpart {
    let all = counterparts(networks).unwrap();
    all.into_iter().find(|it| it.figure.file == file).expect(file)
}

/// Titles of the panels of the figure in a file.
pub(super) fn panels(file: &str) -> Vec<String> {
    let Counterpart { picture, left_out, .. } = counterpart(file, &networks());
    assert!(left_out.is_empty(), "{left_out:?}");
    picture.expect(file).panels.into_iter().map(|panel| panel.title).collect()
}

/// The networks with their answers to one question changed.
pub(super) fn changed<A: Analysis>(change: impl Fn(&mut A)) -> Vec<NetworkAnswers> {
    let mut networks = networks();
    let answers = networks.iter_mut().flat_map(|network| &mut network.answers);
    for answer in answers.filter(|answer| answer.analysis == A::NAME) {
        let mut data: A = serde_json::from_value(answer.data.clone()).unwrap();
        change(&mut data);
        *answer = Answer::new(&data);
    }
    networks
}

/// Five graphs that take three steps.
fn states() -> Vec<Vec<[f32; 3]>> {
    let graph = |graph: usize| {
        let state = |step: usize| [step as f32, (graph * graph) as f32, graph as f32];
        (0..3).map(state).collect()
    };
    (0..5).map(graph).collect()
}

fn dimensionality() -> Dimensionality {
    let view = |over_nodes, points| View {
        over_nodes,
        points,
        differences: false,
        count: 5,
        ratios: vec![0.5, 0.25, 0.125],
        participation_ratio: 2.0,
    };
    let drawn = |over_nodes| Drawn {
        over_nodes,
        steps: states(),
        trajectories: states().into_iter().map(|states| states[2]).collect(),
        scores: vec![1.0; 5],
    };
    let poolings = [Pooling::Max, Pooling::Mean, Pooling::Min];
    Dimensionality {
        graphs: 5,
        graphs_by_steps: vec![0, 0, 0, 5],
        steps: 3,
        channels: 8,
        views: poolings
            .iter()
            .flat_map(|&it| [view(it, PointIs::Step), view(it, PointIs::Trajectory)])
            .collect(),
        coded_views: vec![],
        between_steps: 0.9,
        drawn: drawn(Pooling::Max),
        drawn_otherwise: vec![drawn(Pooling::Mean), drawn(Pooling::Min)],
    }
}

fn symmetries() -> Symmetries {
    let orbit = |name: &str, key: Option<&str>, classes: usize| Orbit {
        name: name.to_owned(),
        key: key.map(str::to_owned),
        classes,
        classes_drawn: classes,
        classes_with_steps: classes,
        images: 5,
        steps: 3,
        in_three: 0.75,
        by_step: vec![],
        separation: (classes > 1).then_some(Separation { silhouette: 0.5, nearest_centroid: 0.75 }),
        score: 1.0,
        drawn: states(),
        drawn_classes: (0..5).map(|image| image % classes).collect(),
    };
    Symmetries {
        orbits: vec![
            orbit("relabelling", None, 1),
            orbit("rescaling", None, 1),
            orbit("reweighting, c = 1/4", None, 1),
            orbit("reweighting of 2 graphs, c = 1/4", Some("quarter"), 2),
            orbit("reweighting of 2 graphs, mixed p, c = 1/16", Some("mixed_sixteenth"), 2),
        ],
        rescaling: vec![1.0, 1.5],
        left_out: vec![],
    }
}

fn cluster_directions() -> ClusterDirections {
    let found = |protocol| Found {
        protocol,
        by_step: vec![DirectionStep {
            clusters: 2,
            share: 0.75,
            alignment: 0.5,
            in_tangent: 0.5,
            random_in_tangent: 0.25,
        }],
        drawn: states(),
        arrows: vec![([0.0; 3], [1.0; 3], 0), ([1.0; 3], [2.0; 3], 1)],
        crowd: states()
            .into_iter()
            .map(|states| Crowded { arrow: (states[0], states[1]), states })
            .collect(),
    };
    ClusterDirections {
        clusters: 5,
        images: 3,
        background: states().concat(),
        background_steps: [0, 1, 2].repeat(5),
        found: vec![found(Protocol::AsStated), found(Protocol::AsCoded)],
    }
}

fn attractors() -> Attractors {
    let spreads = vec![Spread { mean: 1.0, std: 0.5 }; 4];
    Attractors {
        graphs: 5,
        steps: 3,
        followed: 5,
        step_lengths: spreads.clone(),
        to_the_end: spreads.clone(),
        norms: spreads,
        score_by_steps: vec![(5, 0.9, 3), (8, 0.8, 2)],
        score_by_offset: vec![(-3, 0.5), (0, 0.9), (4, 0.8)],
    }
}

fn mispredicts() -> Mispredicts {
    let names = ["model", "bellman_ford", "noisy", "decay", "greedy"].map(str::to_owned);
    Mispredicts {
        graphs: 5,
        nodes: 4,
        output: "pi".to_owned(),
        agreement: Some(Agreement { names: names.into(), shares: vec![vec![0.75; 5]; 5] }),
        history: History {
            right: 0.75,
            was_right: 0.1875,
            never_right: 0.0625,
            flips: 1.0,
            right_before_end: vec![0.75, 0.5],
        },
        margins: None,
    }
}

fn value_generalisation() -> ValueGeneralisation {
    let (direction, p) = SPARSE;
    let mut histogram = Histogram::new(0.0, 0.5, 5);
    for node in 0..100_u8 {
        histogram.add(f64::from(node) / 50.0, node % 4 > 0);
    }
    ValueGeneralisation {
        graphs: 5,
        settings: vec![Setting {
            direction,
            p,
            distance: 1.0,
            distance_all_nodes: 1.0,
            longest_distance: 2.0,
            score: 0.75,
            rescaled: None,
        }],
        by_distance: histogram.clone(),
        by_predicted: histogram,
        auc: None,
        right_below_and_above: [Some(0.75), Some(0.5)],
        rescaled_per_graph: None,
        coded: Some(coded()),
        drawn: vec![(2.0, 1.0, true), (1.0, 1.5, false)],
    }
}

/// As coded, histograms have 100 bins.
fn coded() -> CodedHistograms {
    let counts = |first: usize| (0..100).map(|bin| usize::from(bin >= first)).collect();
    CodedHistograms {
        right: OwnRange { start: 0.0, width: 0.02, counts: counts(0) },
        wrong: OwnRange { start: 0.0, width: 0.02, counts: counts(50) },
        quotients: (0..100).map(|bin| Some(if bin < 50 { 0.0 } else { 0.5 })).collect(),
    }
}

/// From 0, node 2 is reached directly (0.50) or by 1 (0.49); the network goes directly.
fn walkthrough() -> Walkthrough {
    let step =
        |pointers: [usize; 3]| WalkStep { pointers: pointers.into(), distances: vec![0.0; 3] };
    Walkthrough {
        graph: 0,
        source: 0,
        edges: vec![(0, 1, 0.2), (0, 2, 0.5), (1, 2, 0.29)],
        truth: vec![0, 0, 1],
        distances: vec![0.0, 0.2, 0.49],
        steps: vec![step([0, 0, 2]), step([0, 0, 0])],
        names: vec![],
        directed: false,
        instance: String::new(),
        predicted_paths: vec![],
    }
}
