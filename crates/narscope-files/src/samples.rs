//! Reading samples back: what `narscope sample` wrote, or somebody else in the same layout.
//!
//! Files come from anywhere, and a network learns from whatever it is given: every number is
//! checked against the algorithm's spec.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::path::Path;

use narscope_clrs::algorithms::Entry;
use narscope_clrs::batch::{Batch, Gather};
use narscope_clrs::convert;
use narscope_clrs::probe::{Probe, Stage};
use narscope_clrs::trace::Traces;

use crate::error::{Misread, misread};
use crate::format::{Format, LENGTHS, key};
use crate::npz::Npz;
use crate::numbers::Arrays;
use crate::tensors::Tensors;
use crate::{Error, Result, jsonl};

/// Reads samples of an algorithm from a `.npz`, `.safetensors` or `.jsonl` file.
///
/// The file follows the algorithm's spec, or what [`convert::pred_as_input`] and
/// [`convert::permutations`] make of it; its keys tell which. Plain pointers that should be a
/// permutation are read as such, also if they were converted without `enforce`: it does not show.
/// Hints after the last step of their sample are padding, whatever they are.
pub fn read(path: &Path, entry: &'static Entry) -> Result<Batch> {
    let format = Format::of(path)?;
    let file = File::open(path).map_err(Error::io("read", path))?;
    parse(format, entry, BufReader::new(file)).map_err(|misread| misread.of(path))
}

fn parse(format: Format, entry: &Entry, file: impl BufRead + Seek) -> Result<Batch, Misread> {
    match format {
        Format::Npz => gather(entry, &mut Npz::new(file)?),
        Format::Safetensors => gather(entry, &mut Tensors::new(file)?),
        Format::Jsonl => jsonl::read(entry, file),
    }
}

/// The keys of a file, each with the number of dimensions of a record under it.
#[derive(Debug, Default)]
pub(crate) struct Keys(pub(crate) BTreeMap<String, usize>);

impl Keys {
    /// The spec that they follow, as far as one can tell: the algorithm's own or a converted one.
    pub(crate) fn spec(&self, entry: &Entry, key: impl Fn(&Probe) -> String) -> Vec<Probe> {
        let has = |probe: &Probe| self.0.contains_key(&key(probe));
        // Conversions tell what becomes of a spec, even without a run.
        let mut traces = Traces::new(entry.probes.to_vec(), 1);
        let mut moved = traces.clone();
        convert::pred_as_input(&mut moved);
        let plain = traces.probes.iter().filter(|probe| probe.constant).all(has);
        if !plain && moved.probes.iter().filter(|probe| probe.stage == Stage::Input).all(has) {
            traces = moved;
        }
        let mut closed = traces.clone();
        convert::permutations(&mut closed, true).expect("no run has a broken chain");
        let enforced = |probe: &Probe| {
            if probe.kind.info().distinct {
                self.0.get(&key(probe)) == Some(&probe.shape(1).len())
            } else {
                !traces.probes.contains(probe) && has(probe)
            }
        };
        if closed.probes.iter().any(enforced) { closed.probes } else { traces.probes }
    }

    /// Makes sure that they are those of a spec and no others.
    pub(crate) fn check(
        &self,
        entry: &Entry,
        probes: &[Probe],
        key: impl Fn(&Probe) -> String,
    ) -> Result<(), Misread> {
        let wanted: Vec<String> = probes.iter().map(key).collect();
        if let Some(missing) = wanted.iter().find(|key| !self.0.contains_key(*key)) {
            return Err(missing_key(entry, missing, self.0.keys()));
        }
        match self.0.keys().find(|key| !wanted.contains(key)) {
            None => Ok(()),
            Some(other) => {
                let keys = wanted.join(", ");
                Err(misread(format!("no keys but those of {}, {keys}", entry.name), other))
            }
        }
    }
}

fn missing_key<'a>(entry: &Entry, key: &str, found: impl Iterator<Item = &'a String>) -> Misread {
    let mut found: Vec<&str> = found.map(String::as_str).collect();
    if found.is_empty() {
        found.push("no keys");
    }
    misread(format!("the key {key} for {}", entry.name), found.join(", "))
}

/// Refuses numbers of nodes that no sample has. The sizes of larger records could not be counted.
pub(crate) fn check_nodes(nodes: usize) -> Result<(), Misread> {
    const MOST: usize = 1 << 20;
    if (1..=MOST).contains(&nodes) {
        return Ok(());
    }
    Err(misread(format!("samples of 1 to {MOST} nodes"), format!("{nodes} nodes")))
}

