//! Compares random numbers, samples, batches and chunks with those of dm-clrs, bit for bit.
//!
//! `tests/golden/README.md` describes the files and how they were generated.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use narscope_clrs::algorithms::{self, Entry};
use narscope_clrs::batch::Batch;
use narscope_clrs::chunk::Chunks;
use narscope_clrs::convert;
use narscope_clrs::options::Options;
use narscope_clrs::probe::{Dtype, Probe, Stage};
use narscope_clrs::rng::{Rng, pairwise_sum};
use narscope_clrs::sampler::Sampler;
use narscope_clrs::trace::Traces;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

type Digests = BTreeMap<String, String>;

/// The arguments of a sampler.
#[derive(Deserialize)]
struct Request {
    algorithm: String,
    length: usize,
    /// The number of samples, or -1 for an endless sampler.
    num: i64,
    seed: u32,
    options: Options,
}

impl Request {
    fn entry(&self) -> &'static Entry {
        algorithms::find(&self.algorithm).unwrap()
    }
    fn traces(&self) -> Traces {
        let mut rng = Rng::seeded(self.seed);
        let made = self.entry().generate(&mut rng, self.length, &self.options, self.num as usize);
        made.unwrap_or_else(|error| panic!("{self}: {error}"))
    }
    fn sampler(&self, track_max_steps: bool) -> Sampler {
        let Self { length, seed, options, .. } = self;
        match usize::try_from(self.num) {
            Ok(num) => Sampler::fixed(self.entry(), *length, *seed, options.clone(), num),
            Err(_) => {
                Sampler::endless(self.entry(), *length, *seed, options.clone(), track_max_steps)
            }
        }
        .unwrap_or_else(|error| panic!("{self}: {error}"))
    }
}

impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { algorithm, length, num, seed, options } = self;
        write!(f, "{algorithm}, length {length}, {num} samples, seed {seed}")?;
        let given = options.given();
        if given.is_empty() {
            Ok(())
        } else {
            write!(f, ", with {}", narscope_clrs::options::names(&given))
        }
    }
}

