//! Fetchers for loopback, and what their servers say.

use std::sync::Arc;

use async_trait::async_trait;
use gleaner_fetch::{
    EgressPolicy, Error, Fetcher, FetcherBuilder, FollowAll, Proxy, ProxyPool, Request, Resolve, Response,
};
use gleaner_testkit::Step;

/// Resolves every name to 127.0.0.1.
#[derive(Debug)]
pub(crate) struct Loopback;

#[async_trait]
impl Resolve for Loopback {
    async fn resolve(&self, _: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
        Ok(vec![std::net::IpAddr::from([127, 0, 0, 1])])
    }
}

/// A fetcher that may reach 127.0.0.1 and the public Internet.
pub(crate) fn builder() -> FetcherBuilder {
    let policy = EgressPolicy::public_only().allow_cidr("127.0.0.1/32".parse().unwrap());
    Fetcher::builder().egress(policy).resolver(Arc::new(Loopback))
}

/// Proxies that may be on 127.0.0.1.
pub(crate) fn pool(addresses: &[&str]) -> ProxyPool {
    let proxies = addresses.iter().map(|address| Proxy::parse(address).unwrap());
    ProxyPool::new(proxies).allow_cidr("127.0.0.1/32".parse().unwrap())
}

/// An answer that is a page, after which the connection may be used again.
pub(crate) fn page(body: &str) -> Step {
    Step::respond("200 OK", &[("Content-Type", "text/html")], body)
}

/// Fetches with a fetcher that may reach 127.0.0.1.
pub(crate) async fn get(url: &str) -> Result<Response, Error> {
    builder().build().unwrap().fetch(Request::get(url.parse().unwrap()), &FollowAll).await
}

/// The greatest resident memory of this process so far, in bytes.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

/// What the ignored test `name` prints behind `CHILD` when it runs alone in a process, with `url` in `GLEANER_TEST_URL`.
pub(crate) fn in_a_process(name: &str, url: &str) -> String {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", name, "--nocapture"]);
    let output = child.env("GLEANER_TEST_URL", url).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.split_once("CHILD ")).expect(&text).1.to_owned()
}

/// What [`in_a_process`] gave; `None` where the test was not begun by it.
#[expect(clippy::disallowed_methods, reason = "the child learns from its parent where to go")]
pub(crate) fn url_from_parent() -> Option<String> {
    std::env::var("GLEANER_TEST_URL").ok()
}
