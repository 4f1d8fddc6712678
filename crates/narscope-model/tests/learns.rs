//! A tiny network learns a tiny task in seconds.

use narscope_model::config::{Config, Draft};
use narscope_model::train::Trainer;

fn config(text: &str) -> Config {
    Draft::parse(text).unwrap().finish().unwrap()
}

fn trained(text: &str, steps: usize) -> (f64, f64) {
    let mut trainer = Trainer::new(&config(text)).unwrap();
    let before = trainer.validate().unwrap()[0].score;
    for _ in 0..steps {
        trainer.step().unwrap();
    }
    (before, trainer.validate().unwrap()[0].score)
}

#[test]
fn a_tiny_network_finds_the_minimum() {
    let (before, after) = trained(
        "algorithms = ['minimum']
         train_lengths = [4]
         processor_type = 'mpnn'
         hidden_size = 16
         batch_size = 16
         learning_rate = 0.01",
        150,
    );
    assert!(before < 0.6, "{before} before training: the task is too easy");
    assert!(after > 0.9, "{after} after training, {before} before");
}

#[test]
fn a_tiny_network_learns_to_search_breadth_first() {
    let (before, after) = trained(
        "algorithms = ['bfs']
         train_lengths = [4, 5]
         processor_type = 'pgn'
         hidden_size = 16
         batch_size = 16
         learning_rate = 0.01",
        150,
    );
    assert!(before < 0.7, "{before} before training: the task is too easy");
    assert!(after > 0.9, "{after} after training, {before} before");
}
