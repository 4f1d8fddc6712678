//! What a run folder tells: metrics, TensorBoard, the table, `run.json`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

mod terminal;
use terminal::{metrics_without_times, narscope, succeeds};

/// Two algorithms, with several correct answers each.
const TINY: &str = "train --algorithms bfs,bellman_ford --processor_type pgn --hidden_size 4 --batch_size 4 \
                    --train_lengths 4,5 --eval_every 4";

fn lines(run: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn keys(value: &serde_json::Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn every_line_of_metrics_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &format!("{TINY} --train_steps 7 --out run"));
    let lines = lines(&folder.join("run"));
    let of = |split: &'static str| lines.iter().filter(move |line| line["split"] == split);
    let steps = |split: &'static str| -> Vec<u64> {
        let bfs = of(split).filter(|line| line["algorithm"] == "bfs");
        bfs.map(|line| line["step"].as_u64().unwrap()).collect()
    };
    assert_eq!(steps("train"), [1, 5, 7]);
    assert_eq!(steps("val"), [1, 5, 7]);
    assert_eq!(steps("test"), [7]);
    assert_eq!(lines.len(), 14, "two algorithms");

    let common = ["step", "split", "algorithm", "examples_seen", "seconds", "check"];
    let with = |more: &[&'static str]| -> BTreeSet<&str> {
        common.into_iter().chain(more.iter().copied()).collect()
    };
    for line in of("train") {
        let expected = ["loss", "losses", "gradient_norm", "learning_rate", "steps_per_second"];
        assert_eq!(keys(line), with(&[&expected[..], &["samples_per_second"]].concat()));
        assert_eq!(line["learning_rate"], 0.001);
        assert!(line["gradient_norm"].as_f64() > Some(0.0), "{line}");
        assert!(line["steps_per_second"].as_f64() > Some(0.0), "{line}");
    }
    for line in of("val") {
        assert_eq!(keys(line), with(&["loss", "losses", "score", "exact", "valid", "outputs"]));
    }
    for line in of("test") {
        assert_eq!(keys(line), with(&["score", "exact", "valid", "outputs"]));
    }
    for line in of("train").chain(of("val")) {
        let losses = line["losses"].as_object().unwrap();
        let sum: f64 = losses.values().map(|loss| loss.as_f64().unwrap()).sum();
        assert!((sum - line["loss"].as_f64().unwrap()).abs() < 1e-4, "{line}");
        assert!(losses.contains_key("output/pi") && losses.contains_key("hint/pi_h"), "{line}");
        let seen = 4 * line["step"].as_u64().unwrap();
        assert_eq!(line["examples_seen"], seen);
    }
    let loss = |line: &serde_json::Value| line["loss"].to_string();
    let both = of("train").zip(of("val"));
    assert!(both.into_iter().all(|(train, val)| loss(train) != loss(val)));
    let seconds: Vec<f64> = lines.iter().map(|line| line["seconds"].as_f64().unwrap()).collect();
    assert!(seconds.is_sorted(), "{seconds:?}");
}

#[test]
fn training_is_logged_between_rare_validations() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let arguments = "train --processor_type pgn --hidden_size 2 --batch_size 1 --train_lengths 4 \
                     --eval_every 250 --train_steps 310 --out run";
    succeeds(folder, arguments);
    let lines = metrics_without_times(&folder.join("run"));
    let steps = |split: &str| -> Vec<u64> {
        let lines = lines.iter().filter(|line| line["split"] == split);
        lines.map(|line| line["step"].as_u64().unwrap()).collect()
    };
    assert_eq!(steps("train"), [1, 101, 201, 251, 310]);
    assert_eq!(steps("val"), [1, 251, 310]);
}

#[test]
fn a_damaged_line_of_metrics_is_named_kept_in_a_copy_and_blocks_no_resume() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &format!("{TINY} --train_steps 5 --out run"));
    let path = folder.join("run/metrics.jsonl");
    let mut bytes = std::fs::read(&path).unwrap();
    let second = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    bytes[second + 4] = 0xff;
    std::fs::write(&path, &bytes).unwrap();
    let output = narscope(folder, "train --resume run --train_steps 9");
    assert!(output.status.success(), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("run/metrics.jsonl: line 2 is not UTF-8"), "{errors}");
    assert!(errors.contains("a copy is in run/metrics.jsonl.damaged"), "{errors}");
    assert_eq!(std::fs::read(folder.join("run/metrics.jsonl.damaged")).unwrap(), bytes);
    // All lines of an undamaged run but the damaged one.
    succeeds(folder, &format!("{TINY} --train_steps 5 --out whole"));
    succeeds(folder, "train --resume whole --train_steps 9");
    let (damaged, mut whole) = (folder.join("run"), metrics_without_times(&folder.join("whole")));
    whole.remove(1);
    assert_eq!(metrics_without_times(&damaged), whole);
}

