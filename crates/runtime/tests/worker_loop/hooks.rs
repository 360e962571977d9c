//! Hooks of an embedder: links, requests, paces, retries and the ends of pages.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use gleaner_frontier::SkipReason;
use gleaner_runtime::{
    EndOutcome, Follow, FoundLink, HookError, JobEnd, MAX_ATTEMPTS, Pace, PageAttempt, PageEnd, PageFacts,
    PageHooks, RequestDraft, Retry, Runtime, StartOptions, Timings,
};
use gleaner_types::BoxFuture;
use gleaner_types::request::CrawlRequest;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use url::Url;

use crate::support::{Answer, Request, Web, paths, runtime, site_of};

const START: &str = "https://a.example/";

fn hooked(web: &Arc<Web>, hooks: impl PageHooks) -> Arc<Runtime> {
    let runtime = runtime(web);
    runtime.set_hooks(Arc::new(hooks));
    runtime
}

async fn crawl(web: &Arc<Web>, hooks: impl PageHooks, request: CrawlRequest) -> JobEnd {
    let plan = request.check().unwrap();
    hooked(web, hooks).start(plan, StartOptions::default()).await.unwrap().wait().await.unwrap()
}

/// The failures of a crawl, by path.
fn failures(end: &JobEnd) -> Vec<(String, String)> {
    let failure =
        |failure: &gleaner_store::PageFailure| (failure.url.path().to_owned(), failure.error.message.clone());
    let mut failures: Vec<_> = end.failures.iter().map(failure).collect();
    failures.sort();
    failures
}

/// The requests of pages, without robots.txt and sitemaps.
fn page_requests(web: &Web) -> Vec<Request> {
    let is_page = |request: &Request| !request.url.ends_with(".txt") && !request.url.ends_with(".xml");
    web.requests().into_iter().filter(is_page).collect()
}

/// Skips what is old, and takes what is urgent first.
struct Choosing;

