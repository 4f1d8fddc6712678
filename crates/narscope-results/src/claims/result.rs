//! Judged claims, with every value that decided them.

use narscope_analysis::Protocol;
use serde::Serialize;

use super::claim::{SeedValue, without_remark};
use super::{Claim, Criterion, Part, Verdict, paper};
use crate::statistics::mean;
use crate::{NetworkAnswers, is_comparable};

/// A claim under one protocol, judged. The values are those of its first part; all parts are in `parts`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// Identifier of the claim.
    pub id: &'static str,
    /// The claim in our words.
    pub claim: &'static str,
    /// Where the paper makes it.
    pub place: &'static str,
    /// The protocol; `None` where the authors' code and text do not differ.
    pub protocol: Option<Protocol>,
    /// The verdict: that of the part that supports the claim least.
    pub verdict: Verdict,
    /// Seeds of the networks.
    pub seeds: Vec<u32>,
    /// Value of each seed.
    pub values: Vec<f64>,
    /// Mean over seeds.
    pub mean: Option<f64>,
    /// Interval that was compared with the criterion.
    pub interval: Option<(f64, f64)>,
    /// Margin within which a value is called equal.
    pub margin: f64,
    /// Why, if it is not plain from the interval.
    pub note: Option<String>,
    /// All parts.
    pub parts: Vec<PartResult>,
}

/// A part of a claim, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartResult {
    /// The variant of the network.
    pub network: &'static str,
    /// The analysis that measures the quantity.
    pub analysis: &'static str,
    /// The quantity in words.
    pub quantity: String,
    /// The criterion in words.
    pub criterion: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Seeds of the networks.
    pub seeds: Vec<u32>,
    /// Value of each seed.
    pub values: Vec<f64>,
    /// Mean over seeds.
    pub mean: Option<f64>,
    /// Interval that was compared with the criterion.
    pub interval: Option<(f64, f64)>,
    /// Margin within which a value is called equal.
    pub margin: f64,
    /// Why, if it is not plain from the interval.
    pub note: Option<String>,
    /// Whether values are shares, which are shown in percent.
    pub is_share: bool,
}

/// Judges the paper's claims, each once per protocol.
pub fn judge(networks: &[NetworkAnswers]) -> Vec<ClaimResult> {
    let results = paper::CLAIMS.iter().flat_map(|claim| {
        protocols(claim).into_iter().map(|protocol| ClaimResult::of(claim, protocol, networks))
    });
    results.collect()
}

/// The protocols of a claim. Parts without a protocol belong to each of them.
fn protocols(claim: &Claim) -> Vec<Option<Protocol>> {
    let used = |protocol| claim.parts.iter().any(|part| part.protocol == Some(protocol));
    let used: Vec<Option<Protocol>> =
        Protocol::ALL.into_iter().filter(|&protocol| used(protocol)).map(Some).collect();
    if used.is_empty() { vec![None] } else { used }
}

impl ClaimResult {
    fn of(claim: &Claim, protocol: Option<Protocol>, networks: &[NetworkAnswers]) -> Self {
        let is_part = |part: &&Part| part.protocol.is_none() || part.protocol == protocol;
        let parts = claim.parts.iter().filter(is_part);
        let parts: Vec<PartResult> = parts.map(|part| PartResult::of(part, networks)).collect();
        let first = parts[0].clone();
        Self {
            id: claim.id,
            claim: claim.statement,
            place: claim.place,
            protocol,
            verdict: least(parts.iter().map(|part| part.verdict)),
            seeds: first.seeds,
            values: first.values,
            mean: first.mean,
            interval: first.interval,
            margin: first.margin,
            note: first.note,
            parts,
        }
    }
}

/// The verdict that supports a claim least. A claim has several parts because it needs all of them; parts that cannot
/// be compared count only if no other part can.
fn least(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let comparable = verdicts.filter(|verdict| *verdict != Verdict::NotComparable);
    comparable.max().unwrap_or(Verdict::NotComparable)
}

