//! A page turned into the formats of a document, beside the tree that each of them needs.
#![expect(clippy::expect_used, reason = "a broken bench should end at once")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner::ScrapeOptions;
use gleaner::plan::ScrapeOptionsPlan;
use gleaner::request::Format;
use gleaner_benches::pages;
use gleaner_transform::{Input, transform};
use scraper::Html;
use url::Url;

fn options(formats: &[Format], only_main_content: bool) -> ScrapeOptionsPlan {
    let options = ScrapeOptions {
        formats: Some(formats.to_vec()),
        only_main_content: Some(only_main_content),
        ..ScrapeOptions::default()
    };
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

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = transforms }
criterion_main!(benches);
