//! Writes a scene as SVG: the same bytes for the same scene, without ids.
//!
//! Without clip paths, gradients and markers nothing needs an id, so that several pictures can stand in one
//! page. Classes are named after the colours that they stand for.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::scene::{Anchor, Area, Fill, Label, Pt, Scene, Shape, Stroke};
use crate::text::{FAMILY, Weight};
use crate::{Colour, Scheme};

/// Points per millimetre.
pub(crate) const POINTS_PER_MM: f64 = 72.0 / 25.4;

/// Which colours an SVG has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    /// Those of one scheme.
    Of(Scheme),
    /// Those of the scheme that the reader's screen prefers.
    Both,
}

/// Which form an SVG has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) colours: Colours,
    /// Whether there is a background.
    pub(crate) background: bool,
}

/// Writes a scene.
pub(crate) fn write(scene: &Scene, form: Form) -> String {
    let mut writer = Writer { svg: String::new(), form, differing: BTreeSet::new() };
    if form.background {
        let area = Area { left: 0.0, top: 0.0, right: scene.width, bottom: scene.height };
        writer.shape(&Shape::filled(area, Colour::Background));
    }
    for shape in &scene.shapes {
        writer.shape(shape);
    }
    let [width, height] = [scene.width, scene.height].map(number);
    let [width_mm, height_mm] =
        [scene.width, scene.height].map(|side| number(side / POINTS_PER_MM));
    let style = style(&writer.differing);
    let body = writer.svg;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width_mm}mm\" height=\"{height_mm}mm\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\">{style}{body}</svg>\n"
    )
}

/// Rules for colours that differ between the schemes.
fn style(differing: &BTreeSet<Rule>) -> String {
    if differing.is_empty() {
        return String::new();
    }
    let rules = differing.iter().map(|rule| match rule {
        Rule::Paint(attribute, light, dark) => {
            format!(".{}{{{attribute}:{dark}}}", class(attribute, light, dark))
        }
        Rule::Images => ".on-light{display:none}.on-dark{display:inline}".to_owned(),
    });
    let rules: String = rules.collect();
    let first = if differing.contains(&Rule::Images) { ".on-dark{display:none}" } else { "" };
    format!("<style>{first}@media (prefers-color-scheme:dark){{{rules}}}</style>")
}

/// A rule of the style sheet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// Attribute, light and dark colour.
    Paint(&'static str, String, String),
    /// Images of dense layers, of which one is visible.
    Images,
}

/// The name says what the class does, so classes of other pictures in the same page do the same.
fn class(attribute: &str, light: &str, dark: &str) -> String {
    format!("{attribute}-{}-{}", &light[1..], &dark[1..])
}

struct Writer {
    svg: String,
    form: Form,
    differing: BTreeSet<Rule>,
}

