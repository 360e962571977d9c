//! Explanations of why a URL was crawled or not, for every verdict.

use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::{RobotsLine, SkipReason};
use gleaner_runtime::{Explanation, Job, Runtime, StartOptions, Verdict};
use gleaner_types::request::{CrawlRequest, ProxyChoice};
use gleaner_types::{ErrorCode, PageError};
use url::Url;

use crate::support::{Answer, Web, runtime, runtime_with_queue_limit};

const START: &str = "https://a.example/docs/";

/// Options that trace these URLs through a crawl.
fn explaining(urls: &[Url]) -> StartOptions {
    StartOptions { explained: urls.to_vec(), ..StartOptions::default() }
}

async fn explained(runtime: &Arc<Runtime>, request: CrawlRequest, urls: &[&str]) -> (Job, Vec<Explanation>) {
    let start = Url::parse(&request.url).unwrap();
    let urls: Vec<Url> = urls.iter().map(|url| start.join(url).unwrap()).collect();
    let mut job = runtime.start(request.check().unwrap(), explaining(&urls)).await.unwrap();
    while job.next().await.transpose().unwrap().is_some() {}
    let explanations = job.explanations().await.unwrap();
    (job, explanations)
}

#[tokio::test(start_paused = true)]
async fn every_reason_has_its_explanation() {
    let long: &'static str = format!("long/{}", "x".repeat(8_192)).leak();
    let links: &'static str = format!(
        "/docs/a/one\n/docs/a/one?utm_source=x\n/docs/old\n/docs/other\n/docs/a/b/c/d\n/docs/a/photo.jpg\n\
         /blog/\nhttps://b.example/\nhttps://sub.a.example/\nftp://a.example/\n{long}\n/docs/a/moved\n\
         /docs/a/broken\n/docs/a/secret\nnofollow /docs/a/unvouched"
    )
    .leak();
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nDisallow: /docs/a/secret")]),
        (START, vec![Answer::Ok(links)]),
        ("https://a.example/docs/a/one", vec![Answer::Ok("/docs/a/far")]),
        ("https://a.example/docs/a/moved", vec![Answer::Redirect("https://a.example/docs/a/two")]),
        ("https://a.example/docs/a/two", vec![Answer::Ok("")]),
        ("https://a.example/docs/a/broken", vec![Answer::Broken]),
    ]);
    let request = CrawlRequest::new(START)
        .include_paths(["/docs/a/", "/docs/old"])
        .exclude_paths(["^/docs/old"])
        .max_path_depth(2)
        .max_discovery_depth(1);
    let forbidden = "not crawled: robots.txt forbids access (`ignoreRobotsTxt` lets it in), by line 2: \
                     Disallow: /docs/a/secret";
    let rows = [
        (".", "fetched for its links, but the patterns leave it out of the results"),
        ("a/one", "crawled"),
        ("a/one?utm_source=y", "crawled as https://a.example/docs/a/one, which is the same page"),
        ("a/moved", "not a page of its own: it redirects to https://a.example/docs/a/two"),
        ("a/broken", "failed: the connection broke"),
        ("ftp://a.example/", "not crawled: only http and https URLs are crawled"),
        (long, "not crawled: URLs longer than 8192 bytes are not crawled"),
        ("https://b.example/", "not crawled: other sites are left out (`allowExternalLinks` lets them in)"),
        (
            "https://sub.a.example/",
            "not crawled: other hosts of the same domain are left out (`allowSubdomains` lets them in)",
        ),
        (
            "a/photo.jpg",
            "not crawled: images, archives, media files, fonts and programs, by name, are no pages",
        ),
        (
            "/blog/",
            "not crawled: what is not below the start URL is left out (`crawlEntireDomain` lets it in)",
        ),
        ("a/b/c/d", "not crawled: there are more path segments below the start URL than `maxDepth` allows"),
        ("old", "not crawled: a pattern of `excludePaths` matches"),
        ("other", "not crawled: no pattern of `includePaths` matches"),
        ("a/unvouched", "not crawled: the page with the link asks not to follow it (nofollow)"),
        ("a/secret", forbidden),
        ("a/far", "not crawled: it is 2 clicks away, more than `maxDiscoveryDepth` allows"),
        (
            "a/nowhere",
            "not crawled: it belongs to the crawl, but no crawled page links to it and no sitemap names it",
        ),
        ("a/secret-nowhere", forbidden),
    ];
    let urls: Vec<&str> = rows.iter().map(|(url, _)| *url).collect();
    let (job, explanations) = explained(&runtime(&web), request, &urls).await;
    for (explained, (url, text)) in explanations.iter().zip(rows) {
        let shown = explained.verdict.to_string();
        assert!(shown == text || text == "crawled" && shown.starts_with("crawled"), "{url}: {shown}");
    }
    let counted: Vec<SkipReason> = job.rejections().into_iter().map(|(reason, _)| reason).collect();
    let uncounted = [SkipReason::FoundOnExternalPage, SkipReason::TooCostly, SkipReason::Hook];
    assert!(
        SkipReason::ALL.iter().all(|reason| counted.contains(reason) || uncounted.contains(reason)),
        "{counted:?}"
    );
    assert_eq!(uncounted[0].to_string(), "links of external pages are not followed");
}

