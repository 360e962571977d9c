//! The team whose latencies are measured.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gleaner::plan::ScrapePlan;
use gleaner::service::{SubmitContext, Team, TeamId};
use gleaner::{Engine, ScrapeRequest};
use tokio::task::JoinSet;

use crate::Failure;

/// The team whose latencies are measured.
pub(super) struct MeasuredTeam {
    engine: Engine,
    team: Team,
    plans: Vec<ScrapePlan>,
    /// It starts a scrape this often, even if earlier ones still run.
    interval: Duration,
    started: AtomicUsize,
}

impl MeasuredTeam {
    /// A team that scrapes these URLs in turn.
    pub(super) fn new(engine: &Engine, urls: &[String], interval: Duration) -> Result<Self, Failure> {
        let plan = |url: &String| -> Result<ScrapePlan, Failure> {
            let mut request = ScrapeRequest::new(url);
            request.options.max_age = Some(0);
            Ok(request.check()?)
        };
        let plans: Result<Vec<ScrapePlan>, Failure> = urls.iter().map(plan).collect();
        let team = Team::new(TeamId::new("measured"));
        Ok(Self { engine: engine.clone(), team, plans: plans?, interval, started: AtomicUsize::new(0) })
    }

    /// Scrapes the next page. Returns the latency, and true if it gave a document.
    async fn scrape(&self) -> (Duration, bool) {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let Some(plan) = self.plans.get(number % self.plans.len().max(1)) else {
            return (Duration::ZERO, false);
        };
        let began = Instant::now();
        let outcome = self.engine.service().scrape(&self.team, plan.clone(), SubmitContext::default()).await;
        (began.elapsed(), outcome.is_ok())
    }
}

/// Latencies of the measured team.
pub(super) struct Latencies {
    sorted: Vec<Duration>,
    failed: usize,
}

impl Latencies {
    /// The latency that `per_mille` of 1,000 scrapes do not exceed.
    pub(super) fn quantile(&self, per_mille: usize) -> Duration {
        let rank = (self.sorted.len() * per_mille).div_ceil(1_000).saturating_sub(1);
        self.sorted.get(rank).copied().unwrap_or_default()
    }

    pub(super) fn compared_with(&self, alone: &Self) -> String {
        let ratio = self.quantile(990).as_secs_f64() / alone.quantile(990).as_secs_f64().max(1e-9);
        format!("p99 is {ratio:.1} times that of alone")
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |latency: Duration| latency.as_secs_f64() * 1_000.0;
        write!(
            f,
            "p50 {:>7.1} ms, p99 {:>7.1} ms, greatest {:>7.1} ms, {} scrapes, {} failed",
            milliseconds(self.quantile(500)),
            milliseconds(self.quantile(990)),
            milliseconds(self.quantile(1_000)),
            self.sorted.len(),
            self.failed,
        )
    }
}

/// Scrapes as the measured team while a future runs.
pub(super) async fn measure_during<T>(
    team: &Arc<MeasuredTeam>,
    load: impl Future<Output = T>,
) -> Result<(T, Latencies), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let measurement = tokio::spawn(measure(Arc::clone(team), Arc::clone(&stop)));
    let result = load.await;
    stop.store(true, Ordering::Relaxed);
    Ok((result, measurement.await??))
}

async fn measure(team: Arc<MeasuredTeam>, stop: Arc<AtomicBool>) -> Result<Latencies, Failure> {
    let mut interval = tokio::time::interval(team.interval);
    let mut scrapes = JoinSet::new();
    while !stop.load(Ordering::Relaxed) {
        interval.tick().await;
        let team = Arc::clone(&team);
        scrapes.spawn(async move { team.scrape().await });
    }
    let (mut sorted, mut failed) = (Vec::new(), 0);
    while let Some(scraped) = scrapes.join_next().await {
        let (latency, has_document) = scraped?;
        sorted.push(latency);
        failed += usize::from(!has_document);
    }
    sorted.sort();
    Ok(Latencies { sorted, failed })
}
