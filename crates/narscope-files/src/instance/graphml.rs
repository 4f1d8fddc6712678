//! `.graphml`: graphs in XML, as networkx and other programs write them.

use narscope_clrs::instance::user::{Data, Place};
use roxmltree::{Document, Node, ParsingOptions};

use super::listed::{self, Edge};
use super::{Named, text};
use crate::error::{Misread, misread};

/// Largest number of XML nodes: elements, and the text between them.
const MOST_NODES: u32 = 20_000_000;

/// Parses every graph of the file. Entities of the file's own, which could grow without bound, are
/// refused.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Named>, Misread> {
    let text = text::utf8(bytes)?;
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| misread("GraphML", error.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        let found = format!("the element {:?}", root.tag_name().name());
        return Err(misread("GraphML, whose first element is graphml", found));
    }
    let file = File { lines: Lines::of(text), weight: WeightKey::of(root)? };
    let graphs: Vec<Node<'_, '_>> = children(root, "graph").collect();
    if graphs.is_empty() {
        return Err(misread("an element graph", "none"));
    }
    let own: Vec<Option<String>> =
        graphs.iter().map(|graph| graph.attribute("id").map(str::to_owned)).collect();
    let parsed = graphs.into_iter().zip(listed::names(&own));
    parsed.map(|(graph, name)| Ok((name, file.graph(graph)?))).collect()
}

/// Child elements of this name, in any namespace.
fn children<'a, 'i: 'a>(
    parent: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// What the graphs of a file have in common.
struct File {
    lines: Lines,
    weight: Option<WeightKey>,
}

impl File {
    fn graph(&self, graph: Node<'_, '_>) -> Result<Data, Misread> {
        let place = |node: Node<'_, '_>| Place::Line(self.lines.at(node.range().start));
        let required = |node: Node<'_, '_>, name: &str| {
            node.attribute(name).map(str::to_owned).ok_or_else(|| {
                let element = node.tag_name().name().to_owned();
                let found = format!("none of {element} in {}", place(node));
                misread(format!("the attribute {name}"), found)
            })
        };
        let is_directed = match required(graph, "edgedefault")?.as_str() {
            "directed" => true,
            "undirected" => false,
            other => {
                let found = format!("{other:?} in {}", place(graph));
                return Err(misread("edgedefault directed or undirected", found));
            }
        };
        let refused = children(graph, "hyperedge").next();
        let nested = children(graph, "node").find(|node| children(*node, "graph").next().is_some());
        if let Some(element) = refused.or(nested) {
            let found = format!("one in {}", place(element));
            return Err(misread("no hyperedges and no graphs inside of nodes", found));
        }
        let nodes = children(graph, "node").map(|node| required(node, "id"));
        let nodes: Vec<String> = nodes.collect::<Result<_, _>>()?;
        let edges = children(graph, "edge").map(|edge| {
            let own = edge.attribute("directed").map(|own| own == "true");
            if own.is_some_and(|own| own != is_directed) {
                let found = format!("both in {}", place(edge));
                return Err(misread("edges that are all directed or all undirected", found));
            }
            Ok(Edge {
                source: required(edge, "source")?,
                target: required(edge, "target")?,
                weight: self.weight_of(edge, place(edge))?,
                place: place(edge),
            })
        });
        let edges = edges.collect::<Result<_, Misread>>()?;
        listed::graph(Some(is_directed), nodes.into_iter(), edges)
    }

    fn weight_of(&self, edge: Node<'_, '_>, place: Place) -> Result<Option<f64>, Misread> {
        let Some(key) = &self.weight else { return Ok(None) };
        let own = children(edge, "data").find(|data| data.attribute("key") == Some(&key.id));
        match own {
            Some(data) => weight(data.text(), &place.to_string()).map(Some),
            None => Ok(key.default),
        }
    }
}

/// The key of the attribute `weight` of edges.
struct WeightKey {
    id: String,
    default: Option<f64>,
}

impl WeightKey {
    fn of(root: Node<'_, '_>) -> Result<Option<Self>, Misread> {
        let is_weight = |key: &Node<'_, '_>| {
            let of_edges = matches!(key.attribute("for"), None | Some("edge" | "all"));
            of_edges && key.attribute("attr.name") == Some("weight")
        };
        let Some(key) = children(root, "key").find(is_weight) else { return Ok(None) };
        let id = key.attribute("id").unwrap_or_default().to_owned();
        let default = children(key, "default").next();
        let default = default.map(|it| weight(it.text(), "the default")).transpose()?;
        Ok(Some(Self { id, default }))
    }
}

