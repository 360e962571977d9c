//! What a store promises to those who serve teams: accounts, events, turns, histories.

use gleaner_frontier::JobRules;
use gleaner_types::plan::{EventKind, WebhookPlan};
use gleaner_types::{Document, JobKind, JobState};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use uuid::Uuid;

use super::{Bench, START, candidates, document, failure};
use crate::{
    Conclusion, DELIVERY_LEASE, DeliveryOutcome, DueEvent, ErrorKind, EventId, FinishedPage, HistoryKey,
    JobAccount, LeasedPage, NewJob, PageOutcome, PastScrape, ReadBound, Receipt, Remembered, Retention,
    Store, TeamId, scrape_id,
};
use gleaner_types::JobId;

const MINUTE: Duration = Duration::from_secs(60);

pub(super) async fn run<S: Store>(make: &impl Fn() -> S) {
    stored_json_is_read_within_exact_bounds(Bench::new(make())).await;
    events_are_written_with_what_they_tell_of_and_leave_in_order(Bench::new(make())).await;
    an_event_whose_sender_is_lost_is_due_again(Bench::new(make())).await;
    an_event_given_up_is_listed_and_the_next_is_due(Bench::new(make())).await;
    events_outlive_the_removal_of_their_job(Bench::new(make())).await;
    a_budget_is_never_overdrawn_by_a_page_that_has_not_started(Bench::new(make())).await;
    a_job_without_credits_fails_when_its_pages_in_work_are_done(Bench::new(make())).await;
    the_end_of_a_job_is_told_until_it_is_settled(Bench::new(make())).await;
    teams_take_turns_and_keep_to_their_slots(Bench::new(make())).await;
    a_new_job_has_its_turn_at_once(Bench::new(make()), &["a"]).await;
    a_new_job_has_its_turn_at_once(Bench::new(make()), &["a", "b"]).await;
    a_page_that_waited_for_a_slot_says_so(Bench::new(make()), false).await;
    a_page_that_waited_for_a_slot_says_so(Bench::new(make()), true).await;
    a_key_is_used_once_by_a_team(Bench::new(make())).await;
    pages_are_appended_while_a_job_runs(Bench::new(make())).await;
    a_conclusion_ends_its_job(Bench::new(make())).await;
    a_history_gives_the_scrape_before(Bench::new(make())).await;
    a_scrape_that_nobody_got_is_not_remembered(Bench::new(make())).await;
    a_document_is_found_by_its_scrape_and_by_its_team_alone(Bench::new(make())).await;
}

impl<S: Store> Bench<S> {
    async fn submit_for(
        &self,
        number: u128,
        team: &str,
        pages: &[&str],
        more: impl FnOnce(&mut NewJob),
    ) -> JobId {
        let id = JobId::from_uuid(Uuid::from_u128(number));
        let rules = JobRules::with_limit(u64::MAX);
        let mut job = NewJob::new(id, Some(JobKind::BatchScrape), rules, candidates(pages));
        job.retention = Retention::Keep;
        job.account = Some(Box::new(JobAccount::of(TeamId::new(team))));
        more(&mut job);
        self.store.submit(job, START).await.expect("a job can be submitted");
        id
    }

    async fn due(&self, now: Duration) -> Option<DueEvent> {
        let mut due = self.store.due(10, now).await.expect("events can be taken");
        assert!(due.events.len() <= 1, "a job has one event on its way");
        due.events.pop()
    }

    async fn body(&self, event: EventId) -> Vec<u8> {
        let body = self.store.event_body(event).await.expect("a body can be written");
        body.expect("an event that was taken has a body")
    }

    async fn told(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) {
        self.store.delivered(event, outcome, now).await.expect("an outcome can be told");
    }

    async fn finish_remembered(&self, page: LeasedPage, key: &HistoryKey, text: &str) -> Receipt {
        let page = remembered(page, key, text);
        self.store.finish(page, START).await.expect("a page can be finished")
    }

