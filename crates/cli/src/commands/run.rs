use std::time::{Duration, Instant};

use gleaner::{Explanation, Job, JobSnapshot, JobState, PageFailures, Reason};
use ipnet::IpNet;
use tokio::time::MissedTickBehavior;

use super::Session;
use crate::exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Sink;
use crate::progress::Progress;
use crate::say::say;
use crate::summary::Summary;

/// How often the counts are asked for.
const TICK: Duration = Duration::from_millis(100);

/// A job that was read to its end.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) snapshot: JobSnapshot,
    pub(super) failures: PageFailures,
    pub(super) written: u64,
    pub(super) elapsed: Duration,
    pub(super) interrupted: bool,
    pub(super) explanations: Vec<Explanation>,
    pub(super) rejections: Vec<(Reason, u64)>,
}

impl Run {
    /// Writes the documents of `job` as they come, until its end or Ctrl-C; then what is done is still written.
    ///
    /// # Errors
    /// Nothing more can be written.
    pub(super) async fn to_end(
        session: Session,
        job: &mut Job,
        sink: &mut Sink,
        interrupt: &mut Interrupt,
    ) -> Result<Self, Failure> {
        let started = Instant::now();
        let progress = Progress::new(!session.quiet && !session.logging);
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut written, mut latest, mut interrupted) = (0, None, false);
        let ended = loop {
            tokio::select! {
                () = interrupt.pressed(), if !interrupted => {
                    interrupted = true;
                    progress.aside(|| say("ending: what is done is kept (Ctrl-C again quits at once)"));
                    if let Err(error) = job.cancel().await {
                        break Err(Failure::failed(error));
                    }
                }
                document = job.next() => {
                    let Some(document) = document else { break Ok(()) };
                    // Taking the line away costs a redraw, so it is done only where the document would hit it.
                    let done = if sink.is_terminal() {
                        progress.aside(|| sink.write(&document))
                    } else {
                        sink.write(&document)
                    };
                    if let Err(error) = done {
                        break Err(error.into());
                    }
                    written += 1;
                    latest = document.metadata.url;
                }
                _ = tick.tick() => {
                    if let Ok(snapshot) = job.status().await {
                        progress.show(written, snapshot.total, latest.as_deref());
                    }
                }
            }
        };
        progress.end();
        ended?;
        let snapshot = job.status().await.map_err(Failure::failed)?;
        let failures = job.failures().await.map_err(Failure::failed)?;
        Ok(Self {
            snapshot,
            failures,
            written,
            elapsed: started.elapsed(),
            interrupted,
            explanations: job.explanations(),
            rejections: job.rejections(),
        })
    }

    /// What to say about it, where the `allowed` private ranges were open.
    pub(super) fn summary<'a>(&'a self, allowed: &'a [IpNet]) -> Summary<'a> {
        Summary {
            allowed,
            failed: self.snapshot.failed,
            robots_blocked: self.snapshot.robots_blocked,
            warning: self.snapshot.warning.as_deref(),
            error: self.snapshot.error.as_deref(),
            failures: &self.failures,
            written: self.written,
            elapsed: self.elapsed,
        }
    }

    /// How the program ends.
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
