//! Positions of the nodes of a graph: stress majorisation.
//!
//! Distances on paper approach the numbers of edges between nodes (Gansner, Koren and North, "Graph drawing by
//! stress majorization", 2004). It starts from a circle and has no randomness. Components stand side by side.

use std::collections::VecDeque;

type Pt = (f64, f64);

/// Most moves of every node.
const ROUNDS: usize = 300;
/// Most rounds of pushing nodes apart.
const SEPARATIONS: usize = 1000;
/// Most pairs of nodes that all rounds together look at: large graphs have fewer rounds, so that they take seconds.
const PAIRS: usize = 1 << 27;
/// Least distance between two nodes, where an edge has length 1.
const LEAST_DISTANCE: f64 = 0.6;
/// Between components.
const COMPONENT_GAP: f64 = 0.9;

/// Computes positions of nodes, with edges of about length 1. Edges to themselves are ignored.
pub(crate) fn positions(nodes: usize, edges: &[(usize, usize)]) -> Vec<Pt> {
    let mut neighbours = vec![vec![]; nodes];
    for &(u, v) in edges.iter().filter(|(u, v)| u != v && *u < nodes && *v < nodes) {
        neighbours[u].push(v);
        neighbours[v].push(u);
    }
    let mut components: Vec<(Vec<usize>, Vec<Pt>)> = vec![];
    let mut is_placed = vec![false; nodes];
    for first in 0..nodes {
        if !is_placed[first] {
            let distances = distances_from(first, &neighbours);
            let members: Vec<usize> = (0..nodes).filter(|&it| distances[it].is_some()).collect();
            for &member in &members {
                is_placed[member] = true;
            }
            let places = of_component(&members, &neighbours);
            components.push((members, places));
        }
    }
    side_by_side(nodes, components)
}

/// Numbers of edges from a node; `None` where no path leads.
fn distances_from(start: usize, neighbours: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut distances = vec![None; neighbours.len()];
    distances[start] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, distance)) = queue.pop_front() {
        for &next in &neighbours[node] {
            if distances[next].is_none() {
                distances[next] = Some(distance + 1);
                queue.push_back((next, distance + 1));
            }
        }
    }
    distances
}

/// Positions of a connected component, turned so that it is wide rather than high.
fn of_component(members: &[usize], neighbours: &[Vec<usize>]) -> Vec<Pt> {
    let wanted: Vec<Vec<f64>> = members
        .iter()
        .map(|&from| {
            let distances = distances_from(from, neighbours);
            let distance = |to: &usize| distances[*to].expect("members are connected") as f64;
            members.iter().map(distance).collect()
        })
        .collect();
    let mut places = majorise(&wanted, start(&wanted));
    separate(&mut places);
    level(&mut places);
    places
}

/// A start that unfolds most graphs: distances from two nodes that are far apart, bent by a circle so that no two
/// nodes coincide.
fn start(wanted: &[Vec<f64>]) -> Vec<Pt> {
    let count = wanted.len();
    let farthest = |from: usize| {
        (0..count).max_by(|&a, &b| wanted[from][a].total_cmp(&wanted[from][b]).then(b.cmp(&a)))
    };
    let left = farthest(0).unwrap_or(0);
    let right = farthest(left).unwrap_or(0);
    // The third is far from both.
    let aside = |it: usize| wanted[left][it].min(wanted[right][it]);
    let third = (0..count).max_by(|&a, &b| aside(a).total_cmp(&aside(b)).then(b.cmp(&a)));
    let third = third.unwrap_or(0);
    (0..count)
        .map(|node| {
            let angle = std::f64::consts::TAU * node as f64 / count as f64;
            let x = 0.5 * (wanted[left][node] - wanted[right][node]);
            let y = -wanted[third][node];
            (x + 0.3 * angle.cos(), y + 0.3 * angle.sin())
        })
        .collect()
}

/// A number of rounds over all pairs of nodes, fewer if there are many nodes.
fn rounds(most: usize, nodes: usize) -> usize {
    most.min(PAIRS / (nodes * nodes).max(1)).max(10)
}

