//! What the frontier costs in memory: bytes per URL that was seen, and per URL that waits.
//!
//! `cargo run --release -p gleaner-frontier --example memory [millions ...]` (1 and 10 unless told) runs each size in
//! a process of its own and prints resident memory as Linux has it: what is left, and the peak on the way, which is
//! when a table grows.
#![expect(clippy::print_stdout, reason = "an example that reports to people")]

use std::error::Error;
use std::process::Command;
use std::time::Duration;

use gleaner_frontier::{Candidate, Frontier, FrontierConfig, Identity, JobRules, JobSlot, Outcome};
use url::Url;

const CHUNK: u64 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, count] = arguments.as_slice()
        && (mode == "seen" || mode == "queued")
    {
        return measure(mode, count.parse()?);
    }
    let sizes = if arguments.is_empty() { vec!["1".to_owned(), "10".to_owned()] } else { arguments };
    println!("{:>12} {:>8} {:>16} {:>16}", "URLs", "", "bytes a URL", "at the peak");
    for size in sizes {
        let count = size.parse::<u64>()? * 1_000_000;
        for mode in ["seen", "queued"] {
            let status = Command::new(std::env::current_exe()?).args([mode, &count.to_string()]).status()?;
            if !status.success() {
                return Err("a measurement failed".into());
            }
        }
    }
    Ok(())
}

fn measure(mode: &str, count: u64) -> Result<(), Box<dyn Error>> {
    let identity = Identity::from_options(false, true);
    let mut config = FrontierConfig::default();
    config.max_in_flight = u32::MAX;
    config.max_per_host = u32::MAX;
    let mut frontier = Frontier::new(config);
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    // One round before counting starts, so that what a process needs anyway is not counted.
    admit(&mut frontier, job, &identity, 0, CHUNK)?;
    drain(&mut frontier);
    let before = resident("VmRSS:")?;
    for from in (CHUNK..count + CHUNK).step_by(usize::try_from(CHUNK)?) {
        admit(&mut frontier, job, &identity, from, CHUNK)?;
        if mode == "seen" {
            drain(&mut frontier);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let per_url = |bytes: u64| bytes.saturating_sub(before) as f64 / count as f64;
    let (after, peak) = (per_url(resident("VmRSS:")?), per_url(resident("VmHWM:")?));
    println!("{count:>12} {mode:>8} {after:>16.1} {peak:>16.1}");
    drop(frontier);
    Ok(())
}

/// URLs as sites have them: `/catalogue/item-1234567`, 23 bytes behind the host.
fn admit(
    frontier: &mut Frontier,
    job: JobSlot,
    identity: &Identity,
    from: u64,
    count: u64,
) -> Result<(), Box<dyn Error>> {
    let mut candidates = Vec::new();
    for n in from..from + count {
        let url = Url::parse(&format!("https://example.com/catalogue/item-{n:07}"))?;
        candidates.push(Candidate {
            key: identity.key(&url),
            url,
            external: false,
            priority: Candidate::NORMAL,
        });
    }
    frontier.admit(job, 1, candidates, Duration::ZERO);
    Ok(())
}

fn drain(frontier: &mut Frontier) {
    loop {
        let leases = frontier.lease(1000, Duration::ZERO).leases;
        if leases.is_empty() {
            return;
        }
        for lease in leases {
            frontier.finish(lease.id, Outcome::Document, [], Duration::ZERO);
        }
    }
}

/// A line of `/proc/self/status`, in bytes.
fn resident(field: &str) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("no such field")?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kibibytes * 1024)
}
