//! The shape of a URL: what the URLs of an endless family have in common.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;
use url::Url;

use super::Trap;

/// Maximum number of path segments that are read.
const MAX_SEGMENTS: usize = 64;

/// Paths with more segments count as very deep.
const MAX_USUAL_DEPTH: usize = 16;

/// Longer queries, in bytes, count as facets.
const MAX_USUAL_QUERY: usize = 256;

/// The shape of a URL.
pub(super) struct Shape {
    pub(super) hash: u64,
    /// The reason for which it may be deferred.
    pub(super) trap: Trap,
    /// A hash of host and path, if the URL has more than one parameter.
    pub(super) faceted_path: Option<u64>,
}

pub(super) fn shape_of_url(url: &Url) -> Shape {
    shape_of(url.host_str().unwrap_or_default(), url.path(), url.query().unwrap_or_default())
}

/// The shape of a queued page: its host, with the port if any, and the part of its URL after the host.
pub(super) fn shape_of_queued(host: &str, path_and_query: &str) -> Shape {
    // Without the port, as `Url::host_str`.
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let without_route = path_and_query.split_once('#').map_or(path_and_query, |(before, _)| before);
    let (path, query) = without_route.split_once('?').unwrap_or((without_route, ""));
    shape_of(host, path, query)
}

/// The shape of a URL: its host, its path without numbers, dates and the last name, and the kind of its
/// query.
fn shape_of(host: &str, path: &str, raw_query: &str) -> Shape {
    // The key is fixed: an attacker who makes two shapes collide only defers pages of its own site.
    let mut hasher = SipHasher13::new_with_keys(0, 0);
    let mut write = |text: &str| {
        hasher.write(text.as_bytes());
        hasher.write_u8(0xff);
    };
    write(host);
    let segments: Vec<&str> =
        path.split('/').filter(|segment| !segment.is_empty()).take(MAX_SEGMENTS).collect();
    let mut ends_with_date = false;
    for (index, segment) in segments.iter().enumerate() {
        let is_last = index + 1 == segments.len();
        if segment.bytes().all(|byte| byte.is_ascii_digit()) {
            write("#");
        } else if is_date(segment) {
            write("@");
            ends_with_date = is_last;
        } else if is_last {
            let extension = segment.rsplit_once('.').map_or("", |(_, extension)| extension);
            write("*");
            write(extension);
        } else {
            for piece in segment.split(|c: char| c.is_ascii_digit()) {
                write(piece);
            }
        }
    }
    ends_with_date |= ends_with_year_and_month(&segments);
    let query = Query::of(raw_query);
    let trap = if is_repetitive(&segments) {
        Trap::RepeatedSegments
    } else if segments.len() > MAX_USUAL_DEPTH {
        Trap::VeryDeep
    } else if query.session {
        Trap::SessionId
    } else if query.date || (ends_with_date && query.parameters == 0) {
        Trap::Calendar
    } else if query.parameters >= 3 || query.long {
        Trap::Facets
    } else {
        // The names of one or two parameters belong to the shape; a subset of many does not.
        for pair in raw_query.split('&') {
            write(name_of(pair));
        }
        Trap::ManyAlike
    };
    hasher.write_u8(trap as u8);
    Shape {
        hash: hasher.finish(),
        trap,
        faceted_path: (query.parameters >= 2).then(|| hash_of_path(host, path)),
    }
}

fn hash_of_path(host: &str, path: &str) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 1);
    for text in [host, path] {
        hasher.write(text.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}

#[derive(Default)]
struct Query {
    parameters: usize,
    session: bool,
    date: bool,
    long: bool,
}

impl Query {
    fn of(query: &str) -> Self {
        let mut found = Self { long: query.len() > MAX_USUAL_QUERY, ..Self::default() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let name = name_of(pair);
            let value = pair.split_once('=').map_or("", |(_, value)| value);
            found.parameters += 1;
            found.session |= is_session_name(name) || is_token(value);
            found.date |= is_date(value) || (is_calendar_name(name) && !value.is_empty());
        }
        found
    }
}

fn name_of(pair: &str) -> &str {
    pair.split_once('=').map_or(pair, |(name, _)| name)
}

fn is_session_name(name: &str) -> bool {
    ["sid", "sess", "session", "sessionid", "session_id", "session-id", "phpsessid", "jsessionid"]
        .iter()
        .any(|listed| listed.eq_ignore_ascii_case(name))
}

fn is_calendar_name(name: &str) -> bool {
    ["date", "day", "month", "week", "year", "from_date", "to_date", "startdate", "enddate"]
        .iter()
        .any(|listed| listed.eq_ignore_ascii_case(name))
}

/// True for a probable random value: long, letters and digits mixed, nothing else.
fn is_token(value: &str) -> bool {
    value.len() >= 24
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// True for `2026-01`, `2026-01-31` and `20260131`, with a plausible year and month.
fn is_date(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).take(9).collect();
    let shaped = match text.len() {
        7 | 10 => text.bytes().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 { matches!(byte, b'-' | b'_' | b'.') } else { byte.is_ascii_digit() }
        }),
        8 => digits.len() == 8,
        _ => false,
    };
    let number = |digits: Option<&[u8]>| {
        digits.unwrap_or_default().iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    };
    shaped && (1900..2200).contains(&number(digits.get(..4))) && (1..=12).contains(&number(digits.get(4..6)))
}

