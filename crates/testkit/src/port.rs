//! Ports on which nobody listens, and which nobody else gets meanwhile.
//!
//! A port that a listener had a moment ago is no such port: the system may give it to the next who asks for
//! any.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that refuses every connection until this is dropped.
#[derive(Debug)]
pub struct ClosedPort {
    addr: SocketAddr,
    /// Bound, so that the port is taken, and not listening.
    _socket: TcpSocket,
}

impl ClosedPort {
    /// Takes a port that the system chooses.
    ///
    /// # Errors
    /// If no port can be bound.
    pub fn take() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        Ok(Self { addr: socket.local_addr()?, _socket: socket })
    }

    /// The address that refuses.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }
}

/// The first port that [`unused_port`] tries. All of them are below the ephemeral range (32,768 and up), so
/// the system gives none of them to a program that asks for any port.
const FIRST: u16 = 20_000;

/// The number of ports.
const PORTS: u16 = 12_000;

/// Ports that a process tries before it reaches those of the process with the next id. Test programs that run
/// at the same time have ids close together, and a port is free between the check and its use.
const OWN: u16 = 16;

/// A port of 127.0.0.1 for a program that has to be told its port. No two calls of a process give the same.
///
/// # Errors
/// If all of them are taken.
pub fn unused_port() -> io::Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let processes = u32::from(PORTS / OWN);
    let own = u16::try_from(process::id() % processes).unwrap_or_default() * OWN;
    for _ in 0..PORTS {
        let port = FIRST + (own + NEXT.fetch_add(1, Ordering::Relaxed) % PORTS) % PORTS;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client;

    #[test]
    fn a_closed_port_refuses_and_is_taken() {
        let port = ClosedPort::take().unwrap();
        assert!(TcpListener::bind(port.addr()).is_err(), "somebody else could have it");
        assert_eq!(client::try_connect(port.addr()).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn an_unused_port_can_be_bound_and_is_given_once() {
        let (one, other) = (unused_port().unwrap(), unused_port().unwrap());
        assert_ne!(one, other);
        assert!(one < 32_768);
        TcpListener::bind(("127.0.0.1", one)).unwrap();
    }
}
