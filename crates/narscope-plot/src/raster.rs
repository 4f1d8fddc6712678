//! Bitmaps: whole pictures and dense layers.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use crate::scene::{Area, Scene, Shape};
use crate::svg::{self, Colours, Form};
use crate::{Error, Result, Scheme};

/// Dots per inch at which `usvg` converts millimetres.
pub(crate) const USVG_DPI: f64 = 96.0;

/// The largest side of a bitmap, in pixels.
const MOST_PIXELS: u32 = 20_000;

/// Layers of more shapes become a bitmap.
const MOST_SHAPES: usize = 2500;

/// The fonts in this program and no others: a picture looks the same on every computer.
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// Reads an SVG of ours.
pub(crate) fn tree(svg: &str) -> Result<Tree> {
    let options = Options {
        fontdb: FONTS.clone(),
        font_family: "DejaVu Sans".to_owned(),
        dpi: USVG_DPI as f32,
        ..Options::default()
    };
    Ok(Tree::from_str(svg, &options)?)
}

/// Renders an SVG of ours as PNG.
pub(crate) fn png(svg: &str, dpi: f64) -> Result<Vec<u8>> {
    bitmap(svg, dpi)?.encode_png().map_err(|error| Error::Png(error.to_string()))
}

fn bitmap(svg: &str, dpi: f64) -> Result<Pixmap> {
    let tree = tree(svg)?;
    let scale = dpi / USVG_DPI;
    let [width, height] =
        [tree.size().width(), tree.size().height()].map(|side| (f64::from(side) * scale).round());
    let fits = |side: f64| (1.0..=f64::from(MOST_PIXELS)).contains(&side);
    let pixmap =
        (fits(width) && fits(height)).then(|| Pixmap::new(width as u32, height as u32)).flatten();
    let mut pixmap = pixmap.ok_or(Error::Size { width, height, most: MOST_PIXELS })?;
    let transform = Transform::from_scale(scale as f32, scale as f32);
    resvg::render(&tree, transform, &mut pixmap.as_mut());
    Ok(pixmap)
}

/// Compresses a bitmap of many small shapes. Colours are rounded, which nobody sees and which halves the size.
fn small_png(bitmap: &Pixmap) -> Result<Vec<u8>> {
    let round = |value: u8, step: u16| -> u8 {
        let rounded = (u16::from(value) + step / 2) / step * step;
        rounded.min(255) as u8
    };
    let pixels = bitmap.pixels().iter().flat_map(|pixel| {
        let colour = pixel.demultiply();
        let alpha = round(colour.alpha(), 17);
        let channels = [colour.red(), colour.green(), colour.blue()].map(|it| round(it, 5));
        let [red, green, blue] = if alpha == 0 { [0; 3] } else { channels };
        [red, green, blue, alpha]
    });
    let pixels: Vec<u8> = pixels.collect();
    let mut bytes = vec![];
    let mut encoder = png::Encoder::new(&mut bytes, bitmap.width(), bitmap.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    encoder.set_filter(png::FilterType::NoFilter);
    let written = encoder.write_header().and_then(|mut it| it.write_image_data(&pixels));
    written.map_err(|error| Error::Png(error.to_string()))?;
    Ok(bytes)
}

/// The scene with a bitmap in place of every layer of thousands of shapes.
pub(crate) fn with_bitmaps(mut scene: Scene, colours: Colours, dpi: f64) -> Result<Scene> {
    for shape in &mut scene.shapes {
        let Shape::Layer(shapes) = shape else { continue };
        if weight(shapes) <= MOST_SHAPES {
            continue;
        }
        let Some(area) = Shape::Layer(shapes.clone()).area() else { continue };
        let area = area.grown(1.0);
        let of = |scheme| layer(shapes, area, scheme, dpi);
        let (light, dark) = match colours {
            Colours::Of(scheme) => (of(scheme)?, None),
            Colours::Both => {
                let (light, dark) = (of(Scheme::Light)?, of(Scheme::Dark)?);
                let differs = dark != light;
                (light, differs.then_some(dark))
            }
        };
        *shape = Shape::Image { area, light, dark };
    }
    Ok(scene)
}

/// How much a layer weighs: shapes, and corners of lines.
fn weight(shapes: &[Shape]) -> usize {
    let weight = |shape: &Shape| match shape {
        Shape::Path { points, .. } => 1 + points.len() / 4,
        Shape::Layer(shapes) => weight(shapes),
        _ => 1,
    };
    shapes.iter().map(weight).sum()
}

/// Renders shapes inside of an area as PNG, with a transparent background.
fn layer(shapes: &[Shape], area: Area, scheme: Scheme, dpi: f64) -> Result<Vec<u8>> {
    let moved = shapes.iter().map(|shape| moved(shape, (-area.left, -area.top)));
    let scene = Scene { width: area.width(), height: area.height(), shapes: moved.collect() };
    let form = Form { colours: Colours::Of(scheme), background: false };
    small_png(&bitmap(&svg::write(&scene, form), dpi)?)
}

/// A shape somewhere else.
fn moved(shape: &Shape, (dx, dy): (f64, f64)) -> Shape {
    let mut shape = shape.clone();
    match &mut shape {
        Shape::Path { points, .. } => {
            for (x, y) in points {
                (*x, *y) = (*x + dx, *y + dy);
            }
        }
        Shape::Circle { at, .. } => *at = (at.0 + dx, at.1 + dy),
        Shape::Rect { area, .. } | Shape::Image { area, .. } => {
            *area = Area {
                left: area.left + dx,
                top: area.top + dy,
                right: area.right + dx,
                bottom: area.bottom + dy,
            };
        }
        Shape::Text(label) => label.at = (label.at.0 + dx, label.at.1 + dy),
        Shape::Layer(shapes) => {
            *shapes = shapes.iter().map(|shape| moved(shape, (dx, dy))).collect();
        }
    }
    shape
}
