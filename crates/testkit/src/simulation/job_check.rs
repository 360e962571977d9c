//! Checks the documents and counts of one job, as its reader sees them.

use std::collections::BTreeSet;

use gleaner_store::{JobSnapshot, JobWarning, PageFailures};
use gleaner_types::JobState;
use url::Url;

use super::context::{Context, Faults};
use super::crawl_task::CrawlTask;
use super::monitor::Event;
use super::world::{PageId, Resource};

/// What was read of a job.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReadResult {
    pub(super) documents: u64,
    /// Pages were left out because the queue was full.
    pub(super) was_full: bool,
}

/// What a reader knows about its job.
#[derive(Debug, Default)]
pub(super) struct JobCheck {
    pages: BTreeSet<PageId>,
    pub(super) documents: u64,
    /// Completed and failed pages at the last check.
    last_counts: (u64, u64),
}

impl JobCheck {
    fn violate(context: &Context, task: &CrawlTask, what: &str) {
        context.monitor().violate(context.now(), format!("job {}: {what}", task.number));
    }

    /// Checks a document with this URL. Returns its page.
    pub(super) fn document(
        &mut self,
        context: &Context,
        task: &CrawlTask,
        url: Option<&str>,
    ) -> Option<PageId> {
        self.documents += 1;
        let Some(page) = page_of(context, url) else {
            Self::violate(context, task, &format!("a document of {url:?}, which is not a page"));
            return None;
        };
        context.note(Event::Document { job: task.number, page });
        if !self.pages.insert(page) {
            Self::violate(context, task, &format!("a second document of page {page}"));
        }
        if self.documents > task.limit {
            Self::violate(context, task, "more documents than the limit");
        }
        Some(page)
    }

    /// Checks the counts of a job against its documents and its last counts.
    pub(super) fn counts(&mut self, context: &Context, task: &CrawlTask, counts: &JobSnapshot) {
        let (completed, failed) = (counts.completed, counts.failed);
        let total = counts.contract_total();
        let consistent = total <= task.limit
            // The total does not count sitemaps.
            && total <= context.world.queueable_pages() as u64
            && completed >= self.documents
            && completed >= self.last_counts.0
            && failed >= self.last_counts.1
            && counts.credits_used == completed;
        if !consistent {
            let what = format!("{counts:?} after {:?} and {} documents", self.last_counts, self.documents);
            Self::violate(context, task, &what);
        }
        self.last_counts = (completed, failed);
    }

    /// Checks a job that was neither cancelled nor dropped, at its end.
    pub(super) fn end(
        &mut self,
        context: &Context,
        task: &CrawlTask,
        counts: &JobSnapshot,
        failures: &PageFailures,
    ) -> ReadResult {
        self.counts(context, task, counts);
        let (completed, failed, blocked) = (counts.completed, counts.failed, counts.robots_blocked);
        context.note(Event::JobEnded { job: task.number, completed, failed, blocked });
        if counts.state != JobState::Completed {
            Self::violate(context, task, &format!("it ended as {:?}", counts.state));
        }
        if (completed, counts.contract_total()) != (self.documents, self.documents) {
            let what = format!("{counts:?} at the end, with {} documents", self.documents);
            Self::violate(context, task, &what);
        }
        if failed != failures.failures.len() as u64 || blocked != failures.robots_blocked.len() as u64 {
            let what = format!("{failed} failed and {blocked} blocked, but listed are {failures:?}");
            Self::violate(context, task, &what);
        }
        let was_full = counts.warnings.contains(&JobWarning::NotQueued);
        self.check_pages(context, task, was_full);
        ReadResult { documents: self.documents, was_full }
    }

    /// Compares the pages read with those that the crawl must and may give.
    fn check_pages(&self, context: &Context, task: &CrawlTask, was_full: bool) {
        let hung_robots = context.hung_robots();
        let hung_robots = (context.faults != Faults::default()).then_some(&hung_robots);
        let expected = task.expected_pages(&context.world, hung_robots);
        let unexpected: Vec<_> = self.pages.difference(&expected.possible).collect();
        if !unexpected.is_empty() {
            let what = format!("documents of pages beyond its rules: {unexpected:?} {task:?}");
            Self::violate(context, task, &what);
        }
        let missing: Vec<_> = expected.certain.difference(&self.pages).collect();
        // A full queue leaves out pages and sets a warning.
        if self.documents < task.limit && !missing.is_empty() && !was_full {
            Self::violate(context, task, &format!("pages are missing: {missing:?} {task:?}"));
        }
    }
}

/// The page of a document with this URL.
pub(super) fn page_of(context: &Context, url: Option<&str>) -> Option<PageId> {
    match context.world.resource(&Url::parse(url?).ok()?)? {
        Resource::Page(page) => Some(page),
        _ => None,
    }
}
