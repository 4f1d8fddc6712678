//! A graph and, for some algorithms, a source node.

use super::edge_list::{EdgeList, Numbering};
use super::user::{
    Data, DecidedBy, GraphReading, Reading, UserInstance, finite, invalid, wrong_form,
};
use super::{Draws, Instance, at_least};
use crate::family::Shape;
pub use crate::graph::GraphInstance;
use crate::options::{Direction, OptionName, Options, bad};
use crate::registry;
use crate::rng::Rng;
use crate::symmetry::{self, Symmetry};
use crate::values::Grid;
use crate::{Error, Result};

/// The graphs that an algorithm accepts, and its defaults for sampling.
#[derive(Clone, Copy, Debug)]
pub struct GraphParams {
    /// The default family of random graphs, one of [`crate::family::ALL`].
    pub family: &'static str,
    /// The default direction of edges.
    pub direction: Direction,
    /// Whether both directed and undirected graphs are accepted.
    pub either_way: bool,
    /// The weights that are accepted.
    pub weights: Weights,
    /// The default edge probability.
    pub p: f64,
    /// Whether there is a source node.
    pub rooted: bool,
}

/// The edge weights that an algorithm accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// No weights: every edge has weight 1.
    None,
    /// Positive numbers.
    Positive,
    /// Positive lengths; shortest paths are invariant under rescaling and reweighting.
    Lengths,
    /// Lengths of either sign without negative cycles, with the same symmetries.
    SignedLengths,
}

impl GraphParams {
    /// An undirected Erdős–Rényi graph without weights.
    pub const UNDIRECTED: Self = Self {
        family: "erdos_renyi",
        direction: Direction::Undirected,
        either_way: true,
        weights: Weights::None,
        p: 0.5,
        rooted: false,
    };

    fn directions(&self) -> &'static str {
        match (self.direction, self.either_way) {
            (_, true) => "undirected or directed",
            (Direction::Undirected, false) => "undirected",
            (Direction::Directed, false) => "directed",
            (Direction::Acyclic, false) => "acyclic",
        }
    }

    fn direction(&self, requested: Option<Direction>) -> Result<Direction> {
        let direction = requested.unwrap_or(self.direction);
        let fits =
            direction == self.direction || (self.either_way && direction != Direction::Acyclic);
        if fits {
            Ok(direction)
        } else {
            Err(bad("direction", self.directions(), format!("{direction:?}").to_lowercase()))
        }
    }

    /// The parameters of random graphs.
    fn shape(&self, rng: &mut Rng, options: &Options) -> Result<Shape> {
        let direction = self.direction(options.direction)?;
        let (low, high) = options.range(0.0, 1.0)?;
        // An acyclic graph has no negative cycles.
        let signed = self.weights == Weights::SignedLengths && direction == Direction::Acyclic;
        if low < 0.0 && !signed {
            return Err(bad("low", "at least 0, because weights must be positive", low));
        }
        let p = options.edge_probability(self.p, rng)?;
        Ok(Shape { direction, weighted: self.weights != Weights::None, p, low, high })
    }

    /// Rejects symmetries that do not preserve the answers of the algorithm.
    fn check_symmetries(&self, symmetries: &[&'static Symmetry]) -> Result<()> {
        let lengths = matches!(self.weights, Weights::Lengths | Weights::SignedLengths);
        match symmetries.iter().find(|symmetry| symmetry.changes_weights && !lengths) {
            None => Ok(()),
            Some(symmetry) => {
                Err(bad("family", "relabel (others preserve shortest paths only)", symmetry.name))
            }
        }
    }
}

impl Instance for GraphInstance {
    type Params = GraphParams;

    fn options(params: &GraphParams, options: &Options) -> Vec<OptionName> {
        let mut names = vec![OptionName::Family, OptionName::Direction];
        if params.weights != Weights::None {
            names.extend([OptionName::Low, OptionName::High, OptionName::TruncateDecimals]);
        }
        names.extend_from_slice(options.family.graph(params.family).options);
        if !options.family.symmetries().is_empty() {
            names.push(OptionName::Classes);
        }
        names.extend(options.family.symmetries().iter().filter_map(|symmetry| symmetry.option));
        names
    }

