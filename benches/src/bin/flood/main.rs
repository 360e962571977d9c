//! Measures the memory of a server whose clients do not read its responses, and the latency of other clients
//! during that. Each flood runs against its own server process.
//!
//! `cargo run --release -p gleaner-benches --bin flood -- [--rest] [KIND]...`
#![expect(clippy::print_stdout, reason = "a command-line program")]

mod floods;
#[path = "../neighbour/measured.rs"]
mod measured;
mod server;
mod unread;

use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::time::Duration;

use gleaner::service::DEFAULT_RESPONSE_MEMORY;
use gleaner_benches::{Failure, PROBE_INTERVAL, Prober, run_program};
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};
use tokio::time::sleep;

use floods::Flood;
use server::ServerProcess;

const USAGE: &str = "Usage: flood [--rest] [KIND]...

Sends requests of one team whose responses nobody reads, and measures the server and another team. Each KIND
(default: all) has a new server.

  errors    50 lists of 10,000 failed pages with long addresses
  maps-3    3 maps of long addresses
  maps-16   16 maps of long addresses
  watchers  200 watchers of a batch with large documents
  scrapes   25 scrapes a second of pages of 4 MB, for 20 seconds
  --rest    also the memory of the server 70 seconds later; the clients still read nothing";

/// Small requests of a client without a job, with their statuses.
const PROBES: [(&str, u16); 2] = [("/v2/nothing", 404), ("/openapi.json", 200)];
/// Duration of the measurement without a flood.
const ALONE_TIME: Duration = Duration::from_secs(10);
/// Time after a flood at which the memory of the server is read again.
const REST_TIME: Duration = Duration::from_secs(70);
/// The memory that responses may use, in KiB.
const BUDGET: u64 = (DEFAULT_RESPONSE_MEMORY >> 10) as u64;

fn main() -> ExitCode {
    run_program(USAGE, run)
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    if let [first, innocent] = arguments
        && first == server::SERVE
    {
        return server::serve(innocent);
    }
    let (options, kinds): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| argument.starts_with('-'));
    if let Some(unknown) = options.iter().find(|option| option.as_str() != "--rest") {
        return Err(format!("unknown option {unknown}").into());
    }
    let mut floods = Flood::ALL.to_vec();
    if !kinds.is_empty() {
        let named = |kind: &&String| {
            Flood::named(kind).ok_or_else(|| Failure::from(format!("there is no flood {kind:?}")))
        };
        floods = kinds.iter().map(named).collect::<Result<_, _>>()?;
    }
    // Each client is an open file of this program.
    gleaner::raise_open_files();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure_all(&floods, !options.is_empty()))
}

async fn measure_all(floods: &[Flood], has_rest: bool) -> Result<(), Failure> {
    println!(
        "GET of {} every {} ms; the budget of responses is {} MiB",
        PROBES.map(|(path, _)| path).join(" and "),
        PROBE_INTERVAL.as_millis(),
        BUDGET >> 10
    );
    println!(
        "goals: a peak of at most 120 % of the budget above the base; each wait of others at most 100 ms"
    );
    println!(
        "{:<9} {:>8} {:>8} {:>8} {:>9} {:>11} {:>8}  answers",
        "flood", "idle MiB", "base MiB", "peak MiB", "of budget", "greatest ms", "p99 ms"
    );
    for flood in floods {
        measure(*flood, has_rest).await?;
    }
    Ok(())
}

async fn measure(flood: Flood, has_rest: bool) -> Result<(), Failure> {
    let address = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    let options = ServeOptions { address, log: LogDetail::Off, ..ServeOptions::default() };
    let innocent = Site::generate(SiteSpec::pages(server::PAGES)).serve_with(options)?;
    let mut server = ServerProcess::start(&innocent.base_url())?;
    let ((), alone) = server.measured(sleep(ALONE_TIME)).await?;
    let idle = server.resident()?;

    let attack = flood.prepare(server.address).await?;
    // The base includes the results that the jobs of the flood keep.
    let base = server.resident()?;
    server.reset_peak()?;
    let prober = Prober::start(&format!("http://{}", server.address), &PROBES)?;
    let load = prober.during(attack.run(server.address));
    let ((clients, probes), beside) = server.measured(load).await?;
    let peak = server.peak()?;
    println!(
        "{:<9} {:>8} {:>8} {:>8} {:>7} % {probes}  {}",
        flood.name(),
        idle >> 10,
        base >> 10,
        peak >> 10,
        peak.saturating_sub(base) * 100 / BUDGET,
        clients.answers()
    );
    println!("    another team alone   {alone}");
    println!("    during the flood     {beside}");
    if has_rest {
        sleep(REST_TIME).await;
        println!("    {} s later: {} MiB", REST_TIME.as_secs(), server.resident()? >> 10);
    }
    Ok(())
}
