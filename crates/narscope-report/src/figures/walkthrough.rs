//! A graph after every step: what the network found, missed and got wrong.

use narscope_analysis::analyses::walkthrough::{WalkStep, Walkthrough};

use super::Figure;
use super::seeds::{network, networks};
use super::words::{counted, list};
use crate::plot::{Colour, Edge, Entry, Graph, Key, Node, Panel, Picture, graph_layout};

pub(super) const FIGURE: Figure = Figure {
    name: "walkthrough",
    paper: "Appendix E",
    // Every network has a graph of its own, so that there is a picture for each.
    draw: |groups| {
        let networks = networks::<Walkthrough>(groups)?;
        let is_alone = networks.len() == 1;
        let pictures = networks.iter().map(|network| {
            let name = if is_alone { String::new() } else { format!("{}: ", network.variant) };
            picture(&name, network.first())
        });
        Ok(pictures.collect())
    },
    details: Some(|group| {
        let network = network::<Walkthrough>(group)?;
        let others = network.seeds.iter().skip(1);
        Ok(others.map(|(seed, found)| picture(&format!("seed {seed}: "), found)).collect())
    }),
    spaces: None,
};

/// Maximum number of rows of panels.
const MAX_ROWS: usize = 3;
/// Longer names, in letters, need wider panels.
const LONG_NAME: usize = 10;
/// Maximum number of wrong nodes that the caption names.
const MAX_NAMED: usize = 5;
/// Decimals of lengths in the caption: paths differ by little.
pub(super) const DECIMALS: usize = 3;
/// Width of edges of trees, in points of print.
pub(super) const TREE: f64 = 1.7;

fn picture(of: &str, found: &Walkthrough) -> Picture {
    let positions = positions(found);
    let columns = columns(found);
    let steps = drawn_steps(found.steps.len(), MAX_ROWS * columns);
    let panels = steps.iter().map(|&step| after_step(found, step, &positions));
    Picture {
        title: format!("{of}{}: {}", instance(found), result(found)),
        caption: caption(found, &steps),
        columns: columns.min(steps.len()),
        panels: panels.collect(),
        ..Picture::default()
    }
}

/// The graph after a step.
pub(super) fn after_step(found: &Walkthrough, step: usize, positions: &[(f64, f64)]) -> Panel {
    Panel {
        title: format!("after step {} of {}", step + 1, found.steps.len()),
        marks: vec![graph(found, &found.steps[step]).at(positions.to_vec()).into()],
        legend: legend(found),
        bare: true,
        ..Panel::default()
    }
}

/// Where nodes are in all panels.
pub(super) fn positions(found: &Walkthrough) -> Vec<(f64, f64)> {
    let ends: Vec<(usize, usize)> = found.edges.iter().map(|&(u, v, _)| (u, v)).collect();
    graph_layout(found.truth.len(), &ends)
}

/// Number of panels side by side: large graphs and long names need the width.
fn columns(found: &Walkthrough) -> usize {
    let longest = found.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    match (found.truth.len(), longest) {
        (0..=5, _) | (6..=14, 0..=LONG_NAME) => 3,
        (6..=30, _) => 2,
        _ => 1,
    }
}

/// Indices of the steps that are drawn: all, or so many from the first to the last.
pub(super) fn drawn_steps(count: usize, most: usize) -> Vec<usize> {
    let drawn = count.min(most);
    (0..drawn).map(|index| index * (count - 1) / (drawn - 1).max(1)).collect()
}

/// Which graph it is.
fn instance(found: &Walkthrough) -> String {
    let name = match found.instance.as_str() {
        "" => format!("Random graph {}", found.graph + 1),
        name => name.to_owned(),
    };
    let direction = if found.directed { "directed" } else { "undirected" };
    format!("{name}, {}, {direction}", counted(found.truth.len(), "node"))
}

/// Nodes whose predecessor at the end is not the algorithm's.
struct Differences {
    /// Those with a longer path, or none.
    wrong: Vec<usize>,
    /// Those with a path that is as short.
    equally_short: Vec<usize>,
}

impl Differences {
    fn of(found: &Walkthrough) -> Self {
        let last = found.steps.last().map_or(&found.truth, |step| &step.pointers);
        let pairs = last.iter().zip(&found.truth).enumerate();
        let differ = pairs.filter(|(_, (predicted, truth))| predicted != truth);
        let (equally_short, wrong) =
            differ.map(|(node, _)| node).partition(|&node| found.is_equally_short(node));
        Self { wrong, equally_short }
    }
}

