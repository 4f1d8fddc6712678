//! Files of a study: the report, the comparison with the paper, and the pictures.

use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use narscope_files::atomic::{self, Existing};
use narscope_report::figures::paper;
use narscope_report::page::{About, Report};
use narscope_report::plot::{self, Picture, Style};
use narscope_results::{ClaimResult, Comparison, claims, comparison, file_name};
use rayon::prelude::*;
use serde::Serialize;

use crate::{Error, Observer, Result};

/// Writes `report.html`, `comparison.md`, `comparison.json`, their picture, and below `figures` all pictures of the
/// report: those of all networks, in a folder per variant those of single ones, and in the folder `paper` the
/// counterparts of the paper's figures with `index.md`, the table of them.
pub fn write(
    out: &Path,
    report: &Report<'_>,
    about: &About,
    observer: &dyn Observer,
) -> Result<()> {
    write_text(&out.join("report.html"), &report.page(about)?)?;
    let all = Compared { claims: report.claims(), measures: report.comparisons() };
    let json = serde_json::to_string_pretty(&all).expect("comparisons are JSON");
    let claims = claims::markdown::write(report.claims());
    let text = format!("{claims}\n{}", comparison::markdown(report.comparisons()));
    for (name, text) in [("comparison.json", &json), ("comparison.md", &text)] {
        atomic::write(&out.join(name), Existing::Replace, |file| writeln!(file, "{text}"))?;
    }
    if let Some(picture) = report.comparison_picture() {
        write_picture(picture, &Rendering::default(), out, "comparison")?;
    }
    let figures = out.join("figures");
    let paper = report.paper_figures()?;
    let folder = figures.join(PAPER_FOLDER);
    if !paper.is_empty() {
        create_folder(&folder)?;
        write_text(&folder.join("index.md"), &paper::markdown(&paper))?;
    }
    let paper = paper.iter().filter_map(|it| Some((it.figure.file, it.picture.as_ref()?)));
    let paper = paper.map(|(name, picture)| (folder.clone(), name, picture));
    write_pictures(&figures, report, paper, observer)
}

/// Name of the folder of the counterparts of the paper's figures.
const PAPER_FOLDER: &str = "paper";

/// Contents of `comparison.json`.
#[derive(Serialize)]
struct Compared<'a> {
    /// The paper's claims, judged.
    claims: &'a [ClaimResult],
    /// All measures of all networks, with the paper's numbers.
    measures: &'a [Comparison],
}

/// Writes the pictures of all networks side by side into a folder, those of single networks into folders below, and
/// others, which have folders and names of their own.
fn write_pictures<'a>(
    folder: &Path,
    report: &'a Report<'_>,
    others: impl Iterator<Item = (PathBuf, &'a str, &'a Picture)>,
    observer: &dyn Observer,
) -> Result<()> {
    let together = report.pictures().map(|picture| (folder.to_owned(), picture));
    let details =
        report.details().map(|(variant, picture)| (folder.join(file_name(variant)), picture));
    let of_report = together.chain(details);
    let of_report = of_report.map(|(folder, it)| (folder, it.name.as_str(), &it.picture));
    let pictures: Vec<(PathBuf, &str, &Picture)> = of_report.chain(others).collect();
    observer.drawing(pictures.len());
    let rendering = Rendering::default();
    pictures.par_iter().try_for_each(|(folder, name, picture)| {
        if observer.is_interrupted() {
            return Err(Error::Interrupted);
        }
        write_picture(picture, &rendering, folder, name)?;
        observer.drawn();
        Ok(())
    })
}

/// Writes a text, in place of an existing file.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    Ok(atomic::write(path, Existing::Replace, |file| file.write_all(text.as_bytes()))?)
}

/// Writes a picture into a folder, which is created if necessary, as `NAME.svg`, `NAME.png` and so on. Returns the
/// paths.
pub fn write_picture(
    picture: &Picture,
    rendering: &Rendering,
    folder: &Path,
    name: &str,
) -> Result<Vec<PathBuf>> {
    create_folder(folder)?;
    let write = |format: &PictureFormat| {
        let bytes = format.render(picture, rendering).map_err(narscope_report::Error::from)?;
        let path = folder.join(format!("{name}.{}", format.extension()));
        atomic::write(&path, Existing::Replace, |file| file.write_all(&bytes))?;
        Ok(path)
    };
    rendering.formats.iter().map(write).collect()
}

/// How pictures are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendering {
    /// Formats of the files.
    pub formats: Vec<PictureFormat>,
    /// Colours and width.
    pub style: Style,
    /// Dots per inch of PNGs.
    pub dpi: f64,
}

impl Rendering {
    /// Widths in millimetres: narrower pictures have no room for axes; wider ones fit on no page.
    pub const WIDTHS: RangeInclusive<f64> = 40.0..=1000.0;
    /// Dots per inch of PNGs.
    pub const RESOLUTIONS: RangeInclusive<f64> = 30.0..=1200.0;
}

impl Default for Rendering {
    /// All formats, in light colours, with 300 dots per inch.
    fn default() -> Self {
        Self { formats: PictureFormat::ALL.to_vec(), style: Style::default(), dpi: 300.0 }
    }
}

/// A file format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Vectors.
    Svg,
    /// Pixels.
    Png,
    /// Vectors, for print.
    Pdf,
}

impl PictureFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Svg, Self::Png, Self::Pdf];

    /// Extension of file names.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }

    /// The contents of a file.
    pub fn render(self, picture: &Picture, rendering: &Rendering) -> plot::Result<Vec<u8>> {
        let Rendering { style, dpi, .. } = rendering;
        match self {
            Self::Svg => picture.svg(style).map(String::into_bytes),
            Self::Png => picture.png(style, *dpi),
            Self::Pdf => picture.pdf(style),
        }
    }
}

/// Creates a folder and its parents, if necessary.
pub fn create_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|source| Error::Create { path: folder.to_owned(), source })
}