    fn sample(
        params: &GraphParams,
        rng: &mut Rng,
        length: usize,
        options: &Options,
    ) -> Result<Self> {
        at_least(2, length)?;
        let shape = params.shape(rng, options)?;
        let mut weights = (options.family.graph(params.family).draw)(rng, length, &shape, options)?;
        options.truncate(weights.cells_mut());
        let source = if params.rooted { rng.below(length) } else { 0 };
        Ok(Self { weights, source })
    }

    /// With symmetries, samples are images of shared base graphs: sample `i` is an image of base
    /// graph `i` modulo the number of classes.
    fn draws<'a>(
        params: &'a GraphParams,
        rng: &'a mut Rng,
        length: usize,
        options: &'a Options,
    ) -> Result<Draws<'a, Self>> {
        let symmetries = options.family.symmetries();
        if symmetries.is_empty() {
            let draw = move || Self::sample(params, rng, length, options);
            return Ok(Box::new(std::iter::repeat_with(draw)));
        }
        params.check_symmetries(&symmetries)?;
        let classes = options.classes.unwrap_or(1);
        if classes == 0 {
            return Err(bad("classes", "at least 1", classes));
        }
        let base = symmetry::base_options(&symmetries, options)?;
        let graphs: Vec<Self> = (0..classes)
            .map(|_| Self::sample(params, rng, length, &base))
            .collect::<Result<_>>()?;
        let image = move |i| symmetry::image(&symmetries, &graphs[i % classes], rng, options);
        Ok(Box::new((0..).map(image)))
    }

    fn wanted(params: &GraphParams) -> String {
        let weights = match params.weights {
            Weights::None => "graph",
            Weights::Positive | Weights::Lengths => "graph with positive weights",
            Weights::SignedLengths if params.direction == Direction::Acyclic => "weighted graph",
            Weights::SignedLengths => "weighted graph without negative cycles",
        };
        let article = if params.directions().starts_with('d') { "a" } else { "an" };
        format!(
            "{article} {} {weights}: an edge list with a first line source,target,weight, a square matrix, GraphML or node-link JSON",
            params.directions()
        )
    }

    fn read(params: &GraphParams, user: &UserInstance) -> Result<Self> {
        let GivenGraph { weights, source, .. } = params.given(user)?;
        Ok(Self { weights, source })
    }

    fn reading(params: &GraphParams, user: &UserInstance) -> Result<Reading> {
        let GivenGraph { weights, source, names, is_directed, decided_by } = params.given(user)?;
        let counted = weights.edges().filter(|&(u, v, _)| is_directed || u <= v);
        let range = weights.edges().fold(None, |range, (_, _, w)| {
            let (low, high) = range.unwrap_or((w, w));
            Some((w.min(low), w.max(high)))
        });
        let graph = GraphReading {
            nodes: weights.nodes(),
            edges: counted.count(),
            is_directed,
            decided_by,
            weights: range.filter(|_| params.weights != Weights::None),
            source: params.rooted.then_some(source),
        };
        Ok(Reading { names, graph: Some(graph) })
    }

    fn scales(params: &GraphParams) -> bool {
        params.weights != Weights::None
    }

    fn takes_source(params: &GraphParams) -> bool {
        params.rooted
    }
}

/// A graph of a user, and what is known about it.
struct GivenGraph {
    weights: Grid<f64>,
    source: usize,
    /// The name of each node; empty if nodes are known by their numbers.
    names: Vec<String>,
    is_directed: bool,
    decided_by: DecidedBy,
}

