//! Numbers of the paper next to ours.

use narscope_results::published;

/// A number of the paper next to ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// What it is.
    pub what: String,
    /// The paper's, or its words.
    pub paper: String,
    /// Ours: the mean, and the value of every seed.
    pub ours: String,
}

impl Beside {
    /// A number that the paper has in words, or that is not among its published measures.
    pub(super) fn new(what: impl Into<String>, paper: impl Into<String>, ours: String) -> Self {
        Self { what: what.into(), paper: paper.into(), ours }
    }

    /// A share that is one of the paper's published measures.
    pub(super) fn share(
        what: impl Into<String>,
        (variant, analysis, measure): (&str, &str, &str),
        ours: &[f64],
    ) -> Self {
        let number = published::measure(variant, analysis, measure);
        let paper = number.map_or_else(|| "no number".to_owned(), |it| percent(it.value) + " %");
        Self::new(what, paper, shares(ours))
    }
}

/// Seeds beyond which only their range is written.
const FEW: usize = 5;

/// The mean, and the value of every seed or their range; `-` without values.
fn values(values: &[f64], write: fn(f64) -> String, unit: &str) -> String {
    let Some(&first) = values.first() else { return "-".to_owned() };
    let mean = write(values.iter().sum::<f64>() / values.len() as f64);
    let seeds: Vec<String> = values.iter().map(|&value| write(value)).collect();
    match seeds.len() {
        1 => format!("{mean}{unit}"),
        2..=FEW => format!("{mean}{unit} ({})", seeds.join(", ")),
        count => {
            let low = values.iter().copied().fold(first, f64::min);
            let high = values.iter().copied().fold(first, f64::max);
            format!("{mean}{unit} ({} to {}, {count} seeds)", write(low), write(high))
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Shares of all seeds, in percent.
pub(super) fn shares(ours: &[f64]) -> String {
    values(ours, percent, " %")
}

/// Numbers of all seeds, with two decimals.
pub(super) fn decimals(ours: &[f64]) -> String {
    values(ours, |value| format!("{value:.2}"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_has_its_value_and_many_seeds_have_their_range() {
        assert_eq!(shares(&[]), "-");
        assert_eq!(shares(&[0.954]), "95.4 %");
        assert_eq!(shares(&[0.5, 0.25, 0.75]), "50.0 % (50.0, 25.0, 75.0)");
        assert_eq!(decimals(&[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]), "1.50 (1.00 to 2.00, 6 seeds)");
    }

    #[test]
    fn the_papers_number_is_the_published_one() {
        let number = Beside::share("a", ("linear_pgn", "dimensionality", "step_wise_max"), &[0.5]);
        assert_eq!((number.paper.as_str(), number.ours.as_str()), ("96.4 %", "50.0 %"));
        let unknown = Beside::share("a", ("linear_pgn", "dimensionality", "no such"), &[]);
        assert_eq!(unknown.paper, "no number");
    }
}
