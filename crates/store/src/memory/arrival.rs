//! The many pages of one submit or append. They are queued in slices, and the lock is free between two of
//! them: leases and finished pages of other jobs do not wait for all.
//!
//! Space for all pages is reserved first, so none is refused later. The job is held, and so starts with none
//! of them, until the last one is queued. Their facts go to the journal in one piece, with the job or the key
//! of the append: a crash leaves all of them or none.

use std::time::Duration;

use gleaner_frontier::{Admitted, Candidate, JobSlot};

use super::LocalStore;
use super::facts::FactLog;
use crate::journal::Journal;

/// Maximum number of pages that are queued while the lock is held: about a millisecond.
pub(super) const SLICE: usize = 1_000;

/// Stands for the number of the job, which a new one does not have yet.
const JOB: u64 = 1;

/// Pages on their way into the queue of a job.
pub(super) struct Arrival {
    slot: JobSlot,
    pages: std::vec::IntoIter<Candidate>,
    admitted: Admitted,
    /// The facts of the pages so far.
    log: FactLog,
    now: Duration,
}

impl Arrival {
    /// Pages for which there is space in this queue.
    pub(super) fn new(slot: JobSlot, pages: Vec<Candidate>, now: Duration) -> Self {
        let (pages, log) = (pages.into_iter(), FactLog::new(true));
        Self { slot, pages, admitted: Admitted::default(), log, now }
    }

    pub(super) const fn slot(&self) -> JobSlot {
        self.slot
    }

    /// Queues the next slice, and lets others have the lock. False if there was none.
    pub(super) fn queue_slice<J: Journal>(&mut self, store: &LocalStore<J>) -> bool {
        let slice: Vec<Candidate> = self.pages.by_ref().take(SLICE).collect();
        if slice.is_empty() {
            return false;
        }
        let mut state = store.lock();
        let admitted = state.frontier.admit_reserved(self.slot, 0, slice, self.now);
        self.log.queue_changes(state.frontier.changes(), |_| Some(JOB));
        state.frontier.clear_changes();
        drop(state);
        self.admitted.new += admitted.new;
        self.admitted.seen += admitted.seen;
        self.admitted.too_deep += admitted.too_deep;
        self.admitted.overflow += admitted.overflow;
        store.state.give_way();
        true
    }

