//! The query of a status request.

use gleaner::desk::Page;
use gleaner::limits::MAX_STATUS_LIMIT;
use url::form_urlencoded;

use crate::failure::Failure;

/// `skip` (0 or more) and `limit` (1 to [`MAX_STATUS_LIMIT`]); of a name that comes twice the last counts, and other names
/// are let be.
pub(crate) fn page(query: Option<&str>) -> Result<Page, Failure> {
    let mut page = Page::default();
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        match name.as_ref() {
            "skip" => {
                let skip = number(&value);
                page.skip = Some(
                    skip.ok_or_else(|| Failure::fault("skip", "`skip` must be an integer of at least 0"))?,
                );
            }
            "limit" => {
                let limit = number(&value).filter(|limit| (1..=MAX_STATUS_LIMIT).contains(limit));
                page.limit = Some(limit.ok_or_else(|| {
                    let text = format!("`limit` must be an integer from 1 to {MAX_STATUS_LIMIT}");
                    Failure::fault("limit", text)
                })?);
            }
            _ => {}
        }
    }
    Ok(page)
}

/// Digits alone: the standard parser would take a sign.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_from_the_query() {
        for (query, want) in [
            ("", Some((None, None))),
            ("skip=0", Some((Some(0), None))),
            ("skip=7&limit=1000", Some((Some(7), Some(1_000)))),
            ("limit=1&other=x&limit=2", Some((None, Some(2)))),
            ("skip=18446744073709551615", Some((Some(u64::MAX), None))),
            ("skip=18446744073709551616", None),
            ("skip=-1", None),
            ("skip=%2B1", None),
            ("skip=", None),
            ("skip=1.0", None),
            ("limit=0", None),
            ("limit=1001", None),
        ] {
            let read = page(Some(query)).ok().map(|page| (page.skip, page.limit));
            assert_eq!(read, want, "{query}");
        }
    }
}
