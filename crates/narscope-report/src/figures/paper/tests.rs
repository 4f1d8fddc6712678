//! Every figure of the paper has a counterpart in the kept answers, and a sentence where there are none.

use std::collections::BTreeSet;

use super::*;
use crate::figures::kept::{check_texts, kept_networks};

#[test]
fn files_are_named_once() {
    let names: BTreeSet<&str> = ALL.iter().map(|figure| figure.file).collect();
    assert_eq!(names.len(), ALL.len());
}

#[test]
fn every_figure_of_the_paper_has_a_counterpart_in_the_kept_answers() {
    for Counterpart { figure, picture, left_out, .. } in counterparts(&kept_networks()).unwrap() {
        assert!(left_out.is_empty(), "{}: {left_out:?}", figure.file);
        let picture = picture.expect(figure.file);
        check_texts(figure.file, &picture);
    }
}

#[test]
fn without_networks_every_figure_is_left_out_with_a_sentence() {
    assert!(counterparts(&[]).unwrap().is_empty());
    let mut only = kept_networks();
    only.truncate(1);
    only[0].variant = "mpnn".to_owned();
    for Counterpart { figure, picture, left_out, .. } in counterparts(&only).unwrap() {
        assert!(picture.is_none(), "{}", figure.file);
        assert!(left_out[0].starts_with("Left out: "), "{}: {left_out:?}", figure.file);
    }
}

#[test]
fn networks_of_another_algorithm_are_not_taken_for_the_papers() {
    let mut others = kept_networks();
    for network in &mut others {
        network.config.algorithms = vec!["bfs".to_owned()];
    }
    assert!(counterparts(&others).unwrap().is_empty());
}

#[test]
fn captions_say_that_other_graphs_are_not_the_papers() {
    let mut others = kept_networks();
    let of = |networks: &[NetworkAnswers]| {
        let all = counterparts(networks).unwrap();
        all[0].picture.as_ref().unwrap().caption.clone()
    };
    assert!(!of(&others).contains("are not like the paper"));
    for sampling in others.iter_mut().filter_map(|network| network.sampling.as_mut()) {
        sampling.length = 16;
    }
    assert!(of(&others).contains("are not like the paper"));
}

#[test]
fn the_page_on_the_study_has_the_table_of_all_files() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reproduction.md");
    let page = std::fs::read_to_string(page).unwrap();
    let table = markdown(&counterparts(&kept_networks()).unwrap());
    let heading = table.lines().next().unwrap();
    let rows = page.lines().skip_while(|line| *line != heading).skip(2);
    let files: BTreeSet<&str> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|row| row.split('|').nth(2).unwrap().trim().trim_matches('`'))
        .collect();
    let expected: BTreeSet<&str> = ALL.iter().map(|figure| figure.file).collect();
    assert_eq!(files, expected);
    assert!(
        page.contains(&table),
        "docs/reproduction.md differs from figures/paper/index.md of `narscope reproduce`, which is now\n{table}"
    );
}
