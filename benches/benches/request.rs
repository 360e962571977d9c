//! A request's body read and checked, beside JSON alone.
#![expect(clippy::expect_used, reason = "a broken bench should end at once")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_types::parse_json;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest};
use serde_json::{Value, json};

/// Addresses of a batch.
const URLS: usize = 1_000;

fn requests(criterion: &mut Criterion) {
    let crawl = json!({
        "url": "https://almanac.example/guides",
        "limit": 500,
        "maxDiscoveryDepth": 4,
        "includePaths": ["^/guides/", "^/blog/[0-9]{4}/"],
        "excludePaths": ["\\.pdf$", "/drafts?/"],
        "delay": 0.5,
        "webhook": {
            "url": "https://hooks.example/x", "headers": { "X-Own": "y" }, "events": ["page", "completed"],
        },
        "scrapeOptions": {
            "formats": ["markdown", "links", { "type": "json", "schema": { "type": "object", "properties": {
                "name": { "type": "string" }, "price": { "type": "number" },
            } } }],
            "onlyMainContent": true,
            "excludeTags": [".advert", "#cookies", "nav"],
            "headers": { "Accept-Language": "en" },
        },
    });
    let urls: Vec<String> =
        (0..URLS).map(|nth| format!("https://almanac.example/p/{nth}?from=list")).collect();
    let batch = json!({ "urls": urls, "formats": ["markdown"] });
    let read_crawl = |body: &Value| drop(CrawlRequest::plan_from_json(body).expect("a valid request"));
    let read_batch = |body: &Value| drop(BatchScrapeRequest::plan_from_json(body).expect("a valid request"));
    type Row<'a> = (&'static str, Value, &'a dyn Fn(&Value));
    let rows: [Row<'_>; 2] =
        [("request, a crawl", crawl, &read_crawl), ("request, a batch", batch, &read_batch)];
    for (name, body, plan) in rows {
        let bytes = body.to_string().into_bytes();
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("floor: serde_json", |bencher| {
            bencher.iter(|| serde_json::from_slice::<Value>(&bytes).expect("JSON"));
        });
        group.bench_function("gleaner: read and checked", |bencher| {
            bencher.iter(|| plan(&parse_json(&bytes).expect("JSON")));
        });
        group.finish();
    }
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = requests }
criterion_main!(benches);
