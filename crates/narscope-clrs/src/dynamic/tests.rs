use super::*;
use crate::Sampler;
use crate::instance::user::Data;

/// Rows of a spec: name, stage, location, kind.
fn rows(rows: &[(&str, Stage, Location, Kind)]) -> Vec<NewProbe> {
    let row = |&(name, stage, location, kind): &(&str, Stage, Location, Kind)| NewProbe {
        name: name.to_owned(),
        stage,
        location,
        kind,
        classes: vec![],
        meaning: name.to_owned(),
    };
    rows.iter().map(row).collect()
}

fn one_hot(nodes: usize, node: usize) -> Vec<f64> {
    (0..nodes).map(|i| f64::from(i == node)).collect()
}

fn chained(order: &[usize]) -> Vec<f64> {
    let mut pointers = vec![0.0; order.len()];
    pointers[order[0]] = order[0] as f64;
    for pair in order.windows(2) {
        pointers[pair[1]] = pair[0] as f64;
    }
    pointers
}

/// Insertion sort, written as a function of dense values.
fn insertion_sort(name: &str) -> Definition {
    use Location::Node;
    Definition {
        name: name.to_owned(),
        summary: "inserts each key into the sorted keys before it".to_owned(),
        category: Category::Sorting,
        probes: rows(&[
            ("key", Stage::Input, Node, Kind::Scalar),
            ("pred_h", Stage::Hint, Node, Kind::Pointer),
            ("i", Stage::Hint, Node, Kind::MaskOne),
            ("j", Stage::Hint, Node, Kind::MaskOne),
            ("pred", Stage::Output, Node, Kind::ShouldBePermutation),
        ]),
        problems: Problems::Of(algorithms::find("insertion_sort").unwrap()),
        run: Box::new(|n, inputs, steps| {
            let keys = &inputs[1];
            let mut order: Vec<usize> = (0..n).collect();
            steps.hint(&[chained(&order), one_hot(n, 0), one_hot(n, 0)])?;
            for j in 1..n {
                let mut i = j;
                while i > 0 && keys[order[i - 1]] > keys[j] {
                    order.swap(i - 1, i);
                    i -= 1;
                }
                let displaced = if i < j { i + 1 } else { j };
                steps.hint(&[chained(&order), one_hot(n, order[displaced]), one_hot(n, j)])?;
            }
            Ok(vec![chained(&order)])
        }),
    }
}

/// What columns hold, without what specs say about them.
fn contents(traces: &Traces) -> (usize, &[Column], Vec<usize>) {
    (traces.nodes, &traces.columns, (0..traces.len()).map(|i| traces.steps(i)).collect())
}

#[test]
fn a_defined_insertion_sort_equals_the_built_in_one_trace_for_trace() {
    let built_in = algorithms::find("insertion_sort").unwrap();
    let defined = insertion_sort("defined_insertion_sort").define().unwrap();
    let options = Options { low: Some(-3.0), high: Some(5.0), ..Options::default() };
    for (length, options) in [(2, &Options::default()), (16, &Options::default()), (9, &options)] {
        let [own, other] = [defined, built_in]
            .map(|entry| entry.generate(&mut Rng::seeded(7), length, options, 50).unwrap());
        assert_eq!(contents(&own), contents(&other), "{length} keys");
        let inputs = own.probes.iter().filter(|probe| probe.stage == Stage::Input).count();
        assert_eq!(own.probes[..inputs], other.probes[..inputs], "inputs keep their dtype");
        let again = defined.replay(length, &own.columns[..inputs], 3).unwrap();
        assert_eq!(again, own.select(&[3]));
    }
    let batches = [defined, built_in].map(|entry| {
        Sampler::endless(entry, 8, 3, Options::default(), true).unwrap().next_batch(4).unwrap()
    });
    assert_eq!(contents(&batches[0].traces), contents(&batches[1].traces));
    let user = UserInstance::new(Data::Matrix { columns: 4, cells: vec![0.4, 0.1, 0.3, 0.2] });
    let [own, other] = [defined, built_in].map(|entry| entry.trace(&user).unwrap());
    assert_eq!(contents(&own), contents(&other));
}

/// Doubles a number per node, drawn by a function.
fn doubling(name: &str, run: Box<Run>) -> Definition {
    use Location::Node;
    Definition {
        name: name.to_owned(),
        summary: "doubles numbers".to_owned(),
        category: Category::Greedy,
        probes: rows(&[
            ("x", Stage::Input, Node, Kind::Scalar),
            ("y_h", Stage::Hint, Node, Kind::Scalar),
            ("y", Stage::Output, Node, Kind::Scalar),
        ]),
        problems: Problems::Drawn(Box::new(|seed, nodes| {
            let mut rng = Rng::seeded(seed);
            Ok(vec![positions(nodes), rng.uniforms(0.0, 1.0, nodes)])
        })),
        run,
    }
}

fn doubled() -> Box<Run> {
    Box::new(|_, inputs, steps| {
        let y: Vec<f64> = inputs[1].iter().map(|x| 2.0 * x).collect();
        steps.hint(std::slice::from_ref(&y))?;
        Ok(vec![y])
    })
}

