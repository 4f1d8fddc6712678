//! Scores by how messages are summed up.

use narscope_analysis::analyses::aggregation::Aggregation;

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "aggregation",
    paper: "Appendix C",
    draw: |answer| {
        let found: Aggregation = read(answer)?;
        let bars = Mark::Bars {
            groups: found.ways.iter().map(|it| it.name.clone()).collect(),
            series: vec![(Colour::Kind(0), format!("trained with {}", found.trained_with))],
            values: found.ways.iter().map(|it| vec![it.score]).collect(),
        };
        Ok(vec![Picture {
            title: format!("What the same weights score, {} graphs", found.graphs),
            columns: 1,
            panels: vec![Panel {
                x: "how messages are summed up when the network is used".to_owned(),
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
