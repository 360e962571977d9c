//! Addresses and names that tell whether a page reaches them.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, TcpListener, UdpSocket};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;

use gleaner_fetch::Resolve;
use gleaner_types::BoxFuture;

/// Sockets that count who reaches them.
pub(super) struct Canary {
    pub(super) port: u16,
    hits: Arc<AtomicUsize>,
}

impl Canary {
    /// Listens on a port for TCP and UDP.
    pub(super) fn listen(address: Ipv4Addr) -> Self {
        let tcp = TcpListener::bind((address, 0)).unwrap();
        let port = tcp.local_addr().unwrap().port();
        let udp = UdpSocket::bind((address, port)).unwrap();
        let hits = Arc::new(AtomicUsize::new(0));
        let (of_tcp, of_udp) = (Arc::clone(&hits), Arc::clone(&hits));
        thread::spawn(move || {
            for _ in tcp.incoming() {
                of_tcp.fetch_add(1, Relaxed);
            }
        });
        thread::spawn(move || {
            while udp.recv(&mut [0; 64]).is_ok() {
                of_udp.fetch_add(1, Relaxed);
            }
        });
        Self { port, hits }
    }

    /// The number of connections and datagrams so far.
    pub(super) fn hits(&self) -> usize {
        self.hits.load(Relaxed)
    }
}

/// A resolver that answers every name with 127.0.0.1, and keeps the names. Only the fetcher has it, so a
/// request to a name that exists nowhere else arrives through the fetcher or not at all.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<BTreeSet<String>>);

impl Names {
    /// The names so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().cloned().collect()
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            self.0.lock().unwrap().insert(host.trim_end_matches('.').to_owned());
            Ok(vec![Ipv4Addr::LOCALHOST.into()])
        })
    }
}
