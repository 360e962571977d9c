//! Fetches the pages of an extract job, as the request describes them.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;
use gleaner_extract::Page;
use gleaner_runtime::Runtime;
use gleaner_types::plan::{ExtractPlan, Formats, ScrapeOptionsPlan, Target};
use gleaner_types::{Document, ErrorCode, Interrupt, PageError};
use url::Url;

use super::job::Job;
use super::sources::Source;
use super::visit::visit;

/// Maximum pages of one job that are fetched at once.
pub(super) const MAX_CONCURRENT_PAGES: usize = 8;

/// A page that was fetched, and the warning of its document.
#[derive(Debug)]
pub(super) struct FetchedPage {
    pub(super) page: Arc<Page>,
    pub(super) warning: Option<String>,
}

/// The options of the request, with the formats that extraction needs.
pub(super) fn page_options(request: &ExtractPlan) -> ScrapeOptionsPlan {
    let formats = Formats { markdown: true, raw_html: true, ..Formats::default() };
    ScrapeOptionsPlan { formats, ..request.options.clone() }
}

/// Fetches pages before the schema is known.
pub(super) async fn prefetch(
    runtime: &Arc<Runtime>,
    request: &ExtractPlan,
    job: &Job,
    pages: Vec<Source>,
) -> Vec<(Source, Result<FetchedPage, PageError>)> {
    let options = &page_options(request);
    let fetches = pages.into_iter().map_while(|source| {
        job.try_count_page().then_some(async move {
            let fetched = fetch(runtime, request, job, options, &source).await;
            (source, fetched)
        })
    });
    stream::iter(fetches).buffered(MAX_CONCURRENT_PAGES).collect().await
}

/// Fetches one page, with [`page_options`].
pub(super) async fn fetch(
    runtime: &Arc<Runtime>,
    request: &ExtractPlan,
    job: &Job,
    options: &ScrapeOptionsPlan,
    source: &Source,
) -> Result<FetchedPage, PageError> {
    let Source { target, origin, .. } = source;
    let visit =
        visit(runtime, job.owner(), target.clone(), *origin, options.clone(), request.zero_data_retention);
    let late = || PageError {
        code: ErrorCode::ScrapeTimeout,
        message: "the time budget of the job ran out".to_owned(),
    };
    let document = job.in_time(visit).await.unwrap_or_else(|| Err(late()))?;
    Ok(to_page(document, target))
}

fn to_page(document: Document, target: &Target) -> FetchedPage {
    let Document { metadata, raw_html, markdown, warning, .. } = document;
    let final_url = metadata.url.as_deref().or(metadata.source_url.as_deref());
    let url = final_url.and_then(|url| Url::parse(url).ok()).unwrap_or_else(|| target.url.clone());
    let mut page = Page::new(url, raw_html.unwrap_or_default())
        .with_markdown(markdown.unwrap_or_default())
        .with_interrupt(&Interrupt::armed());
    page.title = metadata.title;
    FetchedPage { page: Arc::new(page), warning }
}
