//! A small network with one hidden layer that reads a yes or no off hidden states.
//!
//! It is trained with Adam on the logistic loss, in which both answers weigh the same however rare one is. Inputs are
//! standardised with the means and standard deviations of the training set, which the classifier keeps.

use narscope_model::config::Part;
use narscope_model::declaration::{Declaration, Init};
use narscope_model::optimise::{Adam, Update, norm};
use narscope_model::random::Stream;

use crate::Result;
use crate::linalg::Points;

/// How a classifier is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Training {
    /// Number of hidden units.
    pub(crate) hidden: usize,
    /// Passes over the examples.
    pub(crate) epochs: usize,
    /// Examples per update.
    pub(crate) batch: usize,
    /// Learning rate of Adam.
    pub(crate) learning_rate: f32,
    /// Weight decay: the factor of half the squared norm of the weights in the loss.
    pub(crate) weight_decay: f32,
    /// Seed of the initial weights and of the order of examples.
    pub(crate) seed: u32,
}

/// Tells whether an input belongs to the class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Classifier {
    scaling: Scaling,
    layers: Layers,
}

impl Classifier {
    /// Trains a classifier on points and whether each belongs to the class.
    ///
    /// # Errors
    /// If there are fewer than two points, or a coordinate is not finite.
    #[track_caller]
    pub(crate) fn train(points: &Points, labels: &[bool], training: &Training) -> Result<Self> {
        assert_eq!(points.len(), labels.len(), "a label per point");
        points.check()?;
        let scaling = Scaling::of(points);
        let inputs = Points {
            dimensions: points.dimensions,
            data: points.iter().flat_map(|point| scaling.apply(point)).collect(),
        };
        let weights = class_weights(labels);
        let mut layers = Layers::initial(points.dimensions, training.hidden, training.seed);
        let declaration = layers.declaration();
        let mut adam = Adam::new(layers.weights.len());
        let mut order: Vec<usize> = (0..labels.len()).collect();
        let mut shuffling = Stream::named(training.seed, "order of examples");
        for _ in 0..training.epochs {
            shuffle(&mut order, &mut shuffling);
            for batch in order.chunks(training.batch) {
                let examples = batch.iter().map(|&place| Example {
                    input: inputs.get(place),
                    label: labels[place],
                    weight: weights[usize::from(labels[place])] / batch.len() as f32,
                });
                let (_, gradient) = layers.loss_and_gradient(examples, training.weight_decay);
                let update = Update {
                    learning_rate: training.learning_rate,
                    max_norm: 0.0,
                    task: 0,
                    frozen: &[],
                };
                let declarations = std::slice::from_ref(&declaration);
                let length = norm(&gradient);
                adam.update(declarations, &mut layers.weights, &gradient, length, &update);
            }
        }
        Ok(Self { scaling, layers })
    }

    /// The probability that an input belongs to the class, if the class had half of all inputs.
    pub(crate) fn probability(&self, input: &[f32]) -> f64 {
        let input: Vec<f32> = self.scaling.apply(input).collect();
        let mut units = vec![0.0; self.layers.hidden];
        sigmoid(self.layers.logit(&input, &mut units))
    }
}

/// Weights of examples outside and inside of the class, such that both classes together weigh the same.
fn class_weights(labels: &[bool]) -> [f32; 2] {
    let inside = labels.iter().filter(|&&label| label).count();
    [labels.len() - inside, inside].map(|count| labels.len() as f32 / (2 * count.max(1)) as f32)
}

fn shuffle(order: &mut [usize], stream: &mut Stream) {
    for last in (1..order.len()).rev() {
        let other = (stream.uniform() * (last + 1) as f32) as usize;
        order.swap(last, other.min(last));
    }
}

fn sigmoid(x: f32) -> f64 {
    1.0 / (1.0 + (-f64::from(x)).exp())
}

/// Brings every coordinate to mean 0 and variance 1.
#[derive(Clone, Debug, PartialEq)]
struct Scaling {
    means: Vec<f64>,
    /// Inverse standard deviations; 1 for coordinates that do not vary.
    factors: Vec<f64>,
}

impl Scaling {
    fn of(points: &Points) -> Self {
        let means = points.mean();
        let mut squares = vec![0.0; points.dimensions];
        for point in points.iter() {
            for ((sum, &x), mean) in squares.iter_mut().zip(point).zip(&means) {
                *sum += (f64::from(x) - mean).powi(2);
            }
        }
        let factor = |sum: f64| {
            let deviation = (sum / points.len() as f64).sqrt();
            if deviation > 0.0 { 1.0 / deviation } else { 1.0 }
        };
        Self { means, factors: squares.into_iter().map(factor).collect() }
    }