fn result(found: &Walkthrough) -> String {
    let Differences { wrong, equally_short } = Differences::of(found);
    match (wrong.len(), equally_short.len()) {
        (0, 0) => "all predecessors are correct at the end".to_owned(),
        (0, _) => "all paths are shortest at the end, some by other predecessors".to_owned(),
        (1, _) => "one predecessor is wrong at the end".to_owned(),
        (count, _) => format!("{count} predecessors are wrong at the end"),
    }
}

/// The name of a node, or its number.
pub(super) fn name(found: &Walkthrough, node: usize) -> String {
    found.names.get(node).cloned().unwrap_or_else(|| node.to_string())
}

/// A length or weight: whole numbers as such, others with so many decimals, or fewer if they are large.
pub(super) fn length(value: f64, decimals: usize) -> String {
    if value.fract() == 0.0 {
        return format!("{value}");
    }
    let digits_before = value.abs().max(1.0).log10() as usize;
    let decimals = decimals.saturating_sub(digits_before);
    // Adding zero turns -0 into 0.
    let scale = 10_f64.powi(decimals as i32);
    format!("{:.decimals$}", (scale * value).round() / scale + 0.0).replace('-', "\u{2212}")
}

/// Length of the path along the predicted pointers at the end; `None` if it does not lead to the source.
pub(super) fn predicted_path(found: &Walkthrough, node: usize) -> Option<f64> {
    if let Some(known) = found.predicted_paths.get(node) {
        return *known;
    }
    // Answers of earlier versions have no lengths.
    let pointers = &found.steps.last()?.pointers;
    let weight = |from: usize, to: usize| {
        let is_it = |edge: &&(usize, usize, f64)| {
            (edge.0, edge.1) == (from, to) || (!found.directed && (edge.1, edge.0) == (from, to))
        };
        found.edges.iter().find(is_it).map(|edge| edge.2)
    };
    let (mut at, mut sum) = (node, 0.0);
    for _ in 0..pointers.len() {
        if at == found.source {
            return Some(sum);
        }
        let before = pointers[at];
        sum += weight(before, at)?;
        at = before;
    }
    None
}

/// What is wrong with a node, with both lengths.
fn mistake(found: &Walkthrough, node: usize) -> String {
    let predicted = found.steps.last().map_or(node, |step| step.pointers[node]);
    let via = name(found, predicted);
    let answer = match predicted_path(found, node) {
        _ if predicted == node => "predicted as unreachable".to_owned(),
        _ if !is_edge(found, node, predicted) => {
            format!("predicted via {via}, from which there is no edge")
        }
        Some(sum) => format!("predicted via {via}, {}", length(sum, DECIMALS)),
        None => format!("predicted via {via}, which does not lead to the source"),
    };
    let truth = match found.truth[node] {
        itself if itself == node => "in truth unreachable".to_owned(),
        via => {
            format!(
                "shortest via {}, {}",
                name(found, via),
                length(found.distances[node], DECIMALS)
            )
        }
    };
    format!("{}: {answer}; {truth}", name(found, node))
}

fn caption(found: &Walkthrough, steps: &[usize]) -> String {
    let shown = if steps.len() < found.steps.len() {
        let shown: Vec<String> = steps.iter().map(|step| (step + 1).to_string()).collect();
        format!(" Steps {} of {}.", list(&shown), found.steps.len())
    } else {
        String::new()
    };
    let Differences { wrong, equally_short } = Differences::of(found);
    let mistakes = first_of(" Wrong at the end", &wrong, |node| mistake(found, node));
    let others = first_of(" Equally short", &equally_short, |node| tie(found, node));
    let numbers = if found.truth.len() > Graph::MOST_NAMED {
        "Names only of the source and of nodes with a wrong predecessor; predicted distances below them."
    } else {
        "Numbers at edges are weights, those below names are predicted distances."
    };
    let source = name(found, found.source);
    format!("Shortest paths from {source}. {numbers}{shown}{mistakes}{others}")
}

/// A heading with sentences about the first few nodes, and the number of the others; empty without nodes.
fn first_of(heading: &str, nodes: &[usize], sentence: impl Fn(usize) -> String) -> String {
    let mut sentences: Vec<String> =
        nodes.iter().take(MAX_NAMED).map(|&node| sentence(node)).collect();
    if nodes.len() > MAX_NAMED {
        sentences.push(format!("And {} more", nodes.len() - MAX_NAMED));
    }
    if sentences.is_empty() {
        String::new()
    } else {
        format!("{heading}: {}.", sentences.join(". "))
    }
}

