//! Jobs over fifty hosts: concurrency and delays per host, and slow hosts that must not block others.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use gleaner::request::Format;
use gleaner::{BatchScrapeRequest, CrawlRequest, ErrorCode, Job};
use gleaner_frontier::FrontierConfig;
use gleaner_store::{MemoryConfig, MemoryStore};
use gleaner_testkit::{RawServer, Step};
use gleaner_tests::fakes::engine_builder;
use url::Url;

use crate::support::engine;

const HOSTS: usize = 50;
const PAGES: usize = 20;

/// The start and end of serving a request.
type Span = (Instant, Instant);

/// Hosts with pages `/p/N`. Every fourth page redirects to the host seven positions later. The hosts run
/// until the process ends.
struct Hosts {
    origins: Vec<String>,
    spans: Arc<Vec<Mutex<Vec<Span>>>>,
}

impl Hosts {
    /// Starts the hosts, with or without links on their home pages; each response takes `latency`.
    fn start(links: bool, latency: Duration) -> Self {
        let listeners: Vec<TcpListener> =
            (0..HOSTS).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let origins: Vec<String> =
            listeners.iter().map(|listener| format!("http://{}", listener.local_addr().unwrap())).collect();
        let spans = Arc::new((0..HOSTS).map(|_| Mutex::default()).collect::<Vec<_>>());
        for (host, listener) in listeners.into_iter().enumerate() {
            let (origins, spans) = (origins.clone(), Arc::clone(&spans));
            std::thread::spawn(move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    let (origins, spans) = (origins.clone(), Arc::clone(&spans));
                    std::thread::spawn(move || {
                        serve_connection(stream, host, (links, latency), &origins, &spans);
                    });
                }
            });
        }
        Self { origins, spans }
    }

    /// Pairs of requests to one host that overlapped, and pairs with less than `gap` between them.
    fn violations(&self, gap: Duration) -> (usize, usize) {
        let (mut overlaps, mut close) = (0, 0);
        for spans in self.spans.iter() {
            let mut spans = spans.lock().unwrap().clone();
            spans.sort();
            for pair in spans.windows(2) {
                let &[(_, ended), (began, _)] = pair else { continue };
                overlaps += usize::from(began < ended);
                close += usize::from(began < ended + gap);
            }
        }
        (overlaps, close)
    }

    /// The maximum number of concurrent requests over all hosts since the last call.
    fn take_max_concurrent(&self) -> usize {
        let mut changes = Vec::new();
        for spans in self.spans.iter() {
            for (began, ended) in spans.lock().unwrap().drain(..) {
                changes.extend([(began, 1), (ended, -1)]);
            }
        }
        // At the same instant, ends sort before starts.
        changes.sort();
        let mut concurrent = 0_i64;
        let counts = changes.into_iter().map(|(_, change)| {
            concurrent += change;
            concurrent
        });
        usize::try_from(counts.max().unwrap_or_default()).unwrap()
    }

    fn requests(&self) -> usize {
        self.spans.iter().map(|spans| spans.lock().unwrap().len()).sum()
    }
}

