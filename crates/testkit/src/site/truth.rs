//! What a perfect crawl of the site would find.

use std::time::Duration;

/// What a path serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// One of the numbered pages, including the start page.
    Page,
    /// The index page of an extra, which links to its paths.
    Index,
    /// Another HTML page with its own text.
    Document,
    /// A page whose title, sentences and links exist only after its scripts ran.
    ScriptBuilt,
    /// A file that is not HTML: PDF, feed, image and so on.
    File,
    /// A redirect.
    Redirect,
    /// The same content as another path, which the page declares as canonical.
    Duplicate,
    /// A failure, described by a [`FailureKind`].
    Failure,
    /// The entrance of a trap, as in [`TrapTruth`].
    Trap,
}

/// The expected result for one path of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTruth {
    /// Path and query, as in links: `/p/12`.
    pub path: String,
    /// What the path serves.
    pub role: Role,
    /// The least number of clicks from `/`, not counting redirects; `None` if no link leads there.
    pub depth: Option<u32>,
    /// The status of the first response; 0 if the connection ends without a response.
    pub status: u16,
    /// The title of the document, without the name of the site; empty if it has none.
    pub title: String,
    /// Sentences of the main content, in order. The page contains each one verbatim, without markup inside.
    pub sentences: Vec<String>,
    /// Whether robots.txt disallows the path for agents that it does not name.
    pub forbidden: bool,
    /// The path that the page declares as canonical; its own path if it declares none.
    pub canonical: String,
}

impl PathTruth {
    /// A path that responds 200 with its own document, two clicks from the start.
    pub(crate) fn new(path: impl Into<String>, role: Role) -> Self {
        let path = path.into();
        Self {
            canonical: path.clone(),
            path,
            role,
            depth: Some(2),
            status: 200,
            title: String::new(),
            sentences: Vec::new(),
            forbidden: false,
        }
    }
}

/// A chain of redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectTruth {
    /// The path that other pages link to.
    pub from: String,
    /// The status of each hop, in order.
    pub statuses: Vec<u16>,
    /// Where the chain ends; `None` if it never ends.
    pub to: Option<String>,
}

/// How a path fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// Always this status, with a page that states it.
    Status(u16),
    /// This status for the first `failures` requests, then 200.
    Recovers {
        /// The failing status.
        status: u16,
        /// Number of requests that fail before the page is served.
        failures: u32,
    },
    /// The connection is reset instead of a response.
    Reset,
    /// The connection is closed instead of a response.
    Closed,
    /// `Content-Length` promises more than is sent before the connection closes.
    Truncated {
        /// Bytes that are sent.
        sent: usize,
        /// Bytes that are promised.
        promised: usize,
    },
    /// Responds 200 with a page that says that nothing was found.
    SoftNotFound,
    /// Responds after this delay.
    Slow(Duration),
}

/// A path that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureTruth {
    /// The path.
    pub path: String,
    /// How it fails.
    pub kind: FailureKind,
}

/// A page that is not in UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedTruth {
    /// The path.
    pub path: String,
    /// The name of the encoding in the Encoding Standard, in lower case.
    pub encoding: &'static str,
    /// The text of its `<title>`.
    pub title: String,
    /// The text of its one paragraph.
    pub text: String,
}

/// A product page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductTruth {
    /// The path.
    pub path: String,
    /// The name.
    pub name: String,
    /// The stock keeping unit.
    pub sku: String,
    /// The brand.
    pub brand: String,
    /// The price as a decimal number, as in `19.90`.
    pub price: String,
    /// The currency, ISO 4217.
    pub currency: &'static str,
    /// Whether it can be ordered.
    pub in_stock: bool,
}

/// A trap: a family of pages that link to new pages of the same family without end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrapTruth {
    /// The page that leads into the trap.
    pub entrance: String,
    /// The common prefix of all paths of the trap.
    pub prefix: String,
}

/// The contents of the extras of a site, by kind. The list of an extra that is off is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtraTruth {
    /// Chains of redirects.
    pub redirects: Vec<RedirectTruth>,
    /// Paths that fail or are slow.
    pub failures: Vec<FailureTruth>,
    /// Pages in other encodings.
    pub encoded: Vec<EncodedTruth>,
    /// Product pages.
    pub products: Vec<ProductTruth>,
    /// Traps.
    pub traps: Vec<TrapTruth>,
    /// Groups of paths with the same content. The first path of a group is the canonical one.
    pub duplicates: Vec<Vec<String>>,
    /// Paths that only a sitemap lists.
    pub orphans: Vec<String>,
    /// The URL outside the site that the start page links to.
    pub external: Option<String>,
}
