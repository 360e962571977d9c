//! What a hostile team costs an innocent one: how long the innocent team's small scrapes take when it is alone, beside
//! 5,000 scrapes of heavy pages with costly selectors, and beside 10,000 small batches.
//!
//! `cargo run --release -p gleaner-benches --bin neighbour -- [SCRAPES] [JOBS]`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

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
use gleaner::service::{Submit, Team, TeamId};
use gleaner::{BatchScrapeRequest, Engine, ScrapeRequest};
use gleaner_benches::engine::loopback;
use gleaner_testkit::{LogDetail, RawServer, ServeOptions, Server, Site, SiteSpec, Step};
use tokio::task::JoinSet;

/// The innocent team begins a scrape this often, whether the ones before have ended or not.
const EVERY: Duration = Duration::from_millis(20);
/// How long it is measured alone.
const QUIET: Duration = Duration::from_secs(20);
/// Pages of each site of small pages.
const PAGES: u32 = 50;

/// Scrapes that the hostile team has under way at once.
const AT_ONCE: usize = 100;
/// Hosts of heavy pages.
const HEAVY_HOSTS: usize = 6;
/// Paragraphs of a heavy page: 252 KB in all.
const PARAGRAPHS: usize = 21_000;
/// Selector lists of a hostile scrape, as far as the engine takes them.
const LISTS: usize = 500;
/// What a hostile scrape gives itself, in milliseconds.
const HOSTILE_TIMEOUT_MS: u64 = 1_000;
/// Pages of a hostile batch.
const BATCH: usize = 3;
/// Before a submit that was refused for now is tried again.
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
    // On an address of its own: hosts at one address share a bound.
    let quiet_site = small_site(Ipv4Addr::new(127, 0, 0, 2))?;
    let hostile_site = small_site(Ipv4Addr::LOCALHOST)?;
    let heavy = heavy_hosts()?;
    let innocent = Arc::new(Innocent::new(&engine, &quiet_site)?);
    let hostile = Team::new(TeamId::new("hostile"));

    // Connections, caches and threads are there once somebody has come by.
    let warm = Duration::from_secs(1);
    beside(&innocent, tokio::time::sleep(warm)).await?;

    println!("the innocent team scrapes a small page every {} ms", EVERY.as_millis());
    let ((), alone) = beside(&innocent, tokio::time::sleep(QUIET)).await?;
    println!("alone                  {alone}");

    let (lists, plans) = heavy_scrapes(&engine, &heavy)?;
    let (ended, latencies) = beside(&innocent, scrape_all(&engine, &hostile, plans, scrapes)).await?;
    println!("beside heavy scrapes   {latencies}, {}", latencies.against(&alone));
    println!(
        "    {scrapes} scrapes of 252 KB with {lists} selector lists, {AT_ONCE} at once: {}",
        told(&ended)
    );

    let submitted = submit_all(&engine, &hostile, &hostile_site, jobs);
    let (refused, latencies) = beside(&innocent, submitted).await?;
    println!("beside small batches   {latencies}, {}", latencies.against(&alone));
    println!("    {jobs} batches of {BATCH} pages; {} submits were refused for a while", refused?);
    Ok(())
}

fn small_site(address: Ipv4Addr) -> Result<Server, Failure> {
    let options =
        ServeOptions { address: IpAddr::V4(address), log: LogDetail::Off, ..ServeOptions::default() };
    Ok(Site::generate(SiteSpec::pages(PAGES)).serve_with(options)?)
}

/// Hosts that answer every request with a heavy page.
fn heavy_hosts() -> Result<Vec<RawServer>, Failure> {
    let page = "<p class=a>x".repeat(PARAGRAPHS);
    let answer = Step::respond("200 OK", &[("Content-Type", "text/html")], page);
    let script = [Step::ReadRequest, answer, Step::Repeat];
    let hosts: io::Result<Vec<RawServer>> =
        (0..HEAVY_HOSTS).map(|_| RawServer::start(script.clone())).collect();
    Ok(hosts?)
}

/// The team that is measured.
struct Innocent {
    engine: Engine,
    team: Team,
    plans: Vec<ScrapePlan>,
    begun: AtomicUsize,
}

impl Innocent {
    fn new(engine: &Engine, site: &Server) -> Result<Self, Failure> {
        let plan = |page: u32| -> Result<ScrapePlan, Failure> {
            let mut request = ScrapeRequest::new(site.url(&format!("/p/{page}")));
            request.options.max_age = Some(0);
            Ok(request.check()?)
        };
        let plans: Result<Vec<ScrapePlan>, Failure> = (1..PAGES).map(plan).collect();
        let team = Team::new(TeamId::new("innocent"));
        Ok(Self { engine: engine.clone(), team, plans: plans?, begun: AtomicUsize::new(0) })
    }

    /// Scrapes the next page: how long it took, and whether it gave a document.
    async fn scrape(&self) -> (Duration, bool) {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let Some(plan) = self.plans.get(number % self.plans.len().max(1)) else {
            return (Duration::ZERO, false);
        };
        let began = Instant::now();
        let outcome = self.engine.service().scrape(&self.team, plan.clone(), Submit::default()).await;
        (began.elapsed(), outcome.is_ok())
    }
}

