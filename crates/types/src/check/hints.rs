//! Hints for unknown keys: the name in this version of the API, or a similar key.

use super::report::Version;
use super::shape::{Record, Shape};
use super::text::alternatives;

/// Keys longer than this are not compared with known ones.
const MAX_COMPARED_BYTES: usize = 64;
/// If no key is similar, the keys of a record with at most this many are listed.
const MAX_LISTED_KEYS: usize = 8;

/// A key of another version of the API. The hint applies to records that have the key `sibling`.
struct RenamedKey {
    version: Version,
    key: &'static str,
    sibling: &'static str,
    advice: &'static str,
}

const fn in_v2(key: &'static str, sibling: &'static str, advice: &'static str) -> RenamedKey {
    RenamedKey { version: Version::V2, key, sibling, advice }
}

const fn in_v1(key: &'static str, sibling: &'static str, advice: &'static str) -> RenamedKey {
    RenamedKey { version: Version::V1, key, sibling, advice }
}

const RENAMED_KEYS: &[RenamedKey] = &[
    // v1's names in v2 requests.
    in_v2("maxDepth", "maxDiscoveryDepth", "in v2 it is `maxDiscoveryDepth`"),
    in_v2("ignoreSitemap", "sitemap", "in v2 it is `sitemap`: \"skip\""),
    in_v2("sitemapOnly", "sitemap", "in v2 it is `sitemap`: \"only\""),
    in_v2("allowBackwardLinks", "crawlEntireDomain", "in v2 it is `crawlEntireDomain`"),
    in_v2("parsePDF", "parsers", "in v2 it is `parsers`: [\"pdf\"] parses PDFs, [] does not"),
    in_v2(
        "jsonOptions",
        "formats",
        "in v2 it is an entry of `formats`: {\"type\": \"json\", \"schema\": ..., \"prompt\": ...}",
    ),
    in_v2(
        "extract",
        "formats",
        "in v2 it is an entry of `formats`: {\"type\": \"json\", \"schema\": ..., \"prompt\": ...}",
    ),
    in_v2(
        "changeTrackingOptions",
        "formats",
        "in v2 it is an entry of `formats`: {\"type\": \"changeTracking\", ...}",
    ),
    in_v2("systemPrompt", "schema", "in v2 there is only `prompt`"),
    // v0's names, which old clients still send.
    in_v2(
        "extractorOptions",
        "formats",
        "in v2 it is an entry of `formats`: {\"type\": \"json\", \"schema\": ..., \"prompt\": ...}",
    ),
    in_v2("pageOptions", "scrapeOptions", "in v2 it is `scrapeOptions`"),
    in_v2("pageOptions", "onlyMainContent", "in v2 its fields are next to `url`"),
    in_v2("crawlerOptions", "scrapeOptions", "in v2 its fields are next to `url`"),
    in_v2("includes", "includePaths", "in v2 it is `includePaths`"),
    in_v2("excludes", "excludePaths", "in v2 it is `excludePaths`"),
    in_v2("onlyIncludeTags", "includeTags", "in v2 it is `includeTags`"),
    in_v2("removeTags", "excludeTags", "in v2 it is `excludeTags`"),
    in_v2("agent", "actions", "agents are not supported: use `actions`"),
    in_v2("useIndex", "includeSubdomains", "there is no shared index of mapped sites"),
    in_v2("geolocation", "location", "in v2 it is `location`"),
    in_v2("maxCrawledLinks", "limit", "in v2 it is `limit`"),
    // v2's names in v1 requests.
    in_v1("sitemap", "sitemapOnly", "in v1 it is `ignoreSitemap` or `sitemapOnly`"),
    in_v1("sitemap", "ignoreSitemap", "in v1 it is `ignoreSitemap`"),
    in_v1("parsers", "parsePDF", "in v1 it is `parsePDF`"),
    in_v1("prompt", "allowBackwardLinks", "it is new in v2: send the request to /v2/crawl"),
    in_v1("pageOptions", "scrapeOptions", "in v1 it is `scrapeOptions`"),
    in_v1("pageOptions", "onlyMainContent", "in v1 its fields are next to `url`"),
    in_v1("crawlerOptions", "scrapeOptions", "in v1 its fields are next to `url`"),
    in_v1("extractorOptions", "jsonOptions", "in v1 it is `jsonOptions`"),
    in_v1("agent", "jsonOptions", "agents are not supported: use `actions`"),
    in_v1("includes", "includePaths", "in v1 it is `includePaths`"),
    in_v1("excludes", "excludePaths", "in v1 it is `excludePaths`"),
    in_v1("onlyIncludeTags", "includeTags", "in v1 it is `includeTags`"),
    in_v1("removeTags", "excludeTags", "in v1 it is `excludeTags`"),
    in_v1("geolocation", "location", "in v1 it is `location`"),
    in_v1("maxCrawledLinks", "limit", "in v1 it is `limit`"),
];

/// A hint for an unknown key, if there is one.
pub(crate) fn for_unknown(version: Version, record: &Record, key: &str) -> Option<String> {
    let known = || record.fields.keys().map(String::as_str);
    let renamed = RENAMED_KEYS
        .iter()
        .find(|hint| hint.version == version && hint.key == key && record.fields.contains_key(hint.sibling));
    if let Some(hint) = renamed {
        return Some(hint.advice.to_owned());
    }
    if let Some(Shape::Record(options)) = record.fields.get("scrapeOptions").map(|field| &field.shape) {
        if options.fields.contains_key(key) {
            return Some("it belongs in `scrapeOptions`".to_owned());
        }
        // Do not normalize long keys: they match no name.
        let normalized = if key.len() <= MAX_COMPARED_BYTES { normalize(key) } else { String::new() };
        let same = |name: &str| !normalized.is_empty() && normalize(name) == normalized;
        if let (Some(name), false) = (options.fields.keys().find(|name| same(name)), known().any(same)) {
            return Some(format!("it belongs in `scrapeOptions`, as `{name}`"));
        }
    }
    if let Some(nearest) = nearest(key, known()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    (record.fields.len() <= MAX_LISTED_KEYS).then(|| format!("known fields: {}", alternatives(known())))
}

/// The known key that this one is probably a misspelling of, or writes in another style.
fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if key.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let key = normalize(key);
    let (distance, nearest) = known
        .map(|name| (strsim::osa_distance(&key, &normalize(name)), name))
        .min_by_key(|(distance, _)| *distance)?;
    let length = key.chars().count();
    let tolerated = 1 + length / 4;
    (distance <= tolerated && distance < length).then_some(nearest)
}

/// The name without case and separators: `only_main_content` and `onlyMainContent` become equal.
fn normalize(name: &str) -> String {
    name.chars().filter(|character| !matches!(character, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_names_are_suggested() {
        let known = ["formats", "onlyMainContent", "timeout", "limit", "url", "urls"];
        for (key, near) in [
            ("fromats", Some("formats")),
            ("format", Some("formats")),
            ("only_main_content", Some("onlyMainContent")),
            ("TIMEOUT", Some("timeout")),
            ("timeOut", Some("timeout")),
            ("ur", Some("url")),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(key, known.into_iter()), near, "{key}");
        }
    }
}
