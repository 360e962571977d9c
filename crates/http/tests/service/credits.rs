//! What requests cost, as the balance tells it: those that are refused or repeated, and jobs whose credits run out.

use http::HeaderValue;

use super::*;

async fn balance(service: &Service) -> i64 {
    let usage = call(service, "GET /v2/team/credit-usage", Value::Null).await;
    usage.body["data"]["remainingCredits"].as_i64().unwrap()
}

/// The balance once the job that ended last is settled, which is done behind the answer.
async fn settled(service: &Service, expected: i64) {
    for _ in 0..1_000 {
        if balance(service).await == expected {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(balance(service).await, expected);
}

#[tokio::test]
async fn a_crawl_by_prompt_that_is_refused_or_repeated_pays_for_no_map() {
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
        ("a webhook that may not be", json!({"webhook": "http://169.254.169.254/"}), 403),
        ("a limit beyond the balance", json!({"limit": 100}), 402),
        ("an option that is not offered", json!({"scrapeOptions": {"formats": ["screenshot"]}}), 400),
    ] {
        let refused = crawl(None, more).await;
        assert_eq!(refused.status, status, "{name}: {}", refused.body);
        assert_eq!(balance(&service).await, 100, "{name}");
    }
    let key = Some("0195c0de-0000-4000-8000-000000000001");
    let begun = crawl(key, json!({})).await;
    assert_eq!(begun.status, 200, "{}", begun.body);
    assert_eq!(begun.body["finalCrawlerOptions"]["limit"], 3, "{}", begun.body);
    let path = format!("/v2/crawl/{}", begun.body["id"].as_str().unwrap());
    assert_eq!(ended(&service, &path).await["creditsUsed"], 3);
    settled(&service, 96).await;
    for _ in 0..3 {
        let again = crawl(key, json!({})).await;
        assert_eq!(again.status, 409, "{}", again.body);
    }
    assert_eq!(
        balance(&service).await,
        96,
        "the first paid for its map and its pages, the others for nothing"
    );
}

#[tokio::test]
async fn a_team_without_leave_for_zero_data_retention_pays_for_no_map() {
    let site = site();
    let team = Team { zero_data_retention: false, ..Team::new(TeamId::new("birds")) };
    let accounts =
        MemoryAccounts::new().with_team(KEY, TeamConfig { credits: Some(9), ..TeamConfig::new(team) });
    let engine = Engine::builder().accounts(Arc::new(accounts)).allow_private("127.0.0.0/8".parse().unwrap());
    let service = Service::new(engine.build().unwrap());
    let body = json!({"url": site.base_url(), "prompt": "at most 3 pages", "zeroDataRetention": true});
    assert_eq!(call(&service, "POST /v2/crawl", body).await.status, 403);
    assert_eq!(balance(&service).await, 9);
}

/// A page with data costs five credits, and each reserves one: twelve are enough for two.
#[tokio::test]
async fn credits_that_run_out_end_a_crawl_and_a_batch_and_leave_what_was_paid() {
    let site = site();
    let data =
        json!([{"type": "json", "schema": {"type": "object", "properties": {"name": {"type": "string"}}}}]);
    let pages: Vec<String> = (1..=6).map(|number| site.url(&format!("/p/{number}"))).collect();
    for (line, body) in [
        ("POST /v2/crawl", json!({"url": site.base_url(), "limit": 6, "scrapeOptions": {"formats": data}})),
        ("POST /v2/batch/scrape", json!({"urls": pages, "formats": data})),
    ] {
        let service = service_with(Some(12), false);
        let begun = call(&service, line, body).await;
        assert_eq!(begun.status, 200, "{line}: {}", begun.body);
        let path = line.trim_start_matches("POST ");
        let path = format!("{path}/{}", begun.body["id"].as_str().unwrap());
        let end = ended(&service, &path).await;
        let told = (&end["status"], &end["completed"], &end["total"], &end["creditsUsed"], &end["error"]);
        let expected = (&json!("failed"), &json!(2), &json!(2), &json!(10), &json!("insufficient credits"));
        assert_eq!(told, expected, "{line}: {end}");
        assert_eq!((end["success"].as_bool(), end["next"].as_str()), (Some(true), None), "{line}");
        let documents = end["data"].as_array().unwrap();
        let paid = documents.iter().map(|page| page["metadata"]["creditsUsed"].as_u64().unwrap());
        assert_eq!((documents.len(), paid.sum::<u64>()), (2, 10), "{line}: what was paid for is readable");
        let listed = call(&service, &format!("GET {path}/errors"), Value::Null).await.body;
        assert_eq!(listed["errors"], json!([]), "{line}: a page that did not start is no failure");
        settled(&service, 2).await;
        let gone = call(&service, &format!("DELETE {path}"), Value::Null).await;
        assert_eq!(gone.status, 409, "{line}: it has ended");
        let next = call(&service, "POST /v2/scrape", json!({"url": pages[0]})).await;
        assert_eq!(next.status, 200, "{line}: what is left may be spent: {}", next.body);
    }
}

/// Clients expect numbers, and that of one who is not metered must not say that nothing is left.
#[tokio::test]
async fn a_team_without_a_limit_is_told_so_whatever_it_has_used() {
    const MOST: i64 = (1 << 53) - 1;
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
                    assert_eq!(usage["data"][name].as_i64(), Some(MOST), "{name}: {usage}");
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
