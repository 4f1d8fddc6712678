//! Answers of several networks, with all their seeds.

use narscope_analysis::analyses::Analysis;
use narscope_results::AnswerGroup;
use narscope_results::statistics::bounded_interval;

use super::read;
use super::words::counted;
use crate::Result;
use crate::plot::Estimate;

/// The data of one variant, for every seed.
pub(super) struct Network<'a, A> {
    /// Name of the variant.
    pub variant: &'a str,
    /// Seeds and data; at least one.
    pub seeds: Vec<(u32, A)>,
    /// Whether its numbers are comparable with the paper's.
    pub is_comparable: bool,
}

/// Reads the answers of one analysis.
pub(super) fn networks<'a, A: Analysis>(groups: &[AnswerGroup<'a>]) -> Result<Vec<Network<'a, A>>> {
    groups.iter().map(network).collect()
}

/// Reads the answers of one variant.
pub(super) fn network<'a, A: Analysis>(group: &AnswerGroup<'a>) -> Result<Network<'a, A>> {
    let seeds = group.answers.iter().map(|(seed, answer)| Ok((*seed, read(answer)?)));
    Ok(Network {
        variant: group.variant,
        seeds: seeds.collect::<Result<_>>()?,
        is_comparable: group.is_comparable,
    })
}

impl<A> Network<'_, A> {
    /// A number of every seed that has it.
    pub(super) fn values(&self, of: impl Fn(&A) -> Option<f64>) -> Vec<f64> {
        self.seeds.iter().filter_map(|(_, data)| of(data)).filter(|it| it.is_finite()).collect()
    }

    /// The data of the first seed.
    pub(super) fn first(&self) -> &A {
        &self.seeds[0].1
    }
}

/// Means over the seeds of each variant that has the number.
pub(super) fn means<A>(networks: &[Network<'_, A>], of: impl Fn(&A) -> Option<f64>) -> Vec<f64> {
    let values = networks.iter().map(|network| network.values(&of));
    values.filter(|values| !values.is_empty()).map(|values| mean(&values)).collect()
}

/// The mean of at least one value.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean with its interval and every value; `None` without values.
pub(super) fn estimate(values: &[f64], range: (f64, f64)) -> Option<Estimate> {
    let with_mean = || Estimate::new(mean(values)).interval(bounded_interval(values, range));
    (!values.is_empty()).then(|| with_mean().seeds(values.to_vec()))
}

/// Range of shares.
pub(super) const SHARE: (f64, f64) = (0.0, 1.0);
/// Range of numbers without an upper limit.
pub(super) const POSITIVE: (f64, f64) = (0.0, f64::INFINITY);

/// How a figure shows seeds and their means.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    /// As dots, with intervals.
    Dots,
    /// As lines.
    Lines,
    /// As dots in some panels and as lines in others.
    Both,
}

/// The seeds in words, for captions: `seed 42`, `3 seeds each (thin lines; thick lines: means)`.
pub(super) fn seeds_in_words<A>(networks: &[Network<'_, A>], shown: Shown) -> String {
    let counts: Vec<usize> = networks.iter().map(|network| network.seeds.len()).collect();
    let (few, many) = match (counts.iter().min(), counts.iter().max()) {
        (Some(few), Some(many)) => (*few, *many),
        _ => return String::new(),
    };
    let count = match networks {
        [only] if many == 1 => format!("seed {}", only.seeds[0].0),
        [_] => counted(many, "seed"),
        _ if few == many => format!("{} each", counted(many, "seed")),
        _ => format!("{few} to {} each", counted(many, "seed")),
    };
    let how = match shown {
        _ if many == 1 => "",
        Shown::Dots => " (small dots; large dots: means with 95 % intervals)",
        Shown::Lines => " (thin lines; thick lines: means)",
        Shown::Both => {
            " (thin lines and small dots; thick lines and large dots: means, with 95 % intervals)"
        }
    };
    count + how
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_counted_in_words() {
        let of = |seeds: &[usize]| {
            let network = |count: usize| Network {
                variant: "",
                seeds: (0..count).map(|seed| (42 + seed as u32, ())).collect(),
                is_comparable: false,
            };
            let networks: Vec<_> = seeds.iter().map(|&count| network(count)).collect();
            seeds_in_words(&networks, Shown::Lines)
        };
        assert_eq!(of(&[1]), "seed 42");
        assert_eq!(of(&[3]), "3 seeds (thin lines; thick lines: means)");
        assert_eq!(of(&[1, 1]), "1 seed each");
        assert_eq!(of(&[1, 3]), "1 to 3 seeds each (thin lines; thick lines: means)");
    }
}
