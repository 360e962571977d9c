//! The server of the cases, byte for byte, and of the page that opens them in Chromium.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use url::form_urlencoded;

use super::cases::Case;

const DRIVER: &str = include_str!("driver.html");

/// A server on loopback, as long as the runtime of the test.
pub(super) struct Site {
    pub(super) address: SocketAddr,
    /// What Chromium reports.
    pub(super) reports: UnboundedReceiver<Value>,
}

impl Site {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, reports) = unbounded_channel();
        tokio::spawn(accept(listener, address, sender));
        Self { address, reports }
    }
}

async fn accept(listener: TcpListener, address: SocketAddr, reports: UnboundedSender<Value>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let reports = reports.clone();
                connections.spawn(async move {
                    // An error means that the client closed the connection.
                    let _ = converse(stream, address, &reports).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Answers one request and closes the connection.
async fn converse(
    mut stream: TcpStream,
    address: SocketAddr,
    reports: &UnboundedSender<Value>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let target = head.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let target = String::from_utf8_lossy(target).into_owned();
    let answer = if let Some(report) = target.strip_prefix("/report?") {
        // The whole query is one name without a value.
        let (report, _) = form_urlencoded::parse(report.as_bytes()).next().unwrap();
        // It fails if the test has ended.
        let _ = reports.send(serde_json::from_str(&report).unwrap());
        b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n".to_vec()
    } else if target == "/driver" {
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{DRIVER}")
            .into_bytes()
    } else if let Some((case, path)) = case_of(&target) {
        case.answer(path, cookie(&head), address)
    } else {
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
    };
    stream.write_all(&answer).await?;
    stream.shutdown().await
}

/// The case and the path within it.
fn case_of(target: &str) -> Option<(Case, &str)> {
    let (number, path) = target.strip_prefix("/c/")?.split_once('/')?;
    Some((Case::new(number.parse().ok()?), path))
}

/// The value of the `Cookie` header.
fn cookie(head: &[u8]) -> &[u8] {
    const NAME: &[u8] = b"cookie:";
    for line in head.split(|byte| *byte == b'\n') {
        if let Some((name, value)) = line.split_at_checked(NAME.len())
            && name.eq_ignore_ascii_case(NAME)
        {
            return value.trim_ascii();
        }
    }
    &[]
}
