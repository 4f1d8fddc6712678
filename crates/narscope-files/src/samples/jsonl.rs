//! `.jsonl`: one JSON object per sample and line, without padding; values round-trip bit for bit.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Write};

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::Batch;
use narscope_clrs::column::Column;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value, json};

use super::check_nodes;
use super::keys::{Keys, is_of_spec};
use crate::error::{Misread, misread};
use crate::layout::{LENGTHS, key};
use crate::metadata::Metadata;

/// Writes each sample of a batch as a line: the metadata, then the arrays of the sample under their names.
pub fn write(batch: &Batch, metadata: &Metadata, mut file: impl Write) -> io::Result<()> {
    let mut shared = metadata.clone();
    shared.names = None;
    let shared = shared.to_json();
    for i in 0..batch.traces.len() {
        let mut about = shared.clone();
        if let Some(names) = metadata.names.as_ref().and_then(|names| names.get(i)) {
            about.insert("names".to_owned(), json!(names));
        }
        about.insert("sample".to_owned(), json!(i));
        about.insert("nodes".to_owned(), json!(batch.traces.nodes));
        about.insert(LENGTHS.to_owned(), json!(batch.traces.steps(i)));
        let about = serde_json::to_string(&about)?;
        write!(file, "{}", about.strip_suffix('}').expect("an object"))?;
        write_arrays(&batch.traces, i, &mut file)?;
        writeln!(file, "}}")?;
    }
    Ok(())
}

fn write_arrays(traces: &Traces, i: usize, file: &mut impl Write) -> io::Result<()> {
    for stage in [Stage::Input, Stage::Output, Stage::Hint] {
        let probes = traces.probes.iter().enumerate().filter(|(_, probe)| probe.stage == stage);
        for (index, probe) in probes {
            write!(file, r#","{}":"#, key(probe))?;
            let mut shape = probe.shape(traces.nodes);
            if stage == Stage::Hint {
                shape.insert(0, traces.steps(i));
            }
            write_nested(&traces.dense(index, i), &shape, file)?;
        }
    }
    Ok(())
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
pub(crate) fn read(entry: &Entry, file: impl BufRead) -> Result<(Batch, Metadata), Misread> {
    let mut all: Option<(Traces, Metadata)> = None;
    let mut names = vec![];
    for (i, line) in file.split(b'\n').enumerate() {
        let line = line.map_err(|error| misread("a complete .jsonl file", error.to_string()))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let here = |misread: Misread| misread.found_in(&format!("line {}", i + 1));
        let sample = Sample::parse(&line).map_err(here)?;
        let metadata = sample.metadata().map_err(here)?;
        let one = sample.traces(entry, all.as_ref().map(|(traces, _)| traces)).map_err(here)?;
        names.extend(sample.names);
        match &mut all {
            None => all = Some((one, metadata)),
            Some((all, _)) => all.push_from(&one, 0),
        }
    }
    let (all, mut metadata) = all.ok_or_else(|| misread("a sample per line", "an empty file"))?;
    // Names of some samples only belong to no particular sample.
    metadata.names = (names.len() == all.len()).then_some(names);
    Ok((Batch::new(all, 0), metadata))
}

/// A line of the file.
struct Sample {
    algorithm: String,
    nodes: usize,
    /// Number of hints.
    length: usize,
    /// Its arrays, under their names in the current version.
    arrays: BTreeMap<String, Nested>,
    names: Option<Vec<String>>,
    /// Everything else.
    about: Map<String, Value>,
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

    /// The metadata, without the names of nodes.
    fn metadata(&self) -> Result<Metadata, Misread> {
        let mut metadata = Metadata::from_json(self.about.clone())?;
        metadata.algorithm.clone_from(&self.algorithm);
        Ok(metadata)
    }

    /// The sample as a trace; `before` are the traces of earlier lines, which it must match.
    fn traces(&self, entry: &Entry, before: Option<&Traces>) -> Result<Traces, Misread> {
        let &Self { nodes, length, .. } = self;
        if self.algorithm != entry.name {
            let found = format!("a sample of {}", self.algorithm);
            return Err(misread(format!("a sample of {}", entry.name), found));
        }
        check_nodes(nodes)?;
        if length == 0 {
            return Err(misread("a sample of at least one step", "no steps"));
        }
        let mut keys = Keys::default();
        for (name, Nested { shape, .. }) in &self.arrays {
            let outer = usize::from(name.starts_with("hint/"));
            keys.0.insert(name.clone(), shape.len().saturating_sub(outer));
        }
        let probes = match before {
            Some(traces) if traces.nodes != nodes => {
                let expected = format!("a sample of {} nodes, as in earlier lines", traces.nodes);
                return Err(misread(expected, format!("{nodes} nodes")));
            }
            Some(traces) => traces.probes.clone(),
            None => keys.spec(entry),
        };
        keys.check(entry, &probes)?;
        let column = |probe: &Probe| {
            let nested = &self.arrays[&key(probe)];
            column(probe, nodes, length, nested).map_err(|misread| misread.expected_in(&key(probe)))
        };
        let columns = probes.iter().map(column).collect::<Result<_, _>>()?;
        Ok(Traces::from_columns(probes, nodes, columns, &[length]))
    }
}

impl<'de> serde::Deserialize<'de> for Sample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SampleVisitor)
    }
}

struct SampleVisitor;

impl<'de> Visitor<'de> for SampleVisitor {
    type Value = Sample;
    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sample, A::Error> {
        let (mut algorithm, mut nodes, mut length) = (None, None, None);
        let mut arrays = BTreeMap::new();
        let (mut names, mut about) = (None, Map::new());
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "algorithm" => algorithm = Some(map.next_value()?),
                "nodes" => nodes = Some(map.next_value()?),
                "names" => names = Some(map.next_value()?),
                // Version 1 called it steps.
                LENGTHS | "steps" => length = Some(map.next_value()?),
                // Version 1 had an object for each stage.
                "inputs" | "outputs" | "hints" => {
                    let object: BTreeMap<String, Nested> = map.next_value()?;
                    let stage = name.trim_end_matches('s');
                    let named = object.into_iter();
                    arrays.extend(named.map(|(name, array)| (format!("{stage}/{name}"), array)));
                }
                _ if is_of_spec(&name) => {
                    let array = map.next_value()?;
                    arrays.insert(name, array);
                }
                "sample" => drop(map.next_value::<IgnoredAny>()?),
                _ => drop(about.insert(name.clone(), map.next_value()?)),
            }
        }
        let missing = A::Error::missing_field;
        Ok(Sample {
            algorithm: algorithm.ok_or_else(|| missing("algorithm"))?,
            nodes: nodes.ok_or_else(|| missing("nodes"))?,
            length: length.ok_or_else(|| missing(LENGTHS))?,
            arrays,
            names,
            about,
        })
    }
}

fn column(probe: &Probe, nodes: usize, length: usize, nested: &Nested) -> Result<Column, Misread> {
    let mut shape = probe.shape(nodes);
    if probe.stage == Stage::Hint {
        shape.insert(0, length);
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
