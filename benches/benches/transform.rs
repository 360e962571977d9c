//! A page converted to the formats of a document, compared with the tree that each of them needs; and pages
//! of deeply nested tags.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner::ScrapeOptions;
use gleaner::plan::ScrapeOptionsPlan;
use gleaner::request::Format;
use gleaner_benches::pages;
use gleaner_transform::{Input, transform};
use scraper::Html;
use url::Url;

fn options(formats: &[Format], only_main_content: bool) -> ScrapeOptionsPlan {
    let options = ScrapeOptions::new().formats(formats.to_vec()).only_main_content(only_main_content);
    options.check().expect("the options are valid")
}

fn transforms(criterion: &mut Criterion) {
    let pages: Vec<(Url, String)> = pages(50)
        .into_iter()
        .map(|page| (Url::parse(&page.url).expect("the URL is valid"), page.html))
        .collect();
    let mut group = criterion.benchmark_group("transform");
    group.throughput(Throughput::Elements(pages.len() as u64));
    group.bench_function("floor: html5ever, tree alone", |bencher| {
        bencher.iter(|| {
            for (_, html) in &pages {
                black_box(Html::parse_document(html));
            }
        });
    });
    let rows = [
        ("gleaner: metadata and links", options(&[Format::Links], true)),
        ("gleaner: markdown, whole page", options(&[Format::Markdown], false)),
        ("gleaner: markdown, main content", options(&[Format::Markdown], true)),
        (
            "gleaner: markdown, html, links, images",
            options(&[Format::Markdown, Format::Html, Format::Links, Format::Images], true),
        ),
    ];
    for (name, options) in &rows {
        group.bench_function(*name, |bencher| {
            bencher.iter(|| {
                for (url, html) in &pages {
                    let input = Input::new(url, Some("text/html; charset=utf-8"), html.as_bytes());
                    black_box(transform(input, options).expect("the page converts"));
                }
            });
        });
    }
    group.finish();
}

/// Deep nesting is a common attack on parsers: 100,000 nested tags, on a stack of the default size of a
/// thread of the standard library. The goal is 100 ms.
fn nesting(criterion: &mut Criterion) {
    const TAGS: usize = 100_000;
    const STACK_BYTES: usize = 2 * 1024 * 1024;
    let url = Url::parse("https://almanac.example/").expect("the URL is valid");
    let options = options(&[Format::Markdown, Format::Links], true);
    let mut group = criterion.benchmark_group("100,000 nested tags, 2 MB stack");
    for tag in ["div", "b", "blockquote", "ul><li", "table><tr><td"] {
        let html = format!("{}needle", format!("<{tag}>").repeat(TAGS));
        let transform_page = || {
            let input = Input::new(&url, Some("text/html"), html.as_bytes());
            let page = transform(input, &options).expect("the page converts");
            assert!(
                page.document.markdown.is_some_and(|markdown| markdown.contains("needle")),
                "the text is lost"
            );
        };
        group.bench_function(tag, |bencher| {
            bencher.iter_custom(|rounds| {
                thread::scope(|scope| {
                    let run = || {
                        let began = Instant::now();
                        (0..rounds).for_each(|_| transform_page());
                        began.elapsed()
                    };
                    let builder = thread::Builder::new().stack_size(STACK_BYTES);
                    builder.spawn_scoped(scope, run).expect("the thread starts").join().expect("no panic")
                })
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = transforms, nesting
}
criterion_main!(benches);
