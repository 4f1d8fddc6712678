//! The report: one HTML file that needs nothing else.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use minijinja::Environment;
use minijinja::value::Serde;
use narscope_analysis::analyses;
use narscope_results::{AnswerGroup, Comparison, NetworkAnswers, comparisons, file_name};
use serde::Serialize;

use crate::figures::{self, Space, paper_comparison};
use crate::plot::Picture;
use crate::{Error, Result};

/// What the page says of itself.
#[derive(Clone, Debug, Serialize)]
pub struct About {
    /// The heading.
    pub title: String,
    /// The command that makes the page.
    pub command: String,
    /// The program that made it.
    pub version: String,
    /// How many samples were looked at, in words.
    pub size: String,
}

/// What the template is filled with.
#[derive(Serialize)]
struct Content<'a> {
    about: &'a About,
    sections: Vec<Section>,
    /// What the paper printed, too.
    comparisons: Vec<Row>,
    /// The address of a picture of them.
    picture: Option<String>,
    /// Names and texts.
    configs: Vec<(String, String)>,
    style: &'static str,
    script: &'static str,
}

/// One question, as the page shows it.
#[derive(Serialize)]
struct Section {
    name: String,
    question: String,
    paper: String,
    groups: Vec<Group>,
}

/// The answers of all seeds of one variant.
#[derive(Serialize)]
struct Group {
    id: String,
    variant: String,
    seeds: Vec<u32>,
    sentence: String,
    rows: Vec<Row>,
    csv: String,
    /// Titles and data addresses.
    pictures: Vec<(String, String)>,
    spaces: Vec<SpaceData>,
}

#[derive(Serialize)]
struct SpaceData {
    id: String,
    title: String,
    json: String,
}

/// A measure beside the paper's, as the page shows it.
#[derive(Serialize)]
struct Row {
    section: String,
    variant: String,
    label: String,
    ours: String,
    paper: String,
    verdict: &'static str,
}

impl Row {
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

/// A picture of what the first seed of a variant said.
pub struct Drawn<'a> {
    /// The variant.
    pub variant: &'a str,
    /// The name of its file: pictures of other variants are called the same.
    pub name: String,
    /// The picture.
    pub picture: Picture,
}

/// The pictures of the page, question after question.
pub fn pictures(told: &[NetworkAnswers]) -> Result<Vec<Drawn<'_>>> {
    let mut pictures = vec![];
    for figure in figures::ALL {
        for AnswerGroup { variant, answers, .. } in AnswerGroup::all(told, figure.name) {
            let drawn = figure.pictures(answers[0].1)?.into_iter();
            pictures.extend(drawn.map(|(name, picture)| Drawn { variant, name, picture }));
        }
    }
    Ok(pictures)
}

/// The page of all answers, question after question, variants of a network beside each other.
pub fn page(about: &About, told: &[NetworkAnswers]) -> Result<String> {
    let mut sections = vec![];
    for entry in analyses::ALL {
        let groups = AnswerGroup::all(told, entry.name);
        if groups.is_empty() {
            continue;
        }
        let groups = groups.iter().map(|group| Group::of(entry.name, group));
        sections.push(Section {
            name: entry.name.to_owned(),
            question: entry.question.to_owned(),
            paper: entry.paper.to_owned(),
            groups: groups.collect::<Result<_>>()?,
        });
    }
    let comparisons = comparisons(told);
    let printed = comparisons.iter().filter(|row| row.is_published());
    let mut environment = Environment::new();
    let broken = |error: minijinja::Error| Error::Page(format!("{error:#}"));
    environment.add_template("report.html", include_str!("assets/report.html")).map_err(broken)?;
    let template = environment.get_template("report.html").map_err(broken)?;
    let name = |one: &NetworkAnswers| format!("{}, seed {}", one.variant, one.seed);
    let content = Content {
        about,
        sections,
        comparisons: printed.map(Row::of).collect(),
        picture: paper_comparison(&comparisons).map(|picture| address(&picture)),
        configs: told.iter().map(|one| (name(one), one.config.to_toml())).collect(),
        style: include_str!("assets/report.css"),
        script: include_str!("assets/view.js"),
    };
    template.render(Serde(content)).map_err(broken)
}

impl Group {
    fn of(analysis: &str, found: &AnswerGroup<'_>) -> Result<Self> {
        let AnswerGroup { variant, answers, .. } = found;
        let (_, first) = answers[0];
        let comparisons = found.comparisons();
        let figure = figures::find(analysis)?;
        let pictures = (figure.draw)(first)?;
        let pictures = pictures.iter().map(|picture| (picture.title.clone(), address(picture)));
        let id = format!("{analysis}-{}", file_name(variant));
        let spaces = figure.spaces.map_or_else(|| Ok(vec![]), |spaces| spaces(first))?;
        let spaces = spaces.iter().enumerate().map(|(place, space)| SpaceData {
            id: format!("{id}-{place}"),
            title: space.title.clone(),
            json: json(space),
        });
        Ok(Self {
            variant: (*variant).to_owned(),
            seeds: answers.iter().map(|(seed, _)| *seed).collect(),
            sentence: first.sentence.clone(),
            rows: comparisons.iter().map(Row::of).collect(),
            csv: csv(&comparisons),
            pictures: pictures.collect(),
            spaces: spaces.collect(),
            id,
        })
    }
}

/// A picture as an address that needs no other file.
fn address(picture: &Picture) -> String {
    let svg = BASE64_STANDARD.encode(picture.svg_of_both_looks());
    format!("data:image/svg+xml;base64,{svg}")
}

/// JSON that may stand inside a script element.
fn json(space: &Space) -> String {
    serde_json::to_string(space).expect("trajectories are JSON").replace('<', "\\u003c")
}

/// A table of all seeds as the address of a file to download.
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
    use narscope_analysis::analyses::{Answer, Measure};
    use narscope_model::config::Config;

    use super::*;

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

    #[test]
    fn seeds_of_one_variant_are_one_row_with_their_spread() {
        let told: Vec<NetworkAnswers> = [(42, 0.5), (43, 0.7)]
            .map(|(seed, value)| NetworkAnswers {
                variant: "mpnn".to_owned(),
                seed,
                config: Config::default(),
                size: None,
                answers: vec![answer(value)],
            })
            .to_vec();
        let about = About {
            title: "A <title>".to_owned(),
            command: "narscope report".to_owned(),
            version: "0".to_owned(),
            size: "few".to_owned(),
        };
        let page = page(&about, &told).unwrap();
        assert!(page.contains("60.0 ± 14.1 %"), "the mean over seeds");
        assert!(page.contains("A &lt;title&gt;") && page.contains("It can &amp; does."));
        assert!(!page.contains("src=\"http"), "nothing is fetched");
    }
}
