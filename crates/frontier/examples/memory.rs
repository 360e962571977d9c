//! The cost of the frontier: bytes per seen URL, and per waiting URL with and without a spill file; the cost
//! of a lease while another team has many jobs; and a crawl of a million pages in virtual time.
//!
//! `cargo run --release -p gleaner-frontier --example memory [millions ...]` (default 1 and 10) runs each
//! size in its own process and prints the resident memory that Linux reports: the final value, and the peak,
//! which occurs while a table grows. Then it leases and finishes pages of one team while 100 and 10,000 jobs
//! of another team wait for one host, and crawls a site of a million pages with latencies of 20 to 220
//! virtual milliseconds; `memory crawl PAGES` runs only the crawl.
#![expect(clippy::print_stdout, reason = "an example that reports to people")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gleaner_frontier::{
    Candidate, CrawlScope, Decision, Frontier, FrontierConfig, Group, Identity, JobRules, JobSlot, LeaseId,
    Observation, Outcome, QueueSpill, SpilledBlock, UrlKey,
};
use gleaner_types::plan::{CrawlRules, SitemapMode};
use url::Url;

const CHUNK: u64 = 10_000;

/// Hosts of the crawled site, and links per page.
const HOSTS: u64 = 16;
const LINKS: u64 = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [mode, count] if ["seen", "queued", "spilled"].contains(&mode.as_str()) => {
            return measure(mode, count.parse()?);
        }
        [mode, count] if mode == "crawl" => return crawl(count.parse()?),
        _ => {}
    }
    let sizes = if arguments.is_empty() { vec!["1".to_owned(), "10".to_owned()] } else { arguments };
    println!(
        "bytes per URL: {:>10} {:>14} {:>14} {:>14} {:>14}",
        "URLs", "seen", "seen, peak", "waiting, more", "or spilled"
    );
    for size in sizes {
        let count = size.parse::<u64>()? * 1_000_000;
        let (seen, peak) = measure_in_process("seen", count)?;
        let (queued, _) = measure_in_process("queued", count)?;
        let (spill, _) = measure_in_process("spilled", count)?;
        let (more, spilled_bytes) = (queued - seen, (spill - seen).max(0.0));
        println!("{count:>25} {seen:>14.1} {peak:>14.1} {more:>14.1} {spilled_bytes:>14.1}");
    }
    for jobs in [100, 10_000] {
        lease_beside(jobs)?;
    }
    crawl(1_000_000)
}

/// Bytes per URL: the final value and the peak.
fn measure_in_process(mode: &str, count: u64) -> Result<(f64, f64), Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?).args([mode, &count.to_string()]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let (after, peak) = text.trim().split_once(' ').ok_or("a measurement failed")?;
    Ok((after.parse()?, peak.parse()?))
}

fn measure(mode: &str, count: u64) -> Result<(), Box<dyn Error>> {
    let identity = Identity::from_options(false, true);
    let mut config = FrontierConfig::default();
    config.max_queued_bytes_per_job = u64::MAX;
    config.max_queued_bytes = u64::MAX;
    config.max_in_flight = u32::MAX;
    config.initial_per_host = u32::MAX;
    let mut frontier = Frontier::new(config);
    if mode == "spilled" {
        frontier = frontier.with_spill(Box::new(Blocks::new()?));
    }
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    // One batch before measuring, so that fixed costs are not counted.
    admit(&mut frontier, job, &identity, 0, CHUNK)?;
    drain(&mut frontier);
    let before = resident("VmRSS:")?;
    for from in (CHUNK..count + CHUNK).step_by(usize::try_from(CHUNK)?) {
        admit(&mut frontier, job, &identity, from, CHUNK)?;
        if mode == "seen" {
            drain(&mut frontier);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "approximate output")]
    let per_url = |bytes: u64| bytes.saturating_sub(before) as f64 / count as f64;
    println!("{} {}", per_url(resident("VmRSS:")?), per_url(resident("VmHWM:")?));
    drop(frontier);
    Ok(())
}

/// Leases and finishes pages of one job while `jobs` jobs of another team wait for one host.
fn lease_beside(jobs: u64) -> Result<(), Box<dyn Error>> {
    const LEASES: u32 = 100_000;
    let mut frontier = Frontier::new(FrontierConfig::default());
    let mut keys = 0;
    let mut page = |host: &str| {
        keys += 1;
        let url = Url::parse(&format!("https://{host}.example.com/{keys}"))?;
        let (key, priority) = (UrlKey::from_raw(keys), Candidate::NORMAL);
        Ok::<_, url::ParseError>(Candidate { url, key, external: false, priority })
    };
    let now = Duration::ZERO;
    for _ in 0..jobs {
        let job = frontier.open_for(Group(1), JobRules::with_limit(u64::MAX));
        frontier.admit(job, 0, [page("slow")?, page("slow")?], now);
    }
    let beside = frontier.open_for(Group(2), JobRules::with_limit(u64::MAX));
    for _ in 0..LEASES {
        frontier.admit(beside, 0, [page("quick")?], now);
    }
    let mut leases = frontier.lease(50, now).leases;
    let started = Instant::now();
    for _ in 0..LEASES {
        let Some(at) = leases.iter().position(|lease| lease.job == beside) else { break };
        frontier.finish(leases.swap_remove(at).id, Outcome::Document, [], now);
        leases.extend(frontier.lease(50, now).leases);
    }
    let took = started.elapsed();
    let documents = frontier.counts(beside).map_or(0, |counts| counts.documents);
    println!(
        "lease and finish of a page while {jobs} jobs of another team wait for one host: {:.2} us",
        took.as_secs_f64() * 1e6 / documents.max(1) as f64
    );
    Ok(())
}

