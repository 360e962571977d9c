//! Worst cases over the wire: each ends by itself, with what it says or with why that was not had.

use std::collections::BTreeMap;

use gleaner::ErrorCode;
use gleaner_http::Service;
use gleaner_testkit::{Attack, ExpectedEnd, PageServer, Size, worst_cases};
use gleaner_tests::fakes::engine_builder;
use serde_json::Value;

use crate::always;
use crate::case::{Asked, Body};
use crate::expect::shorten;
use crate::names::Names;
use crate::runner::{Answer, PATIENCE, send, teams};

/// What a job's status is while it lasts.
const UNDER_WAY: [&str; 2] = ["scraping", "processing"];

#[tokio::test]
async fn every_worst_case_ends() {
    let (mut ended, mut failed) = (BTreeMap::new(), Vec::new());
    for case in worst_cases() {
        let attack = case.attack(Size::Moderate);
        match tokio::time::timeout(PATIENCE, made(&attack)).await {
            Ok(Ok(how)) => *ended.entry(how).or_insert(0) += 1,
            Ok(Err(complaint)) => failed.push(format!("{case}\n    {complaint}")),
            Err(_) => failed.push(format!("{case}\n    it did not end within {} s", PATIENCE.as_secs())),
        }
    }
    println!("worst cases: {ended:?}, {} failed", failed.len());
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

/// Makes an attack, twice at once, on an engine of its own: how the second of them ended.
async fn made(attack: &Attack) -> Result<String, String> {
    let site = PageServer::start(attack.pages.clone()).map_err(|error| error.to_string())?;
    let engine = teams(engine_builder()).build().map_err(|error| error.to_string())?;
    let service = Service::new(engine);
    let asked = asked(attack.line, attack.body_at(&site.base_url()));
    if attack.repeats_previous {
        end(&service, &asked, ExpectedEnd::Somehow).await?;
    }
    let (one, other) = tokio::join!(end(&service, &asked, attack.ends), end(&service, &asked, attack.ends));
    one.and(other)
}

fn asked(line: impl Into<String>, body: impl Into<Body>) -> Asked {
    Asked { key: Some("key"), line: line.into(), headers: Vec::new(), body: body.into() }
}

/// Sends a request, waits for the end of its job, where it begins one, and holds its answer against how it should end.
async fn end(service: &Service, asked: &Asked, ends: ExpectedEnd) -> Result<String, String> {
    let answer = send(service, asked, &Names::default()).await?;
    let how = held(&answer, ends)?;
    let Some(id) = answer.body.get("id").and_then(Value::as_str) else { return Ok(how) };
    let path = asked.line.strip_prefix("POST ").unwrap_or_default();
    // The place keeps the wait from spinning, where there is a long poll.
    let status = self::asked(format!("GET {path}/{id}?skip=1000000"), Body::Empty);
    loop {
        let answer = send(service, &status, &Names::default()).await?;
        match answer.body.get("status").and_then(Value::as_str) {
            Some(state) if UNDER_WAY.contains(&state) => tokio::task::yield_now().await,
            _ => break,
        }
    }
    let all = self::asked(format!("GET {path}/{id}"), Body::Empty);
    let answer = send(service, &all, &Names::default()).await?;
    held(&answer, ExpectedEnd::Somehow)?;
    let state = answer.body.get("status").and_then(Value::as_str).unwrap_or_default();
    Ok(format!("job {state}"))
}

/// How a request ended, or what is wrong with it.
fn held(answer: &Answer, ends: ExpectedEnd) -> Result<String, String> {
    let complaints = always::complaints(answer);
    let text = |place: &str| answer.body.pointer(place).and_then(Value::as_str).unwrap_or_default();
    let told = || format!("{} {}", answer.status, shorten(&answer.body.to_string()));
    if !complaints.is_empty() {
        return Err(format!("{}: {}", complaints.join(", "), told()));
    }
    let is_document = answer.body.pointer("/data/metadata").is_some();
    let holds = match ends {
        ExpectedEnd::Refused(why) => answer.status == 400 && text("/error").contains(why),
        ExpectedEnd::Warned(why) if is_document => text("/data/warning").contains(why),
        ExpectedEnd::Somehow | ExpectedEnd::Warned(_) => {
            let is_done = answer.status == 200 && answer.body.get("success") == Some(&Value::Bool(true));
            is_done || (400..500).contains(&answer.status)
        }
    };
    let is_ours = text("/code") == ErrorCode::UnknownError.as_str();
    if !holds || is_ours {
        return Err(format!("expected {ends:?}, got {}", told()));
    }
    Ok(match text("/code") {
        "" if answer.status == 200 => "answer".to_owned(),
        code => format!("{} {code}", answer.status),
    })
}
