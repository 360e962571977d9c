//! Property tests over random histories of jobs: submits, appends, cancels, reads and expiry in any order;
//! pages that succeed, fail, or make the transform panic; teams with and without enough credits.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use gleaner_runtime::ErrorKind;
use gleaner_service::{
    JobService, MemoryAccounts, MemoryActivityLog, Page, ServiceConfig, SubmitContext, TeamConfig,
};
use gleaner_store::TeamId;
use gleaner_types::plan::BatchPlan;
use gleaner_types::{JobId, JobState};
use proptest::prelude::*;
use tokio::time::Instant;

use crate::support::*;

const TEAMS: [&str; 2] = ["a", "b"];
/// More than any history spends, and two amounts that jobs use up.
const CREDITS: [u64; 3] = [100_000, 40, 12];
const DAY: Duration = Duration::from_secs(86_400);
const PATHS: [&str; 6] = ["one", "two", "broken", "panic", "slow", "pdf-4"];

#[derive(Debug, Clone)]
enum Step {
    Start { team: usize, pages: Vec<usize> },
    Append { job: usize, pages: Vec<usize> },
    Cancel { job: usize },
    Read { job: usize, limit: u64 },
    Wait { milliseconds: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let pages = || prop::collection::vec(0..PATHS.len(), 1..12);
    let milliseconds =
        || prop_oneof![8 => 1..40_u64, 8 => 10_000..90_000_u64, 1 => 80_000_000..100_000_000_u64];
    prop_oneof![
        3 => (0..TEAMS.len(), pages()).prop_map(|(team, pages)| Step::Start { team, pages }),
        1 => (0..8_usize, pages()).prop_map(|(job, pages)| Step::Append { job, pages }),
        1 => (0..8_usize).prop_map(|job| Step::Cancel { job }),
        4 => (0..8_usize, 1..6_u64).prop_map(|(job, limit)| Step::Read { job, limit }),
        4 => milliseconds().prop_map(|milliseconds| Step::Wait { milliseconds }),
    ]
}

/// A job and the documents that its reader has read.
#[derive(Debug)]
struct JobReader {
    id: JobId,
    team: TeamId,
    started_at: Instant,
    /// The `scrapeId` of each document that was read.
    read: Vec<String>,
    credits: u64,
    at_end: bool,
    /// Whether its results have expired.
    expired: bool,
}

impl JobReader {
    fn new(id: JobId, team: TeamId) -> Self {
        let (read, started_at) = (Vec::new(), Instant::now());
        Self { id, team, started_at, read, credits: 0, at_end: false, expired: false }
    }
}

async fn read_page(service: &JobService, job: &mut JobReader, limit: u64) {
    let page = Page { skip: Some(job.read.len() as u64), limit: Some(limit) };
    let body = match service.status(&job.team, BATCH, job.id, page, &next_url).await {
        Ok(body) => body,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
            assert!(job.started_at.elapsed() >= DAY, "results are served for at least a day");
            job.expired = true;
            return;
        }
    };
    assert!(!job.expired, "expired results do not come back");
    let status = read(&body);
    assert!(status.completed <= status.total, "{} of {}", status.completed, status.total);
    assert!(status.data.len() as u64 <= limit);
    job.credits += status.data.iter().filter_map(|document| document.metadata.credits_used).sum::<u64>();
    job.read.extend(status.data.iter().map(|document| document.metadata.scrape_id.clone().unwrap()));
    assert!(job.read.len() as u64 <= status.completed, "every document is counted before it is served");
    assert!(job.credits <= status.credits_used);
    job.at_end = body.next.is_none();
    if status.status != JobState::Scraping {
        assert_eq!(status.completed, status.total, "all pages of an ended job are completed");
        assert_eq!(job.at_end, job.read.len() as u64 == status.completed);
    } else {
        assert!(!job.at_end, "a running job has a next page");
    }
    if job.at_end {
        assert_eq!(job.credits, status.credits_used, "credits are the sum over documents");
    }
}

/// A second reader sees the same documents as the first one, and the counts are those of the documents.
async fn reread(service: &JobService, job: &JobReader, submitted: u64) {
    let mut again = JobReader { started_at: job.started_at, ..JobReader::new(job.id, job.team.clone()) };
    while !again.at_end {
        read_page(service, &mut again, 3).await;
        if again.expired {
            return;
        }
    }
    assert_eq!(again.read, job.read, "the same documents in the same order for every reader");
    let distinct: BTreeSet<&String> = job.read.iter().collect();
    assert_eq!(distinct.len(), job.read.len(), "each document once");
    // The job has ended and nothing waits, so no virtual time passes from here on.
    let failed = service.errors(&job.team, BATCH, job.id).await.unwrap().errors.len() as u64;
    let page = Page { skip: None, limit: Some(1) };
    let status = read(&service.status(&job.team, BATCH, job.id, page, &next_url).await.unwrap());
    let done = job.read.len() as u64 + failed;
    match status.status {
        JobState::Completed => assert_eq!(done, submitted, "every page has a document or a failure"),
        JobState::Failed => assert_eq!(status.error.as_deref(), Some("insufficient credits")),
        _ => assert!(done <= submitted),
    }
}

