//! Records pages without a document, for the reader of their job.

use std::time::Duration;

use gleaner_frontier::{Admitted, RobotsLine};
use gleaner_types::plan::EventKind;
use gleaner_types::{JobId, PageError};
use url::Url;

use super::events::Event;
use super::job::Job;
use super::state::State;
use crate::given_up::given_up;
use crate::journal::Fact;
use crate::outbox::EventData;
use crate::{BlockedPage, JobWarning, PageFailure, PageFailures};

impl State {
    /// Lists the pages that were given up because their leases kept expiring.
    pub(super) fn list_lost_pages(&mut self, now: Duration) {
        for lost in self.frontier.take_lost() {
            let Some((id, _)) = self.running.get(&lost.job).copied() else { continue };
            self.page_failed(id, lost.url, false, given_up(lost.attempts), now);
        }
    }

    /// Lists a failed page, and adds its event.
    pub(super) fn page_failed(
        &mut self,
        id: JobId,
        url: Url,
        slash_added: bool,
        error: PageError,
        now: Duration,
    ) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        if job.outbox.is_some() {
            let data = EventData::Failure { url: url.clone(), slash_added };
            let text = Some(error.message.clone().into_boxed_str());
            let event = Event { kind: EventKind::Page, data, error: text };
            self.event_schedule.push(&mut self.log, (id, &mut *job), event, now);
            self.has_maintenance = true;
        }
        let sequence = job.failures.failures.len();
        if self.failure_quota.reserve(job.team, sequence) {
            let sequence = sequence as u64;
            let (code, message) = (error.code.as_str(), error.message.as_str());
            let fact = Fact::Failed { sequence, at: now, url: url.as_str(), slash_added, code, message };
            self.log.push(job.journal.everything(), &fact);
            job.failures.failures.push(PageFailure { sequence, at: now, url, slash_added, error });
        } else {
            job.warn(JobWarning::FailuresNotListed, &mut self.log);
        }
    }

    /// Drops the lists of a job that is removed.
    pub(super) fn drop_failures(&mut self, job: &mut Job) {
        let PageFailures { failures, robots_blocked } = std::mem::take(&mut job.failures);
        self.failure_quota.release(job.team, failures.len() + robots_blocked.len());
    }

    /// Lists a page that robots.txt forbids.
    pub(super) fn page_blocked(&mut self, id: JobId, url: Url, slash_added: bool, rule: Option<RobotsLine>) {
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.robots_blocked += 1;
        let (line, text) = rule.as_ref().map(|line| (line.number, line.rule.as_str())).unzip();
        let fact = Fact::Blocked { url: url.as_str(), slash_added, line, rule: text };
        self.log.push(job.journal.everything(), &fact);
        if self.failure_quota.reserve(job.team, job.failures.robots_blocked.len()) {
            job.failures.robots_blocked.push(BlockedPage { url, slash_added, rule });
        } else {
            job.warn(JobWarning::FailuresNotListed, &mut self.log);
        }
    }

    /// Warns the reader of a job that some of its pages were not queued.
    pub(super) fn warn_overflow(&mut self, id: JobId, admitted: &Admitted) {
        if admitted.overflow > 0
            && let Some(job) = self.jobs.get_mut(&id)
        {
            job.warn(JobWarning::NotQueued, &mut self.log);
        }
    }

    /// Updates the jobs with pages that could not be read back from their file. They already count as failed;
    /// their URLs are unknown.
    pub(super) fn record_lost_pages(&mut self, now: Duration) {
        for dropped in self.frontier.take_dropped() {
            let Some((id, _)) = self.running.get(&dropped.job).copied() else { continue };
            if let Some(job) = self.jobs.get_mut(&id) {
                job.lost_pages += dropped.pages;
                self.log.push(job.journal.everything(), &Fact::Lost { pages: dropped.pages });
                job.notify_progress(&mut self.log);
            }
            self.check_budget(id);
            let _ended = self.end_if_done(id, now) || self.fail_if_denied(id, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::{Candidate, Frontier, FrontierConfig, JobRules, UrlKey};
    use gleaner_types::{ErrorCode, JobKind, JobState};
    use uuid::Uuid;

    use super::*;
    use crate::journal::{Journal, VecJournal};
    use crate::queue_spill::QueueFile;
    use crate::{
        FinishedPage, JobAccount, JobSnapshot, LeasedPage, LocalStore, MemoryConfig, MemoryStore, NewJob,
        PageOutcome, ReadBound, Store, TeamId, WorkerId,
    };

    const WORKER: WorkerId = WorkerId::from_uuid(Uuid::nil());
    const PAGES: u64 = 5_000;
    const NOW: Duration = Duration::from_secs(1_700_000_000);

    #[tokio::test]
    async fn lost_documents_are_counted_and_the_others_are_read() {
        let none_in_memory = MemoryConfig { all_retained_bytes: 0, ..MemoryConfig::default() };
        let store = MemoryStore::new(none_in_memory);
        let page = |n: u64| Candidate {
            url: Url::parse(&format!("https://site-{n}.example/")).unwrap(),
            key: UrlKey::from_raw(n),
            external: false,
            priority: Candidate::NORMAL,
        };
        let (id, rules) = (JobId::from_uuid(Uuid::from_u128(1)), JobRules::with_limit(5));
        let job = NewJob::new(id, Some(JobKind::BatchScrape), rules, (0..5).map(page).collect());
        store.submit(job, NOW).await.unwrap();
        for page in store.lease(WORKER, 5, NOW).await.unwrap().pages {
            let outcome = PageOutcome::Document(Box::default(), 1);
            store.finish(FinishedPage::new(page, outcome), NOW).await.unwrap();
        }
        store.lock().jobs[&id].results.corrupt(2);
        let slice = store.read(id, 0, ReadBound::default()).await.unwrap();
        assert_eq!((slice.documents.len(), slice.next, slice.end), (4, 5, true));
        let warnings = store.snapshot(id).await.unwrap().warnings;
        assert_eq!(warnings, [JobWarning::DocumentsLost(1)]);
    }

    fn open(journal: &VecJournal) -> LocalStore<VecJournal> {
        LocalStore::open(MemoryConfig::default(), journal.clone(), journal.stored(), NOW).unwrap()
    }

    /// Gives a store this file and a batch of 5,000 pages of 100 bytes.
    async fn fill<J: Journal>(store: &LocalStore<J>, file: &QueueFile, in_memory: bool) -> JobId {
        let frontier = Frontier::new(FrontierConfig::default()).with_spill(Box::new(file.clone()));
        store.lock().frontier = match store.journal.is_durable() {
            true => frontier.with_changes(),
            false => frontier,
        };
        let page = |n: u64| Candidate {
            url: Url::parse(&format!("https://a.test/{n:088}")).unwrap(),
            key: UrlKey::from_raw(n),
            external: false,
            priority: Candidate::NORMAL,
        };
        let (id, rules) = (JobId::from_uuid(Uuid::from_u128(1)), JobRules::with_limit(u64::MAX));
        let job = NewJob::new(id, Some(JobKind::BatchScrape), rules, (0..PAGES).map(page).collect());
        store.submit(NewJob { in_memory, ..job }, NOW).await.unwrap();
        id
    }

    async fn lease<J: Journal>(store: &LocalStore<J>) -> Vec<LeasedPage> {
        store.lease(WORKER, 50, NOW).await.unwrap().pages
    }

    async fn fail<J: Journal>(store: &LocalStore<J>, pages: Vec<LeasedPage>) {
        for page in pages {
            let error = PageError { code: ErrorCode::UnknownError, message: "no".to_owned() };
            store.finish(FinishedPage::new(page, PageOutcome::Failed(error)), NOW).await.unwrap();
        }
    }

    /// Fails all pages, and returns their number and the state of the job.
    async fn fail_all<J: Journal>(store: &LocalStore<J>, id: JobId) -> (u64, JobSnapshot) {
        let mut done = 0;
        loop {
            let pages = lease(store).await;
            if pages.is_empty() {
                return (done, store.snapshot(id).await.unwrap());
            }
            done += pages.len() as u64;
            fail(store, pages).await;
        }
    }

    #[tokio::test]
    async fn lost_pages_are_counted_and_their_job_ends() {
        let file = QueueFile::new(1 << 20, None);
        let journal = VecJournal::default();
        let store = open(&journal);
        let id = fill(&store, &file, false).await;
        assert!(file.blocks() > 20);
        file.tear();
        let (done, ended) = fail_all(&store, id).await;
        assert_eq!((ended.state, ended.failed), (JobState::Completed, PAGES), "the lost ones failed too");
        let lost = PAGES - done;
        assert!(lost > 1_000 && done > 1_000, "{lost} lost");
        assert!(ended.warnings.contains(&JobWarning::PagesLost(lost)), "{:?}", ended.warnings);
        assert_eq!(open(&journal).snapshot(id).await.unwrap(), ended, "the next process knows it");
        journal.compact(1, usize::MAX).unwrap();
        assert_eq!(open(&journal).snapshot(id).await.unwrap(), ended, "and so does one after a compaction");
    }

    #[tokio::test]
    async fn lost_pages_of_a_running_job_wait_again_in_the_next_process() {
        let file = QueueFile::new(1 << 20, None);
        let journal = VecJournal::default();
        let store = open(&journal);
        let id = fill(&store, &file, false).await;
        file.tear();
        loop {
            let pages = lease(&store).await;
            assert!(!pages.is_empty());
            if !store.snapshot(id).await.unwrap().warnings.is_empty() {
                break;
            }
            fail(&store, pages).await;
        }
        let (_, ended) = fail_all(&open(&journal), id).await;
        assert_eq!((ended.state, ended.failed), (JobState::Completed, PAGES));
        assert!(ended.warnings.is_empty(), "{:?}", ended.warnings);
        assert_eq!(open(&journal).snapshot(id).await.unwrap(), ended);
    }

    #[tokio::test]
    async fn the_failures_of_a_removed_job_take_no_space_in_the_next_process() {
        let journal = VecJournal::default();
        let store = open(&journal);
        let account = Some(Box::new(JobAccount::of(TeamId::new("a"))));
        let page = Candidate {
            url: Url::parse("https://b.test/").unwrap(),
            key: UrlKey::from_raw(1),
            external: false,
            priority: Candidate::NORMAL,
        };
        let id = JobId::from_uuid(Uuid::from_u128(1));
        let job = NewJob::new(id, Some(JobKind::Crawl), JobRules::with_limit(1), vec![page]);
        store.submit(NewJob { account, ..job }, NOW).await.unwrap();
        let pages = lease(&store).await;
        fail(&store, pages).await;
        assert_eq!(store.lock().failure_quota.listed(), 1);
        assert_eq!(open(&journal).lock().failure_quota.listed(), 1);
        store.remove(id, NOW).await.unwrap();
        assert_eq!(journal.stored().jobs.len(), 1, "it is still to be settled");
        assert_eq!(open(&journal).lock().failure_quota.listed(), 0);
    }

    #[tokio::test]
    async fn pages_with_zero_data_retention_are_not_spilled() {
        let file = QueueFile::new(1 << 20, None);
        let store = MemoryStore::default();
        fill(&store, &file, true).await;
        assert_eq!(file.blocks(), 0);
        assert_eq!(store.lease(WORKER, 1, NOW).await.unwrap().pages.len(), 1);
    }
}
