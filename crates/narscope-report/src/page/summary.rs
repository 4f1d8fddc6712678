//! The top of the page: what was looked at, and what came of it.

use std::collections::BTreeSet;

use narscope_results::{ClaimResult, NetworkAnswers, Verdict, claims, variants};
use serde::Serialize;

use super::section::Section;
use crate::figures::counted;

/// Analyses whose pictures show most, the best first.
const FEATURED: [&str; 6] =
    ["dimensionality", "perturbations", "attractors", "score", "symmetries", "mispredicts"];
/// Number of pictures in the summary.
const PICTURES: usize = 3;

/// A summary as the template needs it.
#[derive(Serialize)]
pub(super) struct Summary {
    /// What was looked at.
    networks: String,
    /// How many questions were asked.
    questions: String,
    /// What was judged, in a sentence; none without a comparable claim.
    judged: Option<String>,
    verdicts: Vec<VerdictCount>,
    /// Pictures of sections.
    featured: Vec<Featured>,
}

/// A picture of a section, again.
#[derive(Serialize)]
struct Featured {
    /// The figure that is shown.
    figure: String,
    title: String,
    question: String,
    section: String,
}

/// How often a verdict was given.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct VerdictCount {
    count: usize,
    words: &'static str,
}

impl Summary {
    pub(super) fn of(
        networks: &[NetworkAnswers],
        claims: &[ClaimResult],
        sections: &[Section],
    ) -> Self {
        Self {
            networks: looked_at(networks),
            questions: counted(sections.len(), "question"),
            judged: (!claims.is_empty()).then(|| judged(claims)),
            verdicts: counts(claims),
            featured: featured(sections),
        }
    }
}

/// Chooses the pictures at the top.
fn featured(sections: &[Section]) -> Vec<Featured> {
    let drawn: Vec<&Section> = sections.iter().filter(|it| !it.figures.is_empty()).collect();
    let names: Vec<&str> = drawn.iter().map(|section| section.id.as_str()).collect();
    let chosen = best(&names).into_iter().filter_map(|id| drawn.iter().find(|it| it.id == id));
    let featured = chosen.map(|section| Featured {
        figure: section.figures[0].id.clone(),
        title: section.figures[0].title.clone(),
        question: section.question.clone(),
        section: section.id.clone(),
    });
    featured.collect()
}

/// Names networks and seeds in a sentence.
fn looked_at(networks: &[NetworkAnswers]) -> String {
    let kinds = variants(networks).len();
    let algorithms: BTreeSet<&str> = networks
        .iter()
        .flat_map(|network| network.config.algorithms.iter().map(String::as_str))
        .collect();
    let algorithms: Vec<&str> = algorithms.into_iter().collect();
    let count = counted(networks.len(), "network");
    let kinds = match (kinds, networks.len()) {
        (1, 1) => String::new(),
        (1, _) => " that differ in their seed only".to_owned(),
        (kinds, all) if kinds == all => String::new(),
        (kinds, _) => format!(" of {kinds} kinds"),
    };
    format!("{count}{kinds}, trained on {}", algorithms.join(", "))
}

/// Says how many claims were judged, and how often.
fn judged(claims: &[ClaimResult]) -> String {
    let ids: BTreeSet<&str> = claims.iter().map(|it| it.id).collect();
    let verdicts = counted(claims.len(), "verdict");
    format!("The paper makes {}; {verdicts}, one for each protocol:", counted(ids.len(), "claim"))
}

/// Counts the verdicts that were given.
fn counts(claims: &[ClaimResult]) -> Vec<VerdictCount> {
    let counts = claims::markdown::counts(claims).into_iter();
    counts.map(|(verdict, count)| VerdictCount { count, words: verdict.words() }).collect()
}

/// The claims, unless none of them can be compared: then the networks have nothing to do with the paper.
pub(super) fn comparable(claims: Vec<ClaimResult>) -> Vec<ClaimResult> {
    let has_any = claims.iter().any(|it| it.verdict != Verdict::NotComparable);
    if has_any { claims } else { vec![] }
}

/// Chooses what to show at the top among the names of sections.
fn best<'a>(sections: &[&'a str]) -> Vec<&'a str> {
    let known = FEATURED.iter().filter_map(|name| sections.iter().find(|it| *it == name));
    let others = sections.iter().filter(|name| !FEATURED.contains(name));
    known.chain(others).take(PICTURES).copied().collect()
}

#[cfg(test)]
mod tests {
    use narscope_model::config::Config;

    use super::*;

    fn network(variant: &str, seed: u32) -> NetworkAnswers {
        let config = Config { algorithms: vec!["bfs".to_owned()], ..Config::default() };
        NetworkAnswers {
            variant: variant.to_owned(),
            seed,
            config,
            sampling: None,
            answers: vec![],
        }
    }

    #[test]
    fn networks_are_counted_in_words() {
        let words = |networks: &[NetworkAnswers]| looked_at(networks);
        assert_eq!(words(&[network("a", 1)]), "1 network, trained on bfs");
        let seeds = [network("a", 1), network("a", 2)];
        assert_eq!(words(&seeds), "2 networks that differ in their seed only, trained on bfs");
        let kinds = [network("a", 1), network("b", 1)];
        assert_eq!(words(&kinds), "2 networks, trained on bfs");
        let both = [network("a", 1), network("a", 2), network("b", 1)];
        assert_eq!(words(&both), "3 networks of 2 kinds, trained on bfs");
    }

    #[test]
    fn networks_that_are_not_the_papers_have_no_claims() {
        assert!(comparable(claims::judge(&[network("mpnn", 1)])).is_empty());
    }

    #[test]
    fn three_pictures_are_featured_and_the_known_ones_first() {
        assert_eq!(
            best(&["norms", "score", "dimensionality", "walkthrough"]),
            ["dimensionality", "score", "norms"]
        );
        assert_eq!(best(&["walkthrough"]), ["walkthrough"]);
    }
}
