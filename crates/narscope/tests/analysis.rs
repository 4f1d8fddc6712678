//! The commands that analyse networks: record, analyse, figure, report, reproduce; and their errors.

use std::path::Path;

mod terminal;
use terminal::{fails, succeeds};

/// A network that is trained in a moment, and the smallest samples that all analyses accept.
const TRAIN: &str = "train --algorithms bellman_ford --processor_type linear_pgn --hidden_size 8 \
                     --batch_size 4 --train_lengths 4 --train_steps 6 --eval_every 5 --out run";
const FEW: &str = "--graphs 60 --length 8 --images 12 --clusters 6 --cluster-images 6 --scored 40";

fn trained() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), TRAIN);
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_analysis_is_run_drawn_and_reported() {
    let folder = trained();
    let folder = folder.path();
    let printed = succeeds(folder, &format!("analyse run {FEW}"));
    let answers = names(&folder.join("run/answers"));
    for name in &answers {
        let name = name.trim_end_matches(".json");
        assert!(printed.contains(&format!("{name}: ")), "{name} in {printed}");
    }
    assert_eq!(
        answers.len(),
        narscope::analysis::analyses::for_algorithms(1).count(),
        "{answers:?}"
    );

    // Cached answers and new ones print the same.
    assert_eq!(succeeds(folder, &format!("analyse run {FEW}")), printed);
    assert_eq!(succeeds(folder, &format!("analyse run {FEW} --again --threads 1")), printed);

    succeeds(folder, &format!("figure run {FEW} --out drawn"));
    let drawn = names(&folder.join("drawn"));
    for name in answers.iter().map(|name| name.trim_end_matches(".json")) {
        for ending in ["svg", "png", "pdf"] {
            assert!(drawn.contains(&format!("{name}.{ending}")), "{name} among {drawn:?}");
        }
    }
    let png = std::fs::read(folder.join("drawn/attractors.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));

    succeeds(folder, &format!("report run {FEW}"));
    let page = std::fs::read_to_string(folder.join("run/report.html")).unwrap();
    assert!(!page.contains("id=\"claims\""), "the paper says nothing about such a network");
    assert!(page.contains("Do hidden states converge when the algorithm ends?"));
    for address in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(address), "the page loads {address}");
    }
}

