//! Sitemaps: the pages that a site lists.
//!
//! Supported formats: the XML of sitemaps.org (`urlset`, `sitemapindex`) with `xhtml:link` alternates, RSS
//! 1.0 and 2.0, Atom, and plain lists of URLs. Gzip is detected by its first bytes, since neither name nor
//! header is reliable. The XML is read as a stream of events: no tree, no DTD, no entities except the five
//! predefined ones and character references, so no input can grow. Unreadable parts give a warning and are
//! skipped; everything read before them counts.

mod date;
mod input;
mod order;
mod text;
mod warning;
mod xml;

pub use warning::SitemapWarning;

use url::Url;

use crate::scope::MAX_URL_BYTES;

/// Maximum size of an inflated sitemap in bytes, the limit of sitemaps.org. Only the beginning of a larger
/// one is read.
pub const MAX_SITEMAP_BYTES: usize = 50 * 1024 * 1024;

/// Maximum number of pages, and of child sitemaps, in one file: the limit of sitemaps.org.
pub const MAX_SITEMAP_ENTRIES: usize = 50_000;

/// Maximum length of warnings before the XML declaration, in bytes.
const MAX_NOTICE_BYTES: usize = 64 * 1024;

/// Maximum number of alternates that are kept for one page.
pub const MAX_ALTERNATES: usize = 100;

/// The contents of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Sitemap {
    /// Pages, in file order. They may be on any site: the scope of the crawl decides about each.
    pub pages: Vec<SitemapEntry>,
    /// Child sitemaps, in file order.
    pub children: Vec<Url>,
    /// What could not be read, without duplicates.
    pub warnings: Vec<SitemapWarning>,
}

/// A page of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SitemapEntry {
    /// The `http` or `https` URL of the page.
    pub url: Url,
    /// Time of the last change, in seconds since 1970-01-01 UTC.
    pub last_modified: Option<i64>,
    /// Importance among the pages of the site, in hundredths: 0 to 100. The default of sitemaps.org is 50.
    pub priority: Option<u8>,
    /// The same page in other languages (`rel="alternate" hreflang`).
    pub alternates: Vec<Url>,
}

/// Reads a sitemap. `base` is the URL of the sitemap, to resolve relative entries, which the protocol forbids
/// but which occur.
///
/// Time and memory are linear in the body and its URLs. [`MAX_SITEMAP_BYTES`] bounds each of them, and
/// [`MAX_SITEMAP_ENTRIES`] their number.
/// Nested sitemaps are only listed; the caller bounds their number and depth.
///
/// ```
/// use gleaner_frontier::sitemap;
/// use url::Url;
///
/// let base = Url::parse("https://example.com/sitemap.xml")?;
/// let body = br#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
///     <url><loc>https://example.com/a?x=1&amp;y=2</loc>
///         <lastmod>2026-01-31</lastmod><priority>0.8</priority></url>
/// </urlset>"#;
/// let sitemap = sitemap::parse(body, &base);
/// let page = &sitemap.pages[0];
/// assert_eq!(page.url.as_str(), "https://example.com/a?x=1&y=2");
/// assert_eq!((page.last_modified, page.priority), (Some(1_769_817_600), Some(80)));
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn parse(body: &[u8], base: &Url) -> Sitemap {
    parse_as(body, base, None)
}

/// As [`parse`], with the `charset` of the header `Content-Type`, if there is one.
#[must_use]
pub fn parse_as(body: &[u8], base: &Url, charset: Option<&str>) -> Sitemap {
    let mut builder = SitemapBuilder::new(base);
    let text = input::read(body, charset, &mut builder);
    let text = without_notices(&text);
    if text.starts_with('<') {
        xml::read(text, &mut builder);
    } else {
        text::read(text, &mut builder);
    }
    builder.finish()
}