/// Moves nodes one after the other to where their stress is least.
fn majorise(wanted: &[Vec<f64>], mut places: Vec<Pt>) -> Vec<Pt> {
    let count = wanted.len();
    for _ in 0..rounds(ROUNDS, count) {
        for node in 0..count {
            let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
            for other in (0..count).filter(|&other| other != node) {
                let distance = wanted[node][other];
                let weight = 1.0 / (distance * distance);
                let (dx, dy) = (places[node].0 - places[other].0, places[node].1 - places[other].1);
                let length = dx.hypot(dy).max(1e-9);
                x += weight * (places[other].0 + distance * dx / length);
                y += weight * (places[other].1 + distance * dy / length);
                weights += weight;
            }
            if weights > 0.0 {
                places[node] = (x / weights, y / weights);
            }
        }
    }
    places
}

/// Pushes nodes apart that are too close, such as leaves of the same node in a dense graph.
fn separate(places: &mut [Pt]) {
    for _ in 0..rounds(SEPARATIONS, places.len()) {
        let mut is_done = true;
        for a in 0..places.len() {
            for b in a + 1..places.len() {
                let (dx, dy) = (places[b].0 - places[a].0, places[b].1 - places[a].1);
                let length = dx.hypot(dy);
                if length >= LEAST_DISTANCE - 1e-6 {
                    continue;
                }
                is_done = false;
                // Nodes at the same position part along a direction of their own.
                let (dx, dy) = if length > 1e-9 {
                    (dx / length, dy / length)
                } else {
                    let angle = (a * 31 + b) as f64;
                    (angle.cos(), angle.sin())
                };
                let by = 0.5 * (LEAST_DISTANCE - length);
                places[a] = (places[a].0 - by * dx, places[a].1 - by * dy);
                places[b] = (places[b].0 + by * dx, places[b].1 + by * dy);
            }
        }
        if is_done {
            break;
        }
    }
}

