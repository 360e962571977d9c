//! Runs the cases of a table, each with its own engine, and reports all failures.

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

use crate::case::{ApiCall, Body, Case, Step};
use crate::expect::shorten;
use crate::invariants;
use crate::placeholders::Placeholders;
use crate::sites::TestSites;

/// Timeout of a case, only to prevent hanging.
pub(crate) const CASE_TIMEOUT: Duration = Duration::from_secs(60);
/// The host that requests are sent to.
const HOST: &str = "api.example:8080";

/// A response of the service.
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    headers: HeaderMap,
    pub(crate) body: Value,
    pub(crate) bytes: usize,
}

impl ApiResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Teams of each kind, each with its own key.
pub(crate) fn teams(builder: EngineBuilder) -> EngineBuilder {
    let team = |name: &str| Team::new(TeamId::new(name));
    let open = |name: &str| TeamConfig::new(team(name));
    let accounts = MemoryAccounts::new()
        .with_team("key", open("birds"))
        .with_team("other", open("bees"))
        .with_team("poor", open("mice").credits(3))
        .with_team("hasty", open("hares").requests_per_minute(vec![(Operation::Scrape, 1)]))
        .with_team("single", TeamConfig::new(team("snails").max_jobs(1)))
        .with_team("recorded", TeamConfig::new(team("ants").zero_data_retention(false)));
    builder.accounts(Arc::new(accounts))
}

/// Runs all cases of a table.
pub(crate) async fn run_table(table: &str, cases: Vec<Case>) {
    let sites = TestSites::start();
    let mut failed = Vec::new();
    for case in &cases {
        let problems = match tokio::time::timeout(CASE_TIMEOUT, run_case(case, sites.placeholders())).await {
            Ok(problems) => problems,
            Err(_) => vec![format!("it did not end within {} s", CASE_TIMEOUT.as_secs())],
        };
        if !problems.is_empty() {
            failed.push(format!("{table}: {}\n    {}", case.name, problems.join("\n    ")));
        }
    }
    println!("{table}: {} passed, {} failed", cases.len() - failed.len(), failed.len());
    assert!(failed.is_empty(), "{} of {} failed\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// The problems of the response to a case.
async fn run_case(case: &Case, mut placeholders: Placeholders) -> Vec<String> {
    let engine = (case.embedder)(engine_builder()).build();
    let service = match engine {
        Ok(engine) => Service::new(engine),
        Err(error) => return vec![format!("the engine cannot be built: {error}")],
    };
    for step in &case.before {
        if let Err(problem) = run_step(&service, step, &mut placeholders).await {
            return vec![format!("before the request: {problem}")];
        }
    }
    let response = match send(&service, &case.call, &placeholders).await {
        Ok(response) => response,
        Err(problem) => return vec![problem],
    };
    let mut problems = invariants::problems(&response);
    if response.status != case.status {
        problems.push(format!("status: expected {}, got {}", case.status, response.status));
    }
    for (name, expected) in &case.headers {
        let found = response.header(name).map(Value::from);
        let problem = expected.problem(found.as_ref(), &response.body, &placeholders);
        problems.extend(problem.map(|problem| format!("header {name}: {problem}")));
    }
    for (pointer, expected) in &case.fields {
        let problem = expected.problem(response.body.pointer(pointer), &response.body, &placeholders);
        problems.extend(problem.map(|problem| format!("{pointer}: {problem}")));
    }
    if !problems.is_empty() {
        problems.push(format!("response: {} {}", response.status, shorten(&response.body.to_string())));
    }
    problems
}

async fn run_step(service: &Service, step: &Step, placeholders: &mut Placeholders) -> Result<(), String> {
    match step {
        Step::Send { call, status, keep } => {
            let response = send(service, call, placeholders).await?;
            let description =
                || format!("{}: {} {}", call.line, response.status, shorten(&response.body.to_string()));
            if response.status != *status {
                return Err(format!("expected {status}, got {}", description()));
            }
            for (name, pointer) in keep {
                let value = response.body.pointer(pointer).and_then(Value::as_str);
                placeholders
                    .set(name, value.ok_or_else(|| format!("no text at {pointer}: {}", description()))?);
            }
        }
        Step::AwaitEnd(call) => loop {
            let response = send(service, call, placeholders).await?;
            match response.body.get("status").and_then(Value::as_str) {
                Some("scraping" | "processing") => tokio::task::yield_now().await,
                Some(_) => break,
                None => return Err(format!("no status: {}", shorten(&response.body.to_string()))),
            }
        },
        Step::AwaitValue { call, pointer, value } => {
            let value = placeholders.fill_value(value);
            loop {
                let response = send(service, call, placeholders).await?;
                if response.status != 200 {
                    return Err(format!("{}: {} {}", call.line, response.status, response.body));
                }
                if response.body.pointer(pointer) == Some(&value) {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
    }
    Ok(())
}

/// Sends a request and reads its response.
pub(crate) async fn send(
    service: &Service,
    call: &ApiCall,
    placeholders: &Placeholders,
) -> Result<ApiResponse, String> {
    let line = placeholders.fill(&call.line);
    let (method, target) = line.split_once(' ').ok_or_else(|| format!("no method: {line}"))?;
    let mut request = Request::builder().method(method).uri(target).header("host", HOST);
    if let Some(key) = call.key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    for (name, value) in &call.headers {
        request = request.header(*name, *value);
    }
    let body = match &call.body {
        Body::Empty => String::new(),
        Body::Json(value) => placeholders.fill_value(value).to_string(),
        Body::Text(text) => text.clone(),
    };
    let request = request.body(Full::new(Bytes::from(body))).map_err(|error| format!("{line}: {error}"))?;
    let response = service.clone().call(request).await;
    let (parts, body) = response.map_err(|error| error.to_string())?.into_parts();
    let body = body.collect().await.map_err(|error| error.to_string())?.to_bytes();
    let parsed = serde_json::from_slice(&body);
    let text = || shorten(&String::from_utf8_lossy(&body));
    let parsed =
        parsed.map_err(|error| format!("{line}: {} is not JSON ({error}): {}", parts.status, text()))?;
    Ok(ApiResponse { status: parts.status.as_u16(), headers: parts.headers, body: parsed, bytes: body.len() })
}
