//! What goes on after a crash: credits, extract jobs, webhooks, the activity log.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gleaner_runtime::{Clock, Extract, ExtractTask, Extracted, StartOptions};
use gleaner_service::{JobService, Secret, ServiceConfig, SubmitContext, verify};
use gleaner_store::journal::VecJournal;
use gleaner_store::{LocalStore, MemoryConfig, Store, TeamId};
use gleaner_types::plan::{BatchPlan, ExtractPlan};
use gleaner_types::request::{BatchScrapeRequest, ExtractRequest, MapRequest};
use gleaner_types::response::ExtractStatus;
use gleaner_types::{BoxFuture, ExtractState, JobId, JobKind, JobState, PageError};
use serde_json::json;

use crate::processes::{Moment, Process, Then, World};
use crate::support::*;
use crate::webhooks::{self, ALL_EVENTS, webhook};

fn moment(call: &'static str, number: usize, then: Then) -> Option<Moment> {
    Some(Moment { call, number, then })
}

/// A submit whose job can go on in another process.
fn stored_batch(paths: &[&str]) -> SubmitContext {
    let request = serde_json::to_value(BatchScrapeRequest::new(urls(paths))).unwrap();
    SubmitContext::default().request(request)
}

async fn start_batch(service: &Arc<JobService>, paths: &[&str]) -> JobId {
    service.batch(&team("a"), plan(paths), stored_batch(paths)).await.unwrap().id
}

/// True if the future does not end, because its process does.
async fn is_cut_off<T>(request: impl Future<Output = T>) -> bool {
    tokio::time::timeout(Duration::from_secs(1), request).await.is_err()
}

async fn running(service: &JobService) -> Vec<JobId> {
    let running = service.runtime().store().running(&TeamId::new("a"), BATCH).await.unwrap();
    running.into_iter().map(|job| job.snapshot.id).collect()
}

