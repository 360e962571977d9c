//! A PDF converted to Markdown, compared with the text reader alone.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_pdf::{Options, convert};
use gleaner_testkit::pdf::{lines, pages};
use pdfboss_core::Document;
use pdfboss_text::{FontCache, ReadingOrder, extract_spans_reporting_cached};

const PAGES: u32 = 20;

fn conversion(criterion: &mut Criterion) {
    let text = [
        "The kiln is loaded in the evening, when the clay is dry to the touch.",
        "Leave a finger of room between the pots, and two at the door.",
        "In the morning the cones are looked at, and the heat is turned up.",
    ];
    let contents: Vec<Vec<u8>> = (0..PAGES).map(|_| lines(&text.repeat(10))).collect();
    let file = pages(&contents, &[], "");
    assert_eq!(convert(&file, &Options::default()).expect("the PDF converts").pages_converted, PAGES);
    let mut group = criterion.benchmark_group("pdf");
    group.throughput(Throughput::Elements(PAGES.into()));
    group.bench_function("floor: pdfboss-text", |bencher| {
        bencher.iter(|| {
            let document = Document::load(file.clone()).expect("the PDF is read");
            let fonts = FontCache::default();
            let texts = (0..document.page_count()).map(|page| {
                let page = document.page(page).expect("the page is read");
                extract_spans_reporting_cached(&document, &page, &fonts, ReadingOrder::Content)
                    .expect("the page is read")
                    .0
                    .len()
            });
            texts.sum::<usize>()
        });
    });
    group.bench_function("gleaner: convert", |bencher| {
        bencher.iter(|| convert(&file, &Options::default()).expect("the PDF converts").markdown);
    });
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = conversion }
criterion_main!(benches);
