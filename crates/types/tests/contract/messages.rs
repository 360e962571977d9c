//! Tests of fault messages: wording, completeness, and the absence of secrets.

use gleaner_types::limits;
use gleaner_types::plan::{BatchPlan, CrawlPlan, ScrapePlan};
use serde_json::{Map, Value, json};

fn messages(body: &Value) -> Vec<String> {
    CrawlPlan::from_json(body).unwrap_err().into_iter().map(|fault| fault.message).collect()
}

#[test]
fn messages_have_this_wording() {
    for (body, message) in [
        (json!({ "url": "a.example", "limit": -5 }), "`limit` must be an integer of at least 1, not -5"),
        (
            json!({ "url": "a.example", "maxDepth": 3 }),
            "unknown field `maxDepth`: in v2 it is `maxDiscoveryDepth`",
        ),
        (json!({ "url": "a.example", "limt": 3 }), "unknown field `limt`: did you mean `limit`?"),
        (
            json!({ "url": "a.example", "scrapeOptions": { "location": { "town": "x" } } }),
            "unknown field `town` in `scrapeOptions.location`: known fields: `country` or `languages`",
        ),
        (json!({}), "`url` is missing: it must be a string such as \"https://example.com/\""),
        (json!([]), "the body must be a JSON object, not an array"),
        (json!("https://a.example/"), "the body must be a JSON object, not \"https://a.example/\""),
        (
            json!({ "url": "ftp://a.example/x?key=1" }),
            "`url` is not a URL that can be fetched: \"ftp://a.example/x…\" has the scheme `ftp`, but only http and https are supported",
        ),
        (
            json!({ "url": "https://me:hush@a.example/" }),
            "`url` is not a URL that can be fetched: \"https://…@a.example/\" contains a user name or password: send them in `headers` (`Authorization`) instead",
        ),
        (
            json!({ "url": "a.example", "scrapeOptions": { "waitFor": 20_000 } }),
            "`scrapeOptions.waitFor` must be at most half of `timeout` (15000 of 30000 milliseconds), not 20000",
        ),
        (
            json!({ "url": "a.example", "scrapeOptions": { "formats": ["markdwn"] } }),
            "`scrapeOptions.formats[0]` must be one of `attributes`, `branding`, `changeTracking`, `html`, `images`, `json`, `links`, `markdown`, `rawHtml`, `screenshot` or `summary`, or an object with that `type`, not \"markdwn\"",
        ),
    ] {
        assert_eq!(messages(&body), [message], "{body}");
    }
}

#[test]
fn all_faults_are_reported_together() {
    let body = json!({
        "url": "ftp://a.example/",
        "limit": "many",
        "maxDepth": 2,
        "includePaths": ["("],
        "scrapeOptions": { "timeout": 0, "formats": [{ "type": "screenshot", "quality": 500 },
            "changeTracking"] },
        "webhook": { "events": ["nope"] }
    });
    let mut paths: Vec<String> =
        CrawlPlan::from_json(&body).unwrap_err().into_iter().map(|fault| fault.path.to_string()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "includePaths[0]",
            "limit",
            "maxDepth",
            "scrapeOptions.formats[0].quality",
            "scrapeOptions.timeout",
            "url",
            "webhook.events[0]",
            "webhook.url",
        ]
    );
}

/// A rule that depends on a misshapen value reports nothing.
#[test]
fn no_fault_follows_from_another() {
    for (options, path) in [
        (json!({ "timeout": "x", "waitFor": 20_000 }), "scrapeOptions.timeout"),
        (json!({ "formats": ["markdwn", "changeTracking"] }), "scrapeOptions.formats[0]"),
        (
            json!({ "actions": [{ "type": "wait", "milliseconds": "x" }] }),
            "scrapeOptions.actions[0].milliseconds",
        ),
        (json!({ "formats": [{ "type": "json", "prompt": 5 }] }), "scrapeOptions.formats[0].prompt"),
        (json!({ "formats": [{ "type": "json", "schema": 5 }, "json"] }), "scrapeOptions.formats[0].schema"),
        (json!({ "minAge": 5, "maxAge": -1 }), "scrapeOptions.maxAge"),
    ] {
        let faults =
            CrawlPlan::from_json(&json!({ "url": "a.example", "scrapeOptions": options })).unwrap_err();
        assert!(faults.as_slice().iter().any(|fault| fault.path.to_string() == path), "{options}: {faults}");
        assert_eq!(faults.as_slice().len(), 1, "{options}: {faults}");
    }
}

#[test]
fn header_values_are_never_repeated() {
    let body = json!({
        "url": "a.example",
        "headers": { "authorization": ["hush"], "cookie": "hush\n", "x y": "hush", "x-a": 7_777_777 },
    });
    let faults = ScrapePlan::from_json(&body).unwrap_err();
    assert_eq!(faults.as_slice().len(), 4);
    assert!(!format!("{faults:?} {faults}").contains("hush"));
    assert!(!faults.to_string().contains("7777777"));
}

#[test]
fn many_faults_are_counted_but_not_all_listed() {
    let fields: Map<String, Value> = (0..5000).map(|n| (format!("zz{n}"), Value::Null)).collect();
    let faults = ScrapePlan::from_json(&Value::Object(fields)).unwrap_err();
    let (last, listed) = faults.as_slice().split_last().unwrap();
    assert_eq!(listed.len(), limits::MAX_FAULTS);
    // One of them is the missing `url`.
    assert_eq!((last.code.as_str(), last.message.as_str()), ("too_many_faults", "and 4901 more"));
}

#[test]
fn long_values_are_truncated_to_one_line() {
    let body =
        json!({ "url": "a.example", "x\u{1b}[2J\n".repeat(1000): 1, "proxy": "y\u{1b}\n".repeat(1000) });
    let faults = ScrapePlan::from_json(&body).unwrap_err();
    for fault in faults.as_slice() {
        let path = fault.path.to_string();
        assert!(fault.message.len() < 1000 && path.len() < 1000, "{}", fault.message.len());
        assert!(!fault.message.chars().chain(path.chars()).any(char::is_control));
    }
}

#[test]
fn nesting_is_limited() {
    let mut deep = json!({});
    for _ in 0..200 {
        deep = json!({ "a": deep });
    }
    let body = json!({ "urls": ["a.example"], "webhook": { "url": "https://h.example/", "metadata": deep } });
    let faults = BatchPlan::from_json(&body).unwrap_err();
    assert_eq!(faults.to_string(), "the body must be at most 128 arrays and objects deep");
}
