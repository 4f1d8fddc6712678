//! The report: a single HTML file without external resources.
//!
//! | Part | Contents |
//! | --- | --- |
//! | summary | what was looked at, verdicts counted, three pictures |
//! | claims | the paper's claims with their verdicts, and all measures with a published number |
//! | one section per question | all networks in one figure; the details of each are closed |

mod colours;
mod figure;
mod runs;
mod section;
mod space;
mod summary;
mod table;

use std::ops::Range;

use minijinja::Environment;
use minijinja::value::Serde;
use narscope_analysis::analyses::{self, Entry};
use narscope_results::{
    AnswerGroup, ClaimResult, Comparison, NetworkAnswers, RunResult, claims, variants,
};
use serde::Serialize;

use self::figure::{Numbers, PageFigure};
use self::section::Section;
use self::summary::Summary;
pub use self::table::Table;
use crate::figures::paper::Counterpart;
use crate::figures::{self, paper_comparison};
use crate::plot::Picture;
use crate::{Error, Result};

/// Header of the page.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    /// Title.
    pub title: String,
    /// Command that made the page.
    pub command: String,
    /// Command that runs these networks in the browser.
    pub explore: String,
    /// Program and version that made the page.
    pub version: String,
    /// Number and kind of samples, in words.
    pub size: String,
}

/// A picture and the name of its file.
#[derive(Clone, Debug)]
pub struct NamedPicture {
    /// Name of the file, without extension. Pictures of other variants have the same name.
    pub name: String,
    /// The picture.
    pub picture: Picture,
}

/// A section that is not about the answer of an analysis, such as learning curves.
#[derive(Clone, Debug)]
pub struct ExtraSection {
    /// Title.
    pub title: String,
    /// What there is to see, in a sentence or two.
    pub sentence: String,
    /// Numbers, if there are any.
    pub table: Option<Table>,
    /// Pictures.
    pub pictures: Vec<NamedPicture>,
}

/// A report on networks: answers, comparisons and pictures, each computed once.
pub struct Report<'a> {
    networks: &'a [NetworkAnswers],
    sections: Vec<ReportSection<'a>>,
    extra: Vec<ExtraSection>,
    /// The paper's claims, judged; empty if none can be.
    claims: Vec<ClaimResult>,
    /// All comparisons, in the order of the sections.
    comparisons: Vec<Comparison>,
    comparison_picture: Option<NamedPicture>,
}

/// Answers of one analysis.
struct ReportSection<'a> {
    entry: &'static Entry,
    /// Pictures of all networks side by side.
    pictures: Vec<NamedPicture>,
    networks: Vec<NetworkDetails<'a>>,
    /// Indices of its comparisons.
    comparisons: Range<usize>,
}

/// Answers of one analysis for all seeds of one variant.
struct NetworkDetails<'a> {
    answers: AnswerGroup<'a>,
    pictures: Vec<NamedPicture>,
    /// Indices of its comparisons among those of the section.
    comparisons: Range<usize>,
}

impl<'a> ReportSection<'a> {
    /// Draws and compares the answers of an analysis; `None` without answers. Appends to the comparisons.
    fn of(
        entry: &'static Entry,
        networks: &'a [NetworkAnswers],
        comparisons: &mut Vec<Comparison>,
    ) -> Result<Option<Self>> {
        let groups = AnswerGroup::all(networks, entry.name);
        if groups.is_empty() {
            return Ok(None);
        }
        let figure = figures::find(entry.name)?;
        let pictures = named(figure.pictures(&groups)?);
        let start = comparisons.len();
        let networks = groups.into_iter().map(|answers| {
            let first = comparisons.len() - start;
            comparisons.extend(answers.comparisons());
            let pictures = named(figure.detail_pictures(&answers)?);
            Ok(NetworkDetails { answers, pictures, comparisons: first..comparisons.len() - start })
        });
        let networks = networks.collect::<Result<_>>()?;
        Ok(Some(Self { entry, pictures, networks, comparisons: start..comparisons.len() }))
    }
}

fn named(pictures: Vec<(String, Picture)>) -> Vec<NamedPicture> {
    pictures.into_iter().map(|(name, picture)| NamedPicture { name, picture }).collect()
}

impl<'a> Report<'a> {
    /// Compares and draws the answers of networks.
    pub fn new(networks: &'a [NetworkAnswers]) -> Result<Self> {
        let (mut sections, mut comparisons) = (vec![], vec![]);
        for entry in analyses::ALL {
            sections.extend(ReportSection::of(entry, networks, &mut comparisons)?);
        }
        let comparison_picture = paper_comparison(&comparisons)
            .map(|picture| NamedPicture { name: "comparison".to_owned(), picture });
        let claims = summary::comparable(claims::judge(networks));
        Ok(Self { networks, sections, extra: vec![], claims, comparisons, comparison_picture })
    }

    /// Judges the claim about all of CLRS-30, too, from the scores of runs.
    #[must_use]
    pub fn with_runs(mut self, runs: &[RunResult]) -> Self {
        if !self.claims.is_empty() {
            self.claims.push(claims::clrs30::judge(runs));
        }
        self
    }

