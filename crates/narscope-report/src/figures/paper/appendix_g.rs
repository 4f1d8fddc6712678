//! Appendix G: three components, of whole trajectories (left) and of states (right), of five families of graphs.

use narscope_analysis::analyses::dimensionality::{Dimensionality, PointIs};
use narscope_analysis::analyses::symmetries::{Orbit, Symmetries};

use super::draft::Draft;
use super::figure_1::{clearest, how};
use super::networks::Networks;
use super::numbers::{Beside, shares};
use super::{LINEAR, PaperFigure, whole};
use crate::Result;
use crate::figures::dimensionality::{in_few, trajectories, whole_ratios};
use crate::figures::symmetries::orbit;
use crate::figures::trajectories::{MAX_LINES, Trajectories, space};
use crate::figures::words::counted;
use crate::plot::{Colour, Line3d, Panel, Point3d};

pub(super) const RANDOM: PaperFigure = PaperFigure {
    file: "appendix-g-random",
    place: "appendix G, random graphs",
    compose: |networks| {
        let mut draft = pair("random graphs");
        let Some(network) = draft.find::<Dimensionality>(networks, LINEAR, "random graphs")? else {
            return Ok(draft);
        };
        let found = network.first();
        let ratios = whole_ratios(found, &found.drawn);
        draft.panels = vec![
            whole_in_space(&found.drawn.trajectories, ratios, |_| Colour::Category(0)),
            trajectories(found, &found.drawn).in_space("states"),
        ];
        let of = |points| network.values(|found| in_few(found, found.drawn.over_nodes, points));
        let measure = |key: &'static str| (LINEAR, "dimensionality", key);
        let what = "variance in three components";
        draft.numbers = vec![
            Beside::share(
                format!("{what}, trajectories"),
                measure("trajectory_wise_max"),
                &of(PointIs::Trajectory),
            ),
            Beside::share(format!("{what}, states"), measure("step_wise_max"), &of(PointIs::Step)),
        ];
        draft.add_sentence(&format!("{}.", counted(found.drawn.steps.len(), "random graph")));
        Ok(draft)
    },
};

pub(super) const RELABELLED: PaperFigure = PaperFigure {
    file: "appendix-g-permutation",
    place: "appendix G, permuted graphs",
    compose: |networks| of_orbit(networks, "a permuted graph", |it| orbit(it, "relabelling")),
};

pub(super) const SCALED: PaperFigure = PaperFigure {
    file: "appendix-g-scaling",
    place: "appendix G, scaled graphs",
    compose: |networks| of_orbit(networks, "a scaled graph", |it| orbit(it, "rescaling")),
};

pub(super) const REWEIGHTED: PaperFigure = PaperFigure {
    file: "appendix-g-reweighting",
    place: "appendix G, reweighted graphs",
    compose: |networks| {
        of_orbit(networks, "a reweighted graph", |it| orbit(it, "reweighting, c = 1/4"))
    },
};

pub(super) const CLUSTERS: PaperFigure = PaperFigure {
    file: "appendix-g-clusters",
    place: "appendix G, eight clusters of reweighted graphs",
    compose: |networks| of_orbit(networks, "eight reweighted graphs", clearest),
};

/// A figure of two panels without its panels.
fn pair(of: &str) -> Draft {
    Draft {
        title: format!("Whole trajectories and states of {of}, in three components"),
        caption: "Left, whole trajectories, a point each; right, states after every step with trajectories in red; maximum over \
                  nodes, first seed. The report has the states as a view that turns."
            .to_owned(),
        columns: 2,
        ..Draft::default()
    }
}

/// The figure of images of graphs.
fn of_orbit(
    networks: &Networks<'_>,
    name: &str,
    of: fn(&Symmetries) -> Option<&Orbit>,
) -> Result<Draft> {
    let mut draft = pair(name);
    let Some(network) = draft.find::<Symmetries>(networks, LINEAR, name)? else {
        return Ok(draft);
    };
    let Some(found) = of(network.first()) else {
        draft.left_out.push(format!("Left out: {name}, because its images could not be analysed."));
        return Ok(draft);
    };
    let class = |index: usize| match found.classes {
        0 | 1 => Colour::Category(0),
        classes => Colour::Many(found.drawn_classes[index], classes),
    };
    if let Some((places, ratios)) = whole::trajectories(&found.drawn) {
        draft.panels.push(whole_in_space(&places, &ratios, class));
    }
    let states = Trajectories { states: &found.drawn, ratios: &[] };
    draft.panels.push(match found.classes {
        0 | 1 => states.in_space("states"),
        _ => states_by_class(&found.drawn, class),
    });
    let in_three = network.values(|found| Some(of(found)?.in_three));
    let what = "variance of states in three components";
    draft.numbers = vec![Beside::new(what, "no number", shares(&in_three))];
    let how =
        if found.classes > 1 { format!(", {}, a colour each", how(found)) } else { String::new() };
    draft.add_sentence(&format!(
        "{} of {}{how}. What differs: components of whole trajectories are computed from the first three of all states, which \
         answers keep.",
        counted(found.drawn.len(), "image"),
        counted(found.classes, "graph"),
    ));
    Ok(draft)
}

/// Whole trajectories in three components.
fn whole_in_space(places: &[[f32; 3]], ratios: &[f64], colour: impl Fn(usize) -> Colour) -> Panel {
    let point = |(index, position): (usize, &[f32; 3])| Point3d {
        position: *position,
        colour: colour(index),
    };
    space("whole trajectories", places.iter().enumerate().map(point).collect(), vec![], ratios)
}

/// States in three components, coloured by class, with some trajectories.
fn states_by_class(drawn: &[Vec<[f32; 3]>], class: impl Fn(usize) -> Colour) -> Panel {
    let points = drawn.iter().enumerate().flat_map(|(index, states)| {
        let colour = class(index);
        states.iter().map(move |&position| Point3d { position, colour })
    });
    let lines = drawn.iter().take(MAX_LINES);
    let lines = lines.map(|states| Line3d { points: states.clone(), colour: Colour::Trajectory });
    space("states, a colour per graph", points.collect(), lines.collect(), &[])
}

#[cfg(test)]
mod tests {
    use super::super::samples::{changed, counterpart, panels};
    use super::*;

    #[test]
    fn each_has_whole_trajectories_and_states() {
        for figure in [&RANDOM, &RELABELLED, &SCALED, &REWEIGHTED] {
            assert_eq!(panels(figure.file), ["whole trajectories", "states"], "{}", figure.file);
        }
        assert_eq!(panels(CLUSTERS.file), ["whole trajectories", "states, a colour per graph"]);
    }

    #[test]
    fn images_that_could_not_be_analysed_are_left_out_with_a_sentence() {
        let networks = changed(|found: &mut Symmetries| {
            found.orbits.retain(|orbit| orbit.name != "rescaling");
        });
        let counterpart = counterpart(SCALED.file, &networks);
        assert!(counterpart.picture.is_none());
        let reason = "Left out: a scaled graph, because its images could not be analysed.";
        assert_eq!(counterpart.left_out, [reason]);
    }
}
