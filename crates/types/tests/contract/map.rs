//! Rules for map requests of v1 and v2.

use std::time::Duration;

use gleaner_types::plan::{MapPlan, SitemapMode};
use gleaner_types::request::v1;
use serde_json::json;

use crate::row::{no, ok, run, with};

#[test]
fn maps() {
    let with = |fields| with(&json!({ "url": "https://a.example/" }), &fields);
    run::<MapPlan>(
        vec![
            ok("defaults", with(json!({})), |p| {
                p.search.is_none()
                    && p.sitemap == SitemapMode::Include
                    && p.include_subdomains
                    && p.ignore_query_parameters
                    && p.limit == 5000
                    && p.timeout.is_none()
                    && p.location.country == "US"
            }),
            ok("search", with(json!({ "search": "blog" })), |p| p.search.as_deref() == Some("blog")),
            ok("a blank search is ignored", with(json!({ "search": " " })), |p| p.search.is_none()),
            ok("sitemap only", with(json!({ "sitemap": "only" })), |p| p.sitemap == SitemapMode::Only),
            ok(
                "switches",
                with(json!({ "includeSubdomains": false, "ignoreQueryParameters": false })),
                |p| !p.include_subdomains && !p.ignore_query_parameters,
            ),
            ok("the greatest limit", with(json!({ "limit": 100_000 })), |p| p.limit == 100_000),
            no("a greater limit", with(json!({ "limit": 100_001 })), "limit", "from 1 to 100000, not 100001"),
            no("a limit of 0", with(json!({ "limit": 0 })), "limit", "from 1 to 100000, not 0"),
            ok("timeout", with(json!({ "timeout": 5000 })), |p| p.timeout == Some(Duration::from_secs(5))),
            no("timeout of 0", with(json!({ "timeout": 0 })), "timeout", "from 1 to 300000"),
            ok("location", with(json!({ "location": { "country": "fr" } })), |p| p.location.country == "FR"),
            no(
                "a bad country",
                with(json!({ "location": { "country": "F" } })),
                "location.country",
                "alpha-2",
            ),
            no("no url", json!({ "search": "x" }), "url", "is missing"),
            no("scrape options", with(json!({ "formats": [] })), "formats", "unknown field `formats`"),
            no(
                "v1's ignoreSitemap",
                with(json!({ "ignoreSitemap": true })),
                "ignoreSitemap",
                "in v2 it is `sitemap`: \"skip\"",
            ),
            no(
                "v1's sitemapOnly",
                with(json!({ "sitemapOnly": true })),
                "sitemapOnly",
                "in v2 it is `sitemap`: \"only\"",
            ),
            no("an unsupported option", with(json!({ "safeMode": true })), "safeMode", "is not supported"),
            no("v1's useIndex", with(json!({ "useIndex": true })), "useIndex", "there is no shared index"),
        ],
        "",
        MapPlan::from_json,
    );
}

#[test]
fn maps_of_v1() {
    let with = |fields| with(&json!({ "url": "https://a.example/" }), &fields);
    run::<MapPlan>(
        vec![
            ok("defaults", with(json!({})), |p| p.sitemap == SitemapMode::Include && p.limit == 5000),
            ok("ignoreSitemap", with(json!({ "ignoreSitemap": true })), |p| p.sitemap == SitemapMode::Skip),
            ok("sitemapOnly", with(json!({ "sitemapOnly": true })), |p| p.sitemap == SitemapMode::Only),
            ok("useIndex, without effect", with(json!({ "useIndex": true })), |p| p.limit == 5000),
            no(
                "both",
                with(json!({ "sitemapOnly": true, "ignoreSitemap": true })),
                "sitemapOnly",
                "cannot be true together with `ignoreSitemap`",
            ),
            no(
                "v2's sitemap",
                with(json!({ "sitemap": "skip" })),
                "sitemap",
                "in v1 it is `ignoreSitemap` or `sitemapOnly`",
            ),
        ],
        "",
        v1::MapRequest::plan_from_json,
    );
}
