//! Tests of credits, rate limits and failing accounts providers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gleaner_runtime::{Error, ErrorKind};
use gleaner_service::{
    Accounts, Balance, MemoryAccounts, Operation, Page, Secret, ServiceConfig, SubmitContext, Team,
    TeamConfig, UnlimitedAccounts, conformance,
};
use gleaner_store::{DELIVERY_LEASE, TeamId};
use gleaner_types::plan::BatchPlan;
use gleaner_types::request::{CrawlRequest, MapRequest, ScrapeRequest};
use gleaner_types::{BoxFuture, ErrorCode, JobId, JobState, PageError};
use uuid::Uuid;

use crate::support::*;
use crate::webhooks::{ALL_EVENTS, webhook};

fn metered(balance: u64) -> ServiceConfig {
    ServiceConfig { accounts: Arc::new(credits(balance)), ..ServiceConfig::default() }
}

#[tokio::test(start_paused = true)]
async fn a_submit_reserves_its_pages_and_pays_for_those_with_a_document() {
    let (service, _) = service(metered(100));
    let id = batch(&service, &["one", "two", "broken", "slow"]).await;
    assert_eq!(balance(&service).await, 96, "four pages are reserved");
    assert_eq!(ended(&service, id).await.credits_used, 3);
    settle().await;
    assert_eq!(balance(&service).await, 97, "a page that failed costs nothing");
}

#[tokio::test(start_paused = true)]
async fn a_request_beyond_the_balance_is_refused_and_starts_nothing() {
    let (service, web) = service(metered(3));
    let refused = service.batch(&team("a"), plan(&["one"; 4]), SubmitContext::default()).await.unwrap_err();
    assert_eq!((refused.kind(), refused.http_status()), (ErrorKind::InsufficientCredits, 402));
    let crawl = CrawlRequest::new("https://a.example/").limit(4);
    let refused =
        service.crawl(&team("a"), crawl.check().unwrap(), SubmitContext::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InsufficientCredits);
    settle().await;
    assert_eq!(web.fetched.load(Ordering::Relaxed), 0);
    assert_eq!(balance(&service).await, 3);
}