fn golden<T: DeserializeOwned>(file: &str) -> Vec<T> {
    #[derive(Deserialize)]
    struct Golden<T> {
        cases: Vec<T>,
    }
    let path = format!("tests/golden/{file}.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let golden: Golden<T> = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
    assert!(!golden.cases.is_empty(), "{path} has cases");
    golden.cases
}

/// The first 16 hex digits of the SHA-256 of little-endian doubles.
fn digest(numbers: impl IntoIterator<Item = f64>) -> String {
    let mut hasher = Sha256::new();
    for number in numbers {
        hasher.update(number.to_le_bytes());
    }
    let mut digits = String::new();
    for byte in &hasher.finalize()[..8] {
        write!(digits, "{byte:02x}").unwrap();
    }
    digits
}

/// The digest of each probe.
fn digests(probes: &[Probe], dense: impl Fn(usize) -> Vec<f64>) -> Digests {
    let stage = |probe: &Probe| match probe.stage {
        Stage::Input => "input",
        Stage::Hint => "hint",
        Stage::Output => "output",
    };
    let keys = probes.iter().map(|probe| format!("{}/{}", stage(probe), probe.name));
    keys.enumerate().map(|(column, key)| (key, digest(dense(column)))).collect()
}

fn batch_digests(batch: &Batch) -> Digests {
    digests(&batch.traces.probes, |column| batch.dense(column))
}

// The digests do not depend on the stored type: they are of doubles.
#[test]
fn arrays_have_the_dtypes_of_the_reference() {
    let unweighted = ["dfs", "bfs", "topological_sort", "articulation_points", "bridges"];
    for entry in algorithms::ALL {
        for probe in entry.probes {
            let is_whole = match (probe.stage, &*probe.name) {
                (Stage::Input, "A") => unweighted.contains(&entry.name),
                (Stage::Input, "d") => entry.name == "task_scheduling",
                (Stage::Output, "pred" | "pi" | "topo" | "scc_id" | "intersect") => true,
                _ => false,
            };
            let wanted = if is_whole { Dtype::Int64 } else { Dtype::Float64 };
            assert_eq!(probe.dtype, wanted, "{} of {}", probe.name, entry.name);
        }
    }
}

#[test]
fn random_numbers_equal_numpys() {
    #[derive(Deserialize)]
    struct Case {
        call: String,
        seed: u32,
        values: Vec<f64>,
        next: Option<f64>,
        #[serde(flatten)]
        arguments: BTreeMap<String, Value>,
    }
    for Case { call, seed, values, next, arguments } in golden::<Case>("rng") {
        let mut rng = Rng::seeded(seed);
        let number = |name: &str| arguments[name].as_f64().unwrap();
        let count = values.len();
        let whole = |numbers: Vec<usize>| numbers.into_iter().map(|n| n as f64).collect();
        let ours: Vec<f64> = match call.as_str() {
            "random_sample" => (0..count).map(|_| rng.double()).collect(),
            "uniform" => rng.uniforms(number("low"), number("high"), count),
            "randint" => whole(rng.integers(number("high") as usize, count)),
            "binomial" => {
                whole(rng.coins(number("p"), count).into_iter().map(usize::from).collect())
            }
            "permutation" => whole(rng.permutation(number("n") as usize)),
            "sum_of_first_n" => {
                let numbers = rng.uniforms(0.0, 1.0, count);
                (1..=count).map(|n| pairwise_sum(&numbers[..n])).collect()
            }
            other => panic!("unknown call: {other}"),
        };
        assert_eq!(ours, values, "{call} {arguments:?}, seed {seed}");
        if let Some(next) = next {
            assert_eq!(rng.double(), next, "after {call} {arguments:?}, seed {seed}");
        }
    }
}

#[test]
fn samples_and_traces_equal_the_references() {
    #[derive(Deserialize)]
    struct Case {
        #[serde(flatten)]
        request: Request,
        lengths: Vec<usize>,
        digests: Digests,
    }
    let cases = golden::<Case>("samples");
    for entry in algorithms::ALL.iter().filter(|entry| entry.in_clrs_30) {
        assert!(cases.iter().any(|case| case.request.algorithm == entry.name), "{}", entry.name);
    }
    for Case { request, lengths, digests: wanted } in cases {
        let traces = request.traces();
        let ours: Vec<usize> = (0..traces.len()).map(|i| traces.steps(i)).collect();
        assert_eq!(ours, lengths, "{request}: lengths");
        // Hints are digested without padding.
        let dense = |column| (0..traces.len()).flat_map(|i| traces.dense(column, i)).collect();
        assert_eq!(digests(&traces.probes, dense), wanted, "{request}");
    }
}

#[test]
fn batches_are_drawn_and_padded_as_in_the_reference() {
    #[derive(Deserialize)]
    struct Case {
        #[serde(flatten)]
        request: Request,
        track_max_steps: bool,
        batch: usize,
        batches: Vec<GoldenBatch>,
    }
    #[derive(Deserialize)]
    struct GoldenBatch {
        lengths: Vec<f64>,
        steps: usize,
        digests: Digests,
    }
    for Case { request, track_max_steps, batch: size, batches } in golden::<Case>("batches") {
        let mut sampler = request.sampler(track_max_steps);
        for (i, wanted) in batches.into_iter().enumerate() {
            let batch = sampler.next_batch(size).unwrap();
            assert_eq!(batch.lengths(), wanted.lengths, "{request}: batch {i}");
            assert_eq!(batch.steps, wanted.steps, "{request}: batch {i}");
            assert_eq!(batch_digests(&batch), wanted.digests, "{request}: batch {i}");
        }
    }
}

#[test]
fn conversions_equal_the_references() {
    #[derive(Deserialize)]
    struct Case {
        #[serde(flatten)]
        request: Request,
        random_pos_seed: Option<u32>,
        pred_as_input: bool,
        enforce_permutations: Option<bool>,
        probes: Vec<[String; 4]>,
        digests: Digests,
    }
    for case in golden::<Case>("conversions") {
        let request = &case.request;
        let mut traces = request.traces();
        if let Some(seed) = case.random_pos_seed {
            convert::random_positions(&mut traces, &mut Rng::seeded(seed));
        }
        if case.pred_as_input {
            convert::pred_as_input(&mut traces);
        }
        if let Some(enforce) = case.enforce_permutations {
            convert::permutations(&mut traces, enforce).unwrap();
        }
        let word = |value: Value| value.as_str().unwrap().to_owned();
        let mut spec: Vec<[String; 4]> = traces
            .probes
            .iter()
            .map(|probe| {
                let json = serde_json::to_value(probe).unwrap();
                ["name", "stage", "location", "type"].map(|field| word(json[field].clone()))
            })
            .collect();
        // Our specs list all inputs, then outputs, then hints; the reference's order differs.
        spec.sort();
        let mut wanted = case.probes.clone();
        wanted.sort();
        assert_eq!(spec, wanted, "{request}");
        assert_eq!(batch_digests(&Batch::new(traces, 0)), case.digests, "{request}");
    }
}

#[test]
fn chunks_are_cut_as_in_the_reference() {
    #[derive(Deserialize)]
    struct Case {
        #[serde(flatten)]
        request: Request,
        batch: usize,
        chunk_length: usize,
        chunks: Vec<GoldenChunk>,
    }
    #[derive(Deserialize)]
    struct GoldenChunk {
        is_first: Vec<Vec<u8>>,
        is_last: Vec<Vec<u8>>,
        digests: Digests,
    }
    let flags =
        |rows: Vec<Vec<u8>>| rows.concat().into_iter().map(|flag| flag == 1).collect::<Vec<_>>();
    for Case { request, batch, chunk_length, chunks } in golden::<Case>("chunks") {
        let mut sampler = request.sampler(true);
        let mut ours = Chunks::new(chunk_length);
        for (i, wanted) in chunks.into_iter().enumerate() {
            let next_batch = || sampler.next_batch(batch).map(|batch| batch.traces);
            let chunk = ours.next_chunk(next_batch).unwrap();
            assert_eq!(chunk.is_first, flags(wanted.is_first), "{request}: chunk {i}");
            assert_eq!(chunk.is_last, flags(wanted.is_last), "{request}: chunk {i}");
            let ours = digests(&chunk.probes, |column| chunk.dense(column));
            assert_eq!(ours, wanted.digests, "{request}: chunk {i}");
        }
    }
}

/// Values for every probe of one sample of an algorithm.
#[derive(Deserialize)]
struct PerProbe<T> {
    algorithm: String,
    draw: usize,
    #[serde(rename = "T")]
    steps: usize,
    inputs: BTreeMap<String, T>,
    outputs: BTreeMap<String, T>,
    hints: BTreeMap<String, T>,
}

impl<T> PerProbe<T> {
    /// Calls `check` with the name, our values and the golden value of each probe.
    fn compare(&self, seed: u32, length: usize, check: impl Fn(&str, Vec<f64>, &T)) {
        let (name, draw) = (&self.algorithm, self.draw);
        let entry = algorithms::find(name).unwrap();
        let traces =
            entry.generate(&mut Rng::seeded(seed), length, &Options::default(), draw + 1).unwrap();
        assert_eq!(traces.steps(draw), self.steps, "{name}: number of hints");
        for (column, probe) in traces.probes.iter().enumerate() {
            let stage = match probe.stage {
                Stage::Input => &self.inputs,
                Stage::Output => &self.outputs,
                Stage::Hint => &self.hints,
            };
            let probe_name = format!("{name}: {}", probe.name);
            check(&probe_name, traces.dense(column, draw), &stage[&*probe.name]);
        }
    }
}

/// Flattens a nested list of numbers.
fn flatten(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(flatten).collect(),
        number => vec![number.as_f64().expect("golden files hold numbers")],
    }
}

