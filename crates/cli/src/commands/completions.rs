//! Scripts that complete the command line in a shell.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::exit;
use crate::failure::Failure;
use crate::output::Printer;

/// The name of the program, which the script completes.
const PROGRAM: &str = "gleaner";

pub(super) fn run(args: &CompletionsArgs) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), PROGRAM, &mut script);
    Printer::stdout().text(&String::from_utf8_lossy(&script))?;
    Ok(exit::DONE)
}
