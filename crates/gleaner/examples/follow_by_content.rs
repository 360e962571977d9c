//! Crawls only where pages are about a topic: links are followed if the page that they are on has the word.
//!
//! `cargo run --release -p gleaner --example follow_by_content -- https://example.com/ tea`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, sync::Arc};

use gleaner::hooks::{Follow, FoundLink, PageFacts, PageHooks};
use gleaner::{CrawlRequest, Engine};

pub(crate) struct About(pub(crate) String);

impl PageHooks for About {
    fn follow(&self, link: &FoundLink<'_>, page: &PageFacts<'_>) -> Follow {
        // The document has the formats of the request: Markdown by default.
        let text = page.document.markdown.as_deref().unwrap_or_default();
        if link.url.path().contains(&self.0) {
            Follow::First
        } else if page.depth == 0 || text.contains(&self.0) {
            Follow::Yes
        } else {
            Follow::skip(format!("{} does not say {}", page.url, self.0))
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let topic = About(arguments.next().unwrap_or_else(|| "tea".to_owned()));
    let engine = Engine::builder().hooks(Arc::new(topic)).build()?;
    let mut job = engine.crawl(CrawlRequest::new(url).limit(100)).await?;
    while let Some(page) = job.next().await.transpose()? {
        println!("{}", page.metadata.url.unwrap_or_default());
    }
    println!("skipped links, by reason: {:?}", job.rejections());
    Ok(())
}
