//! `.safetensors` files that grow sample by sample: too large for memory, and safe to interrupt.
//!
//! The first axis of every array is the sample, so what belongs to some samples is one piece of
//! each array, whose place is known before anything is. Until all samples are there, the file is
//! called `….part` and its head says how many are.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use zip::CompressionMethod;

use crate::error::misread;
use crate::npz;
use crate::tensors::head;
use crate::whole::{self, Existing};
use crate::{Error, Result};

/// Numbers of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Whole numbers.
    I32(Vec<i32>),
    /// Small whole numbers.
    I8(Vec<i8>),
}

impl Cells {
    fn type_name(&self) -> &'static str {
        match self {
            Self::F32(_) => "F32",
            Self::F64(_) => "F64",
            Self::I32(_) => "I32",
            Self::I8(_) => "I8",
        }
    }

    /// The type as NumPy writes it.
    fn numpy_name(&self) -> &'static str {
        match self {
            Self::F32(_) => "<f4",
            Self::F64(_) => "<f8",
            Self::I32(_) => "<i4",
            Self::I8(_) => "|i1",
        }
    }

    fn width(&self) -> usize {
        match self {
            Self::F32(_) | Self::I32(_) => 4,
            Self::F64(_) => 8,
            Self::I8(_) => 1,
        }
    }

    /// Cells of the same type.
    fn of_bytes(&self, bytes: &[u8]) -> Self {
        fn each<T, const W: usize>(bytes: &[u8], number: fn([u8; W]) -> T) -> Vec<T> {
            let words = bytes.chunks_exact(W);
            words.map(|word| number(word.try_into().expect("words are whole"))).collect()
        }
        match self {
            Self::F32(_) => Self::F32(each(bytes, f32::from_le_bytes)),
            Self::F64(_) => Self::F64(each(bytes, f64::from_le_bytes)),
            Self::I32(_) => Self::I32(each(bytes, i32::from_le_bytes)),
            Self::I8(_) => Self::I8(each(bytes, i8::from_le_bytes)),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::F32(cells) => cells.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F64(cells) => cells.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I32(cells) => cells.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I8(cells) => cells.iter().map(|&x| x as u8).collect(),
        }
    }
}

/// An array to come: its name, and the shape of one sample. The cells only say the type.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// The shape of one sample.
    pub shape: Vec<usize>,
    /// The type of its numbers: cells that there need not be any of.
    pub cells: Cells,
}

impl Slot {
    fn bytes_per_sample(&self) -> usize {
        self.cells.width() * self.shape.iter().product::<usize>()
    }
}

/// A file that is not whole yet.
#[derive(Debug)]
pub struct Growing {
    file: File,
    /// What it is called until it is whole.
    part: PathBuf,
    path: PathBuf,
    existing: Existing,
    slots: Vec<Slot>,
    samples: usize,
    done: usize,
    /// What its head says beside its arrays.
    about: Map<String, Value>,
    /// Where numbers begin.
    start: u64,
}

/// Under what name the head says how many samples there are.
const DONE: &str = "done";

