//! A function per kind of file. None of them may panic, hang or take much memory, whatever the bytes are.
//!
//! `crates/narscope/tests/corpus.rs` includes this file and replays the corpus with it, without a fuzzer.

use std::collections::HashMap;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use narscope_analysis::analyses::{self, Answer};
use narscope_analysis::answers::{self, Key};
use narscope_analysis::context::NoProgress;
use narscope_analysis::recording;
use narscope_analysis::sampling::Sampling;
use narscope_clrs::algorithms;
use narscope_clrs::split::Edition;
use narscope_files::atomic::Existing;
use narscope_files::checksum::sha256;
use narscope_files::dataset::DatasetPlan;
use narscope_files::format::Format;
use narscope_files::incremental::TensorReader;
use narscope_files::{arrays, instance, samples, shapes};
use narscope_model::checkpoint::{Checkpoint, Progress};
use narscope_model::config::Draft;
use narscope_model::config_file;
use narscope_model::weights::Parameter;
use narscope_results::{Format as TableFormat, RunResult, ScoreCollector, TableOptions, format};
use narscope_sweep::file::Sweep;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// Name and function of a target.
type Target = (&'static str, fn(&[u8]));

/// All targets. The names are those of the folders of the corpus.
pub(crate) const ALL: &[Target] = &[
    ("answer", answer),
    ("arrays", arrays),
    ("arrays_packed", arrays_packed),
    ("checkpoint", checkpoint),
    ("checkpoint_sealed", checkpoint_sealed),
    ("config", config),
    ("instance", instance),
    ("manifest", manifest),
    ("recording", recording),
    ("results", results),
    ("run_folder", run_folder),
    ("samples", samples),
    ("scores", scores),
    ("sweep", sweep),
];

/// A folder of this process, in memory if possible.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let create = || {
        let memory = Path::new("/dev/shm");
        let create = tempfile::Builder::new();
        let folder = if memory.is_dir() { create.tempdir_in(memory) } else { create.tempdir() };
        folder.expect("a temporary folder")
    };
    FOLDER.get_or_init(create).path()
}

/// Writes a file to read.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("a temporary file");
    path
}

/// Splits an input into its first line, which says how to read the rest, and the rest.
fn first_line(input: &[u8]) -> Option<(&str, &[u8])> {
    let end = input.iter().position(|&byte| byte == b'\n')?;
    Some((std::str::from_utf8(&input[..end]).ok()?, &input[end + 1..]))
}

/// The user's instances. The first line of the input is the extension of the file, one of those that the reader
/// says it knows: a new format needs no change here.
fn instance(input: &[u8]) {
    static EXTENSIONS: OnceLock<String> = OnceLock::new();
    let known = EXTENSIONS.get_or_init(|| match instance::read(Path::new("a.unknown")) {
        Err(narscope_files::Error::UnknownExtension { expected, .. }) => expected.to_owned(),
        other => panic!("expected the list of extensions, found {other:?}"),
    });
    let Some((extension, content)) = first_line(input) else { return };
    let is_known = known.split([' ', ',']).any(|word| word.strip_prefix('.') == Some(extension));
    if is_known {
        let _ = instance::read(&file(&format!("a.{extension}"), content));
    }
}

/// Samples. The first line of the input is the format and the algorithm.
fn samples(input: &[u8]) {
    let Some((line, content)) = first_line(input) else { return };
    let Some((format, algorithm)) = line.split_once(' ') else { return };
    let Ok(entry) = algorithms::find(algorithm) else { return };
    let is_known = Format::ALL.iter().any(|known| known.extension() == format);
    if is_known {
        let _ = samples::read(&file(&format!("a.{format}"), content), entry);
    }
}

/// Parameters as `.npz`.
fn arrays(input: &[u8]) {
    let path = file("a.npz", input);
    let _ = shapes::read(&path);
    let _ = arrays::read_arrays(&path);
}

/// Arrays in an intact archive: a fuzzer does not guess the checksums of zip. The input is a list of arrays, each a
/// line with its name, two bytes with its length, and its bytes.
fn arrays_packed(input: &[u8]) {
    let mut zip = zip::ZipWriter::new(Cursor::new(vec![]));
    let stored = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default());
    let mut rest = input;
    while let Some((name, after)) = first_line(rest) {
        let Some((length, after)) = after.split_first_chunk() else { break };
        let length = usize::from(u16::from_le_bytes(*length)).min(after.len());
        let (array, after) = after.split_at(length);
        if zip.start_file(format!("{name}.npy"), stored).is_err() {
            break;
        }
        zip.write_all(array).expect("writing to memory");
        rest = after;
    }
    let Ok(archive) = zip.finish() else { return };
    let path = file("packed.npz", archive.get_ref());
    let (shapes, arrays) = (shapes::read(&path), arrays::read_arrays(&path));
    if let Ok(arrays) = arrays {
        let shapes = shapes.expect("shapes of arrays that are read");
        assert!(shapes.iter().zip(&arrays).all(|((_, shape), (_, array))| *shape == array.shape));
    }
    let _ = samples::read(&path, algorithms::find("bfs").expect("an algorithm of CLRS-30"));
}

/// The parameters of a small network.
pub(crate) fn parameters() -> Vec<Parameter> {
    let parameter =
        |name: &str, shape: &[usize]| Parameter { name: name.to_owned(), shape: shape.to_vec() };
    vec![parameter("b.weight", &[2, 3]), parameter("a.bias", &[3])]
}

/// Checkpoints.
fn checkpoint(input: &[u8]) {
    let _ = Checkpoint::read(&file("a.safetensors", input), parameters());
}

