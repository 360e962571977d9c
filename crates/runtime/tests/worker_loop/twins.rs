//! Pages that a server knows under another spelling than the one that is met first.

use gleaner_runtime::{StartOptions, Verdict};
use gleaner_types::request::CrawlRequest;
use url::Url;

use crate::support::{Answer, Web, crawl, paths, runtime};

const START: &str = "https://a.example/";

/// A stale link comes first: on the start page, or on the same page as the proper link.
fn atlas(together: bool) -> std::sync::Arc<Web> {
    let (first, second) = if together {
        ("/town\n/river/\n/mill/\n/town/\n/river\n/mill/index.html\n/sheets", "")
    } else {
        ("/town\n/river/\n/mill/\n/sheets", "/town/\n/river\n/mill/index.html")
    };
    Web::new([
        (START, vec![Answer::Ok(first)]),
        ("https://a.example/sheets", vec![Answer::Ok(second)]),
        ("https://a.example/town/", vec![Answer::Ok("/found")]),
        ("https://a.example/river", vec![Answer::Ok("")]),
        ("https://a.example/mill/index.html", vec![Answer::Ok("")]),
        ("https://a.example/found", vec![Answer::Ok("")]),
    ])
}

#[tokio::test(start_paused = true)]
async fn a_page_is_found_under_its_other_spelling() {
    for together in [true, false] {
        let web = atlas(together);
        let urls = ["/town", "/town/", "/mill/index.html", "/mill/"];
        let urls: Vec<Url> = urls.iter().map(|path| Url::parse(START).unwrap().join(path).unwrap()).collect();
        let options = StartOptions { explained: urls, ..StartOptions::default() };
        let mut job = runtime(&web).start(CrawlRequest::new(START).check().unwrap(), options).await.unwrap();
        let mut good = Vec::new();
        while let Some(document) = job.next().await {
            let metadata = document.unwrap().metadata;
            if metadata.status_code == Some(200) {
                good.push(metadata.url.unwrap().replace("https://a.example", ""));
            }
        }
        good.sort();
        assert_eq!(good, ["/", "/found", "/mill/index.html", "/river", "/sheets", "/town/"], "{together}");
        let verdicts: Vec<Verdict> =
            job.explanations().await.unwrap().into_iter().map(|explained| explained.verdict).collect();
        let crawled = |status| Verdict::Crawled(Some(status));
        assert_eq!(verdicts, [crawled(404), crawled(200), crawled(200), crawled(404)], "{together}");
        assert!(web.requests().iter().all(|request| web.count(&request.url) == 1), "each is asked once");
    }
}

#[tokio::test(start_paused = true)]
async fn other_spellings_of_a_page_that_exists_or_is_not_named_are_not_asked_for() {
    let web = Web::new([
        (START, vec![Answer::Ok("/town\n/town/\n/town/index.html\n/gone\n/lost?utm_source=x\n/lost")]),
        ("https://a.example/town", vec![Answer::Ok("/town/")]),
    ]);
    let result = crawl(&web, CrawlRequest::new(START)).await;
    assert_eq!(paths(&result), ["/", "/gone", "/lost", "/town"]);
}

#[tokio::test(start_paused = true)]
async fn a_spelling_that_leads_back_to_the_missing_one_gives_no_second_document() {
    let web = Web::new([
        (START, vec![Answer::Ok("/town\n/town/")]),
        ("https://a.example/town/", vec![Answer::Redirect("https://a.example/town")]),
    ]);
    let result = crawl(&web, CrawlRequest::new(START)).await;
    assert_eq!(paths(&result), ["/", "/town"]);
    assert_eq!((web.count("https://a.example/town"), web.count("https://a.example/town/")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_missing_under_each_spelling_takes_one_place_and_one_credit() {
    let web = Web::new([
        (START, vec![Answer::Ok("/town\n/town/\n/hill")]),
        ("https://a.example/hill", vec![Answer::Ok("/mill")]),
        ("https://a.example/mill", vec![Answer::Ok("/sea")]),
        ("https://a.example/sea", vec![Answer::Ok("")]),
    ]);
    let result = crawl(&web, CrawlRequest::new(START).limit(5)).await;
    assert_eq!(paths(&result), ["/", "/hill", "/mill", "/sea", "/town"]);
    assert_eq!((result.snapshot.total, result.snapshot.credits_used), (5, 5));
    assert_eq!((web.count("https://a.example/town"), web.count("https://a.example/town/")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_busy_host_is_not_asked_for_other_spellings() {
    let web = Web::new([
        (START, vec![Answer::Ok("/town\n/town/")]),
        ("https://a.example/town", vec![Answer::status(503)]),
        ("https://a.example/town/", vec![Answer::Ok("")]),
    ]);
    let result = crawl(&web, CrawlRequest::new(START)).await;
    assert_eq!(paths(&result), ["/", "/town"]);
    assert_eq!((web.count("https://a.example/town"), web.count("https://a.example/town/")), (3, 0));
}