/// Reads samples from a file of arrays.
fn gather(entry: &Entry, arrays: &mut dyn Arrays) -> Result<Batch, Misread> {
    let names = arrays.names();
    let mut shapes = BTreeMap::new();
    let mut keys = Keys::default();
    for name in &names {
        let outer = match name.split_once('/') {
            Some(("hint", _)) => 2,
            Some(("input" | "output", _)) => 1,
            // Who keeps notes beside the samples may.
            _ => continue,
        };
        let array = arrays.open(name).map_err(|misread| misread.found_in(name))?;
        keys.0.insert(name.clone(), array.shape.len().saturating_sub(outer));
        shapes.insert(name.clone(), array.shape);
    }
    let probes = keys.spec(entry, key);
    keys.check(entry, &probes, key)?;
    if !names.iter().any(|name| name == LENGTHS) {
        return Err(missing_key(entry, LENGTHS, names.iter()));
    }

    // Every algorithm has positions.
    let &[runs, nodes] = shapes["input/pos"].as_slice() else {
        let found = format!("shape {:?}", shapes["input/pos"]);
        return Err(misread("input/pos of shape [samples, nodes]", found));
    };
    check_nodes(nodes)?;
    let hint = probes.iter().find(|probe| probe.stage == Stage::Hint).map(key);
    let steps = hint.as_ref().and_then(|hint| shapes[hint].first().copied());
    let lengths = lengths(arrays, runs, steps).map_err(|misread| misread.wanted_in(LENGTHS))?;
    let steps = steps.unwrap_or(0);

    let mut columns = Vec::with_capacity(probes.len());
    for probe in &probes {
        let mut gather = Gather::new(probe, nodes, &lengths);
        let mut slab = vec![runs];
        slab.extend(probe.shape(nodes));
        let slabs = (probe.stage == Stage::Hint).then_some(steps);
        fill(&mut gather, arrays, &key(probe), slabs, &slab)
            .map_err(|misread| misread.wanted_in(&key(probe)))?;
        columns.push(gather.finish());
    }
    Ok(Batch { traces: Traces::from_columns(probes, nodes, columns, &lengths), steps })
}

/// Reads the number of hints of each of so many samples.
fn lengths(
    arrays: &mut dyn Arrays,
    runs: usize,
    most: Option<usize>,
) -> Result<Vec<usize>, Misread> {
    let mut array = arrays.open(LENGTHS)?;
    check_shape(&array.shape, &[runs])?;
    if runs == 0 {
        return Err(misread("at least one sample", "none"));
    }
    let most = most.unwrap_or(usize::MAX);
    let length = |(i, length): (usize, f64)| {
        if length.fract() == 0.0 && length >= 1.0 && length <= most as f64 {
            return Ok(length as usize);
        }
        let wanted = format!("whole numbers from 1 to {most}, the number of steps,");
        Err(misread(wanted, format!("{length} for sample {i}")))
    };
    let lengths = array.all()?.into_iter().enumerate().map(length).collect::<Result<_, _>>()?;
    array.end()?;
    Ok(lengths)
}

/// Reads an array that is a slab of this shape, or so many of them.
fn fill(
    gather: &mut Gather<'_>,
    arrays: &mut dyn Arrays,
    key: &str,
    slabs: Option<usize>,
    slab: &[usize],
) -> Result<(), Misread> {
    let mut array = arrays.open(key)?;
    let shape: Vec<usize> = slabs.into_iter().chain(slab.iter().copied()).collect();
    check_shape(&array.shape, &shape)?;
    array.try_for_each_slab(slab.iter().product(), |slab| Ok(gather.push(slab)?))?;
    array.end()
}