impl Growing {
    /// Begins a file for so many samples, or goes on with one that was begun in the same way.
    ///
    /// `about` is what the head says beside its arrays: everything that the numbers depend on, so
    /// that nobody goes on with another network's file.
    pub fn open(
        path: &Path,
        existing: Existing,
        slots: Vec<Slot>,
        samples: usize,
        about: &[(&str, String)],
    ) -> Result<Self> {
        whole::check(path, existing)?;
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let about = about.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let file = options.open(&part).map_err(Error::io("write", &part))?;
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            let source = std::io::Error::other("another process is writing it");
            return Err(Error::io("write", &part)(source));
        }
        let mut growing = Self {
            file,
            part,
            path: path.to_owned(),
            existing,
            slots,
            samples,
            done: 0,
            about,
            start: 0,
        };
        growing.begin()?;
        Ok(growing)
    }

    /// How many samples are in the file.
    pub fn done(&self) -> usize {
        self.done
    }

    fn begin(&mut self) -> Result<()> {
        let wanted = self.head(0);
        self.start = wanted.len() as u64;
        let failed = || Error::io("write", &self.part);
        let size = self.samples * self.slots.iter().map(Slot::bytes_per_sample).sum::<usize>();
        let whole = self.start + size as u64;
        let length = self.file.metadata().map_err(failed())?.len();
        if length == 0 {
            self.file.write_all(&wanted).map_err(failed())?;
            return self.file.set_len(whole).map_err(failed());
        }
        let other = || Error::OtherRecording { path: self.part.clone() };
        let (_, found, _) = head(&mut self.file).map_err(|_| other())?;
        let found: Value = serde_json::from_slice(&found).map_err(|_| other())?;
        self.done = done(&found).filter(|&done| done <= self.samples).ok_or_else(other)?;
        let same: Value = serde_json::from_slice(&self.head(self.done)[8..]).expect("our own head");
        if found != same {
            return Err(other());
        }
        if length != whole {
            // It was cut short: nobody knows what is left of it.
            self.done = 0;
            self.file.rewind().map_err(failed())?;
            self.file.write_all(&wanted).map_err(failed())?;
            self.file.set_len(whole).map_err(failed())?;
        }
        Ok(())
    }

    /// The head of the file: its length, and what is in it. Always the same number of bytes.
    fn head(&self, done: usize) -> Vec<u8> {
        let mut about = self.about.clone();
        about.insert(DONE.to_owned(), json!(format!("{done:020}")));
        let mut arrays = Map::new();
        arrays.insert("__metadata__".to_owned(), Value::Object(about));
        let mut start = 0;
        for slot in &self.slots {
            let end = start + self.samples * slot.bytes_per_sample();
            let shape = [&[self.samples], slot.shape.as_slice()].concat();
            let info = json!({
                "dtype": slot.cells.type_name(), "shape": shape, "data_offsets": [start, end],
            });
            arrays.insert(slot.name.clone(), info);
            start = end;
        }
        let mut text = serde_json::to_vec(&arrays).expect("a map is JSON");
        // Numbers begin at a multiple of their size.
        text.resize(text.len().next_multiple_of(8), b' ');
        [(text.len() as u64).to_le_bytes().as_slice(), &text].concat()
    }

    /// Appends samples: of each array, in their order, the numbers of all of them.
    ///
    /// # Panics
    /// If the numbers are not as many, or of another type, than the arrays promise.
    #[track_caller]
    pub fn append(&mut self, samples: usize, cells: &[Cells]) -> Result<()> {
        assert_eq!(cells.len(), self.slots.len(), "an array for each slot");
        assert!(self.done + samples <= self.samples, "{} samples and no more", self.samples);
        let mut start = self.start;
        for (slot, cells) in self.slots.iter().zip(cells) {
            let (bytes, size) = (cells.to_bytes(), slot.bytes_per_sample());
            assert_eq!(cells.type_name(), slot.cells.type_name(), "type of {}", slot.name);
            assert_eq!(bytes.len(), samples * size, "bytes of {samples} samples of {}", slot.name);
            let place = start + (self.done * size) as u64;
            let written = self.file.seek(SeekFrom::Start(place));
            let written = written.and_then(|_| self.file.write_all(&bytes));
            written.map_err(Error::io("write", &self.part))?;
            start += (self.samples * size) as u64;
        }
        // Numbers first: the head must not promise what a power cut could take back.
        let done = self.done + samples;
        let written = self.file.sync_data();
        let written = written.and_then(|()| self.file.rewind());
        let written = written.and_then(|()| self.file.write_all(&self.head(done)));
        written.map_err(Error::io("write", &self.part))?;
        self.done = done;
        Ok(())
    }

    /// Gives the file its name.
    ///
    /// # Panics
    /// If samples are missing.
    #[track_caller]
    pub fn finish(self) -> Result<()> {
        assert_eq!(self.done, self.samples, "all samples are there");
        whole::rename(&self.file, &self.part, &self.path, self.existing)
    }
}

