//! Merges a light and a dark SVG into one that follows `prefers-color-scheme`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Attributes with colours.
const ATTRIBUTES: [&str; 2] = ["fill", "stroke"];

/// Returns the light SVG with the colours of the dark one in a media query.
///
/// Both must have the same elements in the same order and differ in colours only.
pub(super) fn merge(light: &str, dark: &str) -> String {
    let light_colours: Vec<ColourAttribute<'_>> = colour_attributes(light).collect();
    let dark_colours: Vec<ColourAttribute<'_>> = colour_attributes(dark).collect();
    assert_eq!(light_colours.len(), dark_colours.len(), "light and dark differ in attributes");
    let (mut svg, mut copied, mut rules) = (String::new(), 0, BTreeSet::new());
    for (in_light, in_dark) in light_colours.iter().zip(&dark_colours) {
        assert_eq!(in_light.name, in_dark.name, "light and dark differ in attributes");
        if in_light.value != in_dark.value {
            svg.push_str(&light[copied..in_light.end]);
            write!(svg, " data-{}=\"{}\"", in_dark.name, in_dark.value)
                .expect("writing to a string does not fail");
            copied = in_light.end;
            rules.insert((in_dark.name, in_dark.value));
        }
    }
    svg.push_str(&light[copied..]);
    let rules =
        rules.iter().map(|(name, value)| format!("[data-{name}=\"{value}\"]{{{name}:{value}}}"));
    let style: String = rules.collect();
    let body = svg.find('>').map_or(0, |end| end + 1);
    svg.insert_str(body, &format!("<style>@media (prefers-color-scheme:dark){{{style}}}</style>"));
    svg
}

/// A colour attribute of an SVG.
struct ColourAttribute<'a> {
    name: &'static str,
    value: &'a str,
    /// Byte offset after its closing quote.
    end: usize,
}

fn colour_attributes(svg: &str) -> impl Iterator<Item = ColourAttribute<'_>> {
    const OPENING: &str = "=\"";
    svg.match_indices(OPENING).filter_map(move |(at, _)| {
        let is_attribute =
            |name: &&&str| svg[..at].strip_suffix(**name).is_some_and(|it| it.ends_with(' '));
        let name = *ATTRIBUTES.iter().find(is_attribute)?;
        let start = at + OPENING.len();
        let value = svg[start..].split('"').next().expect("split returns at least one part");
        Some(ColourAttribute { name, value, end: start + value.len() + 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_with_another_dark_colour_get_a_rule_and_nothing_else_changes() {
        let light = r##"<svg fill="black"><rect fill="white" stroke="#111"/><a stroke="red" x="1"/></svg>"##;
        let dark =
            r##"<svg fill="#eee"><rect fill="#222" stroke="#111"/><a stroke="tan" x="1"/></svg>"##;
        let expected = concat!(
            r##"<svg fill="black" data-fill="#eee"><style>@media (prefers-color-scheme:dark)"##,
            r##"{[data-fill="#222"]{fill:#222}[data-fill="#eee"]{fill:#eee}[data-stroke="tan"]{stroke:tan}}</style>"##,
            r##"<rect fill="white" data-fill="#222" stroke="#111"/><a stroke="red" data-stroke="tan" x="1"/></svg>"##,
        );
        assert_eq!(merge(light, dark), expected);
    }
}
