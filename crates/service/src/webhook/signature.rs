//! Signs webhook events and verifies signatures.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::accounts::Secret;

/// Prefix of the header's value: the name of the algorithm.
const PREFIX: &str = "sha256=";
const DIGEST_BYTES: usize = 32;

/// The value of the signature header for exactly these bytes: `sha256=` and the HMAC-SHA256 in hexadecimal
/// (RFC 2104).
#[must_use]
pub fn sign(secret: &Secret, body: &[u8]) -> String {
    let mut value = PREFIX.to_owned();
    for byte in mac(secret, body).finalize().into_bytes() {
        for digit in [byte >> 4, byte & 15] {
            value.extend(char::from_digit(u32::from(digit), 16));
        }
    }
    value
}

/// For receivers: checks that `header`, the value of the signature header, signs exactly these bytes. A
/// receiver must verify the unchanged body before it parses it. It may receive the same event twice, with the
/// same `webhookId`.
///
/// The time of the check does not depend on how much of the signature is correct.
///
/// ```
/// use gleaner_service::{Secret, sign, verify};
///
/// let secret = Secret::new("whsec");
/// let header = sign(&secret, b"{}");
/// assert!(verify(&secret, b"{}", &header).is_ok());
/// assert!(verify(&secret, b"{ }", &header).is_err());
/// ```
///
/// # Errors
/// If the header does not have the form `sha256=<64 hexadecimal digits>`, signs other bytes, or uses another
/// secret.
pub fn verify(secret: &Secret, body: &[u8], header: &str) -> Result<(), SignatureError> {
    let digits = header.strip_prefix(PREFIX).ok_or(SignatureError(()))?.as_bytes();
    let mut digest = [0; DIGEST_BYTES];
    if digits.len() != 2 * DIGEST_BYTES {
        return Err(SignatureError(()));
    }
    let mut valid = u8::MAX;
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        for digit in pair {
            let (value, is_digit) = nibble(*digit);
            *byte = *byte << 4 | value;
            valid &= is_digit;
        }
    }
    if valid == 0 {
        return Err(SignatureError(()));
    }
    // The HMAC crate compares in constant time.
    mac(secret, body).verify_slice(&digest).map_err(|_| SignatureError(()))
}

/// The value of a hexadecimal digit and all ones; zero and zero for any other byte. It has no branch, so its
/// time does not depend on the digit.
fn nibble(digit: u8) -> (u8, u8) {
    let number = digit.wrapping_sub(b'0');
    let letter = (digit | 0x20).wrapping_sub(b'a');
    // The high byte is all ones for a negative difference.
    let [is_number, _] = (i16::from(number) - 10).to_be_bytes();
    let [is_letter, _] = (i16::from(letter) - 6).to_be_bytes();
    (is_number & number | is_letter & letter.wrapping_add(10), is_number | is_letter)
}

fn mac(secret: &Secret, body: &[u8]) -> Hmac<Sha256> {
    // HMAC takes a key of any length, so the fallback to an empty key is unreachable.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose())
        .unwrap_or_else(|_| Hmac::<Sha256>::new(&Default::default()));
    mac.update(body);
    mac
}

/// The signature does not match the body. It gives no reason, because a reason would help a forger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignatureError(());

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the signature does not match the body")
    }
}

impl std::error::Error for SignatureError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_hmac_sha256() {
        // RFC 4231, test cases 1, 2 and 6.
        let cases: [(Vec<u8>, &[u8], &str); 3] = [
            (vec![0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe".to_vec(),
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                vec![0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, body, digest) in cases {
            assert_eq!(sign(&Secret::new(key), body), format!("sha256={digest}"));
        }
    }

    #[test]
    fn only_hexadecimal_digits_are_decoded() {
        for digit in 0..=u8::MAX {
            let expected = char::from(digit).to_digit(16).map(|value| (value as u8, u8::MAX));
            assert_eq!(nibble(digit), expected.unwrap_or((0, 0)), "{digit}");
        }
    }

    /// A check that stops early or branches on digits would leak through its time.
    #[test]
    fn the_comparison_is_that_of_the_hmac_crate_and_no_digit_causes_a_branch() {
        let source = include_str!("signature.rs");
        let between = |from: &str, to: &str| {
            let (_, rest) = source.split_once(from).unwrap();
            rest.split_once(to).unwrap().0.to_owned()
        };
        let verify = between("pub fn verify(", "\n}\n");
        assert_eq!(verify.matches(".verify_slice(&digest)").count(), 1);
        assert!(!verify.contains("digest ==") && !verify.contains("== digest") && !verify.contains(".eq("));
        let nibble = between("fn nibble(", "\n}\n");
        for branch in ["if ", "match ", "&&", "||", "==", "?"] {
            assert!(!nibble.contains(branch), "{branch}");
        }
    }

    #[test]
    #[expect(clippy::string_slice, reason = "the header is ASCII")]
    fn forged_signatures_are_rejected() {
        let secret = Secret::new("whsec");
        let body = br#"{"success":true,"type":"crawl.page","id":"x","data":[]}"#.to_vec();
        let header = sign(&secret, &body);
        assert!(verify(&secret, &body, &header).is_ok());
        let (mut attempts, mut accepted) = (0, 0);
        let mut attempt = |secret: &Secret, body: &[u8], header: &str| {
            attempts += 1;
            accepted += usize::from(verify(secret, body, header).is_ok());
        };
        for position in 0..body.len() {
            for bit in 0..8 {
                let mut altered = body.clone();
                altered[position] ^= 1 << bit;
                attempt(&secret, &altered, &header);
            }
        }
        for position in 0..header.len() {
            let mut altered = header.clone().into_bytes();
            altered[position] = if altered[position] == b'0' { b'1' } else { b'0' };
            attempt(&secret, &body, std::str::from_utf8(&altered).unwrap());
            attempt(&secret, &body, &header[..position]);
        }
        let digits = &header["sha256=".len()..];
        for wrong in ["sha1=", "SHA256=", "sha512=", "sha256:", "=", "", "sha256= "] {
            attempt(&secret, &body, &format!("{wrong}{digits}"));
        }
        for wrong in ["whsed", "", "whsec "] {
            attempt(&Secret::new(wrong), &body, &header);
        }
        attempt(&secret, &body, &format!("{header}0"));
        attempt(&secret, &body, &format!("{header}, {header}"));
        attempt(&secret, &[&body[..], b"\n"].concat(), &header);
        assert_eq!(accepted, 0, "of {attempts} forged signatures");
    }
}