    fn apply(&self, point: &[f32]) -> impl Iterator<Item = f32> {
        let scaling = self.means.iter().zip(&self.factors);
        point
            .iter()
            .zip(scaling)
            .map(|(&x, (mean, factor))| ((f64::from(x) - mean) * factor) as f32)
    }
}

/// An input with its label, and its weight in the loss.
struct Example<'a> {
    input: &'a [f32],
    label: bool,
    weight: f32,
}

/// A hidden layer of `tanh` units, and a linear unit that reads them.
#[derive(Clone, Debug, PartialEq)]
struct Layers {
    inputs: usize,
    hidden: usize,
    /// Per hidden unit: its weights, its bias, and its weight in the output; then the bias of the output.
    weights: Vec<f32>,
}

impl Layers {
    fn initial(inputs: usize, hidden: usize, seed: u32) -> Self {
        let mut stream = Stream::named(seed, "probe network");
        let mut draw = |fan_in: usize| stream.truncated_normal() / (fan_in as f32).sqrt();
        let mut weights = vec![];
        for _ in 0..hidden {
            weights.extend((0..inputs).map(|_| draw(inputs)));
            weights.push(0.0);
            weights.push(draw(hidden));
        }
        weights.push(0.0);
        Self { inputs, hidden, weights }
    }

    /// What the optimiser needs to know: one tensor, all of which is trained.
    fn declaration(&self) -> Declaration {
        Declaration {
            name: "probe network".to_owned(),
            haiku: String::new(),
            shape: vec![self.weights.len()],
            part: Part::Processor,
            task: None,
            init: Init::Constant(0.0),
        }
    }

    /// Number of weights per hidden unit.
    fn per_unit(&self) -> usize {
        self.inputs + 2
    }

    fn units(&self) -> impl Iterator<Item = &[f32]> {
        self.weights.chunks_exact(self.per_unit()).take(self.hidden)
    }

    fn output_bias(&self) -> f32 {
        self.weights[self.hidden * self.per_unit()]
    }

    /// The output before the sigmoid. `values` receives those of the hidden units.
    fn logit(&self, input: &[f32], values: &mut [f32]) -> f32 {
        let mut sum = self.output_bias();
        for (value, unit) in values.iter_mut().zip(self.units()) {
            let (weights, bias_and_output) = unit.split_at(self.inputs);
            let product: f32 = weights.iter().zip(input).map(|(w, x)| w * x).sum();
            *value = (product + bias_and_output[0]).tanh();
            sum += bias_and_output[1] * *value;
        }
        sum
    }

