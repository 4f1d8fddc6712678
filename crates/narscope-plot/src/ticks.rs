//! Ticks: round values whose labels do not collide.

use crate::axis::{Format, Map, Spacing};
use crate::text::{Weight, width};

/// A tick and its label, which may be empty.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// Along which direction labels stand next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Horizontal,
    Vertical,
}

/// Most ticks of an axis: more are not read. Integers often are a few steps that should all be there.
fn most_ticks(format: Format) -> usize {
    if matches!(format, Format::Integer) { 9 } else { 6 }
}

/// The most ticks of round values whose labels fit next to each other at a font size.
pub(crate) fn ticks(map: &Map, format: Format, direction: Direction, size: f64) -> Vec<Tick> {
    at_most(most_ticks(format), map, format, direction, size)
}

/// The same, with a limit.
pub(crate) fn at_most(
    most: usize,
    map: &Map,
    format: Format,
    direction: Direction,
    size: f64,
) -> Vec<Tick> {
    let candidates: Vec<Vec<Tick>> = match map.spacing {
        Spacing::Linear => linear(map.range, format),
        Spacing::Log10 => powers(map.range, format, 10.0),
        Spacing::Log2 => powers(map.range, format, 2.0),
    };
    let fits = |ticks: &&Vec<Tick>| ticks.len() <= most && fit(ticks, map, direction, size);
    candidates.iter().find(fits).or(candidates.last()).cloned().unwrap_or_default()
}

/// Whether labels have a gap between them.
pub(crate) fn fit(ticks: &[Tick], map: &Map, direction: Direction, size: f64) -> bool {
    let length = |tick: &Tick| match direction {
        Direction::Horizontal => width(&tick.label, size, Weight::Regular),
        Direction::Vertical => size,
    };
    let gap = match direction {
        Direction::Horizontal => 0.9 * size,
        Direction::Vertical => 0.7 * size,
    };
    ticks.windows(2).all(|pair| {
        let distance = (map.at(pair[1].value) - map.at(pair[0].value)).abs();
        distance >= 0.5 * (length(&pair[0]) + length(&pair[1])) + gap
    })
}

/// Candidates from fine to coarse.
fn linear((low, high): (f64, f64), format: Format) -> Vec<Vec<Tick>> {
    let is_integer = matches!(format, Format::Integer);
    let exponent = ((high - low).log10().floor() as i32).clamp(-300, 300);
    let steps = (exponent - 2..=exponent + 1)
        .flat_map(|exponent| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(exponent)));
    let steps = steps.filter(|step| !is_integer || (*step >= 1.0 && step.fract() == 0.0));
    let candidates = steps.map(|step| {
        // A little tolerance: 0.1 + 0.2 is a tick at 0.3.
        let first = (low / step - 1e-6).ceil() as i64;
        let last = (high / step + 1e-6).floor() as i64;
        let count = (last - first + 1).clamp(0, 1000);
        let values: Vec<f64> = (0..count).map(|i| (first + i) as f64 * step).collect();
        let labels = labels(&values, step, format);
        values.into_iter().zip(labels).map(|(value, label)| Tick { value, label }).collect()
    });
    let mut candidates: Vec<Vec<Tick>> = candidates.collect();
    let enough: Vec<Vec<Tick>> = candidates.iter().filter(|it| it.len() >= 2).cloned().collect();
    // One tick is better than none.
    if enough.is_empty() {
        candidates.retain(|it: &Vec<Tick>| !it.is_empty());
        candidates
    } else {
        enough
    }
}

/// Powers of the base, every one, every second, every third; with 2 and 5 in between if there are few.
fn powers((low, high): (f64, f64), format: Format, base: f64) -> Vec<Vec<Tick>> {
    let log = |value: f64| value.ln() / base.ln();
    let (first, last) = ((log(low) - 1e-6).ceil() as i32, (log(high) + 1e-6).floor() as i32);
    let tick = |value: f64| Tick { value, label: one(value, format) };
    let mut candidates = vec![];
    if base == 10.0 && last - first < 2 {
        for digits in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0]] {
            let values = (first - 1..=last)
                .flat_map(|exponent| digits.iter().map(move |digit| digit * 10f64.powi(exponent)));
            let tolerance = 1.0 + 1e-6;
            let inside = |value: &f64| *value * tolerance >= low && *value <= high * tolerance;
            candidates.push(values.filter(inside).map(tick).collect::<Vec<_>>());
        }
    }
    for every in 1..=(last - first).max(1) {
        let exponents = (first..=last).filter(|exponent| exponent.rem_euclid(every) == 0);
        candidates.push(exponents.map(|exponent| tick(base.powi(exponent))).collect());
    }
    candidates.retain(|it| !it.is_empty());
    candidates
}

/// One value as text, with the digits that it needs.
pub(crate) fn one(value: f64, format: Format) -> String {
    match format {
        Format::Custom(write) => write(value),
        Format::Percent => format!("{} %", decimal(100.0 * value, needed_decimals(100.0 * value))),
        Format::Number | Format::Integer => {
            if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
                scientific(value)
            } else {
                decimal(value, needed_decimals(value))
            }
        }
    }
}

