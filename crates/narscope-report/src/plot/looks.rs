//! One SVG in two looks: whoever shows it chooses, by `prefers-color-scheme`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What may have a colour.
const COLOURED: [&str; 2] = ["fill", "stroke"];

/// The light picture, which also knows the colours of the dark one.
///
/// Both must be the same picture: the same elements in the same order, in other colours.
pub(super) fn joined(light: &str, dark: &str) -> String {
    let by_day: Vec<Coloured<'_>> = coloured(light).collect();
    let by_night: Vec<Coloured<'_>> = coloured(dark).collect();
    assert_eq!(by_day.len(), by_night.len(), "light and dark have as many coloured attributes");
    let (mut svg, mut done, mut rules) = (String::new(), 0, BTreeSet::new());
    for (day, night) in by_day.iter().zip(&by_night) {
        assert_eq!(day.name, night.name, "light and dark have the same attributes");
        if day.value != night.value {
            svg.push_str(&light[done..day.end]);
            write!(svg, " data-{}=\"{}\"", night.name, night.value).expect("strings grow");
            done = day.end;
            rules.insert((night.name, night.value));
        }
    }
    svg.push_str(&light[done..]);
    let rules =
        rules.iter().map(|(name, value)| format!("[data-{name}=\"{value}\"]{{{name}:{value}}}"));
    let style: String = rules.collect();
    let body = svg.find('>').map_or(0, |end| end + 1);
    svg.insert_str(body, &format!("<style>@media (prefers-color-scheme:dark){{{style}}}</style>"));
    svg
}

/// An attribute that is a colour.
struct Coloured<'a> {
    name: &'static str,
    value: &'a str,
    /// Where its closing quote ends.
    end: usize,
}

fn coloured(svg: &str) -> impl Iterator<Item = Coloured<'_>> {
    const OPENING: &str = "=\"";
    svg.match_indices(OPENING).filter_map(move |(at, _)| {
        let is_it =
            |name: &&&str| svg[..at].strip_suffix(**name).is_some_and(|it| it.ends_with(' '));
        let name = *COLOURED.iter().find(is_it)?;
        let start = at + OPENING.len();
        let value = svg[start..].split('"').next().expect("there is always a first part");
        Some(Coloured { name, value, end: start + value.len() + 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_another_colour_by_night_says_so_and_nothing_else_changes() {
        let light = r##"<svg fill="black"><rect fill="white" stroke="#111"/><a stroke="red" x="1"/></svg>"##;
        let dark =
            r##"<svg fill="#eee"><rect fill="#222" stroke="#111"/><a stroke="tan" x="1"/></svg>"##;
        let expected = concat!(
            r##"<svg fill="black" data-fill="#eee"><style>@media (prefers-color-scheme:dark)"##,
            r##"{[data-fill="#222"]{fill:#222}[data-fill="#eee"]{fill:#eee}[data-stroke="tan"]{stroke:tan}}</style>"##,
            r##"<rect fill="white" data-fill="#222" stroke="#111"/><a stroke="red" data-stroke="tan" x="1"/></svg>"##,
        );
        assert_eq!(joined(light, dark), expected);
    }
}
