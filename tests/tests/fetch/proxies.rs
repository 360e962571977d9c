//! The proxy modes, and the egress guard behind a proxy, with a proxy in this process.

use gleaner_fetch::{EgressPolicy, ErrorKind, Fetcher, FollowAll, Proxy, ProxyPool, Request, Response};
use gleaner_testkit::{Canary, ClosedPort, ProxyServer, RawServer, Step};
use gleaner_types::ErrorCode;
use gleaner_types::ProxyUsed;
use gleaner_types::plan::ProxyMode;

use super::support::{Loopback, fetcher_builder, page, pool};
use super::tls;

fn request(url: &str, mode: ProxyMode) -> Request {
    let mut request = Request::get(url.parse().unwrap());
    request.proxy = mode;
    request
}

async fn fetch(fetcher: &Fetcher, url: &str, mode: ProxyMode) -> Result<Response, gleaner_fetch::Error> {
    fetcher.fetch(request(url, mode), &FollowAll).await
}

fn url_by_name(server: &RawServer) -> String {
    format!("http://site.example:{}/", server.addr().port())
}

#[tokio::test]
async fn both_proxy_protocols_connect_to_the_checked_address() {
    let server = RawServer::start([Step::ReadRequest, page("here"), Step::Repeat]).unwrap();
    for scheme in ["http", "socks5"] {
        for credentials in ["", "user:p%40ss@"] {
            let proxy = match credentials {
                "" => ProxyServer::start().unwrap(),
                _ => ProxyServer::start_with_credentials("user", "p@ss").unwrap(),
            };
            let address = format!("{scheme}://{credentials}{}", proxy.addr());
            let fetcher = fetcher_builder().basic_proxies(pool(&[&address])).build().unwrap();
            for _ in 0..3 {
                let response = fetch(&fetcher, &url_by_name(&server), ProxyMode::Basic).await.unwrap();
                assert_eq!((&response.body[..], response.proxy_used), (&b"here"[..], ProxyUsed::Basic));
            }
            assert_eq!(
                proxy.destinations(),
                [server.addr().to_string()],
                "{scheme}: one tunnel to an IP address"
            );
        }
    }
    let heads = server.requests();
    let head = String::from_utf8_lossy(&heads[0]);
    assert!(head.starts_with("GET / HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("host: site.example:{}", server.addr().port())), "{head}");
    assert!(!head.to_lowercase().contains("proxy"), "{head}");
}

#[tokio::test]
async fn tls_is_end_to_end_through_a_proxy() {
    let identity = tls::Identity::new("site.example");
    let server = tls::Server::start(&identity, &["h2", "http/1.1"]).await;
    for scheme in ["http", "socks5"] {
        let proxy = ProxyServer::start().unwrap();
        let fetcher = fetcher_builder()
            .add_root_certificate(identity.authority())
            .stealth_proxies(pool(&[&format!("{scheme}://{}", proxy.addr())]))
            .build()
            .unwrap();
        let url = format!("https://site.example:{}/", server.addr().port());
        let response = fetch(&fetcher, &url, ProxyMode::Stealth).await.unwrap();
        assert_eq!((response.status, response.proxy_used), (200, ProxyUsed::Stealth));
        assert_eq!(proxy.destinations(), [server.addr().to_string()]);
        let wrong = format!("https://other.example:{}/", server.addr().port());
        let error = fetch(&fetcher, &wrong, ProxyMode::Stealth).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Tls, "the certificate is verified for the host name: {error}");
    }
}

#[tokio::test]
async fn the_egress_guard_applies_to_targets_behind_a_proxy() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let proxy = ProxyServer::start().unwrap();
    let port = canary.addr().port();
    for remote in [false, true] {
        let mut member = Proxy::parse(&format!("http://{}", proxy.addr())).unwrap();
        if remote {
            member = member.resolve_names_remotely();
        }
        let pool = ProxyPool::new([member]).allow_cidr("127.0.0.1/32".parse().unwrap());
        // The policy for pages allows no private address; that of the pool allows the proxy.
        let fetcher = Fetcher::builder()
            .egress(EgressPolicy::public_only())
            .resolver(std::sync::Arc::new(Loopback))
            .basic_proxies(pool)
            .build()
            .unwrap();
        for host in
            ["127.0.0.2", "127.0.0.1", "[::ffff:127.0.0.2]", "2130706434", "name.example", "169.254.169.254"]
        {
            for scheme in ["http", "https"] {
                let error = fetch(&fetcher, &format!("{scheme}://{host}:{port}/"), ProxyMode::Basic)
                    .await
                    .unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Blocked, "{scheme} {host}: {error}");
            }
        }
    }
    assert_eq!((proxy.connections(), canary.connections()), (0, 0));
    println!("private targets behind a proxy: the proxy got 0 of 24 requests");
}

