//! Tests of the wire form of responses, events and metadata.

use gleaner_types::event::{EventName, WatchFrame, WebhookPayload};
use gleaner_types::plan::{CrawlPlan, EventKind};
use gleaner_types::response::{
    ActiveCrawl, ActiveCrawls, Activities, Activity, ActivityKind, ConcurrencyCheck, CrawlParams,
    CrawlParamsPreview, CreditUsage, ErrorBody, ExtractStatus, ExtractSubmitted, JobCancelled, JobErrors,
    JobStatus, JobSubmitted, ListedError, MapLink, MapResponse, MapResponseV1, QueueStatus, ScrapeResponse,
    TeamResponse, TokenUsage,
};
use gleaner_types::{
    Document, ErrorCode, ExtractState, Fault, FaultPath, Faults, JobId, JobKind, JobState, MetaValue,
    Metadata, PageError,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use time::OffsetDateTime;

const ID: &str = "0190b5a0-6ac7-7000-8000-000000000000";
const TIME: &str = "2023-11-14T22:13:20.000Z";

fn id() -> JobId {
    ID.parse().unwrap()
}

fn time() -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(1_700_000_000).unwrap()
}

/// Checks that the answer is serialised as `wire` and read back.
fn round_trips<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(answer: &T, wire: &Value) {
    assert_eq!(&serde_json::to_value(answer).unwrap(), wire);
    assert_eq!(&serde_json::from_value::<T>(wire.clone()).unwrap(), answer);
}

fn status() -> JobStatus {
    JobStatus {
        success: true,
        status: JobState::Scraping,
        completed: 1,
        total: 3,
        credits_used: 1,
        expires_at: time(),
        next: None,
        data: vec![Document::of_markdown("# A".to_owned())],
        created_at: time(),
        completed_at: None,
        warning: None,
        error: None,
    }
}

#[test]
fn submissions() {
    let submitted = JobSubmitted::new(id(), "https://api.example/v2/crawl/x");
    round_trips(&submitted, &json!({ "success": true, "id": ID, "url": "https://api.example/v2/crawl/x" }));
    let mut batch = submitted;
    batch.invalid_urls = Some(Vec::new());
    round_trips(
        &batch,
        &json!({ "success": true, "id": ID, "url": "https://api.example/v2/crawl/x", "invalidURLs": [] }),
    );
    round_trips(&ExtractSubmitted::new(id()), &json!({ "success": true, "id": ID, "urlTrace": [] }));
    round_trips(
        &ScrapeResponse::from(Document::default()),
        &json!({ "success": true, "data": { "metadata": {} } }),
    );
}

#[test]
fn statuses() {
    let mut wire = json!({
        "success": true, "status": "scraping", "completed": 1, "total": 3, "creditsUsed": 1,
        "expiresAt": TIME,
        "data": [{ "markdown": "# A", "metadata": {} }], "createdAt": TIME
    });
    round_trips(&status(), &wire);
    for (key, value) in [
        ("status", json!("failed")),
        ("next", json!("https://api.example/v2/crawl/x?skip=1")),
        ("completedAt", json!(TIME)),
        ("warning", json!("w")),
        ("error", json!("insufficient credits")),
    ] {
        wire[key] = value;
    }
    let ended = JobStatus {
        status: JobState::Failed,
        next: Some("https://api.example/v2/crawl/x?skip=1".to_owned()),
        completed_at: Some(time()),
        warning: Some("w".to_owned()),
        error: Some("insufficient credits".to_owned()),
        ..status()
    };
    round_trips(&ended, &wire);
    round_trips(&JobCancelled::default(), &json!({ "status": "cancelled" }));
    assert!(JobState::Cancelled.is_terminal() && !JobState::Scraping.is_terminal());
}

#[test]
fn extract_statuses() {
    let working = ExtractStatus {
        success: true,
        status: ExtractState::Processing,
        data: json!([]),
        expires_at: time(),
        error: None,
        warning: None,
        sources: None,
        credits_used: 0,
        tokens_used: 0,
    };
    round_trips(
        &working,
        &json!({ "success": true, "status": "processing", "data": [], "expiresAt": TIME, "creditsUsed": 0,
            "tokensUsed": 0 }),
    );
    let done = ExtractStatus {
        status: ExtractState::Completed,
        data: json!({ "price": 5 }),
        sources: Some([("price".to_owned(), vec!["https://a.example/".to_owned()])].into()),
        ..working
    };
    assert_eq!(serde_json::to_value(done).unwrap()["sources"], json!({ "price": ["https://a.example/"] }));
}

