//! A proxy that cuts database connections, also exactly at a COMMIT.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::server::url;
use crate::background::{Background, stopped};

/// The major version of the protocol in the message that starts a session. Others ask for TLS or cancel.
const PROTOCOL: u16 = 3;
const BUFFER_BYTES: usize = 64 * 1024;

/// When a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The server does not get the COMMIT.
    Before,
    /// The server has answered the COMMIT, and the client does not get the answer.
    After,
}

/// A proxy between clients and a server on 127.0.0.1, without TLS. It cuts connections, also exactly at a
/// COMMIT.
#[derive(Debug)]
pub struct CutProxy {
    state: Arc<State>,
    port: u16,
    _background: Background,
}

#[derive(Debug)]
struct State {
    server: u16,
    cuts: AtomicU64,
    commits: AtomicU64,
    /// Each such COMMIT is cut; 0 cuts none.
    every: AtomicU64,
    next: Mutex<Option<Moment>>,
    /// The number of calls of `cut_all`.
    all: watch::Sender<u64>,
    is_paused: watch::Sender<bool>,
}

impl CutProxy {
    /// Connects clients to the server on this port.
    ///
    /// # Panics
    /// If no port can be bound.
    #[must_use]
    pub fn start(server: u16) -> Self {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port can be bound");
        listener.set_nonblocking(true).expect("a listener can be set to not block");
        let port = listener.local_addr().expect("the listener is bound").port();
        let state = Arc::new(State {
            server,
            cuts: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            every: AtomicU64::new(0),
            next: Mutex::new(None),
            all: watch::Sender::new(0),
            is_paused: watch::Sender::new(false),
        });
        let shared = Arc::clone(&state);
        let background = Background::start("cut proxy", |mut stop| async move {
            let listener = TcpListener::from_std(listener).expect("the runtime runs");
            loop {
                tokio::select! {
                    () = stopped(&mut stop) => return,
                    accepted = listener.accept() => {
                        let Ok((client, _)) = accepted else { continue };
                        let state = Arc::clone(&shared);
                        tokio::spawn(async move { state.connect(client).await });
                    }
                }
            }
        });
        Self { state, port, _background: background.expect("a thread can be started") }
    }

    /// Its port of 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a database behind it.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    /// Cuts a connection at each `n`-th COMMIT from now on, in turns before and after it; 0 cuts none.
    pub fn cut_commit_every(&self, n: u64) {
        self.state.every.store(n, Ordering::SeqCst);
    }

    /// Cuts the connection that sends the next COMMIT.
    pub fn cut_next_commit(&self, moment: Moment) {
        *self.state.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(moment);
    }

    /// Cuts all connections.
    pub fn cut_all(&self) {
        self.state.all.send_modify(|calls| *calls += 1);
    }

    /// Number of connections that were cut.
    #[must_use]
    pub fn cuts(&self) -> u64 {
        self.state.cuts.load(Ordering::SeqCst)
    }

    /// Passes nothing on until [`resume`](Self::resume). New connections are accepted.
    pub fn pause(&self) {
        self.state.is_paused.send_replace(true);
    }

    /// Passes on what has waited.
    pub fn resume(&self) {
        self.state.is_paused.send_replace(false);
    }
}