/// Spilled blocks, one after another in a file without a name.
#[derive(Debug, Clone)]
struct Blocks(Arc<Mutex<(File, u64)>>);

/// A block: its offset and its length.
#[derive(Debug)]
struct Block(Blocks, u64, usize);

impl Blocks {
    fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("gleaner-frontier-{}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        std::fs::remove_file(path)?;
        Ok(Self(Arc::new(Mutex::new((file, 0)))))
    }
}

impl QueueSpill for Blocks {
    fn put(&mut self, block: &[u8]) -> Option<Box<dyn SpilledBlock>> {
        let mut guard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, end) = &mut *guard;
        file.seek(SeekFrom::Start(*end)).and_then(|_| file.write_all(block)).ok()?;
        let begin = std::mem::replace(end, *end + block.len() as u64);
        Some(Box::new(Block(self.clone(), begin, block.len())))
    }
}

impl SpilledBlock for Block {
    fn read(&self) -> std::io::Result<Vec<u8>> {
        let mut block = vec![0; self.2];
        let (file, _) = &mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.1))?;
        file.read_exact(&mut block)?;
        Ok(block)
    }
}

/// Crawls a site with this many pages by its links, with all rules, in virtual time.
fn crawl(pages: u64) -> Result<(), Box<dyn Error>> {
    let start = page_url(0)?;
    let rules = rules();
    let (scope, identity) = (CrawlScope::new(&start, &rules)?, Identity::new(&rules));
    let mut frontier = Frontier::new(FrontierConfig::default());
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    let candidate =
        |url: Url| Candidate { key: identity.key(&url), url, external: false, priority: Candidate::NORMAL };
    let started = Instant::now();
    let mut now = Duration::ZERO;
    frontier.admit(job, 0, [candidate(start.clone())], now);
    let mut running: BTreeMap<(Duration, u64), (LeaseId, Url, Duration)> = BTreeMap::new();
    let (mut leased, mut max_waiting) = (0_u64, 0_u64);
    loop {
        for lease in frontier.lease(usize::MAX, now).leases {
            leased += 1;
            let latency = Duration::from_millis(20 + mix(leased) % 200);
            running.insert((now + latency, leased), (lease.id, lease.url, latency));
        }
        let Some(((at, _), (id, url, latency))) = running.pop_first() else { break };
        now = at;
        let number = number(&url);
        let links = (0..LINKS).filter_map(|n| {
            let link = start.join(&link(number, n, pages)).ok()?;
            (scope.decide(&link, false) == Decision::Inside).then(|| candidate(link))
        });
        frontier.observe(&url, Observation { status: Some(200), latency }, now);
        frontier.finish(id, Outcome::Document, links, now);
        if leased.is_multiple_of(1024) {
            max_waiting = max_waiting.max(frontier.counts(job).map_or(0, |counts| counts.waiting));
        }
    }
    let took = started.elapsed();
    let documents = frontier.counts(job).map_or(0, |counts| counts.documents);
    if documents != pages || leased != pages {
        return Err(format!("{documents} documents by {leased} leases, of {pages} pages").into());
    }
    #[expect(clippy::cast_precision_loss, reason = "approximate output")]
    let (pages_of, links_of) = (pages as f64, (pages * LINKS) as f64);
    println!(
        "crawl: {pages} pages on {HOSTS} hosts in {:.1} virtual hours and {:.1} s: {:.0} pages/s, \
         {:.0} links/s; \
         {max_waiting} waited at most; {} MiB at the peak",
        now.as_secs_f64() / 3600.0,
        took.as_secs_f64(),
        pages_of / took.as_secs_f64(),
        links_of / took.as_secs_f64(),
        resident("VmHWM:")? >> 20,
    );
    Ok(())
}

fn page_url(number: u64) -> Result<Url, url::ParseError> {
    Url::parse(&format!("https://h{}.example.com/catalogue/item-{number:07}", number % HOSTS))
}

fn number(url: &Url) -> u64 {
    url.path().rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A third of the links form a tree, so that every page is found; a third are a menu; the rest are arbitrary.
fn link(page: u64, n: u64, pages: u64) -> String {
    let to = match n {
        0..4 => page * 4 + n + 1,
        4..8 => n,
        _ => mix(page * LINKS + n) % pages,
    };
    let to = if to < pages { to } else { 0 };
    format!("https://h{}.example.com/catalogue/item-{to:07}?utm_source=list#top", to % HOSTS)
}

/// A pseudorandom number: the finalizer of SplitMix64.
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

fn rules() -> CrawlRules {
    CrawlRules {
        exclude_paths: vec!["^/private/".to_owned()],
        include_paths: Vec::new(),
        regex_on_full_url: false,
        max_discovery_depth: None,
        max_path_depth: None,
        sitemap: SitemapMode::Skip,
        ignore_query_parameters: false,
        deduplicate_similar_urls: true,
        crawl_entire_domain: true,
        allow_external_links: false,
        allow_subdomains: true,
        ignore_robots_txt: false,
        robots_user_agent: None,
    }
}

/// Typical URLs: `/catalogue/item-1234567`, 23 bytes after the host.
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
