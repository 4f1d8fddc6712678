//! Scores with states perturbed along the directions of clusters.

use narscope_analysis::analyses::perturbations::Perturbations;
use narscope_analysis::hooks::{Along, Perturbation, Reading};

use super::{Figure, counted, read};
use crate::plot::{Bar, Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "perturbations",
    paper: "Table 1",
    draw: |answer| {
        let found: Perturbations = read(answer)?;
        let panel = |reading: Reading, title: &str| {
            let score = |it: Perturbation, along| found.score(it, along, reading);
            let values = Perturbation::ALL.iter().map(|&it| {
                let both = [Along::Closest, Along::Mean].map(|along| score(it, along));
                both.map(|score| score.unwrap_or(f64::NAN)).to_vec()
            });
            let bars = Mark::Bars {
                groups: Perturbation::ALL.iter().map(|it| it.name().replace('_', " ")).collect(),
                bars: [(0, "direction of the closest cluster"), (1, "mean direction")]
                    .map(|(index, name)| Bar {
                        colour: Colour::Category(index),
                        name: name.to_owned(),
                    })
                    .to_vec(),
                values: values.collect(),
            };
            Panel {
                title: title.to_owned(),
                y_label: "score".to_owned(),
                marks: vec![bars],
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            }
        };
        Ok(vec![Picture {
            title: format!("Scores on {} with perturbed states", counted(found.graphs, "graph")),
            columns: 2,
            panels: vec![
                panel(Reading::Graph, "whole graphs, relative to the mean of the clusters"),
                panel(Reading::Node, "per node, relative to the origin"),
            ],
        }])
    },
    spaces: None,
};
