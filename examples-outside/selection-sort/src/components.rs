//! Connected components by label propagation, with a sampler of its own.

use narscope_clrs::instance::Instance;
use narscope_clrs::instance::user::{Data, EdgeList, Reading, UserInstance};
use narscope_clrs::{
    Algorithm, Category, Edge, EdgeMask, EdgeScalar, Error, Grid, NodeMask, NodePointer,
    NodeScalar, OptionName, Options, Result, Rng, Tracer, probes,
};

/// An undirected graph of several trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    /// 1 for each edge, in both directions; 0 for no edge.
    pub edges: Grid<f64>,
}

/// Parameters of the sampler of forests.
pub struct ForestParams {
    /// The probability that a node starts a new tree.
    pub new_tree: f64,
}

impl Forest {
    fn from_pairs(nodes: usize, pairs: &[(usize, usize)]) -> Self {
        let mut edges = Grid::filled(nodes, 0.0);
        for &(u, v) in pairs {
            edges[(u, v)] = 1.0;
            edges[(v, u)] = 1.0;
        }
        Self { edges }
    }
}

impl Instance for Forest {
    type Params = ForestParams;

    fn options(_params: &ForestParams, _options: &Options) -> Vec<OptionName> {
        vec![]
    }

    fn sample(params: &ForestParams, rng: &mut Rng, length: usize, _: &Options) -> Result<Self> {
        if length < 2 {
            return Err(Error::TooSmall { least: 2, got: length });
        }
        // Each node joins a random earlier one or starts a new tree; then nodes are shuffled.
        let name = rng.permutation(length);
        let mut pairs = vec![];
        for v in 1..length {
            if rng.double() >= params.new_tree {
                pairs.push((name[v], name[rng.below(v)]));
            }
        }
        Ok(Self::from_pairs(length, &pairs))
    }

    fn wanted(_params: &ForestParams) -> String {
        "an edge list of an undirected graph".to_owned()
    }

    fn read(params: &ForestParams, user: &UserInstance) -> Result<Self> {
        let edges = edge_list(params, user)?;
        let nodes = edges.numbered()?;
        let pairs: Vec<(usize, usize)> =
            edges.edges().iter().map(|edge| edge.ends(&nodes, &nodes)).collect();
        Ok(Self::from_pairs(nodes.nodes, &pairs))
    }

    fn reading(params: &ForestParams, user: &UserInstance) -> Result<Reading> {
        let names = edge_list(params, user)?.numbered()?.names;
        Ok(Reading { names, graph: None })
    }
}

/// The edges that a user gave.
fn edge_list<'a>(params: &ForestParams, user: &'a UserInstance) -> Result<&'a EdgeList> {
    match &user.data {
        Data::Edges(edges) if !edges.is_empty() => Ok(edges),
        other => {
            let (wanted, found) = (Forest::wanted(params), other.to_string());
            Err(Error::BadInstance { wanted, found })
        }
    }
}

/// Every node takes the smallest label of its neighbours until no label changes.
pub struct Components;

probes!(Components {
    input {
        /// position in the list of nodes, scaled to [0, 1)
        pos: NodeScalar,
        /// 1 for each edge
        A: EdgeScalar,
        /// adjacency, including self-loops
        adj: EdgeMask,
    }
    output {
        /// smallest node of the component
        label: NodePointer,
    }
    hint {
        /// smallest node known so far
        label_h: NodePointer,
        /// nodes whose label changed in this step
        changed: NodeMask,
    }
});

impl Algorithm for Components {
    const NAME: &'static str = "components";
    const SUMMARY: &'static str = "connected components by label propagation";
    const CATEGORY: Category = Category::Graphs;
    type Instance = Forest;
    const PARAMS: ForestParams = ForestParams { new_tree: 0.2 };
    const IN_CLRS_30: bool = false;

    fn input(Forest { edges }: Forest) -> Input {
        Input {
            pos: NodeScalar::positions(edges.nodes()),
            adj: EdgeMask::adjacency(&edges),
            A: Edge(edges),
        }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let n = input.A.nodes();
        let mut x = Hint { label_h: NodePointer::to_self(n), changed: NodeMask::filled(n, true) };
        trace.hint(&x);
        while x.changed.contains(&true) {
            let old = x.label_h.clone();
            for v in 0..n {
                let neighbours = input.A.neighbours(v).map(|(u, _)| old[u]);
                x.label_h[v] = neighbours.fold(old[v], usize::min);
                x.changed[v] = x.label_h[v] != old[v];
            }
            trace.hint(&x);
        }
        Output { label: x.label_h }
    }
}