#[tokio::test]
async fn a_proxy_on_a_private_address_must_be_allowed_by_its_pool() {
    let canary = Canary::start().unwrap();
    let pool = ProxyPool::new([Proxy::parse(&format!("http://{}", canary.addr())).unwrap()]);
    // An address that is allowed for pages is not allowed for proxies.
    let fetcher = fetcher_builder().basic_proxies(pool).build().unwrap();
    let error = fetch(&fetcher, "http://site.example/", ProxyMode::Basic).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Proxy, ErrorCode::ScrapeAllEnginesFailed),
        "{error}"
    );
    assert!(error.to_string().contains("its pool does not allow"), "{error}");
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn host_names_reach_the_proxy_only_with_remote_resolution() {
    let server = RawServer::start([Step::ReadRequest, page("here"), Step::Repeat]).unwrap();
    for scheme in ["http", "socks5"] {
        let proxy = ProxyServer::start_with_credentials("u", "p").unwrap();
        let member =
            Proxy::parse(&format!("{scheme}://u:p@{}", proxy.addr())).unwrap().resolve_names_remotely();
        let pool = ProxyPool::new([member]).allow_cidr("127.0.0.1/32".parse().unwrap());
        let fetcher = fetcher_builder().basic_proxies(pool).build().unwrap();
        let response = fetch(&fetcher, &url_by_name(&server), ProxyMode::Basic).await.unwrap();
        assert_eq!(&response.body[..], b"here");
        assert_eq!(proxy.destinations(), [format!("site.example:{}", server.addr().port())], "{scheme}");
        if scheme == "http" {
            let head = &proxy.heads()[0];
            assert!(
                head.starts_with(&format!("GET {} HTTP/1.1", url_by_name(&server))),
                "absolute form: {head}"
            );
        }
    }
}

#[tokio::test]
async fn a_failed_proxy_is_replaced_by_another() {
    let server = RawServer::start([Step::ReadRequest, page("here"), Step::Repeat]).unwrap();
    let dead = ClosedPort::take().unwrap();
    let refusing = ProxyServer::start_with_credentials("someone", "else").unwrap();
    let good = ProxyServer::start().unwrap();
    let members =
        [dead.base_url(), format!("socks5://{}", refusing.addr()), format!("http://{}", good.addr())];
    let members: Vec<&str> = members.iter().map(String::as_str).collect();
    let fetcher = fetcher_builder().basic_proxies(pool(&members)).build().unwrap();
    for _ in 0..6 {
        assert_eq!(fetch(&fetcher, &url_by_name(&server), ProxyMode::Basic).await.unwrap().status, 200);
    }
    assert_eq!(refusing.connections(), 1, "the proxy is paused after its first failure");

    let fetcher = fetcher_builder().basic_proxies(pool(&members[..2])).build().unwrap();
    let error = fetch(&fetcher, &url_by_name(&server), ProxyMode::Basic).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Proxy, "{error}");
}

#[tokio::test]
async fn the_country_selects_the_proxy() {
    let server = RawServer::start([Step::ReadRequest, page("here"), Step::Repeat]).unwrap();
    let (german, french) = (ProxyServer::start().unwrap(), ProxyServer::start().unwrap());
    let member = |proxy: &ProxyServer, country| {
        Proxy::parse(&format!("http://{}", proxy.addr())).unwrap().country(country).unwrap()
    };
    let pool = ProxyPool::new([member(&german, "DE"), member(&french, "FR")])
        .allow_cidr("127.0.0.1/32".parse().unwrap());
    let fetcher = fetcher_builder().basic_proxies(pool).build().unwrap();
    for _ in 0..4 {
        let mut request = request(&url_by_name(&server), ProxyMode::Basic);
        request.country = Some("FR".to_owned());
        fetcher.fetch(request, &FollowAll).await.unwrap();
    }
    assert_eq!((german.connections(), french.connections()), (0, 1));
}

