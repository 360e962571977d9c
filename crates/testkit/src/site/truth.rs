//! What a perfect crawl of the site would find.

use std::time::Duration;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// One of the numbered pages, the start page among them.
    Page,
    /// The page of an extra that lists what the extra holds.
    Index,
    /// Another HTML page with a text of its own.
    Document,
    /// A file that is not HTML: PDF, feed, image and so on.
    File,
    /// Answers with a redirect.
    Redirect,
    /// The same content as another path, which it names as canonical.
    Duplicate,
    /// Fails in the way its extra describes.
    Failure,
    /// The entrance of a trap: the links beyond it never end.
    Trap,
}

/// What is known of one path of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTruth {
    /// Path and query, as in links: `/p/12`.
    pub path: String,
    /// What stands there.
    pub role: Role,
    /// The least number of clicks from `/`, redirects not counted; `None` where no link leads there.
    pub depth: Option<u32>,
    /// The status that the first request gets; 0 where the connection ends without an answer.
    pub status: u16,
    /// The title of the document, without the name of the site; empty where it has none.
    pub title: String,
    /// Sentences of the main content, in order, each a plain run of characters of the page.
    pub sentences: Vec<String>,
    /// Whether robots.txt forbids the path to agents that it does not name.
    pub forbidden: bool,
    /// The path that the page names as canonical; its own path where it names none.
    pub canonical: String,
}

impl PathTruth {
    /// A path that answers 200 with a document of its own, two clicks from the start.
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
    /// The path that is linked.
    pub from: String,
    /// The status of each hop, in order.
    pub statuses: Vec<u16>,
    /// Where the chain ends; `None` where it never does.
    pub to: Option<String>,
}

/// How a path fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// Always this status, with a page that says so.
    Status(u16),
    /// This status for the first so many requests, then 200.
    Recovers {
        /// The failing status.
        status: u16,
        /// How many requests get it before the page is served.
        failures: u32,
    },
    /// The connection is reset in place of an answer.
    Reset,
    /// The connection is closed in place of an answer.
    Closed,
    /// `Content-Length` promises more than is sent before the connection closes.
    Truncated {
        /// Bytes that are sent.
        sent: usize,
        /// Bytes that were promised.
        promised: usize,
    },
    /// Answers 200 with a page that says that nothing was found.
    SoftNotFound,
    /// Answers after this long.
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
    /// The name of the encoding by the Encoding Standard, in lower case.
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

/// A trap: a family of pages that link to new pages of the family for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrapTruth {
    /// The page where the trap is entered.
    pub entrance: String,
    /// What every path of the trap begins with.
    pub prefix: String,
}

/// What the extras of a site hold, by kind. A list is empty where its extra is off.
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
    /// Groups of paths that hold the same content; the first of a group is the canonical one.
    pub duplicates: Vec<Vec<String>>,
    /// Paths that only a sitemap names.
    pub orphans: Vec<String>,
    /// The URL outside the site that the start page links to.
    pub external: Option<String>,
}