impl PageHooks for Choosing {
    fn follow(&self, link: &FoundLink<'_>, page: &PageFacts<'_>) -> Follow {
        assert_eq!((page.status, link.depth), (200, page.depth + 1));
        match link.url.path() {
            "/old" => Follow::skip("too old"),
            "/urgent" => Follow::First,
            _ => Follow::Yes,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_that_the_hook_skips_is_counted_and_explained() {
    let web = Web::new([
        (START, vec![Answer::Ok("/one\n/old\n/urgent")]),
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nCrawl-delay: 1")]),
        ("https://a.example/one", vec![Answer::Ok("/old")]),
        ("https://a.example/urgent", vec![Answer::Ok("")]),
    ]);
    let old: Url = "https://a.example/old".parse().unwrap();
    let options = StartOptions { explained: vec![old], ..StartOptions::default() };
    let plan = CrawlRequest::new(START).check().unwrap();
    let mut job = hooked(&web, Choosing).start(plan, options).await.unwrap();
    while job.next().await.transpose().unwrap().is_some() {}
    assert_eq!(job.rejections(), [(SkipReason::Hook, 2)]);
    let explanations = job.explanations().await.unwrap();
    assert_eq!(explanations[0].verdict.to_string(), "not crawled: the embedder's hook: too old");
    let requested: Vec<String> = page_requests(&web).into_iter().map(|request| request.url).collect();
    assert_eq!(requested, [START, "https://a.example/urgent", "https://a.example/one"]);
}

/// Has a key for one host, and fails in several ways.
struct Preparing;

impl PageHooks for Preparing {
    fn prepare<'a>(&'a self, request: &'a mut RequestDraft<'_>) -> BoxFuture<'a, Result<(), HookError>> {
        Box::pin(async move {
            let path = request.url().path();
            assert_ne!(path, "/worse", "on purpose");
            match path {
                "/fails" => return Err(HookError::new("there is no key")),
                "/never" => std::future::pending::<()>().await,
                _ => {}
            }
            if request.url().host_str() == Some("b.example") {
                request.set_header("Authorization", "secret");
                request.add_cookie("a", "1");
                request.add_cookie("b", "2");
                request.set_timeout(Duration::from_secs(7));
            }
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_has_what_the_hook_adds_for_its_host() {
    let web = Web::new([
        (START, vec![Answer::Ok("https://b.example/")]),
        ("https://b.example/", vec![Answer::Ok("")]),
    ]);
    let request = CrawlRequest::new(START).allow_external_links(true);
    assert_eq!(crawl(&web, Preparing, request).await.snapshot.completed, 2);
    for request in web.requests() {
        let options = &request.options;
        let header = |name: &str| options.headers.get(name).map(String::as_str);
        if request.url == "https://b.example/" {
            assert_eq!((header("authorization"), header("cookie")), (Some("secret"), Some("a=1; b=2")));
            assert_eq!(options.timeout, Duration::from_secs(7));
        } else {
            assert!(options.headers.is_empty(), "{}", request.url);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_fails_panics_or_waits_fails_its_page_only() {
    let web = Web::new([
        (START, vec![Answer::Ok("/fails\n/never\n/worse\n/one")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
    ]);
    let end = crawl(&web, Preparing, CrawlRequest::new(START)).await;
    assert_eq!(paths(&end), ["/", "/one"]);
    let failures = failures(&end);
    let expected = [
        ("/fails", "the hook `prepare` of the embedding program failed: there is no key"),
        ("/never", "the hook `prepare` of the embedding program did not return in time"),
        ("/worse", "the hook `prepare` of the embedding program panicked"),
    ];
    assert_eq!(failures, expected.map(|(path, message)| (path.to_owned(), message.to_owned())));
    assert_eq!(page_requests(&web).len(), 2, "no request is sent for the others");
}

struct Slow(Pace);

impl PageHooks for Slow {
    fn pace(&self, host: &str) -> Option<Pace> {
        (host == "a.example").then_some(self.0)
    }
}

#[tokio::test(start_paused = true)]
async fn the_pace_of_the_hook_holds_for_its_host() {
    let gap = Duration::from_secs(2);
    for (pace, gap) in [(Pace::new().places(1), Duration::ZERO), (Pace::new().gap(gap), gap)] {
        let others = (0..30).map(|page| format!("/{page}")).collect::<Vec<_>>().join("\n");
        let web = Web::new(site_of(&Answer::Ok(others.leak()), &Answer::Ok("")));
        let end = crawl(&web, Slow(pace), CrawlRequest::new(START)).await;
        assert_eq!(end.snapshot.completed, 31);
        let mut requests = web.requests();
        requests.sort_by_key(|request| request.began);
        for pair in requests.windows(2) {
            let earliest = pair[0].ended.unwrap() + gap;
            assert!(pair[1].began >= earliest, "{} after {}", pair[1].url, pair[0].url);
        }
    }
}

struct Retrying;

impl PageHooks for Retrying {
    fn retry(&self, attempt: &PageAttempt<'_>) -> Retry {
        match attempt.url.path() {
            "/never" | "/busy" => {
                assert!(attempt.is_retryable, "the engine would try again");
                Retry::Never
            }
            "/late" | "/missing" => {
                assert_eq!((attempt.status, attempt.is_retryable), (Some(404), false));
                Retry::After(Duration::from_secs(5))
            }
            _ => Retry::Default,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_hook_decides_on_retries_within_the_attempts_of_a_page() {
    let web = Web::new([
        (START, vec![Answer::Ok("/never\n/busy\n/late\n/missing\n/broken")]),
        ("https://a.example/never", vec![Answer::Broken, Answer::Ok("")]),
        ("https://a.example/busy", vec![Answer::status(503), Answer::Ok("")]),
        ("https://a.example/late", vec![Answer::status(404), Answer::Ok("")]),
        ("https://a.example/broken", vec![Answer::Broken, Answer::Ok("")]),
    ]);
    let end = crawl(&web, Retrying, CrawlRequest::new(START)).await;
    assert_eq!(failures(&end), [("/never".to_owned(), "the connection broke".to_owned())]);
    let max = MAX_ATTEMPTS as usize;
    for (path, count) in [("never", 1), ("busy", 1), ("late", 2), ("missing", max), ("broken", 2)] {
        assert_eq!(web.count(&format!("{START}{path}")), count, "{path}");
    }
    let late: Vec<Request> =
        web.requests().into_iter().filter(|request| request.url.ends_with("/late")).collect();
    assert!(late[1].began >= late[0].ended.unwrap() + Duration::from_secs(5));
}

/// Asks for what no clock can hold.
struct Excessive;

impl PageHooks for Excessive {
    fn prepare<'a>(&'a self, request: &'a mut RequestDraft<'_>) -> BoxFuture<'a, Result<(), HookError>> {
        request.set_timeout(Duration::MAX);
        Box::pin(async { Ok(()) })
    }

    fn retry(&self, _: &PageAttempt<'_>) -> Retry {
        Retry::After(Duration::MAX)
    }
}

#[tokio::test(start_paused = true)]
async fn times_that_no_clock_can_hold_fail_no_page() {
    let web = Web::new([
        (START, vec![Answer::Ok("/one\n/missing")]),
        ("https://a.example/one", vec![Answer::Ok("")]),
        ("https://a.example/missing", vec![Answer::status(404)]),
    ]);
    let end = crawl(&web, Excessive, CrawlRequest::new(START)).await;
    assert_eq!(paths(&end), ["/", "/missing", "/one"]);
    assert_eq!(web.count("https://a.example/missing"), 1, "such a retry never comes");
    assert_eq!(Pace::new().gap(Duration::MAX), Pace::new().gap(Pace::MAX_GAP));
}

/// What the hook `ended` learns of a page.
#[derive(Debug)]
struct Ended {
    path: String,
    status: Option<u16>,
    bytes: u64,
    attempts: u32,
    timings: Timings,
    total: Duration,
    has_document: bool,
}

struct Ends(UnboundedSender<Ended>);

impl PageHooks for Ends {
    fn ended(&self, end: &PageEnd<'_>) {
        let _the_test_has_ended = self.0.send(Ended {
            path: end.url.path().to_owned(),
            status: end.status,
            bytes: end.bytes,
            attempts: end.attempts,
            timings: end.timings,
            total: end.total,
            has_document: end.outcome == EndOutcome::Document,
        });
    }
}

async fn take(ends: &mut UnboundedReceiver<Ended>, count: usize) -> Vec<Ended> {
    let mut taken = Vec::new();
    while taken.len() < count {
        taken.push(ends.recv().await.unwrap());
    }
    taken.sort_by(|one, other| one.path.cmp(&other.path));
    taken
}

#[tokio::test(start_paused = true)]
async fn each_page_ends_once_with_its_figures() {
    let web = Web::new([
        (START, vec![Answer::Ok("/broken\n/busy\n/slow")]),
        ("https://a.example/broken", vec![Answer::Broken]),
        ("https://a.example/busy", vec![Answer::status(503), Answer::Ok("/slow")]),
        ("https://a.example/slow", vec![Answer::Late(3, "")]),
    ]);
    let (sender, mut ends) = unbounded_channel();
    let runtime = hooked(&web, Ends(sender));
    let plan = CrawlRequest::new(START).check().unwrap();
    let end = runtime.start(plan, StartOptions::default()).await.unwrap().wait().await.unwrap();
    assert_eq!((end.snapshot.completed, end.snapshot.failed), (3, 1));
    let taken = take(&mut ends, 4).await;
    runtime.stop().await;
    assert!(ends.try_recv().is_err(), "no page ends twice, and a sitemap is no page");
    let figures = |end: &Ended| (end.path.clone(), end.status, end.bytes, end.attempts, end.has_document);
    let expected = [
        ("/", Some(200), 19, 1, true),
        ("/broken", None, 0, MAX_ATTEMPTS, false),
        ("/busy", Some(200), 5, 2, true),
        ("/slow", Some(200), 0, 1, true),
    ];
    let expected = expected
        .map(|(path, status, bytes, tries, document)| (path.to_owned(), status, bytes, tries, document));
    assert_eq!(taken.iter().map(figures).collect::<Vec<_>>(), expected);
    for end in &taken {
        assert!(end.timings.fetched >= Duration::from_millis(10), "{end:?}");
        assert!(end.total >= end.timings.fetched + end.timings.waited, "{end:?}");
    }
    assert!(taken[3].timings.fetched >= Duration::from_secs(3), "{:?}", taken[3]);
}

/// Panics in each hook; in that for links on one page only, because it fails.
struct Panicking;

impl PageHooks for Panicking {
    fn follow(&self, _: &FoundLink<'_>, page: &PageFacts<'_>) -> Follow {
        assert_ne!(page.url.path(), "/bad", "on purpose");
        Follow::Yes
    }

    fn pace(&self, host: &str) -> Option<Pace> {
        assert!(host.is_empty(), "on purpose");
        None
    }

    fn retry(&self, attempt: &PageAttempt<'_>) -> Retry {
        assert!(attempt.number > 9, "on purpose");
        Retry::Never
    }

    fn ended(&self, end: &PageEnd<'_>) {
        assert!(end.attempts > 9, "on purpose");
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_that_panic_stop_no_other_page() {
    let web = Web::new([
        (START, vec![Answer::Ok("/one\n/bad\n/busy")]),
        ("https://a.example/one", vec![Answer::Ok("/three")]),
        ("https://a.example/bad", vec![Answer::Ok("/lost")]),
        ("https://a.example/busy", vec![Answer::status(503), Answer::Ok("/four")]),
        ("https://a.example/three", vec![Answer::Ok("")]),
        ("https://a.example/four", vec![Answer::Ok("")]),
    ]);
    let end = crawl(&web, Panicking, CrawlRequest::new(START)).await;
    assert_eq!(paths(&end), ["/", "/busy", "/four", "/one", "/three"]);
    let message = "the hook `follow` of the embedding program panicked";
    assert_eq!(failures(&end), [("/bad".to_owned(), message.to_owned())]);
}

/// Blocks its thread on one page until the test ends the other side.
struct Blocking(Mutex<mpsc::Receiver<()>>);

impl PageHooks for Blocking {
    fn follow(&self, _: &FoundLink<'_>, page: &PageFacts<'_>) -> Follow {
        if page.url.path() == "/slow" {
            let _the_test_goes_on = self.0.lock().unwrap().recv();
        }
        Follow::Yes
    }
}

/// In real time, because virtual time stands still while a thread blocks.
#[tokio::test]
async fn a_hook_that_blocks_its_thread_stops_no_other_page() {
    let web = Web::new([
        (START, vec![Answer::Ok("/slow\n/one\n/two")]),
        ("https://a.example/slow", vec![Answer::Ok("/late")]),
        ("https://a.example/one", vec![Answer::Ok("/three")]),
        ("https://a.example/two", vec![Answer::Ok("")]),
        ("https://a.example/three", vec![Answer::Ok("")]),
        ("https://a.example/late", vec![Answer::Ok("")]),
    ]);
    let (release, gate) = mpsc::channel();
    let runtime = hooked(&web, Blocking(Mutex::new(gate)));
    let plan = CrawlRequest::new(START).check().unwrap();
    let mut job = runtime.start(plan, StartOptions::default()).await.unwrap();
    let mut done = Vec::new();
    while done.len() < 4 {
        let document = job.next().await.unwrap().unwrap();
        let url: Url = document.metadata.source_url.as_deref().unwrap().parse().unwrap();
        done.push(url.path().to_owned());
    }
    done.sort();
    assert_eq!(done, ["/", "/one", "/three", "/two"]);
    drop(release);
    job.wait().await.unwrap();
}
