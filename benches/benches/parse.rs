//! The links of a page, by gleaner and by other parsers.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_benches::floor::{links_by_rewriter, links_by_tree};
use gleaner_benches::pages;
use gleaner_transform::{Input, links};
use scraper::{Html, Selector};
use url::Url;

fn parse(criterion: &mut Criterion) {
    let pages: Vec<(Url, String)> = pages(50)
        .into_iter()
        .map(|page| (Url::parse(&page.url).expect("the URL is valid"), page.html))
        .collect();
    let bytes = pages.iter().map(|(_, html)| html.len() as u64).sum();
    let anchors = Selector::parse("a[href]").expect("the selector is valid");
    let mut group = criterion.benchmark_group("parse");
    group.throughput(Throughput::Bytes(bytes));
    group.bench_function("floor: lol_html, links", |bencher| {
        bencher.iter(|| {
            pages.iter().map(|(url, html)| links_by_rewriter(url, html.as_bytes()).len()).sum::<usize>()
        });
    });
    group.bench_function("gleaner: links", |bencher| {
        let count = |(url, html): &(Url, String)| {
            let input = Input::new(url, Some("text/html; charset=utf-8"), html.as_bytes());
            links(input).map_or(0, |found| found.links.len())
        };
        bencher.iter(|| pages.iter().map(count).sum::<usize>());
    });
    group.bench_function("floor: html5ever, tree alone", |bencher| {
        bencher.iter(|| {
            for (_, html) in &pages {
                black_box(Html::parse_document(html));
            }
        });
    });
    group.bench_function("floor: html5ever, links", |bencher| {
        bencher
            .iter(|| pages.iter().map(|(url, html)| links_by_tree(url, html, &anchors).len()).sum::<usize>());
    });
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = parse }
criterion_main!(benches);
