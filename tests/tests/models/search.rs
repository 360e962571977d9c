//! Web search with SearXNG.

use gleaner_extract::model::{MAX_SEARCH_HITS, ProviderErrorKind, SearchQuery, WebSearch as _};
use gleaner_models::{ApiKey, SearxNg};
use gleaner_tests::fakes::{FakeResponse, FakeServer, KEY};
use serde_json::json;

fn searxng(fake: &FakeServer) -> SearxNg {
    SearxNg::builder(fake.url("/searx/").parse().unwrap()).key(ApiKey::new(KEY).unwrap()).build().unwrap()
}

fn query(text: &str, limit: usize) -> SearchQuery {
    SearchQuery::new(text, limit).language("en")
}

#[tokio::test]
async fn search_hits_are_ordered_and_bounded() {
    let results: Vec<_> = (0..200)
        .map(|at| {
            let url = format!("https://site{at}.example/");
            json!({ "url": url, "title": "T", "content": "S", "score": 1.5 })
        })
        .collect();
    let fake = FakeServer::always(FakeResponse::json(
        &json!({ "query": "q", "results": results, "suggestions": [] }),
    ));
    let hits = searxng(&fake).search(&query("tide & tables?", 1_000)).await.unwrap();
    assert_eq!((hits.len(), hits[1].url.as_str()), (MAX_SEARCH_HITS, "https://site1.example/"));
    assert_eq!(searxng(&fake).search(&query("x", 3)).await.unwrap().len(), 3);
    let request = &fake.requests()[0];
    assert_eq!(request.line, "GET /searx/search?q=tide+%26+tables%3F&format=json&language=en HTTP/1.1");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[tokio::test]
async fn failures_of_search_have_their_error_kind() {
    let rows = [
        ("JSON is disabled", FakeResponse::new(403, "Forbidden"), ProviderErrorKind::Unauthorized),
        ("busy", FakeResponse::new(429, "Too Many Requests"), ProviderErrorKind::RateLimited),
        ("a page", FakeResponse::new(200, "<html>"), ProviderErrorKind::BadAnswer),
        (
            "moved",
            FakeResponse::new(302, "").with("location", "https://elsewhere.example/"),
            ProviderErrorKind::BadRequest,
        ),
        ("endless", FakeResponse::new(200, vec![b' '; 5 << 20]), ProviderErrorKind::BadAnswer),
    ];
    for (name, response, kind) in rows {
        let error = searxng(&FakeServer::always(response)).search(&query("x", 5)).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
    }
    let none = FakeServer::always(FakeResponse::json(&json!({ "results": [] })));
    assert_eq!(searxng(&none).search(&query("x", 5)).await.unwrap(), []);
}
