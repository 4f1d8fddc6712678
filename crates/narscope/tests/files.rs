//! Files that commands write: the layout of docs/files.md, files of earlier versions, permissions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use narscope::files::arrays::read_arrays;
use safetensors::{Dtype, SafeTensors};

mod terminal;
use terminal::{command, fails, succeeds};

/// A network that is trained in a moment.
const TRAIN: &str = "train --algorithms bfs --processor_type linear_pgn --hidden_size 4 --batch_size 2 \
                     --train_lengths 4 --train_steps 2 --eval_every 1 --out run -q";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of version 1 of the layout, and the run that made the recording. Their README says how they were made.
fn version1() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/version1")
}

/// A folder with a network, and one file of each command.
fn with_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    succeeds(path, TRAIN);
    std::fs::create_dir(path.join("runs")).unwrap();
    std::fs::rename(path.join("run"), path.join("runs/quick")).unwrap();
    succeeds(path, "sample bfs --length 16 --num 100 --seed 1 --out bfs.npz");
    succeeds(path, "sample bfs --length 16 --num 100 --seed 1 --out bfs.safetensors");
    let predict = "predict runs/quick --in bfs.npz --hidden --all-steps --loss";
    succeeds(path, &format!("{predict} --out predictions.npz"));
    succeeds(path, &format!("{predict} --out predictions.safetensors"));
    let record = "record runs/quick --num 100 --length 16";
    succeeds(path, &format!("{record} --out states.safetensors"));
    succeeds(path, &format!("{record} --over-nodes all --out nodes.safetensors"));
    succeeds(path, &format!("{record} --out states.npz"));
    folder
}

/// Name, shape and type of every array of a row of the table in docs/files.md.
fn documented_arrays() -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(repository().join("docs/files.md")).unwrap();
    let table = text.split("| Name | Shape | Type |").nth(1).expect("the table of arrays");
    let mut rows = vec![];
    for row in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let names: Vec<&str> = cells[0].split(", ").map(|name| name.trim_matches('`')).collect();
        let mut shapes: Vec<String> = cells[1]
            .split("), ")
            .map(|shape| shape.trim_end_matches(')').to_owned() + ")")
            .collect();
        shapes.resize(names.len(), shapes[0].clone());
        for (name, shape) in names.into_iter().zip(shapes) {
            rows.push((name.to_owned(), shape, cells[2].to_owned()));
        }
    }
    rows
}

#[test]
fn every_array_has_the_name_the_axes_and_the_type_that_the_document_says() {
    let folder = with_files();
    let rows = documented_arrays();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for file in ["bfs", "predictions", "states", "nodes"] {
        let bytes = std::fs::read(folder.path().join(format!("{file}.safetensors"))).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let hints = tensors.tensor("hint/pi_h").unwrap().shape()[1];
        for (name, tensor) in tensors.tensors() {
            let row = rows.iter().find(|(pattern, ..)| match pattern.strip_suffix("NAME") {
                Some(start) => name.strip_prefix(start).is_some_and(|rest| !rest.contains('/')),
                None => name == *pattern,
            });
            let (pattern, shape, dtype) = row.unwrap_or_else(|| panic!("{name} is not documented"));
            *seen.entry(pattern).or_default() += 1;
            let dtype = match dtype.as_str() {
                "float64 or int64" => vec![Dtype::F64, Dtype::I64],
                "float64" => vec![Dtype::F64],
                "int64" => vec![Dtype::I64],
                "float32" => vec![Dtype::F32],
                truth => {
                    let truth = truth.trim_start_matches("as `").trim_end_matches('`');
                    assert_eq!(pattern.trim_start_matches("predicted/"), truth);
                    let truth = tensors.tensor(name.trim_start_matches("predicted/")).unwrap();
                    vec![truth.dtype()]
                }
            };
            assert!(dtype.contains(&tensor.dtype()), "{name} is {:?}", tensor.dtype());
            let axes: Vec<usize> = match shape.trim_matches(['(', ')']).trim_end_matches(", …") {
                "" => vec![],
                "B" | "…" => vec![100],
                "B, T" => vec![100, hints],
                "B, S" => vec![100, hints - 1],
                "B, S, N, H" if file == "states" => vec![100, hints - 1, 4],
                "B, S, N, H" => vec![100, hints - 1, 16, 4],
                other => panic!("axes {other} of {name}"),
            };
            assert!(tensor.shape().starts_with(&axes), "{name} of {file}: {:?}", tensor.shape());
            assert!(shape.contains('…') || tensor.shape() == axes, "{name}: {:?}", tensor.shape());
        }
    }
    let unseen = rows.iter().filter(|(name, ..)| !seen.contains_key(name.as_str()));
    let unseen: Vec<&str> = unseen.map(|(name, ..)| name.as_str()).collect();
    assert_eq!(unseen, ["cluster"], "documented, but not in a file");
}

