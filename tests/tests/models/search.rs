//! Web search by SearXNG.

use gleaner_extract::model::{MAX_SEARCH_HITS, ProviderErrorKind, SearchQuery, WebSearch as _};
use gleaner_models::{ApiKey, SearxNg};
use gleaner_tests::fakes::{FakeResponse, FakeServer, KEY};
use serde_json::json;

fn engine(fake: &FakeServer) -> SearxNg {
    SearxNg::builder(fake.url("/searx/").parse().unwrap()).key(ApiKey::new(KEY).unwrap()).build().unwrap()
}

fn query(text: &str, limit: usize) -> SearchQuery {
    SearchQuery { text: text.to_owned(), limit, language: Some("en".to_owned()) }
}

#[tokio::test]
async fn hits_come_in_their_order_and_bounded() {
    let results: Vec<_> = (0..200)
        .map(|at| json!({ "url": format!("https://site{at}.example/"), "title": "T", "content": "S", "score": 1.5 }))
        .collect();
    let fake = FakeServer::always(FakeResponse::json(
        &json!({ "query": "q", "results": results, "suggestions": [] }),
    ));
    let hits = engine(&fake).search(&query("tide & tables?", 1_000)).await.unwrap();
    assert_eq!((hits.len(), hits[1].url.as_str()), (MAX_SEARCH_HITS, "https://site1.example/"));
    assert_eq!(engine(&fake).search(&query("x", 3)).await.unwrap().len(), 3);
    let asked = &fake.requests()[0];
    assert_eq!(asked.line, "GET /searx/search?q=tide+%26+tables%3F&format=json&language=en HTTP/1.1");
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[tokio::test]
async fn instances_that_do_not_answer_say_so() {
    let rows = [
        ("json is off", FakeResponse::new(403, "Forbidden"), ProviderErrorKind::Unauthorized),
        ("busy", FakeResponse::new(429, "Too Many Requests"), ProviderErrorKind::RateLimited),
        ("a page", FakeResponse::new(200, "<html>"), ProviderErrorKind::BadAnswer),
        (
            "moved",
            FakeResponse::new(302, "").with("location", "https://elsewhere.example/"),
            ProviderErrorKind::BadRequest,
        ),
        ("endless", FakeResponse::new(200, vec![b' '; 5 << 20]), ProviderErrorKind::BadAnswer),
    ];
    for (name, says, kind) in rows {
        let error = engine(&FakeServer::always(says)).search(&query("x", 5)).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
    }
    let none = FakeServer::always(FakeResponse::json(&json!({ "results": [] })));
    assert_eq!(engine(&none).search(&query("x", 5)).await.unwrap(), []);
}