#[test]
fn traces_of_length_6_equal_the_references() {
    // Plain values, to find the cause when a digest differs.
    for case in golden::<PerProbe<Value>>("traces-n6") {
        case.compare(7, 6, |probe, ours, theirs| assert_eq!(ours, flatten(theirs), "{probe}"));
    }
}

#[test]
fn checksums_of_length_16_equal_the_references() {
    for case in golden::<PerProbe<f64>>("checksums-n16") {
        case.compare(1, 16, |probe, ours, &theirs| {
            let weighted = |(k, value): (usize, &f64)| value * ((k % 97) + 1) as f64;
            let ours: f64 = ours.iter().enumerate().map(weighted).sum();
            // The order of summation is unspecified.
            let close = (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0);
            assert!(close, "{probe} sums to {ours}, not {theirs}");
        });
    }
}

#[test]
fn replaying_the_inputs_of_a_trace_repeats_the_trace() {
    for entry in algorithms::ALL {
        let traces = entry.generate(&mut Rng::seeded(11), 9, &Options::default(), 2).unwrap();
        let inputs = traces.probes.iter().filter(|probe| probe.stage == Stage::Input).count();
        for run in 0..2 {
            let again = entry.replay(traces.nodes, &traces.columns[..inputs], run).unwrap();
            assert_eq!(again, traces.select(&[run]), "{}", entry.name);
        }
    }
}
