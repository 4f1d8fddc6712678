//! The kept answers of the repository, for tests.

use std::path::Path;

use narscope_analysis::Sampling;
use narscope_analysis::analyses::Answer;
use narscope_clrs::options::Direction;
use narscope_model::config::Draft;
use narscope_results::{NetworkAnswers, variant_name};

use crate::plot::{Picture, Style};

/// All networks whose answers are kept, by the name of their folder.
pub(crate) fn kept_networks() -> Vec<NetworkAnswers> {
    let folder =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/results/paper-quick/networks");
    let mut folders = files_of(folder.as_ref());
    folders.sort();
    folders.iter().map(|folder| network(folder)).collect()
}

fn files_of(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn network(folder: &Path) -> NetworkAnswers {
    let config = std::fs::read_to_string(folder.join("config.toml")).unwrap();
    let config = Draft::parse(&config).unwrap().finish().unwrap();
    let answers = files_of(&folder.join("answers")).into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        serde_json::from_str::<Answer>(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let mut answers: Vec<Answer> = answers.collect();
    answers.sort_by(|a, b| a.analysis.cmp(&b.analysis));
    let directed = Some(Direction::Directed);
    NetworkAnswers {
        variant: variant_name(&config),
        seed: config.seed,
        config,
        sampling: Some(Sampling { graphs: 640, direction: directed, ..Sampling::FULL }),
        answers,
    }
}

/// Checks that a picture says something, and that its texts do not overlap at the widths of print.
pub(super) fn check_texts(name: &str, picture: &Picture) {
    assert!(!picture.panels.is_empty() && !picture.caption.is_empty(), "{name}");
    let texts = format!("{} {}", picture.title, picture.caption);
    assert!(!texts.contains('`') && !texts.contains("NaN"), "{name}: {texts}");
    for width in [85.0, 170.0] {
        let style = Style { width_mm: Some(width), ..Style::default() };
        let overlaps = picture.text_overlaps(&style);
        assert!(overlaps.is_empty(), "{name} at {width} mm: {overlaps:?}");
    }
}
