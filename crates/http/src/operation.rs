//! The operations of the API: they check the body, call the job service and serialize the response.

use bytes::Bytes;
use gleaner::limits::MAX_STATUS_BYTES;
use gleaner::plan::{BatchPlan, CrawlParamsPreviewPlan, CrawlPlan, ExtractPlan, MapPlan, ScrapePlan};
use gleaner::request::{
    BatchScrapeRequest, CrawlParamsPreviewRequest, CrawlRequest, Defaults, ExtractRequest, MapRequest,
    ScrapeRequest, v1,
};
use gleaner::response::{CrawlParams, ExtractSubmitted, JobSubmitted, ScrapeResponse};
use gleaner::service::{
    self, ApiVersion, JobRequest, RESPONSE_PIECE, ResponseShare, SubmitContext, Submitted, Team,
};
use gleaner::{Checked, Engine, Faults, JobId, JobKind, JobWarning, RequestBounds};
use http::request::Parts;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::blocking::{BlockingLimits, estimated_size, to_json};
use crate::checks::Checks;
use crate::failure::Failure;
use crate::origin::OriginConfig;
use crate::response_body::ResponseBody;
use crate::{body, document, lists, query, responses};

/// Assumed size of a team's activity.
const ACTIVITY_BYTES: usize = 1 << 20;

/// The API version of a route. It selects the request type, and the response type where the versions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

impl From<Version> for ApiVersion {
    fn from(version: Version) -> Self {
        match version {
            Version::V1 => Self::V1,
            Version::V2 => Self::V2,
        }
    }
}

/// An operation of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    OpenApi,
    Scrape(Version),
    ScrapedDocument,
    Batch(Version),
    Crawl(Version),
    CrawlParams,
    Map(Version),
    Extract(Version),
    Status(JobKind),
    Errors(JobKind),
    Cancel(JobKind),
    ExtractStatus,
    ActiveCrawls,
    CreditUsage(Version),
    TokenUsage(Version),
    QueueStatus,
    Activity,
    Concurrency,
}

impl Operation {
    /// The operation that counts against the team's rate limits; `None` if it needs no key.
    pub(crate) fn counted_as(self) -> Option<service::Operation> {
        Some(match self {
            Self::OpenApi => return None,
            Self::Scrape(_) => service::Operation::Scrape,
            Self::Batch(_) => service::Operation::Batch,
            Self::Crawl(_) | Self::CrawlParams => service::Operation::Crawl,
            Self::Map(_) => service::Operation::Map,
            Self::Extract(_) => service::Operation::Extract,
            Self::Cancel(_) => service::Operation::Cancel,
            _ => service::Operation::Read,
        })
    }

    /// Whether it reads a JSON body.
    pub(crate) fn has_body(self) -> bool {
        matches!(
            self,
            Self::Scrape(_)
                | Self::Batch(_)
                | Self::Crawl(_)
                | Self::CrawlParams
                | Self::Map(_)
                | Self::Extract(_)
        )
    }
}

/// An authenticated request.
pub(crate) struct Call<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) origins: &'a OriginConfig,
    pub(crate) limits: &'a BlockingLimits,
    pub(crate) checks: &'a Checks,
    pub(crate) team: &'a Team,
    pub(crate) parts: &'a Parts,
    /// The `{id}` of its path.
    pub(crate) id: Option<&'a str>,
    /// Its body; empty if the operation reads none.
    pub(crate) body: Bytes,
}

