//! A histogram of how long pages take to fetch, in powers of two.
//!
//! `cargo run --release -p gleaner --example latency_histogram -- https://example.com/`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gleaner::hooks::{PageEnd, PageHooks};
use gleaner::{CrawlRequest, Engine, Error};

/// The number of pages that took at most 2, 4, 8 milliseconds and so on, and more than half of that.
#[derive(Default)]
pub(crate) struct Latencies(pub(crate) Mutex<BTreeMap<u128, u64>>);

impl PageHooks for Latencies {
    /// Other stages are in `end.timings` too, and `end.outcome` says whether the page failed.
    fn ended(&self, end: &PageEnd<'_>) {
        let bound = end.timings.fetched.as_millis().max(2).next_power_of_two();
        let mut latencies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *latencies.entry(bound).or_default() += 1;
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "https://example.com/".to_owned());
    let latencies = Arc::new(Latencies::default());
    let engine = Engine::builder().hooks(latencies.clone()).build()?;
    engine.crawl(CrawlRequest::new(url).limit(100)).await?.wait().await?;
    engine.stop().await; // a job may end a moment before the last call of `ended`
    for (bound, pages) in &*latencies.0.lock().unwrap_or_else(PoisonError::into_inner) {
        println!("{bound:>8} ms: {pages}");
    }
    Ok(())
}
