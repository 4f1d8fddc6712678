//! The test score, and what else counts as being right.

use narscope_analysis::analyses::score::Score;

use super::{Figure, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "score",
    paper: "Section 5 and appendix C",
    draw: |answer| {
        let found: Score = read(answer)?;
        let mut series = vec![(Colour::Kind(0), "as the algorithm answers".to_owned())];
        let (mut parts, mut whole) = (vec![found.score], vec![found.exact]);
        if let Some(valid) = found.valid {
            series.push((Colour::Kind(1), "right, as far as can be checked".to_owned()));
            parts.push(valid.score);
            whole.push(valid.whole);
        }
        Ok(vec![Picture {
            title: format!("{} test samples of {} nodes", found.samples, found.nodes),
            columns: 1,
            panels: vec![Panel {
                y: "share".to_owned(),
                marks: vec![Mark::Bars {
                    groups: ["parts of answers", "whole answers"].map(str::to_owned).to_vec(),
                    series,
                    values: vec![parts, whole],
                }],
                y_percent: true,
                y_range: Some((0.0, 1.0)),
                ..Panel::default()
            }],
        }])
    },
    spaces: None,
};
