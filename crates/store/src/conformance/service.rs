//! The contract of a store for services with teams: accounts, events, turns, histories.

mod events;
mod history;

use gleaner_frontier::JobRules;
use gleaner_types::{JobId, JobKind, JobState};
use serde_json::json;
use uuid::Uuid;

use super::{Fixture, START, WORKER, candidate, candidates, document, failure};
use crate::{
    Admission, Conclusion, ErrorKind, JobAccount, NewJob, PageOutcome, ReadBound, Reservation, Retention,
    Store, TeamId, WaitingFor,
};

pub(super) async fn run<S: Store>(make: &impl AsyncFn() -> Fixture<S>) {
    stored_json_is_read_within_exact_limits(make().await).await;
    events::run(make).await;
    a_budget_is_never_overdrawn(make().await).await;
    a_job_without_credits_fails_when_its_leased_pages_are_done(make().await).await;
    a_grant_has_one_id_until_it_is_made(make().await).await;
    an_ended_job_is_reported_until_it_is_settled(make().await).await;
    a_settled_job_is_in_the_log(make().await).await;
    a_job_of_this_process_is_no_orphan(make().await).await;
    a_reservation_of_this_process_is_not_listed(make().await).await;
    teams_take_turns_and_keep_to_their_slots(make().await).await;
    a_new_job_gets_a_turn_at_once(make().await, &["a"]).await;
    a_new_job_gets_a_turn_at_once(make().await, &["a", "b"]).await;
    a_page_that_waited_for_a_slot_is_marked(make().await, false).await;
    a_page_that_waited_for_a_slot_is_marked(make().await, true).await;
    an_idempotency_key_is_used_once_per_team(make().await).await;
    pages_are_appended_while_a_job_runs(make().await).await;
    a_conclusion_ends_its_job(make().await).await;
    history::run(make).await;
}

impl<S: Store> Fixture<S> {
    pub(super) async fn submit_for(
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

    async fn finish_pages(&self, count: usize, price: u64) {
        for _ in 0..count {
            let page = self.lease_one().await;
            let outcome = match document(&page) {
                PageOutcome::Document(found, _) => PageOutcome::Document(found, price),
                other => other,
            };
            self.finish(page, outcome, &[]).await;
        }
    }
}

async fn stored_json_is_read_within_exact_limits<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a", "b", "c"]).await;
    fixture.drain(3).await;
    let read = async |from, documents, bytes| {
        let bound = ReadBound { documents, bytes };
        fixture.store.read_json(job, from, bound).await.expect("documents can be read")
    };
    let all = read(0, usize::MAX, usize::MAX).await;
    let sizes: Vec<usize> = all.documents.iter().map(bytes::Bytes::len).collect();
    assert_eq!((sizes.len(), all.next, all.end), (3, 3, true));
    let two: usize = sizes.iter().take(2).sum();
    assert_eq!(read(0, usize::MAX, two).await.documents.len(), 2, "documents that fit exactly are read");
    assert_eq!(read(0, usize::MAX, two - 1).await.documents.len(), 1, "one byte less is too little");
    assert_eq!(
        read(0, usize::MAX, 0).await.documents.len(),
        1,
        "the first document is read whatever its size"
    );
    let last = read(2, 1, usize::MAX).await;
    assert_eq!((last.documents.first(), last.end), (all.documents.get(2), true));
    assert_eq!(read(9, 1, usize::MAX).await.documents.len(), 0);
}

pub(super) fn budget(credits: u64, price: u64) -> impl FnOnce(&mut NewJob) {
    move |job| {
        if let Some(account) = job.account.as_mut() {
            (account.budget, account.price) = (Some(credits), price);
        }
    }
}

async fn a_budget_is_never_overdrawn<S: Store>(fixture: Fixture<S>) {
    let pages = ["a", "b", "c", "d", "e"];
    let job = fixture.submit_for(1, "a", &pages, budget(5, 2)).await;
    let leased = fixture.lease(10, 2).await;
    assert_eq!(leased.len(), 2, "two pages at two credits, not three");
    let short = async || fixture.store.accounting(10).await.expect("accounting can be read").short;
    let found = short().await;
    assert_eq!(found.iter().map(|short| (short.job, short.credits)).collect::<Vec<_>>(), [(job, 1)]);
    assert_eq!(short().await, found, "a repeated grant has the same id");
    let snapshot = fixture.store.snapshot(job).await.expect("a job has a snapshot");
    assert_eq!(snapshot.waiting_for, Some(WaitingFor::Credits));
    fixture.store.grant(job, 1, START).await.expect("credits can be granted");
    assert_eq!(fixture.lease(10, 1).await.len(), 1, "one more page for the granted credits");
    for page in leased {
        fixture.finish(page, failure(), &[]).await;
    }
    assert_eq!(fixture.lease(10, 2).await.len(), 2, "a failed page frees its price for another");
    assert!(short().await.is_empty(), "no more credits are needed");
}