/// Scrapes of the innocent team, sorted by how long they took.
struct Latencies {
    sorted: Vec<Duration>,
    failed: usize,
}

impl Latencies {
    /// So many of a thousand took no longer than this.
    fn quantile(&self, of_thousand: usize) -> Duration {
        let place = (self.sorted.len() * of_thousand).div_ceil(1_000).saturating_sub(1);
        self.sorted.get(place).copied().unwrap_or_default()
    }

    fn against(&self, alone: &Self) -> String {
        let ratio = self.quantile(990).as_secs_f64() / alone.quantile(990).as_secs_f64().max(1e-9);
        format!("p99 {ratio:.1} times that alone")
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |latency: Duration| latency.as_secs_f64() * 1_000.0;
        write!(
            f,
            "p50 {:>7.1} ms, p99 {:>7.1} ms, greatest {:>7.1} ms, of {} scrapes, {} failed",
            milliseconds(self.quantile(500)),
            milliseconds(self.quantile(990)),
            milliseconds(self.quantile(1_000)),
            self.sorted.len(),
            self.failed,
        )
    }
}

/// Scrapes as the innocent team while the work lasts.
async fn beside<T>(
    innocent: &Arc<Innocent>,
    work: impl Future<Output = T>,
) -> Result<(T, Latencies), Failure> {
    let ended = Arc::new(AtomicBool::new(false));
    let measuring = tokio::spawn(measure(Arc::clone(innocent), Arc::clone(&ended)));
    let done = work.await;
    ended.store(true, Ordering::Relaxed);
    Ok((done, measuring.await??))
}

async fn measure(innocent: Arc<Innocent>, ended: Arc<AtomicBool>) -> Result<Latencies, Failure> {
    let mut feedback = tokio::time::interval(EVERY);
    let mut scrapes = JoinSet::new();
    while !ended.load(Ordering::Relaxed) {
        feedback.tick().await;
        let innocent = Arc::clone(&innocent);
        scrapes.spawn(async move { innocent.scrape().await });
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

/// Scrapes of heavy pages, one of each host, with as many selector lists as the engine takes.
fn heavy_scrapes(engine: &Engine, hosts: &[RawServer]) -> Result<(usize, Vec<ScrapePlan>), Failure> {
    let with = |lists: usize| -> Result<Vec<ScrapePlan>, Failure> {
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
    let mut lists = LISTS;
    loop {
        match with(lists) {
            Ok(plans) => return Ok((lists, plans)),
            Err(refusal) if lists > 0 => {
                println!("{lists} selector lists are refused: {refusal}");
                lists /= 2;
            }
            Err(refusal) => return Err(refusal),
        }
    }
}

/// About a thousand characters, none of which fits an element of the page.
fn selector_list(number: usize) -> String {
    let alternatives: Vec<String> = (0..100).map(|place| format!(".a{number:03}{place:02}")).collect();
    alternatives.join(",")
}

/// Runs this many scrapes of the hostile team, and counts how they ended.
async fn scrape_all(
    engine: &Engine,
    team: &Team,
    plans: Vec<ScrapePlan>,
    scrapes: usize,
) -> BTreeMap<String, usize> {
    let (begun, plans) = (Arc::new(AtomicUsize::new(0)), Arc::new(plans));
    let mut workers = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (engine, team) = (engine.clone(), team.clone());
        let (begun, plans) = (Arc::clone(&begun), Arc::clone(&plans));
        workers.spawn(async move {
            let mut ended: BTreeMap<String, usize> = BTreeMap::new();
            loop {
                let number = begun.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = plans.get(number % plans.len().max(1)).filter(|_| number < scrapes) else {
                    return ended;
                };
                let outcome = engine.service().scrape(&team, plan.clone(), Submit::default()).await;
                let how = match outcome {
                    Ok(_) => "document".to_owned(),
                    Err(error) => format!("{} {}", error.http_status(), error.code()),
                };
                *ended.entry(how).or_default() += 1;
            }
        });
    }
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(ended) = workers.join_next().await {
        for (how, count) in ended.unwrap_or_default() {
            *all.entry(how).or_default() += count;
        }
    }
    all
}

fn told(ended: &BTreeMap<String, usize>) -> String {
    let parts: Vec<String> = ended.iter().map(|(how, count)| format!("{count} {how}")).collect();
    parts.join(", ")
}

/// Submits this many small batches of the hostile team and waits until all of their pages are done. Gives how many submits
/// were refused for a while.
async fn submit_all(engine: &Engine, team: &Team, site: &Server, jobs: usize) -> Result<usize, Failure> {
    let urls: Vec<String> = (1..=BATCH).map(|page| site.url(&format!("/p/{page}"))).collect();
    let mut request = BatchScrapeRequest::new(urls);
    request.options.formats = Some(vec![Format::Links]);
    request.options.max_age = Some(0);
    let plan = request.check()?;
    let (service, mut refused) = (engine.service(), 0);
    for _ in 0..jobs {
        while let Err(error) = service.batch(team, plan.clone(), Submit::default()).await {
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
