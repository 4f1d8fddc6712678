//! `.json`: a graph or a list of graphs as nodes and links, as networkx's `node_link_data` makes
//! them.

use narscope_clrs::instance::user::{Data, Place};
use serde::Deserialize;
use serde_json::Value;

use super::listed::{self, Edge};
use super::{Named, text};
use crate::error::{Misread, misread};

/// A graph. What is not listed here is ignored: other attributes of nodes and edges, and whether
/// there may be parallel edges.
#[derive(Deserialize)]
struct Graph {
    directed: Option<bool>,
    #[serde(default, rename = "graph")]
    attributes: Value,
    nodes: Vec<Node>,
    /// Edges, as networkx called them until version 3.4.
    links: Option<Vec<Link>>,
    edges: Option<Vec<Link>>,
}

#[derive(Deserialize)]
struct Node {
    id: Value,
}

#[derive(Deserialize)]
struct Link {
    source: Value,
    target: Value,
    weight: Option<f64>,
}

/// Parses a graph, or each graph of a list.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Named>, Misread> {
    let text = text::utf8(bytes)?;
    let is_list = text.trim_start().starts_with('[');
    let graphs: Vec<Graph> = if is_list {
        serde_json::from_str(text)
    } else {
        serde_json::from_str(text).map(|graph| vec![graph])
    }
    .map_err(|error| {
        misread("a graph as JSON with nodes and links, or a list of them", error.to_string())
    })?;
    if graphs.is_empty() {
        return Err(misread("a graph", "an empty list"));
    }
    let own: Vec<Option<String>> = graphs.iter().map(Graph::name).collect();
    let named = graphs.into_iter().zip(listed::names(&own));
    named
        .map(|(graph, name)| {
            let data = graph.read();
            let data = data.map_err(|misread| match &name {
                Some(name) => misread.found_in(&format!("graph {name}")),
                None => misread,
            })?;
            Ok((name, data))
        })
        .collect()
}

impl Graph {
    fn name(&self) -> Option<String> {
        let name = self.attributes.get("name")?.as_str()?;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn read(self) -> Result<Data, Misread> {
        let links = match (self.links, self.edges) {
            (Some(links), None) | (None, Some(links)) => links,
            (None, None) => return Err(misread("the key links or edges", "neither")),
            (Some(_), Some(_)) => return Err(misread("the key links or edges", "both")),
        };
        let nodes = self.nodes.iter().map(|node| label(&node.id));
        let nodes: Vec<String> = nodes.collect::<Result<_, _>>()?;
        let edges = links.iter().enumerate().map(|(i, link)| {
            Ok(Edge {
                source: label(&link.source)?,
                target: label(&link.target)?,
                weight: link.weight,
                place: Place::Edge(i),
            })
        });
        let edges = edges.collect::<Result<_, Misread>>()?;
        listed::graph(self.directed, nodes.into_iter(), edges)
    }
}

/// What a node is called. networkx allows any value; tuples become lists.
fn label(id: &Value) -> Result<String, Misread> {
    match id {
        Value::String(text) => Ok(text.clone()),
        Value::Null => Err(misread("the name of a node", "null")),
        other => Ok(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use narscope_clrs::instance::user::EdgeList;
    use narscope_clrs::options::Direction;

    use super::*;

    #[test]
    fn graphs_that_networkx_wrote_are_read_under_both_keys() {
        let links = parse(include_bytes!("../../tests/instances/roads-links.json")).unwrap();
        let edges = parse(include_bytes!("../../tests/instances/roads-edges.json")).unwrap();
        assert_eq!(links, edges);
        let mut list = EdgeList::new(Some(Direction::Undirected));
        for node in ["Berlin", "Hamburg", "München", "Island"] {
            list.add_node(node);
        }
        list.add_edge("Berlin", "Hamburg", 289.0, Place::Edge(0));
        list.add_edge("Berlin", "München", 585.5, Place::Edge(1));
        assert_eq!(links, [(None, Data::Edges(list))]);
    }

    #[test]
    fn a_list_of_graphs_that_networkx_wrote_has_their_names() {
        let all = parse(include_bytes!("../../tests/instances/several.json")).unwrap();
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_deref().unwrap()).collect();
        assert_eq!(names, ["ring", "grid"]);
        let Data::Edges(grid) = &all[1].1 else { panic!("{all:?}") };
        assert_eq!(grid.direction, Some(Direction::Directed));
        assert!(grid.has_node("[0,1]"), "a tuple");
    }

    #[test]
    fn mistakes_are_named() {
        let found = |text: &str| parse(text.as_bytes()).unwrap_err().found;
        assert_eq!(found(r#"{"nodes": []}"#), "neither");
        assert_eq!(found("[]"), "an empty list");
        assert!(found(r#"{"links": []}"#).starts_with("missing field `nodes`"));
        let weight =
            r#"{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 1, "weight": "x"}]}"#;
        assert!(found(weight).contains("line 1"), "{}", found(weight));
        let missing = r#"{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}"#;
        assert_eq!(found(missing), "\"2\", which is not listed, in edge 0");
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