    async fn work(&self, count: usize, price: u64) -> usize {
        let mut done = 0;
        for _ in 0..count {
            let Some(page) = self.lease(1).await.pop() else { break };
            let outcome = match document(&page) {
                PageOutcome::Document(found, _) => PageOutcome::Document(found, price),
                other => other,
            };
            self.finish(page, outcome, &[]).await;
            done += 1;
        }
        done
    }
}

fn webhook() -> Option<Arc<WebhookPlan>> {
    Some(Arc::new(WebhookPlan {
        url: Url::parse("https://hook.example/").expect("the suite's addresses are valid"),
        headers: Default::default(),
        metadata: Default::default(),
        events: [EventKind::Started, EventKind::Page, EventKind::Completed, EventKind::Cancelled].into(),
    }))
}

async fn stored_json_is_read_within_exact_bounds<S: Store>(bench: Bench<S>) {
    let job = bench.submit(1, 10, Retention::Keep, &["a", "b", "c"]).await;
    bench.drain().await;
    let read = async |from, documents, bytes| {
        let bound = ReadBound { documents, bytes };
        bench.store.read_json(job, from, bound).await.expect("documents can be read")
    };
    let all = read(0, usize::MAX, usize::MAX).await;
    let sizes: Vec<usize> = all.documents.iter().map(bytes::Bytes::len).collect();
    assert_eq!((sizes.len(), all.next, all.end), (3, 3, true));
    let two: usize = sizes.iter().take(2).sum();
    assert_eq!(read(0, usize::MAX, two).await.documents.len(), 2, "what has room exactly is read");
    assert_eq!(read(0, usize::MAX, two - 1).await.documents.len(), 1, "and a byte less is too little");
    assert_eq!(read(0, usize::MAX, 0).await.documents.len(), 1, "one is read whatever its size");
    let last = read(2, 1, usize::MAX).await;
    assert_eq!((last.documents.first(), last.end), (all.documents.get(2), true));
    assert_eq!(read(9, 1, usize::MAX).await.documents.len(), 0);
}

async fn events_are_written_with_what_they_tell_of_and_leave_in_order<S: Store>(bench: Bench<S>) {
    let mut chores = bench.store.chores();
    chores.mark_unchanged();
    let job = bench.submit_for(1, "a", &["a", "b"], |job| job.webhook = webhook()).await;
    assert!(chores.has_changed().is_ok_and(|changed| changed), "who delivers is told");
    let page = bench.lease(1).await.remove(0);
    let outcome = document(&page);
    bench.finish(page, outcome, &[]).await;
    let page = bench.lease(1).await.remove(0);
    bench.finish(page, failure(), &[]).await;
    let mut kinds = Vec::new();
    while let Some(event) = bench.due(START).await {
        assert!(bench.due(START).await.is_none(), "the next waits for the outcome of this one");
        assert_eq!((event.id.job, event.id.sequence), (job, kinds.len() as u64));
        let body: Value = serde_json::from_slice(&bench.body(event.id).await).expect("a body is JSON");
        assert_eq!(body.get("webhookId"), Some(&json!(event.id.webhook_id())));
        assert_eq!(body.get("type"), Some(&json!(event.name)));
        kinds.push((event.name.event, body.get("success").and_then(Value::as_bool)));
        bench.told(event.id, DeliveryOutcome::Delivered, START).await;
        let gone = bench.store.event_body(event.id).await.expect("a body can be asked for");
        assert!(gone.is_none(), "of an event that is gone there is no body");
    }
    let expected = [
        (EventKind::Started, Some(true)),
        (EventKind::Page, Some(true)),
        (EventKind::Page, Some(false)),
        (EventKind::Completed, Some(true)),
    ];
    assert_eq!(kinds, expected);
}

