//! Writes one picture per mark into a folder, to look at them: `gallery FOLDER [DPI]`.

#[path = "../src/samples.rs"]
mod samples;

use std::path::PathBuf;

use narscope_plot::{Scheme, Style};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("expected a folder")?);
    let dpi = arguments.next().map_or(Ok(150.0), |dpi| dpi.parse())?;
    std::fs::create_dir_all(&folder)?;
    for (name, picture) in samples::all() {
        for width in [85.0, 170.0] {
            for (scheme, suffix) in [(Scheme::Light, ""), (Scheme::Dark, "-dark")] {
                let style = Style { width_mm: Some(width), ..Style::of(scheme) };
                let path = folder.join(format!("{name}-{width}{suffix}"));
                std::fs::write(path.with_extension("png"), picture.png(&style, dpi)?)?;
                std::fs::write(path.with_extension("svg"), picture.svg(&style)?)?;
            }
        }
        std::fs::write(folder.join(format!("{name}.pdf")), picture.pdf(&Style::default())?)?;
        let both = picture.svg_light_and_dark(&Style::default())?;
        std::fs::write(folder.join(format!("{name}-both.svg")), both)?;
    }
    Ok(())
}