fn by_rule(line: u32) -> Verdict {
    Verdict::RobotsTxt(Some(RobotsLine::new(line, "Disallow: /private".to_owned())))
}

#[tokio::test(start_paused = true)]
async fn a_page_that_was_found_and_not_fetched_has_a_reason() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/1\n/2\n/3\n/private")]),
        ("https://a.example/robots.txt", vec![Answer::Ok("User-agent: *\nDisallow: /private")]),
        ("https://a.example/1", vec![Answer::Ok("")]),
        ("https://a.example/2", vec![Answer::Silent]),
        ("https://a.example/3", vec![Answer::Silent]),
    ]);
    let paths = ["/3", "/private"];
    let request = |limit| CrawlRequest::new("https://a.example/").limit(limit);
    let verdicts = |explanations: Vec<Explanation>| {
        explanations.into_iter().map(|explained| explained.verdict).collect::<Vec<_>>()
    };

    let (_, limited) = explained(&runtime(&web), request(1), &paths).await;
    assert_eq!(verdicts(limited), [Verdict::LimitReached, by_rule(2)]);

    let (_, full) = explained(&runtime_with_queue_limit(&web, 1), request(10), &paths).await;
    assert_eq!(verdicts(full), [Verdict::QueueFull, by_rule(2)]);

    let urls = paths.map(|path| Url::parse("https://a.example/").unwrap().join(path).unwrap());
    let runtime = runtime(&web);
    let plan = request(10).check().unwrap();
    let mut job = runtime.start(plan, explaining(&urls)).await.unwrap();
    assert!(matches!(job.next().await, Some(Ok(_))));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(job.explanations().await.unwrap()[0].verdict, Verdict::Waiting);
    job.cancel().await.unwrap();
    assert_eq!(job.explanations().await.unwrap()[0].verdict, Verdict::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_robots_txt_fails_only_urls_that_were_found() {
    let web = Web::new([
        ("https://a.example/robots.txt", vec![Answer::ByStealth("User-agent: *\nDisallow: /private")]),
        ("https://a.example/", vec![Answer::ByStealth("https://b.example/1")]),
        ("https://b.example/robots.txt", vec![Answer::Broken]),
    ]);
    let request =
        CrawlRequest::new("https://a.example/").proxy(ProxyChoice::Stealth).allow_external_links(true);
    let rows = [
        ("/nowhere", Verdict::NotFound),
        ("/private", by_rule(2)),
        (
            "https://b.example/1",
            Verdict::Failed(PageError {
                code: ErrorCode::ScrapeSiteError,
                message: "https://b.example/robots.txt could not be read: the connection broke".to_owned(),
            }),
        ),
        ("https://b.example/nowhere", Verdict::NotFound),
    ];
    let (_, explanations) = explained(&runtime(&web), request, &rows.each_ref().map(|(url, _)| *url)).await;
    for (explained, (url, verdict)) in explanations.into_iter().zip(rows) {
        assert_eq!(explained.verdict, verdict, "{url}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_explanation_names_where_a_url_was_found() {
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("/linked\n/both")]),
        ("https://a.example/linked", vec![Answer::Ok("")]),
        ("https://a.example/both", vec![Answer::Ok("")]),
        ("https://a.example/named", vec![Answer::Ok("")]),
        (
            "https://a.example/sitemap.xml",
            vec![Answer::Ok("https://a.example/both\nhttps://a.example/named")],
        ),
    ]);
    let request = CrawlRequest::new("https://a.example/");
    let (_, explanations) =
        explained(&runtime(&web), request, &["/linked", "/both", "/named", "/nowhere"]).await;
    let path = |url: &Option<Url>| url.as_ref().map(|url| url.path().to_owned());
    let sources: Vec<_> = explanations
        .iter()
        .map(|explained| (path(&explained.found_on), path(&explained.named_in), explained.depth))
        .collect();
    let (start, sitemap) = (Some("/".to_owned()), Some("/sitemap.xml".to_owned()));
    assert_eq!(
        sources,
        [
            (start.clone(), None, Some(1)),
            (start, sitemap.clone(), Some(0)),
            (None, sitemap, Some(0)),
            (None, None, None)
        ]
    );
}
