//! The Larkfield Tea House: a fictional site, with its pages in this crate's `demo` folder.
//!
//! It has one example of what crawlers encounter: nested lists, tables, code, a product with JSON-LD, a
//! journal, a page that robots.txt forbids, a redirect, a dead link, a page that is only in the sitemap, and
//! a page that a script writes.

use std::collections::HashMap;

use bytes::Bytes;

/// The placeholder for the origin, whose port is not known before the start.
const ORIGIN: &str = "{{origin}}";

/// A path that redirects.
pub(crate) const MOVED_FROM: &str = "/brewing";

/// The target of the redirect.
pub(crate) const MOVED_TO: &str = "/guides/water-and-temperature";

/// A page that no other page links to.
pub(crate) const ONLY_IN_SITEMAP: &str = "/visit/winter-hours";

/// A page without text as served: its script writes it.
pub(crate) const WRITTEN_BY_SCRIPT: &str = "/board";

/// A PDF that no page links to: gleaner doctor reads it.
pub(crate) const LEAFLET: &str = "/leaflet.pdf";

const CSS: &str = "text/css";
const HTML: &str = "text/html; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const PDF: &str = "application/pdf";
const SVG: &str = "image/svg+xml";
const TEXT: &str = "text/plain; charset=utf-8";
const XML: &str = "application/xml";

/// One row per file: its path on the site, its type and its content.
macro_rules! files {
    ($($path:literal $kind:ident $file:literal,)+) => {
        [$(($path, $kind, include_str!(concat!("../../demo/", $file))),)+]
    };
}

const FILES: [(&str, &str, &str); 24] = files![
    "/" HTML "index.html",
    "/about" HTML "about.html",
    "/blog/" HTML "blog/index.html",
    "/blog/a-pot-for-the-rain" HTML "blog/a-pot-for-the-rain.html",
    "/blog/first-flush-notes" HTML "blog/first-flush-notes.html",
    "/blog/why-we-weigh-leaves" HTML "blog/why-we-weigh-leaves.html",
    "/board" HTML "board.html",
    "/board.js" JS "board.js",
    "/glossary" HTML "glossary.html",
    "/guides/" HTML "guides/index.html",
    "/guides/cold-brew" HTML "guides/cold-brew.html",
    "/guides/steeping-timer" HTML "guides/steeping-timer.html",
    "/guides/water-and-temperature" HTML "guides/water-and-temperature.html",
    "/leaflet.pdf" PDF "leaflet.pdf",
    "/staff/rota" HTML "staff/rota.html",
    "/teas/" HTML "teas/index.html",
    "/teas/fog-ridge-oolong" HTML "teas/fog-ridge-oolong.html",
    "/visit/winter-hours" HTML "visit/winter-hours.html",
    "/robots.txt" TEXT "robots.txt",
    "/sitemap.xml" XML "sitemap.xml",
    "/style.css" CSS "style.css",
    "/images/leaf.svg" SVG "images/leaf.svg",
    "/images/mill.svg" SVG "images/mill.svg",
    "/images/oolong.svg" SVG "images/oolong.svg",
];

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// Status 200.
    File { content_type: &'static str, body: Bytes },
    /// Status 301, to this path.
    Moved(&'static str),
    /// Status 404.
    Missing,
}

/// The pages, with the origin filled in.
#[derive(Debug)]
pub(super) struct Site {
    files: HashMap<&'static str, (&'static str, Bytes)>,
}

impl Site {
    /// The site as served from `origin`, such as `http://127.0.0.1:8080`.
    pub(super) fn at(origin: &str) -> Self {
        let files = FILES
            .into_iter()
            .map(|(path, kind, text)| (path, (kind, Bytes::from(text.replace(ORIGIN, origin)))))
            .collect();
        Self { files }
    }

    /// The answer to a GET of `path`.
    pub(super) fn answer(&self, path: &str) -> Answer {
        match self.files.get(path) {
            Some((content_type, body)) => Answer::File { content_type, body: body.clone() },
            None if path == MOVED_FROM => Answer::Moved(MOVED_TO),
            None => Answer::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `href` and `src` that stay on the site.
    fn local_links(page: &str) -> impl Iterator<Item = &str> {
        page.split(['"', '\''])
            .zip(page.split(['"', '\'']).skip(1))
            .filter(|(before, _)| before.ends_with("href=") || before.ends_with("src="))
            .map(|(_, link)| link)
            .filter(|link| link.starts_with('/'))
            .map(|link| link.split('#').next().unwrap())
    }

    #[test]
    fn every_absolute_link_of_the_site_has_a_target() {
        let site = Site::at("http://127.0.0.1:1");
        let mut links = 0;
        for (path, _, text) in FILES {
            for link in local_links(text) {
                links += 1;
                assert_ne!(site.answer(link), Answer::Missing, "{path} links to {link}");
            }
        }
        assert!(links > 100, "only {links} links were found: `local_links` is broken");
    }

    #[test]
    fn no_page_links_to_the_page_that_is_only_in_the_sitemap() {
        for (path, _, text) in FILES {
            let linked = local_links(text).any(|link| link == ONLY_IN_SITEMAP);
            assert!(!linked, "{path} links to {ONLY_IN_SITEMAP}");
            if path == "/sitemap.xml" {
                assert!(text.contains(ONLY_IN_SITEMAP));
            }
        }
    }

    #[test]
    fn the_origin_is_filled_in_everywhere() {
        let site = Site::at("http://127.0.0.1:1");
        for (path, ..) in FILES {
            let Answer::File { body, .. } = site.answer(path) else { panic!("{path} is missing") };
            assert!(!String::from_utf8_lossy(&body).contains("{{"), "{path}");
        }
        assert_eq!(site.answer(MOVED_FROM), Answer::Moved(MOVED_TO));
    }
}
