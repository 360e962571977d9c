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
mod run;
mod scrape;
mod webhook;

use std::ffi::OsString;

use crate::args::{Cli, Command};
use crate::exit;
use crate::failure::Failure;
use crate::logs;
use crate::say::say;

/// What all commands are told.
#[derive(Debug, Clone, Copy)]
struct Session {
    /// Errors alone.
    quiet: bool,
    /// The log is shown, so no line is redrawn between its lines.
    logging: bool,
}

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
    logs::show(cli.verbose);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(format_args!("error: the system gives no threads: {error}"));
            return exit::FAILED;
        }
    };
    let session = Session { quiet: cli.quiet, logging: cli.verbose > 0 };
    let name = cli.command.name();
    let code = runtime.block_on(session.run(cli.command)).unwrap_or_else(|failure| failure.tell(name));
    // A name lookup or a read of standard input may still hold a thread: its answer is not waited for.
    runtime.shutdown_background();
    code
}

impl Session {
    async fn run(self, command: Command) -> Result<u8, Failure> {
        match command {
            Command::Demo(args) => demo::run(self, &args).await,
            Command::Scrape(args) => scrape::run(self, &args).await,
            Command::Crawl(args) => crawl::run(self, &args).await,
            Command::Batch(args) => batch::run(self, &args).await,
            Command::Map(args) => map::run(self, &args).await,
            Command::Extract(args) => extract::run(self, &args).await,
            Command::Convert(args) => convert::run(self, &args),
            Command::OpenApi(_) => openapi::run(),
        }
    }

    /// Says something, unless asked to be quiet.
    fn note(self, text: impl std::fmt::Display) {
        if !self.quiet {
            say(text);
        }
    }
}
