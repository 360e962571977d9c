//! The whole engine with a fake model, a fake search engine and fake pages on loopback.

use std::sync::Arc;

use gleaner::{Budget, Engine, ErrorCode, ExtractRequest, Limits, ScrapeRequest};
use gleaner_models::{Provider, SearxNg};
use gleaner_tests::fakes::{
    Ending, FakeResponse, FakeServer, ReceivedRequest, engine_builder, model, model_builder, reply, schema,
};
use serde_json::{Value, json};

const TOWER: &str = r#"<!doctype html><html><head><title>The tower</title>
    <script type="application/ld+json">{"@type":"Product","name":"Tower kit",
        "offers":{"price":"12.50","priceCurrency":"EUR"}}</script>
    </head><body><main><h1>Tower kit</h1><p>It was drawn by Stephen Sauvestre for the fair.</p>
    <p>The kit holds many pieces of iron, and putting it together takes an afternoon.</p>
    <a href="/shop/a">A</a> <a href="/shop/b">B</a> <a href="/other">C</a></main></body></html>"#;

/// A small site.
fn site() -> FakeServer {
    FakeServer::start(|_, request: &ReceivedRequest| match request.target() {
        "/" | "/tower" => FakeResponse::html(TOWER),
        "/shop/a" => FakeResponse::html(
            "<main><h1>A</h1><dl><dt>Price</dt><dd>1,50 €</dd><dt>Brand</dt><dd>Acme</dd></dl></main>",
        ),
        "/shop/b" => FakeResponse::html(
            "<main><h1>B</h1><dl><dt>Price</dt><dd>1,50 €</dd><dt>Colour</dt><dd>red</dd></dl></main>",
        ),
        _ => FakeResponse::not_found(),
    })
}

fn price_and_architect() -> serde_json::Map<String, Value> {
    schema(json!({ "price": { "type": ["number", "null"] }, "architect": { "type": ["string", "null"] } }))
}

