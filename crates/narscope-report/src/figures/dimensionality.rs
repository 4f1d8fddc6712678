//! Trajectories of random graphs, and the share of their variance in the first components.

use narscope_analysis::analyses::dimensionality::{Dimensionality, Drawn, PointIs};
use narscope_model::pooling::Pooling;

use super::marks::{Row, curves, dots};
use super::seeds::{Network, SHARE, Shown, means, network, networks, seeds_in_words};
use super::trajectories::{Trajectories, components, xy};
use super::words::{counted, percents};
use super::{Figure, Space, read};
use crate::plot::{Axis, Colour, Mark, Panel, Picture, Points, Reference};

pub(super) const FIGURE: Figure = Figure {
    name: "dimensionality",
    paper: "Figure 1 left; appendices C.2, F and G",
    draw: |groups| {
        let networks = networks::<Dimensionality>(groups)?;
        Ok(vec![states(&networks), variance(&networks)])
    },
    details: Some(|group| {
        let network = network::<Dimensionality>(group)?;
        Ok([Some(seeds(&network)), poolings(&network)].into_iter().flatten().collect())
    }),
    spaces: Some(|answer| {
        let Dimensionality { drawn, steps, .. } = read(answer)?;
        let scores = drawn.scores[..drawn.steps.len()].to_vec();
        Ok(vec![Space {
            title: format!("random graphs with {}", counted(steps, "step")),
            trajectories: drawn.steps,
            scores: Some(scores),
            classes: None,
        }])
    }),
};

/// Number of components that the paper looks at.
const FEW: usize = 3;

/// Drawn trajectories with the shares of their components.
pub(super) fn trajectories<'a>(found: &'a Dimensionality, drawn: &'a Drawn) -> Trajectories<'a> {
    let view = found.view(drawn.over_nodes, PointIs::Step);
    Trajectories { states: &drawn.steps, ratios: view.map_or(&[], |view| &view.ratios) }
}

/// Share of the variance in three components.
pub(super) fn in_few(found: &Dimensionality, over_nodes: Pooling, points: PointIs) -> Option<f64> {
    found.view(over_nodes, points).map(|view| view.ratios.iter().take(FEW).sum())
}

