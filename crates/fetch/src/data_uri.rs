//! Writes bytes as a `data:` URI.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// `bytes` as a `data:` URI (RFC 2397) of this media type.
///
/// ```
/// assert_eq!(gleaner_fetch::data_uri("image/png", b"foob"), "data:image/png;base64,Zm9vYg==");
/// ```
#[must_use]
pub fn data_uri(media_type: &str, bytes: &[u8]) -> String {
    let mut uri = format!("data:{media_type};base64,");
    BASE64_STANDARD.encode_string(bytes, &mut uri);
    uri
}