/// Both predecessors of a node whose predicted path is as short as the algorithm's.
fn tie(found: &Walkthrough, node: usize) -> String {
    let predicted = found.steps.last().map_or(node, |step| step.pointers[node]);
    let [via, other] = [predicted, found.truth[node]].map(|it| name(found, it));
    let length = length(found.distances[node], DECIMALS);
    format!(
        "{}: predicted via {via}, the algorithm goes via {other}, both {length}",
        name(found, node)
    )
}

fn legend(found: &Walkthrough) -> Vec<Entry> {
    let wrong = if found.directed { "wrong" } else { "wrong, or not an edge" };
    let wrong = if has_invented(found) { wrong } else { "wrong" };
    let has_ties = !Differences::of(found).equally_short.is_empty();
    let wrong = if has_ties { "wrong, or equally short" } else { wrong };
    vec![
        Entry::new("source", Colour::Source, Key::Node),
        Entry::new("found", Colour::Found, Key::Line),
        Entry::new("missed", Colour::Missed, Key::Dashes),
        Entry::new(wrong, Colour::Wrong, Key::Line),
        Entry::new("other edge", Colour::Muted, Key::Line),
    ]
}

/// Whether an edge of the graph joins two nodes.
pub(super) fn is_edge(found: &Walkthrough, node: usize, predecessor: usize) -> bool {
    found.edges.iter().any(|&(u, v, _)| {
        (u, v) == (predecessor, node) || (!found.directed && (v, u) == (predecessor, node))
    })
}

/// Whether the network ever predicts a pointer that is not an edge.
fn has_invented(found: &Walkthrough) -> bool {
    let pointers = found.steps.iter().flat_map(|step| step.pointers.iter().enumerate());
    pointers.into_iter().any(|(node, &to)| node != to && !is_edge(found, node, to))
}

