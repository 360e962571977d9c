//! Sitemaps: what a site says its pages are.
//!
//! Read: the XML of sitemaps.org (`urlset`, `sitemapindex`) with `xhtml:link` alternates, RSS 1.0 and 2.0, Atom, and
//! plain lists of URLs; gzip is told by its first bytes, since neither name nor header can be trusted. The XML is read
//! as a stream of events: no tree, no DTD, no entities but the five predefined ones and character references, so
//! nothing in it can grow. What cannot be read is passed over with a warning; what was read until then counts.

mod date;
mod input;
mod order;
mod text;
mod warning;
mod xml;

pub use warning::SitemapWarning;

use url::Url;

use crate::scope::MAX_URL_BYTES;

/// Of a larger sitemap (inflated) the beginning is read: the limit of sitemaps.org.
pub const MAX_SITEMAP_BYTES: usize = 50 * 1024 * 1024;

/// At most so many pages, and so many child sitemaps, of one file: the limit of sitemaps.org.
pub const MAX_SITEMAP_ENTRIES: usize = 50_000;

/// At most so many alternates of one page are kept.
pub const MAX_ALTERNATES: usize = 100;

/// What a sitemap says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Sitemap {
    /// Pages, in the order of the file. They may name any site: the scope decides about each.
    pub pages: Vec<SitemapEntry>,
    /// Further sitemaps, in the order of the file.
    pub children: Vec<Url>,
    /// What could not be read; each kind once.
    pub warnings: Vec<SitemapWarning>,
}

/// A page of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SitemapEntry {
    /// Where it is, `http` or `https`.
    pub url: Url,
    /// When it last changed, in seconds since 1970-01-01 UTC.
    pub last_modified: Option<i64>,
    /// How much it matters among the site's pages, in hundredths: 0 to 100. Sites that say nothing mean 50.
    pub priority: Option<u8>,
    /// The same page in other languages (`rel="alternate" hreflang`).
    pub alternates: Vec<Url>,
}

/// Reads a sitemap. `base` is its own URL, for entries that are (against the rule) relative.
///
/// Time and memory are linear in the body and bounded by [`MAX_SITEMAP_BYTES`] and [`MAX_SITEMAP_ENTRIES`]. Nested
/// sitemaps are only named: their number and depth is for the caller to bound.
///
/// ```
/// use gleaner_frontier::sitemap;
/// use url::Url;
///
/// let base = Url::parse("https://example.com/sitemap.xml")?;
/// let body = br#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
///     <url><loc>https://example.com/a?x=1&amp;y=2</loc><lastmod>2026-01-31</lastmod><priority>0.8</priority></url>
/// </urlset>"#;
/// let sitemap = sitemap::parse(body, &base);
/// let page = &sitemap.pages[0];
/// assert_eq!(page.url.as_str(), "https://example.com/a?x=1&y=2");
/// assert_eq!((page.last_modified, page.priority), (Some(1_769_817_600), Some(80)));
/// # Ok::<(), url::ParseError>(())
/// ```
#[must_use]
pub fn parse(body: &[u8], base: &Url) -> Sitemap {
    let mut reading = Reading::new(base);
    let text = input::read(body, &mut reading);
    if text.trim_start().starts_with('<') {
        xml::read(&text, &mut reading);
    } else {
        text::read(&text, &mut reading);
    }
    reading.end()
}

/// A sitemap as far as it was read.
#[derive(Debug)]
struct Reading<'a> {
    base: &'a Url,
    sitemap: Sitemap,
    alternates: usize,
    bad_urls: u64,
    unknown_entities: u64,
}

impl<'a> Reading<'a> {
    fn new(base: &'a Url) -> Self {
        Self { base, sitemap: Sitemap::default(), alternates: 0, bad_urls: 0, unknown_entities: 0 }
    }

    fn warn(&mut self, warning: SitemapWarning) {
        if !self.sitemap.warnings.contains(&warning) {
            self.sitemap.warnings.push(warning);
        }
    }

    /// The `http` or `https` URL that `text` names, resolved against the sitemap's own.
    fn url(&mut self, text: &str) -> Option<Url> {
        let text = text.trim();
        let url =
            if text.is_empty() || text.len() > MAX_URL_BYTES { None } else { self.base.join(text).ok() };
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https"));
        if url.is_none() {
            self.bad_urls += 1;
        }
        url
    }

    /// False once there are as many as are kept.
    fn add_page(&mut self, mut entry: SitemapEntry) -> bool {
        if self.sitemap.pages.len() >= MAX_SITEMAP_ENTRIES {
            self.warn(SitemapWarning::TooManyEntries);
            return false;
        }
        entry.alternates.truncate(MAX_SITEMAP_ENTRIES.saturating_sub(self.alternates));
        self.alternates += entry.alternates.len();
        self.sitemap.pages.push(entry);
        true
    }

    /// False once there are as many as are kept.
    fn add_child(&mut self, url: Url) -> bool {
        if self.sitemap.children.len() >= MAX_SITEMAP_ENTRIES {
            self.warn(SitemapWarning::TooManyEntries);
            return false;
        }
        self.sitemap.children.push(url);
        true
    }

    fn end(mut self) -> Sitemap {
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
