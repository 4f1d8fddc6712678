//! Convergence of states, and the effect of fewer or more steps.

use narscope_analysis::analyses::attractors::{Attractors, Spread};
use narscope_results::published;

use super::Figure;
use super::marks::curves;
use super::seeds::{Network, Shown, mean, means, networks, seeds_in_words};
use super::words::{change, counted};
use crate::plot::{Axis, Colour, Line, Mark, Marker, Panel, Picture, Points, Reference};

pub(super) const FIGURE: Figure = Figure {
    name: "attractors",
    paper: "Figure 3",
    draw: |groups| {
        let networks = networks::<Attractors>(groups)?;
        Ok(vec![Picture {
            title: title(&networks),
            caption: caption(&networks),
            columns: 2,
            panels: vec![
                by_offset(&networks),
                by_steps(&networks),
                distances("movement of states", "from the previous state", &networks, |it| {
                    (&it.step_lengths, 2)
                }),
                distances("way to the last state", "from the last state", &networks, |it| {
                    (&it.to_the_end, 1)
                }),
            ],
            ..Picture::default()
        }])
    },
    details: None,
    spaces: None,
};

/// The score with `offset` steps more than the algorithm takes.
pub(super) fn at(found: &Attractors, offset: isize) -> Option<f64> {
    found.score_by_offset.iter().find(|(other, _)| *other == offset).map(|(_, score)| *score)
}

fn title(networks: &[Network<'_, Attractors>]) -> String {
    // By variant, so that one seed does not choose the words.
    let best = networks.iter().filter_map(|network| {
        let offsets = network.first().score_by_offset.iter().map(|(offset, _)| *offset);
        let score = |offset| (offset, mean(&network.values(|found| at(found, offset))));
        offsets.map(score).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(offset, _)| offset)
    });
    let best: Vec<isize> = best.collect();
    let (Some(&least), Some(&most)) = (best.iter().min(), best.iter().max()) else {
        return "Scores by number of steps".to_owned();
    };
    let when = match (least, most) {
        (0, 0) => "when the algorithm ends".to_owned(),
        (..0, 1..) => format!("from {} to {} the algorithm ends", beside(least), beside(most)),
        (least, most) if least == most => format!("{} the algorithm ends", beside(least)),
        (0.., _) => format!("{least} to {} the algorithm ends", beside(most)),
        _ => format!("{} to {} the algorithm ends", most.unsigned_abs(), beside(least)),
    };
    let last = networks[0].first().score_by_offset.last().map_or(0, |(offset, _)| *offset);
    let later = means(networks, |found| Some(at(found, last)? - at(found, 0)?));
    let last = counted(last.unsigned_abs(), "further step");
    format!("Scores are highest {when}; going on for {last} {}", change(&later))
}

/// `2 steps before`, `1 step after`.
fn beside(offset: isize) -> String {
    let side = if offset < 0 { "before" } else { "after" };
    format!("{} {side}", counted(offset.unsigned_abs(), "step"))
}

