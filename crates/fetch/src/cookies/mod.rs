//! Cookies (RFC 6265bis), kept apart for each job.
//!
//! The cookie store of an HTTP client belongs to the client and so to all jobs at once. This one belongs to
//! its holder. The public suffix list prevents `example.co.uk` from setting a cookie for all of `co.uk`.

mod jar_cookie;
mod merge;
mod octets;
mod parse;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use gleaner_types::domain::public_suffix;
use http::HeaderMap;
use http::header::SET_COOKIE;
use url::{Host, Url};

pub use jar_cookie::{JarCookie, SameSite};
pub(crate) use octets::to_bytes;
use parse::SetCookie;

/// Most cookies in a jar. Beyond it the oldest is removed.
pub const MAX_COOKIES: usize = 1000;
/// Most cookies of one domain. Beyond it the oldest is removed.
pub const MAX_COOKIES_PER_DOMAIN: usize = 50;
/// Most `Set-Cookie` headers of one answer that are read.
const MAX_SET_PER_ANSWER: usize = 50;
/// Most bytes of a `Cookie` header.
const MAX_HEADER: usize = 8 * 1024;

/// The cookies of a job. Clones share them; separate jars share nothing.
///
/// ```
/// use gleaner_fetch::{CookieJar, Request};
///
/// let jar = CookieJar::new();
/// let mut request = Request::get("https://example.com/".parse()?);
/// request.cookies = Some(jar.clone());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct CookieJar(Arc<Mutex<Vec<JarCookie>>>);

impl CookieJar {
    /// An empty jar.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many cookies are in the jar, including expired ones that have not been removed yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.locked().len()
    }

    /// Whether the jar is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.locked().is_empty()
    }

    /// The cookies that have not expired at `now`, the oldest first.
    #[must_use]
    pub fn cookies(&self, now: SystemTime) -> Vec<JarCookie> {
        self.locked().iter().filter(|cookie| !cookie.is_expired(now)).cloned().collect()
    }

    fn locked(&self) -> MutexGuard<'_, Vec<JarCookie>> {
        // Nothing panics in the middle of a change under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the cookies that an answer from `url` sets.
    pub(crate) fn store(&self, url: &Url, headers: &HeaderMap, now: SystemTime) {
        for value in headers.get_all(SET_COOKIE).iter().take(MAX_SET_PER_ANSWER) {
            let text = octets::to_text(value.as_bytes());
            if let Some(set) = SetCookie::parse(&text) {
                self.set(url, set, now);
            }
        }
    }

    fn set(&self, url: &Url, set: SetCookie<'_>, now: SystemTime) {
        let Some(host) = url.host_str().map(without_root_dot) else { return };
        let is_secure = url.scheme() == "https";
        let (domain, host_only) = match set.domain.as_deref() {
            None => (host.to_owned(), true),
            Some(domain) if domain == host => (host.to_owned(), is_address(url) || is_public_suffix(domain)),
            Some(domain) if !is_address(url) && is_within(host, domain) && !is_public_suffix(domain) => {
                (domain.to_owned(), false)
            }
            Some(_) => return,
        };
        let path = match set.path {
            Some(path) => path.to_owned(),
            None => default_path(url),
        };
        // RFC 6265bis section 5.7: the value of a nameless cookie must not look like a name with a prefix
        // when it is sent.
        if set.name.is_empty() && (starts_with(set.value, "__Secure-") || starts_with(set.value, "__Host-")) {
            return;
        }
        let fulfils_prefix = match set.name {
            name if starts_with(name, "__Secure-") => set.secure,
            name if starts_with(name, "__Host-") => {
                set.secure && set.path == Some("/") && set.domain.is_none()
            }
            _ => true,
        };
        if (set.secure && !is_secure) || !fulfils_prefix {
            return;
        }
        let mut cookies = self.locked();
        // A page over plain HTTP must not replace a cookie of a secure page.
        let shadows = |old: &JarCookie| {
            old.secure
                && !is_secure
                && old.name == set.name
                && (is_within(&old.domain, &domain) || is_within(&domain, &old.domain))
        };
        if cookies.iter().any(shadows) {
            return;
        }
        let cookie = JarCookie {
            name: set.name.to_owned(),
            value: set.value.to_owned(),
            domain,
            host_only,
            path,
            secure: set.secure,
            http_only: set.http_only,
            same_site: set.same_site,
            expires: set.expiry(now),
        };
        if cookie.is_expired(now) {
            cookies.retain(|old| !cookie.replaces(old));
        } else {
            insert(&mut cookies, cookie);
        }
    }

    /// The `Cookie` header of a request to `url`, whose bytes [`to_bytes`] gives; `None` if there are no
    /// cookies to send.
    pub(crate) fn header(&self, url: &Url, now: SystemTime) -> Option<String> {
        let host = without_root_dot(url.host_str()?);
        let mut cookies = self.locked();
        cookies.retain(|cookie| !cookie.is_expired(now));
        let mut matching: Vec<&JarCookie> = cookies
            .iter()
            .filter(|cookie| {
                let domain_matches =
                    if cookie.host_only { cookie.domain == host } else { is_within(host, &cookie.domain) };
                domain_matches
                    && path_matches(url.path(), &cookie.path)
                    && (!cookie.secure || url.scheme() == "https")
            })
            .collect();
        // Longer paths first. The sort is stable, so older cookies with a path of the same length stay first.
        matching.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let mut header = String::new();
        for cookie in matching {
            if header.len() + cookie.name.len() + cookie.value.len() + 3 > MAX_HEADER {
                break;
            }
            if !header.is_empty() {
                header.push_str("; ");
            }
            header.push_str(&cookie.name);
            if !cookie.name.is_empty() {
                header.push('=');
            }
            header.push_str(&cookie.value);
        }
        (!header.is_empty()).then_some(header)
    }
}

