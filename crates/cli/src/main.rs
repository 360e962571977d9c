//! The `gleaner` command: scrape, crawl, batch, map and convert from a shell.

mod args;
mod commands;
mod console;
mod demo;
mod exit;
mod explanation;
mod failure;
mod hint;
mod interrupt;
mod left_out;
mod names;
mod output;
mod pdf_worker;
mod printable;
mod progress;
mod say;
mod summary;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Before anything is set up: it is started for each PDF, and all that it takes counts against the file.
    let is_worker = words.get(1).is_some_and(|word| word == pdf_worker::WORD);
    ExitCode::from(if is_worker { pdf_worker::run() } else { commands::main(words) })
}
