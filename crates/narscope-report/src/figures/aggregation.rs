//! Scores of the same weights with other aggregators.

use narscope_analysis::analyses::aggregation::Aggregation;

use super::{Figure, counted, read};
use crate::plot::{Bar, Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "aggregation",
    paper: "Appendix C",
    draw: |answer| {
        let found: Aggregation = read(answer)?;
        let bars = Mark::Bars {
            groups: found.ways.iter().map(|it| it.name.clone()).collect(),
            bars: vec![Bar {
                colour: Colour::Category(0),
                name: format!("trained with {}", found.trained_with),
            }],
            values: found.ways.iter().map(|it| vec![it.score]).collect(),
        };
        Ok(vec![Picture {
            title: format!("Same weights, other aggregators ({})", counted(found.graphs, "graph")),
            columns: 1,
            panels: vec![Panel {
                x_label: "aggregator at evaluation".to_owned(),
                y_label: "score".to_owned(),
                marks: vec![bars],
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            }],
        }])
    },
    spaces: None,
};
