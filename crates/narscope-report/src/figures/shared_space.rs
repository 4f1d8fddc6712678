//! Several algorithms in one latent space: similarity of every pair, and states in joint principal components.

use narscope_analysis::analyses::shared_space::{Arrangement, SharedSpace, mean_of_pairs};

use super::Figure;
use super::marks::{Row, dots};
use super::seeds::{Network, SHARE, Shown, means, networks, seeds_in_words};
use super::words::{counted, decimals, percents};
use crate::plot::{Axis, Colour, Format, Heatmap, Line, Mark, Panel, Picture, Points};

pub(super) const FIGURE: Figure = Figure {
    name: "shared_space",
    paper: "Section 6, future work",
    draw: |groups| {
        let networks = networks::<SharedSpace>(groups)?;
        let mut pictures: Vec<Picture> = networks.iter().map(space).collect();
        pictures.push(floor(&networks));
        Ok(pictures)
    },
    details: None,
    spaces: None,
};

/// Similarities of the algorithms in one variant, as means over seeds, and the states of its first seed.
fn space(network: &Network<'_, SharedSpace>) -> Picture {
    let first = network.first();
    let matrix = |title: &str, label: &str, of: fn(&Arrangement) -> &Vec<Vec<Option<f64>>>| {
        let labels: Vec<String> = first.algorithms.iter().map(|it| short_name(it)).collect();
        let value = |row: usize, column: usize| {
            let values = network.values(|found| *of(&found.trained).get(row)?.get(column)?);
            if values.is_empty() { f64::NAN } else { super::seeds::mean(&values) }
        };
        let places = 0..labels.len();
        let values = places.clone().map(|row| places.clone().map(|it| value(row, it)).collect());
        let map = Heatmap::new(values.collect(), labels.clone(), labels)
            .label(label, Format::Custom(|value| format!("{value:.2}")))
            .range(0.0, 1.0);
        Panel { title: title.to_owned(), marks: vec![map.into()], ..Panel::default() }
    };
    Picture {
        title: title(network),
        caption: caption(network),
        columns: 3,
        panels: vec![
            matrix("debiased CKA", "CKA", |it| &it.similarity.cka),
            matrix("representational similarity", "RSA", |it| &it.similarity.rsa),
            states(first),
        ],
        ..Picture::default()
    }
}

/// States in the first two joint components, a colour per algorithm.
fn states(found: &SharedSpace) -> Panel {
    let mut marks: Vec<Mark> = vec![];
    for (index, (name, graphs)) in found.algorithms.iter().zip(&found.drawn).enumerate() {
        let colour = Colour::Category(index);
        let flat = |places: &[[f32; 3]]| -> Vec<(f64, f64)> {
            places.iter().map(|it| (it[0].into(), it[1].into())).collect()
        };
        let lines = graphs.iter().take(LINES).map(|graph| Line::new(flat(graph), colour).thin());
        marks.extend(lines.map(Mark::from));
        let points = Points::new(flat(&graphs.concat()), colour).named(short_name(name));
        marks.push(points.into());
    }
    let label = |component: usize| {
        let share = found.ratios.get(component).copied().unwrap_or(0.0);
        format!("component {} ({:.0} %)", component + 1, 100.0 * share)
    };
    Panel {
        title: "joint principal components".to_owned(),
        x: Axis::new(label(0)),
        y: Axis::new(label(1)),
        marks,
        ..Panel::default()
    }
}

/// Number of trajectories that are drawn as lines.
const LINES: usize = 4;

/// All numbers beside those of untrained networks.
fn floor(networks: &[Network<'_, SharedSpace>]) -> Picture {
    type Number = fn(&Arrangement) -> Option<f64>;
    let similarities: [(&str, Number); 2] = [
        ("CKA", |it| mean_of_pairs(&it.similarity.cka)),
        ("RSA", |it| mean_of_pairs(&it.similarity.rsa)),
    ];
    let shares: [(&str, Number); 2] =
        [("variance between", |it| it.between), ("nearest centroid", |it| Some(it.told_apart))];
    let rows = |numbers: [(&str, Number); 2]| -> Vec<Row<'_, SharedSpace>> {
        let both = numbers.into_iter().flat_map(|(name, of)| {
            [
                Row::new(name, move |found: &SharedSpace| of(&found.trained)),
                Row::new(format!("{name}, untrained"), move |found: &SharedSpace| found.floor(of)),
            ]
        });
        both.collect()
    };
    let chance = 1.0 / networks[0].first().algorithms.len() as f64;
    Picture {
        title: floor_title(networks),
        caption: format!(
            "a, mean similarity of all pairs of algorithms over states of the same nodes. b, share of the variance of graph \
             states between algorithms, and accuracy of telling the algorithm by the nearest centroid, cross-validated \
             over graphs (chance: {:.0} %). Untrained: two networks with initial weights; {}.",
            100.0 * chance,
            seeds_in_words(networks, Shown::Dots),
        ),
        columns: 2,
        panels: vec![
            Panel {
                title: "similarity of algorithms".to_owned(),
                x: Axis::new("mean over pairs"),
                marks: vec![dots(networks, &rows(similarities), (-1.0, 1.0)).into()],
                ..Panel::default()
            },
            Panel {
                title: "separation of algorithms".to_owned(),
                x: Axis::percent("share"),
                marks: vec![dots(networks, &rows(shares), SHARE).into()],
                ..Panel::default()
            },
        ],
        ..Picture::default()
    }
}

