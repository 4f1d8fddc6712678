//! What can go wrong between a picture and its bytes.

/// A picture that could not be rendered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The picture is too small or too large for a bitmap.
    #[error(
        "a bitmap of {width} by {height} pixels cannot be made; expected 1 to {most} pixels per side: choose another width or dpi"
    )]
    Size {
        /// Pixels.
        width: f64,
        /// Pixels.
        height: f64,
        /// Largest side.
        most: u32,
    },
    /// The SVG could not be read back.
    #[error("the SVG of the picture cannot be converted: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// The bitmap could not be compressed.
    #[error("the bitmap cannot be written as PNG: {0}")]
    Png(String),
    /// The PDF could not be written.
    #[error("the picture cannot be written as PDF: {0}")]
    Pdf(String),
}

/// A result with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
