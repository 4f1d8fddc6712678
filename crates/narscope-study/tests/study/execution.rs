//! A study is executed once: nothing is trained, loaded, analysed or drawn twice.

use std::sync::atomic::Ordering;

use narscope_analysis::sampling::Sampling;
use narscope_model::run::{Outcome, Run, Which};
use narscope_report::page::{About, Report};
use narscope_results::{RunResult, TestScore};
use narscope_study::{Error, Execution, Network, Only, Pretrained, Settings, Study, output};

use crate::counter::{Counter, Training, executed, names, settings};

const STUDY: &str = r#"
title = "Two small networks"
seeds = [1, 2]
config = { algorithms = ["bfs"], hidden_size = 4, batch_size = 2, train_lengths = [4], train_steps = 2, eval_every = 2 }
samples = { quick = { graphs = 20, length = 5 } }

[[groups]]
analyses = ["score", "dimensionality"]
networks = [{ processor_type = "mpnn" }]
"#;

fn study() -> Study {
    Study::parse(STUDY, "study.toml").unwrap()
}

#[test]
fn every_network_is_trained_opened_and_analysed_once() {
    let (folder, study) = (tempfile::tempdir().unwrap(), study());
    let out = folder.path().join("out");
    let counter = Counter::default();
    let execution = Execution::prepare(&study, &settings(&out), &counter).unwrap();
    let plan = execution.plan();
    assert_eq!((plan.networks, plan.training.len(), plan.answers), (2, 2, 4));
    assert!(plan.training.iter().all(|network| network.steps == 2));
    assert!(!out.exists(), "a plan writes nothing");
    let first = execution.run(&counter).unwrap();
    assert_eq!(names(&first), [["score", "dimensionality"]; 2], "in the order of the file");
    assert_eq!(counter.trained.load(Ordering::Relaxed), 2);
    assert_eq!((counter.opened(), counter.analysed()), (vec![1, 1], 4));

    // Everything is cached: weights are only opened to compare their hash.
    let (again, counter) = executed(&out, &study);
    assert!(again.iter().zip(&first).all(|(again, first)| again.answers == first.answers));
    assert_eq!(counter.trained.load(Ordering::Relaxed), 0);
    assert_eq!((counter.opened(), counter.analysed()), (vec![1, 1], 0));

    // One answer is missing: its network is opened once, and only this analysis runs.
    let cache = out.join("networks/mpnn-1/answers");
    std::fs::remove_file(cache.join("dimensionality.json")).unwrap();
    let (again, counter) = executed(&out, &study);
    assert_eq!(again[0].answers, first[0].answers);
    assert_eq!((counter.opened(), counter.analysed()), (vec![1, 1], 1));

    // Complete answers need no weights.
    for seed in [1, 2] {
        std::fs::remove_file(out.join(format!("networks/mpnn-{seed}/best.safetensors"))).unwrap();
    }
    let (again, counter) = executed(&out, &study);
    assert_eq!(again[1].answers, first[1].answers);
    assert_eq!((counter.opened(), counter.analysed()), (vec![], 0));
}

