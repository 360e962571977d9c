//! Tests of reading a job: slow readers, cancellation, dropped handles; and of batches and maps.

use std::collections::BTreeSet;
use std::time::Duration;

use gleaner::{BatchScrapeRequest, Job, JobState, MapRequest, ScrapeRequest};
use gleaner_testkit::{Server, Site, SiteSpec};

use crate::support::{engine, links_only, pages_within};

/// Upper bound on pages in work.
const MAX_IN_WORK: u64 = 50;
/// Upper bound on unread documents plus pages in work.
const MAX_UNREAD: u64 = 64 + MAX_IN_WORK;

/// Waits until no new request arrives for a while, and returns the number of requests.
async fn wait_until_idle(server: &Server) -> u64 {
    let mut requests = server.requests();
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = server.requests();
        if now == requests {
            return now;
        }
        requests = now;
    }
}

async fn read_all(job: &mut Job) -> BTreeSet<String> {
    let mut urls = BTreeSet::new();
    while let Some(document) = job.next().await {
        let document = document.unwrap();
        let url = document.metadata.source_url.unwrap();
        assert!(urls.insert(url.clone()), "two documents of {url}");
    }
    urls
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_slows_the_crawl_and_loses_nothing() {
    let site = Site::generate(SiteSpec::pages(1_000));
    let server = site.serve().unwrap();
    let mut job = engine().crawl(links_only(&server)).await.unwrap();
    let first = job.next().await.unwrap().unwrap();
    let requests = wait_until_idle(&server).await;
    // The handle reads ahead a first batch from the store.
    assert!(requests <= MAX_UNREAD + 32, "{requests} pages were fetched for a reader that took one");
    let mut urls = read_all(&mut job).await;
    urls.insert(first.metadata.source_url.unwrap());
    assert_eq!(urls.len(), pages_within(&site, u32::MAX).len());
    assert_eq!(job.status().await.unwrap().state, JobState::Completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_crawl_stops_and_its_documents_stay_readable() {
    let site = Site::generate(SiteSpec { latency: Duration::from_millis(5), ..SiteSpec::pages(2_000) });
    let server = site.serve().unwrap();
    let mut job = engine().crawl(links_only(&server)).await.unwrap();
    for _ in 0..10 {
        job.next().await.unwrap().unwrap();
    }
    let snapshot = job.cancel().await.unwrap();
    assert_eq!(snapshot.state, JobState::Cancelled);
    let read = 10 + read_all(&mut job).await.len() as u64;
    assert_eq!((read, snapshot.total), (snapshot.completed, snapshot.completed));
    // Requests may have been in flight.
    let (requests, idle) = (server.requests(), wait_until_idle(&server).await);
    assert!(idle <= requests + MAX_IN_WORK, "{} pages were fetched after the end", idle - requests);
    assert_eq!(job.cancel().await.unwrap().state, JobState::Cancelled, "cancelling again changes nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_crawl_stops() {
    let site = Site::generate(SiteSpec { latency: Duration::from_millis(5), ..SiteSpec::pages(2_000) });
    let server = site.serve().unwrap();
    let engine = engine();
    let mut job = engine.crawl(links_only(&server)).await.unwrap();
    job.next().await.unwrap().unwrap();
    drop(job);
    let requests = wait_until_idle(&server).await;
    assert!(requests < 200, "{requests} pages were fetched after the drop");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_control_cancels_a_crawl_while_its_handle_reads() {
    let server = Site::generate(SiteSpec::pages(2_000)).serve().unwrap();
    let engine = engine();
    let mut job = engine.crawl(links_only(&server)).await.unwrap();
    job.next().await.unwrap().unwrap();
    let control = job.control();
    let cancelling = tokio::spawn({
        let control = control.clone();
        async move { control.cancel().await }
    });
    // While its documents are not read, the crawl does not end by itself.
    assert_eq!(cancelling.await.unwrap().unwrap().state, JobState::Cancelled);
    let read = 1 + read_all(&mut job).await.len() as u64;
    let status = control.status().await.unwrap();
    assert_eq!((status.id, status.state, status.completed), (job.id(), JobState::Cancelled, read));
    drop((job, engine));
    let error = gleaner::Error::from(control.status().await.unwrap_err());
    assert_eq!(error.http_status(), 503, "a control does not keep the engine: {error}");
}

#[tokio::test]
async fn reading_that_is_cut_off_loses_no_document() {
    let server = Site::generate(SiteSpec::pages(100)).serve().unwrap();
    let mut job = engine().crawl(links_only(&server)).await.unwrap();
    let (mut urls, mut cuts) = (BTreeSet::new(), 0);
    while urls.len() < 50 {
        tokio::select! {
            biased;
            page = job.next() => {
                let url = page.unwrap().unwrap().metadata.source_url.unwrap();
                assert!(urls.insert(url.clone()), "two documents of {url}");
            }
            () = tokio::task::yield_now() => cuts += 1,
        }
    }
    assert!(cuts > 0, "nothing was cut off");
    // The same holds for the wait for the end.
    let end = loop {
        tokio::select! {
            biased;
            end = job.wait() => break end.unwrap(),
            () = tokio::task::yield_now() => {}
        }
    };
    let mut rest = end.documents.into_iter().map(|document| document.metadata.source_url.unwrap());
    assert!(rest.all(|url| urls.insert(url)), "a document came twice");
    assert_eq!((urls.len(), end.snapshot.completed), (100, 100));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_that_another_handle_has_read_are_said_to_be_gone() {
    let server = Site::generate(SiteSpec::pages(100)).serve().unwrap();
    let engine = engine();
    let mut job = engine.crawl(links_only(&server)).await.unwrap();
    for _ in 0..40 {
        job.next().await.unwrap().unwrap();
    }
    // It goes on where the store does: the first handle has asked for what follows its first documents.
    let mut second = engine.job(job.id()).await.unwrap();
    let end = second.wait().await.unwrap();
    assert!((16..=40).contains(&end.gone), "{} are gone", end.gone);
    assert_eq!(end.gone + end.documents.len() as u64, end.snapshot.completed);

    let mut third = engine.job(job.id()).await.unwrap();
    let error = third.next().await.unwrap().unwrap_err();
    assert!(error.is_gone() && error.to_string().contains("100"), "{error}");
    assert!(third.next().await.is_none());
    let mut fourth = engine.job(job.id()).await.unwrap();
    let end = fourth.wait().await.unwrap();
    assert_eq!((end.documents.len(), end.gone, end.snapshot.completed), (0, 100, 100));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_total_of_a_batch_with_failures_never_shrinks() {
    let server = Site::generate(SiteSpec::pages(20)).serve().unwrap();
    let urls: Vec<String> = (1..=20)
        .flat_map(|page| [server.url(&format!("/p/{page}")), format!("http://10.0.0.1/{page}")])
        .collect();
    let mut job = engine().batch(BatchScrapeRequest::new(urls)).await.unwrap();
    let mut statuses = vec![job.status().await.unwrap()];
    while let Some(page) = job.next().await {
        page.unwrap();
        statuses.push(job.status().await.unwrap());
    }
    let end = job.wait().await.unwrap().snapshot;
    for status in statuses.iter().chain([&end]) {
        assert_eq!(status.total, 40, "{status:?}");
        assert_eq!(status.total, status.completed + status.failed + status.open, "{status:?}");
    }
    assert_eq!((end.completed, end.failed, end.open, end.contract_total()), (20, 20, 0, 20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_scrapes_each_listed_url_as_often_as_it_is_listed() {
    let server = Site::generate(SiteSpec::pages(20)).serve().unwrap();
    let urls = ["/p/1", "/p/2", "/p/1", "not a url at all", "/p/3"]
        .map(|path| if path.starts_with('/') { server.url(path) } else { path.to_owned() });
    let mut job = engine().batch(BatchScrapeRequest::new(urls)).await.unwrap();
    let result = job.wait().await.unwrap();
    let mut received: Vec<String> =
        result.documents.into_iter().map(|document| document.metadata.source_url.unwrap()).collect();
    received.sort();
    assert_eq!(received, [server.url("/p/1"), server.url("/p/1"), server.url("/p/2"), server.url("/p/3")]);
    assert_eq!(
        server.log().count("/robots.txt"),
        0,
        "robots.txt does not apply to pages that the user lists"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_url_without_a_path_is_reported_as_given() {
    let server = Site::generate(SiteSpec::pages(3)).serve().unwrap();
    let (bare, whole) = (server.base_url(), server.url("/"));
    let engine = engine();
    for url in [&bare, &whole] {
        let page = engine.scrape(ScrapeRequest::new(url.as_str())).await.unwrap();
        let reported = (page.metadata.source_url.as_ref(), page.metadata.url.as_ref());
        assert_eq!(reported, (Some(url), Some(&whole)), "a scrape");
        let mut request = links_only(&server).limit(1);
        request.url = url.clone();
        let crawled = engine.crawl(request).await.unwrap().wait().await.unwrap();
        assert_eq!(crawled.documents[0].metadata.source_url.as_ref(), Some(url), "a crawl");
    }
    let refused = ["http://10.0.0.1", "http://10.0.0.1/", "http://10.0.0.1?q"];
    let listed = [bare.as_str(), whole.as_str()].into_iter().chain(refused);
    let result = engine.batch(BatchScrapeRequest::new(listed)).await.unwrap().wait().await.unwrap();
    let mut received: Vec<String> =
        result.documents.into_iter().map(|document| document.metadata.source_url.unwrap()).collect();
    received.sort();
    assert_eq!(received, [bare, whole]);
    let mut failed: Vec<String> =
        result.failures.iter().map(|failure| failure.as_requested().into_owned()).collect();
    failed.sort();
    assert_eq!(failed, refused);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_map_lists_the_urls_of_a_site() {
    let extras = gleaner_testkit::Extras { sitemap: true, ..Default::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(300) });
    let server = site.serve().unwrap();
    let engine = engine();
    let all = engine.map(MapRequest::new(server.url("/"))).await.unwrap();
    assert!(all.links.len() >= 300, "{} URLs", all.links.len());
    assert!(server.requests() < 10, "pages are not fetched one by one");
    let some = engine.map(MapRequest::new(server.url("/")).limit(5)).await.unwrap();
    assert_eq!(some.links.len(), 5);
    let searched = MapRequest::new(server.url("/")).search("123");
    assert_eq!(engine.map(searched).await.unwrap().links[0].path(), "/p/123");
}
