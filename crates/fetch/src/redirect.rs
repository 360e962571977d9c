//! Redirects: their target, their method, and the caller's check.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use gleaner_types::{BoxFuture, ErrorCode};
use http::header::LOCATION;
use http::{HeaderMap, Method, StatusCode};
use url::Url;

use crate::error::{Error, ErrorKind};

/// Asked before each redirect is followed, after the policy has permitted its target. A crawl checks the
/// target against its scope and robots.txt. It also decides whether requests may start.
pub trait RedirectCheck: Send + Sync {
    /// Whether the redirect from `from` to `to` may be followed. The time of this call does not count towards
    /// the request's timeout, because waiting for a slot of a host may take longer than any fetch. The caller
    /// must bound it.
    ///
    /// # Errors
    ///
    /// [`RedirectRefused`] ends the fetch with [`crate::ErrorKind::RedirectRefused`].
    fn check<'a>(&'a self, from: &'a Url, to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>>;

    /// Whether a request may be on its way now: each request of the chain, and each load of a rendered page.
    /// It is asked before the name is looked up, before the connection is opened, and before the request is
    /// sent. The default is true.
    fn may_start(&self) -> bool {
        true
    }

    /// Waits until [`may_start`](Self::may_start) returns true. This counts towards the request's timeout.
    fn wait_for_start(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// Follows every redirect that the policy permits.
#[derive(Debug, Clone, Copy, Default)]
pub struct FollowAll;

impl RedirectCheck for FollowAll {
    fn check<'a>(&'a self, _from: &'a Url, _to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
        Box::pin(async move { Ok(()) })
    }
}

/// Why a redirect is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectRefused {
    reason: String,
    code: ErrorCode,
}

impl RedirectRefused {
    /// A refusal with [`ErrorCode::ScrapeBlocked`]. `reason` becomes the text of the error.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), code: ErrorCode::ScrapeBlocked }
    }

    /// The same refusal with another code, such as [`ErrorCode::CrawlDenial`] for robots.txt.
    #[must_use]
    pub fn with_code(mut self, code: ErrorCode) -> Self {
        self.code = code;
        self
    }

    /// The error of a fetch whose redirect to `target` was refused.
    pub(crate) fn at(&self, target: &Url) -> Error {
        Error::new(ErrorKind::RedirectRefused, target, self.reason.clone()).with_code(self.code)
    }
}

impl fmt::Display for RedirectRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for RedirectRefused {}

/// Runs `sending` while `check` lets requests start. It is asked before each step, so that a process that was
/// stopped does not go on with a request.
pub(crate) async fn while_allowed<F: Future>(check: &dyn RedirectCheck, sending: F) -> F::Output {
    let mut sending = pin!(sending);
    loop {
        let step = poll_fn(|context| {
            if check.may_start() { sending.as_mut().poll(context).map(Some) } else { Poll::Ready(None) }
        });
        if let Some(output) = step.await {
            return output;
        }
        check.wait_for_start().await;
    }
}

/// The target of a redirect; `None` if the answer is not a redirect, `Err` if its `Location` is not a URL. An
/// empty `Location` does not count, as in browsers.
pub(crate) fn target(
    status: StatusCode,
    headers: &HeaderMap,
    from: &Url,
) -> Option<Result<Url, BadLocation>> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = headers.get_all(LOCATION).iter().map(|value| value.as_bytes().trim_ascii());
    Some(resolve(location.into_iter().find(|location| !location.is_empty())?, from))
}

/// The `Location` of a redirect is not a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadLocation;

fn resolve(location: &[u8], from: &Url) -> Result<Url, BadLocation> {
    // Servers send UTF-8 or another encoding in place of percent-encoding. The bytes go back to the server as
    // they came, as in browsers.
    let mut text = String::with_capacity(location.len());
    for byte in location {
        if byte.is_ascii() {
            text.push(char::from(*byte));
        } else {
            text.push_str(percent_encoding::percent_encode_byte(*byte));
        }
    }
    let mut target = gleaner_types::join(from, &text).map_err(|_| BadLocation)?;
    // RFC 9110 section 10.2.2: a target without a fragment inherits the fragment of the redirecting URL.
    if target.fragment().is_none() {
        target.set_fragment(from.fragment());
    }
    // Credentials in a target are the site's choice, not the caller's: they are neither sent nor kept. This
    // fails only for URLs that cannot be fetched anyway.
    let _ = target.set_username("");
    let _ = target.set_password(None);
    Ok(target)
}

/// The method after a redirect (RFC 9110 section 15.4, and what browsers do with 301 and 302).
pub(crate) fn method_after(status: StatusCode, method: &Method) -> Method {
    match status.as_u16() {
        303 if *method != Method::HEAD => Method::GET,
        301 | 302 if *method == Method::POST => Method::GET,
        _ => method.clone(),
    }
}

/// The URL as it is requested: a fragment is not sent.
pub(crate) fn without_fragment(url: &Url) -> Url {
    let mut plain = url.clone();
    plain.set_fragment(None);
    plain
}