/// Checkpoints whose checksum is made to match: a fuzzer does not guess it.
fn checkpoint_sealed(input: &[u8]) {
    if let Some(sealed) = sealed(input) {
        let _ = Checkpoint::read(&file("sealed.safetensors", &sealed), parameters());
    }
}

/// What narscope-model writes into the header of a checkpoint.
#[derive(Serialize, Deserialize)]
struct CheckpointHeader {
    version: String,
    progress: Progress,
    updates: u64,
    sha256: String,
}

/// The checkpoint with a checksum that matches its content; `None` if it has no header.
pub(crate) fn sealed(input: &[u8]) -> Option<Vec<u8>> {
    const KEY: &str = "narscope";
    let tensors = SafeTensors::deserialize(input).ok()?.tensors();
    let (_, metadata) = SafeTensors::read_metadata(input).ok()?;
    let header = metadata.metadata().as_ref()?.get(KEY)?;
    let mut header: CheckpointHeader = serde_json::from_str(header).ok()?;
    header.sha256.clear();
    let mut content = serde_json::to_vec(&header).expect("a header is JSON");
    let mut named: Vec<(&str, &[u8])> =
        tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.data())).collect();
    named.sort_by_key(|(name, _)| *name);
    content.extend(named.iter().flat_map(|(name, data)| [name.as_bytes(), data]).flatten());
    header.sha256 = sha256(&content);
    let header = serde_json::to_string(&header).expect("a header is JSON");
    safetensors::serialize(tensors, Some(HashMap::from([(KEY.to_owned(), header)]))).ok()
}

/// Recordings, and `.safetensors` files that are read a few samples at a time.
fn recording(input: &[u8]) {
    let path = file("recording.safetensors", input);
    if let Ok(mut tensors) = TensorReader::open(&path) {
        let names: Vec<String> = tensors.names().map(str::to_owned).collect();
        for name in names {
            let _ = tensors.shape(&name);
            let _ = tensors.read(&name, 0..1);
        }
    }
    let _ = recording::read(&path);
}

/// Configurations. One that is accepted is written so that it is read back.
fn config(input: &[u8]) {
    let Ok(draft) = config_file::read(&file("config.toml", input)) else { return };
    let Ok(config) = draft.finish() else { return };
    let text = config.to_toml();
    let again = Draft::parse(&text).and_then(Draft::finish);
    let again = again.unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(again.to_toml(), text);
}

/// Sweep files.
fn sweep(input: &[u8]) {
    let _ = Sweep::read(&file("sweep.toml", input));
}

/// Results files, and the tables that are made of them.
fn results(input: &[u8]) {
    tables(&file("results.jsonl", input));
}

/// Files of scores, and the tables that are made of them.
fn scores(input: &[u8]) {
    tables(&file("scores.csv", input));
}

fn tables(path: &Path) {
    let mut collector = ScoreCollector::default();
    if collector.read(path, "mpnn").is_err() {
        return;
    }
    let Ok(collected) = collector.finish() else { return };
    let Ok(tables) = collected.tables(&TableOptions::default()) else { return };
    for format in [TableFormat::Text, TableFormat::Latex, TableFormat::Csv, TableFormat::Brief] {
        let text = format::write(&tables, format);
        assert!(!text.replace('\n', "").contains(char::is_control), "{text:?}");
    }
}

/// Files of a run folder. The first line of the input is the name of the file; the others are intact.
fn run_folder(input: &[u8]) {
    let Some((name, content)) = first_line(input) else { return };
    let folder = folder().join("run");
    let _ = std::fs::create_dir(&folder);
    let intact = [
        ("config.toml", "algorithms = [\"bfs\"]\nversion = \"0.2.0\"\n"),
        (
            "test.json",
            r#"[{"algorithm":"bfs","score":0.5,"exact":0.25,"samples":32,"outputs":[]}]"#,
        ),
        ("metrics.jsonl", "{\"step\":1,\"split\":\"val\",\"algorithm\":\"bfs\",\"score\":0.5}\n"),
    ];
    if !intact.iter().any(|(known, _)| *known == name) {
        return;
    }
    for (known, text) in intact {
        let bytes = if known == name { content } else { text.as_bytes() };
        std::fs::write(folder.join(known), bytes).expect("a temporary file");
    }
    let _ = RunResult::from_run(&folder, "a");
}

/// Kept answers.
fn answer(input: &[u8]) {
    let entry = analyses::find("score").expect("an analysis");
    let config = Draft::parse("algorithms = ['bfs']").and_then(Draft::finish);
    let config = config.expect("a configuration");
    let key = Key::without_weights(&config, "bfs", &Sampling::QUICK);
    file("score.json", input);
    let _ = answers::load(folder(), entry, &key, &NoProgress);
    // What follows when the answer belongs to the network.
    if let Ok(answer) = serde_json::from_slice::<Answer>(input)
        && let Ok(entry) = analyses::find(&answer.analysis)
    {
        let _ = (entry.refresh)(answer);
    }
}

/// Manifests of data sets. The data set has no files, so that none are generated.
fn manifest(input: &[u8]) {
    let folder = folder().join("dataset");
    let _ = std::fs::create_dir(&folder);
    std::fs::write(folder.join("manifest.json"), input).expect("a temporary file");
    let plan = DatasetPlan {
        folder: &folder,
        algorithms: &[],
        splits: &[],
        edition: Edition::Current,
        format: Format::Npz,
        existing: Existing::Keep,
    };
    let _ = plan.run(&|_| {});
}
