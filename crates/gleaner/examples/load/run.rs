//! The load itself, and what is said of it.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use gleaner::response::JobStatus;
use gleaner::service::{Page, Submit, Team, TeamId};
use gleaner::{BatchScrapeRequest, Engine, JobId, JobKind, JobState};
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};

/// What became of the jobs.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    /// Requests that the site answered.
    pub(crate) requests: u64,
    /// How the latecomer's job ended, after how long, with how many pages of others served meanwhile, and how
    /// many of them waiting then.
    pub(crate) late: Option<(JobState, Duration, u64, u64)>,
    submitted: Duration,
    took: Duration,
}

/// What came, and what is wrong with it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) documents: u64,
    /// Pages that a job asked for and did not get.
    pub(crate) lost: usize,
    /// Pages that a job got more than once.
    pub(crate) doubled: usize,
    /// Jobs that did not complete with all of their pages.
    pub(crate) failed: u64,
}

impl Report {
    /// Did every job get each of its pages once?
    pub(crate) fn is_whole(&self) -> bool {
        let late = self.late.is_none_or(|(state, ..)| state == JobState::Completed);
        late && self.tally == Tally { documents: self.tally.documents, ..Tally::default() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally: Tally { documents, lost, doubled, failed }, requests, late, submitted, took } =
            self;
        writeln!(f, "submitted in {submitted:.1?}")?;
        if let Some((state, waited, served, waiting)) = late {
            writeln!(
                f,
                "a latecomer's one page: {state:?} after {waited:.1?}, while {served} pages were served and {waiting} still waited"
            )?;
        }
        let rate = *documents as f64 / took.as_secs_f64();
        writeln!(f, "{documents} documents in {took:.1?}, {rate:.0} a second")?;
        writeln!(f, "jobs that did not complete: {failed}; pages lost: {lost}; doubled: {doubled}")?;
        write!(f, "requests served: {requests}")
    }
}

impl Tally {
    /// Counts in a job that was asked for these pages.
    pub(crate) fn add(&mut self, urls: &[String], status: &JobStatus) {
        let mut found: HashMap<&str, u64> = HashMap::new();
        for document in &status.data {
            *found.entry(document.metadata.source_url.as_deref().unwrap_or_default()).or_default() += 1;
            self.documents += 1;
        }
        self.lost += urls.iter().filter(|url| !found.contains_key(url.as_str())).count();
        self.doubled += found.values().filter(|times| **times > 1).count();
        let completed = status.status == JobState::Completed && status.completed == urls.len() as u64;
        self.failed += u64::from(!completed);
    }
}

/// So many batches of so many pages at once, by two teams in turn, on a site on loopback.
pub(crate) async fn run(jobs: u64, pages: u64) -> Result<Report, Box<dyn Error>> {
    let site = Site::generate(SiteSpec::pages(u32::try_from(pages)? + 1));
    let server = site.serve_with(ServeOptions { log: LogDetail::Off, ..ServeOptions::default() })?;
    let builder = Engine::builder().allow_private("127.0.0.0/8".parse()?);
    let engine = builder.concurrency(50).concurrency_per_host(50).build()?;
    let (service, teams) = (engine.service(), ["one", "other"].map(|name| Team::new(TeamId::new(name))));
    let [team, other] = &teams;
    let urls: Vec<String> = (1..=pages).map(|page| server.url(&format!("/p/{page}"))).collect();
    let mut report = Report::default();

    let began = Instant::now();
    let mut ids = Vec::new();
    for (_, team) in (0..jobs).zip(teams.iter().cycle()) {
        let plan = request(&urls).check()?;
        ids.push((team, service.batch(team, plan, Submit::default()).await?.id));
    }
    report.submitted = began.elapsed();

    // A quarter through, somebody comes with one page.
    let of_both = async || {
        let (of_one, of_other) = (service.queue_status(team).await?, service.queue_status(other).await?);
        Ok::<_, Box<dyn Error>>(of_one.waiting_jobs_in_queue + of_other.waiting_jobs_in_queue)
    };
    while of_both().await? > jobs * pages * 3 / 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let served_before = server.requests();
    let came = Instant::now();
    let plan = request(urls.get(..1).unwrap_or_default()).check()?;
    let late = service.batch(team, plan, Submit::default()).await?.id;
    let status = ended(&engine, team, late).await?;
    let served = server.requests() - served_before;
    report.late = Some((status.status, came.elapsed(), served, of_both().await?));

    for (team, id) in ids {
        report.tally.add(&urls, &ended(&engine, team, id).await?);
    }
    (report.took, report.requests) = (began.elapsed(), server.requests());
    Ok(report)
}

/// A batch of these pages, each fetched anew: the jobs ask for the same ones, and the cache would serve them
/// all.
fn request(urls: &[String]) -> BatchScrapeRequest {
    BatchScrapeRequest::new(urls.iter().map(String::as_str)).max_age(0)
}

/// The job once it has ended, with all of its documents.
async fn ended(engine: &Engine, team: &Team, id: JobId) -> Result<JobStatus, Box<dyn Error>> {
    let service = engine.service();
    let mut whole: Option<JobStatus> = None;
    loop {
        let skip = whole.as_ref().map_or(0, |status| status.data.len() as u64);
        let page = Page { skip: Some(skip), limit: None };
        let body = service.status(&team.id, JobKind::BatchScrape, id, page, &|skip| skip.to_string()).await?;
        let mut status: JobStatus = serde_json::from_slice(&body.bytes)?;
        if let Some(mut so_far) = whole.take() {
            so_far.data.append(&mut status.data);
            status.data = so_far.data;
        }
        if status.next.is_none() {
            return Ok(status);
        }
        whole = Some(status);
    }
}
