//! The command line: what it prints, what it writes, how it fails.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use narscope::clrs::algorithms;
use narscope::clrs::batch::Batch;
use narscope::clrs::options::Options;
use narscope::clrs::probe::{Dtype, Stage};
use narscope::clrs::rng::Rng;

mod terminal;
use terminal::{command, fails, fails_as_usage, narscope, succeeds};

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A command and all its subcommands, as typed after `narscope`: `""`, `"list"`, `"sweep run"`, …
fn help_pages(command: &clap::Command, path: &str) -> Vec<String> {
    let mut pages = vec![path.to_owned()];
    for subcommand in command.get_subcommands() {
        let path = format!("{path} {}", subcommand.get_name());
        pages.extend(help_pages(subcommand, path.trim_start()));
    }
    pages
}

#[test]
fn every_command_has_a_help_text_and_a_snapshot_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let pages = help_pages(&narscope::command(), "");
    let snapshot = |page: &String| format!("help_{}", page.replace(' ', "_"));
    for page in &pages {
        let text = succeeds(folder.path(), &format!("{page} --help"));
        // The examples of `sweep run` are those of `sweep`.
        assert!(page.contains(' ') || text.contains("Example"), "{page} has no example");
        insta::assert_snapshot!(snapshot(page), text);
    }
    let mut expected: Vec<String> =
        pages.iter().map(|page| format!("commands__{}.snap", snapshot(page))).collect();
    expected.sort();
    let snapshots = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let mut found = names(&snapshots);
    found.retain(|name| {
        name.starts_with("commands__help_")
            && Path::new(name).extension().is_some_and(|ending| ending == "snap")
    });
    assert_eq!(found, expected, "a snapshot without a command: remove it");
}

#[test]
fn the_definition_of_the_command_line_is_consistent() {
    narscope::command().debug_assert();
}

/// Commands that print results for programs to read have `--json`; the others write files, print a
/// script, or have `--format json`.
#[test]
fn every_command_that_prints_results_has_json_output() {
    let command = narscope::command();
    let without: Vec<String> = help_pages(&command, "")
        .into_iter()
        .filter(|page| {
            let find = |command: &clap::Command, name: &str| {
                command.find_subcommand(name).expect("a page of this command").clone()
            };
            let command = page.split_whitespace().fold(command.clone(), |c, name| find(&c, name));
            !command.has_subcommands() && !command.get_arguments().any(|arg| arg.get_id() == "json")
        })
        .collect();
    assert_eq!(without, WITHOUT_JSON);
}

const WITHOUT_JSON: &[&str] = &[
    "demo",
    "examples",
    "sample",
    "record",
    "convert",
    "figure",
    "report",
    "explore",
    "reproduce",
    "sweep run",
    "sweep collect",
    "sweep submit",
    "table",
    "import",
    "export",
    "completions",
];

#[test]
fn lists() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!("lists", succeeds(folder.path(), "list"));
}

#[test]
fn a_trace_explains_its_probes() {
    let folder = tempfile::tempdir().unwrap();
    for algorithm in ["dijkstra", "bubble_sort --length 3", "lcs_length --length 6"] {
        let text = succeeds(folder.path(), &format!("trace {algorithm}"));
        insta::assert_snapshot!(algorithm.split(' ').next().unwrap().to_owned(), text);
    }
}

#[test]
fn every_algorithm_can_be_traced_at_small_and_large_sizes() {
    let folder = tempfile::tempdir().unwrap();
    for entry in algorithms::ALL {
        for length in [4, 24] {
            let text = succeeds(folder.path(), &format!("trace {} --length {length}", entry.name));
            assert!(text.contains("outputs"), "{text}");
            let name = entry.name;
            let json = succeeds(folder.path(), &format!("trace {name} --length {length} --json"));
            let trace: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(trace["probes"].as_array().unwrap().len(), entry.probes.len());
        }
    }
}