/// Whether these are the same origin (scheme, host and port).
pub(crate) fn same_origin(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && one.host() == other.host()
        && one.port_or_known_default() == other.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::time::Duration;

    use http::HeaderValue;
    use tokio::sync::watch;
    use tokio::time::sleep;

    use super::*;

    struct Gate(watch::Sender<bool>);

    impl RedirectCheck for Gate {
        fn check<'a>(&'a self, _from: &'a Url, _to: &'a Url) -> BoxFuture<'a, Result<(), RedirectRefused>> {
            Box::pin(async move { Ok(()) })
        }

        fn may_start(&self) -> bool {
            *self.0.borrow()
        }

        fn wait_for_start(&self) -> BoxFuture<'_, ()> {
            Box::pin(async move {
                let mut open = self.0.subscribe();
                open.wait_for(|open| *open).await.unwrap();
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_makes_no_step_while_none_may_start() {
        let (gate, steps) = (Gate(watch::Sender::new(true)), AtomicU32::new(0));
        let sending = async {
            for _ in 0..3 {
                steps.fetch_add(1, Relaxed);
                sleep(Duration::from_secs(1)).await;
            }
        };
        let control = async {
            sleep(Duration::from_millis(1_500)).await;
            gate.0.send_replace(false);
            sleep(Duration::from_secs(60)).await;
            assert_eq!(steps.load(Relaxed), 2);
            gate.0.send_replace(true);
        };
        tokio::join!(while_allowed(&gate, sending), control);
        assert_eq!(steps.load(Relaxed), 3);
    }

    fn follow(from: &str, location: &[u8]) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_bytes(location).unwrap());
        let found = target(StatusCode::FOUND, &headers, &Url::parse(from).unwrap())?;
        Some(found.map_or("bad".to_owned(), String::from))
    }

    #[test]
    fn locations_resolve_against_the_current_url() {
        let from = "https://a.example/x/y?q#part";
        for (location, expected) in [
            (&b"/z"[..], "https://a.example/z#part"),
            (b"z?r#other", "https://a.example/x/z?r#other"),
            (b"//b.example/", "https://b.example/#part"),
            (b"http://user:pw@b.example/", "http://b.example/#part"),
            ("/ä".as_bytes(), "https://a.example/%C3%A4#part"),
            (b"/\xe4?\xe4=\xff", "https://a.example/%E4?%E4=%FF#part"),
            ("//bücher.example/ä".as_bytes(), "https://xn--bcher-kva.example/%C3%A4#part"),
            (b" \t/z ", "https://a.example/z#part"),
            (b"\\\\b.example\\z", "https://b.example/z#part"),
            (b"https:/z", "https://a.example/z#part"),
            (b"/a b\tc", "https://a.example/a%20bc#part"),
            (b"?r", "https://a.example/x/y?r#part"),
            (b"mailto:a@b.example", "mailto:a@b.example#part"),
            (b"javascript:alert(1)", "javascript:alert(1)#part"),
            (b"http://[", "bad"),
            (b"https://", "bad"),
        ] {
            assert_eq!(follow(from, location).as_deref(), Some(expected), "{location:?}");
        }
    }

    #[test]
    fn only_redirect_statuses_with_a_location_have_a_target() {
        let url = Url::parse("https://a.example/").unwrap();
        assert!(target(StatusCode::FOUND, &HeaderMap::new(), &url).is_none());
        let mut headers = HeaderMap::new();
        for empty in ["", " \t"] {
            headers.append(LOCATION, HeaderValue::from_static(empty));
            assert!(target(StatusCode::FOUND, &headers, &url).is_none(), "{empty:?}");
        }
        headers.append(LOCATION, HeaderValue::from_static("/second"));
        let second = target(StatusCode::FOUND, &headers, &url).unwrap().unwrap();
        assert_eq!(second.path(), "/second");
        headers.insert(LOCATION, HeaderValue::from_static("/z"));
        for status in [200, 201, 300, 304, 305, 306, 404] {
            assert!(target(StatusCode::from_u16(status).unwrap(), &headers, &url).is_none(), "{status}");
        }
        for status in [301, 302, 303, 307, 308] {
            assert!(target(StatusCode::from_u16(status).unwrap(), &headers, &url).is_some(), "{status}");
        }
    }

    #[test]
    fn methods_after_redirects() {
        let after = |status, method| method_after(StatusCode::from_u16(status).unwrap(), &method);
        for status in [301, 302, 303] {
            assert_eq!(after(status, Method::POST), Method::GET, "{status}");
        }
        for status in [307, 308] {
            assert_eq!(after(status, Method::POST), Method::POST, "{status}");
        }
        assert_eq!(after(303, Method::PUT), Method::GET);
        assert_eq!(after(302, Method::PUT), Method::PUT);
        assert_eq!(after(303, Method::HEAD), Method::HEAD);
    }

    #[test]
    fn origins_are_scheme_host_and_port() {
        let same = |one, other| same_origin(&Url::parse(one).unwrap(), &Url::parse(other).unwrap());
        assert!(same("https://a.example/x", "https://a.example:443/y"));
        for other in
            ["http://a.example/", "https://a.example:8443/", "https://b.a.example/", "https://example/"]
        {
            assert!(!same("https://a.example/", other), "{other}");
        }
    }
}
