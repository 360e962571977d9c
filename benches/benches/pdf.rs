//! A PDF converted to Markdown, compared with the parser alone.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_pdf::{Options, convert};
use gleaner_testkit::pdf::{lines, pages};
use pdf_inspector::{PdfOptions, process_pdf_mem_with_options};

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
    group.bench_function("floor: pdf-inspector", |bencher| {
        bencher.iter(|| {
            process_pdf_mem_with_options(&file, PdfOptions::new()).expect("the PDF converts").markdown
        });
    });
    group.bench_function("gleaner: convert", |bencher| {
        bencher.iter(|| convert(&file, &Options::default()).expect("the PDF converts").markdown);
    });
    group.finish();
}

criterion_group! { name = benches; config = Criterion::default().sample_size(10); targets = conversion }
criterion_main!(benches);
