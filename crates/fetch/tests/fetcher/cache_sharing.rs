//! Requests for the same page that share one fetch.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use gleaner_fetch::{CacheUse, RedirectCheck, RedirectRefused};
use gleaner_types::BoxFuture;
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;
use url::Url;

use super::cache::{HOUR, caching, fetch, used, within};
use super::support::{Site, answer, page, read_request, redirect};

#[tokio::test]
async fn concurrent_requests_cause_one_fetch() {
    let site = Site::serve(|_| page("text")).await;
    let fetcher = caching();
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let (fetcher, request) = (fetcher.clone(), within(site.url("a.test", "/"), HOUR));
            tokio::spawn(async move { fetch(&fetcher, request).await.unwrap().body })
        })
        .collect();
    for task in tasks {
        assert_eq!(&task.await.unwrap()[..], b"text");
    }
    assert_eq!(site.seen().len(), 1);
}

/// Never answers the first request, and answers each further one at once.
async fn stuck_once() -> Site {
    let calls = Arc::new(AtomicUsize::new(0));
    Site::script(move |mut stream| {
        let calls = Arc::clone(&calls);
        async move {
            while read_request(&mut stream).await.is_some() {
                if calls.fetch_add(1, SeqCst) == 0 {
                    std::future::pending::<()>().await;
                }
                let _ = stream.write_all(&page("text")).await;
            }
        }
    })
    .await
}

#[tokio::test]
async fn followers_survive_a_cancelled_leader() {
    let site = stuck_once().await;
    let fetcher = caching();
    let start = |timeout| {
        let fetcher = fetcher.clone();
        let mut request = within(site.url("a.test", "/"), HOUR);
        request.timeout = Some(timeout);
        tokio::spawn(async move { fetch(&fetcher, request).await })
    };
    let leader = start(Duration::from_secs(60));
    while site.connections() == 0 {
        tokio::task::yield_now().await;
    }
    let waiting: Vec<_> = (0..50).map(|_| start(Duration::from_secs(60))).collect();
    let impatient = start(Duration::from_secs(3)).await.unwrap().unwrap();
    assert_eq!(&impatient.body[..], b"text", "it fetches alone when half of its time is over");
    leader.abort();
    for task in waiting {
        assert_eq!(&task.await.unwrap().unwrap().body[..], b"text");
    }
    assert!(site.connections() <= 3, "one more fetch for all others: {}", site.connections());
}

#[tokio::test]
async fn followers_fetch_for_themselves_if_the_page_cannot_be_shared() {
    let site = Site::serve(|_| answer(200, &[("cache-control", "no-store")], b"mine")).await;
    let fetcher = caching();
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let (fetcher, request) = (fetcher.clone(), within(site.url("a.test", "/"), HOUR));
            tokio::spawn(async move { fetch(&fetcher, request).await.unwrap() })
        })
        .collect();
    for task in tasks {
        assert_eq!(used(&task.await.unwrap()), CacheUse::Miss);
    }
    assert_eq!(site.seen().len(), 10);
}

/// One slot that each fetch holds and that the check of a redirect needs too.
struct OneSlot(Semaphore);

impl RedirectCheck for OneSlot {
    fn check<'a>(&'a self, _: &'a Url, _: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move {
            let slot = self.0.acquire().await;
            drop(slot);
            Ok(())
        })
    }
}

#[tokio::test]
async fn a_leader_and_its_followers_do_not_wait_for_each_other() {
    let site = Site::serve(|seen| if seen.path() == "/" { redirect(302, "/end") } else { page("end") }).await;
    let fetcher = caching();
    let slot = Arc::new(OneSlot(Semaphore::new(1)));
    let held = slot.0.acquire().await.unwrap();
    let leader = tokio::spawn({
        let (fetcher, slot) = (fetcher.clone(), Arc::clone(&slot));
        let request = within(site.url("a.test", "/"), HOUR);
        async move { fetcher.fetch(request, &*slot).await }
    });
    while site.seen().is_empty() {
        tokio::task::yield_now().await;
    }
    let follower = fetch(&fetcher, within(site.url("a.test", "/"), HOUR)).await.unwrap();
    assert_eq!(&follower.body[..], b"end", "it holds the slot, and is released");
    drop(held);
    assert_eq!(&leader.await.unwrap().unwrap().body[..], b"end");
}
