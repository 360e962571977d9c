//! A server that follows a script, byte for byte.
//!
//! An HTTP library refuses to send most of what a hostile server sends, so this server writes to the socket.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::background::{Background, stopped};

/// Maximum bytes of a request head.
const HEAD_LIMIT: usize = 1 << 20;

/// Maximum number of request heads that are kept.
const HEADS_KEPT: usize = 10_000;

/// What to do next on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Wait for a request head, up to its empty line. If the client closes the connection, the script ends.
    ReadRequest,
    /// Send these bytes.
    Send(Bytes),
    /// Send these bytes `chunk` at a time, with a pause before each piece except the first.
    SendSlow {
        /// The bytes to send.
        bytes: Bytes,
        /// Bytes in a piece, at least 1.
        chunk: usize,
        /// The pause between pieces.
        every: Duration,
    },
    /// Send these bytes `times` times.
    SendRepeated {
        /// The bytes to send.
        bytes: Bytes,
        /// Number of repetitions.
        times: u64,
    },
    /// Send these bytes repeatedly until the client closes the connection.
    SendEndless {
        /// The bytes to send; not empty.
        chunk: Bytes,
    },
    /// Send nothing for this long.
    Wait(Duration),
    /// Shut down the sending side and continue with the script.
    CloseWrite,
    /// Close the connection normally, as the end of the script does.
    Close,
    /// Reset the connection.
    Reset,
    /// Keep the connection open and send nothing until the client closes it.
    Hang,
    /// Start again at the first step.
    Repeat,
}

impl Step {
    /// [`Step::Send`] of anything that converts into bytes.
    pub fn send(bytes: impl Into<Bytes>) -> Self {
        Self::Send(bytes.into())
    }

    /// [`Step::SendEndless`] of anything that converts into bytes.
    pub fn send_endless(chunk: impl Into<Bytes>) -> Self {
        Self::SendEndless { chunk: chunk.into() }
    }

    /// [`Step::SendSlow`] of anything that converts into bytes.
    pub fn send_slow(bytes: impl Into<Bytes>, chunk: usize, every: Duration) -> Self {
        Self::SendSlow { bytes: bytes.into(), chunk, every }
    }

    /// [`Step::Send`] of a complete response: status line, `Content-Length`, these headers and the body.
    pub fn respond(status: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Self::Send([head.as_bytes(), body].concat().into())
    }
}

/// A scripted server on loopback that runs on its own thread until it is dropped.
#[derive(Debug)]
pub struct RawServer {
    addr: SocketAddr,
    seen: Arc<Seen>,
    _background: Background,
}

#[derive(Debug, Default)]
struct Seen {
    connections: AtomicUsize,
    open: AtomicUsize,
    sent: AtomicU64,
    heads: Mutex<Vec<Bytes>>,
}

impl RawServer {
    /// Follows the script on every connection.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    pub fn start(script: impl IntoIterator<Item = Step>) -> io::Result<Self> {
        Self::start_per_connection([script.into_iter().collect()])
    }

    /// Follows script `n` on connection `n`, and the last script on all further connections.
    ///
    /// # Errors
    /// If no port can be bound or no thread started.
    ///
    /// # Panics
    /// If there is no script.
    pub fn start_per_connection(scripts: impl IntoIterator<Item = Vec<Step>>) -> io::Result<Self> {
        let scripts: Vec<Arc<[Step]>> = scripts.into_iter().map(Arc::from).collect();
        assert!(!scripts.is_empty(), "a server needs a script");
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        let background =
            Background::start("scripted-server", move |stop| accept(listener, scripts, shared, stop))?;
        Ok(Self { addr, seen, _background: background })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `http://127.0.0.1:PORT`, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Connections accepted so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Connections whose script is still running.
    #[must_use]
    pub fn open_connections(&self) -> usize {
        self.seen.open.load(Ordering::SeqCst)
    }

    /// Total bytes that the sockets accepted.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.seen.sent.load(Ordering::SeqCst)
    }

    /// The request heads as received, up to and including the empty line.
    #[must_use]
    pub fn requests(&self) -> Vec<Bytes> {
        self.seen.heads.lock().expect("no holder panics").clone()
    }
}

