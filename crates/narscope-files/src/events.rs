//! Event files: what TensorBoard shows of a run, written while it goes on.
//!
//! Not [whole or not at all](crate::whole): a run that is killed leaves what it wrote so far, and
//! TensorBoard reads a file while it grows.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::{Error, Result};

/// A new event file of a run.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Events {
    /// Makes a new file in a folder, which is made if it is not there.
    ///
    /// Whatever older files of the folder say of `start_step` and later steps, TensorBoard forgets:
    /// a run that was killed and resumed makes those again.
    pub fn create(folder: &Path, start_step: u64) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::io("make", folder))?;
        let (path, file) = create_file(folder)?;
        let mut events = Self { path, file: BufWriter::new(file) };
        events.append(0, |event| event.text(field::FILE_VERSION, "brain.Event:2"))?;
        let start = Message::default().number(field::STATUS, field::STATUS_START);
        events.append(start_step, |event| event.message(field::SESSION_LOG, &start))?;
        events.flush()?;
        Ok(events)
    }

    /// The file that is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a number.
    pub fn scalar(&mut self, tag: &str, step: u64, value: f32) -> Result<()> {
        self.value(step, &scalar(tag, value))
    }

    /// Appends a text, which TensorBoard shows as Markdown.
    pub fn text(&mut self, tag: &str, step: u64, text: &str) -> Result<()> {
        self.value(step, &self::text(tag, text))
    }

    /// Hands what was appended to the system, so that others can read it.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(Error::io("write", &self.path))
    }

    fn value(&mut self, step: u64, value: &Message) -> Result<()> {
        let summary = Message::default().message(field::VALUE, value);
        self.append(step, |event| event.message(field::SUMMARY, &summary))
    }

    fn append(&mut self, step: u64, what: impl FnOnce(Message) -> Message) -> Result<()> {
        let since_1970 = since_1970().as_secs_f64();
        let event =
            Message::default().double(field::WALL_TIME, since_1970).number(field::STEP, step);
        let record = record(&what(event).0);
        self.file.write_all(&record).map_err(Error::io("write", &self.path))
    }
}

/// Makes a file with a name that no other has and that sorts after those of earlier seconds:
/// TensorBoard reads the files of a folder in the order of their names.
fn create_file(folder: &Path) -> Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (seconds, host, process) = (since_1970().as_secs(), host(), std::process::id());
    loop {
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("events.out.tfevents.{seconds}.{host}.{process}.{count}"));
        match File::create_new(&path) {
            // A process of another machine may have the same name and number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("write", &path)(error)),
            Ok(file) => return Ok((path, file)),
        }
    }
}

