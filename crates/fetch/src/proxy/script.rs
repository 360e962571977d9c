//! A proxy for tests that sends given bytes in pieces of a given size.

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// What the proxy sends once it has received something.
pub(crate) struct Reply {
    bytes: Vec<u8>,
    /// Bytes in a piece.
    split: usize,
    /// Sent after an empty line rather than after any bytes.
    awaits_blank_line: bool,
}

impl Reply {
    pub(crate) fn after_blank_line(bytes: Vec<u8>, split: usize) -> Self {
        Self { bytes, split, awaits_blank_line: true }
    }

    pub(crate) fn after_anything(bytes: Vec<u8>, split: usize) -> Self {
        Self { bytes, split, awaits_blank_line: false }
    }
}

/// Runs `client` against a proxy that follows `script` and then closes the connection.
pub(crate) async fn converse<T>(script: Vec<Reply>, client: impl AsyncFnOnce(&mut DuplexStream) -> T) -> T {
    let (mut near, mut far) = tokio::io::duplex(64);
    let server = tokio::spawn(async move {
        for reply in script {
            let mut received = Vec::new();
            let mut piece = [0; 512];
            loop {
                match far.read(&mut piece).await {
                    Ok(0) | Err(_) => return,
                    Ok(read) => received.extend_from_slice(&piece[..read]),
                }
                if !reply.awaits_blank_line || received.ends_with(b"\r\n\r\n") {
                    break;
                }
            }
            for piece in reply.bytes.chunks(reply.split.min(reply.bytes.len().max(1))) {
                if far.write_all(piece).await.is_err() {
                    return;
                }
            }
        }
    });
    let outcome = client(&mut near).await;
    drop(near);
    server.await.unwrap();
    outcome
}
