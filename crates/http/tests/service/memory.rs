//! Clients that do not read: what they hold, and what others notice.

use std::time::Duration;

use gleaner::service::{DEFAULT_RESPONSE_MEMORY, MIN_RESPONSE_MEMORY, Serving};
use gleaner_http::{ResponseBody, UNREAD_TIMEOUT};
use gleaner_testkit::{HostilePage, PageServer};
use http::Response;
use http_body::Body as _;

use super::*;

/// Pages that fail at once, because their address is refused.
const FAILING: usize = 400;

/// A service of two teams with this much memory for responses, and its engine.
fn service_of_two(memory: usize) -> (Service, Engine) {
    let accounts = [(KEY, "birds"), ("other", "fish")]
        .into_iter()
        .fold(MemoryAccounts::new(), |accounts, (key, name)| {
            accounts.with_team(key, TeamConfig::new(Team::new(TeamId::new(name))))
        });
    let engine = builder()
        .accounts(Arc::new(accounts))
        .allow_private("127.0.0.0/8".parse().unwrap())
        .serving(Serving::new().response_memory(memory))
        .build()
        .unwrap();
    (Service::new(engine.clone()), engine)
}

/// The path of an ended batch whose list of errors has nearly a megabyte.
async fn failed_batch(service: &Service) -> String {
    let pad = "x".repeat(2_000);
    let urls: Vec<String> = (0..FAILING).map(|page| format!("http://10.0.0.1/{page}/{pad}")).collect();
    let submitted = call(service, "POST /v2/batch/scrape", json!({ "urls": urls })).await;
    assert_eq!(submitted.status, 200, "{}", submitted.body);
    let path = format!("/v2/batch/scrape/{}", submitted.body["id"].as_str().unwrap());
    ended(service, &path).await;
    path
}

/// A response of which nothing is read.
async fn unread(service: &Service, path: &str) -> Response<ResponseBody> {
    let response = service.clone().call(request(&format!("GET {path}"), "")).await.unwrap();
    assert_eq!(response.status(), 200);
    response
}

#[tokio::test(start_paused = true)]
async fn unread_lists_hold_a_piece_each_and_others_are_answered() {
    let (service, engine) = service_of_two(DEFAULT_RESPONSE_MEMORY);
    let memory = engine.service().response_memory();
    let path = failed_batch(&service).await;
    assert_eq!(memory.used(), 0, "a response that was read holds nothing");
    let list = format!("{path}/errors");
    let mut held = Vec::new();
    for _ in 0..50 {
        let mut response = unread(&service, &list).await;
        let piece = response.body_mut().frame().await.unwrap().unwrap().into_data().unwrap();
        held.push((response, piece));
    }
    assert!(memory.used() <= 50 * (512 << 10), "50 lists hold {} bytes", memory.used());
    for path in [list.as_str(), "/v2/team/credit-usage", path.as_str()] {
        assert_eq!(call(&service, &format!("GET {path}"), Value::Null).await.status, 200, "{path}");
    }

    // The rest of the list comes when it is read.
    let (response, first) = held.pop().unwrap();
    let rest = response.into_body().collect().await.unwrap().to_bytes();
    let list: Value = serde_json::from_slice(&[first, rest].concat()).unwrap();
    let errors = list["errors"].as_array().unwrap();
    assert_eq!((&list["success"], errors.len(), &list["robotsBlocked"]), (&true.into(), FAILING, &json!([])));
    let mut ids: Vec<&str> = errors.iter().map(|error| error["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), FAILING, "every page once");

    drop(held);
    assert_eq!(memory.used(), 0, "dropped responses give their memory back");
}

#[tokio::test(start_paused = true)]
async fn an_unread_response_ends_after_its_time() {
    let (service, engine) = service_of_two(DEFAULT_RESPONSE_MEMORY);
    let memory = engine.service().response_memory();
    let path = failed_batch(&service).await;
    let mut response = unread(&service, &format!("{path}/errors")).await;
    drop(response.body_mut().frame().await.unwrap().unwrap());
    assert!(memory.used() > 0);
    tokio::time::sleep(UNREAD_TIMEOUT + Duration::from_secs(1)).await;
    assert_eq!(memory.used(), 0);
    assert!(response.body_mut().frame().await.unwrap().is_err(), "the client sees that something is missing");
}

#[tokio::test(start_paused = true)]
async fn a_team_without_response_memory_is_told_to_retry_and_others_notice_nothing() {
    let (service, engine) = service_of_two(MIN_RESPONSE_MEMORY);
    let path = failed_batch(&service).await;
    let team = TeamId::new("birds");
    let memory = engine.service().response_memory();
    let all = memory.reserve(&team, usize::MAX).await.unwrap();
    assert_eq!(memory.used(), MIN_RESPONSE_MEMORY / 4);
    for line in [format!("GET {path}"), format!("GET {path}/errors"), "GET /v2/crawl/active".to_owned()] {
        let reply = call(&service, &line, Value::Null).await;
        assert_eq!(reply.status, 429, "{line}: {}", reply.body);
        assert!(reply.headers.contains_key("retry-after"), "{line}");
        assert!(reply.body["error"].as_str().unwrap().contains("too many responses"), "{line}");
    }
    let mut of_other = request("GET /v2/crawl/active", "");
    of_other.headers_mut().insert("authorization", "Bearer other".parse().unwrap());
    assert_eq!(send(&service, of_other).await.status, 200);
    assert_eq!(call(&service, "GET /v2/team/credit-usage", Value::Null).await.status, 200, "it is small");
    drop(all);
    assert_eq!(call(&service, &format!("GET {path}/errors"), Value::Null).await.status, 200);
}

#[tokio::test]
async fn an_unread_scrape_holds_its_document() {
    let (service, engine) = service_of_two(MIN_RESPONSE_MEMORY);
    let memory = engine.service().response_memory();
    let page = HostilePage::html("/large", format!("<title>T</title><p>{}", "word ".repeat(200_000)));
    let site = PageServer::start(vec![page]).unwrap();
    let body = json!({ "url": format!("{}/large", site.base_url()), "formats": ["rawHtml"] });
    let response = service.clone().call(request("POST /v2/scrape", body.to_string())).await.unwrap();
    assert_eq!(response.status(), 200);
    let length = usize::try_from(response.body().size_hint().exact().unwrap()).unwrap();
    assert!(length > 1_000_000, "{length}");
    assert_eq!(memory.used(), length.next_multiple_of(1 << 10));
    drop(response);
    assert_eq!(memory.used(), 0);
}