#[test]
fn job_errors_and_active_crawls() {
    let errors = JobErrors {
        errors: vec![ListedError {
            id: "x".to_owned(),
            timestamp: time(),
            url: "https://a.example/".to_owned(),
            code: ErrorCode::ScrapeTimeout,
            error: "too slow".to_owned(),
        }],
        robots_blocked: vec!["https://a.example/b".to_owned()],
    };
    round_trips(
        &errors,
        &json!({
            "errors": [{ "id": "x", "timestamp": TIME, "url": "https://a.example/", "code": "SCRAPE_TIMEOUT",
                "error": "too slow" }],
            "robotsBlocked": ["https://a.example/b"]
        }),
    );
    let crawls = ActiveCrawls {
        success: true,
        crawls: vec![ActiveCrawl {
            id: id(),
            team_id: "t".to_owned(),
            url: "https://a.example/".to_owned(),
            created_at: time(),
            options: serde_json::Map::new(),
        }],
    };
    round_trips(
        &crawls,
        &json!({ "success": true, "crawls": [{ "id": ID, "teamId": "t", "url": "https://a.example/",
            "created_at": TIME, "options": {} }] }),
    );
}

#[test]
fn maps_and_previews() {
    let mut titled = MapLink::new("https://a.example/");
    titled.title = Some("A".to_owned());
    let map = MapResponse::new(vec![titled, MapLink::new("https://a.example/b")]);
    round_trips(
        &map,
        &json!({ "success": true, "links": [{ "url": "https://a.example/", "title": "A" },
            { "url": "https://a.example/b" }] }),
    );
    round_trips(
        &MapResponseV1::from(map),
        &json!({ "success": true, "links": ["https://a.example/", "https://a.example/b"] }),
    );
    let mut closed = MapResponse::new(Vec::new());
    closed.warning = Some("closed".to_owned());
    let written = json!({ "success": true, "links": [], "warning": "closed" });
    round_trips(&closed, &written);
    round_trips(&MapResponseV1::from(closed), &written);
    let data = CrawlParams {
        url: "https://a.example/".to_owned(),
        include_paths: Some(vec!["^/b".to_owned()]),
        regex_on_full_url: Some(false),
        deduplicate_similar_urls: Some(true),
        ..CrawlParams::default()
    };
    round_trips(
        &CrawlParamsPreview { success: true, data, warning: None },
        &json!({ "success": true, "data": { "url": "https://a.example/", "includePaths": ["^/b"],
            "regexOnFullURL": false, "deduplicateSimilarURLs": true } }),
    );
}

#[test]
fn team_figures() {
    let credits = CreditUsage {
        remaining_credits: 1,
        plan_credits: 2,
        unlimited: false,
        billing_period_start: Some(time()),
        billing_period_end: None,
    };
    let unlimited = CreditUsage { unlimited: true, billing_period_start: None, ..credits.clone() };
    round_trips(
        &TeamResponse::new(unlimited),
        &json!({ "success": true, "data": { "remainingCredits": 1, "planCredits": 2, "unlimited": true } }),
    );
    round_trips(
        &TeamResponse::new(credits),
        &json!({ "success": true, "data": { "remainingCredits": 1, "planCredits": 2,
            "billingPeriodStart": TIME } }),
    );
    let tokens = TokenUsage {
        remaining_tokens: 15,
        plan_tokens: 30,
        unlimited: false,
        billing_period_start: None,
        billing_period_end: Some(time()),
    };
    round_trips(
        &TeamResponse::new(tokens),
        &json!({ "success": true, "data": { "remainingTokens": 15, "planTokens": 30,
            "billingPeriodEnd": TIME } }),
    );
    round_trips(
        &QueueStatus {
            success: true,
            jobs_in_queue: 3,
            active_jobs_in_queue: 1,
            waiting_jobs_in_queue: 2,
            max_concurrency: 50,
            most_recent_success: None,
        },
        &json!({ "success": true, "jobsInQueue": 3, "activeJobsInQueue": 1, "waitingJobsInQueue": 2,
            "maxConcurrency": 50, "mostRecentSuccess": null }),
    );
    round_trips(
        &ConcurrencyCheck { success: true, concurrency: 1, max_concurrency: 50 },
        &json!({ "success": true, "concurrency": 1, "maxConcurrency": 50 }),
    );
}