/// Every array of numbers of an `.npz` file: its shape, type and bytes.
fn read_npz(path: &Path) -> BTreeMap<String, (Vec<usize>, Dtype, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let mut arrays = BTreeMap::new();
    for name in names.into_iter().filter(|name| name != "metadata.npy") {
        let mut bytes = Vec::new();
        archive.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        let mut rest = bytes.as_slice();
        let header = npyz::NpyHeader::from_reader(&mut rest).unwrap();
        let dtype = match header.dtype().descr().as_str() {
            "'<f8'" => Dtype::Float64,
            "'<i8'" => Dtype::Int64,
            other => panic!("{name} has type {other}"),
        };
        let shape = header.shape().iter().map(|&size| size as usize).collect();
        let key = name.strip_suffix(".npy").unwrap().to_owned();
        arrays.insert(key, (shape, dtype, rest.to_vec()));
    }
    arrays
}

fn bytes_of(values: &[f64], dtype: Dtype) -> Vec<u8> {
    match dtype {
        Dtype::Float64 => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Dtype::Int64 => values.iter().flat_map(|&x| (x as i64).to_le_bytes()).collect(),
    }
}

#[test]
fn npz_and_safetensors_files_hold_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    for entry in algorithms::ALL {
        let name = entry.name;
        let request = format!("sample {name} --length 7 --num 3 --seed 5 --force --out x");
        succeeds(folder.path(), &format!("{request}.npz"));
        succeeds(folder.path(), &format!("{request}.safetensors"));

        let traces = entry.generate(&mut Rng::seeded(5), 7, &Options::default(), 3).unwrap();
        let batch = Batch::new(traces, 0);
        let mut expected = BTreeMap::new();
        for (index, probe) in batch.traces.probes.iter().enumerate() {
            // The sample is the first axis; hints are padded with zeros.
            let mut shape = probe.shape(batch.traces.nodes);
            let size: usize = shape.iter().product();
            let (stage, records) = match probe.stage {
                Stage::Input => ("input", 1),
                Stage::Hint => ("hint", batch.steps),
                Stage::Output => ("output", 1),
            };
            let mut dense = vec![];
            for i in 0..3 {
                dense.extend(batch.traces.dense(index, i));
                dense.resize((i + 1) * records * size, 0.0);
            }
            if probe.stage == Stage::Hint {
                shape.insert(0, batch.steps);
            }
            shape.insert(0, 3);
            let array = (shape, probe.dtype, bytes_of(&dense, probe.dtype));
            expected.insert(format!("{stage}/{}", probe.name), array);
        }
        let lengths = bytes_of(&batch.lengths(), Dtype::Int64);
        expected.insert("lengths".to_owned(), (vec![3], Dtype::Int64, lengths));
        // Not `assert_eq`, which would print all bytes.
        assert!(read_npz(&folder.path().join("x.npz")) == expected, "{name}");

        let file = std::fs::read(folder.path().join("x.safetensors")).unwrap();
        let tensors = safetensors::SafeTensors::deserialize(&file).unwrap();
        assert_eq!(tensors.len(), expected.len(), "{name}");
        for (key, (shape, dtype, bytes)) in &expected {
            let tensor = tensors.tensor(key).unwrap();
            let dtype = match dtype {
                Dtype::Float64 => safetensors::Dtype::F64,
                Dtype::Int64 => safetensors::Dtype::I64,
            };
            assert_eq!((tensor.shape(), tensor.dtype()), (shape.as_slice(), dtype), "{key}");
            assert!(tensor.data() == bytes.as_slice(), "{name}: {key}");
        }
    }
}

