//! Maps of a site.

use gleaner_runtime::MAPPED_URL_BYTES;
use gleaner_types::ErrorCode;
use gleaner_types::plan::SitemapMode;
use gleaner_types::request::MapRequest;
use url::Url;

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

/// In a process that could open no more files, a map failed as a fault of its site.
#[tokio::test(start_paused = true)]
async fn a_map_waits_until_its_machine_has_descriptors() {
    let later = |answer| [vec![Answer::Exhausted; 5], vec![answer]].concat();
    let web = Web::new([
        ("https://a.example/robots.txt", later(Answer::Ok(""))),
        ("https://a.example/", later(Answer::Ok("/one"))),
        ("https://a.example/sitemap.xml", later(Answer::Ok("https://a.example/listed"))),
    ]);
    let result = runtime(&web).map(MapRequest::new("https://a.example/").check().unwrap()).await.unwrap();
    let mut paths: Vec<&str> = result.links.iter().map(Url::path).collect();
    paths.sort_unstable();
    assert_eq!((paths, result.warning), (vec!["/", "/listed", "/one"], None));
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

#[tokio::test(start_paused = true)]
async fn a_map_ends_when_there_is_no_memory_for_more_urls() {
    let listed: Vec<String> =
        (0..2_000).map(|page| format!("https://a.example/{page}/{}", "x".repeat(1_000))).collect();
    let listed: &'static str = Box::leak(listed.join("\n").into_boxed_str());
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("")]),
        ("https://a.example/sitemap.xml", vec![Answer::Ok(listed)]),
    ]);
    let runtime = runtime(&web);
    let plan = || MapRequest::new("https://a.example/").check().unwrap();
    for memory in [0, 1 << 20, usize::MAX] {
        let mut asked = Vec::new();
        let within = |bytes| {
            asked.push(bytes);
            bytes <= memory
        };
        let map = runtime.map_within(plan(), within).await.unwrap();
        let bytes: usize = map.links.iter().map(|url| url.as_str().len() + MAPPED_URL_BYTES).sum();
        assert!(bytes <= memory, "{bytes} of {memory}");
        assert!(asked.is_sorted() && asked.last().is_some_and(|last| *last >= bytes));
        let is_cut = map.links.len() < 2_000;
        assert_eq!(is_cut, memory < usize::MAX);
        assert_eq!(map.warning.is_some_and(|warning| warning.contains("no memory")), is_cut, "{memory}");
        assert_eq!(map.links.is_empty(), memory == 0);
    }
}
