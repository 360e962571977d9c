//! Redirects that a page asks for: the `Refresh` header and `<meta http-equiv="refresh">` (HTML standard,
//! section "Refresh state").
//!
//! Browsers act on both, so a page with nothing else in it is a redirect for its readers. The scan builds no
//! tree: this crate does not parse pages.

use std::time::Duration;

use gleaner_types::{Refresh, join};
use http::HeaderMap;
use url::Url;

use crate::redirect::without_fragment;

/// A refresh with a longer delay is not followed: the page is meant to be read first, such as one of a slide
/// show. Its target is a link of the page.
pub const MAX_REFRESH_DELAY: Duration = Duration::from_secs(1);
/// Bytes behind `http-equiv` within which its value is.
const NEAR: usize = 32;
/// Elements whose content is not markup, or not for a client that runs scripts.
const OPAQUE: [&[u8]; 10] = [
    b"script",
    b"style",
    b"noscript",
    b"template",
    b"title",
    b"textarea",
    b"iframe",
    b"xmp",
    b"noembed",
    b"noframes",
];
/// The named character references that URLs are written with.
const REFERENCES: [(&str, char); 22] = [
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("gt", '>'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lt", '<'),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rpar", ')'),
    ("semi", ';'),
    ("sol", '/'),
];

/// The page that the page at `url` redirects to at once; `None` if it stays or reloads itself.
pub(crate) fn target(url: &Url, headers: &HeaderMap, body: &[u8], is_html: bool) -> Option<Url> {
    let header = headers.get("refresh").map(crate::headers::text);
    let (content, base) = match header.filter(|text| Refresh::parse(text).is_some()) {
        Some(text) => (text, None),
        None if is_html => declared(body)?,
        None => return None,
    };
    let refresh = Refresh::parse(&content)?;
    if refresh.seconds > MAX_REFRESH_DELAY.as_secs() || refresh.url.is_empty() {
        return None;
    }
    let is_page = |url: &Url| matches!(url.scheme(), "http" | "https");
    let base = base.and_then(|base| join(url, &base).ok()).filter(is_page);
    let mut target = join(base.as_ref().unwrap_or(url), refresh.url).ok()?;
    let _ = target.set_username("");
    let _ = target.set_password(None);
    // Browsers do not leave a page for `mailto:` or an app's scheme without asking the user.
    (is_page(&target) && without_fragment(url) != without_fragment(&target)).then_some(target)
}

/// The `content` of the first `<meta http-equiv="refresh">` that a browser with scripts acts on, and the
/// `href` of a `<base>` before it.
fn declared(html: &[u8]) -> Option<(String, Option<String>)> {
    if !may_refresh(html) {
        return None;
    }
    let mut base = None;
    let mut rest = html;
    while let Some(start) = memchr::memchr(b'<', rest) {
        rest = rest.get(start + 1..)?;
        if rest.starts_with(b"!--") {
            rest = after_comment(rest.get(3..)?)?;
            continue;
        }
        if matches!(rest.first(), Some(b'!' | b'?')) {
            rest = after(rest, b">")?;
            continue;
        }
        let is_end = rest.first() == Some(&b'/');
        let named = rest.get(usize::from(is_end)..)?;
        if !named.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let ends_name = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
        let (name, tail) = named.split_at_checked(named.iter().position(ends_name)?)?;
        let (attributes, tail) = attributes(tail);
        rest = tail;
        let value = |wanted: &str| {
            attributes.iter().find_map(|(name, value)| name.eq_ignore_ascii_case(wanted).then_some(value))
        };
        if is_end {
            continue;
        }
        if name.eq_ignore_ascii_case(b"meta") {
            let is_refresh = value("http-equiv").is_some_and(|value| value.eq_ignore_ascii_case("refresh"));
            let content = value("content").filter(|_| is_refresh).map(|content| decoded(content));
            if let Some(content) = content.filter(|content| Refresh::parse(content).is_some()) {
                return Some((content, base));
            }
        } else if name.eq_ignore_ascii_case(b"base") {
            base = base.or_else(|| value("href").map(|href| decoded(href)));
        } else if let Some(opaque) = OPAQUE.iter().find(|opaque| name.eq_ignore_ascii_case(opaque)) {
            rest = after_end_tag(rest, opaque)?;
        }
    }
    None
}

/// Whether a tag could be a refresh. This is many times faster than the scan and enough for most pages: it
/// jumps from one `q` to the next, and markup has few of them.
fn may_refresh(html: &[u8]) -> bool {
    memchr::memchr2_iter(b'q', b'Q', html).any(|at| {
        let Some(word) = at.checked_sub(6).and_then(|start| html.get(start..)) else { return false };
        let (word, value) = word.split_at_checked(10).unwrap_or_default();
        let value = value.get(..NEAR).unwrap_or(value);
        word.eq_ignore_ascii_case(b"http-equiv")
            && value.windows(7).any(|known| known.eq_ignore_ascii_case(b"refresh"))
    })
}

