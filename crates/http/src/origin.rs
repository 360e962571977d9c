//! The origin of a request, for the absolute URLs of its response. It needs no configured host name.

use http::HeaderMap;
use http::header::HOST;
use http::request::Parts;
use url::Url;

use crate::failure::Failure;

/// Settings for the origin of requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginConfig {
    /// Trust `X-Forwarded-Proto` and `X-Forwarded-Host`.
    pub(crate) trust_forwarded: bool,
    /// Requests arrive over TLS.
    pub(crate) tls: bool,
    /// Prefix of the paths of the contract, without a final slash.
    pub(crate) prefix: String,
}

impl OriginConfig {
    /// Scheme, host and port of the request, and the prefix: `http://127.0.0.1:8080/api`.
    pub(crate) fn base(&self, parts: &Parts) -> Result<String, Failure> {
        let headers = &parts.headers;
        let forwarded = |name| if self.trust_forwarded { last_value(headers, name) } else { None };
        let scheme = match forwarded("x-forwarded-proto").map(str::to_ascii_lowercase) {
            Some(scheme) if scheme == "https" || scheme == "http" => scheme,
            _ if self.tls => "https".to_owned(),
            _ => "http".to_owned(),
        };
        let host = match (forwarded("x-forwarded-host"), parts.uri.authority()) {
            (Some(host), _) => host,
            (None, Some(authority)) => authority.as_str(),
            (None, None) => host(headers)?,
        };
        // The URL parser validates the host; a list of allowed characters would miss rules.
        let url = Url::parse(&format!("{scheme}://{host}")).map_err(|_| invalid())?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !is_bare || !url.username().is_empty() || url.password().is_some() || host.ends_with(['/', '\\']) {
            return Err(invalid());
        }
        Ok(format!("{}{}", url.as_str().trim_end_matches('/'), self.prefix))
    }
}

/// The only `Host` header (RFC 9110, 7.2).
fn host(headers: &HeaderMap) -> Result<&str, Failure> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().map_err(|_| invalid()),
        _ => Err(invalid()),
    }
}

/// The last value of a forwarding header, which the proxy next to the service wrote. A proxy may append to
/// the header that it received, so any client can set the values before.
fn last_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    value.rsplit(',').next().map(str::trim).filter(|value| !value.is_empty())
}

fn invalid() -> Failure {
    Failure::fault("host", "the `Host` header must be the host that the request is sent to")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(origins: &OriginConfig, uri: &str, headers: &[(&str, &str)]) -> Option<String> {
        let mut request = http::Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        origins.base(&request.body(()).unwrap().into_parts().0).ok()
    }

    #[test]
    fn the_origin_comes_from_the_request() {
        let plain = OriginConfig::default();
        for (uri, host, want) in [
            ("/v2/crawl", "example.com", Some("http://example.com")),
            ("/v2/crawl", "127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("/v2/crawl", "[::1]:8080", Some("http://[::1]:8080")),
            ("http://other.example:1/v2/crawl", "example.com", Some("http://other.example:1")),
            ("/", "user@example.com", None),
            ("/", "example.com/path", None),
            ("/", "example.com/", None),
            ("/", "example.com\\@b", None),
            ("/", "example.com?q", None),
            ("/", "example.com#f", None),
            ("/", "a b", None),
            ("/", "<script>", None),
            ("/", "", None),
        ] {
            assert_eq!(base(&plain, uri, &[("host", host)]).as_deref(), want, "{host}");
        }
        assert_eq!(base(&plain, "/", &[]), None, "no host");
        assert_eq!(base(&plain, "/", &[("host", "a.example"), ("host", "b.example")]), None, "two hosts");
    }

    #[test]
    fn forwarded_headers_count_only_if_trusted() {
        let headers = [
            ("host", "inner:1"),
            ("x-forwarded-proto", "http, https"),
            ("x-forwarded-host", "chosen.by.the.client, other"),
            ("x-forwarded-host", "api.example"),
        ];
        assert_eq!(base(&OriginConfig::default(), "/", &headers).as_deref(), Some("http://inner:1"));
        let trusting =
            OriginConfig { trust_forwarded: true, prefix: "/data".to_owned(), ..OriginConfig::default() };
        assert_eq!(base(&trusting, "/", &headers).as_deref(), Some("https://api.example/data"));
        let odd = [("host", "a.example"), ("x-forwarded-proto", "javascript")];
        assert_eq!(base(&trusting, "/", &odd).as_deref(), Some("http://a.example/data"));
        let tls = OriginConfig { tls: true, ..OriginConfig::default() };
        assert_eq!(base(&tls, "/", &headers).as_deref(), Some("https://inner:1"));
    }
}
