//! Figure 1: states of random graphs, of a scaled graph, and of reweighted graphs.

use narscope_analysis::analyses::dimensionality::{Dimensionality, PointIs};
use narscope_analysis::analyses::symmetries::{Orbit, Symmetries};

use super::draft::Draft;
use super::numbers::{Beside, decimals, shares};
use super::{LINEAR, PaperFigure};
use crate::figures::dimensionality;
use crate::figures::seeds::mean;
use crate::figures::symmetries::{orbit, panel, with_classes};
use crate::figures::trajectories::Trajectories;
use crate::figures::words::counted;

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "figure-1-trajectories",
    place: "figure 1",
    compose: |networks| {
        let mut draft = Draft {
            title: "States of random graphs, of a scaled graph, and of reweighted graphs"
                .to_owned(),
            columns: 3,
            ..Draft::default()
        };
        let mut see = vec![];
        if let Some(network) = draft.find::<Dimensionality>(networks, LINEAR, "random graphs")? {
            let found = network.first();
            let drawn = dimensionality::trajectories(found, &found.drawn);
            draft.panels.push(drawn.by_step("random graphs"));
            see.push(format!(
                "Random graphs: {} that take {}.",
                counted(found.drawn.steps.len(), "graph"),
                counted(found.steps, "step")
            ));
            let in_three = network.values(|found| {
                dimensionality::in_few(found, found.drawn.over_nodes, PointIs::Step)
            });
            draft.numbers.push(Beside::share(
                "variance of random graphs in three components",
                (LINEAR, "dimensionality", "step_wise_max"),
                &in_three,
            ));
        }
        if let Some(network) = draft.find::<Symmetries>(networks, LINEAR, "symmetries")? {
            let found = network.first();
            if let Some(scaled) = orbit(found, "rescaling") {
                let drawn = Trajectories { states: &scaled.drawn, ratios: &[] };
                draft.panels.push(drawn.by_step("one graph, scaled"));
                let of = |found: &Symmetries| {
                    (!found.rescaling.is_empty()).then(|| mean(&found.rescaling))
                };
                let dimensions = decimals(&network.values(of));
                let words = "one-dimensional";
                draft.numbers.push(Beside::new("dimension of a scaled graph", words, dimensions));
                see.push(format!(
                    "Scaling: {} of one graph, and its states after every step.",
                    counted(scaled.drawn.len(), "image")
                ));
            }
            if let Some(clusters) = clearest(found) {
                let classes = clusters.classes;
                let title = format!("{}, reweighted, at the end", counted(classes, "graph"));
                draft.panels.push(panel(title, clusters));
                let nearest = |found: &Symmetries| {
                    Some(orbit(found, &clusters.name)?.separation?.nearest_centroid)
                };
                let nearest = shares(&network.values(nearest));
                let words = "clearly separated";
                let what = "reweighted graphs nearest to their own cluster";
                draft.numbers.push(Beside::new(what, words, nearest));
                let of = |found: &Symmetries| Some(orbit(found, &clusters.name)?.in_three);
                draft.numbers.push(Beside::share(
                    "variance of reweighted graphs in three components",
                    (LINEAR, "symmetries", "reweighting_in_three_quarter"),
                    &network.values(of),
                ));
                see.push(format!(
                    "Reweighting: a colour and an ellipse of one standard deviation for each of {} after the last step ({}).",
                    counted(classes, "graph"),
                    how(clusters),
                ));
            }
            if clearest(found).is_none() {
                let missing =
                    "Left out: clusters of reweighted graphs, because they could not be analysed.";
                draft.left_out.push(missing.to_owned());
            }
        }
        draft.caption = format!(
            "Hidden states (maximum over nodes) in their first two principal components; red lines are trajectories, colours are \
             steps. {} What differs: reweighted graphs are drawn after the last step only, a colour each, because the \
             movement from step to step hides clusters; base graphs are those of the authors\u{2019} code where they lie \
             apart, since with p = 0.5 they overlap.",
            see.join(" ")
        );
        Ok(draft)
    },
};

/// Keys of orbits of several graphs, from the clearest to the least clear clusters in two components at the end.
const CLEAREST: [&str; 4] = ["sparse_quarter", "mixed_sixteenth", "quarter", "half"];

/// The reweighted graphs whose clusters lie farthest apart: those of the authors' code, if they were analysed.
pub(super) fn clearest(found: &Symmetries) -> Option<&Orbit> {
    let of_key = |key: &str| with_classes(found).find(|orbit| orbit.key.as_deref() == Some(key));
    CLEAREST.iter().find_map(|key| of_key(key)).or_else(|| with_classes(found).last())
}

/// How the base graphs of an orbit were drawn: the end of its name.
pub(super) fn how(orbit: &Orbit) -> &str {
    orbit.name.split_once(", ").map_or("", |(_, how)| how)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{changed, counterpart, panels};
    use super::*;

    #[test]
    fn it_has_random_scaled_and_the_clearest_reweighted_graphs() {
        let titles = panels(FIGURE.file);
        assert_eq!(
            titles,
            ["random graphs", "one graph, scaled", "2 graphs, reweighted, at the end"]
        );
        let networks = changed(|_: &mut Symmetries| {});
        let caption = counterpart(FIGURE.file, &networks).picture.unwrap().caption;
        assert!(caption.contains("(mixed p, c = 1/16)"), "{caption}");
    }

    #[test]
    fn an_orbit_that_was_not_analysed_leaves_the_other_panels() {
        let networks = changed(|found: &mut Symmetries| {
            found.orbits.retain(|orbit| orbit.classes == 1);
        });
        let counterpart = counterpart(FIGURE.file, &networks);
        assert_eq!(counterpart.picture.unwrap().panels.len(), 2);
        let reason = "Left out: clusters of reweighted graphs, because they could not be analysed.";
        assert_eq!(counterpart.left_out, [reason]);
    }
}
