//! Learns the URL patterns of a site, such as `shop.example/cups/*`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use url::Url;

/// Upper bound on the path segments of a pattern; deeper ones become one `*`.
const MAX_SEGMENTS: usize = 12;
/// Upper bound on the names at one position of a path that are kept even though each leads to one page only.
const MAX_NAMES: usize = 12;
/// Upper bound on the names kept at one position.
const MAX_LITERALS: usize = 200;
/// Upper bound on the query keys of a pattern.
const MAX_KEYS: usize = 8;
/// Upper bound on the URLs that patterns are learned from.
pub const MAX_PATTERN_URLS: usize = 100_000;

/// The URL patterns of a site: `https://shop.example/cups/red-cup` matches `shop.example/cups/*`.
///
/// Pages of one pattern mostly share a template. A path segment is kept if it names a section: it stands
/// above many pages, or beside few others. A segment with digits, or one that reads like a headline, names a
/// single page and becomes `*`. Learning takes one pass per level of the path, so the time is linear in the
/// number of URLs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UrlPatterns {
    /// Prefixes whose last segment is kept.
    literals: BTreeSet<String>,
    learned: bool,
}

impl UrlPatterns {
    /// Learns the sections of a site from its first [`MAX_PATTERN_URLS`] URLs.
    #[must_use]
    pub fn learn<'u>(urls: impl IntoIterator<Item = &'u Url>) -> Self {
        let urls: Vec<(String, Vec<&str>)> =
            urls.into_iter().take(MAX_PATTERN_URLS).map(|url| (host(url), segments(url))).collect();
        let mut prefixes: Vec<String> = urls.iter().map(|(host, _)| host.clone()).collect();
        let mut literals = BTreeSet::new();
        for level in 0..MAX_SEGMENTS {
            // For each prefix the names that follow it: the number of pages at or below the name, and whether
            // any page is below it.
            let mut positions: BTreeMap<&str, BTreeMap<&str, (usize, bool)>> = BTreeMap::new();
            for ((_, parts), prefix) in urls.iter().zip(&prefixes) {
                let Some(part) = parts.get(level) else { continue };
                let name = positions.entry(prefix).or_default().entry(part).or_default();
                name.0 += 1;
                name.1 |= parts.len() > level + 1;
            }
            let mut level_literals: BTreeSet<String> = BTreeSet::new();
            for (prefix, names) in positions {
                let plain = names.keys().filter(|name| !is_variable(name)).count();
                let total: usize = names.values().map(|(count, _)| *count).sum();
                let leaves = names.values().filter(|(_, below)| !below).count();
                let mut kept_names = 0;
                for (name, (count, below)) in names {
                    let section = below && (plain <= MAX_NAMES || count >= usize::max(2, total / 100));
                    // Pages side by side below a section are similar; those at the top level mostly differ.
                    let single = !below && if level == 0 { plain <= MAX_NAMES } else { leaves < 2 };
                    if !is_variable(name) && (section || single) && kept_names < MAX_LITERALS {
                        kept_names += 1;
                        level_literals.insert(format!("{prefix}/{name}"));
                    }
                }
            }
            let mut any = false;
            for ((_, parts), prefix) in urls.iter().zip(prefixes.iter_mut()) {
                let Some(part) = parts.get(level) else { continue };
                any = true;
                let literal = format!("{prefix}/{part}");
                *prefix = if level_literals.contains(&literal) {
                    literal
                } else {
                    format!("{prefix}/{}", wildcard(part))
                };
            }
            literals.append(&mut level_literals);
            if !any {
                break;
            }
        }
        Self { literals, learned: true }
    }

    /// The pattern of a URL, which need not be among those that were learned from.
    #[must_use]
    pub fn of(&self, url: &Url) -> String {
        let mut pattern = host(url);
        let parts = segments(url);
        let last = parts.len().saturating_sub(1);
        for (level, part) in parts.iter().enumerate().take(MAX_SEGMENTS) {
            let literal = format!("{pattern}/{part}");
            let is_literal = if self.learned {
                self.literals.contains(&literal)
            } else {
                level < last && !is_variable(part)
            };
            pattern = if is_literal { literal } else { format!("{pattern}/{}", wildcard(part)) };
        }
        if parts.len() > MAX_SEGMENTS {
            pattern.push_str("/*");
        }
        let keys: BTreeSet<String> =
            url.query_pairs().take(MAX_KEYS).map(|(key, _)| key.into_owned()).collect();
        if !keys.is_empty() {
            pattern.push('?');
            pattern.push_str(&keys.into_iter().collect::<Vec<_>>().join("&"));
        }
        pattern
    }
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The path segments that are not empty.
pub(crate) fn segments(url: &Url) -> Vec<&str> {
    url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).collect()
}

/// Whether a path segment names a single page: it has digits, or more than three words, or it is long.
pub(crate) fn is_variable(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    // `v2` and `web3` are names.
    let numbered = digits > 0 && !(digits == 1 && part.len() <= 6);
    numbered || part.split(['-', '_', '+']).filter(|word| !word.is_empty()).count() > 3 || part.len() > 40
}

/// `*`, with the file's suffix if there is one.
fn wildcard(part: &str) -> String {
    match part.rsplit_once('.') {
        Some((_, suffix)) if suffix.len() <= 5 && suffix.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            format!("*.{suffix}")
        }
        _ => "*".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(list: &[&str]) -> Vec<Url> {
        list.iter().map(|path| format!("https://www.shop.example{path}").parse().unwrap()).collect()
    }

    #[test]
    fn pages_of_one_template_share_a_pattern() {
        let site = urls(&[
            "/",
            "/about",
            "/contact",
            "/cups/red-cup",
            "/cups/blue-cup",
            "/cups/4711",
            "/blog/2024/hello.html",
            "/blog/2025/bye.html",
            "/view?id=7",
        ]);
        let patterns = UrlPatterns::learn(&site);
        let rows = [
            ("/about", "shop.example/about"),
            ("/cups/red-cup", "shop.example/cups/*"),
            ("/cups/never-seen", "shop.example/cups/*"),
            ("/blog/2030/new.html", "shop.example/blog/*/*.html"),
            ("/view?id=9", "shop.example/view?id"),
            ("/", "shop.example"),
        ];
        for (path, expected) in rows {
            assert_eq!(patterns.of(&urls(&[path])[0]), expected, "{path}");
        }
    }

    #[test]
    fn a_single_page_has_a_pattern_too() {
        let none = UrlPatterns::default();
        assert_eq!(none.of(&urls(&["/cups/red-cup"])[0]), "shop.example/cups/*");
    }

    #[test]
    fn many_pages_at_the_top_level_share_a_pattern() {
        let names: Vec<String> = (b'a'..=b'z').map(|letter| format!("/{}cup", char::from(letter))).collect();
        let mut list: Vec<&str> = names.iter().map(String::as_str).collect();
        list.extend(["/docs/a", "/docs/b"]);
        let site = urls(&list);
        let patterns = UrlPatterns::learn(&site);
        assert_eq!(patterns.of(&site[0]), "shop.example/*");
        assert_eq!(patterns.of(&site[26]), "shop.example/docs/*");
    }
}
