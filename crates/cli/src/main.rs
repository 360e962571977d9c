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
mod printable;
mod progress;
mod say;
mod summary;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(commands::main(std::env::args_os()))
}
