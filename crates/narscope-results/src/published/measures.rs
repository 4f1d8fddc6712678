//! Numbers of the paper about single networks.

use super::Published;

/// The networks of the paper.
const BASELINE: &str = "linear_pgn";
const SOFTMAX: &str = "linear_pgn + softmax";
const TRIPLETS: &str = "triplet_gmpnn";

/// What a number of the paper is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Subject<'a> {
    network: &'a str,
    analysis: &'a str,
    measure: &'a str,
}

/// A number of the paper.
struct Number {
    subject: Subject<'static>,
    published: Published,
}

const fn number(
    network: &'static str,
    analysis: &'static str,
    measure: &'static str,
    value: f64,
    std: Option<f64>,
) -> Number {
    Number { subject: Subject { network, analysis, measure }, published: Published { value, std } }
}

/// Every number of the paper that an analysis measures.
const NUMBERS: &[Number] = &[
    // Section 3.2 and appendix C.2.
    number(BASELINE, "dimensionality", "trajectory_wise_max", 0.635, None),
    number(BASELINE, "dimensionality", "step_wise_max", 0.964, None),
    number(BASELINE, "dimensionality", "trajectory_wise_mean", 0.94, None),
    // Section 3.3.
    number(BASELINE, "symmetries", "scaling_dimension", 1.0, None),
    // With c = 1/2 all base weights are equal: many paths tie and images of a graph have different
    // trees, so there is nothing to compare.
    number(BASELINE, "symmetries", "reweighting_in_three_quarter", 0.94, None),
    // Table 1.
    number(BASELINE, "perturbations", "noise_free", 0.9358, Some(0.0341)),
    number(BASELINE, "perturbations", "directional_closest_as_stated", 0.8855, Some(0.0628)),
    number(BASELINE, "perturbations", "directional_mean_as_stated", 0.9060, Some(0.0516)),
    number(BASELINE, "perturbations", "random_as_stated", 0.9317, Some(0.0367)),
    number(BASELINE, "perturbations", "out_closest_as_stated", 0.6346, Some(0.0710)),
    number(BASELINE, "perturbations", "out_mean_as_stated", 0.0520, Some(0.0447)),
    number(BASELINE, "perturbations", "onto_closest_as_stated", 0.7174, Some(0.0691)),
    number(BASELINE, "perturbations", "onto_mean_as_stated", 0.2607, Some(0.0591)),
    // The same table, repeated as coded.
    number(BASELINE, "perturbations", "directional_closest_as_coded", 0.8855, Some(0.0628)),
    number(BASELINE, "perturbations", "directional_mean_as_coded", 0.9060, Some(0.0516)),
    number(BASELINE, "perturbations", "random_as_coded", 0.9317, Some(0.0367)),
    number(BASELINE, "perturbations", "out_closest_as_coded", 0.6346, Some(0.0710)),
    number(BASELINE, "perturbations", "out_mean_as_coded", 0.0520, Some(0.0447)),
    number(BASELINE, "perturbations", "onto_closest_as_coded", 0.7174, Some(0.0691)),
    number(BASELINE, "perturbations", "onto_mean_as_coded", 0.2607, Some(0.0591)),
    // Section 4.
    number(BASELINE, "mispredicts", "never_right", 0.01, None),
    // Section 4.1 and appendix D; the family of graphs follows from the distances that are given.
    number(BASELINE, "value_generalisation", "distance_directed_0_5", 0.15, None),
    number(BASELINE, "value_generalisation", "distance_undirected_0_25", 1.1, None),
    number(BASELINE, "value_generalisation", "score_directed_0_5", 0.93, None),
    number(BASELINE, "value_generalisation", "score_undirected_0_25", 0.87, None),
    number(BASELINE, "value_generalisation", "rescaled_undirected_0_25", 0.93, None),
    number(BASELINE, "value_generalisation", "wrong_above_1_5", 1.0, None),
    number(SOFTMAX, "value_generalisation", "score_undirected_0_25", 0.965, None),
    // Appendix C: ablations of decay and temperature. The paper has two numbers for the baseline,
    // 98.61 and 98.68.
    number(TRIPLETS, "score", "test", 0.9861, Some(0.0010)),
    number("triplet_gmpnn + decay", "score", "test", 0.9876, Some(0.0010)),
    number("triplet_gmpnn + decay 0.5", "score", "test", 0.9864, Some(0.0030)),
    number("triplet_gmpnn + decay to mean", "score", "test", 0.9791, Some(0.0044)),
    number("triplet_gmpnn + decay 0.5 to mean", "score", "test", 0.9863, Some(0.0028)),
    number("triplet_gmpnn + softmax", "score", "test", 0.9880, Some(0.0014)),
    number("triplet_gmpnn + softmax 0.1", "score", "test", 0.9799, Some(0.0042)),
    number("triplet_gmpnn + softmax 1", "score", "test", 0.9829, Some(0.0073)),
    // Figure 3, from the authors' code.
    number(BASELINE, "attractors", "offset_minus_3", 0.821, None),
    number(BASELINE, "attractors", "offset_minus_2", 0.895, None),
    number(BASELINE, "attractors", "offset_minus_1", 0.931, None),
    number(BASELINE, "attractors", "offset_0", 0.937, None),
    number(BASELINE, "attractors", "offset_1", 0.928, None),
    number(BASELINE, "attractors", "offset_2", 0.920, None),
    number(BASELINE, "attractors", "offset_3", 0.915, None),
    number(BASELINE, "attractors", "offset_4", 0.913, None),
    // The authors count hints, including the given one; we count the steps that a network takes. Of
    // 16,384 directed graphs, 4,047 had 9 of theirs, and a quarter have 8 of ours.
    number(BASELINE, "attractors", "steps_5", 0.953, None),
    number(BASELINE, "attractors", "steps_6", 0.948, None),
    number(BASELINE, "attractors", "steps_7", 0.940, None),
    number(BASELINE, "attractors", "steps_8", 0.932, None),
    number(BASELINE, "attractors", "steps_9", 0.923, None),
    number(BASELINE, "attractors", "steps_10", 0.913, None),
    number(BASELINE, "attractors", "steps_11", 0.900, None),
    number(BASELINE, "attractors", "steps_12", 0.889, None),
];

/// A variant without its remark, which follows a comma (`mpnn, 10000 steps`).
fn without_remark(variant: &str) -> &str {
    variant.split(", ").next().unwrap_or(variant)
}

/// Returns the paper's number for a measure of a network.
///
/// ```
/// let paper = narscope_results::published::measure("linear_pgn", "perturbations", "noise_free");
/// assert_eq!(paper.unwrap().value, 0.9358);
/// ```
pub fn measure(variant: &str, analysis: &str, measure: &str) -> Option<Published> {
    let subject = Subject { network: without_remark(variant), analysis, measure };
    NUMBERS.iter().find(|number| number.subject == subject).map(|number| number.published)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_belongs_to_an_analysis() {
        for Subject { analysis, .. } in NUMBERS.iter().map(|number| number.subject) {
            assert!(narscope_analysis::analyses::find(analysis).is_ok(), "{analysis}");
        }
    }
}