fn check_shape(found: &[usize], wanted: &[usize]) -> Result<(), Misread> {
    if found == wanted {
        return Ok(());
    }
    Err(misread(format!("shape {wanted:?}"), format!("shape {found:?}")))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use narscope_clrs::algorithms::{ALL, find};
    use narscope_clrs::options::Options;
    use narscope_clrs::rng::Rng;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
    use zip::CompressionMethod;

    use super::*;
    use crate::npz;
    use crate::whole::Existing;

    fn samples(entry: &Entry, nodes: usize, count: usize) -> Batch {
        let rng = &mut Rng::seeded(nodes as u32);
        Batch::new(entry.generate(rng, nodes, &Options::default(), count).unwrap(), 0)
    }

    /// What a file of the batch holds.
    fn bytes(format: Format, entry: &Entry, batch: &Batch) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        format.write(entry.name, batch, &path, Existing::Keep).unwrap();
        std::fs::read(path).unwrap()
    }

    fn assert_same(found: &Batch, wanted: &Batch, what: &str) {
        assert_eq!(found.traces.probes, wanted.traces.probes, "{what}");
        assert_eq!(found.lengths(), wanted.lengths(), "{what}");
        for (place, probe) in wanted.traces.probes.iter().enumerate() {
            assert_eq!(found.shape(place), wanted.shape(place), "{what}: {}", probe.name);
            let bits = |batch: &Batch| -> Vec<u64> {
                batch.dense(place).into_iter().map(f64::to_bits).collect()
            };
            assert_eq!(bits(found), bits(wanted), "{what}: {}", probe.name);
        }
    }

    #[test]
    fn samples_of_every_algorithm_come_back_from_every_format() {
        for entry in ALL {
            let mut batch = samples(entry, 7, 3);
            for conversion in ["plain", "pred as input", "permutations"] {
                match conversion {
                    "pred as input" => convert::pred_as_input(&mut batch.traces),
                    "permutations" => convert::permutations(&mut batch.traces, true).unwrap(),
                    _ => {}
                }
                for format in Format::ALL {
                    let what = format!("{}, {conversion}, {format:?}", entry.name);
                    let file = bytes(format, entry, &batch);
                    let again = parse(format, entry, Cursor::new(file))
                        .unwrap_or_else(|error| panic!("{what}: {error:?}"));
                    assert_same(&again, &batch, &what);
                }
            }
        }
    }

    #[test]
    fn permutations_come_back_also_if_hints_stay_hints() {
        for entry in ALL {
            let mut batch = samples(entry, 4, 2);
            convert::permutations(&mut batch.traces, true).unwrap();
            for format in Format::ALL {
                let file = bytes(format, entry, &batch);
                let again = parse(format, entry, Cursor::new(file)).unwrap();
                assert_same(&again, &batch, entry.name);
            }
        }
    }

    #[test]
    fn padding_may_be_longer_than_the_longest_sample() {
        let entry = find("bfs").unwrap();
        let batch = Batch::new(samples(entry, 5, 2).traces, 20);
        for format in [Format::Npz, Format::Safetensors] {
            let again = parse(format, entry, Cursor::new(bytes(format, entry, &batch))).unwrap();
            assert_eq!(again, batch);
        }
    }

    /// An array as a user of NumPy may have it: name, type, shape, numbers.
    type Own = (String, &'static str, Vec<usize>, Vec<f64>);

    /// The arrays of samples, for tests to change.
    fn own(batch: &Batch) -> Vec<Own> {
        let probes = batch.traces.probes.iter().enumerate();
        let mut arrays: Vec<Own> = probes
            .map(|(place, probe)| (key(probe), "<f8", batch.shape(place), batch.dense(place)))
            .collect();
        arrays.push(("lengths".to_owned(), "<f8", vec![batch.traces.len()], batch.lengths()));
        arrays
    }

    /// What `numpy.savez` makes of arrays.
    fn savez(arrays: &[Own]) -> Vec<u8> {
        let mut file = Cursor::new(vec![]);
        npz::archive(&mut file, |zip| {
            for (name, descr, shape, numbers) in arrays {
                npz::start_array(zip, name, CompressionMethod::Stored, descr, shape)?;
                for &number in numbers {
                    match *descr {
                        "<f8" => zip.write_all(&number.to_le_bytes())?,
                        "<f4" => zip.write_all(&(number as f32).to_le_bytes())?,
                        "<i4" => zip.write_all(&(number as i32).to_le_bytes())?,
                        "<i8" => zip.write_all(&(number as i64).to_le_bytes())?,
                        "|b1" => zip.write_all(&[number as u8])?,
                        other => panic!("no numbers of type {other}"),
                    }
                }
            }
            Ok(())
        })
        .unwrap();
        file.into_inner()
    }

    #[test]
    fn any_type_of_number_will_do() {
        let entry = find("bfs").unwrap();
        let batch = samples(entry, 6, 4);
        let mut arrays = own(&batch);
        for (name, descr, ..) in &mut arrays {
            *descr = match name.as_str() {
                "input/s" => "|b1",
                "input/pos" => "<f4",
                "hint/pi_h" => "<i4",
                "lengths" => "<i8",
                _ => continue,
            };
        }
        // Who keeps notes beside the samples may.
        arrays.push(("seed".to_owned(), "<i8", vec![], vec![7.0]));
        let again = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap();
        for (place, probe) in batch.traces.probes.iter().enumerate() {
            let mut wanted = batch.dense(place);
            if probe.name == "pos" {
                wanted = wanted.into_iter().map(|x| f64::from(x as f32)).collect();
            }
            assert_eq!(again.dense(place), wanted, "{}", probe.name);
        }
    }

    /// The sentence about arrays of two samples of BFS that `change` changes.
    #[track_caller]
    fn refused(change: impl FnOnce(&mut Vec<Own>)) -> String {
        let entry = find("bfs").unwrap();
        let mut arrays = own(&samples(entry, 4, 2));
        change(&mut arrays);
        let Misread { wanted, found } =
            parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap_err();
        format!("wanted {wanted}, found {found}")
    }

    fn array<'a>(arrays: &'a mut [Own], name: &str) -> &'a mut Own {
        arrays.iter_mut().find(|(other, ..)| other == name).unwrap()
    }

    #[test]
    fn a_missing_key_is_named_with_those_that_are_there() {
        let sentence = refused(|arrays| arrays.retain(|(name, ..)| name != "hint/pi_h"));
        assert_eq!(
            sentence,
            "wanted the key hint/pi_h for bfs, found hint/reach_h, input/A, input/adj, input/pos, \
             input/s, output/pi"
        );
        let sentence = refused(|arrays| arrays.retain(|(name, ..)| name != "lengths"));
        assert!(sentence.starts_with("wanted the key lengths for bfs, found input/pos,"));
        let sentence = refused(Vec::clear);
        assert_eq!(sentence, "wanted the key input/pos for bfs, found no keys");
    }

    #[test]
    fn the_key_of_another_algorithm_is_named() {
        let sentence = refused(|arrays| arrays.push(("hint/d".into(), "<f8", vec![1], vec![0.0])));
        assert_eq!(
            sentence,
            "wanted no keys but those of bfs, input/pos, input/s, input/A, input/adj, output/pi, \
             hint/reach_h, hint/pi_h, found hint/d"
        );
    }

    #[test]
    fn every_number_is_checked() {
        for (name, place, number, sentence) in [
            (
                "input/pos",
                5,
                f64::NAN,
                "a finite number in input/pos, found NaN at node 1 in sample 1",
            ),
            ("input/s", 4, 0.5, "a 1 and otherwise zeros for 4 nodes in input/s, found 0.5"),
            ("input/adj", 3, 2.0, "-1, 0 or 1 in input/adj, found 2 at edge (0, 3) in sample 0"),
            ("output/pi", 1, 4.0, "a node from 0 to 3 in output/pi, found 4 at node 1 in sample 0"),
            (
                "hint/pi_h",
                5,
                -1.0,
                "a node from 0 to 3 in hint/pi_h, found -1 at node 1 in step 0 of sample 1",
            ),
            ("lengths", 1, 1.5, "whole numbers from 1 to "),
            ("lengths", 0, 0.0, "whole numbers from 1 to "),
            ("lengths", 0, 99.0, "whole numbers from 1 to "),
            ("lengths", 0, f64::NAN, "whole numbers from 1 to "),
        ] {
            let found = refused(|arrays| array(arrays, name).3[place] = number);
            assert!(found.starts_with(&format!("wanted {sentence}")), "{name}: {found}");
        }
    }

    #[test]
    fn every_shape_is_checked() {
        let sentence = refused(|arrays| array(arrays, "input/A").2 = vec![2, 16]);
        assert_eq!(sentence, "wanted shape [2, 4, 4] in input/A, found shape [2, 16]");
        let sentence = refused(|arrays| array(arrays, "input/pos").2 = vec![8]);
        assert_eq!(sentence, "wanted input/pos of shape [samples, nodes], found shape [8]");
        let sentence = refused(|arrays| array(arrays, "input/pos").2 = vec![1, 8]);
        assert_eq!(sentence, "wanted shape [1] in lengths, found shape [2]");
        let sentence = refused(|arrays| array(arrays, "input/pos").2 = vec![8, 0]);
        assert_eq!(sentence, "wanted samples of 1 to 1048576 nodes, found 0 nodes");
        let sentence = refused(|arrays| {
            array(arrays, "output/pi").3.pop();
        });
        assert!(
            sentence.starts_with("wanted as many numbers as shape [2, 4] promises in output/pi"),
            "{sentence}"
        );
        let sentence = refused(|arrays| array(arrays, "output/pi").3.push(0.0));
        let wanted = "wanted as many numbers as shape [2, 4] promises in output/pi, found more";
        assert_eq!(sentence, wanted);
    }

    #[test]
    fn padding_is_not_looked_at() {
        let entry = find("bfs").unwrap();
        let batch = Batch::new(samples(entry, 4, 2).traces, 9);
        let mut arrays = own(&batch);
        let (.., hints) = array(&mut arrays, "hint/pi_h");
        *hints.last_mut().unwrap() = -5.0;
        let again = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap();
        assert_eq!(again, batch);
    }

    #[test]
    fn a_permutation_without_its_mark_is_refused() {
        let entry = find("bubble_sort").unwrap();
        let mut batch = samples(entry, 4, 2);
        convert::permutations(&mut batch.traces, true).unwrap();
        let mut arrays = own(&batch);
        arrays.retain(|(name, ..)| name != "output/pred_mask");
        let misread = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap_err();
        assert_eq!(misread.wanted, "the key output/pred_mask for bubble_sort");
    }

    /// What is said of lines.
    #[track_caller]
    fn refused_lines(lines: &[u8]) -> String {
        let bfs = find("bfs").unwrap();
        let Misread { wanted, found } = parse(Format::Jsonl, bfs, Cursor::new(lines)).unwrap_err();
        format!("wanted {wanted}, found {found}")
    }

    #[test]
    fn a_line_that_does_not_fit_is_named() {
        let [bfs, dfs] = ["bfs", "dfs"].map(|name| find(name).unwrap());
        let four = bytes(Format::Jsonl, bfs, &samples(bfs, 4, 1));
        let five = bytes(Format::Jsonl, bfs, &samples(bfs, 5, 1));
        let other = bytes(Format::Jsonl, dfs, &samples(dfs, 4, 1));
        assert_eq!(
            refused_lines(&[four.clone(), five].concat()),
            "wanted a sample of 4 nodes, as those before it, found one of 5 in line 2"
        );
        assert_eq!(
            refused_lines(&[four.clone(), other].concat()),
            "wanted a sample of bfs, found one of dfs in line 2"
        );
        let text = String::from_utf8(four).unwrap();
        for (old, new, sentence) in [
            (r#""s":["#, r#""t":["#, "wanted the key inputs/s for bfs, found hints/pi_h, "),
            (
                r#""pi_h":[[0"#,
                r#""pi_h":[[7"#,
                "wanted a node from 0 to 3 in hints/pi_h, found 7 at node 0 in step 0 in line 1",
            ),
            (
                r#""pi":["#,
                r#""pi":[0,"#,
                "wanted lists of shape [4] in outputs/pi, found lists of shape [5] in line 1",
            ),
            (r#""steps":"#, r#""steps":1"#, "wanted lists of shape [1"),
            (
                r#""A":[["#,
                r#""A":[[0,"#,
                "wanted a sample as a JSON object, found a list of 4 after one of 5 in column ",
            ),
        ] {
            assert!(text.contains(old), "{text}");
            let found = refused_lines(text.replace(old, new).as_bytes());
            assert!(found.starts_with(sentence), "{found}");
        }
        assert_eq!(refused_lines(b"\n"), "wanted a sample per line, found nothing");
    }

    #[test]
    fn the_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        let entry = find("bfs").unwrap();
        let error = read(&path, entry).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot read {}", path.display()));
        std::fs::write(&path, "no archive").unwrap();
        let sentence = read(&path, entry).unwrap_err().to_string();
        assert!(sentence.ends_with(&format!(" in {}", path.display())), "{sentence}");
        let error = read(Path::new("a.txt"), entry).unwrap_err();
        assert!(matches!(error, Error::UnknownEnding { .. }), "{error}");
    }

    proptest! {
        #[test]
        fn no_damage_makes_a_reader_panic_or_return_what_is_no_batch(
            (format, name) in (0usize..3, proptest::sample::select(vec!["bfs", "quicksort", "dfs"])),
            place in any::<proptest::sample::Index>(),
            flip in 1u8..,
            converted in any::<bool>(),
        ) {
            let (format, entry) = (Format::ALL[format], find(name).unwrap());
            let mut batch = samples(entry, 4, 2);
            if converted {
                convert::pred_as_input(&mut batch.traces);
                convert::permutations(&mut batch.traces, true).unwrap();
            }
            let whole = bytes(format, entry, &batch);
            let place = place.index(whole.len());
            let mut flipped = whole.clone();
            flipped[place] ^= flip;
            for damaged in [&whole[..place], &flipped] {
                let Ok(found) = parse(format, entry, Cursor::new(damaged)) else { continue };
                if format == Format::Npz {
                    // An archive knows the sums of its numbers.
                    prop_assert_eq!(&found, &parse(format, entry, Cursor::new(&whole)).unwrap());
                }
                prop_assert!(!found.traces.is_empty());
                let file = bytes(format, entry, &found);
                prop_assert_eq!(&parse(format, entry, Cursor::new(file)).unwrap(), &found);
            }
        }
    }
}
