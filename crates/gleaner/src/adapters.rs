//! Fits the fetcher and the transformer to the ports of the worker loop.

use async_trait::async_trait;
use gleaner_fetch::{Accept, Fetcher, HopRefused, Request};
use gleaner_jobs::{
    Fetch, FetchError, FetchRequest, Fetched, HopCheck, HopRefusal, Purpose, Transform, Transformed,
};
use gleaner_transform::Input;
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::{CacheState, ErrorCode, PageError, ProxyUsed};
use url::Url;

/// robots.txt behind more redirects than these counts as not had (RFC 9309, 2.3.1.2).
const MAX_ROBOTS_REDIRECTS: u32 = 5;

/// [`Fetch`] by `gleaner-fetch`.
#[derive(Debug)]
pub(crate) struct FetchDoor {
    fetcher: Fetcher,
}

impl FetchDoor {
    pub(crate) fn new(fetcher: Fetcher) -> Self {
        Self { fetcher }
    }
}

#[async_trait]
impl Fetch for FetchDoor {
    async fn fetch(&self, request: FetchRequest<'_>, hops: &dyn HopCheck) -> Result<Fetched, FetchError> {
        let hops = Hops { check: hops, refused: std::sync::Mutex::default() };
        let answer = match to_request(request) {
            Ok(request) => self.fetcher.fetch(request, &hops).await,
            Err(error) => Err(error),
        };
        let answer = answer.map_err(|error| FetchError {
            error: error.to_page_error(),
            retryable: error.is_retryable(),
            refused_hop: hops.refused.into_inner().ok().flatten(),
        })?;
        Ok(Fetched {
            url: answer.url,
            status: answer.status,
            content_type: answer.content_type,
            body: answer.body,
            retry_after: answer.retry_after,
            latency: answer.timings.first_byte,
            proxy_used: ProxyUsed::Basic,
            cache_state: CacheState::Miss,
            cached_at: None,
        })
    }
}

fn to_request(asked: FetchRequest<'_>) -> Result<Request, gleaner_fetch::Error> {
    let options = asked.options;
    let headers = options.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut request = Request::get(asked.url.clone()).headers(headers)?;
    request.scheme_assumed = asked.scheme_assumed;
    request.timeout = Some(options.timeout);
    request.skip_tls_verification = options.skip_tls_verification;
    request.mobile = options.mobile;
    request.languages = options.location.languages.clone();
    match asked.purpose {
        Purpose::Page => request.accept = Accept::Page,
        Purpose::Sitemap => request.accept = Accept::Any,
        Purpose::Robots => {
            request.accept = Accept::Any;
            request.max_redirects = Some(MAX_ROBOTS_REDIRECTS);
        }
    }
    Ok(request)
}

/// Hands the question on, and keeps the answer in the port's words.
struct Hops<'a> {
    check: &'a dyn HopCheck,
    refused: std::sync::Mutex<Option<HopRefusal>>,
}

#[async_trait]
impl gleaner_fetch::HopCheck for Hops<'_> {
    async fn check(&self, from: &Url, to: &Url) -> Result<(), HopRefused> {
        self.check.check(from, to).await.map_err(|refusal| {
            let reason = match &refusal {
                HopRefusal::Robots => "robots.txt forbids it".to_owned(),
                HopRefusal::OutOfScope(reason) => reason.clone(),
            };
            if let Ok(mut refused) = self.refused.lock() {
                *refused = Some(refusal);
            }
            HopRefused::new(reason).with_code(ErrorCode::CrawlDenial)
        })
    }
}

/// [`Transform`] by `gleaner-transform`.
#[derive(Debug)]
pub(crate) struct PageReader;

impl Transform for PageReader {
    fn transform(&self, page: &Fetched, options: &ScrapeOptionsPlan) -> Result<Transformed, PageError> {
        let input = Input { url: &page.url, content_type: page.content_type.as_deref(), body: &page.body };
        let page = gleaner_transform::transform(input, options)
            .map_err(|error| PageError { code: error.code(), message: error.to_string() })?;
        Ok(Transformed {
            document: page.document,
            links: page.links.links.into_iter().map(|link| link.url).collect(),
        })
    }
}
