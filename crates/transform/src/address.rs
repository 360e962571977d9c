//! Addresses of a page: relative to its base, and only those that can be fetched.

use std::borrow::Cow;
use std::cell::Cell;

use gleaner_types::Interrupt;
use gleaner_types::plan::{omits_slash, without_slash};
use url::Url;

use crate::tree::{Attr, Tag, Tree};

/// An address longer than this is dropped: no server answers it, and it is a data URI more often than not.
pub(crate) const MAX_ADDRESS_BYTES: usize = 8_192;

/// Upper bound on the bytes that making addresses absolute adds to one output of a page; they also take at most an eighth of
/// the page's memory ([`page_memory`](crate::page_memory)). Each link of a page whose base is 8 KiB long grows by that
/// much; beyond the bound links are left out.
pub const MAX_RESOLVED_BYTES: usize = 32 * 1024 * 1024;

/// Addresses take at most this share of a page's memory: an eighth.
const RESOLVED_SHARE: usize = 8;

/// Bytes of an address that take one unit of work to make: each of their characters is looked at.
const BYTES_PER_UNIT: usize = 16;

/// Makes the addresses of one page absolute.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    /// What may still be added, in bytes.
    left: Cell<usize>,
    /// What one output may add.
    most: usize,
    /// `None` leaves relative addresses as they are: for HTML that belongs to no page.
    base: Option<Url>,
    /// The page itself.
    page: Option<Url>,
    interrupt: Interrupt,
}

impl Resolver {
    /// Of a page at `url` whose `<base href>` is `base`.
    pub(crate) fn new(url: &Url, base: Option<&str>) -> Self {
        let declared = base
            .filter(|base| base.len() <= MAX_ADDRESS_BYTES)
            .and_then(|base| url.join(strip(base).as_ref()).ok())
            .filter(|base| matches!(base.scheme(), "http" | "https"));
        let base = Some(declared.unwrap_or_else(|| url.clone()));
        Self { base, page: Some(url.clone()), ..Self::without_base() }
    }

    /// Of HTML that belongs to no page.
    pub(crate) const fn without_base() -> Self {
        Self {
            left: Cell::new(MAX_RESOLVED_BYTES),
            most: MAX_RESOLVED_BYTES,
            base: None,
            page: None,
            interrupt: Interrupt::never(),
        }
    }

    /// The same within a page's bytes of memory, with each address a part of its work.
    pub(crate) fn within(self, memory: usize, interrupt: &Interrupt) -> Self {
        let most = (memory / RESOLVED_SHARE).min(MAX_RESOLVED_BYTES);
        Self { left: Cell::new(most), most, interrupt: interrupt.clone(), ..self }
    }

    /// The same for another output of the page: nothing is spent yet.
    pub(crate) fn afresh(&self) -> Self {
        Self { left: Cell::new(self.most), ..self.clone() }
    }

    /// Does a reference lead to the page itself, to whichever place on it?
    pub(crate) fn leads_to_page(&self, reference: &str) -> bool {
        let Some(page) = &self.page else { return false };
        self.web(reference).is_some_and(|url| {
            url.host() == page.host()
                && url.path().trim_end_matches('/') == page.path().trim_end_matches('/')
                && url.query() == page.query()
        })
    }

