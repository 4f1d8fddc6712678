//! Colours of the interactive views: those of the pictures.

use serde::Serialize;

use crate::plot::{Colour, Scheme};

/// Number of colours along the steps, between which the view interpolates.
const STOPS: usize = 11;
/// Number of colours that tell classes apart.
const CLASSES: usize = 8;

/// The colours of one scheme, as tools/viewer/src/colours.js reads them.
#[derive(Serialize)]
struct Colours {
    text: String,
    grid: String,
    path: String,
    steps: Vec<String>,
    classes: Vec<String>,
}

impl Colours {
    fn of(scheme: Scheme) -> Self {
        let step = |stop: usize| Colour::Scale(stop as f64 / (STOPS - 1) as f64).hex(scheme);
        Self {
            text: Colour::Text.hex(scheme),
            grid: Colour::Grid.hex(scheme),
            path: Colour::Trajectory.hex(scheme),
            steps: (0..STOPS).map(step).collect(),
            classes: (0..CLASSES).map(|class| Colour::Category(class).hex(scheme)).collect(),
        }
    }
}

/// Both schemes as JSON.
pub(super) fn json() -> String {
    let [light, dark] = [Scheme::Light, Scheme::Dark].map(Colours::of);
    serde_json::json!({ "light": light, "dark": dark }).to_string()
}