    /// How many of the pages had each outcome, and their facts as a block, which is empty if nothing is
    /// recorded.
    pub(super) fn end(mut self) -> (Admitted, Vec<u8>) {
        let batch = self.log.take().pop();
        (self.admitted, batch.map_or_else(Vec::new, |batch| batch.facts))
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{JobRules, UrlKey};
    use gleaner_types::{JobId, JobKind};
    use url::Url;
    use uuid::Uuid;

    use super::super::job::record;
    use super::*;
    use crate::journal::VecJournal;
    use crate::{
        Error, ErrorKind, FinishedPage, JobAccount, LeasedPage, MemoryConfig, MemoryStore, NewJob,
        PageOutcome, Store as _, TeamId, WorkerId,
    };

    const NOW: Duration = Duration::from_secs(1_700_000_000);
    const WORKER: WorkerId = WorkerId::from_uuid(Uuid::from_u128(1));
    /// Ten slices and a part of one.
    const PAGES: u64 = 10_007;

    fn id(number: u128) -> JobId {
        JobId::from_uuid(Uuid::from_u128(number))
    }

    /// Pages of one host with keys from this number on.
    fn pages(host: &str, first: u64, count: u64) -> Vec<Candidate> {
        let page = |number: u64| {
            let url = Url::parse(&format!("https://{host}/{number}")).unwrap();
            Candidate { url, key: UrlKey::from_raw(number), external: false, priority: Candidate::NORMAL }
        };
        (first..first + count).map(page).collect()
    }

    /// A batch of a team, with an idempotency key of its number.
    fn batch(number: u128, pages: Vec<Candidate>) -> NewJob {
        let account =
            JobAccount { idempotency_key: Some(Uuid::from_u128(number)), ..JobAccount::of(TeamId::new("a")) };
        let rules = JobRules::with_limit(u64::MAX);
        let job = NewJob::new(id(number), Some(JobKind::BatchScrape), rules, pages);
        NewJob { account: Some(Box::new(account)), ..job }
    }

    fn open(journal: &VecJournal) -> LocalStore<VecJournal> {
        LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), NOW).unwrap()
    }

    /// What another process would know about a job after a crash.
    async fn total_after_crash(journal: &VecJournal, number: u128) -> Result<u64, Error> {
        open(&journal.after_crash()).snapshot(id(number)).await.map(|job| job.total)
    }

    /// Leases a page, which is of this job.
    async fn lease(store: &LocalStore<VecJournal>, number: u128) -> LeasedPage {
        let page = store.lease(WORKER, 1, NOW).await.unwrap().pages.pop().expect("a page is ready");
        assert_eq!(page.job, id(number));
        page
    }

    async fn finish(store: &LocalStore<VecJournal>, page: LeasedPage) {
        assert!(store.finish(FinishedPage::new(page, PageOutcome::Skipped), NOW).await.unwrap().accepted);
    }

    /// Leases a page, which is of this job, and finishes it.
    async fn work_on(store: &LocalStore<VecJournal>, number: u128) {
        finish(store, lease(store, number).await).await;
    }

    fn waiting<J: Journal>(store: &LocalStore<J>, arrival: &Arrival) -> u64 {
        store.lock().frontier.counts(arrival.slot).unwrap().waiting
    }

    #[tokio::test]
    async fn other_jobs_go_on_between_the_slices_of_a_new_one() {
        let journal = VecJournal::default();
        let store = open(&journal);
        let hosts = (0..20).flat_map(|host| pages(&format!("h{host}.example"), host, 1)).collect();
        store.submit(batch(1, hosts), NOW).await.unwrap();
        let mut job = batch(2, pages("many.example", 0, PAGES));
        let (pages, record) = (std::mem::take(&mut job.pages), Some(record(&job)));
        let mut arrival = store.begin_job(&job, pages, NOW).unwrap();
        let mut slices = 0;
        loop {
            work_on(&store, 1).await;
            assert!(store.snapshot(id(2)).await.unwrap_err().is_unknown_job(), "it is not there in part");
            assert!(total_after_crash(&journal, 2).await.unwrap_err().is_unknown_job());
            let again = NewJob { id: id(3), ..batch(2, Vec::new()) };
            assert_eq!(store.submit(again, NOW).await.unwrap_err().kind(), ErrorKind::KeyUsed);
            let before = waiting(&store, &arrival);
            if !arrival.queue_slice(&store) {
                break;
            }
            slices += 1;
            assert!(waiting(&store, &arrival) - before <= SLICE as u64);
        }
        assert_eq!(slices, 11);
        store.start_arrived(arrival, job, record, NOW).unwrap();
        assert_eq!(store.snapshot(id(2)).await.unwrap().total, PAGES);
        assert_eq!(total_after_crash(&journal, 2).await.unwrap(), PAGES);
        let again = NewJob { id: id(3), ..batch(2, Vec::new()) };
        let reopened = open(&journal.after_crash());
        assert_eq!(reopened.submit(again, NOW).await.unwrap_err().kind(), ErrorKind::KeyUsed);
        for store in [store, reopened] {
            let leased = store.lease(WORKER, 100, NOW).await.unwrap().pages;
            let keys: Vec<u64> =
                leased.iter().filter(|page| page.job == id(2)).map(|page| page.key.to_raw()).collect();
            assert!(!keys.is_empty() && keys.iter().copied().eq(0..keys.len() as u64), "{keys:?}");
        }
    }

    #[tokio::test]
    async fn an_append_comes_whole_and_its_job_does_not_end_before() {
        let journal = VecJournal::default();
        let store = open(&journal);
        store.submit(batch(1, pages("one.example", 0, 1)), NOW).await.unwrap();
        let page = lease(&store, 1).await;
        let key = Some(Uuid::from_u128(7));
        let (mut arrival, account) =
            store.begin_append(id(1), pages("many.example", 1, PAGES), 5, key, NOW).unwrap();
        finish(&store, page).await;
        assert_eq!(store.snapshot(id(1)).await.unwrap().ended_at, None);
        while arrival.queue_slice(&store) {
            assert!(store.lease(WORKER, 1, NOW).await.unwrap().pages.is_empty(), "the job is held");
        }
        assert_eq!(total_after_crash(&journal, 1).await.unwrap(), 0);
        let (admitted, _) = store.end_append(arrival, id(1), account.as_ref(), 5, NOW).unwrap();
        assert_eq!((admitted.new, admitted.overflow), (PAGES, 0));
        assert_eq!(total_after_crash(&journal, 1).await.unwrap(), PAGES);
        work_on(&store, 1).await;
        let again = store.append(id(1), pages("many.example", 90_000, 1), 0, key, NOW).await;
        assert_eq!(again.unwrap_err().kind(), ErrorKind::KeyUsed);
    }

    #[tokio::test]
    async fn a_job_that_is_done_ends_after_an_append_of_known_pages() {
        let store = open(&VecJournal::default());
        let page = pages("one.example", 0, 1);
        store.submit(batch(1, page.clone()), NOW).await.unwrap();
        let known: Vec<Candidate> = page.into_iter().cycle().take(SLICE + 1).collect();
        let page = lease(&store, 1).await;
        let (mut arrival, account) = store.begin_append(id(1), known, 0, None, NOW).unwrap();
        finish(&store, page).await;
        while arrival.queue_slice(&store) {}
        let (admitted, _) = store.end_append(arrival, id(1), account.as_ref(), 0, NOW).unwrap();
        assert_eq!((admitted.new, admitted.seen), (0, SLICE as u64 + 1));
        assert_eq!(store.snapshot(id(1)).await.unwrap().ended_at, Some(NOW));
    }

    #[tokio::test]
    async fn an_append_to_a_job_that_ends_meanwhile_gives_its_key_back() {
        let store = MemoryStore::default();
        store.submit(batch(1, pages("one.example", 0, 1)), NOW).await.unwrap();
        let key = Some(Uuid::from_u128(7));
        let (mut arrival, account) =
            store.begin_append(id(1), pages("many.example", 1, PAGES), 0, key, NOW).unwrap();
        assert!(store.lock().is_key_used(account.as_ref()));
        arrival.queue_slice(&store);
        store.cancel(id(1), NOW).await.unwrap();
        while arrival.queue_slice(&store) {}
        let ended = store.end_append(arrival, id(1), account.as_ref(), 0, NOW);
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::JobEnded);
        assert!(!store.lock().is_key_used(account.as_ref()));
    }

    #[tokio::test]
    async fn pages_that_do_not_fit_leave_nothing_behind() {
        let mut config = MemoryConfig::default();
        config.frontier.max_queued_bytes_per_job = 60_000;
        let store = MemoryStore::new(config);
        let error = store.submit(batch(1, pages("many.example", 0, PAGES)), NOW).await.unwrap_err();
        assert!(error.is_full(), "{error}");
        let job = batch(1, pages("many.example", 0, 3_000));
        store.submit(job, NOW).await.unwrap();
        assert_eq!(store.snapshot(id(1)).await.unwrap().total, 3_000);
        let more = store.append(id(1), pages("many.example", 3_000, 3_000), 0, None, NOW).await;
        assert!(more.unwrap_err().is_full());
        assert_eq!(store.snapshot(id(1)).await.unwrap().total, 3_000);
        store.append(id(1), pages("many.example", 3_000, 500), 0, None, NOW).await.unwrap();
    }
}
