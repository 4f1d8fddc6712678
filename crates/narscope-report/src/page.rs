//! The report: a single HTML file without external resources.

use std::ops::Range;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use minijinja::Environment;
use minijinja::value::Serde;
use narscope_analysis::analyses::{self, Answer, Entry};
use narscope_results::{AnswerGroup, Comparison, NetworkAnswers, file_name, variants};
use serde::Serialize;

use crate::figures::{self, Space, paper_comparison};
use crate::plot::Picture;
use crate::{Error, Result};

/// Header of the page.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    /// Title.
    pub title: String,
    /// Command that made the page.
    pub command: String,
    /// Program and version that made the page.
    pub version: String,
    /// Number and kind of samples, in words.
    pub size: String,
}

/// Context of the template.
#[derive(Serialize)]
struct Content<'a> {
    about: &'a About,
    sections: Vec<Section>,
    /// Measures with a published number or claim.
    comparisons: Vec<ComparisonRow>,
    /// Data URL of the picture of all comparisons.
    picture: Option<String>,
    /// Names and texts of configurations.
    configs: Vec<(String, String)>,
    style: &'static str,
    script: &'static str,
}

/// One analysis.
#[derive(Serialize)]
struct Section {
    name: String,
    question: String,
    paper: String,
    groups: Vec<VariantGroup>,
}

/// Answers of all seeds of one variant, as text.
#[derive(Serialize)]
struct VariantGroup {
    id: String,
    variant: String,
    seeds: Vec<u32>,
    sentence: String,
    rows: Vec<ComparisonRow>,
    csv: String,
    /// Titles and data URLs.
    pictures: Vec<(String, String)>,
    spaces: Vec<SpaceData>,
}

#[derive(Serialize)]
struct SpaceData {
    id: String,
    title: String,
    json: String,
}

/// A measure and its published value, as text.
#[derive(Serialize)]
struct ComparisonRow {
    section: String,
    variant: String,
    label: String,
    ours: String,
    paper: String,
    verdict: &'static str,
}

impl ComparisonRow {
    fn of(comparison: &Comparison) -> Self {
        Self {
            section: comparison.analysis.clone(),
            variant: comparison.variant.clone(),
            label: comparison.label.clone(),
            ours: comparison.ours(),
            paper: comparison.published(),
            verdict: comparison.verdict_words(),
        }
    }
}

/// A picture and the name of its file.
#[derive(Clone, Debug)]
pub struct NamedPicture {
    /// Name of the file, without extension. Pictures of other variants have the same name.
    pub name: String,
    /// The picture.
    pub picture: Picture,
}

/// A report on networks: answers, comparisons and pictures, each computed once.
pub struct Report<'a> {
    networks: &'a [NetworkAnswers],
    groups: Vec<ReportGroup<'a>>,
    /// All comparisons, in the order of the groups.
    comparisons: Vec<Comparison>,
    comparison_picture: Option<Picture>,
}

/// Answers of one analysis for all seeds of one variant.
struct ReportGroup<'a> {
    entry: &'static Entry,
    answers: AnswerGroup<'a>,
    /// Indices of its comparisons.
    comparisons: Range<usize>,
    /// Pictures of the first seed.
    pictures: Vec<NamedPicture>,
}

/// Draws the pictures of an answer.
type Draw<'a> = &'a mut dyn FnMut(&Answer) -> Result<Vec<NamedPicture>>;

impl<'a> Report<'a> {
    /// Compares and draws the answers of networks.
    pub fn new(networks: &'a [NetworkAnswers]) -> Result<Self> {
        Self::with(networks, &mut |answer| {
            let pictures = figures::find(&answer.analysis)?.pictures(answer)?.into_iter();
            Ok(pictures.map(|(name, picture)| NamedPicture { name, picture }).collect())
        })
    }

    fn with(networks: &'a [NetworkAnswers], draw: Draw<'_>) -> Result<Self> {
        let (mut groups, mut comparisons) = (vec![], vec![]);
        for entry in analyses::ALL {
            for answers in AnswerGroup::all(networks, entry.name) {
                let start = comparisons.len();
                comparisons.extend(answers.comparisons());
                let pictures = draw(answers.answers[0].1)?;
                let comparisons = start..comparisons.len();
                groups.push(ReportGroup { entry, answers, comparisons, pictures });
            }
        }
        let comparison_picture = paper_comparison(&comparisons);
        Ok(Self { networks, groups, comparisons, comparison_picture })
    }

    /// Returns the names of all variants, in the order of their first networks.
    pub fn variants(&self) -> Vec<&'a str> {
        variants(self.networks)
    }

    /// Returns the comparisons of all measures with the paper's, in the order of the analyses.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// Returns the picture of all comparisons with published numbers, if there are any.
    pub fn comparison_picture(&self) -> Option<&Picture> {
        self.comparison_picture.as_ref()
    }

    /// Returns all pictures with their variants, in the order of the analyses.
    pub fn pictures(&self) -> impl Iterator<Item = (&'a str, &NamedPicture)> {
        let groups = self.groups.iter();
        groups
            .flat_map(|group| group.pictures.iter().map(|picture| (group.answers.variant, picture)))
    }

    /// Returns the HTML page: analysis by analysis, the variants of networks next to each other.
    pub fn page(&self, about: &About) -> Result<String> {
        let mut sections: Vec<Section> = vec![];
        for group in &self.groups {
            let Entry { name, question, paper, .. } = *group.entry;
            if sections.last().is_none_or(|section| section.name != name) {
                sections.push(Section {
                    name: name.to_owned(),
                    question: question.to_owned(),
                    paper: paper.to_owned(),
                    groups: vec![],
                });
            }
            let comparisons = &self.comparisons[group.comparisons.clone()];
            let section = sections.last_mut().expect("it was pushed");
            section.groups.push(VariantGroup::of(group, comparisons)?);
        }
        let published = self.comparisons.iter().filter(|row| row.is_published());
        let mut environment = Environment::new();
        let failed = |error: minijinja::Error| Error::Page(format!("{error:#}"));
        let source = include_str!("assets/report.html");
        environment.add_template("report.html", source).map_err(failed)?;
        let template = environment.get_template("report.html").map_err(failed)?;
        let name = |network: &NetworkAnswers| format!("{}, seed {}", network.variant, network.seed);
        let configs = self.networks.iter();
        let content = Content {
            about,
            sections,
            comparisons: published.map(ComparisonRow::of).collect(),
            picture: self.comparison_picture.as_ref().map(data_url),
            configs: configs.map(|network| (name(network), network.config.to_toml())).collect(),
            style: include_str!("assets/report.css"),
            script: include_str!("assets/view.js"),
        };
        template.render(Serde(content)).map_err(failed)
    }
}

