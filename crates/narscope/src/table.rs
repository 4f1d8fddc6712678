//! Prints scores as tables.

use std::io::Write;

use narscope::model::evaluation::Evaluation;
use narscope::model::score::Metric;
use narscope::results::Summary;

/// Prints a line per algorithm.
pub(crate) fn scores(evaluations: &[Evaluation], out: &mut impl Write) -> std::io::Result<()> {
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
    writeln!(out, "over all runs: mean ± standard deviation [95 % confidence interval]")?;
    let width = summaries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, Summary { count, mean, std, interval }) in summaries {
        let std = std.map_or(String::new(), |std| format!(" ± {}", percent(std)));
        let bounds = interval.map_or(String::new(), |half| {
            format!(" [{}, {}]", percent(mean - half), percent(mean + half))
        });
        let runs = if *count == 1 { "run" } else { "runs" };
        writeln!(out, "{name:width$}  {}{std}{bounds}  ({count} {runs})", percent(*mean))?;
    }
    Ok(())
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
