//! Graphs: nodes and edges.

use super::Draw;
use crate::frame::{Extent, Frame};
use crate::layout::place::Obstacles;
use crate::layout::stress;
use crate::scene::{Anchor, Area, Label, Pt, Scene, Shape, Stroke};
use crate::sign::{arrow, node};
use crate::size::TICK;
use crate::text::{CAPITAL, Weight, width};
use crate::{Colour, Entry};

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name, inside of it if it is short.
    pub label: String,
    /// A second line, such as its distance; may be empty.
    pub note: String,
    /// Colour of its inside, which is pale.
    pub colour: Colour,
    /// Colour of its rim.
    pub rim: Colour,
}

impl Node {
    /// A node.
    pub fn new(label: impl Into<String>, colour: Colour) -> Self {
        Self { label: label.into(), note: String::new(), colour, rim: colour }
    }

    /// The same node with a rim of another colour.
    #[must_use]
    pub fn rim(self, rim: Colour) -> Self {
        Self { rim, ..self }
    }

    /// The same node with a second line.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

/// An edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Index of the node that it leaves.
    pub from: usize,
    /// Index of the node that it enters.
    pub to: usize,
    /// Colour.
    pub colour: Colour,
    /// Width in points of print.
    pub width: f64,
    /// Whether it is dashed.
    pub dashed: bool,
    /// Whether it has an arrow at its end.
    pub arrow: bool,
    /// Its weight; may be empty.
    pub label: String,
}

impl Edge {
    /// A thin grey edge without an arrow.
    pub fn new(from: usize, to: usize) -> Self {
        let (colour, label) = (Colour::Muted, String::new());
        Self { from, to, colour, width: 0.7, dashed: false, arrow: false, label }
    }

    /// The same edge with a colour and a width in points of print.
    #[must_use]
    pub fn drawn(self, colour: Colour, width: f64) -> Self {
        Self { colour, width, ..self }
    }

    /// The same edge with an arrow.
    #[must_use]
    pub fn arrow(self) -> Self {
        Self { arrow: true, ..self }
    }

    /// The same edge, dashed.
    #[must_use]
    pub fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }

    /// The same edge with its weight.
    #[must_use]
    pub fn label(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }
}

/// Nodes and edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// Positions of nodes, in any unit, y upwards; `None` computes them.
    pub positions: Option<Vec<(f64, f64)>>,
}

impl Graph {
    /// Larger graphs have names only at nodes that are not grey, and no weights: there is no room.
    pub const MOST_NAMED: usize = 100;

    /// A graph whose positions are computed.
    pub fn new(nodes: Vec<Node>, edges: Vec<Edge>) -> Self {
        Self { nodes, edges, positions: None }
    }

    /// The same graph with given positions, such as those of the first of several pictures of it.
    #[must_use]
    pub fn at(self, positions: Vec<(f64, f64)>) -> Self {
        Self { positions: Some(positions), ..self }
    }

    /// The height that it wants at a width: that of its layout.
    pub(crate) fn height(&self, width: f64) -> f64 {
        let positions = self.positions.clone().unwrap_or_else(|| self.layout());
        let around = Area::around(positions).unwrap_or_default();
        let share = if around.width() > 0.0 { around.height() / around.width() } else { 0.5 };
        let has_names = self.radius_for_names() > LARGE;
        let (beside, below) = if has_names { (40.0, 40.0) } else { (0.0, 0.0) };
        let inner = (width - beside - 2.0 * LARGE).max(40.0);
        (share * inner + below + 2.0 * LARGE + 2.0).clamp(60.0, (0.85 * width).clamp(120.0, 340.0))
    }

    fn layout(&self) -> Vec<(f64, f64)> {
        let ends: Vec<(usize, usize)> = self.edges.iter().map(|it| (it.from, it.to)).collect();
        graph_layout(self.nodes.len(), &ends)
    }
}

/// Computes positions of the nodes of a graph, with edges of about length 1, for [`Graph::at`]: panels that show the
/// same graph at several steps share them.
pub fn graph_layout(nodes: usize, edges: &[(usize, usize)]) -> Vec<(f64, f64)> {
    stress::positions(nodes, edges)
}

/// Largest radius of a node, which has its name inside.
const LARGE: f64 = 12.0;
/// Least radius of a node with its name inside.
const MEDIUM: f64 = 7.5;
/// Radius of a node with its name beside it.
const SMALL: f64 = 3.2;
/// Least radius of a node.
const SMALLEST: f64 = 1.0;
/// Most share of the distance between two nodes that a radius may have.
const DENSITY: f64 = 0.45;
/// Distance of lines of a label.
const LABEL_LEADING: f64 = 1.12 * TICK;