#[test]
fn lengths_count_hints_and_steps_count_steps_of_the_network() {
    let folder = with_files();
    let arrays: BTreeMap<String, _> =
        read_arrays(&folder.path().join("predictions.npz")).unwrap().into_iter().collect();
    let (lengths, steps) = (&arrays["lengths"].data, &arrays["steps"].data);
    for (length, steps) in lengths.iter().zip(steps) {
        assert_eq!((length - 1.0).max(1.0), *steps);
    }
    // A prediction is the choice with the largest logit, and zero after the end.
    let (logits, predicted) = (&arrays["logits/hint/pi_h"], &arrays["predicted/hint/pi_h"]);
    let per_sample = predicted.data.len() / 100;
    for (place, (scores, &node)) in logits.data.chunks_exact(16).zip(&predicted.data).enumerate() {
        let step = place % per_sample / 16;
        let best = scores.iter().copied().fold(f32::MIN, f32::max);
        if step as f32 >= steps[place / per_sample] {
            assert_eq!((best, node), (0.0, 0.0));
        } else {
            assert_eq!(scores[node as usize], best);
        }
    }
    assert_eq!(arrays["logits/output/pi"].shape, [100, 16, 16]);
    assert_eq!(arrays["logits/output_steps/pi"].shape[..2], arrays["hidden"].shape[..2]);
}

#[test]
fn both_formats_hold_the_same_arrays() {
    let folder = with_files();
    for file in ["bfs", "predictions", "states"] {
        let arrays = read_arrays(&folder.path().join(format!("{file}.npz"))).unwrap();
        let bytes = std::fs::read(folder.path().join(format!("{file}.safetensors"))).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(arrays.len(), tensors.len(), "{file}");
        for (name, array) in arrays {
            let tensor = tensors.tensor(&name).unwrap();
            assert_eq!(values(&tensor), array.data, "{name} of {file}");
            assert_eq!(tensor.shape(), array.shape, "{name} of {file}");
        }
    }
}

/// The values of a tensor in single precision.
fn values(tensor: &safetensors::tensor::TensorView<'_>) -> Vec<f32> {
    let bytes = tensor.data();
    match tensor.dtype() {
        Dtype::F32 => bytes.as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect(),
        Dtype::F64 => bytes.as_chunks().0.iter().map(|&x| f64::from_le_bytes(x) as f32).collect(),
        Dtype::I64 => bytes.as_chunks().0.iter().map(|&x| i64::from_le_bytes(x) as f32).collect(),
        other => panic!("type {other:?}"),
    }
}

/// The Python blocks of docs/files.md, by the word behind `python`.
fn python_blocks() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(repository().join("docs/files.md")).unwrap();
    let blocks = text.split("```python ").skip(1).map(|block| {
        let (name, code) = block.split_once('\n').unwrap();
        (name.to_owned(), code.split("```").next().unwrap().to_owned())
    });
    blocks.collect()
}

