//! The claims of the paper, and what would confirm or refute each of them.
//!
//! Margins: scores count as equal within 2 points, as perturbed scores (which vary more) within 5. A difference of
//! scores below 1 point supports neither side. What has other margins says why.

use narscope_analysis::Protocol::{self, AsCoded, AsStated};

use super::{Claim, Criterion, Part, Quantity};

/// The networks of the paper.
const BASELINE: &str = "linear_pgn";
const SOFTMAX: &str = "linear_pgn + softmax";
/// The softmax networks of the authors' code: trained with temperature 1, evaluated with max.
const RELEASED: &str = "linear_pgn + softmax 1, evaluated with max";
const DECAY: &str = "linear_pgn + decay";
const TRIPLETS: &str = "triplet_gmpnn";

/// Equal scores.
const SCORE: f64 = 0.02;
/// Equal scores of perturbed networks.
const PERTURBED: f64 = 0.05;
/// Difference of scores that supports neither side.
const SMALL: f64 = 0.01;

const fn part(network: &'static str, quantity: Quantity, criterion: Criterion) -> Part {
    Part { protocol: None, network, quantity, criterion }
}

impl Part {
    const fn under(self, protocol: Protocol) -> Self {
        Self { protocol: Some(protocol), ..self }
    }
}

const fn measure(analysis: &'static str, key: &'static str) -> Quantity {
    Quantity::Measure { analysis, key }
}

const fn difference(analysis: &'static str, key: &'static str, minus: &'static str) -> Quantity {
    Quantity::Difference { analysis, key, minus }
}

/// A share of the paper with one digit after the point, in percent.
const fn share(value: f64, margin: f64) -> Criterion {
    Criterion::equal(value, 0.001, margin)
}

/// A share of the paper in whole percent.
const fn rounded(value: f64, margin: f64) -> Criterion {
    Criterion::equal(value, 0.01, margin)
}

/// The numbers of figure 3: scores with fewer or more steps, and of graphs that need more steps. They are in the
/// authors' code. It counts hints, including the given one; we count the steps that a network takes.
const OFFSETS: &[(&str, f64)] = &[
    ("offset_minus_3", 0.821),
    ("offset_minus_2", 0.895),
    ("offset_minus_1", 0.931),
    ("offset_0", 0.937),
    ("offset_1", 0.928),
    ("offset_2", 0.920),
    ("offset_3", 0.915),
    ("offset_4", 0.913),
];
const STEPS: &[(&str, f64)] = &[
    ("steps_5", 0.953),
    ("steps_6", 0.948),
    ("steps_7", 0.940),
    ("steps_8", 0.932),
    ("steps_9", 0.923),
    ("steps_10", 0.913),
    ("steps_11", 0.900),
    ("steps_12", 0.889),
];

/// A row of table 1 under a protocol. Its ± is over graphs of one network, so it is no spread of networks.
const fn perturbed(protocol: Protocol, key: &'static str, paper: f64) -> Part {
    part(BASELINE, measure("perturbations", key), Criterion::equal(paper, 0.0001, PERTURBED))
        .under(protocol)
}

