//! Messages of the DevTools protocol, and one page rendered by Chromium, compared with the same page as
//! served.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]
#![expect(clippy::print_stdout, reason = "without a browser, it says so")]

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_benches::{ORIGIN, pages};
use gleaner_browser::Browser;
use gleaner_browser::fuzzing::count_understood;
use gleaner_fetch::{EgressPolicy, Fetcher, FollowAll, RenderRequest, Request};
use gleaner_testkit::browser::NOBODY;
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};
use gleaner_types::plan::ScrapePlan;
use serde_json::{Value, json};
use tokio::time::Instant;
use url::Url;

/// Requests in the stream of messages. Every one has an answer to a command beside it.
const REQUESTS: usize = 200;

/// Bytes that arrive at once: what a pipe holds.
const PIECE_BYTES: usize = 64 * 1024;

/// The messages of a page that loads many files: a request, and the answer to a command with a document.
fn stream() -> Vec<u8> {
    let documents = pages(u32::try_from(REQUESTS).expect("a small number"));
    let mut stream = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let request = json!({
            "method": "Fetch.requestPaused",
            "sessionId": "5D0E6F1A7C2B4893A1F0E2D3C4B5A697",
            "params": {
                "requestId": format!("interception-job-{number}.0"),
                "request": {
                    "url": format!("{ORIGIN}/p/{number}"),
                    "method": "GET",
                    "headers": {"Accept": "*/*", "Referer": ORIGIN, "User-Agent": "Mozilla/5.0"},
                    "initialPriority": "High",
                    "referrerPolicy": "strict-origin-when-cross-origin",
                },
                "frameId": "A751AC1A0617DC2BA0ADD704AAA2A457",
                "resourceType": "Script",
                "networkId": "1839.14",
            },
        });
        let answer = json!({"id": number, "result": {"outerHTML": document.html}});
        for message in [request, answer] {
            stream.extend(message.to_string().into_bytes());
            stream.push(0);
        }
    }
    stream
}

fn messages(criterion: &mut Criterion) {
    let stream = stream();
    let mut group = criterion.benchmark_group("browser, messages");
    group.throughput(Throughput::Bytes(stream.len() as u64));
    let split = || stream.split(|byte| *byte == 0).filter(|message| !message.is_empty());
    group.bench_function("floor: split at the zero bytes", |bencher| {
        bencher.iter(|| assert_eq!(split().count(), 2 * REQUESTS));
    });
    group.bench_function("peer: serde_json, values of all fields", |bencher| {
        let is_valid = |message: &&[u8]| serde_json::from_slice::<Value>(message).is_ok();
        bencher.iter(|| assert_eq!(split().filter(is_valid).count(), 2 * REQUESTS));
    });
    group.bench_function("gleaner: reader of messages", |bencher| {
        bencher.iter(|| assert_eq!(count_understood(&stream, PIECE_BYTES), 2 * REQUESTS));
    });
    group.finish();
}

fn page(criterion: &mut Criterion) {
    let browser = match Browser::builder().user_if_root(NOBODY, NOBODY).build() {
        Ok(browser) => browser,
        Err(error) => return println!("SKIPPED: {error}"),
    };
    let options = ServeOptions { log: LogDetail::Off, ..ServeOptions::default() };
    let server = Site::generate(SiteSpec::pages(2)).serve_with(options).expect("the site starts");
    let url = Url::parse(&server.url("/p/1")).expect("the URL is valid");
    let policy = EgressPolicy::public_only().allow_cidr("127.0.0.0/8".parse().expect("the network is valid"));
    let fetcher = Fetcher::builder().egress(policy).build().expect("the fetcher builds");
    let plan = ScrapePlan::from_json(&json!({"url": url})).expect("the options are valid");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("the runtime builds");

    let mut group = criterion.benchmark_group("browser, one static page");
    group.throughput(Throughput::Elements(1)).sample_size(20).measurement_time(Duration::from_secs(20));
    let served = async || {
        let response = fetcher.fetch(Request::get(url.clone()), &FollowAll).await.expect("a page");
        response.body.len()
    };
    assert!(runtime.block_on(served()) > 10_000);
    group.bench_function("floor: the page as served", |bencher| {
        bencher.iter(|| runtime.block_on(served()));
    });
    let rendered = async || {
        let deadline = Instant::now() + Duration::from_secs(30);
        let request = RenderRequest::new(url.clone(), &plan.options, deadline);
        fetcher.render(&browser, &request, &FollowAll).await.expect("a page").page.html.len()
    };
    assert!(runtime.block_on(rendered()) > 10_000);
    group.bench_function("gleaner: the page in a browser", |bencher| {
        bencher.iter(|| runtime.block_on(rendered()));
    });
    group.finish();
    runtime.block_on(browser.close());
}

criterion_group!(benches, messages, page);
criterion_main!(benches);
