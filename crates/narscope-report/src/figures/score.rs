//! The test score, exact matches and valid outputs.

use narscope_analysis::analyses::score::Score;

use super::{Figure, counted, read};
use crate::plot::{Bar, Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "score",
    paper: "Section 5 and appendix C",
    draw: |answer| {
        let found: Score = read(answer)?;
        let bar = |index: usize, name: &str| Bar {
            colour: Colour::Category(index),
            name: name.to_owned(),
        };
        let mut bars = vec![bar(0, "same as the algorithm")];
        let (mut elements, mut outputs) = (vec![found.score], vec![found.exact]);
        if let Some(valid) = found.valid {
            bars.push(bar(1, "valid solution"));
            elements.push(valid.score);
            outputs.push(valid.whole);
        }
        Ok(vec![Picture {
            title: format!(
                "{} with {}",
                counted(found.samples, "test sample"),
                counted(found.nodes, "node")
            ),
            columns: 1,
            panels: vec![Panel {
                y_label: "share".to_owned(),
                marks: vec![Mark::Bars {
                    groups: ["elements of outputs", "whole outputs"].map(str::to_owned).to_vec(),
                    bars,
                    values: vec![elements, outputs],
                }],
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            }],
        }])
    },
    spaces: None,
};