fn since_1970() -> Duration {
    // A clock that is set to before 1970 is wrong anyway.
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// The name of the machine where the system tells, as far as it may be part of a file's name.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let fits = |letter: &char| letter.is_ascii_alphanumeric() || "-_.".contains(*letter);
    let name: String = name.trim().chars().filter(fits).collect();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

/// The numbers of the fields in TensorFlow's `event.proto`, `summary.proto` and `tensor.proto`.
mod field {
    // Event.
    pub(super) const WALL_TIME: u64 = 1;
    pub(super) const STEP: u64 = 2;
    pub(super) const FILE_VERSION: u64 = 3;
    pub(super) const SUMMARY: u64 = 5;
    pub(super) const SESSION_LOG: u64 = 7;
    // SessionLog.
    pub(super) const STATUS: u64 = 1;
    pub(super) const STATUS_START: u64 = 1;
    // Summary, and a value of it.
    pub(super) const VALUE: u64 = 1;
    pub(super) const TAG: u64 = 1;
    pub(super) const SIMPLE_VALUE: u64 = 2;
    pub(super) const TENSOR: u64 = 8;
    pub(super) const METADATA: u64 = 9;
    // SummaryMetadata, and its PluginData.
    pub(super) const PLUGIN_DATA: u64 = 1;
    pub(super) const DATA_CLASS: u64 = 4;
    pub(super) const DATA_CLASS_TENSOR: u64 = 2;
    pub(super) const PLUGIN_NAME: u64 = 1;
    // TensorProto.
    pub(super) const DTYPE: u64 = 1;
    pub(super) const DTYPE_STRING: u64 = 7;
    pub(super) const SHAPE: u64 = 2;
    pub(super) const STRINGS: u64 = 8;
}

fn scalar(tag: &str, value: f32) -> Message {
    Message::default().text(field::TAG, tag).float(field::SIMPLE_VALUE, value)
}

fn text(tag: &str, text: &str) -> Message {
    let plugin = Message::default().text(field::PLUGIN_NAME, "text");
    let metadata = Message::default()
        .message(field::PLUGIN_DATA, &plugin)
        .number(field::DATA_CLASS, field::DATA_CLASS_TENSOR);
    // A tensor without dimensions: one string.
    let tensor = Message::default()
        .number(field::DTYPE, field::DTYPE_STRING)
        .message(field::SHAPE, &Message::default())
        .text(field::STRINGS, text);
    Message::default()
        .text(field::TAG, tag)
        .message(field::TENSOR, &tensor)
        .message(field::METADATA, &metadata)
}

/// A message of protocol buffers, written field by field.
#[derive(Clone, Debug, Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(self, field: u64, number: u64) -> Self {
        self.varint(field << 3).varint(number)
    }

    fn double(self, field: u64, number: f64) -> Self {
        self.varint(field << 3 | 1).raw(&number.to_le_bytes())
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.varint(field << 3 | 2).varint(text.len() as u64).raw(text.as_bytes())
    }

    fn message(self, field: u64, Self(bytes): &Self) -> Self {
        self.varint(field << 3 | 2).varint(bytes.len() as u64).raw(bytes)
    }

    fn float(self, field: u64, number: f32) -> Self {
        self.varint(field << 3 | 5).raw(&number.to_le_bytes())
    }

    /// Seven bits per byte, the lowest first; all bytes but the last have the eighth set.
    fn varint(mut self, mut number: u64) -> Self {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
        self
    }

    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

/// Frames bytes as `TFRecord` files do: length, its sum, the bytes, their sum.
fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let [length_sum, data_sum] = [&length, data].map(|bytes| masked_sum(bytes).to_le_bytes());
    [&length[..], &length_sum, data, &data_sum].concat()
}

