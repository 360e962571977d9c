//! Resolves the URLs of a page against its base, and keeps only those that are safe to write or fetch.

use std::borrow::Cow;
use std::cell::Cell;

use encoding_rs::{Encoding, UTF_8};
use gleaner_types::plan::{omits_slash, without_slash};
use gleaner_types::{Interrupt, host_reference, join};
use url::Url;

use crate::charset::encoded_query;
use crate::tree::Tree;

/// A longer URL is dropped: servers reject it, and it is usually a data URI.
pub(crate) const MAX_URL_BYTES: usize = 8_192;

/// Upper bound on the bytes that resolving URLs adds to one output of a page. They also take at most an
/// eighth of the page's memory ([`page_memory`](crate::page_memory)). If the base of a page is 8 KiB long,
/// each relative link grows by that much. Links beyond the bound are left out.
pub const MAX_RESOLVED_BYTES: usize = 32 * 1024 * 1024;

/// Resolved URLs take at most this share of a page's memory: an eighth.
const RESOLVED_SHARE: usize = 8;

/// Bytes of a resolved URL that cost one unit of work: resolving reads every character.
const URL_BYTES_PER_UNIT: usize = 16;

/// Resolves the URLs of one page.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    /// Bytes that may still be added.
    budget: Cell<usize>,
    /// Bytes that one output may add.
    limit: usize,
    /// `None` leaves relative URLs unchanged: for HTML that belongs to no page.
    base: Option<Url>,
    /// The page itself.
    page: Option<Url>,
    /// The encoding of the page, in which queries are written; `None` for UTF-8.
    encoding: Option<&'static Encoding>,
    interrupt: Interrupt,
}

impl Resolver {
    /// For a page at `url` whose `<base href>` is `base`.
    pub(crate) fn new(url: &Url, base: Option<&str>) -> Self {
        let declared = base
            .filter(|base| base.len() <= MAX_URL_BYTES)
            .and_then(|base| join(url, &strip(base)).ok())
            .filter(|base| matches!(base.scheme(), "http" | "https"));
        let base = Some(declared.unwrap_or_else(|| url.clone()));
        Self { base, page: Some(url.clone()), ..Self::without_base() }
    }

    /// For HTML that belongs to no page.
    pub(crate) const fn without_base() -> Self {
        Self {
            budget: Cell::new(MAX_RESOLVED_BYTES),
            limit: MAX_RESOLVED_BYTES,
            base: None,
            page: None,
            encoding: None,
            interrupt: Interrupt::never(),
        }
    }

    /// Resolves from another base from now on. The budget stays.
    pub(crate) fn set_base(&mut self, base: &Url) {
        self.base = Some(base.clone());
    }

    /// Writes queries in the encoding of the page, by its name (URL Standard, "encoding" of the URL parser).
    pub(crate) fn with_encoding(self, name: &str) -> Self {
        let encoding = Encoding::for_label(name.as_bytes()).map(Encoding::output_encoding);
        Self { encoding: encoding.filter(|encoding| *encoding != UTF_8), ..self }
    }

    /// Parses a reference, relative to the base if there is one.
    fn parse(&self, reference: &str) -> Option<Url> {
        let options = Url::options().base_url(self.base.as_ref());
        let reference = self.base.as_ref().map_or(reference, |base| host_reference(base, reference));
        let parsed = match self.encoding {
            None => options.parse(reference),
            Some(encoding) => {
                options.encoding_override(Some(&|query| encoded_query(encoding, query))).parse(reference)
            }
        };
        parsed.ok()
    }

    /// Limits the added bytes to a share of the page's memory, and counts the work of each URL.
    pub(crate) fn with_limits(self, memory: usize, interrupt: &Interrupt) -> Self {
        let limit = (memory / RESOLVED_SHARE).min(MAX_RESOLVED_BYTES);
        Self { budget: Cell::new(limit), limit, interrupt: interrupt.clone(), ..self }
    }

    /// A copy for another output of the page, with nothing spent yet.
    pub(crate) fn with_full_budget(&self) -> Self {
        Self { budget: Cell::new(self.limit), ..self.clone() }
    }

    /// True if a reference leads to the page itself, whatever its fragment.
    pub(crate) fn is_same_page(&self, reference: &str) -> bool {
        let Some(page) = &self.page else { return false };
        self.web_url(reference).is_some_and(|url| {
            url.host() == page.host()
                && url.path().trim_end_matches('/') == page.path().trim_end_matches('/')
                && url.query() == page.query()
        })
    }

    /// Charges the bytes by which a resolved URL is longer than its reference. False if the budget does not
    /// cover them; from then on every call fails.
    fn charge(&self, reference: &str, url: &Url) -> bool {
        let added = url.as_str().len().saturating_sub(reference.len());
        self.interrupt.spend(added / URL_BYTES_PER_UNIT);
        let left = self.budget.get().checked_sub(added);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }

    /// True if the budget is spent. Checked before a URL is resolved, because resolving costs time by its
    /// length.
    fn is_spent(&self) -> bool {
        self.budget.get() == 0
    }

    /// For a parsed page.
    pub(crate) fn of_tree(url: &Url, tree: &Tree) -> Self {
        Self::new(url, tree.link_tags.base()).with_limits(tree.memory(), tree.interrupt())
    }

    /// The absolute `http` or `https` URL of a reference, with its fragment.
    pub(crate) fn web_url(&self, reference: &str) -> Option<Url> {
        let reference = strip(reference);
        if reference.len() > MAX_URL_BYTES || self.is_spent() {
            return None;
        }
        let url = self.parse(&reference)?;
        (matches!(url.scheme(), "http" | "https") && url.has_host() && self.charge(&reference, &url))
            .then_some(url)
    }

    /// The URL to write into Markdown or HTML, absolute if there is a base. `None` for what must not become a
    /// link (`javascript:`, `data:`, `vbscript:`, `file:`, `blob:` and, on a page, unknown schemes).
    pub(crate) fn output_url<'a>(&self, reference: &'a str) -> Option<Cow<'a, str>> {
        let stripped = strip(reference);
        // If a later consumer drops a control character, a harmless scheme could become a dangerous one.
        if stripped.len() > MAX_URL_BYTES || stripped.contains(char::is_control) || self.is_spent() {
            return None;
        }
        match scheme(&stripped) {
            Some(scheme) if is_web(scheme) => {
                if self.base.is_none() {
                    return Some(stripped);
                }
                let url = self.parse(&stripped)?;
                url.has_host().then(|| Cow::Owned(as_written(&stripped, url)))
            }
            Some(scheme) if is_contact(scheme) => Some(stripped),
            Some(scheme) if self.base.is_none() && !is_dangerous(scheme) => Some(stripped),
            Some(_) => None,
            None if self.base.is_none() => Some(stripped),
            None => self
                .parse(&stripped)
                .filter(|url| matches!(url.scheme(), "http" | "https") && self.charge(&stripped, url))
                .map(|url| Cow::Owned(as_written(&stripped, url))),
        }
    }
}

/// The resolved URL of a reference, without the slash after a bare host if the reference has none.
fn as_written(reference: &str, url: Url) -> String {
    if omits_slash(reference, &url) { without_slash(&url).into_owned() } else { url.into() }
}