/// An attribute's value with its character references decoded.
fn decoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let (character, after) = reference(after).unwrap_or(('&', after));
        out.push(character);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The character of a reference, and the text behind it.
fn reference(text: &str) -> Option<(char, &str)> {
    let Some(number) = text.strip_prefix('#') else {
        return REFERENCES
            .iter()
            .find_map(|(name, character)| Some((*character, text.strip_prefix(name)?.strip_prefix(';')?)));
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let end = digits.find(|character: char| !character.is_digit(radix)).unwrap_or(digits.len());
    let (number, rest) = digits.split_at_checked(end)?;
    let character = u32::from_str_radix(number, radix).ok().and_then(char::from_u32)?;
    Some((character, rest.strip_prefix(';').unwrap_or(rest)))
}

/// The bytes after a comment, whose content begins here: also after `<!-->`, `<!--->` and `--!>`.
fn after_comment(content: &[u8]) -> Option<&[u8]> {
    let closes = |at: &usize| {
        let before = content.get(..*at).unwrap_or_default();
        before.is_empty() || before == b"-" || before.ends_with(b"--") || before.ends_with(b"--!")
    };
    let at = memchr::memchr_iter(b'>', content).find(closes)?;
    content.get(at + 1..)
}

fn after<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find(bytes, mark)?;
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
        found.push((text(name), text(value)));
    }
}

/// The text of a name or a value. Bytes that are not UTF-8 are in another encoding: in a query they go back as
/// they came, as in browsers, and elsewhere they are taken for Latin-1.
fn text(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let query = memchr::memchr(b'?', bytes).unwrap_or(bytes.len());
    let mut text = String::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if byte.is_ascii() || at < query {
            text.push(char::from(*byte));
        } else {
            text.push_str(percent_encoding::percent_encode_byte(*byte));
        }
    }
    text
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
            "<body><p>Moved.<meta http-equiv=refresh content='0;url=/n'>",
            "<meta http-equiv = \"\tREFRESH\"><meta http-equiv = refresh content='\n0 ;\n\tUrl\n=\n\"/n\" '>",
            "<meta http-equiv=refresh content='&#x30;&semi;url&equals;&#x2F;&#110'>",
            "<base target=_top><base href=/b/><base href=/c/><meta http-equiv=refresh content='0;url=../n'>",
            "<base href='mailto:a@b.example'><meta http-equiv=refresh content='0;url=n'>",
            "<meta http-equiv=refresh content='0;url=n'><base href=/b/>",
            "<a title='<meta http-equiv=refresh content=0;url=/wrong>'></a title='<base href=/b/>'>\
             <meta http-equiv=refresh content='0;url=n'>",
            "<!--><meta http-equiv=refresh content='0;url=/n'>",
            "<!---><!-- x --!><meta http-equiv=refresh content='0;url=/n'>",
            "<meta http-equiv=refresh content='soon;url=/wrong'><meta http-equiv=refresh content='0;url=/n'>",
        ] {
            assert_eq!(by_meta(html), there, "{html}");
        }
        assert_eq!(
            by_meta("<meta http-equiv=refresh content='0;url=/?a=1&amp;b=2&c=3'>").as_deref(),
            Some("https://a.example/?a=1&b=2&c=3")
        );
        let late = format!("<style>{}</style>", "p{margin:0}\n".repeat(2_000));
        assert_eq!(by_meta(&format!("{late}<meta http-equiv=refresh content='0;url=/n'>")), there);
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
            "<xmp><meta http-equiv=refresh content='0;url=/n'></xmp>",
            "<meta content='0;url=/n'><p http-equiv=refresh content='0;url=/n'>",
            "<!-- never closed <meta http-equiv=refresh content='0;url=/n'>",
            "<!--[if IE]><meta http-equiv=refresh content='0;url=/n'><![endif]-->",
            "<!--!><meta http-equiv=refresh content='0;url=/n'>-->",
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
        let page = b"<meta http-equiv=refresh content='0;url=/meta'>";
        for (value, expected) in [
            (&b"0;URL='/n'"[..], "/n"),
            (b"0; url=/caf\xe9", "/caf%C3%A9"),
            (b"soon; url=/no", "/meta"),
            (b"", "/meta"),
        ] {
            headers.insert("refresh", HeaderValue::from_bytes(value).unwrap());
            assert_eq!(target(&url, &headers, page, true).unwrap().path(), expected, "{value:?}");
        }
    }

    #[test]
    fn a_page_in_another_encoding_leads_where_it_says() {
        let url = Url::parse("https://a.example/x").unwrap();
        let page = b"<title>caf\xe9</title><meta http-equiv=refresh content='0;url=/caf\xe9?q=caf\xe9&r=1'>";
        let found = target(&url, &HeaderMap::new(), page, true).unwrap();
        assert_eq!(found.as_str(), "https://a.example/caf%C3%A9?q=caf%E9&r=1");
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
