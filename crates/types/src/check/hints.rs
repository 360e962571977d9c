//! What to say about a key that a request does not have: what it is called in this version, or which key is near.

use super::report::Version;
use super::shape::{Record, Shape};
use super::text::alternatives;

/// Keys longer than this are not compared with known ones.
const MAX_COMPARED_BYTES: usize = 64;
/// Records with at most so many keys are listed where no key is near.
const MAX_LISTED_KEYS: usize = 8;

/// A key of another version, where `beside` is a key of this version's record that has something in its place.
struct Elsewhere {
    version: Version,
    key: &'static str,
    beside: &'static str,
    advice: &'static str,
}

const fn in_v2(key: &'static str, beside: &'static str, advice: &'static str) -> Elsewhere {
    Elsewhere { version: Version::V2, key, beside, advice }
}

const fn in_v1(key: &'static str, beside: &'static str, advice: &'static str) -> Elsewhere {
    Elsewhere { version: Version::V1, key, beside, advice }
}

const ELSEWHERE: &[Elsewhere] = &[
    // v1's names (contract 9), met in v2.
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
    // v0's names, which old code still sends.
    in_v2(
        "extractorOptions",
        "formats",
        "in v2 it is an entry of `formats`: {\"type\": \"json\", \"schema\": ..., \"prompt\": ...}",
    ),
    in_v2("pageOptions", "scrapeOptions", "in v2 it is `scrapeOptions`"),
    in_v2("pageOptions", "onlyMainContent", "in v2 its fields stand beside `url`"),
    in_v2("crawlerOptions", "scrapeOptions", "in v2 its fields stand beside `url`"),
    in_v2("includes", "includePaths", "in v2 it is `includePaths`"),
    in_v2("excludes", "excludePaths", "in v2 it is `excludePaths`"),
    in_v2("onlyIncludeTags", "includeTags", "in v2 it is `includeTags`"),
    in_v2("removeTags", "excludeTags", "in v2 it is `excludeTags`"),
    in_v2("agent", "actions", "agents are not offered: `actions` say what to do on a page"),
    in_v2("useIndex", "includeSubdomains", "there is no index of sites that others mapped"),
    in_v2("geolocation", "location", "in v2 it is `location`"),
    in_v2("maxCrawledLinks", "limit", "in v2 it is `limit`"),
    // v2's names, met in v1.
    in_v1("sitemap", "sitemapOnly", "in v1 it is `ignoreSitemap` or `sitemapOnly`"),
    in_v1("sitemap", "ignoreSitemap", "in v1 it is `ignoreSitemap`"),
    in_v1("parsers", "parsePDF", "in v1 it is `parsePDF`"),
    in_v1("prompt", "allowBackwardLinks", "it is new in v2: send the crawl to /v2/crawl"),
    in_v1("pageOptions", "scrapeOptions", "in v1 it is `scrapeOptions`"),
    in_v1("pageOptions", "onlyMainContent", "in v1 its fields stand beside `url`"),
    in_v1("crawlerOptions", "scrapeOptions", "in v1 its fields stand beside `url`"),
    in_v1("extractorOptions", "jsonOptions", "in v1 it is `jsonOptions`"),
    in_v1("agent", "jsonOptions", "agents are not offered: `actions` say what to do on a page"),
    in_v1("includes", "includePaths", "in v1 it is `includePaths`"),
    in_v1("excludes", "excludePaths", "in v1 it is `excludePaths`"),
    in_v1("onlyIncludeTags", "includeTags", "in v1 it is `includeTags`"),
    in_v1("removeTags", "excludeTags", "in v1 it is `excludeTags`"),
    in_v1("geolocation", "location", "in v1 it is `location`"),
    in_v1("maxCrawledLinks", "limit", "in v1 it is `limit`"),
];

/// Advice for a key that the record does not have, if there is any to give.
pub(crate) fn for_unknown(version: Version, record: &Record, key: &str) -> Option<String> {
    let known = || record.fields.keys().map(String::as_str);
    let elsewhere = ELSEWHERE
        .iter()
        .find(|hint| hint.version == version && hint.key == key && record.fields.contains_key(hint.beside));
    if let Some(hint) = elsewhere {
        return Some(hint.advice.to_owned());
    }
    if let Some(Shape::Record(options)) = record.fields.get("scrapeOptions").map(|field| &field.shape) {
        if options.fields.contains_key(key) {
            return Some("it belongs in `scrapeOptions`".to_owned());
        }
        // One longer than any name is not compared, and is not to be read for each of them.
        let bare_key = if key.len() <= MAX_COMPARED_BYTES { bare(key) } else { String::new() };
        let same = |name: &str| !bare_key.is_empty() && bare(name) == bare_key;
        if let (Some(name), false) = (options.fields.keys().find(|name| same(name)), known().any(same)) {
            return Some(format!("it belongs in `scrapeOptions`, as `{name}`"));
        }
    }
    if let Some(near) = nearest(key, known()) {
        return Some(format!("did you mean `{near}`?"));
    }
    (record.fields.len() <= MAX_LISTED_KEYS).then(|| format!("known here: {}", alternatives(known())))
}

/// The known key that a slip of the pen, or another habit of writing names, would turn into this one.
fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if key.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let bare = bare(key);
    let (distance, near) = known
        .map(|name| (strsim::osa_distance(&bare, &self::bare(name)), name))
        .min_by_key(|(distance, _)| *distance)?;
    let tolerated = 1 + bare.chars().count() / 4;
    (distance <= tolerated && distance < bare.chars().count()).then_some(near)
}

/// The name without case and separators: `only_main_content` and `onlyMainContent` are one.
fn bare(name: &str) -> String {
    name.chars().filter(|character| !matches!(character, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
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