#[tokio::test]
async fn auto_tries_stealth_once_for_refusals_and_bot_challenges() {
    let challenge = "<title>Just a moment</title><p>Checking your browser";
    let rows: [(&str, Step, bool); 10] = [
        ("401", Step::respond("401 Unauthorized", &[], ""), true),
        ("403", Step::respond("403 Forbidden", &[], ""), true),
        ("429", Step::respond("429 Too Many Requests", &[], ""), true),
        (
            "a challenge with 503",
            Step::respond("503 Service Unavailable", &[("Content-Type", "text/html")], challenge),
            true,
        ),
        ("a challenge with 200", page(challenge), true),
        ("a reset", Step::Reset, true),
        ("200", page("<p>fine"), false),
        ("404", Step::respond("404 Not Found", &[], ""), false),
        ("500", Step::respond("500 Oops", &[], "broken"), false),
        ("503 without a challenge", Step::respond("503 Busy", &[], "come back later"), false),
    ];
    for (name, answer, uses_stealth) in rows {
        let proxy = ProxyServer::start().unwrap();
        let first = vec![Step::ReadRequest, answer, Step::Close];
        let server =
            RawServer::start_per_connection([first, vec![Step::ReadRequest, page("better"), Step::Close]])
                .unwrap();
        let fetcher = fetcher_builder()
            .stealth_proxies(pool(&[&format!("socks5://{}", proxy.addr())]))
            .build()
            .unwrap();
        let response = fetch(&fetcher, &url_by_name(&server), ProxyMode::Auto).await.unwrap();
        let expected = if uses_stealth { ProxyUsed::Stealth } else { ProxyUsed::Basic };
        assert_eq!(response.proxy_used, expected, "{name}");
        assert_eq!(server.connections(), if uses_stealth { 2 } else { 1 }, "{name}");
        assert_eq!(proxy.connections(), usize::from(uses_stealth), "{name}");
        if uses_stealth {
            let heads = server.requests();
            let seen = |head: &[u8]| String::from_utf8_lossy(head).contains("gleaner");
            assert!(seen(&heads[0]) && !seen(heads.last().unwrap()), "{name}: stealth looks like a browser");
        }
    }
}

#[tokio::test]
async fn auto_keeps_the_first_response_if_stealth_is_no_better() {
    let refused = || vec![Step::ReadRequest, Step::respond("403 Forbidden", &[], "no"), Step::Close];
    let proxy = ProxyServer::start_with_credentials("u", "p").unwrap();
    let server = RawServer::start_per_connection([refused()]).unwrap();
    let stealth = pool(&[&format!("http://{}", proxy.addr())]);
    let fetcher = fetcher_builder().stealth_proxies(stealth).build().unwrap();
    let response = fetch(&fetcher, &url_by_name(&server), ProxyMode::Auto).await.unwrap();
    assert_eq!((response.status, response.proxy_used), (403, ProxyUsed::Basic));

    let plain = fetcher_builder().build().unwrap();
    let response = fetch(&plain, &url_by_name(&server), ProxyMode::Auto).await.unwrap();
    assert_eq!((response.status, server.connections()), (403, 2), "without a pool there is no second try");

    // A working proxy to a site that refuses every client: the caller is not charged for stealth.
    let proxy = ProxyServer::start().unwrap();
    let server = RawServer::start_per_connection([refused()]).unwrap();
    let stealth = pool(&[&format!("http://{}", proxy.addr())]);
    let fetcher = fetcher_builder().stealth_proxies(stealth).build().unwrap();
    let response = fetch(&fetcher, &url_by_name(&server), ProxyMode::Auto).await.unwrap();
    assert_eq!((response.status, response.proxy_used), (403, ProxyUsed::Basic));
    assert_eq!((server.connections(), proxy.destinations().len()), (2, 1), "stealth was tried");
}

#[tokio::test]
async fn the_error_for_stealth_without_a_pool_names_alternatives() {
    let error = fetch(&fetcher_builder().build().unwrap(), "http://site.example/", ProxyMode::Stealth)
        .await
        .unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::ProxyNotConfigured, ErrorCode::UnsupportedOption));
    assert!(error.to_string().contains("`basic` or `auto`"), "{error}");
}