async fn a_job_without_credits_fails_when_its_leased_pages_are_done<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit_for(1, "a", &["a", "b", "c"], budget(2, 1)).await;
    let mut leased = fixture.lease(10, 2).await;
    fixture.store.grant(job, 0, START).await.expect("credits can be denied");
    for (page, state) in [(leased.remove(0), JobState::Scraping), (leased.remove(0), JobState::Failed)] {
        let outcome = document(&page);
        fixture.finish(page, outcome, &[]).await;
        assert_eq!(fixture.state(job).await.0, state);
    }
    let snapshot = fixture.store.snapshot(job).await.expect("a job has a snapshot");
    assert_eq!((snapshot.completed, snapshot.error.as_deref()), (2, Some("insufficient credits")));
    assert_eq!(fixture.read(job, 0).await.0.len(), 2, "paid documents are readable");
}

async fn an_ended_job_is_reported_until_it_is_settled<S: Store>(fixture: Fixture<S>) {
    let first = fixture.submit_for(1, "a", &["a"], |_| {}).await;
    fixture.finish_pages(1, 3).await;
    let second = fixture.submit_for(2, "a", &["b"], |_| {}).await;
    fixture.store.remove(second, START).await.expect("a job can be removed");
    let ended = async || fixture.store.accounting(10).await.expect("accounting can be read").ended;
    let reported = ended().await;
    let reported: Vec<_> =
        reported.iter().map(|job| (job.snapshot.id, job.snapshot.state, job.snapshot.credits_used)).collect();
    assert_eq!(reported, [(first, JobState::Completed, 3), (second, JobState::Cancelled, 0)]);
    fixture.store.settled(first).await.expect("a job can be settled");
    fixture.store.settled(first).await.expect("settling twice does nothing");
    assert_eq!(ended().await.len(), 1);
}

async fn a_grant_has_one_id_until_it_is_made<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit_for(1, "a", &["a"], budget(0, 2)).await;
    let operation = async || {
        let mut short = fixture.store.accounting(10).await.expect("accounting can be read").short;
        short.pop().map(|short| short.operation)
    };
    let first = operation().await;
    fixture.store.append(job, candidates(&["b"]), 1, None, START).await.expect("pages can be appended");
    assert!(first.is_some());
    assert_eq!(operation().await, first, "credits of the user are no grant");
    fixture.store.grant(job, 0, START).await.expect("credits can be denied");
    let job = fixture.submit_for(2, "a", &["a"], budget(0, 2)).await;
    let before = operation().await;
    fixture.store.grant(job, 1, START).await.expect("a part of the credits can be granted");
    let after = operation().await;
    assert!(after.is_some() && after != before && after != first, "the next grant has another id");
}

async fn a_settled_job_is_in_the_log<S: Store>(fixture: Fixture<S>) {
    let team = TeamId::new("a");
    let job = fixture.submit_for(1, "a", &["a"], |_| {}).await;
    let secret = fixture.submit_for(2, "a", &["b"], |job| job.in_memory = true).await;
    fixture.finish_pages(2, 3).await;
    let log = async |max| fixture.store.activities(&team, max).await.expect("the log can be read");
    // A store need not have a log.
    let Some(before) = log(10).await else { return };
    assert!(before.is_empty(), "no job is settled");
    for id in [job, secret, job] {
        fixture.store.settled(id).await.expect("a job can be settled");
    }
    fixture.store.remove(job, START).await.expect("a job can be removed");
    let listed = log(10).await.unwrap_or_default();
    let mut urls: Vec<_> =
        listed.iter().map(|job| (job.snapshot.id, job.url.as_str(), job.snapshot.credits_used)).collect();
    urls.sort_unstable();
    assert_eq!(urls, [(job, candidate("a").url.as_str(), 3), (secret, "", 3)]);
    assert_eq!(log(1).await.map(|jobs| jobs.len()), Some(1));
    assert!(fixture.store.activities(&TeamId::new("b"), 10).await.is_ok_and(|jobs| jobs == Some(Vec::new())));
}

