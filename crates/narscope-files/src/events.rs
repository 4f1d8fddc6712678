//! TensorBoard event files, written during a run.
//!
//! Not [atomic](crate::atomic): a killed run leaves what it wrote so far, and TensorBoard reads a file while it
//! grows.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::{Error, Result};

/// Writer of an event file.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Events {
    /// Creates a new file in a folder; creates the folder if needed.
    ///
    /// TensorBoard discards what older files of the folder have for `start_step` and later: a resumed run
    /// writes these steps again.
    pub fn create(folder: &Path, start_step: u64) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        let (path, file) = create_file(folder)?;
        let mut events = Self { path, file: BufWriter::new(file) };
        events.append(0, |event| event.text(field::FILE_VERSION, "brain.Event:2"))?;
        let start = Message::default().number(field::STATUS, field::STATUS_START);
        events.append(start_step, |event| event.message(field::SESSION_LOG, &start))?;
        events.flush()?;
        Ok(events)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a scalar.
    pub fn scalar(&mut self, tag: &str, step: u64, value: f32) -> Result<()> {
        self.value(step, &scalar(tag, value))
    }

    /// Appends a text, which TensorBoard renders as Markdown.
    pub fn text(&mut self, tag: &str, step: u64, text: &str) -> Result<()> {
        self.value(step, &self::text(tag, text))
    }

    /// Appends the settings of a run for TensorBoard's tab `HPARAMS`, which compares runs by the scalars with
    /// the tags `metrics`.
    pub fn settings(&mut self, settings: &[(&str, Setting)], metrics: &[&str]) -> Result<()> {
        let mut experiment = Message::default();
        let mut session = Message::default();
        for (name, setting) in settings {
            let info = Message::default()
                .text(field::INFO_NAME, name)
                .number(field::INFO_TYPE, setting.data_type());
            experiment = experiment.message(field::HPARAM_INFOS, &info);
            // An entry of a map.
            let entry = Message::default()
                .text(field::MAP_KEY, name)
                .message(field::MAP_VALUE, &setting.to_message());
            session = session.message(field::HPARAMS, &entry);
        }
        for tag in metrics {
            let name = Message::default().text(field::METRIC_TAG, tag);
            let info = Message::default().message(field::METRIC_NAME, &name);
            experiment = experiment.message(field::METRIC_INFOS, &info);
        }
        let session = session.double(field::START_TIME, since_1970().as_secs_f64());
        self.hparams("experiment", field::EXPERIMENT, &experiment)?;
        self.hparams("session_start_info", field::SESSION_START, &session)
    }

    /// Appends that the run whose [settings](Self::settings) were appended has ended well.
    pub fn finished(&mut self) -> Result<()> {
        let end = Message::default()
            .number(field::END_STATUS, field::END_STATUS_SUCCESS)
            .double(field::END_TIME, since_1970().as_secs_f64());
        self.hparams("session_end_info", field::SESSION_END, &end)
    }

    fn hparams(&mut self, tag: &str, kind: u64, data: &Message) -> Result<()> {
        let tag = format!("_hparams_/{tag}");
        let data = Message::default().message(kind, data);
        let plugin = Message::default()
            .text(field::PLUGIN_NAME, "hparams")
            .message(field::PLUGIN_CONTENT, &data);
        let metadata = Message::default()
            .message(field::PLUGIN_DATA, &plugin)
            .number(field::DATA_CLASS, field::DATA_CLASS_TENSOR);
        // Everything is in the metadata; the value is an empty list.
        let length = Message::default().number(field::DIM_SIZE, 0);
        let tensor = Message::default()
            .number(field::DTYPE, field::DTYPE_FLOAT)
            .message(field::SHAPE, &Message::default().message(field::DIM, &length));
        let value = Message::default()
            .text(field::TAG, &tag)
            .message(field::TENSOR, &tensor)
            .message(field::METADATA, &metadata);
        self.value(0, &value)
    }

    /// Flushes the buffer, so that TensorBoard can read what was appended.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(Error::io("write", &self.path))
    }

    fn value(&mut self, step: u64, value: &Message) -> Result<()> {
        let summary = Message::default().message(field::VALUE, value);
        self.append(step, |event| event.message(field::SUMMARY, &summary))
    }

    fn append(&mut self, step: u64, fill: impl FnOnce(Message) -> Message) -> Result<()> {
        let since_1970 = since_1970().as_secs_f64();
        let event =
            Message::default().double(field::WALL_TIME, since_1970).number(field::STEP, step);
        let record = record(&fill(event).0);
        self.file.write_all(&record).map_err(Error::io("write", &self.path))
    }
}

/// The value of a setting in TensorBoard's tab `HPARAMS`.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// A name.
    Text(String),
    /// A switch.
    Switch(bool),
}

impl Setting {
    fn data_type(&self) -> u64 {
        match self {
            Self::Text(_) => 1,
            Self::Switch(_) => 2,
            Self::Number(_) => 3,
        }
    }