/// Turns the longest direction (the first principal component) to the horizontal.
fn level(places: &mut [Pt]) {
    let count = places.len().max(1) as f64;
    let x = places.iter().map(|it| it.0).sum::<f64>() / count;
    let y = places.iter().map(|it| it.1).sum::<f64>() / count;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for place in places.iter() {
        let (dx, dy) = (place.0 - x, place.1 - y);
        (xx, xy, yy) = (xx + dx * dx, xy + dx * dy, yy + dy * dy);
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (sin, cos) = angle.sin_cos();
    for place in places.iter_mut() {
        let (dx, dy) = (place.0 - x, place.1 - y);
        *place = (cos * dx + sin * dy, cos * dy - sin * dx);
    }
}

/// Puts components next to each other in rows, the largest first.
fn side_by_side(nodes: usize, mut components: Vec<(Vec<usize>, Vec<Pt>)>) -> Vec<Pt> {
    components.sort_by_key(|(members, _)| std::cmp::Reverse(members.len()));
    let size = |places: &[Pt]| {
        let low = |of: fn(&Pt) -> f64| places.iter().map(of).fold(f64::INFINITY, f64::min);
        let high = |of: fn(&Pt) -> f64| places.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (left, bottom) = (low(|it| it.0), low(|it| it.1));
        (left, bottom, high(|it| it.0) - left, high(|it| it.1) - bottom)
    };
    let sizes: Vec<_> = components.iter().map(|(_, places)| size(places)).collect();
    let area: f64 = sizes.iter().map(|it| (it.2 + COMPONENT_GAP) * (it.3 + COMPONENT_GAP)).sum();
    let widest = sizes.iter().map(|it| it.2).fold(0.0, f64::max);
    let most = (1.5 * area).sqrt().max(widest);
    let mut all = vec![(0.0, 0.0); nodes];
    let (mut x, mut y, mut row) = (0.0, 0.0, 0.0f64);
    for ((members, places), (left, bottom, width, height)) in components.iter().zip(sizes) {
        if x > 0.0 && x + width > most {
            (x, y, row) = (0.0, y - row - COMPONENT_GAP, 0.0);
        }
        for (&node, place) in members.iter().zip(places) {
            all[node] = (x + place.0 - left, y + place.1 - bottom - height);
        }
        x += width + COMPONENT_GAP;
        row = row.max(height);
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distance(a: Pt, b: Pt) -> f64 {
        (a.0 - b.0).hypot(a.1 - b.1)
    }

    fn closest(places: &[Pt]) -> f64 {
        let pairs = (0..places.len()).flat_map(|a| (a + 1..places.len()).map(move |b| (a, b)));
        pairs.map(|(a, b)| distance(places[a], places[b])).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_path_is_nearly_straight() {
        let edges: Vec<(usize, usize)> = (0..11).map(|node| (node, node + 1)).collect();
        let places = positions(12, &edges);
        let (from, to) = (places[0], places[11]);
        assert!(distance(from, to) > 0.9 * 11.0, "{places:?}");
        assert!((from.1 - to.1).abs() < 0.5, "it is level: {places:?}");
    }

    #[test]
    fn a_cycle_is_round() {
        let edges: Vec<(usize, usize)> = (0..10).map(|node| (node, (node + 1) % 10)).collect();
        let places = positions(10, &edges);
        let centre = (
            places.iter().map(|it| it.0).sum::<f64>() / 10.0,
            places.iter().map(|it| it.1).sum::<f64>() / 10.0,
        );
        let radii: Vec<f64> = places.iter().map(|it| distance(*it, centre)).collect();
        let (low, high) =
            radii.iter().fold((f64::INFINITY, 0.0f64), |all, it| (all.0.min(*it), all.1.max(*it)));
        assert!(high / low < 1.05, "{radii:?}");
    }

    #[test]
    fn a_grid_unfolds() {
        let at = |row: usize, column: usize| 6 * row + column;
        let mut edges = vec![];
        for row in 0..6 {
            for column in 0..6 {
                if column < 5 {
                    edges.push((at(row, column), at(row, column + 1)));
                }
                if row < 5 {
                    edges.push((at(row, column), at(row + 1, column)));
                }
            }
        }
        let places = positions(36, &edges);
        let crossings = crossings(&places, &edges);
        assert_eq!(crossings, 0);
    }

    /// How many pairs of edges cross.
    fn crossings(places: &[Pt], edges: &[(usize, usize)]) -> usize {
        let side = |a: Pt, b: Pt, c: Pt| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
        let pairs = (0..edges.len()).flat_map(|i| (i + 1..edges.len()).map(move |j| (i, j)));
        pairs
            .filter(|&(i, j)| {
                let ((a, b), (c, d)) = (edges[i], edges[j]);
                let is_adjacent = a == c || a == d || b == c || b == d;
                let [a, b, c, d] = [a, b, c, d].map(|it| places[it]);
                !is_adjacent
                    && side(a, b, c) * side(a, b, d) < 0.0
                    && side(c, d, a) * side(c, d, b) < 0.0
            })
            .count()
    }

    #[test]
    fn graphs_of_thousands_of_nodes_have_fewer_rounds() {
        assert_eq!((rounds(ROUNDS, 0), rounds(ROUNDS, 600)), (ROUNDS, ROUNDS));
        assert_eq!((rounds(ROUNDS, 2000), rounds(SEPARATIONS, 2000)), (33, 33));
        assert_eq!(rounds(ROUNDS, 100_000), 10);
    }

    #[test]
    fn components_do_not_overlap() {
        let edges = [(0, 1), (1, 2), (3, 4), (4, 5), (5, 3)];
        let places = positions(8, &edges);
        assert!(closest(&places) >= LEAST_DISTANCE - 1e-3, "{places:?}");
    }

    proptest! {
        #[test]
        fn nodes_keep_their_distance(
            nodes in 1usize..60,
            edges in prop::collection::vec((0usize..60, 0usize..60), 0..120),
        ) {
            let edges: Vec<_> =
                edges.into_iter().filter(|(u, v)| *u < nodes && *v < nodes).collect();
            let places = positions(nodes, &edges);
            prop_assert_eq!(&places, &positions(nodes, &edges));
            prop_assert!(places.iter().all(|it| it.0.is_finite() && it.1.is_finite()));
            prop_assert!(closest(&places) >= 0.9 * LEAST_DISTANCE, "{}", closest(&places));
        }
    }
}
