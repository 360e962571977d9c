//! A page turned into the formats of a document, beside the tree that each of them needs; and pages of nothing but depth.
#![expect(clippy::expect_used, reason = "a broken bench should end at once")]

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
    options.check().expect("valid options")
}

fn transforms(criterion: &mut Criterion) {
    let pages: Vec<(Url, String)> =
        pages(50).into_iter().map(|page| (Url::parse(&page.url).expect("a URL"), page.html)).collect();
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
                    let input =
                        Input { url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() };
                    black_box(transform(input, options).expect("a page"));
                }
            });
        });
    }
    group.finish();
}

/// Depth is what page parsers are attacked with: a hundred thousand tags in one another, on a stack as small as that of a
/// thread that the standard library starts. A hundred milliseconds are the goal.
fn nesting(criterion: &mut Criterion) {
    const TAGS: usize = 100_000;
    const STACK_BYTES: usize = 2 * 1024 * 1024;
    let url = Url::parse("https://almanac.example/").expect("a URL");
    let options = options(&[Format::Markdown, Format::Links], true);
    let mut group = criterion.benchmark_group("100,000 nested tags, 2 MB stack");
    for tag in ["div", "b", "blockquote", "ul><li", "table><tr><td"] {
        let html = format!("{}needle", format!("<{tag}>").repeat(TAGS));
        let transformed = || {
            let input = Input { url: &url, content_type: Some("text/html"), body: html.as_bytes() };
            let page = transform(input, &options).expect("a page");
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
                        (0..rounds).for_each(|_| transformed());
                        began.elapsed()
                    };
                    let small = thread::Builder::new().stack_size(STACK_BYTES);
                    small.spawn_scoped(scope, run).expect("a thread").join().expect("a round")
                })
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = transforms, nesting }
criterion_main!(benches);
