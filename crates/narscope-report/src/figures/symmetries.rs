//! Orbits of graphs under symmetries of shortest paths.

use narscope_analysis::analyses::symmetries::{Orbit, Separation, Symmetries};

use super::marks::{Row, dots};
use super::seeds::{
    Network, POSITIVE, SHARE, Shown, mean, means, network, networks, seeds_in_words,
};
use super::trajectories::{Trajectories, classes, components, xy};
use super::words::{counted, decimals, percents};
use super::{Figure, Space, read};
use crate::plot::{Axis, Mark, Panel, Picture, Reference};

pub(super) const FIGURE: Figure = Figure {
    name: "symmetries",
    paper: "Figure 1 middle and right; appendices F and G",
    draw: |groups| {
        let networks = networks::<Symmetries>(groups)?;
        Ok(vec![measures(&networks), images(&networks)])
    },
    details: Some(|group| {
        let network = network::<Symmetries>(group)?;
        Ok(network.seeds.iter().map(|(seed, found)| all_orbits(&network, *seed, found)).collect())
    }),
    spaces: Some(|answer| {
        let found: Symmetries = read(answer)?;
        let orbits = found.orbits.into_iter().map(|orbit| Space {
            title: orbit.name,
            trajectories: orbit.drawn,
            scores: None,
            classes: (orbit.classes > 1).then_some(orbit.drawn_classes),
        });
        Ok(orbits.collect())
    }),
};

pub(super) fn orbit<'a>(found: &'a Symmetries, name: &str) -> Option<&'a Orbit> {
    found.orbits.iter().find(|orbit| orbit.name == name)
}

/// Intrinsic dimension of the images of an orbit, averaged over steps.
fn dimension(orbit: &Orbit) -> Option<f64> {
    let known = orbit.by_step.iter().filter_map(|step| step.intrinsic_dimension);
    let known: Vec<f64> = known.collect();
    (!known.is_empty()).then(|| mean(&known))
}

/// Images of several graphs: those that separation is measured on.
pub(super) fn with_classes(found: &Symmetries) -> impl Iterator<Item = &Orbit> {
    found.orbits.iter().filter(|orbit| orbit.classes > 1)
}

fn separation(found: &Symmetries, name: &str) -> Option<Separation> {
    orbit(found, name)?.separation
}

