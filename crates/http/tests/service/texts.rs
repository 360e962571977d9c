//! Texts and fields of responses that clients rely on: timeouts, paths of faults, older names of v1.

use std::time::Duration;

use gleaner::{Limits, Storage};

use super::*;

#[tokio::test]
async fn timeout_messages_have_the_prefix_that_clients_expect() {
    let (site, service) = (site(), service());
    let slow = site.url("/slow/20000");
    for (line, body, prefix) in [
        ("POST /v2/scrape", json!({"url": slow, "timeout": 300}), "Scrape timed out"),
        ("POST /v1/scrape", json!({"url": slow, "timeout": 300}), "Scrape timed out"),
        ("POST /v2/map", json!({"url": slow, "timeout": 300, "sitemap": "skip"}), "Map timed out"),
        ("POST /v1/map", json!({"url": slow, "timeout": 300, "ignoreSitemap": true}), "Map timed out"),
    ] {
        let reply = call(&service, line, body).await;
        let (code, text) = (reply.body["code"].as_str(), reply.body["error"].as_str().unwrap());
        assert_eq!((reply.status.as_u16(), code), (408, Some("SCRAPE_TIMEOUT")), "{line}: {text}");
        assert!(text.starts_with(prefix), "{line}: {text}");
        assert_eq!(text.matches("timed out").count(), 1, "{line}: {text}");
    }
    let submitted =
        call(&service, "POST /v2/batch/scrape", json!({"urls": [slow], "timeout": 300})).await.body;
    let path = format!("/v2/batch/scrape/{}", submitted["id"].as_str().unwrap());
    ended(&service, &path).await;
    let listed = call(&service, &format!("GET {path}/errors"), Value::Null).await.body;
    let text = listed["errors"][0]["error"].as_str().unwrap();
    assert!(text.starts_with("Scrape timed out"), "{text}");
}

/// Whether a message has no Rust item names and no debug output. Quoted text comes from the caller and is
/// ignored.
fn is_plain(message: &str) -> bool {
    let unquoted: String = message.split('"').step_by(2).collect();
    let mut words = unquoted.split(|letter: char| !letter.is_alphanumeric() && !"({".contains(letter));
    let has_debug_output =
        words.any(|word| word.starts_with(char::is_uppercase) && word.contains(['(', '{']));
    !unquoted.contains("::") && !unquoted.contains("Builder") && !has_debug_output
}

#[tokio::test]
async fn error_messages_contain_no_rust_names_and_no_debug_output() {
    assert!(!is_plain("the certificate is not valid: Other(OtherError(CaUsedAsEndEntity))"));
    assert!(!is_plain("add one by `EngineBuilder::renderer`"));
    let site = site();
    let team = TeamConfig::new(Team::new(TeamId::new("birds")));
    let accounts = MemoryAccounts::new().with_team(KEY, team);
    let engine = Engine::builder().accounts(Arc::new(accounts)).storage(Storage::new().no_cache());
    let service = Service::new(engine.allow_private("127.0.0.0/8".parse().unwrap()).build().unwrap());
    let page = |fields: Value| {
        let mut body = json!({"url": site.url("/p/1")});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body
    };
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let tracking = json!({"type": "changeTracking", "modes": ["json"], "prompt": "names"});
    for (line, body, code) in [
        ("scrape", page(json!({"actions": [{"type": "scrape"}]})), "SCRAPE_ACTIONS_NOT_SUPPORTED"),
        ("scrape", page(json!({"formats": ["screenshot"]})), "SCRAPE_SCREENSHOT_NOT_SUPPORTED"),
        ("scrape", page(json!({"proxy": "stealth"})), "UNSUPPORTED_OPTION"),
        ("scrape", page(json!({"lockdown": true})), "SCRAPE_NO_CACHED_DATA"),
        ("scrape", page(json!({"formats": [{"type": "json", "prompt": "names"}]})), "MODEL_NOT_CONFIGURED"),
        ("scrape", page(json!({"formats": ["markdown", tracking]})), "MODEL_NOT_CONFIGURED"),
        ("scrape", page(json!({"includeTags": ["a["]})), "BAD_REQUEST"),
        ("scrape", page(json!({"formats": [{"type": "json", "schema": {"type": 5}}]})), "BAD_REQUEST"),
        ("scrape", json!({"url": "http://169.254.169.254/"}), "SCRAPE_BLOCKED"),
        ("extract", json!({"urls": [site.url("/p/1")], "prompt": "names"}), "MODEL_NOT_CONFIGURED"),
        ("extract", json!({"prompt": "names", "schema": schema}), "SEARCH_NOT_CONFIGURED"),
        ("crawl", json!({"url": site.base_url(), "prompt": "tasty unicorns"}), "MODEL_NOT_CONFIGURED"),
        ("crawl", page(json!({"includePaths": ["("]})), "BAD_REQUEST"),
    ] {
        let reply = call(&service, &format!("POST /v2/{line}"), body.clone()).await;
        let text = reply.body["error"].as_str().unwrap();
        assert_eq!(reply.body["code"], code, "{body}: {text}");
        assert!(is_plain(text), "{body}: {text}");
    }
}