    /// May an address be written that is so much longer than what the page has? Once one may not, none may.
    fn affords(&self, reference: &str, url: &Url) -> bool {
        let added = url.as_str().len().saturating_sub(reference.len());
        self.interrupt.spend(added / BYTES_PER_UNIT);
        let left = self.left.get().checked_sub(added);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Is nothing left to spend? Asked before an address is made, which costs as much as it is long.
    fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Of a parsed page.
    pub(crate) fn of_tree(url: &Url, tree: &Tree) -> Self {
        // The first that has an address (HTML Standard, 4.2.3): others only name a target.
        let base = tree.all(Tag::Base).find_map(|base| tree.attribute(base, Attr::Href));
        Self::new(url, base).within(tree.memory(), tree.interrupt())
    }

    /// The absolute `http` or `https` address of a reference, its fragment kept.
    pub(crate) fn web(&self, reference: &str) -> Option<Url> {
        let reference = strip(reference);
        if reference.len() > MAX_ADDRESS_BYTES || self.is_spent() {
            return None;
        }
        let url = match &self.base {
            Some(base) => base.join(&reference).ok()?,
            None => Url::parse(&reference).ok()?,
        };
        (matches!(url.scheme(), "http" | "https") && url.has_host() && self.affords(&reference, &url))
            .then_some(url)
    }

    /// The address as it is written into Markdown or HTML: absolute where there is a base; `None` for what must not
    /// come out as a link (`javascript:`, `data:`, `vbscript:`, `file:`, `blob:` and unknown schemes).
    pub(crate) fn output<'a>(&self, reference: &'a str) -> Option<Cow<'a, str>> {
        let stripped = strip(reference);
        // A control character that a later step drops would turn a harmless scheme into another one.
        if stripped.len() > MAX_ADDRESS_BYTES || stripped.contains(char::is_control) || self.is_spent() {
            return None;
        }
        match scheme(&stripped) {
            Some(scheme) if is_web(scheme) => {
                if self.base.is_none() {
                    return Some(stripped);
                }
                let url = Url::parse(&stripped).ok()?;
                url.has_host().then(|| Cow::Owned(as_written(&stripped, url)))
            }
            Some(scheme) if is_contact(scheme) => Some(stripped),
            Some(scheme) if self.base.is_none() && !is_dangerous(scheme) => Some(stripped),
            Some(_) => None,
            None => match &self.base {
                Some(base) => base
                    .join(&stripped)
                    .ok()
                    .filter(|url| matches!(url.scheme(), "http" | "https") && self.affords(&stripped, url))
                    .map(|url| Cow::Owned(as_written(&stripped, url))),
                None => Some(stripped),
            },
        }
    }
}

/// The address that a reference leads to, without the slash behind a bare host where the reference has none.
fn as_written(reference: &str, url: Url) -> String {
    if omits_slash(reference, &url) { without_slash(&url).into_owned() } else { url.into() }
}

/// Without tabs and line ends, and without white space and control characters around it (URL Standard, 4.4).
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
    fn references_become_absolute_addresses_of_the_web() {
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
            assert_eq!(resolver(None).web(reference).as_ref().map(Url::as_str), expected, "{reference:?}");
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
            assert_eq!(resolver(None).output(reference).as_deref(), Some(expected), "{reference:?}");
        }
    }

    #[test]
    fn the_base_is_honoured_unless_it_is_no_web_address() {
        assert_eq!(resolver(Some("/docs/")).web("x").unwrap().as_str(), "https://example.org/docs/x");
        assert_eq!(resolver(Some("javascript:1")).web("x").unwrap().as_str(), "https://example.org/a/x");
    }

    #[test]
    fn a_long_base_does_not_multiply() {
        let long = resolver(Some(&format!("/{}/", "x".repeat(8_000))));
        let web = (0..10_000).filter(|n| long.web(&n.to_string()).is_some()).count();
        assert!(web * 8_000 <= MAX_RESOLVED_BYTES && web > 1_000, "{web}");
        assert_eq!(long.output("a"), None, "none once it is spent");
        assert!(long.afresh().output("a").is_some());
        let short = resolver(Some(&format!("/{}/", "x".repeat(8_000)))).within(1 << 20, &Interrupt::never());
        let web = (0..10_000).filter(|n| short.web(&n.to_string()).is_some()).count();
        assert_eq!(web, (1 << 20) / RESOLVED_SHARE / 8_021, "an eighth of the page's memory");
        assert!(short.afresh().output("a").is_some());
    }

    #[test]
    fn an_address_that_is_only_compared_counts_too() {
        let interrupt = Interrupt::armed();
        let long = resolver(Some(&format!("/{}/", "x".repeat(8_000)))).within(1 << 20, &interrupt);
        assert!((0..1_000).all(|n| !long.leads_to_page(&n.to_string())));
        assert_eq!(long.web("a"), None, "nothing is left");
        // The last one is made to see that it is too much.
        let made = (1 << 20) / RESOLVED_SHARE / 8_021 + 1;
        assert_eq!(interrupt.spent(), (made * (8_021 / BYTES_PER_UNIT)) as u64);
    }

    #[test]
    fn the_first_base_with_an_address_counts() {
        let tree =
            crate::tree::parse("<base target=_blank><base href=/b/><base href=/c/>", Default::default());
        let url = Url::parse("https://example.org/").unwrap();
        assert_eq!(Resolver::of_tree(&url, &tree).web("x").unwrap().as_str(), "https://example.org/b/x");
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
            assert_eq!(resolver(None).output(reference), None, "{reference:?}");
            assert_eq!(Resolver::without_base().output(reference), None, "{reference:?}");
        }
        assert_eq!(resolver(None).output("mailto:a@b.example").as_deref(), Some("mailto:a@b.example"));
        assert_eq!(Resolver::without_base().output("/x y").as_deref(), Some("/x y"));
    }
}