fn serve_connection(
    stream: TcpStream,
    host: usize,
    (links, latency): (bool, Duration),
    origins: &[String],
    spans: &[Mutex<Vec<Span>>],
) {
    let mut writer = stream.try_clone().unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while let Some(first) = lines.next() {
        let began = Instant::now();
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        if lines.by_ref().find(String::is_empty).is_none() {
            return;
        }
        let number: Option<usize> = path.strip_prefix("/p/").and_then(|number| number.parse().ok());
        let (status, extra, body) = match number {
            Some(number) if number % 4 == 3 => {
                let target = origins.get((host + 7) % HOSTS).unwrap();
                ("302 Found", format!("Location: {target}/moved/{host}/{number}\r\n"), String::new())
            }
            _ if path == "/robots.txt" => ("404 Not Found", String::new(), String::new()),
            _ if path == "/" && links => {
                let pages = origins.iter().flat_map(|origin| (0..PAGES).map(move |n| (origin, n)));
                (
                    "200 OK",
                    String::new(),
                    pages.map(|(origin, n)| format!("<a href={origin}/p/{n}>p</a>")).collect(),
                )
            }
            _ => ("200 OK", String::new(), format!("<title>{path}</title>")),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n{extra}\r\n{body}",
            body.len()
        );
        std::thread::sleep(latency);
        // Recorded before the response is sent, so that the crawler cannot finish the request earlier.
        spans.get(host).unwrap().lock().unwrap().push((began, Instant::now()));
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delay_applies_to_every_host_and_across_redirects() {
    let gap = Duration::from_millis(15);
    let hosts = Hosts::start(true, Duration::ZERO);
    let request = CrawlRequest::new(hosts.origins[0].as_str())
        .allow_external_links(true)
        .delay(gap.as_secs_f64())
        .sitemap(gleaner::plan::SitemapMode::Skip)
        .formats([Format::Links]);
    let result = engine().crawl(request).await.unwrap().wait().await.unwrap();
    assert_eq!(result.failures, []);
    let urls: BTreeSet<String> =
        result.documents.iter().map(|document| document.metadata.url.clone().unwrap()).collect();
    assert_eq!(urls.len(), HOSTS * PAGES + 1, "each page and the start page");
    assert_eq!(result.documents.len(), urls.len(), "no page gives two documents");
    // robots.txt of each host, one hop for every fourth page, and the targets of one host's redirects on the
    // start host: those are requested again as pages of the site, whose links count.
    assert_eq!(hosts.requests(), 1 + HOSTS + HOSTS * PAGES + HOSTS * PAGES / 4 + PAGES / 4);
    assert_eq!(hosts.violations(gap), (0, 0), "(overlaps, short gaps)");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_of_one_address_share_its_concurrency_limit() {
    const ADDRESS_LIMIT: usize = 3;
    let hosts = Hosts::start(false, Duration::from_millis(20));
    for (max_per_address, is_bounded) in [(ADDRESS_LIMIT, true), (HOSTS, false)] {
        let mut frontier = FrontierConfig::default();
        frontier.max_per_address = max_per_address as u32;
        let store = MemoryStore::new(MemoryConfig::default().frontier(frontier));
        let engine = engine_builder().store(Arc::new(store)).build().unwrap();
        let batch = async |pages: usize| {
            let some = hosts.origins.iter().take(20);
            let urls = some.flat_map(|origin| (0..pages).map(move |n| format!("{origin}/page-{n}")));
            let done = engine.batch(BatchScrapeRequest::new(urls)).await.unwrap().wait().await.unwrap();
            assert_eq!(done.documents.len(), 20 * pages);
            hosts.take_max_concurrent()
        };
        // The address of a host is known after its first response.
        batch(1).await;
        let concurrent = batch(6).await;
        println!("hosts: 20 of one address, {concurrent} concurrent requests, limit {max_per_address}");
        assert_eq!(concurrent <= ADDRESS_LIMIT, is_bounded, "{concurrent}");
    }
}

/// A host that answers the first two requests immediately, and later ones only when eight (or all the rest)
/// wait. Another host redirects all of its pages there.
struct GroupsOfEight {
    apex: String,
    /// True if fewer than eight requests arrived before the timeout.
    timed_out: Arc<Mutex<bool>>,
}

impl GroupsOfEight {
    fn start(pages: usize) -> Self {
        let [apex, www] = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        let origin = |listener: &TcpListener| format!("http://{}", listener.local_addr().unwrap());
        let (from, to) = (origin(&apex), origin(&www));
        let timed_out = Arc::new(Mutex::new(false));
        let redirect = move |path: &str| {
            format!("HTTP/1.1 301 Moved Permanently\r\nLocation: {to}{path}\r\nContent-Length: 0\r\n\r\n")
        };
        // Waiting requests, requests still to be answered, and groups answered.
        let (state, changed) = (Mutex::new((0, pages, 0)), Condvar::new());
        let timeout_flag = Arc::clone(&timed_out);
        let answer = move |path: &str| {
            let mut guard = state.lock().unwrap();
            let (waiting, left, group) = &mut *guard;
            let enough = if *left > pages - 2 { 1 } else { 8.min(*left) };
            *waiting += 1;
            if *waiting >= enough {
                (*left, *waiting, *group) = (*left - *waiting, 0, *group + 1);
                changed.notify_all();
            } else {
                let (own, bound) = (*group, Duration::from_secs(30));
                let waited = changed.wait_timeout_while(guard, bound, |(.., group)| *group == own).unwrap();
                *timeout_flag.lock().unwrap() |= waited.1.timed_out();
            }
            let body = format!("<title>{path}</title>");
            let length = body.len();
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}")
        };
        serve(apex, Arc::new(redirect));
        serve(www, Arc::new(answer));
        Self { apex: from, timed_out }
    }
}

/// Serves connections, each on its own thread.
fn serve(listener: TcpListener, answer: Arc<dyn Fn(&str) -> String + Send + Sync>) {
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || {
                let mut writer = stream.try_clone().unwrap();
                let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
                while let Some(first) = lines.next() {
                    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                    if lines.by_ref().find(String::is_empty).is_none()
                        || writer.write_all(answer(&path).as_bytes()).is_err()
                    {
                        return;
                    }
                }
            });
        }
    });
}

