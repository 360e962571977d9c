//! The contract of leases: finishing many pages, and workers that stop.

use gleaner_types::JobState;

use super::{Fixture, START, WORKER, candidates, document, failure};
use crate::{FinishedPage, LeasedPage, PageOutcome, Receipt, Retention, Store, WaitingFor, WorkerId};

pub(super) async fn run<S: Store>(make: &impl AsyncFn() -> Fixture<S>) {
    receipts_are_in_the_order_of_the_pages(make().await).await;
    a_page_finished_twice_at_once_counts_once(make().await).await;
    a_released_page_goes_to_another_worker(make().await).await;
    a_worker_releases_only_its_own_pages(make().await).await;
    a_release_ends_what_a_denied_job_waits_for(make().await).await;
    a_lease_of_another_epoch_changes_nothing(make().await).await;
    a_renewal_keeps_leases(make().await).await;
    a_paused_job_waits_for_its_user(make().await).await;
}

impl<S: Store> Fixture<S> {
    async fn lease_one_to(&self, worker: u128) -> LeasedPage {
        self.lease_at(another(worker), 1, 1, START).await.remove(0)
    }

    async fn finish_many(&self, pages: Vec<FinishedPage>) -> Vec<Receipt> {
        self.store.finish_many(pages, START).await.expect("pages can be finished")
    }
}

/// A worker beside that of the suite.
fn another(number: u128) -> WorkerId {
    WorkerId::from_uuid(uuid::Uuid::from_u128(100 + number))
}

fn finished(lease: &LeasedPage, links: &[&str]) -> FinishedPage {
    FinishedPage { links: candidates(links), ..FinishedPage::new(lease.clone(), document(lease)) }
}

const fn receipt(admitted: u64, job_ended: bool) -> Receipt {
    Receipt { accepted: true, admitted, job_ended }
}

async fn receipts_are_in_the_order_of_the_pages<S: Store>(fixture: Fixture<S>) {
    let first = fixture.submit(1, 10, Retention::Keep, &["a", "b"]).await;
    let second = fixture.submit(2, 10, Retention::Keep, &["c"]).await;
    let mut pages = fixture.lease(10, 3).await;
    pages.sort_by_key(|page| page.url.clone());
    assert_eq!(pages.iter().map(|page| page.job).collect::<Vec<_>>(), [first, first, second]);
    let links: [&[&str]; 3] = [&["x", "y"], &["y", "z"], &[]];
    let finished = pages.iter().zip(links).map(|(page, links)| finished(page, links)).collect();
    let receipts = fixture.finish_many(finished).await;
    assert_eq!(receipts, [receipt(2, false), receipt(1, false), receipt(0, true)]);
    assert_eq!(fixture.read(first, 0).await.0, ["a.example", "b.example"], "documents have the same order");
    assert_eq!(fixture.state(first).await, (JobState::Scraping, 2, 5));
    assert!(fixture.finish_many(Vec::new()).await.is_empty());
}

async fn a_page_finished_twice_at_once_counts_once<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a", "b"]).await;
    let pages = fixture.lease(2, 2).await;
    let mut twice: Vec<FinishedPage> = pages.iter().map(|page| finished(page, &["x"])).collect();
    twice.extend(pages.iter().map(|page| FinishedPage::new(page.clone(), failure())));
    let receipts = fixture.finish_many(twice).await;
    assert_eq!(receipts, [receipt(1, false), receipt(0, false), Receipt::default(), Receipt::default()]);
    let snapshot = fixture.store.snapshot(job).await.expect("a job has a snapshot");
    assert_eq!((snapshot.completed, snapshot.failed, snapshot.credits_used), (2, 0, 2));
    assert_eq!(fixture.read(job, 0).await.0.len(), 2);
}

async fn a_released_page_goes_to_another_worker<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    for _ in 0..20 {
        let lost = fixture.lease_one_to(1).await;
        assert_eq!(lost.attempt, 0, "a released page was not attempted");
        fixture.store.release(another(1), START).await.expect("leases can be released");
        let late = finished(&lost, &["x"]);
        assert_eq!(fixture.finish_many(vec![late]).await, [Receipt::default()], "its lease is over");
    }
    let page = fixture.lease_one_to(2).await;
    fixture.store.release(another(1), START).await.expect("a worker without leases can release them");
    assert_eq!(fixture.finish_many(vec![finished(&page, &[])]).await, [receipt(0, true)]);
    assert_eq!(fixture.read(job, 0).await.0.len(), 1);
}

async fn a_worker_releases_only_its_own_pages<S: Store>(fixture: Fixture<S>) {
    fixture.submit(1, 10, Retention::Keep, &["a", "b"]).await;
    let kept = fixture.lease_one().await;
    let lost = fixture.lease_one_to(1).await;
    let mut work = fixture.store.work();
    work.mark_unchanged();
    fixture.store.release(another(1), START).await.expect("leases can be released");
    assert!(work.has_changed().is_ok_and(|changed| changed), "other workers are notified");
    let receipts = fixture.finish_many(vec![finished(&lost, &[]), finished(&kept, &[])]).await;
    assert_eq!(receipts, [Receipt::default(), receipt(0, false)]);
    assert_eq!(fixture.lease_one().await.url, lost.url);
}

async fn a_release_ends_what_a_denied_job_waits_for<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit_for(1, "a", &["a", "b"], super::service::budget(1, 1)).await;
    assert_eq!(fixture.lease(2, 1).await.len(), 1, "the budget covers one page");
    fixture.store.grant(job, 0, START).await.expect("credits can be denied");
    assert_eq!(fixture.state(job).await.0, JobState::Scraping, "a page is still leased");
    fixture.store.release(WORKER, START).await.expect("leases can be released");
    assert_eq!(fixture.state(job).await.0, JobState::Failed);
}

async fn a_lease_of_another_epoch_changes_nothing<S: Store>(fixture: Fixture<S>) {
    fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    let page = fixture.lease_one().await;
    let mut earlier = page.clone();
    earlier.lease.epoch = earlier.lease.epoch.wrapping_sub(1);
    assert_eq!(fixture.finish_many(vec![finished(&earlier, &["x"])]).await, [Receipt::default()]);
    assert_eq!(fixture.finish_many(vec![finished(&page, &[])]).await, [receipt(0, true)]);
}

async fn a_renewal_keeps_leases<S: Store>(fixture: Fixture<S>) {
    fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    let page = fixture.lease_one().await;
    let renewal = fixture.store.renew(WORKER, START).await.expect("a term can be renewed");
    assert!(renewal.lost.is_empty(), "no lease is lost");
    assert!(renewal.renew_before.is_none_or(|end| end > START), "the term goes on");
    let returned = FinishedPage::new(page, PageOutcome::Return(START));
    assert_eq!(fixture.finish_many(vec![returned]).await, [receipt(0, false)]);
}

async fn a_paused_job_waits_for_its_user<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    for (paused, waiting_for) in [(true, Some(WaitingFor::User)), (false, None)] {
        let snapshot = fixture.store.pause(job, paused).await.expect("a job can be paused");
        assert_eq!(snapshot.waiting_for, waiting_for);
        let ready = usize::from(!paused);
        assert_eq!(fixture.lease(1, ready).await.len(), ready);
    }
}
