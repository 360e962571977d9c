//! Maps of a site.

use super::*;

#[tokio::test]
async fn a_map_without_addresses_says_why() {
    let extras = Extras { robots: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(10) }).serve().unwrap();
    let service = service();
    for (path, body) in [
        ("POST /v2/map", json!({ "url": site.url("/private/"), "sitemap": "skip" })),
        ("POST /v1/map", json!({ "url": site.url("/private/"), "ignoreSitemap": true })),
        ("POST /v2/map", json!({ "url": site.url("/"), "sitemap": "skip" })),
    ] {
        let open = body["url"] == site.url("/");
        let answer = call(&service, path, body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert_eq!(answer.body["links"].as_array().unwrap().is_empty(), !open, "{path}");
        let warning = answer.body["warning"].as_str();
        assert_eq!(warning.is_some_and(|text| text.contains("robots.txt")), !open, "{path}: {warning:?}");
    }
}