async fn cancel(service: &JobService, id: JobId) {
    service.cancel(&TeamId::new("a"), BATCH, id).await.unwrap();
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn a_reservation_without_its_job_returns_after_a_crash() {
    for (then, reserved) in [(Then::CrashBefore, 0), (Then::CrashAfter, 4)] {
        let world = World::new(credits(100));
        let process = world.start_until(moment("reserve", 1, then), ServiceConfig::default());
        let team = team("a");
        let request = process.service.batch(&team, plan(&["one"; 4]), SubmitContext::default());
        assert!(is_cut_off(request).await);
        assert_eq!(world.balance().await, 100 - reserved);
        process.crash();
        for _ in 0..2 {
            let process = world.start(ServiceConfig::default());
            settle().await;
            assert_eq!(world.balance().await, 100, "{then:?}");
            assert!(running(&process.service).await.is_empty());
            process.crash();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_map_is_charged_once_or_not_at_all() {
    let map = || MapRequest::new("https://a.example/").check().unwrap();
    let moments = [
        ("reserve", Then::CrashAfter, 100),
        ("settle", Then::CrashBefore, 100),
        ("settle", Then::CrashAfter, 99),
    ];
    for (call, then, left) in moments {
        let world = World::new(credits(100));
        let process = world.start_until(moment(call, 1, then), ServiceConfig::default());
        assert!(is_cut_off(process.service.map(&team("a"), map())).await);
        process.crash();
        let process = world.start(ServiceConfig::default());
        settle().await;
        assert_eq!(world.balance().await, left, "{call}, {then:?}");
        process.service.map(&team("a"), map()).await.unwrap();
        assert_eq!(world.balance().await, left - 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_crash_at_a_draw_reserves_nothing_twice() {
    for (then, drawn) in [(Then::CrashBefore, 0), (Then::CrashAfter, 17)] {
        let world = World::new(credits(100));
        let process = world.start_until(moment("draw", 1, then), ServiceConfig::default());
        let one_by_one = team("a").max_concurrency(1);
        let paths = ["pdf-9", "slow", "slow"];
        let submitted = process.service.batch(&one_by_one, plan(&paths), stored_batch(&paths)).await;
        let id = submitted.unwrap().id;
        settle().await;
        // Three at the submit, seven missing for the second page, and ten pages ahead.
        assert_eq!(world.balance().await, 100 - 3 - drawn, "{then:?}");
        process.crash();
        let process = world.start(ServiceConfig::default());
        settle().await;
        assert_eq!(world.balance().await, 100 - 3 - 17, "{then:?}");
        cancel(&process.service, id).await;
        assert_eq!(world.balance().await, 100 - 9);
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_append_is_paid_with_its_job() {
    let world = World::new(credits(100));
    let process = world.start_until(moment("reserve", 2, Then::CrashAfter), ServiceConfig::default());
    let id = start_batch(&process.service, &["slow"]).await;
    let more = BatchPlan { append_to: Some(id), ..plan(&["one"; 4]) };
    assert!(is_cut_off(process.service.batch(&team("a"), more, SubmitContext::default())).await);
    process.crash();
    let process = world.start(ServiceConfig::default());
    settle().await;
    assert_eq!(world.balance().await, 100 - 1 - 4);
    cancel(&process.service, id).await;
    assert_eq!(world.balance().await, 100);
}

#[tokio::test(start_paused = true)]
async fn a_job_is_charged_and_listed_once() {
    for then in [Then::CrashBefore, Then::CrashAfter] {
        let world = World::new(credits(100));
        let process = world.start_until(moment("settle", 1, then), ServiceConfig::default());
        let id = batch(&process.service, &["one", "two"]).await;
        let before = ended(&process.service, id).await;
        settle().await;
        process.crash();
        for _ in 0..2 {
            let process = world.start(ServiceConfig::default());
            settle().await;
            assert_eq!(world.balance().await, 98, "{then:?}");
            let listed = process.service.activity(&TeamId::new("a"), 10).await.unwrap().data;
            assert_eq!(listed.iter().map(|job| (job.id, job.credits_used)).collect::<Vec<_>>(), [(id, 2)]);
            let after = ended(&process.service, id).await;
            assert_eq!((after.data, after.completed_at), (before.data.clone(), before.completed_at));
            process.crash();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_activity_log_has_the_jobs_of_all_processes() {
    let world = World::new(credits(100));
    let mut jobs = Vec::new();
    for _ in 0..3 {
        let process = world.start(ServiceConfig::default());
        let id = batch(&process.service, &["one"]).await;
        ended(&process.service, id).await;
        settle().await;
        jobs.insert(0, id);
        let listed = process.service.activity(&TeamId::new("a"), 10).await.unwrap().data;
        assert_eq!(listed.iter().map(|job| job.id).collect::<Vec<_>>(), jobs);
        process.crash();
        tokio::time::sleep(Duration::from_secs(86_400)).await;
    }
    let process = world.start(ServiceConfig::default());
    // Results expire at the next sweep.
    tokio::time::sleep(Duration::from_secs(20)).await;
    let expired = process.service.errors(&TeamId::new("a"), BATCH, jobs[0]).await;
    assert!(expired.unwrap_err().is_not_found());
    let listed = process.service.activities(&TeamId::new("a"), 10).await.unwrap();
    assert_eq!(listed.iter().map(|job| job.snapshot.id).collect::<Vec<_>>(), jobs);
}

#[tokio::test(start_paused = true)]
async fn a_job_starts_with_its_reservation_also_if_its_client_leaves() {
    for (paths, jobs) in [(["slow", "slow"], 1), (["one", "broken"], 0)] {
        let world = World::new(credits(100));
        let process = world.start_until(moment("reserve", 1, Then::SlowDisk), ServiceConfig::default());
        assert!(is_cut_off(start_batch(&process.service, &paths)).await);
        process.disk.recover();
        settle().await;
        let running = running(&process.service).await;
        assert_eq!(running.len(), jobs, "the job runs until its pages have ended");
        assert_eq!(world.balance().await, if jobs == 1 { 98 } else { 99 });
        for id in running {
            cancel(&process.service, id).await;
            assert_eq!(world.balance().await, 100);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_without_a_team_ends_if_its_caller_leaves_during_its_start() {
    let (web, journal) = (Arc::default(), VecJournal::default());
    let opened = LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), START);
    let store: Arc<dyn Store> = Arc::new(opened.unwrap());
    let runtime = runtime_over(&web, Arc::clone(&store), Clock::starting_at(START));
    let options = StartOptions::default();
    let id = options.id;
    journal.hold();
    assert!(is_cut_off(runtime.start(plan(&["slow"]), options)).await);
    assert!(store.stored(id).await.is_ok());
    journal.resume();
    settle().await;
    assert!(store.snapshot(id).await.unwrap_err().is_unknown_job(), "nobody has its handle");
    assert!(journal.stored().jobs.is_empty());
}

/// Uses thirty tokens per second for five seconds, and counts its runs.
#[derive(Debug, Default)]
struct CountingExtract {
    runs: AtomicU64,
}

impl Extract for CountingExtract {
    fn extract(&self, task: ExtractTask) -> BoxFuture<'_, Result<Extracted, PageError>> {
        Box::pin(async move {
            self.runs.fetch_add(1, Ordering::Relaxed);
            let used = Arc::new(AtomicU64::new(0));
            let owner = task.owner.unwrap();
            let meter = Arc::clone(&used);
            owner.set_meter(Box::new(move || meter.load(Ordering::Relaxed)));
            for second in 1..=5 {
                assert!(owner.reserve_tokens(30 * second).await);
                tokio::time::sleep(Duration::from_secs(1)).await;
                used.store(30 * second, Ordering::Relaxed);
            }
            if task.plan.prompt.as_deref() == Some("panic") {
                panic!("a planner that panics");
            }
            let data = json!({ "before": owner.tokens_before(), "prompt": task.plan.prompt });
            Ok(Extracted::new(data).tokens_used(used.load(Ordering::Relaxed)))
        })
    }
}

fn extract_request(prompt: &str) -> (ExtractPlan, SubmitContext) {
    let request = ExtractRequest::new(["https://a.example/"]).prompt(prompt);
    let stored = serde_json::to_value(&request).unwrap();
    (request.check().unwrap(), SubmitContext::default().request(stored))
}

async fn start_extract(process: &Process, prompt: &str) -> JobId {
    let (plan, submit) = extract_request(prompt);
    process.service.extract(&team("a"), plan, submit).await.unwrap().id
}

async fn extract_status(process: &Process, id: JobId) -> ExtractStatus {
    process.service.extract_status(&TeamId::new("a"), id).await.unwrap()
}

fn extracting(extract: &Arc<CountingExtract>) -> ServiceConfig {
    ServiceConfig { extract: Some(extract.clone()), ..ServiceConfig::default() }
}

#[tokio::test(start_paused = true)]
async fn an_extract_runs_again_and_its_tokens_count() {
    let (world, extract) = (World::new(credits(1_000)), Arc::new(CountingExtract::default()));
    let process = world.start(extracting(&extract));
    let id = start_extract(&process, "names").await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    // One credit at the submit, one for the first step, and a hundred ahead.
    assert_eq!(world.balance().await, 1_000 - 102);
    process.crash();
    let process = world.start(extracting(&extract));
    tokio::time::sleep(Duration::from_millis(500)).await;
    let status = extract_status(&process, id).await;
    assert_eq!((status.status, status.tokens_used), (ExtractState::Processing, 60));
    assert_eq!(world.balance().await, 1_000 - 102, "what the first run drew is not drawn twice");
    tokio::time::sleep(Duration::from_secs(6)).await;
    let status = extract_status(&process, id).await;
    assert_eq!(
        (status.status, status.data),
        (ExtractState::Completed, json!({ "before": 60, "prompt": "names" }))
    );
    assert_eq!((status.tokens_used, status.credits_used), (210, 14));
    assert_eq!((extract.runs.load(Ordering::Relaxed), world.balance().await), (2, 1_000 - 14));
    process.crash();
    let process = world.start(extracting(&extract));
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(extract_status(&process, id).await.status, ExtractState::Completed);
    assert_eq!(extract.runs.load(Ordering::Relaxed), 2, "an ended job does not run again");
}

#[tokio::test(start_paused = true)]
async fn an_extract_that_cannot_run_again_fails_and_costs_nothing() {
    for (name, submit, prompt, reason) in [
        ("no request", SubmitContext::default(), "names", "its request cannot be read"),
        ("no extractor", extract_request("names").1, "names", "needs a language model"),
        ("a panic", extract_request("panic").1, "panic", "the engine failed on this request"),
    ] {
        let (world, extract) = (World::new(credits(1_000)), Arc::new(CountingExtract::default()));
        let process = world.start(extracting(&extract));
        let started = process.service.extract(&team("a"), extract_request(prompt).0, submit).await;
        let id = started.unwrap().id;
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        assert_eq!(extract_status(&process, id).await.tokens_used, 60, "{name}");
        process.crash();
        let config = if name == "no extractor" { ServiceConfig::default() } else { extracting(&extract) };
        let process = world.start(config);
        tokio::time::sleep(Duration::from_secs(6)).await;
        let status = extract_status(&process, id).await;
        assert_eq!((status.status, status.credits_used), (ExtractState::Failed, 0), "{name}");
        assert!(status.error.as_ref().is_some_and(|error| error.contains(reason)), "{name}: {status:?}");
        assert_eq!(world.balance().await, 1_000, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_extract_does_not_run_again() {
    let (world, extract) = (World::new(credits(1_000)), Arc::new(CountingExtract::default()));
    let process = world.start(extracting(&extract));
    let id = start_extract(&process, "names").await;
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    process.crash();
    let process = world.start(extracting(&extract));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    process.service.cancel(&TeamId::new("a"), JobKind::Extract, id).await.unwrap();
    settle().await;
    let status = extract_status(&process, id).await;
    assert_eq!((status.status, status.tokens_used, status.credits_used), (ExtractState::Cancelled, 90, 6));
    assert_eq!(world.balance().await, 1_000 - 6);
    process.crash();
    let _process = world.start(extracting(&extract));
    settle().await;
    assert_eq!(extract.runs.load(Ordering::Relaxed), 2);
}

/// Delivers webhooks of team `a`, signed, to this receiver.
fn delivering(receiver: &Arc<Receiver>) -> ServiceConfig {
    ServiceConfig { deliver: deliver_to(receiver), ..ServiceConfig::default() }
}

async fn start_with_webhook(process: &Process, paths: &[&str]) -> JobId {
    let webhook = Some(webhook("https://hook.example/x", &ALL_EVENTS));
    let plan = BatchPlan { webhook, ..plan(paths) };
    process.service.batch(&team("a"), plan, stored_batch(paths)).await.unwrap().id
}

/// A world in which the webhooks of team `a` are signed.
fn signing_world() -> World {
    World::new(webhooks::signing_accounts())
}

#[tokio::test(start_paused = true)]
async fn events_of_an_ended_job_are_sent_by_the_next_process() {
    let (world, down, up) = (signing_world(), Receiver::new(&[500]), Receiver::new(&[200]));
    let process = world.start(delivering(&down));
    let id = start_with_webhook(&process, &["one", "broken"]).await;
    ended(&process.service, id).await;
    settle().await;
    assert_eq!(webhooks::kinds(&down.all()), ["batch_scrape.started"]);
    process.crash();
    let process = world.start(delivering(&up));
    tokio::time::sleep(Duration::from_secs(120)).await;
    let received = up.all();
    let kinds = ["batch_scrape.started", "batch_scrape.page", "batch_scrape.page", "batch_scrape.completed"];
    assert_eq!(webhooks::kinds(&received), kinds);
    assert_eq!((&received[0].body, &received[0].headers), (&down.all()[0].body, &down.all()[0].headers));
    let secret = Secret::new("whsec");
    for event in &received {
        let header = |name: &str| {
            let found = event.headers.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.as_str()).unwrap()
        };
        assert!(verify(&secret, &event.body, header("x-service-signature")).is_ok());
        assert_eq!(header("x-own"), "mine");
        assert_eq!((event.text("id"), &event.json()["metadata"]), (id.to_string(), &json!({ "a": 1 })));
    }
    assert_eq!(received.iter().filter(|event| event.json()["success"] == true).count(), 3);
    process.crash();
    let process = world.start(delivering(&up));
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(up.all().len(), 4, "a delivered event is not sent again");
    assert!(process.service.dead_letters(&TeamId::new("a"), BATCH, id).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_event_without_an_answer_is_sent_again_before_the_next() {
    let world = signing_world();
    // The receiver gets the second event, and the process ends before the answer.
    let (first, second) = (Receiver::new(&[200, 0]), Receiver::new(&[200]));
    let process = world.start(delivering(&first));
    let id = start_with_webhook(&process, &["one", "slow"]).await;
    settle().await;
    assert_eq!(webhooks::kinds(&first.all()), ["batch_scrape.started", "batch_scrape.page"]);
    process.crash();
    let process = world.start(delivering(&second));
    settle().await;
    cancel(&process.service, id).await;
    let received = second.all();
    assert_eq!(webhooks::kinds(&received), ["batch_scrape.page", "batch_scrape.cancelled"]);
    assert_eq!(received[0].body, first.all()[1].body);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_extract_that_runs_again_is_one_event() {
    let (receiver, extract) = (Receiver::new(&[200]), Arc::new(CountingExtract::default()));
    let world = signing_world();
    let config = || ServiceConfig { extract: Some(extract.clone()), ..delivering(&receiver) };
    let process = world.start(config());
    let (mut plan, submit) = extract_request("names");
    plan.webhook = Some(webhook("https://hook.example/x", &ALL_EVENTS));
    process.service.extract(&team("a"), plan, submit).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    process.crash();
    let _process = world.start(config());
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(webhooks::kinds(&receiver.all()), ["extract.started", "extract.completed"]);
}

#[tokio::test(start_paused = true)]
async fn the_pages_that_are_left_of_a_batch_are_fetched() {
    let world = World::new(credits(100));
    let process = world.start(ServiceConfig::default());
    let id = start_batch(&process.service, &["one", "slow", "broken", "slow"]).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    process.crash();
    let process = world.start(ServiceConfig::default());
    let more = BatchPlan { append_to: Some(id), ..plan(&["two"]) };
    process.service.batch(&team("a"), more, SubmitContext::default()).await.unwrap();
    let done = ended(&process.service, id).await;
    assert_eq!((done.status, done.completed, done.credits_used), (JobState::Completed, 4, 4));
    let failures = process.service.errors(&TeamId::new("a"), BATCH, id).await.unwrap().errors;
    assert_eq!(failures.len(), 1);
    // The two that the crash interrupted are not counted.
    assert_eq!(world.web.fetched.load(Ordering::Relaxed), 5);
    settle().await;
    assert_eq!(world.balance().await, 96);
}
