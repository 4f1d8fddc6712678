use std::io::{Cursor, Write as _};

use narscope_clrs::algorithms::{ALL, find};
use narscope_clrs::convert;
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use zip::CompressionMethod;

use super::*;
use crate::atomic::Existing;
use crate::npz;

fn samples(entry: &Entry, nodes: usize, count: usize) -> Batch {
    let rng = &mut Rng::seeded(nodes as u32);
    Batch::new(entry.generate(rng, nodes, &Options::default(), count).unwrap(), 0)
}

/// Bytes of a file of the batch.
fn bytes(format: Format, entry: &Entry, batch: &Batch) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a").with_extension(format.extension());
    write(&path, Existing::Keep, batch, &Metadata::new(entry.name)).unwrap();
    std::fs::read(path).unwrap()
}

/// The samples of a file.
fn parse(format: Format, entry: &Entry, file: impl BufRead + Seek) -> Result<Batch, Misread> {
    super::parse(format, entry, file).map(|(batch, _)| batch)
}

fn assert_same(found: &Batch, expected: &Batch, what: &str) {
    assert_eq!(found.traces.probes, expected.traces.probes, "{what}");
    assert_eq!(found.lengths(), expected.lengths(), "{what}");
    for (index, probe) in expected.traces.probes.iter().enumerate() {
        assert_eq!(found.shape(index), expected.shape(index), "{what}: {}", probe.name);
        let bits = |batch: &Batch| -> Vec<u64> {
            batch.dense(index).into_iter().map(f64::to_bits).collect()
        };
        assert_eq!(bits(found), bits(expected), "{what}: {}", probe.name);
    }
}