fn title(networks: &[Network<'_, Symmetries>]) -> String {
    let scaling =
        means(networks, |found| (!found.rescaling.is_empty()).then(|| mean(&found.rescaling)));
    let mut parts = vec![];
    if !scaling.is_empty() {
        parts.push(format!("Images of a rescaled graph have {} dimensions", decimals(&scaling, 1)));
    }
    // The last one has the most different base graphs.
    if let Some(last) = with_classes(networks[0].first()).last() {
        let near = means(networks, |found| Some(separation(found, &last.name)?.nearest_centroid));
        let chance = (1000.0 / last.classes as f64).round() / 10.0;
        parts.push(format!(
            "{} of reweighted ones are nearest to their own graph ({chance} % by chance)",
            percents(&near)
        ));
    }
    if parts.is_empty() {
        let shares = means(networks, |found| Some(found.orbits.first()?.in_three));
        return format!("Three components hold {} of the variance of images", percents(&shares));
    }
    parts.join("; ")
}

fn measures(networks: &[Network<'_, Symmetries>]) -> Picture {
    let first = networks[0].first();
    let mut rows: Vec<Row<'_, Symmetries>> = vec![];
    for of in &first.orbits {
        let row = |found: &Symmetries| orbit(found, &of.name).and_then(dimension);
        rows.push(Row::new(of.name.replace("reweighting of 8 graphs", "8 graphs"), row));
        if of.name == "rescaling" && !first.rescaling.is_empty() {
            let row =
                |found: &Symmetries| (!found.rescaling.is_empty()).then(|| mean(&found.rescaling));
            rows.push(Row::new("rescaling, 8 graphs", row));
        }
    }
    let dimensions = Panel {
        title: "intrinsic dimension".to_owned(),
        x: Axis::new("dimensions (two nearest neighbours)").from_zero(),
        marks: vec![dots(networks, &rows, POSITIVE).into()],
        ..Panel::default()
    };
    let separations =
        |title: &str, axis: Axis, mark: Reference, range, of: fn(Separation) -> f64| {
            let rows = with_classes(first).map(|orbit| {
                let name = short(&orbit.name);
                Row::new(name, move |found: &Symmetries| separation(found, &orbit.name).map(of))
            });
            let marks: Vec<Mark> =
                vec![mark.into(), dots(networks, &rows.collect::<Vec<_>>(), range).into()];
            Panel { title: title.to_owned(), x: axis, marks, ..Panel::default() }
        };
    let mut panels = vec![dimensions];
    if let Some(some) = with_classes(first).last() {
        let chance = Reference::x(1.0 / some.classes as f64, "chance");
        let nearest = Axis::percent("images").from_zero();
        panels.push(separations("nearest to their own graph", nearest, chance, SHARE, |it| {
            it.nearest_centroid
        }));
        panels.push(separations(
            "silhouette of graphs",
            Axis::new("silhouette"),
            Reference::x(0.0, ""),
            (-1.0, 1.0),
            |it| it.silhouette,
        ));
    }
    Picture {
        title: title(networks),
        caption: format!(
            "a, intrinsic dimension of the images of graphs that have the same execution, mean over steps. b, share of whole \
             trajectories that are nearest to the centre of their own graph. c, mean silhouette of the graphs: 1 if they are \
             apart, 0 if they overlap. {} of each graph, {}.",
            counted(first.orbits.first().map_or(0, |orbit| orbit.images), "image"),
            seeds_in_words(networks, Shown::Dots),
        ),
        columns: panels.len(),
        column_widths: if panels.len() == 3 { vec![1.5, 1.0, 1.0] } else { vec![] },
        panels,
        ..Picture::default()
    }
}

/// The part of a name that tells orbits of several graphs apart.
fn short(name: &str) -> String {
    name.split_once(", ").map_or(name, |(_, end)| end).to_owned()
}

/// Images of the first seed of every variant: a row each, or all orbits of a single network.
fn images(networks: &[Network<'_, Symmetries>]) -> Picture {
    let first = networks[0].first();
    let chosen: Vec<&Orbit> = match (&first.orbits[..], networks) {
        (orbits, [_]) => orbits.iter().collect(),
        ([relabelled, rescaled, .., last], _) => vec![relabelled, rescaled, last],
        (orbits, _) => orbits.iter().collect(),
    };
    let panels = networks.iter().flat_map(|network| {
        chosen.iter().filter_map(move |wanted| {
            let found = orbit(network.first(), &wanted.name)?;
            let name = match networks {
                [_] => found.name.clone(),
                _ => format!("{}: {}", network.variant, found.name),
            };
            Some(panel(name, found))
        })
    });
    Picture {
        title: images_title(networks, &chosen),
        caption: images_caption(&chosen),
        columns: chosen.len().min(3),
        panels: panels.collect(),
        ..Picture::default()
    }
}

fn images_title(networks: &[Network<'_, Symmetries>], chosen: &[&Orbit]) -> String {
    let names = chosen.iter().filter(|orbit| orbit.classes == 1);
    let shares = names.map(|orbit| {
        let shares =
            means(networks, |found| self::orbit(found, &orbit.name).map(|orbit| orbit.in_three));
        (orbit.name.clone(), percents(&shares))
    });
    let shares: Vec<(String, String)> = shares.take(2).collect();
    match &shares[..] {
        [(a, share_a), (b, share_b)] => format!(
            "Three components hold {share_a} of the variance under {a}, {share_b} under {b}"
        ),
        _ => "Images of graphs under symmetries".to_owned(),
    }
}

fn images_caption(chosen: &[&Orbit]) -> String {
    let several = chosen.iter().find(|orbit| orbit.classes > 1).map(|orbit| {
        format!(
            " Several graphs: states after the last step, a colour and an ellipse of one standard deviation for each of {}.",
            counted(orbit.classes, "graph")
        )
    });
    format!(
        "States of images of a graph in their first two principal components. One graph: colours are steps, lines are \
         trajectories.{}",
        several.unwrap_or_default()
    )
}

/// The images of an orbit: by step for one graph, by graph for several.
pub(super) fn panel(title: String, orbit: &Orbit) -> Panel {
    let steps = Trajectories { states: &orbit.drawn, ratios: &[] };
    if orbit.classes <= 1 {
        return steps.by_step(title);
    }
    let groups = (0..orbit.classes).map(|class| {
        let of_class = orbit.drawn.iter().zip(&orbit.drawn_classes);
        let of_class = of_class.filter(|(_, other)| **other == class);
        of_class.filter_map(|(states, _)| states.last().map(xy)).collect()
    });
    let groups: Vec<Vec<(f64, f64)>> = groups.collect();
    Panel { marks: classes(&groups), ..components(title, &[]) }
}

/// All orbits of one seed.
fn all_orbits(network: &Network<'_, Symmetries>, seed: u32, found: &Symmetries) -> Picture {
    let panels = found.orbits.iter().map(|orbit| panel(orbit.name.clone(), orbit));
    Picture {
        title: format!("{}, seed {seed}: images of graphs under symmetries", network.variant),
        caption: images_caption(&found.orbits.iter().collect::<Vec<_>>()),
        columns: found.orbits.len().min(3),
        panels: panels.collect(),
        ..Picture::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(rescaling: f64, nearest_centroid: f64) -> Network<'static, Symmetries> {
        let orbit = |name: &str, classes: usize| Orbit {
            name: name.to_owned(),
            key: None,
            classes,
            classes_drawn: classes,
            classes_with_steps: classes,
            images: 4,
            steps: 1,
            in_three: 0.5,
            by_step: vec![],
            separation: (classes > 1).then_some(Separation { silhouette: 0.0, nearest_centroid }),
            score: 1.0,
            drawn: vec![vec![[0.0; 3]]; 8],
            drawn_classes: (0..8).map(|index| index % classes).collect(),
        };
        let orbits = vec![orbit("rescaling", 1), orbit("reweighting of 4 graphs, c = 1/4", 4)];
        let found = Symmetries { orbits, rescaling: vec![rescaling], left_out: vec![] };
        Network { variant: "mpnn", seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn the_title_has_the_dimension_and_the_separation_that_were_found() {
        assert_eq!(
            title(&[network(1.02, 0.75)]),
            "Images of a rescaled graph have 1.0 dimensions; 75 % of reweighted ones are nearest to their own graph (25 % by chance)"
        );
        let two = title(&[network(1.0, 0.25), network(3.0, 0.5)]);
        assert!(two.contains("1.0 to 3.0 dimensions; 25 to 50 %"), "{two}");
    }

    #[test]
    fn states_of_several_graphs_are_drawn_by_graph() {
        let network = network(1.0, 0.5);
        let panel = panel(String::new(), &network.first().orbits[1]);
        let points = panel.marks.iter().filter(|mark| matches!(mark, Mark::Points(_)));
        assert_eq!(points.count(), 4);
        assert!(panel.colour_bar.is_none());
    }
}
