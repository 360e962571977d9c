//! The cookies of a jar after a browser had a copy of them.

use std::time::SystemTime;

use super::{CookieJar, JarCookie, insert};

impl CookieJar {
    /// Takes over what a browser did to its copy of the cookies. `before` is what it started with, `after`
    /// what it has at the end: changed and new cookies are stored, missing ones removed. Other requests of
    /// the job may change the jar meanwhile; the cookies that the browser did not touch stay as they are now.
    ///
    /// The limits and rules of the jar apply, so that a browser cannot store what an answer could not.
    pub fn merge(&self, before: &[JarCookie], after: Vec<JarCookie>, now: SystemTime) {
        let mut cookies = self.locked();
        let is_gone = |cookie: &JarCookie| !after.iter().any(|kept| kept.replaces(cookie));
        for gone in before.iter().filter(|cookie| is_gone(cookie)) {
            cookies.retain(|cookie| !cookie.is_unchanged(gone));
        }
        let is_changed = |cookie: &JarCookie| !before.iter().any(|old| cookie.is_unchanged(old));
        for cookie in after.into_iter().filter(is_changed).filter_map(|cookie| cookie.checked(now)) {
            insert(&mut cookies, cookie);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::header::SET_COOKIE;
    use http::{HeaderMap, HeaderValue};
    use url::Url;

    use super::*;
    use crate::cookies::{MAX_COOKIES, MAX_COOKIES_PER_DOMAIN};

    fn after(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
    }

    fn set(jar: &CookieJar, cookie: &str) {
        let headers = HeaderMap::from_iter([(SET_COOKIE, HeaderValue::from_str(cookie).unwrap())]);
        jar.store(&Url::parse("https://example.com/").unwrap(), &headers, after(0));
    }

    fn sent(jar: &CookieJar, url: &str) -> String {
        jar.header(&Url::parse(url).unwrap(), after(1)).unwrap_or_default()
    }

    #[test]
    fn what_a_browser_did_to_cookies_is_merged() {
        let jar = CookieJar::new();
        for cookie in ["same=1; Max-Age=60", "changed=1", "removed=1", "raced=1"] {
            set(&jar, cookie);
        }
        let before = jar.cookies(after(0));
        assert_eq!(before.len(), 4);
        // Another page of the job.
        set(&jar, "raced=2");
        set(&jar, "other=1");
        let mut at_end = before.clone();
        at_end.retain(|cookie| cookie.name != "removed");
        for cookie in &mut at_end {
            match cookie.name.as_str() {
                "same" => cookie.expires = cookie.expires.map(|expires| expires - Duration::from_millis(300)),
                "changed" => cookie.value = "2".to_owned(),
                _ => {}
            }
        }
        at_end.push(JarCookie::new("new", "1", "example.com"));
        jar.merge(&before, at_end, after(1));
        assert_eq!(sent(&jar, "https://example.com/"), "same=1; raced=2; other=1; changed=2; new=1");
        assert!(jar.cookies(after(61)).iter().all(|cookie| cookie.name != "same"), "it has expired");
    }

    #[test]
    fn a_browser_stores_no_more_than_an_answer_could() {
        let jar = CookieJar::new();
        let cookie = |name: &str, value: &str| JarCookie::new(name, value, "example.com");
        let with = |change: &dyn Fn(&mut JarCookie)| {
            let mut cookie = cookie("k", "v");
            change(&mut cookie);
            cookie
        };
        let refused = vec![
            cookie("", ""),
            cookie("k", "a\r\nb: c"),
            cookie("k", "a; b=c"),
            cookie("k=l", "v"),
            cookie("k", "\u{7f}"),
            cookie("k", &"v".repeat(4096)),
            with(&|cookie| cookie.path = "x".to_owned()),
            with(&|cookie| cookie.domain = String::new()),
            with(&|cookie| cookie.expires = Some(after(0))),
            with(&|cookie| (cookie.domain, cookie.host_only) = (".co.uk".to_owned(), false)),
        ];
        jar.merge(&[], refused, after(0));
        assert!(jar.is_empty(), "{jar:?}");
        let many = (0..200).map(|n| cookie(&format!("k{n}"), "v")).collect();
        jar.merge(&[], many, after(0));
        assert_eq!(jar.len(), MAX_COOKIES_PER_DOMAIN);
        let many = (0..2000).map(|n| JarCookie::new("k", "v", format!("h{n}.example.com"))).collect();
        jar.merge(&[], many, after(0));
        assert_eq!(jar.len(), MAX_COOKIES);
        let shared = with(&|cookie| (cookie.domain, cookie.host_only) = (".Example.org".to_owned(), false));
        jar.merge(&[], vec![shared], after(0));
        assert_eq!(sent(&jar, "https://a.example.org/"), "k=v");
    }
}