/// The sitemap without what some servers write before its declaration: blank lines, byte order marks, warnings of
/// their programs.
fn without_notices(text: &str) -> &str {
    const ROOTS: [&str; 5] = ["<urlset", "<sitemapindex", "<rss", "<feed", "<rdf"];
    let text =
        text.trim_start_matches(|character: char| character.is_whitespace() || character == '\u{feff}');
    let head = text.as_bytes().get(..MAX_NOTICE_BYTES).unwrap_or(text.as_bytes());
    let declared = memchr::memmem::find(head, b"<?xml").and_then(|at| text.split_at_checked(at));
    match declared {
        Some((notices, sitemap)) if !ROOTS.iter().any(|root| notices.contains(root)) => sitemap,
        _ => text,
    }
}

/// A sitemap that is being read.
#[derive(Debug)]
struct SitemapBuilder<'a> {
    base: &'a Url,
    sitemap: Sitemap,
    alternates: usize,
    /// The bytes of all URLs. A sitemap with a long URL would otherwise give each short entry that length.
    url_bytes: usize,
    bad_urls: u64,
    unknown_entities: u64,
}

impl<'a> SitemapBuilder<'a> {
    fn new(base: &'a Url) -> Self {
        Self {
            base,
            sitemap: Sitemap::default(),
            alternates: 0,
            url_bytes: 0,
            bad_urls: 0,
            unknown_entities: 0,
        }
    }

    fn warn(&mut self, warning: SitemapWarning) {
        if !self.sitemap.warnings.contains(&warning) {
            self.sitemap.warnings.push(warning);
        }
    }

    /// The `http` or `https` URL in `text`, resolved against the URL of the sitemap.
    fn url(&mut self, text: &str) -> Option<Url> {
        self.url_from(text, None)
    }

    /// As [`url`](Self::url), resolved against another base if there is one.
    fn url_from(&mut self, text: &str, base: Option<&Url>) -> Option<Url> {
        let text = text.trim();
        let base = base.unwrap_or(self.base);
        let url = if text.is_empty() || text.len() > MAX_URL_BYTES {
            None
        } else {
            gleaner_types::join(base, text).ok()
        };
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        if url.is_none() {
            self.bad_urls += 1;
        }
        url
    }

    /// Adds a page. False if the limit is reached.
    fn add_page(&mut self, mut entry: SitemapEntry) -> bool {
        if self.sitemap.pages.len() >= MAX_SITEMAP_ENTRIES {
            self.warn(SitemapWarning::TooManyEntries);
            return false;
        }
        entry.alternates.truncate(MAX_SITEMAP_ENTRIES.saturating_sub(self.alternates));
        if !self.has_space(entry.alternates.iter().chain([&entry.url])) {
            return false;
        }
        self.alternates += entry.alternates.len();
        self.sitemap.pages.push(entry);
        true
    }

    /// Adds a child sitemap. False if the limit is reached.
    fn add_child(&mut self, url: Url) -> bool {
        if self.sitemap.children.len() >= MAX_SITEMAP_ENTRIES {
            self.warn(SitemapWarning::TooManyEntries);
            return false;
        }
        if !self.has_space([&url]) {
            return false;
        }
        self.sitemap.children.push(url);
        true
    }

    /// Counts the bytes of URLs. False if the limit is reached.
    fn has_space<'u>(&mut self, urls: impl IntoIterator<Item = &'u Url>) -> bool {
        self.url_bytes += urls.into_iter().map(|url| url.as_str().len()).sum::<usize>();
        let has_space = self.url_bytes <= MAX_SITEMAP_BYTES;
        if !has_space {
            self.warn(SitemapWarning::TooLarge);
        }
        has_space
    }

    fn finish(mut self) -> Sitemap {
        if self.bad_urls > 0 {
            self.warn(SitemapWarning::BadUrls { count: self.bad_urls });
        }
        if self.unknown_entities > 0 {
            self.warn(SitemapWarning::UnknownEntities { count: self.unknown_entities });
        }
        self.sitemap
    }
}

#[cfg(test)]
mod tests;
