//! Minimal crawls.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use reqwest::Client;
use scraper::Selector;
use tokio::task::JoinSet;
use url::Url;

use super::links::{links_by_rewriter, links_by_tree};
use crate::Report;

/// The parser that finds the links of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finder {
    /// `lol_html`, on the token stream.
    Rewriter,
    /// `html5ever`, on a tree.
    Tree,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Fetches these URLs and drops the bodies: the cost of the network alone.
///
/// # Errors
/// If a request fails.
pub async fn fetch_all(urls: Vec<Url>, concurrency: usize) -> Result<Report, Failure> {
    let client = client()?;
    let start = Instant::now();
    let mut report = Report { pages: 0, bytes: 0, links: 0, elapsed: start.elapsed() };
    let mut queue = urls.into_iter();
    let mut requests = JoinSet::new();
    loop {
        while requests.len() < concurrency
            && let Some(url) = queue.next()
        {
            let client = client.clone();
            requests.spawn(async move { client.get(url).send().await?.bytes().await });
        }
        let Some(body) = requests.join_next().await else { break };
        report.pages += 1;
        report.bytes += body??.len() as u64;
    }
    report.elapsed = start.elapsed();
    Ok(report)
}

/// Crawls every page of the host of `start`: fetches, finds links, and keeps a set of the URLs seen.
///
/// # Errors
/// If a request fails.
pub async fn crawl(start: Url, concurrency: usize, finder: Finder) -> Result<Report, Failure> {
    let client = client()?;
    let anchors = Arc::new(Selector::parse("a[href]").map_err(|error| error.to_string())?);
    let began = Instant::now();
    let mut report = Report { pages: 0, bytes: 0, links: 0, elapsed: began.elapsed() };
    let mut seen = HashSet::from([start.clone()]);
    let mut queue = VecDeque::from([start.clone()]);
    let mut requests = JoinSet::new();
    loop {
        while requests.len() < concurrency
            && let Some(url) = queue.pop_front()
        {
            let (client, anchors) = (client.clone(), Arc::clone(&anchors));
            requests.spawn(async move {
                let body = client.get(url.clone()).send().await?.bytes().await?;
                let links = match finder {
                    Finder::Rewriter => links_by_rewriter(&url, &body),
                    Finder::Tree => links_by_tree(&url, &String::from_utf8_lossy(&body), &anchors),
                };
                Ok::<_, reqwest::Error>((body.len(), links))
            });
        }
        let Some(page) = requests.join_next().await else { break };
        let (bytes, links) = page??;
        report.pages += 1;
        report.bytes += bytes as u64;
        report.links += links.len() as u64;
        for link in links {
            if link.origin() == start.origin() && !seen.contains(&link) {
                seen.insert(link.clone());
                queue.push_back(link);
            }
        }
    }
    report.elapsed = began.elapsed();
    Ok(report)
}

/// A plain client.
///
/// # Errors
/// If it cannot be built.
#[expect(clippy::disallowed_methods, reason = "a floor does not use the fetcher of gleaner")]
pub fn client() -> Result<Client, Failure> {
    // The features of gleaner-fetch also apply to this reqwest, which then needs a crypto provider even for
    // HTTP.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(Client::builder().no_proxy().tcp_nodelay(true).build()?)
}

#[cfg(test)]
mod tests {
    use gleaner_testkit::{Site, SiteSpec};

    use super::*;

    #[test]
    fn the_floors_fetch_each_page_of_the_site_once() {
        let server = Site::generate(SiteSpec::pages(150)).serve().unwrap();
        let start = Url::parse(&server.base_url()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for finder in [Finder::Rewriter, Finder::Tree] {
            let report = runtime.block_on(crawl(start.clone(), 8, finder)).unwrap();
            assert_eq!((report.pages, report.links), (150, 150 * 48), "{finder:?}");
        }
        let urls = (1..150).map(|id| start.join(&format!("/p/{id}")).unwrap()).collect();
        assert_eq!(runtime.block_on(fetch_all(urls, 8)).unwrap().pages, 149);
        assert_eq!(server.requests(), 150 + 150 + 149);
    }
}
