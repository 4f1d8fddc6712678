//! What holds for every picture.

use crate::scene::Shape;
use crate::{Colour, Edge, Graph, Node, Panel, Picture, Scheme, Style, samples};

/// The widths of journals, and a narrow screen.
const WIDTHS: [f64; 3] = [85.0, 170.0, 60.0];

/// Checks every picture at every width, and fails with all that was found.
fn at_every_width(check: impl Fn(&Picture, &Style) -> Vec<String>) {
    let mut found = vec![];
    for (name, picture) in samples::all() {
        for width in WIDTHS {
            if name == "sixty-nodes" && width < 85.0 {
                // So many names cannot be read on a phone without zooming in.
                continue;
            }
            let style = Style { width_mm: Some(width), ..Style::default() };
            let problems = check(&picture, &style).into_iter();
            found.extend(problems.map(|problem| format!("{name} at {width} mm: {problem}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_text_overlaps_another() {
    at_every_width(|picture, style| {
        let overlaps = picture.text_overlaps(style).into_iter();
        overlaps.map(|(a, b)| format!("'{a}' and '{b}'")).collect()
    });
}

#[test]
fn everything_is_inside_of_the_picture() {
    at_every_width(|picture, style| {
        let scene = picture.scene(style);
        let is_outside = |shape: &&Shape| {
            shape.area().is_some_and(|area| {
                area.left < -0.01
                    || area.top < -0.01
                    || area.right > scene.width + 0.01
                    || area.bottom > scene.height + 0.01
            })
        };
        let outside = scene.shapes.iter().filter(is_outside);
        outside.map(|shape| format!("{shape:?}")).collect()
    });
}

#[test]
fn text_has_seven_to_nine_points() {
    at_every_width(|picture, style| {
        let texts = picture.scene(style).shapes.into_iter().filter_map(|shape| match shape {
            Shape::Text(label) => Some(label),
            _ => None,
        });
        let wrong = texts.filter(|label| !(7.0..=9.0).contains(&label.size));
        wrong.map(|label| format!("{label:?}")).collect()
    });
}

#[test]
fn the_same_picture_gives_the_same_bytes_on_any_thread() {
    let style = Style { width_mm: Some(85.0), dense_dpi: 100.0, ..Style::default() };
    let render = |picture: &Picture| {
        let svg = picture.svg_light_and_dark(&style).unwrap();
        (svg, picture.png(&style, 50.0).unwrap(), picture.pdf(&style).unwrap())
    };
    let once: Vec<_> = samples::all().iter().map(|(_, picture)| render(picture)).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let pictures = samples::all();
                    pictures.iter().map(|(_, picture)| render(picture)).collect::<Vec<_>>()
                })
            })
            .collect();
        for thread in threads {
            let again = thread.join().unwrap();
            for ((name, _), (a, b)) in samples::all().iter().zip(once.iter().zip(&again)) {
                assert!(a.0 == b.0, "the SVG of {name} differs");
                assert!(a.1 == b.1, "the PNG of {name} differs");
                assert!(a.2 == b.2, "the PDF of {name} differs");
            }
        }
    });
}

#[test]
fn light_and_dark_are_one_drawing() {
    for (name, picture) in samples::all() {
        let style = Style { dense_dpi: 50.0, ..Style::default() };
        let light = picture.svg(&style).unwrap();
        let dark = picture.svg(&Style { scheme: Scheme::Dark, ..style }).unwrap();
        let both = picture.svg_light_and_dark(&style).unwrap();
        let texts = |svg: &str| svg.matches("<text").count();
        assert_eq!(texts(&light), texts(&both), "{name}");
        assert_eq!(texts(&light), texts(&dark), "{name}");
        assert!(both.matches("@media (prefers-color-scheme:dark)").count() == 1, "{name}");
        assert!(!both.contains(" id="), "{name} has an id");
    }
}

#[test]
fn dense_layers_are_small_bitmaps() {
    let pictures = samples::all();
    let (_, dense) = pictures.iter().find(|(name, _)| *name == "dense").unwrap();
    let svg = dense.svg(&Style::default()).unwrap();
    assert_eq!(svg.matches("<image").count(), 1);
    assert!(svg.len() < 500_000, "{} bytes", svg.len());
    // The other panel has few points.
    assert!(svg.matches("<circle").count() > 300);
}

#[test]
fn text_of_a_pdf_can_be_searched() {
    let (_, picture) = &samples::all()[0];
    let pdf = picture.pdf(&Style::default()).unwrap();
    // Without compressed streams for objects, the dictionary of an embedded font is plain text.
    let has = |what: &str| pdf.windows(what.len()).any(|bytes| bytes == what.as_bytes());
    assert!(has("/FontFile2") || has("/CIDFontType2"), "no embedded font");
    assert!(has("/ToUnicode"), "no way from glyphs to letters");
}

#[test]
fn large_graphs_have_names_only_where_a_colour_stands_out() {
    let picture = |nodes: usize| {
        let edges = (1..nodes).map(|node| Edge::new(node / 2, node).label("7"));
        let nodes = (0..nodes).map(|node| {
            let colour = if node == 3 { Colour::Source } else { Colour::Muted };
            Node::new(format!("node {node}"), colour)
        });
        let graph = Graph::new(nodes.collect(), edges.collect());
        Picture {
            panels: vec![Panel { marks: vec![graph.into()], bare: true, ..Panel::default() }],
            ..Picture::default()
        }
    };
    let texts = |nodes: usize| -> Vec<String> {
        let shapes = picture(nodes).scene(&Style::default()).shapes.into_iter();
        shapes
            .filter_map(|it| if let Shape::Text(label) = it { Some(label.text) } else { None })
            .collect()
    };
    assert!(texts(Graph::MOST_NAMED).len() >= Graph::MOST_NAMED);
    assert_eq!(texts(Graph::MOST_NAMED + 1), ["node 3"]);
}
