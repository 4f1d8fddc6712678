//! A figure while it is composed.

use narscope_analysis::analyses::Analysis;

use super::networks::Networks;
use super::numbers::Beside;
use crate::Result;
use crate::figures::seeds::Network;
use crate::plot::{Panel, Picture};

/// A figure while it is composed.
#[derive(Default)]
pub(super) struct Draft {
    /// The finding.
    pub title: String,
    /// What there is to see, and where ours differs from the paper's.
    pub caption: String,
    /// The paper's numbers and ours.
    pub numbers: Vec<Beside>,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Number of panels in a row.
    pub columns: usize,
    /// What is left out and why, a sentence each.
    pub left_out: Vec<String>,
}

impl Draft {
    /// Goes on with the caption.
    pub(super) fn add_sentence(&mut self, sentence: &str) {
        self.caption.push(' ');
        self.caption.push_str(sentence);
    }

    /// Finds the answers of a network, or notes that `what` is left out.
    pub(super) fn find<'a, A: Analysis>(
        &mut self,
        networks: &Networks<'a>,
        variant: &str,
        what: &str,
    ) -> Result<Option<Network<'a, A>>> {
        let found = networks.find(variant)?;
        if found.is_none() {
            let analysis = A::NAME;
            self.left_out.push(format!(
                "Left out: {what}, because no {variant} was trained and analysed ({analysis})."
            ));
        }
        Ok(found)
    }

    /// The picture; `None` without panels. `place` is that of the paper's figure.
    pub(super) fn picture(self, place: &str, is_comparable: bool) -> Option<Picture> {
        let Self { title, caption, numbers, panels, columns, left_out } = self;
        let mut sentences = vec![format!("Counterpart of the paper\u{2019}s {place}."), caption];
        let numbers: Vec<String> = numbers
            .iter()
            .map(|Beside { what, paper, ours }| format!("{what}: paper {paper}, ours {ours}"))
            .collect();
        if !numbers.is_empty() {
            sentences.push(format!("Numbers: {}.", numbers.join("; ")));
        }
        if !is_comparable {
            let differ = "The networks or the graphs are not like the paper\u{2019}s, so numbers may differ for that reason.";
            sentences.push(differ.to_owned());
        }
        sentences.extend(left_out);
        let caption = sentences.join(" ");
        (!panels.is_empty()).then(|| Picture {
            title,
            caption,
            columns: columns.min(panels.len()),
            panels,
            ..Picture::default()
        })
    }
}
