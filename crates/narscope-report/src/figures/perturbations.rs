//! Scores under perturbations along the directions of reweighting.

use narscope_analysis::analyses::perturbations::Perturbations;
use narscope_analysis::hooks::{Along, Perturbation, Reading};

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

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
                series: vec![
                    (Colour::Kind(0), "direction of the closest cluster".to_owned()),
                    (Colour::Kind(1), "mean direction".to_owned()),
                ],
                values: values.collect(),
            };
            Panel {
                title: title.to_owned(),
                y: "score".to_owned(),
                marks: vec![bars],
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            }
        };
        Ok(vec![Picture {
            title: format!("What {} graphs score when states are moved", found.graphs),
            columns: 2,
            panels: vec![
                panel(Reading::Graph, "graphs as a whole, about the mean of clusters"),
                panel(Reading::Node, "node by node, about the origin"),
            ],
        }])
    },
    spaces: None,
};