#[test]
fn instances_that_a_function_draws_depend_on_the_seed_only() {
    let entry = doubling("doubling", doubled()).define().unwrap();
    let draw = |seed, count| {
        entry.generate(&mut Rng::seeded(seed), 5, &Options::default(), count).unwrap()
    };
    assert_eq!(draw(1, 3), draw(1, 3));
    assert_ne!(draw(1, 1), draw(2, 1));
    assert_eq!(draw(1, 3).select(&[0]), draw(1, 1), "fewer samples are the first of more");
    let traces = draw(1, 1);
    let y: Vec<f64> = traces.dense(1, 0).iter().map(|x| 2.0 * x).collect();
    assert_eq!(traces.dense(2, 0), y);
    assert_eq!(entry.options(&Options::default()), []);
    let user = UserInstance::new(Data::Text(vec!["x".to_owned()]));
    assert_eq!(
        entry.trace(&user).unwrap_err().to_string(),
        "doubling: expected an instance that its own sampler draws, found 1 lines of text"
    );
}

#[test]
fn a_definition_takes_the_place_of_an_earlier_one_but_not_of_a_built_in_algorithm() {
    let first = doubling("defined_twice", doubled()).define().unwrap();
    let second = doubling("defined_twice", doubled()).define().unwrap();
    assert!(!std::ptr::eq(first, second));
    assert!(std::ptr::eq(algorithms::find("defined_twice").unwrap(), second));
    let count = algorithms::all().iter().filter(|entry| entry.name == "defined_twice").count();
    assert_eq!(count, 1);
    let error = doubling("bfs", doubled()).define().unwrap_err().to_string();
    assert_eq!(error, r#"an algorithm named "bfs" is registered already"#);
}

/// The error of a run, as a sentence.
fn failure(name: &str, run: Box<Run>) -> String {
    let entry = doubling(name, run).define().unwrap();
    let traces = entry.generate(&mut Rng::seeded(1), 3, &Options::default(), 1);
    traces.unwrap_err().to_string()
}

#[test]
fn values_that_a_probe_cannot_hold_are_refused_by_name_and_step() {
    let nan = failure(
        "fails_nan",
        Box::new(|n, _, steps| {
            steps.hint(&[vec![0.0; n]])?;
            steps.hint(&[vec![0.0, f64::NAN, 0.0]])?;
            Ok(vec![])
        }),
    );
    let sentence = r#"expected a finite number in the hint "y_h" at step 1, found NaN at node 1"#;
    assert_eq!(nan, format!("fails_nan: {sentence}"));
    let short = failure(
        "fails_short",
        Box::new(|n, _, steps| {
            steps.hint(&[vec![0.0; n]])?;
            Ok(vec![vec![1.0]])
        }),
    );
    assert_eq!(short, r#"fails_short: expected 3 numbers in the output "y", found 1"#);
    let none = failure("fails_none", Box::new(|n, _, _| Ok(vec![vec![0.0; n]])));
    assert_eq!(none, "fails_none: expected at least one step with hints, found none");
    let missing = failure(
        "fails_missing",
        Box::new(|_, _, steps| {
            steps.hint(&[])?;
            Ok(vec![])
        }),
    );
    assert_eq!(missing, "fails_missing: expected values of y_h at step 0, found 0 values");
}

#[test]
fn what_a_function_throws_comes_back_as_the_source_of_the_error() {
    use std::error::Error as _;
    let run: Box<Run> = Box::new(|_, _, _| {
        Err(Error::Foreign(crate::Foreign::new(std::io::Error::other("the disk is on fire"))))
    });
    let entry = doubling("throws", run).define().unwrap();
    let error = entry.generate(&mut Rng::seeded(1), 3, &Options::default(), 1).unwrap_err();
    let thrown = error.source().and_then(|foreign| foreign.source()).unwrap();
    assert_eq!(thrown.downcast_ref::<std::io::Error>().unwrap().to_string(), "the disk is on fire");
}

#[test]
fn a_spec_that_is_none_is_refused() {
    use Location::{Edge, Graph, Node};
    let refused = |probes: Vec<NewProbe>| {
        let definition = Definition { probes, ..insertion_sort("refused") };
        definition.define().unwrap_err().to_string()
    };
    let output = ("pred", Stage::Output, Node, Kind::Pointer);
    let hint = ("i", Stage::Hint, Node, Kind::MaskOne);
    let cases = [
        (rows(&[output]), "expected at least one hint, found none"),
        (rows(&[hint]), "expected at least one output, found none"),
        (
            rows(&[output, output, hint]),
            r#"expected probes with names of their own, found two "pred""#,
        ),
        (
            rows(&[output, hint, ("keys", Stage::Input, Node, Kind::Scalar)]),
            "expected inputs that instances of insertion_sort have: pos (node scalar), key (node scalar), \
             found keys (node scalar)",
        ),
        (
            rows(&[output, ("i", Stage::Hint, Graph, Kind::MaskOne)]),
            r#"expected a node or edge location for "i", found mask_one at graph"#,
        ),
        (
            rows(&[hint, ("pred", Stage::Output, Edge, Kind::ShouldBePermutation)]),
            r#"expected a node location for "pred", found should_be_permutation at edge"#,
        ),
        (
            rows(&[output, ("c", Stage::Hint, Node, Kind::Categorical)]),
            r#"expected 2 to 127 names of classes for "c", found 0"#,
        ),
    ];
    for (probes, sentence) in cases {
        assert_eq!(refused(probes), format!("definition of refused: {sentence}"));
    }
    let error = insertion_sort("Insertion Sort").define().unwrap_err().to_string();
    assert!(error.contains("lower-case letters"), "{error}");
}
