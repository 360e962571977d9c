//! Your own proxy, user agent, headers, root certificates and resolver of names.
//!
//! `cargo run --release -p gleaner --example own_network -- URL [http://user:password@proxy:3128 [ca.pem]]`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, io, net::IpAddr, sync::Arc, time::Duration};

use gleaner::{Engine, Network, Proxy, ProxyPool, Resolve, ScrapeRequest, SystemResolver, async_trait};

/// Prints what it resolves. The egress guard still checks each address.
#[derive(Debug)]
struct LoudResolver(SystemResolver);

#[async_trait]
impl Resolve for LoudResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let addresses = self.0.resolve(host).await?;
        println!("{host} is at {addresses:?}");
        Ok(addresses)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let resolver = LoudResolver(SystemResolver::default());
    let mut network = Network::new().resolver(Arc::new(resolver)).connect_timeout(Duration::from_secs(5));
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
