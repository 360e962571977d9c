//! One logical request: its deadline, its redirects, its answer.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method};
use tokio::time::Instant;
use url::Url;

use crate::body::{self, Limits};
use crate::door::trace::{self, Stage, Trace};
use crate::door::{self};
use crate::error::{Error, ErrorKind};
use crate::fetcher::Inner;
use crate::headers;
use crate::media::Accept;
use crate::redirect::{self, HopCheck};
use crate::request::Request;
use crate::response::{Hop, Response, Timings};
use crate::retry_after::retry_after;

/// Fetches `request` before its deadline.
pub(crate) async fn run(fetcher: &Inner, request: Request, hops: &dyn HopCheck) -> Result<Response, Error> {
    let trace = Arc::new(Trace::default());
    let limit = request.timeout.unwrap_or(fetcher.timeout);
    let requested = request.url.clone();
    let work = assume_scheme(fetcher, request, hops, &trace, limit);
    match tokio::time::timeout(limit, trace::within(Arc::clone(&trace), work)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Error::new(
            ErrorKind::Timeout,
            &requested,
            format!("{} ms ran out while {}", limit.as_millis(), trace.stage()),
        )),
    }
}

/// Tries `https` and then `http` where the caller named no scheme.
async fn assume_scheme(
    fetcher: &Inner,
    mut request: Request,
    hops: &dyn HopCheck,
    trace: &Trace,
    limit: Duration,
) -> Result<Response, Error> {
    if !request.scheme_assumed {
        return Exchange::new(fetcher, &request)?.follow(hops, trace).await;
    }
    let plain = with_scheme(&request.url, "http");
    request.url = with_scheme(&request.url, "https");
    // A host that swallows packets must leave time for the second try.
    trace.limit_connect(Some(limit / 2));
    let secure = Exchange::new(fetcher, &request)?;
    let first_host = request.url.clone();
    let outcome = secure.follow(hops, trace).await;
    trace.limit_connect(None);
    match outcome {
        // A redirect's target failed, not the guess.
        Err(error) if error.suggests_plain_http() && *error.url().expose() == first_host => {
            request.url = plain;
            Exchange::new(fetcher, &request)?.follow(hops, trace).await
        }
        outcome => outcome,
    }
}

/// The URL with another of the two web schemes. An explicit port stays.
fn with_scheme(url: &Url, scheme: &str) -> Url {
    let mut changed = url.clone();
    // Between http and https this cannot fail; any other URL is refused later, under its own scheme.
    let _ = changed.set_scheme(scheme);
    changed
}

/// A request on its way through its redirects.
struct Exchange<'a> {
    fetcher: &'a Inner,
    url: Url,
    method: Method,
    headers: HeaderMap,
    body: Option<Bytes>,
    limits: Limits,
    max_redirects: u32,
    skip_tls_verification: bool,
    accept: Accept,
    hops: Vec<Hop>,
    /// The requests that were made, once there is a redirect.
    made: HashSet<(Method, Url)>,
    started: Instant,
}