async fn an_event_whose_sender_is_lost_is_due_again<S: Store>(bench: Bench<S>) {
    bench.submit_for(1, "a", &["a"], |job| job.webhook = webhook()).await;
    let first = bench.due(START).await.expect("the start is told");
    let body = bench.body(first.id).await;
    assert!(bench.due(START + DELIVERY_LEASE - MINUTE).await.is_none());
    let later = START + DELIVERY_LEASE;
    let again = bench.due(later).await.expect("it is due again");
    assert_eq!(
        (again.id, &bench.body(again.id).await),
        (first.id, &body),
        "the same event in the same bytes"
    );
    bench.told(again.id, DeliveryOutcome::Retry { not_before: later + MINUTE }, later).await;
    assert!(bench.due(later).await.is_none());
    let third = bench.due(later + MINUTE).await.expect("it is tried again when it said");
    assert_eq!((third.id, third.attempt, &bench.body(third.id).await), (first.id, 1, &body));
    bench.told(third.id, DeliveryOutcome::Delivered, later).await;
    let late = DeliveryOutcome::GivenUp { reason: String::new(), tried: true };
    bench.told(third.id, late, later).await;
    let dead = bench.store.dead_letters(third.id.job).await.expect("dead letters can be listed");
    assert!(dead.is_empty(), "an outcome told twice counts once");
}

async fn an_event_given_up_is_listed_and_the_next_is_due<S: Store>(bench: Bench<S>) {
    let job = bench.submit_for(1, "a", &["a"], |job| job.webhook = webhook()).await;
    bench.drain().await;
    let given_up = |tried| DeliveryOutcome::GivenUp { reason: "gone".to_owned(), tried };
    let first = bench.due(START).await.expect("the start is told");
    bench.told(first.id, DeliveryOutcome::Retry { not_before: START }, START).await;
    bench.told(first.id, DeliveryOutcome::Postponed { not_before: START }, START).await;
    bench.told(first.id, given_up(true), START).await;
    let next = bench.due(START).await.expect("the next one's turn has come");
    assert_eq!((next.id.sequence, next.attempt), (1, 0), "with tries of its own");
    bench.told(next.id, given_up(false), START).await;
    let dead = bench.store.dead_letters(job).await.expect("dead letters can be listed");
    let listed: Vec<_> =
        dead.iter().map(|letter| (letter.id, letter.attempts, letter.reason.as_str())).collect();
    assert_eq!(listed, [(first.id, 2, "gone"), (next.id, 0, "gone")], "with the tries that were made");
}

async fn events_outlive_the_removal_of_their_job<S: Store>(bench: Bench<S>) {
    let job = bench.submit_for(1, "a", &["a", "b"], |job| job.webhook = webhook()).await;
    bench.work(1, 1).await;
    bench.store.remove(job, START).await.expect("a job can be removed");
    assert!(bench.store.snapshot(job).await.is_err_and(|error| error.is_unknown_job()));
    let mut kinds = Vec::new();
    while let Some(event) = bench.due(START).await {
        kinds.push(event.name.event);
        bench.told(event.id, DeliveryOutcome::Delivered, START).await;
    }
    assert_eq!(kinds, [EventKind::Started, EventKind::Page, EventKind::Cancelled]);
}

fn budget(credits: u64, price: u64) -> impl FnOnce(&mut NewJob) {
    move |job| {
        if let Some(account) = job.account.as_mut() {
            (account.budget, account.price) = (Some(credits), price);
        }
    }
}

async fn a_budget_is_never_overdrawn_by_a_page_that_has_not_started<S: Store>(bench: Bench<S>) {
    let pages = ["a", "b", "c", "d", "e"];
    let job = bench.submit_for(1, "a", &pages, budget(5, 2)).await;
    let leased = bench.lease(10).await;
    assert_eq!(leased.len(), 2, "two pages at two credits, and not three");
    let short = bench.store.accounting(10).await.expect("accounting can be read").short;
    assert_eq!(short.iter().map(|short| (short.job, short.credits)).collect::<Vec<_>>(), [(job, 1)]);
    bench.store.grant(job, 1, START).await.expect("credits can be granted");
    assert_eq!(bench.lease(10).await.len(), 1, "one more for what was granted");
    for page in leased {
        bench.finish(page, failure(), &[]).await;
    }
    assert_eq!(bench.lease(10).await.len(), 2, "a page that failed leaves its price to another");
    let short = bench.store.accounting(10).await.expect("accounting can be read").short;
    assert!(short.is_empty(), "nothing more is wanted");
}

