//! The route of one request: direct, through a proxy, or through another proxy if that one fails.

use bytes::Bytes;
use gleaner_types::ProxyUsed;
use gleaner_types::plan::ProxyMode;
use http::header::PROXY_AUTHORIZATION;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use tokio::time::Instant;
use url::Url;

use super::pool::{PooledProxy, ProxyList};
use super::proxy::ProxyFailure;
use crate::error::{Error, ErrorKind};
use crate::transport::{self, Clients, Incoming};

/// Most proxies of a pool that one request tries before it fails.
pub const MAX_PROXY_TRIES: usize = 3;

/// One of the two sets of routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// The basic pool, or a direct connection without one.
    Basic,
    /// The stealth pool.
    Stealth,
}

impl Tier {
    pub(crate) fn used(self) -> ProxyUsed {
        match self {
            Self::Basic => ProxyUsed::Basic,
            Self::Stealth => ProxyUsed::Stealth,
        }
    }
}

/// All routes of a fetcher.
#[derive(Debug)]
pub(crate) struct Proxies {
    pub(crate) direct: Clients,
    pub(crate) basic: Option<ProxyList>,
    pub(crate) stealth: Option<ProxyList>,
}

impl Proxies {
    /// The tier that a request of this mode uses first, and the tier of its second attempt.
    pub(crate) fn tiers(&self, mode: ProxyMode, url: &Url) -> Result<(Tier, Option<Tier>), Error> {
        match (mode, &self.stealth) {
            (ProxyMode::Basic, _) | (ProxyMode::Auto, None) => Ok((Tier::Basic, None)),
            (ProxyMode::Auto, Some(_)) => Ok((Tier::Basic, Some(Tier::Stealth))),
            (ProxyMode::Stealth, Some(_)) => Ok((Tier::Stealth, None)),
            (ProxyMode::Stealth, None) => Err(Error::new(
                ErrorKind::ProxyNotConfigured,
                url,
                "the proxy mode `stealth` needs stealth proxies, and there are none: use `basic` or `auto`",
            )),
        }
    }

    pub(crate) fn session(&self, tier: Tier, country: Option<String>) -> ProxySession<'_> {
        let proxy_list = match tier {
            Tier::Basic => self.basic.as_ref(),
            Tier::Stealth => self.stealth.as_ref(),
        };
        ProxySession { direct: &self.direct, proxy_list, tier, country, current: None }
    }
}

/// The route of one request and its redirects. They stay with one proxy, because some sites start over if a
/// visitor's address changes between redirects.
#[derive(Debug)]
pub(crate) struct ProxySession<'a> {
    direct: &'a Clients,
    proxy_list: Option<&'a ProxyList>,
    pub(crate) tier: Tier,
    country: Option<String>,
    current: Option<usize>,
}

impl ProxySession<'_> {
    /// Sends `request`. If a proxy fails before it has forwarded the request, the next one is used.
    pub(crate) async fn send(
        &mut self,
        request: Request<Full<Bytes>>,
        url: &Url,
        skip_tls_verification: bool,
    ) -> Result<Response<Incoming>, Error> {
        let Some(proxy_list) = self.proxy_list else {
            let sent = self.direct.send(request, skip_tls_verification).await;
            return sent.map_err(|error| transport::classify(&*error, url));
        };
        let mut tried = Vec::new();
        loop {
            let now = Instant::now();
            let index = match self.current.take() {
                Some(index) => index,
                None => match proxy_list.pick(self.country.as_deref(), &tried, now) {
                    Some(index) => index,
                    None => return Err(Error::new(ErrorKind::Proxy, url, "all proxies were tried")),
                },
            };
            let Some(member) = proxy_list.member(index) else { continue };
            let outcome = through(member, request.clone(), url, skip_tls_verification).await;
            let (failure, error) = match outcome {
                Ok(answer) => {
                    member.succeeded();
                    self.current = Some(index);
                    return Ok(answer);
                }
                Err((Some(failure), error)) => (failure, error),
                Err((None, error)) => {
                    self.current = Some(index);
                    return Err(error);
                }
            };
            // Another proxy may do better, but a target must not be able to disable the proxies of a pool.
            if failure.blames_proxy() && !failure.may_be_targets_fault() {
                member.failed(Instant::now());
            }
            tried.push(index);
            if tried.len() >= MAX_PROXY_TRIES || proxy_list.pick(None, &tried, now).is_none() {
                return Err(error);
            }
        }
    }
}

/// Sends `request` through one proxy. The error has a [`ProxyFailure`] if the proxy failed.
async fn through(
    member: &PooledProxy,
    mut request: Request<Full<Bytes>>,
    url: &Url,
    skip_tls_verification: bool,
) -> Result<Response<Incoming>, (Option<ProxyFailure>, Error)> {
    let absolute_form = member.proxy.takes_absolute_form() && url.scheme() == "http";
    if absolute_form && let Some(value) = member.proxy.authorization() {
        request.headers_mut().insert(PROXY_AUTHORIZATION, value);
    }
    match member.clients.send(request, skip_tls_verification).await {
        // Only a proxy that reads the request can send this status.
        Ok(answer) if absolute_form && answer.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            let failure = ProxyFailure::Credentials;
            Err((Some(failure), Error::new(ErrorKind::Proxy, url, failure.to_string())))
        }
        Ok(answer) => Ok(answer),
        Err(error) => Err((transport::proxy_failure(&*error), transport::classify(&*error, url))),
    }
}
