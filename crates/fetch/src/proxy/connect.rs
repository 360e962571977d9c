//! A tunnel through an HTTP proxy (`CONNECT`, RFC 9110 section 9.3.6).
//!
//! The answer is read byte by byte up to the empty line, because the bytes after it belong to the tunnel.
//! That is about a hundred reads per connection of data that is already there.

use http::HeaderValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::proxy::{Destination, ProxyFailure};

/// Most bytes of the proxy's answer up to its empty line.
const MAX_ANSWER: usize = 8 * 1024;

pub(crate) async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    destination: &Destination<'_>,
    authorization: Option<&HeaderValue>,
) -> Result<(), ProxyFailure> {
    let closed = |_| ProxyFailure::Closed;
    stream.write_all(&request(destination, authorization)).await.map_err(closed)?;
    stream.flush().await.map_err(closed)?;
    let mut head = Vec::with_capacity(256);
    while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
        if head.len() >= MAX_ANSWER {
            return Err(ProxyFailure::InvalidReply);
        }
        head.push(stream.read_u8().await.map_err(closed)?);
        // Stop early if the answer is not HTTP.
        if head.len() == 5 && head != b"HTTP/" {
            return Err(ProxyFailure::InvalidReply);
        }
    }
    match status(&head) {
        Some(200..=299) => Ok(()),
        Some(401 | 407) => Err(ProxyFailure::Credentials),
        Some(502..=504) => Err(ProxyFailure::TargetUnreachable),
        Some(_) => Err(ProxyFailure::Refused),
        None => Err(ProxyFailure::InvalidReply),
    }
}

fn request(destination: &Destination<'_>, authorization: Option<&HeaderValue>) -> Vec<u8> {
    let authority = match destination {
        Destination::Address(address, port) => std::net::SocketAddr::new(*address, *port).to_string(),
        Destination::Name(name, port) => format!("{name}:{port}"),
    };
    let mut request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    if let Some(value) = authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(value.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    request
}

/// The status of a status line: `HTTP/1.1 200 Connection established`.
fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let mut words = line.split(|byte| *byte == b' ');
    let version = words.next()?.strip_prefix(b"HTTP/1.")?;
    let status = words.next()?;
    let fits = version.len() == 1 && status.len() == 3 && status.iter().all(u8::is_ascii_digit);
    if fits { std::str::from_utf8(status).ok()?.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::super::script::{Reply, converse};
    use super::*;

    const V4: Destination<'static> =
        Destination::Address(std::net::IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 0, 9)), 443);

    #[tokio::test]
    async fn requests_name_the_destination() {
        let mut secret = HeaderValue::from_static("Basic dTpw");
        secret.set_sensitive(true);
        let rows = [
            (V4, None, "CONNECT 192.0.0.9:443 HTTP/1.1\r\nHost: 192.0.0.9:443\r\n\r\n"),
            (
                Destination::Address("2606:4700::1".parse().unwrap(), 80),
                None,
                "CONNECT [2606:4700::1]:80 HTTP/1.1\r\nHost: [2606:4700::1]:80\r\n\r\n",
            ),
            (
                Destination::Name("a.example", 443),
                Some(&secret),
                "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\
                 Proxy-Authorization: Basic dTpw\r\n\r\n",
            ),
        ];
        for (destination, authorization, expected) in rows {
            assert_eq!(String::from_utf8(request(&destination, authorization)).unwrap(), expected);
        }
    }

    #[tokio::test]
    async fn answers_are_classified() {
        let endless = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"x: y\r\n".repeat(10_000)].concat();
        let rows: [(&str, &[u8], Result<(), ProxyFailure>); 16] = [
            ("plain", b"HTTP/1.1 200 Connection established\r\n\r\n", Ok(())),
            ("HTTP/1.0", b"HTTP/1.0 200 OK\r\nVia: x\r\n\r\n", Ok(())),
            ("bare line feeds", b"HTTP/1.1 200 OK\nVia: x\n\n", Ok(())),
            ("no reason", b"HTTP/1.1 200\r\n\r\n", Ok(())),
            ("any success", b"HTTP/1.1 204 Fine\r\n\r\n", Ok(())),
            (
                "wants credentials",
                b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\n\r\n",
                Err(ProxyFailure::Credentials),
            ),
            ("forbids", b"HTTP/1.1 403 No\r\n\r\n", Err(ProxyFailure::Refused)),
            ("cannot", b"HTTP/1.1 502 Bad\r\n\r\n", Err(ProxyFailure::TargetUnreachable)),
            ("interim", b"HTTP/1.1 100 Continue\r\n\r\n", Err(ProxyFailure::Refused)),
            ("another protocol", b"220 mail ESMTP\r\n\r\n", Err(ProxyFailure::InvalidReply)),
            ("SOCKS", b"\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", Err(ProxyFailure::InvalidReply)),
            ("four digits", b"HTTP/1.1 2000 OK\r\n\r\n", Err(ProxyFailure::InvalidReply)),
            ("no digits", b"HTTP/1.1 abc\r\n\r\n", Err(ProxyFailure::InvalidReply)),
            ("nothing", b"", Err(ProxyFailure::Closed)),
            ("cut", b"HTTP/1.1 200 OK\r\nVia", Err(ProxyFailure::Closed)),
            ("endless", &endless, Err(ProxyFailure::InvalidReply)),
        ];
        for (name, reply, expected) in rows {
            for split in [usize::MAX, 1] {
                let script = vec![Reply::after_blank_line(reply.to_vec(), split)];
                let outcome = converse(script, async |stream| handshake(stream, &V4, None).await).await;
                assert_eq!(outcome, expected, "{name}, in pieces of {split}");
            }
        }
    }

    #[tokio::test]
    async fn bytes_after_the_answer_belong_to_the_tunnel() {
        let script = vec![Reply::after_blank_line(b"HTTP/1.1 200 OK\r\n\r\nHELLO".to_vec(), usize::MAX)];
        let first = converse(script, async |stream| {
            handshake(stream, &V4, None).await.unwrap();
            let mut first = [0; 5];
            stream.read_exact(&mut first).await.unwrap();
            first
        })
        .await;
        assert_eq!(&first, b"HELLO");
    }

    proptest::proptest! {
        /// Any answer is read up to its end and no further.
        #[test]
        fn any_answer_is_read_to_its_end(start in 0..3_usize, rest: Vec<u8>, more: Vec<u8>) {
            const STARTS: [&[u8]; 3] = [b"", b"HTTP/1.1 200 ", b"HTTP/1.1 200 OK\r\n\r\n"];
            let read = |bytes: &[u8]| {
                let mut stream = tokio::io::join(bytes, tokio::io::sink());
                let outcome = handshake(&mut stream, &V4, None).now_or_never();
                (outcome.expect("all bytes are there"), stream.into_inner().0.len())
            };
            let answer = [STARTS[start], &rest].concat();
            let (outcome, left) = read(&answer);
            proptest::prop_assert!(answer.len() - left <= MAX_ANSWER);
            if outcome != Err(ProxyFailure::Closed) {
                let longer = [answer, more.clone()].concat();
                proptest::prop_assert_eq!(read(&longer), (outcome, left + more.len()));
            }
        }
    }
}
