//! The body of an answer, which knows when it has been handed on.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::log::Entry;

/// One piece of bytes, sent whole or broken off.
#[derive(Debug)]
pub(crate) struct ReplyBody {
    bytes: Option<Bytes>,
    ending: Ending,
    /// Marks the request as answered when the body is dropped.
    entry: Entry,
}

#[derive(Debug)]
enum Ending {
    Whole,
    /// Fails after the bytes: so many were promised. `flushed` once what was sent had time to leave.
    BrokenOff {
        missing: u64,
        flushed: bool,
    },
}

impl ReplyBody {
    pub(crate) fn whole(bytes: Bytes, entry: Entry) -> Self {
        Self { bytes: Some(bytes).filter(|bytes| !bytes.is_empty()), ending: Ending::Whole, entry }
    }

    /// Promises `promised` bytes, sends `bytes`, and breaks the connection.
    pub(crate) fn truncated(bytes: Bytes, promised: u64, entry: Entry) -> Self {
        let missing = promised - bytes.len() as u64;
        Self { bytes: Some(bytes), ending: Ending::BrokenOff { missing, flushed: false }, entry }
    }

    pub(crate) fn note(&self, status: u16) {
        self.entry.status(status);
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(bytes) = self.bytes.take() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match &mut self.ending {
            Ending::Whole => Poll::Ready(None),
            Ending::BrokenOff { flushed: true, .. } => {
                Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())))
            }
            Ending::BrokenOff { flushed, .. } => {
                // To wait once makes hyper write what it holds; at an error it would throw it away.
                *flushed = true;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none() && matches!(self.ending, Ending::Whole)
    }

    fn size_hint(&self) -> SizeHint {
        let held = self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        match self.ending {
            Ending::Whole => SizeHint::with_exact(held),
            Ending::BrokenOff { missing, .. } => SizeHint::with_exact(held + missing),
        }
    }
}
