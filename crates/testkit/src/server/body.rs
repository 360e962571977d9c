//! A response body that ends the log entry of its request when hyper drops it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::log::Entry;

/// One run of bytes, sent in full or truncated.
#[derive(Debug)]
pub(crate) struct ReplyBody {
    bytes: Option<Bytes>,
    ending: Ending,
    /// Marks the request as finished when the body is dropped.
    entry: Entry,
}

#[derive(Debug)]
enum Ending {
    Whole,
    /// Fails after the bytes, `missing` bytes short of the promised length. `flushed` is set once hyper had a
    /// chance to write them.
    BrokenOff {
        missing: u64,
        flushed: bool,
    },
}

impl ReplyBody {
    pub(crate) fn whole(bytes: Bytes, entry: Entry) -> Self {
        Self { bytes: Some(bytes).filter(|bytes| !bytes.is_empty()), ending: Ending::Whole, entry }
    }

    /// Promises `promised` bytes, sends only `bytes`, and breaks the connection.
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
                // Returning `Pending` once makes hyper write its buffer, which it would discard on an error.
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
