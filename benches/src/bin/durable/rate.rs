//! Finishes of pages through the stores alone, beside the least work: one sync for each page.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use gleaner_benches::written_bytes;
use gleaner_sqlite::{FileConfig, open_store};
use gleaner_store::{MemoryStore, Store, WorkerId};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::job::{Documents, FIRST_PAGES, NOW, Pages, config, finished, start};
use crate::{Failure, figure};

/// Numbers of concurrent callers.
const CALLERS: [u64; 3] = [1, 10, 64];

/// New links of each page.
const LINKS: u64 = 10;

/// Bytes that the floor writes before each sync: a page of the disk.
const FLOOR_BYTES: usize = 4096;

/// Syncs of the floor.
const FLOOR_SYNCS: u32 = 2_000;

pub(crate) fn measure(pages: u64, folder: &TempDir) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let documents = Arc::new(Documents::new());
    println!("{pages} pages with {LINKS} new links each; files in {}", folder.path().display());
    let floor = format!("{:.0}", syncs_per_second(folder.path())?);
    figure("floor: appends of 4 KiB with a sync each, per second", floor, "");
    for callers in CALLERS {
        let store = Arc::new(MemoryStore::new(config(folder.path())));
        let rate = finish_pages(&runtime, &store, &documents, callers, pages)?;
        figure(&format!("memory store, {callers} callers: pages/s"), format!("{rate:.0}"), "");
    }
    for callers in CALLERS {
        durable(&runtime, folder, &documents, callers, pages)?;
    }
    Ok(())
}

/// Appends of one page of the disk that are durable, one after the other.
fn syncs_per_second(folder: &Path) -> Result<f64, Failure> {
    let mut file = File::create(folder.join("floor"))?;
    let began = Instant::now();
    for _ in 0..FLOOR_SYNCS {
        file.write_all(&[b'x'; FLOOR_BYTES])?;
        file.sync_data()?;
    }
    Ok(f64::from(FLOOR_SYNCS) / began.elapsed().as_secs_f64())
}

fn durable(
    runtime: &Runtime,
    folder: &TempDir,
    documents: &Arc<Documents>,
    callers: u64,
    pages: u64,
) -> Result<(), Failure> {
    let path = folder.path().join(format!("{callers}.db"));
    let (store, _) = open_store(&path, &FileConfig::default(), config(folder.path()), NOW)?;
    let (store, before) = (Arc::new(store), written_bytes());
    let rate = finish_pages(runtime, &store, documents, callers, pages)?;
    let stats = store.journal().stats();
    // Closes the file.
    drop(store);
    let written = written_bytes().zip(before).map(|(after, before)| after - before);
    let written = written.ok_or("the system does not tell what was written")?;
    let (pages, syncs) = (pages as f64, (stats.commits + 2 * stats.checkpoints) as f64);
    let what = |text: &str| format!("durable store, {callers} callers: {text}");
    let goal = if callers > 1 { "at least 2000" } else { "" };
    figure(&what("pages/s"), format!("{rate:.0}"), goal);
    figure(&what("syncs per page"), format!("{:.3}", syncs / pages), "");
    let amplification = written as f64 / stats.bytes as f64;
    figure(&what("bytes written per byte of documents and facts"), format!("{amplification:.2}"), "");
    Ok(())
}

/// Finishes pages from this number of concurrent callers. Returns pages per second.
fn finish_pages<S: Store>(
    runtime: &Runtime,
    store: &Arc<S>,
    documents: &Arc<Documents>,
    callers: u64,
    pages: u64,
) -> Result<f64, Failure> {
    runtime.block_on(async {
        start(&**store, &Pages::new()).await?;
        let (next, mut tasks) = (Arc::new(AtomicU64::new(0)), JoinSet::new());
        let began = Instant::now();
        for _ in 0..callers {
            let (store, documents, next) = (Arc::clone(store), Arc::clone(documents), Arc::clone(&next));
            tasks.spawn(async move { call(&*store, &documents, &next, pages).await });
        }
        while let Some(result) = tasks.join_next().await {
            result??;
        }
        Ok(pages as f64 / began.elapsed().as_secs_f64())
    })
}

/// One caller: leases a page and finishes it until all are done.
async fn call(
    store: &impl Store,
    documents: &Documents,
    next: &AtomicU64,
    pages: u64,
) -> Result<(), Failure> {
    let (worker, site) = (WorkerId::random(), Pages::new());
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= pages {
            return Ok(());
        }
        let lease = store.lease(worker, 1, NOW).await?.pages.pop().ok_or("no page is ready")?;
        let first = FIRST_PAGES + number * LINKS;
        let page = finished(lease, documents.outcome(number), site.range(first..first + LINKS)?);
        if !store.finish(page, NOW).await?.accepted {
            return Err("a page is not accepted".into());
        }
    }
}
