//! Replies of a proxy to a request for a tunnel. Input: a byte that chooses the proxy, then the bytes it
//! sends.

use gleaner_fetch::fuzzing::proxy_reply;

/// CONNECT and SOCKS5 proxies, with and without credentials.
const PROXIES: [&str; 4] = [
    "http://proxy.test/",
    "http://user:word@proxy.test/",
    "socks5://proxy.test/",
    "socks5://user:word@proxy.test/",
];

/// Bytes of the tunnel after a reply.
const TUNNEL: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n\x05\x00";

/// Bytes after a reply belong to the tunnel and do not change the reply. A truncated reply opens no tunnel.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn proxy(data: &[u8]) {
    let Some((choice, sent)) = data.split_first() else { return };
    let proxy = PROXIES.get(usize::from(*choice) % PROXIES.len()).expect("the index is in range");
    let reply = proxy_reply(proxy, sent).expect("reading does not wait after the last byte");
    assert!(reply.read <= sent.len());
    match reply.open {
        None => assert_eq!(reply.read, sent.len(), "an incomplete reply is read to its end"),
        Some(_) => {
            let longer = [sent, TUNNEL].concat();
            assert_eq!(proxy_reply(proxy, &longer), Some(reply), "tunnel bytes change nothing");
        }
    }
    if reply.open == Some(true) {
        let cut = sent.get(..reply.read - 1).expect("a reply has bytes");
        let cut = proxy_reply(proxy, cut).expect("reading does not wait after the last byte");
        assert_eq!(cut.open, None, "a reply without its last byte opens no tunnel");
    }
}