    /// The message `google.protobuf.Value`.
    fn to_message(&self) -> Message {
        match self {
            Self::Number(number) => Message::default().double(2, *number),
            Self::Text(text) => Message::default().text(3, text),
            Self::Switch(on) => Message::default().number(4, u64::from(*on)),
        }
    }
}

/// Creates a file with a unique name that sorts after those of earlier seconds: TensorBoard reads the files of a
/// folder in the order of their names.
fn create_file(folder: &Path) -> Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (seconds, host, process) = (since_1970().as_secs(), host(), std::process::id());
    loop {
        let count = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("events.out.tfevents.{seconds}.{host}.{process}.{count}"));
        match File::create_new(&path) {
            // A process on another machine may have the same host name and process ID.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io("write", &path)(error)),
            Ok(file) => return Ok((path, file)),
        }
    }
}

fn since_1970() -> Duration {
    // A clock before 1970 is wrong anyway.
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Host name without characters that do not belong into a file name; `localhost` if unknown.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let fits = |letter: &char| letter.is_ascii_alphanumeric() || "-_.".contains(*letter);
    let name: String = name.trim().chars().filter(fits).collect();
    if name.is_empty() { "localhost".to_owned() } else { name }
}

/// Field numbers of the messages in TensorFlow's and TensorBoard's `.proto` files.
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
    // Summary and Summary.Value.
    pub(super) const VALUE: u64 = 1;
    pub(super) const TAG: u64 = 1;
    pub(super) const SIMPLE_VALUE: u64 = 2;
    pub(super) const TENSOR: u64 = 8;
    pub(super) const METADATA: u64 = 9;
    // SummaryMetadata and SummaryMetadata.PluginData.
    pub(super) const PLUGIN_DATA: u64 = 1;
    pub(super) const DATA_CLASS: u64 = 4;
    pub(super) const DATA_CLASS_TENSOR: u64 = 2;
    pub(super) const PLUGIN_NAME: u64 = 1;
    pub(super) const PLUGIN_CONTENT: u64 = 2;
    // TensorProto, TensorShapeProto and TensorShapeProto.Dim.
    pub(super) const DTYPE: u64 = 1;
    pub(super) const DTYPE_FLOAT: u64 = 1;
    pub(super) const DTYPE_STRING: u64 = 7;
    pub(super) const SHAPE: u64 = 2;
    pub(super) const STRINGS: u64 = 8;
    pub(super) const DIM: u64 = 2;
    pub(super) const DIM_SIZE: u64 = 1;

    // Of TensorBoard's `plugins/hparams`: HParamsPluginData.
    pub(super) const EXPERIMENT: u64 = 2;
    pub(super) const SESSION_START: u64 = 3;
    pub(super) const SESSION_END: u64 = 4;
    // Experiment, HParamInfo, MetricInfo and MetricName.
    pub(super) const HPARAM_INFOS: u64 = 4;
    pub(super) const METRIC_INFOS: u64 = 5;
    pub(super) const INFO_NAME: u64 = 1;
    pub(super) const INFO_TYPE: u64 = 4;
    pub(super) const METRIC_NAME: u64 = 1;
    pub(super) const METRIC_TAG: u64 = 2;
    // SessionStartInfo, and an entry of its map.
    pub(super) const HPARAMS: u64 = 1;
    pub(super) const START_TIME: u64 = 5;
    pub(super) const MAP_KEY: u64 = 1;
    pub(super) const MAP_VALUE: u64 = 2;
    // SessionEndInfo.
    pub(super) const END_STATUS: u64 = 1;
    pub(super) const END_STATUS_SUCCESS: u64 = 1;
    pub(super) const END_TIME: u64 = 2;
}

fn scalar(tag: &str, value: f32) -> Message {
    Message::default().text(field::TAG, tag).float(field::SIMPLE_VALUE, value)
}

fn text(tag: &str, text: &str) -> Message {
    let plugin = Message::default().text(field::PLUGIN_NAME, "text");
    let metadata = Message::default()
        .message(field::PLUGIN_DATA, &plugin)
        .number(field::DATA_CLASS, field::DATA_CLASS_TENSOR);
    // A scalar tensor with one string.
    let tensor = Message::default()
        .number(field::DTYPE, field::DTYPE_STRING)
        .message(field::SHAPE, &Message::default())
        .text(field::STRINGS, text);
    Message::default()
        .text(field::TAG, tag)
        .message(field::TENSOR, &tensor)
        .message(field::METADATA, &metadata)
}

/// A protocol-buffers message, encoded field by field.
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

    /// Seven bits per byte, the lowest first; the eighth bit is set in all bytes but the last.
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

/// Frames bytes as in `TFRecord` files: length, checksum of the length, bytes, checksum of the bytes.
fn record(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    let [length_crc, data_crc] = [&length, data].map(|bytes| masked_crc(bytes).to_le_bytes());
    [&length[..], &length_crc, data, &data_crc].concat()
}

