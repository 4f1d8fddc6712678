//! A comparison as text for a terminal.

use std::fmt::Write as _;

use super::{Pairing, RunComparison, ScoreDifference, Similarity};

/// Largest number of steps in the tables of validation scores and of similarities.
const MAX_STEPS: usize = 10;

impl RunComparison {
    /// The comparison as text: a table each for configurations, validation scores, test scores and hidden
    /// states.
    pub fn text(&self) -> String {
        let mut text = format!("{} runs on {}\n", self.runs.len(), self.algorithm);
        let about = |run: &super::ComparedRun| {
            [&run.label, &run.name, &run.variant, &format!("seed {}", run.seed)]
                .map(Clone::clone)
                .to_vec()
        };
        text += &columns(&self.runs.iter().map(about).collect::<Vec<_>>());
        text += &self.settings();
        text += &self.validation();
        text += &self.test();
        text += &self.hidden_states();
        text
    }

    /// The labels after a name.
    fn head(&self, name: &str) -> Vec<String> {
        let labels = self.runs.iter().map(|run| run.label.clone());
        std::iter::once(name.to_owned()).chain(labels).collect()
    }

    fn settings(&self) -> String {
        if self.settings.is_empty() {
            return "\nConfiguration: no key differs\n".to_owned();
        }
        let mut lines = vec![self.head("key")];
        for setting in &self.settings {
            let values = setting.values.iter().zip(&setting.has_effect);
            let values = values.map(|(value, has_effect)| {
                if *has_effect { value.clone() } else { format!("{value} (no effect)") }
            });
            lines.push(std::iter::once(setting.key.clone()).chain(values).collect());
        }
        format!("\nConfiguration: keys that differ\n{}", columns(&lines))
    }

    fn validation(&self) -> String {
        let mut steps: Vec<usize> =
            self.runs.iter().flat_map(|run| run.validation.iter().map(|point| point.0)).collect();
        steps.sort_unstable();
        steps.dedup();
        // Steps that all runs have, or else all steps.
        let has = |run: &super::ComparedRun, step| run.validation.iter().any(|it| it.0 == step);
        let trained: Vec<_> = self.runs.iter().filter(|run| !run.validation.is_empty()).collect();
        let common: Vec<usize> = steps
            .iter()
            .copied()
            .filter(|&step| trained.iter().all(|run| has(run, step)))
            .collect();
        let steps = thinned(if common.len() > 1 { &common } else { &steps });
        if steps.is_empty() {
            return String::new();
        }
        let mut lines = vec![self.head("step")];
        for step in steps {
            let scores = self.runs.iter().map(|run| {
                let point = run.validation.iter().find(|point| point.0 == step);
                point.map_or("-".to_owned(), |point| percent(point.1))
            });
            lines.push(std::iter::once(step.to_string()).chain(scores).collect());
        }
        format!("\nValidation score during training, %\n{}", columns(&lines))
    }

    fn test(&self) -> String {
        let mut lines = vec![["run", "score", "exact", "valid"].map(str::to_owned).to_vec()];
        for run in &self.runs {
            let valid = run.test.valid.map_or("-".to_owned(), percent);
            let (score, exact) = (percent(run.test.score), percent(run.test.exact));
            lines.push(vec![run.label.clone(), score, exact, valid]);
        }
        let (samples, nodes) = (self.runs[0].test.samples.len(), self.test_nodes);
        let mut text =
            format!("\nTest, %: {samples} samples of {nodes} nodes\n{}", columns(&lines));
        for difference in &self.differences {
            text += &self.difference(difference);
        }
        let has = |pairing| self.differences.iter().any(|it| it.pairing == pairing);
        if has(Pairing::Seeds) {
            text += "Over seeds: paired Student's t, limited to -100 to +100 points; p of the paired t-test.\n";
        }
        if has(Pairing::Samples) {
            text += "Over samples: bootstrap of the same test samples; p of McNemar's test of the samples solved exactly. \
                     This is uncertainty over samples, not over seeds.\n";
        }
        text
    }

    /// One difference in a line.
    fn difference(&self, difference: &ScoreDifference) -> String {
        let labels = |runs: &[usize]| {
            runs.iter().map(|&run| self.runs[run].label.as_str()).collect::<Vec<_>>().join(", ")
        };
        let ScoreDifference { of, from, pairing, pairs, mean, interval, .. } = difference;
        let points = |share: f64| format!("{:+.2}", 100.0 * share);
        let pairs = match pairing {
            Pairing::Seeds => format!("over {pairs} seeds"),
            Pairing::Samples => format!("over {pairs} samples"),
        };
        let mut line = format!("{} minus {}: {} points", labels(of), labels(from), points(*mean));
        match interval {
            Some((low, high)) => {
                let (low, high) = (points(*low), points(*high));
                let _ = write!(line, ", 95 % interval {low} to {high} {pairs}");
            }
            None => {
                let _ = write!(line, " {pairs}, all equal: no interval");
            }
        }
        if let Some((one, other)) = difference.solved_by_one {
            let (of, from) = (labels(of), labels(from));
            let _ = write!(line, "; only {of} solves {one} exactly, only {from} {other}");
        }
        if let Some(p) = difference.corrected {
            let _ = write!(line, "; p = {p:.3}");
        }
        line + "\n"
    }

