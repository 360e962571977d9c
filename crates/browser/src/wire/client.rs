//! Sends DevTools commands, matches their results, and distributes events.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::blocking::blocking;

use super::error::CallError;
use super::framing::{Message, MessageReader};
use super::message::{Command, Event, Incoming, Refusal, SessionId, encode, leading_id};
use super::routes::{ContextId, EventReceiver, EventSender, Routes, event_channel};

/// How long a command may take unless the caller sets a limit.
const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// Most bytes of commands that wait to be written, in KiB. A larger command waits for all of it.
const MAX_QUEUED_KIB: u32 = 64 * 1024;

/// Chromium stops reading at a longer message, and then does not even end with this program.
const MAX_COMMAND_BYTES: usize = 100 * 1024 * 1024 - 1;

/// Events of the browser itself that may be unread.
const MAX_BROWSER_EVENTS: usize = 1_024;

/// The events of the network that are followed: connections that the dead end refuses.
pub(crate) const OPENED_SOCKETS: &[&str] = &["Network.webSocketCreated", "Network.webTransportCreated"];

type Reply = Result<Box<RawValue>, NoReply>;

/// Why a command that was answered has no result.
#[derive(Debug)]
enum NoReply {
    Refused(Refusal),
    TooLarge,
}

/// Sends commands to a browser. All clones share the connection.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    shared: Arc<Shared>,
    outgoing: mpsc::UnboundedSender<Queued>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    queue_space: Arc<Semaphore>,
    /// Number of messages that have come.
    received: AtomicU64,
    /// Cancelled when the connection has ended.
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct State {
    last_id: u64,
    pending: HashMap<u64, oneshot::Sender<Reply>>,
    routes: Routes,
}

/// A command that waits to be written, with its share of the queue.
#[derive(Debug)]
struct Queued {
    bytes: Vec<u8>,
    _space: OwnedSemaphorePermit,
}

impl Client {
    /// Connects over two pipes. Also returns the events that belong to no context. The connection ends when
    /// all clones are dropped, or the browser closes its end.
    pub(crate) fn connect<R, W>(input: R, output: W) -> (Self, EventReceiver)
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            queue_space: Arc::new(Semaphore::new(MAX_QUEUED_KIB as usize)),
            received: AtomicU64::new(0),
            closed: CancellationToken::new(),
        });
        // The queue is bounded in bytes, by `queue_space`.
        let (outgoing, queued) = mpsc::unbounded_channel();
        let (events, receiver) = event_channel(MAX_BROWSER_EVENTS);
        tokio::spawn(write(output, queued, shared.closed.clone()));
        tokio::spawn(read(input, Arc::clone(&shared), events));
        (Self { shared, outgoing }, receiver)
    }

    /// Sends a command and waits for its result, for a limited time.
    pub(crate) async fn call<C: Command>(
        &self,
        session: Option<&SessionId>,
        command: &C,
    ) -> Result<C::Reply, CallError> {
        self.call_within(session, command, CALL_TIMEOUT).await
    }

    /// Sends a command and waits for its result for at most `limit`.
    pub(crate) async fn call_within<C: Command>(
        &self,
        session: Option<&SessionId>,
        command: &C,
        limit: Duration,
    ) -> Result<C::Reply, CallError> {
        let (sender, reply) = oneshot::channel();
        let call = self.register(sender);
        let bytes = encode(call.id, session, command).map_err(invalid::<C>)?;
        let result = self.exchange(C::METHOD, bytes, reply, limit).await?;
        decode::<C>(result).await
    }

    /// Sends a command and waits for its result for at most `limit`, while the connection is open. It knows no
    /// kind of command, so it is compiled once.
    async fn exchange(
        &self,
        method: &'static str,
        bytes: Vec<u8>,
        reply: oneshot::Receiver<Reply>,
        limit: Duration,
    ) -> Result<Box<RawValue>, CallError> {
        let work = async {
            self.enqueue(method, bytes).await?;
            let reply = reply.await.map_err(|_| CallError::Closed)?;
            reply.map_err(|error| match error {
                NoReply::Refused(refusal) => CallError::Refused { method, refusal },
                NoReply::TooLarge => CallError::TooLarge(method),
            })
        };
        tokio::select! {
            result = tokio::time::timeout(limit, work) => result.unwrap_or(Err(CallError::TimedOut(method))),
            () = self.shared.closed.cancelled() => Err(CallError::Closed),
        }
    }

    /// As [`call`](Self::call), for a command of this many bytes.
    pub(crate) async fn call_large<C: Command + Send + 'static>(
        &self,
        session: SessionId,
        command: C,
        bytes: usize,
    ) -> Result<C::Reply, CallError> {
        let (sender, reply) = oneshot::channel();
        let call = self.register(sender);
        let id = call.id;
        let encoded = blocking(bytes, move || encode(id, Some(&session), &command)).await;
        let encoded = encoded.map_err(invalid::<C>)?;
        let result = self.exchange(C::METHOD, encoded, reply, CALL_TIMEOUT).await?;
        decode::<C>(result).await
    }

    /// Sends a command without waiting for its result. Commands of one session are carried out in their
    /// order.
    pub(crate) async fn send<C: Command>(
        &self,
        session: Option<&SessionId>,
        command: &C,
    ) -> Result<(), CallError> {
        let id = self.next_id();
        let bytes = encode(id, session, command)
            .map_err(|error| CallError::Invalid { method: C::METHOD, detail: error.to_string() })?;
        self.enqueue(C::METHOD, bytes).await
    }

    /// Receives the events of a context from now on.
    pub(crate) fn open_context(&self, context: ContextId) -> EventReceiver {
        self.shared.lock().routes.open(context)
    }

    /// Drops the events of a context from now on.
    pub(crate) fn close_context(&self, context: &ContextId) {
        self.shared.lock().routes.close(context);
    }

    /// Waits until the connection has ended.
    pub(crate) async fn closed(&self) {
        self.shared.closed.cancelled().await;
    }

    /// Whether the connection has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled()
    }

    /// Number of messages that have come so far: results and events.
    pub(crate) fn received(&self) -> u64 {
        self.shared.received.load(Relaxed)
    }

    /// Ends the connection.
    pub(crate) fn close(&self) {
        self.shared.closed.cancel();
    }

    fn next_id(&self) -> u64 {
        let mut state = self.shared.lock();
        state.last_id += 1;
        state.last_id
    }

    fn register(&self, sender: oneshot::Sender<Reply>) -> PendingCall<'_> {
        let id = self.next_id();
        self.shared.lock().pending.insert(id, sender);
        PendingCall { client: self, id }
    }

    async fn enqueue(&self, method: &'static str, bytes: Vec<u8>) -> Result<(), CallError> {
        if bytes.len() > MAX_COMMAND_BYTES {
            let detail = format!("it has {} bytes, more than {MAX_COMMAND_BYTES}", bytes.len());
            return Err(CallError::Invalid { method, detail });
        }
        let kib = u32::try_from(bytes.len() / 1024 + 1).unwrap_or(u32::MAX).min(MAX_QUEUED_KIB);
        let space = Arc::clone(&self.shared.queue_space).acquire_many_owned(kib).await;
        let queued = Queued { bytes, _space: space.map_err(|_| CallError::Closed)? };
        self.outgoing.send(queued).map_err(|_| CallError::Closed)
    }
}

