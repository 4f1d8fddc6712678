//! Pictures as SVG, PNG and PDF.

use crate::scene::{Scene, Shape};
use crate::svg::{Colours, Form, POINTS_PER_MM};
use crate::{Picture, Result, Style, compose, pdf, raster, svg};

impl Picture {
    /// Renders the picture as SVG.
    pub fn svg(&self, style: &Style) -> Result<String> {
        self.write(style, Colours::Of(style.scheme))
    }

    /// Renders the picture as SVG that follows the colour scheme of the reader's screen.
    pub fn svg_light_and_dark(&self, style: &Style) -> Result<String> {
        self.write(style, Colours::Both)
    }

    /// Renders the picture as PNG.
    pub fn png(&self, style: &Style, dpi: f64) -> Result<Vec<u8>> {
        // Every point is drawn: a bitmap inside of a bitmap would be scaled.
        let form = Form { colours: Colours::Of(style.scheme), background: !style.transparent };
        raster::png(&svg::write(&self.scene(style), form), dpi)
    }

    /// Renders the picture as PDF, with text as text.
    pub fn pdf(&self, style: &Style) -> Result<Vec<u8>> {
        pdf::pdf(&self.svg(style)?)
    }

    /// Pairs of texts that overlap in print; none, if the picture can be read.
    pub fn text_overlaps(&self, style: &Style) -> Vec<(String, String)> {
        let scene = self.scene(style);
        let labels = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(label) => Some(label),
            _ => None,
        });
        let labels: Vec<_> = labels.collect();
        let mut pairs = vec![];
        for (index, a) in labels.iter().enumerate() {
            for b in &labels[index + 1..] {
                if a.overlaps(b) {
                    pairs.push((a.text.clone(), b.text.clone()));
                }
            }
        }
        pairs
    }

    fn write(&self, style: &Style, colours: Colours) -> Result<String> {
        let scene = raster::with_bitmaps(self.scene(style), colours, style.dense_dpi)?;
        Ok(svg::write(&scene, Form { colours, background: !style.transparent }))
    }

    pub(crate) fn scene(&self, style: &Style) -> Scene {
        let mm = style.width_mm.unwrap_or(self.width.mm());
        // Narrower than a phone, nothing can be read; wider than a poster, nothing can be held.
        let mm = if mm.is_finite() { mm.clamp(40.0, 2000.0) } else { self.width.mm() };
        compose::compose(self, mm * POINTS_PER_MM)
    }
}
