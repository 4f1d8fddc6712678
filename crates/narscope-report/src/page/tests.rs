//! Tests of the whole page.

use narscope_analysis::analyses::Analysis as _;
use narscope_analysis::analyses::symmetries::Symmetries;
use narscope_analysis::analyses::{Answer, Measure};
use narscope_model::config::Config;
use narscope_results::Verdict;

use super::*;
use crate::figures::kept::kept_networks;

fn answer(value: f64) -> Answer {
    Answer {
        analysis: "stopping".to_owned(),
        question: "Can <it> stop?".to_owned(),
        sentence: "It can & does.".to_owned(),
        measures: vec![Measure::share("score_told", "score, told", value)],
        data: serde_json::json!({
            "graphs": 2, "most": 3, "rules": [], "thresholds": [],
        }),
    }
}

fn network(variant: &str, seed: u32, value: f64) -> NetworkAnswers {
    NetworkAnswers {
        variant: variant.to_owned(),
        seed,
        config: Config::default(),
        sampling: None,
        answers: vec![answer(value)],
    }
}

fn about() -> About {
    About {
        title: "A <title>".to_owned(),
        command: "narscope report".to_owned(),
        explore: "narscope explore".to_owned(),
        version: "0".to_owned(),
        size: "few".to_owned(),
    }
}

fn page(networks: &[NetworkAnswers]) -> String {
    Report::new(networks).unwrap().page(&about()).unwrap()
}

#[test]
fn seeds_of_one_variant_share_a_row_with_mean_and_standard_deviation() {
    let page = page(&[network("mpnn", 42, 0.5), network("mpnn", 43, 0.7)]);
    assert!(page.contains("60.0 ± 14.1 %"), "the mean over seeds");
    assert!(page.contains("A &lt;title&gt;") && page.contains("It can &amp; does."));
    assert!(!page.contains("src=\"http"), "no external resources");
}

#[test]
fn networks_of_a_question_share_a_section_and_a_figure() {
    let networks = [network("mpnn", 42, 0.5), network("pgn", 42, 0.7)];
    let report = Report::new(&networks).unwrap();
    let page = report.page(&about()).unwrap();
    assert_eq!(page.matches("<section id=\"stopping\">").count(), 1);
    let names: Vec<&str> = report.pictures().map(|named| named.name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| **name == "stopping").count(), 1, "{names:?}");
    for id in ["stopping-mpnn", "stopping-pgn"] {
        assert!(page.contains(&format!("<details class=\"network\" id=\"{id}\"")), "{id}");
    }
}

#[test]
fn columns_without_published_numbers_are_left_out() {
    let page = page(&[network("mpnn", 42, 0.5)]);
    assert!(page.contains("<th scope=\"col\" class=\"number\">ours</th>"));
    assert!(!page.contains(">paper</th>") && !page.contains(">verdict</th>"));
}

#[test]
fn extra_sections_stand_before_the_analyses() {
    let networks = [network("mpnn", 42, 0.5)];
    let row = vec!["learning_rate".to_owned(), "0.001".to_owned()];
    let extra = ExtraSection {
        title: "What differs".to_owned(),
        sentence: "One setting.".to_owned(),
        table: Some(Table::new(&["setting", "mpnn"], &[row])),
        pictures: vec![],
    };
    let report = Report::new(&networks).unwrap().with_extra([extra]);
    let page = report.page(&about()).unwrap();
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not on the page"));
    assert!(at("<section id=\"what-differs\">") < at("<section id=\"stopping\">"));
    assert!(page.contains("learning_rate"));
}

#[test]
fn one_seed_gives_no_verdict_and_the_report_goes_on() {
    let mut networks = kept_networks();
    networks.retain(|network| network.seed == 42);
    let report = Report::new(&networks).unwrap();
    assert!(report.claims().len() > 20);
    for claim in report.claims() {
        let is_open = matches!(claim.verdict, Verdict::Undecided | Verdict::NotComparable);
        assert!(is_open, "{} {:?}", claim.claim, claim.verdict);
    }
    let page = report.page(&about()).unwrap();
    assert!(page.contains("one seed proves nothing") && page.contains("id=\"dimensionality\""));
}

#[test]
fn every_seed_is_shown_however_many_there_are() {
    let kept = kept_networks();
    let like = kept.iter().find(|network| network.variant == "linear_pgn").unwrap();
    let networks: Vec<NetworkAnswers> = (42..49)
        .map(|seed| NetworkAnswers {
            seed,
            config: Config { seed, ..like.config.clone() },
            ..like.clone()
        })
        .collect();
    let report = Report::new(&networks).unwrap();
    let claim = &report.claims()[0];
    assert_eq!(claim.seeds, (42..49).collect::<Vec<u32>>());
    assert_eq!(claim.values.len(), 7);
    let page = report.page(&about()).unwrap();
    assert!((42..49).all(|seed| page.contains(&format!("linear_pgn, seed {seed}"))));
}

#[test]
fn symmetries_with_too_few_classes_are_shown_without_them() {
    let mut networks = kept_networks();
    networks.truncate(1);
    let reason = "reweighting needs at least 3 base graphs";
    for answer in &mut networks[0].answers {
        if answer.analysis == Symmetries::NAME {
            let mut found: Symmetries = serde_json::from_value(answer.data.clone()).unwrap();
            found.orbits.retain(|orbit| orbit.classes == 1);
            found.left_out = vec![reason.to_owned()];
            *answer = Answer::new(&found);
        }
    }
    let report = Report::new(&networks).unwrap();
    assert!(report.pictures().any(|named| named.name == "symmetries"));
    let page = report.page(&about()).unwrap();
    assert!(page.contains(&format!("Left out: {reason}.")));
    assert!(page.contains("id=\"stopping\""), "the other questions are there");
}