#[test]
fn a_json_line_is_one_sample_without_padding() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), "sample heapsort --length 6 --num 4 --seed 2 --out x.jsonl");
    let entry = algorithms::find("heapsort").unwrap();
    let traces = entry.generate(&mut Rng::seeded(2), 6, &Options::default(), 4).unwrap();

    let text = std::fs::read_to_string(folder.path().join("x.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    assert_eq!(lines.len(), 4);
    for (i, line) in lines.iter().enumerate() {
        assert_eq!((&line["narscope_format"], &line["algorithm"]), (&2.into(), &"heapsort".into()));
        assert_eq!(line["lengths"], traces.steps(i));
        assert_eq!(line["hint/phase"].as_array().unwrap().len(), traces.steps(i));
        let key = traces.find(Stage::Input, "key").unwrap();
        let keys: Vec<f64> = serde_json::from_value(line["input/key"].clone()).unwrap();
        assert_eq!(keys, traces.dense(key, i));
    }
}

#[test]
fn samples_are_bit_identical_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let request = "sample bellman_ford --length 9 --num 700 --seed 4 --p 0.2,0.7";
    let family =
        "sample dijkstra --length 9 --num 300 --seed 4 --family geometric+reweight --classes 7";
    for (i, request) in [request, family].into_iter().enumerate() {
        let files: Vec<Vec<u8>> = [1, 2, 3, 8]
            .map(|threads| {
                let name = format!("{i}-{threads}.npz");
                succeeds(folder.path(), &format!("{request} --threads {threads} --out {name}"));
                std::fs::read(folder.path().join(name)).unwrap()
            })
            .to_vec();
        assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "{request}");
    }
}

