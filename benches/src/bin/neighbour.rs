//! Measures how much a hostile team slows another team: the latency of small scrapes of the measured team
//! when it is alone, during 5,000 scrapes of heavy pages with costly selectors, and during 10,000 small
//! batches.
//!
//! `cargo run --release -p gleaner-benches --bin neighbour -- [SCRAPES] [JOBS]`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gleaner::plan::ScrapePlan;
use gleaner::request::Format;
use gleaner::service::{SubmitContext, Team, TeamId};
use gleaner::{BatchScrapeRequest, Engine, ScrapeRequest};
use gleaner_benches::engine::loopback;
use gleaner_testkit::{LogDetail, RawServer, ServeOptions, Server, Site, SiteSpec, Step};
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
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), Failure> {
    let mut sizes = std::env::args().skip(1).map(|size| size.parse::<usize>());
    let scrapes = sizes.next().transpose()?.unwrap_or(5_000);
    let jobs = sizes.next().transpose()?.unwrap_or(10_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(run(scrapes, jobs))
}

async fn run(scrapes: usize, jobs: usize) -> Result<(), Failure> {
    let engine = loopback().build()?;
    // It has its own address, because hosts at one address share a limit.
    let measured_site = small_site(Ipv4Addr::new(127, 0, 0, 2))?;
    let hostile_site = small_site(Ipv4Addr::LOCALHOST)?;
    let heavy = heavy_hosts()?;
    let measured = Arc::new(MeasuredTeam::new(&engine, &measured_site)?);
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

/// The team whose latencies are measured.
struct MeasuredTeam {
    engine: Engine,
    team: Team,
    plans: Vec<ScrapePlan>,
    started: AtomicUsize,
}

impl MeasuredTeam {
    fn new(engine: &Engine, site: &Server) -> Result<Self, Failure> {
        let plan = |page: u32| -> Result<ScrapePlan, Failure> {
            let mut request = ScrapeRequest::new(site.url(&format!("/p/{page}")));
            request.options.max_age = Some(0);
            Ok(request.check()?)
        };
        let plans: Result<Vec<ScrapePlan>, Failure> = (1..PAGES).map(plan).collect();
        let team = Team::new(TeamId::new("measured"));
        Ok(Self { engine: engine.clone(), team, plans: plans?, started: AtomicUsize::new(0) })
    }

    /// Scrapes the next page. Returns the latency, and true if it gave a document.
    async fn scrape(&self) -> (Duration, bool) {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let Some(plan) = self.plans.get(number % self.plans.len().max(1)) else {
            return (Duration::ZERO, false);
        };
        let began = Instant::now();
        let outcome = self.engine.service().scrape(&self.team, plan.clone(), SubmitContext::default()).await;
        (began.elapsed(), outcome.is_ok())
    }
}

/// Latencies of the measured team.
struct Latencies {
    sorted: Vec<Duration>,
    failed: usize,
}

impl Latencies {
    /// The latency that `per_mille` of 1,000 scrapes do not exceed.
    fn quantile(&self, per_mille: usize) -> Duration {
        let rank = (self.sorted.len() * per_mille).div_ceil(1_000).saturating_sub(1);
        self.sorted.get(rank).copied().unwrap_or_default()
    }

    fn compared_with(&self, alone: &Self) -> String {
        let ratio = self.quantile(990).as_secs_f64() / alone.quantile(990).as_secs_f64().max(1e-9);
        format!("p99 is {ratio:.1} times that of alone")
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |latency: Duration| latency.as_secs_f64() * 1_000.0;
        write!(
            f,
            "p50 {:>7.1} ms, p99 {:>7.1} ms, greatest {:>7.1} ms, {} scrapes, {} failed",
            milliseconds(self.quantile(500)),
            milliseconds(self.quantile(990)),
            milliseconds(self.quantile(1_000)),
            self.sorted.len(),
            self.failed,
        )
    }
}

/// Scrapes as the measured team while a future runs.
async fn measure_during<T>(
    team: &Arc<MeasuredTeam>,
    load: impl Future<Output = T>,
) -> Result<(T, Latencies), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let measurement = tokio::spawn(measure(Arc::clone(team), Arc::clone(&stop)));
    let result = load.await;
    stop.store(true, Ordering::Relaxed);
    Ok((result, measurement.await??))
}

async fn measure(team: Arc<MeasuredTeam>, stop: Arc<AtomicBool>) -> Result<Latencies, Failure> {
    let mut interval = tokio::time::interval(SCRAPE_INTERVAL);
    let mut scrapes = JoinSet::new();
    while !stop.load(Ordering::Relaxed) {
        interval.tick().await;
        let team = Arc::clone(&team);
        scrapes.spawn(async move { team.scrape().await });
    }
    let (mut sorted, mut failed) = (Vec::new(), 0);
    while let Some(scraped) = scrapes.join_next().await {
        let (latency, has_document) = scraped?;
        sorted.push(latency);
        failed += usize::from(!has_document);
    }
    sorted.sort();
    Ok(Latencies { sorted, failed })
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