#[test]
fn the_python_of_the_document_runs() {
    let folder = with_files();
    let blocks = python_blocks();
    let names: Vec<&str> = blocks.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["sample", "predict", "record", "metadata", "own"]);

    // Without Python: every key is one of a file that the block names.
    for (name, code) in &blocks {
        let is_file = |text: &&str| {
            let extension = Path::new(text).extension();
            extension.is_some_and(|extension| extension == "npz" || extension == "safetensors")
        };
        let file = code.split('"').find(is_file);
        let file = file.unwrap_or_else(|| panic!("{name} names a file"));
        let file = file.replace(".npz", ".safetensors");
        let bytes = std::fs::read(folder.path().join(file)).unwrap();
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let mut known = header.offset_keys();
        known.extend(header.metadata().iter().flatten().map(|(key, _)| key.clone()));
        known.extend(["metadata", "seed"].map(str::to_owned));
        let keys = code.split("[\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
        for key in keys {
            assert!(known.contains(&key), "{key} of the block {name} is not in the file");
        }
    }

    let python = std::env::var("NARSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = |module: &str| {
        let output = Command::new(&python).args(["-c", &format!("import {module}")]).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !has("numpy") {
        return;
    }
    for (name, code) in &blocks {
        let needs_safetensors = code.contains("safetensors.numpy");
        if needs_safetensors && !has("safetensors.numpy") {
            continue;
        }
        let modules = if needs_safetensors { ", safetensors.numpy" } else { "" };
        let code = format!("import json, numpy{modules}\n{code}\n{}", assertion(name));
        let mut run = Command::new(&python);
        let output = run.current_dir(folder.path()).args(["-c", &code]).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}\n{code}");
    }
    if has("numpy") {
        succeeds(folder.path(), "predict runs/quick --in own.npz --out of-own.npz");
        let arrays = |name: &str| read_arrays(&folder.path().join(name)).unwrap();
        let own: BTreeMap<String, _> = arrays("of-own.npz").into_iter().collect();
        let same: BTreeMap<String, _> = arrays("predictions.npz").into_iter().collect();
        assert_eq!(own["predicted/output/pi"], same["predicted/output/pi"]);
    }
}

/// What the variables of a block should be.
fn assertion(block: &str) -> &'static str {
    match block {
        "sample" => "assert hints.shape == (data['lengths'][0], 16) and (hints < 16).all()",
        "predict" => "assert 0 <= accuracy <= 1 and abs(accuracy - p['score'].mean()) < 1e-6",
        "record" => "assert states.shape == (r['steps'][0], 4) and states.any(axis=1).all()",
        "metadata" => "assert (version, seed, about['algorithm']) == (2, 1, 'bfs')",
        "own" => "assert 'hint/pi_h' in numpy.load('own.npz')",
        other => panic!("a block {other}"),
    }
}

#[test]
fn samples_of_version_1_are_read_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, old) = (folder.path(), version1());
    let run = old.join("run");
    let run = run.display();
    succeeds(folder, "sample bfs --length 5 --num 3 --seed 1 --out bfs.npz");
    succeeds(folder, &format!("predict {run} --algorithm bfs --in bfs.npz --out new.npz"));
    for ending in ["npz", "safetensors", "jsonl"] {
        let file = old.join(format!("bfs.{ending}"));
        let (out, file) = (format!("{ending}.npz"), file.display());
        succeeds(folder, &format!("predict {run} --algorithm bfs --in {file} --out {out}"));
        let arrays = |name: &str| read_arrays(&folder.join(name)).unwrap();
        assert_eq!(arrays(&out), arrays("new.npz"), "{ending}");
    }
}

