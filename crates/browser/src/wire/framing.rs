//! Messages in a stream of bytes.

use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Most bytes of a message from the browser. Screenshots and documents are the largest ones.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 * 1024 * 1024;

/// Bytes that are read at once.
const READ_BYTES: usize = 256 * 1024;

/// Bytes of a message that is too large which are kept. They hold its id.
const KEPT_BYTES: usize = 64;

/// A message, without the zero byte that ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    Whole(BytesMut),
    /// The message is larger than [`MAX_MESSAGE_BYTES`]. These are its first bytes.
    TooLarge(BytesMut),
}

/// Reads messages that end with a zero byte.
pub(crate) struct MessageReader<R> {
    input: R,
    max_bytes: usize,
    buffer: BytesMut,
    /// The buffer has no zero byte before this position.
    searched: usize,
    /// The first bytes of a message that is too large, until its end is found.
    too_large: Option<BytesMut>,
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self::with_max_bytes(input, MAX_MESSAGE_BYTES)
    }

    fn with_max_bytes(input: R, max_bytes: usize) -> Self {
        Self { input, max_bytes, buffer: BytesMut::new(), searched: 0, too_large: None }
    }

    /// The next message; `None` at the end of the stream.
    ///
    /// # Errors
    /// The stream fails.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Message>> {
        loop {
            let unread = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(length) = unread.iter().position(|byte| *byte == 0) {
                let mut message = self.buffer.split_to(self.searched + length + 1);
                message.truncate(message.len() - 1);
                self.searched = 0;
                return Ok(Some(match self.too_large.take() {
                    Some(first) => Message::TooLarge(first),
                    None => Message::Whole(message),
                }));
            }
            self.searched = self.buffer.len();
            if self.searched > self.max_bytes || self.too_large.is_some() {
                let read = std::mem::take(&mut self.buffer);
                self.searched = 0;
                self.too_large.get_or_insert_with(|| read.get(..KEPT_BYTES).unwrap_or(&read).into());
            }
            self.buffer.reserve(READ_BYTES);
            if self.input.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_are_whole_however_the_stream_is_split() {
        let stream = b"{\"a\":1}\0\0{\"b\":\"two\"}\0rest";
        for size in 1..=stream.len() {
            let (mut writer, reader) = tokio::io::duplex(size);
            let writing = tokio::spawn(async move {
                for part in stream.chunks(size) {
                    tokio::io::AsyncWriteExt::write_all(&mut writer, part).await.unwrap();
                }
            });
            let mut reader = MessageReader::new(reader);
            let mut messages = Vec::new();
            while let Some(message) = reader.next().await.unwrap() {
                messages.push(message);
            }
            writing.await.unwrap();
            let expected = ["{\"a\":1}", "", "{\"b\":\"two\"}"].map(|message| Message::Whole(message.into()));
            assert_eq!(messages, expected, "split at {size}; what has no end is dropped");
        }
    }

    #[tokio::test]
    async fn a_message_that_is_too_large_is_skipped() {
        let large = format!("{{\"id\":7,\"result\":\"{}\"}}", "x".repeat(500));
        let stream = format!("{{\"id\":6}}\0{large}\0{{\"id\":8}}\0");
        for size in [1, 7, 64, 400, stream.len()] {
            let (mut writer, reader) = tokio::io::duplex(size);
            let sent = stream.clone();
            let writing = tokio::spawn(async move {
                tokio::io::AsyncWriteExt::write_all(&mut writer, sent.as_bytes()).await.unwrap();
            });
            let mut reader = MessageReader::with_max_bytes(reader, 100);
            let mut messages = Vec::new();
            while let Some(message) = reader.next().await.unwrap() {
                messages.push(message);
            }
            writing.await.unwrap();
            let whole = |text: &str| Message::Whole(text.into());
            assert_eq!((&messages[0], &messages[2]), (&whole("{\"id\":6}"), &whole("{\"id\":8}")));
            match &messages[1] {
                Message::TooLarge(first) => assert_eq!(first, &large.as_bytes()[..KEPT_BYTES]),
                // It was read in one piece, before its size was looked at.
                Message::Whole(message) => assert_eq!((size, &message[..]), (stream.len(), large.as_bytes())),
            }
        }
    }
}
