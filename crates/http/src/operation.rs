//! What can be asked for, and doing it: the body checked, the desk asked, the answer written down.

use bytes::Bytes;
use gleaner::plan::{BatchPlan, CrawlParamsPreviewPlan, CrawlPlan, ExtractPlan, MapPlan, ScrapePlan};
use gleaner::request::{
    BatchScrapeRequest, CrawlParamsPreviewRequest, CrawlRequest, ExtractRequest, MapRequest, ScrapeRequest,
    v1,
};
use gleaner::response::{
    CrawlParams, ExtractSubmitted, JobSubmitted, MapLink, MapResponse, MapResponseV1, ScrapeResponse,
};
use gleaner::service::{self, Submit, Team};
use gleaner::{Checked, Engine, Faults, JobId, JobKind, RequestBounds};
use http::request::Parts;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::blocking::{BlockingLimits, json, weight};
use crate::checks::Checks;
use crate::failure::Failure;
use crate::origin::Origins;
use crate::{answers, body, document, query};

/// Version of the contract that a request body is of; answers differ only where a type says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    OpenApi,
    Scrape(Version),
    Scraped,
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
    /// Whom it is for: `None` where anybody may ask, else what is counted against the team's limits.
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

    /// Does it read a JSON body?
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

/// A request whose team is known.
pub(crate) struct Call<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) origins: &'a Origins,
    pub(crate) places: &'a BlockingLimits,
    pub(crate) checks: &'a Checks,
    pub(crate) team: &'a Team,
    pub(crate) parts: &'a Parts,
    /// The `{id}` of its path.
    pub(crate) id: Option<&'a str>,
    /// What it sent, where the operation reads a body.
    pub(crate) body: Bytes,
}

