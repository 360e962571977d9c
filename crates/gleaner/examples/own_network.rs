//! Your own proxy, user agent, headers, root certificates and resolver of names.
//!
//! `cargo run --release -p gleaner --example own_network -- URL [http://user:password@proxy:3128 [ca.pem]]`
#![expect(clippy::print_stdout, reason = "a command-line program")]

use std::{error::Error, io, net::IpAddr, sync::Arc, time::Duration};

use gleaner::{BoxFuture, Engine, Proxy, ProxyPool, Resolve, ScrapeRequest, SystemResolver};

/// Prints what it resolves. The egress guard still checks each address.
#[derive(Debug)]
struct LoudResolver(SystemResolver);

impl Resolve for LoudResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let addresses = self.0.resolve(host).await?;
            println!("{host} is at {addresses:?}");
            Ok(addresses)
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "https://example.com/".to_owned());
    let resolver = LoudResolver(SystemResolver::default());
    let mut builder = Engine::builder().resolver(Arc::new(resolver)).connect_timeout(Duration::from_secs(5));
    builder = builder.user_agent("my-crawler/1.0 (+https://example.com/bot)");
    if let Some(proxy) = arguments.next() {
        // A proxy in a private network also needs `allow_cidr` of the pool.
        builder = builder.basic_proxies(ProxyPool::new([Proxy::parse(&proxy)?]));
    }
    if let Some(file) = arguments.next() {
        builder = builder.add_root_certificates_pem(std::fs::read(file)?);
    }
    let request = ScrapeRequest::new(url).headers([("accept-language", "de")]);
    println!("{}", builder.build()?.scrape(request).await?.markdown.unwrap_or_default());
    Ok(())
}
