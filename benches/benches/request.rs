//! The body of a request, parsed and checked, compared with a JSON parser alone.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_types::parse_json;
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest};
use serde_json::{Value, json};

/// URLs of a batch.
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
        (0..URLS).map(|page| format!("https://almanac.example/p/{page}?from=list")).collect();
    let batch = json!({ "urls": urls, "formats": ["markdown"] });
    let check_crawl = |body: &Value| drop(CrawlRequest::plan_from_json(body).expect("the request is valid"));
    let check_batch =
        |body: &Value| drop(BatchScrapeRequest::plan_from_json(body).expect("the request is valid"));
    type Row<'a> = (&'static str, Value, &'a dyn Fn(&Value));
    let rows: [Row<'_>; 2] =
        [("request, a crawl", crawl, &check_crawl), ("request, a batch", batch, &check_batch)];
    for (name, body, check) in rows {
        let bytes = body.to_string().into_bytes();
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("floor: serde_json", |bencher| {
            bencher.iter(|| serde_json::from_slice::<Value>(&bytes).expect("the JSON is valid"));
        });
        group.bench_function("gleaner: parsed and checked", |bencher| {
            bencher.iter(|| check(&parse_json(&bytes).expect("the JSON is valid")));
        });
        group.finish();
    }
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = requests }
criterion_main!(benches);