/// How many samples there are, as a head says.
fn done(head: &Value) -> Option<usize> {
    head["__metadata__"][DONE].as_str()?.parse().ok()
}

/// A file that has grown up.
#[derive(Debug)]
pub struct Grown {
    file: File,
    path: PathBuf,
    head: Value,
    start: u64,
}

impl Grown {
    /// Opens a file that [`Growing`] has finished.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io("read", path))?;
        let broken = |found: String| misread("a whole recording", found).of(path);
        let (start, text, size) = head(&mut file).map_err(|error| broken(error.to_string()))?;
        let head: Value =
            serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
        let grown = Self { file, path: path.to_owned(), head, start };
        let end = grown.names().map(|name| grown.place(name).map(|(_, end)| end));
        let end = end.collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(0);
        if start.checked_add(end) != Some(size) {
            let found = format!("{} bytes of numbers where its head says {end}", size - start);
            return Err(broken(found));
        }
        let done = done(&grown.head);
        for name in grown.names() {
            let samples = grown.shape(name)?[0];
            if let Some(done) = done.filter(|&done| done < samples) {
                let found =
                    format!("{done} of {samples} samples; the same `record` command goes on");
                return Err(broken(found));
            }
        }
        Ok(grown)
    }

    /// What its head says under a name.
    pub fn about(&self, key: &str) -> Result<&str> {
        let text = self.head["__metadata__"][key].as_str();
        text.ok_or_else(|| self.wrong(&format!("{key} in its head"), "nothing"))
    }

    /// The names of its arrays.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let all = self.head.as_object().into_iter().flatten();
        all.map(|(name, _)| name.as_str()).filter(|name| *name != "__metadata__")
    }

    /// The shape of an array, samples first.
    pub fn shape(&self, name: &str) -> Result<Vec<usize>> {
        let numbers = self.head[name]["shape"].as_array().into_iter().flatten();
        let shape: Option<Vec<usize>> =
            numbers.map(|size| size.as_u64().map(|size| size as usize)).collect();
        let shape = shape.filter(|shape| !shape.is_empty());
        shape.ok_or_else(|| self.wrong(&format!("an array {name}"), "none"))
    }

    /// Refuses a file that lacks an array for so many samples, or has it in another shape or type.
    pub fn check(&self, slot: &Slot, samples: usize) -> Result<()> {
        let name = &slot.name;
        let wanted = [&[samples], slot.shape.as_slice()].concat();
        let found = self.shape(name)?;
        let found_type = self.head[name]["dtype"].as_str().unwrap_or_default();
        if (found.as_slice(), found_type) == (&wanted, slot.cells.type_name()) {
            return Ok(());
        }
        let wanted = format!("{name} of shape {wanted:?} and type {}", slot.cells.type_name());
        Err(self.wrong(&wanted, &format!("shape {found:?} and type {found_type}")))
    }

    /// Where the bytes of an array begin and end.
    fn place(&self, name: &str) -> Result<(u64, u64)> {
        let offsets = &self.head[name]["data_offsets"];
        let place = offsets[0].as_u64().zip(offsets[1].as_u64());
        let place = place.filter(|(start, end)| start <= end);
        place.ok_or_else(|| self.wrong(&format!("a place of {name}"), &offsets.to_string()))
    }

    fn wrong(&self, wanted: &str, found: &str) -> Error {
        misread(wanted, found).of(&self.path)
    }

    /// The numbers of some samples of an array.
    pub fn read(&mut self, name: &str, samples: Range<usize>) -> Result<Cells> {
        let (shape, (start, end)) = (self.shape(name)?, self.place(name)?);
        let cells = match self.head[name]["dtype"].as_str() {
            Some("F32") => Cells::F32(vec![]),
            Some("F64") => Cells::F64(vec![]),
            Some("I32") => Cells::I32(vec![]),
            Some("I8") => Cells::I8(vec![]),
            other => {
                let wanted = format!("the numbers of a recording in {name}");
                return Err(self.wrong(&wanted, other.unwrap_or("none")));
            }
        };
        let sizes = [&[cells.width()], &shape[1..]].concat();
        let size = sizes.iter().try_fold(1_u64, |all, &size| all.checked_mul(size as u64));
        let whole = size.and_then(|size| size.checked_mul(shape[0] as u64));
        let Some(size) = size.filter(|_| whole == Some(end - start)) else {
            let found = format!("{} bytes", end - start);
            return Err(self.wrong(&format!("{name} of shape {shape:?}"), &found));
        };
        if samples.end > shape[0] {
            let wanted = format!("{} samples in {name}", samples.end);
            return Err(self.wrong(&wanted, &shape[0].to_string()));
        }
        let mut bytes = vec![0; samples.len() * size as usize];
        let place = SeekFrom::Start(self.start + start + samples.start as u64 * size);
        let read = self.file.seek(place).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(Error::io("read", &self.path))?;
        Ok(cells.of_bytes(&bytes))
    }

    /// Writes all arrays as `.npz`, a few samples at a time.
    pub fn write_npz(&mut self, path: &Path, existing: Existing) -> Result<()> {
        const AT_ONCE: usize = 256;
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        let mut arrays = vec![];
        for name in &names {
            arrays.push((name, self.shape(name)?, self.read(name, 0..0)?.numpy_name()));
        }
        whole::write(path, existing, |file| {
            npz::archive(file, |zip| {
                for (name, shape, kind) in &arrays {
                    npz::start_array(zip, name, CompressionMethod::Stored, kind, shape)?;
                    for start in (0..shape[0]).step_by(AT_ONCE) {
                        let samples = start..shape[0].min(start + AT_ONCE);
                        let cells = self.read(name, samples).map_err(io::Error::other)?;
                        zip.write_all(&cells.to_bytes())?;
                    }
                }
                Ok(())
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots() -> Vec<Slot> {
        let slot = |name: &str, shape: &[usize], cells| Slot {
            name: name.to_owned(),
            shape: shape.to_vec(),
            cells,
        };
        vec![
            slot("trajs", &[2, 3], Cells::F32(vec![])),
            slot("score", &[], Cells::F64(vec![])),
            slot("outputs/pi", &[5], Cells::I32(vec![])),
            slot("inputs/adj", &[1], Cells::I8(vec![])),
        ]
    }

    /// The numbers of some samples, each different.
    fn cells(samples: std::ops::Range<usize>) -> Vec<Cells> {
        let numbers = |each: usize| samples.start * each..samples.end * each;
        vec![
            Cells::F32(numbers(6).map(|i| i as f32 + 0.5).collect()),
            Cells::F64(numbers(1).map(|i| i as f64 / 3.0).collect()),
            Cells::I32(numbers(5).map(|i| 1000 * i as i32).collect()),
            Cells::I8(numbers(1).map(|i| i as i8 - 1).collect()),
        ]
    }

    fn open(path: &Path, about: &str) -> Result<Growing> {
        Growing::open(path, Existing::Keep, slots(), 7, &[("of", about.to_owned())])
    }

    #[test]
    fn an_interrupted_file_goes_on_and_ends_as_if_nothing_had_happened() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, broken) = (folder.path().join("a"), folder.path().join("b"));
        let mut growing = open(&whole, "net 1").unwrap();
        growing.append(7, &cells(0..7)).unwrap();
        growing.finish().unwrap();

        let mut growing = open(&broken, "net 1").unwrap();
        growing.append(3, &cells(0..3)).unwrap();
        drop(growing);
        assert!(!broken.exists(), "a file that is not whole has no name");
        let mut growing = open(&broken, "net 1").unwrap();
        assert_eq!(growing.done(), 3);
        growing.append(4, &cells(3..7)).unwrap();
        growing.finish().unwrap();

        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&broken).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_was_cut_short_is_begun_anew_and_one_that_is_not_done_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut growing = open(&path, "net 1").unwrap();
        growing.append(3, &cells(0..3)).unwrap();
        let error = format!("{:?}", open(&path, "net 1").unwrap_err());
        assert!(error.contains("another process is writing it"), "{error}");
        drop(growing);

        let part = folder.path().join("a.part");
        let error = Grown::open(&part).unwrap_err().to_string();
        assert!(error.contains("3 of 7 samples"), "{error}");
        let length = std::fs::metadata(&part).unwrap().len();
        OpenOptions::new().write(true).open(&part).unwrap().set_len(length - 8).unwrap();
        let mut growing = open(&path, "net 1").unwrap();
        assert_eq!(growing.done(), 0, "nobody knows what was lost");
        growing.append(7, &cells(0..7)).unwrap();
        growing.finish().unwrap();
        Grown::open(&path).unwrap();
    }

    #[test]
    fn other_programs_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.safetensors");
        let mut growing = open(&path, "net 1").unwrap();
        growing.append(7, &cells(0..7)).unwrap();
        growing.finish().unwrap();

        let bytes = std::fs::read(&path).unwrap();
        let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        for (slot, cells) in slots().iter().zip(cells(0..7)) {
            let tensor = tensors.tensor(&slot.name).unwrap();
            assert_eq!(tensor.shape(), [&[7], slot.shape.as_slice()].concat());
            assert_eq!(tensor.data(), cells.to_bytes(), "{}", slot.name);
        }
    }

    #[test]
    fn some_samples_can_be_read_without_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut growing = open(&path, "net 1").unwrap();
        growing.append(7, &cells(0..7)).unwrap();
        growing.finish().unwrap();

        let mut grown = Grown::open(&path).unwrap();
        assert_eq!(grown.about("of").unwrap(), "net 1");
        for (slot, cells) in slots().iter().zip(cells(2..5)) {
            assert_eq!(grown.read(&slot.name, 2..5).unwrap(), cells, "{}", slot.name);
        }
        assert!(grown.read("nothing", 0..1).is_err());
        assert!(grown.about("nobody").is_err());
    }

    #[test]
    fn a_file_that_was_cut_short_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut growing = open(&path, "net 1").unwrap();
        growing.append(7, &cells(0..7)).unwrap();
        growing.finish().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in [0, 5, 40, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let sentence = Grown::open(&path).unwrap_err().to_string();
            assert!(sentence.starts_with("wanted a whole recording, found "), "{cut}: {sentence}");
        }
    }

    #[test]
    fn a_head_that_promises_more_than_there_can_be_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let text = format!(r#"{{"x":{{"shape":[1],"data_offsets":[0,{}]}}}}"#, u64::MAX);
        let whole = [(text.len() as u64).to_le_bytes().as_slice(), text.as_bytes()].concat();
        std::fs::write(&path, whole).unwrap();
        let sentence = Grown::open(&path).unwrap_err().to_string();
        let wanted = "wanted a whole recording, found 0 bytes of numbers where its head says ";
        assert!(sentence.starts_with(wanted), "{sentence}");
    }

    #[test]
    fn nobody_goes_on_with_the_file_of_another_network() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        open(&path, "net 1").unwrap().append(3, &cells(0..3)).unwrap();
        let error = open(&path, "net 2").unwrap_err().to_string();
        assert!(error.contains("a.part"), "{error}");
        std::fs::write(folder.path().join("a.part"), "no head").unwrap();
        assert!(matches!(open(&path, "net 1"), Err(Error::OtherRecording { .. })));
    }
}
