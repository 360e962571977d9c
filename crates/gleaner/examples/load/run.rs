//! The load and its report.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use gleaner::response::JobStatus;
use gleaner::service::{Page, Submit, Team, TeamId};
use gleaner::{BatchScrapeRequest, Engine, JobId, JobKind, JobState};
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};

/// The outcome of the jobs.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    /// Requests that the site answered.
    pub(crate) requests: u64,
    /// The late job: its state, its time, the requests served during it, and the pages waiting after it.
    pub(crate) late: Option<(JobState, Duration, u64, u64)>,
    submitting: Duration,
    total: Duration,
}

/// The number of documents, and of faults.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) documents: u64,
    /// Requested pages without a document.
    pub(crate) lost: usize,
    /// Pages with several documents.
    pub(crate) duplicated: usize,
    /// Jobs that did not complete with all of their pages.
    pub(crate) failed: u64,
}

impl Report {
    /// Whether every job got each of its pages once.
    pub(crate) fn is_complete(&self) -> bool {
        let late = self.late.is_none_or(|(state, ..)| state == JobState::Completed);
        late && self.tally == Tally { documents: self.tally.documents, ..Tally::default() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, requests, late, submitting, total } = self;
        let Tally { documents, lost, duplicated, failed } = tally;
        writeln!(f, "submitted in {submitting:.1?}")?;
        if let Some((state, time, served, waiting)) = late {
            writeln!(
                f,
                "a late job with one page: {state:?} after {time:.1?}; {served} requests were served \
                 meanwhile, and {waiting} pages still waited"
            )?;
        }
        let rate = *documents as f64 / total.as_secs_f64();
        writeln!(f, "{documents} documents in {total:.1?}, {rate:.0} per second")?;
        writeln!(f, "jobs that did not complete: {failed}; pages lost: {lost}; duplicated: {duplicated}")?;
        write!(f, "requests served: {requests}")
    }
}

impl Tally {
    /// Adds a job with these pages.
    pub(crate) fn add(&mut self, urls: &[String], status: &JobStatus) {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for document in &status.data {
            *counts.entry(document.metadata.source_url.as_deref().unwrap_or_default()).or_default() += 1;
            self.documents += 1;
        }
        self.lost += urls.iter().filter(|url| !counts.contains_key(url.as_str())).count();
        self.duplicated += counts.values().filter(|count| **count > 1).count();
        let completed = status.status == JobState::Completed && status.completed == urls.len() as u64;
        self.failed += u64::from(!completed);
    }
}

/// Runs batches of two teams at once, on a site on loopback.
pub(crate) async fn run(jobs: u64, pages: u64) -> Result<Report, Box<dyn Error>> {
    let site = Site::generate(SiteSpec::pages(u32::try_from(pages)? + 1));
    let server = site.serve_with(ServeOptions { log: LogDetail::Off, ..ServeOptions::default() })?;
    let builder = Engine::builder().allow_private("127.0.0.0/8".parse()?);
    let engine = builder.concurrency(50).concurrency_per_host(50).build()?;
    let (service, teams) = (engine.service(), ["one", "other"].map(|name| Team::new(TeamId::new(name))));
    let [team, other] = &teams;
    let urls: Vec<String> = (1..=pages).map(|page| server.url(&format!("/p/{page}"))).collect();
    let mut report = Report::default();

    let started = Instant::now();
    let mut ids = Vec::new();
    for (_, team) in (0..jobs).zip(teams.iter().cycle()) {
        let plan = request(&urls).check()?;
        ids.push((team, service.batch(team, plan, Submit::default()).await?.id));
    }
    report.submitting = started.elapsed();

    // The late job starts when a quarter of the pages is done.
    let waiting = async || {
        let (one, two) = (service.queue_status(team).await?, service.queue_status(other).await?);
        Ok::<_, Box<dyn Error>>(one.waiting_jobs_in_queue + two.waiting_jobs_in_queue)
    };
    while waiting().await? > jobs * pages * 3 / 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let served_before = server.requests();
    let late_start = Instant::now();
    let plan = request(urls.get(..1).unwrap_or_default()).check()?;
    let late = service.batch(team, plan, Submit::default()).await?.id;
    let status = wait(&engine, team, late).await?;
    let served = server.requests() - served_before;
    report.late = Some((status.status, late_start.elapsed(), served, waiting().await?));

    for (team, id) in ids {
        report.tally.add(&urls, &wait(&engine, team, id).await?);
    }
    (report.total, report.requests) = (started.elapsed(), server.requests());
    Ok(report)
}

/// A batch of these pages. It accepts no cached copies, because all jobs have the same pages.
fn request(urls: &[String]) -> BatchScrapeRequest {
    BatchScrapeRequest::new(urls.iter().map(String::as_str)).max_age(0)
}

/// Waits for the end of a job, and returns all of its documents.
async fn wait(engine: &Engine, team: &Team, id: JobId) -> Result<JobStatus, Box<dyn Error>> {
    let service = engine.service();
    let mut result: Option<JobStatus> = None;
    loop {
        let skip = result.as_ref().map_or(0, |status| status.data.len() as u64);
        let page = Page { skip: Some(skip), limit: None };
        let body = service.status(&team.id, JobKind::BatchScrape, id, page, &|skip| skip.to_string()).await?;
        let mut status: JobStatus = serde_json::from_slice(&body.bytes)?;
        if let Some(mut previous) = result.take() {
            previous.data.append(&mut status.data);
            status.data = previous.data;
        }
        if status.next.is_none() {
            return Ok(status);
        }
        result = Some(status);
    }
}
