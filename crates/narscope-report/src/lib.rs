//! Draws answers of analyses and tables of results, and writes the report page.
//!
//! An [answer](narscope_analysis::analyses::Answer) or a [table](narscope_results::Table) goes in, a
//! [picture](plot::Picture) or a [page](page::Report) comes out. This crate computes nothing but positions
//! on paper; scores, statistics and comparisons are in `narscope-results`.
//!
//! ```
//! use narscope_report::figures::tables::pictures;
//! use narscope_report::plot::Style;
//! use narscope_results::{RunScore, tables};
//!
//! let score = RunScore {
//!     algorithm: "bfs".to_owned(),
//!     processor: "mpnn".to_owned(),
//!     variant: String::new(),
//!     seed: 42,
//!     steps: None,
//!     score: 0.98,
//! };
//! let [(name, picture)] = &pictures(&tables(&[score]), &[])[..] else { panic!("one picture") };
//! assert_eq!(name, "scores-mpnn");
//! assert!(picture.svg(&Style::default())?.starts_with("<svg"));
//! # Ok::<(), narscope_report::plot::Error>(())
//! ```

mod error;
pub mod figures;
pub mod page;

pub use error::{Error, Result};
pub use figures::Figure;
pub use narscope_plot as plot;
pub use page::{About, Report};
pub use plot::{Picture, Scheme, Style};
