//! Fetchers for loopback, and responses of their servers.

use std::sync::Arc;

use gleaner_fetch::{
    EgressPolicy, Error, Fetcher, FetcherBuilder, FollowAll, Proxy, ProxyPool, Request, Resolve, Response,
};
use gleaner_testkit::Step;
use gleaner_types::BoxFuture;

/// Resolves every name to 127.0.0.1.
#[derive(Debug)]
pub(crate) struct Loopback;

impl Resolve for Loopback {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<std::net::IpAddr>>> {
        Box::pin(async move { Ok(vec![std::net::IpAddr::from([127, 0, 0, 1])]) })
    }
}

/// A builder of a fetcher that may connect to 127.0.0.1 and to the public Internet.
pub(crate) fn fetcher_builder() -> FetcherBuilder {
    let policy = EgressPolicy::public_only().allow_cidr("127.0.0.1/32".parse().unwrap());
    Fetcher::builder().egress(policy).resolver(Arc::new(Loopback))
}

/// A pool whose proxies may be on 127.0.0.1.
pub(crate) fn pool(addresses: &[&str]) -> ProxyPool {
    let proxies = addresses.iter().map(|address| Proxy::parse(address).unwrap());
    ProxyPool::new(proxies).allow_cidr("127.0.0.1/32".parse().unwrap())
}

/// A response with a page, which leaves the connection reusable.
pub(crate) fn page(body: &str) -> Step {
    Step::respond("200 OK", &[("Content-Type", "text/html")], body)
}

/// Fetches with a fetcher that may connect to 127.0.0.1.
pub(crate) async fn get(url: &str) -> Result<Response, Error> {
    fetcher_builder().build().unwrap().fetch(Request::get(url.parse().unwrap()), &FollowAll).await
}