async fn a_job_without_credits_fails_when_its_pages_in_work_are_done<S: Store>(bench: Bench<S>) {
    let job = bench.submit_for(1, "a", &["a", "b", "c"], budget(2, 1)).await;
    let mut leased = bench.lease(10).await;
    bench.store.grant(job, 0, START).await.expect("credits can be denied");
    for (page, state) in [(leased.remove(0), JobState::Scraping), (leased.remove(0), JobState::Failed)] {
        let outcome = document(&page);
        bench.finish(page, outcome, &[]).await;
        assert_eq!(bench.state(job).await.0, state);
    }
    let snapshot = bench.store.snapshot(job).await.expect("a job has a snapshot");
    assert_eq!((snapshot.completed, snapshot.error.as_deref()), (2, Some("insufficient credits")));
    assert_eq!(bench.read(job, 0).await.0.len(), 2, "what is paid for is readable");
}

async fn the_end_of_a_job_is_told_until_it_is_settled<S: Store>(bench: Bench<S>) {
    let first = bench.submit_for(1, "a", &["a"], |_| {}).await;
    bench.work(1, 3).await;
    let second = bench.submit_for(2, "a", &["b"], |_| {}).await;
    bench.store.remove(second, START).await.expect("a job can be removed");
    let ended = async || bench.store.accounting(10).await.expect("accounting can be read").ended;
    let told = ended().await;
    let told: Vec<_> =
        told.iter().map(|job| (job.snapshot.id, job.snapshot.state, job.snapshot.credits_used)).collect();
    assert_eq!(told, [(first, JobState::Completed, 3), (second, JobState::Cancelled, 0)]);
    bench.store.settled(first).await.expect("a job can be settled");
    bench.store.settled(first).await.expect("settling twice does nothing");
    assert_eq!(ended().await.len(), 1);
}

async fn teams_take_turns_and_keep_to_their_slots<S: Store>(bench: Bench<S>) {
    let names: Vec<String> = (0..60).map(|number| format!("p{number}")).collect();
    let pages: Vec<&str> = names.iter().map(String::as_str).collect();
    for number in 1..=3 {
        bench.submit_for(number, "many", &pages, |_| {}).await;
    }
    let slots = |job: &mut NewJob| {
        if let Some(account) = job.account.as_mut() {
            account.slots = Some(4);
        }
    };
    let few = bench.submit_for(9, "few", &pages, slots).await;
    let leased = bench.lease(6).await;
    let of_few = leased.iter().filter(|page| page.job == few).count();
    assert_eq!(of_few, 3, "each team has its turn, whatever the number of its jobs");
    let more = bench.lease(20).await;
    let of_few = more.iter().filter(|page| page.job == few).count();
    assert_eq!((more.len(), of_few), (20, 1), "four slots, and the others go to who has room");
    let mut jobs: Vec<JobId> = more.iter().map(|page| page.job).collect();
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(jobs.len(), 4, "the jobs of a team take turns as well");
    let load = bench.store.load(&TeamId::new("few")).await.expect("a load can be read");
    assert_eq!((load.jobs, load.leased, load.waiting), (1, 4, 56));
}