#[test]
fn every_kind_of_instance_can_be_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("edges.csv", "source,target,weight\n0,1,0.5\n1,2,0.25\n0,2,2\n");
    write("matrix.csv", "0,1,1\n1,0,0\n1,0,0\n");
    write("dag.csv", "u,v,w\n0,1,-1\n1,2,3\n");
    write("array.csv", "3\n1\n2\n");
    write("sorted.csv", "1,2,3,5\n");
    write("points.csv", "x,y\n0,0\n1,0\n0,1\n1,1\n0.5,0.4\n");
    write("segments.csv", "x,y\n0,0\n1,1\n0,1\n1,0\n");
    write("activities.csv", "s,f\n0,2\n1,3\n2,4\n");
    write("tasks.csv", "d,w\n2,0.5\n2,0.75\n");
    write("tree.csv", "p,q\n0.2,0.3\n0.1,0.2\n,0.2\n");
    write("strings.txt", "ACGTAC\nGTA\n");
    write("pairs.csv", "source,target\n0,0\n1,0\n1,1\n");

    let outputs = |arguments: &str| {
        let json = succeeds(folder.path(), &format!("trace {arguments} --json"));
        let trace: BTreeMap<String, serde_json::Value> = serde_json::from_str(&json).unwrap();
        let outputs = trace
            .into_iter()
            .filter_map(|(name, value)| Some((name.strip_prefix("output/")?.to_owned(), value)));
        outputs.collect::<BTreeMap<String, serde_json::Value>>()
    };
    assert_eq!(outputs("bellman_ford --input edges.csv")["pi"], serde_json::json!([0, 0, 1]));
    assert_eq!(
        outputs("dijkstra --input edges.csv --source 2")["pi"],
        serde_json::json!([1, 2, 2])
    );
    let one_way = outputs("dijkstra --input edges.csv --source 2 --directed")["pi"].clone();
    assert_eq!(one_way, serde_json::json!([0, 1, 2]));
    assert_eq!(outputs("bfs --input matrix.csv --source 1")["pi"], serde_json::json!([1, 1, 0]));
    assert_eq!(outputs("dag_shortest_paths --input dag.csv")["pi"], serde_json::json!([0, 0, 1]));
    assert_eq!(outputs("quicksort --input array.csv")["pred"], serde_json::json!([2, 1, 1]));
    let found = outputs("binary_search --input sorted.csv --target 2.5")["return"].clone();
    assert_eq!(found, serde_json::json!([0, 0, 1, 0]));
    let hull = serde_json::json!([1, 1, 1, 1, 0]);
    assert_eq!(outputs("graham_scan --input points.csv")["in_hull"], hull);
    assert_eq!(outputs("segments_intersect --input segments.csv")["intersect"], 1);
    let selected = serde_json::json!([1, 0, 1]);
    assert_eq!(outputs("activity_selector --input activities.csv")["selected"], selected);
    let both = serde_json::json!([1, 1]);
    assert_eq!(outputs("task_scheduling --input tasks.csv")["selected"], both);
    assert_eq!(outputs("optimal_bst --input tree.csv")["root"][0][2], 0);
    let place = serde_json::json!([0, 0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(outputs("kmp_matcher --input strings.txt")["match"], place);
    assert_eq!(outputs("bipartite_matching --input pairs.csv")["in_matching"][1][3], 1);
}

#[test]
fn errors_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("nan.csv", "0,NaN\nNaN,0\n");
    write("negative.csv", "u,v,w\n0,1,-0.5\n");
    write("ragged.csv", "1,2\n3\n");
    write("word.csv", "1,2\n3,four\n");
    write("cycle.csv", "u,v,w\n0,1,1\n1,0,2\n");
    write("array.csv", "1\n2\n3\n");
    write("unsorted.csv", "2\n1\n");
    write("strings.txt", "ABC\nCB\n");
    write("empty.csv", "");
    write("half.csv", "source,target\n0,\n");
    write("broken.npy", "\u{93}NUMPY and then nothing");
    write("data.xlsx", "");
    let error = |arguments: &str| fails(folder.path(), arguments);
    let sample =
        |arguments: &str| error(&format!("sample {arguments} --num 2 --seed 1 --out x.npz"));

    let errors = [
        error("trace belman_ford"),
        sample("insertion_sort --length 1"),
        sample("strongly_connected_components --length 3"),
        sample("kmp_matcher --length 2"),
        sample("naive_string_matcher --length 8 --length-needle 4"),
        sample("naive_string_matcher --length 8 --length-needle -9223372036854775808"),
        sample("heapsort --length 18446744073709551615"),
        sample("task_scheduling --length 8 --max-deadline 18446744073709551615"),
        sample("dijkstra --length 8 --family relabel --classes 18446744073709551615"),
        sample("minimum --length 8 --low nan"),
        sample("graham_scan --length 8 --collinearity-eps nan"),
        sample("lcs_length --length 8 --chars 5"),
        sample("bellman_ford --length 8 --low -1"),
        sample("bfs --length 8 --p 1.5"),
        sample("bridges --length 8 --directed"),
        sample("mst_kruskal --length 8 --family reweight"),
        sample("bfs --length 9 --family watts_strogatz --neighbours 3"),
        error("sample bfs --length 8 --num 2 --seed 1 --out x.zip"),
        error("sample bfs --length 8 --num 2 --seed 1 --out nowhere/x.npz"),
        error("trace dijkstra --input nan.csv"),
        error("trace dijkstra --input negative.csv"),
        error("trace bellman_ford --input negative.csv"),
        error("trace bfs --input ragged.csv"),
        error("trace bfs --input word.csv"),
        error("trace bfs --input array.csv"),
        error("trace bfs --input missing.csv"),
        error("trace bfs --input data.xlsx"),
        error("trace bfs --input half.csv"),
        error("trace bfs --input empty.csv"),
        error("trace bfs --input broken.npy"),
        error("trace topological_sort --input cycle.csv"),
        error("trace mst_kruskal --input cycle.csv"),
        error("trace heapsort --input strings.txt"),
        error("trace kmp_matcher --input strings.txt"),
        error("trace binary_search --input array.csv"),
        error("trace binary_search --input unsorted.csv --target 1"),
        error("trace bellman_ford --input cycle.csv --source 7"),
        error("dataset --split val --algorithms bfs,bsf --out d"),
    ];
    insta::assert_snapshot!(errors.join("\n"));
    assert!(!names(folder.path()).iter().any(|name| name.contains("narscope") || name == "x.npz"));
}

