use super::problem::Problem;
use super::*;

const FILE: &str = r#"
out = "runs/x"
[base]
train_steps = 20
[axes]
seed = [1, 2]
algorithms = ["bfs", ["dfs", "dijkstra"]]
variant = ["plain", "slow"]
[variants]
plain = {}
slow = { decay = 0.9, learning_rate = 0.1 }
[[exclude]]
seed = 2
variant = ["slow"]
"#;

fn refused(text: &str) -> (String, Option<usize>) {
    match Sweep::parse(text) {
        Err(Problem { what, position }) => (what, position.line(text)),
        Ok(sweep) => panic!("{sweep:?}"),
    }
}

#[test]
fn every_combination_that_is_not_excluded_is_a_run_in_its_own_folder() {
    let Ok(sweep) = Sweep::parse(FILE) else { panic!("the file is valid") };
    let names: Vec<&str> = sweep.runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "seed=1/bfs/plain",
            "seed=1/bfs/slow",
            "seed=1/dfs+dijkstra/plain",
            "seed=1/dfs+dijkstra/slow",
            "seed=2/bfs/plain",
            "seed=2/dfs+dijkstra/plain",
        ]
    );
    let slow = &sweep.runs[3].config;
    assert_eq!((slow.decay, slow.learning_rate, slow.train_steps), (0.9, 0.1, 20));
    assert_eq!(slow.algorithms, ["dfs", "dijkstra"]);
}

