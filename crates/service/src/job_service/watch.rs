//! What a watcher reads: how the job stands, its documents as they come, its end.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_core::Stream;
use gleaner_runtime::Error;
use gleaner_store::{ReadBound, TeamId};
use gleaner_types::event::WatchFrame;
use gleaner_types::{JobId, JobKind, JobState, limits};

use super::JobService;

/// Documents in one `catchup`; the others follow one by one.
const CATCHUP: ReadBound = ReadBound { documents: 100, bytes: limits::MAX_STATUS_BYTES / 2 };

struct Watch {
    service: Arc<JobService>,
    id: JobId,
    from: u64,
    ready: VecDeque<WatchFrame>,
    ended: bool,
}

impl JobService {
    /// Watches a crawl or batch: one `catchup` with the documents there are (a first part of them where they
    /// are many), then each document, then `done`, or `error` where the job failed. While documents follow,
    /// the `catchup` says `scraping`; before the `done` of a cancelled job stands a second `catchup` without
    /// documents that says so.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound).
    pub async fn watch(
        self: &Arc<Self>,
        team: &TeamId,
        kind: JobKind,
        id: JobId,
    ) -> Result<impl Stream<Item = WatchFrame> + Send + use<>, Error> {
        let snapshot = self.find(team, kind, id).await?;
        let slice = self.store().read(id, 0, CATCHUP).await?;
        let mut status = self.envelope(snapshot);
        status.data = slice.documents;
        if !slice.end {
            // Clients stop at a state that is an end, though documents follow.
            status.status = JobState::Scraping;
        }
        let catchup = WatchFrame::Catchup { data: Box::new(status) };
        let watch = Watch {
            service: Arc::clone(self),
            id,
            from: slice.next,
            ready: VecDeque::from([catchup]),
            ended: false,
        };
        Ok(futures_util::stream::unfold(watch, |mut watch| async move {
            let frame = watch.next().await?;
            Some((frame, watch))
        }))
    }
}

impl Watch {
    async fn next(&mut self) -> Option<WatchFrame> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.read_on().await {
                self.ended = true;
                self.ready.push_back(WatchFrame::Error { error: error.body().error });
            }
        }
    }

    async fn read_on(&mut self) -> Result<(), Error> {
        let store = self.service.store();
        let mut progress = store.progress(self.id)?;
        loop {
            progress.borrow_and_update();
            let slice = store.read(self.id, self.from, ReadBound::default()).await?;
            self.from = slice.next;
            let found = !slice.documents.is_empty();
            let frames = slice.documents.into_iter().map(Box::new);
            self.ready.extend(frames.map(|data| WatchFrame::Document { data }));
            if slice.end {
                self.ended = true;
                let snapshot = store.snapshot(self.id).await?;
                if snapshot.state == JobState::Cancelled {
                    // `done` alone is taken for completion.
                    let data = Box::new(self.service.envelope(snapshot.clone()));
                    self.ready.push_back(WatchFrame::Catchup { data });
                }
                self.ready.push_back(match snapshot.state {
                    JobState::Failed => WatchFrame::Error {
                        error: snapshot.error.unwrap_or_else(|| "the job failed".to_owned()),
                    },
                    _ => WatchFrame::Done,
                });
                return Ok(());
            }
            if found || progress.changed().await.is_err() {
                return Ok(());
            }
        }
    }
}
