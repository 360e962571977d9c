//! The API key of a request.

use http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use http::{HeaderMap, StatusCode};

use crate::failure::Failure;

/// The key of `Authorization: Bearer KEY` (contract 5.1; RFC 6750, 2.1).
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, Failure> {
    let value = headers.get(AUTHORIZATION).ok_or_else(missing)?;
    let text = value.to_str().map_err(|_| invalid())?;
    let (scheme, key) = text.trim().split_once(' ').ok_or_else(missing)?;
    let key = key.trim();
    if key.is_empty() || !scheme.eq_ignore_ascii_case("bearer") {
        return Err(missing());
    }
    Ok(key)
}

/// The key that a WebSocket client sends as its subprotocol, because browsers let pages set no other header.
pub(crate) fn subprotocol(headers: &HeaderMap) -> Option<&str> {
    let offered = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offered.split(',').map(str::trim).find(|protocol| !protocol.is_empty())
}

fn missing() -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, "Unauthorized: Token missing")
}

fn invalid() -> Failure {
    Failure::new(StatusCode::UNAUTHORIZED, "Unauthorized: Invalid token")
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_key_follows_the_bearer_scheme() {
        for (name, header, key) in [
            ("well-formed", Some(&b"Bearer k-1"[..]), Some("k-1")),
            ("any case", Some(b"bEARER k"), Some("k")),
            ("more space", Some(b"  Bearer   k  "), Some("k")),
            ("no header", None, None),
            ("no key", Some(b"Bearer "), None),
            ("no scheme", Some(b"k"), None),
            ("another scheme", Some(b"Basic a2s="), None),
            ("not text", Some(b"Bearer \xff"), None),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(AUTHORIZATION, HeaderValue::from_bytes(header).unwrap());
            }
            assert_eq!(bearer(&headers).ok(), key, "{name}");
        }
    }

    #[test]
    fn the_first_subprotocol_is_the_key() {
        let mut headers = HeaderMap::new();
        assert_eq!(subprotocol(&headers), None);
        headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(" , k-1, other"));
        assert_eq!(subprotocol(&headers), Some("k-1"));
    }
}
