//! Numbers in titles and captions.

/// A number with its noun: `1 step`, `2 steps`, `16,384 graphs`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// A number with commas between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    groups.join(",")
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

/// The smallest and the largest value, one number if they look the same: `95 %`, `93 to 96 %`.
pub(super) fn span(values: &[f64], number: impl Fn(f64) -> String, unit: &str) -> String {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = (number(low), number(high));
    if low == high { format!("{low}{unit}") } else { format!("{low} to {high}{unit}") }
}

/// Shares in percent; with a decimal where whole numbers would hide that there is something, or nothing left.
pub(super) fn percents(shares: &[f64]) -> String {
    let is_plain = |share: f64| (0.1..=0.9).contains(&share) || share == 0.0 || share == 1.0;
    let digits = usize::from(!shares.iter().copied().all(is_plain));
    span(shares, |share| format!("{:.digits$}", 100.0 * share), " %")
}

/// A number with `digits` decimals.
pub(super) fn decimals(values: &[f64], digits: usize) -> String {
    span(values, |value| format!("{value:.digits$}"), "")
}

/// Changes of a score in words, in percentage points: `costs 3.1 points`, `gains 1 to 2.5 points`.
pub(super) fn change(changes: &[f64]) -> String {
    /// Smaller changes are not visible with one decimal.
    const NOTHING: f64 = 0.0005;
    let points = |values: &[f64]| {
        let words = span(values, |value| format!("{:.1}", 100.0 * value), " points");
        if words == "1.0 points" { "1 point".to_owned() } else { words }
    };
    let negated: Vec<f64> = changes.iter().map(|change| -change).collect();
    if changes.iter().all(|change| change.abs() < NOTHING) {
        "changes nothing".to_owned()
    } else if changes.iter().all(|&change| change <= NOTHING) {
        format!("costs {}", points(&negated.iter().map(|it| it.max(0.0)).collect::<Vec<_>>()))
    } else if changes.iter().all(|&change| change >= -NOTHING) {
        format!("gains {}", points(&changes.iter().map(|it| it.max(0.0)).collect::<Vec<_>>()))
    } else {
        let words = span(changes, |value| signed(100.0 * value, 1), " points");
        format!("changes the score by {words}")
    }
}

/// A number with its sign, with a true minus.
pub(super) fn signed(value: f64, digits: usize) -> String {
    format!("{value:+.digits$}").replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_is_singular_and_thousands_have_commas() {
        assert_eq!(counted(1, "step"), "1 step");
        assert_eq!(counted(0, "step"), "0 steps");
        assert_eq!(counted(16_384, "graph"), "16,384 graphs");
        assert_eq!(counted(1_000_000, "graph"), "1,000,000 graphs");
    }

    #[test]
    fn lists_end_with_and() {
        let list_of =
            |items: &[&str]| list(&items.iter().map(|&it| it.to_owned()).collect::<Vec<_>>());
        assert_eq!(list_of(&["a"]), "a");
        assert_eq!(list_of(&["a", "b", "c"]), "a, b and c");
    }

    #[test]
    fn the_sign_of_a_change_chooses_the_verb() {
        assert_eq!(change(&[-0.12]), "costs 12.0 points");
        assert_eq!(change(&[0.12]), "gains 12.0 points");
        assert_eq!(change(&[-0.12, -0.03]), "costs 3.0 to 12.0 points");
        assert_eq!(change(&[-0.12, 0.03]), "changes the score by \u{2212}12.0 to +3.0 points");
        assert_eq!(change(&[0.0, 0.0001]), "changes nothing");
        assert_eq!(change(&[-0.01]), "costs 1 point");
    }

    #[test]
    fn shares_near_an_end_have_a_decimal() {
        assert_eq!(percents(&[0.5]), "50 %");
        assert_eq!(percents(&[0.5, 0.61]), "50 to 61 %");
        assert_eq!(percents(&[0.934]), "93.4 %");
        assert_eq!(percents(&[0.5, 0.934]), "50.0 to 93.4 %");
        assert_eq!(percents(&[0.004]), "0.4 %");
    }
}
