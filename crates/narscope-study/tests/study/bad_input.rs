//! What an analysis cannot use costs a sentence and this analysis, not the report.

use narscope_analysis::analyses;
use narscope_report::page::{About, Report};
use narscope_study::{Study, output};

use crate::counter::{Counter, executed, names};

/// One small network with all analyses of networks of one algorithm.
fn study(algorithm: &str, samples: &str) -> Study {
    let text = format!(
        r#"
title = "A small network"
seeds = [1]

[config]
algorithms = ["{algorithm}"]
hidden_size = 4
batch_size = 2
train_lengths = [4]
train_steps = 2
eval_every = 2

[samples.quick]
graphs = 60
length = 8
images = 12
clusters = 6
scored = 40
{samples}

[[groups]]
networks = [{{ processor_type = "mpnn" }}]
"#
    );
    Study::parse(&text, "study.toml").unwrap()
}

/// Executes a study and writes its report. Returns the names of its answers, what was left out and why, and the files
/// below `figures`.
fn reported(study: &Study) -> (Vec<String>, Vec<String>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (networks, counter) = executed(folder.path(), study);
    let report = Report::new(&networks).unwrap();
    assert!(report.claims().is_empty(), "no network is like the paper's");
    let about = About {
        title: study.title.clone(),
        command: String::new(),
        explore: String::new(),
        version: String::new(),
        size: String::new(),
    };
    output::write(folder.path(), &report, &about, &Counter::default()).unwrap();
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    let [answers] = &names(&networks)[..] else { panic!("one network") };
    for answer in answers {
        assert!(page.contains(&format!("id=\"{answer}\"")), "{answer}");
    }
    let answers = answers.iter().map(|&name| name.to_owned()).collect();
    (answers, counter.skipped(), folder)
}

#[test]
fn a_network_of_another_algorithm_is_reported_without_what_needs_shortest_paths() {
    let (answers, skipped, folder) = reported(&study("bfs", "cluster_images = 6"));
    for name in ["symmetries", "cluster_directions", "perturbations", "value_generalisation"] {
        assert!(!answers.contains(&name.to_owned()), "{name}");
        let reason = skipped.iter().find(|sentence| sentence.starts_with(name));
        let reason = reason.unwrap_or_else(|| panic!("no sentence on {name}: {skipped:?}"));
        assert!(reason.contains(" needs ") && reason.contains(", but "), "{reason}");
    }
    assert!(answers.contains(&"dimensionality".to_owned()));
    assert_eq!(answers.len() + skipped.len(), analyses::for_algorithms(1).count());
    assert!(!folder.path().join("figures/paper").exists(), "the paper has no figures of it");
}

#[test]
fn too_few_images_for_a_cluster_leave_out_the_analyses_of_clusters() {
    let (answers, skipped, _folder) = reported(&study("bellman_ford", "cluster_images = 2"));
    assert_eq!(
        skipped,
        ["cluster_directions", "perturbations"].map(|name| {
            format!(
                "{name} needs more images in each cluster than principal components (2), but there are 2"
            )
        })
    );
    assert_eq!(answers.len() + skipped.len(), analyses::for_algorithms(1).count());
}

#[test]
fn networks_that_the_paper_has_not_leave_out_its_figures_with_a_sentence() {
    let (_, skipped, folder) = reported(&study("bellman_ford", "cluster_images = 6"));
    assert!(skipped.is_empty(), "{skipped:?}");
    let paper = folder.path().join("figures/paper");
    let files = std::fs::read_dir(&paper).unwrap().count();
    let index = std::fs::read_to_string(paper.join("index.md")).unwrap();
    assert_eq!(files, 1, "nothing is drawn");
    assert!(index.contains("because no linear_pgn was trained and analysed (dimensionality)"));
    assert!(index.lines().skip(2).all(|row| row.contains("Left out: ")), "{index}");
}
