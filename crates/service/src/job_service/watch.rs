//! Live watching of a job: its status, its documents as they arrive, its end.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use futures_core::Stream;
use gleaner_runtime::Error;
use gleaner_store::{JsonSlice, ReadBound, TeamId};
use gleaner_types::event::WatchFrame;
use gleaner_types::response::JobStatus;
use gleaner_types::{JobId, JobKind, JobState};

use super::JobService;
use super::response_memory::ResponseShare;
use super::status::Envelope;

/// Upper bound on the documents in the `catchup` frame; the others follow one by one.
const CATCHUP_BOUND: ReadBound = ReadBound { documents: 100, bytes: 1 << 20 };

/// Upper bound on the documents that a watcher reads ahead.
const READ_BOUND: ReadBound = ReadBound { documents: 16, bytes: 256 << 10 };

/// JSON of a frame before and after its data.
const CATCHUP_START: &[u8] = br#"{"type":"catchup","data":"#;
const DOCUMENT_START: &[u8] = br#"{"type":"document","data":"#;
const FRAME_END: &[u8] = b"}";

/// A message for a watcher: the JSON of a [`WatchFrame`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WatchMessage {
    /// The JSON in parts, to be sent one after the other. Documents are those of the store, written once for
    /// all watchers. They count against the [memory of responses](super::ResponseMemory) until their last
    /// copy is dropped.
    pub parts: Vec<Bytes>,
}

impl WatchMessage {
    fn small(frame: &WatchFrame) -> Result<Self, Error> {
        let json = serde_json::to_vec(frame)
            .map_err(|error| Error::failed(format!("a frame could not be serialized: {error}")))?;
        Ok(Self { parts: vec![json.into()] })
    }

    fn catchup(status: &JobStatus, documents: Vec<Bytes>, share: &Arc<ResponseShare>) -> Result<Self, Error> {
        let envelope = Envelope::of(status)?;
        let mut parts = vec![Bytes::from([CATCHUP_START, envelope.start()].concat())];
        for (number, document) in documents.into_iter().enumerate() {
            if number > 0 {
                parts.push(Bytes::from_static(b","));
            }
            parts.push(share.hold(document));
        }
        parts.push(Bytes::from([envelope.end(), FRAME_END].concat()));
        Ok(Self { parts })
    }

    fn document(document: Bytes, share: &Arc<ResponseShare>) -> Self {
        let (start, end) = (Bytes::from_static(DOCUMENT_START), Bytes::from_static(FRAME_END));
        Self { parts: vec![start, share.hold(document), end] }
    }
}

struct Watch {
    service: Arc<JobService>,
    team: TeamId,
    id: JobId,
    /// Index of the next document.
    next_index: u64,
    ready: VecDeque<WatchMessage>,
    ended: bool,
}

impl JobService {
    /// Watches a crawl or batch. The stream starts with a `catchup` frame that has the documents so far, or
    /// the first of them if they are many. Then each further document follows, and finally `done`, or `error`
    /// if the job failed. The state in `catchup` is `scraping` if documents follow. For a cancelled job, a
    /// second `catchup` without documents reports its state before `done`.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound); [`RateLimited`](crate::ErrorKind::RateLimited) if too many
    /// responses are in memory. Later messages wait until there is memory for them.
    pub async fn watch(
        self: &Arc<Self>,
        team: &TeamId,
        kind: JobKind,
        id: JobId,
    ) -> Result<impl Stream<Item = WatchMessage> + Send + use<>, Error> {
        self.run(async {
            let snapshot = self.find(team, kind, id).await?;
            let mut share = self.response_memory.reserve(team, CATCHUP_BOUND.bytes).await?;
            let mut slice = self.store().read_json(id, 0, CATCHUP_BOUND).await?;
            if bytes_of(&slice) > CATCHUP_BOUND.bytes {
                // A single large document. It follows when there is memory for it.
                slice = JsonSlice::default();
            }
            share.fit(bytes_of(&slice));
            let share = Arc::new(share);
            let mut status = self.envelope(snapshot);
            if !slice.end {
                // Clients stop at a final state, even if documents follow.
                status.status = JobState::Scraping;
            }
            let catchup = WatchMessage::catchup(&status, slice.documents, &share)?;
            let watch = Watch {
                service: Arc::clone(self),
                team: team.clone(),
                id,
                next_index: slice.next,
                ready: VecDeque::from([catchup]),
                ended: false,
            };
            Ok(futures_util::stream::unfold(watch, |mut watch| async move {
                let executor = watch.service.runtime.executor().clone();
                let message = executor.enter(watch.next()).ok()?.await.flatten()?;
                Some((message, watch))
            }))
        })
        .await
    }

    /// Reads documents with a share for as many bytes as the bound has.
    async fn read_within(
        &self,
        mut share: ResponseShare,
        team: &TeamId,
        id: JobId,
        from: u64,
        bound: ReadBound,
    ) -> Result<(JsonSlice, Arc<ResponseShare>), Error> {
        let mut bytes = bound.bytes;
        loop {
            let slice = self.store().read_json(id, from, bound).await?;
            let found = bytes_of(&slice);
            if found <= bytes {
                share.fit(found);
                return Ok((slice, Arc::new(share)));
            }
            // A single document above the bound. It is read again when there is memory for it.
            drop((slice, share));
            bytes = found;
            share = self.reserve_patiently(team, bytes).await;
        }
    }

    /// Waits for memory as long as its watcher does.
    async fn reserve_patiently(&self, team: &TeamId, bytes: usize) -> ResponseShare {
        loop {
            if let Ok(share) = self.response_memory.reserve(team, bytes).await {
                return share;
            }
        }
    }
}

fn bytes_of(slice: &JsonSlice) -> usize {
    slice.documents.iter().map(Bytes::len).sum()
}

impl Watch {
    async fn next(&mut self) -> Option<WatchMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.read_more().await {
                self.ended = true;
                self.ready.extend(WatchMessage::small(&WatchFrame::Error { error: error.body().error }));
            }
        }
    }

    async fn read_more(&mut self) -> Result<(), Error> {
        let service = Arc::clone(&self.service);
        let mut progress = service.store().progress(self.id).await?;
        loop {
            progress.borrow_and_update();
            let share = service.reserve_patiently(&self.team, READ_BOUND.bytes).await;
            let (slice, share) =
                service.read_within(share, &self.team, self.id, self.next_index, READ_BOUND).await?;
            self.next_index = slice.next;
            let has_documents = !slice.documents.is_empty();
            let messages = slice.documents.into_iter();
            self.ready.extend(messages.map(|document| WatchMessage::document(document, &share)));
            if slice.end {
                self.ended = true;
                let snapshot = service.store().snapshot(self.id).await?;
                if snapshot.state == JobState::Cancelled {
                    // Clients take `done` alone as completion.
                    let status = service.envelope(snapshot.clone());
                    self.ready.push_back(WatchMessage::catchup(&status, Vec::new(), &share)?);
                }
                let last = match snapshot.state {
                    JobState::Failed => WatchFrame::Error {
                        error: snapshot.error.unwrap_or_else(|| "the job failed".to_owned()),
                    },
                    _ => WatchFrame::Done,
                };
                self.ready.push_back(WatchMessage::small(&last)?);
                return Ok(());
            }
            // Nothing is held during the wait.
            drop(share);
            if has_documents || progress.changed().await.is_err() {
                return Ok(());
            }
        }
    }
}
