//! Optional contents of a site besides its numbered pages. Each kind has its own path prefix and its truth.
//!
//! The start page links to the index page of each extra that is on, so that a crawl can find the extra
//! through links alone. No page of an extra links to a numbered page other than `/`, so the depths of the
//! numbered pages do not depend on the extras.

mod access;
mod charsets;
mod duplicates;
mod failures;
mod files;
mod pdf;
mod products;
mod redirects;
mod script_built;
mod sitemap;
mod traps;

use std::collections::HashMap;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;

use super::SiteSpec;
use super::truth::{ExtraTruth, PathTruth, Role};

pub(crate) use failures::slow;
pub(crate) use pdf::document as pdf_document;
pub(crate) use redirects::endless;
pub(crate) use sitemap::Sitemaps;
pub(crate) use traps::dynamic;

pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// Placeholder for the origin (`http://host:port`) in texts. The server replaces it at each request.
pub(crate) const ORIGIN: &str = "{origin}";

macro_rules! extras {
    ($($(#[doc = $doc:literal])+ $field:ident $name:literal,)+) => {
        /// Selects the extras of a site. `Extras::default()` selects none, [`Extras::all`] every one.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Extras {
            $($(#[doc = $doc])+ pub $field: bool,)+
        }

        impl Extras {
            /// The names that [`Extras::from_str`] accepts, in the order of the fields.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Every extra.
            #[must_use]
            pub fn all() -> Self {
                Self { $($field: true),+ }
            }

            fn named(&mut self, name: &str) -> Option<&mut bool> {
                match name {
                    $($name => Some(&mut self.$field),)+
                    _ => None,
                }
            }
        }
    };
}

extras! {
    /// `/robots.txt` with rules for all agents and for one named agent, and `/rules/`, which links to the
    /// paths they cover.
    robots "robots",
    /// `/sitemap.xml`, an index of gzipped sitemaps with every numbered page, and pages that only they list.
    sitemap "sitemap",
    /// `/redirects/`: each redirect status, chains, a loop, and an endless chain of new URLs.
    redirects "redirects",
    /// `/copies/`: the same content under several URLs, with `rel=canonical`.
    duplicates "duplicates",
    /// `/calendar/2026/11/`: every month links to the next one.
    calendar "calendar",
    /// `/session/`: every link has a session id, which is new in each response.
    sessions "sessions",
    /// `/deeper/`: relative links that make the path longer with each click.
    deeper "deeper",
    /// `/facets/`: filters that combine into a growing query.
    facets "facets",
    /// `/Case/A` and `/case/a`, which are different pages.
    case "case",
    /// `/slow/`: slow pages. `/slow/MS` responds after `MS` milliseconds.
    slow "slow",
    /// `/fail/`: error statuses, broken connections, pages that recover.
    failures "failures",
    /// `/charsets/`: pages in other encodings, declared in each possible way.
    charsets "charsets",
    /// `/files/`: PDF, feeds, JSON, CSV, text, Markdown, images, an archive, and a page that is empty without
    /// scripts.
    files "files",
    /// `/shop/`: product pages with JSON-LD or microdata.
    products "products",
    /// `/app/`: pages whose text and links exist only after their scripts ran.
    script_built "script-built",
}

impl FromStr for Extras {
    type Err = String;

    /// `all`, `none`, or names separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(Self::all()),
            "none" | "" => return Ok(Self::default()),
            _ => {}
        }
        let mut extras = Self::default();
        for name in text.split(',').map(str::trim) {
            match extras.named(name) {
                Some(switch) => *switch = true,
                None => {
                    let known = Self::NAMES.join(", ");
                    return Err(format!("unknown extra `{name}`: use all, none, or some of {known}"));
                }
            }
        }
        Ok(extras)
    }
}

/// A body that is complete, or a text with placeholders for the origin.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Fixed(Bytes),
    WithOrigin(String),
}

impl Body {
    pub(crate) fn bytes(&self, origin: &str) -> Bytes {
        match self {
            Self::Fixed(bytes) => bytes.clone(),
            Self::WithOrigin(text) => text.replace(ORIGIN, origin).into(),
        }
    }
}

/// The reply of a path.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Body { status: u16, content_type: &'static str, body: Body },
    Redirect { status: u16, location: String },
    Recovers { status: u16, failures: u32, then: Body },
    Truncated { body: Bytes, promised: usize },
    Reset,
    Closed,
    Slow { delay: Duration, body: Body },
}

impl Reply {
    pub(crate) fn html(text: impl Into<String>) -> Self {
        Self::Body { status: 200, content_type: HTML, body: Body::WithOrigin(text.into()) }
    }

    pub(crate) fn file(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self::Body { status: 200, content_type, body: Body::Fixed(body.into()) }
    }
}

/// Adds an extra to the book.
type Chapter = fn(&mut Book, &SiteSpec);

