//! The cookies of a job in the form that a durable store keeps.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gleaner_fetch::{CookieJar, JarCookie, SameSite};
use serde::{Deserialize, Serialize};

/// A cookie of a jar. New fields are optional.
#[derive(Serialize, Deserialize)]
struct SavedCookie {
    name: String,
    value: String,
    domain: String,
    host_only: bool,
    path: String,
    secure: bool,
    http_only: bool,
    same_site: Option<SavedSameSite>,
    /// Time since the Unix epoch.
    expires: Option<Duration>,
}

#[derive(Serialize, Deserialize)]
enum SavedSameSite {
    Strict,
    Lax,
    None,
}

impl From<JarCookie> for SavedCookie {
    fn from(cookie: JarCookie) -> Self {
        Self {
            same_site: cookie.same_site.map(|same_site| match same_site {
                SameSite::Strict => SavedSameSite::Strict,
                SameSite::Lax => SavedSameSite::Lax,
                SameSite::None => SavedSameSite::None,
            }),
            expires: cookie.expires.map(|at| at.duration_since(UNIX_EPOCH).unwrap_or_default()),
            name: cookie.name,
            value: cookie.value,
            domain: cookie.domain,
            host_only: cookie.host_only,
            path: cookie.path,
            secure: cookie.secure,
            http_only: cookie.http_only,
        }
    }
}

impl From<SavedCookie> for JarCookie {
    fn from(saved: SavedCookie) -> Self {
        let mut cookie = Self::new(saved.name, saved.value, saved.domain);
        (cookie.host_only, cookie.path) = (saved.host_only, saved.path);
        (cookie.secure, cookie.http_only) = (saved.secure, saved.http_only);
        cookie.same_site = saved.same_site.map(|same_site| match same_site {
            SavedSameSite::Strict => SameSite::Strict,
            SavedSameSite::Lax => SameSite::Lax,
            SavedSameSite::None => SameSite::None,
        });
        cookie.expires = saved.expires.and_then(|since_epoch| UNIX_EPOCH.checked_add(since_epoch));
        cookie
    }
}

/// The cookies of a jar; `None` if it is empty.
pub(super) fn save(jar: &CookieJar) -> Option<Vec<u8>> {
    let cookies: Vec<SavedCookie> = jar.cookies(SystemTime::now()).into_iter().map(Into::into).collect();
    if cookies.is_empty() { None } else { serde_json::to_vec(&cookies).ok() }
}

/// Adds saved cookies to a jar, within its rules. Bytes that cannot be read are ignored.
pub(super) fn restore(jar: &CookieJar, saved: &[u8]) {
    if let Ok(cookies) = serde_json::from_slice::<Vec<SavedCookie>>(saved) {
        jar.merge(&[], cookies.into_iter().map(Into::into).collect(), SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_restored_with_all_attributes() {
        let jar = CookieJar::new();
        assert_eq!(save(&jar), None);
        let mut full = JarCookie::new("full", "secret", "example.com");
        (full.host_only, full.path) = (false, "/docs".to_owned());
        (full.secure, full.http_only, full.same_site) = (true, true, Some(SameSite::Lax));
        full.expires = Some(SystemTime::now() + Duration::from_secs(3_600));
        let plain = JarCookie::new("plain", "1", "a.example.com");
        jar.merge(&[], vec![full, plain], SystemTime::now());
        let saved = save(&jar).unwrap();

        let restored = CookieJar::new();
        restore(&restored, &saved);
        let now = SystemTime::now();
        assert_eq!(restored.cookies(now), jar.cookies(now));
        assert_eq!(restored.len(), 2);
        restore(&restored, b"not JSON");
        assert_eq!(restored.len(), 2);
    }
}
