//! Measures how much hostile requests delay other clients, and whether they end in time. A server with two
//! worker threads gets each worst case as two concurrent requests with a timeout of one second. Meanwhile a
//! client sends `GET /openapi.json` every 5 ms.
//!
//! `cargo run --release -p gleaner-benches --bin watchdog -- [KIND]...`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

#[path = "../../../crates/http/examples/host/serve.rs"]
mod serve;

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gleaner::pdf::{self, PdfWorker};
use gleaner_benches::engine::loopback;
use gleaner_benches::floor::client;
use gleaner_benches::{AFTER_LOAD, Failure, PROBE_INTERVAL, Prober, peak_memory};
use gleaner_http::Service;
use gleaner_testkit::{PageServer, Size, WorstCase, worst_cases};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

const USAGE: &str = "Usage: watchdog [KIND]...

Sends each worst case of each KIND (default: all) as two concurrent requests. Prints for each the greatest
and the p99 latency of `GET /openapi.json` meanwhile, the latency of its own slowest response, and how far
that is beyond its timeout.";

/// The argument with which the server starts this program to convert one PDF.
const PDF_WORKER: &str = "pdf-worker";
/// Worker threads of the server.
const WORKERS: usize = 2;
/// The path of the probe requests.
const PROBE_PATH: &str = "/openapi.json";
/// Duration of the measurement without an attack.
const IDLE_TIME: Duration = Duration::from_secs(5);
/// The `timeout` of every attack.
const TIMEOUT: Duration = Duration::from_millis(1_000);
/// A job is cancelled after this time.
const MAX_JOB_TIME: Duration = Duration::from_secs(3);
/// Pause between two requests for the status of a job.
const STATUS_INTERVAL: Duration = Duration::from_millis(100);
/// Timeout of the client for a response.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    // Before any setup: the memory and time of a worker count against its file.
    let is_worker = std::env::args_os().nth(1).is_some_and(|argument| argument == PDF_WORKER);
    let result = if is_worker { pdf::serve().map_err(Failure::from) } else { start() };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<(), Failure> {
    let kinds: Vec<String> = std::env::args().skip(1).collect();
    let mut cases = worst_cases();
    let known: BTreeSet<&str> = cases.iter().map(|case| case.kind).collect();
    if let Some(unknown) = kinds.iter().find(|kind| !known.contains(kind.as_str())) {
        let known: Vec<&str> = known.into_iter().collect();
        return Err(format!("unknown kind {unknown:?}; the kinds are {}", known.join(", ")).into());
    }
    cases.retain(|case| kinds.is_empty() || kinds.iter().any(|kind| kind == case.kind));

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let server = runtime.block_on(start_server())?;
    let prober = Prober::start(&server, &[(PROBE_PATH, 200)])?;
    let attacker = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = attacker.block_on(run(&server, &prober, &cases));
    // A drop would wait for blocking work of the attacks.
    runtime.shutdown_background();
    result
}

/// Starts the server and returns its base URL.
async fn start_server() -> Result<String, Failure> {
    let worker = PdfWorker::new(std::env::current_exe()?).arg(PDF_WORKER);
    let engine = loopback().pdf_worker(worker).build()?;
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(serve::serve(listener, Service::new(engine), serve::MAX_CONNECTIONS));
    Ok(format!("http://{address}"))
}

