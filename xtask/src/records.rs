//! Files of measurements: one JSON object per line.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::Result;

/// Reads all records of a file; none if the file does not exist.
pub(crate) fn read(file: &Path) -> Result<Vec<Value>> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let records = text.lines().map(|line| {
        serde_json::from_str(line)
            .map_err(|error| format!("{} has a line that is not JSON: {error}", file.display()))
    });
    records.collect()
}

/// Appends a record to a file and creates the file if necessary.
pub(crate) fn append(file: &Path, record: &Value) -> Result {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    opened
        .and_then(|mut file| writeln!(file, "{record}"))
        .map_err(|error| format!("{} could not be written: {error}", file.display()))
}

/// Returns the distinct contexts of the records, one per line.
pub(crate) fn contexts(records: &[Value]) -> String {
    let mut contexts: Vec<&str> =
        records.iter().filter_map(|record| record["context"].as_str()).collect();
    contexts.sort_unstable();
    contexts.dedup();
    contexts.join("\n")
}
