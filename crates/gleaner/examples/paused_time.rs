//! Paused time, for tests of your program: a crawl with a minute between its requests ends at once.
//!
//! `cargo run --release -p gleaner --example paused_time`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, sync::Arc};

use gleaner::layer::{self, FetchLayer, LayerAnswer, LayerRequest, Next};
use gleaner::{BoxFuture, CrawlRequest, Engine, tokio::runtime::Handle, tokio::time::Instant};

/// A site without a network, because paused time jumps to the next timeout while a real one is silent.
pub(crate) struct Site;

impl FetchLayer for Site {
    fn send<'a>(
        &'a self,
        request: LayerRequest,
        _: Next<'a>,
    ) -> BoxFuture<'a, Result<LayerAnswer, layer::FetchError>> {
        Box::pin(async move {
            Ok(LayerAnswer::new(match request.url().path() {
                "/" => "<p>Teas: <a href=/green>green</a>, <a href=/black>black</a>.".into(),
                "/robots.txt" => "User-agent: *\nCrawl-delay: 60".into(),
                path => format!("<p>Tea of {path}.").into(),
            }))
        })
    }
}

/// In a test, this line is `#[tokio::test(start_paused = true)]`.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let (began, site) = (Instant::now(), Arc::new(Site));
    let builder = Engine::builder().on_runtime(Handle::current()).allow_private("127.0.0.1/32".parse()?);
    let engine = builder.wrap_fetch(site).build()?;
    let end = engine.crawl(CrawlRequest::new("http://127.0.0.1/")).await?.wait().await?;
    println!("{} pages in {:?}", end.snapshot.completed, began.elapsed());
    Ok(())
}