fn title(network: &Network<'_, SharedSpace>) -> String {
    let similarity = network.values(|found| mean_of_pairs(&found.trained.similarity.cka));
    if similarity.is_empty() {
        return format!("{}: algorithms without common graphs", network.variant);
    }
    format!(
        "{}: two algorithms have a debiased CKA of {} in one latent space",
        network.variant,
        decimals(&[super::seeds::mean(&similarity)], 2)
    )
}

fn floor_title(networks: &[Network<'_, SharedSpace>]) -> String {
    let told = means(networks, |found| Some(found.trained.told_apart));
    let untrained = means(networks, |found| found.floor(|it| Some(it.told_apart)));
    format!(
        "The nearest centroid tells the algorithm of {} of states, untrained {}",
        percents(&told),
        percents(&untrained)
    )
}

fn caption(network: &Network<'_, SharedSpace>) -> String {
    let first = network.first();
    let seeds = match network.seeds.as_slice() {
        [(seed, _)] => format!("seed {seed}"),
        all => format!("means over {}; c: seed {}", counted(all.len(), "seed"), all[0].0),
    };
    format!(
        "a and b, similarity of the states of the same nodes of the same graphs in two algorithms, at the same fractions of \
         their executions; empty: no common graphs. c, maximum over nodes; lines: some executions. {} of {} nodes; {seeds}.",
        counted(first.graphs, "graph"),
        first.nodes,
    )
}

/// A name that fits beside a matrix.
fn short_name(algorithm: &str) -> String {
    let words: Vec<&str> = algorithm.split('_').collect();
    match words.as_slice() {
        [one] => (*one).to_owned(),
        ["mst", name] => (*name).to_owned(),
        [first, ..] => (*first).to_owned(),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use narscope_analysis::analyses::shared_space::Similarity;

    use super::*;
    use crate::plot::Style;

    fn network(algorithms: &[&str], seeds: u32) -> Network<'static, SharedSpace> {
        let count = algorithms.len();
        let matrix = |other: f64| -> Vec<Vec<Option<f64>>> {
            let row = |row: usize| {
                let value = |column: usize| if row == column { Some(1.0) } else { Some(other) };
                (0..count).map(value).collect()
            };
            (0..count).map(row).collect()
        };
        let arrangement = |similarity: f64, told_apart: f64| Arrangement {
            similarity: Similarity { cka: matrix(similarity), rsa: matrix(similarity / 2.0) },
            between: Some(0.4),
            told_apart,
        };
        let trajectory = |shift: f32| vec![[shift, 0.0, 0.0], [shift + 1.0, 1.0, 0.0]];
        let found = SharedSpace {
            graphs: 48,
            nodes: 64,
            algorithms: algorithms.iter().map(|&name| name.to_owned()).collect(),
            trained: arrangement(0.5, 1.0),
            untrained: vec![arrangement(0.75, 0.5); 2],
            drawn: (0..count).map(|it| vec![trajectory(it as f32); 3]).collect(),
            ratios: vec![0.5, 0.25, 0.125],
        };
        let seeds = (42..42 + seeds).map(|seed| (seed, found.clone())).collect();
        Network { variant: "mpnn", seeds, is_comparable: false }
    }

    const FIVE: [&str; 5] = ["bellman_ford", "dijkstra", "mst_prim", "bfs", "dag_shortest_paths"];

    #[test]
    fn titles_state_similarity_and_separation() {
        let network = network(&FIVE, 1);
        assert_eq!(
            title(&network),
            "mpnn: two algorithms have a debiased CKA of 0.50 in one latent space"
        );
        assert_eq!(
            floor_title(&[network]),
            "The nearest centroid tells the algorithm of 100 % of states, untrained 50 %"
        );
    }

    #[test]
    fn algorithms_without_common_graphs_have_no_similarity() {
        let mut network = network(&["minimum", "quicksort"], 1);
        let similarity = &mut network.seeds[0].1.trained.similarity;
        similarity.cka = vec![vec![None; 2]; 2];
        assert_eq!(title(&network), "mpnn: algorithms without common graphs");
        assert!(space(&network).svg(&Style::default()).is_ok());
    }

    #[test]
    fn texts_do_not_overlap_with_one_seed_or_several() {
        for networks in [vec![network(&FIVE, 1)], vec![network(&FIVE, 3), network(&FIVE[..2], 3)]] {
            let pictures: Vec<Picture> =
                networks.iter().map(space).chain([floor(&networks)]).collect();
            for picture in pictures {
                for width in [85.0, 170.0] {
                    let style = Style { width_mm: Some(width), ..Style::default() };
                    assert_eq!(
                        picture.text_overlaps(&style),
                        [],
                        "{} at {width} mm",
                        picture.title
                    );
                }
            }
        }
    }
}
