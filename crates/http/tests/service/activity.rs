//! The activity of a team.

use super::*;

const ACTIVITY: &str = "GET /v2/team/activity";

/// An engine with two teams, whose keys are `key` and `other`.
fn engine() -> Engine {
    let accounts = [(KEY, "birds"), ("other", "fish")]
        .into_iter()
        .fold(MemoryAccounts::new(), |accounts, (key, name)| {
            accounts.with_team(key, TeamConfig::new(Team::new(TeamId::new(name))))
        });
    let engine = Engine::builder().accounts(Arc::new(accounts)).allow_private("127.0.0.0/8".parse().unwrap());
    engine.build().unwrap()
}

/// The team's activity once it has this many entries: a background task records ended jobs.
async fn activity(service: &Service, entries: usize) -> Vec<Value> {
    loop {
        let reply = call(service, ACTIVITY, Value::Null).await;
        assert_eq!((reply.status.as_u16(), &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
        let listed = reply.body["data"].as_array().unwrap();
        if listed.len() >= entries {
            return listed.clone();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_team_reads_the_outcome_of_its_own_jobs_and_scrapes() {
    let (site, engine) = (site(), engine());
    let service = Service::new(engine.clone());
    assert!(activity(&service, 0).await.is_empty());
    let (one, two) = (site.url("/p/1"), site.url("/p/2"));
    let schema = json!({"type": "object"});
    let refused = "http://169.254.169.254/";
    let done = [
        ("POST /v2/scrape", json!({"url": one}), json!(["scrape", "completed", 1, one])),
        ("POST /v1/scrape", json!({"url": refused}), json!(["scrape", "failed", 0, refused])),
        ("POST /v1/batch/scrape", json!({"urls": [two, one]}), json!(["batch_scrape", "completed", 2, two])),
        (
            "POST /v2/crawl",
            json!({"url": site.url("/"), "limit": 3}),
            json!(["crawl", "completed", 3, site.url("/")]),
        ),
        (
            "POST /v2/batch/scrape",
            json!({"urls": [one], "zeroDataRetention": true}),
            json!(["batch_scrape", "completed", 2, ""]),
        ),
        (
            "POST /v2/extract",
            json!({"urls": [one], "schema": schema}),
            json!(["extract", "completed", 0, one]),
        ),
    ];
    for (number, (line, body, expected)) in done.into_iter().enumerate() {
        call(&service, line, body).await;
        let listed = activity(&service, number + 1).await;
        assert_eq!(listed.len(), number + 1, "{line}");
        let newest = &listed[0];
        let fields = ["kind", "status", "creditsUsed", "url"].map(|key| newest[key].clone());
        assert_eq!(json!(fields), expected, "{line}");
        let [started, ended] = ["createdAt", "completedAt"].map(|key| newest[key].as_str().unwrap());
        assert!(started <= ended && [started, ended].iter().all(|time| time.len() == 24), "{newest}");
        assert_eq!(newest.as_object().unwrap().len(), 7, "{newest}");
    }
    let listed = activity(&service, 6).await;
    let two = call(&service, &format!("{ACTIVITY}?limit=2"), Value::Null).await;
    assert_eq!(two.body["data"], json!(listed[..2]));

    let mut other = request(ACTIVITY, "");
    other.headers_mut().insert("authorization", "Bearer other".parse().unwrap());
    assert_eq!(send(&service, other).await.body, json!({"success": true, "data": []}));
    let without_key = Request::get("/v2/team/activity").body(Full::default()).unwrap();
    assert_eq!(send(&service, without_key).await.status, 401);

    let records = engine.activities(&TeamId::new("birds"), 100).await.unwrap();
    let ids: Vec<Value> = records.iter().map(|job| json!(job.snapshot.id)).collect();
    assert_eq!(ids, listed.iter().map(|entry| entry["id"].clone()).collect::<Vec<_>>());
    assert!(engine.activities(&TeamId::new("fish"), 100).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_invalid_limit_is_refused_with_the_path_of_its_fault() {
    let service = service();
    for limit in ["0", "101", "", "ten", "-1", "1.5", "18446744073709551617"] {
        let refused = call(&service, &format!("{ACTIVITY}?limit={limit}"), Value::Null).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["code"]),
            (400, &json!("BAD_REQUEST")),
            "{limit:?}"
        );
        let message = "`limit` must be an integer from 1 to 100";
        let fault = json!({"code": "invalid_value", "path": ["limit"], "message": message});
        assert_eq!((&refused.body["error"], &refused.body["details"]), (&json!(message), &json!([fault])));
    }
    for query in ["", "?limit=1", "?limit=100", "?page=7"] {
        assert_eq!(call(&service, &format!("{ACTIVITY}{query}"), Value::Null).await.status, 200, "{query}");
    }
}
