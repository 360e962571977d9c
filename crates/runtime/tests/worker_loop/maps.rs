//! Maps of a site.

use gleaner_types::ErrorCode;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::MapRequest;

use crate::support::{Answer, Web, runtime};

#[tokio::test(start_paused = true)]
async fn a_map_asks_nothing_of_a_site_whose_robots_txt_fails() {
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
async fn a_map_of_a_site_that_cannot_be_reached_fails() {
    let refused = Answer::Refused(ErrorCode::ScrapeDnsResolutionError, false);
    let web = Web::new([("https://a.example/robots.txt", vec![refused])]);
    let error = runtime(&web).map(MapRequest::new("https://a.example/").check().unwrap()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ScrapeDnsResolutionError);
    assert!(error.to_string().contains("nobody is there"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_start_page_that_gives_no_links_leaves_the_sitemaps() {
    for (name, start) in
        [("that breaks", "https://a.example/broken"), ("that no parser takes", "https://a.example/panic")]
    {
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
        let nothing = runtime.map(request(SitemapMode::Skip).check().unwrap()).await;
        assert!(nothing.is_err(), "{name}: there is nothing else to read");
    }
}