async fn a_job_of_this_process_is_no_orphan<S: Store>(fixture: Fixture<S>) {
    fixture.submit_for(1, "a", &[], |job| (job.sealed, job.kind) = (false, Some(JobKind::Extract))).await;
    let orphans = fixture.store.orphans(WORKER, JobKind::Extract).await;
    assert!(orphans.is_ok_and(|orphans| orphans.is_empty()));
}

async fn a_reservation_of_this_process_is_not_listed<S: Store>(fixture: Fixture<S>) {
    let (job, team) = (JobId::from_uuid(Uuid::from_u128(1)), TeamId::new("a"));
    let operation = Uuid::from_u128(7);
    let reservation = Reservation { operation, job, team, credits: 5 };
    fixture.store.intend(reservation, START).await.expect("a reservation can be recorded");
    let accounting = fixture.store.accounting(10).await.expect("accounting can be read");
    assert!(accounting.unsubmitted.is_empty(), "its process may still submit the job");
    fixture.store.withdrawn(operation).await.expect("a reservation can be withdrawn");
    fixture.store.withdrawn(operation).await.expect("an unknown reservation is ignored");
}

async fn teams_take_turns_and_keep_to_their_slots<S: Store>(fixture: Fixture<S>) {
    let names: Vec<String> = (0..60).map(|number| format!("p{number}")).collect();
    let pages: Vec<&str> = names.iter().map(String::as_str).collect();
    for number in 1..=3 {
        fixture.submit_for(number, "many", &pages, |_| {}).await;
    }
    let slots = |job: &mut NewJob| {
        if let Some(account) = job.account.as_mut() {
            account.slots = Some(4);
        }
    };
    let few = fixture.submit_for(9, "few", &pages, slots).await;
    let leased = fixture.lease(6, 6).await;
    let of_few = leased.iter().filter(|page| page.job == few).count();
    assert_eq!(of_few, 3, "each team gets turns, however many jobs it has");
    let more = fixture.lease(20, 20).await;
    let of_few = more.iter().filter(|page| page.job == few).count();
    assert_eq!((more.len(), of_few), (20, 1), "four slots; the others go to the other team");
    let mut jobs: Vec<JobId> = more.iter().map(|page| page.job).collect();
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(jobs.len(), 4, "the jobs of a team take turns too");
    let load = fixture.store.load(&TeamId::new("few")).await.expect("a load can be read");
    assert_eq!((load.jobs, load.leased, load.waiting), (1, 4, 56));
}

async fn a_new_job_gets_a_turn_at_once<S: Store>(fixture: Fixture<S>, teams: &[&str]) {
    let names: Vec<String> = (0..50).map(|number| format!("p{number}")).collect();
    let pages: Vec<&str> = names.iter().map(String::as_str).collect();
    for (of_team, team) in (1..).zip(teams) {
        for number in 1..=40 {
            fixture.submit_for(100 * of_team + number, team, &pages, |_| {}).await;
        }
    }
    fixture.finish_pages(teams.len() * 100, 1).await;
    let turns_until = async |job: JobId| {
        for turn in 1..1_000 {
            let page = fixture.lease_one().await;
            let (found, outcome) = (page.job == job, document(&page));
            fixture.finish(page, outcome, &[]).await;
            if found {
                return turn;
            }
        }
        1_000
    };
    for late in 0..10 {
        let job = fixture.submit_for(1_000 + late, "a", &["late"], |_| {}).await;
        let turns = turns_until(job).await;
        // While a store waits for its database, the pages that it has loaded go first.
        let rounds = if fixture.patience.is_zero() { 2 } else { 4 };
        assert!(turns <= rounds * teams.len(), "new job {late} waited for {turns} pages");
    }
    // An older job still gets turns, however many new jobs arrive.
    let old = JobId::from_uuid(Uuid::from_u128(101));
    let before = fixture.store.snapshot(old).await.expect("the job is there").completed;
    for new in 0..(teams.len() as u128 * 45) {
        fixture.submit_for(2_000 + 2 * new, "a", &["new"], |_| {}).await;
        fixture.submit_for(2_001 + 2 * new, "a", &["new"], |_| {}).await;
        fixture.finish_pages(2, 1).await;
    }
    let after = fixture.store.snapshot(old).await.expect("the job is there").completed;
    assert!(after > before, "a stream of new jobs starves the older ones");
}

