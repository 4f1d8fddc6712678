//! The command line of narscope with the algorithms of this crate:
//! `cargo run --example sorting -- trace selection_sort`.

use std::process::ExitCode;

fn main() -> ExitCode {
    selection_sort::register().expect("no other algorithm has these names");
    narscope::main()
}
