//! Ports on which no program listens and which no other program can take.
//!
//! The port of a listener that was just closed does not qualify: the system may assign it to the next program
//! that asks for any port.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::process;
use std::sync::atomic::{AtomicU16, Ordering};

use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that refuses every connection until this is dropped.
#[derive(Debug)]
pub struct ClosedPort {
    addr: SocketAddr,
    /// Bound, so that the port is taken, but not listening.
    _socket: TcpSocket,
}

impl ClosedPort {
    /// Takes a port that the system assigns.
    ///
    /// # Errors
    /// If no port can be bound.
    pub fn take() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        Ok(Self { addr: socket.local_addr()?, _socket: socket })
    }

    /// The address that refuses connections.
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

/// The first port that [`unused_port`] tries. All its ports are below the ephemeral range (32,768 and up), so
/// the system assigns none of them to a program that asks for any port.
const FIRST: u16 = 20_000;

/// Number of ports that [`unused_port`] can return.
const PORTS: u16 = 12_000;

/// Number of ports that a process tries before it reaches those of the process with the next id. Concurrent
/// test programs have ids close together, and each port is unprotected between the check and its use.
const OWN: u16 = 16;

/// A free port of 127.0.0.1, for a program that needs a port number as input. Each call returns another port
/// until the process has used all of them.
///
/// # Errors
/// If all ports are taken.
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
        assert!(TcpListener::bind(port.addr()).is_err(), "the port can be bound again");
        assert_eq!(client::try_connect(port.addr()).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn an_unused_port_can_be_bound_and_is_returned_once() {
        let (one, other) = (unused_port().unwrap(), unused_port().unwrap());
        assert_ne!(one, other);
        assert!(one < 32_768);
        TcpListener::bind(("127.0.0.1", one)).unwrap();
    }
}
