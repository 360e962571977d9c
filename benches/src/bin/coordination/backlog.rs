//! A large backlog of waiting URLs: its size, and the rate over it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gleaner_frontier::Candidate;
use gleaner_postgres::PostgresStore;
use gleaner_store::{LeasedPage, Store as _};
use gleaner_testkit::scattered;
use tokio::task::JoinHandle;
use tokio_postgres::Client;

use crate::counters::{dead_tuples, sizes};
use crate::site::{LINKS, Site};
use crate::work::{config, submit, work};
use crate::{DATABASE, Failure, connect, figure, runtime, server};

const SCHEMA: &str = "backlog";
const HOSTS: u64 = 1_000;
/// New links of a page while the backlog is filled.
const NEW_LINKS: u64 = 100;
/// The rate is that of windows of this length.
const WINDOW: Duration = Duration::from_secs(30);
/// How long a query holds its snapshot, and the number of such queries.
const SNAPSHOT: Duration = Duration::from_secs(120);
const SNAPSHOTS: u32 = 3;

pub(crate) fn measure(waiting: u64, minutes: u32, snapshots: bool) -> Result<(), Failure> {
    let (server, runtime) = (server()?, runtime()?);
    runtime.block_on(run(&server.url(DATABASE), waiting, minutes, snapshots))
}

/// A site whose pages are found one after the other.
struct Found {
    site: Site,
    next: AtomicU64,
}

impl Found {
    /// The number of the page, and this many links to new pages beside those to seen ones.
    fn links(&self, lease: &LeasedPage, new: u64) -> Result<(u64, Vec<Candidate>), Failure> {
        let number = self.site.number(lease.url.as_str())?;
        let first = self.next.fetch_add(new, Ordering::Relaxed);
        let seen = (new..LINKS).map(|link| scattered(number * LINKS + link, first));
        Ok((number, self.site.candidates((first..first + new).chain(seen))?))
    }
}

async fn run(url: &str, waiting: u64, minutes: u32, snapshots: bool) -> Result<(), Failure> {
    let config = config(url, SCHEMA);
    PostgresStore::migrate(&config).await?;
    let store = PostgresStore::open(config).await?;
    let client = connect(url).await?;
    let found = Found { site: Site::new(HOSTS, u64::from(u32::MAX)), next: AtomicU64::new(HOSTS) };
    let job = submit(&store, found.site.candidates(0..HOSTS)?).await?;
    let done = AtomicU64::new(0);
    let filling = waiting / (NEW_LINKS - 1);
    println!(
        "{waiting} waiting URLs on {} hosts, by {filling} pages with {NEW_LINKS} links",
        found.site.hosts()
    );
    let began = Instant::now();
    work(&store, &done, |done| done >= filling, |lease| found.links(lease, NEW_LINKS)).await?;
    let rate = filling as f64 / began.elapsed().as_secs_f64();
    figure("pages/s while it is filled", format!("{rate:.0}"), "");
    let snapshot = store.snapshot(job).await?;
    let left = snapshot.open;
    report_sizes(&client, left).await?;

    let holders: Vec<JoinHandle<Result<(), Failure>>> = if snapshots {
        (0..SNAPSHOTS).map(|number| tokio::spawn(hold_snapshots(url.to_owned(), number))).collect()
    } else {
        Vec::new()
    };
    let (before, stop) = (done.load(Ordering::Relaxed), AtomicBool::new(false));
    let working = work(&store, &done, |_| stop.load(Ordering::Relaxed), |lease| found.links(lease, 1));
    let watching = watch(&client, &done, before, Duration::from_secs(60) * minutes);
    let watching = async {
        let result = watching.await;
        stop.store(true, Ordering::Relaxed);
        result
    };
    let (worked, watched) = tokio::join!(working, watching);
    for holder in holders {
        if holder.is_finished() {
            holder.await??;
        } else {
            holder.abort();
        }
    }
    worked.and(watched)
}

/// Prints the sizes of the tables with their indexes.
async fn report_sizes(client: &Client, waiting: u64) -> Result<(), Failure> {
    let per_url = |bytes: i64| format!("{:.1}", bytes as f64 / waiting as f64);
    figure("waiting URLs", waiting, "");
    let sizes = sizes(client, SCHEMA).await?;
    // The documents are results, and the link graph exists only for jobs with a maximum depth.
    let is_queue = |table: &str| !matches!(table, "document" | "graph" | "too_deep");
    let queue: i64 = sizes.iter().filter(|(table, _)| is_queue(table)).map(|(_, bytes)| bytes).sum();
    figure("bytes per waiting URL, all tables and indexes", per_url(queue), "at most 150");
    for (table, bytes) in sizes.iter().filter(|(table, bytes)| *bytes > 1 << 20 || !is_queue(table)) {
        figure(&format!("  of table {table} with its indexes"), per_url(*bytes), "");
    }
    Ok(())
}

/// Prints the rate of each window, and in the end the median and the minimum, and the most dead tuples.
async fn watch(client: &Client, done: &AtomicU64, mut last: u64, time: Duration) -> Result<(), Failure> {
    let (mut rates, mut most_dead) = (Vec::new(), (String::new(), 0));
    let begin = Instant::now();
    let mut window = Instant::now();
    while begin.elapsed() < time {
        tokio::time::sleep(WINDOW).await;
        let (now, seconds) = (done.load(Ordering::Relaxed), window.elapsed().as_secs_f64());
        window = Instant::now();
        let rate = (now - last) as f64 / seconds;
        last = now;
        rates.push(rate);
        let dead = dead_tuples(client, SCHEMA).await?;
        let all: i64 = dead.iter().map(|(_, dead)| dead).sum();
        println!("{:>6.0} s {rate:>10.0} pages/s {all:>10} dead tuples", begin.elapsed().as_secs_f64());
        if let Some((table, dead)) = dead.into_iter().next().filter(|(_, dead)| *dead > most_dead.1) {
            most_dead = (table, dead);
        }
    }
    rates.sort_by(f64::total_cmp);
    let median = rates.get(rates.len() / 2).copied().unwrap_or_default();
    let min = rates.first().copied().unwrap_or_default();
    figure("pages/s, median of the windows", format!("{median:.0}"), "");
    figure("pages/s, minimum of the windows", format!("{min:.0}"), "");
    figure("minimum / median", format!("{:.2}", min / median), "at least 0.90");
    figure(&format!("most dead tuples of a table ({})", most_dead.0), most_dead.1, "bounded");
    Ok(())
}

/// Runs queries that hold their snapshots, one after the other.
async fn hold_snapshots(url: String, number: u32) -> Result<(), Failure> {
    // They do not begin and end together.
    tokio::time::sleep(SNAPSHOT / SNAPSHOTS * number).await;
    let client = connect(&url).await?;
    let query = format!(
        "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM {SCHEMA}.job;
         SELECT pg_sleep({}); COMMIT",
        SNAPSHOT.as_secs()
    );
    loop {
        client.batch_execute(&query).await?;
    }
}
