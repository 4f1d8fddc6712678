//! Interventions: changes of hidden states while a network runs.

use narscope_net::random::{Purpose, Stream};
use narscope_net::rollout::{States, StepHook};
use serde::Deserialize;

use crate::{Error, Result};

/// A change of states, and where and when it happens.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Intervention {
    steps: Which,
    nodes: Which,
    #[serde(flatten)]
    change: Change,
}

/// Some numbers, or all.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Which {
    Some(Vec<usize>),
    All(All),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum All {
    All,
}

impl Which {
    fn holds(&self, number: usize) -> bool {
        match self {
            Self::Some(numbers) => numbers.contains(&number),
            Self::All(All::All) => true,
        }
    }
}

/// What happens to a state.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Change {
    Add { vector: Vec<f32> },
    Replace { vector: Vec<f32> },
    Noise { scale: f32, seed: u32 },
    Zero,
}

/// Changes the states of a single sample.
pub(crate) struct Intervene<'a>(&'a [Intervention]);

impl<'a> Intervene<'a> {
    /// A hook that makes these changes in a network of `hidden` units per node.
    ///
    /// # Errors
    /// If a vector has another length, or a number is not finite.
    pub(crate) fn new(interventions: &'a [Intervention], hidden: usize) -> Result<Self> {
        for Intervention { change, .. } in interventions {
            let is_finite = match change {
                Change::Add { vector } | Change::Replace { vector } => {
                    if vector.len() != hidden {
                        return Err(Error::new(format!(
                            "expected a vector of {hidden} numbers, one per hidden unit, found {}",
                            vector.len()
                        )));
                    }
                    vector.iter().all(|x| x.is_finite())
                }
                Change::Noise { scale, .. } => scale.is_finite(),
                Change::Zero => true,
            };
            if !is_finite {
                return Err(Error::new("expected finite numbers in an intervention, found others"));
            }
        }
        Ok(Self(interventions))
    }
}

impl StepHook for Intervene<'_> {
    fn after_step(&mut self, step: usize, _samples: &[usize], states: &mut States<'_>) {
        // The page counts records: the first step leads to record 1.
        let record = step + 1;
        for Intervention { steps, nodes, change } in self.0 {
            if !steps.holds(record) {
                continue;
            }
            for (node, state) in states.values.chunks_exact_mut(states.hidden).enumerate() {
                if nodes.holds(node) {
                    change.apply(state, record, node);
                }
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.0.is_empty()
    }
}

impl Change {
    fn apply(&self, state: &mut [f32], record: usize, node: usize) {
        match self {
            Self::Add { vector } => state.iter_mut().zip(vector).for_each(|(x, v)| *x += v),
            Self::Replace { vector } => state.copy_from_slice(vector),
            Self::Noise { scale, seed } => {
                // A stream of its own per node and step: other interventions change no draw.
                let position = (record as u64) << 32 | node as u64;
                let mut noise = Stream::new(*seed, Purpose::Perturbation, position);
                for x in state {
                    *x += scale * noise.normal();
                }
            }
            Self::Zero => state.fill(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Vec<Intervention> {
        serde_json::from_str(json).unwrap()
    }

    /// States of two nodes of two units after a step.
    fn changed(json: &str, step: usize) -> [f32; 4] {
        let (interventions, mut values) = (parsed(json), [1.0, 2.0, 3.0, 4.0]);
        let mut hook = Intervene::new(&interventions, 2).unwrap();
        hook.after_step(step, &[0], &mut States { values: &mut values, nodes: 2, hidden: 2 });
        values
    }

    #[test]
    fn changes_hit_their_nodes_after_their_steps_only() {
        let json = r#"[{"kind":"add","vector":[0.5,-1],"steps":[2],"nodes":[1]},
                       {"kind":"zero","steps":"all","nodes":[0]}]"#;
        assert_eq!(changed(json, 1), [0.0, 0.0, 3.5, 3.0]);
        assert_eq!(changed(json, 0), [0.0, 0.0, 3.0, 4.0]);
        let json = r#"[{"kind":"replace","vector":[7,8],"steps":[1],"nodes":"all"}]"#;
        assert_eq!(changed(json, 0), [7.0, 8.0, 7.0, 8.0]);
    }

    #[test]
    fn noise_is_the_same_for_the_same_seed_and_differs_between_nodes_and_steps() {
        let noise = |seed: u32, step| {
            let json = format!(
                r#"[{{"kind":"noise","scale":1,"seed":{seed},"steps":"all","nodes":"all"}}]"#
            );
            let [a, _, c, _] = changed(&json, step);
            (a - 1.0, c - 3.0)
        };
        assert_eq!(noise(1, 0), noise(1, 0));
        assert_ne!(noise(1, 0), noise(2, 0));
        assert_ne!(noise(1, 0), noise(1, 1));
        let (first, second) = noise(1, 0);
        assert_ne!(first, second);
    }

    #[test]
    fn vectors_of_another_length_are_refused() {
        let interventions = parsed(r#"[{"kind":"add","vector":[1],"steps":"all","nodes":"all"}]"#);
        let sentence = Intervene::new(&interventions, 2).err().unwrap().0;
        assert_eq!(sentence, "expected a vector of 2 numbers, one per hidden unit, found 1");
    }
}
