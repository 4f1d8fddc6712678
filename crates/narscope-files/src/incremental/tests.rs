use std::fs::OpenOptions;
use std::path::Path;

use super::*;
use crate::array_reader::ArrayFile as _;
use crate::atomic::Existing;
use crate::metadata::Metadata;
use crate::{Error, Result};

fn specs() -> Vec<TensorSpec> {
    let spec = |name: &str, shape: &[usize], dtype| TensorSpec {
        name: name.to_owned(),
        shape: shape.to_vec(),
        dtype,
    };
    vec![
        spec("trajs", &[2, 3], TensorType::F32),
        spec("score", &[], TensorType::F64),
        spec("outputs/pi", &[5], TensorType::I32),
        spec("inputs/adj", &[1], TensorType::I8),
        spec("steps", &[], TensorType::I64),
    ]
}

/// Data of some samples, all values different.
fn data(samples: std::ops::Range<usize>) -> Vec<TensorData> {
    let indices = |each: usize| samples.start * each..samples.end * each;
    vec![
        TensorData::F32(indices(6).map(|i| i as f32 + 0.5).collect()),
        TensorData::F64(indices(1).map(|i| i as f64 / 3.0).collect()),
        TensorData::I32(indices(5).map(|i| 1000 * i as i32).collect()),
        TensorData::I8(indices(1).map(|i| i as i8 - 1).collect()),
        TensorData::I64(indices(1).map(|i| i as i64 + (1 << 40)).collect()),
    ]
}

fn open(path: &Path, network: &str) -> Result<TensorWriter> {
    let mut metadata = Metadata::new("bfs");
    metadata.set("network", network);
    let loss = vec![("loss".to_owned(), 0.75)];
    TensorWriter::with_scalars(path, Existing::Keep, specs(), loss, 7, &metadata)
}

#[test]
fn an_interrupted_file_is_continued_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (uninterrupted, resumed) = (folder.path().join("a"), folder.path().join("b"));
    let mut writer = open(&uninterrupted, "net 1").unwrap();
    writer.append(7, &data(0..7)).unwrap();
    writer.finish().unwrap();

    let mut writer = open(&resumed, "net 1").unwrap();
    writer.append(3, &data(0..3)).unwrap();
    drop(writer);
    assert!(!resumed.exists(), "an unfinished file is called .part");
    let mut writer = open(&resumed, "net 1").unwrap();
    assert_eq!(writer.done(), 3);
    writer.append(4, &data(3..7)).unwrap();
    writer.finish().unwrap();

    assert_eq!(std::fs::read(&uninterrupted).unwrap(), std::fs::read(&resumed).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_truncated_file_starts_again_and_an_unfinished_one_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let mut writer = open(&path, "net 1").unwrap();
    writer.append(3, &data(0..3)).unwrap();
    let error = format!("{:?}", open(&path, "net 1").unwrap_err());
    assert!(error.contains("another process is writing it"), "{error}");
    drop(writer);

    let part = folder.path().join("a.part");
    let error = TensorReader::open(&part).unwrap_err().to_string();
    assert!(error.contains("3 of 7 samples"), "{error}");
    let length = std::fs::metadata(&part).unwrap().len();
    OpenOptions::new().write(true).open(&part).unwrap().set_len(length - 8).unwrap();
    let mut writer = open(&path, "net 1").unwrap();
    assert_eq!(writer.done(), 0, "what was lost is unknown");
    writer.append(7, &data(0..7)).unwrap();
    writer.finish().unwrap();
    TensorReader::open(&path).unwrap();
}

#[test]
fn the_safetensors_library_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let mut writer = open(&path, "net 1").unwrap();
    writer.append(7, &data(0..7)).unwrap();
    writer.finish().unwrap();

    let bytes = std::fs::read(&path).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    for (spec, data) in specs().iter().zip(data(0..7)) {
        let tensor = tensors.tensor(&spec.name).unwrap();
        assert_eq!(tensor.shape(), [&[7], spec.shape.as_slice()].concat());
        assert_eq!(tensor.data(), data.to_bytes(), "{}", spec.name);
    }
    let loss = tensors.tensor("loss").unwrap();
    assert_eq!((loss.shape(), loss.data()), (&[][..], 0.75_f32.to_le_bytes().as_slice()));
}

#[test]
fn a_name_that_ends_in_npz_makes_an_archive_of_the_same_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let mut writer = open(&path, "net 1").unwrap();
    writer.append(3, &data(0..3)).unwrap();
    drop(writer);
    let mut writer = open(&path, "net 1").unwrap();
    writer.append(4, &data(3..7)).unwrap();
    writer.finish().unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no .part is left");

    let mut npz = crate::npz::Npz::new(std::fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(npz.names().len(), specs().len() + 1);
    assert_eq!(npz.open("loss").unwrap().all().unwrap(), [0.75]);
    assert_eq!(npz.open("outputs/pi").unwrap().shape, [7, 5]);
    assert_eq!(npz.open("steps").unwrap().all().unwrap()[6], (6_u64 + (1 << 40)) as f64);
    let metadata = npz.metadata().unwrap();
    assert_eq!((metadata.version, metadata.get("network")), (2, Some("net 1")));
}

#[test]
fn a_range_of_samples_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let mut writer = open(&path, "net 1").unwrap();
    writer.append(7, &data(0..7)).unwrap();
    writer.finish().unwrap();

    let mut reader = TensorReader::open(&path).unwrap();
    assert_eq!(reader.required("network").unwrap(), "net 1");
    assert_eq!(reader.metadata().algorithm, "bfs");
    for (spec, data) in specs().iter().zip(data(2..5)) {
        assert_eq!(reader.read(&spec.name, 2..5).unwrap(), data, "{}", spec.name);
    }
    assert!(reader.read("missing", 0..1).is_err());
    assert!(reader.required("missing").is_err());
    assert!(reader.read("loss", 0..1).is_err(), "a scalar has no samples");
}

#[test]
fn a_truncated_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let mut writer = open(&path, "net 1").unwrap();
    writer.append(7, &data(0..7)).unwrap();
    writer.finish().unwrap();
    let complete = std::fs::read(&path).unwrap();
    for cut in [0, 5, 40, complete.len() - 1] {
        std::fs::write(&path, &complete[..cut]).unwrap();
        let sentence = TensorReader::open(&path).unwrap_err().to_string();
        assert!(sentence.starts_with("expected a complete recording, found "), "{cut}: {sentence}");
    }
}

#[test]
fn a_header_with_offsets_beyond_the_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let text = format!(r#"{{"x":{{"shape":[1],"data_offsets":[0,{}]}}}}"#, u64::MAX);
    let file = [(text.len() as u64).to_le_bytes().as_slice(), text.as_bytes()].concat();
    std::fs::write(&path, file).unwrap();
    let sentence = TensorReader::open(&path).unwrap_err().to_string();
    let expected = "expected a complete recording, found 0 bytes of data, where its header says ";
    assert!(sentence.starts_with(expected), "{sentence}");
}

#[test]
fn the_unfinished_file_of_another_network_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    open(&path, "net 1").unwrap().append(3, &data(0..3)).unwrap();
    let error = open(&path, "net 2").unwrap_err().to_string();
    assert!(error.contains("a.part"), "{error}");
    std::fs::write(folder.path().join("a.part"), "no header").unwrap();
    assert!(matches!(open(&path, "net 1"), Err(Error::OtherRecording { .. })));
}
