//! Reads by id: one document, and jobs at the routes of either kind.

use super::*;

/// A service with a second team, whose key is `other`.
fn service_of_two() -> Service {
    let accounts = [(KEY, "birds"), ("other", "fish")]
        .into_iter()
        .fold(MemoryAccounts::new(), |accounts, (key, name)| {
            accounts.with_team(key, TeamConfig::new(Team::new(TeamId::new(name))))
        });
    let engine = Engine::builder().accounts(Arc::new(accounts)).allow_private("127.0.0.0/8".parse().unwrap());
    Service::new(engine.build().unwrap())
}

async fn get(service: &Service, path: &str, key: &str) -> (u16, Value) {
    let mut request = request(&format!("GET {path}"), "");
    request.headers_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    let reply = send(service, request).await;
    (reply.status.as_u16(), reply.body)
}

#[tokio::test]
async fn documents_are_readable_by_their_scrape_id() {
    let (site, service) = (site(), service_of_two());
    let mut documents = Vec::new();
    for line in ["POST /v2/scrape", "POST /v1/scrape"] {
        let scraped = call(&service, line, json!({"url": site.url("/p/1")})).await;
        assert_eq!(scraped.status, 200, "{}", scraped.body);
        documents.push(scraped.body["data"].clone());
    }
    for (line, body) in [
        ("POST /v2/crawl", json!({"url": site.base_url(), "limit": 3})),
        ("POST /v1/batch/scrape", json!({"urls": [site.url("/p/2"), site.url("/p/3")]})),
    ] {
        let submitted = call(&service, line, body).await;
        let path = format!("{}/{}", line.trim_start_matches("POST "), submitted.body["id"].as_str().unwrap());
        documents.extend(ended(&service, &path).await["data"].as_array().unwrap().iter().cloned());
    }
    assert_eq!(documents.len(), 7);
    for document in documents {
        let id = document["metadata"]["scrapeId"].as_str().unwrap();
        for version in ["v1", "v2"] {
            let path = format!("/{version}/scrape/{id}");
            let read = get(&service, &path, KEY).await;
            assert_eq!(read, (200, json!({"success": true, "data": document})), "{path}");
            let (status, body) = get(&service, &path, "other").await;
            assert_eq!((status, &body["error"]), (404, &"Job not found".into()), "{path} of another team");
        }
    }
    let body = json!({"url": site.url("/p/1"), "zeroDataRetention": true});
    let secret = call(&service, "POST /v2/scrape", body).await.body;
    let id = secret["data"]["metadata"]["scrapeId"].as_str().unwrap();
    assert_eq!(get(&service, &format!("/v2/scrape/{id}"), KEY).await.0, 404, "the document is not kept");
    let path = "/v2/scrape/0195c0de-0000-7000-8000-000000000000";
    let without_key = Request::get(path).body(Full::default()).unwrap();
    assert_eq!(send(&service, without_key).await.status, 401);
}

#[tokio::test]
async fn concurrency_is_reported_in_both_versions() {
    let service = service();
    for version in ["v1", "v2"] {
        let reply = get(&service, &format!("/{version}/concurrency-check"), KEY).await;
        assert_eq!(
            reply,
            (200, json!({"success": true, "concurrency": 0, "maxConcurrency": 50})),
            "{version}"
        );
    }
}

#[tokio::test]
async fn crawls_and_batches_are_read_and_cancelled_at_the_routes_of_either_kind() {
    let (site, service) = (site(), service());
    let submits = [
        ("crawl", json!({"url": site.base_url(), "limit": 3})),
        ("batch/scrape", json!({"urls": [site.url("/p/1"), "http://169.254.169.254/", site.url("/p/2")]})),
    ];
    for (kind, body) in submits {
        for version in ["v1", "v2"] {
            let submitted = call(&service, &format!("POST /{version}/{kind}"), body.clone()).await.body;
            let id = submitted["id"].as_str().unwrap();
            let own = ended(&service, &format!("/{version}/{kind}/{id}")).await;
            let own_errors = get(&service, &format!("/{version}/{kind}/{id}/errors"), KEY).await;
            for path in ["/v1/crawl", "/v1/batch/scrape", "/v2/crawl", "/v2/batch/scrape"] {
                let (status, body) = get(&service, &format!("{path}/{id}"), KEY).await;
                assert_eq!((status, &body), (200, &own), "{path}");
                let paged = get(&service, &format!("{path}/{id}?limit=1"), KEY).await.1;
                let next = format!("http://api.example:8080{path}/{id}?skip=1&limit=1");
                assert_eq!(paged["next"], next, "further pages are at the requested route");
                assert_eq!(get(&service, &format!("{path}/{id}/errors"), KEY).await, own_errors, "{path}");
                let ended = call(&service, &format!("DELETE {path}/{id}"), Value::Null).await;
                assert_eq!(ended.status, 409, "{path}");
            }
            assert_eq!(get(&service, &format!("/v2/extract/{id}"), KEY).await.0, 404);
        }
    }
    // A running batch, cancelled as a crawl.
    let body = json!({"urls": [site.url("/slow/20000")], "timeout": 60_000});
    let submitted = call(&service, "POST /v1/batch/scrape", body).await.body;
    let path = format!("/v1/crawl/{}", submitted["id"].as_str().unwrap());
    let ended = call(&service, &format!("DELETE {path}"), Value::Null).await;
    assert_eq!((ended.status.as_u16(), ended.body), (200, json!({"status": "cancelled"})));
    assert_eq!(get(&service, &path, KEY).await.1["status"], "cancelled");
}

