//! Draw random graphs, run Dijkstra on them, and read the traces it leaves.
//!
//! `cargo run --example 01_trace_an_algorithm` prints one line per settled node.

use narscope::clrs::algorithms;
use narscope::clrs::options::Options;
use narscope::clrs::probe::Stage;
use narscope::clrs::rng::Rng;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> narscope::clrs::Result<()> {
    let dijkstra = algorithms::find("dijkstra")?;
    // What `clrs.build_sampler("dijkstra", num_samples=1, length=5, seed=3)` holds.
    let traces = dijkstra.generate(&mut Rng::seeded(3), 5, &Options::default(), 1)?;

    let distances = traces.find(Stage::Hint, "d").expect("Dijkstra exposes its distances");
    for (step, d) in traces.dense(distances, 0).chunks_exact(traces.nodes).enumerate() {
        println!("step {step}: {d:.3?}");
    }
    // The source is queued, and then settled together with the two nodes that it reaches.
    assert_eq!(traces.steps(0), 4);
    Ok(())
}