impl GraphParams {
    /// Reads and validates a graph of a user.
    fn given(&self, user: &UserInstance) -> Result<GivenGraph> {
        let wanted = GraphInstance::wanted(self);
        let (direction, decided_by) = self.direction_of(user)?;
        let (weights, names) = match &user.data {
            Data::Matrix { columns, cells } if columns * columns == cells.len() => {
                (Grid::from_cells(*columns, finite(cells.clone())?), vec![])
            }
            Data::Table(table) if is_square(table) => {
                let mut weights = Grid::filled(table.len(), 0.0);
                for (v, (_, column)) in table.iter().enumerate() {
                    for (u, &weight) in finite(column.clone())?.iter().enumerate() {
                        weights[(u, v)] = weight;
                    }
                }
                (weights, column_names(table))
            }
            Data::Edges(list) if list.nodes() > 0 => {
                let nodes = list.numbered()?;
                (from_edge_list(direction, list, &nodes)?, nodes.names)
            }
            other => return Err(wrong_form(&wanted, other)),
        };
        let nodes = weights.nodes();
        at_least(2, nodes)?;
        if let Some(name) = twice(&names) {
            return Err(invalid("a different name for each node", format!("{name:?} twice")));
        }
        let weights = if self.weights == Weights::None {
            Grid::from_fn(nodes, |u, v| f64::from(u8::from(weights[(u, v)] != 0.0)))
        } else {
            weights
        };
        let label = |node: usize| names.get(node).cloned().unwrap_or_else(|| node.to_string());
        self.check(&weights, &label)?;
        let asymmetric = asymmetric_edge(&weights);
        if user.direction == Some(Direction::Undirected)
            && let Some(edge) = asymmetric
        {
            let found = both_ways(&weights, edge, &label);
            return Err(invalid("a symmetric matrix, because the graph is undirected", found));
        }
        let is_directed = match decided_by {
            DecidedBy::Matrix => asymmetric.is_some(),
            _ => direction != Direction::Undirected,
        };
        let source = find_source(user.source.as_deref(), nodes, &names)?;
        Ok(GivenGraph { weights, source, names, is_directed, decided_by })
    }

    /// The direction of a user's edges, and what decides it.
    fn direction_of(&self, user: &UserInstance) -> Result<(Direction, DecidedBy)> {
        let name = |direction: Direction| match direction {
            Direction::Undirected => "an undirected graph",
            Direction::Directed | Direction::Acyclic => "a directed graph",
        };
        let stated = match &user.data {
            Data::Edges(list) => list.direction,
            _ => None,
        };
        if let (Some(asked), Some(stated)) = (user.direction, stated)
            && asked != stated
        {
            let found = format!("{} in the file", name(stated));
            return Err(invalid(format!("{}, as asked for", name(asked)), found));
        }
        let requested = match user.direction.or(stated) {
            // Whether a directed graph has cycles is checked later.
            Some(Direction::Directed) if self.direction == Direction::Acyclic => None,
            requested => requested,
        };
        let direction = self.direction(requested).map_err(|error| match stated {
            Some(stated) => invalid(GraphInstance::wanted(self), name(stated)),
            None => error,
        })?;
        let decided_by = match (&user.data, user.direction) {
            (_, Some(_)) => DecidedBy::Caller,
            (Data::Edges(list), None) if list.direction.is_some() => DecidedBy::File,
            (Data::Edges(_), None) => DecidedBy::Default,
            (_, None) => DecidedBy::Matrix,
        };
        Ok((direction, decided_by))
    }
}

/// Whether a table has as many rows as columns, in each column.
fn is_square(table: &[(String, Vec<f64>)]) -> bool {
    table.iter().all(|(_, column)| column.len() == table.len())
}

/// The names of a matrix's columns; empty if they are the numbers from 0.
fn column_names(table: &[(String, Vec<f64>)]) -> Vec<String> {
    let is_number = |(i, (name, _)): (usize, &(String, Vec<f64>))| *name == i.to_string();
    if table.iter().enumerate().all(is_number) {
        return vec![];
    }
    table.iter().map(|(name, _)| name.clone()).collect()
}