/// All claims, in the order of the paper.
pub const CLAIMS: &[Claim] = &[
    Claim {
        id: "low_dimension",
        statement: "Hidden states occupy few dimensions: three explain most of their variance",
        place: "Section 3.2, figure 1 left",
        parts: &[
            part(BASELINE, measure("dimensionality", "step_wise_max"), share(0.964, SCORE))
                .under(AsStated),
            part(
                BASELINE,
                measure("dimensionality", "trajectory_wise_max"),
                share(0.635, PERTURBED),
            )
            .under(AsStated),
            part(
                BASELINE,
                measure("dimensionality", "step_wise_max_as_coded"),
                share(0.964, SCORE),
            )
            .under(AsCoded),
            part(
                BASELINE,
                measure("dimensionality", "trajectory_wise_max_as_coded"),
                share(0.635, PERTURBED),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "steps_dominate",
        statement: "Steps move states more than graphs differ",
        place: "Section 3.2",
        parts: &[part(
            BASELINE,
            measure("dimensionality", "between_steps"),
            Criterion::above(0.5, 0.05),
        )],
    },
    Claim {
        id: "scaling_is_a_line",
        statement: "Scaling the weights of a graph moves its states along a curve of one dimension",
        place: "Section 3.3, figure 1 middle",
        // The estimator of the dimension is off by a tenth on a few hundred points.
        parts: &[part(
            BASELINE,
            measure("symmetries", "scaling_dimension"),
            Criterion::equal(1.0, 0.0, 0.2),
        )],
    },
    Claim {
        id: "reweighting_clusters",
        statement: "Reweighted images of a graph form clusters that are clearly separated",
        place: "Section 3.3, figure 1 right",
        // Separated: nine of ten images are nearest to the centre of their own graph.
        parts: &[
            part(
                BASELINE,
                measure("symmetries", "nearest_centroid_quarter"),
                Criterion::above(0.9, 0.05),
            )
            .under(AsStated),
            part(
                BASELINE,
                measure("symmetries", "nearest_centroid_sparse_quarter"),
                Criterion::above(0.9, 0.05),
            )
            .under(AsCoded),
            part(
                BASELINE,
                measure("symmetries", "nearest_centroid_mixed_sixteenth"),
                Criterion::above(0.9, 0.05),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "directions_in_manifold",
        statement: "The leading directions of clusters lie in the manifold of states",
        place: "Section 3.4, figure 2",
        // A cosine of 1/√2: more than half of a direction's squared length is in the tangent space.
        parts: &[
            part(
                BASELINE,
                measure("cluster_directions", "in_tangent"),
                Criterion::above(std::f64::consts::FRAC_1_SQRT_2, 0.05),
            )
            .under(AsStated),
            part(
                BASELINE,
                measure("cluster_directions", "in_tangent_as_coded"),
                Criterion::above(std::f64::consts::FRAC_1_SQRT_2, 0.05),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "noise_along_directions",
        statement: "Noise along the directions of clusters hurts more than random noise",
        place: "Section 3.4, table 1",
        parts: &[
            part(
                BASELINE,
                difference("perturbations", "random_as_stated", "directional_closest_as_stated"),
                Criterion::above(0.0, SMALL),
            )
            .under(AsStated),
            part(
                BASELINE,
                difference("perturbations", "random_as_coded", "directional_closest_as_coded"),
                Criterion::above(0.0, SMALL),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "onto_better_than_out",
        statement: "Projecting states onto the directions of clusters is better than projecting these out",
        place: "Section 3.4, table 1",
        parts: &[
            part(
                BASELINE,
                difference("perturbations", "onto_closest_as_stated", "out_closest_as_stated"),
                Criterion::above(0.0, SMALL),
            )
            .under(AsStated),
            part(
                BASELINE,
                difference("perturbations", "onto_closest_as_coded", "out_closest_as_coded"),
                Criterion::above(0.0, SMALL),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "table_1",
        statement: "Scores of perturbed networks are those of table 1",
        place: "Table 1",
        parts: &[
            perturbed(AsStated, "directional_closest_as_stated", 0.8855),
            perturbed(AsStated, "directional_mean_as_stated", 0.9060),
            perturbed(AsStated, "random_as_stated", 0.9317),
            perturbed(AsStated, "out_closest_as_stated", 0.6346),
            perturbed(AsStated, "out_mean_as_stated", 0.0520),
            perturbed(AsStated, "onto_closest_as_stated", 0.7174),
            perturbed(AsStated, "onto_mean_as_stated", 0.2607),
            perturbed(AsCoded, "directional_closest_as_coded", 0.8855),
            perturbed(AsCoded, "directional_mean_as_coded", 0.9060),
            perturbed(AsCoded, "random_as_coded", 0.9317),
            perturbed(AsCoded, "out_closest_as_coded", 0.6346),
            perturbed(AsCoded, "out_mean_as_coded", 0.0520),
            perturbed(AsCoded, "onto_closest_as_coded", 0.7174),
            perturbed(AsCoded, "onto_mean_as_coded", 0.2607),
        ],
    },
    Claim {
        id: "nearest_to_bellman_ford",
        statement: "Of Bellman-Ford and its faulty variants, the network is nearest to the correct one",
        place: "Section 4, figure 4",
        parts: &[
            part(
                BASELINE,
                difference("mispredicts", "agrees_with_bellman_ford", "agrees_with_decay"),
                Criterion::above(0.0, SMALL),
            ),
            part(
                BASELINE,
                difference("mispredicts", "agrees_with_bellman_ford", "agrees_with_noisy"),
                Criterion::above(0.0, SMALL),
            ),
            part(
                BASELINE,
                difference("mispredicts", "agrees_with_bellman_ford", "agrees_with_greedy"),
                Criterion::above(0.0, SMALL),
            ),
        ],
    },
    Claim {
        id: "were_right_before",
        statement: "Nearly all nodes that are wrong at the end were right before; about 1 % never were",
        place: "Section 4, figure 4",
        parts: &[part(BASELINE, measure("mispredicts", "never_right"), rounded(0.01, 0.01))],
    },
    Claim {
        id: "near_ties",
        statement: "Wrong predictions are near-ties between paths",
        place: "Section 4",
        parts: &[
            // 1/2 is no information; 0.8 is usually called a good predictor.
            part(BASELINE, measure("mispredicts", "margin_auc"), Criterion::above(0.8, 0.02)),
            part(
                BASELINE,
                difference("mispredicts", "margin_right", "margin_wrong"),
                Criterion::above(0.0, 0.001),
            ),
        ],
    },
    Claim {
        id: "sparse_graphs_cost",
        statement: "Sparse graphs (p = 0.25), which have longer distances, cost accuracy: 87 % instead of 93 %",
        place: "Section 4.1",
        parts: &[
            part(
                BASELINE,
                difference("value_generalisation", "score_directed_0_5", "score_undirected_0_25"),
                Criterion::above(0.0, SMALL),
            ),
            part(
                BASELINE,
                measure("value_generalisation", "score_undirected_0_25"),
                rounded(0.87, SCORE),
            ),
        ],
    },
    Claim {
        id: "rescaling_restores",
        statement: "Scaling the weights of sparse graphs down restores the accuracy to 93 %",
        place: "Section 4.1",
        parts: &[
            part(
                BASELINE,
                measure("value_generalisation", "rescaled_undirected_0_25"),
                rounded(0.93, SCORE),
            )
            .under(AsStated),
            part(
                BASELINE,
                difference(
                    "value_generalisation",
                    "rescaled_undirected_0_25",
                    "score_undirected_0_25",
                ),
                Criterion::above(0.0, SMALL),
            )
            .under(AsStated),
            part(
                BASELINE,
                measure("value_generalisation", "rescaled_per_graph_undirected_0_25"),
                rounded(0.93, SCORE),
            )
            .under(AsCoded),
            part(
                BASELINE,
                difference(
                    "value_generalisation",
                    "rescaled_per_graph_undirected_0_25",
                    "score_undirected_0_25",
                ),
                Criterion::above(0.0, SMALL),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "long_distances_fail",
        statement: "Nodes with a predicted distance above 1.5 are all wrong",
        place: "Section 4.1, figure 5",
        // "All", with a margin of a tenth.
        parts: &[
            part(
                BASELINE,
                measure("value_generalisation", "wrong_above_1_5"),
                Criterion::above(0.9, 0.05),
            )
            .under(AsStated),
            part(
                BASELINE,
                measure("value_generalisation", "wrong_above_1_5_as_coded"),
                Criterion::above(0.9, 0.05),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "decay_separates",
        statement: "With decay, the predicted distance tells right from wrong: below 1 nearly all are right, above 1.2 nearly none",
        place: "Section 4.1, appendix D",
        parts: &[
            part(
                DECAY,
                measure("value_generalisation", "right_above_1_2"),
                Criterion::below(0.1, 0.05),
            ),
            part(
                DECAY,
                measure("value_generalisation", "right_below_1"),
                Criterion::above(0.9, 0.05),
            ),
        ],
    },
    Claim {
        id: "softmax_helps_sparse",
        statement: "Softmax aggregation generalises to sparse graphs: 96.5 % at p = 0.25",
        place: "Section 4.1, appendix D",
        parts: &[
            part(
                SOFTMAX,
                measure("value_generalisation", "score_undirected_0_25"),
                share(0.965, SCORE),
            )
            .under(AsStated),
            part(
                SOFTMAX,
                Quantity::Gain {
                    analysis: "value_generalisation",
                    key: "score_undirected_0_25",
                    over: BASELINE,
                },
                Criterion::above(0.0, SMALL),
            )
            .under(AsStated),
            part(
                RELEASED,
                measure("value_generalisation", "score_undirected_0_25"),
                share(0.965, SCORE),
            )
            .under(AsCoded),
            part(
                RELEASED,
                Quantity::Gain {
                    analysis: "value_generalisation",
                    key: "score_undirected_0_25",
                    over: BASELINE,
                },
                Criterion::above(0.0, SMALL),
            )
            .under(AsCoded),
        ],
    },
    Claim {
        id: "trajectories_converge",
        statement: "Trajectories converge: the distance travelled per step goes to zero",
        place: "Appendix B, figure 3",
        // Eight steps beyond the end, a step is a tenth of the second one.
        parts: &[part(
            BASELINE,
            measure("attractors", "movement_ratio"),
            Criterion::below(0.1, 0.02),
        )],
    },
    Claim {
        id: "more_steps_less_accurate",
        statement: "Graphs that need more steps are solved less accurately",
        place: "Appendix B, figure 3",
        parts: &[
            part(BASELINE, measure("attractors", "slope_over_steps"), Criterion::below(0.0, 0.001)),
            part(
                BASELINE,
                Quantity::Deviation { analysis: "attractors", points: STEPS },
                Criterion::below(SCORE, 0.005),
            ),
        ],
    },
    Claim {
        id: "early_hurts_late_little",
        statement: "Stopping early hurts much, stopping late a little",
        place: "Appendix B, figure 3",
        parts: &[
            part(
                BASELINE,
                difference("attractors", "early_loss", "late_loss"),
                Criterion::above(0.0, SMALL),
            ),
            part(
                BASELINE,
                Quantity::Deviation { analysis: "attractors", points: OFFSETS },
                Criterion::below(SCORE, 0.005),
            ),
        ],
    },
    Claim {
        id: "same_structure_with_triplets",
        statement: "The latent space of triplet_gmpnn has the same structure",
        place: "Appendix C",
        parts: &[
            part(TRIPLETS, measure("dimensionality", "step_wise_max"), share(0.964, PERTURBED)),
            part(TRIPLETS, measure("dimensionality", "between_steps"), Criterion::above(0.5, 0.05)),
            part(
                TRIPLETS,
                measure("symmetries", "scaling_dimension"),
                Criterion::equal(1.0, 0.0, 0.2),
            ),
        ],
    },
    Claim {
        id: "poolings_agree",
        statement: "Maximum, minimum and mean over nodes show the same low-dimensional trajectories",
        place: "Appendix C.2",
        parts: &[
            part(BASELINE, measure("dimensionality", "trajectory_wise_mean"), rounded(0.94, SCORE)),
            part(
                BASELINE,
                difference("dimensionality", "step_wise_min", "step_wise_max"),
                Criterion::equal(0.0, 0.0, PERTURBED),
            ),
            part(
                BASELINE,
                difference("dimensionality", "step_wise_mean", "step_wise_max"),
                Criterion::equal(0.0, 0.0, PERTURBED),
            ),
        ],
    },
    Claim {
        id: "small_decay_is_harmless",
        statement: "Decay does not hurt the accuracy of triplet_gmpnn",
        place: "Appendix C.1",
        parts: &[
            part(
                "triplet_gmpnn + decay",
                Quantity::Gain { analysis: "score", key: "test", over: TRIPLETS },
                Criterion::above(-SMALL, 0.0),
            ),
            part(
                "triplet_gmpnn + decay 0.5",
                Quantity::Gain { analysis: "score", key: "test", over: TRIPLETS },
                Criterion::above(-SMALL, 0.0),
            ),
        ],
    },
    Claim {
        id: "small_temperature_is_harmless",
        statement: "Softmax with a small temperature does not hurt the accuracy of triplet_gmpnn",
        place: "Appendix C.1",
        parts: &[part(
            "triplet_gmpnn + softmax",
            Quantity::Gain { analysis: "score", key: "test", over: TRIPLETS },
            Criterion::above(-SMALL, 0.0),
        )],
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use narscope_analysis::analyses;

    use super::*;

    #[test]
    fn every_claim_has_a_name_of_its_own_and_asks_a_registered_analysis() {
        let ids: BTreeSet<&str> = CLAIMS.iter().map(|claim| claim.id).collect();
        assert_eq!(ids.len(), CLAIMS.len());
        for part in CLAIMS.iter().flat_map(|claim| claim.parts) {
            assert!(analyses::find(part.quantity.analysis()).is_ok(), "{part:?}");
        }
    }

    #[test]
    fn both_protocols_of_a_claim_are_judged_by_as_many_numbers() {
        for claim in CLAIMS {
            let count =
                |protocol| claim.parts.iter().filter(|it| it.protocol == Some(protocol)).count();
            let [stated, coded] = Protocol::ALL.map(count);
            assert_eq!(stated == 0, coded == 0, "{}", claim.id);
        }
    }
}
