//! Sitemaps (sitemaps.org protocol 0.9): an index of gzipped files.
//!
//! A sitemap contains absolute URLs, so it depends on the origin of the request, and a site can have many
//! pages. Each file is therefore rendered at its first request. A bounded number of files is cached.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Book, sentences};
use crate::site::SiteSpec;
use crate::site::page;
use crate::site::truth::{PathTruth, Role};

/// Number of URLs in one child sitemap. The protocol allows 50,000.
pub(crate) const URLS_PER_SITEMAP: usize = 5_000;

/// Maximum number of cached files.
const KEPT: usize = 64;

const ORPHANS: [(&str, &str); 3] =
    [("/orphans/one", "Orphan one"), ("/orphans/two", "Orphan two"), ("/orphans/three", "Orphan three")];

const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

pub(super) fn add(book: &mut Book, _: &SiteSpec) {
    for (path, title) in ORPHANS {
        let truth =
            PathTruth { depth: None, sentences: sentences(title), ..PathTruth::new(path, Role::Document) };
        book.document(truth, title, &[]);
        book.truth.orphans.push(path.to_owned());
    }
}

/// The sitemap files of a site.
#[derive(Debug)]
pub(crate) struct Sitemaps {
    pages: usize,
    kept: Mutex<Vec<((String, String), Bytes)>>,
}

impl Sitemaps {
    pub(crate) fn new(pages: usize) -> Self {
        Self { pages, kept: Mutex::default() }
    }

    /// The content type and the bytes of `path`, if it is one of the files.
    pub(crate) fn file(&self, path: &str, origin: &str) -> Option<(&'static str, Bytes)> {
        if path == "/sitemap.xml" {
            return Some(("application/xml", self.index(origin).into()));
        }
        let number: usize = path.strip_prefix("/sitemap-")?.strip_suffix(".xml.gz")?.parse().ok()?;
        if number == 0 || number > self.children() {
            return None;
        }
        let key = (path.to_owned(), origin.to_owned());
        let mut kept = self.kept.lock().expect("no holder panics");
        if let Some((_, bytes)) = kept.iter().find(|(known, _)| *known == key) {
            return Some(("application/gzip", bytes.clone()));
        }
        let bytes: Bytes = gzip(self.child(number, origin).as_bytes()).into();
        if kept.len() < KEPT {
            kept.push((key, bytes.clone()));
        }
        Some(("application/gzip", bytes))
    }

    fn children(&self) -> usize {
        (self.pages + ORPHANS.len()).div_ceil(URLS_PER_SITEMAP)
    }

    fn index(&self, origin: &str) -> String {
        let mut xml =
            format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"{NAMESPACE}\">\n");
        for number in 1..=self.children() {
            let _ = writeln!(
                xml,
                "<sitemap><loc>{origin}/sitemap-{number}.xml.gz</loc><lastmod>2026-11-02</lastmod></sitemap>"
            );
        }
        xml + "</sitemapindex>\n"
    }

    fn child(&self, number: usize, origin: &str) -> String {
        let paths = (0..self.pages).map(page::path).chain(ORPHANS.map(|(path, _)| path.to_owned()));
        let mut xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"{NAMESPACE}\">\n");
        for path in paths.skip((number - 1) * URLS_PER_SITEMAP).take(URLS_PER_SITEMAP) {
            let _ = writeln!(xml, "<url><loc>{origin}{path}</loc><lastmod>2026-11-01</lastmod></url>");
        }
        xml + "</urlset>\n"
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to a vector cannot fail")
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_children_list_every_page_once() {
        let sitemaps = Sitemaps::new(12_000);
        let (_, index) = sitemaps.file("/sitemap.xml", "http://a").unwrap();
        let index = String::from_utf8(index.to_vec()).unwrap();
        assert_eq!(index.matches("<loc>").count(), 3);
        let mut urls = Vec::new();
        for number in 1..=3 {
            let path = format!("/sitemap-{number}.xml.gz");
            assert!(index.contains(&format!("<loc>http://a{path}</loc>")));
            let (_, bytes) = sitemaps.file(&path, "http://a").unwrap();
            let mut xml = String::new();
            flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut xml).unwrap();
            urls.extend(xml.split("<loc>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()));
        }
        let mut wanted: Vec<String> = (0..12_000).map(|id| format!("http://a{}", page::path(id))).collect();
        wanted.extend(ORPHANS.map(|(path, _)| format!("http://a{path}")));
        assert_eq!(urls, wanted);
        assert!(sitemaps.file("/sitemap-4.xml.gz", "http://a").is_none());
        assert!(sitemaps.file("/sitemap-0.xml.gz", "http://a").is_none());
    }

    #[test]
    fn each_origin_gets_its_own_sitemap() {
        let sitemaps = Sitemaps::new(5);
        let first = sitemaps.file("/sitemap-1.xml.gz", "http://a").unwrap();
        assert_ne!(first, sitemaps.file("/sitemap-1.xml.gz", "http://b").unwrap());
        assert_eq!(first, sitemaps.file("/sitemap-1.xml.gz", "http://a").unwrap());
    }
}
