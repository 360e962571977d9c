//! Tests of the egress policy: forbidden addresses, names, redirects and schemes.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gleaner_fetch::{EgressPolicy, ErrorKind, Fetcher, FollowAll, Request, Resolve};
use gleaner_types::BoxFuture;
use url::Url;

use super::support::{Canary, Names, Site, builder, fetcher, get, page, redirect};

#[tokio::test]
async fn encodings_of_local_addresses_are_forbidden() {
    let canary = Canary::on("127.0.0.1:0");
    let hosts = [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "１２７.０.０.１",
        "%31%32%37.0.0.1",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[::1]",
        "[::]",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.0.1",
        "172.16.0.1",
        "100.64.0.1",
    ];
    for host in hosts {
        let url = Url::parse(&format!("http://{host}:{}/", canary.port())).unwrap();
        let error = get(url).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Blocked, "{host}: {error}");
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn names_that_resolve_to_forbidden_addresses_are_forbidden() {
    let canary = Canary::on("127.0.0.1:0");
    let rows: [(&str, &[&str]); 6] = [
        ("private only", &["127.0.0.1"]),
        ("public first", &["192.0.0.9", "127.0.0.1"]),
        ("public last", &["127.0.0.1", "192.0.0.9"]),
        ("mapped", &["::ffff:127.0.0.1"]),
        ("metadata service", &["169.254.169.254"]),
        ("translated", &["64:ff9b::7f00:1"]),
    ];
    for (name, answers) in rows {
        let answers = answers.iter().map(|text| text.parse().unwrap()).collect();
        let names = Names { table: [("evil.example", answers)].into(), ..Names::default() };
        let fetcher = builder().resolver(Arc::new(names)).build().unwrap();
        let url = Url::parse(&format!("http://evil.example:{}/", canary.port())).unwrap();
        let error = fetcher.fetch(Request::get(url), &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Blocked, "{name}: {error}");
        for part in ["127.0.0.1", "169.254", "7f00"] {
            assert!(!format!("{error} {error:?}").contains(part), "{name}: {error}");
        }
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn redirects_to_forbidden_addresses_are_refused() {
    let canary = Canary::on("127.0.0.1:0");
    let port = canary.port();
    let targets = [
        format!("http://127.0.0.1:{port}/"),
        format!("//127.0.0.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://user:pw@127.0.0.1:{port}/"),
        format!("http://closed.test:{port}/"),
        format!("\\\\127.0.0.1:{port}\\"),
    ];
    for status in [301, 302, 303, 307, 308] {
        for target in &targets {
            for depth in 0..3 {
                let target = target.clone();
                let site = Site::serve(move |seen| {
                    let hop: usize = seen.path()[1..].parse().unwrap();
                    if hop == depth {
                        redirect(status, &target)
                    } else {
                        redirect(status, &format!("/{}", hop + 1))
                    }
                })
                .await;
                let error = get(site.url("a.test", "/0")).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Blocked, "{status} at hop {depth}: {error}");
            }
        }
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn redirects_to_other_schemes_and_bad_ports_are_refused() {
    let rows = [
        ("file:///etc/passwd", ErrorKind::Scheme),
        ("ftp://a.test/", ErrorKind::Scheme),
        ("gopher://a.test:70/", ErrorKind::Scheme),
        ("data:text/html,x", ErrorKind::Scheme),
        ("javascript:alert(1)", ErrorKind::Scheme),
        ("blob:http://a.test/x", ErrorKind::Scheme),
        ("ws://a.test/", ErrorKind::Scheme),
        ("http://a.test:22/", ErrorKind::Port),
        ("http://a.test:25/", ErrorKind::Port),
        ("http://a.test:6379/", ErrorKind::Port),
        ("http://a.test:6667/", ErrorKind::Port),
    ];
    for (target, kind) in rows {
        let site = Site::serve(move |_| redirect(302, target)).await;
        let error = get(site.url("a.test", "/")).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{target}: {error}");
        assert!(error.is_egress_denied() && error.is_blocked());
    }
}

/// Answers with an allowed and a forbidden address in turn.
#[derive(Debug, Default)]
struct Flipping {
    calls: AtomicUsize,
}

impl Resolve for Flipping {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let call = self.calls.fetch_add(1, Ordering::SeqCst);
            Ok(vec![IpAddr::from([127, 0, 0, if call.is_multiple_of(2) { 2 } else { 1 }])])
        })
    }
}

/// The allowed address is an alias of the loopback interface, which only Linux has without set-up.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_resolver_that_changes_its_answers_cannot_bypass_the_policy() {
    let site = Site::serve_on("127.0.0.2:0", None, |_| {
        super::support::answer(200, &[("connection", "close"), ("content-type", "text/html")], b"open")
    })
    .await;
    let canary = Canary::on(&format!("127.0.0.1:{}", site.address.port()));
    let resolver = Arc::new(Flipping::default());
    let fetcher = Fetcher::builder()
        .egress(EgressPolicy::public_only().allow_cidr("127.0.0.2/32".parse().unwrap()))
        .resolver(Arc::clone(&resolver) as Arc<dyn Resolve>)
        .dns_cache(false)
        .build()
        .unwrap();
    let (mut open, mut blocked) = (0, 0);
    for _ in 0..1000 {
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
    }
    assert_eq!((open, blocked), (500, 500));
    assert_eq!(resolver.calls.load(Ordering::SeqCst), 1000, "one lookup for each round");
    assert_eq!(site.connections(), 500);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn exceptions_permit_only_what_they_name() {
    let site = Site::serve(|_| page("inside")).await;
    let canary = Canary::on("127.0.0.1:0");
    let with = |policy| builder().egress(policy).build().unwrap();
    let cidr = with(EgressPolicy::public_only().allow_cidr("127.0.0.1/32".parse().unwrap()));
    let host = with(EgressPolicy::public_only().allow_host("a.test"));
    for (fetcher, url) in [
        (&cidr, site.url("127.0.0.1", "/")),
        (&cidr, site.url("[::ffff:127.0.0.1]", "/")),
        (&cidr, site.url("b.test", "/")),
        (&host, site.url("a.test", "/")),
        (&host, site.url("A.TEST.", "/")),
    ] {
        let response = fetcher.fetch(Request::get(url.clone()), &FollowAll).await;
        // A system without IPv6 cannot dial the mapped form, but the policy does not refuse it.
        let is_permitted = response
            .as_ref()
            .map_or_else(gleaner_fetch::Error::is_connect, |response| &response.body[..] == b"inside");
        assert!(is_permitted, "{url}: {response:?}");
    }
    for url in [format!("http://127.0.0.1:{}/", canary.port()), format!("http://b.test:{}/", canary.port())] {
        let error = host.fetch(Request::get(url.parse().unwrap()), &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Blocked, "{url}");
    }
    assert_eq!(canary.connections(), 0);
}

/// The environment names a proxy. A child process checks that the fetcher does not use it.
#[tokio::test]
async fn proxies_of_the_environment_are_not_used() {
    let site = Site::serve(|_| page("direct")).await;
    let canary = Canary::on("127.0.0.1:0");
    let proxy = format!("http://127.0.0.1:{}", canary.port());
    let child = tokio::task::spawn_blocking({
        let url = site.url("a.test", "/").to_string();
        move || {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args([
                "--ignored",
                "--exact",
                "fetcher::egress::child_of_a_proxied_environment",
                "--nocapture",
            ]);
            for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
                command.env(name, &proxy);
            }
            command.env_remove("NO_PROXY").env_remove("no_proxy").env("GLEANER_TEST_URL", url);
            command.status().unwrap()
        }
    });
    assert!(child.await.unwrap().success());
    assert_eq!(site.seen().len(), 1);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
#[ignore = "run by proxies_of_the_environment_are_not_used, in a prepared environment"]
#[expect(clippy::disallowed_methods, reason = "the parent passes the URL in the environment")]
async fn child_of_a_proxied_environment() {
    let Ok(url) = std::env::var("GLEANER_TEST_URL") else { return };
    let response = fetcher().fetch(Request::get(url.parse().unwrap()), &FollowAll).await.unwrap();
    assert_eq!(&response.body[..], b"direct");
}
