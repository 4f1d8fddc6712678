//! Scores as a table.

use std::io::Write;

use narscope::model::evaluation::Evaluation;
use narscope::model::score::Metric;
use narscope::results::Summary;

/// Prints a line per algorithm.
pub(crate) fn scores(evaluations: &[Evaluation], out: &mut impl Write) -> std::io::Result<()> {
    let width = evaluations.iter().map(|one| one.algorithm.len()).max().unwrap_or(0).max(9);
    writeln!(out, "{:width$}  nodes  samples   score   exact   valid  outputs", "algorithm")?;
    for one in evaluations {
        let valid = one.valid.map_or("-".to_owned(), |valid| percent(valid.score));
        let outputs: Vec<String> = one
            .outputs
            .iter()
            .map(|output| format!("{} {}", output.probe, shown(output.metric, output.score)))
            .collect();
        let Evaluation { algorithm, nodes, samples, .. } = one;
        let (score, exact) = (percent(one.score), percent(one.exact));
        let outputs = outputs.join(", ");
        writeln!(
            out,
            "{algorithm:width$}  {nodes:>5}  {samples:>7}  {score:>6}  {exact:>6}  {valid:>6}  {outputs}"
        )?;
    }
    Ok(())
}

/// Prints a line per hint, with its score along time, if hints were scored.
pub(crate) fn hints(evaluations: &[Evaluation], out: &mut impl Write) -> std::io::Result<()> {
    for one in evaluations {
        for hint in &one.hints {
            let steps: Vec<String> =
                hint.along_time.iter().map(|score| shown(hint.metric, *score)).collect();
            let (name, score) = (&hint.probe, shown(hint.metric, hint.score));
            let unit = if hint.metric == Metric::SquaredError { " (squared error)" } else { "" };
            writeln!(out, "  hint {name}: {score}{unit}, step by step {}", steps.join(" "))?;
        }
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
        let spread = std.map_or(String::new(), |std| format!(" ± {}", percent(std)));
        let bounds = interval.map_or(String::new(), |half| {
            format!(" [{}, {}]", percent(mean - half), percent(mean + half))
        });
        writeln!(out, "{name:width$}  {}{spread}{bounds}  ({count} runs)", percent(*mean))?;
    }
    Ok(())
}

/// A share in percent, or an error as it is.
fn shown(metric: Metric, score: f64) -> String {
    match metric {
        Metric::Accuracy | Metric::F1 => percent(score),
        Metric::SquaredError => format!("{score:.4}"),
    }
}

/// A share in percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}