fn weight(text: Option<&str>, place: &str) -> Result<f64, Misread> {
    let text = text.unwrap_or_default().trim();
    text.parse().map_err(|_| misread("a number as weight", format!("{text:?} in {place}")))
}

/// The starts of lines, to tell the line of an element.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(place, _)| place).collect())
    }

    /// The line of a byte, from 1.
    fn at(&self, byte: usize) -> u64 {
        self.0.partition_point(|&end| end < byte) as u64 + 1
    }
}

#[cfg(test)]
mod tests {
    use narscope_clrs::instance::user::EdgeList;
    use narscope_clrs::options::Direction;

    use super::*;

    fn found(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().found
    }

    /// A document with the given graph.
    fn document(graph: &str) -> String {
        let key = r#"<key id="d0" for="edge" attr.name="weight" attr.type="double"/>"#;
        format!("<graphml>\n{key}\n{graph}</graphml>")
    }

    #[test]
    fn a_graph_that_networkx_wrote_is_read_with_names_and_weights() {
        let bytes = include_bytes!("../../tests/instances/roads.graphml");
        let mut list = EdgeList::new(Some(Direction::Undirected));
        for node in ["Berlin", "Hamburg", "München", "Island"] {
            list.add_node(node);
        }
        list.add_edge("Berlin", "Hamburg", 289.0, Place::Line(9));
        list.add_edge("Berlin", "München", 585.5, Place::Line(12));
        assert_eq!(parse(bytes).unwrap(), [(None, Data::Edges(list))]);
    }

    #[test]
    fn several_graphs_are_known_by_their_ids() {
        let graph = |id: &str| {
            format!("<graph id='{id}' edgedefault='directed'><node id='a'/><node id='b'/></graph>")
        };
        let names = |ids: [&str; 2]| {
            let all = parse(document(&ids.map(graph).concat()).as_bytes()).unwrap();
            all.into_iter().map(|(name, _)| name.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(names(["north", "south"]), ["north", "south"]);
        assert_eq!(names(["same", "same"]), ["0", "1"]);
    }

    #[test]
    fn what_cannot_be_one_graph_is_refused_with_its_line() {
        let graph = |inside: &str| {
            document(&format!("<graph edgedefault='undirected'>\n{inside}\n</graph>"))
        };
        let nodes = "<node id='a'/><node id='b'/>";
        let edge = |rest: &str| graph(&format!("{nodes}<edge source='a' target='b'{rest}"));
        assert_eq!(found(&edge(" directed='true'/>")), "both in line 4");
        assert_eq!(found(&edge("><data key='d0'>far</data></edge>")), "\"far\" in line 4");
        assert_eq!(found(&graph("<node/>")), "none of node in line 4");
        assert_eq!(found(&graph("<node id='a'/><node id='a'/>")), "\"a\" twice");
        let missing = graph("<node id='a'/><edge source='a' target='c'/>");
        assert_eq!(found(&missing), "\"c\", which is not listed, in line 4");
        let some = "<edge source='a' target='b'><data key='d0'>1</data></edge><edge source='b' target='b'/>";
        assert_eq!(found(&graph(&format!("{nodes}{some}"))), "none from b to b in line 4");
        assert_eq!(found(&graph("<hyperedge/>")), "one in line 4");
        assert_eq!(found(&document("<graph edgedefault='both'/>")), "\"both\" in line 3");
        assert_eq!(found("<html/>"), "the element \"html\"");
    }

    #[test]
    fn entities_and_deep_nesting_do_no_harm() {
        let bomb = "<!DOCTYPE g [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><graphml>&b;</graphml>";
        assert!(parse(bomb.as_bytes()).is_err());
        let outside = "<!DOCTYPE g SYSTEM 'file:///etc/passwd'><graphml/>";
        assert!(parse(outside.as_bytes()).is_err());
        let deep = format!("<graphml>{}", "<a>".repeat(300_000));
        assert!(parse(deep.as_bytes()).is_err());
        let deep =
            format!("<graphml>{}{}</graphml>", "<a>".repeat(300_000), "</a>".repeat(300_000));
        assert!(parse(deep.as_bytes()).is_err());
    }
}