/// A name that occurs twice.
fn twice(names: &[String]) -> Option<&str> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The number of the source.
fn find_source(source: Option<&str>, nodes: usize, names: &[String]) -> Result<usize> {
    match source {
        None => Ok(0),
        Some(source) if names.is_empty() => {
            source.parse().ok().filter(|&number| number < nodes).ok_or_else(|| {
                let found = format!("the source {source} in a graph of {nodes} nodes");
                invalid(format!("a source from 0 to {}", nodes - 1), found)
            })
        }
        Some(source) => {
            let mut numbered = names.iter().enumerate();
            let found = numbered.find(|(_, name)| *name == source).map(|(node, _)| node);
            found.ok_or_else(|| {
                let closest = registry::closest(source, names.iter().map(String::as_str));
                let closest = closest.unwrap_or_default().to_owned();
                Error::UnknownName { what: "node", name: source.to_owned(), closest }
            })
        }
    }
}

/// Returns an edge whose reverse is missing or has another weight.
fn asymmetric_edge(weights: &Grid<f64>) -> Option<(usize, usize, f64)> {
    weights.edges().find(|&(u, v, w)| weights[(v, u)] != w)
}

/// Describes an edge and its reverse.
fn both_ways(
    weights: &Grid<f64>,
    (u, v, weight): (usize, usize, f64),
    label: &dyn Fn(usize) -> String,
) -> String {
    format!("weight {weight} from {} to {} and {} back", label(u), label(v), weights[(v, u)])
}

fn from_edge_list(direction: Direction, list: &EdgeList, nodes: &Numbering) -> Result<Grid<f64>> {
    let mut weights = Grid::filled(nodes.nodes, 0.0);
    let mirrored = direction == Direction::Undirected;
    for (i, edge) in list.edges().iter().enumerate() {
        let weight = edge.weight;
        if !weight.is_finite() || weight == 0.0 {
            let found = list.describe(edge);
            return Err(invalid("finite weights other than 0 (0 means no edge)", found));
        }
        let (u, v) = edge.ends(nodes, nodes);
        for (u, v) in [(u, v), (v, u)].into_iter().take(if mirrored { 2 } else { 1 }) {
            let old = weights[(u, v)];
            if old != 0.0 && old != weight {
                let mut before = list.edges()[..i].iter();
                let first = before.find(|before| before.is_parallel(edge, mirrored));
                let first = first.expect("an earlier edge has set the weight");
                return Err(Error::ConflictingWeights {
                    is_directed: !mirrored,
                    edges: [first, edge].map(|edge| list.describe(edge)),
                });
            }
            weights[(u, v)] = weight;
        }
    }
    Ok(weights)
}

