//! The paper's tables of CLRS-30 (appendix A) and of its ablations (appendix C).

use super::Published;

/// Returns the paper's test score of a variant of a processor on an algorithm. The baseline is `""`.
pub fn score(algorithm: &str, processor: &str, variant: &str) -> Option<Published> {
    const SCORES: &str = include_str!("scores.csv");
    let key = format!("{algorithm},{processor},{variant},");
    let fields = SCORES.lines().find_map(|line| line.strip_prefix(&key))?;
    let (mean, std) = fields.split_once(',').expect("a mean and a standard deviation");
    // Percentages with two decimals are shares with four.
    let share = |text: &str| (100.0 * text.parse::<f64>().expect("a number")).round() / 10_000.0;
    Some(Published { value: share(mean), std: Some(share(std)) })
}

#[cfg(test)]
mod tests {
    use narscope_clrs::algorithms;

    use super::*;

    #[test]
    fn the_paper_has_every_algorithm_of_clrs_30_in_four_variants() {
        for entry in algorithms::ALL.iter().filter(|entry| entry.in_clrs_30) {
            for processor in ["mpnn", "triplet_gmpnn"] {
                for variant in ["", "softmax", "decay", "softmax + decay"] {
                    let name = entry.name;
                    assert!(score(name, processor, variant).is_some(), "{name} {variant}");
                }
            }
        }
    }
}