#[tokio::test]
async fn the_path_of_a_fault_is_a_list_of_keys_and_indices() {
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
        let reply = call(&service, line, body).await;
        assert_eq!(reply.status, 400, "{line}: {}", reply.body);
        let first = &reply.body["details"][0];
        assert_eq!((&first["path"], &first["message"]), (&path, &reply.body["error"]), "{line}");
    }
    let query =
        call(&service, "GET /v2/crawl/0195c0de-0000-7000-8000-000000000000?limit=0", Value::Null).await;
    assert_eq!(query.body["details"][0]["path"], json!(["limit"]));
}

/// No matter which layer refuses the request: the check, the engine, the job or the service.
#[tokio::test]
async fn every_bad_request_has_its_details() {
    let (site, service) = (site(), service());
    let batch = json!({"urls": [site.url("/slow/20000")], "timeout": 60_000});
    let id = call(&service, "POST /v2/batch/scrape", batch).await.body["id"].clone();
    let page = site.url("/p/1");
    // A well-formed schema, but its regular expression uses an unsupported syntax.
    let invalid_schema = json!({"properties": {"code": {"type": "string", "pattern": "(?=x)"}}});
    let mut refused = Vec::new();
    for (line, body, path) in [
        (
            "POST /v2/batch/scrape",
            json!({"urls": [page], "appendToId": id, "webhook": page}),
            json!(["webhook"]),
        ),
        (
            "POST /v1/batch/scrape",
            json!({"urls": [page], "appendToId": id, "zeroDataRetention": true}),
            json!(["zeroDataRetention"]),
        ),
        ("POST /v2/scrape", json!({"url": page, "excludeTags": ["p", "a["]}), json!(["excludeTags", 1])),
        (
            "POST /v2/scrape",
            json!({"url": page, "formats": ["markdown", {"type": "json", "schema": invalid_schema}]}),
            json!(["formats", 1, "schema"]),
        ),
        (
            "POST /v2/crawl",
            json!({"url": page, "scrapeOptions": {"formats": ["markdown",
                {"type": "changeTracking", "modes": ["json"], "schema": invalid_schema}]}}),
            json!(["scrapeOptions", "formats", 1, "schema"]),
        ),
        (
            "POST /v1/scrape",
            json!({"url": page, "formats": ["json"], "jsonOptions": {"schema": invalid_schema}}),
            json!(["jsonOptions", "schema"]),
        ),
        (
            "POST /v1/scrape",
            json!({"url": page, "formats": ["extract"], "extract": {"schema": invalid_schema}}),
            json!(["extract", "schema"]),
        ),
        (
            "POST /v2/scrape",
            json!({"url": page, "formats": ["links", {"type": "attributes", "selectors": [
                {"selector": "a", "attribute": "id"}, {"selector": "a[", "attribute": "id"}]}]}),
            json!(["formats", 1, "selectors", 1, "selector"]),
        ),
        (
            "POST /v2/crawl",
            json!({"url": page, "scrapeOptions": {"includeTags": ["a["]}}),
            json!(["scrapeOptions", "includeTags", 0]),
        ),
        (
            "POST /v1/crawl",
            json!({"url": page, "scrapeOptions": {"excludeTags": ["a["]}}),
            json!(["scrapeOptions", "excludeTags", 0]),
        ),
        (
            "POST /v2/extract",
            json!({"urls": [page], "schema": {"type": "object"}, "scrapeOptions": {"includeTags": ["a["]}}),
            json!(["scrapeOptions", "includeTags", 0]),
        ),
    ] {
        refused.push((line, call(&service, line, body).await, path));
    }
    let mut without_host = request("POST /v2/batch/scrape", json!({"urls": [page]}).to_string());
    without_host.headers_mut().remove("host");
    refused.push(("no host", send(&service, without_host).await, json!(["host"])));
    let mut watch = request("GET /v2/crawl/0195c0de-0000-7000-8000-000000000000", "");
    for (name, value) in [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ] {
        watch.headers_mut().insert(name, value.parse().unwrap());
    }
    refused.push(("no connection", send(&service, watch).await, json!([])));
    for (name, reply, path) in refused {
        let code = reply.body["code"].as_str();
        assert_eq!((reply.status.as_u16(), code), (400, Some("BAD_REQUEST")), "{name}: {}", reply.body);
        let first = &reply.body["details"][0];
        assert_eq!((&first["path"], &first["message"]), (&path, &reply.body["error"]), "{name}");
    }
}

