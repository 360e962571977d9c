//! Redirects, and the rules for their targets.

use gleaner_types::request::CrawlRequest;

use crate::support::{Answer, Web, crawl, paths};

#[tokio::test(start_paused = true)]
async fn the_patterns_apply_to_the_start_page_after_its_redirect() {
    for (start, shown) in [("https://www.a.example/", false), ("https://a.example/blog/", true)] {
        let home = Box::leak(start.to_owned().into_boxed_str());
        let web = Web::new([
            ("https://a.example/", vec![Answer::Redirect(home)]),
            (home, vec![Answer::Ok("/blog/one\n/about")]),
            ("https://a.example/blog/one", vec![Answer::Ok("")]),
            ("https://www.a.example/blog/one", vec![Answer::Ok("")]),
        ]);
        let request = CrawlRequest::new("https://a.example/").include_paths(["^/blog/"]);
        let result = crawl(&web, request).await;
        assert_eq!(result.documents.len(), 1 + usize::from(shown), "{start}: {:?}", paths(&result));
    }
}

#[tokio::test(start_paused = true)]
async fn the_rules_of_the_crawl_apply_to_redirects() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nDisallow: /secret")]),
        ("https://a.example/", vec![Answer::Ok("/out\n/in\n/hidden")]),
        ("https://a.example/out", vec![Answer::Redirect("https://b.example/")]),
        ("https://a.example/in", vec![Answer::Redirect("https://a.example/target")]),
        ("https://a.example/target", vec![Answer::Ok("")]),
        ("https://a.example/hidden", vec![Answer::Redirect("https://a.example/secret")]),
    ]);
    let result = crawl(&web, CrawlRequest::new("https://a.example/")).await;
    assert_eq!(paths(&result), ["/", "/in"]);
    assert_eq!(result.failures[0].url.path(), "/out");
    assert_eq!(result.robots_blocked[0].url.path(), "/hidden");
}

#[tokio::test(start_paused = true)]
async fn an_external_page_that_redirects_back_counts_as_a_link() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("https://b.example/back")]),
        ("https://b.example/back", vec![Answer::Redirect("https://a.example/inner")]),
        ("https://a.example/inner", vec![Answer::Ok("/deep")]),
        ("https://a.example/deep", vec![Answer::Ok("")]),
    ]);
    for max_discovery_depth in [None, Some(2)] {
        let mut request = CrawlRequest::new("https://a.example/").allow_external_links(true);
        request.max_discovery_depth = max_discovery_depth;
        assert_eq!(paths(&crawl(&web, request).await), ["/", "/deep", "/inner"], "{max_discovery_depth:?}");
    }
    let request = CrawlRequest::new("https://a.example/").allow_external_links(true).max_discovery_depth(1);
    assert_eq!(paths(&crawl(&web, request).await), ["/", "/inner"], "a redirect does not count as a click");
}
