//! Graphs of users, end to end: formats, names, directions, warnings and `--rescale`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

mod terminal;
use terminal::{fails, fails_as_usage, narscope, succeeds};

/// A trained network for `bellman_ford` that comes with the program.
fn network() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("networks/linear_pgn-42");
    folder.to_str().unwrap().to_owned()
}

/// A folder with the given files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The folder of graphs that networkx wrote.
fn written_by_networkx() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../narscope-files/tests/instances")
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What a command prints to standard error.
fn warnings(folder: &Path, arguments: &str) -> String {
    let output = narscope(folder, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

const TOWNS: &str = "source,target,weight\nBonn,Köln,25\nKöln,Trier,170\nBonn,Trier,140\n";

#[test]
fn nodes_with_names_keep_them_in_traces() {
    let folder = folder(&[("towns.csv", TOWNS)]);
    let shown = succeeds(folder.path(), "trace bellman_ford --input towns.csv --source Köln");
    let head: Vec<&str> = shown.lines().skip(1).take(2).collect();
    let graph = "3 undirected edges (the default of bellman_ford; --directed reads one direction per edge), weights 25 \
                 to 170, source Köln";
    assert_eq!(head, ["3 nodes, 3 steps (towns.csv)", graph]);
    assert!(shown.contains("Bonn–Köln=25"), "{shown}");
    let pi = shown.lines().rev().find(|line| line.starts_with("  pi ")).unwrap();
    let pointers: Vec<&str> = pi.split_whitespace().skip(1).take(3).collect();
    assert_eq!(pointers, ["Köln", "Köln", "Bonn"], "by way of Bonn it is 165, directly 170");

    let json = succeeds(folder.path(), "trace dijkstra --input towns.csv --source Trier --json");
    let json = parse(&json);
    assert_eq!(json["names"], json!(["Bonn", "Köln", "Trier"]));
    assert_eq!((&json["instance"], &json["directed"]), (&json!("towns.csv"), &json!(false)));
    assert_eq!(json["output/pi"], json!([2, 0, 2]));

    let error = fails(folder.path(), "trace bellman_ford --input towns.csv --source Bon");
    assert_eq!(
        error,
        "towns.csv: bellman_ford: unknown node \"Bon\"; the closest name is \"Bonn\""
    );
}

#[test]
fn whole_numbers_from_0_are_node_numbers_and_others_are_names() {
    let plain = "u,v\n2,0\n0,1\n";
    let gap = "u,v\n0,3333\n3333,7\n";
    let folder = folder(&[("plain.csv", plain), ("gap.csv", gap)]);
    let json = parse(&succeeds(folder.path(), "trace bfs --input plain.csv --source 2 --json"));
    assert_eq!((&json["names"], &json["output/pi"]), (&json!([]), &json!([2, 0, 2])));
    let json = parse(&succeeds(folder.path(), "trace bfs --input gap.csv --source 3333 --json"));
    assert_eq!((&json["names"], &json["nodes"]), (&json!(["0", "7", "3333"]), &json!(3)));
    assert_eq!(json["output/pi"], json!([2, 2, 2]));
}

#[test]
fn every_format_gives_the_same_graph() {
    let folder = folder(&[
        ("roads.csv", "source,target,weight\nBerlin,Hamburg,289\nBerlin,München,585.5\n"),
        ("roads.tsv", "from\tto\tweight\nBerlin\tHamburg\t289\nBerlin\tMünchen\t585.5\n"),
        (
            "matrix.csv",
            ",Berlin,Hamburg,München\nBerlin,0,289,585.5\nHamburg,289,0,\nMünchen,585.5,,0\n",
        ),
        ("header.csv", "Berlin,Hamburg,München\n0,289,585.5\n289,0,0\n585.5,0,0\n"),
    ]);
    for name in ["roads.graphml", "roads-links.json", "roads-edges.json"] {
        std::fs::copy(written_by_networkx().join(name), folder.path().join(name)).unwrap();
    }
    for name in ["roads.csv", "roads.tsv", "matrix.csv", "header.csv"] {
        let traced = format!("trace dijkstra --input {name} --source Hamburg --json");
        let json = parse(&succeeds(folder.path(), &traced));
        assert_eq!(json["names"], json!(["Berlin", "Hamburg", "München"]), "{name}");
        assert_eq!(json["output/pi"], json!([1, 1, 0]), "{name}");
        assert_eq!(json["directed"], false, "{name}");
    }
    for name in ["roads.graphml", "roads-links.json", "roads-edges.json"] {
        let traced = format!("trace dijkstra --input {name} --source Hamburg --json");
        let json = parse(&succeeds(folder.path(), &traced));
        assert_eq!(json["names"], json!(["Berlin", "Hamburg", "München", "Island"]), "{name}");
        assert_eq!(json["output/pi"], json!([1, 1, 0, 3]), "{name}: an isolated node");
        let shown = succeeds(folder.path(), &format!("trace dijkstra --input {name}"));
        assert!(shown.contains("2 undirected edges (as the file states)"), "{shown}");
    }
}

#[test]
fn the_direction_is_stated_and_contradictions_are_refused() {
    let folder = folder(&[
        ("roads.csv", "u,v,w\na,b,1\nb,c,2\nb,a,3\n"),
        ("one_way.csv", "0,1,0\n0,0,2\n0,0,0\n"),
    ]);
    let error = fails(folder.path(), "trace bellman_ford --input roads.csv");
    assert_eq!(
        error,
        "roads.csv: bellman_ford: expected one weight per undirected edge, found 1 from a to b in line 2 and 3 from b to \
         a in line 4\nhint: use --directed if each edge has one direction"
    );
    let shown = succeeds(folder.path(), "trace bellman_ford --input roads.csv --directed");
    assert!(shown.contains("3 directed edges (as --directed asks)"), "{shown}");
    let shown = succeeds(folder.path(), "trace bellman_ford --input one_way.csv");
    assert!(shown.contains("2 directed edges (the matrix is not symmetric)"), "{shown}");
    let shown = succeeds(folder.path(), "trace topological_sort --input one_way.csv --directed");
    assert!(shown.contains("2 directed edges"), "{shown}");
    let several = written_by_networkx().join("several.json");
    let error = fails(folder.path(), &format!("trace mst_kruskal --input {}", several.display()));
    assert!(error.contains("several.json/grid: mst_kruskal: expected"), "{error}");
    assert!(error.ends_with("found a directed graph"), "{error}");
    let error =
        fails(folder.path(), &format!("trace bfs --undirected --input {}", several.display()));
    assert!(error.ends_with("found a directed graph in the file"), "{error}");
}

#[test]
fn several_instances_come_from_a_folder_or_from_one_file() {
    let dir = folder(&[("columns.csv", "graph,u,v,w\nnorth,a,b,1\nsouth,c,d,2\nnorth,b,c,4\n")]);
    let shown = succeeds(dir.path(), "trace dijkstra --input columns.csv --json");
    let all: Vec<Value> = shown.lines().map(parse).collect();
    let names: Vec<&Value> = all.iter().map(|it| &it["instance"]).collect();
    assert_eq!(names, ["columns.csv/north", "columns.csv/south"]);
    assert_eq!(all[0]["names"], json!(["a", "b", "c"]));

    let maps = folder(&[("b.csv", TOWNS), ("a.csv", "0,1\n1,0\n"), ("notes.md", "")]);
    let maps = maps.path().to_str().unwrap().to_owned();
    let shown = succeeds(dir.path(), &format!("trace bfs --input {maps}"));
    let (first, second) = (shown.find("a.csv)").unwrap(), shown.find("b.csv)").unwrap());
    assert!(first < second, "{shown}");
    let error = fails(dir.path(), &format!("sample bfs --input {maps} --out x.npz"));
    assert!(error.contains("found 2 nodes in a.csv and 3 in b.csv"), "{error}");

    // A stack of two matrices, as `numpy.save` writes it.
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([0, 1, 1, 0, 0, 7, 7, 0]);
    std::fs::write(dir.path().join("stack.npy"), bytes).unwrap();
    let printed = succeeds(dir.path(), "sample dijkstra --input stack.npy --out stack.jsonl");
    assert!(printed.contains("stack.npy/1: 2 nodes, 1 undirected edge"), "{printed}");
    assert!(printed.ends_with("stack.jsonl: 2 samples of 2 nodes, up to 3 steps\n"), "{printed}");
}

/// A road map with weights from 1 to 12.
const ROADS: &str =
    "source,target,weight\nA,B,3\nA,C,12\nB,C,4\nC,D,1\nB,E,9\nD,E,2\nE,F,5\nC,F,11\n";

#[test]
fn weights_out_of_range_are_said_and_can_be_rescaled() {
    let folder = folder(&[("roads.csv", ROADS)]);
    let network = network();
    let predict = format!("predict {network} --input roads.csv");
    let warned = warnings(folder.path(), &predict);
    let wanted = "warning: roads.csv has edge weights from 1 to 12; the network was trained on 0.00 to 1.00; use \
                  --rescale to divide by 16\n";
    assert!(warned.contains(wanted), "{warned}");
    assert!(
        warned.contains("roads.csv is undirected; the network was trained on directed"),
        "{warned}"
    );
    assert!(!warnings(folder.path(), &format!("{predict} --rescale")).contains("weights"));

    let right = |arguments: &str| {
        let found = parse(&succeeds(folder.path(), arguments));
        let (predicted, right) = (&found["outputs"][0]["predicted"], &found["outputs"][0]["right"]);
        assert_eq!(*right, json!([0, 0, 1, 2, 3, 4]), "A-B-C-D-E-F");
        assert_eq!(found["paths"]["right"], json!([0.0, 3.0, 7.0, 8.0, 10.0, 15.0]));
        let (predicted, right) = (predicted.as_array().unwrap(), right.as_array().unwrap());
        predicted.iter().zip(right).filter(|(found, right)| found == right).count()
    };
    let (plain, scaled) =
        (right(&format!("{predict} --json")), right(&format!("{predict} --json --rescale")));
    assert!(plain < 6 && scaled == 6, "{plain} of 6 without --rescale, {scaled} with it");

    let shown = succeeds(folder.path(), &format!("{predict} --rescale"));
    assert!(shown.contains("weights divided by 16 for the network"), "{shown}");
    let row = shown.lines().find(|line| line.trim_start().starts_with("F ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["F", "E", "E", "15", "15"]);
    assert!(shown.contains("6 of 6 nodes right\nscore 100.00 %"), "{shown}");
}

#[test]
fn the_same_warning_about_many_instances_is_said_once() {
    let folder = folder(&[("roads.csv", ROADS)]);
    let maps = folder.path().join("maps");
    std::fs::create_dir(&maps).unwrap();
    for map in 0..30 {
        // All other numbers are out of range, too, and differ.
        let weights = ROADS.replace(",12\n", &format!(",{}\n", 100 + map));
        std::fs::write(maps.join(format!("{map:02}.csv")), weights).unwrap();
    }
    let warned = warnings(folder.path(), &format!("predict {} --input maps", network()));
    let undirected = "00.csv is undirected; the network was trained on directed graphs (likewise 29 other instances)";
    assert!(warned.contains(undirected), "{warned}");
    assert_eq!(warned.lines().count(), 11, "{warned}");
    assert!(warned.ends_with("21 warnings about other instances not shown\n"), "{warned}");
}

#[test]
fn a_directed_graph_with_all_edges_in_both_directions_is_not_called_undirected() {
    let both = "source,target,weight\nA,B,0.5\nB,A,0.5\nB,C,0.25\nC,B,0.25\nC,D,0.5\nD,C,0.5\n";
    let folder = folder(&[("both.csv", both)]);
    let warned =
        warnings(folder.path(), &format!("predict {} --input both.csv --directed", network()));
    assert!(warned.contains("both.csv has every edge in both directions; "), "{warned}");
}

#[test]
fn samples_made_from_own_instances_are_compared_with_training_and_random_ones_are_not() {
    let folder = folder(&[("roads.csv", ROADS)]);
    succeeds(folder.path(), "sample bellman_ford --input roads.csv --out own.npz");
    let predict = |file: &str| format!("predict {} --in {file} --out of-{file}", network());
    let warned = warnings(folder.path(), &predict("own.npz"));
    assert!(warned.contains("own.npz has edge weights from 1 to 12; the network"), "{warned}");
    succeeds(folder.path(), "sample bellman_ford --length 40 --num 2 --seed 1 --out random.npz");
    assert_eq!(warnings(folder.path(), &predict("random.npz")), "");
}

#[test]
fn names_with_spaces_are_separated_by_commas_in_traces() {
    let map = "source,target,weight\nSan Francisco de Asis,Los Angeles del Mar,3\nLos Angeles del Mar,Reno,4\n";
    let names: Vec<String> = (0..9).map(|i| format!("Reno,A long name {i},1\n")).collect();
    let names = names.concat();
    let folder = folder(&[("map.csv", &format!("{map}{names}"))]);
    let shown = succeeds(folder.path(), "trace bellman_ford --input map.csv");
    let edges = "San Francisco de Asis–Los Angeles del Mar=3, Los Angeles del Mar–Reno=4, ";
    assert!(shown.contains(edges), "{shown}");
    assert!(shown.contains("Los Angeles del Mar:San Francisco de Asis, Reno:"), "{shown}");
}

#[test]
fn walkthroughs_warn_and_name_wrong_nodes_in_the_unit_of_the_user() {
    let folder = folder(&[("roads.csv", ROADS)]);
    let analyse = format!("analyse {} walkthrough --input roads.csv --source A", network());
    assert!(warnings(folder.path(), &analyse).contains("use --rescale to divide by 16"));
    let shown = succeeds(folder.path(), &analyse);
    assert!(shown.starts_with("roads.csv: 6 nodes, 8 undirected edges"), "{shown}");
    assert!(shown.contains("On roads.csv (6 nodes, undirected), "), "{shown}");
    assert!(shown.contains("Wrong at the end: "), "{shown}");

    let found = parse(&succeeds(folder.path(), &format!("{analyse} --rescale --json")));
    let data = &found[0]["data"];
    assert_eq!(data["names"], json!(["A", "B", "C", "D", "E", "F"]));
    assert_eq!((&data["instance"], &data["directed"]), (&json!("roads.csv"), &json!(false)));
    assert_eq!(data["distances"], json!([0.0, 3.0, 7.0, 8.0, 10.0, 15.0]));
    assert_eq!(data["predicted_paths"], data["distances"], "all are found");
    assert_eq!(data["edges"][1], json!([0, 2, 12.0]));
    let last = data["steps"].as_array().unwrap().last().unwrap();
    let predicted = last["distances"][5].as_f64().unwrap();
    assert!((predicted - 15.0).abs() < 3.0, "{predicted} should be about 15");

    let found = parse(&succeeds(folder.path(), &format!("{analyse} --directed --rescale --json")));
    let data = &found[0]["data"];
    assert_eq!(data["directed"], true);
    assert_eq!(data["edges"].as_array().unwrap().len(), 8);
    let error = fails_as_usage(folder.path(), &format!("{analyse} --directed --undirected"));
    assert!(error.contains("cannot be used with"), "{error}");
}

#[test]
fn figures_of_several_graphs_have_their_names() {
    let maps = folder(&[("north.csv", ROADS), ("south.csv", TOWNS)]);
    let out = tempfile::tempdir().unwrap();
    let draw = format!(
        "figure {} walkthrough --input {} --rescale --out drawn",
        network(),
        maps.path().display()
    );
    let printed = succeeds(out.path(), &draw);
    assert!(printed.contains("south.csv: 3 nodes, 3 undirected edges"), "{printed}");
    for name in ["walkthrough-north-csv.svg", "walkthrough-south-csv.svg"] {
        assert!(out.path().join("drawn").join(name).exists(), "{name}: {printed}");
    }
}

#[test]
fn files_of_own_graphs_are_written_and_read() {
    let folder = folder(&[("roads.csv", ROADS)]);
    let network = network();
    let printed = succeeds(folder.path(), "sample bellman_ford --input roads.csv --out roads.npz");
    assert!(printed.ends_with("roads.npz: 1 sample of 6 nodes, up to 6 steps\n"), "{printed}");
    succeeds(folder.path(), &format!("predict {network} --in roads.npz --out a.npz"));
    let array = |name: &str, key: &str| {
        let all = narscope::files::arrays::read_arrays(&folder.path().join(name)).unwrap();
        all.into_iter().find(|(it, _)| it == key).unwrap_or_else(|| panic!("{key}")).1
    };
    succeeds(folder.path(), &format!("predict {network} --input roads.csv --out b.npz"));
    assert_eq!(array("a.npz", "predicted/output/pi"), array("b.npz", "predicted/output/pi"));
    let rescaled = format!("predict {network} --input roads.csv --rescale --out c.npz");
    let printed = succeeds(folder.path(), &rescaled);
    assert!(printed.contains("in the file are divided by 16"), "{printed}");
    let largest = |name: &str| array(name, "input/A").data.into_iter().fold(0.0, f32::max);
    assert_eq!((largest("b.npz"), largest("c.npz")), (12.0, 0.75), "as the network saw them");

    let record = format!("record {network} --input roads.csv --rescale --out r.safetensors");
    let printed = succeeds(folder.path(), &record);
    assert!(printed.ends_with("r.safetensors: 1 sample of 6 nodes\n"), "{printed}");
    let bytes = std::fs::read(folder.path().join("r.safetensors")).unwrap();
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(9000)]).into_owned();
    assert!(
        head.contains("roads.csv") && head.contains("divisor") && head.contains("names"),
        "{head}"
    );
}

#[test]
fn rescaling_is_refused_where_answers_depend_on_the_unit() {
    let folder = folder(&[("array.csv", "3\n1\n2\n")]);
    let train = "train --algorithms heapsort --train_steps 1 --hidden_size 4 --out run";
    succeeds(folder.path(), train);
    let error = fails(folder.path(), "predict run --input array.csv --rescale");
    assert!(error.starts_with("--rescale is for shortest paths and spanning trees"), "{error}");
    assert!(error.ends_with("heapsort is neither"), "{error}");
    let warned = warnings(folder.path(), "predict run --input array.csv");
    assert!(warned.contains("array.csv has values of key from 1 to 3"), "{warned}");
    assert!(
        warned.contains("array.csv has 3 nodes; the network was trained on 4 to 16"),
        "{warned}"
    );
    let shown = succeeds(folder.path(), "predict run --input array.csv");
    assert!(shown.contains("nodes right"), "{shown}");
}

#[test]
fn flags_of_random_samples_do_not_go_with_own_instances() {
    let folder = folder(&[("roads.csv", ROADS)]);
    for arguments in ["trace bfs --input roads.csv --seed 1", "sample bfs --out x.npz --length 4"] {
        fails_as_usage(folder.path(), arguments);
    }
    let network = network();
    let error = fails(folder.path(), &format!("analyse {network} --input roads.csv --seed 1"));
    assert!(error.contains("--length and --seed apply to random samples only"), "{error}");
    let record = format!("record {network} --input roads.csv --family grid --out r.safetensors");
    let error = fails(folder.path(), &record);
    assert_eq!(error, "family apply to random instances only, not to --input");
}

#[test]
fn errors_in_content_name_the_file() {
    let folder = folder(&[
        ("negative.csv", "u,v,w\na,b,-1\n"),
        ("word.csv", "u,v,w\na,b,far\n"),
        ("array.csv", "1\n2\n"),
        ("deep.graphml", "<graphml><graph edgedefault='sideways'/></graphml>"),
        ("half.json", "{\"nodes\": ["),
    ]);
    for (file, content) in [
        ("negative.csv", "weight -1 from a to b"),
        ("word.csv", "\"far\" in line 2"),
        ("array.csv", "a matrix of 2 x 1 numbers"),
        ("deep.graphml", "\"sideways\" in line 1"),
        ("half.json", "EOF while parsing"),
    ] {
        let error = fails(folder.path(), &format!("trace dijkstra --input {file}"));
        assert!(error.contains(file) && error.contains(content), "{error}");
    }
}

#[test]
fn a_trace_that_does_not_fit_into_memory_is_refused_before_it_is_made() {
    // A path over 9,999 nodes: 100 kB. Every one of as many steps has matrices of 1.3 GB.
    let edges: Vec<String> = (0..9_998).map(|i| format!("{i},{}", i + 1)).collect();
    let folder = folder(&[("path.csv", &format!("u,v\n{}\n", edges.join("\n")))]);
    let error = fails(folder.path(), "trace floyd_warshall --input path.csv");
    assert!(error.starts_with("path.csv: "), "{error}");
    assert!(error.contains("would take about") && error.contains("GB are available"), "{error}");
    let many: Vec<String> = (0..10_001).map(|i| format!("n{i},n{}", i + 1)).collect();
    std::fs::write(folder.path().join("many.csv"), format!("u,v\n{}\n", many.join("\n"))).unwrap();
    let error = fails(folder.path(), "trace bfs --input many.csv");
    assert!(error.contains("expected at most 10000 nodes"), "{error}");
}

#[test]
fn a_first_trace_reaches_every_node_and_says_its_seed() {
    let folder = folder(&[]);
    for algorithm in ["bfs", "bellman_ford", "dijkstra", "dag_shortest_paths", "mst_prim"] {
        let shown = succeeds(folder.path(), &format!("trace {algorithm}"));
        let head = shown.lines().nth(1).unwrap();
        let seed = head.split("seed ").nth(1).unwrap().trim_end_matches(')');
        let again = succeeds(folder.path(), &format!("trace {algorithm} --seed {seed} --json"));
        let json = parse(&again);
        let source = json["input/s"].as_array().unwrap().iter().position(|it| *it == 1).unwrap();
        let pi = json["output/pi"].as_array().unwrap();
        let unreached = (0..pi.len()).filter(|&node| node != source && pi[node] == node).count();
        assert_eq!(unreached, 0, "{algorithm}: {shown}");
    }
}

#[test]
fn the_example_map_has_twelve_cities() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let command =
        format!("predict {} --input examples/cities.csv --source Berlin --rescale", network());
    let shown = succeeds(&root, &command);
    assert!(shown.starts_with("cities.csv: 12 nodes, 17 undirected edges"), "{shown}");
    assert!(shown.contains("Madrid"), "{shown}");
}