impl PartResult {
    fn of(part: &Part, networks: &[NetworkAnswers]) -> Self {
        let Part { network, quantity, criterion, .. } = part;
        let analysis = quantity.analysis();
        let is_variant = |it: &&NetworkAnswers| {
            it.variant == *network || without_remark(&it.variant) == *network
        };
        let of_variant: Vec<&NetworkAnswers> = networks.iter().filter(is_variant).collect();
        let (comparable, others): (Vec<&NetworkAnswers>, Vec<&NetworkAnswers>) = networks
            .iter()
            .filter(|it| is_comparable(analysis, &it.config, it.sampling.as_ref()))
            .partition(is_variant);
        let values: Vec<SeedValue> =
            comparable.iter().filter_map(|it| quantity.of(it, &others)).collect();
        let missing = || match (of_variant.is_empty(), comparable.is_empty()) {
            (true, _) => format!("no network {network}"),
            (_, true) => format!("{network} was trained or analysed otherwise than in the paper"),
            _ => format!("{network} has no such measure"),
        };
        let label = |key: &str| label(networks, analysis, key);
        let is_share = is_share(networks, part);
        let base = Self {
            network,
            analysis,
            quantity: quantity.words(&label),
            criterion: criterion.words(is_share),
            verdict: Verdict::NotComparable,
            seeds: values.iter().map(|it| it.seed).collect(),
            values: values.iter().map(|it| it.value).collect(),
            mean: None,
            interval: None,
            margin: criterion.margin(),
            note: None,
            is_share,
        };
        if values.is_empty() {
            return Self { note: Some(missing()), ..base };
        }
        let error = values.iter().filter_map(|it| it.error).fold(0.0, f64::max);
        let judgement = criterion.judge(&base.values, error);
        let range = if is_share { quantity.range_of_shares(&base.values) } else { EVERYWHERE };
        let interval = judgement.interval;
        Self {
            verdict: judgement.verdict,
            interval: interval.map(|(low, high)| (low.max(range.0), high.min(range.1))),
            note: judgement.note,
            mean: Some(mean(&base.values)),
            ..base
        }
    }

    /// Mean and interval as text.
    pub fn ours(&self) -> String {
        let Some(mean) = self.mean else { return String::new() };
        let number = |value: f64| number(value, self.is_share);
        match self.interval {
            Some((low, high)) => format!(
                "{} [{}, {}]{}",
                number(mean),
                number(low),
                number(high),
                if self.is_share { " %" } else { "" }
            ),
            None => format!("{}{}", number(mean), if self.is_share { " %" } else { "" }),
        }
    }
}

/// Range of numbers that are no shares.
const EVERYWHERE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// The label that a network gives a measure; the key if none has it.
fn label(networks: &[NetworkAnswers], analysis: &str, key: &str) -> String {
    let answers = networks.iter().flat_map(|network| &network.answers);
    let measures = answers.filter(|it| it.analysis == analysis).flat_map(|it| &it.measures);
    let found = measures.into_iter().find(|it| it.key == key);
    found.map_or_else(|| key.replace('_', " "), |it| it.label.clone())
}

fn is_share(networks: &[NetworkAnswers], part: &Part) -> bool {
    let keys = part.quantity.keys();
    let answers = networks.iter().flat_map(|network| &network.answers);
    let analysis = part.quantity.analysis();
    let measures = answers.filter(|it| it.analysis == analysis).flat_map(|it| &it.measures);
    measures.into_iter().find(|it| keys.contains(&it.key.as_str())).is_some_and(|it| it.is_share)
}

/// A number with one digit in percent, or three digits.
pub(super) fn number(value: f64, is_share: bool) -> String {
    if is_share { format!("{:.1}", 100.0 * value) } else { format!("{value:.3}") }
}

