//! The reader of the protocol's messages, for the fuzz targets and the benchmarks. Not part of the API.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use tokio::io::{AsyncRead, ReadBuf};

use crate::wire::{self, Incoming, Message, MessageReader};

/// What is read of a message. `params` and `result` are JSON texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The number of the command that it answers.
    pub id: Option<u64>,
    /// The session that it belongs to.
    pub session: Option<String>,
    /// The name of the event.
    pub method: Option<String>,
    /// The fields of the event.
    pub params: Option<String>,
    /// The result of the command.
    pub result: Option<String>,
    /// Why the command failed: a code and a text.
    pub error: Option<(i64, String)>,
}

/// A stream whose bytes arrive in pieces of at most `size`.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
}

impl AsyncRead for Pieces<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let unread = self.rest;
        let (piece, rest) = unread.split_at(self.size.min(buffer.remaining()).min(unread.len()));
        buffer.put_slice(piece);
        self.rest = rest;
        Poll::Ready(Ok(()))
    }
}

/// The messages of a stream that arrives in pieces of at most `size` bytes.
#[must_use]
pub fn messages(stream: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    each(stream, size, |message| messages.push(message.to_vec()));
    messages
}

/// The number of messages of such a stream that are understood.
#[must_use]
pub fn count_understood(stream: &[u8], size: usize) -> usize {
    let mut count = 0;
    each(stream, size, |message| {
        count += usize::from(serde_json::from_slice::<Incoming<'_>>(message).is_ok());
    });
    count
}

fn each(stream: &[u8], size: usize, mut seen: impl FnMut(&[u8])) {
    let mut reader = MessageReader::new(Pieces { rest: stream, size: size.max(1) });
    // All bytes are there, so there is nothing to wait for.
    while let Some(Ok(Some(message))) = reader.next().now_or_never() {
        if let Message::Whole(message) = message {
            seen(&message);
        }
    }
}

/// The id of the command that a message answers, from its first bytes.
#[must_use]
pub fn leading_id(message: &[u8]) -> Option<u64> {
    wire::leading_id(message)
}

/// What a message says; `None` if it is not understood.
#[must_use]
pub fn understood(message: &[u8]) -> Option<Fields> {
    let Incoming { id, session_id, method, params, result, error } = serde_json::from_slice(message).ok()?;
    Some(Fields {
        id,
        session: session_id.map(Into::into),
        method: method.map(Into::into),
        params: params.map(|params| params.get().to_owned()),
        result: result.map(|result| result.get().to_owned()),
        error: error.map(|refusal| (refusal.code, refusal.message)),
    })
}
