//! One module a command, and what they share.

mod batch;
mod convert;
mod crawl;
mod demo;
mod document;
mod engine;
mod extract;
mod map;
mod model;
mod openapi;
mod results;
mod run;
mod scrape;
mod variable;
mod waiting;
mod webhook;

use std::ffi::OsString;

use crate::args::{Cli, Command};
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::say::say;

/// Reads the command line, does what it says, and gives the exit code.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output, wrong usage to standard error; clap knows which.
            let _ = error.print();
            return if error.use_stderr() { exit::USAGE } else { exit::DONE };
        }
    };
    let console = Console::new(cli.quiet, cli.verbose);
    console.show_log();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(format_args!("error: the system gives no threads: {error}"));
            return exit::FAILED;
        }
    };
    let name = cli.command.name();
    let code = runtime.block_on(run(&console, cli.command)).unwrap_or_else(|failure| failure.tell(name));
    // A name lookup or a read of standard input may still hold a thread: its answer is not waited for.
    runtime.shutdown_background();
    code
}

async fn run(console: &Console, command: Command) -> Result<u8, Failure> {
    match command {
        Command::Demo(args) => demo::run(console, &args).await,
        Command::Scrape(args) => scrape::run(console, &args).await,
        Command::Crawl(args) => crawl::run(console, &args).await,
        Command::Batch(args) => batch::run(console, &args).await,
        Command::Map(args) => map::run(console, &args).await,
        Command::Extract(args) => extract::run(console, &args).await,
        Command::Convert(args) => convert::run(console, &args),
        Command::OpenApi(_) => openapi::run(),
    }
}
