//! What rules of stopping cost and gain.

use narscope_analysis::analyses::stopping::Stopping;

use super::{Figure, read};
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
            spread: vec![],
            name: Some("any threshold of change".to_owned()),
        }];
        marks.extend(found.rules.iter().enumerate().map(|(kind, it)| Mark::Points {
            points: vec![(it.steps, it.score)],
            colour: Colour::Kind(kind),
            size: 5.0,
            name: Some(it.rule.clone()),
        }));
        Ok(vec![Picture {
            title: format!("When to stop, {} graphs", found.graphs),
            columns: 1,
            panels: vec![Panel {
                x: "mean number of steps".to_owned(),
                y: "score".to_owned(),
                marks,
                y_percent: true,
                ..Panel::default()
            }],
        }])
    },
    spaces: None,
};