fn graph(found: &Walkthrough, prediction: &WalkStep) -> Graph {
    let nodes = prediction.distances.iter().enumerate().map(|(node, &distance)| {
        let pointer = prediction.pointers[node];
        let colour = match () {
            () if node == found.source => Colour::Source,
            () if pointer != node && pointer != found.truth[node] => Colour::Wrong,
            () => Colour::Muted,
        };
        Node::new(name(found, node), colour).note(length(distance, 2))
    });
    let edges = found.edges.iter().map(|&(u, v, weight)| {
        // Pointers lead from a node to its predecessor. An edge without direction may be used both ways.
        let uses = |tree: &[usize]| [tree[v] == u, !found.directed && tree[u] == v];
        let (truth, predicted) = (uses(&found.truth), uses(&prediction.pointers));
        let edge = Edge::new(u, v).label(length(weight, 2));
        let edge = if found.directed { edge.arrow() } else { edge };
        match (truth, predicted) {
            ([false, false], [false, false]) => edge,
            (truth, predicted) if truth == predicted => edge.drawn(Colour::Found, TREE),
            (_, [false, false]) => edge.drawn(Colour::Missed, TREE).dashed(),
            _ => edge.drawn(Colour::Wrong, TREE),
        }
    });
    let invented = prediction.pointers.iter().enumerate();
    let invented = invented.filter(|&(node, &to)| node != to && !is_edge(found, node, to));
    let invented = invented.map(|(node, &to)| {
        let edge = Edge::new(to, node).drawn(Colour::Wrong, TREE).dashed();
        if found.directed { edge.arrow() } else { edge }
    });
    Graph::new(nodes.collect(), edges.chain(invented).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle: the shortest way from 0 to 2 is by 1.
    fn walkthrough(pointers: [usize; 3]) -> Walkthrough {
        Walkthrough {
            graph: 16,
            source: 0,
            edges: vec![(0, 1, 200.0), (0, 2, 512.0), (1, 2, 298.0)],
            truth: vec![0, 0, 1],
            distances: vec![0.0, 200.0, 498.0],
            steps: vec![WalkStep {
                pointers: pointers.to_vec(),
                distances: vec![0.0, 200.0, 512.0],
            }],
            names: ["Paris", "Dijon", "Lyon"].map(str::to_owned).to_vec(),
            directed: false,
            instance: "roads.csv".to_owned(),
            predicted_paths: vec![],
        }
    }

    #[test]
    fn wrong_nodes_are_named_with_both_lengths() {
        let found = walkthrough([0, 0, 0]);
        let picture = picture("", &found);
        assert_eq!(
            picture.title,
            "roads.csv, 3 nodes, undirected: one predecessor is wrong at the end"
        );
        assert!(
            picture.caption.ends_with(
                "Wrong at the end: Lyon: predicted via Paris, 512; shortest via Dijon, 498."
            ),
            "{}",
            picture.caption
        );
        let right = self::picture("", &walkthrough([0, 0, 1]));
        assert!(right.title.ends_with("all predecessors are correct at the end"));
        assert!(!right.caption.contains("Wrong"));
    }

    #[test]
    fn other_paths_that_are_as_short_are_not_called_wrong() {
        let tied = Walkthrough {
            edges: vec![(0, 1, 200.0), (0, 2, 498.0), (1, 2, 298.0)],
            predicted_paths: vec![Some(0.0), Some(200.0), Some(498.0)],
            ..walkthrough([0, 0, 0])
        };
        let picture = picture("", &tied);
        assert!(
            picture
                .title
                .ends_with("all paths are shortest at the end, some by other predecessors")
        );
        let wanted =
            "Equally short: Lyon: predicted via Paris, the algorithm goes via Dijon, both 498.";
        assert!(picture.caption.ends_with(wanted), "{}", picture.caption);
        assert!(!picture.caption.contains("Wrong"), "{}", picture.caption);
    }

    #[test]
    fn long_names_and_large_graphs_have_wide_panels() {
        let named = |letters: usize, nodes: usize| Walkthrough {
            names: vec!["x".repeat(letters); nodes],
            truth: vec![0; nodes],
            ..walkthrough([0, 0, 0])
        };
        let all = [(3, 14), (10, 12), (14, 12), (14, 5), (3, 30), (3, 31)];
        let found = all.map(|(letters, nodes)| columns(&named(letters, nodes)));
        assert_eq!(found, [3, 3, 2, 3, 2, 1]);
    }

    #[test]
    fn paths_that_do_not_reach_the_source_have_no_length() {
        let loops = walkthrough([0, 2, 1]);
        assert_eq!(predicted_path(&loops, 1), None);
        assert!(
            mistake(&loops, 1).contains("predicted via Lyon, which does not lead to the source")
        );
        let unreached = walkthrough([0, 0, 2]);
        assert!(
            mistake(&unreached, 2)
                .starts_with("Lyon: predicted as unreachable; shortest via Dijon")
        );
        let invented =
            Walkthrough { edges: vec![(0, 1, 200.0), (1, 2, 298.0)], ..walkthrough([0, 0, 0]) };
        assert!(mistake(&invented, 2).contains("predicted via Paris, from which there is no edge"));
        let known = Walkthrough { predicted_paths: vec![Some(0.0), None, Some(7.5)], ..loops };
        assert_eq!(predicted_path(&known, 2), Some(7.5), "the answer's own lengths come first");
    }

    #[test]
    fn edges_are_found_missed_or_wrong() {
        let found = walkthrough([0, 0, 0]);
        let graph = graph(&found, &found.steps[0]);
        let colours: Vec<Colour> = graph.edges.iter().map(|edge| edge.colour).collect();
        assert_eq!(colours, [Colour::Found, Colour::Wrong, Colour::Missed]);
        assert!(graph.edges.iter().all(|edge| !edge.arrow && !edge.label.is_empty()));
        assert_eq!(graph.nodes[2].colour, Colour::Wrong);
    }

    #[test]
    fn directed_edges_have_arrows_and_one_direction() {
        let found = Walkthrough {
            directed: true,
            edges: vec![(0, 1, 1.0), (1, 0, 2.0), (1, 2, 1.5)],
            ..walkthrough([0, 0, 0])
        };
        let graph = graph(&found, &found.steps[0]);
        let found: Vec<(usize, usize, Colour)> =
            graph.edges.iter().map(|edge| (edge.from, edge.to, edge.colour)).collect();
        assert_eq!(found[0], (0, 1, Colour::Found));
        assert_eq!(found[1].2, Edge::new(1, 0).colour, "the way back is not in the tree");
        assert_eq!(found[2], (1, 2, Colour::Missed));
        assert_eq!(found[3], (0, 2, Colour::Wrong), "a pointer that is not an edge");
        assert!(graph.edges.iter().all(|edge| edge.arrow));
    }

    #[test]
    fn long_executions_are_drawn_from_the_first_to_the_last_step() {
        assert_eq!(drawn_steps(3, 6), [0, 1, 2]);
        assert_eq!(drawn_steps(11, 6), [0, 2, 4, 6, 8, 10]);
        assert_eq!((drawn_steps(1, 6), drawn_steps(0, 6)), (vec![0], vec![]));
    }

    #[test]
    fn answers_of_earlier_versions_have_numbers_and_computed_paths() {
        let old = Walkthrough { names: vec![], instance: String::new(), ..walkthrough([0, 0, 0]) };
        assert!(picture("", &old).title.starts_with("Random graph 17, 3 nodes, undirected"));
        assert!(mistake(&old, 2).starts_with("2: predicted via 0, 512"));
    }
}
