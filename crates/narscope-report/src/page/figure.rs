//! Figures of the page: numbered pictures with captions, for wide and for narrow screens.

use std::io::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::NamedPicture;
use crate::Result;
use crate::plot::{Picture, Style, Width};

/// Pixels of a browser per millimetre.
const PIXELS_PER_MM: f64 = 96.0 / 25.4;
/// Dots per inch of dense layers: those of a sharp screen.
const DENSE_DPI: f64 = 150.0;
/// Larger PDFs would be most of the page; `narscope figure` writes them.
const MOST_PDF_BYTES: usize = 200_000;

/// A picture as the template needs it.
#[derive(Serialize)]
pub(super) struct PageFigure {
    pub(super) id: String,
    /// `1`, or `S1` for a detail.
    number: String,
    /// Name of files in which the reader saves it.
    name: String,
    pub(super) title: String,
    caption: String,
    /// Width in pixels at which it has its printed size.
    width: f64,
    svgs: PackedSvgs,
    /// Data URL of a PDF, if the page has it.
    pdf: Option<String>,
}

/// SVGs in few bytes: Base64 of gzip, which browsers unpack when a picture comes into sight. A page has dozens, and
/// most of an SVG is numbers.
#[derive(Serialize)]
struct PackedSvgs {
    wide: String,
    /// The same in one column, for a narrow screen, if it does not fit there.
    narrow: Option<String>,
}

/// Numbers figures in the order of the page.
#[derive(Default)]
pub(super) struct Numbers {
    figures: usize,
    details: usize,
}

impl Numbers {
    /// A figure that is visible at once.
    pub(super) fn figure(&mut self, named: &NamedPicture) -> Result<PageFigure> {
        self.figures += 1;
        let pdf = named.picture.pdf(&Style::default())?;
        let pdf = (pdf.len() <= MOST_PDF_BYTES).then(|| data_url("application/pdf", &pdf));
        let svgs = Svgs::of(&named.picture)?;
        Ok(PageFigure::new(named, named.name.clone(), self.figures.to_string(), svgs, pdf))
    }

    /// A figure in a closed part of the page; `variant` tells files of networks apart. It has no PDF: there are many
    /// such figures, and readers open few.
    pub(super) fn detail(&mut self, named: &NamedPicture, variant: &str) -> Result<PageFigure> {
        self.details += 1;
        let (name, number) = (format!("{variant}-{}", named.name), format!("S{}", self.details));
        // It scrolls on a narrow screen: narrow forms of details would be half of the page.
        let svgs = Svgs { narrow: None, wide: Svgs::wide(&named.picture)? };
        Ok(PageFigure::new(named, name, number, svgs, None))
    }
}

impl PageFigure {
    fn new(
        named: &NamedPicture,
        name: String,
        number: String,
        Svgs { wide, narrow }: Svgs,
        pdf: Option<String>,
    ) -> Self {
        let Picture { title, caption, width, .. } = &named.picture;
        Self {
            id: format!("figure-{number}"),
            number,
            name,
            title: title.clone(),
            caption: caption.clone(),
            width: (width.mm() * PIXELS_PER_MM).round(),
            svgs: PackedSvgs { wide: packed(&wide), narrow: narrow.map(|svg| packed(&svg)) },
            pdf,
        }
    }
}

/// A picture for wide and narrow screens.
struct Svgs {
    wide: String,
    narrow: Option<String>,
}

impl Svgs {
    fn of(picture: &Picture) -> Result<Self> {
        let narrow_mm = Width::Single.mm();
        let narrow = (picture.width.mm() > narrow_mm).then(|| svg(picture, Some(narrow_mm)));
        Ok(Self { wide: Self::wide(picture)?, narrow: narrow.transpose()? })
    }

    fn wide(picture: &Picture) -> Result<String> {
        svg(picture, None)
    }
}

/// Draws a picture for the page, which itself has title, caption and background.
fn svg(picture: &Picture, width_mm: Option<f64>) -> Result<String> {
    let bare = Picture { title: String::new(), caption: String::new(), ..picture.clone() };
    let style = Style { transparent: true, dense_dpi: DENSE_DPI, width_mm, ..Style::default() };
    Ok(bare.svg_light_and_dark(&style)?)
}

/// Base64 of the gzipped text.
fn packed(text: &str) -> String {
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    let bytes = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    BASE64_STANDARD.encode(bytes.expect("writing to a vector does not fail"))
}

/// Bytes as the address of a file.
pub(super) fn data_url(kind: &str, bytes: &[u8]) -> String {
    format!("data:{kind};base64,{}", BASE64_STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Colour, Line, Panel};

    fn named(width: Width) -> NamedPicture {
        let points = vec![(1.0, 0.5), (2.0, 0.75)];
        let panel = Panel {
            x: Axis::new("step"),
            marks: vec![Line::new(points, Colour::Category(0)).into()],
            ..Panel::default()
        };
        let title = "A finding".to_owned();
        let picture = Picture { title, panels: vec![panel], width, ..Picture::default() };
        NamedPicture { name: "norms".to_owned(), picture }
    }

    #[test]
    fn figures_and_details_are_numbered_apart() {
        let mut numbers = Numbers::default();
        let [one, two] =
            [Width::Double, Width::Single].map(|width| numbers.figure(&named(width)).unwrap());
        let detail = numbers.detail(&named(Width::Double), "mpnn").unwrap();
        assert_eq!((one.number.as_str(), two.number.as_str()), ("1", "2"));
        assert_eq!((detail.number.as_str(), detail.name.as_str()), ("S1", "mpnn-norms"));
        assert!(one.pdf.is_some() && detail.pdf.is_none());
        assert_eq!((one.width, two.width), (643.0, 321.0));
    }

    #[test]
    fn pictures_wider_than_a_column_have_a_narrow_form() {
        assert!(Svgs::of(&named(Width::Double).picture).unwrap().narrow.is_some());
        assert!(Svgs::of(&named(Width::Single).picture).unwrap().narrow.is_none());
    }

    #[test]
    fn pictures_leave_titles_to_the_page() {
        let Svgs { wide, .. } = Svgs::of(&named(Width::Single).picture).unwrap();
        assert!(wide.starts_with("<svg") && !wide.contains("A finding"));
    }

    #[test]
    fn packed_texts_are_unpacked_again() {
        let bytes = BASE64_STANDARD.decode(packed("<svg/>")).unwrap();
        let text = std::io::read_to_string(flate2::read::GzDecoder::new(&bytes[..])).unwrap();
        assert_eq!(text, "<svg/>");
    }
}
