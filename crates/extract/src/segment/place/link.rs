use super::{Features, flag, scaled};
use crate::page::truncate;
use crate::segment::outline::NodeFacts;
use crate::segment::view::View;
use crate::segment::wording::Wording;

/// Longest address of a link that is read, in bytes.
const MAX_HREF_BYTES: usize = 400;

/// Where its link leads.
pub(super) fn write(view: &View<'_, '_>, facts: &NodeFacts, wording: &Wording, to: &mut Features) {
    let Some(link) = facts.link() else { return };
    let (mut href, mut rel) = ("", "");
    for (key, value) in view.tree.attributes(link) {
        if key.eq_ignore_ascii_case("href") {
            href = truncate(value.trim(), MAX_HREF_BYTES);
        } else if key.eq_ignore_ascii_case("rel") {
            rel = truncate(value, MAX_HREF_BYTES);
        }
    }
    let has_relation = |name: &str| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(name));
    to.link_author = flag(has_relation("author"));
    to.link_tag = flag(has_relation("tag"));
    let Some(target) = Target::read(href) else { return };
    let is_same_host = target.host.is_none_or(|host| {
        let own = view.evidence.url.host_str().unwrap_or_default();
        without_www(host).eq_ignore_ascii_case(without_www(own))
    });
    let is_same_page = is_same_host && (target.path.is_empty() || target.path == view.evidence.url.path());
    to.link_same_page = flag(is_same_page);
    to.link_same_host = flag(is_same_host && !is_same_page);
    to.link_other_host = flag(!is_same_host);
    to.link_depth = scaled(target.path.split('/').filter(|step| !step.is_empty()).count());
    to.link_has_word = flag(wording.has_word_of(target.path));
}

/// The parts of an address that count, without resolving it.
#[derive(Debug, PartialEq, Eq)]
struct Target<'h> {
    /// `None` if it is that of the page.
    host: Option<&'h str>,
    /// As written; empty if it is that of the page.
    path: &'h str,
}

impl<'h> Target<'h> {
    /// `None` if the address is not one of the web.
    fn read(href: &'h str) -> Option<Self> {
        let bare = href.split(['?', '#']).next().unwrap_or_default();
        for scheme in ["https://", "http://", "//"] {
            let Some((start, rest)) = bare.split_at_checked(scheme.len()) else { continue };
            if start.eq_ignore_ascii_case(scheme) {
                let end = rest.find('/').unwrap_or(rest.len());
                let (host, path) = rest.split_at_checked(end)?;
                return Some(Self { host: Some(host), path: if path.is_empty() { "/" } else { path } });
            }
        }
        let has_scheme = bare.split('/').next().is_some_and(|first| first.contains(':'));
        (!has_scheme).then_some(Self { host: None, path: bare })
    }
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_far_as_they_count() {
        let rows = [
            ("https://www.a.example/b/c?d#e", Some((Some("www.a.example"), "/b/c"))),
            ("HTTP://a.example", Some((Some("a.example"), "/"))),
            ("//a.example/b", Some((Some("a.example"), "/b"))),
            ("b/c#d", Some((None, "b/c"))),
            ("#d", Some((None, ""))),
            ("mailto:a@b.example", None),
            ("javascript:void(0)", None),
        ];
        for (href, expected) in rows {
            let found = Target::read(href).map(|target| (target.host, target.path));
            assert_eq!(found, expected, "{href}");
        }
    }
}
