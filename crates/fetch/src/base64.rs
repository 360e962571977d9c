/// Base64 (RFC 4648 section 4), with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let sextet = (bits >> (18 - 6 * place)) & 63;
            let letter = ALPHABET.get(sextet as usize).copied().unwrap_or(b'A');
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// `bytes` as a `data:` URI (RFC 2397) of this media type.
///
/// ```
/// assert_eq!(gleaner_fetch::data_uri("image/png", b"foob"), "data:image/png;base64,Zm9vYg==");
/// ```
#[must_use]
pub fn data_uri(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", base64(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_rfc() {
        let rows = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ];
        for (plain, encoded) in rows {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }
}
