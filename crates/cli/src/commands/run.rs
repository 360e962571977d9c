//! Follows a crawl or a batch to its end: writes documents and failures, handles Ctrl-C.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gleaner::{Document, Explanation, Job, JobSnapshot, JobState, PageFailures, SkipReason, WaitingFor};
use tokio::time::MissedTickBehavior;

use super::kept::Kept;
use super::results::Results;
use crate::args::EngineArgs;
use crate::console::Console;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::rows;
use crate::printable::{printable_target, printable_url};
use crate::summary::{Summary, failed, rate, seconds};

/// The interval of status requests.
const TICK: Duration = Duration::from_millis(100);

/// A job that was read to its end.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) snapshot: JobSnapshot,
    pub(super) failures: PageFailures,
    pub(super) written: u64,
    /// How many of them are of earlier runs.
    earlier: u64,
    /// The number of documents per error status.
    statuses: BTreeMap<u16, u64>,
    /// Whether each failure was reported when it occurred.
    reported_failures: bool,
    pub(super) elapsed: Duration,
    pub(super) interrupted: bool,
    pub(super) explanations: Vec<Explanation>,
    pub(super) rejections: Vec<(SkipReason, u64)>,
}

impl Run {
    /// Writes the documents and failures of `job` as they arrive, until its end or Ctrl-C. Ctrl-C ends the
    /// job, and finished pages are still written. A kept job only stops: all of its pages are written when it
    /// goes on.
    ///
    /// # Errors
    /// A write failed, or the job could not be read to its end.
    pub(super) async fn to_end(
        console: &Console,
        job: &mut Job,
        results: &mut Results,
        interrupt: &mut Interrupt,
        kept: Option<Kept<'_>>,
    ) -> Result<Self, Failure> {
        let started = Instant::now();
        let earlier = kept.map_or(0, |kept| kept.earlier);
        let mut progress = console.progress();
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut written, mut statuses) = (0, BTreeMap::new());
        let (mut latest, mut interrupted, mut failure) = (None, false, None);
        let (mut reported, mut is_disk_full) = (ReportedFailures::default(), false);
        loop {
            tokio::select! {
                () = interrupt.pressed(), if !interrupted => {
                    interrupted = true;
                    console.now("stopping: finished pages are kept (press Ctrl-C again to quit now)");
                    match kept {
                        Some(kept) => {
                            kept.engine.stop().await;
                            break;
                        }
                        None => drop(job.cancel().await.map_err(Failure::failed)?),
                    }
                }
                document = job.next() => {
                    let mut document = match document {
                        Some(Ok(document)) => document,
                        Some(Err(error)) => {
                            failure = Some(error);
                            continue;
                        }
                        None => break,
                    };
                    // Suspending the progress line costs a redraw, so do it only if the document goes to the
                    // terminal.
                    if results.sink.is_terminal() {
                        progress.suspend(|| results.sink.write(&mut document))?;
                    } else {
                        results.sink.write(&mut document)?;
                    }
                    written += 1;
                    if let Some(status) = document.metadata.status_code.filter(|status| *status >= 400) {
                        *statuses.entry(status).or_default() += 1;
                    }
                    if console.reports_pages() {
                        console.now(page_line(started.elapsed(), &document));
                    }
                    latest = document.metadata.url;
                }
                _ = tick.tick() => {
                    if let Ok(snapshot) = job.status().await {
                        reported.update(console, job, &snapshot, results, started.elapsed()).await?;
                        let waits_for_disk = snapshot.waiting_for == Some(WaitingFor::Disk);
                        if waits_for_disk && !is_disk_full {
                            console.now("the disk is full: the job goes on when there is space");
                        }
                        is_disk_full = waits_for_disk;
                        let state = || state(written, earlier, &snapshot, started.elapsed());
                        progress.show(state, latest.as_deref());
                    }
                }
            }
        }
        drop(progress);
        let snapshot = job.status().await.map_err(Failure::failed)?;
        // The summary of a failed job says why.
        if let Some(error) = failure.filter(|_| snapshot.state != JobState::Failed) {
            return Err(Failure::failed(error));
        }
        let elapsed = started.elapsed();
        reported.update(console, job, &snapshot, results, elapsed).await?;
        let failures = job.failures().await.map_err(Failure::failed)?;
        let (explanations, rejections) =
            (job.explanations().await.map_err(Failure::failed)?, job.rejections());
        let reported_failures = console.reports_pages();
        Ok(Self {
            snapshot,
            failures,
            written,
            earlier: earlier.min(written),
            statuses,
            reported_failures,
            elapsed,
            interrupted,
            explanations,
            rejections,
        })
    }

    /// The summary of the job.
    pub(super) fn summary<'a>(&'a self, network: &'a EngineArgs, lists_failures: bool) -> Summary<'a> {
        Summary {
            network,
            lists_failures,
            reported_failures: self.reported_failures,
            failed: self.snapshot.failed,
            robots_blocked: self.snapshot.robots_blocked,
            warnings: &self.snapshot.warnings,
            error: self.snapshot.error.as_deref(),
            failures: &self.failures,
            written: self.written,
            earlier: self.earlier,
            statuses: &self.statuses,
            elapsed: self.elapsed,
        }
    }

    /// The exit code.
    pub(super) fn exit_code(&self) -> u8 {
        if self.interrupted {
            exit::INTERRUPTED
        } else if self.written == 0 || self.snapshot.state == JobState::Failed {
            exit::FAILED
        } else {
            exit::DONE
        }
    }
}

