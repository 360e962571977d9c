//! What hostile requests cost everybody else, and whether they end in time: a server with two worker threads answers each of
//! the worst cases twice at once, each with a timeout of a second, while a client asks for `GET /openapi.json` every 5 ms.
//!
//! `cargo run --release -p gleaner-benches --bin watchdog -- [KIND]...`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to its user")]

#[path = "../../../crates/http/examples/host/serve.rs"]
mod serve;

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gleaner::pdf::{self, PdfWorker};
use gleaner_benches::engine::loopback;
use gleaner_benches::floor::client;
use gleaner_benches::peak_memory;
use gleaner_http::Service;
use gleaner_testkit::{PageServer, Size, WorstCase, worst_cases};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::MissedTickBehavior;

const USAGE: &str = "Usage: watchdog [KIND]...

Sends every worst case of each KIND (all where none is given) twice at once, and prints for each how long at most, and in 99
of 100 cases, `GET /openapi.json` took meanwhile, how long the slowest of its own answers took, and how far that was beyond
its timeout.";

/// What this program is started with to convert one PDF for the server.
const PDF_WORKER: &str = "pdf-worker";
/// Worker threads of the server.
const WORKERS: usize = 2;
/// What is asked while the server is busy.
const ASKED: &str = "/openapi.json";
/// How often that is asked, whether the answers before have come or not.
const EVERY: Duration = Duration::from_millis(5);
/// How long is asked for the row without any attack.
const QUIET: Duration = Duration::from_secs(5);
/// The `timeout` of every attack.
const TIMEOUT: Duration = Duration::from_millis(1_000);
/// How long is asked after an attack: what it left behind may still be at work.
const AFTER: Duration = Duration::from_millis(200);
/// A job is cancelled after this time.
const JOB: Duration = Duration::from_secs(3);
/// Between two looks at the status of a job.
const PAUSE: Duration = Duration::from_millis(100);
/// An answer that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(120);

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    // Before anything is set up: all that a worker takes counts against its file.
    let is_worker = std::env::args_os().nth(1).is_some_and(|word| word == PDF_WORKER);
    let done = if is_worker { pdf::serve().map_err(Failure::from) } else { start() };
    match done {
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
        return Err(format!("there is no kind {unknown:?}; there are {}", known.join(", ")).into());
    }
    cases.retain(|case| kinds.is_empty() || kinds.iter().any(|kind| kind == case.kind));

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()?;
    let server = runtime.block_on(host())?;
    let watch = Watch::start(&server)?;
    let attacker = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = attacker.block_on(run(&server, &watch, &cases));
    // It would wait for what is still at work.
    runtime.shutdown_background();
    done
}

/// Begins to serve, and gives the address.
async fn host() -> Result<String, Failure> {
    let worker = PdfWorker::new(std::env::current_exe()?).arg(PDF_WORKER);
    let engine = loopback().pdf_worker(worker).build()?;
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(serve::serve(listener, Service::new(engine), serve::MAX_CONNECTIONS));
    Ok(format!("http://{address}"))
}

async fn run(server: &str, watch: &Watch, cases: &[WorstCase]) -> Result<(), Failure> {
    let client = client()?;
    // Connections, caches and threads are there once somebody has come by.
    watch.during(tokio::time::sleep(AFTER)).await;
    println!("{} worst cases; GET {ASKED} every {} ms", cases.len(), EVERY.as_millis());
    println!(
        "{:<52} {:>11} {:>8} {:>9} {:>9}  ended",
        "kind: case", "greatest ms", "p99 ms", "took ms", "beyond ms"
    );
    let ((), asks) = watch.during(tokio::time::sleep(QUIET)).await;
    println!("{:<52} {asks}", "nothing");

    let (mut greatest, mut p99, mut beyond) = (Worst::default(), Worst::default(), Worst::default());
    // Each site has an address of its own: what is learnt of a host, and of its address, is held against all that is there.
    for (case, number) in cases.iter().zip(1..) {
        let attack = case.attack(Size::Full);
        let address = IpAddr::V4(Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + number));
        let site = PageServer::start_on(address, attack.pages.clone())?;
        let attacker =
            Attacker { client: &client, server, line: attack.line, body: attack.body_at(&site.base_url()) };
        if attack.repeats_previous {
            attacker.send().await;
        }
        let ((one, other), asks) =
            watch.during(async { tokio::join!(attacker.send(), attacker.send()) }).await;
        let took = one.took.max(other.took);
        let late = took.saturating_sub(TIMEOUT);
        println!(
            "{:<52} {asks} {:>9.0} {:>9.0}  {}, {}",
            case.to_string(),
            milliseconds(took),
            milliseconds(late),
            one.how,
            other.how
        );
        greatest.take(case, asks.quantile(1_000));
        p99.take(case, asks.quantile(990));
        beyond.take(case, late);
    }
    println!();
    println!("greatest of GET {ASKED}: {greatest}");
    println!("worst p99 of GET {ASKED}: {p99}");
    println!("latest beyond its timeout: {beyond}");
    println!("most memory, with sites and clients: {} MiB", peak_memory().unwrap_or(0) >> 10);
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The worst of a column, and the case that it was.
#[derive(Default)]
struct Worst(Duration, String);

