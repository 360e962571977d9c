//! Runs the rows of a table, each against an engine of its own, and tells of all that failed.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner::EngineBuilder;
use gleaner::service::{MemoryAccounts, Operation, Team, TeamConfig, TeamId};
use gleaner_http::Service;
use gleaner_tests::fakes::engine_builder;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tower_service::Service as _;

use crate::always;
use crate::case::{Asked, Body, Case, Step};
use crate::expect::shorten;
use crate::names::Names;
use crate::served::Served;

/// What a case may take. It is a bound against hanging, and nothing that is measured.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The host that requests are sent to.
const HOST: &str = "api.example:8080";

/// An answer of the service.
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: HeaderMap,
    pub(crate) body: Value,
    pub(crate) bytes: usize,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Teams of every kind, each with a key of its own.
pub(crate) fn teams(builder: EngineBuilder) -> EngineBuilder {
    let team = |name: &str| Team::new(TeamId::new(name));
    let open = |name: &str| TeamConfig::new(team(name));
    let accounts = MemoryAccounts::new()
        .with_team("key", open("birds"))
        .with_team("other", open("bees"))
        .with_team("poor", TeamConfig { credits: Some(3), ..open("mice") })
        .with_team("hasty", TeamConfig { requests_per_minute: vec![(Operation::Scrape, 1)], ..open("hares") })
        .with_team("single", TeamConfig::new(Team { max_jobs: 1, ..team("snails") }))
        .with_team("recorded", TeamConfig::new(Team { zero_data_retention: false, ..team("ants") }));
    builder.accounts(Arc::new(accounts))
}

/// Runs all rows of a table.
pub(crate) async fn hold(table: &str, cases: Vec<Case>) {
    let served = Served::start();
    let mut failed = Vec::new();
    for case in &cases {
        let complaints = match tokio::time::timeout(PATIENCE, run(case, served.names())).await {
            Ok(complaints) => complaints,
            Err(_) => vec![format!("it did not end within {} s", PATIENCE.as_secs())],
        };
        if !complaints.is_empty() {
            failed.push(format!("{table}: {}\n    {}", case.name, complaints.join("\n    ")));
        }
    }
    println!("{table}: {} passed, {} failed", cases.len() - failed.len(), failed.len());
    assert!(failed.is_empty(), "{} of {} failed\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// What is wrong with the answer to a case.
async fn run(case: &Case, mut names: Names) -> Vec<String> {
    let engine = (case.embedder)(engine_builder()).build();
    let service = match engine {
        Ok(engine) => Service::new(engine),
        Err(error) => return vec![format!("the engine cannot be built: {error}")],
    };
    for step in &case.before {
        if let Err(complaint) = take(&service, step, &mut names).await {
            return vec![format!("before the request: {complaint}")];
        }
    }
    let answer = match send(&service, &case.asked, &names).await {
        Ok(answer) => answer,
        Err(complaint) => return vec![complaint],
    };
    let mut complaints = always::complaints(&answer);
    if answer.status != case.status {
        complaints.push(format!("status: expected {}, got {}", case.status, answer.status));
    }
    for (name, expected) in &case.headers {
        let found = answer.header(name).map(Value::from);
        let complaint = expected.complaint(found.as_ref(), &answer.body, &names);
        complaints.extend(complaint.map(|complaint| format!("header {name}: {complaint}")));
    }
    for (place, expected) in &case.fields {
        let complaint = expected.complaint(answer.body.pointer(place), &answer.body, &names);
        complaints.extend(complaint.map(|complaint| format!("{place}: {complaint}")));
    }
    if !complaints.is_empty() {
        complaints.push(format!("answer: {} {}", answer.status, shorten(&answer.body.to_string())));
    }
    complaints
}

async fn take(service: &Service, step: &Step, names: &mut Names) -> Result<(), String> {
    match step {
        Step::Send { asked, status, keep } => {
            let answer = send(service, asked, names).await?;
            let told = || format!("{}: {} {}", asked.line, answer.status, shorten(&answer.body.to_string()));
            if answer.status != *status {
                return Err(format!("expected {status}, got {}", told()));
            }
            for (name, place) in keep {
                let value = answer.body.pointer(place).and_then(Value::as_str);
                names.set(name, value.ok_or_else(|| format!("no text at {place}: {}", told()))?);
            }
        }
        Step::Ended(asked) => loop {
            let answer = send(service, asked, names).await?;
            match answer.body.get("status").and_then(Value::as_str) {
                Some("scraping" | "processing") => tokio::task::yield_now().await,
                Some(_) => break,
                None => return Err(format!("no status: {}", shorten(&answer.body.to_string()))),
            }
        },
        Step::Until { asked, place, value } => {
            let value = names.fill_value(value);
            loop {
                let answer = send(service, asked, names).await?;
                if answer.status != 200 {
                    return Err(format!("{}: {} {}", asked.line, answer.status, answer.body));
                }
                if answer.body.pointer(place) == Some(&value) {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
    }
    Ok(())
}

/// Sends a request and reads its answer.
pub(crate) async fn send(service: &Service, asked: &Asked, names: &Names) -> Result<Answer, String> {
    let line = names.fill(&asked.line);
    let (method, target) = line.split_once(' ').ok_or_else(|| format!("no method: {line}"))?;
    let mut request = Request::builder().method(method).uri(target).header("host", HOST);
    if let Some(key) = asked.key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    for (name, value) in &asked.headers {
        request = request.header(*name, *value);
    }
    let body = match &asked.body {
        Body::Empty => String::new(),
        Body::Json(value) => names.fill_value(value).to_string(),
        Body::Text(text) => text.clone(),
    };
    let request = request.body(Full::new(Bytes::from(body))).map_err(|error| format!("{line}: {error}"))?;
    let answer = service.clone().call(request).await;
    let (parts, body) = answer.map_err(|error| error.to_string())?.into_parts();
    let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    let read = serde_json::from_slice(&body);
    let text = || shorten(&String::from_utf8_lossy(&body));
    let read = read.map_err(|error| format!("{line}: {} is no JSON ({error}): {}", parts.status, text()))?;
    Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body: read, bytes: body.len() })
}
