//! Tests that a cached DNS answer cannot circumvent the egress policy.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use gleaner_fetch::{DnsAnswer, EgressPolicy, ErrorKind, Fetcher, FollowAll, MIN_DNS_TTL, Request, Resolve};
use gleaner_types::BoxFuture;

use super::support::{Canary, Site, answer};

/// Answers with an allowed and a forbidden address in turn, with a time to live of zero.
#[derive(Debug, Default)]
struct Flipping {
    calls: AtomicUsize,
}

impl Resolve for Flipping {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let call = self.calls.fetch_add(1, SeqCst);
            Ok(vec![IpAddr::from([127, 0, 0, if call.is_multiple_of(2) { 2 } else { 1 }])])
        })
    }

    fn resolve_with_ttl<'a>(&'a self, host: &'a str) -> BoxFuture<'a, std::io::Result<DnsAnswer>> {
        Box::pin(async move { Ok(DnsAnswer::new(self.resolve(host).await?).ttl(Duration::ZERO)) })
    }
}

/// The allowed address is an alias of the loopback interface, which only Linux has without set-up.
#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn cached_answers_do_not_enable_dns_rebinding() {
    let site = Site::serve_on("127.0.0.2:0", None, |_| {
        answer(200, &[("connection", "close"), ("content-type", "text/html")], b"open")
    })
    .await;
    let canary = Canary::on(&format!("127.0.0.1:{}", site.address.port()));
    let resolver = Arc::new(Flipping::default());
    let fetcher = Fetcher::builder()
        .egress(EgressPolicy::public_only().allow_cidr("127.0.0.2/32".parse().unwrap()))
        .resolver(Arc::clone(&resolver) as Arc<dyn Resolve>)
        .build()
        .unwrap();
    let (mut open, mut blocked) = (0, 0);
    for round in 0..1000 {
        match fetcher.fetch(Request::get(site.url("rebind.example", "/")), &FollowAll).await {
            Ok(response) => {
                assert_eq!(&response.body[..], b"open");
                open += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Blocked, "{error}");
                blocked += 1;
            }
        }
        // Each answer serves two rounds. A forbidden one is refused in both.
        if round % 2 == 1 {
            tokio::time::advance(MIN_DNS_TTL).await;
        }
    }
    assert_eq!((open, blocked), (500, 500));
    assert_eq!(resolver.calls.load(SeqCst), 500, "one lookup for two rounds");
    assert_eq!(site.connections(), 500);
    assert_eq!(canary.connections(), 0);
}
