//! The cookies of a job, in the context of a page.

use std::time::{Duration, UNIX_EPOCH};

use gleaner_fetch::{JarCookie, SameSite};

use crate::page::Tab;
use crate::protocol::storage::{Cookie, GetCookies, SetCookies};
use crate::wire::CallError;

/// Gives the cookies of the job to the page. Returns them.
pub(crate) async fn load(tab: &Tab<'_>) -> Result<Vec<JarCookie>, CallError> {
    let cookies = tab.request.cookies.cookies(tab.proxy.now());
    if !cookies.is_empty() {
        let set = SetCookies {
            cookies: cookies.iter().map(to_browser).collect(),
            browser_context_id: tab.context.id.clone(),
        };
        tab.client().call(None, &set).await?;
    }
    Ok(cookies)
}

/// Gives the cookies of the page to the job, which had `before`.
pub(crate) async fn save(tab: &Tab<'_>, before: &[JarCookie]) {
    let get = GetCookies { browser_context_id: tab.context.id.clone() };
    if let Ok(reply) = tab.client().call(None, &get).await {
        let after = reply.cookies.into_iter().map(to_jar).collect();
        tab.request.cookies.merge(before, after, tab.proxy.now());
    }
}

fn to_browser(cookie: &JarCookie) -> Cookie {
    let same_site = cookie.same_site.map(|same_site| match same_site {
        SameSite::Strict => "Strict",
        SameSite::Lax => "Lax",
        SameSite::None => "None",
    });
    let expires = cookie.expires.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Cookie {
        name: cookie.name.clone(),
        value: cookie.value.clone(),
        // A leading dot means that subdomains get the cookie too.
        domain: if cookie.host_only { cookie.domain.clone() } else { format!(".{}", cookie.domain) },
        path: cookie.path.clone(),
        secure: cookie.secure,
        http_only: cookie.http_only,
        same_site: same_site.map(str::to_owned),
        expires: expires.map(|at| at.as_secs_f64()),
    }
}

fn to_jar(cookie: Cookie) -> JarCookie {
    let (domain, host_only) = match cookie.domain.strip_prefix('.') {
        Some(domain) => (domain, false),
        None => (cookie.domain.as_str(), true),
    };
    let mut kept = JarCookie::new(cookie.name, cookie.value, domain.to_ascii_lowercase());
    (kept.host_only, kept.path) = (host_only, cookie.path);
    (kept.secure, kept.http_only) = (cookie.secure, cookie.http_only);
    kept.same_site = match cookie.same_site.as_deref() {
        Some("Strict") => Some(SameSite::Strict),
        Some("Lax") => Some(SameSite::Lax),
        Some("None") => Some(SameSite::None),
        _ => None,
    };
    // A cookie of the session has -1.
    let expires = cookie.expires.and_then(|at| Duration::try_from_secs_f64(at).ok());
    kept.expires = expires.and_then(|at| UNIX_EPOCH.checked_add(at));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_the_same_after_a_visit() {
        let mut cookie = JarCookie::new("a", "b", "example.com");
        for host_only in [true, false] {
            for same_site in [None, Some(SameSite::Strict), Some(SameSite::Lax), Some(SameSite::None)] {
                (cookie.host_only, cookie.same_site, cookie.secure) = (host_only, same_site, host_only);
                cookie.expires = host_only.then(|| UNIX_EPOCH + Duration::from_secs(2_000_000_000));
                assert_eq!(to_jar(to_browser(&cookie)), cookie);
            }
        }
        let session = Cookie { expires: Some(-1.0), ..to_browser(&cookie) };
        assert_eq!(to_jar(session).expires, None);
    }
}