impl VariantGroup {
    fn of(group: &ReportGroup<'_>, comparisons: &[Comparison]) -> Result<Self> {
        let AnswerGroup { variant, answers, .. } = &group.answers;
        let (analysis, (_, first)) = (group.entry.name, answers[0]);
        let pictures = group
            .pictures
            .iter()
            .map(|NamedPicture { picture, .. }| (picture.title.clone(), data_url(picture)));
        let id = format!("{analysis}-{}", file_name(variant));
        let spaces = figures::find(analysis)?.spaces;
        let spaces = spaces.map_or_else(|| Ok(vec![]), |spaces| spaces(first))?;
        let spaces = spaces.iter().enumerate().map(|(index, space)| SpaceData {
            id: format!("{id}-{index}"),
            title: space.title.clone(),
            json: json(space),
        });
        Ok(Self {
            variant: (*variant).to_owned(),
            seeds: answers.iter().map(|(seed, _)| *seed).collect(),
            sentence: first.sentence.clone(),
            rows: comparisons.iter().map(ComparisonRow::of).collect(),
            csv: csv(comparisons),
            pictures: pictures.collect(),
            spaces: spaces.collect(),
            id,
        })
    }
}

/// A picture as a data URL.
fn data_url(picture: &Picture) -> String {
    let svg = BASE64_STANDARD.encode(picture.svg_light_and_dark());
    format!("data:image/svg+xml;base64,{svg}")
}

/// JSON that is safe inside a script element.
fn json(space: &Space) -> String {
    serde_json::to_string(space).expect("trajectories are JSON").replace('<', "\\u003c")
}

/// The values of all seeds as the data URL of a CSV file.
fn csv(comparisons: &[Comparison]) -> String {
    let mut text = "measure,seed,value\n".to_owned();
    for Comparison { label, values, .. } in comparisons {
        let label = label.replace('"', "\"\"");
        text.extend(values.iter().map(|(seed, value)| format!("\"{label}\",{seed},{value}\n")));
    }
    format!("data:text/csv;base64,{}", BASE64_STANDARD.encode(text))
}

#[cfg(test)]
mod tests {
    use narscope_analysis::analyses::Measure;
    use narscope_model::config::Config;

    use super::*;
    use crate::plot::Panel;

    fn answer(value: f64) -> Answer {
        Answer {
            analysis: "stopping".to_owned(),
            question: "Can <it> stop?".to_owned(),
            sentence: "It can & does.".to_owned(),
            measures: vec![Measure::share("score_told", "score, told", value)],
            data: serde_json::json!({
                "graphs": 2, "most": 3, "rules": [], "thresholds": [],
            }),
        }
    }

    fn networks() -> Vec<NetworkAnswers> {
        let networks = [(42, 0.5), (43, 0.7)].map(|(seed, value)| NetworkAnswers {
            variant: "mpnn".to_owned(),
            seed,
            config: Config::default(),
            sampling: None,
            answers: vec![answer(value)],
        });
        networks.to_vec()
    }

    fn about() -> About {
        About {
            title: "A <title>".to_owned(),
            command: "narscope report".to_owned(),
            version: "0".to_owned(),
            size: "few".to_owned(),
        }
    }

    #[test]
    fn seeds_of_one_variant_share_a_row_with_mean_and_standard_deviation() {
        let page = Report::new(&networks()).unwrap().page(&about()).unwrap();
        assert!(page.contains("60.0 ± 14.1 %"), "the mean over seeds");
        assert!(page.contains("A &lt;title&gt;") && page.contains("It can &amp; does."));
        assert!(!page.contains("src=\"http"), "no external resources");
    }

    #[test]
    fn every_answer_is_drawn_and_compared_once() {
        let networks = networks();
        let mut drawn = 0;
        let report = Report::with(&networks, &mut |answer| {
            drawn += 1;
            let name = answer.analysis.clone();
            let panels = vec![Panel::default()];
            let picture = Picture { title: String::new(), columns: 1, panels };
            Ok(vec![NamedPicture { name, picture }])
        })
        .unwrap();
        // The page, the files and the table share pictures and comparisons.
        report.page(&about()).unwrap();
        let pictures: Vec<_> =
            report.pictures().map(|(variant, it)| (variant, &*it.name)).collect();
        assert_eq!(pictures, [("mpnn", "stopping")]);
        assert_eq!(report.comparisons().len(), 1);
        drop(report);
        assert_eq!(drawn, 1, "one analysis, one variant");
    }
}
