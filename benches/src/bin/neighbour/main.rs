//! Measures how much a hostile team slows another team: the latency of small scrapes of the measured team
//! when it is alone, during 5,000 scrapes of heavy pages with costly selectors, and during 10,000 small
//! batches. With `pdfs`, the latency of scrapes of a good PDF, alone and while 20 hostile ones are scraped at
//! any time.
//!
//! `cargo run --release -p gleaner-benches --bin neighbour -- [SCRAPES] [JOBS]`
//! `cargo run --release -p gleaner-benches --bin neighbour -- pdfs [SECONDS]`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

mod measured;
mod pdfs;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gleaner::pdf;
use gleaner::plan::ScrapePlan;
use gleaner::request::Format;
use gleaner::service::{SubmitContext, Team, TeamId};
use gleaner::{BatchScrapeRequest, Engine, ScrapeRequest};
use gleaner_benches::engine::loopback;
use gleaner_testkit::{LogDetail, RawServer, ServeOptions, Server, Site, SiteSpec, Step};
use measured::{MeasuredTeam, measure_during};
use tokio::task::JoinSet;

/// The measured team starts a scrape this often, even if earlier ones still run.
const SCRAPE_INTERVAL: Duration = Duration::from_millis(20);
/// Duration of the measurement without the hostile team.
const ALONE_TIME: Duration = Duration::from_secs(20);
/// Pages of each site of small pages.
const PAGES: u32 = 50;

/// Concurrent scrapes of the hostile team.
const HOSTILE_CONCURRENCY: usize = 100;
/// Hosts of heavy pages.
const HEAVY_HOSTS: usize = 6;
/// Paragraphs of a heavy page, which has 252 KB.
const PARAGRAPHS: usize = 21_000;
/// Selector lists of a hostile scrape, if the engine accepts that many.
const MAX_LISTS: usize = 500;
/// Timeout of a hostile scrape, in milliseconds.
const HOSTILE_TIMEOUT_MS: u64 = 1_000;
/// Pages of a hostile batch.
const BATCH_PAGES: usize = 3;
/// Pause before another attempt to submit, and between two checks of the queue.
const PAUSE: Duration = Duration::from_millis(50);

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    // Before any setup: the memory and time of a worker count against its file.
    let is_worker = std::env::args_os().nth(1).is_some_and(|argument| argument == pdfs::WORKER);
    let result = if is_worker { pdf::serve().map_err(Failure::from) } else { start() };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1).peekable();
    let only_pdfs = arguments.next_if(|argument| argument == "pdfs").is_some();
    let mut sizes = arguments.map(|size| size.parse::<usize>());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    if only_pdfs {
        let seconds = sizes.next().transpose()?.unwrap_or(60);
        return runtime.block_on(pdfs::run(Duration::from_secs(seconds as u64)));
    }
    let scrapes = sizes.next().transpose()?.unwrap_or(5_000);
    let jobs = sizes.next().transpose()?.unwrap_or(10_000);
    runtime.block_on(run(scrapes, jobs))
}

async fn run(scrapes: usize, jobs: usize) -> Result<(), Failure> {
    let engine = loopback().build()?;
    // It has its own address, because hosts at one address share a limit.
    let measured_site = small_site(Ipv4Addr::new(127, 0, 0, 2))?;
    let hostile_site = small_site(Ipv4Addr::LOCALHOST)?;
    let heavy = heavy_hosts()?;
    let urls: Vec<String> = (1..PAGES).map(|page| measured_site.url(&format!("/p/{page}"))).collect();
    let measured = Arc::new(MeasuredTeam::new(&engine, &urls, SCRAPE_INTERVAL)?);
    let hostile = Team::new(TeamId::new("hostile"));

    // A first second opens connections, fills caches and starts threads.
    let warm_up = Duration::from_secs(1);
    measure_during(&measured, tokio::time::sleep(warm_up)).await?;

    println!("the measured team scrapes a small page every {} ms", SCRAPE_INTERVAL.as_millis());
    let ((), alone) = measure_during(&measured, tokio::time::sleep(ALONE_TIME)).await?;
    println!("alone                  {alone}");

    let (lists, plans) = heavy_scrapes(&engine, &heavy)?;
    let (results, latencies) =
        measure_during(&measured, scrape_all(&engine, &hostile, plans, scrapes)).await?;
    println!("during heavy scrapes   {latencies}, {}", latencies.compared_with(&alone));
    println!(
        "    {scrapes} scrapes of 252 KB with {lists} selector lists, {HOSTILE_CONCURRENCY} concurrent: {}",
        summary(&results)
    );

    let submitted = submit_all(&engine, &hostile, &hostile_site, jobs);
    let (refused, latencies) = measure_during(&measured, submitted).await?;
    println!("during small batches   {latencies}, {}", latencies.compared_with(&alone));
    println!("    {jobs} batches of {BATCH_PAGES} pages; {} submissions were refused at first", refused?);
    Ok(())
}

