//! Trajectories for the interactive view, in few bytes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;

use crate::figures::Space;

/// Trajectories as tools/viewer/src/trajectories.js reads them. Positions are multiples of a unit, in 16 bits: a
/// view has far fewer pixels.
#[derive(Serialize)]
struct Quantised<'a> {
    axes: [&'a str; 3],
    /// Smallest coordinate along each axis.
    low: [f32; 3],
    unit: f32,
    /// Number of states of each trajectory.
    lengths: Vec<usize>,
    /// Base64 of little-endian 16-bit integers: x, y and z of one state after the other.
    positions: String,
    scores: Option<Vec<f64>>,
    classes: Option<&'a [usize]>,
}

/// JSON that is safe inside a script element.
pub(super) fn json(space: &Space) -> String {
    let states = || space.trajectories.iter().flatten();
    let low: [f32; 3] =
        std::array::from_fn(|axis| states().map(|it| it[axis]).fold(f32::INFINITY, f32::min));
    let ranges = states().flat_map(|it| [0, 1, 2].map(|axis| it[axis] - low[axis]));
    let unit = ranges.fold(0.0, f32::max) / f32::from(u16::MAX);
    let unit = if unit > 0.0 { unit } else { 1.0 };
    let quantum = |x: f32, axis: usize| ((x - low[axis]) / unit).round() as u16;
    let bytes: Vec<u8> = states()
        .flat_map(|it| [0, 1, 2].map(|axis| quantum(it[axis], axis).to_le_bytes()))
        .flatten()
        .collect();
    let scores = space.scores.as_ref();
    let quantised = Quantised {
        axes: ["component 1", "component 2", "component 3"],
        low,
        unit,
        lengths: space.trajectories.iter().map(Vec::len).collect(),
        positions: BASE64_STANDARD.encode(bytes),
        scores: scores.map(|it| it.iter().map(|score| (1e4 * score).round() / 1e4).collect()),
        classes: space.classes.as_deref(),
    };
    serde_json::to_string(&quantised).expect("trajectories are JSON").replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_kept_to_a_share_of_the_largest_range() {
        let trajectories = vec![vec![[-3.0, 0.5, 7.0], [5.0, 0.25, 7.0]], vec![[1.0, 0.125, 7.5]]];
        let title = String::new();
        let space = Space { title, trajectories, scores: Some(vec![1.0 / 3.0]), classes: None };
        let value: serde_json::Value = serde_json::from_str(&json(&space)).unwrap();
        assert_eq!(value["lengths"], serde_json::json!([2, 1]));
        assert_eq!(value["scores"], serde_json::json!([0.3333]));
        let (unit, low) = (value["unit"].as_f64().unwrap(), [-3.0, 0.125, 7.0]);
        let bytes = BASE64_STANDARD.decode(value["positions"].as_str().unwrap()).unwrap();
        let quanta = bytes.as_chunks::<2>().0.iter().map(|it| u16::from_le_bytes(*it));
        let read = quanta.enumerate().map(|(i, it)| low[i % 3] + unit * f64::from(it));
        let written = space.trajectories.iter().flatten().flatten();
        for (read, written) in read.zip(written) {
            assert!((read - f64::from(*written)).abs() < 8.0 / 65535.0, "{read} for {written}");
        }
    }
}
