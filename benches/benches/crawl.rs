//! Crawls of a whole site over loopback. A thread of this process serves it.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner::request::Format;
use gleaner_benches::engine;
use gleaner_benches::floor::{self, Finder};
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};
use url::Url;

const PAGES: u32 = 500;
const CONCURRENCY: usize = 16;

fn crawls(criterion: &mut Criterion) {
    let options = ServeOptions { log: LogDetail::Off, ..ServeOptions::default() };
    let server = Site::generate(SiteSpec::pages(PAGES)).serve_with(options).expect("the site starts");
    let start = Url::parse(&server.base_url()).expect("the URL is valid");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("the runtime builds");
    let mut group = criterion.benchmark_group("crawl");
    group.throughput(Throughput::Elements(PAGES.into()));

    let urls: Vec<Url> =
        (1..=PAGES).map(|id| start.join(&format!("/p/{}", id % PAGES)).expect("the path is valid")).collect();
    group.bench_function("floor: reqwest alone", |bencher| {
        bencher.iter(|| {
            runtime.block_on(floor::fetch_all(urls.clone(), CONCURRENCY)).expect("the crawl succeeds").pages
        });
    });
    for (name, finder) in [
        ("floor: reqwest, lol_html, set", Finder::Rewriter),
        ("floor: reqwest, html5ever, set", Finder::Tree),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let report = runtime
                    .block_on(floor::crawl(start.clone(), CONCURRENCY, finder))
                    .expect("the crawl succeeds");
                assert_eq!(report.pages, u64::from(PAGES));
            });
        });
    }
    for (name, format) in [("gleaner: links", Format::Links), ("gleaner: markdown", Format::Markdown)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let report = runtime.block_on(async {
                    let engine = engine::engine(CONCURRENCY as u32).expect("the engine builds");
                    engine::crawl(&engine, start.as_str(), 1_000_000, std::slice::from_ref(&format))
                        .await
                        .expect("the crawl succeeds")
                });
                assert_eq!(report.pages, u64::from(PAGES));
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(4));
    targets = crawls
}
criterion_main!(benches);
