//! What another crate gets for its algorithms: training, predictions and analyses; and the same for
//! a processor.

use narscope::analysis::analyses::Analysis as _;
use narscope::analysis::analyses::dimensionality::Dimensionality;
use narscope::analysis::context::{Context, NoProgress};
use narscope::analysis::{AnalysedModel, Sampling};
use narscope::model::config::{Config, Draft};
use narscope::model::generic::features::{Features, Processed};
use narscope::model::generic::layers::Linear;
use narscope::model::generic::processors::{self, Processor};
use narscope::model::processor::CustomConfig;
use narscope::model::train::Trainer;
use narscope::model::{Model, Tensor};

fn config(algorithm: &str, processor: &str) -> Config {
    let text = format!(
        "algorithms = ['{algorithm}']\nprocessor_type = '{processor}'\nhidden_size = 8\n\
         batch_size = 4\ntrain_lengths = [4, 6]"
    );
    Draft::parse(&text).unwrap().finish().unwrap()
}

/// A model after a few updates.
fn trained(config: &Config) -> Model {
    let mut trainer = Trainer::new(config).unwrap();
    let before = trainer.weights.clone();
    for _ in 0..4 {
        assert!(trainer.step().unwrap().is_finite());
    }
    assert_ne!(trainer.weights, before, "training changes the weights");
    trainer.model().unwrap()
}

#[test]
fn an_algorithm_of_another_crate_is_trained_evaluated_and_analysed() {
    // Another test of this process may have registered it.
    let _ = selection_sort::register();
    for entry in &selection_sort::ALL {
        let model = trained(&config(entry.name, "mpnn"));
        let task = model.task(entry.name).unwrap();
        let samples = task.sample(8, &Default::default(), 1, 4).unwrap();
        let evaluation = task.evaluate(&samples).unwrap();
        assert_eq!((evaluation.samples, evaluation.nodes), (4, 8), "{}", entry.name);

        let model = AnalysedModel::new("example".to_owned(), model, None).unwrap();
        let sampling = Sampling { graphs: 40, length: 8, ..Sampling::QUICK };
        let context = Context::new(&model, sampling, &NoProgress);
        assert_eq!(Dimensionality::run(&context).unwrap().graphs, 40, "{}", entry.name);
    }
}

/// A perceptron per node, which ignores all edges.
struct Perceptron(Linear);

impl Processor for Perceptron {
    fn step(&self, x: &Features, hidden: Tensor<3>) -> Processed {
        let z = Tensor::cat(vec![x.node.clone(), hidden], 2);
        Processed { node: self.0.forward(z).tanh(), edge: None }
    }
}

#[test]
fn a_processor_of_another_crate_is_trained_and_predicts() {
    let properties = CustomConfig {
        summary: "a perceptron per node",
        has_edges: false,
        aggregates: false,
        attends: false,
    };
    processors::register("perceptron", properties, |scope, settings| {
        Box::new(Perceptron(scope.linear("layer", 2 * settings.hidden, settings.hidden)))
    })
    .unwrap();
    let model = trained(&config("bfs", "perceptron"));
    let task = model.task("bfs").unwrap();
    let samples = task.sample(8, &Default::default(), 1, 4).unwrap();
    assert_eq!(task.evaluate(&samples).unwrap().samples, 4);
}
