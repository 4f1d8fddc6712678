//! What docs/reliability.md promises, tried on the command line: unfinished files, links, line breaks, huge claims.

use std::io::Write as _;
use std::path::{Path, PathBuf};

mod terminal;
use terminal::{command, fails, fails_as_usage, narscope, succeeds};

/// What the names of temporary files start with.
const UNFINISHED: &str = ".narscope-unfinished-";
/// A network that is made in a moment.
const TINY: &str = "--algorithms bfs --processor_type pgn --hidden_size 2 --batch_size 2 \
                    --train_lengths 4 --train_steps 1";

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A folder with a trained run, and its parameters as `.npz`.
fn trained() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &format!("train {TINY} --out run"));
    succeeds(folder.path(), "export run --out params.npz");
    folder
}

#[cfg(unix)]
#[test]
fn the_permissions_of_every_format_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let mode = |name: &str| {
        std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777
    };
    std::fs::write(folder.path().join("plain"), "").unwrap();
    for format in ["npz", "safetensors", "jsonl"] {
        let out = format!("a.{format}");
        succeeds(folder.path(), &format!("sample bfs --length 4 --num 1 --seed 1 --out {out}"));
        assert_eq!(mode(&out), mode("plain"), "{out}");
    }
    succeeds(folder.path(), "dataset --split val --algorithms bfs --format safetensors --out data");
    assert_eq!(mode("data/bfs_val.safetensors"), mode("plain"));
    assert_eq!(names(&folder.path().join("data")), ["bfs_val.safetensors", "manifest.json"]);
}

#[test]
fn files_that_a_killed_command_left_are_removed_by_the_next_one() {
    let folder = trained();
    let folder = folder.path();
    succeeds(folder, "sample bfs --length 4 --num 1 --seed 1 --out in.npz");
    for (number, command) in [
        "sample bfs --length 4 --num 1 --seed 1 --out a.safetensors",
        "predict run --in in.npz --out b.npz",
        "export run --out c.npz",
        "export run --out exported",
        "report run --graphs 20 --length 5 --out report.html",
    ]
    .into_iter()
    .enumerate()
    {
        let left = folder.join(format!("{UNFINISHED}{number}"));
        std::fs::write(&left, "half").unwrap();
        succeeds(folder, command);
        assert!(!left.exists(), "{command}");
    }
}

#[test]
fn an_interrupted_import_or_export_does_not_block_the_corrected_command() {
    let folder = trained();
    let folder = folder.path();
    // As a killed process leaves it.
    let left = folder.join(format!("{UNFINISHED}import"));
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("best.safetensors"), "half").unwrap();
    let error = fails(folder, "import params.npz --algorithms dfs --hidden_size 2 --out imported");
    assert!(!error.is_empty() && !folder.join("imported").exists(), "{error}");
    std::fs::create_dir(folder.join("imported")).unwrap();
    succeeds(folder, &format!("import params.npz {TINY} --out imported"));
    succeeds(folder, "export run --out exported");
    assert_eq!(names(folder), ["exported", "imported", "params.npz", "run"]);
    assert_eq!(
        names(&folder.join("imported")),
        ["best.safetensors", "config.toml", "last.safetensors"]
    );

    let error = fails(folder, &format!("import params.npz {TINY} --out imported"));
    assert!(error.contains("imported"), "{error}");
    std::fs::create_dir(folder.join("other")).unwrap();
    std::fs::write(folder.join("other/notes.txt"), "mine").unwrap();
    let error = fails(folder, "export run --out other");
    assert!(error.contains("there are other files in this folder"), "{error}");
    assert_eq!(names(&folder.join("other")), ["notes.txt"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["npz", "safetensors", "jsonl"] {
        let link = folder.path().join(format!("a.{format}"));
        std::os::unix::fs::symlink("/dev/full", &link).unwrap();
        let request = "sample bfs --length 4 --num 1 --seed 1 --force --out";
        let error = fails(folder.path(), &format!("{request} a.{format}"));
        assert!(error.contains(&format!("cannot write a.{format}")), "{error}");
        assert!(error.contains("No space left on device"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_lock_or_an_unfinished_recording_that_is_a_link_is_not_followed() {
    let folder = trained();
    let folder = folder.path();
    let target = folder.join("target");
    std::fs::remove_file(folder.join("run/.lock")).unwrap();
    std::os::unix::fs::symlink(&target, folder.join("run/.lock")).unwrap();
    let error = fails(folder, "train --resume run");
    assert!(error.contains("it is a symbolic link; remove it"), "{error}");

    std::os::unix::fs::symlink(&target, folder.join("r.safetensors.part")).unwrap();
    let record = "record run --length 4 --num 1 --seed 1 --out r.safetensors";
    let error = fails(folder, record);
    assert!(error.contains("it is a symbolic link; remove it"), "{error}");
    assert!(!target.exists());
}

#[cfg(unix)]
#[test]
fn a_table_of_a_folder_with_links_to_itself_ends() {
    let folder = trained();
    for name in ["a", "b"] {
        std::os::unix::fs::symlink(folder.path(), folder.path().join(name)).unwrap();
    }
    let table = succeeds(folder.path(), "table .");
    assert!(table.contains("bfs"), "{table}");
}

#[test]
fn a_line_break_in_the_resources_of_a_sweep_reaches_no_script() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = "out = 'runs'\n[axes]\nseed = [1]\nalgorithms = ['bfs']\n";
    let text = format!("{sweep}[resources]\npartition = \"long\\ntouch owned\"\n");
    std::fs::write(folder.path().join("sweep.toml"), text).unwrap();
    let error = fails_as_usage(folder.path(), "sweep submit sweep.toml --executor slurm --dry-run");
    assert!(error.contains("sweep.toml, line 6: partition should have no line breaks"), "{error}");

    std::fs::write(folder.path().join("sweep.toml"), sweep).unwrap();
    let submit = ["sweep", "submit", "sweep.toml", "--executor", "slurm", "--dry-run", "--time"];
    let output = command(folder.path(), "").args(submit).arg("1:00\ntouch owned").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("time should have no line breaks"), "{error}");
}

#[test]
fn a_message_does_not_carry_escape_sequences_of_a_file_name_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path(), "table").arg("gone\u{1b}[2J.csv").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("gone\\u{1b}[2J.csv"), "{error:?}");
    assert!(!error.contains('\u{1b}'), "{error:?}");
}