#[test]
fn errors_name_the_line_and_the_closest_name() {
    let (what, line) = refused(&FILE.replace("train_steps", "train_step"));
    assert_eq!(what, r#"unknown key "train_step"; the closest name is "train_steps""#);
    assert_eq!(line, Some(4));
    let (what, line) = refused(&FILE.replace("\"bfs\"", "\"bsf\""));
    assert!(what.contains(r#"the closest name is "bfs""#), "{what}");
    assert_eq!(line, Some(7));
    let (what, line) = refused(&FILE.replace("\"dijkstra\"", "\"dikstra\""));
    assert!(what.contains("dikstra"), "{what}");
    assert_eq!(line, Some(7), "in a list");
    let base =
        "out = 'x'\n[base]\nprocessor_type = 'mpn'\nalgorithms = ['bfs']\n[axes]\nseed = [1]\n";
    let (what, line) = refused(base);
    assert!(what.contains(r#"the closest name is "mpnn""#), "{what}");
    assert_eq!(line, Some(3), "for all runs");
    let (what, line) = refused(&FILE.replace("decay = 0.9", "processor_type = 'pgnn'"));
    assert!(what.contains("pgnn") && line == Some(11), "{what}, line {line:?}, in a variant");
    let (what, line) = refused(&FILE.replace("\"slow\"]\n[variants]", "\"solw\"]\n[variants]"));
    assert_eq!(what, r#"unknown variant "solw"; the closest name is "slow""#);
    assert_eq!(line, Some(8));
    let (what, line) = refused(&FILE.replace("train_steps = 20", "hidden_size = 0"));
    assert!(what.contains("hidden_size") && line == Some(4), "{what}, line {line:?}");
    let (what, _) = refused(&FILE.replace("[axes]\nseed = [1, 2]", "[axes]\nseed = 1"));
    assert_eq!(what, "the axis seed should be a list of values");
    let (what, _) = refused(&FILE.replace("seed = 2\nvariant", "sed = 2\nvariant"));
    assert_eq!(what, "sed is not an axis; the axes are seed, algorithms, variant");
    let (what, _) = refused(&FILE.replace("seed = [1, 2]", "seed = [1, 1]"));
    assert_eq!(what, "seed=1/bfs/plain is listed twice");
    let (what, line) = refused(&FILE.replace("[\"slow\"]", "[\"solw\"]"));
    assert_eq!(what, r#"the axis variant has no value "solw""#);
    assert_eq!(line, Some(12));
    let (what, _) = refused(&FILE.replace("seed = 2\n", "seed = [2, 3]\n"));
    assert_eq!(what, "the axis seed has no value 3");
    let dots = FILE.replace("\"plain\"", "\"..\"").replace("plain = {}", "\"..\" = {}");
    let (what, _) = refused(&dots);
    assert!(what.contains("is not a valid folder name"), "{what}");
    let (what, line) = refused(&FILE.replace("plain = {}", "plain = 3"));
    assert_eq!(what, "the variant plain should be a table of keys and values, found 3");
    assert_eq!(line, Some(8));
    let (what, _) = refused(&FILE.replace("decay = 0.9", "seed = 7"));
    assert_eq!(what, "seed is both an axis and a key of a variant");
    let twice = "out = 'x'\n[base]\nalgorithms = ['bfs']\n[axes]\ndecay = [1, 1.0]\n";
    assert_eq!(refused(twice).0, "decay=1 and decay=1.0 have the same configuration");
    let (what, line) = refused(&(FILE.to_owned() + "[resources]\ncpus = 0\n"));
    assert_eq!((what.as_str(), line), ("cpus should be at least 1", Some(16)));
    let (what, _) = refused("axes = 3");
    assert!(what.contains("line 1"), "{what}");
    let many = format!("seed = {:?}", (0..30_000).collect::<Vec<_>>());
    let (what, _) = refused(&FILE.replace("seed = [1, 2]", &many).replace("seed = 2", ""));
    assert_eq!(what, "the axes have more than 100000 combinations; use fewer values");
}

#[test]
fn an_axis_that_changes_nothing_is_refused_with_the_key_that_makes_it_so() {
    let base = "out = 'x'\n[base]\nalgorithms = ['bfs']\nprocessor_type = 'mpnn'\n";
    let (what, line) = refused(&format!("{base}[axes]\nseed = [1, 2]\ntemperature = [0.1, 1.0]\n"));
    assert_eq!(
        what,
        "the axis temperature changes nothing between seed=1/temperature=0.1 and seed=1/temperature=1.0: \
         temperature needs aggregator softmax, but aggregator is max; they would train the same network \
         (remove the values, or leave combinations out with [[exclude]])"
    );
    assert_eq!(line, Some(7));
    let (what, line) = refused(&format!(
        "{base}[axes]\nvariant = ['a', 'b']\n[variants]\na = {{}}\nb = {{ decay_towards = 'mean' }}\n"
    ));
    assert!(what.starts_with("the axis variant changes nothing between a and b: "), "{what}");
    assert!(what.contains("decay_towards needs decay below 1, but decay is 1.0"), "{what}");
    assert_eq!(line, Some(9));
    let (what, _) = refused(
        &format!("{base}[axes]\ndirected_training = [true, false]\n").replace("bfs", "minimum"),
    );
    assert!(what.contains("but algorithms is minimum"), "{what}");

    // With softmax the temperature has an effect; the grid needs no other runs of max.
    let grid = format!("{base}[axes]\naggregator = ['max', 'softmax']\ntemperature = [0.1, 1.0]\n");
    let (what, _) = refused(&grid);
    assert!(
        what.contains("between aggregator=max/temperature=0.1 and aggregator=max/temperature=1.0"),
        "{what}"
    );
    let exclude = "[[exclude]]\naggregator = 'max'\ntemperature = 1.0\n";
    let Ok(sweep) = Sweep::parse(&(grid + exclude)) else { panic!("the file is valid") };
    assert_eq!(sweep.runs.len(), 3);
}

#[test]
fn an_error_in_a_variant_has_the_line_of_the_variant() {
    let changed = format!("# about decay{FILE}").replace("decay = 0.9", "decay = 1.5");
    let (what, line) = refused(&changed);
    assert!(what.contains("decay"), "{what}");
    assert_eq!(line, Some(11));
}

#[test]
fn filters_match_lists_that_are_values_and_equal_numbers() {
    let names = |text: &str| -> Vec<String> {
        let Ok(sweep) = Sweep::parse(text) else { panic!("the file is valid") };
        sweep.runs.into_iter().map(|run| run.name).collect()
    };
    let plain = "out = 'x'\n[axes]\nalgorithms = ['bfs', 'dfs', ['bfs', 'dfs']]\n";
    let both = format!("{plain}[[exclude]]\nalgorithms = ['bfs', 'dfs']\n");
    assert_eq!(names(&both), ["bfs", "dfs"]);
    let decays = "out = 'x'\n[base]\nalgorithms = ['bfs']\n[axes]\ndecay = [1.0, 0.9]\n";
    assert_eq!(names(&format!("{decays}[[only]]\ndecay = 1\n")), ["decay=1.0"]);
}

#[test]
fn folders_of_many_algorithms_have_short_distinct_names() {
    let all: Vec<&str> = narscope_clrs::algorithms::ALL.iter().map(|it| it.name).collect();
    let text = format!("out = 'x'\n[axes]\nalgorithms = [{all:?}, {:?}]\n", &all[1..]);
    let Ok(sweep) = Sweep::parse(&text) else { panic!("the file is valid") };
    let [one, other] = &sweep.runs[..] else { panic!("two runs") };
    assert!(one.name.len() < 200 && one.name != other.name, "{} {}", one.name, other.name);
}

#[test]
fn control_characters_are_refused_with_their_line() {
    let resources = format!("{FILE}[resources]\npartition = \"long\\nrm -rf ~\"\n");
    let (what, line) = refused(&resources);
    assert_eq!(
        what,
        "partition should have no line breaks and no other control characters, found '\\n' in \"long\\nrm -rf ~\""
    );
    assert_eq!(line, Some(16));
    let (what, line) = refused(&FILE.replace("\"runs/x\"", "\"runs\\u001b/x\""));
    assert!(what.starts_with("out should have no line breaks"), "{what}");
    assert_eq!(line, Some(2));
    let (what, _) =
        refused(&FILE.replace("plain", "\"pl\\nain\"").replace("\"\"pl\\nain\"\"", "\"pl\\nain\""));
    assert!(what.starts_with(r#""pl\nain" is not a valid folder name"#), "{what}");
}
