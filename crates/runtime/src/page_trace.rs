//! Notes about the pages of a crawl, for addresses that its caller asked to explain.

use gleaner_frontier::Candidate;
use gleaner_store::FinishedPage;
use url::Url;

use crate::context::JobContext;
use crate::shared::Shared;

/// Notes how a page ended, if its address is followed.
pub(crate) fn trace(job: &JobContext, page: &FinishedPage, answered: Option<&Url>, moved: bool) {
    if let Some(crawl) = job.crawl.as_ref().filter(|_| job.is_traced()) {
        crawl.records.traces.ended(page.lease.key, &page.lease.url, answered, moved, &page.outcome);
    }
}

/// Notes which of the links that are followed will be put off.
pub(crate) async fn trace_links(shared: &Shared, job: &JobContext, links: &[Candidate]) {
    let Some(crawl) = &job.crawl else { return };
    let traces = &crawl.records.traces;
    for link in links.iter().filter(|link| traces.is_new(link.key)) {
        if let Ok(Some(put_off)) = shared.store.would_defer(job.id, &link.url).await {
            traces.put_off(link.key, put_off.trap);
        }
    }
}
