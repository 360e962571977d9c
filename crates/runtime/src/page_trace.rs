//! Records about the URLs of a crawl that its caller wants explained.

use gleaner_frontier::Candidate;
use gleaner_store::FinishedPage;
use url::Url;

use crate::context::JobContext;
use crate::shared::Shared;

/// Records how a page ended, if its URL is traced.
pub(crate) fn trace(job: &JobContext, page: &FinishedPage, answered: Option<&Url>, moved: bool) {
    if let Some(crawl) = job.crawl.as_ref().filter(|_| job.is_traced()) {
        // Not the key of the lease, which is another one for a further spelling of a page.
        let key = crawl.identity.key(&page.lease.url);
        crawl.records.traces.record_outcome(key, &page.lease.url, answered, moved, &page.outcome);
    }
}

/// Records which of the traced links will be deferred.
pub(crate) async fn trace_links(shared: &Shared, job: &JobContext, links: &[Candidate]) {
    let Some(crawl) = &job.crawl else { return };
    let traces = &crawl.records.traces;
    for link in links.iter().filter(|link| traces.admit(link.key)) {
        if let Ok(Some(deferral)) = shared.store.would_defer(job.id, &link.url).await {
            traces.record_deferral(link.key, deferral.trap);
        }
    }
}