/// Texts of ticks at a distance of `step`, all with the same decimals.
fn labels(values: &[f64], step: f64, format: Format) -> Vec<String> {
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let write = |value: f64| match format {
        Format::Custom(write) => write(value),
        Format::Percent => {
            let decimals = decimals_of(100.0 * step);
            format!("{} %", decimal(100.0 * value, decimals))
        }
        Format::Number | Format::Integer if !(1e-3..1e6).contains(&largest) => {
            if value == 0.0 {
                "0".to_owned()
            } else {
                scientific(value)
            }
        }
        Format::Number | Format::Integer => decimal(value, decimals_of(step)),
    };
    values.iter().map(|value| write(*value)).collect()
}

/// Decimals that distinguish multiples of a step.
fn decimals_of(step: f64) -> usize {
    (-step.log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize
}

/// Decimals for four significant digits, without trailing zeros.
fn needed_decimals(value: f64) -> usize {
    (0..6)
        .find(|&decimals| {
            let scale = 10f64.powi(decimals);
            let rounded = (value * scale).round() / scale;
            (rounded - value).abs() <= 5e-4 * value.abs()
        })
        .unwrap_or(6) as usize
}

/// A decimal number with a real minus sign, and groups of three digits from 10,000 on.
pub(crate) fn decimal(value: f64, decimals: usize) -> String {
    // Adding zero turns -0 into 0.
    let text = format!("{:.decimals$}", value.abs() + 0.0);
    let is_zero = text.chars().all(|letter| matches!(letter, '0' | '.'));
    let sign = if value < 0.0 && !is_zero { "\u{2212}" } else { "" };
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (text.as_str(), String::new()),
    };
    let grouped = if whole.len() <= 4 {
        whole.to_owned()
    } else {
        let from_right = whole.chars().rev().collect::<Vec<_>>();
        let groups: Vec<String> =
            from_right.chunks(3).map(|group| group.iter().collect()).collect();
        groups.join(",").chars().rev().collect()
    };
    format!("{sign}{grouped}{fraction}")
}

/// A number as digits times a power of ten.
fn scientific(value: f64) -> String {
    let mut exponent = value.abs().log10().floor() as i32;
    let mut digits = value / 10f64.powi(exponent);
    if (100.0 * digits.abs()).round() >= 1000.0 {
        (digits, exponent) = (digits / 10.0, exponent + 1);
    }
    let superscript: String = exponent
        .to_string()
        .chars()
        .map(|letter| match letter {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
        })
        .collect();
    let digits = (100.0 * digits).round() / 100.0;
    if digits == 1.0 {
        format!("10{superscript}")
    } else {
        format!("{}×10{superscript}", decimal(digits, needed_decimals(digits)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels_of(range: (f64, f64), length: f64, format: Format, spacing: Spacing) -> Vec<String> {
        let map = Map { range, ends: (0.0, length), spacing };
        let ticks = ticks(&map, format, Direction::Horizontal, 7.0);
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round() {
        use Spacing::{Linear, Log2, Log10};
        type Case = ((f64, f64), Format, Spacing, &'static [&'static str]);
        let cases: [Case; 8] = [
            (
                (0.0, 1.0),
                Format::Percent,
                Linear,
                &["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"],
            ),
            ((0.97, 1.0), Format::Percent, Linear, &["97 %", "98 %", "99 %", "100 %"]),
            ((1.0, 4.0), Format::Integer, Linear, &["1", "2", "3", "4"]),
            ((-0.3, 0.3), Format::Number, Linear, &["−0.2", "0.0", "0.2"]),
            (
                (0.0, 40_000.0),
                Format::Number,
                Linear,
                &["0", "10,000", "20,000", "30,000", "40,000"],
            ),
            ((0.0, 3e-5), Format::Number, Linear, &["0", "10⁻⁵", "2×10⁻⁵", "3×10⁻⁵"]),
            ((1.0, 1000.0), Format::Number, Log10, &["1", "10", "100", "1000"]),
            ((16.0, 128.0), Format::Number, Log2, &["16", "32", "64", "128"]),
        ];
        for (range, format, spacing, expected) in cases {
            let found = labels_of(range, 200.0, format, spacing);
            assert_eq!(found, expected, "{range:?}");
        }
    }

    #[test]
    fn a_narrow_axis_has_fewer_ticks() {
        let count = |length| labels_of((0.0, 1.0), length, Format::Percent, Spacing::Linear).len();
        assert!(count(60.0) < count(200.0));
        assert!(count(60.0) >= 2);
    }

    proptest! {
        #[test]
        fn labels_never_collide(low in -1e4..1e4f64, size in 1e-3..1e5f64, length in 60.0..400.0f64) {
            let map = Map { range: (low, low + size), ends: (0.0, length), spacing: Spacing::Linear };
            let found = ticks(&map, Format::Number, Direction::Vertical, 7.0);
            prop_assert!(fit(&found, &map, Direction::Vertical, 7.0));
            prop_assert!(!found.is_empty());
            for tick in found {
                prop_assert!((-0.1..=length + 0.1).contains(&map.at(tick.value)));
            }
        }
    }
}