/// Trajectories of the first seed of every variant.
fn states(networks: &[Network<'_, Dimensionality>]) -> Picture {
    let first = networks[0].first();
    let (columns, panels) = if let [network] = networks {
        let found = network.first();
        let drawn = trajectories(found, &found.drawn);
        let panels = vec![
            drawn.by_step("states"),
            drawn.by_time("first component by step"),
            drawn.in_space("three components"),
        ];
        (3, panels)
    } else {
        let panels = networks.iter().map(|network| {
            let found = network.first();
            trajectories(found, &found.drawn).by_step(network.variant)
        });
        (networks.len().min(4), panels.collect())
    };
    let seeds: Vec<String> =
        networks.iter().map(|network| network.seeds[0].0.to_string()).collect();
    let seed = if seeds.iter().all(|seed| *seed == seeds[0]) {
        format!("seed {}", seeds[0])
    } else {
        "the first seed of each".to_owned()
    };
    Picture {
        title: states_title(networks),
        caption: format!(
            "Hidden states, {} over nodes, of {} that take {}, in the principal components of all states; percentages are \
             explained variance. Colours: steps; lines: some whole trajectories; {seed}.",
            pooling_name(first.drawn.over_nodes),
            counted(first.drawn.steps.len(), "graph"),
            counted(first.steps, "step"),
        ),
        columns,
        panels,
        ..Picture::default()
    }
}

fn states_title(networks: &[Network<'_, Dimensionality>]) -> String {
    let of =
        |points: PointIs| means(networks, |found| in_few(found, found.drawn.over_nodes, points));
    let channels = networks[0].first().channels;
    let shares = of(PointIs::Step);
    if shares.is_empty() {
        return "Hidden states".to_owned();
    }
    format!(
        "{} of {channels} components hold {} of the variance of states",
        if channels < FEW { "All".to_owned() } else { "Three".to_owned() },
        percents(&shares)
    )
}

/// Share of the variance in the first components, with all seeds.
fn variance(networks: &[Network<'_, Dimensionality>]) -> Picture {
    let panel = |title: &str, points: PointIs| {
        let mut marks: Vec<Mark> = vec![Reference::x(FEW as f64, "").into()];
        marks.extend(curves(networks, |found| {
            let view = found.view(found.drawn.over_nodes, points);
            cumulative(view.map_or(&[], |view| &view.ratios))
        }));
        Panel {
            title: title.to_owned(),
            x: Axis::integers("components"),
            y: Axis::percent("variance").range(0.0, 1.0),
            marks,
            ..Panel::default()
        }
    };
    let kinds = [(PointIs::Step, "states"), (PointIs::Trajectory, "trajectories")];
    let rows = kinds.iter().flat_map(|&(points, kind)| {
        [Pooling::Max, Pooling::Mean, Pooling::Min].map(move |over_nodes| {
            let name = format!("{kind}, {}", pooling_name(over_nodes));
            Row::new(name, move |found: &Dimensionality| in_few(found, over_nodes, points))
        })
    });
    let rows: Vec<Row<'_, Dimensionality>> = rows.collect();
    let first = networks[0].first();
    Picture {
        title: variance_title(networks),
        caption: format!(
            "a and b, share of the variance in the first components, for single states and for whole trajectories ({} over \
             nodes). c, share in three components for other reductions over nodes. {} that take {}, {}.",
            pooling_name(first.drawn.over_nodes),
            counted(first.graphs_by_steps.get(first.steps).copied().unwrap_or(0), "graph"),
            counted(first.steps, "step"),
            seeds_in_words(networks, Shown::Both),
        ),
        columns: 3,
        panels: vec![
            panel("states", PointIs::Step),
            panel("whole trajectories", PointIs::Trajectory),
            Panel {
                title: "three components".to_owned(),
                x: Axis::percent("variance"),
                marks: vec![dots(networks, &rows, SHARE).into()],
                ..Panel::default()
            },
        ],
        ..Picture::default()
    }
}

fn variance_title(networks: &[Network<'_, Dimensionality>]) -> String {
    let of =
        |points: PointIs| means(networks, |found| in_few(found, found.drawn.over_nodes, points));
    let (states, whole) = (of(PointIs::Step), of(PointIs::Trajectory));
    if states.is_empty() || whole.is_empty() {
        return "Variance in the first components".to_owned();
    }
    format!(
        "Three components hold {} of the variance of states, {} of that of whole trajectories",
        percents(&states),
        percents(&whole)
    )
}

fn cumulative(ratios: &[f64]) -> Vec<(f64, f64)> {
    let sums = ratios.iter().scan(0.0, |sum, ratio| {
        *sum += ratio;
        Some(*sum)
    });
    sums.enumerate().map(|(index, sum)| (1.0 + index as f64, sum)).collect()
}

/// Trajectories of every seed, a row each.
fn seeds(network: &Network<'_, Dimensionality>) -> Picture {
    let panels = network.seeds.iter().flat_map(|(seed, found)| {
        let drawn = trajectories(found, &found.drawn);
        [
            drawn.by_step(format!("states, seed {seed}")),
            drawn.by_time("first component by step"),
            drawn.in_space("three components"),
        ]
    });
    Picture {
        title: format!("{}: trajectories of every seed", network.variant),
        caption:
            "As in the figure of all networks; a row per seed. Signs of components have no meaning."
                .to_owned(),
        columns: 3,
        panels: panels.collect(),
        ..Picture::default()
    }
}

/// Other reductions over nodes, of the first seed; `None` if there are none.
fn poolings(network: &Network<'_, Dimensionality>) -> Option<Picture> {
    let (seed, found) = &network.seeds[0];
    let all = std::iter::once(&found.drawn).chain(&found.drawn_otherwise);
    let panels = all.flat_map(|drawn| {
        let name = pooling_name(drawn.over_nodes);
        let states = trajectories(found, drawn);
        [
            states.by_step(format!("states, {name} over nodes")),
            states.in_space("three components"),
            whole_trajectories("whole trajectories", found, drawn),
        ]
    });
    (!found.drawn_otherwise.is_empty()).then(|| Picture {
        title: format!("{}: states reduced over nodes in other ways", network.variant),
        caption: format!(
            "A row per reduction over nodes; seed {seed}. Right, each point is the whole trajectory of a graph, in the \
             components of trajectories.",
        ),
        columns: 3,
        panels: panels.collect(),
        ..Picture::default()
    })
}

/// Whole trajectories in their first two components, a point each.
pub(super) fn whole_trajectories(
    title: impl Into<String>,
    found: &Dimensionality,
    drawn: &Drawn,
) -> Panel {
    let points = drawn.trajectories.iter().map(xy).collect();
    Panel {
        marks: vec![Points::new(points, Colour::Category(0)).opacity(0.5).into()],
        ..components(title, whole_ratios(found, drawn))
    }
}

/// Shares of the components of whole trajectories.
pub(super) fn whole_ratios<'a>(found: &'a Dimensionality, drawn: &Drawn) -> &'a [f64] {
    found.view(drawn.over_nodes, PointIs::Trajectory).map_or(&[], |view| &view.ratios)
}

pub(super) fn pooling_name(pooling: Pooling) -> String {
    match pooling {
        Pooling::Max => "maximum".to_owned(),
        Pooling::Mean => "mean".to_owned(),
        Pooling::Min => "minimum".to_owned(),
        other @ (Pooling::Each | Pooling::All) => format!("{other:?}").to_lowercase(),
    }
}
