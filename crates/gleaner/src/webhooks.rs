//! Implements the port for sending webhooks with the fetcher.

use gleaner_fetch::{Accept, Error, Fetcher, FollowAll, Request};
use gleaner_service::{Deliver, DeliverError, Delivery};
use gleaner_types::BoxFuture;
use gleaner_types::plan::ProxyMode;
use url::Url;

/// [`Deliver`] by `gleaner-fetch`, with the same egress guard as for pages.
#[derive(Debug)]
pub(crate) struct WebhookAdapter {
    fetcher: Fetcher,
}

impl WebhookAdapter {
    pub(crate) fn new(fetcher: Fetcher) -> Self {
        Self { fetcher }
    }
}

impl Deliver for WebhookAdapter {
    fn check<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<(), DeliverError>> {
        Box::pin(async move { self.fetcher.check_resolved(url).await.map_err(|error| failure(&error)) })
    }

    fn deliver<'a>(&'a self, delivery: Delivery<'a>) -> BoxFuture<'a, Result<u16, DeliverError>> {
        Box::pin(async move {
            let headers = delivery.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let request = Request::post(delivery.url.clone(), delivery.body.to_vec()).headers(headers);
            let mut request = request.map_err(|error| failure(&error))?;
            request.accept = Accept::Nothing;
            request.max_redirects = Some(0);
            request.timeout = Some(delivery.timeout);
            request.proxy = ProxyMode::Basic;
            let response = self.fetcher.fetch(request, &FollowAll).await;
            response.map(|response| response.status).map_err(|error| failure(&error))
        })
    }
}

fn failure(error: &Error) -> DeliverError {
    match error.is_blocked() {
        true => DeliverError::refused(error.detail()),
        false => DeliverError::failed(error.detail()),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::IpAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use gleaner_fetch::{EgressPolicy, FetcherBuilder, Resolve};
    use gleaner_testkit::{Canary, RawServer, Step};

    use super::*;

    /// A resolver that cycles through these answers.
    #[derive(Debug)]
    struct CyclicResolver {
        answers: Vec<Vec<IpAddr>>,
        lookups: AtomicUsize,
    }

    impl Resolve for CyclicResolver {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            Box::pin(async move {
                let lookup = self.lookups.fetch_add(1, Ordering::Relaxed);
                Ok(self.answers[lookup % self.answers.len()].clone())
            })
        }
    }

    fn resolver(answers: &[&[&str]]) -> Arc<CyclicResolver> {
        let parse = |answer: &&[&str]| answer.iter().map(|text| text.parse().unwrap()).collect();
        let answers = answers.iter().map(parse).collect();
        Arc::new(CyclicResolver { answers, lookups: AtomicUsize::new(0) })
    }

    fn sender(policy: EgressPolicy, resolver: Arc<CyclicResolver>) -> WebhookAdapter {
        let fetcher = FetcherBuilder::default().egress(policy).resolver(resolver).dns_cache(false);
        WebhookAdapter::new(fetcher.build().unwrap())
    }

    fn delivery(url: &Url) -> Delivery<'_> {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Delivery::new(url, headers, br#"{"success":true}"#, Duration::from_secs(10))
    }

    #[tokio::test]
    async fn private_addresses_are_refused_at_submission_and_at_delivery() {
        let canary = Canary::start().unwrap();
        let port = canary.addr().port();
        let hosts = [
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "127.1",
            "127.0.0.1.",
            "%31%32%37.0.0.1",
            "１２７.0.0.1",
            "0.0.0.0",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[2001:0:7f00:1::]",
            "[fc00::1]",
            "[fe80::1]",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.0.1",
            "100.64.0.1",
            "169.254.169.254",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "localhost",
            "inside.example",
        ];
        let mut urls: Vec<String> = hosts.iter().map(|host| format!("http://{host}:{port}/hook")).collect();
        urls.extend(
            ["http://8.8.8.8:25/", "http://8.8.8.8:22/", "ftp://8.8.8.8/", "file:///etc/passwd"]
                .map(str::to_owned),
        );
        for answers in [&["127.0.0.1"][..], &["8.8.8.8", "127.0.0.1"], &["127.0.0.1", "8.8.8.8"]] {
            let sender = sender(EgressPolicy::public_only(), resolver(&[answers]));
            for url in &urls {
                let url = Url::parse(url).unwrap();
                let submitted = sender.check(&url).await.unwrap_err();
                let sent = sender.deliver(delivery(&url)).await.unwrap_err();
                assert!(submitted.refused && sent.refused, "{url}");
                assert!(!submitted.message.contains("127.0.0.1"), "{url}: {}", submitted.message);
            }
        }
        assert_eq!(canary.connections(), 0);
    }

    #[tokio::test]
    async fn a_name_that_becomes_private_after_the_check_is_not_dialled() {
        let canary = Canary::start().unwrap();
        let resolver = resolver(&[&["8.8.8.8"], &["127.0.0.1"]]);
        let sender = sender(EgressPolicy::public_only(), Arc::clone(&resolver));
        let url = Url::parse(&format!("http://hook.example:{}/", canary.addr().port())).unwrap();
        for round in 0..1_000 {
            assert_eq!(sender.check(&url).await, Ok(()), "{round}");
            assert!(sender.deliver(delivery(&url)).await.unwrap_err().refused, "{round}");
        }
        assert_eq!(resolver.lookups.load(Ordering::Relaxed), 2_000, "one lookup each time");
        assert_eq!(canary.connections(), 0);
    }

    #[tokio::test]
    async fn the_body_is_posted_unchanged_and_redirects_are_not_followed() {
        let canary = Canary::start().unwrap();
        let loopback = EgressPolicy::public_only().allow_cidr("127.0.0.0/8".parse().unwrap());
        let sender = sender(loopback, resolver(&[&["127.0.0.1"]]));
        for status in [200, 301, 302, 303, 307, 308, 500] {
            let target = canary.base_url();
            let refresh = format!("0; url={target}");
            let headers = [("location", target.as_str()), ("refresh", refresh.as_str())];
            let response = Step::respond(&format!("{status} Status"), &headers, "not read");
            let receiver = RawServer::start([Step::ReadRequest, response]).unwrap();
            let url = Url::parse(&format!("{}/hook?for=me", receiver.base_url())).unwrap();
            assert_eq!(sender.deliver(delivery(&url)).await, Ok(status));
            let received = String::from_utf8(receiver.requests()[0].to_vec()).unwrap();
            assert!(received.starts_with("POST /hook?for=me HTTP/1.1\r\n"), "{received}");
            assert!(
                received.to_ascii_lowercase().contains("content-type: application/json\r\n"),
                "{received}"
            );
        }
        assert_eq!(canary.connections(), 0);
    }
}