#[test]
fn usage_errors_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let errors = [
        "trian",
        "train --hidden_sizes 4",
        "train --seed",
        "train --use_ln maybe",
        "list algoritms",
        "sample bfs",
        "sample bfs --length eight --num 1 --seed 1 --out x.npz",
        "sample bfs --length 8 --num 0 --seed 1 --out x.npz",
        "trace dijkstra --input roads.csv --length 4",
        "evaluate run --split tset",
        "evaluate run --checkpoint best.safetensors",
    ]
    .map(|arguments| {
        format!("$ narscope {arguments}\n{}\n", fails_as_usage(folder.path(), arguments))
    });
    insta::assert_snapshot!(errors.join("\n"));
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn a_folder_without_write_permission_is_named_in_the_error() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    let folder = tempfile::tempdir().unwrap();
    let read_only = std::fs::Permissions::from_mode(0o555);
    std::fs::set_permissions(folder.path(), read_only).unwrap();
    for (arguments, expected) in [
        ("sample bfs --length 4 --num 1 --seed 1 --out x.npz", "x.npz"),
        ("dataset --split val --algorithms bfs --out d", "d: Permission denied"),
        ("train --algorithms bfs --out run", "run"),
    ] {
        let mut command = command(folder.path(), arguments);
        if folder.path().metadata().unwrap().uid() == 0 {
            // Root may write everywhere; `nobody` may not.
            command.uid(65534).gid(65534);
        }
        // The binary may be where `nobody` cannot run it.
        let Ok(output) = command.output() else { return };
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("Permission denied") && error.contains(expected), "{error}");
        assert!(names(folder.path()).is_empty());
    }
}

#[test]
fn a_misspelt_family_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = narscope(folder.path(), "trace bfs --family gird");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains(r#"unknown family or symmetry "gird"; the closest name is "grid""#),
        "{text}"
    );
}

#[test]
fn an_option_that_a_sampler_does_not_have_is_ignored_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let output = narscope(
        folder.path(),
        "sample insertion_sort --length 4 --num 1 --seed 1 --p 0.5 --out x.npz",
    );
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "warning: insertion_sort has no option p: ignored (its options: low, high, truncate_decimals)\n"
    );
}

#[test]
fn files_are_overwritten_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let request = "sample minimum --length 4 --num 1 --out x.npz --seed";
    succeeds(folder.path(), &format!("{request} 1"));
    let first = std::fs::read(folder.path().join("x.npz")).unwrap();

    let error = fails(folder.path(), &format!("{request} 2"));
    assert_eq!(
        error,
        "x.npz already exists\nhint: use --force to replace it, or choose another file name"
    );
    assert_eq!(std::fs::read(folder.path().join("x.npz")).unwrap(), first);

    succeeds(folder.path(), &format!("{request} 2 --force"));
    assert_ne!(std::fs::read(folder.path().join("x.npz")).unwrap(), first);
    assert_eq!(names(folder.path()), ["x.npz"]);
}

const DATASET: &str = "dataset --split val --algorithms bfs,minimum,quickselect,graham_scan";

#[test]
fn a_killed_data_set_continues_and_ends_identical() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = |name: &str| {
        std::fs::read_to_string(folder.path().join(name).join("manifest.json")).unwrap()
    };
    succeeds(folder.path(), &format!("{DATASET} --out whole"));

    // Killed early and late.
    for delay in [0, 2, 5, 10, 20, 40, 80] {
        let mut child = command(folder.path(), &format!("{DATASET} --out cut --threads 1"))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
    }
    succeeds(folder.path(), &format!("{DATASET} --out cut"));

    assert_eq!(manifest("cut"), manifest("whole"));
    assert_eq!(names(&folder.path().join("cut")), names(&folder.path().join("whole")));
}

