//! Opens a TCP connection to one of several addresses that the guard has checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::exhausted::{EXHAUSTED, kind_of};

/// Most addresses of one name that are dialled.
const MAX_DIALLED: usize = 8;
/// After this time the next address is dialled in parallel (RFC 8305 section 5).
const STAGGER: Duration = Duration::from_millis(250);

/// Longest wait for a descriptor, a port or memory, which connections that end give back.
pub(super) const MAX_EXHAUSTED: Duration = Duration::from_secs(1);
/// The pause before the second attempt without them; it doubles with each.
const EXHAUSTED_PAUSE: Duration = Duration::from_millis(20);

/// Connects to the first of `addresses` that accepts. Dials only these addresses. An error of the kind
/// [`EXHAUSTED`] says nothing about them.
pub(crate) async fn dial(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let until = Instant::now() + MAX_EXHAUSTED;
    let mut pause = EXHAUSTED_PAUSE;
    loop {
        match dial_once(addresses, port).await {
            Err(error) if error.kind() == EXHAUSTED && Instant::now() + pause < until => {
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
            outcome => return outcome,
        }
    }
}

async fn dial_once(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let mut waiting = interleaved(addresses).into_iter().take(MAX_DIALLED);
    let mut attempts = FuturesUnordered::new();
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        if let Some(address) = waiting.next() {
            attempts.push(connect(SocketAddr::new(address, port)));
        }
        let outcome = if waiting.len() == 0 {
            attempts.next().await
        } else {
            match tokio::time::timeout(STAGGER, attempts.next()).await {
                Ok(outcome) => outcome,
                Err(_) => continue,
            }
        };
        match outcome {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) if failure.kind() != EXHAUSTED => failure = error,
            Some(Err(_)) => {}
            None => return Err(failure),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the only place that dials: the guard has checked the address")]
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await.map_err(|error| match kind_of(&error) {
        EXHAUSTED => io::Error::from(EXHAUSTED),
        // All ports to this address are in use. For an IPv6 address it may also mean that there is no IPv6, and
        // some systems say so of port 0.
        io::ErrorKind::AddrNotAvailable if address.is_ipv4() && address.port() != 0 => {
            io::Error::from(EXHAUSTED)
        }
        _ => error,
    })?;
    // A request is one write, so there is nothing to coalesce.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The addresses with alternating families, beginning with the family that the resolver put first (RFC 8305
/// section 4). If one family does not work, the second attempt is of the other.
fn interleaved(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let first_is_v6 = addresses.first().is_some_and(IpAddr::is_ipv6);
    let (preferred, other): (Vec<IpAddr>, Vec<IpAddr>) =
        addresses.iter().partition(|address| address.is_ipv6() == first_is_v6);
    let mut other = other.into_iter();
    let mut order = Vec::with_capacity(addresses.len());
    for address in preferred {
        order.push(address);
        order.extend(other.next());
    }
    order.extend(other);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_alternate() {
        let order = |texts: &[&str]| {
            let addresses: Vec<IpAddr> = texts.iter().map(|text| text.parse().unwrap()).collect();
            interleaved(&addresses).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(order(&["::1", "::2", "1.1.1.1", "::3"]), "::1 1.1.1.1 ::2 ::3");
        assert_eq!(order(&["1.1.1.1", "::1", "::2", "::3"]), "1.1.1.1 ::1 ::2 ::3");
        assert_eq!(order(&["1.1.1.1"]), "1.1.1.1");
        assert_eq!(order(&[]), "");
    }

    #[tokio::test]
    async fn falls_back_to_an_address_that_accepts() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let dead: IpAddr = "127.0.0.9".parse().unwrap();
        let stream = dial(&[dead, "127.0.0.1".parse().unwrap()], port).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), listener.local_addr().unwrap());
        assert!(dial(&[dead], port).await.is_err());
        assert!(dial(&[], port).await.is_err());
    }
}
