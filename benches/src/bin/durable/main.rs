//! Measures the durable store. Each figure is one line, with its goal.
//!
//! `cargo run --release -p gleaner-benches --bin durable -- cost|rate|size|open`
#![expect(clippy::print_stdout, reason = "a command-line program")]

mod cost;
mod job;
mod open;
mod rate;
mod size;

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use gleaner_benches::child::{SERVE, serve};
use gleaner_benches::{Failure, run_program};
use serde_json::Value;
use tempfile::TempDir;

const USAGE: &str = "Usage: durable cost [PAGES] [--dir FOLDER]
       durable rate [PAGES] [--dir FOLDER]
       durable size [SEEN WAITING] [--dir FOLDER]
       durable open [WAITING [JOBS]] [--dir FOLDER]

  cost  crawls a generated site of PAGES pages (default 20000) over loopback to Markdown and links, with the
        memory store and the durable store in turns, each in a process of its own: CPU time of each, pages per
        second, syncs of the disk, and bytes written
  rate  finishes PAGES pages (default 20000) through the stores alone, from 1, 10 and 64 concurrent callers
  size  crawls in virtual time until SEEN pages have ended (default 1000000) and WAITING pages wait (default
        10000000): bytes on disk, and the time and memory of opening the file beside the memory store with
        the same pages. Then the time of opening a file with 100000 finished documents
  open  writes a file in which WAITING pages (default 1000000) of JOBS crawls (default 1) wait, as quickly as
        it can, and opens it three times. Then the same with a depth limit

The files lie in a temporary folder in FOLDER. Its default is that of the system, which may be in memory: then
nothing is written to a disk.";

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        [SERVE, pages] => return Ok(serve(pages.parse()?)?),
        [cost::CHILD, store, retention, url, folder] => {
            return cost::child(store, retention, url, Path::new(folder));
        }
        [size::CHILD, step, seen, waiting, folder] => {
            return size::child(step, seen.parse()?, waiting.parse()?, Path::new(folder));
        }
        [open::CHILD, waiting, jobs, folder] => {
            return open::child(waiting.parse()?, jobs.parse()?, Path::new(folder));
        }
        _ => {}
    }
    let (arguments, dir) = match *arguments {
        [ref rest @ .., "--dir", dir] => (rest, PathBuf::from(dir)),
        _ => (arguments.as_slice(), std::env::temp_dir()),
    };
    let folder = || TempDir::with_prefix_in("gleaner-durable-", &dir);
    match *arguments {
        ["cost"] => cost::measure(20_000, &folder()?),
        ["cost", pages] => cost::measure(pages.parse()?, &folder()?),
        ["rate"] => rate::measure(20_000, &folder()?),
        ["rate", pages] => rate::measure(pages.parse()?, &folder()?),
        ["size"] => size::measure(1_000_000, 10_000_000, &folder()?),
        ["size", seen, waiting] => size::measure(seen.parse()?, waiting.parse()?, &folder()?),
        ["open"] => open::measure(1_000_000, 1, &folder()?),
        ["open", waiting] => open::measure(waiting.parse()?, 1, &folder()?),
        ["open", waiting, jobs] => open::measure(waiting.parse()?, jobs.parse()?, &folder()?),
        _ => Err("the arguments are not understood".into()),
    }
}

/// Runs this program with other arguments. Returns the line of JSON that it prints.
fn run_child(arguments: &[&str]) -> Result<Value, Failure> {
    let output = Command::new(std::env::current_exe()?).args(arguments).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A number in the JSON of a child.
fn number(value: &Value, name: &str) -> Result<f64, Failure> {
    value.get(name).and_then(Value::as_f64).ok_or_else(|| format!("a child printed no {name}").into())
}

/// Prints a figure with its goal.
fn figure(what: &str, value: impl Display, goal: &str) {
    // As a text, because not every number is padded by itself.
    let value = value.to_string();
    let goal = if goal.is_empty() { String::new() } else { format!("   goal: {goal}") };
    println!("{what:<66} {value:>14}{goal}");
}
