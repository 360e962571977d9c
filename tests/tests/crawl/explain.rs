//! Tests that a crawl explains its decision about each requested URL.

use gleaner::{SkipReason, Verdict};
use gleaner_testkit::{Extras, Site, SiteSpec};
use url::Url;

use crate::support::{engine, links_only};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_requested_url_is_explained() {
    let extras = Extras { robots: true, products: true, ..Extras::default() };
    let site = Site::generate(SiteSpec { extras, ..SiteSpec::pages(400) });
    let server = site.serve().unwrap();
    let deep =
        site.truth().paths().find(|page| page.depth == Some(3) && page.path.starts_with("/p/")).unwrap();
    let request = links_only(&server).exclude_paths(["^/p/1$"]).max_discovery_depth(2);
    let forbidden =
        site.truth().paths().find(|page| page.forbidden && page.depth.is_some_and(|depth| depth <= 2));
    let expected = [
        ("/p/2".to_owned(), "crawled"),
        ("/p/3/index.html".to_owned(), "same page"),
        ("/p/1".to_owned(), "excluded"),
        ("/no-link-leads-here".to_owned(), "not found"),
        (deep.path, "too many clicks"),
        (forbidden.unwrap().path, "robots.txt"),
        ("https://elsewhere.example/".to_owned(), "other host"),
        ("/photo.jpg".to_owned(), "binary"),
        ("/p/2".to_owned(), "crawled"),
    ];
    let start = Url::parse(&server.base_url()).unwrap();
    let urls: Vec<Url> = expected.iter().map(|(path, _)| start.join(path).unwrap()).collect();
    let mut job = engine().crawl_explained(request, &urls).await.unwrap();
    while job.next().await.transpose().unwrap().is_some() {}
    let explanations = job.explanations().await.unwrap();
    assert_eq!(explanations.len(), expected.len());
    for (explanation, (path, verdict_name)) in explanations.iter().zip(&expected) {
        let verdict = match &explanation.verdict {
            Verdict::Crawled(Some(200)) => "crawled",
            Verdict::SamePageAs(url) if url.path() == "/p/3" => "same page",
            Verdict::Rejected(SkipReason::Excluded) => "excluded",
            Verdict::Rejected(SkipReason::OtherHost) => "other host",
            Verdict::Rejected(SkipReason::BinaryFile) => "binary",
            Verdict::NotFound => "not found",
            Verdict::TooManyClicks(3) => "too many clicks",
            Verdict::RobotsTxt(Some(_)) => "robots.txt",
            _ => "something else",
        };
        assert_eq!(verdict, *verdict_name, "{path}: {explanation:?}");
        assert!(!explanation.verdict.to_string().is_empty());
    }
    assert!(explanations[0].found_on.is_some() && explanations[0].depth == Some(1), "{:?}", explanations[0]);
    let excluded = job.rejections().into_iter().find(|(reason, _)| *reason == SkipReason::Excluded);
    assert!(excluded.is_some_and(|(_, count)| count > 0), "{:?}", job.rejections());

    let limited = links_only(&server).limit(3);
    let mut job = engine().crawl_explained(limited, &urls[..1]).await.unwrap();
    let mut read = Vec::new();
    while let Some(document) = job.next().await {
        let document = document.unwrap();
        read.push(document.metadata.source_url.unwrap());
    }
    let crawled = read.contains(&urls[0].to_string());
    let verdict = &job.explanations().await.unwrap()[0].verdict;
    assert!(crawled || *verdict == Verdict::LimitReached, "{verdict:?}");
    assert_eq!(engine().crawl(links_only(&server)).await.unwrap().explanations().await.unwrap(), []);
}
