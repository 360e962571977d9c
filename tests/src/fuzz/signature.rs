//! Signatures of webhooks. Input: a header on the first line, a secret on the second, and a body.

use gleaner::service::{Secret, sign, verify};

/// The prefix of every signature.
const PREFIX: &str = "sha256=";

/// Only the signature of exactly these bytes verifies.
pub fn signature(data: &[u8]) {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let header = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let secret = Secret::new(lines.next().unwrap_or_default());
    let body = lines.next().unwrap_or_default();
    let signed = sign(&secret, body);
    let digits = signed.strip_prefix(PREFIX).unwrap_or_default();
    let is_hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    assert!(digits.len() == 64 && digits.bytes().all(is_hexadecimal), "{signed}");
    assert!(verify(&secret, body, &signed).is_ok(), "the signature of the body verifies");
    let is_same = header.strip_prefix(PREFIX).is_some_and(|other| other.eq_ignore_ascii_case(digits));
    assert_eq!(verify(&secret, body, &header).is_ok(), is_same, "{header}");
    assert!(verify(&secret, &[body, b"\n"].concat(), &signed).is_err(), "a longer body does not verify");
    let longer = format!("{signed}0");
    assert!(verify(&secret, body, &longer).is_err(), "a longer signature does not verify");
}
