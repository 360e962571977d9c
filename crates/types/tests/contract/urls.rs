//! Rules for URLs.

use gleaner_types::plan::ScrapePlan;
use serde_json::json;

use crate::row::{no, ok, run};

#[test]
fn addresses() {
    let url = |url: &str| json!({ "url": url });
    run::<ScrapePlan>(
        vec![
            ok("https", url("https://a.example/x"), |p| {
                p.target.url.as_str() == "https://a.example/x" && !p.target.scheme_assumed
            }),
            ok("http stays http", url("http://a.example"), |p| p.target.url.scheme() == "http"),
            ok("no scheme means https first", url("a.example/x"), |p| {
                p.target.url.as_str() == "https://a.example/x" && p.target.scheme_assumed
            }),
            ok("no scheme but a port", url("a.example:8080"), |p| {
                p.target.url.port() == Some(8080) && p.target.scheme_assumed
            }),
            ok("an IPv4 literal", url("http://10.0.0.1/"), |p| p.target.url.host_str() == Some("10.0.0.1")),
            ok("an IPv6 literal", url("http://[::1]/"), |p| p.target.url.host_str() == Some("[::1]")),
            ok("a host of one label", url("http://intranet/"), |p| {
                p.target.url.host_str() == Some("intranet")
            }),
            ok("an international host", url("https://müller.example/"), |p| {
                p.target.url.host_str() == Some("xn--mller-kva.example")
            }),
            ok("space around", url("  https://a.example/ "), |p| {
                p.target.url.as_str() == "https://a.example/"
            }),
            ok("a query and a fragment stay", url("https://a.example/?b#c"), |p| {
                p.target.url.as_str() == "https://a.example/?b#c"
            }),
            no("missing", json!({}), "url", "`url` is missing"),
            no("null", json!({ "url": null }), "url", "must be a string, not null"),
            no("a number", json!({ "url": 5 }), "url", "must be a string, not 5"),
            no("a list", json!({ "url": ["https://a.example/"] }), "url", "must be a string, not an array"),
            no("empty", url(""), "url", "it is empty"),
            no("blank", url("  "), "url", "it is empty"),
            no("ftp", url("ftp://a.example/"), "url", "scheme `ftp`, but only http and https are supported"),
            no("file", url("file:///etc/passwd"), "url", "scheme `file`"),
            no("javascript", url("javascript:alert(1)"), "url", "scheme `javascript`"),
            no("data", url("data:text/html,x"), "url", "scheme `data`"),
            no("user and password", url("https://me:hush@a.example/"), "url", "send them in `headers`"),
            no("user alone", url("https://me@a.example/"), "url", "send them in `headers`"),
            no("no host", url("https:///"), "url", "no host"),
            no("a path", url("/docs"), "url", "path without a host"),
            no("words", url("not a url"), "url", "invalid host"),
            no("a port out of range", url("https://a.example:70000/"), "url", "invalid port"),
            no("too long", url(&format!("https://a.example/{}", "a".repeat(9000))), "url", "at most 8192"),
        ],
        "",
        ScrapePlan::from_json,
    );
}

#[test]
fn credentials_are_never_repeated() {
    for url in [
        "https://me:hush@a.example/",
        "me:hush@a.example",
        "ftp://me:hush@a.example/",
        "https://a b/?key=hush",
    ] {
        let faults = ScrapePlan::from_json(&json!({ "url": url })).unwrap_err();
        assert!(!faults.to_string().contains("hush"), "{faults}");
    }
}