async fn a_new_job_has_its_turn_at_once<S: Store>(bench: Bench<S>, teams: &[&str]) {
    let names: Vec<String> = (0..50).map(|number| format!("p{number}")).collect();
    let pages: Vec<&str> = names.iter().map(String::as_str).collect();
    for (of_team, team) in (1..).zip(teams) {
        for number in 1..=40 {
            bench.submit_for(100 * of_team + number, team, &pages, |_| {}).await;
        }
    }
    bench.work(teams.len() * 100, 1).await;
    let turns_until = async |job: JobId| {
        for turn in 1..1_000 {
            let page = bench.lease(1).await.remove(0);
            let (found, outcome) = (page.job == job, document(&page));
            bench.finish(page, outcome, &[]).await;
            if found {
                return turn;
            }
        }
        1_000
    };
    for late in 0..10 {
        let job = bench.submit_for(1_000 + late, "a", &["late"], |_| {}).await;
        let turns = turns_until(job).await;
        assert!(turns <= 2 * teams.len(), "a new job waited for {turns} pages");
    }
    // However many come, an older job has its turn.
    let old = JobId::from_uuid(Uuid::from_u128(101));
    let before = bench.store.snapshot(old).await.expect("the job is there").completed;
    for new in 0..(teams.len() as u128 * 45) {
        bench.submit_for(2_000 + 2 * new, "a", &["new"], |_| {}).await;
        bench.submit_for(2_001 + 2 * new, "a", &["new"], |_| {}).await;
        bench.work(2, 1).await;
    }
    let after = bench.store.snapshot(old).await.expect("the job is there").completed;
    assert!(after > before, "a stream of new jobs starves the older ones");
}

/// Alone, or beside a team that takes its turns.
async fn a_page_that_waited_for_a_slot_says_so<S: Store>(bench: Bench<S>, beside_another: bool) {
    let of = |team: &'static str| {
        move |job: &mut NewJob| {
            job.sealed = false;
            if let Some(account) = job.account.as_mut() {
                account.slots = Some(if team == "a" { 2 } else { 50 });
            }
        }
    };
    if beside_another {
        bench.submit_for(9, "b", &["of-b"], of("b")).await;
    }
    let job = bench.submit_for(1, "a", &["p0", "p1", "p2", "p3"], of("a")).await;
    let mut leases = bench.lease(20).await;
    leases.retain(|page| page.job == job);
    let mut waited: Vec<bool> = leases.iter().map(|page| page.waited_for_slot).collect();
    // Each leaves its slot to one that waits, and the last of them to a link that has not waited for it.
    while let Some(page) = leases.pop() {
        let links: &[&str] = if waited.len() == 4 && leases.is_empty() { &["late"] } else { &[] };
        bench.finish(page, PageOutcome::Skipped, links).await;
        let more = bench.lease(20).await;
        waited.extend(more.iter().map(|page| page.waited_for_slot));
        leases.extend(more);
    }
    assert_eq!(waited, [false, false, true, true, false]);
}

async fn a_key_is_used_once_by_a_team<S: Store>(bench: Bench<S>) {
    let key = |job: &mut NewJob| {
        if let Some(account) = job.account.as_mut() {
            account.idempotency_key = Some(Uuid::from_u128(5));
        }
    };
    bench.submit_for(1, "a", &["a"], key).await;
    bench.submit_for(2, "b", &["a"], key).await;
    let id = JobId::from_uuid(Uuid::from_u128(3));
    let mut job = NewJob::new(id, Some(JobKind::BatchScrape), JobRules::with_limit(1), candidates(&["a"]));
    job.account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
    key(&mut job);
    let again = bench.store.submit(job, START).await;
    assert!(again.is_err_and(|error| error.kind() == ErrorKind::KeyUsed));
    assert!(bench.store.snapshot(id).await.is_err(), "no job was begun");
}

async fn pages_are_appended_while_a_job_runs<S: Store>(bench: Bench<S>) {
    let job = bench.submit_for(1, "a", &["a"], budget(1, 1)).await;
    bench.store.append(job, candidates(&["b"]), 1, None, START).await.expect("pages can be appended");
    assert_eq!(bench.work(9, 1).await, 2);
    assert_eq!(bench.state(job).await, (JobState::Completed, 2, 2));
    let late = bench.store.append(job, candidates(&["c"]), 1, None, START).await;
    assert!(late.is_err_and(|error| error.is_job_ended()));
}

