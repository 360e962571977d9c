//! Checks the names and values of HTTP headers.

use std::collections::BTreeMap;

use super::path::Path;
use super::report::{Code, Report};
use crate::limits::{MAX_HEADER_NAME_BYTES, MAX_HEADER_VALUE_BYTES, MAX_HEADERS};

/// The checked headers, with names in lower case. Values are secrets: no message repeats one.
pub(crate) fn headers(
    headers: Option<BTreeMap<String, String>>,
    path: &Path<'_>,
    report: &mut Report,
) -> BTreeMap<String, String> {
    let headers = headers.unwrap_or_default();
    if headers.len() > MAX_HEADERS {
        report.fault(Code::OutOfRange, path, |name| {
            format!("{name} must have at most {MAX_HEADERS} entries, not {}", headers.len())
        });
        return BTreeMap::new();
    }
    let mut lowered = BTreeMap::new();
    for (key, value) in headers {
        let at = path.key(&key);
        if key.len() > MAX_HEADER_NAME_BYTES || !is_token(&key) {
            report.fault(Code::InvalidValue, &at, |name| {
                format!(
                    "{name} is not a header name: it must be at most {MAX_HEADER_NAME_BYTES} letters, digits \
                     and hyphens"
                )
            });
            continue;
        }
        if value.len() > MAX_HEADER_VALUE_BYTES {
            report.fault(Code::OutOfRange, &at, |name| {
                format!("{name} must be at most {MAX_HEADER_VALUE_BYTES} bytes long, not {}", value.len())
            });
        }
        // Text beyond ASCII is sent as UTF-8, as in the cookies of some sites.
        if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
            report
                .fault(Code::InvalidValue, &at, |name| format!("{name} must be printable text in one line"));
        }
        if lowered.insert(key.to_ascii_lowercase(), value).is_some() {
            report.fault(Code::Conflict, &at, |name| {
                format!("{name} is repeated: header names that differ only in case are equal")
            });
        }
    }
    lowered
}

/// A token (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// A field value without obs-text (RFC 9110, section 5.5).
pub(crate) fn is_field_value(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
}
