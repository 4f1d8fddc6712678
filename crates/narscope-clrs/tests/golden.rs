//! Our samples and traces against those of dm-clrs, value for value.

use std::collections::BTreeMap;

use narscope_clrs::algorithms;
use narscope_clrs::options::Options;
use narscope_clrs::probe::Stage;
use narscope_clrs::rng::Rng;
use narscope_clrs::trace::Traces;
use serde_json::Value;

#[derive(serde::Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    algorithm: String,
    draw: usize,
    #[serde(rename = "T")]
    steps: usize,
    inputs: BTreeMap<String, Value>,
    outputs: BTreeMap<String, Value>,
    hints: BTreeMap<String, Value>,
}

impl Case {
    fn probes(&self, stage: Stage) -> &BTreeMap<String, Value> {
        match stage {
            Stage::Input => &self.inputs,
            Stage::Output => &self.outputs,
            Stage::Hint => &self.hints,
        }
    }
}

/// The numbers of a nested list.
fn flatten(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flatten).collect(),
        number => vec![number.as_f64().expect("golden files hold numbers")],
    }
}

fn golden() -> Vec<Case> {
    let text =
        std::fs::read_to_string("tests/golden/traces-n6.json").expect("the fixture is there");
    serde_json::from_str::<Golden>(&text).expect("the fixture is whole").cases
}

fn assert_run_equals(traces: &Traces, run: usize, case: &Case) {
    let name = &case.algorithm;
    assert_eq!(traces.steps(run), case.steps, "{name}: number of hints");
    for (i, probe) in traces.probes.iter().enumerate() {
        let wanted = case.probes(probe.stage).get(&*probe.name);
        let wanted =
            wanted.unwrap_or_else(|| panic!("{name}: the reference has no {}", probe.name));
        assert_eq!(
            traces.dense(i, run),
            flatten(wanted),
            "{name}: {:?} {}",
            probe.stage,
            probe.name
        );
    }
    let count = case.inputs.len() + case.outputs.len() + case.hints.len();
    assert_eq!(traces.probes.len(), count, "{name}: number of probes");
}

#[test]
fn every_algorithm_draws_and_traces_what_the_reference_does() {
    for case in golden() {
        let Ok(entry) = algorithms::find(&case.algorithm) else {
            panic!("{} is missing", case.algorithm)
        };
        let traces = entry.generate(&mut Rng::seeded(7), 6, &Options::default(), 2).unwrap();
        assert_run_equals(&traces, case.draw, &case);
    }
}

#[test]
fn every_algorithm_repeats_itself_on_the_inputs_of_a_trace() {
    for entry in algorithms::ALL {
        let traces = entry.generate(&mut Rng::seeded(11), 9, &Options::default(), 2).unwrap();
        let inputs = traces.probes.iter().filter(|probe| probe.stage == Stage::Input).count();
        for run in 0..2 {
            let again = entry.replay(traces.nodes, &traces.columns[..inputs], run);
            assert_eq!(again, traces.select(&[run]), "{}", entry.name);
        }
    }
}