/// Shows domains and names, no values.
impl fmt::Debug for CookieJar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cookies = self.locked();
        f.debug_list().entries(cookies.iter().map(|cookie| (&cookie.domain, &cookie.name))).finish()
    }
}

/// Adds a cookie in place of an older one, within the limits.
fn insert(cookies: &mut Vec<JarCookie>, cookie: JarCookie) {
    cookies.retain(|old| !cookie.replaces(old));
    let of_domain = |old: &JarCookie| old.domain == cookie.domain;
    if cookies.iter().filter(|old| of_domain(old)).count() >= MAX_COOKIES_PER_DOMAIN
        && let Some(oldest) = cookies.iter().position(of_domain)
    {
        cookies.remove(oldest);
    }
    if cookies.len() >= MAX_COOKIES {
        cookies.remove(0);
    }
    cookies.push(cookie);
}

fn is_address(url: &Url) -> bool {
    matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)))
}

/// The host without the dot that names the DNS root: `a.example.` is `a.example`.
fn without_root_dot(host: &str) -> &str {
    match host.strip_suffix('.') {
        Some(name) if !name.is_empty() && !name.ends_with('.') => name,
        _ => host,
    }
}

fn is_public_suffix(domain: &str) -> bool {
    public_suffix(domain) == Some(domain)
}

/// Whether `host` is the domain itself or a subdomain.
fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn starts_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// The folder of the URL's path (RFC 6265bis section 5.1.4).
fn default_path(url: &Url) -> String {
    match url.path().rsplit_once('/') {
        Some((folder, _)) if !folder.is_empty() => folder.to_owned(),
        _ => "/".to_owned(),
    }
}

