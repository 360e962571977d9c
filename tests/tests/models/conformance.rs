//! The models and the search engine over HTTP keep the rules of their ports.

use gleaner_extract::model::conformance;
use gleaner_models::SearxNg;
use gleaner_tests::fakes::{Ending, FakeResponse, FakeServer, PROVIDERS, model, reply};
use serde_json::json;

#[tokio::test]
async fn each_provider_keeps_the_rules_of_every_model() {
    for provider in PROVIDERS {
        let answer = reply(provider, r#"{"colour":"blue"}"#, Ending::Stop);
        let fake = FakeServer::always(FakeResponse::json(&answer));
        conformance::language_model(&model(provider, &fake)).await;
        let requests = fake.requests();
        let asks_for_few =
            requests.iter().filter(|request| request.body.to_string().contains("one thousand"));
        assert!(
            asks_for_few.count() == 1 && requests.len() >= 6,
            "{provider:?}: {} requests",
            requests.len()
        );
    }
}

#[tokio::test]
async fn searxng_keeps_the_rules_of_every_search_engine() {
    let hits = [json!({ "url": "https://a.example/", "title": "A" }), json!({ "url": "ftp://b.example/" })];
    let fake = FakeServer::always(FakeResponse::json(&json!({ "results": hits })));
    let search = SearxNg::builder(fake.url("").parse().unwrap()).build().unwrap();
    conformance::web_search(&search, "tide tables").await;
}
