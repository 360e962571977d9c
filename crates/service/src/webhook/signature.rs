use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::accounts::Secret;

/// What the value of the header begins with: the name of the algorithm.
const PREFIX: &str = "sha256=";
const DIGEST_BYTES: usize = 32;

/// The value of the signature's header for exactly these bytes: `sha256=` and the HMAC-SHA256 in hexadecimal
/// (contract 6.3, RFC 2104).
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

/// For receivers: is `header`, the value of the signature's header, that of exactly these bytes? A receiver
/// must verify the body as it came, before it reads anything of it; and it may be given the same event twice,
/// with the same `webhookId`.
///
/// The time that it takes does not depend on how much of the signature is right.
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
/// Where the header is not of the form `sha256=<64 hexadecimal digits>`, or is of other bytes or another
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
    // In constant time, by the crate's own comparison.
    mac(secret, body).verify_slice(&digest).map_err(|_| SignatureError(()))
}

/// The value of a hexadecimal digit, and all ones; of what is none, zero and zero. Without a branch, so that
/// the time does not depend on which digit it is.
fn nibble(digit: u8) -> (u8, u8) {
    let number = digit.wrapping_sub(b'0');
    let letter = (digit | 0x20).wrapping_sub(b'a');
    // All ones where the difference is below zero.
    let [is_number, _] = (i16::from(number) - 10).to_be_bytes();
    let [is_letter, _] = (i16::from(letter) - 6).to_be_bytes();
    (is_number & number | is_letter & letter.wrapping_add(10), is_number | is_letter)
}

fn mac(secret: &Secret, body: &[u8]) -> Hmac<Sha256> {
    // A key of any length will do; the empty one stands in for an error that cannot come.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose())
        .unwrap_or_else(|_| Hmac::<Sha256>::new(&Default::default()));
    mac.update(body);
    mac
}

/// A signature that is not that of the body. It does not say why, since who forges would learn from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignatureError(());

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the signature is not that of the body")
    }
}

impl std::error::Error for SignatureError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_hmac_sha256() {
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
    fn hexadecimal_digits_are_read_and_nothing_else() {
        for digit in 0..=u8::MAX {
            let expected = char::from(digit).to_digit(16).map(|value| (value as u8, u8::MAX));
            assert_eq!(nibble(digit), expected.unwrap_or((0, 0)), "{digit}");
        }
    }

    /// Of what runs after the digest is known, nothing may stop early or go two ways by what it reads.
    #[test]
    fn the_comparison_is_the_mac_s_own_and_has_no_branch_on_a_digit() {
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

    /// Forged signatures that are accepted, of all that were tried.
    #[test]
    #[expect(clippy::string_slice, reason = "the header is ASCII")]
    fn nothing_forged_is_accepted() {
        let secret = Secret::new("whsec");
        let body = br#"{"success":true,"type":"crawl.page","id":"x","data":[]}"#.to_vec();
        let header = sign(&secret, &body);
        assert!(verify(&secret, &body, &header).is_ok());
        let (mut tried, mut accepted) = (0, 0);
        let mut attempt = |secret: &Secret, body: &[u8], header: &str| {
            tried += 1;
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
        println!("accepted forged {accepted}/{tried}");
        assert_eq!(accepted, 0);
    }
}