/// True for `.../2026/01` and `.../2026/01/31` at the end: the page of a month or day, not an article of that
/// day.
fn ends_with_year_and_month(segments: &[&str]) -> bool {
    let is = |segment: &str, range: std::ops::Range<u32>| {
        segment.len() <= 4 && segment.parse().is_ok_and(|number| range.contains(&number))
    };
    match segments {
        [.., year, month, day] if is(year, 1900..2200) && is(month, 1..13) => is(day, 1..32),
        [.., year, month] => is(year, 1900..2200) && is(month, 1..13),
        _ => false,
    }
}

/// True if a segment that is not a number occurs three times. At most [`MAX_SEGMENTS`] are compared.
fn is_repetitive(segments: &[&str]) -> bool {
    let is_name = |segment: &&&str| !segment.bytes().all(|byte| byte.is_ascii_digit());
    // Most paths are too short, so they are not sorted.
    if segments.iter().filter(is_name).count() < 3 {
        return false;
    }
    let mut names: Vec<&str> = segments.iter().filter(is_name).copied().collect();
    names.sort_unstable();
    names.windows(3).any(|same| same.first() == same.last())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(&format!("https://a.test{text}")).unwrap()
    }

    #[test]
    fn reasons_for_deferral() {
        for (text, trap) in [
            ("/", Trap::ManyAlike),
            ("/about", Trap::ManyAlike),
            ("/p/123", Trap::ManyAlike),
            ("/blog?page=2", Trap::ManyAlike),
            ("/forum?f=2&t=12", Trap::ManyAlike),
            ("/2026/01/31/a-story", Trap::ManyAlike),
            ("/news/2026-01-31/a-story", Trap::ManyAlike),
            ("/v/1234567890", Trap::ManyAlike),
            ("/1/1/1/1", Trap::ManyAlike),
            ("/calendar/2026/01", Trap::Calendar),
            ("/calendar/2026/1/31/", Trap::Calendar),
            ("/events/2026-01", Trap::Calendar),
            ("/events?date=2026-01-31", Trap::Calendar),
            ("/events?month=7&year=2031", Trap::Calendar),
            ("/shop?color=red&size=m&sort=price", Trap::Facets),
            ("/x?sid=1", Trap::SessionId),
            ("/x?id=5&t=0a1b2c3d4e5f60718293a4b5c6", Trap::SessionId),
            ("/a/b/a/b/a/b", Trap::RepeatedSegments),
            ("/x/x/x", Trap::RepeatedSegments),
        ] {
            assert_eq!(shape_of_url(&url(text)).trap, trap, "{text}");
        }
        let deep = format!("/{}", (0..20).map(|n| format!("s{n}x")).collect::<Vec<_>>().join("/"));
        assert_eq!(shape_of_url(&url(&deep)).trap, Trap::VeryDeep);
        let grown = format!("/x?q={}", "word+".repeat(60));
        assert_eq!(shape_of_url(&url(&grown)).trap, Trap::Facets);
    }

    #[test]
    fn a_queued_page_has_the_shape_of_its_url() {
        for text in ["/", "/a/b?c=1", "/a#/route?x", "/p/12/", "/calendar/2026/01?x", "/x?a&b&c"] {
            let url = Url::parse(&format!("http://a.test:8080{text}")).unwrap();
            assert_eq!(shape_of_queued("a.test:8080", text).hash, shape_of_url(&url).hash, "{text}");
        }
    }
}