#[test]
fn recordings_of_version_1_are_read_and_converted() {
    for (algorithm, options) in [
        ("bfs", "--num 12 --length 5 --family relabel --classes 3 --over-nodes all"),
        ("heapsort", "--num 3 --length 4"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (folder, old) = (folder.path(), version1());
        let (run, recording) = (old.join("run"), format!("{algorithm}-recording.safetensors"));
        let (run, recording) = (run.display(), old.join(recording));
        let recording = recording.display();
        succeeds(
            folder,
            &format!("record {run} --algorithm {algorithm} {options} --out new.safetensors"),
        );
        succeeds(folder, &format!("convert {recording} --out converted.safetensors"));
        succeeds(folder, &format!("convert {recording} --out converted.npz"));
        let [new, converted] = ["new", "converted"]
            .map(|name| std::fs::read(folder.join(format!("{name}.safetensors"))).unwrap());
        assert_same_recording(&new, &converted);
        let arrays = read_arrays(&folder.join("converted.npz")).unwrap();
        assert_eq!(arrays.len(), SafeTensors::deserialize(&new).unwrap().len());

        // Points of the old file and of the converted one are the same.
        succeeds(folder, &format!("convert {recording} --out old.parquet"));
        succeeds(folder, "convert converted.safetensors --out new.parquet");
        let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
        assert_eq!(bytes("old.parquet"), bytes("new.parquet"));
        let error = fails(folder, "convert new.safetensors --out twice.safetensors");
        assert!(error.contains("in the current layout already"), "{error}");
    }
}

/// Two recordings have the same arrays, and say the same things about them.
#[track_caller]
fn assert_same_recording(a: &[u8], b: &[u8]) {
    let tensors = [a, b].map(|bytes| SafeTensors::deserialize(bytes).unwrap());
    assert_eq!(tensors[0].len(), tensors[1].len());
    for (name, tensor) in tensors[0].tensors() {
        let other = tensors[1].tensor(&name).unwrap();
        assert_eq!((tensor.shape(), tensor.dtype()), (other.shape(), other.dtype()), "{name}");
        // The last bits of states depend on the processor of the computer.
        let differences =
            values(&tensor).into_iter().zip(values(&other)).map(|(a, b)| (a - b).abs());
        let most = differences.fold(0.0, f32::max);
        assert!(most <= if name == "hidden" { 1e-4 } else { 0.0 }, "{name} differs by {most}");
    }
    let [a, b] = [a, b].map(|bytes| {
        let (_, header) = SafeTensors::read_metadata(bytes).unwrap();
        let all = header.metadata().clone().unwrap_or_default();
        // Versions before 0.3 wrote theirs, and the configuration as they knew it.
        let all =
            all.into_iter().filter(|(key, _)| !["narscope", "config"].contains(&key.as_str()));
        all.collect::<BTreeMap<String, String>>()
    });
    assert_eq!(a, b);
}

#[test]
fn an_interrupted_prediction_is_not_continued_with_other_samples() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = version1().join("run");
    let run = run.display();
    succeeds(folder, "sample bfs --length 5 --num 3 --seed 1 --out a.npz");
    succeeds(folder, &format!("predict {run} --algorithm bfs --in a.npz --out p.safetensors"));
    std::fs::rename(folder.join("p.safetensors"), folder.join("p.safetensors.part")).unwrap();
    succeeds(folder, "sample bfs --length 5 --num 3 --seed 2 --force --out a.npz");
    let error =
        fails(folder, &format!("predict {run} --algorithm bfs --in a.npz --out p.safetensors"));
    assert!(error.contains("p.safetensors.part is a part of another recording"), "{error}");
}

#[cfg(unix)]
#[test]
fn every_file_and_folder_follows_the_umask() {
    use std::os::unix::fs::PermissionsExt as _;

    fn check(folder: &Path, umask: u32) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.metadata().unwrap();
            let all = if metadata.is_dir() { 0o777 } else { 0o666 };
            let (mode, expected) = (metadata.permissions().mode() & 0o777, all & !umask);
            assert_eq!(mode, expected, "{} is {mode:o}, not {expected:o}", path.display());
            if metadata.is_dir() {
                check(&path, umask);
            }
        }
    }
    for umask in [0o027, 0o002] {
        let folder = tempfile::tempdir().unwrap();
        let few = "--graphs 60 --length 8 --images 12 --clusters 6 --cluster-images 6 --scored 40";
        for arguments in [
            TRAIN,
            "sample bfs --length 5 --num 2 --seed 1 --out a.npz",
            "sample bfs --length 5 --num 2 --seed 1 --out a.safetensors",
            "sample bfs --length 5 --num 2 --seed 1 --out a.jsonl",
            "dataset --split val --algorithms bfs --out npz",
            "dataset --split val --algorithms bfs --format safetensors --out tensors",
            "predict run --in a.npz --out p.npz --updated updated.npz",
            "predict run --in a.npz --out p.safetensors",
            "record run --num 9 --length 5 --out r.safetensors",
            "record run --num 9 --length 5 --out r.npz",
            "convert r.safetensors --out c.npz",
            "convert r.safetensors --out c.parquet",
            "convert r.safetensors --out projector",
            "export run --out weights.npz",
            "export run --out exported",
            "import weights.npz --algorithms bfs --processor_type linear_pgn --hidden_size 4 --out imported",
            &format!("analyse run dimensionality {few}"),
            &format!("figure run dimensionality {few}"),
            &format!("report run {few}"),
        ] {
            let narscope = command(folder.path(), arguments);
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("umask {umask:03o} && exec \"$0\" \"$@\"")]);
            shell.arg(narscope.get_program()).args(narscope.get_args());
            let output = shell.current_dir(folder.path()).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments}: {errors}");
        }
        check(folder.path(), umask);
    }
}