fn small_site(address: Ipv4Addr) -> Result<Server, Failure> {
    let options =
        ServeOptions { address: IpAddr::V4(address), log: LogDetail::Off, ..ServeOptions::default() };
    Ok(Site::generate(SiteSpec::pages(PAGES)).serve_with(options)?)
}

/// Hosts that respond to every request with a heavy page.
fn heavy_hosts() -> Result<Vec<RawServer>, Failure> {
    let page = "<p class=a>x".repeat(PARAGRAPHS);
    let response = Step::respond("200 OK", &[("Content-Type", "text/html")], page);
    let script = [Step::ReadRequest, response, Step::Repeat];
    let hosts: io::Result<Vec<RawServer>> =
        (0..HEAVY_HOSTS).map(|_| RawServer::start(script.clone())).collect();
    Ok(hosts?)
}

/// Scrapes of heavy pages, one for each host. Halves the number of selector lists until the engine accepts
/// them.
fn heavy_scrapes(engine: &Engine, hosts: &[RawServer]) -> Result<(usize, Vec<ScrapePlan>), Failure> {
    let plans_with = |lists: usize| -> Result<Vec<ScrapePlan>, Failure> {
        let selectors: Vec<String> = (0..lists).map(selector_list).collect();
        let plan = |host: &RawServer| -> Result<ScrapePlan, Failure> {
            let mut request = ScrapeRequest::new(format!("{}/", host.base_url()));
            request.options.exclude_tags = Some(selectors.clone());
            request.options.max_age = Some(0);
            request.options.timeout = Some(HOSTILE_TIMEOUT_MS);
            let plan = request.check()?;
            engine.check_options(&plan.options)?;
            Ok(plan)
        };
        hosts.iter().map(plan).collect()
    };
    let mut lists = MAX_LISTS;
    loop {
        match plans_with(lists) {
            Ok(plans) => return Ok((lists, plans)),
            Err(refusal) if lists > 0 => {
                println!("{lists} selector lists are refused: {refusal}");
                lists /= 2;
            }
            Err(refusal) => return Err(refusal),
        }
    }
}

/// A list of 100 selectors that match no element of the page.
fn selector_list(number: usize) -> String {
    let selectors: Vec<String> = (0..100).map(|index| format!(".a{number:03}{index:02}")).collect();
    selectors.join(",")
}

/// Runs the scrapes of the hostile team and counts their results.
async fn scrape_all(
    engine: &Engine,
    team: &Team,
    plans: Vec<ScrapePlan>,
    scrapes: usize,
) -> BTreeMap<String, usize> {
    let (started, plans) = (Arc::new(AtomicUsize::new(0)), Arc::new(plans));
    let mut workers = JoinSet::new();
    for _ in 0..HOSTILE_CONCURRENCY {
        let (engine, team) = (engine.clone(), team.clone());
        let (started, plans) = (Arc::clone(&started), Arc::clone(&plans));
        workers.spawn(async move {
            let mut results: BTreeMap<String, usize> = BTreeMap::new();
            loop {
                let number = started.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = plans.get(number % plans.len().max(1)).filter(|_| number < scrapes) else {
                    return results;
                };
                let outcome = engine.service().scrape(&team, plan.clone(), SubmitContext::default()).await;
                let result = match outcome {
                    Ok(_) => "document".to_owned(),
                    Err(error) => format!("{} {}", error.http_status(), error.code()),
                };
                *results.entry(result).or_default() += 1;
            }
        });
    }
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(results) = workers.join_next().await {
        for (result, count) in results.unwrap_or_default() {
            *all.entry(result).or_default() += count;
        }
    }
    all
}

fn summary(results: &BTreeMap<String, usize>) -> String {
    let parts: Vec<String> = results.iter().map(|(result, count)| format!("{count} {result}")).collect();
    parts.join(", ")
}

/// Submits small batches of the hostile team and waits until all of their pages are done. Returns the number
/// of submissions that were refused at first.
async fn submit_all(engine: &Engine, team: &Team, site: &Server, jobs: usize) -> Result<usize, Failure> {
    let urls: Vec<String> = (1..=BATCH_PAGES).map(|page| site.url(&format!("/p/{page}"))).collect();
    let mut request = BatchScrapeRequest::new(urls);
    request.options.formats = Some(vec![Format::Links]);
    request.options.max_age = Some(0);
    let plan = request.check()?;
    let (service, mut refused) = (engine.service(), 0);
    for _ in 0..jobs {
        while let Err(error) = service.batch(team, plan.clone(), SubmitContext::default()).await {
            if !error.is_rate_limited() {
                return Err(error.into());
            }
            refused += 1;
            tokio::time::sleep(PAUSE).await;
        }
    }
    while service.queue_status(team).await?.jobs_in_queue > 0 {
        tokio::time::sleep(PAUSE).await;
    }
    Ok(refused)
}
