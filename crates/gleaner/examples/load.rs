//! Many jobs at once: 1,000 batches of 100 pages each against the generated site, handed in at the desk together, and a
//! latecomer with a single page while they run. Prints what became of them and what it took.
//!
//! `cargo run --release -p gleaner --example load -- [JOBS] [PAGES_PER_JOB]`
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::collections::HashMap;
use std::error::Error;
use std::time::{Duration, Instant};

use gleaner::desk::{Page, Submit, Team, TeamId};
use gleaner::response::JobStatus;
use gleaner::{BatchScrapeRequest, Engine, JobId, JobKind, JobState, ScrapeOptions};
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut sizes = std::env::args().skip(1).map(|size| size.parse::<u64>());
    let jobs = sizes.next().transpose()?.unwrap_or(1_000);
    let pages = sizes.next().transpose()?.unwrap_or(100);

    let site = Site::generate(SiteSpec::pages(u32::try_from(pages)? + 1));
    let server = site.serve_with(ServeOptions { log: LogDetail::Off, ..ServeOptions::default() })?;
    let engine = Engine::builder().allow_private("127.0.0.0/8".parse()?).concurrency(50, 50).build()?;
    let (desk, team) = (engine.desk(), Team::new(TeamId::new("load")));
    let urls: Vec<String> = (1..=pages).map(|page| server.url(&format!("/p/{page}"))).collect();
    let memory_before = peak_memory();

    let began = Instant::now();
    let mut ids = Vec::new();
    for _ in 0..jobs {
        let plan = request(&urls).check()?;
        ids.push(desk.batch(&team, plan, Submit::default()).await?.id);
    }
    let submitted = began.elapsed();
    println!("{jobs} jobs of {pages} pages submitted in {submitted:.1?}");

    // A quarter through, somebody comes with one page.
    while desk.queue_status(&team).await?.waiting_jobs_in_queue > jobs * pages * 3 / 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let served_before = server.requests();
    let came = Instant::now();
    let plan = request(urls.get(..1).unwrap_or_default()).check()?;
    let late = desk.batch(&team, plan, Submit::default()).await?.id;
    let status = ended(&engine, &team, late).await?;
    let (waited, served) = (came.elapsed(), server.requests() - served_before);
    let waiting = desk.queue_status(&team).await?.waiting_jobs_in_queue;
    println!(
        "a latecomer's one page: {:?} after {waited:.1?}, while {served} pages were served and {waiting} still waited",
        status.status
    );

    let (mut documents, mut lost, mut doubled, mut failed) = (0, 0, 0, 0);
    for id in ids {
        let status = ended(&engine, &team, id).await?;
        let mut found: HashMap<String, u64> = HashMap::new();
        for document in status.data {
            *found.entry(document.metadata.source_url.unwrap_or_default()).or_default() += 1;
            documents += 1;
        }
        lost += urls.iter().filter(|url| !found.contains_key(*url)).count();
        doubled += found.values().filter(|times| **times > 1).count();
        failed += u64::from(status.status != JobState::Completed || status.completed != pages);
    }
    let took = began.elapsed();
    println!("{documents} documents in {took:.1?}, {:.0} a second", documents as f64 / took.as_secs_f64());
    println!("jobs that did not complete: {failed}; pages lost: {lost}; doubled: {doubled}");
    println!("requests served: {}", server.requests());
    println!("peak memory: {memory_before} KiB before, {} KiB after", peak_memory());
    Ok(())
}

/// A batch of these pages, each fetched anew: the jobs ask for the same ones, and the cache would serve them all.
fn request(urls: &[String]) -> BatchScrapeRequest {
    let options = ScrapeOptions { max_age: Some(0), ..ScrapeOptions::default() };
    BatchScrapeRequest { options, ..BatchScrapeRequest::new(urls.iter().map(String::as_str)) }
}

/// The job once it has ended, with all of its documents.
async fn ended(engine: &Engine, team: &Team, id: JobId) -> Result<JobStatus, Box<dyn Error>> {
    let desk = engine.desk();
    let mut whole: Option<JobStatus> = None;
    loop {
        let skip = whole.as_ref().map_or(0, |status| status.data.len() as u64);
        let page = Page { skip: Some(skip), limit: None };
        let body = desk.status(&team.id, JobKind::BatchScrape, id, page, &|skip| skip.to_string()).await?;
        let mut status: JobStatus = serde_json::from_slice(&body.bytes)?;
        if let Some(mut so_far) = whole.take() {
            so_far.data.append(&mut status.data);
            status.data = so_far.data;
        }
        if status.next.is_none() {
            return Ok(status);
        }
        whole = Some(status);
    }
}

/// The most memory that the process has had so far, in KiB; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
