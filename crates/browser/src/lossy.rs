//! Reads strings of JavaScript that are not valid Unicode.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

/// Text of a page. Strings of JavaScript may hold halves of surrogate pairs, which Rust strings cannot: they
/// become U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lossy(pub(crate) String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes, because serde_json accepts such halves in bytes only.
        deserializer.deserialize_bytes(LossyVisitor)
    }
}

struct LossyVisitor;

impl Visitor<'_> for LossyVisitor {
    type Value = Lossy;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Lossy, E> {
        Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        for (json, text) in [
            (r#""plain""#, "plain"),
            (r#""gr\u00fc\u00df \ud83d\ude00 \"<p>\"""#, "gr\u{fc}\u{df} \u{1f600} \"<p>\""),
            (r#""a\ud83d b""#, "a\u{fffd}\u{fffd}\u{fffd} b"),
            (r#""a\ude00""#, "a\u{fffd}\u{fffd}\u{fffd}"),
        ] {
            let read: Lossy = serde_json::from_str(json).unwrap();
            assert_eq!(read, Lossy(text.to_owned()), "{json}");
        }
    }
}