#[test]
fn every_picture_is_written_once() {
    let (folder, study) = (tempfile::tempdir().unwrap(), study());
    let out = folder.path();
    let (networks, counter) = executed(out, &study);
    let report = Report::new(&networks).unwrap();
    let about = About {
        title: study.title.clone(),
        command: String::new(),
        explore: String::new(),
        version: String::new(),
        size: String::new(),
    };
    output::write(out, &report, &about, &counter).unwrap();
    let pictures = report.pictures().count() + report.details().count();
    assert_eq!(counter.drawn.load(Ordering::Relaxed), pictures);
    for picture in report.pictures() {
        assert!(out.join(format!("figures/{}.svg", picture.name)).exists());
    }
    for (variant, picture) in report.details() {
        assert_eq!(variant, "mpnn");
        assert!(out.join(format!("figures/mpnn/{}.svg", picture.name)).exists());
    }
    assert!(out.join("comparison.md").exists());
    let json = std::fs::read_to_string(out.join("comparison.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let count = |key: &str| json[key].as_array().unwrap().len();
    assert_eq!(count("measures"), report.comparisons().len());
    assert_eq!(count("claims"), 0, "networks on other algorithms have no claims of the paper");
    assert!(out.join("report.html").exists());
}

#[test]
fn known_scores_replace_training() {
    let (folder, mut study) = (tempfile::tempdir().unwrap(), study());
    for network in &mut study.networks {
        network.analyses.retain(|entry| entry.name == "score");
    }
    let result = |network: &Network| {
        let more = serde_json::json!({ "samples": 32, "nodes": 64, "exact": 0.25 });
        let more = more.as_object().unwrap().clone();
        RunResult {
            name: network.folder(),
            version: "0.1.0".to_owned(),
            config: network.config.clone(),
            test: vec![TestScore { more, ..TestScore::new("bfs", 0.5) }],
            validation: vec![],
        }
    };
    let results: Vec<RunResult> = study.networks.iter().map(result).collect();
    let counter = Counter::default();
    let settings = Settings { results: &results, ..settings(folder.path()) };
    let execution = Execution::prepare(&study, &settings, &counter).unwrap();
    assert_eq!(execution.plan().training, []);
    let networks = execution.run(&counter).unwrap();
    assert_eq!(networks[1].answers[0].measures[0].value, 0.5);
    assert_eq!(counter.trained.load(Ordering::Relaxed), 0);
}

#[test]
fn an_interrupted_study_continues() {
    let (folder, study) = (tempfile::tempdir().unwrap(), study());
    let counter = Counter::default();
    counter.stops.store(true, Ordering::Relaxed);
    let settings = settings(folder.path());
    let execution = Execution::prepare(&study, &settings, &counter).unwrap();
    match execution.run(&counter) {
        Err(Error::TrainingInterrupted { network, step }) => {
            assert_eq!((network.as_str(), step), ("mpnn, seed 1", 0));
        }
        other => panic!("{other:?}"),
    }
    let (networks, _) = executed(folder.path(), &study);
    assert_eq!(names(&networks), [["score", "dimensionality"]; 2]);
}

#[test]
fn pretrained_networks_are_unpacked_and_need_no_training() {
    let (folder, study) = (tempfile::tempdir().unwrap(), study());
    let run = Run::create(&folder.path().join("run"), study.networks[0].config.clone()).unwrap();
    assert!(matches!(run.train(&mut Training(&Counter::default())).unwrap(), Outcome::Done(_)));
    let exported = folder.path().join("exported");
    run.export(Which::Best, false, &exported).unwrap();
    let files = ["best.safetensors", "test.json", "config.toml"].map(|name| -> (&str, &[u8]) {
        (name, Vec::leak(std::fs::read(exported.join(name)).unwrap()))
    });
    let files: &'static [(&str, &[u8])] = Vec::leak(files.to_vec());
    let pretrained = Vec::leak(vec![Pretrained { name: "mpnn-1", files }]);

    let counter = Counter::default();
    let out = folder.path().join("out");
    let settings = Settings { pretrained, only: Only::Pretrained, ..settings(&out) };
    let execution = Execution::prepare(&study, &settings, &counter).unwrap();
    assert_eq!((execution.plan().networks, execution.plan().training.len()), (1, 0));
    let networks = execution.run(&counter).unwrap();
    assert_eq!(networks.len(), 1);
    assert_eq!((counter.opened(), counter.trained.load(Ordering::Relaxed)), (vec![1], 0));
}

#[test]
fn another_network_in_a_folder_of_the_study_is_an_error() {
    let (folder, study) = (tempfile::tempdir().unwrap(), study());
    let mut config = study.networks[0].config.clone();
    config.hidden_size = 8;
    let path = folder.path().join("networks/mpnn-1");
    Run::create(&path, config).unwrap();
    let settings = settings(folder.path());
    let error = Execution::prepare(&study, &settings, &Counter::default()).err().unwrap();
    assert!(error.to_string().contains("should contain mpnn, seed 1"), "{error}");
}

#[test]
fn samples_of_the_file_are_used() {
    let study = study();
    assert_eq!(study.quick, Sampling { graphs: 20, length: 5, ..Sampling::QUICK });
    assert_eq!(study.full, Sampling::FULL);
}