async fn a_conclusion_ends_its_job<S: Store>(bench: Bench<S>) {
    let job =
        bench.submit_for(1, "a", &[], |job| (job.sealed, job.kind) = (false, Some(JobKind::Extract))).await;
    let running = bench.store.running(&TeamId::new("a"), JobKind::Extract).await.expect("jobs can be listed");
    assert_eq!(running.iter().map(|listing| listing.snapshot.id).collect::<Vec<_>>(), [job]);
    let used = async |job| {
        let snapshot = bench.store.snapshot(job).await.expect("a job has a snapshot");
        (snapshot.state, snapshot.tokens_used, snapshot.credits_used)
    };
    for tokens in [30, 60] {
        bench.store.charge(job, tokens, tokens / 15).await.expect("a running job can be charged");
        assert_eq!(used(job).await, (JobState::Scraping, tokens, tokens / 15), "the last word holds");
    }
    let conclusion =
        Conclusion { data: json!({"a": 1}), tokens_used: 105, credits: 7, ..Conclusion::default() };
    bench.store.conclude(job, conclusion.clone(), START).await.expect("a job can conclude");
    assert_eq!(used(job).await, (JobState::Completed, 105, 7));
    let late = bench.store.charge(job, 150, 10).await;
    assert!(late.is_err_and(|error| error.is_job_ended()));
    assert_eq!(bench.store.conclusion(job).await.expect("it can be read"), Some(conclusion.clone()));
    let again = bench.store.conclude(job, conclusion, START).await;
    assert!(again.is_err_and(|error| error.is_job_ended()));
}

