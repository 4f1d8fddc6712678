//! Colours by their meaning, for light and dark backgrounds, that colour-blind readers can distinguish.

/// Light or dark background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on white.
    #[default]
    Light,
    /// Bright on near-black.
    Dark,
}

/// A colour by its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    /// One of several variants or categories; eight, then they repeat.
    Category(usize),
    /// One of many clusters: the index and how many there are. Distinct up to 64.
    Many(usize, usize),
    /// A position on a continuous scale, from 0 to 1, such as the step of a trajectory.
    Scale(f64),
    /// A value in a heat map, from 0 to 1.
    Heat(f64),
    /// Text on [`Colour::Heat`] of the same value.
    OnHeat(f64),
    /// Line of a trajectory.
    Trajectory,
    /// Correct predictions.
    Correct,
    /// Wrong predictions.
    Wrong,
    /// Edges of the true tree that were predicted.
    Found,
    /// Edges of the true tree that were not predicted.
    Missed,
    /// The source node.
    Source,
    /// What a value is compared with: reference lines, edges and nodes without a role.
    Muted,
    /// Text.
    Text,
    /// Text of second rank: captions, ticks.
    Subtle,
    /// Axes.
    Axis,
    /// Grid lines.
    Grid,
    /// The background.
    Background,
}

/// Okabe and Ito's palette; brown and grey replace black, which is invisible on dark backgrounds.
const CATEGORIES: [[f64; 3]; 8] = [
    [0.0, 114.0, 178.0],
    [213.0, 94.0, 0.0],
    [0.0, 158.0, 115.0],
    [204.0, 121.0, 167.0],
    [230.0, 159.0, 0.0],
    [86.0, 180.0, 233.0],
    [140.0, 86.0, 75.0],
    [127.0, 127.0, 127.0],
];

/// The same hues; blue and brown are brighter, so that names in these colours can be read on dark backgrounds.
const CATEGORIES_ON_DARK: [[f64; 3]; 8] = [
    [70.0, 158.0, 222.0],
    [226.0, 112.0, 30.0],
    [0.0, 170.0, 124.0],
    CATEGORIES[3],
    CATEGORIES[4],
    [140.0, 206.0, 245.0],
    [184.0, 134.0, 122.0],
    [154.0, 154.0, 154.0],
];

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

/// Blues from nearly white to dark.
const HEAT: [[f64; 3]; 4] =
    [[246.0, 249.0, 253.0], [190.0, 216.0, 236.0], [90.0, 160.0, 208.0], [14.0, 86.0, 150.0]];

/// Blues from nearly the background to bright.
const HEAT_ON_DARK: [[f64; 3]; 4] =
    [[30.0, 37.0, 46.0], [30.0, 74.0, 112.0], [60.0, 138.0, 192.0], [176.0, 216.0, 244.0]];

/// Red, green and blue, from 0 to 255.
type Rgb = [f64; 3];

impl Colour {
    /// The colour as `#rrggbb`.
    pub fn hex(self, scheme: Scheme) -> String {
        let [red, green, blue] = self.rgb(scheme).map(|channel| channel.round() as u8);
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    fn rgb(self, scheme: Scheme) -> Rgb {
        let by_scheme = |light: Rgb, dark: Rgb| match scheme {
            Scheme::Light => light,
            Scheme::Dark => dark,
        };
        let category = |index: usize| {
            let index = index % CATEGORIES.len();
            by_scheme(CATEGORIES[index], CATEGORIES_ON_DARK[index])
        };
        let grey = |light: f64, dark: f64| by_scheme([light; 3], [dark; 3]);
        match self {
            Self::Category(index) => category(index),
            Self::Many(index, count) if count <= CATEGORIES.len() => category(index),
            Self::Many(index, count) => one_of_many(index, count, scheme),
            Self::Scale(share) => by_scheme(on(&VIRIDIS, share), on(&VIRIDIS_ON_DARK, share)),
            Self::Heat(share) => by_scheme(on(&HEAT, share), on(&HEAT_ON_DARK, share)),
            Self::OnHeat(share) => {
                let cell = luminance(Self::Heat(share).rgb(scheme));
                let [black, white] = [17.0, 255.0].map(|grey| luminance([grey; 3]));
                let is_black = (cell + 0.05) / (black + 0.05) > (white + 0.05) / (cell + 0.05);
                if is_black { [17.0; 3] } else { [255.0; 3] }
            }
            Self::Trajectory => by_scheme([232.0, 160.0, 154.0], [142.0, 59.0, 52.0]),
            Self::Correct | Self::Missed => category(0),
            Self::Wrong => category(1),
            Self::Found => category(2),
            Self::Source => by_scheme([204.0, 51.0, 63.0], [232.0, 92.0, 96.0]),
            Self::Muted => grey(138.0, 154.0),
            Self::Text => grey(17.0, 232.0),
            Self::Subtle => grey(74.0, 184.0),
            Self::Axis => grey(74.0, 176.0),
            Self::Grid => grey(229.0, 58.0),
            Self::Background => grey(255.0, 24.0),
        }
    }
}

/// The colour at a share of the way along a scale.
fn on<const N: usize>(scale: &[Rgb; N], share: f64) -> Rgb {
    let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
    let position = share * (N - 1) as f64;
    let (left, right) = (position.floor() as usize, position.ceil() as usize);
    std::array::from_fn(|i| scale[left][i] + position.fract() * (scale[right][i] - scale[left][i]))
}

/// Evenly spaced hues; three lightnesses and two chromas in turn keep neighbours apart.
fn one_of_many(index: usize, count: usize, scheme: Scheme) -> Rgb {
    let lightness = match scheme {
        Scheme::Light => [0.50, 0.76, 0.63],
        Scheme::Dark => [0.62, 0.86, 0.74],
    }[index % 3];
    let chroma = [0.17, 0.11][(index / 3) % 2];
    let hue = std::f64::consts::TAU * (index % count) as f64 / count as f64;
    // Colours that a screen cannot show lose chroma, not hue.
    let chromas = (0..=20).map(|step| chroma * (1.0 - f64::from(step) / 20.0));
    let candidates = chromas.map(|chroma| from_oklch(lightness, chroma, hue));
    let visible = |rgb: &Rgb| rgb.iter().all(|channel| (-0.5..=255.5).contains(channel));
    let found = candidates.into_iter().find(visible);
    found.expect("a grey is always visible").map(|channel| channel.clamp(0.0, 255.0))
}

/// From OKLCH to sRGB; outside of 0 to 255 where no screen shows it.
fn from_oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let (a, b) = (chroma * hue.cos(), chroma * hue.sin());
    let long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let medium = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let linear = [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
    ];
    linear.map(|value| {
        let size = value.abs();
        let curved =
            if size <= 0.003_130_8 { 12.92 * size } else { 1.055 * size.powf(1.0 / 2.4) - 0.055 };
        255.0 * curved.copysign(value)
    })
}

