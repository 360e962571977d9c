//! Reading a job to its end, and what must have come of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use gleaner_runtime::{Job, Runtime, StartOptions};
use gleaner_types::JobState;
use url::Url;

use super::stage::{Faults, Stage};
use super::store;
use super::task::{Fate, Task};
use super::wire::Event;
use super::world::{PageId, Resource};
use crate::site::random::Random;

/// What came of a job.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Read {
    pub(super) documents: u64,
    /// Pages of it found no runtime in the queue.
    pub(super) was_full: bool,
}

/// Begins a job, reads it to its end and checks what came.
pub(super) async fn follow(stage: &Arc<Stage>, runtime: &Arc<Runtime>, task: &Task) -> Read {
    stage.sleep(task.begins_at).await;
    let plan = task.request(&stage.world).check().expect("a valid request");
    let options = StartOptions::default().with_request(store::request(task.number));
    let mut job = runtime.start(plan, options).await.expect("a job begins");
    stage.note(Event::Began { job: task.number });
    let began = stage.now();
    let mut reading = Reading::new(stage, task);
    let mut random = Random::new(stage.seed, 0xbead + task.number as u64);
    loop {
        let rest = match task.fate {
            Fate::RunsToItsEnd => u64::MAX,
            Fate::Cancelled(after) | Fate::Dropped(after) => (began + after).saturating_sub(stage.now()),
        };
        let next = tokio::select! {
            biased;
            document = job.next() => document.map(Some),
            () = stage.sleep(rest.min(1 << 40)), if rest < u64::MAX => Some(None),
        };
        match next {
            Some(Some(Ok(document))) => reading.take(document.metadata.url.as_deref()),
            Some(Some(Err(error))) => reading.violate(&format!("its stream failed: {error}")),
            None => return reading.end(&job).await,
            Some(None) if matches!(task.fate, Fate::Dropped(_)) => {
                stage.wire().cancel(stage.now(), task.number);
                return Read { documents: reading.documents, was_full: false };
            }
            Some(None) => {
                let cancelled = job.cancel().await.expect("a job can be cancelled");
                stage.wire().cancel(stage.now(), task.number);
                return reading.drain(job, cancelled.state).await;
            }
        }
        if random.below(8) == 0 {
            reading.look(&job).await;
        }
        if task.reader_pause > 0 && random.below(5) == 0 {
            stage.sleep(random.below(task.reader_pause as usize) as u64).await;
        }
    }
}

/// What was read of a job so far.
struct Reading<'a> {
    stage: &'a Stage,
    task: &'a Task,
    pages: BTreeSet<PageId>,
    documents: u64,
    /// Documents and failures when the counts were last looked at.
    counted: (u64, u64),
}

impl<'a> Reading<'a> {
    fn new(stage: &'a Stage, task: &'a Task) -> Self {
        Self { stage, task, pages: BTreeSet::new(), documents: 0, counted: (0, 0) }
    }

    fn violate(&self, what: &str) {
        self.stage.wire().violate(self.stage.now(), format!("job {}: {what}", self.task.number));
    }

    fn take(&mut self, url: Option<&str>) {
        self.documents += 1;
        let place = url.and_then(|url| Url::parse(url).ok()).and_then(|url| self.stage.world.place(&url));
        let Some(Resource::Page(page)) = place else {
            return self.violate(&format!("a document of {url:?}, which is no page"));
        };
        self.stage.note(Event::Document { job: self.task.number, page });
        if !self.pages.insert(page) {
            self.violate(&format!("a second document of page {page}"));
        }
        if self.documents > self.task.limit {
            self.violate("more documents than the limit");
        }
    }

    /// Looks at the counts of a running job.
    async fn look(&mut self, job: &Job) {
        let Ok(counts) = job.status().await else { return self.violate("no counts") };
        let (completed, failed) = (counts.completed, counts.failed);
        let sane = completed <= counts.total
            && counts.total <= self.task.limit
            // Sitemaps are none of them.
            && counts.total <= self.stage.world.pages.len() as u64
            && completed >= self.documents
            && completed >= self.counted.0
            && failed >= self.counted.1;
        if !sane {
            self.violate(&format!("{counts:?} after {:?} and {} documents", self.counted, self.documents));
        }
        self.counted = (completed, failed);
    }

    /// The job has ended by itself.
    async fn end(mut self, job: &Job) -> Read {
        self.look(job).await;
        let Ok(counts) = job.status().await else { return Read::default() };
        let failures = job.failures().await.unwrap_or_default();
        let (completed, failed) = (counts.completed, counts.failed);
        let blocked = counts.robots_blocked;
        self.stage.note(Event::Ended { job: self.task.number, completed, failed, blocked });
        if counts.state != JobState::Completed {
            self.violate(&format!("it ended as {:?}", counts.state));
        }
        if (completed, counts.total) != (self.documents, self.documents) {
            self.violate(&format!("{counts:?} at the end, with {} documents", self.documents));
        }
        if failed != failures.failures.len() as u64 || blocked != failures.robots_blocked.len() as u64 {
            self.violate(&format!("{failed} failed and {blocked} blocked, but listed are {failures:?}"));
        }
        let was_full =
            counts.warning.as_deref().is_some_and(|warning| warning.contains("pages were not queued"));
        self.compare(was_full);
        Read { documents: self.documents, was_full }
    }

    /// Against what had to come.
    fn compare(&self, was_full: bool) {
        let truth = self.task.truth(&self.stage.world, self.stage.faults != Faults::default());
        let strange: Vec<_> = self.pages.difference(&truth.possible).collect();
        if !strange.is_empty() {
            self.violate(&format!("documents of pages beyond its rules: {strange:?} {:?}", self.task));
        }
        let missing: Vec<_> = truth.certain.difference(&self.pages).collect();
        // What finds no runtime is left out, and the reader is told so.
        if self.documents < self.task.limit && !missing.is_empty() && !was_full {
            self.violate(&format!("pages are missing: {missing:?} {:?}", self.task));
        }
    }

    /// Reads what is left of a cancelled job.
    async fn drain(mut self, mut job: Job, state: JobState) -> Read {
        if !matches!(state, JobState::Cancelled | JobState::Completed) {
            self.violate(&format!("it was cancelled and is {state:?}"));
        }
        while let Some(Ok(document)) = job.next().await {
            self.take(document.metadata.url.as_deref());
        }
        self.look(&job).await;
        Read { documents: self.documents, was_full: false }
    }
}
