//! What there is: algorithms with their problems and probes, families of graphs, limits.

use narscope_clrs::options::{Direction, OptionName, Options};
use narscope_clrs::rng::Rng;
use narscope_clrs::{Category, Entry};
use narscope_clrs::{algorithms, family, symmetry, variants};
use serde::Serialize;

use crate::limits::{LIMITS, Limits};
use crate::problem::Form;
use crate::trace::ProbeInfo;

/// Everything but the networks.
#[derive(Debug, Serialize)]
pub(crate) struct Catalogue {
    version: &'static str,
    algorithms: Vec<Algorithm>,
    families: Vec<Family>,
    limits: Limits,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
struct Algorithm {
    name: &'static str,
    summary: &'static str,
    category: Category,
    in_clrs30: bool,
    problem: &'static str,
    wanted: String,
    columns: Vec<&'static str>,
    weighted: bool,
    has_source: bool,
    directed: &'static str,
    has_target: bool,
    options: Vec<OptionName>,
    probes: Vec<ProbeInfo>,
    variants: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Family {
    name: &'static str,
    summary: &'static str,
    is_symmetry: bool,
    options: Vec<OptionName>,
}

impl Catalogue {
    /// What this build knows.
    pub(crate) fn new() -> Self {
        let families = family::ALL.iter().map(|family| Family {
            name: family.name,
            summary: family.summary,
            is_symmetry: false,
            options: family.options.to_vec(),
        });
        let symmetries = symmetry::ALL.iter().map(|symmetry| Family {
            name: symmetry.name,
            summary: symmetry.summary,
            is_symmetry: true,
            options: symmetry.option.into_iter().collect(),
        });
        Self {
            version: env!("CARGO_PKG_VERSION"),
            algorithms: algorithms::all().into_iter().filter_map(Algorithm::of).collect(),
            families: families.chain(symmetries).collect(),
            limits: LIMITS,
        }
    }
}

/// The faulty variants of an algorithm.
pub(crate) fn variants_of(algorithm: &str) -> impl Iterator<Item = &'static Entry> {
    variants::all()
        .filter(move |variant| variant.name.split_once(':').is_some_and(|(of, _)| of == algorithm))
}

impl Algorithm {
    /// An algorithm whose problems can be edited.
    fn of(entry: &'static Entry) -> Option<Self> {
        let form = Form::of(entry).ok()?;
        let (problem, columns) = match &form {
            Form::Graph { .. } => ("graph", vec![]),
            Form::Array { .. } => ("array", vec![]),
            Form::Columns(names) => ("columns", names.clone()),
            Form::Text => ("text", vec![]),
        };
        let options = entry.options(&Options::default());
        Some(Self {
            name: entry.name,
            summary: entry.summary,
            category: entry.category,
            in_clrs30: entry.in_clrs_30,
            problem,
            wanted: entry.wanted(),
            columns,
            weighted: options.contains(&OptionName::Low) && problem == "graph",
            has_source: form == Form::Graph { has_source: true },
            directed: if problem == "graph" { directed(entry) } else { "either" },
            has_target: matches!(form, Form::Array { has_target: true, .. }),
            options,
            probes: entry.probes.iter().map(ProbeInfo::from).collect(),
            variants: variants_of(entry.name).map(|variant| variant.name).collect(),
        })
    }
}

/// Which graphs an algorithm takes, found by asking its sampler.
fn directed(entry: &Entry) -> &'static str {
    const LENGTH: usize = 4;
    let takes = |direction| {
        let options = Options { direction: Some(direction), ..Options::default() };
        entry.generate(&mut Rng::seeded(1), LENGTH, &options, 1).is_ok()
    };
    match (takes(Direction::Undirected), takes(Direction::Directed)) {
        (true, true) => "either",
        (true, false) => "undirected",
        (false, true) => "directed",
        (false, false) => "acyclic",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_clrs_30_are_there_and_described_as_they_are() {
        let catalogue = Catalogue::new();
        let of_clrs_30 = catalogue.algorithms.iter().filter(|algorithm| algorithm.in_clrs30);
        assert_eq!(of_clrs_30.count(), 30);
        let find = |name: &str| catalogue.algorithms.iter().find(|it| it.name == name).unwrap();
        let bellman_ford = find("bellman_ford");
        assert!(bellman_ford.weighted && bellman_ford.has_source);
        assert_eq!((bellman_ford.directed, bellman_ford.variants.len()), ("either", 3));
        assert_eq!(find("topological_sort").directed, "acyclic");
        assert!(!find("topological_sort").weighted);
        assert_eq!(find("articulation_points").directed, "undirected");
        assert!(find("binary_search").has_target);
        assert_eq!(find("activity_selector").columns, ["s", "f"]);
    }
}
