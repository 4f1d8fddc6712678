//! `.jsonl`: one JSON object per sample and line, without padding; values round-trip bit for bit.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Write};

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::Batch;
use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};

use crate::error::{Misread, misread};
use crate::samples::check_nodes;
use crate::samples::keys::Keys;

/// Writes each sample of a batch as a line.
pub fn write(algorithm: &str, batch: &Batch, mut file: impl Write) -> io::Result<()> {
    for i in 0..batch.traces.len() {
        write_sample(algorithm, batch, i, &mut file)?;
        writeln!(file)?;
    }
    Ok(())
}

fn write_sample(algorithm: &str, batch: &Batch, i: usize, file: &mut impl Write) -> io::Result<()> {
    let traces = &batch.traces;
    let (nodes, steps) = (traces.nodes, traces.steps(i));
    write!(file, r#"{{"algorithm":"{algorithm}","sample":{i},"nodes":{nodes},"steps":{steps}"#)?;
    for stage in [Stage::Input, Stage::Output, Stage::Hint] {
        write!(file, r#","{}":{{"#, object_name(stage))?;
        let probes = traces.probes.iter().enumerate().filter(|(_, probe)| probe.stage == stage);
        for (position, (index, probe)) in probes.enumerate() {
            let comma = if position > 0 { "," } else { "" };
            write!(file, r#"{comma}"{}":"#, probe.name)?;
            let mut shape = probe.shape(traces.nodes);
            if stage == Stage::Hint {
                shape.insert(0, steps);
            }
            write_nested(&traces.dense(index, i), &shape, file)?;
        }
        write!(file, "}}")?;
    }
    write!(file, "}}")
}

/// Key of the object that holds the probes of a stage.
fn object_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Input => "inputs",
        Stage::Output => "outputs",
        Stage::Hint => "hints",
    }
}

/// Writes values as nested lists of the given shape.
fn write_nested(values: &[f64], shape: &[usize], file: &mut impl Write) -> io::Result<()> {
    let Some((&size, inner)) = shape.split_first() else {
        return write_number(values[0], file);
    };
    write!(file, "[")?;
    let stride: usize = inner.iter().product();
    for i in 0..size {
        if i > 0 {
            write!(file, ",")?;
        }
        write_nested(&values[i * stride..(i + 1) * stride], inner, file)?;
    }
    write!(file, "]")
}

/// Writes integers without a decimal point: most values are small integers, and `1` is a third of `1.0`.
fn write_number(value: f64, file: &mut impl Write) -> io::Result<()> {
    if !value.is_finite() {
        let what = format!("JSON cannot represent {value}; use .npz, or smaller values");
        Err(io::Error::other(what))
    } else if value == 0.0 && value.is_sign_negative() {
        write!(file, "-0.0")
    } else {
        write!(file, "{value}")
    }
}

/// Reads each line as a sample of an algorithm.
pub(crate) fn read(entry: &Entry, file: impl BufRead) -> Result<Batch, Misread> {
    let mut all: Option<Traces> = None;
    for (i, line) in file.split(b'\n').enumerate() {
        let line = line.map_err(|error| misread("a complete .jsonl file", error.to_string()))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let one = read_sample(entry, &line, all.as_ref())
            .map_err(|misread| misread.found_in(&format!("line {}", i + 1)))?;
        match &mut all {
            None => all = Some(one),
            Some(all) => all.push_from(&one, 0),
        }
    }
    let all = all.ok_or_else(|| misread("a sample per line", "an empty file"))?;
    Ok(Batch::new(all, 0))
}

/// A line of the file.
#[derive(serde::Deserialize)]
struct Sample {
    algorithm: String,
    nodes: usize,
    steps: usize,
    inputs: BTreeMap<String, Nested>,
    outputs: BTreeMap<String, Nested>,
    hints: BTreeMap<String, Nested>,
}

impl Sample {
    fn parse(line: &[u8]) -> Result<Self, Misread> {
        serde_json::from_slice(line).map_err(|error| {
            let text = error.to_string();
            // The JSON parser sees a single line, so its line number is always 1.
            let text = text.split(" at line ").next().unwrap_or(&text);
            misread("a sample as a JSON object", format!("{text} in column {}", error.column()))
        })
    }

    fn objects(&self) -> [(Stage, &BTreeMap<String, Nested>); 3] {
        let Self { inputs, outputs, hints, .. } = self;
        [(Stage::Input, inputs), (Stage::Output, outputs), (Stage::Hint, hints)]
    }
}

/// Reads a line as a trace; `before` are the traces of earlier lines, which it must match.
fn read_sample(entry: &Entry, line: &[u8], before: Option<&Traces>) -> Result<Traces, Misread> {
    let sample = Sample::parse(line)?;
    let &Sample { nodes, steps, .. } = &sample;
    if sample.algorithm != entry.name {
        let found = format!("a sample of {}", sample.algorithm);
        return Err(misread(format!("a sample of {}", entry.name), found));
    }
    check_nodes(nodes)?;
    if steps == 0 {
        return Err(misread("a sample of at least one step", "no steps"));
    }
    let key = |probe: &Probe| format!("{}/{}", object_name(probe.stage), probe.name);
    let mut keys = Keys::default();
    for (stage, object) in sample.objects() {
        for (name, Nested { shape, .. }) in object {
            let outer = usize::from(stage == Stage::Hint);
            let dimensions = shape.len().saturating_sub(outer);
            keys.0.insert(format!("{}/{name}", object_name(stage)), dimensions);
        }
    }
    let probes = match before {
        Some(traces) if traces.nodes != nodes => {
            let expected = format!("a sample of {} nodes, as in earlier lines", traces.nodes);
            return Err(misread(expected, format!("{nodes} nodes")));
        }
        Some(traces) => traces.probes.clone(),
        None => keys.spec(entry, key),
    };
    keys.check(entry, &probes, key)?;

    let column = |probe: &Probe| {
        let object = sample.objects().into_iter().find(|&(stage, _)| stage == probe.stage);
        let Some(nested) = object.and_then(|(_, object)| object.get(&*probe.name)) else {
            unreachable!("`Keys::check` found {}", probe.name)
        };
        column(probe, nodes, steps, nested).map_err(|misread| misread.expected_in(&key(probe)))
    };
    let columns = probes.iter().map(column).collect::<Result<_, _>>()?;
    Ok(Traces::from_columns(probes, nodes, columns, &[steps]))
}

fn column(probe: &Probe, nodes: usize, steps: usize, nested: &Nested) -> Result<Column, Misread> {
    let mut shape = probe.shape(nodes);
    if probe.stage == Stage::Hint {
        shape.insert(0, steps);
    }
    if nested.shape != shape {
        let found = format!("lists of shape {:?}", nested.shape);
        return Err(misread(format!("lists of shape {shape:?}"), found));
    }
    let mut column = Column::of(probe, nodes);
    for (step, dense) in nested.values.chunks_exact(probe.size(nodes)).enumerate() {
        probe.compact(nodes, dense, &mut column).map_err(|error| match probe.stage {
            Stage::Hint => Misread::from(error).found_in(&format!("step {step}")),
            Stage::Input | Stage::Output => error.into(),
        })?;
    }
    Ok(column)
}

/// Values of nested lists in C order, and their shape.
#[derive(Debug, Default, PartialEq)]
struct Nested {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl<'de> serde::Deserialize<'de> for Nested {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut lists = Lists::default();
        List { lists: &mut lists, depth: 0 }.deserialize(deserializer)?;
        let shape = lists.sizes.into_iter().flatten().collect();
        Ok(Self { shape, values: lists.values })
    }
}

/// State while nested lists are parsed.
#[derive(Default)]
struct Lists {
    /// Length of the lists at each depth, known once one of them is complete.
    sizes: Vec<Option<usize>>,
    values: Vec<f64>,
}

/// Parses a number or a list at a depth.
struct List<'a> {
    lists: &'a mut Lists,
    depth: usize,
}

