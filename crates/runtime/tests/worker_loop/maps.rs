//! Maps of a site.

use gleaner_types::ErrorCode;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::MapRequest;

use crate::support::{Answer, Web, runtime};

#[tokio::test(start_paused = true)]
async fn a_map_requests_only_robots_txt_if_robots_txt_fails() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Busy { status: 503, retry_after: None }]),
        ("https://a.example/", vec![Answer::Ok("/one")]),
    ]);
    let result = runtime(&web).map(MapRequest::new("https://a.example/").check().unwrap()).await.unwrap();
    assert!(result.links.is_empty());
    assert!(result.warning.is_some_and(|warning| warning.contains("robots.txt")));
    assert!(web.requests().iter().all(|request| request.url.ends_with("/robots.txt")));
}

#[tokio::test(start_paused = true)]
async fn a_map_of_an_unreachable_site_fails() {
    let refused = Answer::Refused(ErrorCode::ScrapeDnsResolutionError, false);
    let web = Web::new([("https://a.example/robots.txt", vec![refused])]);
    let error = runtime(&web).map(MapRequest::new("https://a.example/").check().unwrap()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScrapeDnsResolutionError);
    assert!(error.to_string().contains("the connection was refused"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn sitemaps_are_read_if_the_start_page_fails() {
    for (name, start) in [
        ("its connection breaks", "https://a.example/broken"),
        ("its parser panics", "https://a.example/panic"),
    ] {
        let web = Web::new([
            ("https://a.example/broken", vec![Answer::Broken]),
            ("https://a.example/panic", vec![Answer::Ok("")]),
            ("https://a.example/sitemap.xml", vec![Answer::Ok("https://a.example/listed")]),
        ]);
        let runtime = runtime(&web);
        let request = |sitemap| MapRequest::new(start).sitemap(sitemap);
        let result = runtime.map(request(SitemapMode::Include).check().unwrap()).await.unwrap();
        assert!(result.links.iter().any(|url| url.path() == "/listed"), "{name}: {:?}", result.links);
        assert!(result.warning.is_some_and(|warning| warning.contains("start page")), "{name}");
        let without_sitemaps = runtime.map(request(SitemapMode::Skip).check().unwrap()).await;
        assert!(without_sitemaps.is_err(), "{name}");
    }
}
