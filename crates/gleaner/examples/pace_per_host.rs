//! A pace for each host: the seconds between the requests to hosts that you name, and two places elsewhere.
//!
//! `cargo run --release -p gleaner --example pace_per_host -- https://example.com/ example.com=2.5`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{collections::HashMap, error::Error, sync::Arc, time::Duration};

use gleaner::hooks::{Pace, PageHooks};
use gleaner::{CrawlRequest, Engine};

pub(crate) struct Paces(pub(crate) HashMap<String, Duration>);

impl PageHooks for Paces {
    /// `host` has its port if that is not the default: `example.com:8080`.
    fn pace(&self, host: &str) -> Option<Pace> {
        match self.0.get(host) {
            Some(gap) => Some(Pace::new().gap(*gap)),
            None => Some(Pace::new().places(2)),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let mut paces = HashMap::new();
    for argument in arguments {
        let (host, seconds) = argument.split_once('=').ok_or("a pace is host=seconds")?;
        paces.insert(host.to_owned(), Duration::try_from_secs_f64(seconds.parse()?)?);
    }
    let engine = Engine::builder().hooks(Arc::new(Paces(paces))).build()?;
    let mut job = engine.crawl(CrawlRequest::new(url).limit(100)).await?;
    while let Some(page) = job.next().await.transpose()? {
        println!("{}", page.metadata.url.unwrap_or_default());
    }
    Ok(())
}