impl Call<'_> {
    /// Does it, and gives the JSON of the answer.
    pub(crate) async fn answer(self, operation: Operation) -> Result<Bytes, Failure> {
        let (service, team) = (self.engine.service(), self.team);
        match operation {
            Operation::OpenApi => Ok(document::bytes()),
            Operation::Scrape(version) => self.scrape(version).await,
            Operation::Scraped => Ok(service.scraped_document(&team.id, *self.job()?.as_uuid()).await?),
            Operation::Batch(version) => self.batch(version).await,
            Operation::Crawl(version) => self.crawl(version).await,
            Operation::CrawlParams => self.crawl_params().await,
            Operation::Map(version) => self.map(version).await,
            Operation::Extract(version) => self.extract(version).await,
            Operation::Status(kind) => self.status(kind).await,
            Operation::Errors(kind) => {
                let errors = service.errors(&team.id, kind, self.job()?).await?;
                self.places.written_aside(answers::ListedErrors::from(errors)).await
            }
            Operation::Cancel(kind) => json(&service.cancel(&team.id, kind, self.job()?).await?),
            Operation::ExtractStatus => {
                let status = service.extract_status(&team.id, self.job()?).await?;
                self.places.written_aside(status).await
            }
            Operation::ActiveCrawls => {
                self.places.written_aside(service.active_crawls(&team.id).await?).await
            }
            Operation::CreditUsage(version) => {
                let usage = service.credit_usage(&team.id).await?;
                match version {
                    Version::V1 => json(&answers::credit_usage(usage)),
                    Version::V2 => json(&usage),
                }
            }
            Operation::TokenUsage(version) => {
                let usage = service.token_usage(&team.id).await?;
                match version {
                    Version::V1 => json(&answers::token_usage(usage)),
                    Version::V2 => json(&usage),
                }
            }
            Operation::QueueStatus => json(&service.queue_status(team).await?),
            Operation::Activity => {
                let limit = query::activity(self.parts.uri.query())?;
                json(&service.activity(&team.id, limit).await?)
            }
            Operation::Concurrency => json(&service.concurrency(team).await?),
        }
    }

    async fn scrape(mut self, version: Version) -> Result<Bytes, Failure> {
        let check = match version {
            Version::V1 => v1::ScrapeRequest::checked_from_json,
            Version::V2 => ScrapeRequest::checked_from_json,
        };
        let offered = |engine: &Engine, plan: &ScrapePlan| engine.check_options(&plan.options);
        let (plan, submit) = self.submitted(check, offered).await?;
        // Where the client goes away, this future is dropped, and with it the work.
        let document = self.engine.service().scrape(self.team, plan, submit).await?;
        self.places.written(weight(&document), ScrapeResponse::from(document)).await
    }

    async fn batch(mut self, version: Version) -> Result<Bytes, Failure> {
        let check = match version {
            Version::V1 => v1::BatchScrapeRequest::checked_from_json,
            Version::V2 => BatchScrapeRequest::checked_from_json,
        };
        let offered = |engine: &Engine, plan: &BatchPlan| engine.check_options(&plan.options);
        let (plan, submit) = self.submitted(check, offered).await?;
        let base = self.base()?;
        let submitted = self.engine.service().batch(self.team, plan, submit).await?;
        let mut answer = JobSubmitted::new(submitted.id, format!("{base}/{}", submitted.id));
        answer.invalid_urls = submitted.invalid_urls;
        json(&answer)
    }

    async fn crawl(mut self, version: Version) -> Result<Bytes, Failure> {
        let check = match version {
            Version::V1 => v1::CrawlRequest::checked_from_json,
            Version::V2 => CrawlRequest::checked_from_json,
        };
        let (plan, submit): (CrawlPlan, _) = self.submitted(check, Engine::check_crawl).await?;
        let base = self.base()?;
        let service = self.engine.service();
        if plan.prompt.is_none() {
            let submitted = service.crawl(self.team, plan, submit).await?;
            return json(&JobSubmitted::new(submitted.id, format!("{base}/{}", submitted.id)));
        }
        // Only the second version has prompts.
        let (bounds, value) = (self.engine.bounds(), submit.request.clone());
        let read = move || Ok(CrawlRequest::from_json_within(&value, bounds)?);
        let request = self.checks.run(&self.team.id, usize::MAX, read).await?;
        // Before anything is paid. Where the request sets no limit, the prompt may.
        let pages = request.limit.map_or(1, |_| plan.limit);
        service.check_crawl(self.team, &plan, pages, &submit).await?;
        let compiled = self.engine.compile_prompt(request);
        // The site is mapped for it, so it costs what a map costs.
        let prompted = service.charged_lookup(self.team, compiled).await?;
        let (generated, in_effect) = (&prompted.generated, prompted.in_effect());
        let (generated, in_effect) = (options(generated)?, options(&in_effect)?);
        let request = serde_json::to_value(&prompted.request).unwrap_or(submit.request);
        let submit = Submit { request, ..submit };
        let submitted = service.crawl_checked(self.team, prompted.plan, submit).await?;
        if let Some(warning) = &prompted.warning {
            service.runtime().warn(submitted.id, warning).await?;
        }
        let mut answer = JobSubmitted::new(submitted.id, format!("{base}/{}", submitted.id));
        answer.prompt_generated_options = Some(generated);
        answer.final_crawler_options = Some(in_effect);
        json(&answer)
    }

    async fn crawl_params(mut self) -> Result<Bytes, Failure> {
        let check = CrawlParamsPreviewRequest::checked_from_json;
        let (plan, submit): (CrawlParamsPreviewPlan, _) = self.submitted(check, |_, _| Ok(())).await?;
        let mut preview = self.engine.service().charged_lookup(self.team, self.engine.crawl_params(plan)).await?;
        preview.warning = joined(submit.warnings, preview.warning);
        json(&preview)
    }

    async fn map(mut self, version: Version) -> Result<Bytes, Failure> {
        let check = match version {
            Version::V1 => v1::MapRequest::checked_from_json,
            Version::V2 => MapRequest::checked_from_json,
        };
        let (plan, submit): (MapPlan, _) = self.submitted(check, |_, _| Ok(())).await?;
        let found = self.engine.service().map(self.team, plan).await?;
        let mut response = MapResponse::new(found.links.into_iter().map(MapLink::new).collect());
        response.warning = joined(submit.warnings, found.warning);
        let bytes = response.links.iter().map(|link| link.url.len()).sum();
        match version {
            Version::V1 => self.places.written(bytes, MapResponseV1::from(response)).await,
            Version::V2 => self.places.written(bytes, response).await,
        }
    }

    async fn extract(mut self, version: Version) -> Result<Bytes, Failure> {
        let check = match version {
            Version::V1 => v1::ExtractRequest::checked_from_json,
            Version::V2 => ExtractRequest::checked_from_json,
        };
        let (plan, submit): (ExtractPlan, _) = self.submitted(check, Engine::check_extract).await?;
        let submitted = self.engine.service().extract(self.team, plan, submit).await?;
        let mut answer = ExtractSubmitted::new(submitted.id);
        answer.invalid_urls = submitted.invalid_urls;
        json(&answer)
    }

    async fn status(self, kind: JobKind) -> Result<Bytes, Failure> {
        let page = query::page(self.parts.uri.query())?;
        let (id, base) = (self.job()?, self.base()?);
        let limit = page.limit.map(|limit| format!("&limit={limit}")).unwrap_or_default();
        let next = move |skip: u64| format!("{base}?skip={skip}{limit}");
        Ok(self.engine.service().status(&self.team.id, kind, id, page, &next).await?.bytes)
    }

    /// The job, or scrape, that the path names. What is no id names none that there is.
    pub(crate) fn job(&self) -> Result<JobId, Failure> {
        let id = self.id.filter(|id| id.len() == UUID_LENGTH).and_then(|id| id.parse().ok());
        id.ok_or_else(Failure::unknown_job)
    }

    /// The absolute address of this request, without its query.
    fn base(&self) -> Result<String, Failure> {
        Ok(format!("{}{}", self.origins.base(self.parts)?, self.parts.uri.path()))
    }

    /// Reads and checks the body, and what comes with a submit beside it. `offered` holds the plan against what the engine
    /// was built with.
    async fn submitted<P: Send + 'static>(
        &mut self,
        check: fn(&Value, RequestBounds) -> Result<Checked<P>, Faults>,
        offered: fn(&Engine, &P) -> Result<(), gleaner::Error>,
    ) -> Result<(P, Submit), Failure> {
        let idempotency_key = self.idempotency_key()?;
        // Not kept for as long as the work takes.
        let (engine, bytes) = (self.engine.clone(), std::mem::take(&mut self.body));
        let size = bytes.len();
        let content_type = body::content_type(&self.parts.headers).to_owned();
        let read = move || -> Result<Checked<P>, Failure> {
            let request =
                gleaner::parse_json(&bytes).map_err(|faults| body::no_json(faults, &content_type))?;
            let checked = check(&request, engine.bounds())?;
            offered(&engine, &checked.plan)?;
            Ok(checked)
        };
        let Checked { plan, request, warnings, .. } = self.checks.run(&self.team.id, size, read).await?;
        Ok((plan, Submit { request, idempotency_key, warnings }))
    }

    fn idempotency_key(&self) -> Result<Option<Uuid>, Failure> {
        let Some(value) = self.parts.headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
        let key = value.to_str().ok().and_then(|text| Uuid::parse_str(text.trim()).ok());
        let invalid = || Failure::fault(IDEMPOTENCY_KEY, format!("`{IDEMPOTENCY_KEY}` must be a UUID"));
        key.map(Some).ok_or_else(invalid)
    }
}

/// What is to be known of a request, and what of the work on it.
fn joined(warnings: Vec<String>, more: Option<String>) -> Option<String> {
    let all: Vec<String> = warnings.into_iter().chain(more).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Length of a UUID in its usual form; its other forms are not ones that the engine gives out.
const UUID_LENGTH: usize = 36;
/// Of the submits of a team with the same value the first counts, and the others are refused with 409.
pub(crate) const IDEMPOTENCY_KEY: &str = "x-idempotency-key";

/// Crawl options without the address that they are for.
fn options(params: &CrawlParams) -> Result<Map<String, Value>, Failure> {
    match serde_json::to_value(params) {
        Ok(Value::Object(mut options)) => {
            options.remove("url");
            Ok(options)
        }
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Failure::internal(&error)),
    }
}
