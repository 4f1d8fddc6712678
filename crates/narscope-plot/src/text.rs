//! Text: what may be drawn, how wide it is, where its lines break.

use std::sync::LazyLock;

use ttf_parser::Face;

/// Regular or bold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Weight {
    #[default]
    Regular,
    Bold,
}

/// Names of fonts in an SVG. Verdana has the same widths, so a page without the first looks the same.
pub(crate) const FAMILY: &str = "DejaVu Sans,Verdana,sans-serif";

/// Height of a capital letter, in em.
pub(crate) const CAPITAL: f64 = 0.73;
/// What reaches below the baseline, in em.
pub(crate) const DESCENT: f64 = 0.21;
/// Distance of baselines, in em.
pub(crate) const LEADING: f64 = 1.2;

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| face(dejavu::sans::regular()));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| face(dejavu::sans::bold()));

fn face(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("the font in the program is a font")
}

/// Width of a text in points, without kerning (which makes it narrower at most).
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let face = match weight {
        Weight::Regular => &*REGULAR,
        Weight::Bold => &*BOLD,
    };
    let em = f64::from(face.units_per_em());
    let advance = |letter: char| {
        let glyph = face.glyph_index(letter)?;
        face.glyph_hor_advance(glyph).map(|advance| f64::from(advance) / em)
    };
    // What the font lacks is drawn by another one: most such letters are about one em wide.
    size * text.chars().map(|letter| advance(letter).unwrap_or(1.0)).sum::<f64>()
}

/// The text with whitespace made single spaces, and characters that XML forbids made visible.
pub(crate) fn clean(text: &str) -> String {
    let is_forbidden =
        |letter: char| letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}');
    let visible = text.chars().map(|letter| match letter {
        // No-break and thin spaces are kept, they are meant.
        ' ' | '\t' | '\n' | '\r' => ' ',
        letter if is_forbidden(letter) => '\u{fffd}',
        letter => letter,
    });
    let visible: String = visible.collect();
    visible.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Breaks a text into lines of at most `most` points. Words that are too long for a line stay whole, if they
/// have no place to break.
pub(crate) fn wrap(text: &str, size: f64, weight: Weight, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in pieces(&clean(text)) {
        match lines.last_mut() {
            Some(line) if width(&format!("{line}{}", word.trim_end()), size, weight) <= most => {
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

/// Parts between which a line may break: after spaces, underscores, hyphens and slashes.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '_', '-', '/'])
}

/// Width of the longest piece that a line cannot break.
pub(crate) fn longest_piece(text: &str, size: f64, weight: Weight) -> f64 {
    pieces(&clean(text)).map(|piece| width(piece.trim_end(), size, weight)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // From the font's table of widths: M is 1767 of 2048, bold 2038.
        assert!((width("M", 2048.0, Weight::Regular) - 1767.0).abs() < 1e-9);
        assert!((width("M", 2048.0, Weight::Bold) - 2038.0).abs() < 1e-9);
    }

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(clean("a\u{0}b\u{1b}[2J\tc\nd"), "a\u{fffd}b\u{fffd}[2J c d");
    }

    proptest! {
        #[test]
        fn wrapping_keeps_all_letters(text in "[a-z_ /-]{0,60}", most in 5.0..200.0f64) {
            let lines = wrap(&text, 7.0, Weight::Regular, most);
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
            for line in &lines {
                let too_wide = width(line, 7.0, Weight::Regular) > most;
                prop_assert!(!too_wide || pieces(line).count() == 1, "{}", line);
            }
        }

        #[test]
        fn clean_text_is_legal_xml(text in "\\PC*|.*") {
            prop_assert!(clean(&text).chars().all(|c| !c.is_control()));
        }
    }
}