#[test]
fn analyses_that_do_not_apply_to_an_algorithm_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let both = TRAIN.replace("bellman_ford", "bfs,bellman_ford");
    succeeds(folder, &both);
    let page = |algorithm: &str| {
        succeeds(folder, &format!("report run {FEW} --algorithm {algorithm}"));
        std::fs::read_to_string(folder.join("run/report.html")).unwrap()
    };
    let bfs = page("bfs");
    assert!(bfs.contains("linear_pgn on bfs") && bfs.contains(r#"id="dimensionality""#));
    assert!(!bfs.contains(r#"id="symmetries""#), "its edges have no weights");
    assert!(!bfs.contains("agrees within spread"), "the paper has no numbers for it");
    succeeds(folder, &format!("analyse run {FEW} --algorithm bfs --again"));
    let lengths = page("bellman_ford");
    assert!(!lengths.contains("on bfs") && lengths.contains(r#"id="symmetries""#));
}

#[test]
fn a_recording_contains_states_predictions_and_scores() {
    let folder = trained();
    let folder = folder.path();
    let out = "record run --num 30 --length 6 --seed 3";
    succeeds(folder, &format!("{out} --out max.safetensors"));
    succeeds(folder, &format!("{out} --over-nodes all --out all.safetensors --threads 1"));

    let bytes = std::fs::read(folder.join("all.safetensors")).unwrap();
    let all = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let bytes = std::fs::read(folder.join("max.safetensors")).unwrap();
    let max = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let shape = |file: &safetensors::SafeTensors<'_>, name: &str| {
        file.tensor(name).unwrap_or_else(|_| panic!("{name} is missing")).shape().to_vec()
    };
    let [samples, steps, nodes, hidden] = shape(&all, "hidden")[..] else { panic!("4 axes") };
    assert_eq!((samples, nodes, hidden), (30, 6, 8));
    assert_eq!(shape(&max, "hidden"), [30, steps, 8]);
    assert_eq!(shape(&max, "score"), [30]);
    assert_eq!(shape(&max, "input/A"), [30, 6, 6]);
    assert_eq!(shape(&max, "output/pi"), [30, 6]);
    assert_eq!(shape(&max, "hint/d"), [30, steps + 1, 6]);
    assert_eq!(shape(&max, "predicted/hint/pi_h"), [30, steps, 6]);
    assert_eq!(shape(&max, "predicted/output/pi"), [30, 6]);

    // The maximum over nodes is that of the states of all nodes.
    let floats = |file: &safetensors::SafeTensors<'_>| -> Vec<f32> {
        let data = file.tensor("hidden").unwrap().data().to_vec();
        data.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect()
    };
    let (all, max) = (floats(&all), floats(&max));
    for (states, most) in all.chunks_exact(nodes * hidden).zip(max.chunks_exact(hidden)) {
        for (channel, most) in most.iter().enumerate() {
            let each = states.iter().skip(channel).step_by(hidden);
            assert_eq!(each.copied().fold(f32::MIN, f32::max), *most);
        }
    }
}

#[test]
fn a_recording_is_enough_for_analyses_that_do_not_run_the_network() {
    let folder = trained();
    let folder = folder.path();
    succeeds(folder, "record run --num 60 --length 8 --out a.safetensors");
    let printed = succeeds(folder, "analyse a.safetensors dimensionality");
    assert!(printed.contains("How many dimensions"), "{printed}");
    // The states of all nodes give the same numbers, and more.
    succeeds(folder, "record run --num 60 --length 8 --over-nodes all --out b.safetensors");
    let more = succeeds(folder, "analyse b.safetensors dimensionality");
    let line = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name} in {text}")).split_whitespace().collect::<String>()
    };
    let name = "step-wise, max over nodes";
    assert_eq!(line(&printed, name), line(&more, name));
    assert!(more.contains("step-wise, mean over nodes"), "{more}");
    assert_eq!(
        fails(folder, "analyse a.safetensors perturbations"),
        "perturbations needs a run, whose network it can run again, but this is a recording"
    );
    let printed = succeeds(folder, "analyse a.safetensors");
    assert!(printed.contains("dimensionality: "), "other analyses still run: {printed}");

    let images = "record run --num 60 --length 8 --family reweight --classes 2";
    succeeds(folder, &format!("{images} --out c.safetensors"));
    let printed = succeeds(folder, "analyse c.safetensors symmetries");
    assert!(printed.contains("as recorded: three principal components explain"), "{printed}");
}

#[test]
fn errors_are_one_sentence_and_write_nothing() {
    let folder = trained();
    let folder = folder.path();
    let error = fails(folder, "record run --num 20 --length 6 --steps 99 --out a.safetensors");
    assert!(error.starts_with("no sample takes 99 steps; the samples take "), "{error}");
    let error = fails(folder, "evaluate run --p 0.1 --directed");
    assert_eq!(error, "p, direction apply to new samples only; add --length to draw some");
    let error = fails(folder, "record run --num 20 --out a.npy");
    assert_eq!(error, "expected a file name ending in .npz or .safetensors, found a.npy");
    let error = fails(folder, "analyse run dimensionalty");
    assert_eq!(error, "unknown analysis \"dimensionalty\"; the closest name is \"dimensionality\"");
    let error = fails(folder, "analyse run dimensionality --graphs 1");
    assert_eq!(error, "--graphs should be at least 2, found 1");
    let few = "--graphs 60 --length 8";
    let error = fails(folder, &format!("analyse run dimensionality {few} --steps 99"));
    assert!(error.contains("at least 8 samples that take 99 steps, but there are"), "{error}");
    let error = fails(folder, &format!("analyse run cluster_directions {few} --scored 2"));
    assert!(error.contains("at least 65 random graphs, but there are 8"), "{error}");
    let error = fails(folder, "analyse nowhere");
    assert!(error.contains("nowhere"), "{error}");
    assert_eq!(names(folder), ["run"]);
    assert!(!folder.join("run/answers").exists());

    succeeds(folder, "record run --num 20 --length 6 --out a.safetensors");
    let whole = std::fs::read(folder.join("a.safetensors")).unwrap();
    let error = fails(folder, "record run --num 20 --length 6 --out a.safetensors");
    assert!(error.starts_with("a.safetensors already exists"), "{error}");
    let error = fails(folder, "analyse a.safetensors dimensionality --algorithm bfs");
    assert!(error.contains("--input and --algorithm need a run"), "{error}");
    std::fs::write(folder.join("b.safetensors"), &whole[..whole.len() / 2]).unwrap();
    let error = fails(folder, "analyse b.safetensors dimensionality");
    assert!(error.starts_with("expected a complete recording, found "), "{error}");
}

#[test]
fn an_exported_run_can_be_used_but_not_trained() {
    let folder = trained();
    let folder = folder.path();
    succeeds(folder, "export run --out slim");
    assert_eq!(names(&folder.join("slim")), ["best.safetensors", "config.toml", "test.json"]);
    let scores = |run: &str| {
        let text = succeeds(folder, &format!("evaluate {run} --length 8 --num 8 --json"));
        text.replace(&format!("\"run\": \"{run}\""), "")
    };
    assert_eq!(scores("run"), scores("slim"));
    let error = fails(folder, "train --resume slim");
    assert!(error.contains("only its weights"), "{error}");
    // The scores in test.json are those of the best weights.
    succeeds(folder, "export run --checkpoint last --out slim-0.1");
    assert_eq!(names(&folder.join("slim-0.1")), ["best.safetensors", "config.toml"]);
    let error = fails(folder, "export run --out slim.pt");
    assert_eq!(error, "expected a file name ending in .npz, or a folder, found slim.pt");
}

#[test]
fn runs_that_differ_in_more_than_their_seed_are_not_averaged() {
    let folder = trained();
    let folder = folder.path();
    let other = TRAIN.replace("hidden_size 8", "hidden_size 4").replace("--out run", "--out other");
    succeeds(folder, &other);
    succeeds(folder, &format!("report run other {FEW}"));
    let page = std::fs::read_to_string(folder.join("run/report.html")).unwrap();
    assert!(
        page.contains("linear_pgn, hidden_size = 8")
            && page.contains("linear_pgn, hidden_size = 4")
    );
    let error = fails(folder, &format!("report run run {FEW}"));
    assert!(error.contains("two runs are linear_pgn with seed 42"), "{error}");
}

/// Number of networks of the study that come with the program.
fn shipped_networks() -> usize {
    let networks = Path::new(env!("CARGO_MANIFEST_DIR")).join("networks");
    let configs = std::fs::read_dir(networks).unwrap();
    let configs = configs.map(|folder| folder.unwrap().path().join("config.toml"));
    let configs = configs.filter_map(|config| std::fs::read_to_string(config).ok());
    configs.filter(|config| config.contains("\"bellman_ford\"")).count()
}

#[test]
fn the_study_is_reproduced_with_the_networks_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let networks = shipped_networks();
    let of_all = format!("{networks} networks: {networks} trained");
    let answers = networks * narscope::analysis::analyses::for_algorithms(1).count();
    let plan = succeeds(folder, &format!("reproduce --plan {FEW} --out study"));
    assert!(plan.starts_with(&format!("{of_all}\n{answers} answers to compute")), "{plan}");
    assert!(names(folder).is_empty(), "a plan writes nothing");

    let printed = succeeds(folder, &format!("reproduce {FEW} --out study"));
    assert!(printed.starts_with("no claim of the paper is judged: "), "{printed}");
    let page = std::fs::read(folder.join("study/report.html")).unwrap();
    let json = std::fs::read_to_string(folder.join("study/comparison.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["claims"], serde_json::json!([]), "graphs of 8 nodes are not the paper's");
    assert!(json["measures"].as_array().unwrap().len() > 100);
    for picture in ["attractors.png", "score.svg", "score.pdf"] {
        let picture = folder.join("study/figures").join(picture);
        assert!(picture.metadata().is_ok_and(|file| file.len() > 1000), "{}", picture.display());
    }

    // Nothing is computed twice.
    let network = folder.join("study/networks/linear_pgn-43");
    let answer = network.join("answers/attractors.json");
    let computed = std::fs::metadata(&answer).unwrap().modified().unwrap();
    succeeds(folder, &format!("reproduce {FEW} --out study"));
    assert_eq!(std::fs::metadata(&answer).unwrap().modified().unwrap(), computed);
    assert_eq!(std::fs::read(folder.join("study/report.html")).unwrap(), page);

    // Complete answers need no weights; missing ones unpack the network again.
    let weights = network.join("best.safetensors");
    std::fs::remove_file(&weights).unwrap();
    succeeds(folder, &format!("reproduce {FEW} --out study"));
    assert_eq!(std::fs::read(folder.join("study/report.html")).unwrap(), page);
    assert!(!weights.exists());
    std::fs::remove_file(&answer).unwrap();
    let plan = succeeds(folder, &format!("reproduce --plan {FEW} --out study"));
    assert!(plan.starts_with(&format!("{of_all}\n1 answers to compute")), "{plan}");
    succeeds(folder, &format!("reproduce {FEW} --out study"));
    assert_eq!(std::fs::read(folder.join("study/report.html")).unwrap(), page);
    assert!(weights.exists());

    // A network with another configuration is not taken for the paper's.
    let config = std::fs::read_to_string(network.join("config.toml")).unwrap();
    std::fs::write(network.join("config.toml"), config.replace("seed = 43", "seed = 7")).unwrap();
    let error = fails(folder, &format!("reproduce {FEW} --out study"));
    assert!(error.contains("linear_pgn, seed 43") && error.contains("--out"), "{error}");
}

#[test]
fn analyses_take_a_graph_of_the_user() {
    let folder = trained();
    let folder = folder.path();
    let edges = "source,target,weight\n0,1,0.5\n1,2,0.25\n0,2,0.9\n2,3,0.1\n";
    std::fs::write(folder.join("roads.csv"), edges).unwrap();
    let printed = succeeds(folder, "analyse run walkthrough --input roads.csv --source 1 --json");
    let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let data = &printed[0]["data"];
    assert_eq!(data["source"], 1);
    assert_eq!(data["truth"], serde_json::json!([1, 1, 1, 2]), "0 <- 1 -> 2 -> 3");
    assert!(!folder.join("run/answers").exists(), "such answers are not cached");
    succeeds(folder, "figure run walkthrough --input roads.csv --source 1 --out drawn");
    assert_eq!(
        names(&folder.join("drawn")),
        ["walkthrough.pdf", "walkthrough.png", "walkthrough.svg"]
    );
    let error = fails(folder, "analyse run dimensionality --input roads.csv --source 1");
    assert!(error.contains("at least"), "{error}");
    let error = fails(folder, "analyse run perturbations --input roads.csv --source 1");
    assert!(error.contains("many random samples, but one was given"), "{error}");
    let error = fails(folder, "analyse run stopping --input roads.csv --source 1");
    assert!(error.contains("many random samples, but one was given"), "{error}");
    let error = fails(folder, "figure run dimensionality --input roads.csv --source 1");
    assert!(error.contains("at least"), "a figure that was requested by name is an error: {error}");
    let printed = succeeds(folder, "analyse run --input roads.csv --source 1");
    assert!(printed.contains("walkthrough: "), "other analyses still run: {printed}");
}

#[test]
fn recordings_are_converted_to_formats_of_other_programs() {
    let folder = trained();
    let folder = folder.path();
    let record = "record run --num 12 --length 6 --family reweight --classes 3";
    succeeds(folder, &format!("{record} --out a.safetensors"));
    succeeds(folder, "convert a.safetensors --out a.npz");
    succeeds(folder, "convert a.safetensors --out a.parquet");
    succeeds(folder, "convert a.safetensors --out projector");
    let arrays = narscope::files::arrays::read_arrays(&folder.join("a.npz")).unwrap();
    let bytes = std::fs::read(folder.join("a.safetensors")).unwrap();
    let recorded = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(arrays.len(), recorded.len());
    for (name, array) in &arrays {
        assert_eq!(array.shape, recorded.tensor(name).unwrap().shape(), "{name}");
    }
    let (_, steps) = arrays.iter().find(|(name, _)| name == "steps").unwrap();
    let points: f32 = steps.data.iter().sum();
    for name in ["tensors.tsv", "metadata.tsv"] {
        let text = std::fs::read_to_string(folder.join("projector").join(name)).unwrap();
        let head = usize::from(name == "metadata.tsv");
        assert_eq!(text.lines().count() - head, points as usize, "{name}");
    }
    assert!(std::fs::read(folder.join("a.parquet")).unwrap().starts_with(b"PAR1"));
    let error = fails(folder, "convert a.safetensors --out a.csv");
    assert!(error.contains(".npz, .safetensors or .parquet, or a folder"), "{error}");
}

#[test]
fn states_can_be_perturbed_while_they_are_recorded() {
    let folder = trained();
    let folder = folder.path();
    let record = |how: &str, name: &str| {
        succeeds(folder, &format!("record run --num 20 --length 6 {how} --out {name}.safetensors"));
        std::fs::read(folder.join(format!("{name}.safetensors"))).unwrap()
    };
    let plain = record("", "plain");
    let moved = record("--perturb random", "random");
    assert_eq!(moved, record("--perturb random --threads 1", "again"));
    let states = |bytes: &[u8]| {
        let file = safetensors::SafeTensors::deserialize(bytes).unwrap();
        file.tensor("hidden").unwrap().data().to_vec()
    };
    assert_ne!(states(&plain), states(&moved));
    assert_ne!(states(&plain), states(&record("--perturb onto:mean", "onto")));
    let output = terminal::narscope(folder, "record run --perturb sideways --out a.safetensors");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("expected one of noise_free, directional, random"), "{error}");
}