impl GraphParams {
    /// Rejects graphs on which the algorithm would be wrong or would not terminate.
    fn check(&self, weights: &Grid<f64>, label: &dyn Fn(usize) -> String) -> Result<()> {
        let no = |found: String| Err(invalid(GraphInstance::wanted(self), found));
        match self.direction {
            Direction::Undirected if !self.either_way => {
                if let Some(edge) = asymmetric_edge(weights) {
                    return no(both_ways(weights, edge, label));
                }
            }
            Direction::Acyclic => {
                if let Some(node) = node_on_a_cycle(weights) {
                    return no(format!("a cycle through node {}", label(node)));
                }
            }
            Direction::Undirected | Direction::Directed => {}
        }
        let negative = weights.edges().find(|&(_, _, w)| w < 0.0);
        match (self.weights, negative) {
            (Weights::Positive | Weights::Lengths, Some((u, v, w))) => {
                no(format!("weight {w} from {} to {}", label(u), label(v)))
            }
            (Weights::SignedLengths, Some(_)) if has_negative_cycle(weights) => {
                no("a cycle of negative weight".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Returns a node that can be reached from a cycle, if there is a cycle: one that is left after
/// removing nodes without incoming edges repeatedly.
pub(crate) fn node_on_a_cycle(weights: &Grid<f64>) -> Option<usize> {
    let n = weights.nodes();
    let mut incoming = vec![0; n];
    for (_, v, _) in weights.edges() {
        incoming[v] += 1;
    }
    let mut free: Vec<usize> = (0..n).filter(|&v| incoming[v] == 0).collect();
    while let Some(u) = free.pop() {
        for (v, _) in weights.neighbours(u) {
            incoming[v] -= 1;
            if incoming[v] == 0 {
                free.push(v);
            }
        }
    }
    (0..n).find(|&v| incoming[v] > 0)
}

/// Whether distances still decrease after `|V|` rounds of relaxation.
fn has_negative_cycle(weights: &Grid<f64>) -> bool {
    let mut distance = vec![0.0; weights.nodes()];
    for _ in 0..weights.nodes() {
        let mut converged = true;
        for (u, v, w) in weights.edges() {
            if distance[u] + w < distance[v] {
                distance[v] = distance[u] + w;
                converged = false;
            }
        }
        if converged {
            return false;
        }
    }
    true
}

#[cfg(test)]
impl GraphInstance {
    /// An undirected graph, each edge listed once.
    pub(crate) fn undirected(nodes: usize, edges: &[(usize, usize, f64)]) -> Self {
        let both_ways = edges.iter().flat_map(|&(u, v, weight)| [(u, v, weight), (v, u, weight)]);
        let edges: Vec<_> = both_ways.collect();
        Self { weights: Grid::from_edges(nodes, &edges), source: 0 }
    }

    /// A random graph for algorithms with these parameters.
    pub(crate) fn drawn(params: &GraphParams, seed: u32, nodes: usize, p: f64) -> Self {
        let options = Options { p: Some(vec![p]), ..Options::default() };
        Self::sample(params, &mut Rng::seeded(seed), nodes, &options).unwrap()
    }

    /// The graph as a petgraph graph, for comparison with petgraph's algorithms.
    pub(crate) fn petgraph<D: petgraph::EdgeType>(&self) -> petgraph::Graph<(), f64, D> {
        let mut graph = petgraph::Graph::default();
        let nodes: Vec<_> = (0..self.weights.nodes()).map(|_| graph.add_node(())).collect();
        for (u, v, weight) in self.weights.edges() {
            if D::is_directed() || u <= v {
                graph.add_edge(nodes[u], nodes[v], weight);
            }
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: &GraphParams, edges: &[(usize, usize, f64)]) -> Result<GraphInstance> {
        GraphInstance::read(params, &UserInstance::new(Data::Edges(edges.to_vec().into())))
    }

    const LENGTHS: GraphParams =
        GraphParams { weights: Weights::SignedLengths, ..GraphParams::UNDIRECTED };

    #[test]
    fn negative_cycles_are_rejected_and_other_negative_edges_are_not() {
        let params = GraphParams { direction: Direction::Directed, ..LENGTHS };
        assert!(read(&params, &[(0, 1, 2.0), (1, 2, -1.0)]).is_ok());
        let error = read(&params, &[(0, 1, 2.0), (1, 2, -1.0), (2, 0, -1.5)]).unwrap_err();
        assert!(error.to_string().ends_with("found a cycle of negative weight"), "{error}");
        // An undirected negative edge is a negative cycle.
        assert!(read(&LENGTHS, &[(0, 1, -1.0)]).is_err());
    }

    #[test]
    fn an_undirected_edge_needs_to_be_listed_only_once() {
        let graph = read(&LENGTHS, &[(0, 1, 2.0), (1, 2, 3.0), (2, 1, 3.0)]).unwrap();
        assert_eq!(graph.weights[(1, 0)], 2.0);
        assert!(read(&LENGTHS, &[(0, 1, 2.0), (1, 0, 3.0)]).is_err());
    }

    #[test]
    fn contradicting_weights_are_named_with_their_places() {
        let error = read(&LENGTHS, &[(0, 1, 2.0), (1, 2, 1.0), (1, 0, 3.0)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected one weight per undirected edge, found 2 from 0 to 1 in edge 0 and 3 from 1 to 0 in edge 2"
        );
        let directed = GraphParams { direction: Direction::Directed, ..LENGTHS };
        assert!(read(&directed, &[(0, 1, 2.0), (1, 0, 3.0)]).is_ok());
        assert!(read(&directed, &[(0, 1, 2.0), (0, 1, 3.0)]).is_err());
    }

    fn reading(params: &GraphParams, user: &UserInstance) -> GraphReading {
        GraphInstance::reading(params, user).unwrap().graph.unwrap()
    }

    #[test]
    fn what_decides_the_direction_is_known() {
        let list = EdgeList::from(vec![(0, 1, 2.0), (1, 2, 3.0)]);
        let user = UserInstance::new(Data::Edges(list.clone()));
        let found = reading(&LENGTHS, &user);
        assert_eq!((found.nodes, found.edges, found.weights), (3, 2, Some((2.0, 3.0))));
        assert_eq!((found.is_directed, found.decided_by), (false, DecidedBy::Default));
        let asked = UserInstance { direction: Some(Direction::Directed), ..user.clone() };
        let found = reading(&LENGTHS, &asked);
        assert_eq!((found.is_directed, found.decided_by), (true, DecidedBy::Caller));

        let mut list = list;
        list.direction = Some(Direction::Directed);
        let stated = UserInstance::new(Data::Edges(list));
        let found = reading(&LENGTHS, &stated);
        assert_eq!((found.is_directed, found.decided_by), (true, DecidedBy::File));
        let undirected = Some(Direction::Undirected);
        let contradicted = UserInstance { direction: undirected, ..stated.clone() };
        let error = GraphInstance::read(&LENGTHS, &contradicted).unwrap_err();
        assert!(error.to_string().ends_with("found a directed graph in the file"), "{error}");
        let only_undirected = GraphParams { either_way: false, ..LENGTHS };
        let error = GraphInstance::read(&only_undirected, &stated).unwrap_err();
        assert!(error.to_string().ends_with("found a directed graph"), "{error}");
        let acyclic = GraphParams { direction: Direction::Acyclic, either_way: false, ..LENGTHS };
        assert!(reading(&acyclic, &stated).is_directed);

        let matrix = |cells: [f64; 4]| {
            let data = Data::Matrix { columns: 2, cells: cells.to_vec() };
            let found = reading(&LENGTHS, &UserInstance::new(data));
            assert_eq!(found.decided_by, DecidedBy::Matrix);
            found.is_directed
        };
        assert!(!matrix([0.0, 1.0, 1.0, 0.0]) && matrix([0.0, 1.0, 0.0, 0.0]));
    }

    #[test]
    fn a_square_table_is_a_matrix_with_names_and_the_source_is_one_of_them() {
        let column = |name: &str, values: [f64; 2]| (name.to_owned(), values.to_vec());
        let table = vec![column("a", [0.0, 0.0]), column("b", [7.0, 0.0])];
        let user =
            UserInstance { source: Some("b".to_owned()), ..UserInstance::new(Data::Table(table)) };
        let params = GraphParams { rooted: true, ..LENGTHS };
        let graph = GraphInstance::read(&params, &user).unwrap();
        assert_eq!((graph.weights[(0, 1)], graph.source), (7.0, 1));
        assert_eq!(GraphInstance::reading(&params, &user).unwrap().names, ["a", "b"]);
        let unknown = UserInstance { source: Some("B".to_owned()), ..user };
        let error = GraphInstance::read(&params, &unknown).unwrap_err();
        assert!(error.to_string().starts_with("unknown node \"B\""), "{error}");
        let same = vec![column("a", [0.0, 0.0]), column("a", [7.0, 0.0])];
        assert!(GraphInstance::read(&params, &UserInstance::new(Data::Table(same))).is_err());
    }

    #[test]
    fn cycles_are_rejected_by_acyclic_domains() {
        let params = GraphParams { direction: Direction::Acyclic, either_way: false, ..LENGTHS };
        let error = read(&params, &[(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)]).unwrap_err();
        assert!(error.to_string().ends_with("found a cycle through node 1"), "{error}");
    }

    #[test]
    fn negative_weights_can_be_sampled_for_acyclic_graphs_only() {
        let sample = |params: &GraphParams| {
            let options = Options { low: Some(-1.0), ..Options::default() };
            GraphInstance::sample(params, &mut Rng::seeded(1), 8, &options)
        };
        let acyclic = GraphParams { direction: Direction::Acyclic, either_way: false, ..LENGTHS };
        let graph = sample(&acyclic).unwrap();
        assert!(graph.weights.edges().any(|(_, _, w)| w < 0.0));
        assert!(sample(&LENGTHS).is_err());
    }
}
