//! Many jobs at once: 1,000 batches of 100 pages each against the generated site, handed in at the desk
//! together by two teams, and a latecomer with a single page while they run. Prints what became of them and
//! what it took, and ends with status 1 where a page was lost or came twice, or a job did not complete.
//!
//! `cargo run --release -p gleaner --example load -- [JOBS] [PAGES_PER_JOB]`
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

mod run;

use std::error::Error;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut sizes = std::env::args().skip(1).map(|size| size.parse::<u64>());
    let jobs = sizes.next().transpose()?.unwrap_or(1_000);
    let pages = sizes.next().transpose()?.unwrap_or(100);
    let memory_before = peak_memory();
    println!("{jobs} jobs of {pages} pages");
    let report = run::run(jobs, pages).await?;
    println!("{report}");
    println!("peak memory: {memory_before} KiB before, {} KiB after", peak_memory());
    Ok(if report.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The most memory that the process has had so far, in KiB; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
