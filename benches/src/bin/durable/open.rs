//! The time of opening a file in which many pages wait.

use std::fs;
use std::path::Path;
use std::time::Instant;

use gleaner_benches::{peak_memory, resident_memory};
use gleaner_frontier::JobRules;
use gleaner_store::{Admission, NewJob, Retention, Store};
use gleaner_types::{JobId, JobKind};
use serde_json::json;
use tempfile::TempDir;

use crate::job::{NOW, Pages};
use crate::size::{open_file, settle};
use crate::{Failure, figure, number, run_child};

/// The argument with which this program opens a file in a process of its own.
pub(crate) const CHILD: &str = "--opening";

/// Times that each file is opened.
const TIMES: usize = 3;

/// Pages of each call of the store.
const PAGES_PER_CALL: u64 = 20_000;

/// The depth limit of one of the two files. Depths are kept for it.
const MAX_DEPTH: u32 = 5;

pub(crate) fn measure(waiting: u64, jobs: u64, folder: &TempDir) -> Result<(), Failure> {
    println!("{waiting} pages of {jobs} jobs wait; files in {}", folder.path().display());
    for (name, max_depth) in [("without", None), ("with", Some(MAX_DEPTH))] {
        let own = folder.path().join(name);
        fs::create_dir(&own)?;
        let began = Instant::now();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(fill(waiting, jobs, max_depth, &own))?;
        let what = format!("{name} a depth limit");
        figure(&format!("{what}, writing it: seconds"), format!("{:.1}", began.elapsed().as_secs_f64()), "");
        let path = own.to_str().ok_or("the name of the folder is not UTF-8")?;
        for _ in 0..TIMES {
            let opened = run_child(&[CHILD, &waiting.to_string(), &jobs.to_string(), path])?;
            let seconds = number(&opened, "seconds")?;
            let goal = format!("at most {:.1}", 20.0 * waiting as f64 / 1e7);
            figure(&format!("{what}, opening it: seconds"), format!("{seconds:.2}"), &goal);
            let mebibytes = number(&opened, "peak")? / 1024.0;
            figure(&format!("{what}, opening it: peak memory, in MiB"), format!("{mebibytes:.0}"), "");
        }
        fs::remove_dir_all(&own)?;
    }
    Ok(())
}

fn id(job: u64) -> Result<JobId, Failure> {
    Ok(format!("0195c0de-0000-7000-8000-{:012}", job + 1).parse()?)
}

/// The numbers of the pages of a job.
fn numbers(waiting: u64, jobs: u64, job: u64) -> std::ops::Range<u64> {
    let bound = |job: u64| (u128::from(waiting) * u128::from(job) / u128::from(jobs.max(1))) as u64;
    bound(job)..bound(job + 1)
}

/// Writes a file with jobs that wait.
async fn fill(waiting: u64, jobs: u64, max_depth: Option<u32>, folder: &Path) -> Result<(), Failure> {
    let (store, pages) = (open_file(folder)?, Pages::new());
    for number in 0..jobs {
        let rules = JobRules { max_depth, ..JobRules::with_limit(u64::MAX) };
        let job = NewJob {
            sealed: false,
            retention: Retention::Keep,
            ..NewJob::new(id(number)?, Some(JobKind::Crawl), rules, Vec::new())
        };
        store.submit(job, NOW).await?;
        let all = numbers(waiting, jobs, number);
        let mut from = all.start;
        while from < all.end {
            let to = (from + PAGES_PER_CALL).min(all.end);
            let admitted = store.admit(id(number)?, Admission::new(0, pages.range(from..to)?), NOW).await?;
            if admitted.new != to - from {
                return Err(format!("{} of {} pages are admitted", admitted.new, to - from).into());
            }
            from = to;
        }
    }
    settle(&store, folder).await
}

/// Opens a file, and checks how many pages wait in it. Prints the figures as a line of JSON.
pub(crate) fn child(waiting: u64, jobs: u64, folder: &Path) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(async {
        let began = Instant::now();
        let store = open_file(folder)?;
        let seconds = began.elapsed().as_secs_f64();
        let mut found = 0;
        for job in 0..jobs {
            found += store.snapshot(id(job)?).await?.total;
        }
        if found != waiting {
            return Err(Failure::from(format!("{found} pages wait in the file, not {waiting}")));
        }
        Ok(json!({ "seconds": seconds, "resident": resident_memory(), "peak": peak_memory() }))
    })?;
    println!("{report}");
    Ok(())
}