#[test]
fn a_damaged_file_of_a_data_set_is_generated_again() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &format!("{DATASET} --out d"));
    let path = folder.path().join("d/bfs_val.npz");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();

    succeeds(folder.path(), &format!("{DATASET} --out d"));

    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn a_foreign_file_in_the_folder_of_a_data_set_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("d")).unwrap();
    let path = folder.path().join("d/bfs_val.npz");
    std::fs::write(&path, "foreign").unwrap();
    for _ in 0..2 {
        let error = fails(folder.path(), &format!("{DATASET} --out d"));
        assert!(error.starts_with("d/bfs_val.npz already exists"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "foreign");
    }
    assert_eq!(names(&folder.path().join("d")), ["bfs_val.npz"]);
    succeeds(folder.path(), &format!("{DATASET} --out d --force"));
}

#[test]
fn replacing_part_of_a_data_set_keeps_the_rest_of_its_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let make = "dataset --split val --out d --algorithms";
    succeeds(folder, &format!("{make} minimum,bfs"));
    let manifest = || std::fs::read_to_string(folder.join("d/manifest.json")).unwrap();
    let whole = manifest();
    succeeds(folder, &format!("{make} minimum --force"));
    assert_eq!(manifest(), whole);
    let _busy = narscope::files::folder_lock::try_lock(&folder.join("d")).unwrap();
    let error = fails(folder, &format!("{make} dfs"));
    assert_eq!(
        error,
        "another process is writing to d\nhint: wait until it ends, or choose another folder"
    );
}

#[test]
fn values_outside_json_and_options_without_effect_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sample = "sample bellman_ford --length 4 --num 1 --seed 1 --high 1.7e308 --out a.jsonl";
    let error = fails(folder, sample);
    assert!(error.contains("use .npz, or smaller values"), "{error}");
    assert!(!folder.join("a.jsonl").exists());
    std::fs::write(folder.join("m.csv"), "0,2\n1,0\n").unwrap();
    let error = fails(folder, "trace dijkstra --input m.csv --family grid --low 3");
    assert_eq!(error, "low, family apply to random instances only, not to --input");
    let error = fails(folder, "trace dijkstra --input m.csv --undirected");
    assert!(error.contains("weight 2 from 0 to 1 and 1 back"), "{error}");
    std::fs::write(folder.join("a.csv"), "3\n1\n2\n").unwrap();
    let error = fails(folder, "trace heapsort --input a.csv --source 1");
    assert!(error.contains("a source, which this problem does not use"), "{error}");
    std::fs::write(folder.join("times.csv"), "s,f\n1,2\n3,4\n").unwrap();
    let error = fails(folder, "trace activity_selector --input times.csv --source 1");
    assert!(error.contains("a source, which this problem does not use"), "{error}");
    std::fs::write(folder.join("large.csv"), "10000001\n10000002\n").unwrap();
    let shown = succeeds(folder, "trace heapsort --input large.csv");
    assert!(shown.contains("10000001 10000002"), "{shown}");
    std::fs::write(folder.join("small.csv"), "source,target,weight\n0,1,0.0002\n").unwrap();
    let shown = succeeds(folder, "trace dijkstra --input small.csv");
    assert!(shown.contains("2.00e-4"), "{shown}");
}

#[test]
fn data_sets_of_different_editions_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &format!("{DATASET} --out d"));
    let error = fails(folder.path(), &format!("{DATASET} --archive-2022 --out d"));
    assert!(error.starts_with("d holds a data set with version"), "{error}");
    succeeds(folder.path(), &format!("{DATASET} --archive-2022 --force --out d"));
}

