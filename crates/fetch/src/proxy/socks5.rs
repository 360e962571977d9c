//! A tunnel through a SOCKS5 proxy (RFC 1928), with a user name and a password if it requires them (RFC
//! 1929).
//!
//! Every message has a known length, so no byte after it is read.

use std::net::IpAddr;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::proxy::{Credentials, Destination, ProxyFailure};

const VERSION: u8 = 5;
const NO_CREDENTIALS: u8 = 0;
const USER_AND_PASSWORD: u8 = 2;

pub(crate) async fn handshake<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    destination: &Destination<'_>,
    credentials: Option<&Credentials>,
) -> Result<(), ProxyFailure> {
    let greeting: &[u8] = match credentials {
        Some(_) => &[VERSION, 2, NO_CREDENTIALS, USER_AND_PASSWORD],
        None => &[VERSION, 1, NO_CREDENTIALS],
    };
    send(stream, greeting).await?;
    match (receive::<2, _>(stream).await?, credentials) {
        ([VERSION, NO_CREDENTIALS], _) => {}
        ([VERSION, USER_AND_PASSWORD], Some(credentials)) => {
            send(stream, &credentials_message(credentials)?).await?;
            let [version, status] = receive::<2, _>(stream).await?;
            // Some proxies answer with the version of the protocol rather than with that of the negotiation.
            if status != 0 || !matches!(version, 1 | VERSION) {
                return Err(ProxyFailure::Credentials);
            }
        }
        ([VERSION, 0xff], _) => return Err(ProxyFailure::Credentials),
        _ => return Err(ProxyFailure::InvalidReply),
    }
    send(stream, &request(destination)?).await?;
    let [version, reply, _, kind] = receive::<4, _>(stream).await?;
    if version != VERSION {
        return Err(ProxyFailure::InvalidReply);
    }
    match reply {
        0 => {}
        1 | 2 | 7 | 8 => return Err(ProxyFailure::Refused),
        3..=6 => return Err(ProxyFailure::TargetUnreachable),
        _ => return Err(ProxyFailure::InvalidReply),
    }
    // The address that the proxy connects from. It is not used.
    let length = match kind {
        1 => 4,
        4 => 16,
        3 => {
            let [length] = receive::<1, _>(stream).await?;
            usize::from(length)
        }
        _ => return Err(ProxyFailure::InvalidReply),
    };
    let mut bound = [0; 255 + 2];
    let bound = bound.get_mut(..length + 2).ok_or(ProxyFailure::InvalidReply)?;
    stream.read_exact(bound).await.map(drop).map_err(|_| ProxyFailure::Closed)
}

async fn send<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> Result<(), ProxyFailure> {
    let sent = async {
        stream.write_all(bytes).await?;
        stream.flush().await
    };
    sent.await.map_err(|_| ProxyFailure::Closed)
}

async fn receive<const N: usize, S: AsyncRead + Unpin>(stream: &mut S) -> Result<[u8; N], ProxyFailure> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).await.map_err(|_| ProxyFailure::Closed)?;
    Ok(bytes)
}

fn credentials_message(credentials: &Credentials) -> Result<Vec<u8>, ProxyFailure> {
    let mut message = vec![1];
    for text in [&credentials.user, &credentials.password] {
        message.push(u8::try_from(text.expose().len()).map_err(|_| ProxyFailure::Credentials)?);
        message.extend_from_slice(text.expose().as_bytes());
    }
    Ok(message)
}

