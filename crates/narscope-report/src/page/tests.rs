//! Tests of the whole page.

use narscope_analysis::analyses::{Answer, Measure};
use narscope_model::config::Config;

use super::*;

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