impl<'a> Exchange<'a> {
    fn new(fetcher: &'a Inner, request: &Request) -> Result<Self, Error> {
        let url = request.url.clone();
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::new(
                ErrorKind::InvalidRequest,
                &url,
                "credentials do not belong into a URL: send an `Authorization` header",
            ));
        }
        let languages = headers::accept_language(&request.languages)
            .map_err(|tag| Error::new(ErrorKind::InvalidRequest, &url, format!("`{tag}` is not a language tag")))?;
        let agent = if request.mobile { &fetcher.mobile_user_agent } else { &fetcher.user_agent };
        Ok(Self {
            fetcher,
            url,
            method: request.method.clone(),
            headers: headers::compose(agent, languages, &request.headers),
            body: request.body.clone(),
            limits: Limits { bytes: request.max_body.unwrap_or(fetcher.max_body) },
            max_redirects: request.max_redirects.unwrap_or(fetcher.max_redirects),
            skip_tls_verification: request.skip_tls_verification,
            accept: request.accept,
            hops: Vec::new(),
            made: HashSet::new(),
            started: Instant::now(),
        })
    }

    /// Sends the request, and again for each redirect, until an answer is none.
    async fn follow(mut self, hops: &dyn HopCheck, trace: &Trace) -> Result<Response, Error> {
        self.fetcher.check(&self.url)?;
        loop {
            let answer = self.send(trace).await?;
            let next = redirect::target(answer.status(), answer.headers(), &self.url);
            match next {
                Some(location) if self.max_redirects > 0 => {
                    let target = location.map_err(|_| {
                        Error::new(ErrorKind::Protocol, &self.url, "the redirect's `Location` is not a URL")
                    })?;
                    let status = answer.status();
                    drop(answer);
                    self.turn(status, target, hops, trace).await?;
                }
                _ => return self.finish(answer, trace).await,
            }
        }
    }

    async fn send(&self, trace: &Trace) -> Result<reqwest::Response, Error> {
        trace.enter(Stage::Answer);
        let mut request = reqwest::Request::new(self.method.clone(), self.url.clone());
        *request.headers_mut() = self.headers.clone();
        *request.body_mut() = self.body.clone().map(Into::into);
        let client = self.fetcher.door.client(self.skip_tls_verification);
        client.execute(request).await.map_err(|error| door::classify(&error, &self.url))
    }

    /// Makes the redirect's target the next request, if it may be.
    async fn turn(
        &mut self,
        status: http::StatusCode,
        target: Url,
        hops: &dyn HopCheck,
        trace: &Trace,
    ) -> Result<(), Error> {
        if self.hops.len() >= self.max_redirects as usize {
            return Err(Error::new(
                ErrorKind::TooManyRedirects,
                &self.url,
                format!("more than {} redirects", self.max_redirects),
            ));
        }
        self.fetcher.check(&target)?;
        let method = redirect::method_after(status, &self.method);
        self.made.insert((self.method.clone(), without_fragment(&self.url)));
        if self.made.contains(&(method.clone(), without_fragment(&target))) {
            return Err(Error::new(ErrorKind::RedirectLoop, &target, "the redirects lead in a circle"));
        }
        trace.enter(Stage::HopCheck);
        hops.check(&self.url, &target).await.map_err(|refused| {
            Error::new(ErrorKind::HopRefused, &target, refused.reason().to_owned()).with_code(refused.code())
        })?;
        if method != self.method {
            self.body = None;
            headers::strip_body(&mut self.headers);
        }
        if !redirect::same_origin(&self.url, &target) {
            headers::strip_for_other_origin(&mut self.headers);
        }
        tracing::debug!(
            from = %gleaner_types::SafeUrl::from(&self.url),
            to = %gleaner_types::SafeUrl::from(&target),
            status = status.as_u16(),
            "redirect followed"
        );
        self.method = method;
        let url = std::mem::replace(&mut self.url, target);
        self.hops.push(Hop { url, status: status.as_u16() });
        Ok(())
    }

    async fn finish(self, answer: reqwest::Response, trace: &Trace) -> Result<Response, Error> {
        trace.enter(Stage::Body);
        let status = answer.status().as_u16();
        let first_byte = self.started.elapsed();
        let (headers, body) = body::read(answer, &self.url, self.limits, self.accept).await?;
        let total = self.started.elapsed();
        tracing::debug!(
            url = %gleaner_types::SafeUrl::from(&self.url),
            status,
            bytes = body.len(),
            hops = self.hops.len(),
            "fetched"
        );
        Ok(Response {
            requested: self.hops.first().map_or_else(|| self.url.clone(), |hop| hop.url.clone()),
            url: self.url,
            status,
            content_type: headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned),
            body,
            hops: self.hops,
            retry_after: retry_after(&headers, (self.fetcher.clock)()),
            headers,
            attempts: 1,
            timings: Timings {
                dns: trace.dns(),
                connect: trace.connect(),
                first_byte,
                body: total.saturating_sub(first_byte),
                total,
            },
        })
    }
}

fn without_fragment(url: &Url) -> Url {
    let mut plain = url.clone();
    plain.set_fragment(None);
    plain
}
