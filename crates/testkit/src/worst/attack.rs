//! A hostile site with a request for it and the expected end.

use std::fmt;

use serde_json::{Value, json};

use super::Size;
use super::shapes::PageShape;
use crate::hostile::HostilePage;
use crate::pdf::MakePdf;

/// Placeholder for the base URL of the site in a request body.
const SITE: &str = "{site}";

/// Timeout of a request, in milliseconds.
const TIMEOUT_MS: u64 = 1_000;

/// Bytes of a page that is small enough to be transformed on a thread of the runtime.
const LIGHT_BYTES: usize = 125_000;

/// How a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedEnd {
    /// It is refused with 400 before any fetch, and the message contains this text.
    Refused(&'static str),
    /// With a result, with or without a warning, or with an error that states what was too much.
    Somehow,
    /// As [`Somehow`](Self::Somehow). If there is a document, its warning contains this text.
    Warned(&'static str),
}

/// A hostile site and a request for it.
#[derive(Debug, Clone)]
pub struct Attack {
    /// The pages of the site.
    pub pages: Vec<HostilePage>,
    /// Method and path of the request.
    pub line: &'static str,
    body: String,
    /// How the request ends.
    pub ends: ExpectedEnd,
    /// The same request is sent and ends once before this one.
    pub repeats_previous: bool,
}

impl Attack {
    pub(super) fn new(line: &'static str, body: impl Into<String>, pages: Vec<HostilePage>) -> Self {
        Self { pages, line, body: body.into(), ends: ExpectedEnd::Somehow, repeats_previous: false }
    }

    /// A scrape of the page with these options.
    pub(super) fn scrape(options: Value, page: HostilePage) -> Self {
        let url = format!("{SITE}{}", page.target());
        let body = with(json!({ "url": url, "timeout": TIMEOUT_MS, "maxAge": 0 }), options);
        Self::new("POST /v2/scrape", body.to_string(), vec![page])
    }

    /// A scrape of the page in every format that needs neither a schema nor a browser.
    pub(super) fn scrape_all(page: HostilePage) -> Self {
        let formats = ["markdown", "html", "rawHtml", "links", "images", "summary", "branding"];
        Self::scrape(json!({ "formats": formats }), page)
    }

    /// A batch of `count` URLs whose paths are `below` and a number.
    pub(super) fn batch(options: Value, below: &str, count: usize, pages: Vec<HostilePage>) -> Self {
        let urls: Vec<String> = (0..count).map(|number| format!("{SITE}{below}{number}")).collect();
        let body = with(json!({ "urls": urls, "timeout": TIMEOUT_MS, "maxAge": 0 }), options);
        Self::new("POST /v2/batch/scrape", body.to_string(), pages)
    }

    /// A crawl of a few pages. Targets without a page get a small one.
    pub(super) fn crawl(options: Value, mut pages: Vec<HostilePage>) -> Self {
        pages.insert(0, small());
        let scrape = json!({ "formats": ["links"], "timeout": TIMEOUT_MS, "maxAge": 0 });
        let body = with(json!({ "url": format!("{SITE}/"), "limit": 5, "scrapeOptions": scrape }), options);
        Self::new("POST /v2/crawl", body.to_string(), pages)
    }

    /// A map of the site.
    pub(super) fn map(options: Value, mut pages: Vec<HostilePage>) -> Self {
        pages.insert(0, small());
        let body = with(json!({ "url": format!("{SITE}/"), "timeout": TIMEOUT_MS }), options);
        Self::new("POST /v2/map", body.to_string(), pages)
    }

    pub(super) fn refused(self, text: &'static str) -> Self {
        Self { ends: ExpectedEnd::Refused(text), ..self }
    }

    pub(super) fn warned(self, text: &'static str) -> Self {
        Self { ends: ExpectedEnd::Warned(text), ..self }
    }

    /// Sends the same request once before.
    pub(super) fn second(self) -> Self {
        Self { repeats_previous: true, ..self }
    }

    /// The body of the request for a site with this base URL, which has no trailing slash.
    #[must_use]
    pub fn body_at(&self, site: &str) -> String {
        self.body.replace(SITE, site)
    }
}

/// The default page, which later pages override.
fn small() -> HostilePage {
    HostilePage::anywhere("text/html", "<p>A small page.")
}

/// Adds the fields of `options` to `body`.
fn with(mut body: Value, options: Value) -> Value {
    if let (Value::Object(body), Value::Object(options)) = (&mut body, options) {
        body.extend(options);
    }
    body
}

/// How the attack of a case is generated.
#[derive(Debug, Clone, Copy)]
enum Make {
    /// With its own function.
    Attack(fn(Size) -> Attack),
    /// A scrape, in many formats, of a page with this many bytes at full size. The name of the case is the
    /// name of its shape.
    Page(usize),
    /// A batch of light pages. The name of the case is the name of their shape.
    Light,
    /// A scrape of a PDF.
    Pdf(MakePdf),
}

/// A worst case.
#[derive(Debug, Clone, Copy)]
pub struct WorstCase {
    /// What the case attacks, such as `selectors` or `robots.txt`.
    pub kind: &'static str,
    /// Its name, unique within its kind.
    pub name: &'static str,
    make: Make,
}

impl WorstCase {
    pub(super) const fn new(kind: &'static str, name: &'static str, make: fn(Size) -> Attack) -> Self {
        Self { kind, name, make: Make::Attack(make) }
    }

    /// A scrape of a page of this shape.
    pub(super) const fn page(kind: &'static str, shape: &'static str, bytes: usize) -> Self {
        Self { kind, name: shape, make: Make::Page(bytes) }
    }

    /// A batch of light pages of this shape.
    pub(super) const fn light(shape: &'static str) -> Self {
        Self { kind: "light pages", name: shape, make: Make::Light }
    }

    pub(super) const fn pdf(name: &'static str, make: MakePdf) -> Self {
        Self { kind: "PDFs", name, make: Make::Pdf(make) }
    }

    /// Generates the attack, which can have tens of megabytes.
    ///
    /// # Panics
    /// If the case is named after a shape that does not exist.
    #[must_use]
    pub fn attack(&self, size: Size) -> Attack {
        let page = |bytes: usize| {
            let shape = PageShape::named(self.name).expect("cases are named after shapes");
            (shape.media, shape.page(bytes))
        };
        match self.make {
            Make::Attack(make) => make(size),
            Make::Page(bytes) => {
                let (media, body) = page(size.of(100_000, bytes));
                Attack::scrape_all(HostilePage::new("/", media, body))
            }
            Make::Light => {
                let (media, body) = page(size.of(40_000, LIGHT_BYTES));
                let pages = vec![HostilePage::anywhere(media, body)];
                Attack::batch(json!({}), "/", size.of(4, 50), pages)
            }
            Make::Pdf(make) => {
                Attack::scrape(json!({}), HostilePage::new("/a.pdf", "application/pdf", make(size)))
            }
        }
    }
}

impl fmt::Display for WorstCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.name)
    }
}