impl Draw for Graph {
    fn extent(&self) -> Extent {
        Extent::default()
    }

    fn entries(&self) -> Vec<Entry> {
        vec![]
    }

    fn draw(&self, frame: &Frame, scene: &mut Scene) {
        let positions = self.positions.clone().unwrap_or_else(|| self.layout());
        let whole = frame.area;
        let inside = fit(&positions, whole.grown(-(LARGE + 1.0)));
        let radius = self.radius_for_names();
        if radius <= LARGE.min(DENSITY * closest(&inside)) {
            self.draw_at(&inside, radius, true, whole, scene);
        } else {
            // Names need room beside the outermost nodes.
            let widest = self.nodes.iter().map(Node::width).fold(0.0, f64::max);
            let room = Area {
                left: whole.left + (0.5 * widest).min(0.2 * whole.width()),
                right: whole.right - (0.5 * widest).min(0.2 * whole.width()),
                top: whole.top + 2.2 * TICK,
                bottom: whole.bottom - 2.2 * TICK,
            };
            let places = fit(&positions, room);
            let radius = if self.is_labelled() {
                SMALL
            } else {
                // So that they do not hide each other.
                (DENSITY * closest(&places)).clamp(SMALLEST, SMALL)
            };
            self.draw_at(&places, radius, false, whole, scene);
        }
    }
}

impl Node {
    fn lines(&self) -> impl Iterator<Item = &str> + Clone {
        [self.label.as_str(), self.note.as_str()].into_iter().filter(|line| !line.is_empty())
    }

    fn width(&self) -> f64 {
        self.lines().map(|line| width(line, TICK, Weight::Regular)).fold(0.0, f64::max)
    }

    /// Radius of the circle around its lines.
    fn radius(&self) -> f64 {
        let lines = self.lines().count() as f64;
        let half_height = 0.5 * ((lines - 1.0) * LABEL_LEADING + CAPITAL * TICK);
        (0.5 * self.width()).hypot(half_height) + 0.8
    }

    /// The rectangle of its lines around a centre.
    fn area(&self, (x, y): Pt) -> Area {
        let (half_width, half_height) =
            (0.5 * self.width(), 0.5 * self.lines().count() as f64 * LABEL_LEADING);
        Area {
            left: x - half_width,
            right: x + half_width,
            top: y - half_height,
            bottom: y + half_height,
        }
    }

    fn draw_lines(&self, (x, y): Pt, halo: bool, scene: &mut Scene) {
        let middle = 0.5 * (self.lines().count() as f64 - 1.0);
        for (line, text) in self.lines().enumerate() {
            let at = (x, y + (line as f64 - middle) * LABEL_LEADING);
            let label = Label::new(at, text, TICK).anchor(Anchor::Middle).centred();
            let label = if line == 0 { label } else { label.colour(Colour::Subtle) };
            scene.text(Label { halo, ..label });
        }
    }

    /// Centres of its lines beside a circle, the best first.
    fn places_beside(&self, (x, y): Pt, radius: f64) -> Vec<Pt> {
        let size = self.area((0.0, 0.0));
        let (half_width, half_height) = (0.5 * size.width(), 0.5 * size.height());
        let mut places = vec![];
        for distance in [1.5, 5.0, 9.0] {
            let (across, up) = (radius + distance + half_width, radius + distance + half_height);
            let (near_x, near_y) = (0.7 * radius + half_width, 0.7 * radius + half_height);
            places.extend([
                (x, y + up),
                (x, y - up),
                (x + across, y),
                (x - across, y),
                (x + near_x + distance, y + near_y),
                (x - near_x - distance, y + near_y),
                (x + near_x + distance, y - near_y),
                (x - near_x - distance, y - near_y),
            ]);
        }
        places
    }
}

impl Graph {
    /// Whether there may be room for every name and weight.
    fn is_labelled(&self) -> bool {
        self.nodes.len() <= Self::MOST_NAMED
    }

    /// The radius that holds every node's name.
    fn radius_for_names(&self) -> f64 {
        self.nodes.iter().map(Node::radius).fold(MEDIUM, f64::max)
    }