/// A model that answers every request with these claims.
fn model_with_claims(claims: Value) -> FakeServer {
    FakeServer::always(FakeResponse::json(&reply(Provider::OpenAi, &claims.to_string(), Ending::Stop)))
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_of_pages_are_extracted_without_a_model() {
    let site = site();
    let engine = engine_builder().build().unwrap();
    let body = json!({
        "url": site.url("/tower"), "formats": [{ "type": "json", "schema": price_and_architect() }],
    });
    let page = engine.scrape(serde_json::from_value::<ScrapeRequest>(body).unwrap()).await.unwrap();
    assert_eq!(page.json, Some(json!({ "price": 12.5, "architect": null })));
    assert!(page.warning.unwrap().contains("architect"));
    assert_eq!((page.markdown, page.raw_html), (None, None));

    let body = json!({ "url": site.url("/tower"), "formats": [{ "type": "json", "prompt": "the price" }] });
    let error = engine.scrape(serde_json::from_value::<ScrapeRequest>(body).unwrap()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ModelNotConfigured);
}

#[tokio::test(flavor = "multi_thread")]
async fn extract_without_a_model_names_missing_fields() {
    let site = site();
    let engine = engine_builder().build().unwrap();
    let urls = [site.url("/shop/a"), site.url("/shop/b"), site.url("/gone")];
    let fields = json!({
        "price": { "type": "number" }, "brand": { "type": "string" }, "gtin": { "type": ["string", "null"] },
    });
    let request = ExtractRequest::new(urls.clone()).schema(schema(fields)).show_sources(true);
    let found = engine.extract(request).await.unwrap();
    assert_eq!(found.data, json!({ "price": 1.5, "brand": "Acme", "gtin": null }));
    assert_eq!(found.sources.unwrap()["brand"], [urls[0].clone()]);
    let warning = found.warning.unwrap();
    assert!(warning.contains("gtin") && warning.contains("/gone answered with status 404"), "{warning}");
    assert_eq!(found.tokens_used, 0);

    let none = ExtractRequest::new([site.url("/gone")]).schema(price_and_architect());
    assert!(engine.extract(none).await.unwrap_err().to_string().contains("/gone answered with status 404"));
    let prompt = ExtractRequest::new([site.url("/tower")]).prompt("the price");
    assert_eq!(engine.extract(prompt).await.unwrap_err().code(), ErrorCode::ModelNotConfigured);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_asked_only_for_missing_fields() {
    let site = site();
    let fake = model_with_claims(json!({
        "architect": { "value": "Stephen Sauvestre", "quote": "drawn by Stephen Sauvestre" },
        "price": { "value": 99, "quote": "99 EUR" },
    }));
    let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &fake))).build().unwrap();
    let request = ExtractRequest::new([site.url("/tower")]).schema(price_and_architect());
    let found = engine.extract(request).await.unwrap();
    assert_eq!(found.data, json!({ "price": 12.5, "architect": "Stephen Sauvestre" }));
    assert_eq!((found.tokens_used, found.credits()), (29, 2));
    let sent = fake.requests();
    assert_eq!(sent.len(), 1);
    let properties =
        sent[0].body["response_format"]["json_schema"]["schema"]["properties"].as_object().unwrap();
    assert_eq!(
        properties.keys().collect::<Vec<_>>(),
        ["architect"],
        "fields with structured data are not requested"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_without_a_schema_gets_its_schema_from_the_model() {
    let site = site();
    let fake = FakeServer::start(|before, _| {
        let text = match before {
            0 => json!({ "many": false, "entity": "tower", "fields": [
                { "name": "architect", "kind": "text", "list": false, "description": "Who drew it." },
            ] }),
            _ => {
                let quote = "drawn by Stephen Sauvestre";
                json!({ "architect": { "value": "Stephen Sauvestre", "quote": quote } })
            }
        };
        FakeResponse::json(&reply(Provider::OpenAi, &text.to_string(), Ending::Stop))
    });
    let engine = engine_builder().model(Arc::new(model(Provider::OpenAi, &fake))).build().unwrap();
    let request = ExtractRequest::new([site.url("/tower")]).prompt("Who drew it?");
    assert_eq!(engine.extract(request).await.unwrap().data, json!({ "architect": "Stephen Sauvestre" }));
    let first = fake.requests()[0].body.to_string();
    assert!(
        first.contains("Who drew it?") && !first.contains("Sauvestre"),
        "the schema is drafted without the page"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_prevents_calls_and_keeps_extracted_data() {
    let site = site();
    let fake = model_with_claims(json!({}));
    let budget = Budget::default().tokens(100);
    let engine = engine_builder()
        .model(Arc::new(model(Provider::OpenAi, &fake)))
        .limits(Limits::new().extract_budget(budget))
        .build()
        .unwrap();
    let request = ExtractRequest::new([site.url("/tower")]).schema(price_and_architect());
    let found = engine.extract(request).await.unwrap();
    assert_eq!(found.data, json!({ "price": 12.5, "architect": null }));
    assert!(found.warning.unwrap().contains("budget"));
    assert_eq!((found.tokens_used, fake.requests().len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_found_by_search_and_by_wildcards() {
    let site = site();
    let fields = json!({ "price": { "type": ["number", "null"] }, "brand": { "type": ["string", "null"] } });
    let by_prompt = |prompt: &str| ExtractRequest::default().prompt(prompt).schema(schema(fields.clone()));
    let error = engine_builder().build().unwrap().extract(by_prompt("kits")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::SearchNotConfigured);

    let results = json!({ "results": [{ "url": site.url("/shop/a"), "title": "A", "content": "" }] });
    let found = FakeServer::always(FakeResponse::json(&results));
    let search = SearxNg::builder(found.url("").parse().unwrap()).build().unwrap();
    let with_search = engine_builder().search(Arc::new(search)).build().unwrap();
    let data = with_search.extract(by_prompt("kits")).await.unwrap().data;
    assert_eq!(data, json!({ "price": 1.5, "brand": "Acme" }));

    let wildcard = ExtractRequest::new([site.url("/*")]).schema(schema(fields));
    let found = engine_builder().build().unwrap().extract(wildcard).await.unwrap();
    assert_eq!(found.data["brand"], "Acme");
    assert!(site.requests().iter().any(|request| request.line.starts_with("GET /shop/b ")));
}

/// A model on loopback does not allow pages on loopback, with the whole engine.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_on_loopback_does_not_allow_pages_on_loopback() {
    let (site, fake) = (site(), model_with_claims(json!({})));
    let client = model_builder(Provider::OpenAi, &fake.url("")).build().unwrap();
    let engine = Engine::builder().model(Arc::new(client)).build().unwrap();
    let error = engine.scrape(ScrapeRequest::new(site.url("/tower"))).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScrapeBlocked);
    let request = ExtractRequest::new([fake.url("/v1")]).schema(price_and_architect());
    assert_eq!(engine.extract(request).await.unwrap_err().code(), ErrorCode::ScrapeBlocked);
    assert_eq!((site.requests().len(), fake.requests().len()), (0, 0));
}