/// Relative luminance as WCAG defines it, from 0 to 1.
fn luminance(rgb: Rgb) -> f64 {
    let [red, green, blue] = rgb.map(|channel| {
        let value = channel / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let mut both = [luminance(a), luminance(b)];
        both.sort_by(f64::total_cmp);
        (both[1] + 0.05) / (both[0] + 0.05)
    }

    #[test]
    fn a_scale_starts_and_ends_with_its_first_and_last_colour() {
        assert_eq!(Colour::Scale(0.0).hex(Scheme::Light), "#440154");
        assert_eq!(Colour::Scale(1.0).hex(Scheme::Light), "#d2c828");
        assert_eq!(Colour::Scale(2.0).hex(Scheme::Dark), "#e6dc3c");
        assert_eq!(Colour::Scale(f64::NAN).hex(Scheme::Light), "#440154");
    }

    #[test]
    fn every_colour_contrasts_with_its_background() {
        // WCAG asks for a contrast of 3 for graphics, which pale yellow and orange miss on white.
        for (scheme, least) in [(Scheme::Light, 1.7), (Scheme::Dark, 2.4)] {
            let scale = (0..=10).map(|step| Colour::Scale(f64::from(step) / 10.0));
            let categories = (0..8).map(Colour::Category);
            let many = (0..64).map(|index| Colour::Many(index, 64));
            for colour in scale.chain(categories).chain(many) {
                let found = contrast(colour.rgb(scheme), Colour::Background.rgb(scheme));
                assert!(found >= least, "{colour:?}, {scheme:?}: expected {least}, found {found}");
            }
        }
    }

    #[test]
    fn text_is_legible_on_its_background() {
        for scheme in [Scheme::Light, Scheme::Dark] {
            for share in (0..=20).map(|step| f64::from(step) / 20.0) {
                let on =
                    contrast(Colour::OnHeat(share).rgb(scheme), Colour::Heat(share).rgb(scheme));
                assert!(on >= 4.2, "value {share} of a heat map, {scheme:?}: contrast {on}");
            }
            // Names at the ends of lines have the colours of the lines; on white, orange cannot be darker.
            if scheme == Scheme::Dark {
                for index in 0..8 {
                    let category = Colour::Category(index).rgb(scheme);
                    let found = contrast(category, Colour::Background.rgb(scheme));
                    assert!(found >= 4.5, "category {index}: contrast {found}");
                }
            }
            for colour in [Colour::Text, Colour::Subtle] {
                let found = contrast(colour.rgb(scheme), Colour::Background.rgb(scheme));
                assert!(found >= 7.0, "{colour:?}, {scheme:?}: contrast {found}");
            }
        }
    }

    #[test]
    fn sixty_four_clusters_have_distinct_colours() {
        for scheme in [Scheme::Light, Scheme::Dark] {
            for count in [9, 16, 33, 64] {
                let all: Vec<Rgb> =
                    (0..count).map(|index| Colour::Many(index, count).rgb(scheme)).collect();
                for (index, a) in all.iter().enumerate() {
                    for (other, b) in all.iter().enumerate().skip(index + 1) {
                        let distance =
                            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        assert!(distance > 12.0, "{index} and {other} of {count}: {distance}");
                    }
                }
            }
        }
    }
}
