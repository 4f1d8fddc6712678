//! The `narscope` program: [`narscope::main`].

use std::process::ExitCode;

fn main() -> ExitCode {
    narscope::main()
}