/// The sum of bytes, turned and moved: a sum of bytes that hold sums would be a weak one.
fn masked_sum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field as it is on the wire.
    #[derive(Clone, Debug, PartialEq)]
    enum Wire {
        Number(u64),
        Eight([u8; 8]),
        Bytes(Vec<u8>),
        Four([u8; 4]),
    }

    /// CRC-32C bit by bit, as its definition has it.
    fn slow_sum(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, &byte| {
            (0..8).fold(sum ^ u32::from(byte), |sum, _| {
                if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 }
            })
        })
    }

    fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
        let (first, rest) = bytes.split_first_chunk().expect("enough bytes");
        *bytes = rest;
        *first
    }

    fn records(mut bytes: &[u8]) -> Vec<Vec<u8>> {
        let check = |data: &[u8], masked: [u8; 4]| {
            let sum = u32::from_le_bytes(masked).wrapping_sub(0xa282_ead8).rotate_left(15);
            assert_eq!(sum, slow_sum(data), "the sum of {data:?}");
        };
        let mut records = vec![];
        while !bytes.is_empty() {
            let length: [u8; 8] = take(&mut bytes);
            check(&length, take(&mut bytes));
            let (data, rest) = bytes.split_at(u64::from_le_bytes(length) as usize);
            bytes = rest;
            check(data, take(&mut bytes));
            records.push(data.to_vec());
        }
        records
    }

    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let [byte] = take(bytes);
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn fields(mut bytes: &[u8]) -> Vec<(u64, Wire)> {
        let mut fields = vec![];
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let wire = match key & 7 {
                0 => Wire::Number(varint(&mut bytes)),
                1 => Wire::Eight(take(&mut bytes)),
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (data, rest) = bytes.split_at(length);
                    bytes = rest;
                    Wire::Bytes(data.to_vec())
                }
                5 => Wire::Four(take(&mut bytes)),
                other => panic!("wire type {other}"),
            };
            fields.push((key >> 3, wire));
        }
        fields
    }

    /// Follows fields of messages in messages.
    fn field(bytes: &[u8], path: &[u64]) -> Wire {
        let found = fields(bytes).into_iter().find(|(number, _)| *number == path[0]);
        let (_, wire) = found.unwrap_or_else(|| panic!("no field {path:?} in {bytes:?}"));
        match (wire, &path[1..]) {
            (wire, []) => wire,
            (Wire::Bytes(inner), path) => field(&inner, path),
            (wire, path) => panic!("no message for {path:?} but {wire:?}"),
        }
    }

    fn words(text: &str) -> Wire {
        Wire::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn sums_are_those_of_the_standard() {
        // RFC 3720, B.4, and the check value of every catalogue.
        assert_eq!(crc32c::crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c::crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(slow_sum(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        for (number, bytes) in
            [(0, vec![0]), (127, vec![127]), (128, vec![0x80, 1]), (300, vec![0xac, 2])]
        {
            assert_eq!(Message::default().varint(number).0, bytes);
            assert_eq!(varint(&mut bytes.as_slice()), number);
        }
        let largest = Message::default().varint(u64::MAX).0;
        assert_eq!((largest.len(), varint(&mut largest.as_slice())), (10, u64::MAX));
    }

    #[test]
    fn a_file_says_its_version_and_where_it_starts_and_then_what_was_appended() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("runs/first");
        let before = since_1970().as_secs_f64();
        let mut events = Events::create(&run, 300).unwrap();
        events.scalar("loss/bfs", 301, 0.25).unwrap();
        events.scalar("loss/bfs", 302, 0.0).unwrap();
        events.text("options", 302, "**length** 16, déjà vu").unwrap();
        events.flush().unwrap();

        let records = records(&std::fs::read(events.path()).unwrap());
        let [version, start, scalar, zero, text] = records.as_slice() else {
            panic!("{} records", records.len())
        };
        for record in &records {
            let Wire::Eight(time) = field(record, &[1]) else { panic!("no wall time") };
            assert!((before..before + 3600.0).contains(&f64::from_le_bytes(time)));
        }
        assert_eq!(field(version, &[3]), words("brain.Event:2"));
        assert_eq!(
            (field(start, &[2]), field(start, &[7, 1])),
            (Wire::Number(300), Wire::Number(1))
        );
        assert_eq!(field(scalar, &[2]), Wire::Number(301));
        assert_eq!(field(scalar, &[5, 1, 1]), words("loss/bfs"));
        assert_eq!(field(scalar, &[5, 1, 2]), Wire::Four(0.25f32.to_le_bytes()));
        // A zero is a value, not a field that can be left out.
        assert_eq!(field(zero, &[5, 1, 2]), Wire::Four([0; 4]));
        assert_eq!(field(text, &[5, 1, 1]), words("options"));
        assert_eq!(field(text, &[5, 1, 8, 1]), Wire::Number(7));
        assert_eq!(field(text, &[5, 1, 8, 8]), words("**length** 16, déjà vu"));
        assert_eq!(field(text, &[5, 1, 9, 1, 1]), words("text"));
    }

    #[test]
    fn every_file_has_a_name_of_its_own_that_tensorboard_knows() {
        let folder = tempfile::tempdir().unwrap();
        let first = Events::create(folder.path(), 0).unwrap();
        let second = Events::create(folder.path(), 0).unwrap();
        assert_ne!(first.path(), second.path());
        let name = second.path().file_name().unwrap().to_str().unwrap();
        let parts: Vec<&str> =
            name.strip_prefix("events.out.tfevents.").unwrap().split('.').collect();
        assert!(parts[0].parse::<u64>().unwrap() > 1_700_000_000, "{name}");
        assert_eq!(parts[parts.len() - 2], std::process::id().to_string(), "{name}");
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Events::create(file.path(), 0).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot make {}", file.path().display()));
    }
}