/// Alone, or together with another team that takes its turns.
async fn a_page_that_waited_for_a_slot_is_marked<S: Store>(fixture: Fixture<S>, with_another_team: bool) {
    let of = |team: &'static str| {
        move |job: &mut NewJob| {
            job.sealed = false;
            if let Some(account) = job.account.as_mut() {
                account.slots = Some(if team == "a" { 2 } else { 50 });
            }
        }
    };
    if with_another_team {
        fixture.submit_for(9, "b", &["of-b"], of("b")).await;
    }
    let job = fixture.submit_for(1, "a", &["p0", "p1", "p2", "p3"], of("a")).await;
    let mut leases = fixture.lease(20, 2 + usize::from(with_another_team)).await;
    leases.retain(|page| page.job == job);
    let mut waited: Vec<bool> = leases.iter().map(|page| page.waited_for_slot).collect();
    // Each page leaves its slot to a waiting page, and the last one to a link that has not waited for it. A
    // store that waits for a database may load the link before that slot is free, so there the link comes
    // later.
    let is_linked = fixture.patience.is_zero();
    while let Some(page) = leases.pop() {
        let is_last = waited.len() == 4 && leases.is_empty();
        let links: &[&str] = if is_last && is_linked { &["late"] } else { &[] };
        let ready = usize::from(waited.len() < 4 || is_last);
        fixture.finish(page, PageOutcome::Skipped, links).await;
        if is_last && !is_linked {
            let late = Admission::new(0, candidates(&["late"]));
            fixture.store.admit(job, late, START).await.expect("pages can be admitted");
        }
        let more = fixture.lease(20, ready).await;
        waited.extend(more.iter().map(|page| page.waited_for_slot));
        leases.extend(more);
    }
    assert_eq!(waited, [false, false, true, true, false]);
}

async fn an_idempotency_key_is_used_once_per_team<S: Store>(fixture: Fixture<S>) {
    let key = |job: &mut NewJob| {
        if let Some(account) = job.account.as_mut() {
            account.idempotency_key = Some(Uuid::from_u128(5));
        }
    };
    fixture.submit_for(1, "a", &["a"], key).await;
    fixture.submit_for(2, "b", &["a"], key).await;
    let id = JobId::from_uuid(Uuid::from_u128(3));
    let mut job = NewJob::new(id, Some(JobKind::BatchScrape), JobRules::with_limit(1), candidates(&["a"]));
    job.account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
    key(&mut job);
    let again = fixture.store.submit(job, START).await;
    assert!(again.is_err_and(|error| error.kind() == ErrorKind::KeyUsed));
    assert!(fixture.store.snapshot(id).await.is_err(), "no job was created");
}

async fn pages_are_appended_while_a_job_runs<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit_for(1, "a", &["a"], budget(1, 1)).await;
    fixture.store.append(job, candidates(&["b"]), 1, None, START).await.expect("pages can be appended");
    fixture.finish_pages(2, 1).await;
    assert_eq!(fixture.state(job).await, (JobState::Completed, 2, 2));
    let late = fixture.store.append(job, candidates(&["c"]), 1, None, START).await;
    assert!(late.is_err_and(|error| error.is_job_ended()));
}

async fn a_conclusion_ends_its_job<S: Store>(fixture: Fixture<S>) {
    let job =
        fixture.submit_for(1, "a", &[], |job| (job.sealed, job.kind) = (false, Some(JobKind::Extract))).await;
    let running =
        fixture.store.running(&TeamId::new("a"), JobKind::Extract).await.expect("jobs can be listed");
    assert_eq!(running.iter().map(|listing| listing.snapshot.id).collect::<Vec<_>>(), [job]);
    let used = async |job| {
        let snapshot = fixture.store.snapshot(job).await.expect("a job has a snapshot");
        (snapshot.state, snapshot.tokens_used, snapshot.credits_used)
    };
    for tokens in [30, 60] {
        fixture.store.charge(job, tokens, tokens / 15).await.expect("a running job can be charged");
        assert_eq!(used(job).await, (JobState::Scraping, tokens, tokens / 15), "the last values count");
    }
    let conclusion =
        Conclusion { data: json!({"a": 1}), tokens_used: 105, credits: 7, ..Conclusion::default() };
    fixture.store.conclude(job, conclusion.clone(), START).await.expect("a job can conclude");
    assert_eq!(used(job).await, (JobState::Completed, 105, 7));
    let late = fixture.store.charge(job, 150, 10).await;
    assert!(late.is_err_and(|error| error.is_job_ended()));
    assert_eq!(fixture.store.conclusion(job).await.expect("it can be read"), Some(conclusion.clone()));
    let again = fixture.store.conclude(job, conclusion, START).await;
    assert!(again.is_err_and(|error| error.is_job_ended()));
}