async fn a_history_gives_the_scrape_before<S: Store>(bench: Bench<S>) {
    let key = |team: &str, tag: Option<&str>| HistoryKey {
        team: TeamId::new(team),
        url: "http://a.example/".to_owned(),
        tag: tag.map(str::to_owned),
    };
    // A job of one page, and what it is told of the time before; the page is done as often as there are texts.
    let scrape = async |number: u128, key: HistoryKey, texts: &[&str]| {
        let pages: Vec<String> = (0..texts.len()).map(|page| format!("p{page}")).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let job = bench.submit_for(number, key.team.as_str(), &pages, |_| {}).await;
        let mut told = Vec::new();
        for text in texts {
            let before = bench.store.last_scrape(job, &key).await.expect("a history can be read");
            told.push(before.map(|before| before.markdown.to_string()));
            let page = bench.lease(1).await.remove(0);
            bench.finish_remembered(page, &key, text).await;
        }
        told
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(scrape(1, key("a", None), &["one"]).await, [None]);
    let twice = scrape(2, key("a", None), &["two", "two again"]).await;
    assert_eq!(twice, [some("one"), some("one")], "a page done twice is told the same");
    assert_eq!(scrape(3, key("a", None), &["three"]).await, [some("two again")]);
    assert_eq!(scrape(4, key("a", Some("x")), &["four"]).await, [None], "a tag has its own history");
    assert_eq!(scrape(5, key("b", None), &["five"]).await, [None], "and so has a team");
}

async fn a_scrape_that_nobody_got_is_not_remembered<S: Store>(bench: Bench<S>) {
    let key = HistoryKey { team: TeamId::new("a"), url: "http://a.example/".to_owned(), tag: None };
    let other = JobId::from_uuid(Uuid::from_u128(99));
    let last = async || {
        let last = bench.store.last_scrape(other, &key).await.expect("a history can be read");
        last.map(|scrape| scrape.markdown.to_string())
    };
    // Its job was cancelled meanwhile.
    let job = bench.submit_for(1, "a", &["a"], |_| {}).await;
    let late = bench.lease(1).await.remove(0);
    bench.store.cancel(job, START).await.expect("a running job can be cancelled");
    assert!(!bench.finish_remembered(late, &key, "too late").await.accepted);
    assert_eq!(last().await, None, "what came too late");
    // Its target has a place of its own in the queue.
    bench.submit_for(2, "a", &["old", "new"], |_| {}).await;
    for page in bench.lease(2).await {
        let text = page.url.host_str().unwrap_or_default().to_owned();
        let moved = text.starts_with("old").then(|| super::candidate("new").key);
        let finished = FinishedPage { redirected_to: moved, ..remembered(page, &key, &text) };
        bench.store.finish(finished, START).await.expect("a page can be finished");
    }
    assert_eq!(last().await.as_deref(), Some("new.example"), "a duplicate is no scrape");
    // It gave no document.
    bench.submit_for(3, "a", &["b"], |_| {}).await;
    let page = bench.lease(1).await.remove(0);
    let finished = FinishedPage { outcome: failure(), ..remembered(page, &key, "a failure") };
    bench.store.finish(finished, START).await.expect("a page can be finished");
    assert_eq!(last().await.as_deref(), Some("new.example"));
}

fn remembered(page: LeasedPage, key: &HistoryKey, text: &str) -> FinishedPage {
    let scrape = PastScrape { at: START, status: Some(200), markdown: Arc::from(text), json: None };
    let outcome = document(&page);
    let remembered = Some(Box::new(Remembered { key: key.clone(), scrape }));
    FinishedPage { remembered, ..FinishedPage::new(page, outcome) }
}

async fn a_document_is_found_by_its_scrape_and_by_its_team_alone<S: Store>(bench: Bench<S>) {
    let with_id = |scrape: Uuid| {
        let mut document = Document { markdown: Some(scrape.to_string()), ..Document::default() };
        document.metadata.scrape_id = Some(scrape.to_string());
        document
    };
    let found = async |team: &str, scrape: Uuid| {
        let found =
            bench.store.scraped(&TeamId::new(team), scrape).await.expect("a scrape can be looked for");
        let document = found.map(|json| serde_json::from_slice::<Document>(&json).expect("it is JSON"));
        document.and_then(|document| document.markdown)
    };
    // Pages of two jobs whose ids begin alike, and of a stream.
    let scrapes = [(1, "a", Retention::Keep), (2, "a", Retention::Keep), (3, "a", Retention::Stream)];
    let mut kept = Vec::new();
    for (number, team, retention) in scrapes {
        let job = bench.submit_for(number, team, &["x", "y"], |job| job.retention = retention).await;
        for random in 0..2 {
            let scrape = scrape_id(job, u64::try_from(number).unwrap_or_default() * 10 + random);
            let page = bench.lease(1).await.remove(0);
            let outcome = PageOutcome::Document(Box::new(with_id(scrape)), 1);
            bench.finish(page, outcome, &[]).await;
            kept.push((scrape, retention == Retention::Keep));
        }
    }
    for (scrape, is_kept) in &kept {
        assert_eq!(found("a", *scrape).await, is_kept.then(|| scrape.to_string()));
        assert_eq!(found("b", *scrape).await, None, "another team finds nothing");
    }
    // A page that was answered at once.
    let once = scrape_id(JobId::from_uuid(Uuid::from_u128(9)), 99);
    bench.store.keep_scrape(&TeamId::new("a"), &with_id(once), START).await.expect("a scrape can be kept");
    bench.store.keep_scrape(&TeamId::new("a"), &Document::default(), START).await.expect("without an id too");
    assert_eq!(found("a", once).await, Some(once.to_string()));
    assert_eq!(found("b", once).await, None);
    // All of it goes with the results.
    bench.store.expire(START + Duration::from_secs(25 * 3_600)).await.expect("time may pass");
    assert_eq!(found("a", once).await, None);
    for (scrape, _) in kept {
        assert_eq!(found("a", scrape).await, None);
    }
}