async fn decode<C: Command>(result: Box<RawValue>) -> Result<C::Reply, CallError> {
    let bytes = result.get().len();
    blocking(bytes, move || serde_json::from_str(result.get())).await.map_err(invalid::<C>)
}

fn invalid<C: Command>(error: serde_json::Error) -> CallError {
    CallError::Invalid { method: C::METHOD, detail: error.to_string() }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command whose result is awaited. Dropped, its result is ignored.
struct PendingCall<'a> {
    client: &'a Client,
    id: u64,
}

impl Drop for PendingCall<'_> {
    fn drop(&mut self) {
        self.client.shared.lock().pending.remove(&self.id);
    }
}

async fn write<W: AsyncWrite + Unpin>(
    mut output: W,
    mut queued: mpsc::UnboundedReceiver<Queued>,
    closed: CancellationToken,
) {
    // Also if the tokio runtime ends that the browser was started in: then the next page starts another one.
    let _closed = closed.clone().drop_guard();
    let work = async {
        while let Some(Queued { bytes, _space }) = queued.recv().await {
            output.write_all(&bytes).await?;
        }
        io::Result::Ok(())
    };
    tokio::select! {
        result = work => {
            if let Err(error) = result {
                tracing::debug!(%error, "the pipe to the browser broke");
            }
        }
        () = closed.cancelled() => {}
    }
}

async fn read<R: AsyncRead + Unpin>(input: R, shared: Arc<Shared>, events: EventSender) {
    let mut messages = MessageReader::new(input);
    let events = Arc::new(events);
    let work = async {
        while let Some(message) = messages.next().await? {
            shared.received.fetch_add(1, Relaxed);
            let message = match message {
                Message::Whole(message) => message,
                Message::TooLarge(first) => {
                    tracing::debug!("a message of the browser is too large");
                    if let Some(id) = leading_id(&first) {
                        answer(&shared, id, Err(NoReply::TooLarge));
                    }
                    continue;
                }
            };
            let (shared, events) = (Arc::clone(&shared), Arc::clone(&events));
            blocking(message.len(), move || match serde_json::from_slice::<Incoming<'_>>(&message) {
                Ok(message) => dispatch(message, &shared, &events),
                // A later version of the browser may send what this one does not know. The text of the error
                // may quote the page.
                Err(error) => {
                    tracing::debug!(at = error.column(), "a message of the browser was not understood");
                }
            })
            .await;
        }
        io::Result::Ok(())
    };
    tokio::select! {
        result = work => {
            if let Err(error) = result {
                tracing::debug!(%error, "the pipe from the browser broke");
            }
        }
        () = shared.closed.cancelled() => {}
    }
    shared.closed.cancel();
    let mut state = shared.lock();
    state.pending.clear();
    state.routes = Routes::default();
}

fn dispatch(message: Incoming<'_>, shared: &Shared, events: &EventSender) {
    let Incoming { id, session_id, method, params, result, error } = message;
    if let Some(id) = id {
        let reply = match error {
            Some(refusal) => Err(NoReply::Refused(refusal)),
            None => Ok(result.map_or_else(|| RawValue::NULL.to_owned(), ToOwned::to_owned)),
        };
        return answer(shared, id, reply);
    }
    let Some(method) = method.filter(|method| is_followed(method)) else { return };
    let event = Event {
        session: session_id.as_deref().map(SessionId::from),
        method: method.into(),
        params: params.map_or_else(|| RawValue::NULL.to_owned(), ToOwned::to_owned),
    };
    let unrouted = shared.lock().routes.pass(event);
    if let Some(event) = unrouted
        && events.try_send(event).is_err()
    {
        tracing::debug!("an event of the browser was dropped");
    }
}

/// Whether anything listens to an event. Most events of the network only repeat what the interception shows.
fn is_followed(method: &str) -> bool {
    !method.starts_with("Network.") || OPENED_SOCKETS.contains(&method)
}

/// Gives a command its reply, unless its caller has stopped waiting.
fn answer(shared: &Shared, id: u64, reply: Reply) {
    let pending = shared.lock().pending.remove(&id);
    if let Some(pending) = pending {
        let _ = pending.send(reply);
    }
}