#[test]
fn every_start_of_a_run_is_in_run_json() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &format!("{TINY} --train_steps 2 --threads 1 --out run"));
    let mut resume = terminal::command(folder, "train --resume run --train_steps 3 --threads 2");
    let resume = resume.env("SLURM_JOB_ID", "17").env("SECRET_TOKEN", "hunter2");
    assert!(resume.output().unwrap().status.success());
    let text = std::fs::read_to_string(folder.join("run/run.json")).unwrap();
    assert!(!text.contains("hunter2"), "other variables are nobody's business");
    let log: serde_json::Value = serde_json::from_str(&text).unwrap();
    let [first, second] = &log["sessions"].as_array().unwrap()[..] else { panic!("{log}") };
    assert_eq!((&first["first_step"], &first["last_step"]), (&0.into(), &2.into()));
    assert_eq!((&second["first_step"], &second["last_step"]), (&2.into(), &3.into()));
    assert_eq!((&first["threads"], &second["threads"]), (&1.into(), &2.into()));
    assert_eq!(second["environment"]["SLURM_JOB_ID"], "17");
    let words = second["command"].as_array().unwrap();
    assert_eq!(words[1..4], ["train", "--resume", "run"]);
    for session in [first, second] {
        assert_eq!(session["outcome"], "done");
        assert_eq!(session["version"], env!("CARGO_PKG_VERSION"));
        assert!(session["seconds"].as_f64() > Some(0.0), "{session}");
    }
    let version = succeeds(folder, "--version");
    assert!(version.starts_with(&format!("narscope {}", env!("CARGO_PKG_VERSION"))), "{version}");
}

#[test]
fn metrics_are_written_as_a_table_on_request_and_kept_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &format!("{TINY} --train_steps 2 --csv --out run"));
    let table = || std::fs::read_to_string(folder.join("run/metrics.csv")).unwrap();
    assert!(table().starts_with("step,split,algorithm,loss,score,exact,valid,"), "{}", table());
    assert_eq!(table().lines().count(), 1 + lines(&folder.join("run")).len());
    succeeds(folder, "train --resume run --train_steps 3");
    assert_eq!(table().lines().count(), 1 + lines(&folder.join("run")).len());
}

/// Reads a run with TensorBoard itself, where it is installed: `NARSCOPE_PYTHON` names a Python that
/// has it, `python3` otherwise.
#[test]
fn tensorboard_reads_the_scalars_and_the_settings() {
    const SCRIPT: &str = "
import json, sys
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
from tensorboard.backend.event_processing import plugin_event_multiplexer as plugins
from tensorboard.context import RequestContext
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import backend_context
folder = sys.argv[1]
events = EventMultiplexer().AddRunsFromDirectory(folder)
events.Reload()
scalars = {tag: [(event.step, event.value) for event in events.Scalars('run', tag)]
           for tag in events.Runs()['run']['scalars']}
events = plugins.EventMultiplexer().AddRunsFromDirectory(folder)
events.Reload()
provider = MultiplexerDataProvider(events, folder)
context = backend_context.Context(base_plugin.TBContext(data_provider=provider))
request = RequestContext()
metadata = context.hparams_metadata(request, '')
experiment = context.experiment_from_metadata(request, '', True, metadata, [])
print(json.dumps({
    'scalars': scalars,
    'settings': sorted(info.name for info in experiment.hparam_infos),
    'metrics': [info.name.tag for info in experiment.metric_infos],
}))
";
    let python = std::env::var("NARSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_it = Command::new(&python).args(["-c", "import tensorboard"]).output();
    if !has_it.is_ok_and(|output| output.status.success()) {
        #[expect(clippy::print_stderr, reason = "says why nothing was compared")]
        {
            eprintln!("{python} has no tensorboard: not compared");
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &format!("{TINY} --train_steps 5 --out runs/run"));
    succeeds(folder, "train --resume runs/run --train_steps 7");
    let output = Command::new(&python).args(["-c", SCRIPT, "runs"]).current_dir(folder).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys = narscope::model::config::Config::KEYS.len();
    assert_eq!(read["settings"].as_array().unwrap().len(), keys, "{}", read["settings"]);
    assert_eq!(
        read["metrics"],
        serde_json::json!(["test/score", "val/score", "val/loss", "train/loss"])
    );
    // Every number of metrics.jsonl is there, as f32, at its step and only there.
    let points = |tag: &str| -> Vec<(u64, f32)> {
        let points = read["scalars"][tag].as_array();
        let points = points.unwrap_or_else(|| panic!("no {tag} in {}", read["scalars"]));
        let number = |value: &serde_json::Value| value.as_f64().unwrap() as f32;
        points.iter().map(|point| (point[0].as_u64().unwrap(), number(&point[1]))).collect()
    };
    let lines = lines(&folder.join("runs/run"));
    for (split, path, tag) in [
        ("train", "/loss", "train/bfs/loss"),
        ("train", "/losses/output~1pi", "train/bfs/loss/output/pi"),
        ("train", "/gradient_norm", "train/bfs/gradient_norm"),
        ("val", "/loss", "val/bfs/loss"),
        ("val", "/losses/hint~1pi_h", "val/bfs/loss/hint/pi_h"),
        ("val", "/score", "val/bfs/score"),
        ("val", "/exact", "val/bfs/exact"),
        ("val", "/valid", "val/bfs/valid"),
        ("val", "/outputs/pi", "val/bfs/output/pi"),
    ] {
        let written = lines.iter().filter(|it| it["split"] == split && it["algorithm"] == "bfs");
        let written: Vec<(u64, f32)> = written
            .map(|it| {
                (it["step"].as_u64().unwrap(), it.pointer(path).unwrap().as_f64().unwrap() as f32)
            })
            .collect();
        assert_eq!(points(tag), written, "{tag}");
    }
    for tag in
        ["train/loss", "train/learning_rate", "train/steps_per_second", "val/score", "val/loss"]
    {
        let steps: Vec<u64> = points(tag).iter().map(|(step, _)| *step).collect();
        assert_eq!(steps, [1, 5, 7], "{tag}");
    }
    assert_eq!(points("test/score").last().unwrap().0, 7);
}
