//! The `gleaner` command: scrape, crawl, batch, map and convert from a shell.

mod args;
#[cfg_attr(not(unix), path = "no_browser.rs")]
mod browser;
mod commands;
mod console;
mod demo;
mod exit;
mod explanation;
mod failure;
mod file_names;
mod hint;
mod interrupt;
mod job_command;
mod output;
mod pdf_worker;
mod printable;
mod progress;
mod report;
mod say;
mod skipped_links;
mod summary;
mod terminal;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Before any setup: a worker is started for each PDF, and its limits of time and memory include the
    // setup.
    let is_worker = words.get(1).is_some_and(|word| word == pdf_worker::WORD);
    ExitCode::from(if is_worker { pdf_worker::run() } else { commands::main(words) })
}
