//! An address that no client may connect to.
//!
//! It needs no thread: the system completes connections into the queue of the listener, and
//! [`Canary::connections`] counts them. It therefore always counts every connection made before the call.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Mutex;

/// Counts the connections made to it and never responds.
///
/// Between two counts the system queues at least 128 connections; it may refuse more.
#[derive(Debug)]
pub struct Canary {
    listener: TcpListener,
    addr: SocketAddr,
    /// Kept open, so that a client that connects waits instead of seeing a closed connection.
    streams: Mutex<Vec<TcpStream>>,
}

impl Canary {
    /// Listens on 127.0.0.1, on a port that the system assigns.
    ///
    /// # Errors
    /// If no port can be bound.
    pub fn start() -> io::Result<Self> {
        Self::start_on(("127.0.0.1", 0))
    }

    /// Listens on this address, such as `"[::1]:0"` or `"127.0.0.2:0"`.
    ///
    /// # Errors
    /// If it cannot be bound.
    pub fn start_on(address: impl ToSocketAddrs) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let addr = listener.local_addr()?;
        Ok(Self { listener, addr, streams: Mutex::default() })
    }

    /// The address that it listens on.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `http://ADDRESS:PORT`, without a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Number of connections made so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        let mut streams = self.streams.lock().expect("no holder panics");
        while let Ok((stream, _)) = self.listener.accept() {
            streams.push(stream);
        }
        streams.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;

    #[test]
    fn connections_are_counted_immediately() {
        let canary = Canary::start().unwrap();
        assert_eq!(canary.connections(), 0);
        let held: Vec<TcpStream> = (0..3).map(|_| client::connect(canary.addr())).collect();
        assert_eq!(canary.connections(), 3);
        drop(held);
        let _later = client::connect(canary.addr());
        assert_eq!(canary.connections(), 4);
    }
}
