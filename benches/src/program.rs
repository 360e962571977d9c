//! What the programs have in common.

use std::process::ExitCode;

/// Why a program stops.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Runs a program with its arguments. `--help` prints its usage.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "for command-line programs")]
pub fn run_program(usage: &str, run: impl FnOnce(&[&str]) -> Result<(), Failure>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if matches!(arguments.first(), Some(&("--help" | "-h"))) {
        println!("{usage}");
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
