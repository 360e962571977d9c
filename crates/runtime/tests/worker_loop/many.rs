//! Long lists of links, and costly patterns.

use gleaner_frontier::SkipReason;
use gleaner_runtime::StartOptions;
use gleaner_store::JobWarning;
use gleaner_types::JobState;
use gleaner_types::request::CrawlRequest;
use serde_json::json;

use crate::support::{Answer, Web, crawl, runtime};

/// Pseudo-random letters.
fn noise(seed: u32, length: usize) -> String {
    let mut state = seed;
    let letters = (0..length).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if state >> 31 == 0 { 'a' } else { 'b' }
    });
    letters.collect()
}

#[tokio::test(start_paused = true)]
async fn all_links_of_a_page_with_many_links_are_queued() {
    let links: &'static str = (0..20_000).map(|n| format!("/{n}\n")).collect::<String>().leak();
    let web = Web::new([("https://a.example/", vec![Answer::Ok(links)])]);
    let request = CrawlRequest::new("https://a.example/").limit(20_001);
    let mut job = runtime(&web).start(request.check().unwrap(), StartOptions::default()).await.unwrap();
    assert!(matches!(job.next().await, Some(Ok(_))));
    assert_eq!(job.status().await.unwrap().total, 20_001);
}

#[tokio::test(start_paused = true)]
async fn all_pages_of_a_large_sitemap_are_queued() {
    let listed: &'static str =
        (0..20_000).map(|n| format!("https://a.example/{n}\n")).collect::<String>().leak();
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("")]),
        ("https://a.example/sitemap.xml", vec![Answer::Ok(listed)]),
    ]);
    let request = CrawlRequest::new("https://a.example/").limit(20_001);
    let mut job = runtime(&web).start(request.check().unwrap(), StartOptions::default()).await.unwrap();
    // The start page and the first page of the sitemap.
    for _ in 0..2 {
        assert!(matches!(job.next().await, Some(Ok(_))));
    }
    assert_eq!(job.status().await.unwrap().total, 20_001);
}

#[tokio::test(start_paused = true)]
async fn urls_that_cost_too_much_to_match_are_skipped_with_a_warning() {
    let listed = (0..60).map(|seed| format!("https://a.example/{}\n", noise(seed, 4_000)));
    let listed: &'static str =
        listed.chain(["https://a.example/short".to_owned()]).collect::<String>().leak();
    let web = Web::new([
        ("https://a.example/", vec![Answer::Ok("")]),
        ("https://a.example/sitemap.xml", vec![Answer::Ok(listed)]),
        ("https://a.example/short", vec![Answer::Ok("")]),
    ]);
    let request = CrawlRequest::new("https://a.example/").exclude_paths(["(?:[ab]*a[ab]{600}){3}c"]);
    let mut job = runtime(&web).start(request.check().unwrap(), StartOptions::default()).await.unwrap();
    let mut documents = 0;
    while job.next().await.transpose().unwrap().is_some() {
        documents += 1;
    }
    let end = job.status().await.unwrap();
    assert_eq!((end.state, documents), (JobState::Completed, 2));
    assert_eq!(job.rejections(), [(SkipReason::TooCostly, 60)]);
    assert_eq!(end.warnings, [JobWarning::CostlyPatterns]);
}

#[tokio::test(start_paused = true)]
async fn a_crawl_with_too_costly_patterns_is_refused() {
    let patterns: Vec<String> = (0..1_000).map(|n| format!("[ab]{{40}}c{n}")).collect();
    let body = json!({ "url": "https://a.example/", "excludePaths": patterns });
    let faults = CrawlRequest::plan_from_json(&body).unwrap_err();
    let [fault] = faults.as_slice() else { panic!("{faults}") };
    assert!(fault.path.to_string().starts_with("excludePaths["), "{fault:?}");
    assert!(fault.message.contains("at most 20000 are allowed"), "{}", fault.message);

    // The bound also applies to a plan that is not made from a request.
    let mut plan = CrawlRequest::new("https://a.example/").check().unwrap();
    plan.rules.exclude_paths = patterns;
    let web = Web::new([("https://a.example/", vec![Answer::Ok("")])]);
    let refused = runtime(&web).start(plan, StartOptions::default()).await.unwrap_err();
    assert!(refused.to_string().starts_with("excludePaths["), "{refused}");
    assert_eq!(web.requests().len(), 0);
    crawl(&web, CrawlRequest::new("https://a.example/")).await;
}
