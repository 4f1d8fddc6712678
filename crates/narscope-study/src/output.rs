//! Files of a study: the report, the comparison with the paper, and the pictures.

use std::io::Write as _;
use std::path::Path;

use narscope_files::atomic::{self, Existing};
use narscope_report::page::{About, NamedPicture, Report};
use narscope_report::plot::{ColourScheme, Picture};
use narscope_results::comparison::markdown;
use narscope_results::file_name;
use rayon::prelude::*;

use crate::{Error, Observer, Result};

/// Writes `report.html`, `comparison.md`, `comparison.json`, their picture, and all pictures of the report below
/// `figures`. Returns the comparison as Markdown.
pub fn write(
    out: &Path,
    report: &Report<'_>,
    about: &About,
    observer: &dyn Observer,
) -> Result<String> {
    write_text(&out.join("report.html"), &report.page(about)?)?;
    let json = serde_json::to_string_pretty(report.comparisons()).expect("comparisons are JSON");
    let table = markdown(report.comparisons());
    for (name, text) in [("comparison.json", &json), ("comparison.md", &table)] {
        atomic::write(&out.join(name), Existing::Replace, |file| writeln!(file, "{text}"))?;
    }
    if let Some(picture) = report.comparison_picture() {
        write_picture(picture, ColourScheme::Light, out, "comparison")?;
    }
    let folder = out.join("figures");
    for variant in report.variants() {
        create_folder(&folder.join(file_name(variant)))?;
    }
    let pictures: Vec<(&str, &NamedPicture)> = report.pictures().collect();
    observer.drawing(pictures.len());
    pictures.par_iter().try_for_each(|(variant, NamedPicture { name, picture })| {
        if observer.is_interrupted() {
            return Err(Error::Interrupted);
        }
        write_picture(picture, ColourScheme::Light, &folder.join(file_name(variant)), name)?;
        observer.drawn();
        Ok(())
    })?;
    Ok(table)
}

/// Writes a text, in place of an existing file.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    Ok(atomic::write(path, Existing::Replace, |file| file.write_all(text.as_bytes()))?)
}

/// Writes a picture as `NAME.svg` and `NAME.png` into a folder, which is created if necessary.
pub fn write_picture(
    picture: &Picture,
    scheme: ColourScheme,
    folder: &Path,
    name: &str,
) -> Result<()> {
    create_folder(folder)?;
    let (svg, png) = (picture.svg(scheme), picture.png(scheme)?);
    for (extension, bytes) in [("svg", svg.as_bytes()), ("png", png.as_slice())] {
        let path = folder.join(format!("{name}.{extension}"));
        atomic::write(&path, Existing::Replace, |file| file.write_all(bytes))?;
    }
    Ok(())
}

/// Creates a folder and its parents, if necessary.
pub fn create_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|source| Error::Create { path: folder.to_owned(), source })
}
