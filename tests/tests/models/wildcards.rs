//! Wildcard URLs: which pages of a site are read, one object over many pages, and costs if no page can be
//! read.

use std::sync::Arc;

use gleaner::ExtractRequest;
use gleaner_models::Provider;
use gleaner_tests::fakes::{
    Ending, FakeResponse, FakeServer, ReceivedRequest, Task, engine_builder, model, reply, task_of,
};
use serde_json::{Value, json};

/// A shop without a sitemap. Its start page links to rooms, and only the rooms link to lamps.
fn shop() -> FakeServer {
    FakeServer::start(|_, request: &ReceivedRequest| {
        let path = request.target();
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        match parts.as_slice() {
            [""] => FakeResponse::html(
                "<main><h1>Lamps</h1><a href=/rooms/hall>Hall</a> <a href=/rooms/study>Study</a> \
                 <a href=/rooms/attic>Attic</a></main>",
            ),
            ["rooms", room] => {
                let links: String =
                    (0..4).map(|at| format!("<a href=/lamps/{room}-{at}>Lamp {room} {at}</a> ")).collect();
                FakeResponse::html(&format!(
                    "<main><h1>{room}</h1><p>What hangs in this room.</p>{links}</main>"
                ))
            }
            ["lamps", lamp] => FakeResponse::html(&format!(
                "<title>Lamp {lamp}</title><main><h1>Lamp {lamp}</h1><dl><dt>Price</dt><dd>{}0 EUR</dd>\
                 <dt>Brand</dt><dd>Lux</dd></dl></main>",
                lamp.len()
            )),
            _ => FakeResponse::new(404, "gone"),
        }
    })
}

fn lamp() -> Value {
    let text = json!({ "type": ["string", "null"] });
    json!({ "type": "object", "properties": {
        "name": text, "price": { "type": ["number", "null"] }, "brand": text,
    } })
}

fn request(site: &FakeServer, schema: &Value) -> ExtractRequest {
    ExtractRequest::new([site.url("/*")]).schema(schema.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_not_linked_from_the_start_page_are_found() {
    let site = shop();
    let schema = json!({ "type": "array", "items": lamp() });
    let found = engine_builder().build().unwrap().extract(request(&site, &schema)).await.unwrap();
    let rows = found.data.as_array().unwrap();
    let lamps: std::collections::BTreeSet<&str> =
        rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!((rows.len(), lamps.len()), (12, 12), "{}", found.data);
    // Each lamp is fetched once.
    let mut lines: Vec<String> = site.requests().into_iter().map(|request| request.line).collect();
    lines.retain(|line| line.contains(" /lamps/"));
    let all = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!((all, lines.len()), (12, 12));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_chosen_by_the_text_of_their_links() {
    // Twelve uninformative URLs; the text of one link is relevant.
    let site = FakeServer::start(|_, request: &ReceivedRequest| match request.target() {
        "/" => {
            let links: String = (0..12)
                .map(|at| format!("<a href=/{at}x>{}</a> ", if at == 7 { "Our bakers" } else { "More" }))
                .collect();
            FakeResponse::html(&format!("<main><h1>The mill</h1>{links}</main>"))
        }
        "/7x" => FakeResponse::html("<main><h1>People</h1><dl><dt>Baker</dt><dd>Ada Berg</dd></dl></main>"),
        _ => FakeResponse::html("<main><h1>Flour</h1><p>It is ground on stone.</p></main>"),
    });
    let schema = json!({ "type": "object", "properties": { "baker": { "type": ["string", "null"] } } });
    let request = request(&site, &schema).limit(4);
    let found = engine_builder().build().unwrap().extract(request).await.unwrap();
    assert_eq!(found.data["baker"], "Ada Berg", "{:?}", found.pages);
    assert!(found.pages.len() <= 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_object_over_many_pages_gives_a_warning() {
    let site = shop();
    let found = engine_builder().build().unwrap().extract(request(&site, &lamp())).await.unwrap();
    assert!(found.data["name"].is_string(), "{}", found.data);
    let warning = found.warning.unwrap_or_default();
    assert!(
        warning.contains("pages add to one object") && warning.contains(r#"{"type":"array","items""#),
        "{warning}"
    );
    // Pages that complement each other are the purpose of such a schema.
    let complementary = FakeServer::start(|_, request: &ReceivedRequest| match request.target() {
        "/a" => FakeResponse::html("<dl><dt>Price</dt><dd>10 EUR</dd></dl>"),
        _ => FakeResponse::html("<dl><dt>Brand</dt><dd>Lux</dd></dl>"),
    });
    let two = ExtractRequest::new([complementary.url("/a"), complementary.url("/b")]).schema(lamp());
    let found = engine_builder().build().unwrap().extract(two).await.unwrap();
    assert!(!found.warning.unwrap_or_default().contains("one object"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_without_properties_sends_no_request() {
    let site = shop();
    for schema in [json!({ "name": "string" }), json!({}), json!({ "properties": {} })] {
        let found = engine_builder().build().unwrap().extract(request(&site, &schema)).await.unwrap();
        assert_eq!(found.data, json!({}), "{schema}");
        let warning = found.warning.unwrap_or_default();
        assert!(warning.contains(r#"right would be {"properties":{"name""#), "{schema}: {warning}");
    }
    assert!(site.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_costs_nothing_if_no_page_can_be_read() {
    let site = FakeServer::always(FakeResponse::new(404, "gone"));
    let service = FakeServer::start(|_, request| {
        assert_eq!(task_of(request), Task::Draft);
        FakeResponse::json(&reply(
            Provider::OpenAi,
            r#"{"many":false,"entity":"x","fields":[]}"#,
            Ending::Stop,
        ))
    });
    let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &service))).build().unwrap();
    let request = ExtractRequest::new([site.url("/a"), site.url("/b")]).prompt("the price");
    let error = engine.extract(request).await.unwrap_err();
    assert!(error.to_string().contains("answered with status 404"), "{error}");
    assert_eq!((service.requests().len(), site.requests().len()), (0, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn large_pages_are_extracted_like_small_ones() {
    let filler = "<p>Words that fill the page and say nothing of the lamp.</p>".repeat(6_000);
    let page = format!(
        "<title>Lamp</title><main><h1>Lamp</h1><dl><dt>Price</dt><dd>70 EUR</dd></dl>{filler}</main>"
    );
    assert!(page.len() > 256 << 10);
    let site = FakeServer::start(move |_, _| FakeResponse::html(&page));
    let one = ExtractRequest::new([site.url("/a")]).schema(lamp());
    let found = engine_builder().build().unwrap().extract(one).await.unwrap();
    assert_eq!((&found.data["price"], &found.data["name"]), (&json!(70), &json!("Lamp")));
}
