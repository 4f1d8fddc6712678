//! Colours that colour-blind readers can distinguish, on light and dark backgrounds.

use super::ColourScheme;

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    /// One of several categories.
    Category(usize),
    /// A position on a continuous scale, from 0 to 1.
    Scale(f64),
    /// Line of a trajectory.
    Trajectory,
    /// Correct predictions.
    Correct,
    /// Wrong predictions.
    Wrong,
    /// Background and reference lines.
    Muted,
    /// Text.
    Text,
    /// Source node, and predicted edges that are not in the true tree.
    Source,
    /// Edges of the true tree that were not predicted.
    Missed,
    /// Edges of the true tree that were predicted.
    Found,
}

/// Okabe and Ito's palette; brown and grey replace black, which is invisible on dark backgrounds.
const CATEGORIES: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#7F7F7F"];

impl Colour {
    /// The colour as `#rrggbb`.
    pub fn hex(self, scheme: ColourScheme) -> String {
        match (self, scheme) {
            (Self::Category(index), _) => CATEGORIES[index % CATEGORIES.len()].to_owned(),
            (Self::Scale(share), ColourScheme::Light) => on_scale(share, &VIRIDIS),
            (Self::Scale(share), ColourScheme::Dark) => on_scale(share, &VIRIDIS_ON_DARK),
            (Self::Trajectory, ColourScheme::Light) => "#E8A09A".to_owned(),
            (Self::Trajectory, ColourScheme::Dark) => "#8E3B34".to_owned(),
            (Self::Correct, ColourScheme::Light) | (Self::Missed, _) => "#0072B2".to_owned(),
            (Self::Correct, ColourScheme::Dark) => "#56B4E9".to_owned(),
            (Self::Wrong, _) => "#D55E00".to_owned(),
            (Self::Source, _) => "#E0524D".to_owned(),
            (Self::Found, _) => "#009E73".to_owned(),
            (Self::Text, ColourScheme::Light) => "#000000".to_owned(),
            (Self::Text, ColourScheme::Dark) => "#E0E0E0".to_owned(),
            (Self::Muted, ColourScheme::Light) => "#8A8A8A".to_owned(),
            (Self::Muted, ColourScheme::Dark) => "#9A9A9A".to_owned(),
        }
    }
}

/// Colours of viridis, with evenly increasing brightness; the last one is darker, as viridis ends too pale
/// for points.
const VIRIDIS: [[f64; 3]; 6] = [
    [68.0, 1.0, 84.0],
    [65.0, 68.0, 135.0],
    [42.0, 120.0, 142.0],
    [34.0, 168.0, 132.0],
    [122.0, 209.0, 81.0],
    [210.0, 200.0, 40.0],
];

/// The same hues, the first ones brighter to be visible on dark backgrounds.
const VIRIDIS_ON_DARK: [[f64; 3]; 6] = [
    [150.0, 100.0, 205.0],
    [95.0, 125.0, 205.0],
    [60.0, 150.0, 180.0],
    [40.0, 180.0, 140.0],
    [122.0, 209.0, 81.0],
    [230.0, 220.0, 60.0],
];

fn on_scale(share: f64, scale: &[[f64; 3]; 6]) -> String {
    let position = share.clamp(0.0, 1.0) * (scale.len() - 1) as f64;
    let (left, right) = (position.floor() as usize, position.ceil() as usize);
    mix(scale[left], scale[right], position.fract())
}

/// A scale from white to light blue, on which black text is legible.
pub(super) fn pale(share: f64) -> String {
    mix([255.0, 255.0, 255.0], [120.0, 180.0, 220.0], share)
}

fn mix(a: [f64; 3], b: [f64; 3], share: f64) -> String {
    let [red, green, blue]: [u8; 3] =
        std::array::from_fn(|i| (a[i] + share * (b[i] - a[i])).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_starts_and_ends_with_its_first_and_last_colour() {
        assert_eq!(Colour::Scale(0.0).hex(ColourScheme::Light), "#440154");
        assert_eq!(Colour::Scale(1.0).hex(ColourScheme::Light), "#d2c828");
        assert_eq!(Colour::Scale(f64::NAN.max(2.0)).hex(ColourScheme::Dark), "#e6dc3c");
    }

    #[test]
    fn every_colour_of_a_scale_contrasts_with_its_background() {
        // WCAG asks for a contrast of 3 for graphics, which the palest yellow misses on white.
        for (scheme, background, least) in
            [(ColourScheme::Light, "#ffffff", 1.7), (ColourScheme::Dark, "#1e1e1e", 3.0)]
        {
            for share in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
                let colour = Colour::Scale(share).hex(scheme);
                let [dim, bright] = {
                    let mut both = [luminance(&colour), luminance(background)];
                    both.sort_by(f64::total_cmp);
                    both
                };
                let contrast = (bright + 0.05) / (dim + 0.05);
                assert!(
                    contrast >= least,
                    "{colour} on {background}: expected {least}, found {contrast:.2}"
                );
            }
        }
    }

    /// Relative luminance as WCAG defines it, from 0 to 1.
    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }
}