    /// The weighted sum of logistic losses plus the weight decay, and its gradient.
    fn loss_and_gradient<'a>(
        &self,
        examples: impl Iterator<Item = Example<'a>>,
        decay: f32,
    ) -> (f64, Vec<f32>) {
        let mut gradient: Vec<f32> = self.weights.iter().map(|w| decay * w).collect();
        let squares: f64 = self.weights.iter().map(|&w| f64::from(w).powi(2)).sum();
        let mut loss = 0.5 * f64::from(decay) * squares;
        let mut values = vec![0.0; self.hidden];
        for Example { input, label, weight } in examples {
            let logit = self.logit(input, &mut values);
            let signed = f64::from(if label { -logit } else { logit });
            // ln(1 + exp(x)), without overflow.
            loss += f64::from(weight) * (signed.max(0.0) + (-signed.abs()).exp().ln_1p());
            let error = weight * (sigmoid(logit) as f32 - f32::from(u8::from(label)));
            self.add_gradient(input, error, &values, &mut gradient);
        }
        (loss, gradient)
    }

    /// Adds the gradient of one example, whose derivative with respect to the output is `error`.
    fn add_gradient(&self, input: &[f32], error: f32, values: &[f32], gradient: &mut [f32]) {
        let of_units = gradient.chunks_exact_mut(self.per_unit());
        for ((unit, value), of_unit) in self.units().zip(values).zip(of_units) {
            let before_tanh = error * unit[self.inputs + 1] * (1.0 - value * value);
            let (of_weights, others) = of_unit.split_at_mut(self.inputs);
            of_weights.iter_mut().zip(input).for_each(|(g, x)| *g += before_tanh * x);
            others[0] += before_tanh;
            others[1] += error * value;
        }
        gradient[self.hidden * self.per_unit()] += error;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRAINING: Training = Training {
        hidden: 4,
        epochs: 60,
        batch: 16,
        learning_rate: 0.01,
        weight_decay: 1e-4,
        seed: 1,
    };

    /// Points of a normal distribution.
    fn cloud(points: usize, dimensions: usize, name: &str) -> Points {
        let mut stream = Stream::named(7, name);
        Points { dimensions, data: (0..points * dimensions).map(|_| stream.normal()).collect() }
    }

    fn accuracy(classifier: &Classifier, points: &Points, labels: &[bool]) -> f64 {
        let all = points.iter().zip(labels);
        let right = all.filter(|(point, label)| (classifier.probability(point) > 0.5) == **label);
        right.count() as f64 / labels.len() as f64
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let (points, layers) = (cloud(6, 3, "points"), Layers::initial(3, 4, 5));
        let examples = || {
            points.iter().enumerate().map(|(place, input)| Example {
                input,
                label: place % 3 == 0,
                weight: 0.25 * (1 + place % 2) as f32,
            })
        };
        let loss = |layers: &Layers| layers.loss_and_gradient(examples(), 0.1).0;
        let (_, gradient) = layers.loss_and_gradient(examples(), 0.1);
        let by = 1e-2;
        for (place, &found) in gradient.iter().enumerate() {
            let moved = |by: f32| {
                let mut moved = layers.clone();
                moved.weights[place] += by;
                loss(&moved)
            };
            let expected = (moved(by) - moved(-by)) / (2.0 * f64::from(by));
            assert!((f64::from(found) - expected).abs() < 1e-3, "{place}: {found} and {expected}");
        }
    }

    #[test]
    fn a_separable_problem_is_learned_and_holds_for_other_points() {
        // Outside of a band, which no linear classifier separates; coordinates of very different size.
        let of = |name: &str| {
            let mut points = cloud(400, 2, name);
            points.data.chunks_exact_mut(2).for_each(|point| point[1] = 1e3 * point[1] + 5e3);
            let labels: Vec<bool> = points.iter().map(|point| point[0].abs() > 0.7).collect();
            (points, labels)
        };
        let (points, labels) = of("training");
        let classifier = Classifier::train(&points, &labels, &TRAINING).unwrap();
        let (others, truth) = of("test");
        let found = accuracy(&classifier, &others, &truth);
        assert!(found > 0.95, "{found}");
    }

    #[test]
    fn a_rare_class_is_not_ignored() {
        let points = cloud(600, 2, "rare");
        let labels: Vec<bool> = points.iter().map(|point| point[0] > 2.0).collect();
        let inside = labels.iter().filter(|&&label| label).count();
        assert!((5..40).contains(&inside), "{inside}");
        let [outside, rare] = class_weights(&labels);
        assert!((outside * (600 - inside) as f32 - rare * inside as f32).abs() < 1e-2);
        let classifier = Classifier::train(&points, &labels, &TRAINING).unwrap();
        let found = points.iter().zip(&labels).filter(|(_, label)| **label);
        assert!(found.clone().all(|(point, _)| classifier.probability(point) > 0.5));
    }

    #[test]
    fn training_is_deterministic_and_depends_on_its_seed() {
        let points = cloud(50, 3, "points");
        let labels: Vec<bool> = points.iter().map(|point| point[1] > 0.0).collect();
        let train = |seed| Classifier::train(&points, &labels, &Training { seed, ..TRAINING });
        assert_eq!(train(1).unwrap(), train(1).unwrap());
        assert_ne!(train(1).unwrap(), train(2).unwrap());
    }

    #[test]
    fn a_constant_coordinate_changes_nothing_and_damaged_ones_are_refused() {
        let constant = Points { dimensions: 2, data: vec![1.0, 3.0, 2.0, 3.0, 3.0, 3.0] };
        let labels = [false, false, true];
        let classifier = Classifier::train(&constant, &labels, &TRAINING).unwrap();
        assert!(constant.iter().all(|point| classifier.probability(point).is_finite()));
        let damaged = Points { dimensions: 1, data: vec![1.0, f32::NAN, 3.0] };
        let error = Classifier::train(&damaged, &labels, &TRAINING).unwrap_err().to_string();
        assert!(error.contains("point 1"), "{error}");
        let few = Points { dimensions: 1, data: vec![1.0] };
        let error = Classifier::train(&few, &[true], &TRAINING).unwrap_err().to_string();
        assert!(error.contains("at least 2 points"), "{error}");
    }
}
