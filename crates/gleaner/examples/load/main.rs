//! Many concurrent jobs: two teams submit 1,000 batches of 100 pages of a generated site to the job service.
//! While these run, one team submits a late batch of a single page. Prints results, times and memory, and
//! exits with status 1 if a page is lost or duplicated, or a job does not complete.
//!
//! `cargo run --release -p gleaner --example load -- [JOBS] [PAGES_PER_JOB]`
#![expect(clippy::print_stdout, reason = "a command-line program")]

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
    Ok(if report.is_complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Peak memory of the process so far, in KiB; 0 if the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
