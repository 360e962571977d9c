//! Prints the user instructions per page of crawls by gleaner and by their floors, counted by valgrind, and
//! the peak memory of gleaner.
//!
//! Instructions do not depend on other load of the machine, so the ratios are comparable between runs.
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::process::{Command, ExitCode};

use gleaner_benches::child::{SERVE, SiteProcess, instructions, serve, sibling};
use gleaner_benches::{Failure, run_program};

const USAGE: &str = "Usage: instructions [PAGES]

Crawls a generated site of PAGES pages (default 2000) under `valgrind --tool=cachegrind --cache-sim=no`, and
one of 20000 pages without valgrind for the peak memory of gleaner. Build the programs `floor` and
`gleaner-crawl` of this package into the folder of this program first.";

/// Pages of the site for the memory figure.
const MEMORY_PAGES: u32 = 20_000;

/// Rows of the table: a crawl by gleaner, its floor, and the goal for the ratio (at most).
const ROWS: [(&str, &str, f64); 2] = [("links", "links", 1.25), ("markdown", "tree", 1.7)];

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let pages = match arguments {
        [option, pages] if option == SERVE => return Ok(serve(pages.parse()?)?),
        [pages] => pages.parse()?,
        [] => 2_000,
        _ => return Err("too many arguments".into()),
    };
    let (site, large) = (SiteProcess::start(pages)?, SiteProcess::start(MEMORY_PAGES)?);
    println!("{pages} pages; user instructions per page; peak memory of gleaner for {MEMORY_PAGES} pages");
    println!(
        "{:<10} {:>12} {:>12} {:>7} {:>7} {:>12}",
        "crawl", "gleaner", "floor", "ratio", "goal", "memory"
    );
    for (format, kind, goal) in ROWS {
        let floor = count("floor", kind, &site.url)?;
        let gleaner = count("gleaner-crawl", format, &site.url)?;
        let memory = memory(format, &large.url)?;
        let ratio = gleaner / floor;
        println!("{format:<10} {gleaner:>12.0} {floor:>12.0} {ratio:>7.2} {goal:>7.2} {memory:>8} KiB");
    }
    Ok(())
}

/// Instructions per page of one crawl.
fn count(program: &str, kind: &str, url: &str) -> Result<f64, Failure> {
    let mut command = Command::new(sibling(program)?);
    command.args([kind, url]);
    let (count, report) = instructions(&command)?;
    let pages = field(&report, "pages").ok_or("the crawl failed")?;
    Ok(count / pages)
}

/// Peak memory of a crawl, in KiB.
fn memory(format: &str, url: &str) -> Result<f64, Failure> {
    let output = Command::new(sibling("gleaner-crawl")?).args([format, url]).output()?;
    field(&String::from_utf8_lossy(&output.stdout), "peak_memory_kib")
        .ok_or_else(|| "the crawl failed".into())
}

fn field(report: &str, name: &str) -> Option<f64> {
    let (_, rest) = report.split_once(&format!("\"{name}\":"))?;
    rest.split([',', '}']).next()?.parse().ok()
}
