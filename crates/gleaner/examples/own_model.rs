//! Your own language model. This one calls no provider: it summarises a page by its longest line.
//!
//! `cargo run --release -p gleaner --example own_model -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::sync::Arc;

use gleaner::model::{Capabilities, Finish, LanguageModel, ModelAnswer, ModelRequest, ProviderError};
use gleaner::{BoxFuture, Engine, ScrapeRequest, request::Format};

#[derive(Debug)]
pub(crate) struct LongestLine;

impl LanguageModel for LongestLine {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("longest-line", 32_000)
    }
    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<ModelAnswer, ProviderError>> {
        Box::pin(async move {
            // The rules come first and the page last.
            let page = request.messages.last().map_or("", |message| &message.content);
            let text = page.lines().max_by_key(|line| line.len()).unwrap_or_default().to_owned();
            Ok(ModelAnswer::new(text, Finish::Stop, None))
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), gleaner::Error> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let engine = Engine::builder().model(Arc::new(LongestLine)).build()?;
    // What a model says is checked against the page.
    let page = engine.scrape(ScrapeRequest::new(url).formats([Format::Summary])).await?;
    println!("{}", page.summary.unwrap_or_default());
    Ok(())
}
