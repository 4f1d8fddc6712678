//! Draws a random graph, runs Dijkstra's algorithm on it and prints the distances at every step.
//!
//! Run with `cargo run --example 01_trace_an_algorithm`.

use narscope::clrs::algorithms;
use narscope::clrs::options::Options;
use narscope::clrs::probe::Stage;
use narscope::clrs::rng::Rng;

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> narscope::clrs::Result<()> {
    let dijkstra = algorithms::find("dijkstra")?;
    // The same sample as `clrs.build_sampler("dijkstra", num_samples=1, length=5, seed=3)`.
    let traces = dijkstra.generate(&mut Rng::seeded(3), 5, &Options::default(), 1)?;

    let distances = traces.find(Stage::Hint, "d").expect("Dijkstra has the hint d");
    for (step, d) in traces.dense(distances, 0).chunks_exact(traces.nodes).enumerate() {
        println!("step {step}: {d:.3?}");
    }
    // The source is queued, then removed from the queue, followed by the two nodes that it reaches.
    assert_eq!(traces.steps(0), 4);
    Ok(())
}
