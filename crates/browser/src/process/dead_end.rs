//! A proxy that refuses everything.
//!
//! The browser's requests are intercepted, so none should reach its network. This is the second lock: the
//! browser sends whatever escapes the interception to this proxy, which closes the connection and counts it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// A listener on loopback that accepts no request.
#[derive(Debug)]
pub(crate) struct DeadEnd {
    address: SocketAddr,
    refused: Arc<AtomicU64>,
    _accepting: AbortOnDropHandle<()>,
}

impl DeadEnd {
    /// Listens on a free port.
    pub(crate) async fn listen() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (address, refused) = (listener.local_addr()?, Arc::new(AtomicU64::new(0)));
        let count = Arc::clone(&refused);
        let accepting = tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok(_) => {
                        count.fetch_add(1, Relaxed);
                    }
                    // Out of file descriptors, for example. A connection that is not accepted is refused too.
                    Err(_) => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
                }
            }
        });
        Ok(Self { address, refused, _accepting: AbortOnDropHandle::new(accepting) })
    }

    /// Its address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of refused connections.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.load(Relaxed)
    }
}
