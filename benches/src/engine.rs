//! The crawls of the floors, by gleaner.

use std::time::Instant;

use gleaner::plan::SitemapMode;
use gleaner::request::Format;
use gleaner::{CrawlRequest, Engine, EngineBuilder, Error, Politeness, ScrapeOptions};
use ipnet::{IpNet, Ipv4Net};
use tokio::runtime::Handle;

use crate::Report;

/// An engine that may reach the loopback interface.
///
/// # Errors
/// If it cannot be built.
pub fn engine(concurrency: u32) -> Result<Engine, Error> {
    loopback()
        .concurrency(concurrency)
        .politeness(Politeness::new().concurrency_per_host(concurrency))
        .build()
}

/// A builder of such an engine, with defaults for everything else. It works on the threads of the program, if
/// that has any: they are what is measured.
#[must_use]
pub fn loopback() -> EngineBuilder {
    let loopback = IpNet::V4(Ipv4Net::new_assert(std::net::Ipv4Addr::new(127, 0, 0, 0), 8));
    let builder = Engine::builder().allow_private(loopback);
    match Handle::try_current() {
        Ok(runtime) => builder.on_runtime(runtime),
        Err(_) => builder,
    }
}

/// Crawls the site of `start` through its links only and reads the documents as they arrive.
///
/// # Errors
/// If the crawl cannot be started.
pub async fn crawl(engine: &Engine, start: &str, limit: u64, formats: &[Format]) -> Result<Report, Error> {
    let options = ScrapeOptions::new().formats(formats.to_vec());
    let request = CrawlRequest::new(start).limit(limit).sitemap(SitemapMode::Skip).scrape_options(options);
    let began = Instant::now();
    let mut job = engine.crawl(request).await?;
    let mut report = Report { pages: 0, bytes: 0, links: 0, elapsed: began.elapsed() };
    while let Some(document) = job.next().await {
        let document = document?;
        report.pages += 1;
        let texts = [&document.markdown, &document.html, &document.raw_html];
        report.bytes += texts.into_iter().flatten().map(|text| text.len() as u64).sum::<u64>();
        report.links += document.links.map_or(0, |links| links.len() as u64);
    }
    report.elapsed = began.elapsed();
    Ok(report)
}

#[cfg(test)]
mod tests {
    use gleaner_testkit::{Site, SiteSpec};

    use super::*;

    #[test]
    fn gleaner_crawls_the_same_pages_as_the_floors() {
        let server = Site::generate(SiteSpec::pages(150)).serve().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let report = runtime.block_on(async {
            let engine = engine(8).unwrap();
            crawl(&engine, &server.url("/"), 10_000, &[Format::Links]).await.unwrap()
        });
        assert_eq!(report.pages, 150);
        // The pages and robots.txt.
        assert_eq!(server.requests(), 151);
    }
}
