//! What recurs on the pages of a site leaves the main content of a crawl.

use std::collections::BTreeMap;

use gleaner::{BatchScrapeRequest, CrawlRequest, Pages};
use gleaner_testkit::{Paper, PaperPage};
use gleaner_tests::fakes::engine_builder;

use crate::support::crawl;

/// The Markdown of a crawl by path.
async fn crawled(paper: &Paper, site_memory: bool) -> BTreeMap<String, String> {
    let server = paper.serve().unwrap();
    let engine = engine_builder().pages(Pages::new().site_memory(site_memory)).build().unwrap();
    let outcome = crawl(&engine, CrawlRequest::new(format!("{}/", server.base_url()))).await;
    outcome.documents.into_iter().map(|(path, document)| (path, document.markdown.unwrap())).collect()
}

/// The mean leak over the articles of a crawl.
fn leak(paper: &Paper, markdown: &BTreeMap<String, String>) -> f64 {
    let articles: Vec<&PaperPage> = paper.pages().iter().filter(|page| !page.is_list).collect();
    articles.iter().map(|page| page.leak(&markdown[&page.path])).sum::<f64>() / articles.len() as f64
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn furniture_leaves_the_articles_of_a_paper_and_content_stays() {
    let paper = Paper::generate(1, 100);
    let (without, with) = (crawled(&paper, false).await, crawled(&paper, true).await);
    let (leak_without, leak_with) = (leak(&paper, &without), leak(&paper, &with));
    assert!(leak_without > 0.2, "one page alone does not show what is furniture: {leak_without:.3}");
    assert!(leak_with * 2.0 <= leak_without, "{leak_with:.3} with memory, {leak_without:.3} without");
    for page in paper.pages() {
        let (alone, of_site) = (&without[&page.path], &with[&page.path]);
        let lost: Vec<&String> =
            page.content.iter().filter(|text| alone.contains(*text) && !of_site.contains(*text)).collect();
        assert!(lost.is_empty(), "{} lost {lost:?}:\n{of_site}", page.path);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_pages_in_the_same_order_give_the_same_documents() {
    let paper = Paper::generate(2, 40);
    let server = paper.serve().unwrap();
    let engine = engine_builder().build().unwrap();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let urls = paper.pages().iter().map(|page| format!("{}{}", server.base_url(), page.path));
        let request = BatchScrapeRequest::new(urls).max_concurrency(1).max_age(0);
        let result = engine.batch(request).await.unwrap().wait().await.unwrap();
        let text = |document: gleaner::Document| (document.metadata.source_url, document.markdown);
        runs.push(result.documents.into_iter().map(text).collect::<Vec<_>>());
    }
    assert_eq!(runs[0].len(), paper.pages().len());
    assert_eq!(runs[0], runs[1]);
}