impl State {
    /// Passes on everything between a client and the server until one of them ends, or the connection is cut.
    async fn connect(&self, mut client: TcpStream) {
        let mut cut = self.all.subscribe();
        #[expect(clippy::disallowed_methods, reason = "the server of a test, and no page")]
        let Ok(mut server) = TcpStream::connect(("127.0.0.1", self.server)).await else { return };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        let loses_answer = AtomicBool::new(false);
        let was_cut = tokio::select! {
            was_cut = self.send_on(BufReader::new(from_client), to_server, &loses_answer) => was_cut,
            was_cut = self.answer(from_server, to_client, &loses_answer) => was_cut,
            _ = cut.changed() => Ok(true),
        };
        if matches!(was_cut, Ok(true)) {
            self.cuts.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// From the client to the server, message by message. True: the connection is cut.
    async fn send_on(
        &self,
        mut client: impl AsyncRead + Unpin,
        mut server: impl AsyncWrite + Unpin,
        loses_answer: &AtomicBool,
    ) -> io::Result<bool> {
        let mut has_started = false;
        loop {
            let mut message = Vec::new();
            // Messages have a type only after the first.
            if has_started {
                message.push(client.read_u8().await?);
            }
            let length = client.read_u32().await?;
            message.extend(length.to_be_bytes());
            let begin = message.len();
            message.resize(begin + usize::try_from(length).unwrap_or(0).saturating_sub(4), 0);
            client.read_exact(&mut message[begin..]).await?;
            has_started |= message[begin..].starts_with(&PROTOCOL.to_be_bytes());
            self.resumed().await;
            if message.first() == Some(&b'Q') && &message[begin..] == b"COMMIT\0" {
                match self.moment() {
                    Some(Moment::Before) => return Ok(true),
                    Some(Moment::After) => loses_answer.store(true, Ordering::SeqCst),
                    None => {}
                }
            }
            server.write_all(&message).await?;
        }
    }

    /// From the server to the client. True: the connection is cut, because an answer is complete that the
    /// client does not get.
    async fn answer(
        &self,
        mut server: impl AsyncRead + Unpin,
        mut client: impl AsyncWrite + Unpin,
        loses_answer: &AtomicBool,
    ) -> io::Result<bool> {
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut lost = Vec::new();
        loop {
            let length = server.read(&mut buffer).await?;
            if length == 0 {
                return Ok(false);
            }
            self.resumed().await;
            // The client sends COMMIT after it has all answers before, so this one begins at a message.
            if loses_answer.load(Ordering::SeqCst) {
                lost.extend(&buffer[..length]);
                if is_complete(&lost) {
                    return Ok(true);
                }
            } else {
                client.write_all(&buffer[..length]).await?;
            }
        }
    }

    async fn resumed(&self) {
        // The sender is in `self`, so there is no error.
        let _ = self.is_paused.subscribe().wait_for(|is_paused| !is_paused).await;
    }

    /// Whether to cut at a COMMIT that has come.
    fn moment(&self) -> Option<Moment> {
        let commit = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner).take();
        let every = self.every.load(Ordering::SeqCst);
        let is_cut = every > 0 && commit.is_multiple_of(every);
        let turn = if (commit / every.max(1)) % 2 == 1 { Moment::Before } else { Moment::After };
        next.or(is_cut.then_some(turn))
    }
}

/// The messages of a server end with the one that says that it is ready for the next query.
fn is_complete(mut messages: &[u8]) -> bool {
    while let [kind, a, b, c, d, rest @ ..] = messages {
        let length = usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).unwrap_or(0).saturating_sub(4);
        let Some(after) = rest.get(length..) else { return false };
        if *kind == b'Z' {
            return true;
        }
        messages = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::client;

    const START: &[u8] = b"\0\0\0\x08\0\x03\0\0";
    const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
    const QUERY: &[u8] = b"Q\0\0\0\x0dSELECT 1\0";
    const ANSWER: &[u8] = b"C\0\0\0\x0bCOMMIT\0Z\0\0\0\x05I";

    fn connected() -> (TcpListener, CutProxy) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let proxy = CutProxy::start(listener.local_addr().unwrap().port());
        (listener, proxy)
    }

    fn session(listener: &TcpListener, proxy: &CutProxy) -> (TcpStream, TcpStream) {
        let mut client = client::connect(([127, 0, 0, 1], proxy.port()).into());
        let (mut server, _) = listener.accept().unwrap();
        client.write_all(START).unwrap();
        expect(&mut server, START);
        (client, server)
    }

    fn expect(stream: &mut TcpStream, expected: &[u8]) {
        let mut found = vec![0; expected.len()];
        stream.read_exact(&mut found).unwrap();
        assert_eq!(found, expected);
    }

    fn is_at_end(stream: &mut TcpStream) -> bool {
        !matches!(stream.read(&mut [0]), Ok(1..))
    }

    #[test]
    fn a_commit_is_cut_before_the_server_gets_it() {
        let (listener, proxy) = connected();
        let (mut client, mut server) = session(&listener, &proxy);
        proxy.cut_next_commit(Moment::Before);
        client.write_all(QUERY).unwrap();
        expect(&mut server, QUERY);
        client.write_all(COMMIT).unwrap();
        assert!(is_at_end(&mut server) && is_at_end(&mut client));
        assert_eq!(proxy.cuts(), 1);
    }

    #[test]
    fn each_second_commit_is_cut_in_turns() {
        let (listener, proxy) = connected();
        proxy.cut_commit_every(2);
        for cuts in [1, 2] {
            let (mut client, mut server) = session(&listener, &proxy);
            client.write_all(COMMIT).unwrap();
            expect(&mut server, COMMIT);
            server.write_all(ANSWER).unwrap();
            expect(&mut client, ANSWER);
            client.write_all(COMMIT).unwrap();
            if cuts == 2 {
                // The server gets the second, and its answer, which comes in parts, is lost.
                expect(&mut server, COMMIT);
                server.write_all(&ANSWER[..14]).unwrap();
                server.write_all(&ANSWER[14..]).unwrap();
            }
            assert!(is_at_end(&mut client) && is_at_end(&mut server));
            assert_eq!(proxy.cuts(), cuts);
        }
    }

    #[test]
    fn a_pause_holds_messages_and_all_connections_are_cut() {
        let (listener, proxy) = connected();
        let (mut client, mut server) = session(&listener, &proxy);
        proxy.pause();
        client.write_all(QUERY).unwrap();
        proxy.cut_all();
        assert!(is_at_end(&mut client) && is_at_end(&mut server));
        assert_eq!(proxy.cuts(), 1);
        proxy.resume();
        let (mut client, mut server) = session(&listener, &proxy);
        client.write_all(QUERY).unwrap();
        expect(&mut server, QUERY);
    }
}