/// Regression: pages behind a redirect to another host were fetched one after the other, and forty timed out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_reached_only_by_redirects_gets_eight_concurrent_requests() {
    const PAGES: usize = 34;
    let hosts = GroupsOfEight::start(PAGES);
    let urls = (0..PAGES).map(|n| format!("{}/p/{n}", hosts.apex));
    let done = engine().batch(BatchScrapeRequest::new(urls)).await.unwrap().wait().await.unwrap();
    assert_eq!(done.failures, []);
    assert_eq!(done.documents.len(), PAGES);
    assert!(!*hosts.timed_out.lock().unwrap(), "eight requests never waited together");
}

/// A batch of eight pages per host, after `stuck` pages of a host that accepts requests and never answers.
async fn batch_behind_a_tarpit(hosts: &Hosts, tarpit: &RawServer, stuck: usize, timeout: u64) -> Job {
    let healthy = hosts.origins.iter().flat_map(|origin| (0..8).map(move |n| format!("{origin}/p/{n}")));
    let stuck = (0..stuck).map(|n| format!("{}/p/{n}", tarpit.base_url()));
    let mut request = BatchScrapeRequest::new(stuck.chain(healthy));
    request.options.timeout = Some(timeout);
    request.options.formats = Some(vec![Format::Links]);
    engine().batch(request).await.unwrap()
}

/// The timeout is too long to wait for, so pages that needed the slots of the tarpit would be missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_pages_of_other_hosts_are_read_before_a_tarpit_times_out() {
    let hosts = Hosts::start(false, Duration::ZERO);
    let tarpit = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    let mut job = batch_behind_a_tarpit(&hosts, &tarpit, 8, 120_000).await;
    for received in 0..HOSTS * 8 {
        assert!(matches!(job.next().await, Some(Ok(_))), "only {received} documents");
    }
    assert_eq!(job.failures().await.unwrap().failures, [], "no request to the tarpit has ended");
    assert!(tarpit.connections() > 0, "the tarpit got a request");
    let ended = job.cancel().await.unwrap();
    assert_eq!(ended.completed, HOSTS as u64 * 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_never_answers_fails_only_its_own_pages() {
    let hosts = Hosts::start(false, Duration::ZERO);
    let tarpit = RawServer::start([Step::ReadRequest, Step::Hang]).unwrap();
    // Healthy pages have the same timeout and must meet it on a busy machine too.
    let mut job = batch_behind_a_tarpit(&hosts, &tarpit, 2, 8_000).await;
    let mut received = 0;
    while job.next().await.transpose().unwrap().is_some() {
        received += 1;
    }
    let failures = job.failures().await.unwrap().failures;
    assert_eq!(received, HOSTS * 8, "every page of the other hosts");
    assert_eq!(failures.len(), 2);
    for failure in failures {
        assert_eq!(failure.error.code, ErrorCode::ScrapeTimeout, "{}", failure.url);
        assert_eq!(failure.url.port(), Url::parse(&tarpit.base_url()).unwrap().port());
    }
}