/// The progress of a job.
fn state(written: u64, earlier: u64, snapshot: &JobSnapshot, elapsed: Duration) -> String {
    let (total, new) = (snapshot.contract_total().max(written), written.saturating_sub(earlier));
    let mut text = format!("{written}/{total} pages");
    // What is only written again says nothing about the site.
    if new > 0 || earlier == 0 {
        text.push_str(&format!(", {:.1} pages/s", rate(new, elapsed)));
    }
    if snapshot.failed > 0 {
        text.push_str(&format!(", {} failed", snapshot.failed));
    }
    text
}

/// One line for `--verbose`: time, status and URL of a page.
fn page_line(elapsed: Duration, document: &Document) -> String {
    let metadata = &document.metadata;
    let status = metadata.status_code.map_or_else(|| "---".to_owned(), |status| status.to_string());
    let url = metadata.url.as_deref().or(metadata.source_url.as_deref()).unwrap_or_default();
    format!("{:>8}  {status}  {}", seconds(elapsed), printable_target(url))
}

/// The failures that were already listed, and with `--verbose` reported.
#[derive(Debug, Default)]
struct ReportedFailures {
    /// Their number at the last check.
    count: u64,
    failed: usize,
    forbidden: usize,
}

impl ReportedFailures {
    /// Lists new failures.
    async fn update(
        &mut self,
        console: &Console,
        job: &Job,
        snapshot: &JobSnapshot,
        results: &mut Results,
        elapsed: Duration,
    ) -> Result<(), Failure> {
        let count = snapshot.failed + snapshot.robots_blocked;
        let is_needed = console.reports_pages() || results.lists_failures();
        if !is_needed || count == std::mem::replace(&mut self.count, count) {
            return Ok(());
        }
        let all = job.failures().await.map_err(Failure::failed)?;
        let new_failed = all.failures.get(self.failed..).unwrap_or_default();
        let new_forbidden = all.robots_blocked.get(self.forbidden..).unwrap_or_default();
        (self.failed, self.forbidden) = (all.failures.len(), all.robots_blocked.len());
        results.list(rows(new_failed, new_forbidden))?;
        if console.reports_pages() {
            let when = seconds(elapsed);
            for failure in new_failed {
                console.now(format_args!("{when:>8}  failed  {}", failed(failure)));
            }
            for page in new_forbidden {
                let url = printable_url(&page.url);
                console.now(format_args!("{when:>8}  forbidden by robots.txt  {url}"));
            }
        }
        Ok(())
    }
}
