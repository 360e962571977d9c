//! The server is killed during a crawl and started again.

use std::time::{Duration, Instant};

use gleaner_postgres::PostgresStore;
use gleaner_testkit::{LogDetail, Server};

use crate::child::Process;
use crate::scale::{sites, wait_for_jobs};
use crate::{DATABASE, Failure, connect, figure, runtime, server};

const SCHEMA: &str = "failover";
const LATENCY: Duration = Duration::from_millis(50);
/// Pages in work at once.
const CONCURRENCY: u32 = 30;
/// Processes that crawl.
const PROCESSES: u32 = 2;
/// Time between two looks at the sites.
const LOOK: Duration = Duration::from_millis(10);

pub(crate) fn measure(pages: u32) -> Result<(), Failure> {
    let (server, runtime) = (server()?, runtime()?);
    let url = server.url(DATABASE);
    runtime.block_on(PostgresStore::migrate(&crate::work::config(&url, SCHEMA)))?;
    let sites = sites(pages, LATENCY, LogDetail::Requests)?;
    let started: Result<Vec<Process>, Failure> =
        (0..PROCESSES).map(|_| Process::start(&url, SCHEMA, CONCURRENCY)).collect();
    let mut processes = started?;
    let first = processes.first_mut().ok_or("at least one process crawls")?;
    for site in &sites {
        first.crawl(&site.url("/"))?;
    }
    wait_for_requests(&sites, u64::from(pages) / 3);

    server.kill();
    let killed = Instant::now();
    // What is in work comes to its end.
    std::thread::sleep(LATENCY * 10);
    let before = requests(&sites);
    server.restart();
    let answers = killed.elapsed();
    wait_for_requests(&sites, before + 1);
    let goes_on = killed.elapsed();

    let client = runtime.block_on(connect(&url))?;
    runtime.block_on(wait_for_jobs(&client, SCHEMA, sites.len()))?;
    processes.into_iter().try_for_each(Process::end)?;
    let seconds = |time: Duration| format!("{:.1}", time.as_secs_f64());
    figure("server answers again after its kill: seconds", seconds(answers), "");
    figure("work goes on after the kill: seconds", seconds(goes_on), "at most 30");
    let again: usize = sites.iter().map(|site| site.log().duplicates().len()).sum();
    let in_work = PROCESSES * CONCURRENCY;
    figure("pages requested again", again, &format!("at most {in_work}, those in work"));
    let text = format!("SELECT count(*), count(DISTINCT (job, position)) FROM {SCHEMA}.document");
    let row = runtime.block_on(client.query_one(&text, &[]))?;
    let (documents, distinct): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let expected: usize = sites.len() * pages.div_ceil(sites.len() as u32) as usize;
    figure("documents", documents, &format!("{expected}"));
    figure("distinct documents", distinct, &format!("{expected}"));
    Ok(())
}

fn requests(sites: &[Server]) -> u64 {
    sites.iter().map(Server::requests).sum()
}

/// Waits until the sites have had this many requests in all.
fn wait_for_requests(sites: &[Server], count: u64) {
    while requests(sites) < count {
        std::thread::sleep(LOOK);
    }
}
