//! Figure 3: accuracy by the length of the execution, and with fewer or more steps.

use narscope_analysis::analyses::attractors::Attractors;

use super::draft::Draft;
use super::numbers::Beside;
use super::{LINEAR, PaperFigure};
use crate::figures::attractors::{at, by_offset, by_steps};
use crate::figures::seeds::{Shown, seeds_in_words};
use crate::figures::words::counted;

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "figure-3-attractors",
    place: "figure 3",
    compose: |networks| {
        let mut draft = Draft {
            title: "Scores by the length of the execution, and with fewer or more steps".to_owned(),
            columns: 2,
            ..Draft::default()
        };
        let Some(network) = draft.find::<Attractors>(networks, LINEAR, "accuracy by steps")? else {
            return Ok(draft);
        };
        let of_offset = |offset: isize| network.values(|found| at(found, offset));
        let of_steps = |wanted: usize| {
            network.values(|found| {
                let steps = found.score_by_steps.iter().find(|(steps, ..)| *steps == wanted);
                steps.map(|(_, score, _)| *score)
            })
        };
        let measure = |key: &'static str| (LINEAR, "attractors", key);
        draft.numbers = vec![
            Beside::share("executions of 5 steps", measure("steps_5"), &of_steps(5)),
            Beside::share("of 8 steps", measure("steps_8"), &of_steps(8)),
            Beside::share("stopped 3 steps early", measure("offset_minus_3"), &of_offset(-3)),
            Beside::share("stopped in time", measure("offset_0"), &of_offset(0)),
            Beside::share("stopped 4 steps late", measure("offset_4"), &of_offset(4)),
        ];
        let networks = [network];
        draft.panels = vec![by_steps(&networks), by_offset(&networks)];
        draft.caption = format!(
            "a, scores by the number of steps that the algorithm takes. b, scores of rollouts that stop before or after the \
             algorithm does; rings are the paper\u{2019}s points. {}, {}. What differs: the authors count the given first hint \
             as a step, so their 6 to 13 steps are our 5 to 12; with few graphs, long executions are rare and their scores \
             uncertain.",
            counted(networks[0].first().graphs, "graph"),
            seeds_in_words(&networks, Shown::Lines),
        );
        Ok(draft)
    },
};

#[cfg(test)]
mod tests {
    use super::super::samples::{counterpart, networks, panels};
    use super::*;

    #[test]
    fn it_has_scores_by_length_and_by_offset_with_the_papers_numbers() {
        let titles = panels(FIGURE.file);
        assert_eq!(titles, ["score by length of the execution", "score with fewer or more steps"]);
        let numbers = counterpart(FIGURE.file, &networks()).numbers;
        let of = |what: &str| numbers.iter().find(|number| number.what == what).unwrap();
        let early = of("stopped 3 steps early");
        assert_eq!((early.paper.as_str(), early.ours.as_str()), ("82.1 %", "50.0 %"));
    }
}
