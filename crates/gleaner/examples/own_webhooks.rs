//! Your own webhooks: the events of jobs go to a queue of the program, and not over HTTP.
//!
//! `cargo run --release -p gleaner --example own_webhooks -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, future::ready, sync::Arc};

use gleaner::request::Webhook;
use gleaner::service::{Deliver, DeliverError, Delivery, Serving};
use gleaner::{BoxFuture, CrawlRequest, Engine, url::Url};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

#[derive(Debug)]
pub(crate) struct Queue(pub(crate) UnboundedSender<String>);

impl Deliver for Queue {
    fn check<'a>(&'a self, _: &'a Url) -> BoxFuture<'a, Result<(), DeliverError>> {
        Box::pin(ready(Ok(())))
    }
    /// An event whose delivery fails is sent again later. It is JSON, with a signature in the headers.
    fn deliver<'a>(&'a self, event: Delivery<'a>) -> BoxFuture<'a, Result<u16, DeliverError>> {
        let sent = self.0.send(String::from_utf8_lossy(event.body).into_owned());
        Box::pin(ready(sent.map(|()| 200_u16).map_err(|_| DeliverError::failed("nobody reads the events"))))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let (sender, mut events) = unbounded_channel();
    let engine = Engine::builder().serving(Serving::new().deliver(Arc::new(Queue(sender)))).build()?;
    let webhook = Webhook::new("https://queue.example/").events(["started", "completed"]);
    let mut job = engine.crawl(CrawlRequest::new(url).limit(10).webhook(webhook)).await?;
    job.wait().await?;
    for _ in 0..2 {
        println!("{}", events.recv().await.unwrap_or_default());
    }
    Ok(())
}
