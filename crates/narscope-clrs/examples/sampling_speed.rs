//! Measures the sampling speed of one thread.
//!
//! Reads lines `ALGORITHM LENGTH COUNT` from standard input and prints for each the seconds taken
//! to generate COUNT traces with seed 1. Memory is reused between lines, as a training loop reuses
//! it between batches. `cargo xtask compare sampling` compares it with the reference.

use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use narscope_clrs::algorithms;
use narscope_clrs::options::Options;
use narscope_clrs::rng::Rng;
use narscope_clrs::trace::Traces;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let mut out = std::io::stdout().lock();
    let mut spare = Traces::new(vec![], 0);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, length, count] = words[..] else {
            return Err(format!("expected ALGORITHM LENGTH COUNT, found {line:?}").into());
        };
        let (entry, length, count) = (algorithms::find(name)?, length.parse()?, count.parse()?);

        let start = Instant::now();
        let rng = &mut Rng::seeded(1);
        let traces = entry.generate_into(spare, rng, length, &Options::default(), count)?;
        let seconds = start.elapsed().as_secs_f64();

        assert_eq!(traces.len(), count);
        spare = traces;
        writeln!(out, "{seconds}")?;
        out.flush()?;
    }
    Ok(())
}