impl Writer {
    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Path { points, closed, fill, stroke } => {
                let data = path(points, *closed);
                self.open("path", &[("d", data)], *fill, *stroke);
                self.svg.push_str("/>");
            }
            Shape::Circle { at, radius, fill, stroke } => {
                let attributes =
                    [("cx", number(at.0)), ("cy", number(at.1)), ("r", number(*radius))];
                self.open("circle", &attributes, *fill, *stroke);
                self.svg.push_str("/>");
            }
            Shape::Rect { area, fill, stroke } => {
                let attributes = [
                    ("x", number(area.left)),
                    ("y", number(area.top)),
                    ("width", number(area.width().max(0.0))),
                    ("height", number(area.height().max(0.0))),
                ];
                self.open("rect", &attributes, *fill, *stroke);
                self.svg.push_str("/>");
            }
            Shape::Text(label) => self.label(label),
            Shape::Layer(shapes) => shapes.iter().for_each(|shape| self.shape(shape)),
            Shape::Image { area, light, dark } => self.images(*area, light, dark.as_deref()),
        }
    }

    fn label(&mut self, label: &Label) {
        let (x, y) = label.at;
        let mut attributes = if label.angle == 0.0 {
            vec![("x", number(x)), ("y", number(y))]
        } else {
            let turn =
                format!("translate({} {}) rotate({})", number(x), number(y), number(label.angle));
            vec![("transform", turn)]
        };
        attributes.push(("font-size", number(label.size)));
        if label.weight == Weight::Bold {
            attributes.push(("font-weight", "bold".to_owned()));
        }
        match label.anchor {
            Anchor::Start => {}
            Anchor::Middle => attributes.push(("text-anchor", "middle".to_owned())),
            Anchor::End => attributes.push(("text-anchor", "end".to_owned())),
        }
        if label.halo {
            // A copy below, because not every viewer knows `paint-order`.
            let rim = Stroke { opacity: 0.85, ..Stroke::new(Colour::Background, 2.0) };
            let mut below = attributes.clone();
            below.push(("aria-hidden", "true".to_owned()));
            self.text(&below, &label.text, Colour::Background, Some(rim));
        }
        self.text(&attributes, &label.text, label.colour, None);
    }

    fn text(
        &mut self,
        attributes: &[(&str, String)],
        text: &str,
        colour: Colour,
        stroke: Option<Stroke>,
    ) {
        self.open("text", attributes, Some(colour.into()), stroke);
        write!(self.svg, ">{}</text>", escape(text)).expect("writing to a string does not fail");
    }

    /// One bitmap, or one for each scheme.
    fn images(&mut self, area: Area, light: &[u8], dark: Option<&[u8]>) {
        match dark {
            None => self.image(light, area, ""),
            Some(dark) => {
                self.differing.insert(Rule::Images);
                self.image(light, area, " class=\"on-light\"");
                self.image(dark, area, " class=\"on-dark\"");
            }
        }
    }

    fn image(&mut self, png: &[u8], area: Area, class: &str) {
        let [x, y, width, height] = [area.left, area.top, area.width(), area.height()].map(number);
        let bytes = BASE64_STANDARD.encode(png);
        write!(
            self.svg,
            "<image{class} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             preserveAspectRatio=\"none\" href=\"data:image/png;base64,{bytes}\"/>"
        )
        .expect("writing to a string does not fail");
    }

    /// Opens an element; its `>` or `/>` is missing.
    fn open(
        &mut self,
        element: &str,
        attributes: &[(&str, String)],
        fill: Option<Fill>,
        stroke: Option<Stroke>,
    ) {
        write!(self.svg, "<{element}").expect("writing to a string does not fail");
        for (name, value) in attributes {
            self.attribute(name, value);
        }
        let mut classes = vec![];
        match fill {
            None => self.attribute("fill", "none"),
            Some(fill) => {
                classes.extend(self.paint("fill", fill.colour));
                if fill.opacity < 1.0 {
                    self.attribute("fill-opacity", &number(fill.opacity));
                }
            }
        }
        if let Some(stroke) = stroke {
            classes.extend(self.paint("stroke", stroke.colour));
            self.attribute("stroke-width", &number(stroke.width));
            if stroke.opacity < 1.0 {
                self.attribute("stroke-opacity", &number(stroke.opacity));
            }
            if let Some((dash, gap)) = stroke.dash {
                self.attribute("stroke-dasharray", &format!("{} {}", number(dash), number(gap)));
            }
            if element != "rect" {
                self.attribute("stroke-linejoin", "round");
            }
        }
        if !classes.is_empty() {
            self.attribute("class", &classes.join(" "));
        }
    }

    fn attribute(&mut self, name: &str, value: &str) {
        write!(self.svg, " {name}=\"{value}\"").expect("writing to a string does not fail");
    }

    /// Writes a colour, and returns the class that changes it on dark screens.
    fn paint(&mut self, attribute: &'static str, colour: Colour) -> Option<String> {
        let scheme = match self.form.colours {
            Colours::Of(scheme) => scheme,
            Colours::Both => Scheme::Light,
        };
        let hex = colour.hex(scheme);
        self.attribute(attribute, &hex);
        let dark = colour.hex(Scheme::Dark);
        (self.form.colours == Colours::Both && dark != hex).then(|| {
            let class = class(attribute, &hex, &dark);
            self.differing.insert(Rule::Paint(attribute, hex, dark));
            class
        })
    }
}

fn path(points: &[Pt], closed: bool) -> String {
    let mut data = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        write!(data, "{command}{} {}", number(*x), number(*y))
            .expect("writing to a string does not fail");
    }
    if closed {
        data.push('Z');
    }
    data
}

/// A number with at most two decimals.
pub(crate) fn number(value: f64) -> String {
    // Adding zero turns -0 into 0.
    let rounded = (100.0 * value).round() / 100.0 + 0.0;
    if rounded.is_finite() { rounded.to_string() } else { "0".to_owned() }
}

/// The text with XML's special characters escaped.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_decimals_at_most() {
        for (value, text) in [(1.0, "1"), (0.126, "0.13"), (-0.001, "0"), (f64::NAN, "0")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn special_characters_are_escaped() {
        let mut scene = Scene { width: 10.0, height: 10.0, shapes: vec![] };
        scene.text(Label::new((0.0, 0.0), "</text><script>&\"\u{1}", 7.0));
        let form = Form { colours: Colours::Both, background: true };
        let svg = write(&scene, form);
        assert!(svg.contains("&lt;/text&gt;&lt;script&gt;&amp;&quot;\u{fffd}</text>"), "{svg}");
    }
}
