//! The API key of a provider, kept out of logs and errors.

use std::fmt;

use crate::{ModelsError, ModelsErrorKind};

/// Most bytes of a key.
pub const MAX_KEY_BYTES: usize = 4_096;

/// A text with this many consecutive bytes of a key counts as a leak.
const LEAK_BYTES: usize = 12;

/// The key of a service. Logs, errors and `Debug` never show it, and it cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key, without white space around it.
    ///
    /// # Errors
    /// [`ModelsErrorKind::Key`] if it is empty, longer than [`MAX_KEY_BYTES`], or holds other than visible
    /// ASCII characters, which a header cannot hold.
    pub fn new(key: impl AsRef<str>) -> Result<Self, ModelsError> {
        let key = key.as_ref().trim();
        if key.is_empty() || key.len() > MAX_KEY_BYTES || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let detail = format!("a key is 1 to {MAX_KEY_BYTES} visible ASCII characters");
            return Err(ModelsError::new(ModelsErrorKind::Key, detail));
        }
        Ok(Self(key.to_owned()))
    }

    /// The key itself, for its header.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the text holds the key or a long part of it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let key = self.0.as_bytes();
        let text = text.as_bytes();
        if key.len() <= LEAK_BYTES {
            return text.windows(key.len()).any(|window| window == key);
        }
        let runs: std::collections::HashSet<&[u8]> = key.windows(LEAK_BYTES).collect();
        text.windows(LEAK_BYTES).any(|window| runs.contains(window))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_fit_into_a_header_and_are_never_shown() {
        for bad in ["", "  ", "a b", "a\r\nHost: x", "kéy", &"k".repeat(MAX_KEY_BYTES + 1)] {
            let error = ApiKey::new(bad).unwrap_err();
            assert_eq!(error.kind(), ModelsErrorKind::Key);
            assert!(bad.trim().is_empty() || !format!("{error} {error:?}").contains(bad));
        }
        assert_eq!(format!("{:?}", ApiKey::new(" sk-secret\n").unwrap()), "ApiKey(…)");
    }

    #[test]
    fn texts_with_the_key_are_detected() {
        let key = ApiKey::new("sk-0123456789abcdef").unwrap();
        assert!(key.is_in("wrong key sk-0123456789abcdef!"));
        assert!(key.is_in("wrong key ...456789abcdef"));
        assert!(!key.is_in("wrong key sk-01****cdef"));
        assert!(ApiKey::new("short").unwrap().is_in("a short one"));
    }
}