fn path_matches(path: &str, cookie: &str) -> bool {
    path.strip_prefix(cookie)
        .is_some_and(|rest| rest.is_empty() || cookie.ends_with('/') || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::HeaderValue;

    use super::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn after(seconds: u64) -> SystemTime {
        NOW + Duration::from_secs(1_700_000_000 + seconds)
    }

    fn set(jar: &CookieJar, url: &str, cookie: &str) {
        let mut headers = HeaderMap::new();
        headers.append(SET_COOKIE, HeaderValue::from_str(cookie).unwrap());
        jar.store(&Url::parse(url).unwrap(), &headers, after(0));
    }

    fn sent(jar: &CookieJar, url: &str) -> String {
        jar.header(&Url::parse(url).unwrap(), after(1)).unwrap_or_default()
    }

    #[test]
    fn cookies_are_sent_to_matching_urls_only() {
        let rows = [
            // name, set by, cookie, requested URL, sent
            ("host only", "https://a.example.com/", "k=v", "https://a.example.com/x", "k=v"),
            ("host only, below", "https://example.com/", "k=v", "https://a.example.com/", ""),
            (
                "domain, below",
                "https://example.com/",
                "k=v; Domain=example.com",
                "https://a.example.com/",
                "k=v",
            ),
            (
                "domain, from below",
                "https://a.example.com/",
                "k=v; domain=.Example.com",
                "https://b.example.com/",
                "k=v",
            ),
            ("another domain", "https://example.com/", "k=v; Domain=other.com", "https://other.com/", ""),
            (
                "a domain below",
                "https://example.com/",
                "k=v; Domain=a.example.com",
                "https://a.example.com/",
                "",
            ),
            (
                "a suffix of letters",
                "https://badexample.com/",
                "k=v; Domain=example.com",
                "https://example.com/",
                "",
            ),
            ("public suffix", "https://a.co.uk/", "k=v; Domain=co.uk", "https://b.co.uk/", ""),
            ("public suffix of the root", "https://a.co.uk./", "k=v; Domain=co.uk.", "https://b.co.uk./", ""),
            ("the same host of the root", "https://a.co.uk/", "k=v", "https://a.co.uk./", "k=v"),
            ("private suffix", "https://a.github.io/", "k=v; Domain=github.io", "https://b.github.io/", ""),
            ("top level", "https://example.com/", "k=v; Domain=com", "https://other.com/", ""),
            ("suffix for itself", "https://github.io/", "k=v; Domain=github.io", "https://a.github.io/", ""),
            ("address", "http://192.0.0.9/", "k=v; Domain=0.0.9", "http://10.0.0.9/", ""),
            ("address for itself", "http://192.0.0.9/", "k=v; Domain=192.0.0.9", "http://192.0.0.9/", "k=v"),
            ("path", "https://example.com/a/b", "k=v", "https://example.com/a/c", "k=v"),
            ("path, outside", "https://example.com/a/b", "k=v", "https://example.com/ab", ""),
            ("path, named", "https://example.com/", "k=v; Path=/x", "https://example.com/x/y", "k=v"),
            (
                "path, not a prefix by letters",
                "https://example.com/",
                "k=v; Path=/x",
                "https://example.com/xy",
                "",
            ),
            ("secure over http", "https://example.com/", "k=v; Secure", "http://example.com/", ""),
            ("secure from http", "http://example.com/", "k=v; Secure", "https://example.com/", ""),
            (
                "port and scheme do not matter",
                "http://example.com/",
                "k=v",
                "https://example.com:8443/",
                "k=v",
            ),
            (
                "__Host-",
                "https://example.com/",
                "__Host-k=v; Secure; Path=/",
                "https://example.com/",
                "__Host-k=v",
            ),
            (
                "__Host- with domain",
                "https://example.com/",
                "__Host-k=v; Secure; Path=/; Domain=example.com",
                "https://example.com/",
                "",
            ),
            ("__secure- without secure", "https://example.com/", "__secure-k=v", "https://example.com/", ""),
            ("expired", "https://example.com/", "k=v; Max-Age=0", "https://example.com/", ""),
            (
                "max-age over expires",
                "https://example.com/",
                "k=v; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
                "https://example.com/",
                "k=v",
            ),
            (
                "expires",
                "https://example.com/",
                "k=v; Expires=Wed, 09-Jun-2021 10:18:14 GMT",
                "https://example.com/",
                "",
            ),
            ("garbage date", "https://example.com/", "k=v; Expires=tomorrow", "https://example.com/", "k=v"),
            ("no name", "https://example.com/", "v", "https://example.com/", "v"),
            ("quotes stay", "https://example.com/", "k=\"v\"", "https://example.com/", "k=\"v\""),
        ];
        for (name, from, cookie, to, expected) in rows {
            let jar = CookieJar::new();
            set(&jar, from, cookie);
            assert_eq!(sent(&jar, to), expected, "{name}");
        }
    }

    #[test]
    fn cookies_come_back_byte_by_byte() {
        let jar = CookieJar::new();
        for cookie in [
            "region=Münster; Path=/".as_bytes(),
            "größe=1".as_bytes(),
            b"stadt=K\xf6ln",
            "sid=7; Comment=Für Sitzung".as_bytes(),
            b"tab=a\tb; Comment=\xff",
            "space=\u{a0}".as_bytes(),
        ] {
            let value = HeaderValue::from_bytes(cookie).unwrap();
            let headers = HeaderMap::from_iter([(SET_COOKIE, value)]);
            jar.store(&Url::parse("https://example.com/").unwrap(), &headers, after(0));
        }
        let expected = [
            "region=Münster; größe=1; stadt=K".as_bytes(),
            b"\xf6ln; sid=7; tab=a\tb; ",
            "space=\u{a0}".as_bytes(),
        ];
        assert_eq!(to_bytes(&sent(&jar, "https://example.com/")), expected.concat());
    }

    #[test]
    fn cookies_are_replaced_removed_and_ordered() {
        let jar = CookieJar::new();
        let site = "https://example.com/";
        set(&jar, site, "a=1");
        set(&jar, site, "b=2; Path=/x");
        set(&jar, site, "c=3");
        assert_eq!(sent(&jar, "https://example.com/x"), "b=2; a=1; c=3");
        set(&jar, site, "a=9");
        assert_eq!(sent(&jar, site), "c=3; a=9");
        set(&jar, site, "a=; Max-Age=-1");
        assert_eq!(sent(&jar, site), "c=3");
    }

    #[test]
    fn plain_http_does_not_replace_secure_cookies() {
        let jar = CookieJar::new();
        set(&jar, "https://example.com/", "k=secret; Secure; Domain=example.com");
        set(&jar, "http://example.com/", "k=forged; Domain=example.com");
        set(&jar, "http://a.example.com/", "k=forged");
        assert_eq!(sent(&jar, "https://a.example.com/"), "k=secret");
    }

    #[test]
    fn jars_and_headers_are_bounded() {
        let jar = CookieJar::new();
        for n in 0..200 {
            set(&jar, "https://example.com/", &format!("k{n}=v"));
        }
        assert_eq!(jar.len(), MAX_COOKIES_PER_DOMAIN);
        assert!(sent(&jar, "https://example.com/").ends_with("k199=v"));
        for n in 0..2000 {
            set(&jar, &format!("https://h{n}.example.com/"), "k=v");
        }
        assert_eq!(jar.len(), MAX_COOKIES);
        let big = CookieJar::new();
        for n in 0..50 {
            set(&big, "https://example.com/", &format!("k{n}={}", "v".repeat(1000)));
        }
        assert!(sent(&big, "https://example.com/").len() <= MAX_HEADER);
    }

    #[test]
    fn attributes_of_cookies_are_kept() {
        let jar = CookieJar::new();
        set(&jar, "https://example.com/a/b", "k=v; Secure; HttpOnly; SameSite=Strict; Domain=example.com");
        let expected = JarCookie {
            host_only: false,
            path: "/a".to_owned(),
            secure: true,
            http_only: true,
            same_site: Some(SameSite::Strict),
            ..JarCookie::new("k", "v", "example.com")
        };
        assert_eq!(jar.cookies(after(0)), [expected]);
    }

    #[test]
    fn jars_share_nothing_and_show_no_values() {
        let (one, other) = (CookieJar::new(), CookieJar::new());
        set(&one, "https://example.com/", "k=hunter2");
        assert!(other.is_empty());
        assert!(!format!("{one:?} {:?}", one.cookies(after(0))).contains("hunter2"));
    }
}
