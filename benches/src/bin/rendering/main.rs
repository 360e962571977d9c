//! Measures the browser: leaked processes and files, speed compared with Playwright, when pages are ready, and
//! how long pages wait when it hangs. Each figure is one line, with its goal.
//!
//! `cargo run --release -p gleaner-benches --bin rendering -- life|speed|ready|hangs`, with an installed
//! Chromium.
#![expect(clippy::print_stdout, reason = "a command-line program")]

mod figures;
mod hangs;
mod life;
mod pages;
mod peer;
mod ready;
mod renderer;
mod speed;

use std::path::PathBuf;
use std::process::ExitCode;

use gleaner_benches::{Failure, run_program};

const USAGE: &str = "Usage: rendering life [RENDERS] [PAGES]
       rendering speed [MODULES] [ROUNDS]
       rendering ready [APPLICATIONS]
       rendering hangs

  life   drops RENDERS renders (default 1000) at random moments, renders PAGES pages (default 5000), kills
         programs that use a browser, and kills browsers: what is left, and how the memory grows
  speed  pages per second, cold start and memory of a page, in ROUNDS rounds (default 5). MODULES is a folder
         of node modules with playwright-core, which is then measured in the same rounds
  ready  how many of APPLICATIONS generated applications (default 100) are complete when they are read, and
         the time until static pages and pages with beacons are read
  hangs  how long other pages wait when an idle browser is stopped, and beside pages with busy workers";

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if arguments == [pages::SERVE] {
        return Ok(pages::serve()?);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match *arguments {
        ["life", ref rest @ ..] if rest.len() <= 2 => {
            runtime.block_on(life::measure(number(rest, 0, 1_000)?, number(rest, 1, 5_000)?))
        }
        ["speed", ref rest @ ..] if rest.len() <= 2 => {
            let modules = rest.first().map(PathBuf::from);
            runtime.block_on(speed::measure(modules.as_deref(), number(rest, 1, 5)?))
        }
        ["ready", ref rest @ ..] if rest.len() <= 1 => {
            runtime.block_on(ready::measure(number(rest, 0, 100)?))
        }
        ["hangs"] => runtime.block_on(hangs::measure()),
        [life::HOST, folder] => runtime.block_on(life::host(folder.into())),
        _ => Err("the arguments are not understood".into()),
    }
}

fn number(arguments: &[&str], index: usize, default: usize) -> Result<usize, Failure> {
    let Some(text) = arguments.get(index) else { return Ok(default) };
    text.parse().map_err(|_| format!("{text:?} is not a number").into())
}
