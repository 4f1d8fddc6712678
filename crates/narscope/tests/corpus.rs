//! Replays the corpus of the fuzzer: what it found once stays mended. See docs/reliability.md.

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::path::{Path, PathBuf};

mod terminal;
use narscope_files::arrays::write_arrays;
use narscope_files::atomic::Existing;
use narscope_model::checkpoint::Checkpoint;
use terminal::succeeds;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

#[test]
fn every_input_of_the_corpus_is_read_or_refused_without_a_panic() {
    for (name, target) in targets::ALL {
        let folder = corpus().join(name);
        let files = std::fs::read_dir(&folder);
        let files = files.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut count = 0;
        for file in files {
            let path = file.unwrap().path();
            let input = std::fs::read(&path).unwrap();
            assert!(input.len() <= 4096, "{} is too large for the corpus", path.display());
            target(&input);
            count += 1;
        }
        assert!(count > 0, "{name} has no corpus");
    }
}

#[test]
fn the_checkpoint_of_the_corpus_is_read_once_its_checksum_matches() {
    let mut bytes = std::fs::read(corpus().join("checkpoint/written")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    std::fs::write(&path, &bytes).unwrap();
    Checkpoint::read(&path, targets::parameters()).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    Checkpoint::read(&path, targets::parameters()).unwrap_err();
    std::fs::write(&path, targets::sealed(&bytes).unwrap()).unwrap();
    Checkpoint::read(&path, targets::parameters()).unwrap();
}

/// Writes an input and damaged copies of it: cut in the middle, and with a flipped bit at a third.
fn put(target: &str, name: &str, bytes: &[u8]) {
    let folder = corpus().join(target);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), bytes).unwrap();
    std::fs::write(folder.join(format!("{name}-cut")), &bytes[..bytes.len() / 2]).unwrap();
    let mut flipped = bytes.to_vec();
    flipped[bytes.len() / 3] ^= 0x10;
    std::fs::write(folder.join(format!("{name}-flipped")), flipped).unwrap();
}

fn put_with_line(target: &str, name: &str, line: &str, bytes: &[u8]) {
    put(target, name, &[line.as_bytes(), b"\n", bytes].concat());
}

