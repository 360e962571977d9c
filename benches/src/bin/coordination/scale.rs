//! Two processes beside one, each at its own cap of pages in work.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use gleaner_postgres::PostgresStore;
use gleaner_testkit::{LogDetail, ServeOptions, Server, Site, SiteSpec};
use tokio_postgres::Client;

use crate::child::Process;
use crate::{DATABASE, Failure, connect, figure, runtime, server};

/// Sites on addresses of their own.
const SITES: u8 = 16;
/// Latency of each response.
const LATENCY: Duration = Duration::from_millis(300);
/// Pages in work at once, of one process.
const CONCURRENCY: u32 = 20;
/// Time between two looks at the jobs.
const LOOK: Duration = Duration::from_millis(50);

pub(crate) fn measure(pages: u32) -> Result<(), Failure> {
    let (server, runtime) = (server()?, runtime()?);
    println!("{pages} pages on {SITES} sites with a latency of {} ms", LATENCY.as_millis());
    let mut rates = Vec::new();
    for processes in 1..=2 {
        let schema = format!("scale_{processes}");
        let config = crate::work::config(&server.url(DATABASE), &schema);
        runtime.block_on(PostgresStore::migrate(&config))?;
        let client = runtime.block_on(connect(&server.url(DATABASE)))?;
        let seconds = runtime.block_on(crawl(&server.url(DATABASE), &schema, &client, pages, processes))?;
        let rate = f64::from(pages) / seconds;
        figure(
            &format!("{processes} processes with {CONCURRENCY} pages each: pages/s"),
            format!("{rate:.1}"),
            "",
        );
        rates.push(rate);
    }
    if let [one, two] = *rates {
        figure("two processes / one", format!("{:.2}", two / one), "at least 1.7");
    }
    Ok(())
}

/// Serves the sites of a crawl of this many pages.
pub(crate) fn sites(pages: u32, latency: Duration, log: LogDetail) -> Result<Vec<Server>, Failure> {
    let start = |number: u8| -> Result<Server, Failure> {
        let options = ServeOptions { address: Ipv4Addr::new(127, 0, 1, number).into(), port: 0, log };
        let spec = SiteSpec { latency, seed: number.into(), ..SiteSpec::pages(pages.div_ceil(SITES.into())) };
        Ok(Site::generate(spec).serve_with(options)?)
    };
    (1..=SITES).map(start).collect()
}

/// Crawls all sites by this many processes. Returns the seconds.
async fn crawl(url: &str, schema: &str, client: &Client, pages: u32, processes: u32) -> Result<f64, Failure> {
    let sites = sites(pages, LATENCY, LogDetail::Off)?;
    let started: Result<Vec<Process>, Failure> =
        (0..processes).map(|_| Process::start(url, schema, CONCURRENCY)).collect();
    let mut processes = started?;
    let began = Instant::now();
    let first = processes.first_mut().ok_or("at least one process crawls")?;
    for site in &sites {
        first.crawl(&site.url("/"))?;
    }
    wait_for_jobs(client, schema, sites.len()).await?;
    let seconds = began.elapsed().as_secs_f64();
    processes.into_iter().try_for_each(Process::end)?;
    Ok(seconds)
}

/// Waits until this many jobs have ended. All must be completed.
pub(crate) async fn wait_for_jobs(client: &Client, schema: &str, jobs: usize) -> Result<(), Failure> {
    let text = format!(
        "SELECT count(*) FILTER (WHERE state = 1), count(*) FILTER (WHERE state > 1) FROM {schema}.job"
    );
    loop {
        let row = client.query_one(&text, &[]).await?;
        let (completed, others): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        if others > 0 {
            return Err(format!("{others} jobs have not completed").into());
        }
        if completed as usize == jobs {
            return Ok(());
        }
        tokio::time::sleep(LOOK).await;
    }
}