#[tokio::test(start_paused = true)]
async fn expensive_pages_draw_on_the_balance_until_it_is_used_up() {
    // One page at a time, so that its cost is known before the next one starts.
    let one_by_one = team("a").max_concurrency(1);
    for (balance_before, completed, state) in [
        (100, 6, JobState::Completed),
        (14, 6, JobState::Completed),
        (13, 5, JobState::Failed),
        (6, 1, JobState::Failed),
    ] {
        let (service, _) = service(metered(balance_before));
        let paths = ["pdf-9", "one", "two", "three", "four", "five"];
        let id = service.batch(&one_by_one, plan(&paths), SubmitContext::default()).await.unwrap().id;
        let done = ended(&service, id).await;
        assert_eq!((done.completed, done.status), (completed, state), "{balance_before} credits");
        assert_eq!(done.data.len() as u64, completed, "paid documents are readable");
        let failed = state == JobState::Failed;
        assert_eq!(done.error.as_deref(), failed.then_some("insufficient credits"));
        settle().await;
        let left = balance_before as i64 - done.credits_used as i64;
        assert_eq!(balance(&service).await, left, "unused reservations are back in the balance");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_that_cannot_be_paid_does_not_start() {
    let (service, web) = service(metered(30));
    // A page costs at least five credits, and the submit reserves one for each.
    let mut plan = plan(&["one"; 30]);
    plan.options.formats.json = Some(Default::default());
    let id = service.batch(&team("a"), plan, SubmitContext::default()).await.unwrap().id;
    let done = ended(&service, id).await;
    assert_eq!((done.completed, done.credits_used, done.status), (6, 30, JobState::Failed));
    assert_eq!(web.fetched.load(Ordering::Relaxed), 6);
    settle().await;
    assert_eq!(balance(&service).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_scrape_and_a_map_are_charged_once() {
    let (service, _) = service(metered(3));
    let scrape = async |url: &str| {
        service.scrape(&team("a"), ScrapeRequest::new(url).check().unwrap(), SubmitContext::default()).await
    };
    scrape("https://a.example/one").await.unwrap();
    settle().await;
    assert_eq!(balance(&service).await, 2);
    scrape("https://a.example/broken").await.unwrap_err();
    settle().await;
    assert_eq!(balance(&service).await, 2);
    service.map(&team("a"), MapRequest::new("https://a.example/").check().unwrap()).await.unwrap();
    assert_eq!(balance(&service).await, 1);
    // If the client disconnects, the reservation returns to the balance.
    let abandoned = tokio::time::timeout(Duration::from_secs(1), scrape("https://a.example/slow")).await;
    assert!(abandoned.is_err());
    settle().await;
    assert_eq!(balance(&service).await, 1);
    assert_eq!(service.concurrency(&team("a")).await.unwrap().concurrency, 0);
    scrape("https://a.example/two").await.unwrap();
    settle().await;
    assert_eq!(scrape("https://a.example/two").await.unwrap_err().http_status(), 402);
}

#[tokio::test(start_paused = true)]
async fn appended_pages_and_cancelled_jobs_are_settled() {
    let (service, _) = service(metered(10));
    let id = batch(&service, &["one", "slow", "slow"]).await;
    settle().await;
    let more = BatchPlan { append_to: Some(id), ..plan(&["slow"; 4]) };
    service.batch(&team("a"), more.clone(), SubmitContext::default()).await.unwrap();
    assert_eq!(balance(&service).await, 3);
    let refused = service.batch(&team("a"), more, SubmitContext::default()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InsufficientCredits);
    service.cancel(&TeamId::new("a"), BATCH, id).await.unwrap();
    settle().await;
    assert_eq!(balance(&service).await, 9);
}

#[tokio::test(start_paused = true)]
async fn unknown_keys_and_requests_above_rate_and_job_limits_are_refused() {
    let config = TeamConfig::new(team("a").max_jobs(1)).requests_per_minute(vec![(Operation::Batch, 1)]);
    let accounts = Arc::new(MemoryAccounts::new().with_team("key-a", config));
    let (service, _) = service(ServiceConfig { accounts, ..ServiceConfig::default() });
    let unknown = service.authenticate("key-b").await.unwrap_err();
    assert_eq!((unknown.kind(), unknown.http_status()), (ErrorKind::Unauthorized, 401));
    let team = service.authenticate("key-a").await.unwrap();
    service.admit(&team, Operation::Batch).await.unwrap();
    let limited = service.admit(&team, Operation::Batch).await.unwrap_err();
    assert_eq!((limited.kind(), limited.http_status()), (ErrorKind::RateLimited, 429));
    assert_eq!(limited.retry_after(), Some(Duration::from_secs(60)));
    service.batch(&team, plan(&["slow"]), SubmitContext::default()).await.unwrap();
    let full = service.batch(&team, plan(&["slow"]), SubmitContext::default()).await.unwrap_err();
    assert_eq!((full.kind(), full.retry_after().is_some()), (ErrorKind::RateLimited, true));
}

#[tokio::test(start_paused = true)]
async fn a_document_reports_whether_its_page_waited_for_a_slot_of_the_team() {
    let one = TeamConfig::new(team("a").max_concurrency(1));
    let accounts = Arc::new(MemoryAccounts::new().with_team("key-a", one));
    let (service, _) = service(ServiceConfig { accounts, ..ServiceConfig::default() });
    let plan = BatchPlan { max_concurrency: None, ..plan(&["one", "two", "three"]) };
    let one_slot = team("a").max_concurrency(1);
    let id = service.batch(&one_slot, plan, SubmitContext::default()).await.unwrap().id;
    let documents = ended(&service, id).await.data;
    let limited: Vec<_> = documents.iter().map(|page| page.metadata.concurrency_limited).collect();
    assert_eq!(limited, [Some(false), Some(true), Some(true)]);
}

/// Accounts that fail to settle jobs and to sign webhooks of team `gone`, and hang on the first request for
/// the webhook secret of team `hangs`.
#[derive(Debug)]
struct FailingAccounts(MemoryAccounts, AtomicBool);

impl FailingAccounts {
    fn new(accounts: MemoryAccounts) -> Arc<Self> {
        Arc::new(Self(accounts, AtomicBool::new(false)))
    }
}

impl Accounts for FailingAccounts {
    fn authenticate<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Team>, Error>> {
        self.0.authenticate(key)
    }

    fn throttle<'a>(
        &'a self,
        team: &'a TeamId,
        operation: Operation,
        now: Duration,
    ) -> BoxFuture<'a, Result<Option<Duration>, Error>> {
        self.0.throttle(team, operation, now)
    }

    fn is_metered<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<bool, Error>> {
        self.0.is_metered(team)
    }

    fn balance<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Balance, Error>> {
        self.0.balance(team)
    }

    fn reserve<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        self.0.reserve(team, job, operation, credits)
    }

    fn draw<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        self.0.draw(team, job, operation, credits)
    }

    fn release<'a>(
        &'a self,
        team: &'a TeamId,
        job: JobId,
        operation: Uuid,
        credits: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.0.release(team, job, operation, credits)
    }

    fn settle<'a>(&'a self, team: &'a TeamId, job: JobId, used: u64) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            check_exists(team)?;
            self.0.settle(team, job, used).await
        })
    }

    fn webhook_secret<'a>(&'a self, team: &'a TeamId) -> BoxFuture<'a, Result<Option<Secret>, Error>> {
        Box::pin(async move {
            check_exists(team)?;
            if team.as_str() == "hangs" && !self.1.swap(true, Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
            self.0.webhook_secret(team).await
        })
    }
}

