//! Runs the main function of a benchmark program: arguments, usage and errors.

use std::process::ExitCode;

/// Why a program ends without a result.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Runs a program with its arguments. `--help` prints the usage, and an error is printed with it.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the end of a command-line program")]
pub fn run_program(usage: &str, run: impl FnOnce(&[String]) -> Result<(), Failure>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if matches!(arguments.first().map(String::as_str), Some("--help" | "-h")) {
        println!("{usage}");
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("error: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprint!(": {error}");
                cause = error.source();
            }
            eprintln!("\n\n{usage}");
            ExitCode::FAILURE
        }
    }
}
