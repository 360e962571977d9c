use std::fmt;

use crate::{Error, ErrorKind};

/// Most bytes of a key.
pub const MAX_KEY_BYTES: usize = 4_096;

/// Run of a key's bytes that is taken for a leak where a service repeats it.
const TELLING_BYTES: usize = 12;

/// A service's key. No log, no error and no `Debug` shows it, and it cannot be serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key, with blanks around it taken off.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] where it is empty, longer than [`MAX_KEY_BYTES`], or holds what a header cannot: anything but
    /// visible ASCII characters.
    pub fn new(key: impl AsRef<str>) -> Result<Self, Error> {
        let key = key.as_ref().trim();
        if key.is_empty() || key.len() > MAX_KEY_BYTES || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            let detail = format!("a key is 1 to {MAX_KEY_BYTES} visible ASCII characters");
            return Err(Error::new(ErrorKind::Key, detail));
        }
        Ok(Self(key.to_owned()))
    }

    /// The key itself, for the header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Does the text repeat the key, or a telling part of it?
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let key = self.0.as_bytes();
        let text = text.as_bytes();
        if key.len() <= TELLING_BYTES {
            return text.windows(key.len()).any(|window| window == key);
        }
        let runs: std::collections::HashSet<&[u8]> = key.windows(TELLING_BYTES).collect();
        text.windows(TELLING_BYTES).any(|window| runs.contains(window))
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
    fn a_key_fits_into_a_header_and_is_never_shown() {
        for bad in ["", "  ", "a b", "a\r\nHost: x", "kéy", &"k".repeat(MAX_KEY_BYTES + 1)] {
            let error = ApiKey::new(bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Key);
            assert!(bad.trim().is_empty() || !format!("{error} {error:?}").contains(bad));
        }
        assert_eq!(format!("{:?}", ApiKey::new(" sk-secret\n").unwrap()), "ApiKey(…)");
    }

    #[test]
    fn a_repeated_key_is_noticed() {
        let key = ApiKey::new("sk-0123456789abcdef").unwrap();
        assert!(key.is_in("wrong key sk-0123456789abcdef!"));
        assert!(key.is_in("wrong key ...456789abcdef"));
        assert!(!key.is_in("wrong key sk-01****cdef"));
        assert!(ApiKey::new("short").unwrap().is_in("a short one"));
    }
}