    /// Adds sections, which stand before those of the analyses.
    #[must_use]
    pub fn with_extra(mut self, sections: impl IntoIterator<Item = ExtraSection>) -> Self {
        self.extra.extend(sections);
        self
    }

    /// Composes the counterparts of the paper's figures; nothing if no network solves Bellman-Ford.
    pub fn paper_figures(&self) -> Result<Vec<Counterpart>> {
        figures::paper::counterparts(self.networks)
    }

    /// Returns the names of all variants, in the order of their first networks.
    pub fn variants(&self) -> Vec<&'a str> {
        variants(self.networks)
    }

    /// Returns the paper's claims and their verdicts; nothing if no network is like the paper's.
    pub fn claims(&self) -> &[ClaimResult] {
        &self.claims
    }

    /// Returns the comparisons of all measures with the paper's, in the order of the analyses.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// Returns the picture of all comparisons with published numbers, if there are any.
    pub fn comparison_picture(&self) -> Option<&Picture> {
        self.comparison_picture.as_ref().map(|named| &named.picture)
    }

    /// Returns the pictures of all networks side by side, in the order of the page.
    pub fn pictures(&self) -> impl Iterator<Item = &NamedPicture> {
        let extra = self.extra.iter().flat_map(|section| &section.pictures);
        extra.chain(self.sections.iter().flat_map(|section| &section.pictures))
    }

    /// Returns the pictures of single networks with their variants, in the order of the page.
    pub fn details(&self) -> impl Iterator<Item = (&'a str, &NamedPicture)> {
        let networks = self.sections.iter().flat_map(|section| &section.networks);
        networks.flat_map(|network| {
            network.pictures.iter().map(|picture| (network.answers.variant, picture))
        })
    }

    /// Returns the HTML page.
    pub fn page(&self, about: &About) -> Result<String> {
        let mut numbers = Numbers::default();
        let paper = Paper::of(self, &mut numbers)?;
        let extra = self.extra.iter().map(|section| Extra::of(section, &mut numbers));
        let extra = extra.collect::<Result<_>>()?;
        let sections = self.sections.iter().map(|section| {
            let comparisons = &self.comparisons[section.comparisons.clone()];
            Section::of(section, comparisons, &mut numbers)
        });
        let sections = sections.collect::<Result<Vec<_>>>()?;
        let name = |network: &NetworkAnswers| format!("{}, seed {}", network.variant, network.seed);
        let configs = self.networks.iter();
        render(&Content {
            about,
            summary: Summary::of(self.networks, &self.claims, &sections),
            paper,
            extra,
            sections,
            configs: configs.map(|network| (name(network), network.config.to_toml())).collect(),
            colours: colours::json(),
            style: include_str!("../assets/report.css"),
            script: include_str!("../assets/report.js"),
        })
    }
}

/// Context of the template.
#[derive(Serialize)]
struct Content<'a> {
    about: &'a About,
    summary: Summary,
    paper: Option<Paper>,
    extra: Vec<Extra>,
    sections: Vec<Section>,
    /// Names and texts of configurations.
    configs: Vec<(String, String)>,
    /// Colours of the interactive views.
    colours: String,
    style: &'static str,
    script: &'static str,
}

/// What the paper says, and what our networks say about it.
#[derive(Serialize)]
struct Paper {
    claims: Table,
    parts: Table,
    figure: Option<PageFigure>,
    measures: Table,
}

impl Paper {
    fn of(report: &Report<'_>, numbers: &mut Numbers) -> Result<Option<Self>> {
        if report.claims.is_empty() {
            return Ok(None);
        }
        let published = report.comparisons.iter().filter(|row| row.is_published());
        let figure = report.comparison_picture.as_ref().map(|picture| numbers.figure(picture));
        Ok(Some(Self {
            claims: Table::of_claims(&report.claims),
            parts: Table::of_parts(&report.claims),
            figure: figure.transpose()?,
            measures: Table::of_comparisons(published, true),
        }))
    }
}

/// An extra section as the template needs it.
#[derive(Serialize)]
struct Extra {
    id: String,
    title: String,
    sentence: String,
    table: Option<Table>,
    figures: Vec<PageFigure>,
}

impl Extra {
    fn of(section: &ExtraSection, numbers: &mut Numbers) -> Result<Self> {
        let ExtraSection { title, sentence, table, pictures } = section;
        let figures = pictures.iter().map(|picture| numbers.figure(picture));
        Ok(Self {
            id: title.to_lowercase().replace(|it: char| !it.is_alphanumeric(), "-"),
            title: title.clone(),
            sentence: sentence.clone(),
            table: table.clone(),
            figures: figures.collect::<Result<_>>()?,
        })
    }
}

fn render(content: &Content<'_>) -> Result<String> {
    let failed = |error: minijinja::Error| Error::Page(format!("{error:#}"));
    let mut environment = Environment::new();
    let templates = [
        ("report.html", include_str!("../assets/report.html")),
        ("macros.html", include_str!("../assets/macros.html")),
    ];
    for (name, source) in templates {
        environment.add_template(name, source).map_err(failed)?;
    }
    let template = environment.get_template("report.html").map_err(failed)?;
    template.render(Serde(content)).map_err(failed)
}

#[cfg(test)]
mod tests;
