//! A crawl with the memory store and with the durable store, in turns.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use gleaner::plan::SitemapMode;
use gleaner::request::Format;
use gleaner::{CrawlRequest, ScrapeOptions};
use gleaner_benches::child::{SiteProcess, cpu_seconds_of_children};
use gleaner_benches::engine::loopback;
use gleaner_benches::written_bytes;
use gleaner_frontier::FrontierConfig;
use gleaner_runtime::StartOptions;
use gleaner_sqlite::{FileConfig, JournalStats, SqliteStore, open_store};
use gleaner_store::{MemoryConfig, MemoryStore, Retention, Store};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{Failure, figure, number, run_child};

/// The argument with which this program crawls once.
pub(crate) const CHILD: &str = "--crawl";

/// Each store crawls this often for each retention.
const ROUNDS: usize = 2;

/// Pages in work at once, and those of the one host.
const CONCURRENCY: u32 = 16;

/// The limit of a crawl, which no site has.
const LIMIT: u64 = 1_000_000;

const MEMORY: &str = "memory";
const DURABLE: &str = "durable";
const STORES: [&str; 2] = [MEMORY, DURABLE];

/// Documents go when they were read, as with `Engine::crawl`, or stay, as with the job service.
const STREAMED: &str = "streamed";
const KEPT: &str = "kept";

/// One crawl.
struct Run {
    cpu: f64,
    report: Value,
}

pub(crate) fn measure(pages: u32, folder: &TempDir) -> Result<(), Failure> {
    let site = SiteProcess::start(pages)?;
    println!("{pages} pages to Markdown and links; files in {}", folder.path().display());
    println!("store    documents   pages/s   CPU s   server CPU s");
    for retention in [STREAMED, KEPT] {
        let (mut memory, mut durable) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            for (store, runs) in STORES.into_iter().zip([&mut memory, &mut durable]) {
                runs.push(crawl_once(store, retention, pages, &site, folder)?);
            }
        }
        report(retention, &memory, &durable)?;
    }
    Ok(())
}

fn crawl_once(
    store: &str,
    retention: &str,
    pages: u32,
    site: &SiteProcess,
    folder: &TempDir,
) -> Result<Run, Failure> {
    let own = TempDir::new_in(folder.path())?;
    let path = own.path().to_str().ok_or("the name of the folder is not UTF-8")?;
    let (server, before) = (site.cpu_seconds(), cpu_seconds_of_children());
    let report = run_child(&[CHILD, store, retention, &site.url, path])?;
    let (server, cpu) = (site.cpu_seconds() - server, cpu_seconds_of_children() - before);
    let found = number(&report, "pages")?;
    if found != f64::from(pages) {
        return Err(format!("the {store} store has {found} pages").into());
    }
    let rate = f64::from(pages) / number(&report, "seconds")?;
    println!("{store:<8} {retention:<9} {rate:>9.0} {cpu:>7.2} {server:>14.2}");
    Ok(Run { cpu, report })
}

/// Prints the figures of documents that are streamed or kept.
fn report(retention: &str, memory: &[Run], durable: &[Run]) -> Result<(), Failure> {
    let cpu = |runs: &[Run]| runs.iter().map(|run| run.cpu).sum::<f64>();
    let sum = |name: &str| -> Result<f64, Failure> {
        durable.iter().map(|run| number(&run.report, name)).sum::<Result<f64, Failure>>()
    };
    let (pages, commits) = (sum("pages")?, sum("commits")?);
    let syncs = commits + 2.0 * sum("checkpoints")?;
    let what = |text: &str| format!("{retention}: {text}");
    let ratio = format!("{:.2}", cpu(durable) / cpu(memory));
    figure(&what("CPU time of the durable store, in that of the memory store"), ratio, "at most 1.25");
    let rate = format!("{:.0}", pages / sum("seconds")?);
    figure(&what("pages/s of the durable store"), rate, "at least 2000");
    figure(&what("syncs per page"), format!("{:.3}", syncs / pages), "");
    figure(&what("batches per commit"), format!("{:.1}", sum("batches")? / commits), "");
    let logical = sum("logical")?;
    figure(&what("bytes of documents and facts per page"), format!("{:.0}", logical / pages), "");
    let written = format!("{:.2}", sum("written")? / logical);
    figure(&what("bytes written per byte of them"), written, "at most 3");
    Ok(())
}

/// Crawls once, and prints what it took as a line of JSON.
pub(crate) fn child(store: &str, retention: &str, url: &str, folder: &Path) -> Result<(), Failure> {
    let retention = match retention {
        STREAMED => Retention::Stream,
        KEPT => Retention::Keep,
        _ => return Err(format!("unknown retention {retention:?}").into()),
    };
    let mut frontier = FrontierConfig::default();
    (frontier.max_in_flight, frontier.initial_per_host, frontier.max_per_host) =
        (CONCURRENCY, CONCURRENCY, CONCURRENCY);
    let config = MemoryConfig::default().frontier(frontier).spill_folder(folder.to_owned());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ((pages, seconds), stats) = match store {
        MEMORY => {
            let store = Arc::new(MemoryStore::new(config));
            (crawl(runtime, store, url, retention)?, JournalStats::default())
        }
        DURABLE => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
            let (store, _) = open_store(folder.join("jobs.db"), &FileConfig::default(), config, now)?;
            let store = Arc::new(store);
            let crawled = crawl(runtime, Arc::<SqliteStore>::clone(&store), url, retention)?;
            (crawled, store.journal().stats())
        }
        _ => return Err(format!("unknown store {store:?}").into()),
    };
    // The file is closed by now.
    let written = written_bytes().ok_or("the system does not tell what was written")?;
    let report = json!({
        "pages": pages, "seconds": seconds, "written": written, "logical": stats.bytes,
        "commits": stats.commits, "batches": stats.batches, "checkpoints": stats.checkpoints,
    });
    println!("{report}");
    Ok(())
}

/// Crawls the site of `url` through its links and reads its documents as they arrive. Returns their number
/// and the time in seconds.
fn crawl(
    runtime: Runtime,
    store: Arc<dyn Store>,
    url: &str,
    retention: Retention,
) -> Result<(u64, f64), Failure> {
    let crawled = runtime.block_on(async {
        let engine = loopback().concurrency(CONCURRENCY).store(store).build()?;
        let options = ScrapeOptions::new().formats(vec![Format::Markdown, Format::Links]);
        let request = CrawlRequest::new(url).limit(LIMIT).sitemap(SitemapMode::Skip).scrape_options(options);
        let start = StartOptions { retention, ..StartOptions::default() };
        let start = start.with_request(serde_json::to_value(&request)?);
        let began = Instant::now();
        let mut job = engine.service().runtime().start(request.check()?, start).await?;
        let mut pages = 0;
        while let Some(document) = job.next().await {
            document?;
            pages += 1;
        }
        let seconds = began.elapsed().as_secs_f64();
        // A dropped handle would remove the job.
        let _id = job.detach();
        Ok::<_, Failure>((pages, seconds))
    })?;
    // Ends the tasks that use the store.
    drop(runtime);
    Ok(crawled)
}
