//! Writing `.jsonl`: one sample per line, nothing padded, numbers that read back bit for bit.

use std::io::{self, Write};

use narscope_clrs::batch::Batch;
use narscope_clrs::probe::Stage;

/// Writes every sample of a batch as a line.
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
    for (stage, name) in
        [(Stage::Input, "inputs"), (Stage::Output, "outputs"), (Stage::Hint, "hints")]
    {
        write!(file, r#","{name}":{{"#)?;
        let probes = traces.probes.iter().enumerate().filter(|(_, probe)| probe.stage == stage);
        for (count, (place, probe)) in probes.enumerate() {
            let comma = if count > 0 { "," } else { "" };
            write!(file, r#"{comma}"{}":"#, probe.name)?;
            let mut shape = probe.shape(traces.nodes);
            if stage == Stage::Hint {
                shape.insert(0, steps);
            }
            write_nested(&traces.dense(place, i), &shape, file)?;
        }
        write!(file, "}}")?;
    }
    write!(file, "}}")
}

/// Writes numbers as nested lists of the given shape.
fn write_nested(numbers: &[f64], shape: &[usize], file: &mut impl Write) -> io::Result<()> {
    let Some((&size, inner)) = shape.split_first() else {
        return write_number(numbers[0], file);
    };
    write!(file, "[")?;
    let stride: usize = inner.iter().product();
    for i in 0..size {
        if i > 0 {
            write!(file, ",")?;
        }
        write_nested(&numbers[i * stride..(i + 1) * stride], inner, file)?;
    }
    write!(file, "]")
}

/// Most numbers are small whole ones, and `1` is a third of `1.0`.
fn write_number(number: f64, file: &mut impl Write) -> io::Result<()> {
    if number == 0.0 && number.is_sign_negative() {
        write!(file, "-0.0")
    } else {
        write!(file, "{number}")
    }
}