impl List<'_> {
    fn number<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        if self.lists.sizes.len() != self.depth {
            return Err(E::custom("a number among lists"));
        }
        self.lists.values.push(value);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();
    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a number or a list")
    }
    fn visit_bool<E: serde::de::Error>(self, yes: bool) -> Result<(), E> {
        self.number(f64::from(u8::from(yes)))
    }
    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        self.number(number as f64)
    }
    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        self.number(number as f64)
    }
    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        self.number(number)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { lists, depth } = self;
        if lists.sizes.len() == depth {
            if !lists.values.is_empty() {
                return Err(A::Error::custom("a list among numbers"));
            }
            lists.sizes.push(None);
        }
        let mut size = 0;
        while items.next_element_seed(List { lists: &mut *lists, depth: depth + 1 })?.is_some() {
            size += 1;
        }
        match lists.sizes[depth].replace(size) {
            Some(before) if before != size => Err(A::Error::custom(format!(
                "a list of length {size} after one of length {before}"
            ))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_lists_are_flattened() {
        for (text, shape, values) in [
            ("2.5", vec![], vec![2.5]),
            ("[]", vec![0], vec![]),
            ("[1, -1, true]", vec![3], vec![1.0, -1.0, 1.0]),
            ("[[1, 2], [3, 4], [5, 6e2]]", vec![3, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 600.0]),
            ("[[[1], [2]]]", vec![1, 2, 1], vec![1.0, 2.0]),
        ] {
            let nested: Nested = serde_json::from_str(text).unwrap();
            assert_eq!(nested, Nested { shape, values }, "{text}");
        }
    }

    #[test]
    fn ragged_lists_are_refused() {
        for text in ["[[1], [2, 3]]", "[1, [2]]", "[[1], 2]", "[[], 1]", "[\"a\"]", "[null]", "{}"]
        {
            assert!(serde_json::from_str::<Nested>(text).is_err(), "{text}");
        }
    }
}
