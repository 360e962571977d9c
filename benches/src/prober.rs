//! A client whose small requests show how long others wait for a server.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::MissedTickBehavior;

use crate::Failure;
use crate::floor::client;

/// The interval of the probes. A probe does not wait for earlier responses.
pub const PROBE_INTERVAL: Duration = Duration::from_millis(5);
/// Probes continue for this time after a load, because its work may not have stopped.
pub const AFTER_LOAD: Duration = Duration::from_millis(200);

/// Timeout of a probe.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Sends the latency of each probe, or `None` for a failed one.
type LatencySender = UnboundedSender<Option<Duration>>;

/// Sends probes on its own thread while a receiver of latencies is set.
#[derive(Debug)]
pub struct Prober(Arc<Mutex<Option<LatencySender>>>);

impl Prober {
    /// Prepares probes of a server: `GET` of these paths in turn, each with the status that it expects.
    ///
    /// # Errors
    /// If its thread does not start.
    pub fn start(server: &str, paths: &[(&str, u16)]) -> Result<Self, Failure> {
        let shared: Arc<Mutex<Option<LatencySender>>> = Arc::default();
        let targets: Vec<(String, u16)> =
            paths.iter().map(|(path, status)| (format!("{server}{path}"), *status)).collect();
        let (client, sender) = (client()?, Arc::clone(&shared));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Ends with the program.
        std::thread::Builder::new()
            .name("prober".to_owned())
            .spawn(move || runtime.block_on(probe(client, targets, sender)))?;
        Ok(Self(shared))
    }

    fn set_sender(&self, sender: Option<LatencySender>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = sender;
    }

    /// The latencies of probes while a future runs, and shortly after.
    pub async fn during<T>(&self, load: impl Future<Output = T>) -> (T, ProbeLatencies) {
        let (sender, mut receiver) = unbounded_channel();
        self.set_sender(Some(sender));
        let result = load.await;
        tokio::time::sleep(AFTER_LOAD).await;
        self.set_sender(None);
        let mut probes = ProbeLatencies::default();
        // Ends when the last probe of this measurement drops its sender.
        while let Some(latency) = receiver.recv().await {
            probes.failed += usize::from(latency.is_none());
            probes.sorted.extend(latency);
        }
        probes.sorted.sort();
        (result, probes)
    }
}

async fn probe(client: Client, targets: Vec<(String, u16)>, shared: Arc<Mutex<Option<LatencySender>>>) {
    let mut interval = tokio::time::interval(PROBE_INTERVAL);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for (url, expected) in targets.iter().cycle() {
        interval.tick().await;
        let sender = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(sender) = sender else { continue };
        let (request, expected) = (client.get(url), *expected);
        tokio::spawn(async move {
            let began = Instant::now();
            let answer = tokio::time::timeout(TIMEOUT, status_of(request)).await;
            let succeeded = matches!(answer, Ok(Ok(status)) if status == expected);
            // The receiver is gone when the program ends.
            let _ = sender.send(succeeded.then(|| began.elapsed()));
        });
    }
}

/// The status of a response that is read to its end.
async fn status_of(request: RequestBuilder) -> Result<u16, reqwest::Error> {
    let response = request.header("Authorization", "Bearer key").send().await?;
    let status = response.status().as_u16();
    response.bytes().await?;
    Ok(status)
}

/// Latencies of probes.
#[derive(Debug, Default)]
pub struct ProbeLatencies {
    sorted: Vec<Duration>,
    failed: usize,
}

impl ProbeLatencies {
    /// The latency that `per_mille` of 1,000 probes do not exceed.
    #[must_use]
    pub fn quantile(&self, per_mille: usize) -> Duration {
        let rank = (self.sorted.len() * per_mille).div_ceil(1_000).saturating_sub(1);
        self.sorted.get(rank).copied().unwrap_or_default()
    }
}

impl fmt::Display for ProbeLatencies {
    /// Two columns: the greatest latency and the p99, in milliseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |per_mille| self.quantile(per_mille).as_secs_f64() * 1_000.0;
        write!(f, "{:>11.1} {:>8.1}", milliseconds(1_000), milliseconds(990))?;
        match self.failed {
            0 => Ok(()),
            failed => write!(f, " ({failed} of {} failed)", self.sorted.len() + failed),
        }
    }
}
