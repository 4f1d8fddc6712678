//! Figure 2: clusters of reweighted graphs with their directions.

use narscope_analysis::Protocol;
use narscope_analysis::analyses::cluster_directions::{ClusterDirections, DirectionStep, Found};

use super::draft::Draft;
use super::numbers::{Beside, decimals, shares};
use super::{LINEAR, PaperFigure};
use crate::figures::cluster_directions::{few_clusters, many_clusters, states_with_directions};
use crate::figures::seeds::mean;
use crate::figures::words::counted;

pub(super) const FIGURE: PaperFigure = PaperFigure {
    file: "figure-2-cluster-directions",
    place: "figure 2",
    compose: |networks| {
        let mut draft = Draft {
            title: "Clusters of reweighted graphs, and their leading directions after every step"
                .to_owned(),
            columns: 3,
            ..Draft::default()
        };
        let what = "clusters and their directions";
        let Some(network) = draft.find::<ClusterDirections>(networks, LINEAR, what)? else {
            return Ok(draft);
        };
        let found = network.first();
        let clusters = as_coded(found);
        draft.panels = vec![
            few_clusters("whole trajectories", clusters),
            many_clusters("clusters at their last step", clusters),
            states_with_directions("all steps", found, clusters),
        ];
        draft.caption = format!(
            "a, whole trajectories of {} with {} each, a colour and an ellipse of one standard deviation per cluster. b, {} at \
             their last step (grey), their centres, and their leading directions. c, states of random graphs, coloured by step, \
             with the leading directions of clusters after each step. What differs: directions are black lines of equal \
             length, centred on the cluster, because their sign has no meaning; clusters are drawn {}.",
            counted(clusters.drawn.len(), "cluster"),
            counted(found.images, "graph"),
            counted(clusters.crowd.len(), "cluster"),
            clusters.protocol.words(),
        );
        let over_steps = |of: fn(&DirectionStep) -> f64| {
            network.values(|found| {
                let values: Vec<f64> = as_coded(found).by_step.iter().map(of).collect();
                (!values.is_empty()).then(|| mean(&values))
            })
        };
        draft.numbers = vec![
            Beside::new(
                "variance along the leading direction",
                "\u{201c}a single dominant direction\u{201d}",
                shares(&over_steps(|step| step.share)),
            ),
            Beside::new(
                "cosine of the direction with the manifold of states",
                "\u{201c}parallel\u{201d}",
                decimals(&over_steps(|step| step.in_tangent)),
            ),
        ];
        Ok(draft)
    },
};

/// The clusters of the authors' code, which lie apart; those of the text if they were not analysed.
fn as_coded(found: &ClusterDirections) -> &Found {
    let coded = found.found.iter().find(|it| it.protocol == Protocol::AsCoded);
    coded.unwrap_or(&found.found[0])
}

#[cfg(test)]
mod tests {
    use super::super::samples::{changed, counterpart, panels};
    use super::*;

    #[test]
    fn it_has_few_clusters_many_and_all_steps() {
        let titles = panels(FIGURE.file);
        assert_eq!(titles, ["whole trajectories", "clusters at their last step", "all steps"]);
    }

    #[test]
    fn clusters_as_stated_stand_in_for_those_as_coded() {
        let caption = |networks: &[_]| counterpart(FIGURE.file, networks).picture.unwrap().caption;
        let both = caption(&changed(|_: &mut ClusterDirections| {}));
        assert!(both.contains("drawn as coded"), "{both}");
        let stated = caption(&changed(|found: &mut ClusterDirections| found.found.truncate(1)));
        assert!(stated.contains("drawn as stated"), "{stated}");
    }
}