impl Worst {
    fn take(&mut self, case: &WorstCase, time: Duration) {
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

/// Who makes an attack.
struct Attacker<'a> {
    client: &'a Client,
    server: &'a str,
    line: &'a str,
    body: String,
}

/// How an attack ended.
struct Ended {
    /// What the slowest answer took.
    took: Duration,
    how: String,
}

impl Attacker<'_> {
    /// Makes the attack; where it begins a job, until that has ended or is cancelled.
    async fn send(&self) -> Ended {
        let mut ended = Ended { took: Duration::ZERO, how: String::new() };
        match self.attack(&mut ended.took).await {
            Ok(how) => ended.how = how,
            Err(error) => ended.how = error.to_string(),
        }
        ended
    }

    async fn attack(&self, took: &mut Duration) -> Result<String, Failure> {
        let path = self.line.strip_prefix("POST ").unwrap_or(self.line);
        let url = format!("{}{path}", self.server);
        let request =
            self.client.post(&url).header("Content-Type", "application/json").body(self.body.clone());
        let (status, body) = timed(request, took).await?;
        let is_job = matches!(path, "/v2/crawl" | "/v2/batch/scrape" | "/v2/extract");
        if status != StatusCode::OK || !is_job {
            return Ok(status.as_str().to_owned());
        }
        let submitted: Value = serde_json::from_slice(&body)?;
        let id = submitted.get("id").and_then(Value::as_str).unwrap_or_default();
        let url = format!("{url}/{id}");
        let begun = Instant::now();
        let state = loop {
            let (_, body) = timed(self.client.get(format!("{url}?limit=1")), took).await?;
            let state = state_of(&body);
            if !matches!(state.as_str(), "scraping" | "processing") {
                break state;
            }
            if begun.elapsed() > JOB {
                timed(self.client.delete(&url), took).await?;
                break "cancelled".to_owned();
            }
            tokio::time::sleep(PAUSE).await;
        };
        // All of its documents.
        timed(self.client.get(&url), took).await?;
        Ok(format!("{} {state}", status.as_str()))
    }
}

/// Sends a request and reads its whole answer; `took` becomes the longest of these times.
async fn timed(request: RequestBuilder, took: &mut Duration) -> Result<(StatusCode, Vec<u8>), Failure> {
    let begun = Instant::now();
    let exchange = async {
        let answer = request.header("Authorization", "Bearer key").send().await?;
        let status = answer.status();
        Ok::<_, reqwest::Error>((status, answer.bytes().await?.to_vec()))
    };
    let answer = tokio::time::timeout(PATIENCE, exchange).await;
    *took = (*took).max(begun.elapsed());
    Ok(answer??)
}

/// The state that the status of a job begins with.
fn state_of(body: &[u8]) -> String {
    let status: Value = serde_json::from_slice(body).unwrap_or_default();
    status.get("status").and_then(Value::as_str).unwrap_or("of no state").to_owned()
}

/// What each ask tells: how long it took, or that it failed.
type Tell = UnboundedSender<Option<Duration>>;

/// Asks all the time, on a thread of its own, and tells whoever listens.
struct Watch(Arc<Mutex<Option<Tell>>>);

impl Watch {
    fn start(server: &str) -> Result<Self, Failure> {
        let listener: Arc<Mutex<Option<Tell>>> = Arc::default();
        let (client, url, told) = (client()?, format!("{server}{ASKED}"), Arc::clone(&listener));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Ends with the program.
        std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || runtime.block_on(ask(client, url, told)))?;
        Ok(Self(listener))
    }

    fn tell(&self, tell: Option<Tell>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = tell;
    }

    /// How long it took to be answered while the work lasted, and shortly after.
    async fn during<T>(&self, work: impl Future<Output = T>) -> (T, Asks) {
        let (tell, mut told) = unbounded_channel();
        self.tell(Some(tell));
        let done = work.await;
        tokio::time::sleep(AFTER).await;
        self.tell(None);
        let mut asks = Asks::default();
        // Ends when the last ask has ended that began meanwhile.
        while let Some(latency) = told.recv().await {
            asks.failed += usize::from(latency.is_none());
            asks.sorted.extend(latency);
        }
        asks.sorted.sort();
        (done, asks)
    }
}

async fn ask(client: Client, url: String, listener: Arc<Mutex<Option<Tell>>>) {
    let mut feedback = tokio::time::interval(EVERY);
    feedback.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        feedback.tick().await;
        let tell = listener.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(tell) = tell else { continue };
        let request = client.get(&url);
        tokio::spawn(async move {
            let mut took = Duration::ZERO;
            let answer = timed(request, &mut took).await;
            let is_answered = answer.is_ok_and(|(status, _)| status == StatusCode::OK);
            // Nobody listens once the program ends.
            let _ = tell.send(is_answered.then_some(took));
        });
    }
}

/// Asks, sorted by how long they took.
#[derive(Default)]
struct Asks {
    sorted: Vec<Duration>,
    failed: usize,
}

impl Asks {
    /// So many of a thousand took no longer than this.
    fn quantile(&self, of_thousand: usize) -> Duration {
        let place = (self.sorted.len() * of_thousand).div_ceil(1_000).saturating_sub(1);
        self.sorted.get(place).copied().unwrap_or_default()
    }
}

impl fmt::Display for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (greatest, p99) = (milliseconds(self.quantile(1_000)), milliseconds(self.quantile(990)));
        write!(f, "{greatest:>11.1} {p99:>8.1}")?;
        match self.failed {
            0 => Ok(()),
            failed => write!(f, " ({failed} of {} failed)", self.sorted.len() + failed),
        }
    }
}
