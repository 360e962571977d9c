//! Messages in a stream of bytes.

use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Most bytes of a message from the browser. Screenshots and documents are the largest ones.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 * 1024 * 1024;

/// Bytes that are read at once.
const READ_BYTES: usize = 256 * 1024;

/// Reads messages that end with a zero byte.
pub(crate) struct MessageReader<R> {
    input: R,
    buffer: BytesMut,
    /// The buffer has no zero byte before this position.
    searched: usize,
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, buffer: BytesMut::new(), searched: 0 }
    }

    /// The next message without its zero byte; `None` at the end of the stream.
    ///
    /// # Errors
    /// The stream fails, or a message is longer than [`MAX_MESSAGE_BYTES`].
    pub(crate) async fn next(&mut self) -> io::Result<Option<BytesMut>> {
        loop {
            let unread = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(length) = unread.iter().position(|byte| *byte == 0) {
                let mut message = self.buffer.split_to(self.searched + length + 1);
                message.truncate(message.len() - 1);
                self.searched = 0;
                return Ok(Some(message));
            }
            self.searched = self.buffer.len();
            if self.searched > MAX_MESSAGE_BYTES {
                return Err(io::Error::other("a message of the browser is too long"));
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
            let expected: [&[u8]; 3] = [b"{\"a\":1}", b"", b"{\"b\":\"two\"}"];
            assert_eq!(messages, expected, "split at {size}; what has no end is dropped");
        }
    }
}