    fn draw_at(&self, places: &[Pt], radius: f64, inside: bool, room: Area, scene: &mut Scene) {
        let mut obstacles = Obstacles::new(room);
        for edge in &self.edges {
            let has_opposite =
                edge.arrow && self.edges.iter().any(|it| (it.from, it.to) == (edge.to, edge.from));
            if let Some((from, to)) = draw_edge(edge, places, radius, has_opposite, scene) {
                obstacles.line(from, to);
            }
        }
        for place in places {
            let around = Area::around([*place]).expect("there is a point");
            obstacles.take(around.grown(radius));
        }
        for (graph_node, &place) in self.nodes.iter().zip(places) {
            node(place, radius, (graph_node.colour, graph_node.rim), scene);
            if !self.is_labelled() && graph_node.colour == Colour::Muted {
                continue;
            }
            let mut centre = place;
            if !inside {
                let centres = graph_node.places_beside(place, radius);
                let areas: Vec<Area> = centres.iter().map(|it| graph_node.area(*it)).collect();
                let best = obstacles.best(&areas, true).expect("there are places");
                centre = centres[best];
            }
            graph_node.draw_lines(centre, !inside, scene);
        }
        for edge in self.edges.iter().filter(|_| self.is_labelled()) {
            draw_weight(edge, places, &mut obstacles, scene);
        }
    }
}

/// The weight of an edge near its middle, or nowhere if there is no room at all.
fn draw_weight(edge: &Edge, places: &[Pt], obstacles: &mut Obstacles, scene: &mut Scene) {
    let (from, to) = (places[edge.from], places[edge.to]);
    let length = (to.0 - from.0).hypot(to.1 - from.1).max(1e-9);
    let normal = ((from.1 - to.1) / length, (to.0 - from.0) / length);
    let colour = if edge.colour == Colour::Muted { Colour::Subtle } else { edge.colour };
    let mut labels = vec![];
    for beside in [5.5, -5.5, 8.5, -8.5, 0.0] {
        for share in [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74] {
            let at = (
                from.0 + share * (to.0 - from.0) + beside * normal.0,
                from.1 + share * (to.1 - from.1) + beside * normal.1,
            );
            let label = Label::new(at, &edge.label, TICK).anchor(Anchor::Middle);
            labels.push(label.colour(colour).with_halo().centred());
        }
    }
    // A little room separates a label from its line.
    let areas: Vec<Area> = labels.iter().map(|label| label.area().grown(1.0)).collect();
    if let Some(best) = obstacles.best(&areas, false).filter(|_| !edge.label.is_empty()) {
        scene.text(labels.swap_remove(best));
    }
}

/// The distance of the two closest places.
fn closest(places: &[Pt]) -> f64 {
    let pairs = (0..places.len()).flat_map(|a| (a + 1..places.len()).map(move |b| (a, b)));
    pairs
        .map(|(a, b)| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1))
        .fold(f64::INFINITY, f64::min)
}

/// Positions scaled into an area, with y downwards and the same scale for both axes.
fn fit(positions: &[(f64, f64)], area: Area) -> Vec<Pt> {
    let Some(around) = Area::around(positions.iter().copied()) else { return vec![] };
    let [across, up] = [(area.width(), around.width()), (area.height(), around.height())]
        .map(|(room, size)| if size > 0.0 { room / size } else { f64::INFINITY });
    let scale = across.min(up);
    let scale = if scale.is_finite() { scale } else { 1.0 };
    let ((x, y), (to_x, to_y)) = (around.centre(), area.centre());
    positions.iter().map(|at| (to_x + scale * (at.0 - x), to_y - scale * (at.1 - y))).collect()
}

/// Draws an edge between the rims of its nodes, and returns its ends. Edges in both directions stand side by side.
fn draw_edge(
    edge: &Edge,
    places: &[Pt],
    radius: f64,
    has_opposite: bool,
    scene: &mut Scene,
) -> Option<(Pt, Pt)> {
    let (from, to) = (places[edge.from], places[edge.to]);
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length <= 2.0 * radius {
        return None;
    }
    let (dx, dy) = (dx / length, dy / length);
    let aside = if has_opposite { (0.35 * radius).clamp(1.6, 2.6) } else { 0.0 };
    // Where a parallel beside the centres enters the circle.
    let depth = (radius * radius - aside * aside).max(0.0).sqrt();
    let beside =
        |(x, y): Pt, along: f64| (x + along * dx - aside * dy, y + along * dy + aside * dx);
    let (start, end) = (beside(from, depth), beside(to, -depth - 0.5));
    let stroke = Stroke::new(edge.colour, edge.width).dashed(edge.dashed);
    if edge.arrow {
        arrow(start, end, stroke, scene);
    } else {
        scene.push(Shape::line(vec![start, end], stroke));
    }
    Some((start, end))
}