#[test]
fn samples_of_every_algorithm_are_read_back_from_every_format() {
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
fn permutations_are_read_back_when_hints_stay_hints() {
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

/// An array of a NumPy user: name, type descriptor, shape, values.
type NumpyArray = (String, &'static str, Vec<usize>, Vec<f64>);

/// The arrays of samples as in the reference, without a version, for tests to change.
fn arrays_of(batch: &Batch) -> Vec<NumpyArray> {
    let probes = batch.traces.probes.iter().enumerate();
    let mut arrays: Vec<NumpyArray> = probes
        .map(|(index, probe)| (key(probe), "<f8", batch.shape(index), batch.dense(index)))
        .collect();
    arrays.push(("lengths".to_owned(), "<f8", vec![batch.traces.len()], batch.lengths()));
    arrays
}

/// Bytes of `numpy.savez`.
fn savez(arrays: &[NumpyArray]) -> Vec<u8> {
    let mut file = Cursor::new(vec![]);
    npz::archive(&mut file, |zip| {
        for (name, descr, shape, values) in arrays {
            npz::start_array(zip, name, CompressionMethod::Stored, descr, shape)?;
            for &value in values {
                match *descr {
                    "<f8" => zip.write_all(&value.to_le_bytes())?,
                    "<f4" => zip.write_all(&(value as f32).to_le_bytes())?,
                    "<i4" => zip.write_all(&(value as i32).to_le_bytes())?,
                    "<i8" => zip.write_all(&(value as i64).to_le_bytes())?,
                    "|b1" => zip.write_all(&[value as u8])?,
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
fn every_element_type_is_read() {
    let entry = find("bfs").unwrap();
    let batch = samples(entry, 6, 4);
    let mut arrays = arrays_of(&batch);
    for (name, descr, ..) in &mut arrays {
        *descr = match name.as_str() {
            "input/s" => "|b1",
            "input/pos" => "<f4",
            "hint/pi_h" => "<i4",
            "lengths" => "<i8",
            _ => continue,
        };
    }
    // Arrays of the user's own are ignored.
    arrays.push(("seed".to_owned(), "<i8", vec![], vec![7.0]));
    let again = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap();
    for (index, probe) in batch.traces.probes.iter().enumerate() {
        let mut expected = batch.dense(index);
        if probe.name == "pos" {
            expected = expected.into_iter().map(|x| f64::from(x as f32)).collect();
        }
        assert_eq!(again.dense(index), expected, "{}", probe.name);
    }
}

#[test]
fn the_version_tells_which_axis_of_hints_is_the_sample() {
    let entry = find("bfs").unwrap();
    let batch = samples(entry, 6, 9);
    assert_ne!(batch.steps, batch.traces.len());
    let mut arrays = arrays_of(&batch);
    let without = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap();
    assert_eq!(without, batch);
    for (name, _, shape, values) in arrays.iter_mut().filter(|(name, ..)| name.starts_with("hint"))
    {
        let (steps, samples) = (shape[0], shape[1]);
        let size = values.len() / steps / samples;
        let row = |place: usize| &values[place * size..][..size];
        let places = (0..samples).flat_map(|i| (0..steps).map(move |t| t * samples + i));
        let swapped: Vec<f64> = places.flat_map(row).copied().collect();
        (*values, *shape) = (swapped, [&[samples, steps], &shape[2..]].concat());
        assert!(name.starts_with("hint/"));
    }
    let misread = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap_err();
    assert!(misread.expected.starts_with("shape ["), "{}", misread.expected);
    let text = r#"{"narscope_format": 2}"#;
    let mut file = Cursor::new(savez(&arrays));
    let mut zip = zip::ZipWriter::new_append(&mut file).unwrap();
    let descr = format!("<U{}", text.len());
    npz::start_array(&mut zip, "metadata", CompressionMethod::Stored, &descr, &[]).unwrap();
    text.bytes().for_each(|byte| zip.write_all(&[byte, 0, 0, 0]).unwrap());
    zip.finish().unwrap();
    assert_eq!(parse(Format::Npz, entry, file).unwrap(), batch);
}

#[test]
fn metadata_are_read_back_from_every_format() {
    let entry = find("bfs").unwrap();
    let batch = samples(entry, 3, 2);
    let mut metadata = Metadata::new("bfs");
    let names = ["Bern", "Zürich", "\"Basel\""].map(str::to_owned).to_vec();
    metadata.names = Some(vec![names.clone(), names]);
    metadata.directed = Some(true);
    metadata.source = Some(serde_json::json!({ "file": "roads.csv" }));
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        let path = folder.path().join("a").with_extension(format.extension());
        write(&path, Existing::Keep, &batch, &metadata).unwrap();
        let (again, about) = read_with_metadata(&path, entry).unwrap();
        assert_eq!((again, about), (batch.clone(), metadata.clone()), "{format:?}");
    }
}

#[test]
fn a_file_of_a_later_version_is_refused() {
    let bfs = find("bfs").unwrap();
    let text = String::from_utf8(bytes(Format::Jsonl, bfs, &samples(bfs, 4, 1))).unwrap();
    let later = text.replace(r#""narscope_format":2"#, r#""narscope_format":3"#);
    assert_eq!(
        refused_lines(later.as_bytes()),
        "expected version 1 or 2 of the array layout, which this program reads, found version 3 in line 1"
    );
}

/// The error for arrays of two BFS samples after `change`.
#[track_caller]
fn refused(change: impl FnOnce(&mut Vec<NumpyArray>)) -> String {
    let entry = find("bfs").unwrap();
    let mut arrays = arrays_of(&samples(entry, 4, 2));
    change(&mut arrays);
    let Misread { expected, found } =
        parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap_err();
    format!("expected {expected}, found {found}")
}

fn array<'a>(arrays: &'a mut [NumpyArray], name: &str) -> &'a mut NumpyArray {
    arrays.iter_mut().find(|(other, ..)| other == name).unwrap()
}

#[test]
fn an_error_names_the_missing_key_and_those_found() {
    let sentence = refused(|arrays| arrays.retain(|(name, ..)| name != "hint/pi_h"));
    assert_eq!(
        sentence,
        "expected the key hint/pi_h for bfs, found hint/reach_h, input/A, input/adj, input/pos, \
         input/s, output/pi"
    );
    let sentence = refused(|arrays| arrays.retain(|(name, ..)| name != "lengths"));
    assert!(sentence.starts_with("expected the key lengths for bfs, found input/pos,"));
    let sentence = refused(Vec::clear);
    assert_eq!(sentence, "expected the key input/pos for bfs, found no keys");
}

#[test]
fn an_error_names_the_key_of_another_algorithm() {
    let sentence = refused(|arrays| arrays.push(("hint/d".into(), "<f8", vec![1], vec![0.0])));
    assert_eq!(
        sentence,
        "expected only the keys of bfs (input/pos, input/s, input/A, input/adj, output/pi, \
         hint/reach_h, hint/pi_h), found hint/d"
    );
}

#[test]
fn every_value_is_checked() {
    for (name, index, value, sentence) in [
        ("input/pos", 5, f64::NAN, "a finite number in input/pos, found NaN at node 1 in sample 1"),
        ("input/s", 4, 0.5, "a 1 and otherwise zeros for 4 nodes in input/s, found 0.5"),
        ("input/adj", 3, 2.0, "-1, 0 or 1 in input/adj, found 2 at edge (0, 3) in sample 0"),
        ("output/pi", 1, 4.0, "a node from 0 to 3 in output/pi, found 4 at node 1 in sample 0"),
        (
            "hint/pi_h",
            5,
            -1.0,
            "a node from 0 to 3 in hint/pi_h, found -1 at node 1 in step 0 of sample 1",
        ),
        ("lengths", 1, 1.5, "integers from 1 to "),
        ("lengths", 0, 0.0, "integers from 1 to "),
        ("lengths", 0, 99.0, "integers from 1 to "),
        ("lengths", 0, f64::NAN, "integers from 1 to "),
    ] {
        let found = refused(|arrays| array(arrays, name).3[index] = value);
        assert!(found.starts_with(&format!("expected {sentence}")), "{name}: {found}");
    }
}

#[test]
fn every_shape_is_checked() {
    let sentence = refused(|arrays| array(arrays, "input/A").2 = vec![2, 16]);
    assert_eq!(sentence, "expected shape [2, 4, 4] in input/A, found shape [2, 16]");
    let sentence = refused(|arrays| array(arrays, "input/pos").2 = vec![8]);
    assert_eq!(sentence, "expected input/pos of shape [samples, nodes], found shape [8]");
    let sentence = refused(|arrays| array(arrays, "input/pos").2 = vec![1, 8]);
    assert_eq!(sentence, "expected shape [1, 8] in input/s, found shape [2, 4]");
    let sentence = refused(|arrays| array(arrays, "input/pos").2 = vec![8, 0]);
    assert_eq!(sentence, "expected the 0 bytes of shape [8, 0], found 64 in input/pos");
    let sentence = refused(|arrays| {
        let (.., shape, values) = array(arrays, "input/pos");
        *shape = vec![8, 0];
        values.clear();
    });
    assert_eq!(sentence, "expected samples of 1 to 1048576 nodes, found 0 nodes");
    let sentence = refused(|arrays| {
        array(arrays, "output/pi").3.pop();
    });
    assert_eq!(sentence, "expected the 64 bytes of shape [2, 4], found 56 in output/pi");
    let sentence = refused(|arrays| array(arrays, "output/pi").3.push(0.0));
    assert_eq!(sentence, "expected the 64 bytes of shape [2, 4], found 72 in output/pi");
}

#[test]
fn padding_is_not_checked() {
    let entry = find("bfs").unwrap();
    let batch = Batch::new(samples(entry, 4, 2).traces, 9);
    let mut arrays = arrays_of(&batch);
    let (.., hints) = array(&mut arrays, "hint/pi_h");
    *hints.last_mut().unwrap() = -5.0;
    let again = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap();
    assert_eq!(again, batch);
}

#[test]
fn a_permutation_without_its_mask_is_refused() {
    let entry = find("bubble_sort").unwrap();
    let mut batch = samples(entry, 4, 2);
    convert::permutations(&mut batch.traces, true).unwrap();
    let mut arrays = arrays_of(&batch);
    arrays.retain(|(name, ..)| name != "output/pred_mask");
    let misread = parse(Format::Npz, entry, Cursor::new(savez(&arrays))).unwrap_err();
    assert_eq!(misread.expected, "the key output/pred_mask for bubble_sort");
}

/// The error for lines of a `.jsonl` file.
#[track_caller]
fn refused_lines(lines: &[u8]) -> String {
    let bfs = find("bfs").unwrap();
    let Misread { expected, found } = parse(Format::Jsonl, bfs, Cursor::new(lines)).unwrap_err();
    format!("expected {expected}, found {found}")
}

#[test]
fn an_error_names_the_line_that_does_not_fit() {
    let [bfs, dfs] = ["bfs", "dfs"].map(|name| find(name).unwrap());
    let four = bytes(Format::Jsonl, bfs, &samples(bfs, 4, 1));
    let five = bytes(Format::Jsonl, bfs, &samples(bfs, 5, 1));
    let other = bytes(Format::Jsonl, dfs, &samples(dfs, 4, 1));
    assert_eq!(
        refused_lines(&[four.clone(), five].concat()),
        "expected a sample of 4 nodes, as in earlier lines, found 5 nodes in line 2"
    );
    assert_eq!(
        refused_lines(&[four.clone(), other].concat()),
        "expected a sample of bfs, found a sample of dfs in line 2"
    );
    let text = String::from_utf8(four).unwrap();
    for (old, new, sentence) in [
        (r#""input/s":["#, r#""input/t":["#, "expected the key input/s for bfs, found hint/pi_h, "),
        (
            r#""hint/pi_h":[[0"#,
            r#""hint/pi_h":[[7"#,
            "expected a node from 0 to 3 in hint/pi_h, found 7 at node 0 in step 0 in line 1",
        ),
        (
            r#""output/pi":["#,
            r#""output/pi":[0,"#,
            "expected lists of shape [4] in output/pi, found lists of shape [5] in line 1",
        ),
        (r#""lengths":"#, r#""lengths":1"#, "expected lists of shape [1"),
        (
            r#""input/A":[["#,
            r#""input/A":[[0,"#,
            "expected a sample as a JSON object, found a list of length 4 after one of length 5 in column ",
        ),
    ] {
        assert!(text.contains(old), "{text}");
        let found = refused_lines(text.replace(old, new).as_bytes());
        assert!(found.starts_with(sentence), "{found}");
    }
    assert_eq!(refused_lines(b"\n"), "expected a sample per line, found an empty file");
}

#[test]
fn an_error_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let entry = find("bfs").unwrap();
    let error = read(&path, entry).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot read {}", path.display()));
    std::fs::write(&path, "no archive").unwrap();
    let sentence = read(&path, entry).unwrap_err().to_string();
    assert!(sentence.ends_with(&format!(" in {}", path.display())), "{sentence}");
    let error = read(Path::new("a.txt"), entry).unwrap_err();
    assert!(matches!(error, Error::UnknownExtension { .. }), "{error}");
}

proptest! {
    #[test]
    fn damaged_files_neither_panic_nor_become_invalid_batches(
        (format, name) in (0usize..3, proptest::sample::select(vec!["bfs", "quicksort", "dfs"])),
        offset in any::<proptest::sample::Index>(),
        flip in 1u8..,
        converted in any::<bool>(),
    ) {
        let (format, entry) = (Format::ALL[format], find(name).unwrap());
        let mut batch = samples(entry, 4, 2);
        if converted {
            convert::pred_as_input(&mut batch.traces);
            convert::permutations(&mut batch.traces, true).unwrap();
        }
        let complete = bytes(format, entry, &batch);
        let offset = offset.index(complete.len());
        let mut flipped = complete.clone();
        flipped[offset] ^= flip;
        for damaged in [&complete[..offset], &flipped] {
            let Ok(found) = parse(format, entry, Cursor::new(damaged)) else { continue };
            if format == Format::Npz {
                // A zip archive has checksums of its arrays.
                prop_assert_eq!(&found, &parse(format, entry, Cursor::new(&complete)).unwrap());
            }
            prop_assert!(!found.traces.is_empty());
            let file = bytes(format, entry, &found);
            prop_assert_eq!(&parse(format, entry, Cursor::new(file)).unwrap(), &found);
        }
    }
}