#[tokio::test]
async fn a_cancelled_job_can_be_cancelled_again_and_a_completed_one_cannot() {
    let (site, service) = (site(), service());
    for (line, body) in [
        ("POST /v2/crawl", json!({"url": site.url("/slow/20000"), "limit": 1, "sitemap": "skip"})),
        ("POST /v1/batch/scrape", json!({"urls": [site.url("/slow/20000")], "timeout": 60_000})),
    ] {
        let path = line.trim_start_matches("POST ");
        let submitted = call(&service, line, body).await.body;
        let path = format!("{path}/{}", submitted["id"].as_str().unwrap());
        for _ in 0..3 {
            let ended = call(&service, &format!("DELETE {path}"), Value::Null).await;
            assert_eq!((ended.status.as_u16(), ended.body), (200, json!({"status": "cancelled"})), "{line}");
        }
    }
    let submitted = call(&service, "POST /v2/batch/scrape", json!({"urls": [site.url("/p/1")]})).await.body;
    let path = format!("/v2/batch/scrape/{}", submitted["id"].as_str().unwrap());
    ended(&service, &path).await;
    for _ in 0..2 {
        assert_eq!(call(&service, &format!("DELETE {path}"), Value::Null).await.status, 409);
    }
}

#[tokio::test]
async fn the_extract_format_of_v1_is_returned_as_extract() {
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
async fn data_for_a_schema_has_every_property_and_a_warning_explains_nulls() {
    let (site, service) = (site(), service());
    let schema = json!({"type": "object", "required": ["warranty"], "properties": {
        "warranty": {"type": "string"},
        "maker": {"type": "object", "properties": {"zipline": {"type": "integer"}}},
        "patents": {"type": "array", "items":
            {"type": "object", "properties": {"zipline": {"type": "string"}}}},
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

#[tokio::test]
async fn a_longer_timeout_is_accepted_if_the_engine_allows_it() {
    // The egress guard refuses this address, so an accepted request is answered at once.
    let body = |timeout: u64| json!({"url": "http://169.254.169.254/", "timeout": timeout});
    let default = service();
    assert_eq!(call(&default, "POST /v2/scrape", body(300_000)).await.status, 403);
    assert_eq!(call(&default, "POST /v2/scrape", body(300_001)).await.status, 400);
    let team = TeamConfig::new(Team::new(TeamId::new("birds")));
    let accounts = MemoryAccounts::new().with_team(KEY, team);
    let engine = Engine::builder()
        .accounts(Arc::new(accounts))
        .limits(Limits::new().max_timeout(Duration::from_secs(3_600)));
    let extended = Service::new(engine.build().unwrap());
    for line in ["POST /v2/scrape", "POST /v1/scrape"] {
        assert_eq!(call(&extended, line, body(3_600_000)).await.status, 403, "{line}");
        let refused = call(&extended, line, body(3_600_001)).await;
        assert_eq!(refused.status, 400, "{line}");
        let message = "`timeout` must be an integer from 1 to 3600000, not 3600001";
        assert_eq!(refused.body["error"], message, "{line}");
    }
}

#[tokio::test]
async fn experimental_fields_are_ignored_with_a_warning() {
    let (site, service) = (site(), service());
    let scraped = json!({"url": site.url("/p/1"), "__experimental_x": {"a": 1}});
    let scraped = call(&service, "POST /v2/scrape", scraped).await.body;
    assert!(scraped["data"]["warning"].as_str().unwrap().contains("`__experimental_x`"), "{scraped}");
    for (line, body) in [
        (
            "POST /v2/crawl",
            json!({"url": site.base_url(), "limit": 1, "scrapeOptions": {"__experimental_x": 1}}),
        ),
        ("POST /v1/batch/scrape", json!({"urls": [site.url("/p/1")], "__experimental_x": 1})),
    ] {
        let submitted = call(&service, line, body).await.body;
        let path = format!("{}/{}", line.trim_start_matches("POST "), submitted["id"].as_str().unwrap());
        let end = ended(&service, &path).await;
        assert!(end["warning"].as_str().unwrap().contains("__experimental_x`"), "{line}: {end}");
    }
    let map = json!({"url": site.base_url(), "limit": 2, "__experimental_x": 1});
    let map = call(&service, "POST /v2/map", map).await.body;
    assert!(map["warning"].as_str().unwrap().contains("`__experimental_x`"), "{map}");
}

#[tokio::test]
async fn an_empty_prompt_counts_as_none_and_a_schema_may_have_no_properties() {
    let (site, service) = (site(), service());
    for prompt in ["", "  "] {
        let body = json!({"url": site.base_url(), "limit": 1, "prompt": prompt});
        let submitted = call(&service, "POST /v2/crawl", body).await;
        assert_eq!(submitted.status, 200, "{}", submitted.body);
        assert!(submitted.body.get("promptGeneratedOptions").is_none(), "{}", submitted.body);
    }
    for schema in [json!({}), json!({"type": "object"}), json!({"type": "object", "properties": {}})] {
        let body = json!({"url": site.url("/p/1"), "formats": [{"type": "json", "schema": schema}]});
        let page = call(&service, "POST /v2/scrape", body).await.body;
        assert_eq!(page["data"]["json"], json!({}), "{page}");
        assert!(page["data"]["warning"].as_str().unwrap().contains("names no property"), "{page}");
        let body = json!({"urls": [site.url("/p/1")], "schema": schema});
        let submitted = call(&service, "POST /v2/extract", body).await.body;
        let path = format!("GET /v2/extract/{}", submitted["id"].as_str().unwrap());
        let done = loop {
            let status = call(&service, &path, Value::Null).await.body;
            if status["status"] != "processing" {
                break status;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!((&done["status"], &done["data"]), (&"completed".into(), &json!({})), "{done}");
        assert!(done["warning"].as_str().unwrap().contains("names no property"), "{done}");
    }
}
