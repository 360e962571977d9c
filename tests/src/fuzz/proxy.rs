//! What a proxy answers to a request for a tunnel. Input: a byte that chooses its protocol, then all that it says.

use gleaner_fetch::fuzzing::proxy_reply;

/// The kinds of proxies: with and without credentials, by CONNECT and by SOCKS5.
const PROXIES: [&str; 4] = [
    "http://proxy.test/",
    "http://user:word@proxy.test/",
    "socks5://proxy.test/",
    "socks5://user:word@proxy.test/",
];

/// Bytes of the tunnel that follow an answer.
const MORE: &[u8] = b"HTTP/1.1 200 OK\r\n\r\n\x05\x00";

/// A proxy's answer ends where it ends: what follows belongs to the tunnel, and an answer that is cut short opens none.
#[expect(clippy::expect_used, reason = "an oracle that fails must panic")]
pub fn proxy(data: &[u8]) {
    let Some((choice, said)) = data.split_first() else { return };
    let proxy = PROXIES.get(usize::from(*choice) % PROXIES.len()).expect("one of them");
    let reply = proxy_reply(proxy, said).expect("it waits for nothing that is not there");
    assert!(reply.read <= said.len());
    match reply.open {
        None => assert_eq!(reply.read, said.len(), "it hung up before its end"),
        Some(_) => {
            let longer = [said, MORE].concat();
            assert_eq!(proxy_reply(proxy, &longer), Some(reply), "what follows changes nothing");
        }
    }
    if reply.open == Some(true) {
        let cut = said.get(..reply.read - 1).expect("an answer has bytes");
        let cut = proxy_reply(proxy, cut).expect("it waits for nothing that is not there");
        assert_eq!(cut.open, None, "an answer without its last byte");
    }
}