impl Call<'_> {
    /// Runs the operation and returns the JSON of the response.
    pub(crate) async fn run(self, operation: Operation) -> Result<ResponseBody, Failure> {
        let (service, team) = (self.engine.service(), self.team);
        match operation {
            Operation::OpenApi => Ok(document::bytes().into()),
            Operation::Scrape(version) => self.scrape(version).await,
            Operation::ScrapedDocument => {
                let json = service.scraped_document(&team.id, *self.job()?.as_uuid()).await?;
                Ok(ResponseBody::json(json))
            }
            Operation::Batch(version) => self.batch(version).await,
            Operation::Crawl(version) => self.crawl(version).await,
            Operation::CrawlParams => self.crawl_params().await,
            Operation::Map(version) => self.map(version).await,
            Operation::Extract(version) => self.extract(version).await,
            Operation::Status(kind) => self.status(kind).await,
            Operation::Errors(kind) => lists::errors(service, &team.id, kind, self.job()?).await,
            Operation::Cancel(kind) => to_json(&service.cancel(&team.id, kind, self.job()?).await?),
            Operation::ExtractStatus => {
                let (share, id) = (self.reserve(MAX_STATUS_BYTES).await?, self.job()?);
                let status = service.extract_status(&team.id, id).await?;
                self.limits.serialize_blocking(&team.id, share, status).await
            }
            Operation::ActiveCrawls => {
                let share = self.reserve(MAX_STATUS_BYTES).await?;
                let crawls = service.active_crawls(&team.id).await?;
                self.limits.serialize_blocking(&team.id, share, crawls).await
            }
            Operation::CreditUsage(version) => {
                let usage = service.credit_usage(&team.id).await?;
                match version {
                    Version::V1 => to_json(&responses::credit_usage(usage)),
                    Version::V2 => to_json(&usage),
                }
            }
            Operation::TokenUsage(version) => {
                let usage = service.token_usage(&team.id).await?;
                match version {
                    Version::V1 => to_json(&responses::token_usage(usage)),
                    Version::V2 => to_json(&usage),
                }
            }
            Operation::QueueStatus => to_json(&service.queue_status(team).await?),
            Operation::Activity => {
                let limit = query::activity_limit(self.parts.uri.query())?;
                let share = self.reserve(ACTIVITY_BYTES).await?;
                let activity = service.activity(&team.id, limit).await?;
                self.limits.serialize_blocking(&team.id, share, activity).await
            }
            Operation::Concurrency => to_json(&service.concurrency(team).await?),
        }
    }

    async fn scrape(mut self, version: Version) -> Result<ResponseBody, Failure> {
        let check = match version {
            Version::V1 => v1::ScrapeRequest::checked_from_json,
            Version::V2 => ScrapeRequest::checked_from_json,
        };
        let check_capabilities = |engine: &Engine, plan: &ScrapePlan| engine.check_options(&plan.options);
        let (plan, submit) = self.read_submit(version, check, check_capabilities).await?;
        // A team whose clients do not read is refused before the work.
        let mut share = self.reserve(RESPONSE_PIECE).await?;
        // If the client disconnects, the server drops this future, which stops the work.
        let document = self.engine.service().scrape(self.team, plan, submit).await?;
        let bytes = estimated_size(&document);
        share.grow_to(bytes).await?;
        self.limits.serialize(&self.team.id, bytes, share, ScrapeResponse::from(document)).await
    }

    async fn batch(mut self, version: Version) -> Result<ResponseBody, Failure> {
        let check = match version {
            Version::V1 => v1::BatchScrapeRequest::checked_from_json,
            Version::V2 => BatchScrapeRequest::checked_from_json,
        };
        let check_capabilities = |engine: &Engine, plan: &BatchPlan| engine.check_options(&plan.options);
        let bytes = self.body.len();
        let (plan, submit) = self.read_submit(version, check, check_capabilities).await?;
        let url = self.request_url()?;
        let share = self.reserve(bytes).await?;
        let submitted = self.engine.service().batch(self.team, plan, submit).await?;
        let bytes = invalid_bytes(&submitted);
        let mut response = JobSubmitted::new(submitted.id, format!("{url}/{}", submitted.id));
        response.invalid_urls = submitted.invalid_urls;
        Ok(ResponseBody::json(self.limits.pieces(&self.team.id, bytes, response).await?.finish(share)))
    }

    async fn crawl(mut self, version: Version) -> Result<ResponseBody, Failure> {
        let check = match version {
            Version::V1 => v1::CrawlRequest::checked_from_json,
            Version::V2 => CrawlRequest::checked_from_json,
        };
        let (plan, mut submit): (CrawlPlan, _) =
            self.read_submit(version, check, Engine::check_crawl).await?;
        let url = self.request_url()?;
        let service = self.engine.service();
        if plan.prompt.is_none() {
            let submitted = service.crawl(self.team, plan, submit).await?;
            return to_json(&JobSubmitted::new(submitted.id, format!("{url}/{}", submitted.id)));
        }
        // Only v2 has prompts.
        let (bounds, value) = (self.engine.bounds(), submit.request.body.clone());
        let read = move || {
            // The engine would fill in those of a library.
            Ok(CrawlRequest::from_json_within(&value, bounds)?.with_defaults(Defaults::Contract))
        };
        let request = self.checks.run(&self.team.id, usize::MAX, read).await?;
        // Check before anything is charged. If the request sets no limit, the prompt may set one.
        let pages = request.limit.map_or(1, |_| plan.limit);
        service.check_crawl(self.team, &plan, pages, &submit).await?;
        let compilation = self.engine.compile_prompt(request);
        // Compiling a prompt maps the site, so it costs as much as a map.
        let compiled = service.charged_lookup(self.team, compilation).await?;
        let generated = crawl_options(&compiled.generated)?;
        let in_effect = crawl_options(&compiled.in_effect())?;
        if let Ok(body) = serde_json::to_value(&compiled.request) {
            submit.request.body = body;
        }
        let submitted = service.crawl_checked(self.team, compiled.plan, submit).await?;
        if let Some(warning) = compiled.warning.map(JobWarning::Request) {
            service.runtime().warn(submitted.id, warning).await?;
        }
        let mut response = JobSubmitted::new(submitted.id, format!("{url}/{}", submitted.id));
        response.prompt_generated_options = Some(generated);
        response.final_crawler_options = Some(in_effect);
        to_json(&response)
    }

    async fn crawl_params(mut self) -> Result<ResponseBody, Failure> {
        let check = CrawlParamsPreviewRequest::checked_from_json;
        let (plan, submit): (CrawlParamsPreviewPlan, _) =
            self.read_submit(Version::V2, check, |_, _| Ok(())).await?;
        let mut preview =
            self.engine.service().charged_lookup(self.team, self.engine.crawl_params(plan)).await?;
        preview.warning = join_warnings(submit.warnings, preview.warning);
        to_json(&preview)
    }

    async fn map(mut self, version: Version) -> Result<ResponseBody, Failure> {
        let check = match version {
            Version::V1 => v1::MapRequest::checked_from_json,
            Version::V2 => MapRequest::checked_from_json,
        };
        let (plan, submit): (MapPlan, _) = self.read_submit(version, check, |_, _| Ok(())).await?;
        let mut mapped = self.engine.service().map(self.team, plan).await?;
        let warning = join_warnings(submit.warnings, mapped.warning.take());
        lists::links(mapped, warning, version)
    }

    async fn extract(mut self, version: Version) -> Result<ResponseBody, Failure> {
        let check = match version {
            Version::V1 => v1::ExtractRequest::checked_from_json,
            Version::V2 => ExtractRequest::checked_from_json,
        };
        let bytes = self.body.len();
        let (plan, submit): (ExtractPlan, _) =
            self.read_submit(version, check, Engine::check_extract).await?;
        let share = self.reserve(bytes).await?;
        let submitted = self.engine.service().extract(self.team, plan, submit).await?;
        let bytes = invalid_bytes(&submitted);
        let mut response = ExtractSubmitted::new(submitted.id);
        response.invalid_urls = submitted.invalid_urls;
        Ok(ResponseBody::json(self.limits.pieces(&self.team.id, bytes, response).await?.finish(share)))
    }

    async fn status(self, kind: JobKind) -> Result<ResponseBody, Failure> {
        let page = query::page(self.parts.uri.query())?;
        let (id, url) = (self.job()?, self.request_url()?);
        let limit = page.limit.map(|limit| format!("&limit={limit}")).unwrap_or_default();
        let next = move |skip: u64| format!("{url}?skip={skip}{limit}");
        let status = self.engine.service().status(&self.team.id, kind, id, page, &next).await?;
        Ok(ResponseBody::json(status.json))
    }

    /// Memory for a response of this many bytes. Submits take it before they start a job, because a client
    /// would repeat a refused one; their lists of invalid URLs are about as long as their request.
    async fn reserve(&self, bytes: usize) -> Result<ResponseShare, Failure> {
        Ok(self.engine.service().response_memory().reserve(&self.team.id, bytes).await?)
    }

    /// The id of the job or scrape in the path. An invalid id is an unknown job.
    pub(crate) fn job(&self) -> Result<JobId, Failure> {
        let id = self.id.filter(|id| id.len() == UUID_LENGTH).and_then(|id| id.parse().ok());
        id.ok_or_else(Failure::unknown_job)
    }

    /// The absolute URL of this request, without its query.
    fn request_url(&self) -> Result<String, Failure> {
        Ok(format!("{}{}", self.origins.base(self.parts)?, self.parts.uri.path()))
    }

    /// Reads and checks the body and the idempotency key. `check_capabilities` checks that the engine has
    /// what the plan needs.
    async fn read_submit<P: Send + 'static>(
        &mut self,
        version: Version,
        check: fn(&Value, RequestBounds) -> Result<Checked<P>, Faults>,
        check_capabilities: fn(&Engine, &P) -> Result<(), gleaner::Error>,
    ) -> Result<(P, SubmitContext), Failure> {
        let idempotency_key = self.idempotency_key()?;
        // Take the body, to free it before the work starts.
        let (engine, bytes) = (self.engine.clone(), std::mem::take(&mut self.body));
        let size = bytes.len();
        let content_type = body::content_type(&self.parts.headers).to_owned();
        let read = move || -> Result<Checked<P>, Failure> {
            let request =
                gleaner::parse_json(&bytes).map_err(|faults| body::invalid_json(faults, &content_type))?;
            let checked = check(&request, engine.bounds())?;
            check_capabilities(&engine, &checked.plan)?;
            Ok(checked)
        };
        let Checked { plan, request, warnings, .. } = self.checks.run(&self.team.id, size, read).await?;
        let request = JobRequest { api: version.into(), body: request };
        let mut submit = SubmitContext::default().request(request);
        (submit.idempotency_key, submit.warnings) = (idempotency_key, warnings);
        Ok((plan, submit))
    }

    fn idempotency_key(&self) -> Result<Option<Uuid>, Failure> {
        let Some(value) = self.parts.headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
        let key = value.to_str().ok().and_then(|text| Uuid::parse_str(text.trim()).ok());
        let invalid = || Failure::fault(IDEMPOTENCY_KEY, format!("`{IDEMPOTENCY_KEY}` must be a UUID"));
        key.map(Some).ok_or_else(invalid)
    }
}

/// The bytes of the invalid URLs of a submit.
fn invalid_bytes(submitted: &Submitted) -> usize {
    submitted.invalid_urls.iter().flatten().map(String::len).sum()
}

/// Joins the warnings about a request and about its result.
fn join_warnings(of_request: Vec<String>, of_result: Option<String>) -> Option<String> {
    let all: Vec<String> = of_request.into_iter().chain(of_result).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Length of a UUID in hyphenated form, the only form of the engine's ids.
const UUID_LENGTH: usize = 36;
/// Header with the idempotency key. A second submit of a team with the same key is refused with 409.
pub(crate) const IDEMPOTENCY_KEY: &str = "x-idempotency-key";

/// Crawl options without their URL.
fn crawl_options(params: &CrawlParams) -> Result<Map<String, Value>, Failure> {
    match serde_json::to_value(params) {
        Ok(Value::Object(mut options)) => {
            options.remove("url");
            Ok(options)
        }
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Failure::internal(&error)),
    }
}
