//! Query parameters of a request for a status or a team's activity.

use gleaner::limits::{DEFAULT_ACTIVITY_LIMIT, MAX_ACTIVITY_LIMIT, MAX_STATUS_LIMIT};
use gleaner::service::Page;
use url::form_urlencoded;

use crate::failure::Failure;

/// `skip` (0 or more) and `limit` (1 to [`MAX_STATUS_LIMIT`]). The last of repeated parameters counts;
/// unknown ones are ignored.
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
            "limit" => page.limit = Some(limit(&value, MAX_STATUS_LIMIT)?),
            _ => {}
        }
    }
    Ok(page)
}

/// `limit` (1 to [`MAX_ACTIVITY_LIMIT`]), with the rules of [`page`].
pub(crate) fn activity_limit(query: Option<&str>) -> Result<u64, Failure> {
    let mut entries = DEFAULT_ACTIVITY_LIMIT;
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if name == "limit" {
            entries = limit(&value, MAX_ACTIVITY_LIMIT)?;
        }
    }
    Ok(entries)
}

fn limit(text: &str, max: u64) -> Result<u64, Failure> {
    let limit = number(text).filter(|limit| (1..=max).contains(limit));
    limit.ok_or_else(|| Failure::fault("limit", format!("`limit` must be an integer from 1 to {max}")))
}

/// A number of digits only; the standard parser would accept a sign.
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

    #[test]
    fn activity_limits_are_read_from_the_query() {
        for (query, want) in [
            ("", Some(DEFAULT_ACTIVITY_LIMIT)),
            ("other=x", Some(DEFAULT_ACTIVITY_LIMIT)),
            ("limit=1", Some(1)),
            ("limit=100", Some(100)),
            ("limit=7&limit=8", Some(8)),
            ("limit=0", None),
            ("limit=101", None),
            ("limit=", None),
            ("limit=ten", None),
            ("limit=-1", None),
            ("limit=18446744073709551617", None),
        ] {
            assert_eq!(activity_limit(Some(query)).ok(), want, "{query}");
        }
        assert_eq!(activity_limit(None).ok(), Some(DEFAULT_ACTIVITY_LIMIT));
    }
}
