//! A job that another process submitted: its context, compiled from what the store has of it.

use std::time::Duration;

use gleaner_store::{ApiVersion, JobRequest, NoteKind, NoteValue, StoredJob};
use gleaner_types::request::{BatchScrapeRequest, CrawlRequest, v1};
use gleaner_types::{Faults, JobId, JobKind, RequestBounds};
use serde_json::{Value, json};

use crate::check_options::CheckOptions;
use crate::context::JobContext;
use crate::extract::Extract;
use crate::ports::Fetch;
use crate::slices::Slices;

/// The stored request of a batch has no URLs, because its pages are in the queue. A request needs one.
const PLACEHOLDER: &str = "https://example.com/";

/// The parts of the runtime that a context needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports<'a> {
    /// The product token that robots.txt is read for.
    pub(crate) agent: &'a str,
    pub(crate) slices: &'a Slices,
    pub(crate) fetch: &'a dyn Fetch,
    pub(crate) extract: Option<&'a dyn Extract>,
    pub(crate) check: Option<&'a dyn CheckOptions>,
}

/// Compiles the context of a job with this number of finished pages. `None` if the job has no pages to work
/// on in this process, or the tokio runtime shuts down.
///
/// # Errors
/// Why the job cannot go on.
pub(crate) async fn compile(
    stored: StoredJob,
    finished: u64,
    ports: Ports<'_>,
) -> Option<Result<JobContext, String>> {
    let StoredJob { id, kind, request, account, zero_data_retention, notes, .. } = stored;
    // A single scrape ends with its process, and an extract job has no pages of its own.
    let kind = kind.filter(|kind| *kind != JobKind::Extract && !zero_data_retention)?;
    let agent = ports.agent.to_owned();
    // Requests may be large, and patterns costly.
    let compiled = ports.slices.blocking(move || context(id, kind, request, &agent)).await?;
    let checked = compiled.and_then(|context| match ports.check {
        Some(check) => check.check(&context.options).map(|()| context),
        None => Ok(context),
    });
    let mut context = match checked {
        Ok(context) => context,
        Err(reason) => return Some(Err(format!("the job could not go on after a restart: {reason}"))),
    };
    context.team = account.map(|account| account.team);
    context.restore(&notes, finished);
    for note in &notes {
        match (note.kind, &note.value) {
            (NoteKind::Cookies, NoteValue::Set(saved)) => {
                ports.fetch.restore_session(&context.fetch_session, saved);
            }
            (NoteKind::Templates, NoteValue::Set(saved)) => {
                if let Some(extract) = ports.extract {
                    extract.restore_session(&context.extract_session, saved);
                }
            }
            _ => {}
        }
    }
    Some(Ok(context))
}

fn context(id: JobId, kind: JobKind, request: JobRequest, agent: &str) -> Result<JobContext, String> {
    let JobRequest { api, mut body } = request;
    if body.is_null() {
        return Err("its request is not in the store".to_owned());
    }
    // The earlier process may have allowed longer timeouts than this one.
    let bounds = RequestBounds::CONTRACT.with_timeout(Duration::MAX);
    let invalid = |faults: Faults| format!("its stored request is invalid: {faults}");
    if kind == JobKind::Crawl {
        let plan = match api {
            ApiVersion::V1 => v1::CrawlRequest::checked_from_json(&body, bounds).map(|checked| checked.plan),
            ApiVersion::V2 => {
                CrawlRequest::from_stored(body, bounds).and_then(|request| request.check_within(bounds))
            }
        };
        let compiled = JobContext::of_crawl(id, &plan.map_err(invalid)?, agent);
        return compiled.map(|(context, _)| context).map_err(|error| error.to_string());
    }
    if let Value::Object(fields) = &mut body {
        fields.insert("urls".to_owned(), json!([PLACEHOLDER]));
    }
    let plan = match api {
        ApiVersion::V1 => {
            v1::BatchScrapeRequest::checked_from_json(&body, bounds).map(|checked| checked.plan)
        }
        ApiVersion::V2 => {
            BatchScrapeRequest::from_stored(body, bounds).and_then(|request| request.check_within(bounds))
        }
    };
    let (context, _) = JobContext::of_targets(id, &[], plan.map_err(invalid)?.options, false);
    Ok(context)
}

