//! Opening a TCP connection to one of several addresses that were checked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpStream;

/// Most addresses of one name that are tried.
const MAX_DIALED: usize = 8;
/// The next address is tried beside the ones under way after so long (RFC 8305 section 5).
const STAGGER: Duration = Duration::from_millis(250);

/// Connects to the first of `addresses` that answers. These addresses and no others are dialled.
pub(crate) async fn dial(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let mut waiting = interleaved(addresses).into_iter().take(MAX_DIALED);
    let mut trying = FuturesUnordered::new();
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        if let Some(address) = waiting.next() {
            trying.push(connect(SocketAddr::new(address, port)));
        }
        let outcome = if waiting.len() == 0 {
            trying.next().await
        } else {
            match tokio::time::timeout(STAGGER, trying.next()).await {
                Ok(outcome) => outcome,
                Err(_) => continue,
            }
        };
        match outcome {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) => failure = error,
            None => return Err(failure),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the door: the address was checked by the guard")]
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address).await?;
    // A request is one write; there is nothing to wait for.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The addresses with the families in turn, beginning with the family that the resolver put first (RFC 8305 section 4):
/// where one family leads nowhere, the second try is one of the other.
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
    fn families_take_turns() {
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
    async fn a_dead_address_does_not_hide_a_live_one() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let dead: IpAddr = "127.0.0.9".parse().unwrap();
        let stream = dial(&[dead, "127.0.0.1".parse().unwrap()], port).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), listener.local_addr().unwrap());
        assert!(dial(&[dead], port).await.is_err());
        assert!(dial(&[], port).await.is_err());
    }
}
