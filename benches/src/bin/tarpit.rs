//! Measures how much a host that accepts every request and never responds slows the crawl of 49 healthy
//! hosts.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use gleaner::BatchScrapeRequest;
use gleaner::request::Format;
use gleaner_benches::engine::loopback;
use gleaner_testkit::{RawServer, Server, Site, SiteSpec, Step};

/// Hosts that respond.
const HEALTHY: usize = 49;
/// Pages of each host.
const PAGES: usize = 60;
/// Latency of a healthy host.
const LATENCY: Duration = Duration::from_millis(25);
/// Timeout of a page.
const TIMEOUT_MS: u64 = 4_000;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let site = Site::generate(SiteSpec { latency: LATENCY, ..SiteSpec::pages(PAGES as u32) });
    let servers: Vec<Server> = (0..HEALTHY).map(|_| site.serve()).collect::<Result<_, _>>()?;
    println!(
        "{HEALTHY} hosts of {PAGES} pages with a latency of {} ms; pages per second of these hosts",
        LATENCY.as_millis()
    );
    let (mut without, mut with) = (0.0_f64, 0.0_f64);
    for _ in 0..3 {
        without = without.max(rate(&servers, None).await?);
        let tarpit = RawServer::start([Step::ReadRequest, Step::Hang])?;
        with = with.max(rate(&servers, Some(&tarpit)).await?);
    }
    println!("without the tarpit {without:>8.0}");
    println!("with the tarpit    {with:>8.0}");
    println!("loss               {:>8.1} %", 100.0 * (1.0 - with / without));
    Ok(())
}

/// Pages per second of the healthy hosts, until their last page.
async fn rate(servers: &[Server], tarpit: Option<&RawServer>) -> Result<f64, Failure> {
    let of_host = |origin: String| (0..PAGES).map(move |page| format!("{origin}/p/{page}"));
    let healthy = servers.iter().flat_map(|server| of_host(server.base_url()));
    let stuck = tarpit.into_iter().flat_map(|tarpit| of_host(tarpit.base_url()));
    let mut request = BatchScrapeRequest::new(stuck.chain(healthy));
    request.options.formats = Some(vec![Format::Links]);
    request.options.timeout = Some(TIMEOUT_MS);
    let engine = loopback().build()?;
    let began = Instant::now();
    let mut job = engine.batch(request).await?;
    for page in 0..servers.len() * PAGES {
        if job.next().await.transpose()?.is_none() {
            return Err(format!("the job ended after {page} pages").into());
        }
    }
    Ok((servers.len() * PAGES) as f64 / began.elapsed().as_secs_f64())
}
