//! One module per command, and their shared parts.

mod backup;
mod batch;
mod check;
mod completions;
mod convert;
mod crawl;
mod database;
mod demo;
mod doctor;
mod document;
mod engine;
mod export;
mod extract;
mod job_file;
mod jobs;
mod kept;
mod man;
mod map;
mod model;
mod openapi;
mod place;
mod reach;
mod results;
mod resume;
mod run;
mod scrape;
mod stored;
mod variable;
mod webhook;
mod with_progress;
mod work;
mod worker;

use std::ffi::OsString;
use std::path::Path;

use crate::args::{Cli, Command};
use crate::browser::Browser;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::report::Report;
use crate::say::say;

/// Parses the command line, runs the command and returns the exit code.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(error) => {
            // clap prints help and version to standard output, and errors to standard error.
            let _ = error.print();
            return if error.use_stderr() { exit::USAGE } else { exit::DONE };
        }
    };
    let Cli { quiet, verbose, config, command } = cli;
    let console = Console::new(quiet, verbose, command.reports_json().then(Report::begin));
    console.show_log();
    // The default of some systems is 256: too few for a crawl of many hosts.
    let _ = gleaner::raise_open_files();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(format_args!("error: cannot start threads: {error}"));
            return exit::FAILED;
        }
    };
    let name = command.name();
    let ended = runtime.block_on(run(&console, command));
    let code = ended.unwrap_or_else(|failure| failure.report(&console, name));
    if let Some(file) = config.filter(|_| code == exit::USAGE) {
        console.error(format_args!("note: options of {} apply too", file.display()));
    }
    console.finish(name, code);
    // Do not wait for threads that are still in a name lookup or a read of standard input.
    runtime.shutdown_background();
    code
}

async fn run(console: &Console, command: Command) -> Result<u8, Failure> {
    let browser = command.browser().map_or_else(|| Ok(Browser::default()), Browser::open)?;
    let file = command.job_file().map(Path::to_owned);
    let ended = match command {
        Command::Demo(args) => demo::run(console, &args, &browser).await,
        Command::Scrape(args) => scrape::run(console, &args, &browser).await,
        Command::Crawl(args) => crawl::run(console, &args, &browser).await,
        Command::Batch(args) => batch::run(console, &args, &browser).await,
        Command::Map(args) => map::run(console, &args, &browser).await,
        Command::Extract(args) => extract::run(console, &args, &browser).await,
        Command::Convert(args) => convert::run(console, &args),
        Command::Jobs(args) => jobs::run(console, &args).await,
        Command::Resume(args) => resume::run(console, &args, &browser).await,
        Command::Export(args) => export::run(console, &args, &browser).await,
        Command::Work(args) => work::run(console, &args, &browser).await,
        Command::Migrate(args) => database::migrate(console, &args).await,
        Command::Check(args) => check::run(console, &args),
        Command::Backup(args) => backup::run(console, &args),
        Command::Doctor(args) => doctor::run(&args).await,
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(console, &args),
        Command::OpenApi(_) => openapi::run(),
    };
    browser.close().await;
    if let Some(file) = file {
        stored::closed(&file).await;
    }
    ended
}
