//! Prints the user instructions a page of crawls by gleaner beside those of their floors, counted by valgrind, and memory.
//!
//! Instructions do not depend on what else the machine does, so the ratios can be compared from run to run.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

use std::process::{Command, ExitCode};

use gleaner_benches::child::{SERVE, Served, instructions, serve, sibling};

const USAGE: &str = "Usage: instructions [PAGES]

Crawls a generated site of PAGES pages (2000 if not given) under `valgrind --tool=cachegrind --cache-sim=no`, and one of
20000 pages without it for the memory that gleaner holds at most. The programs `floor` and `gleaner-crawl` of this
package must be built beside this one.";

/// Pages of the site whose crawl shows the memory.
const MANY: u32 = 20_000;

/// Rows of the table: a crawl by gleaner, its floor, and what the ratio is meant to be at most.
const ROWS: [(&str, &str, f64); 2] = [("links", "links", 1.25), ("markdown", "tree", 1.7)];

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let pages = match arguments {
        [serving, pages] if serving == SERVE => return Ok(serve(pages.parse()?)?),
        [pages] => pages.parse()?,
        [] => 2_000,
        _ => return Err("too many arguments".into()),
    };
    let (site, large) = (Served::start(pages)?, Served::start(MANY)?);
    println!("{pages} pages; user instructions a page; greatest memory of gleaner for {MANY} pages");
    println!(
        "{:<10} {:>12} {:>12} {:>7} {:>7} {:>12}",
        "crawl", "gleaner", "floor", "ratio", "goal", "memory"
    );
    for (format, kind, goal) in ROWS {
        let floor = count("floor", kind, &site.url)?;
        let ours = count("gleaner-crawl", format, &site.url)?;
        let memory = memory(format, &large.url)?;
        let ratio = ours / floor;
        println!("{format:<10} {ours:>12.0} {floor:>12.0} {ratio:>7.2} {goal:>7.2} {memory:>8} KiB");
    }
    Ok(())
}

/// Instructions a page of one crawl.
fn count(program: &str, kind: &str, url: &str) -> Result<f64, Failure> {
    let mut command = Command::new(sibling(program)?);
    command.args([kind, url]);
    let (count, report) = instructions(&command)?;
    let pages = field(&report, "pages").ok_or("the crawl failed")?;
    Ok(count / pages)
}

/// The most memory that a crawl holds, in KiB.
fn memory(format: &str, url: &str) -> Result<f64, Failure> {
    let output = Command::new(sibling("gleaner-crawl")?).args([format, url]).output()?;
    field(&String::from_utf8_lossy(&output.stdout), "peak_memory_kib")
        .ok_or_else(|| "the crawl failed".into())
}

fn field(report: &str, name: &str) -> Option<f64> {
    let (_, rest) = report.split_once(&format!("\"{name}\":"))?;
    rest.split([',', '}']).next()?.parse().ok()
}