/// The replies and the truth of the extras of a site.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// By path and query.
    pub(crate) replies: HashMap<String, Reply>,
    /// In the order in which they were added.
    pub(crate) paths: Vec<PathTruth>,
    /// The paths and titles that the start page links to.
    pub(crate) indexes: Vec<(String, String)>,
    pub(crate) truth: ExtraTruth,
}

impl Book {
    pub(crate) fn write(spec: &SiteSpec) -> Self {
        let mut book = Self::default();
        let extras = spec.extras;
        let chapters: [(bool, Chapter); 12] = [
            (extras.robots, access::add),
            (extras.sitemap, sitemap::add),
            (extras.redirects, redirects::add),
            (extras.duplicates, duplicates::add),
            (extras.case, duplicates::add_case),
            (extras.calendar || extras.sessions || extras.deeper || extras.facets, traps::add),
            (extras.slow, failures::add_slow),
            (extras.failures, failures::add),
            (extras.charsets, charsets::add),
            (extras.files, files::add),
            (extras.products, products::add),
            (extras.script_built, script_built::add),
        ];
        for (on, add) in chapters {
            if on {
                add(&mut book, spec);
            }
        }
        for (path, content_type, body) in files::assets() {
            book.replies.insert(path.to_owned(), Reply::file(content_type, body));
        }
        if let Some(external) = &spec.external {
            book.indexes.push((external.clone(), "A friend of the society".to_owned()));
            book.truth.external = Some(external.clone());
        }
        book
    }

    pub(crate) fn add(&mut self, truth: PathTruth, reply: Reply) {
        self.replies.insert(truth.path.clone(), reply);
        self.paths.push(truth);
    }

    /// Adds a page with its own text.
    pub(crate) fn document(&mut self, mut truth: PathTruth, title: &str, links: &[(&str, &str)]) {
        truth.title = title.to_owned();
        truth.sentences = sentences(title);
        let html = document(&truth, links);
        self.add(truth, Reply::html(html));
    }

    /// Adds the index page of an extra and a link to it on the start page.
    pub(crate) fn index(&mut self, path: &str, title: &str, links: &[(&str, &str)]) {
        self.indexes.push((path.to_owned(), title.to_owned()));
        let mut truth = PathTruth::new(path, Role::Index);
        truth.depth = Some(1);
        self.document(truth, title, links);
    }
}

/// The sentences of a small page.
pub(crate) fn sentences(title: &str) -> Vec<String> {
    vec![
        format!(
            "The page called {title} belongs to the extras of the almanac, and its text is known in advance."
        ),
        format!(
            "Readers of {title} come for the details, stay for the order, and leave with the answer that \
             they needed."
        ),
        format!(
            "Nothing else on this site repeats the words of {title}, so a copy of them can only come from \
             here."
        ),
    ]
}

/// A small complete page: head, header, article, links, footer. It contains [`ORIGIN`].
pub(crate) fn document(truth: &PathTruth, links: &[(&str, &str)]) -> String {
    let PathTruth { title, canonical, .. } = truth;
    let paragraphs: String = truth.sentences.iter().map(|sentence| format!("<p>{sentence}</p>\n")).collect();
    page(title, canonical, "", &format!("<h1>{title}</h1>\n{paragraphs}"), links)
}

/// A complete page with this article, and with `head` added to its head.
pub(crate) fn page(
    title: &str,
    canonical: &str,
    head: &str,
    article: &str,
    links: &[(&str, &str)],
) -> String {
    let items: String =
        links.iter().map(|(to, text)| format!("<li><a href=\"{to}\">{text}</a></li>\n")).collect();
    let list = if items.is_empty() { items } else { format!("<ul class=\"links\">\n{items}</ul>\n") };
    format!(
        "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title} | County Almanac</title>\n\
         <link rel=\"canonical\" href=\"{ORIGIN}{canonical}\">\n\
         <meta property=\"og:title\" content=\"{title}\">\n\
         <link rel=\"stylesheet\" href=\"/assets/site.css\">\n{head}</head>\n\
         <body>\n<header><nav><a href=\"/\">County Almanac</a></nav></header>\n\
         <main>\n<article>\n{article}</article>\n{list}</main>\n\
         <footer><p>All entries are kept by volunteers of the county society.</p></footer>\n\
         </body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_are_parsed_by_name() {
        assert_eq!("all".parse(), Ok(Extras::all()));
        assert_eq!("none".parse(), Ok(Extras::default()));
        assert_eq!("robots, files".parse(), Ok(Extras { robots: true, files: true, ..Extras::default() }));
        let error = "robots,sitemaps".parse::<Extras>().unwrap_err();
        assert!(error.contains("`sitemaps`") && error.contains("sitemap,"), "{error}");
    }

    #[test]
    fn every_name_selects_another_extra() {
        let mut seen = Vec::new();
        for name in Extras::NAMES {
            let extras: Extras = name.parse().unwrap();
            assert_ne!(extras, Extras::default());
            assert!(!seen.contains(&extras), "{name}");
            seen.push(extras);
        }
    }
}