#[test]
fn an_edited_answer_is_computed_again_with_a_warning() {
    let folder = trained();
    let folder = folder.path();
    let first = succeeds(folder, "analyse run score --json");
    let path = folder.join("run/answers/score.json");
    let kept = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, kept.replace("\"samples\":32", "\"samples\":33")).unwrap();
    assert_ne!(std::fs::read_to_string(&path).unwrap(), kept, "{kept}");
    let output = narscope(folder, "analyse run score --json");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), first);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(warning.contains("score.json is damaged or was edited"), "{warning}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), kept);
}

/// A `.npz` file with one array of `count` zeros, compressed, of type `<f8`.
fn zeros(path: &Path, name: &str, count: usize) {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({count},), }}\n");
    let header =
        [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat();
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(1))
        .large_file(true);
    zip.start_file(format!("{name}.npy"), options).unwrap();
    zip.write_all(&header).unwrap();
    let block = vec![0; 1 << 20];
    for _ in 0..8 * count / block.len() {
        zip.write_all(&block).unwrap();
    }
    zip.finish().unwrap();
}

#[cfg(unix)]
#[test]
fn a_large_array_of_an_unknown_name_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("params.npz");
    // 1 GB, in a file of some MB; the process may use no more than 1 GB in all.
    zeros(&path, "extra", 1 << 27);
    assert!(std::fs::metadata(&path).unwrap().len() < 16 << 20);
    let program = assert_cmd::cargo::cargo_bin!("narscope").display();
    let command = format!("ulimit -v 1048576; exec {program} import params.npz {TINY} --out run");
    let output = std::process::Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &command])
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("the parameters have no "), "{error}");
    assert_eq!(output.status.code(), Some(1), "{error}");
}

#[test]
fn a_header_of_forty_brackets_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let header = [b"\x93NUMPY\x01\x00\x28\x00", &[b'['; 40][..]].concat();
    std::fs::write(folder.path().join("a.npy"), header).unwrap();
    let error = fails(folder.path(), "trace insertion_sort --input a.npy");
    assert!(
        error.contains("expected { in the header of a .npy file, found '[' at byte 0"),
        "{error}"
    );
}

#[test]
fn every_test_that_the_document_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/reliability.md")).unwrap();
    let mut count = 0;
    // `file.rs`: `a_test`, `another_test`
    for line in text.lines().filter(|line| line.contains(".rs`: `")) {
        let mut quoted = line.split('`').skip(1).step_by(2);
        let mut file = PathBuf::new();
        for word in quoted.by_ref() {
            if word.contains('/') {
                file = root.join("crates").join(word);
                continue;
            }
            let code = std::fs::read_to_string(&file);
            let code = code.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert!(code.contains(&format!("fn {word}(")), "{} has no {word}", file.display());
            count += 1;
        }
    }
    assert!(count > 30, "only {count} tests are named");
}