#[test]
fn the_2022_edition_has_longer_strings_and_no_pivot() {
    let folder = tempfile::tempdir().unwrap();
    let make = |extra: &str, out: &str| {
        let algorithms = "naive_string_matcher,quickselect";
        let request = format!("dataset --split val --algorithms {algorithms} {extra} --out {out}");
        succeeds(folder.path(), &request);
        let read = |name: &str| read_npz(&folder.path().join(out).join(format!("{name}_val.npz")));
        (read("naive_string_matcher"), read("quickselect"))
    };
    let (strings, select) = make("", "now");
    let (old_strings, old_select) = make("--archive-2022", "then");

    assert_eq!(strings["input/key"].0, [2048, 16, 4]);
    assert_eq!(old_strings["input/key"].0, [2048, 20, 4]);
    assert!(select.contains_key("hint/pivot") && !old_select.contains_key("hint/pivot"));
    assert_eq!(select["hint/pred_h"], old_select["hint/pred_h"]);
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = command(folder.path(), "list --json").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn table_prints_scores_of_many_runs_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let head = "algorithm,seed,decay,softmax,train_steps,test_score\n".to_owned();
    let lines = [(42, "0.25"), (43, "0.24"), (44, "0.26")].map(|(seed, decayed)| {
        format!("bfs,{seed},1.0,False,100,0.5\nbfs,{seed},0.9,False,100,{decayed}\n")
    });
    let one: String = std::iter::once(head).chain(lines).collect();
    std::fs::write(folder.join("one.csv"), &one).unwrap();
    let table = succeeds(folder, "table one.csv --format markdown");
    let decayed =
        "| decay | !25.00 ± 1.00 (3) | 22.52 to 27.48 | -25.00 | -27.48 to -22.52 | <0.001 |";
    assert!(table.contains(decayed), "{table}");

    let csv = one + "dfs,42,1.0,False,100,0.5\n";
    std::fs::write(folder.join("scores.csv"), &csv).unwrap();
    let table = succeeds(folder, "table scores.csv --format markdown");
    assert!(table.contains("| *50.00 ± 0.00 (3) | !25.00 ± 1.00 (3) |"), "{table}");
    let table = succeeds(folder, "table scores.csv --format markdown --published always");
    assert!(table.contains("| *50.00 ± 0.00 (3) | 99.46 ± 0.41 | !25.00 ± 1.00 (3) |"), "{table}");
    assert!(succeeds(folder, "table scores.csv --format latex").contains("\\textbf{50.00"));
    assert!(succeeds(folder, "table scores.csv --format html").contains("<td>bfs</td>"));
    assert!(succeeds(folder, "table scores.csv --format text").contains("best on"));
    let long = succeeds(folder, "table scores.csv --format csv");
    let row = long.lines().find(|line| line.contains(",decay,")).unwrap();
    let fields: Vec<&str> = row.split(',').collect();
    assert_eq!(fields[..5], ["bfs", "triplet_gmpnn", "decay", "3", "0.25"], "{row}");
    // Three differences of a quarter, one hundredth apart: t is 43.3, on two degrees of freedom.
    let p: f64 = fields[12].parse().unwrap();
    assert!((p - 0.000_533).abs() < 1e-6, "{row}");
    let json = succeeds(folder, "table scores.csv --format json --processor mpnn");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["variants"][1]["wins_ties_losses"], serde_json::json!([0, 0, 1]));

    std::fs::write(folder.join("twice.csv"), csv + "bfs,42,1.0,False,100,0.75\n").unwrap();
    let error = fails(folder, "table twice.csv");
    assert!(error.contains("bfs, triplet_gmpnn, seed 42 is listed twice"), "{error}");
    for (column, value, wanted) in [
        ("0.5\n", "95.3\n", "test_score: expected 0 to 1, found 95.3"),
        ("0.5\n", "NaN\n", "test_score: expected 0 to 1, found NaN"),
        (",False,", ",yes,", "softmax: expected True or False, found yes"),
        (",0.9,", ",9,", "decay: expected 0 to 1, found 9"),
    ] {
        let odd = std::fs::read_to_string(folder.join("scores.csv")).unwrap();
        std::fs::write(folder.join("odd.csv"), odd.replacen(column, value, 1)).unwrap();
        let error = fails(folder, "table odd.csv");
        assert!(error.contains(": line ") && error.ends_with(wanted), "{error}");
    }
    std::fs::create_dir(folder.join("empty")).unwrap();
    let error = fails(folder, "table empty");
    assert_eq!(error, "no run with test scores in empty");
    let error = fails(folder, "table nowhere");
    assert_eq!(
        error,
        "expected a folder of runs, a .jsonl file of results or a .csv file of scores: nowhere does not exist"
    );
}
