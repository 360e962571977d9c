//! Live watching of a job: its status, its documents as they arrive, its end.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_core::Stream;
use gleaner_runtime::Error;
use gleaner_store::{ReadBound, TeamId};
use gleaner_types::event::WatchFrame;
use gleaner_types::{JobId, JobKind, JobState, limits};

use super::JobService;

/// Upper bound on the documents in the `catchup` frame; the others follow one by one.
const CATCHUP_BOUND: ReadBound = ReadBound { documents: 100, bytes: limits::MAX_STATUS_BYTES / 2 };

struct Watch {
    service: Arc<JobService>,
    id: JobId,
    /// Index of the next document.
    next_index: u64,
    ready: VecDeque<WatchFrame>,
    ended: bool,
}

impl JobService {
    /// Watches a crawl or batch. The stream starts with a `catchup` frame that has the documents so far, or
    /// the first of them if they are many. Then each further document follows, and finally `done`, or `error`
    /// if the job failed. The state in `catchup` is `scraping` if documents follow. For a cancelled job, a
    /// second `catchup` without documents reports its state before `done`.
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
        let slice = self.store().read(id, 0, CATCHUP_BOUND).await?;
        let mut status = self.envelope(snapshot);
        status.data = slice.documents;
        if !slice.end {
            // Clients stop at a final state, even if documents follow.
            status.status = JobState::Scraping;
        }
        let catchup = WatchFrame::Catchup { data: Box::new(status) };
        let watch = Watch {
            service: Arc::clone(self),
            id,
            next_index: slice.next,
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
            if let Err(error) = self.read_more().await {
                self.ended = true;
                self.ready.push_back(WatchFrame::Error { error: error.body().error });
            }
        }
    }

    async fn read_more(&mut self) -> Result<(), Error> {
        let store = self.service.store();
        let mut progress = store.progress(self.id).await?;
        loop {
            progress.borrow_and_update();
            let slice = store.read(self.id, self.next_index, ReadBound::default()).await?;
            self.next_index = slice.next;
            let has_documents = !slice.documents.is_empty();
            let frames = slice.documents.into_iter().map(Box::new);
            self.ready.extend(frames.map(|data| WatchFrame::Document { data }));
            if slice.end {
                self.ended = true;
                let snapshot = store.snapshot(self.id).await?;
                if snapshot.state == JobState::Cancelled {
                    // Clients take `done` alone as completion.
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
            if has_documents || progress.changed().await.is_err() {
                return Ok(());
            }
        }
    }
}
