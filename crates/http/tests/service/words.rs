//! What answers say, where clients look for it: words of timeouts, places of faults, v1's older names.

use super::*;

#[tokio::test]
async fn timeouts_begin_with_the_words_that_clients_look_for() {
    let (site, service) = (site(), service());
    let slow = site.url("/slow/20000");
    for (line, body, begin) in [
        ("POST /v2/scrape", json!({"url": slow, "timeout": 300}), "Scrape timed out"),
        ("POST /v1/scrape", json!({"url": slow, "timeout": 300}), "Scrape timed out"),
        ("POST /v2/map", json!({"url": slow, "timeout": 300, "sitemap": "skip"}), "Map timed out"),
        ("POST /v1/map", json!({"url": slow, "timeout": 300, "ignoreSitemap": true}), "Map timed out"),
    ] {
        let answer = call(&service, line, body).await;
        let (code, text) = (answer.body["code"].as_str(), answer.body["error"].as_str().unwrap());
        assert_eq!((answer.status.as_u16(), code), (408, Some("SCRAPE_TIMEOUT")), "{line}: {text}");
        assert!(text.starts_with(begin), "{line}: {text}");
        assert_eq!(text.matches("timed out").count(), 1, "{line}: {text}");
    }
    let begun = call(&service, "POST /v2/batch/scrape", json!({"urls": [slow], "timeout": 300})).await.body;
    let path = format!("/v2/batch/scrape/{}", begun["id"].as_str().unwrap());
    ended(&service, &path).await;
    let listed = call(&service, &format!("GET {path}/errors"), Value::Null).await.body;
    let text = listed["errors"][0]["error"].as_str().unwrap();
    assert!(text.starts_with("Scrape timed out"), "{text}");
}

#[tokio::test]
async fn the_place_of_a_fault_is_a_list_of_keys_and_indexes() {
    let service = service();
    for (line, body, path) in [
        ("POST /v2/scrape", json!({"url": "a.example", "timeout": 0}), json!(["timeout"])),
        (
            "POST /v2/scrape",
            json!({"url": "a.example", "formats": [{"type": "json", "schema": {"type": 5}}]}),
            json!(["formats", 0, "schema"]),
        ),
        (
            "POST /v2/crawl",
            json!({"url": "a.example", "scrapeOptions": {"formats": ["markdown", "x"]}}),
            json!(["scrapeOptions", "formats", 1]),
        ),
        ("POST /v2/batch/scrape", json!({"urls": ["a b"], "ignoreInvalidURLs": false}), json!(["urls", 0])),
        ("POST /v2/scrape", json!([]), json!([])),
        ("POST /v1/crawl", json!({"url": "a.example/b/c", "maxDepth": 1}), json!(["maxDepth"])),
    ] {
        let answer = call(&service, line, body).await;
        assert_eq!(answer.status, 400, "{line}: {}", answer.body);
        let first = &answer.body["details"][0];
        assert_eq!((&first["path"], &first["message"]), (&path, &answer.body["error"]), "{line}");
    }
    let query =
        call(&service, "GET /v2/crawl/0195c0de-0000-7000-8000-000000000000?limit=0", Value::Null).await;
    assert_eq!(query.body["details"][0]["path"], json!(["limit"]));
}

#[tokio::test]
async fn what_was_cancelled_can_be_cancelled_again_and_what_was_completed_cannot() {
    let (site, service) = (site(), service());
    for (line, body) in [
        ("POST /v2/crawl", json!({"url": site.url("/slow/20000"), "limit": 1, "sitemap": "skip"})),
        ("POST /v1/batch/scrape", json!({"urls": [site.url("/slow/20000")], "timeout": 60_000})),
    ] {
        let path = line.trim_start_matches("POST ");
        let begun = call(&service, line, body).await.body;
        let path = format!("{path}/{}", begun["id"].as_str().unwrap());
        for _ in 0..3 {
            let ended = call(&service, &format!("DELETE {path}"), Value::Null).await;
            assert_eq!((ended.status.as_u16(), ended.body), (200, json!({"status": "cancelled"})), "{line}");
        }
    }
    let begun = call(&service, "POST /v2/batch/scrape", json!({"urls": [site.url("/p/1")]})).await.body;
    let path = format!("/v2/batch/scrape/{}", begun["id"].as_str().unwrap());
    ended(&service, &path).await;
    for _ in 0..2 {
        assert_eq!(call(&service, &format!("DELETE {path}"), Value::Null).await.status, 409);
    }
}

#[tokio::test]
async fn v1_s_extract_is_answered_as_extract() {
    let (site, service) = (site(), service());
    let schema = json!({"type": "object", "properties": {"warranty": {"type": "string"}}});
    let body =
        json!({"url": site.url("/p/1"), "formats": ["extract", "markdown"], "extract": {"schema": schema}});
    let page = call(&service, "POST /v1/scrape", body).await.body;
    let data = page["data"].as_object().unwrap();
    assert_eq!(data["extract"], json!({"warranty": null}), "{page}");
    assert!(data.contains_key("markdown") && !data.contains_key("json"), "{page}");
    let body = json!({"url": site.url("/p/1"), "formats": ["json"], "jsonOptions": {"schema": schema}});
    let page = call(&service, "POST /v1/scrape", body).await.body;
    let data = page["data"].as_object().unwrap();
    assert_eq!(data["json"], json!({"warranty": null}), "{page}");
    assert!(!data.contains_key("extract"), "{page}");
}

#[tokio::test]
async fn an_answer_by_a_schema_has_every_property_and_says_why_some_are_null() {
    let (site, service) = (site(), service());
    let schema = json!({"type": "object", "required": ["warranty"], "properties": {
        "warranty": {"type": "string"},
        "maker": {"type": "object", "properties": {"zipline": {"type": "integer"}}},
        "patents": {"type": "array", "items": {"type": "object", "properties": {"zipline": {"type": "string"}}}},
    }});
    let body = json!({"url": site.url("/p/1"), "formats": [{"type": "json", "schema": schema}]});
    let page = call(&service, "POST /v2/scrape", body).await.body;
    let expected = json!({"warranty": null, "maker": {"zipline": null}, "patents": []});
    assert_eq!(page["data"]["json"], expected, "{page}");
    let warning = page["data"]["warning"].as_str().unwrap();
    for name in ["warranty", "maker/zipline", "patents"] {
        assert!(warning.contains(name), "{name}: {warning}");
    }
}