#[cfg(test)]
mod tests {
    use gleaner_types::request::{Defaults, Format};
    use uuid::Uuid;

    use super::*;

    fn compiled(kind: JobKind, request: JobRequest) -> Result<JobContext, String> {
        context(JobId::from_uuid(Uuid::from_u128(1)), kind, request, "agent")
    }

    #[test]
    fn a_stored_crawl_has_the_rules_of_its_request() {
        let request = CrawlRequest::new("a.example/docs/")
            .max_path_depth(1)
            .max_discovery_depth(4)
            .delay(0.5)
            .headers([("x-key", "value")])
            .timeout(3_000_000)
            .formats([Format::Links]);
        let context = compiled(JobKind::Crawl, request.to_stored().into()).unwrap();
        let crawl = context.crawl.as_ref().unwrap();
        assert_eq!((crawl.max_depth, crawl.delay), (Some(4), Some(Duration::from_millis(500))));
        assert!(context.options.formats.links && context.options.headers.contains_key("x-key"));
        assert_eq!(context.options.timeout, Duration::from_secs(3_000));
        assert!(context.is_scheme_assumed(crawl.start_key));
        let too_deep = "https://a.example/docs/a/b".parse().unwrap();
        assert!(crawl.candidate(too_deep, &mut 0).is_none());
    }

    #[test]
    fn a_request_of_version_1_has_the_defaults_of_version_1() {
        let body = json!({ "url": "https://a.example/", "maxDepth": 3, "ignoreSitemap": true });
        let request = JobRequest { api: ApiVersion::V1, body };
        let context = compiled(JobKind::Crawl, request).unwrap();
        assert!(!context.options.skip_tls_verification && context.crawl.is_some());
    }

    #[test]
    fn a_stored_request_has_the_defaults_that_it_was_submitted_with() {
        let (crawl, day) = (CrawlRequest::new("https://a.example/"), Duration::from_secs(86_400));
        for (request, skips, max_age) in [
            (crawl.clone(), true, 2 * day),
            (crawl.clone().with_defaults(Defaults::Contract), true, 2 * day),
            (crawl.with_defaults(Defaults::Library), false, Duration::ZERO),
        ] {
            let options = compiled(JobKind::Crawl, request.to_stored().into()).unwrap().options;
            assert_eq!((options.skip_tls_verification, options.max_age), (skips, max_age));
        }
        let batch = BatchScrapeRequest::new(["https://a.example/"]).with_defaults(Defaults::Library);
        let options = compiled(JobKind::BatchScrape, batch.to_stored().into()).unwrap().options;
        assert!(!options.skip_tls_verification && options.max_age.is_zero());
    }

    #[test]
    fn a_stored_batch_needs_no_urls() {
        for api in [ApiVersion::V1, ApiVersion::V2] {
            let body = json!({ "headers": { "x-key": "value" }, "maxConcurrency": 2 });
            let context = compiled(JobKind::BatchScrape, JobRequest { api, body }).unwrap();
            assert!(context.crawl.is_none() && context.options.headers.contains_key("x-key"));
        }
    }

    #[test]
    fn a_job_that_cannot_go_on_says_why() {
        let reason = |body: Value| compiled(JobKind::Crawl, body.into()).unwrap_err();
        assert_eq!(reason(Value::Null), "its request is not in the store");
        let invalid = reason(json!({ "url": "https://a.example/", "limit": 0 }));
        assert!(invalid.starts_with("its stored request is invalid: ") && invalid.contains("limit"));
        let rules = reason(json!({ "url": "https://a.example/", "excludePaths": ["("] }));
        assert!(rules.contains("excludePaths"), "{rules}");
    }
}
