//! Splits link addresses into host and path, without resolving them.

/// The parts of an address that count, without resolving it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target<'h> {
    /// `None` if it is that of the page.
    pub(super) host: Option<&'h str>,
    /// As written; empty if it is that of the page.
    pub(super) path: &'h str,
}

impl<'h> Target<'h> {
    /// `None` if the address is not one of the web.
    pub(super) fn read(href: &'h str) -> Option<Self> {
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

    /// Whether it may be a start page: its path is empty or names only a language.
    pub(super) fn is_start(&self) -> bool {
        let path = self.path.trim_matches('/');
        let is_language = matches!(path.len(), 2 | 5)
            && path.bytes().enumerate().all(|(at, byte)| {
                if at == 2 { matches!(byte, b'-' | b'_' | b'/') } else { byte.is_ascii_alphabetic() }
            });
        (self.host.is_some() || self.path.starts_with('/')) && (path.is_empty() || is_language)
    }

    /// The steps of the path.
    pub(super) fn steps(&self) -> impl Iterator<Item = &'h str> {
        self.path.split('/').filter(|step| !step.is_empty())
    }
}

pub(super) fn without_www(host: &str) -> &str {
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

    #[test]
    fn start_pages_have_no_path_but_a_language() {
        let rows = [
            ("/", true),
            ("https://a.example", true),
            ("/en-us/", true),
            ("/de?from=menu", true),
            ("#top", false),
            ("", false),
            ("/cups", false),
            ("/a1", false),
        ];
        for (href, expected) in rows {
            assert_eq!(Target::read(href).is_some_and(|target| target.is_start()), expected, "{href}");
        }
    }
}
