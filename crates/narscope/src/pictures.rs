//! Flags for the files of pictures: formats, width, resolution, colours.

use narscope::report::plot::{Scheme, Style, Width};
use narscope::study::output::{PictureFormat, Rendering};

/// Pictures
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Pictures")]
pub(crate) struct PictureOptions {
    /// File formats, such as svg,pdf
    #[arg(long = "picture-format", alias = "picture_format", value_name = "FORMATS",
          value_delimiter = ',', value_parser = format, default_value = "svg,png,pdf")]
    formats: Vec<PictureFormat>,
    /// Width: single (one column, 85 mm), double (two columns, 170 mm) or a number of millimetres; text keeps its
    /// size [default: that of the picture]
    #[arg(long, value_parser = width)]
    width: Option<Width>,
    /// Dots per inch of PNG files
    #[arg(long, default_value_t = 300.0, value_parser = dpi)]
    dpi: f64,
    /// Dark background
    #[arg(long)]
    dark: bool,
}

impl PictureOptions {
    /// How to write pictures.
    pub(crate) fn rendering(&self) -> Rendering {
        let scheme = if self.dark { Scheme::Dark } else { Scheme::Light };
        let style = Style { width_mm: self.width.map(Width::mm), ..Style::of(scheme) };
        Rendering { formats: self.formats.clone(), style, dpi: self.dpi }
    }

    /// The extensions of the files, for messages: `svg, .png`.
    pub(crate) fn extensions(&self) -> String {
        let all: Vec<&str> = self.formats.iter().map(|format| format.extension()).collect();
        all.join(", .")
    }
}

fn format(text: &str) -> Result<PictureFormat, String> {
    let found = PictureFormat::ALL.into_iter().find(|format| format.extension() == text);
    found.ok_or_else(|| "expected svg, png or pdf".to_owned())
}

fn width(text: &str) -> Result<Width, String> {
    match text {
        "single" => Ok(Width::Single),
        "double" => Ok(Width::Double),
        number => match number.parse() {
            Ok(mm) if Rendering::WIDTHS.contains(&mm) => Ok(Width::Mm(mm)),
            _ => {
                Err("expected single, double or a number of millimetres from 40 to 1000".to_owned())
            }
        },
    }
}

fn dpi(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|dpi| Rendering::RESOLUTIONS.contains(dpi));
    found.ok_or_else(|| "expected a number from 30 to 1200".to_owned())
}
