//! Reads a job to its end and checks its documents and counts.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_runtime::{Job, Runtime, StartOptions};
use gleaner_store::JobWarning;
use gleaner_types::JobState;
use url::Url;

use super::context::{Context, Faults};
use super::crawl_task::{CrawlTask, TaskEnd};
use super::monitor::Event;
use super::store;
use super::world::{PageId, Resource};
use crate::site::random::Random;

/// What was read of a job.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReadResult {
    pub(super) documents: u64,
    /// Pages were left out because the queue was full.
    pub(super) was_full: bool,
}

/// Starts a job, reads it to its end and checks it.
pub(super) async fn read_job(context: &Arc<Context>, runtime: &Arc<Runtime>, task: &CrawlTask) -> ReadResult {
    context.sleep(task.starts_at).await;
    let plan = task.request(&context.world).check().expect("a valid request");
    let options = StartOptions::default().with_request(store::request(task.number));
    let mut job = runtime.start(plan, options).await.expect("the job starts");
    context.note(Event::JobStarted { job: task.number });
    let began = context.now();
    let mut reader = JobReader::new(context, task);
    let mut random = Random::new(context.seed, 0xbead + task.number as u64);
    loop {
        let rest = match task.end {
            TaskEnd::Completes => u64::MAX,
            TaskEnd::Cancelled(after) | TaskEnd::Dropped(after) => {
                (began + after).saturating_sub(context.now())
            }
        };
        let next = tokio::select! {
            biased;
            document = job.next() => document.map(Some),
            () = context.sleep(rest.min(1 << 40)), if rest < u64::MAX => Some(None),
        };
        match next {
            Some(Some(Ok(document))) => reader.check_document(document.metadata.url.as_deref()),
            Some(Some(Err(error))) => reader.violate(&format!("its stream failed: {error}")),
            None => return reader.finish(&job).await,
            Some(None) if matches!(task.end, TaskEnd::Dropped(_)) => {
                context.monitor().cancel(context.now(), task.number);
                return ReadResult { documents: reader.documents, was_full: false };
            }
            Some(None) => {
                let cancelled = job.cancel().await.expect("a job can be cancelled");
                context.monitor().cancel(context.now(), task.number);
                return reader.read_rest(job, cancelled.state).await;
            }
        }
        if random.below(8) == 0 {
            reader.check_counts(&job).await;
        }
        if task.reader_pause > 0 && random.below(5) == 0 {
            context.sleep(random.below(task.reader_pause as usize) as u64).await;
        }
    }
}

/// The documents read of a job so far.
struct JobReader<'a> {
    context: &'a Context,
    task: &'a CrawlTask,
    pages: BTreeSet<PageId>,
    documents: u64,
    /// Completed and failed pages at the last check.
    last_counts: (u64, u64),
}

impl<'a> JobReader<'a> {
    fn new(context: &'a Context, task: &'a CrawlTask) -> Self {
        Self { context, task, pages: BTreeSet::new(), documents: 0, last_counts: (0, 0) }
    }

    fn violate(&self, what: &str) {
        self.context.monitor().violate(self.context.now(), format!("job {}: {what}", self.task.number));
    }

    fn check_document(&mut self, url: Option<&str>) {
        self.documents += 1;
        let resource =
            url.and_then(|url| Url::parse(url).ok()).and_then(|url| self.context.world.resource(&url));
        let Some(Resource::Page(page)) = resource else {
            return self.violate(&format!("a document of {url:?}, which is not a page"));
        };
        self.context.note(Event::Document { job: self.task.number, page });
        if !self.pages.insert(page) {
            self.violate(&format!("a second document of page {page}"));
        }
        if self.documents > self.task.limit {
            self.violate("more documents than the limit");
        }
    }

    /// Checks the counts of a job against its documents and its last counts.
    async fn check_counts(&mut self, job: &Job) {
        let Ok(counts) = job.status().await else { return self.violate("no counts") };
        let (completed, failed) = (counts.completed, counts.failed);
        let consistent = completed <= counts.total
            && counts.total <= self.task.limit
            // The total does not count sitemaps.
            && counts.total <= self.context.world.pages.len() as u64
            && completed >= self.documents
            && completed >= self.last_counts.0
            && failed >= self.last_counts.1;
        if !consistent {
            self.violate(&format!(
                "{counts:?} after {:?} and {} documents",
                self.last_counts, self.documents
            ));
        }
        self.last_counts = (completed, failed);
    }

    /// Checks a job that was neither cancelled nor dropped, at its end.
    async fn finish(mut self, job: &Job) -> ReadResult {
        self.check_counts(job).await;
        let Ok(counts) = job.status().await else { return ReadResult::default() };
        let failures = job.failures().await.unwrap_or_default();
        let (completed, failed) = (counts.completed, counts.failed);
        let blocked = counts.robots_blocked;
        self.context.note(Event::JobEnded { job: self.task.number, completed, failed, blocked });
        if counts.state != JobState::Completed {
            self.violate(&format!("it ended as {:?}", counts.state));
        }
        if (completed, counts.total) != (self.documents, self.documents) {
            self.violate(&format!("{counts:?} at the end, with {} documents", self.documents));
        }
        if failed != failures.failures.len() as u64 || blocked != failures.robots_blocked.len() as u64 {
            self.violate(&format!("{failed} failed and {blocked} blocked, but listed are {failures:?}"));
        }
        let was_full = counts.warnings.contains(&JobWarning::NotQueued);
        self.check_pages(was_full);
        ReadResult { documents: self.documents, was_full }
    }

    /// Compares the pages read with those that the crawl must and may give.
    fn check_pages(&self, was_full: bool) {
        let expected =
            self.task.expected_pages(&self.context.world, self.context.faults != Faults::default());
        let unexpected: Vec<_> = self.pages.difference(&expected.possible).collect();
        if !unexpected.is_empty() {
            self.violate(&format!("documents of pages beyond its rules: {unexpected:?} {:?}", self.task));
        }
        let missing: Vec<_> = expected.certain.difference(&self.pages).collect();
        // A full queue leaves out pages and sets a warning.
        if self.documents < self.task.limit && !missing.is_empty() && !was_full {
            self.violate(&format!("pages are missing: {missing:?} {:?}", self.task));
        }
    }

    /// Reads the remaining documents of a cancelled job.
    async fn read_rest(mut self, mut job: Job, state: JobState) -> ReadResult {
        if !matches!(state, JobState::Cancelled | JobState::Completed) {
            self.violate(&format!("it was cancelled and is {state:?}"));
        }
        while let Some(Ok(document)) = job.next().await {
            self.check_document(document.metadata.url.as_deref());
        }
        self.check_counts(&job).await;
        ReadResult { documents: self.documents, was_full: false }
    }
}