impl Criterion {
    /// The criterion in words.
    fn words(&self, is_share: bool) -> String {
        let unit = if is_share { " %" } else { "" };
        let points = if is_share { " points" } else { "" };
        let margin = number(self.margin(), is_share);
        match self {
            Self::Above { bound, .. } => format!("above {}{unit}", number(*bound, is_share)),
            Self::Below { bound, .. } => format!("below {}{unit}", number(*bound, is_share)),
            Self::Equal { published, .. } => {
                let value = number(published.value, is_share);
                let spread = published.spread;
                let spread = spread.map(|(std, _)| format!(" ± {}", number(std, is_share)));
                let spread = spread.unwrap_or_default();
                format!("equal to {value}{spread}{unit} within {margin}{points}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use narscope_analysis::Sampling;
    use narscope_analysis::analyses::{Answer, Measure};
    use narscope_clrs::options::Direction;
    use narscope_model::config::Draft;

    use super::*;
    use crate::claims::Quantity;

    fn network(variant: &str, seed: u32, measures: &[(&str, f64)]) -> NetworkAnswers {
        let text = "preset = 'paper'\nalgorithms = ['bellman_ford']\ndirected_training = true\n\
                    processor_type = 'linear_pgn'";
        let mut config = Draft::parse(text).unwrap().finish().unwrap();
        config.seed = seed;
        let sampling = Sampling { direction: Some(Direction::Directed), ..Sampling::FULL };
        let measures =
            measures.iter().map(|(key, value)| Measure::share(*key, *key, *value)).collect();
        NetworkAnswers {
            variant: variant.to_owned(),
            seed,
            config,
            sampling: Some(sampling),
            answers: vec![Answer {
                analysis: "perturbations".to_owned(),
                question: String::new(),
                sentence: String::new(),
                measures,
                data: serde_json::Value::Null,
            }],
        }
    }

    fn networks(out: f64, onto: f64) -> Vec<NetworkAnswers> {
        let of_seed = |seed: u32| {
            let by = f64::from(seed) / 1000.0;
            let measures = [("out_closest_as_stated", out + by), ("onto_closest_as_stated", onto)];
            network("linear_pgn", seed, &measures)
        };
        (1..6).map(of_seed).collect()
    }

    fn find(results: &[ClaimResult], id: &str, protocol: Protocol) -> ClaimResult {
        let is_it = |it: &&ClaimResult| it.id == id && it.protocol == Some(protocol);
        results.iter().find(is_it).unwrap().clone()
    }

    #[test]
    fn a_claim_is_judged_once_per_protocol_with_every_seeds_value() {
        let results = judge(&networks(0.6, 0.7));
        let stated = find(&results, "onto_better_than_out", Protocol::AsStated);
        assert_eq!(stated.verdict, Verdict::Confirmed, "{stated:?}");
        assert_eq!(stated.seeds, [1, 2, 3, 4, 5]);
        assert!((stated.values[4] - 0.095).abs() < 1e-12);
        let coded = find(&results, "onto_better_than_out", Protocol::AsCoded);
        assert_eq!(coded.verdict, Verdict::NotComparable);
        assert_eq!(coded.note.unwrap(), "linear_pgn has no such measure");
        let reversed = judge(&networks(0.7, 0.6));
        let reversed = find(&reversed, "onto_better_than_out", Protocol::AsStated);
        assert_eq!(reversed.verdict, Verdict::Refuted);
    }

    #[test]
    fn intervals_of_shares_and_of_their_differences_stay_in_range() {
        let results = judge(&networks(0.0, 0.99));
        let out = find(&results, "table_1", Protocol::AsStated);
        let intervals = out.parts.iter().filter_map(|part| part.interval);
        let intervals: Vec<(f64, f64)> = intervals.collect();
        assert!(!intervals.is_empty());
        assert!(intervals.iter().all(|(low, high)| *low >= 0.0 && *high <= 1.0), "{intervals:?}");
        let difference = find(&results, "onto_better_than_out", Protocol::AsStated);
        assert!(difference.interval.is_some_and(|(low, high)| low >= -1.0 && high <= 1.0));
        let slope = Quantity::Measure { analysis: "attractors", key: "slope_over_steps" };
        assert_eq!(slope.range_of_shares(&[-0.01, 0.0]), (-1.0, 1.0), "a share may be negative");
        assert_eq!(slope.range_of_shares(&[0.5, 1.0]), (0.0, 1.0));
    }

    #[test]
    fn one_seed_gives_no_verdict() {
        let one = &networks(0.6, 0.7)[..1];
        let stated = find(&judge(one), "onto_better_than_out", Protocol::AsStated);
        assert_eq!(stated.verdict, Verdict::Undecided);
        assert_eq!(stated.note.unwrap(), "one seed proves nothing");
    }

    #[test]
    fn networks_of_other_training_are_not_comparable() {
        let mut others = networks(0.6, 0.7);
        for network in &mut others {
            network.config.hidden_size = 8;
        }
        let stated = find(&judge(&others), "onto_better_than_out", Protocol::AsStated);
        assert_eq!(stated.verdict, Verdict::NotComparable);
        assert!(stated.note.unwrap().contains("otherwise than in the paper"));
    }

    #[test]
    fn a_claim_is_as_good_as_its_weakest_part() {
        use Verdict::{Confirmed, Mixed, NotComparable, Refuted, Undecided};
        let of = |verdicts: &[Verdict]| least(verdicts.iter().copied());
        assert_eq!(of(&[Confirmed, Refuted, Undecided]), Refuted);
        assert_eq!(of(&[Confirmed, Mixed, Undecided]), Mixed);
        assert_eq!(of(&[Confirmed, NotComparable]), Confirmed);
        assert_eq!(of(&[NotComparable]), NotComparable);
    }
}
