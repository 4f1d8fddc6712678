//! Prints scores as tables.

use std::io::Write;

use narscope::model::evaluation::Evaluation;
use narscope::model::score::Metric;
use narscope::results::Summary;
use narscope::results::statistics::INTERVAL_METHOD;

use crate::progress::is_quiet;

/// What a score is.
pub(crate) const SCORE: &str = "score: accuracy (masks: F1), mean over outputs, as in dm-clrs";
/// What the other columns of [`scores`] are.
const EXACT_AND_VALID: &str =
    "exact: samples without a mistake; valid: correct for the problem, if several answers are";

/// Prints a line per algorithm, and what the columns mean.
pub(crate) fn scores(evaluations: &[Evaluation], out: &mut impl Write) -> std::io::Result<()> {
    score_lines(evaluations, out)?;
    definitions(out)
}

/// Prints a line per algorithm.
pub(crate) fn score_lines(evaluations: &[Evaluation], out: &mut impl Write) -> std::io::Result<()> {
    let width = evaluations.iter().map(|it| it.algorithm.len()).max().unwrap_or(0).max(9);
    writeln!(out, "{:width$}  nodes  samples   score   exact   valid  outputs", "algorithm")?;
    for evaluation in evaluations {
        let valid = evaluation.valid.map_or("-".to_owned(), |valid| percent(valid.score));
        let outputs: Vec<String> = evaluation
            .outputs
            .iter()
            .map(|output| format!("{} {}", output.probe, metric_text(output.metric, output.score)))
            .collect();
        let Evaluation { algorithm, nodes, samples, .. } = evaluation;
        let (score, exact) = (percent(evaluation.score), percent(evaluation.exact));
        let outputs = outputs.join(", ");
        writeln!(
            out,
            "{algorithm:width$}  {nodes:>5}  {samples:>7}  {score:>6}  {exact:>6}  {valid:>6}  {outputs}"
        )?;
    }
    Ok(())
}

/// Prints what `score`, `exact` and `valid` mean, unless `--quiet`.
pub(crate) fn definitions(out: &mut impl Write) -> std::io::Result<()> {
    if is_quiet() { Ok(()) } else { writeln!(out, "({SCORE}; {EXACT_AND_VALID})") }
}

/// Prints a line per hint with its score at every step, if hints were scored.
pub(crate) fn hints(evaluations: &[Evaluation], out: &mut impl Write) -> std::io::Result<()> {
    for hint in evaluations.iter().flat_map(|evaluation| &evaluation.hints) {
        let steps: Vec<String> =
            hint.along_time.iter().map(|score| metric_text(hint.metric, *score)).collect();
        let (name, score) = (&hint.probe, metric_text(hint.metric, hint.score));
        let unit = if hint.metric == Metric::SquaredError { " (squared error)" } else { "" };
        writeln!(out, "  hint {name}: {score}{unit}, by step {}", steps.join(" "))?;
    }
    Ok(())
}

/// Prints the mean of each algorithm over several runs.
pub(crate) fn summaries(
    summaries: &[(String, Summary)],
    out: &mut impl Write,
) -> std::io::Result<()> {
    writeln!(out, "over all runs: mean ± standard deviation [interval]")?;
    let width = summaries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, Summary { count, mean, std, interval }) in summaries {
        let std = std.map_or(String::new(), |std| format!(" ± {}", percent(std)));
        let bounds = interval
            .map_or(String::new(), |(low, high)| format!(" [{}, {}]", percent(low), percent(high)));
        let runs = if *count == 1 { "run" } else { "runs" };
        writeln!(out, "{name:width$}  {}{std}{bounds}  ({count} {runs})", percent(*mean))?;
    }
    if is_quiet() {
        return Ok(());
    }
    let equal = summaries.iter().any(|(_, it)| it.count > 1 && it.interval.is_none());
    let equal = if equal { "; none where all runs have the same score" } else { "" };
    writeln!(out, "(interval: {INTERVAL_METHOD}, limited to 0-100 %{equal})")
}

/// Accuracy and F1 in percent, squared errors as they are.
fn metric_text(metric: Metric, score: f64) -> String {
    match metric {
        Metric::Accuracy | Metric::F1 => percent(score),
        Metric::SquaredError => format!("{score:.4}"),
    }
}

/// A share in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
