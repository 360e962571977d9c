//! Costs of requests, measured by the balance: refused and repeated requests, and jobs that run out of
//! credits.

use http::HeaderValue;

use super::*;

async fn balance(service: &Service) -> i64 {
    let usage = call(service, "GET /v2/team/credit-usage", Value::Null).await;
    usage.body["data"]["remainingCredits"].as_i64().unwrap()
}

/// Waits until the background settlement has brought the balance to this value.
async fn wait_for_balance(service: &Service, expected: i64) {
    for _ in 0..1_000 {
        if balance(service).await == expected {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(balance(service).await, expected);
}

#[tokio::test]
async fn a_refused_or_repeated_crawl_with_a_prompt_pays_for_no_map() {
    let (site, service) = (site(), service_with(Some(100), false));
    let crawl = async |key: Option<&'static str>, more: Value| {
        let mut body = json!({"url": site.base_url(), "prompt": "at most 3 pages"});
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        let mut request = request("POST /v2/crawl", body.to_string());
        if let Some(key) = key {
            request.headers_mut().insert("x-idempotency-key", HeaderValue::from_static(key));
        }
        send(&service, request).await
    };
    for (name, more, status) in [
        ("a forbidden webhook", json!({"webhook": "http://169.254.169.254/"}), 403),
        ("a limit beyond the balance", json!({"limit": 100}), 402),
        ("an unsupported option", json!({"scrapeOptions": {"formats": ["screenshot"]}}), 400),
    ] {
        let refused = crawl(None, more).await;
        assert_eq!(refused.status, status, "{name}: {}", refused.body);
        assert_eq!(balance(&service).await, 100, "{name}");
    }
    let key = Some("0195c0de-0000-4000-8000-000000000001");
    let submitted = crawl(key, json!({})).await;
    assert_eq!(submitted.status, 200, "{}", submitted.body);
    assert_eq!(submitted.body["finalCrawlerOptions"]["limit"], 3, "{}", submitted.body);
    let path = format!("/v2/crawl/{}", submitted.body["id"].as_str().unwrap());
    assert_eq!(ended(&service, &path).await["creditsUsed"], 3);
    wait_for_balance(&service, 96).await;
    for _ in 0..3 {
        let again = crawl(key, json!({})).await;
        assert_eq!(again.status, 409, "{}", again.body);
    }
    assert_eq!(
        balance(&service).await,
        96,
        "the first paid for its map and its pages, the others paid nothing"
    );
}

#[tokio::test]
async fn a_team_without_permission_for_zero_data_retention_pays_for_no_map() {
    let site = site();
    let team = Team::new(TeamId::new("birds")).zero_data_retention(false);
    let accounts = MemoryAccounts::new().with_team(KEY, TeamConfig::new(team).credits(9));
    let engine = Engine::builder().accounts(Arc::new(accounts)).allow_private("127.0.0.0/8".parse().unwrap());
    let service = Service::new(engine.build().unwrap());
    let body = json!({"url": site.base_url(), "prompt": "at most 3 pages", "zeroDataRetention": true});
    assert_eq!(call(&service, "POST /v2/crawl", body).await.status, 403);
    assert_eq!(balance(&service).await, 9);
}

/// A page with extracted data costs five credits, and each page reserves one: twelve are enough for two
/// pages.
#[tokio::test]
async fn a_job_that_runs_out_of_credits_ends_and_its_paid_documents_stay_readable() {
    let site = site();
    let data =
        json!([{"type": "json", "schema": {"type": "object", "properties": {"name": {"type": "string"}}}}]);
    let pages: Vec<String> = (1..=6).map(|number| site.url(&format!("/p/{number}"))).collect();
    for (line, body) in [
        ("POST /v2/crawl", json!({"url": site.base_url(), "limit": 6, "scrapeOptions": {"formats": data}})),
        ("POST /v2/batch/scrape", json!({"urls": pages, "formats": data})),
    ] {
        let service = service_with(Some(12), false);
        let submitted = call(&service, line, body).await;
        assert_eq!(submitted.status, 200, "{line}: {}", submitted.body);
        let path = line.trim_start_matches("POST ");
        let path = format!("{path}/{}", submitted.body["id"].as_str().unwrap());
        let end = ended(&service, &path).await;
        let actual = (&end["status"], &end["completed"], &end["total"], &end["creditsUsed"], &end["error"]);
        let expected = (&json!("failed"), &json!(2), &json!(2), &json!(10), &json!("insufficient credits"));
        assert_eq!(actual, expected, "{line}: {end}");
        assert_eq!((end["success"].as_bool(), end["next"].as_str()), (Some(true), None), "{line}");
        let documents = end["data"].as_array().unwrap();
        let paid = documents.iter().map(|page| page["metadata"]["creditsUsed"].as_u64().unwrap());
        assert_eq!((documents.len(), paid.sum::<u64>()), (2, 10), "{line}: paid documents are readable");
        let listed = call(&service, &format!("GET {path}/errors"), Value::Null).await.body;
        assert_eq!(listed["errors"], json!([]), "{line}: a page that did not start is not listed");
        wait_for_balance(&service, 2).await;
        let cancelled = call(&service, &format!("DELETE {path}"), Value::Null).await;
        assert_eq!(cancelled.status, 409, "{line}: the job has ended");
        let next = call(&service, "POST /v2/scrape", json!({"url": pages[0]})).await;
        assert_eq!(next.status, 200, "{line}: the remaining credits can be spent: {}", next.body);
    }
}

/// Clients expect numbers, and the number of an unmetered team must not mean that no credits are left.
#[tokio::test]
async fn the_usage_of_a_team_without_a_limit_is_reported_as_unlimited() {
    const MAX: i64 = (1 << 53) - 1;
    let site = site();
    let service = service_with(None, false);
    let default =
        Service::new(Engine::builder().allow_private("127.0.0.0/8".parse().unwrap()).build().unwrap());
    for service in [service, default] {
        for _ in 0..2 {
            for (version, names) in [
                ("v2", ["remainingCredits", "planCredits", "remainingTokens", "planTokens"]),
                ("v1", ["remaining_credits", "plan_credits", "remaining_tokens", "plan_tokens"]),
            ] {
                let credits =
                    call(&service, &format!("GET /{version}/team/credit-usage"), Value::Null).await.body;
                let tokens =
                    call(&service, &format!("GET /{version}/team/token-usage"), Value::Null).await.body;
                let [remaining, plan, remaining_tokens, plan_tokens] = names;
                for (usage, name) in [
                    (&credits, remaining),
                    (&credits, plan),
                    (&tokens, remaining_tokens),
                    (&tokens, plan_tokens),
                ] {
                    assert_eq!(usage["data"][name].as_i64(), Some(MAX), "{name}: {usage}");
                    assert_eq!(usage["data"]["unlimited"], true, "{name}: {usage}");
                }
            }
            let scraped = call(&service, "POST /v2/scrape", json!({"url": site.url("/p/1")})).await;
            assert_eq!(scraped.status, 200);
        }
    }
    let metered = service_with(Some(9), false);
    let usage = call(&metered, "GET /v2/team/credit-usage", Value::Null).await.body;
    assert_eq!(usage["data"], json!({"remainingCredits": 9, "planCredits": 9}));
}
