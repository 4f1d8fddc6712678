//! Scores under perturbations along the directions of reweighting.

use narscope_analysis::analyses::perturbations::Perturbations;
use narscope_analysis::hooks::{Along, Perturbation};

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "perturbations",
    paper: "Table 1",
    draw: |answer| {
        let found: Perturbations = read(answer)?;
        let score = |perturbation: Perturbation, along: Along| {
            let along = perturbation.is_directed().then_some(along);
            found.score(perturbation, along).unwrap_or(f64::NAN)
        };
        let values = Perturbation::ALL
            .iter()
            .map(|&it| vec![score(it, Along::Closest), score(it, Along::Mean)]);
        let bars = Mark::Bars {
            groups: Perturbation::ALL.iter().map(|it| it.name().replace('_', " ")).collect(),
            series: vec![
                (Colour::Kind(0), "direction of the closest cluster".to_owned()),
                (Colour::Kind(1), "mean direction".to_owned()),
            ],
            values: values.collect(),
        };
        Ok(vec![Picture {
            title: format!("What {} graphs score when states are moved", found.graphs),
            columns: 1,
            panels: vec![Panel {
                y: "score".to_owned(),
                marks: vec![bars],
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            }],
        }])
    },
    spaces: None,
};
