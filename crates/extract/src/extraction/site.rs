//! Extraction from several pages of one site, and the knowledge that they share.

use gleaner_types::BoxFuture;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::extractor::{ClusterPageResult, Extractor, PageExtraction, Task};
use super::record_run::largest_run_len;
use crate::bind::{Model, PageSegments, bind, bind_with};
use crate::evidence::Evidence;
use crate::leaf::Extraction;
use crate::page::Page;
use crate::row_page::{PageHeadings, RowShape};
use crate::schema::Shape;
use crate::template::{MAX_TAUGHT_PAGES, SiteTexts, TemplateMemory};

/// If the pages of a cluster that needed a model outnumber those that its template made free by this number,
/// the pages count as teaching nothing about each other.
pub const MAX_UNPAID_PAGES: u64 = 6;

/// What is learned of a site during a request, kept apart for pages that are read as a whole and pages that
/// are one row each.
#[derive(Debug, Default)]
pub struct SiteMemory {
    whole: Mutex<TemplateMemory>,
    rows: Mutex<TemplateMemory>,
}

impl SiteMemory {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether reading the pages of this cluster one after the other pays off, because each may save the next
    /// a model call. Once the answer is no, it stays no until a page of the cluster is read with this memory.
    #[must_use]
    pub fn pays(&self, cluster: &str) -> bool {
        [&self.whole, &self.rows].iter().all(|memory| {
            let memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            memory.unpaid_pages(cluster) < MAX_UNPAID_PAGES
        })
    }
}

/// The position of a page among the other pages of its site.
#[derive(Debug, Clone, Copy)]
pub struct SitePosition<'p> {
    /// A key that pages of one template share, such as the [`UrlPatterns::of`](crate::UrlPatterns::of) of
    /// their addresses.
    pub cluster: &'p str,
    /// Whether the site has several pages of this cluster. Each of them is then more likely about one thing.
    pub alike: bool,
    /// What recurs on the pages of this cluster, if it is known.
    pub texts: Option<&'p SiteTexts>,
}

/// Fills a shape from each of several pages of one site, without a model. Unlike by
/// [`extract`](crate::extract), each page is read with what recurs on the others: the name of the site leaves
/// its title, a heading that all of them have is not its name, and a text before texts that differ is a label.
///
/// The pages should share a template. The first [`MAX_TAUGHT_PAGES`] teach all of them, so these are analysed
/// twice. The results are in the order of the pages.
///
/// ```
/// use gleaner_extract::{Page, Shape, extract_pages};
/// use serde_json::json;
///
/// let page = |url: &str, name: &str| -> Result<Page, url::ParseError> {
///     let html = format!("<title>{name} | Cup House</title><h1>Cup House</h1><b class=price>9 €</b>");
///     Ok(Page::new(url.parse()?, html))
/// };
/// let pages = [page("https://shop.example/1", "Red cup")?, page("https://shop.example/2", "Blue pot")?];
/// let schema = json!({ "properties": { "name": { "type": "string" }, "price": { "type": "number" } } });
/// let found = extract_pages(&pages, &Shape::from_schema(&schema)?);
/// assert_eq!(found[0].data, json!({ "name": "Red cup", "price": 9 }));
/// assert_eq!(found[1].data, json!({ "name": "Blue pot", "price": 9 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn extract_pages(pages: &[Page], shape: &Shape) -> Vec<Extraction> {
    let mut texts = SiteTexts::new();
    if pages.len() > 1 {
        pages.iter().take(MAX_TAUGHT_PAGES).for_each(|page| texts.learn(page));
    }
    let read = |page| bind(&informed_evidence(page, Some(&texts)), shape);
    pages.iter().map(read).collect()
}

/// The evidence of a page, with what is known of the other pages.
fn informed_evidence<'p>(page: &'p Page, texts: Option<&SiteTexts>) -> Evidence<'p> {
    let mut evidence = Evidence::read(page);
    if let Some(texts) = texts {
        texts.inform(&mut evidence);
    }
    evidence
}

impl Extractor {
    /// Reads one of several pages that together answer a request. For a list of objects it decides whether
    /// the page lists several things or is about one thing, which is then the only row of the list. With a
    /// memory it reads as [`page_of`](Self::page_of) does.
    pub fn page_among<'a>(
        &'a self,
        memory: Option<&'a SiteMemory>,
        position: SitePosition<'a>,
        page: &'a Page,
        task: Task<'a>,
    ) -> BoxFuture<'a, ClusterPageResult> {
        Box::pin(async move {
            let SitePosition { cluster, alike, texts } = position;
            let evidence = informed_evidence(page, texts);
            let segments = PageSegments::new(&evidence);
            let model = Model::shipped();
            let whole = bind_with(&segments, task.shape, model);
            let Some(rows) = RowShape::of(task.shape) else {
                let memory = memory.map(|memory| &memory.whole);
                return self.read(memory, cluster, page, task, &evidence, whole).await;
            };
            let one = bind_with(&segments, rows.shape(), model);
            let records = largest_run_len(&page.markdown);
            let headings = PageHeadings::read(page, &evidence);
            let row_task = Task { shape: rows.shape(), ..task };
            let (of_whole, of_rows) = (memory.map(|memory| &memory.whole), memory.map(|memory| &memory.rows));
            if rows.is_one(&whole, &one, records, alike) {
                let mut read = self.read(of_rows, cluster, page, row_task, &evidence, one).await;
                let is_row = rows.is_row(&read.page.extraction, alike, &headings);
                if is_row || (alike && records < 2) || read.page.stopped.is_some() {
                    read.page.extraction = rows.wrap_in_list(read.page.extraction, alike, &headings);
                    return read;
                }
                // The page is not a row after all: it may list several.
                let again = self.read(of_whole, cluster, page, task, &evidence, whole).await;
                return with_calls_of(read, again);
            }
            let read = self.read(of_whole, cluster, page, task, &evidence, whole).await;
            if rows.count(&read.page.extraction) > 0 || read.page.stopped.is_some() {
                return read;
            }
            // The page is not a list after all: it may be a row.
            let mut again = self.read(of_rows, cluster, page, row_task, &evidence, one).await;
            if !rows.is_row(&again.page.extraction, alike, &headings) {
                return with_calls_of(again, read);
            }
            again.page.extraction = rows.wrap_in_list(again.page.extraction, alike, &headings);
            let singles = read.page.extraction;
            add_singles(&mut again.page, singles.data, singles.leaves);
            again.page.calls += read.page.calls;
            again
        })
    }
}

/// The second reading of a page, with the calls of both readings.
fn with_calls_of(first: ClusterPageResult, mut second: ClusterPageResult) -> ClusterPageResult {
    second.page.calls += first.page.calls;
    second.page.stopped = second.page.stopped.or(first.page.stopped);
    second
}

/// Adds the fields beside the list, which the reading as a row does not cover.
fn add_singles(page: &mut PageExtraction, data: Value, leaves: Vec<crate::leaf::Leaf>) {
    let Value::Object(_) = data else { return };
    for leaf in leaves {
        crate::bind::set_at(&mut page.extraction.data, &leaf.pointer, leaf.value.clone());
        page.extraction.leaves.push(leaf);
    }
}
