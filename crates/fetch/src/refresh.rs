//! Redirects that a page asks for: the `Refresh` header and `<meta http-equiv="refresh">` (HTML standard,
//! section "Refresh state").
//!
//! Browsers act on both, so a page with nothing else in it is a redirect for its readers. The scan reads only
//! the first bytes of the body and builds no tree: this crate does not parse pages, and such elements come
//! before the text.

use std::time::Duration;

use http::HeaderMap;
use url::Url;

use crate::redirect::without_fragment;

/// A refresh with a longer delay is not followed: the page is meant to be read first, such as one of a slide
/// show. Its target is a link of the page.
pub const MAX_REFRESH_DELAY: Duration = Duration::from_secs(1);
/// Most bytes of a body that are scanned.
const MAX_SCANNED: usize = 8 * 1024;
/// Elements whose content is not markup, or not for a client that runs scripts.
const OPAQUE: [&[u8]; 7] = [b"script", b"style", b"noscript", b"template", b"title", b"textarea", b"iframe"];

/// The page that the page at `url` redirects to at once; `None` if it stays or reloads itself.
pub(crate) fn target(url: &Url, headers: &HeaderMap, body: &[u8], is_html: bool) -> Option<Url> {
    let header = headers.get("refresh").and_then(|value| value.to_str().ok());
    let content = match header {
        Some(text) => Some(text.to_owned()),
        None if is_html => meta_content(body.get(..MAX_SCANNED).unwrap_or(body)),
        None => None,
    };
    let content = content?;
    let mut target = url.join(address(&content)?).ok()?;
    let _ = target.set_username("");
    let _ = target.set_password(None);
    // Browsers do not leave a page for `mailto:` or an app's scheme without asking the user.
    let is_page = matches!(target.scheme(), "http" | "https");
    (is_page && without_fragment(url) != without_fragment(&target)).then_some(target)
}

/// The URL in `1; url=/next`, if the delay is short enough.
fn address(content: &str) -> Option<&str> {
    let content = content.trim();
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let (seconds, rest) = content.split_at_checked(digits)?;
    if seconds.is_empty() && !rest.starts_with('.') {
        return None;
    }
    if !seconds.is_empty()
        && seconds.parse::<u64>().map_or(true, |seconds| seconds > MAX_REFRESH_DELAY.as_secs())
    {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let after = rest.trim_start();
    let after =
        after.strip_prefix([';', ',']).or_else(|| (after.len() < rest.len()).then_some(after))?.trim_start();
    let after = match after.split_at_checked(3) {
        Some((name, value)) if name.eq_ignore_ascii_case("url") => match value.trim_start().strip_prefix('=')
        {
            Some(value) => value.trim_start(),
            None => after,
        },
        _ => after,
    };
    let address = match after.chars().next()? {
        quote @ ('"' | '\'') => after.get(1..)?.split(quote).next()?,
        _ => after,
    };
    (!address.trim().is_empty()).then(|| address.trim())
}

/// The `content` of the first `<meta http-equiv="refresh">` that a browser with scripts would act on.
fn meta_content(html: &[u8]) -> Option<String> {
    if !has_http_equiv(html) {
        return None;
    }
    let mut rest = html;
    while let Some(start) = rest.iter().position(|byte| *byte == b'<') {
        rest = rest.get(start + 1..)?;
        if let Some(comment) = rest.strip_prefix(b"!--") {
            rest = after(comment, b"-->")?;
            continue;
        }
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (name, tail) = rest.split_at_checked(length)?;
        if name.eq_ignore_ascii_case(b"meta") {
            let (attributes, tail) = attributes(tail);
            let value = |wanted: &str| {
                attributes.iter().find_map(|(name, value)| name.eq_ignore_ascii_case(wanted).then_some(value))
            };
            if value("http-equiv").is_some_and(|value| value.trim().eq_ignore_ascii_case("refresh"))
                && let Some(content) = value("content")
            {
                return Some(content.replace("&amp;", "&"));
            }
            rest = tail;
        } else if name.eq_ignore_ascii_case(b"body") {
            return None;
        } else if let Some(opaque) = OPAQUE.iter().find(|opaque| name.eq_ignore_ascii_case(opaque)) {
            rest = after_end_tag(tail, opaque)?;
        }
    }
    None
}

/// Whether `http-equiv` occurs at all. This is many times faster than the scan and enough for most pages: it
/// jumps from one `q` to the next, and markup has few of them.
fn has_http_equiv(html: &[u8]) -> bool {
    memchr::memchr2_iter(b'q', b'Q', html).any(|at| {
        let word = at.checked_sub(6).and_then(|start| html.get(start..start + 10));
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"http-equiv"))
    })
}

fn after<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    bytes.get(at + mark.len()..)
}