/// Masked CRC-32C (rotated, plus a constant): a plain CRC of data that contain CRCs would be weak.
fn masked_crc(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An encoded field.
    #[derive(Clone, Debug, PartialEq)]
    enum Wire {
        Number(u64),
        Eight([u8; 8]),
        Bytes(Vec<u8>),
        Four([u8; 4]),
    }

    /// CRC-32C bit by bit, from its definition.
    fn slow_crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| {
                if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 }
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
            let crc = u32::from_le_bytes(masked).wrapping_sub(0xa282_ead8).rotate_left(15);
            assert_eq!(crc, slow_crc(data), "checksum of {data:?}");
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

    /// Finds a field in nested messages.
    fn field(bytes: &[u8], path: &[u64]) -> Wire {
        let found = fields(bytes).into_iter().find(|(number, _)| *number == path[0]);
        let (_, wire) = found.unwrap_or_else(|| panic!("no field {path:?} in {bytes:?}"));
        match (wire, &path[1..]) {
            (wire, []) => wire,
            (Wire::Bytes(inner), path) => field(&inner, path),
            (wire, path) => panic!("expected a message for {path:?}, found {wire:?}"),
        }
    }

    fn bytes_of(text: &str) -> Wire {
        Wire::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        // RFC 3720, B.4, and the usual check value of CRC catalogues.
        assert_eq!(crc32c::crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c::crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(slow_crc(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn varints_have_the_minimal_length() {
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
    fn a_file_has_its_version_its_start_step_and_then_what_was_appended() {
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
        assert_eq!(field(version, &[3]), bytes_of("brain.Event:2"));
        assert_eq!(
            (field(start, &[2]), field(start, &[7, 1])),
            (Wire::Number(300), Wire::Number(1))
        );
        assert_eq!(field(scalar, &[2]), Wire::Number(301));
        assert_eq!(field(scalar, &[5, 1, 1]), bytes_of("loss/bfs"));
        assert_eq!(field(scalar, &[5, 1, 2]), Wire::Four(0.25f32.to_le_bytes()));
        // A zero is written, although it is the default of the field.
        assert_eq!(field(zero, &[5, 1, 2]), Wire::Four([0; 4]));
        assert_eq!(field(text, &[5, 1, 1]), bytes_of("options"));
        assert_eq!(field(text, &[5, 1, 8, 1]), Wire::Number(7));
        assert_eq!(field(text, &[5, 1, 8, 8]), bytes_of("**length** 16, déjà vu"));
        assert_eq!(field(text, &[5, 1, 9, 1, 1]), bytes_of("text"));
    }

    #[test]
    fn settings_are_the_messages_of_the_hparams_plugin() {
        let folder = tempfile::tempdir().unwrap();
        let mut events = Events::create(folder.path(), 0).unwrap();
        let settings = [
            ("seed", Setting::Number(7.0)),
            ("processor", Setting::Text("mpnn".to_owned())),
            ("use_ln", Setting::Switch(true)),
        ];
        events.settings(&settings, &["val/score"]).unwrap();
        events.finished().unwrap();
        events.flush().unwrap();
        let records = records(&std::fs::read(events.path()).unwrap());
        let [_, _, experiment, start, end] = records.as_slice() else {
            panic!("{} records", records.len())
        };
        let tag = |record: &[u8]| field(record, &[5, 1, 1]);
        // Event, Summary, Value, SummaryMetadata, PluginData, content.
        let data = [5, 1, 9, 1, 2];
        let of = |record: &[u8], path: &[u64]| field(record, &[&data[..], path].concat());
        for record in [experiment, start, end] {
            assert_eq!(field(record, &[5, 1, 9, 1, 1]), bytes_of("hparams"));
        }
        assert_eq!(tag(experiment), bytes_of("_hparams_/experiment"));
        assert_eq!(of(experiment, &[2, 4, 1]), bytes_of("seed"));
        assert_eq!(of(experiment, &[2, 4, 4]), Wire::Number(3), "a number");
        assert_eq!(of(experiment, &[2, 5, 1, 2]), bytes_of("val/score"));
        assert_eq!(tag(start), bytes_of("_hparams_/session_start_info"));
        let Wire::Bytes(session) = of(start, &[3]) else { panic!("no session") };
        let entries = fields(&session).into_iter().filter(|(number, _)| *number == 1);
        let entries: Vec<(Wire, Wire)> = entries
            .map(|(_, entry)| match entry {
                Wire::Bytes(entry) => (field(&entry, &[1]), field(&entry, &[2])),
                other => panic!("{other:?}"),
            })
            .collect();
        let value = |number: u8, bytes: &[u8]| Wire::Bytes([&[number][..], bytes].concat());
        assert_eq!(
            entries,
            [
                (bytes_of("seed"), value(2 << 3 | 1, &7.0_f64.to_le_bytes())),
                (bytes_of("processor"), value(3 << 3 | 2, b"\x04mpnn")),
                (bytes_of("use_ln"), value(4 << 3, &[1])),
            ]
        );
        assert_eq!(tag(end), bytes_of("_hparams_/session_end_info"));
        assert_eq!(of(end, &[4, 1]), Wire::Number(1));
    }

    #[test]
    fn each_file_has_a_unique_name_that_tensorboard_recognises() {
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
    fn an_error_names_a_file_in_place_of_the_folder() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Events::create(file.path(), 0).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot create {}", file.path().display()));
    }
}
