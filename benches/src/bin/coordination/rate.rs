//! The rate of coordination, beside a plain queue that does the same work.

use std::sync::atomic::AtomicU64;
use std::time::Instant;

use futures_util::future::try_join_all;
use gleaner_postgres::PostgresStore;

use crate::counters::Counters;
use crate::site::{LINKS, Site};
use crate::work::{config, submit, work};
use crate::{DATABASE, Failure, figure, plain, runtime, server};

const SCHEMA: &str = "rate";
/// Connections of the plain queue: as many as a small pool for each of two processes.
const CONNECTIONS: usize = 16;

/// What a run has cost.
struct Cost {
    pages_per_second: f64,
    statements: f64,
    commits: f64,
    wal: f64,
}

pub(crate) fn measure(pages: u64, hosts: u64, stores: usize) -> Result<(), Failure> {
    let (server, runtime) = (server()?, runtime()?);
    let site = Site::new(hosts, pages);
    println!("{} pages with {LINKS} links each on {hosts} hosts, {stores} stores", site.pages());
    let url = server.url(DATABASE);
    let plain = runtime.block_on(run_plain(&url, &site))?;
    let store = runtime.block_on(run_stores(&url, &site, stores))?;
    for (what, value, of_plain, goal) in [
        ("pages/s", store.pages_per_second, plain.pages_per_second, ""),
        ("statements per page", store.statements, plain.statements, "at most 0.3"),
        ("commits per page", store.commits, plain.commits, "at most 0.1"),
        ("bytes of WAL per page", store.wal, plain.wal, ""),
    ] {
        figure(&format!("plain queue: {what}"), format!("{of_plain:.3}"), "");
        figure(&format!("store: {what}"), format!("{value:.3}"), goal);
    }
    Ok(())
}

/// The cost of a run of this many pages between two moments.
fn cost(pages: u64, seconds: f64, statements: f64, before: Counters, after: Counters) -> Cost {
    let pages = pages as f64;
    Cost {
        pages_per_second: pages / seconds,
        statements: statements / pages,
        commits: (after.commits - before.commits) as f64 / pages,
        wal: (after.wal - before.wal) as f64 / pages,
    }
}

async fn run_plain(url: &str, site: &Site) -> Result<Cost, Failure> {
    plain::start(url, site).await?;
    let before = Counters::read(url).await?;
    let (done, began) = (AtomicU64::new(0), Instant::now());
    try_join_all((0..CONNECTIONS).map(|_| plain::work(url, site, &done, site.pages()))).await?;
    let seconds = began.elapsed().as_secs_f64();
    let after = Counters::read(url).await?;
    let statements = plain::STATEMENTS_PER_PAGE * site.pages() as f64;
    crate::connect(url).await?.batch_execute(&format!("DROP SCHEMA {} CASCADE", plain::SCHEMA)).await?;
    Ok(cost(site.pages(), seconds, statements, before, after))
}

async fn run_stores(url: &str, site: &Site, count: usize) -> Result<Cost, Failure> {
    let config = config(url, SCHEMA);
    PostgresStore::migrate(&config).await?;
    let mut stores = Vec::new();
    for _ in 0..count {
        stores.push(PostgresStore::open(config.clone()).await?);
    }
    submit(stores.first().ok_or("at least one store works")?, site.candidates(site.first())?).await?;
    let sent = statements(&stores).await?;
    let before = Counters::read(url).await?;
    let (done, began) = (AtomicU64::new(0), Instant::now());
    let pages = site.pages();
    try_join_all(stores.iter().map(|store| {
        work(
            store,
            &done,
            move |done| done >= pages,
            |lease| {
                let number = site.number(lease.url.as_str())?;
                Ok((number, site.candidates(site.links(number))?))
            },
        )
    }))
    .await?;
    let seconds = began.elapsed().as_secs_f64();
    let statements = statements(&stores).await? - sent;
    // Their connections report what they have not.
    drop(stores);
    let after = Counters::read(url).await?;
    Ok(cost(pages, seconds, statements, before, after))
}

/// What the stores have sent.
async fn statements(stores: &[PostgresStore]) -> Result<f64, Failure> {
    let mut sum = 0.0;
    for store in stores {
        sum += store.stats().await?.sent.statements as f64;
    }
    Ok(sum)
}
