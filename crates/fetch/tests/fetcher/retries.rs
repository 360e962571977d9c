use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gleaner_fetch::{FollowAll, MAX_RETRY_AFTER, RETRY_BASE, Request};
use tokio::time::Instant;

use super::support::{Site, answer, builder, fetcher, page, redirect};

fn retrying(url: url::Url, max_retries: u32) -> Request {
    let mut request = Request::get(url);
    request.max_retries = max_retries;
    request.timeout = Some(Duration::from_secs(300));
    request
}

/// Fails so many times, then serves a page.
async fn failing(times: usize, failure: Vec<u8>) -> Site {
    let calls = AtomicUsize::new(0);
    Site::serve(
        move |_| if calls.fetch_add(1, Ordering::SeqCst) < times { failure.clone() } else { page("well") },
    )
    .await
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again() {
    let rows = [
        ("429", answer(429, &[], b"")),
        ("502", answer(502, &[], b"")),
        ("503", answer(503, &[], b"")),
        ("504", answer(504, &[], b"")),
        ("broken off", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\nhalf".to_vec()),
    ];
    for (name, failure) in rows {
        let site = failing(2, failure).await;
        let started = Instant::now();
        let response = fetcher().fetch(retrying(site.url("a.test", "/"), 3), &FollowAll).await.unwrap();
        assert_eq!((response.status, response.attempts, site.seen().len()), (200, 3, 3), "{name}");
        let waited = started.elapsed();
        assert!(
            waited >= RETRY_BASE * 3 / 2 && waited <= RETRY_BASE * 3 + Duration::from_millis(50),
            "{waited:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_will_not_pass_is_not() {
    for status in [400, 403, 404, 410, 500, 501] {
        let site = failing(1, answer(status, &[], b"")).await;
        let response = fetcher().fetch(retrying(site.url("a.test", "/"), 3), &FollowAll).await.unwrap();
        assert_eq!((response.status, site.seen().len()), (status, 1));
    }
    let site = failing(9, answer(503, &[], b"")).await;
    let mut post = Request::post(site.url("a.test", "/"), "x");
    post.max_retries = 3;
    assert_eq!(fetcher().fetch(post, &FollowAll).await.unwrap().status, 503);
    assert_eq!(site.seen().len(), 1, "a POST may have had its effect");
    fetcher().fetch(Request::get(site.url("a.test", "/")), &FollowAll).await.unwrap();
    assert_eq!(site.seen().len(), 2, "nobody asked for retries");
}

#[tokio::test(start_paused = true)]
async fn the_server_says_when() {
    for (asked, attempts) in [("40", 2), ("0", 2), ("soon", 2), ("31536000", 1), ("99999999999999999999", 1)]
    {
        let failure = answer(503, &[("retry-after", asked)], b"");
        let site = failing(1, failure).await;
        let started = Instant::now();
        let response = fetcher().fetch(retrying(site.url("a.test", "/"), 3), &FollowAll).await.unwrap();
        assert_eq!((response.attempts, site.seen().len()), (attempts, attempts as usize), "{asked}");
        let waited = started.elapsed();
        assert!(waited <= MAX_RETRY_AFTER, "{asked}: {waited:?}");
        assert!(asked != "40" || waited >= Duration::from_secs(40), "{waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_not_slept_away() {
    let site = failing(9, answer(503, &[("retry-after", "50")], b"busy")).await;
    let mut request = retrying(site.url("a.test", "/"), 3);
    request.timeout = Some(Duration::from_secs(30));
    let started = Instant::now();
    let response = fetcher().fetch(request, &FollowAll).await.unwrap();
    assert_eq!((response.status, &response.body[..]), (503, &b"busy"[..]));
    assert_eq!(started.elapsed().as_secs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_storm_stays_within_the_budget() {
    let site = Site::serve(|_| answer(503, &[], b"")).await;
    let fetcher = builder().seed(3).build().unwrap();
    for _ in 0..1000 {
        let response = fetcher.fetch(retrying(site.url("a.test", "/"), 3), &FollowAll).await.unwrap();
        assert_eq!(response.status, 503);
    }
    let sent = site.seen().len();
    assert!(sent > 1000 && sent <= 1100, "{sent} requests for 1000");
}

#[tokio::test(start_paused = true)]
async fn a_retry_begins_at_the_start_of_the_chain() {
    let calls = AtomicUsize::new(0);
    let site = Site::serve(move |seen| match seen.path() {
        "/" => redirect(302, "/end"),
        _ if calls.fetch_add(1, Ordering::SeqCst) == 0 => answer(503, &[], b""),
        _ => page("well"),
    })
    .await;
    let request = retrying(site.url("a.test", "/"), 1).header("x-mine", "1").unwrap();
    let response = fetcher().fetch(request, &FollowAll).await.unwrap();
    assert_eq!((response.status, response.hops.len(), response.attempts), (200, 1, 2));
    let seen = site.seen();
    let paths: Vec<&str> = seen.iter().map(super::support::Seen::path).collect();
    assert_eq!(paths, ["/", "/end", "/", "/end"]);
    assert!(seen.iter().all(|seen| seen.header("x-mine").is_some()));
}