/// Run it when a format changes: `cargo test -p narscope --test corpus -- --ignored`.
#[test]
#[ignore = "writes to the repository"]
fn the_corpus_is_written_by_our_own_writers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    for (algorithm, nodes) in [("bfs", 3), ("insertion_sort", 3)] {
        for format in ["npz", "safetensors", "jsonl"] {
            succeeds(
                folder,
                &format!(
                    "sample {algorithm} --length {nodes} --num 1 --seed 1 --out a.{format} --force"
                ),
            );
            let bytes = read(&format!("a.{format}"));
            if bytes.len() < 4000 {
                let line = format!("{format} {algorithm}");
                put_with_line("samples", &format!("{algorithm}-{format}"), &line, &bytes);
            }
        }
    }
    succeeds(
        folder,
        "train --algorithms bfs --processor_type mpnn --hidden_size 1 --train_steps 2 --eval_every 1 --train_lengths 4 --batch_size 1 --out run",
    );
    for name in ["config.toml", "test.json", "metrics.jsonl"] {
        let bytes = read(&format!("run/{name}"));
        put_with_line("run_folder", name, name, &bytes[..bytes.len().min(3900)]);
    }
    put("config", "written", &read("run/config.toml"));
    put("config", "short", b"preset = \"paper\"\nalgorithms = [\"bfs\", \"dfs\"]\ndecay = 0.9\n");
    succeeds(folder, "record run --length 4 --num 1 --seed 1 --out recording.safetensors");
    let recording = read("recording.safetensors");
    put("recording", "written", &recording[..recording.len().min(4096)]);
    succeeds(folder, "analyse run score");
    let answer = String::from_utf8(read("run/answers/score.json")).unwrap();
    put("answer", "written", answer.as_bytes());
    let (_, unsealed) = answer.split_once("\",").unwrap();
    put("answer", "unsealed", format!("{{{unsealed}").as_bytes());
    succeeds(folder, "dataset --split val --algorithms bfs --out data");
    put("manifest", "written", &read("data/manifest.json"));

    let path = folder.join("weights.npz");
    let named = [
        ("linear/w".to_owned(), [2, 1].as_slice(), [0.5, -0.5].as_slice()),
        ("step".to_owned(), [].as_slice(), [7.0].as_slice()),
    ];
    write_arrays(&path, Existing::Keep, named).unwrap();
    put("arrays", "written", &read("weights.npz"));
    let header = |descr: &str, order: &str, shape: &str| {
        let text =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
    };
    let npy = [header("<f8", "False", "(2,)"), vec![0; 16]].concat();
    let packed = |name: &str, array: &[u8]| {
        [name.as_bytes(), b"\n", &(array.len() as u16).to_le_bytes()[..], array].concat()
    };
    put("arrays_packed", "two", &[packed("a", &npy), packed("lengths", &npy)].concat());
    let fortran = [header(">i2", "True", "(1, 2, 1)"), vec![1; 4]].concat();
    put("arrays_packed", "fortran", &packed("input/pos", &fortran));

    put_with_line("instance", "npy", "npy", &npy);
    put_with_line(
        "instance",
        "brackets",
        "npy",
        &[b"\x93NUMPY\x01\x00\x28\x00", &[b'['; 40][..]].concat(),
    );
    put_with_line("instance", "edges", "csv", b"source,target,weight\n0,1,0.5\n1,2,0.25\n");
    put_with_line("instance", "matrix", "csv", b"# weights\n0, 1.5\n1.5, 0\n");
    put_with_line("instance", "table", "tsv", b"p\tq\n0.1\t0.2\n\t0.7\n");
    put_with_line("instance", "text", "txt", "\u{feff}abcab\nab\n".as_bytes());

    let sweep = b"out = 'runs/x'\npreset = 'paper'\n[base]\ntrain_steps = 20\n[axes]\nseed = [1, 2]\nalgorithms = ['bfs', ['dfs', 'dijkstra']]\nvariant = ['plain', 'slow']\n[variants]\nplain = {}\nslow = { decay = 0.9 }\n[[exclude]]\nseed = 2\nvariant = ['slow']\n[resources]\ntime = '04:00:00'\ncpus = 4\n";
    put("sweep", "written", sweep);
    put(
        "sweep",
        "line-break",
        b"out = 'x'\n[axes]\nseed = [1]\n[resources]\npartition = \"long\\nrm -rf ~\"\n",
    );
    let results = include_str!("../../../experiments/results/ablations/results.jsonl");
    let shortest = results.lines().min_by_key(|line| line.len()).unwrap();
    put("results", "written", shortest.as_bytes());
    put("scores", "written", b"algorithm,seed,test_score,processor,decay,softmax,train_steps\nbfs,1,0.5,mpnn,0.9,True,100\nbfs,2,0.75,mpnn,1,False,100\ndfs,1,1,pgn,,,\n");
    put("checkpoint", "written", &checkpoint(folder));
    put("checkpoint_sealed", "written", &checkpoint(folder));
}

/// Bytes of a checkpoint of the parameters of the targets.
fn checkpoint(folder: &Path) -> Vec<u8> {
    let mut weights = narscope_model::Weights::zeros(targets::parameters());
    weights.values.iter_mut().zip(1_u8..).for_each(|(value, i)| *value = 1.0 / f32::from(i));
    let mut adam = narscope_model::optimise::Adam::new(9);
    adam.updates = 7;
    let checkpoint = Checkpoint {
        weights,
        adam,
        generators: vec![("positions".to_owned(), vec![1, 2, 3])],
        carried: vec![("hidden".to_owned(), vec![1, 2], vec![0.5, -0.5])],
        progress: narscope_model::checkpoint::Progress {
            step: 3,
            best: Some((0.25, 1)),
            stale: 2,
            losses: vec![(1.5, 2)],
            sums: vec![],
        },
    };
    let path = folder.join("checkpoint.safetensors");
    checkpoint.write(&path).unwrap();
    std::fs::read(path).unwrap()
}