fn after_end_tag<'a>(bytes: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let at = bytes.windows(name.len() + 2).position(|window| {
        window.strip_prefix(b"</").is_some_and(|found| found.eq_ignore_ascii_case(name))
    })?;
    bytes.get(at + name.len() + 2..)
}

/// The attributes of a tag, and the bytes after them.
fn attributes(mut rest: &[u8]) -> (Vec<(String, String)>, &[u8]) {
    let mut found = Vec::new();
    loop {
        let skipped = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b'/').count();
        rest = rest.get(skipped..).unwrap_or_default();
        if rest.first().is_none_or(|byte| *byte == b'>') {
            return (found, rest);
        }
        let ends_name = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'>' | b'/');
        let length = rest.iter().take_while(|byte| ends_name(byte)).count().max(1);
        let (name, tail) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        let spaces = tail.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let mut value: &[u8] = &[];
        rest = tail;
        if let Some(assigned) = tail.get(spaces..).and_then(|tail| tail.strip_prefix(b"=")) {
            let spaces = assigned.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let assigned = assigned.get(spaces..).unwrap_or_default();
            let (quoted, length, skip) = match assigned.first() {
                Some(quote @ (b'"' | b'\'')) => {
                    let inner = assigned.get(1..).unwrap_or_default();
                    (inner, inner.iter().take_while(|byte| *byte != quote).count(), 1)
                }
                _ => {
                    let plain = |byte: &&u8| !byte.is_ascii_whitespace() && **byte != b'>';
                    (assigned, assigned.iter().take_while(plain).count(), 0)
                }
            };
            (value, rest) = quoted.split_at_checked(length).unwrap_or((quoted, &[]));
            rest = rest.get(skip..).unwrap_or_default();
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        found.push((text(name), text(value)));
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn by_meta(html: &str) -> Option<String> {
        let url = Url::parse("https://a.example/x?q#f").unwrap();
        target(&url, &HeaderMap::new(), html.as_bytes(), true).map(String::from)
    }

    #[test]
    fn meta_elements_redirect_at_once() {
        let there = Some("https://a.example/n".to_owned());
        for html in [
            r#"<meta http-equiv="refresh" content="0;url=/n">"#,
            r#"<!doctype html><head><title><meta></title><META CONTENT='1; URL="/n"' HTTP-EQUIV=Refresh />"#,
            "<meta http-equiv=refresh content='0; /n'>",
            "<meta http-equiv=refresh content='0,url = /n'>",
            "<meta http-equiv=refresh content='.5;url=/n'>",
            "<meta charset=utf-8><meta name=x content=y><meta http-equiv=refresh content=0;url=/n>",
            "<!-- <meta http-equiv=refresh content='0;url=/wrong'> -->\
             <meta http-equiv=refresh content='0 url=/n'>",
            "<noscript><meta http-equiv=refresh content='0;url=/wrong'></noscript>\
             <meta http-equiv=refresh content='1;url=https://u:p@a.example/n'>",
        ] {
            assert_eq!(by_meta(html), there, "{html}");
        }
        assert_eq!(
            by_meta("<meta http-equiv=refresh content='0;url=/?a=1&amp;b=2'>").as_deref(),
            Some("https://a.example/?a=1&b=2")
        );
        for html in [
            "<meta http-equiv=refresh content='2;url=/n'>",
            "<meta http-equiv=refresh content='30;url=/n'>",
            "<meta http-equiv=refresh content='99999999999999999999;url=/n'>",
            "<meta http-equiv=refresh content='0'>",
            "<meta http-equiv=refresh content='0;url='>",
            "<meta http-equiv=refresh content='0;url=/x?q#other'>",
            "<meta http-equiv=refresh content='soon;url=/n'>",
            "<meta http-equiv=refresh>",
            "<meta name=refresh content='0;url=/n'>",
            "<noscript><meta http-equiv=refresh content='0;url=/n'></noscript>",
            "<script>'<meta http-equiv=refresh content=0;url=/n>'</script>",
            "<body><meta http-equiv=refresh content='0;url=/n'>",
            "<!-- never closed <meta http-equiv=refresh content='0;url=/n'>",
            "<meta http-equiv=refresh content='0;url=http://['>",
        ] {
            assert_eq!(by_meta(html), None, "{html}");
        }
    }

    #[test]
    fn the_header_applies_to_any_kind_of_body() {
        let url = Url::parse("https://a.example/x").unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("refresh", HeaderValue::from_static("0;url=/n"));
        assert_eq!(target(&url, &headers, b"", false).unwrap().path(), "/n");
    }

    proptest! {
        #[test]
        fn never_panics(
            html in "(<|>|meta|/|=|'|\"| |http-equiv|refresh|content|0;url|!--|-->|script|ä){0,60}"
        ) {
            let _ = by_meta(&html);
        }
    }
}