fn check_exists(team: &TeamId) -> Result<(), Error> {
    match team.as_str() {
        "gone" => Err(PageError { code: ErrorCode::UnknownError, message: "no such team".to_owned() }.into()),
        _ => Ok(()),
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_that_cannot_be_signed_waits_and_does_not_count_against_its_receiver() {
    let gone = TeamConfig::new(team("gone"));
    let accounts = FailingAccounts::new(credits(100).with_team("key-gone", gone));
    let receiver = Receiver::new(&[200]);
    let (service, _) =
        service(ServiceConfig { accounts, deliver: deliver_to(&receiver), ..ServiceConfig::default() });
    for name in ["gone", "a"] {
        let webhook = Some(webhook("https://hook.example/x", &ALL_EVENTS));
        let plan = BatchPlan { webhook, ..plan(&["one"; 10]) };
        let id = service.batch(&team(name), plan, SubmitContext::default()).await.unwrap().id;
        tokio::time::sleep(Duration::from_secs(3_600)).await;
        assert!(service.dead_letters(&TeamId::new(name), BATCH, id).await.unwrap().is_empty(), "{name}");
        let expected = if name == "gone" { 0 } else { 12 };
        assert_eq!(receiver.all().len(), expected, "{name}: no event is sent without its signature");
    }
}

#[tokio::test(start_paused = true)]
async fn an_accounts_provider_that_hangs_is_called_again_before_the_delivery_lease_ends() {
    let config = TeamConfig::new(team("hangs"));
    let accounts = FailingAccounts::new(credits(100).with_team("key-hangs", config));
    let receiver = Receiver::new(&[200]);
    let (service, _) =
        service(ServiceConfig { accounts, deliver: deliver_to(&receiver), ..ServiceConfig::default() });
    let plan = BatchPlan { webhook: Some(webhook("https://hook.example/x", &ALL_EVENTS)), ..plan(&["one"]) };
    service.batch(&team("hangs"), plan, SubmitContext::default()).await.unwrap();
    tokio::time::sleep(DELIVERY_LEASE * 3).await;
    let received = receiver.all();
    assert_eq!(received.len(), 3, "each event once");
    assert!(received.iter().all(|event| event.at < DELIVERY_LEASE / 2), "{:?}", received[0].at);
}

#[tokio::test(start_paused = true)]
async fn a_failing_account_delays_no_other() {
    let gone = TeamConfig::new(team("gone")).credits(100);
    let accounts = FailingAccounts::new(credits(100).with_team("key-gone", gone));
    let (service, _) = service(ServiceConfig { accounts, ..ServiceConfig::default() });
    for _ in 0..3 {
        let id = service.batch(&team("gone"), plan(&["one"]), SubmitContext::default()).await.unwrap().id;
        let page = Page { skip: None, limit: None };
        while read(&service.status(&TeamId::new("gone"), BATCH, id, page, &next_url).await.unwrap()).completed
            == 0
        {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    let id = batch(&service, &["one", "broken"]).await;
    assert_eq!(ended(&service, id).await.credits_used, 1);
    settle().await;
    assert_eq!(balance(&service).await, 99, "unused reservations are back in the balance");
}

#[tokio::test]
async fn accounts_keep_the_rules_of_every_provider() {
    let limits = vec![(Operation::Crawl, 1)];
    let metered = TeamConfig::new(team("metered")).credits(5_000).requests_per_minute(limits);
    let teams = MemoryAccounts::new().with_team("first", metered);
    let teams = teams.with_team("second", TeamConfig::new(team("unmetered")));
    conformance::accounts(&teams, "first").await;
    conformance::accounts(&teams, "second").await;
    conformance::accounts(&UnlimitedAccounts::new().with_key("key", team("a")), "key").await;
}

#[tokio::test]
#[should_panic(expected = "the provider answers")]
async fn accounts_that_fail_are_found() {
    let gone = TeamConfig::new(team("gone")).credits(5_000);
    let failing = FailingAccounts::new(MemoryAccounts::new().with_team("key", gone));
    conformance::accounts(&*failing, "key").await;
}