    fn hidden_states(&self) -> String {
        let states = &self.hidden_states;
        let (samples, nodes) = (states.samples, states.nodes);
        let mut lines = vec![self.head("")];
        for (run, row) in self.runs.iter().zip(&states.similarity) {
            let row = row.iter().map(|value| similarity(*value));
            lines.push(std::iter::once(run.label.clone()).chain(row).collect());
        }
        let mut text = format!(
            "\nHidden states: linear CKA of node states on {samples} random samples of {nodes} nodes (1: equal up to rotation and scale)\n{}",
            columns(&lines)
        );
        text += &self.beyond_chance();
        let others = 1..self.runs.len();
        let first = &self.runs[0].label;
        let names = others.clone().map(|run| format!("{first}-{}", self.runs[run].label));
        let mut lines: Vec<Vec<String>> =
            vec![["step".to_owned(), "samples".to_owned()].into_iter().chain(names).collect()];
        let indices: Vec<usize> = (0..states.by_step.len()).collect();
        for step in thinned(&indices).into_iter().map(|index| &states.by_step[index]) {
            let with_first = |matrix: &Similarity, run: usize| similarity(matrix[0][run]);
            let row = others.clone().map(|run| with_first(&step.similarity, run));
            let start = [step.step.to_string(), step.samples.to_string()];
            lines.push(start.into_iter().chain(row).collect());
        }
        let _ = write!(text, "By step, with {first}\n{}", columns(&lines));
        let left: Vec<String> = others
            .map(|run| {
                let left = percent(states.trajectories[run].disparity);
                format!("{} {left} %", self.runs[run].label)
            })
            .collect();
        let _ = writeln!(
            text,
            "Trajectories in 3 principal components, aligned with {first} (Procrustes), leave unexplained: {}",
            left.join(", ")
        );
        text
    }
}

impl RunComparison {
    /// Debiased CKA and representational similarity of every pair, beside untrained networks.
    fn beyond_chance(&self) -> String {
        let states = &self.hidden_states;
        let columns_of = [
            ("debiased CKA", &states.beyond_chance.debiased_cka),
            ("untrained", &states.untrained.debiased_cka),
            ("RSA", &states.beyond_chance.rsa),
            ("untrained", &states.untrained.rsa),
        ];
        let head = columns_of.iter().map(|(name, _)| (*name).to_owned());
        let mut lines: Vec<Vec<String>> =
            vec![std::iter::once("pair".to_owned()).chain(head).collect()];
        for (other, run) in self.runs.iter().enumerate() {
            for (one, before) in self.runs[..other].iter().enumerate() {
                let pair = format!("{}-{}", before.label, run.label);
                let values = columns_of.iter().map(|(_, matrix)| similarity(matrix[one][other]));
                lines.push(std::iter::once(pair).chain(values).collect());
            }
        }
        format!(
            "Debiased, and between untrained networks of the same configurations (RSA: rank correlation of distances)\n{}",
            columns(&lines)
        )
    }
}

fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

fn similarity(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.3}"))
}

/// Up to [`MAX_STEPS`] of many steps, evenly spaced, with the first and the last.
fn thinned(steps: &[usize]) -> Vec<usize> {
    if steps.len() <= MAX_STEPS {
        return steps.to_vec();
    }
    (0..MAX_STEPS).map(|index| steps[index * (steps.len() - 1) / (MAX_STEPS - 1)]).collect()
}

/// Lines of cells in aligned columns: words to the left, numbers to the right.
fn columns(lines: &[Vec<String>]) -> String {
    let count = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..count).filter_map(width).collect();
    let is_number = |cell: &String| cell.starts_with(|it: char| it.is_ascii_digit() || it == '-');
    let is_right =
        |column: usize| column > 0 && lines.iter().skip(1).any(|line| is_number(&line[column]));
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if is_right(column) { format!("{cell:>width$}") } else { format!("{cell:width$}") }
        });
        let text = cells.collect::<Vec<_>>().join("  ");
        format!("  {}\n", text.trim_end())
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_steps_are_thinned_and_keep_both_ends() {
        let steps: Vec<usize> = (0..137).collect();
        let few = thinned(&steps);
        assert_eq!((few.len(), few[0], few[MAX_STEPS - 1]), (MAX_STEPS, 0, 136));
        assert_eq!(thinned(&steps[..3]), [0, 1, 2]);
    }

    #[test]
    fn columns_are_aligned() {
        let lines = [["key", "A"], ["decay", "0.9"], ["x", "12.25"]]
            .map(|it| it.map(str::to_owned).to_vec());
        assert_eq!(columns(&lines), "  key        A\n  decay    0.9\n  x      12.25\n");
    }
}