fn caption(networks: &[Network<'_, Attractors>]) -> String {
    let first = networks[0].first();
    let band = match networks {
        [Network { seeds, .. }] if seeds.len() == 1 => "; bands: standard deviation over graphs",
        _ => "",
    };
    let paper =
        if networks.iter().any(is_published) { "; rings: the paper's linear_pgn" } else { "" };
    format!(
        "a, scores of rollouts that stop before or after the algorithm does. b, scores by the number of steps that the \
         algorithm takes. c and d, distances between states, relative to the norm of the last one, for graphs that take {}. \
         {}, {} in c and d, {}{band}{paper}.",
        counted(first.steps, "step"),
        counted(first.graphs, "graph"),
        counted(first.followed, "graph"),
        seeds_in_words(networks, Shown::Lines),
    )
}

fn is_published(network: &Network<'_, Attractors>) -> bool {
    network.is_comparable && published::measure(network.variant, "attractors", "offset_0").is_some()
}

/// The paper's scores of the networks that are comparable with it.
fn papers(
    networks: &[Network<'_, Attractors>],
    keys: impl Fn(&Attractors) -> Vec<(f64, String)>,
) -> Vec<Mark> {
    let comparable = networks.iter().filter(|network| network.is_comparable);
    let points = comparable.flat_map(|network| {
        let number = |key: &str| published::measure(network.variant, "attractors", key);
        let keys = keys(network.first()).into_iter();
        keys.filter_map(move |(x, key)| Some((x, number(&key)?.value))).collect::<Vec<_>>()
    });
    let points: Vec<(f64, f64)> = points.collect();
    let mark = || {
        Points::new(points.clone(), Colour::Text).marker(Marker::Ring).radius(2.2).named("paper")
    };
    if points.is_empty() { vec![] } else { vec![mark().into()] }
}

/// Scores of rollouts that stop before or after the algorithm does.
pub(super) fn by_offset(networks: &[Network<'_, Attractors>]) -> Panel {
    let mut marks: Vec<Mark> = vec![Reference::x(0.0, "end of the algorithm").into()];
    marks.extend(curves(networks, |found| {
        found.score_by_offset.iter().map(|&(offset, score)| (offset as f64, score)).collect()
    }));
    marks.extend(papers(networks, |found| {
        let offsets = found.score_by_offset.iter().map(|(offset, _)| offset);
        let key = |offset: &isize| format!("offset_{offset}").replace('-', "minus_");
        offsets.map(|offset| (*offset as f64, key(offset))).collect()
    }));
    Panel {
        title: "score with fewer or more steps".to_owned(),
        x: Axis::integers("steps beyond the end of the algorithm"),
        y: Axis::percent("score"),
        marks,
        ..Panel::default()
    }
}

/// Scores by the number of steps that the algorithm takes.
pub(super) fn by_steps(networks: &[Network<'_, Attractors>]) -> Panel {
    let mut marks = curves(networks, |found| {
        found.score_by_steps.iter().map(|&(steps, score, _)| (steps as f64, score)).collect()
    });
    marks.extend(papers(networks, |found| {
        let steps = found.score_by_steps.iter().map(|(steps, ..)| *steps);
        steps.map(|steps| (steps as f64, format!("steps_{steps}"))).collect()
    }));
    Panel {
        title: "score by length of the execution".to_owned(),
        x: Axis::integers("steps of the algorithm"),
        y: Axis::percent("score"),
        marks,
        ..Panel::default()
    }
}

/// Mean distances by step, relative to the norm of the state at the end. `of` gives them and the first one's step.
fn distances(
    title: &str,
    what: &str,
    networks: &[Network<'_, Attractors>],
    of: impl Fn(&Attractors) -> (&Vec<Spread>, usize),
) -> Panel {
    let relative = |found: &Attractors| {
        let end = found.norms.get(found.steps.saturating_sub(1)).map_or(1.0, |norm| norm.mean);
        let (spreads, first) = of(found);
        let place = move |index: usize| (first + index) as f64 - found.steps as f64;
        let points = spreads.iter().enumerate();
        points.map(|(i, it)| (place(i), it.mean / end, it.std / end)).collect::<Vec<_>>()
    };
    let mut marks: Vec<Mark> = vec![Reference::x(0.0, "end of the algorithm").into()];
    if let [network] = networks
        && let [(_, found)] = &network.seeds[..]
    {
        let points = relative(found);
        let band = points.iter().map(|&(_, mean, std)| ((mean - std).max(0.0), mean + std));
        let line = points.iter().map(|&(x, mean, _)| (x, mean)).collect();
        marks.push(Line::new(line, Colour::Category(0)).band(band.collect()).into());
    }
    marks.extend(curves(networks, |found| {
        relative(found).into_iter().map(|(x, mean, _)| (x, mean)).collect()
    }));
    Panel {
        title: title.to_owned(),
        x: Axis::integers("steps beyond the end of the algorithm"),
        y: Axis::new(format!("distance {what}")).from_zero(),
        marks,
        ..Panel::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(scores: &[(isize, f64)]) -> Network<'static, Attractors> {
        let spreads = vec![Spread { mean: 1.0, std: 0.5 }; 4];
        let found = Attractors {
            graphs: 32,
            steps: 3,
            followed: 8,
            step_lengths: spreads.clone(),
            to_the_end: spreads.clone(),
            norms: spreads,
            score_by_steps: vec![(3, 0.9, 8)],
            score_by_offset: scores.to_vec(),
        };
        Network { variant: "mpnn", seeds: vec![(42, found)], is_comparable: false }
    }

    #[test]
    fn the_title_says_when_scores_are_highest_and_what_happens_later() {
        assert_eq!(
            title(&[network(&[(-1, 0.8), (0, 0.9), (2, 0.85)])]),
            "Scores are highest when the algorithm ends; going on for 2 further steps costs 5.0 points"
        );
        assert_eq!(
            title(&[network(&[(-1, 0.95), (0, 0.9), (1, 0.92)])]),
            "Scores are highest 1 step before the algorithm ends; going on for 1 further step gains 2.0 points"
        );
        let two = [network(&[(0, 0.9), (2, 0.85)]), network(&[(0, 0.9), (2, 0.95)])];
        let words = title(&two);
        assert!(
            words.starts_with("Scores are highest 0 to 2 steps after the algorithm"),
            "{words}"
        );
    }
}
