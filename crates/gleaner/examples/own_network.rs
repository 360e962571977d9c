//! Your own proxy, user agent, headers and root certificates.
//!
//! `cargo run --release -p gleaner --example own_network -- URL [http://user:password@proxy:3128 [ca.pem]]`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, time::Duration};

use gleaner::{Engine, Network, Proxy, ProxyPool, ScrapeRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let mut network = Network::new().connect_timeout(Duration::from_secs(5));
    if let Some(proxy) = arguments.next() {
        // A proxy in a private network also needs `allow_cidr` of the pool.
        network = network.basic_proxies(ProxyPool::new([Proxy::parse(&proxy)?]));
    }
    if let Some(file) = arguments.next() {
        network = network.add_root_certificates_pem(std::fs::read(file)?);
    }
    let builder = Engine::builder().user_agent("my-crawler/1.0 (+https://example.com/bot)");
    let engine = builder.network(network).build()?;
    let request = ScrapeRequest::new(url).headers([("accept-language", "de")]);
    println!("{}", engine.scrape(request).await?.markdown.unwrap_or_default());
    Ok(())
}