#[tokio::test]
async fn an_invalid_id_is_an_unknown_job() {
    let service = service();
    for id in ["abc", "no-uuid", "0195c0de000070008000000000000000", "0195c0de-0000-7000-8000-00000000000g"] {
        for line in [
            format!("GET /v2/crawl/{id}"),
            format!("GET /v1/batch/scrape/{id}"),
            format!("GET /v2/crawl/{id}/errors"),
            format!("DELETE /v1/crawl/{id}"),
            format!("GET /v2/extract/{id}"),
            format!("DELETE /v2/extract/{id}"),
            format!("GET /v2/scrape/{id}"),
        ] {
            let reply = call(&service, &line, Value::Null).await;
            let body = json!({"success": false, "error": "Job not found"});
            assert_eq!((reply.status.as_u16(), reply.body), (404, body), "{line}");
        }
    }
}

/// Every timestamp in a response, with its field name.
fn timestamps(response: &Value, found: &mut Vec<(String, String)>) {
    const NAMES: [&str; 8] = [
        "expiresAt",
        "createdAt",
        "completedAt",
        "created_at",
        "timestamp",
        "mostRecentSuccess",
        "cachedAt",
        "previousScrapeAt",
    ];
    match response {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
            Value::String(text) if NAMES.contains(&name.as_str()) => found.push((name.clone(), text.clone())),
            value => timestamps(value, found),
        }),
        Value::Array(items) => items.iter().for_each(|item| timestamps(item, found)),
        _ => {}
    }
}

#[tokio::test]
async fn every_timestamp_has_three_digits_of_milliseconds() {
    let (site, service) = (site(), service());
    let mut responses = Vec::new();
    for options in [json!({}), json!({"formats": ["markdown", "changeTracking"]})] {
        for _ in 0..2 {
            let mut body = options.clone();
            body["url"] = site.url("/p/1").into();
            responses.push(call(&service, "POST /v2/scrape", body).await.body);
        }
    }
    let running =
        json!({"url": site.url("/slow/20000"), "limit": 1, "sitemap": "skip", "ignoreRobotsTxt": true});
    let running = call(&service, "POST /v2/crawl", running).await.body["id"].clone();
    let batch = json!({"urls": [site.url("/p/2"), "http://169.254.169.254/"]});
    let batch = call(&service, "POST /v2/batch/scrape", batch).await.body["id"].clone();
    let batch = format!("/v2/batch/scrape/{}", batch.as_str().unwrap());
    responses.push(ended(&service, &batch).await);
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let extract = json!({"urls": [site.url("/p/3")], "schema": schema});
    let extract = call(&service, "POST /v2/extract", extract).await.body["id"].clone();
    for path in [
        format!("{batch}/errors"),
        format!("/v2/crawl/{}", running.as_str().unwrap()),
        format!("/v2/extract/{}", extract.as_str().unwrap()),
        "/v2/crawl/active".to_owned(),
        "/v2/team/queue-status".to_owned(),
    ] {
        responses.push(get(&service, &path, KEY).await.1);
    }
    let mut found = Vec::new();
    responses.iter().for_each(|response| timestamps(response, &mut found));
    let mut names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 8, "{names:?}");
    for (name, text) in &found {
        // Such as 2026-11-22T10:00:00.120Z.
        let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        assert_eq!(form, "0000-00-00T00:00:00.000Z", "{name}: {text}");
    }
}