async fn run(steps: Vec<Step>, credits: u64) -> BTreeMap<usize, (u64, u64)> {
    let config = |name| TeamConfig::new(team(name)).credits(credits);
    let accounts = MemoryAccounts::new().with_team("1", config("a")).with_team("2", config("b"));
    let activity = Arc::new(MemoryActivityLog::default());
    let service_config = ServiceConfig {
        accounts: Arc::new(accounts),
        activity: Some(activity.clone()),
        ..ServiceConfig::default()
    };
    let (service, _) = service(service_config);
    let mut jobs: Vec<JobReader> = Vec::new();
    let mut submitted: HashMap<JobId, u64> = HashMap::new();
    for step in steps {
        match step {
            Step::Start { team: number, pages } => {
                let paths: Vec<&str> = pages.iter().map(|page| PATHS[*page]).collect();
                let team = team(TEAMS[number]);
                match service.batch(&team, plan(&paths), SubmitContext::default()).await {
                    Ok(started) => {
                        submitted.insert(started.id, paths.len() as u64);
                        jobs.push(JobReader::new(started.id, team.id));
                    }
                    Err(error) => assert_eq!(error.kind(), ErrorKind::InsufficientCredits, "{error}"),
                }
            }
            Step::Append { job, pages } => {
                let Some(job) = jobs.get(job) else { continue };
                let paths: Vec<&str> = pages.iter().map(|page| PATHS[*page]).collect();
                let more = BatchPlan { append_to: Some(job.id), ..plan(&paths) };
                if service.batch(&team(job.team.as_str()), more, SubmitContext::default()).await.is_ok() {
                    *submitted.get_mut(&job.id).unwrap() += paths.len() as u64;
                }
            }
            Step::Cancel { job } => {
                if let Some(job) = jobs.get(job) {
                    let _conflict = service.cancel(&job.team, BATCH, job.id).await;
                }
            }
            Step::Read { job, limit } => {
                if let Some(job) = jobs.get_mut(job) {
                    read_page(&service, job, limit).await;
                }
            }
            Step::Wait { milliseconds } => tokio::time::sleep(Duration::from_millis(milliseconds)).await,
        }
    }
    // Every job ends, and a second reader sees what the first one saw.
    let mut ends = BTreeMap::new();
    for (number, job) in jobs.iter_mut().enumerate() {
        while !job.at_end && !job.expired {
            read_page(&service, job, 5).await;
        }
        if !job.expired {
            reread(&service, job, submitted[&job.id]).await;
        }
        ends.insert(number, (job.read.len() as u64, job.credits));
    }
    settle().await;
    for name in TEAMS {
        // The log outlives the results.
        let logged = activity.of(&TeamId::new(name));
        let cost = |job: &JobReader| {
            let ended = logged.iter().find(|ended| ended.snapshot.id == job.id).unwrap();
            assert!(
                job.expired || ended.snapshot.credits_used == job.credits,
                "credits are the sum over documents"
            );
            ended.snapshot.credits_used
        };
        let paid: u64 = jobs.iter().filter(|job| job.team.as_str() == name).map(cost).sum();
        let usage = service.credit_usage(&TeamId::new(name)).await.unwrap().data;
        assert_eq!(usage.remaining_credits, credits as i64 - paid as i64, "paid is the sum over documents");
        let load = service.queue_status(&team(name)).await.unwrap();
        assert_eq!(load.jobs_in_queue, 0, "the queue is empty");
    }
    // After a day, all results have expired.
    tokio::time::sleep(DAY + Duration::from_secs(30)).await;
    for job in &jobs {
        assert!(service.status(&job.team, BATCH, job.id, Page::default(), &next_url).await.is_err());
    }
    ends
}

fn in_virtual_time(steps: Vec<Step>, credits: u64) -> BTreeMap<usize, (u64, u64)> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(run(steps, credits))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn counts_credits_and_order_are_consistent_in_every_history(
        steps in prop::collection::vec(step(), 1..40),
        credits in prop::sample::select(&CREDITS[..]),
    ) {
        in_virtual_time(steps, credits);
    }

    #[test]
    fn the_same_history_has_the_same_result(
        steps in prop::collection::vec(step(), 1..20),
        credits in prop::sample::select(&CREDITS[..]),
    ) {
        prop_assert_eq!(in_virtual_time(steps.clone(), credits), in_virtual_time(steps, credits));
    }
}
