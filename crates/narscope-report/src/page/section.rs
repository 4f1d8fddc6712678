//! A section of the page: one question, all networks.

use narscope_analysis::analyses::Entry;
use narscope_results::{AnswerGroup, Comparison, file_name};
use serde::Serialize;

use super::figure::{Numbers, PageFigure, data_url};
use super::table::Table;
use super::{NetworkDetails, ReportSection, space};
use crate::Result;
use crate::figures::{self, counted};

/// A section as the template needs it.
#[derive(Serialize)]
pub(super) struct Section {
    pub(super) id: String,
    /// Name in the bar of contents.
    short: String,
    pub(super) question: String,
    /// Where the paper asks it.
    paper: String,
    answers: Vec<NetworkSentence>,
    pub(super) figures: Vec<PageFigure>,
    /// Measures with a published number.
    published: Option<Table>,
    csv: String,
    networks: Vec<Network>,
}

/// What was found for one network.
#[derive(Serialize)]
struct NetworkSentence {
    variant: String,
    sentence: String,
    /// Which seed the sentence is about, if there are several.
    seed: Option<u32>,
}

/// Details of one network.
#[derive(Serialize)]
struct Network {
    id: String,
    variant: String,
    /// What there is to open, in words.
    contents: String,
    figures: Vec<PageFigure>,
    spaces: Vec<SpaceData>,
    measures: Table,
}

/// Trajectories of an interactive view.
#[derive(Serialize)]
struct SpaceData {
    id: String,
    title: String,
    json: String,
}

impl Section {
    pub(super) fn of(
        section: &ReportSection<'_>,
        comparisons: &[Comparison],
        numbers: &mut Numbers,
    ) -> Result<Self> {
        let Entry { name, question, paper, .. } = *section.entry;
        let figures = section
            .pictures
            .iter()
            .map(|picture| numbers.figure(picture))
            .collect::<Result<_>>()?;
        let published: Vec<&Comparison> =
            comparisons.iter().filter(|it| it.is_published()).collect();
        let several = section.networks.len() > 1;
        let networks = section.networks.iter().map(|network| {
            Network::of(name, network, &comparisons[network.comparisons.clone()], numbers)
        });
        Ok(Self {
            id: name.to_owned(),
            short: name.replace('_', " "),
            question: question.to_owned(),
            paper: paper.to_owned(),
            answers: section.networks.iter().map(|it| NetworkSentence::of(&it.answers)).collect(),
            figures,
            published: (!published.is_empty()).then(|| Table::of_comparisons(published, several)),
            csv: csv(comparisons),
            networks: networks.collect::<Result<_>>()?,
        })
    }
}

impl NetworkSentence {
    fn of(AnswerGroup { variant, answers, .. }: &AnswerGroup<'_>) -> Self {
        let (seed, answer) = answers[0];
        Self {
            variant: (*variant).to_owned(),
            sentence: answer.sentence.clone(),
            seed: (answers.len() > 1).then_some(seed),
        }
    }
}

impl Network {
    fn of(
        analysis: &str,
        network: &NetworkDetails<'_>,
        comparisons: &[Comparison],
        numbers: &mut Numbers,
    ) -> Result<Self> {
        let AnswerGroup { variant, answers, .. } = &network.answers;
        let file = file_name(variant);
        let id = format!("{analysis}-{file}");
        let spaces = figures::find(analysis)?.spaces;
        let spaces = spaces.map_or_else(|| Ok(vec![]), |spaces| spaces(answers[0].1))?;
        let spaces: Vec<SpaceData> = spaces
            .iter()
            .enumerate()
            .map(|(index, space)| SpaceData {
                id: format!("{id}-{index}"),
                title: space.title.clone(),
                json: space::json(space),
            })
            .collect();
        let pictures = network.pictures.iter();
        let figures =
            pictures.map(|picture| numbers.detail(picture, &file)).collect::<Result<Vec<_>>>()?;
        let measures = Table::of_comparisons(comparisons, false);
        let counts =
            [(figures.len(), "picture"), (spaces.len(), "3-D view"), (measures.len(), "measure")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let contents: Vec<String> = counts.map(|(count, noun)| counted(count, noun)).collect();
        let variant = (*variant).to_owned();
        Ok(Self { id, variant, contents: contents.join(", "), figures, spaces, measures })
    }
}

/// The values of all networks and seeds as the data URL of a CSV file.
fn csv(comparisons: &[Comparison]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = "network,measure,seed,value\n".to_owned();
    for Comparison { variant, label, values, .. } in comparisons {
        let (variant, label) = (quoted(variant), quoted(label));
        let rows = values.iter().map(|(seed, value)| format!("{variant},{label},{seed},{value}\n"));
        text.extend(rows);
    }
    data_url("text/csv", text.as_bytes())
}
