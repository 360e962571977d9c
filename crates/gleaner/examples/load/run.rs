//! The load, and its report.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use gleaner::response::JobStatus;
use gleaner::service::{Page, SubmitContext, Team, TeamId};
use gleaner::{BatchScrapeRequest, Engine, JobId, JobKind, JobState, Politeness};
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};

/// The results of the jobs.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    /// Requests to the site.
    pub(crate) requests: u64,
    pub(crate) late_job: Option<LateJob>,
    submit_time: Duration,
    total_time: Duration,
}

/// The result of the job that was submitted late.
#[derive(Debug)]
pub(crate) struct LateJob {
    state: JobState,
    latency: Duration,
    /// Pages that the site served to all jobs during that time.
    pages_served: u64,
    /// Pages that waited when it ended.
    pages_waiting: u64,
}

/// Documents and faults.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) documents: u64,
    /// Pages of a job without a document.
    pub(crate) lost: usize,
    /// Pages of a job with more than one document.
    pub(crate) duplicated: usize,
    /// Jobs that did not complete with all of their pages.
    pub(crate) failed: u64,
}

impl Report {
    /// True if every job completed with each of its pages once.
    pub(crate) fn is_complete(&self) -> bool {
        let late_job_completed = self.late_job.as_ref().is_none_or(|job| job.state == JobState::Completed);
        late_job_completed && self.tally == Tally { documents: self.tally.documents, ..Tally::default() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, requests, late_job, submit_time, total_time } = self;
        let Tally { documents, lost, duplicated, failed } = tally;
        writeln!(f, "submitted in {submit_time:.1?}")?;
        if let Some(LateJob { state, latency, pages_served, pages_waiting }) = late_job {
            writeln!(
                f,
                "late job of one page: {state:?} after {latency:.1?}, {pages_served} pages served meanwhile, \
                 {pages_waiting} waiting"
            )?;
        }
        let rate = *documents as f64 / total_time.as_secs_f64();
        writeln!(f, "{documents} documents in {total_time:.1?}, {rate:.0} per second")?;
        writeln!(f, "jobs that did not complete: {failed}; pages lost: {lost}; duplicated: {duplicated}")?;
        write!(f, "requests served: {requests}")
    }
}

impl Tally {
    /// Adds a job of these pages.
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

/// Two teams take turns to submit `jobs` batches of `pages` pages of a site on loopback.
pub(crate) async fn run(jobs: u64, pages: u64) -> Result<Report, Box<dyn Error>> {
    let site = Site::generate(SiteSpec::pages(u32::try_from(pages)? + 1));
    let server = site.serve_with(ServeOptions { log: LogDetail::Off, ..ServeOptions::default() })?;
    let builder = Engine::builder().allow_private("127.0.0.0/8".parse()?);
    let engine = builder.concurrency(50).politeness(Politeness::new().concurrency_per_host(50)).build()?;
    let (service, teams) = (engine.service(), ["one", "other"].map(|name| Team::new(TeamId::new(name))));
    let [team, other] = &teams;
    let urls: Vec<String> = (1..=pages).map(|page| server.url(&format!("/p/{page}"))).collect();
    let mut report = Report::default();

    let began = Instant::now();
    let mut ids = Vec::new();
    for (_, team) in (0..jobs).zip(teams.iter().cycle()) {
        let plan = request(&urls).check()?;
        ids.push((team, service.batch(team, plan, SubmitContext::default()).await?.id));
    }
    report.submit_time = began.elapsed();

    // The late job comes after a quarter of the pages.
    let pages_waiting = async || {
        let (of_one, of_other) = (service.queue_status(team).await?, service.queue_status(other).await?);
        Ok::<_, Box<dyn Error>>(of_one.waiting_jobs_in_queue + of_other.waiting_jobs_in_queue)
    };
    while pages_waiting().await? > jobs * pages * 3 / 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let served_before = server.requests();
    let late_began = Instant::now();
    let plan = request(urls.get(..1).unwrap_or_default()).check()?;
    let late_id = service.batch(team, plan, SubmitContext::default()).await?.id;
    let state = wait_for_end(&engine, team, late_id).await?.status;
    report.late_job = Some(LateJob {
        state,
        latency: late_began.elapsed(),
        pages_served: server.requests() - served_before,
        pages_waiting: pages_waiting().await?,
    });

    for (team, id) in ids {
        report.tally.add(&urls, &wait_for_end(&engine, team, id).await?);
    }
    (report.total_time, report.requests) = (began.elapsed(), server.requests());
    Ok(report)
}

/// A batch of these pages without the cache, which would serve them all because the jobs share their pages.
fn request(urls: &[String]) -> BatchScrapeRequest {
    BatchScrapeRequest::new(urls.iter().map(String::as_str)).max_age(0)
}

/// Waits for the end of a job and returns its status with all documents.
async fn wait_for_end(engine: &Engine, team: &Team, id: JobId) -> Result<JobStatus, Box<dyn Error>> {
    let service = engine.service();
    let mut so_far: Option<JobStatus> = None;
    loop {
        let skip = so_far.as_ref().map_or(0, |status| status.data.len() as u64);
        let page = Page { skip: Some(skip), limit: None };
        let body = service.status(&team.id, JobKind::BatchScrape, id, page, &|skip| skip.to_string()).await?;
        let mut status: JobStatus = serde_json::from_slice(&body.json.to_vec())?;
        if let Some(mut earlier) = so_far.take() {
            earlier.data.append(&mut status.data);
            status.data = earlier.data;
        }
        if status.next.is_none() {
            return Ok(status);
        }
        so_far = Some(status);
    }
}