#[test]
fn activities() {
    let batch = Activity {
        id: id(),
        kind: Some(JobKind::BatchScrape).into(),
        url: "https://a.example/".to_owned(),
        status: JobState::Cancelled,
        credits_used: 2,
        created_at: time(),
        completed_at: Some(time()),
    };
    let silent = Activity { url: String::new(), completed_at: None, ..batch.clone() };
    round_trips(
        &Activities { success: true, data: vec![batch, silent] },
        &json!({ "success": true, "data": [
            { "id": ID, "kind": "batch_scrape", "url": "https://a.example/", "status": "cancelled",
                "creditsUsed": 2,
              "createdAt": TIME, "completedAt": TIME },
            { "id": ID, "kind": "batch_scrape", "url": "", "status": "cancelled", "creditsUsed": 2,
                "createdAt": TIME },
        ] }),
    );
    for (kind, name) in
        [(None, "scrape"), (Some(JobKind::Crawl), "crawl"), (Some(JobKind::Extract), "extract")]
    {
        assert_eq!(json!(ActivityKind::from(kind)), name);
    }
}

#[test]
fn error_bodies() {
    round_trips(&ErrorBody::new("Job not found"), &json!({ "success": false, "error": "Job not found" }));
    let page = PageError { code: ErrorCode::ScrapeDnsResolutionError, message: "no such host".to_owned() };
    round_trips(
        &ErrorBody::from(page),
        &json!({ "success": false, "error": "no such host", "code": "SCRAPE_DNS_RESOLUTION_ERROR" }),
    );
    let faults = CrawlPlan::from_json(&json!({ "limit": 0 })).unwrap_err();
    let body = serde_json::to_value(ErrorBody::from(faults)).unwrap();
    assert_eq!(body["code"], "BAD_REQUEST");
    assert_eq!(body["error"], body["details"][0]["message"]);
    assert_eq!(body["details"].as_array().unwrap().len(), 2);
}

/// Clients read the details of every `BAD_REQUEST`.
#[test]
fn a_bad_request_always_has_details() {
    let fault = |path: Value| json!([{ "code": "invalid_value", "path": path, "message": "wrong" }]);
    let body = |details: Value| {
        json!({ "success": false, "error": "wrong", "code": "BAD_REQUEST",
        "details": details })
    };
    round_trips(&ErrorBody::with_code(ErrorCode::BadRequest, "wrong"), &body(fault(json!([]))));
    let page = PageError { code: ErrorCode::BadRequest, message: "wrong".to_owned() };
    round_trips(&ErrorBody::from(page), &body(fault(json!([]))));
    let faults = Faults::from(Fault::invalid_value(FaultPath::key("urls").then(3_usize), "wrong"));
    round_trips(&ErrorBody::from(faults), &body(fault(json!(["urls", 3]))));
    round_trips(
        &ErrorBody::with_code(ErrorCode::ModelNotConfigured, "no model"),
        &json!({ "success": false, "error": "no model", "code": "MODEL_NOT_CONFIGURED" }),
    );
}

