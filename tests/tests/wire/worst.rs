//! Worst cases over HTTP: each ends by itself with the expected result or error.

use std::collections::BTreeMap;

use gleaner::ErrorCode;
use gleaner_http::Service;
use gleaner_testkit::{Attack, ExpectedEnd, PageServer, Size, worst_cases};
use gleaner_tests::fakes::engine_builder;
use serde_json::Value;

use crate::case::{ApiCall, Body};
use crate::expect::shorten;
use crate::invariants;
use crate::placeholders::Placeholders;
use crate::runner::{ApiResponse, CASE_TIMEOUT, send, teams};

/// The statuses of a running job.
const RUNNING: [&str; 2] = ["scraping", "processing"];

#[tokio::test]
async fn every_worst_case_ends_as_expected() {
    let (mut ended, mut failed) = (BTreeMap::new(), Vec::new());
    for case in worst_cases() {
        let attack = case.attack(Size::Moderate);
        match tokio::time::timeout(CASE_TIMEOUT, run_attack(&attack)).await {
            Ok(Ok(outcome)) => *ended.entry(outcome).or_insert(0) += 1,
            Ok(Err(problem)) => failed.push(format!("{case}\n    {problem}")),
            Err(_) => failed.push(format!("{case}\n    it did not end within {} s", CASE_TIMEOUT.as_secs())),
        }
    }
    println!("worst cases: {ended:?}, {} failed", failed.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

/// Runs an attack on its own engine, twice concurrently, and returns how the second one ended.
async fn run_attack(attack: &Attack) -> Result<String, String> {
    let site = PageServer::start(attack.pages.clone()).map_err(|error| error.to_string())?;
    let engine = teams(engine_builder()).build().map_err(|error| error.to_string())?;
    let service = Service::new(engine);
    let call = api_call(attack.line, attack.body_at(&site.base_url()));
    if attack.repeats_previous {
        run_to_end(&service, &call, ExpectedEnd::Somehow).await?;
    }
    let (one, other) =
        tokio::join!(run_to_end(&service, &call, attack.ends), run_to_end(&service, &call, attack.ends));
    one.and(other)
}

fn api_call(line: impl Into<String>, body: impl Into<Body>) -> ApiCall {
    ApiCall { key: Some("key"), line: line.into(), headers: Vec::new(), body: body.into() }
}

/// Sends a request, waits for the end of the job if it starts one, and checks the response.
async fn run_to_end(service: &Service, call: &ApiCall, ends: ExpectedEnd) -> Result<String, String> {
    let response = send(service, call, &Placeholders::default()).await?;
    let outcome = check(&response, ends)?;
    let Some(id) = response.body.get("id").and_then(Value::as_str) else { return Ok(outcome) };
    let path = call.line.strip_prefix("POST ").unwrap_or_default();
    // With `skip` beyond the end, a long poll delays each response, so the wait does not spin.
    let status = api_call(format!("GET {path}/{id}?skip=1000000"), Body::Empty);
    loop {
        let response = send(service, &status, &Placeholders::default()).await?;
        match response.body.get("status").and_then(Value::as_str) {
            Some(state) if RUNNING.contains(&state) => tokio::task::yield_now().await,
            _ => break,
        }
    }
    let all = api_call(format!("GET {path}/{id}"), Body::Empty);
    let response = send(service, &all, &Placeholders::default()).await?;
    check(&response, ExpectedEnd::Somehow)?;
    let state = response.body.get("status").and_then(Value::as_str).unwrap_or_default();
    Ok(format!("job {state}"))
}

/// How a request ended, or the problems of its response.
fn check(response: &ApiResponse, ends: ExpectedEnd) -> Result<String, String> {
    let problems = invariants::problems(response);
    let text = |pointer: &str| response.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let description = || format!("{} {}", response.status, shorten(&response.body.to_string()));
    if !problems.is_empty() {
        return Err(format!("{}: {}", problems.join(", "), description()));
    }
    let is_document = response.body.pointer("/data/metadata").is_some();
    let as_expected = match ends {
        ExpectedEnd::Refused(why) => response.status == 400 && text("/error").contains(why),
        ExpectedEnd::Warned(why) if is_document => text("/data/warning").contains(why),
        ExpectedEnd::Somehow | ExpectedEnd::Warned(_) => {
            let is_done = response.status == 200 && response.body.get("success") == Some(&Value::Bool(true));
            is_done || (400..500).contains(&response.status)
        }
    };
    let is_internal = text("/code") == ErrorCode::UnknownError.as_str();
    if !as_expected || is_internal {
        return Err(format!("expected {ends:?}, got {}", description()));
    }
    Ok(match text("/code") {
        "" if response.status == 200 => "response".to_owned(),
        code => format!("{} {code}", response.status),
    })
}
