//! Scores and numbers of steps of stopping rules.

use narscope_analysis::analyses::stopping::Stopping;

use super::{Figure, counted, read};
use crate::plot::{Colour, Mark, Panel, Picture};

pub(super) const FIGURE: Figure = Figure {
    name: "stopping",
    paper: "Section 6, future work",
    draw: |answer| {
        let found: Stopping = read(answer)?;
        let curve = found.thresholds.iter().map(|(_, it)| (it.steps, it.score)).collect();
        let mut marks = vec![Mark::Line {
            points: curve,
            colour: Colour::Muted,
            width: 1.4,
            band: vec![],
            name: Some("threshold on the change of states".to_owned()),
        }];
        marks.extend(found.rules.iter().enumerate().map(|(index, it)| Mark::Points {
            points: vec![(it.steps, it.score)],
            colour: Colour::Category(index),
            size: 5.0,
            name: Some(it.rule.clone()),
        }));
        Ok(vec![Picture {
            title: format!("Stopping rules on {}", counted(found.graphs, "graph")),
            columns: 1,
            panels: vec![Panel {
                x_label: "mean number of steps".to_owned(),
                y_label: "score".to_owned(),
                marks,
                y_percent: true,
                ..Panel::default()
            }],
        }])
    },
    spaces: None,
};
