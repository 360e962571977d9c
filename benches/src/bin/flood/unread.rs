//! Clients that send a request and read nothing.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use gleaner_testkit::PageServer;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// Most bytes that the system takes for a client, so that responses stay in the server.
const RECEIVE_BUFFER: u32 = 4 << 10;
/// A flood waits for the first bytes of its responses for this long at most.
const LATEST_ANSWER: Duration = Duration::from_secs(60);
/// A flood continues for this time after the first bytes of its responses.
const HOLD: Duration = Duration::from_secs(10);

/// Requests that are sent one after the other, each on its own connection.
pub(crate) struct Attack {
    pub(crate) requests: Vec<String>,
    /// The pause after each request.
    pub(crate) pause: Duration,
    /// The sites that the requests name.
    pub(crate) sites: Vec<PageServer>,
}

impl Attack {
    /// Sends the requests, and waits until they are answered.
    pub(crate) async fn run(self, server: SocketAddr) -> Clients {
        let mut clients = Clients { connections: Vec::new(), failed: 0, _sites: self.sites };
        for request in &self.requests {
            match send(server, request).await {
                Ok(connection) => clients.connections.push(connection),
                Err(_) => clients.failed += 1,
            }
            if !self.pause.is_zero() {
                sleep(self.pause).await;
            }
        }
        let answered = join_all(clients.connections.iter().map(TcpStream::readable));
        // Those that are not answered by then are counted.
        let _ = timeout(LATEST_ANSWER, answered).await;
        sleep(HOLD).await;
        clients
    }
}

#[expect(clippy::disallowed_methods, reason = "a hostile client of the server under test")]
async fn send(server: SocketAddr, request: &str) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
    let mut connection = socket.connect(server).await?;
    connection.write_all(request.as_bytes()).await?;
    Ok(connection)
}

/// Connections that stay open.
pub(crate) struct Clients {
    connections: Vec<TcpStream>,
    /// Connections that failed.
    failed: usize,
    _sites: Vec<PageServer>,
}

impl Clients {
    /// The number of answers with each status. It reads no more than the statuses, once.
    pub(crate) fn answers(&self) -> String {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for connection in &self.connections {
            let mut start = [0; b"HTTP/1.1 200".len()];
            let answer = match connection.try_read(&mut start) {
                Ok(0) => "closed".to_owned(),
                Ok(_) => String::from_utf8_lossy(&start).split(' ').nth(1).unwrap_or("odd").to_owned(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => "none".to_owned(),
                Err(_) => "closed".to_owned(),
            };
            *counts.entry(answer).or_default() += 1;
        }
        if self.failed > 0 {
            counts.insert("not connected".to_owned(), self.failed);
        }
        let parts: Vec<String> = counts.iter().map(|(answer, count)| format!("{count} x {answer}")).collect();
        parts.join(", ")
    }
}
