//! Structured data from markup, from the answer of a model and from long lists, and schemas. Each is compared
//! with a floor.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_benches::ORIGIN;
use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Dialect, Extractor, Page, Shape, Task, WireSchema, extract};
use gleaner_testkit::{Extras, ProductTruth, Site, SiteSpec};
use gleaner_transform::html_to_markdown;
use scraper::{Html, Selector};
use serde_json::{Map, Value, json};
use url::Url;

/// Records of the long list.
const RECORDS: usize = 1_000;

/// Fields of the large schema, each an object.
const FIELDS: usize = 40;

fn url(path: &str) -> Url {
    Url::parse(ORIGIN).and_then(|origin| origin.join(path)).expect("the URL is valid")
}

fn product() -> Value {
    json!({ "type": "object", "properties": {
        "name": { "type": "string" }, "sku": { "type": ["string", "null"] },
        "brand": { "type": ["string", "null"] }, "price": { "type": ["number", "null"] },
        "currency": { "type": ["string", "null"] },
        "inStock": { "type": ["boolean", "null"] },
    } })
}

/// Product pages with JSON-LD and with microdata.
fn markup(criterion: &mut Criterion) {
    let extras = Extras { products: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(5) });
    let truth = site.truth();
    let products = &truth.extras().products;
    let html = |path: &str| {
        let body = site.body(path, ORIGIN).expect("the page exists");
        String::from_utf8(body.to_vec()).expect("the page is UTF-8")
    };
    let pages: Vec<Page> =
        products.iter().map(|product| Page::new(url(&product.path), html(&product.path))).collect();
    let sources: Vec<String> = products.iter().map(|product| html(&product.path)).collect();
    let shape = Shape::from_schema(&product()).expect("the schema is valid");
    let has_sku = |(page, product): &(&Page, &ProductTruth)| {
        extract(page, &shape).data.get("sku").and_then(Value::as_str) == Some(product.sku.as_str())
    };
    assert!(pages.iter().zip(products).any(|pair| has_sku(&pair)), "no page gives its SKU");
    let scripts = Selector::parse("script[type='application/ld+json']").expect("the selector is valid");
    let mut group = criterion.benchmark_group("extract, markup of pages");
    group.throughput(Throughput::Bytes(sources.iter().map(|html| html.len() as u64).sum()));
    group.bench_function("floor: html5ever and serde_json", |bencher| {
        bencher.iter(|| {
            for html in &sources {
                let tree = Html::parse_document(html);
                for script in tree.select(&scripts) {
                    let text: String = script.text().collect();
                    black_box(serde_json::from_str::<Value>(&text).expect("the JSON-LD is valid"));
                }
            }
        });
    });
    group.bench_function("gleaner: markup bound to a schema", |bencher| {
        bencher.iter(|| {
            for page in &pages {
                black_box(extract(page, &shape));
            }
        });
    });
    group.finish();
}

/// A page whose sentences a model quotes, one for each field.
fn claims(criterion: &mut Criterion) {
    let site = Site::generate(SiteSpec::pages(2));
    let truth = site.truth().path("/p/1").expect("the page exists");
    let html = String::from_utf8(site.body("/p/1", ORIGIN).expect("the page exists").to_vec())
        .expect("the page is UTF-8");
    let page_url = url("/p/1");
    let markdown = html_to_markdown(&html, Some(&page_url));
    let (mut fields, mut answer) = (Map::new(), Map::new());
    for (index, sentence) in truth.sentences.iter().enumerate() {
        fields.insert(format!("fact{index}"), json!({ "type": ["string", "null"] }));
        answer.insert(format!("fact{index}"), json!({ "value": sentence, "quote": sentence }));
    }
    let shape = Shape::from_schema(&json!({ "properties": fields })).expect("the schema is valid");
    let answer = Value::Object(answer).to_string();
    let extractor = Extractor::new(Arc::new(ScriptedModel::with(move |_| Ok(answer.clone()))));
    let page = Page::new(page_url, "").with_markdown(markdown.clone());
    let read = || block_on(extractor.page(&page, Task::new(&shape)));
    assert!(!read().extraction.leaves.is_empty(), "every claim is refused");
    let mut group = criterion.benchmark_group("extract, claims of a model");
    group.throughput(Throughput::Elements(truth.sentences.len() as u64));
    group.bench_function("floor: search for each quote", |bencher| {
        bencher
            .iter(|| truth.sentences.iter().filter(|sentence| markdown.contains(sentence.as_str())).count());
    });
    group.bench_function("gleaner: call, and each claim checked against the page", |bencher| {
        bencher.iter(|| black_box(read()));
    });
    group.finish();
}

/// A schema of a user, converted to the schema of a request to a model.
fn schemas(criterion: &mut Criterion) {
    let field = json!({ "type": "object", "required": ["label"], "properties": {
        "label": { "type": "string", "description": "What it is called." },
        "amount": { "type": ["number", "null"] }, "madeOn": { "type": ["string", "null"], "format": "date" },
        "tags": { "type": "array", "items": { "type": "string", "enum": ["new", "old"] } },
    } });
    let fields: Map<String, Value> =
        (0..FIELDS).map(|index| (format!("part{index}"), field.clone())).collect();
    let text = json!({ "type": "object", "properties": fields }).to_string();
    let value: Value = serde_json::from_str(&text).expect("the JSON is valid");
    let mut group = criterion.benchmark_group("extract, schemas");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("floor: serde_json", |bencher| {
        bencher.iter(|| serde_json::from_str::<Value>(&text).expect("the JSON is valid"));
    });
    group.bench_function("peer: jsonschema, compiles it", |bencher| {
        bencher.iter(|| jsonschema::draft202012::new(&value).expect("the schema is valid"));
    });
    group.bench_function("gleaner: shape, and schema for a provider", |bencher| {
        bencher.iter(|| {
            let shape = Shape::from_schema(&value).expect("the schema is valid");
            black_box(WireSchema::new(&shape, Dialect::Strict));
        });
    });
    group.finish();
}

/// A page with a long list, from which a model returns no rows.
fn long_list(criterion: &mut Criterion) {
    let lines =
        (0..RECORDS).map(|row| format!("- [Item {row}](/items/{row}), {} pieces, £{row}.20\n", row % 9));
    let markdown = format!("# Items\n\n{}", lines.collect::<String>());
    let shape = Shape::from_schema(&json!({ "properties": { "items": { "type": "array", "items": {
        "type": "object", "properties": {
            "label": { "type": "string" }, "pieces": { "type": ["number", "null"] },
            "price": { "type": ["number", "null"] },
        },
    } } } }));
    let shape = shape.expect("the schema is valid");
    let page = Page::new(url("/items"), "").with_markdown(markdown.clone());
    let extractor = Extractor::new(Arc::new(ScriptedModel::with(|_| Ok(r#"{"rows":[]}"#.to_owned()))));
    let read = || block_on(extractor.page(&page, Task::new(&shape)));
    assert!(read().calls > 0, "no call to the model");
    let mut group = criterion.benchmark_group("extract, a long list");
    group.throughput(Throughput::Bytes(markdown.len() as u64));
    group.bench_function("floor: split into lines", |bencher| {
        bencher.iter(|| markdown.lines().filter(|line| line.starts_with("- ")).count());
    });
    group
        .bench_function("gleaner: records in batches of calls", |bencher| bencher.iter(|| black_box(read())));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = markup, claims, schemas, long_list
}
criterion_main!(benches);