async fn run(server: &str, prober: &Prober, cases: &[WorstCase]) -> Result<(), Failure> {
    let client = client()?;
    // First probes open connections, fill caches and start threads.
    prober.during(tokio::time::sleep(AFTER_LOAD)).await;
    println!("{} worst cases; GET {PROBE_PATH} every {} ms", cases.len(), PROBE_INTERVAL.as_millis());
    println!(
        "{:<52} {:>11} {:>8} {:>9} {:>9}  results",
        "kind: case", "greatest ms", "p99 ms", "took ms", "beyond ms"
    );
    let ((), probes) = prober.during(tokio::time::sleep(IDLE_TIME)).await;
    println!("{:<52} {probes}", "no attack");

    let (mut greatest, mut p99, mut beyond) = (Worst::default(), Worst::default(), Worst::default());
    // Each site has its own address, because the engine applies limits and delays to hosts and addresses.
    for (case, number) in cases.iter().zip(1..) {
        let attack = case.attack(Size::Full);
        let address = IpAddr::V4(Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + number));
        let site = PageServer::start_on(address, attack.pages.clone())?;
        let attacker = Attacker {
            client: &client,
            server,
            request_line: attack.line,
            body: attack.body_at(&site.base_url()),
        };
        if attack.repeats_previous {
            attacker.send().await;
        }
        let ((one, other), probes) =
            prober.during(async { tokio::join!(attacker.send(), attacker.send()) }).await;
        let slowest = one.slowest.max(other.slowest);
        let excess = slowest.saturating_sub(TIMEOUT);
        println!(
            "{:<52} {probes} {:>9.0} {:>9.0}  {}, {}",
            case.to_string(),
            milliseconds(slowest),
            milliseconds(excess),
            one.result,
            other.result
        );
        greatest.add(case, probes.quantile(1_000));
        p99.add(case, probes.quantile(990));
        beyond.add(case, excess);
    }
    println!();
    println!("greatest of GET {PROBE_PATH}: {greatest}");
    println!("worst p99 of GET {PROBE_PATH}: {p99}");
    println!("greatest excess over a timeout: {beyond}");
    println!("peak memory, with sites and clients: {} MiB", peak_memory().unwrap_or(0) >> 10);
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The worst value of a column, and its case.
#[derive(Default)]
struct Worst(Duration, String);

impl Worst {
    fn add(&mut self, case: &WorstCase, time: Duration) {
        if time > self.0 {
            *self = Self(time, case.to_string());
        }
    }
}

impl fmt::Display for Worst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} ms ({})", milliseconds(self.0), self.1)
    }
}

/// A client that sends an attack.
struct Attacker<'a> {
    client: &'a Client,
    server: &'a str,
    request_line: &'a str,
    body: String,
}

/// The result of an attack.
struct AttackResult {
    /// Latency of the slowest response.
    slowest: Duration,
    /// Status code and state of the job, or the error.
    result: String,
}

impl Attacker<'_> {
    /// Sends the attack. If it starts a job, waits until the job ends or cancels it.
    async fn send(&self) -> AttackResult {
        let mut slowest = Duration::ZERO;
        let result = self.attack(&mut slowest).await.unwrap_or_else(|error| error.to_string());
        AttackResult { slowest, result }
    }

    async fn attack(&self, slowest: &mut Duration) -> Result<String, Failure> {
        let path = self.request_line.strip_prefix("POST ").unwrap_or(self.request_line);
        let url = format!("{}{path}", self.server);
        let request =
            self.client.post(&url).header("Content-Type", "application/json").body(self.body.clone());
        let (status, body) = timed(request, slowest).await?;
        let is_job = matches!(path, "/v2/crawl" | "/v2/batch/scrape" | "/v2/extract");
        if status != StatusCode::OK || !is_job {
            return Ok(status.as_str().to_owned());
        }
        let submitted: Value = serde_json::from_slice(&body)?;
        let id = submitted.get("id").and_then(Value::as_str).unwrap_or_default();
        let url = format!("{url}/{id}");
        let began = Instant::now();
        let state = loop {
            let (_, body) = timed(self.client.get(format!("{url}?limit=1")), slowest).await?;
            let state = state_of(&body);
            if !matches!(state.as_str(), "scraping" | "processing") {
                break state;
            }
            if began.elapsed() > MAX_JOB_TIME {
                timed(self.client.delete(&url), slowest).await?;
                break "cancelled".to_owned();
            }
            tokio::time::sleep(STATUS_INTERVAL).await;
        };
        // Reads all of its documents.
        timed(self.client.get(&url), slowest).await?;
        Ok(format!("{} {state}", status.as_str()))
    }
}

/// Sends a request and reads its whole response. Raises `slowest` to its latency.
async fn timed(request: RequestBuilder, slowest: &mut Duration) -> Result<(StatusCode, Vec<u8>), Failure> {
    let began = Instant::now();
    let exchange = async {
        let response = request.header("Authorization", "Bearer key").send().await?;
        let status = response.status();
        Ok::<_, reqwest::Error>((status, response.bytes().await?.to_vec()))
    };
    let result = tokio::time::timeout(CLIENT_TIMEOUT, exchange).await;
    *slowest = (*slowest).max(began.elapsed());
    Ok(result??)
}

/// The state in the status of a job.
fn state_of(body: &[u8]) -> String {
    let status: Value = serde_json::from_slice(body).unwrap_or_default();
    status.get("status").and_then(Value::as_str).unwrap_or("no state").to_owned()
}
