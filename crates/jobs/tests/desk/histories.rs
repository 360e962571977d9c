//! Laws over random histories of jobs: whatever is submitted, cancelled, appended and read, in whatever order.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use gleaner_jobs::{Desk, DeskParts, MemoryAccounts, Page, Submit, TeamConfig};
use gleaner_store::TeamId;
use gleaner_types::plan::BatchPlan;
use gleaner_types::{JobId, JobState};
use proptest::prelude::*;

use crate::support::*;

const TEAMS: [&str; 2] = ["a", "b"];
/// More than any history spends.
const CREDITS: u64 = 100_000;
const PATHS: [&str; 6] = ["one", "two", "broken", "panic", "slow", "pdf-4"];

#[derive(Debug, Clone)]
enum Step {
    Submit { team: usize, pages: Vec<usize> },
    Append { job: usize, pages: Vec<usize> },
    Cancel { job: usize },
    Read { job: usize, limit: u64 },
    Wait { milliseconds: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let pages = || prop::collection::vec(0..PATHS.len(), 1..12);
    prop_oneof![
        3 => (0..TEAMS.len(), pages()).prop_map(|(team, pages)| Step::Submit { team, pages }),
        1 => (0..8_usize, pages()).prop_map(|(job, pages)| Step::Append { job, pages }),
        1 => (0..8_usize).prop_map(|job| Step::Cancel { job }),
        4 => (0..8_usize, 1..6_u64).prop_map(|(job, limit)| Step::Read { job, limit }),
        4 => prop_oneof![1..40_u64, 10_000..90_000_u64].prop_map(|milliseconds| Step::Wait { milliseconds }),
    ]
}

/// A job as its reader knows it.
#[derive(Debug)]
struct Known {
    id: JobId,
    team: TeamId,
    /// What was read so far, by `scrapeId`.
    read: Vec<String>,
    credits: u64,
    at_end: bool,
}

async fn look(desk: &Desk, job: &mut Known, limit: u64) {
    let page = Page { skip: Some(job.read.len() as u64), limit: Some(limit) };
    let body = desk.status(&job.team, BATCH, job.id, page, &next_url).await.unwrap();
    let status = read(&body);
    assert!(status.completed <= status.total, "{} of {}", status.completed, status.total);
    assert!(status.data.len() as u64 <= limit);
    job.credits += status.data.iter().filter_map(|document| document.metadata.credits_used).sum::<u64>();
    job.read.extend(status.data.iter().map(|document| document.metadata.scrape_id.clone().unwrap()));
    assert!(job.read.len() as u64 <= status.completed, "a document before it was counted");
    assert!(job.credits <= status.credits_used);
    job.at_end = body.next.is_none();
    if status.status != JobState::Scraping {
        assert_eq!(status.completed, status.total, "they are equal at the end");
        assert_eq!(job.at_end, job.read.len() as u64 == status.completed);
    } else {
        assert!(!job.at_end, "a running job has a next page");
    }
    if job.at_end {
        assert_eq!(job.credits, status.credits_used, "credits are the sum over documents");
    }
}

async fn run(steps: Vec<Step>) -> BTreeMap<usize, (u64, u64)> {
    let config = |name| TeamConfig { credits: Some(CREDITS), ..TeamConfig::new(team(name)) };
    let accounts = MemoryAccounts::new().with_team("1", config("a")).with_team("2", config("b"));
    let (desk, _) = desk(DeskParts { accounts: Arc::new(accounts), ..DeskParts::default() });
    let mut jobs: Vec<Known> = Vec::new();
    let mut submitted: HashMap<JobId, u64> = HashMap::new();
    for step in steps {
        match step {
            Step::Submit { team: number, pages } => {
                let paths: Vec<&str> = pages.iter().map(|page| PATHS[*page]).collect();
                let team = team(TEAMS[number]);
                let id = desk.batch(&team, plan(&paths), Submit::default()).await.unwrap().id;
                submitted.insert(id, paths.len() as u64);
                jobs.push(Known { id, team: team.id, read: Vec::new(), credits: 0, at_end: false });
            }
            Step::Append { job, pages } => {
                let Some(job) = jobs.get(job) else { continue };
                let paths: Vec<&str> = pages.iter().map(|page| PATHS[*page]).collect();
                let more = BatchPlan { append_to: Some(job.id), ..plan(&paths) };
                if desk.batch(&team(job.team.as_str()), more, Submit::default()).await.is_ok() {
                    *submitted.get_mut(&job.id).unwrap() += paths.len() as u64;
                }
            }
            Step::Cancel { job } => {
                if let Some(job) = jobs.get(job) {
                    let _conflict = desk.cancel(&job.team, BATCH, job.id).await;
                }
            }
            Step::Read { job, limit } => {
                if let Some(job) = jobs.get_mut(job) {
                    look(&desk, job, limit).await;
                }
            }
            Step::Wait { milliseconds } => tokio::time::sleep(Duration::from_millis(milliseconds)).await,
        }
    }
    // All come to an end, and whoever reads from the start sees what the first reader saw.
    let mut ends = BTreeMap::new();
    for (number, job) in jobs.iter_mut().enumerate() {
        while !job.at_end {
            look(&desk, job, 5).await;
        }
        let mut again =
            Known { id: job.id, team: job.team.clone(), read: Vec::new(), credits: 0, at_end: false };
        while !again.at_end {
            look(&desk, &mut again, 3).await;
        }
        assert_eq!(again.read, job.read, "the same documents in the same order for every reader");
        let failed = desk.errors(&job.team, BATCH, job.id).await.unwrap().errors.len() as u64;
        let page = Page { skip: None, limit: Some(1) };
        let status = read(&desk.status(&job.team, BATCH, job.id, page, &next_url).await.unwrap());
        let done = job.read.len() as u64 + failed;
        match status.status {
            JobState::Completed => {
                assert_eq!(done, submitted[&job.id], "every page gave a document or failed");
            }
            _ => assert!(done <= submitted[&job.id]),
        }
        ends.insert(number, (job.read.len() as u64, job.credits));
    }
    settle().await;
    for name in TEAMS {
        let paid: u64 = jobs.iter().filter(|job| job.team.as_str() == name).map(|job| job.credits).sum();
        let usage = desk.credit_usage(&TeamId::new(name)).await.unwrap().data;
        assert_eq!(usage.remaining_credits, (CREDITS - paid) as i64, "paid is the sum over documents");
        let load = desk.queue_status(&team(name)).await.unwrap();
        assert_eq!(load.jobs_in_queue, 0, "nothing is left behind");
    }
    // After a day all is gone.
    tokio::time::sleep(Duration::from_secs(86_400 + 30)).await;
    for job in &jobs {
        assert!(desk.status(&job.team, BATCH, job.id, Page::default(), &next_url).await.is_err());
    }
    ends
}

fn in_virtual_time(steps: Vec<Step>) -> BTreeMap<usize, (u64, u64)> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(run(steps))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn counts_credits_and_order_hold_in_every_history(steps in prop::collection::vec(step(), 1..40)) {
        in_virtual_time(steps);
    }

    #[test]
    fn the_same_history_ends_in_the_same_way(steps in prop::collection::vec(step(), 1..20)) {
        prop_assert_eq!(in_virtual_time(steps.clone()), in_virtual_time(steps));
    }
}