async fn accept(
    listener: std::net::TcpListener,
    scripts: Vec<Arc<[Step]>>,
    seen: Arc<Seen>,
    mut stop: watch::Receiver<bool>,
) {
    let listener = TcpListener::from_std(listener).expect("a listener on a running runtime");
    // Dropping the set at the end stops connections that still hang.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let number = seen.connections.fetch_add(1, Ordering::SeqCst);
                seen.open.fetch_add(1, Ordering::SeqCst);
                let script = Arc::clone(&scripts[number.min(scripts.len() - 1)]);
                let seen = Arc::clone(&seen);
                connections.spawn(async move {
                    // An error means that the client closed the connection, which ends the script.
                    let _ = follow(stream, &script, &seen).await;
                    seen.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn follow(mut stream: TcpStream, script: &[Step], seen: &Seen) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut unread = Vec::new();
    let mut at = 0;
    while let Some(step) = script.get(at) {
        at += 1;
        match step {
            Step::ReadRequest => {
                let head = read_head(&mut stream, &mut unread).await?;
                let mut heads = seen.heads.lock().expect("no holder panics");
                if heads.len() < HEADS_KEPT {
                    heads.push(head);
                }
            }
            Step::Send(bytes) => send(&mut stream, bytes, seen).await?,
            Step::SendSlow { bytes, chunk, every } => {
                for (nth, piece) in bytes.chunks((*chunk).max(1)).enumerate() {
                    if nth > 0 {
                        tokio::time::sleep(*every).await;
                    }
                    send(&mut stream, piece, seen).await?;
                }
            }
            Step::SendRepeated { bytes, times } => {
                for _ in 0..*times {
                    send(&mut stream, bytes, seen).await?;
                }
            }
            Step::SendEndless { chunk } => {
                assert!(!chunk.is_empty(), "an endless step needs bytes to send");
                loop {
                    send(&mut stream, chunk, seen).await?;
                }
            }
            Step::Wait(time) => tokio::time::sleep(*time).await,
            Step::CloseWrite => stream.shutdown().await?,
            Step::Close => break,
            Step::Reset => {
                stream.set_zero_linger()?;
                return Ok(());
            }
            Step::Hang => {
                while stream.read(&mut [0; 4096]).await? > 0 {}
                return Ok(());
            }
            Step::Repeat => {
                at = 0;
                // A script without a pause must not starve the other connections.
                tokio::task::yield_now().await;
            }
        }
    }
    // Closing a socket with unread bytes would send a reset instead of an orderly close.
    stream.shutdown().await?;
    let drain = async { while stream.read(&mut [0; 4096]).await.is_ok_and(|read| read > 0) {} };
    let _ = tokio::time::timeout(Duration::from_secs(1), drain).await;
    Ok(())
}

async fn send(stream: &mut TcpStream, mut bytes: &[u8], seen: &Seen) -> io::Result<()> {
    while !bytes.is_empty() {
        let taken = stream.write(bytes).await?;
        seen.sent.fetch_add(taken as u64, Ordering::SeqCst);
        bytes = &bytes[taken..];
    }
    Ok(())
}

/// Returns the head of the next request, up to and including its empty line. Bytes after it stay in `unread`.
pub(super) async fn read_head(stream: &mut TcpStream, unread: &mut Vec<u8>) -> io::Result<Bytes> {
    let mut searched = 0;
    loop {
        let found = unread[searched..].windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(at) = found {
            let rest = unread.split_off(searched + at + 4);
            return Ok(std::mem::replace(unread, rest).into());
        }
        searched = unread.len().saturating_sub(3);
        if unread.len() > HEAD_LIMIT {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if stream.read_buf(unread).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;
    use crate::client::{self, Client};

    const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    #[test]
    fn a_complete_response_is_valid_http() {
        let answer = Step::respond("418 Teapot", &[("X-Note", "yes")], "short");
        let server = RawServer::start([Step::ReadRequest, answer, Step::Repeat]).unwrap();
        let mut client = Client::new(server.addr());
        for path in ["/one", "/two"] {
            let answer = client.get(path).unwrap();
            assert_eq!((answer.status, answer.text().as_str()), (418, "short"));
            assert_eq!(answer.headers["x-note"], "yes");
        }
        assert_eq!(server.connections(), 1);
        assert!(server.requests()[1].starts_with(b"GET /two HTTP/1.1\r\n"));
    }

    #[test]
    fn pipelined_requests_are_read_one_by_one() {
        let server =
            RawServer::start([Step::ReadRequest, Step::send("1"), Step::ReadRequest, Step::send("2")])
                .unwrap();
        let mut stream = client::connect(server.addr());
        stream.write_all(&[GET, GET].concat()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text, "12");
        assert_eq!(server.requests(), [GET, GET]);
    }

    #[test]
    fn each_connection_has_its_script_and_the_last_script_repeats() {
        let server = RawServer::start_per_connection([vec![Step::send("a")], vec![Step::send("b")]]).unwrap();
        let texts: Vec<String> = (0..3)
            .map(|_| {
                let mut text = String::new();
                client::connect(server.addr()).read_to_string(&mut text).unwrap();
                text
            })
            .collect();
        assert_eq!(texts, ["a", "b", "b"]);
    }

    #[test]
    fn a_client_sees_a_connection_reset() {
        let server = RawServer::start([Step::ReadRequest, Step::Reset]).unwrap();
        let mut stream = client::connect(server.addr());
        stream.write_all(GET).unwrap();
        let error = stream.read(&mut [0; 1]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn slow_and_repeated_bytes_all_arrive() {
        let server = RawServer::start([
            Step::send_slow("slowly", 4, Duration::from_millis(1)),
            Step::SendRepeated { bytes: "ab".into(), times: 3 },
        ])
        .unwrap();
        let mut text = String::new();
        client::connect(server.addr()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "slowlyababab");
        assert_eq!(server.bytes_sent(), 12);
    }

    #[test]
    fn dropping_the_server_ends_endless_scripts() {
        let endless = RawServer::start([Step::send_endless("x".repeat(1000))]).unwrap();
        let hanging = RawServer::start([Step::Hang]).unwrap();
        let mut streams = [client::connect(endless.addr()), client::connect(hanging.addr())];
        streams[0].read_exact(&mut [0; 5000]).unwrap();
        drop((endless, hanging));
        // Bytes in flight may still arrive before the close or the reset.
        for stream in &mut streams {
            let _ = stream.read_to_end(&mut Vec::new());
        }
    }
}