/// Clients read the path of a fault as a list.
#[test]
fn paths_of_faults_are_lists_of_keys_and_indexes() {
    let body = json!({
        "url": "https://a.example/",
        "limit": 0,
        "scrapeOptions": { "formats": ["markdown", { "type": "json", "schema": { "type": 5 } }],
            "headers": { "x y": "z" } },
    });
    let faults = CrawlPlan::from_json(&body).unwrap_err();
    let paths: Vec<Value> = serde_json::to_value(ErrorBody::from(faults)).unwrap()["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["path"].clone())
        .collect();
    let expected = [
        json!(["limit"]),
        json!(["scrapeOptions", "headers", "x y"]),
        json!(["scrapeOptions", "formats", 1, "schema"]),
    ];
    assert_eq!(paths, expected);
    let whole = CrawlPlan::from_json(&json!([])).unwrap_err();
    assert_eq!(serde_json::to_value(ErrorBody::from(whole)).unwrap()["details"][0]["path"], json!([]));
}

#[test]
fn codes_have_their_http_statuses() {
    for (code, name, status) in [
        (ErrorCode::BadRequest, "BAD_REQUEST", 400),
        (ErrorCode::BadRequestInvalidJson, "BAD_REQUEST_INVALID_JSON", 400),
        (ErrorCode::ScrapeActionsNotSupported, "SCRAPE_ACTIONS_NOT_SUPPORTED", 400),
        (ErrorCode::ScrapeScreenshotNotSupported, "SCRAPE_SCREENSHOT_NOT_SUPPORTED", 400),
        (ErrorCode::ModelNotConfigured, "MODEL_NOT_CONFIGURED", 400),
        (ErrorCode::SearchNotConfigured, "SEARCH_NOT_CONFIGURED", 400),
        (ErrorCode::ScrapeBlocked, "SCRAPE_BLOCKED", 403),
        (ErrorCode::ScrapeNoCachedData, "SCRAPE_NO_CACHED_DATA", 404),
        (ErrorCode::ScrapeTimeout, "SCRAPE_TIMEOUT", 408),
        (ErrorCode::ScrapeDnsResolutionError, "SCRAPE_DNS_RESOLUTION_ERROR", 422),
        (ErrorCode::ScrapeSslError, "SCRAPE_SSL_ERROR", 422),
        (ErrorCode::ScrapeSiteError, "SCRAPE_SITE_ERROR", 422),
        (ErrorCode::ScrapeActionError, "SCRAPE_ACTION_ERROR", 422),
        (ErrorCode::ScrapeUnsupportedFileError, "SCRAPE_UNSUPPORTED_FILE_ERROR", 422),
        (ErrorCode::ScrapePdfError, "SCRAPE_PDF_ERROR", 422),
        (ErrorCode::ScrapeAllEnginesFailed, "SCRAPE_ALL_ENGINES_FAILED", 422),
        (ErrorCode::CrawlDenial, "CRAWL_DENIAL", 422),
        (ErrorCode::UnsupportedOption, "UNSUPPORTED_OPTION", 422),
        (ErrorCode::UnknownError, "UNKNOWN_ERROR", 500),
    ] {
        assert_eq!((code.as_str(), code.http_status()), (name, status));
        assert_eq!(serde_json::to_value(code).unwrap(), name);
    }
}

#[test]
fn webhook_payloads() {
    let mut document = Document::default();
    document.metadata.source_url = Some("https://a.example/".to_owned());
    let page = WebhookPayload {
        success: false,
        kind: EventName { job: JobKind::BatchScrape, event: EventKind::Page },
        id: id(),
        webhook_id: "w".to_owned(),
        data: vec![document],
        metadata: serde_json::Map::from_iter([("mine".to_owned(), json!(1))]),
        error: Some("too slow".to_owned()),
    };
    round_trips(
        &page,
        &json!({
            "success": false, "type": "batch_scrape.page", "id": ID, "webhookId": "w",
            "data": [{ "metadata": { "sourceURL": "https://a.example/" } }], "metadata": { "mine": 1 },
            "error": "too slow"
        }),
    );
    let started = WebhookPayload::<Document> { success: true, data: Vec::new(), error: None, ..page };
    assert_eq!(serde_json::to_value(started).unwrap()["error"], Value::Null);
}

#[test]
fn watcher_frames() {
    let mut document = Document::default();
    document.html = Some("<p>".to_owned());
    round_trips(
        &WatchFrame::Document { data: Box::new(document) },
        &json!({ "type": "document", "data": { "html": "<p>", "metadata": {} } }),
    );
    round_trips(&WatchFrame::Done, &json!({ "type": "done" }));
    round_trips(&WatchFrame::Error { error: "e".to_owned() }, &json!({ "type": "error", "error": "e" }));
    let catchup = serde_json::to_value(WatchFrame::Catchup { data: Box::new(status()) }).unwrap();
    assert_eq!((&catchup["type"], &catchup["data"]["status"]), (&json!("catchup"), &json!("scraping")));
}

#[test]
fn metadata_has_the_wire_names() {
    let mut metadata = Metadata::default();
    metadata.og_title = Some("t".to_owned());
    metadata.og_url = Some("u".to_owned());
    metadata.og_site_name = Some("s".to_owned());
    metadata.dc_terms_created = Some("c".to_owned());
    metadata.article_tag = Some("a".to_owned());
    metadata.og_locale_alternate = vec!["de_DE".to_owned()];
    metadata.source_url = Some("x".to_owned());
    metadata.status_code = Some(200);
    let colours = MetaValue::Many(vec!["#fff".to_owned(), "#000".to_owned()]);
    metadata.other = [("theme-color".to_owned(), colours)].into();
    round_trips(
        &metadata,
        &json!({
            "ogTitle": "t", "ogUrl": "u", "ogSiteName": "s", "dcTermsCreated": "c", "articleTag": "a",
            "ogLocaleAlternate": ["de_DE"], "sourceURL": "x", "statusCode": 200,
            "theme-color": ["#fff", "#000"]
        }),
    );
}
