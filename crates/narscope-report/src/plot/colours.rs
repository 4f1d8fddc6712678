//! Colours that colour-blind people can tell apart, for light and dark grounds.

use super::Look;

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    /// One of several kinds.
    Kind(usize),
    /// How far along something is, from 0 to 1.
    Along(f64),
    /// The line of a trajectory.
    Path,
    /// What is right.
    Right,
    /// What is wrong.
    Wrong,
    /// What is only there to compare with.
    Muted,
    /// What text is written in.
    Ink,
    /// Where something begins.
    Source,
    /// What was missed.
    Missed,
    /// What was found and is right.
    Found,
}

/// Okabe and Ito's colours, and what takes the place of black on black.
const KINDS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#7F7F7F"];

impl Colour {
    /// As SVG writes it.
    pub fn hex(self, look: Look) -> String {
        match (self, look) {
            (Self::Kind(kind), _) => KINDS[kind % KINDS.len()].to_owned(),
            (Self::Along(share), Look::Light) => along(share, &VIRIDIS),
            (Self::Along(share), Look::Dark) => along(share, &VIRIDIS_BY_NIGHT),
            (Self::Path, Look::Light) => "#E8A09A".to_owned(),
            (Self::Path, Look::Dark) => "#8E3B34".to_owned(),
            (Self::Right, Look::Light) | (Self::Missed, _) => "#0072B2".to_owned(),
            (Self::Right, Look::Dark) => "#56B4E9".to_owned(),
            (Self::Wrong, _) => "#D55E00".to_owned(),
            (Self::Source, _) => "#E0524D".to_owned(),
            (Self::Found, _) => "#009E73".to_owned(),
            (Self::Ink, Look::Light) => "#000000".to_owned(),
            (Self::Ink, Look::Dark) => "#E0E0E0".to_owned(),
            (Self::Muted, Look::Light) => "#8A8A8A".to_owned(),
            (Self::Muted, Look::Dark) => "#9A9A9A".to_owned(),
        }
    }
}

/// Some colours of viridis, whose brightness rises evenly; its last ones are too pale for points.
const VIRIDIS: [[f64; 3]; 6] = [
    [68.0, 1.0, 84.0],
    [65.0, 68.0, 135.0],
    [42.0, 120.0, 142.0],
    [34.0, 168.0, 132.0],
    [122.0, 209.0, 81.0],
    [210.0, 200.0, 40.0],
];

/// The same hues, but the first ones can be told from a dark ground.
const VIRIDIS_BY_NIGHT: [[f64; 3]; 6] = [
    [150.0, 100.0, 205.0],
    [95.0, 125.0, 205.0],
    [60.0, 150.0, 180.0],
    [40.0, 180.0, 140.0],
    [122.0, 209.0, 81.0],
    [230.0, 220.0, 60.0],
];

fn along(share: f64, scale: &[[f64; 3]; 6]) -> String {
    let place = share.clamp(0.0, 1.0) * (scale.len() - 1) as f64;
    let (left, right) = (place.floor() as usize, place.ceil() as usize);
    mixed(scale[left], scale[right], place.fract())
}

/// From white to a light blue: black numbers can be read on all of it.
pub(super) fn pale(share: f64) -> String {
    mixed([255.0, 255.0, 255.0], [120.0, 180.0, 220.0], share)
}

fn mixed(a: [f64; 3], b: [f64; 3], share: f64) -> String {
    let [red, green, blue]: [u8; 3] =
        std::array::from_fn(|i| (a[i] + share * (b[i] - a[i])).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_begins_and_ends_where_it_says() {
        assert_eq!(Colour::Along(0.0).hex(Look::Light), "#440154");
        assert_eq!(Colour::Along(1.0).hex(Look::Light), "#d2c828");
        assert_eq!(Colour::Along(f64::NAN.max(2.0)).hex(Look::Dark), "#e6dc3c");
    }

    #[test]
    fn no_colour_of_a_scale_vanishes_in_its_ground() {
        // As the guidelines for readers with weak eyes define them: shapes want a contrast of 3, which the
        // palest yellow misses on white.
        for (look, ground, least) in [(Look::Light, "#ffffff", 1.7), (Look::Dark, "#1e1e1e", 3.0)] {
            for share in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
                let colour = Colour::Along(share).hex(look);
                let [dim, bright] = {
                    let mut both = [brightness(&colour), brightness(ground)];
                    both.sort_by(f64::total_cmp);
                    both
                };
                let contrast = (bright + 0.05) / (dim + 0.05);
                assert!(contrast >= least, "{colour} on {ground}: {contrast:.2}, wanted {least}");
            }
        }
    }

    /// How bright a colour looks, from 0 to 1.
    fn brightness(hex: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }
}
