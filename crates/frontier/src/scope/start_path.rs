//! The paths of a host that a crawl covers.

use crate::percent::{is_normalised, push_normalised};
use std::borrow::Cow;

/// The paths below the start URL.
#[derive(Debug, Clone)]
pub(super) enum StartPath {
    /// `crawlEntireDomain` is set, or the start is the root.
    Everything,
    /// `/docs/` and `/docs/a.html`: every path that begins with `/docs/`.
    Folder(Box<str>),
    /// `/docs`: the page itself and every path that begins with `/docs/`, but not `/docs-old`.
    Page(Box<str>),
}

impl StartPath {
    pub(super) fn new(path: &str, entire_domain: bool) -> Self {
        let path = normalised(path);
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
        if entire_domain || (folder.is_empty() && (file.is_empty() || is_page_file(file))) {
            Self::Everything
        } else if file.is_empty() || is_page_file(file) {
            Self::Folder(format!("{folder}/").into())
        } else {
            Self::Page(path.into())
        }
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Folder(prefix) => normalised(path).starts_with(&**prefix),
            Self::Page(page) => match normalised(path).strip_prefix(&**page) {
                Some(rest) => rest.is_empty() || rest.starts_with('/'),
                None => false,
            },
        }
    }
}

fn normalised(path: &str) -> Cow<'_, str> {
    if is_normalised(path.as_bytes()) {
        return Cow::Borrowed(path);
    }
    let mut out = String::with_capacity(path.len());
    push_normalised(&mut out, path.as_bytes(), |_| false);
    Cow::Owned(out)
}

/// True if the extension makes the last segment a file, so that its folder is the scope. Any other dot is
/// part of a name: `/docs/v1.2` is a page with pages below it.
fn is_page_file(segment: &str) -> bool {
    const PAGES: [&str; 24] = [
        "action", "asp", "aspx", "cfm", "cgi", "csv", "do", "htm", "html", "json", "jsf", "jsp", "jspx",
        "md", "pdf", "php", "php5", "phtml", "pl", "rss", "shtml", "txt", "xhtml", "xml",
    ];
    segment.rsplit_once('.').is_some_and(|(name, extension)| {
        !name.is_empty() && PAGES.iter().any(|known| known.eq_ignore_ascii_case(extension))
    })
}

/// The number of segments of a path. A trailing slash and doubled slashes add none.
pub(super) fn segment_count(path: &str) -> usize {
    path.split('/').filter(|segment| !segment.is_empty()).count()
}