/// Removes tabs and newlines, and white space and control characters at both ends (URL Standard, 4.4).
pub(crate) fn strip(reference: &str) -> Cow<'_, str> {
    if reference.bytes().all(|byte| byte > b' ') {
        return Cow::Borrowed(reference);
    }
    let trimmed = reference.trim_matches(|character: char| character <= ' ');
    if trimmed.contains(['\t', '\n', '\r']) {
        Cow::Owned(trimmed.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect())
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// The scheme of an absolute reference, as written.
fn scheme(reference: &str) -> Option<&str> {
    let (scheme, _) = reference.split_once(':')?;
    let mut characters = scheme.chars();
    (characters.next()?.is_ascii_alphabetic()
        && characters
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.')))
    .then_some(scheme)
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn is_contact(scheme: &str) -> bool {
    ["mailto", "tel", "sms", "xmpp", "geo", "magnet", "ftp"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
}

fn is_dangerous(scheme: &str) -> bool {
    ["javascript", "data", "vbscript", "file", "blob", "about", "filesystem"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolver(base: Option<&str>) -> Resolver {
        Resolver::new(&Url::parse("https://example.org/a/b?c").unwrap(), base)
    }

    #[test]
    fn references_become_absolute_web_urls() {
        let rows = [
            ("x", Some("https://example.org/a/x")),
            (" /x#f ", Some("https://example.org/x#f")),
            ("//cdn.example/y", Some("https://cdn.example/y")),
            ("?q", Some("https://example.org/a/b?q")),
            ("ht\ntp://other.example", Some("http://other.example/")),
            ("javascript:void(0)", None),
            (" java\tscript:void(0)", None),
            ("data:text/html,x", None),
            ("mailto:a@b.example", None),
            ("http://", None),
        ];
        for (reference, expected) in rows {
            assert_eq!(
                resolver(None).web_url(reference).as_ref().map(Url::as_str),
                expected,
                "{reference:?}"
            );
        }
    }

    #[test]
    fn a_bare_host_is_written_as_the_page_has_it() {
        for (reference, expected) in [
            ("https://other.example", "https://other.example"),
            (" HTTPS://Other.Example\n", "https://other.example"),
            ("//other.example?q", "https://other.example?q"),
            ("https://other.example/", "https://other.example/"),
            ("/", "https://example.org/"),
            ("", "https://example.org/a/b?c"),
        ] {
            assert_eq!(resolver(None).output_url(reference).as_deref(), Some(expected), "{reference:?}");
        }
    }

    #[test]
    fn the_base_is_used_unless_it_is_no_web_url() {
        assert_eq!(resolver(Some("/docs/")).web_url("x").unwrap().as_str(), "https://example.org/docs/x");
        assert_eq!(resolver(Some("javascript:1")).web_url("x").unwrap().as_str(), "https://example.org/a/x");
    }

    #[test]
    fn queries_are_written_in_the_encoding_of_the_page() {
        for (encoding, reference, expected) in [
            ("windows-1251", "/я?q=я#я", "https://example.org/%D1%8F?q=%FF#%D1%8F"),
            ("windows-1252", "?q=ä€ж&b", "https://example.org/a/b?q=%E4%80%26%231078%3B&b"),
            ("Shift_JIS", "//other.example?ソ", "https://other.example/?%83\\"),
            ("gbk", "https://other.example/?q=中", "https://other.example/?q=%D6%D0"),
            ("windows-1252", "?q=%C3%A4", "https://example.org/a/b?q=%C3%A4"),
            ("UTF-8", "?q=ä", "https://example.org/a/b?q=%C3%A4"),
            ("UTF-16LE", "?q=ä", "https://example.org/a/b?q=%C3%A4"),
            ("replacement", "?q=ä", "https://example.org/a/b?q=%C3%A4"),
        ] {
            let resolver = resolver(None).with_encoding(encoding);
            assert_eq!(resolver.web_url(reference).unwrap().as_str(), expected, "{encoding} {reference}");
            if encoding != "Shift_JIS" {
                assert_eq!(
                    resolver.output_url(reference).as_deref(),
                    Some(expected),
                    "{encoding} {reference}"
                );
            }
        }
    }

    #[test]
    fn a_long_base_is_charged_to_the_budget() {
        let long = resolver(Some(&format!("/{}/", "x".repeat(8_000))));
        let web = (0..10_000).filter(|n| long.web_url(&n.to_string()).is_some()).count();
        assert!(web * 8_000 <= MAX_RESOLVED_BYTES && web > 1_000, "{web}");
        assert_eq!(long.output_url("a"), None, "no URL after the budget is spent");
        assert!(long.with_full_budget().output_url("a").is_some());
        let short =
            resolver(Some(&format!("/{}/", "x".repeat(8_000)))).with_limits(1 << 20, &Interrupt::never());
        let web = (0..10_000).filter(|n| short.web_url(&n.to_string()).is_some()).count();
        assert_eq!(web, (1 << 20) / RESOLVED_SHARE / 8_021, "an eighth of the page's memory");
        assert!(short.with_full_budget().output_url("a").is_some());
    }

    #[test]
    fn a_url_that_is_only_compared_is_charged_too() {
        let interrupt = Interrupt::armed();
        let long = resolver(Some(&format!("/{}/", "x".repeat(8_000)))).with_limits(1 << 20, &interrupt);
        assert!((0..1_000).all(|n| !long.is_same_page(&n.to_string())));
        assert_eq!(long.web_url("a"), None, "nothing is left");
        // The last URL is resolved before it is found to exceed the budget.
        let made = (1 << 20) / RESOLVED_SHARE / 8_021 + 1;
        assert_eq!(interrupt.spent(), (made * (8_021 / URL_BYTES_PER_UNIT)) as u64);
    }

    #[test]
    fn the_first_base_with_an_href_counts() {
        let tree =
            crate::tree::parse("<base target=_blank><base href=/b/><base href=/c/>", Default::default());
        let url = Url::parse("https://example.org/").unwrap();
        assert_eq!(Resolver::of_tree(&url, &tree).web_url("x").unwrap().as_str(), "https://example.org/b/x");
    }

    #[test]
    fn no_dangerous_scheme_is_written() {
        for reference in [
            "javascript:x",
            "JaVaScRiPt:x",
            "\u{1}javascript:x",
            "java\nscript:x",
            "data:x",
            "vbscript:x",
            "file:///x",
            "blob:x",
        ] {
            assert_eq!(resolver(None).output_url(reference), None, "{reference:?}");
            assert_eq!(Resolver::without_base().output_url(reference), None, "{reference:?}");
        }
        assert_eq!(resolver(None).output_url("mailto:a@b.example").as_deref(), Some("mailto:a@b.example"));
        assert_eq!(Resolver::without_base().output_url("/x y").as_deref(), Some("/x y"));
    }
}