fn request(destination: &Destination<'_>) -> Result<Vec<u8>, ProxyFailure> {
    let mut message = vec![VERSION, 1, 0];
    let port = match destination {
        Destination::Address(IpAddr::V4(address), port) => {
            message.push(1);
            message.extend_from_slice(&address.octets());
            port
        }
        Destination::Address(IpAddr::V6(address), port) => {
            message.push(4);
            message.extend_from_slice(&address.octets());
            port
        }
        Destination::Name(name, port) => {
            message.push(3);
            message.push(u8::try_from(name.len()).map_err(|_| ProxyFailure::Refused)?);
            message.extend_from_slice(name.as_bytes());
            port
        }
    };
    message.extend_from_slice(&port.to_be_bytes());
    Ok(message)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::super::script::{Reply, converse};
    use super::super::secret::Secret;
    use super::*;

    const V4: Destination<'static> =
        Destination::Address(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 0, 9)), 443);

    fn credentials() -> Credentials {
        Credentials { user: Secret::new("us"), password: Secret::new("pass") }
    }

    #[test]
    fn messages_follow_the_standards() {
        assert_eq!(credentials_message(&credentials()).unwrap(), b"\x01\x02us\x04pass");
        assert_eq!(request(&V4).unwrap(), b"\x05\x01\x00\x01\xc0\x00\x00\x09\x01\xbb");
        let v6 = Destination::Address("::1".parse().unwrap(), 80);
        assert_eq!(request(&v6).unwrap(), b"\x05\x01\x00\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\x50");
        assert_eq!(request(&Destination::Name("a.b", 80)).unwrap(), b"\x05\x01\x00\x03\x03a.b\0\x50");
        assert!(request(&Destination::Name(&"a".repeat(256), 80)).is_err());
    }

    #[tokio::test]
    async fn answers_are_classified() {
        use ProxyFailure::{Closed, Credentials as Denied, InvalidReply, Refused, TargetUnreachable};
        const BOUND: &[u8] = b"\x01\x7f\0\0\x01\x04\x38";
        let done = |code: u8| [&[5, code, 0][..], BOUND].concat();
        let named = [&b"\x05\x00\x00\x03\xff"[..], &[b'n'; 255], b"\0\x50"].concat();
        let six = [&b"\x05\x00\x00\x04"[..], &[0; 18]].concat();
        type Row<'a> = (&'a str, bool, Vec<Vec<u8>>, Result<(), ProxyFailure>);
        let rows: Vec<Row<'_>> = vec![
            ("open", false, vec![vec![5, 0], done(0)], Ok(())),
            ("open, though we have credentials", true, vec![vec![5, 0], done(0)], Ok(())),
            ("bound to a name", false, vec![vec![5, 0], named], Ok(())),
            ("bound to IPv6", false, vec![vec![5, 0], six], Ok(())),
            ("with credentials", true, vec![vec![5, 2], vec![1, 0], done(0)], Ok(())),
            ("with a sloppy version", true, vec![vec![5, 2], vec![5, 0], done(0)], Ok(())),
            ("wrong credentials", true, vec![vec![5, 2], vec![1, 1]], Err(Denied)),
            ("no method", false, vec![vec![5, 0xff]], Err(Denied)),
            ("a method that was not offered", false, vec![vec![5, 2]], Err(InvalidReply)),
            ("GSSAPI", true, vec![vec![5, 1]], Err(InvalidReply)),
            ("SOCKS4", false, vec![vec![0, 90]], Err(InvalidReply)),
            ("HTTP", false, vec![b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()], Err(InvalidReply)),
            ("not allowed", false, vec![vec![5, 0], done(2)], Err(Refused)),
            ("unreachable", false, vec![vec![5, 0], done(4)], Err(TargetUnreachable)),
            ("refused there", false, vec![vec![5, 0], done(5)], Err(TargetUnreachable)),
            ("no such reply", false, vec![vec![5, 0], done(9)], Err(InvalidReply)),
            ("no such address", false, vec![vec![5, 0], vec![5, 0, 0, 2, 0, 0]], Err(InvalidReply)),
            ("another version", false, vec![vec![5, 0], vec![4, 0, 0, 1]], Err(InvalidReply)),
            ("nothing", false, vec![], Err(Closed)),
            ("cut", false, vec![vec![5, 0], vec![5, 0, 0, 1, 127, 0]], Err(Closed)),
        ];
        for (name, with_credentials, replies, expected) in rows {
            for split in [usize::MAX, 1] {
                let script =
                    replies.iter().map(|bytes| Reply::after_anything(bytes.clone(), split)).collect();
                let given = credentials();
                let outcome = converse(script, async |stream| {
                    handshake(stream, &V4, with_credentials.then_some(&given)).await
                })
                .await;
                assert_eq!(outcome, expected, "{name}, in pieces of {split}");
            }
        }
    }

    proptest::proptest! {
        /// Any answer is read up to its end and no further.
        #[test]
        fn any_answer_is_read_to_its_end(
            start in 0..5_usize,
            rest: Vec<u8>,
            more: Vec<u8>,
            with_credentials: bool,
        ) {
            const STARTS: [&[u8]; 5] = [
                b"",
                b"\x05\x00",
                b"\x05\x02\x01\x00",
                b"\x05\x00\x05\x00\x00",
                b"\x05\x00\x05\x00\x00\x03",
            ];
            let given = with_credentials.then(credentials);
            let read = |bytes: &[u8]| {
                let mut stream = tokio::io::join(bytes, tokio::io::sink());
                let outcome = handshake(&mut stream, &V4, given.as_ref()).now_or_never();
                (outcome.expect("all bytes are there"), stream.into_inner().0.len())
            };
            let answer = [STARTS[start], &rest].concat();
            let (outcome, left) = read(&answer);
            // The longest answer: a method, a status, and an address that is a name.
            proptest::prop_assert!(answer.len() - left <= 2 + 2 + 5 + 255 + 2);
            if outcome != Err(ProxyFailure::Closed) {
                let longer = [answer, more.clone()].concat();
                proptest::prop_assert_eq!(read(&longer), (outcome, left + more.len()));
            }
        }
    }
}
