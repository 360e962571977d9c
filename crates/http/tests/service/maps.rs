//! Maps of a site.

use super::*;

#[tokio::test]
async fn an_empty_map_has_a_warning_with_the_reason() {
    let extras = Extras { robots: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(10) }).serve().unwrap();
    let service = service();
    for (path, body) in [
        ("POST /v2/map", json!({ "url": site.url("/private/"), "sitemap": "skip" })),
        ("POST /v1/map", json!({ "url": site.url("/private/"), "ignoreSitemap": true })),
        ("POST /v2/map", json!({ "url": site.url("/"), "sitemap": "skip" })),
    ] {
        let is_allowed = body["url"] == site.url("/");
        let reply = call(&service, path, body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert_eq!(reply.body["links"].as_array().unwrap().is_empty(), !is_allowed, "{path}");
        let warning = reply.body["warning"].as_str();
        assert_eq!(
            warning.is_some_and(|text| text.contains("robots.txt")),
            !is_allowed,
            "{path}: {warning:?}"
        );
    }
}
