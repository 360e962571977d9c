//! The egress guard. The tests of the fetch crate cover redirects and names in more detail.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gleaner_fetch::{EgressPolicy, ErrorKind, Fetcher, FollowAll, Request, Resolve};
use gleaner_testkit::{Canary, RawServer, Step};
use gleaner_types::BoxFuture;

use super::support::{self, page};

/// Special-purpose blocks, listed independently of the table under test: prefix and length.
const V4: &[(&str, u32)] = &[
    ("0.0.0.0", 8),
    ("10.0.0.0", 8),
    ("100.64.0.0", 10),
    ("127.0.0.0", 8),
    ("169.254.0.0", 16),
    ("172.16.0.0", 12),
    ("192.0.2.0", 24),
    ("192.168.0.0", 16),
    ("198.18.0.0", 15),
    ("198.51.100.0", 24),
    ("203.0.113.0", 24),
    ("224.0.0.0", 4),
    ("240.0.0.0", 4),
];
const V6: &[(&str, u32)] = &[
    ("::", 128),
    ("::1", 128),
    ("64:ff9b:1::", 48),
    ("100::", 64),
    ("100:0:0:1::", 64),
    ("2001::", 23),
    ("2001:db8::", 32),
    ("3fff::", 20),
    ("5f00::", 16),
    ("fc00::", 7),
    ("fe80::", 10),
    // No longer in the registry: deprecated by RFC 3879, but still routed inside some sites.
    ("fec0::", 10),
    ("ff00::", 8),
];

#[test]
fn special_purpose_blocks_are_blocked_up_to_their_last_address() {
    let policy = EgressPolicy::public_only();
    let (mut blocked, mut inside, mut wrong, mut outside) = (0, 0, 0, 0);
    let mut check = |address: IpAddr, is_inside: bool, in_any: bool| {
        let permitted = policy.permits(address);
        if is_inside {
            inside += 1;
            blocked += u32::from(!permitted);
            assert!(!permitted, "{address} must be blocked");
        } else if !in_any {
            outside += 1;
            wrong += u32::from(!permitted);
            assert!(permitted, "{address} must not be blocked");
        }
    };
    let v4 = |(text, length): &(&str, u32)| {
        let first = text.parse::<Ipv4Addr>().unwrap().to_bits();
        (first, first | u32::MAX.checked_shr(*length).unwrap_or(0))
    };
    let ranges: Vec<_> = V4.iter().map(v4).collect();
    for (first, last) in &ranges {
        for address in [*first, first + (last - first) / 2, *last] {
            check(Ipv4Addr::from_bits(address).into(), true, true);
        }
        for address in [first.checked_sub(1), last.checked_add(1)].into_iter().flatten() {
            let in_any = ranges.iter().any(|(first, last)| (*first..=*last).contains(&address));
            check(Ipv4Addr::from_bits(address).into(), false, in_any);
        }
    }
    let v6 = |(text, length): &(&str, u32)| {
        let first = text.parse::<Ipv6Addr>().unwrap().to_bits();
        (first, first | u128::MAX.checked_shr(*length).unwrap_or(0))
    };
    let ranges: Vec<_> = V6.iter().map(v6).collect();
    // Addresses between loopback and these blocks are embedded IPv4 or public.
    for (first, last) in &ranges {
        for address in [*first, first + (last - first) / 2, *last] {
            check(Ipv6Addr::from_bits(address).into(), true, true);
        }
        for address in [first.checked_sub(1), last.checked_add(1)].into_iter().flatten() {
            let embeds = address < 1 << 32;
            let in_any = embeds || ranges.iter().any(|(first, last)| (*first..=*last).contains(&address));
            check(Ipv6Addr::from_bits(address).into(), false, in_any);
        }
    }
    println!("special-purpose blocks: blocked {blocked}/{inside}, wrongly blocked {wrong}/{outside}");
}

#[tokio::test]
async fn disguised_and_embedded_private_addresses_are_refused() {
    let canary = Canary::start().unwrap();
    let port = canary.addr().port();
    let fetcher = Fetcher::builder().build().unwrap();
    let hosts = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0X7F.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "１２７.0.0.1",
        "127。0。0。1",
        "%31%32%37.0.0.1",
        "127.0.0.1.",
        "user:pw@127.0.0.1",
        "example.com@127.0.0.1",
        "example.com:80@127.0.0.1",
        "0",
        "0.0.0.0",
        "localhost",
        "LOCALHOST.",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[::ffff:0:127.0.0.1]",
        "[fc00::1]",
        "[fd12:3456::1]",
        "[fe80::1]",
        "[ff02::1]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::10.0.0.1]",
    ];
    let mut bypasses = 0;
    for host in hosts {
        let Ok(url) = format!("http://{host}:{port}/").parse() else { continue };
        let error = fetcher.fetch(Request::get(url), &FollowAll).await.unwrap_err();
        // A system that does not resolve `localhost.` gives a DNS error, and URLs with credentials are
        // invalid.
        let refused = matches!(error.kind(), ErrorKind::Blocked | ErrorKind::Dns | ErrorKind::InvalidRequest);
        bypasses += usize::from(!refused);
        assert!(refused, "{host}: {error}");
    }
    assert!("http://[fe80::1%25lo]/".parse::<url::Url>().is_err(), "zone identifiers do not parse");
    bypasses += canary.connections();
    assert_eq!(bypasses, 0);
    println!("disguised addresses: bypasses {bypasses}/{}", hosts.len());
}

#[derive(Debug)]
struct FixedResolver(Vec<IpAddr>);

impl Resolve for FixedResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(self.0.clone()) })
    }
}

#[tokio::test]
async fn names_that_resolve_to_a_private_address_are_refused() {
    let canary = Canary::start_on("127.0.0.2:0").unwrap();
    let (private, public): (IpAddr, IpAddr) = ("127.0.0.2".parse().unwrap(), "127.0.0.1".parse().unwrap());
    for answers in
        [vec![private], vec![private, public], vec![public, private], vec![public, public, private]]
    {
        let fetcher = support::fetcher_builder().resolver(Arc::new(FixedResolver(answers))).build().unwrap();
        let url = format!("http://mixed.example:{}/", canary.addr().port()).parse().unwrap();
        let error = fetcher.fetch(Request::get(url), &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Blocked);
        assert!(!format!("{error} {error:?}").contains("127.0.0"), "{error}");
    }
    assert_eq!(canary.connections(), 0);
    println!("mixed answers: canary connections 0 in 4 orders");
}

/// Every second call returns the forbidden address.
#[derive(Debug, Default)]
struct RebindingResolver(AtomicUsize);

impl Resolve for RebindingResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let call = self.0.fetch_add(1, Ordering::SeqCst);
            Ok(vec![IpAddr::from([127, 0, 0, if call.is_multiple_of(2) { 1 } else { 2 }])])
        })
    }
}

#[tokio::test]
async fn dns_rebinding_through_a_proxy_is_refused() {
    let server = RawServer::start([Step::ReadRequest, page("open"), Step::Close]).unwrap();
    let canary = Canary::start_on(format!("127.0.0.2:{}", server.addr().port())).unwrap();
    let proxy = gleaner_testkit::ProxyServer::start().unwrap();
    let pool = support::pool(&[&format!("socks5://{}", proxy.addr())]);
    let fetcher = support::fetcher_builder()
        .resolver(Arc::new(RebindingResolver::default()))
        .basic_proxies(pool)
        .build()
        .unwrap();
    let (mut allowed, mut blocked) = (0, 0);
    for round in 0..1_000 {
        // A new name each time, so that neither a DNS cache nor an idle connection serves it.
        let url = format!("http://r{round}.example:{}/", server.addr().port()).parse().unwrap();
        match fetcher.fetch(Request::get(url), &FollowAll).await {
            Ok(_) => allowed += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Blocked, "{error}");
                blocked += 1;
            }
        }
    }
    let checked = format!("127.0.0.1:{}", server.addr().port());
    assert!(
        proxy.destinations().iter().all(|target| *target == checked),
        "the proxy gets only the checked address"
    );
    assert_eq!((allowed, blocked, canary.connections()), (500, 500, 0));
    println!("rebinding through a proxy: {allowed} allowed, {blocked} blocked, canary connections 0");
}

#[tokio::test]
async fn schemes_and_ports_of_other_protocols_are_refused() {
    let fetcher = support::fetcher_builder().build().unwrap();
    let schemes = [
        "file:///etc/passwd",
        "ftp://a.example/",
        "gopher://a.example/",
        "data:text/html,x",
        "javascript:alert(1)",
        "blob:http://a.example/x",
        "ws://a.example/",
        "wss://a.example/",
        "dict://a.example/",
    ];
    for url in schemes {
        let error = fetcher.fetch(Request::get(url.parse().unwrap()), &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Scheme, "{url}");
    }
    let ports = [
        1,
        7,
        9,
        19,
        20,
        21,
        22,
        23,
        25,
        53,
        69,
        79,
        110,
        111,
        119,
        135,
        139,
        143,
        161,
        389,
        427,
        465,
        512,
        513,
        514,
        515,
        548,
        554,
        587,
        631 + 5,
        993,
        995,
        1719,
        1723,
        2049,
        3659,
        4045,
        5060,
        6000,
        6379,
        6566,
        6667,
        6697,
        10080,
        11211,
    ];
    for port in ports {
        let url = format!("http://a.example:{port}/").parse().unwrap();
        assert_eq!(fetcher.check(&url).unwrap_err().kind(), ErrorKind::Port, "{port}");
    }
    println!("schemes accepted 0/{}; ports refused {n}/{n}", schemes.len(), n = ports.len());
}

#[tokio::test]
async fn credentials_in_urls_are_refused_or_removed() {
    let fetcher = support::fetcher_builder().build().unwrap();
    let error = fetcher
        .fetch(Request::get("http://user:hunter2@127.0.0.1:8080/".parse().unwrap()), &FollowAll)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(!format!("{error} {error:?}").contains("hunter2"));

    let end = RawServer::start([Step::ReadRequest, page("end")]).unwrap();
    let target = end.base_url().replace("http://", "http://user:hunter2@");
    let start =
        RawServer::start([Step::ReadRequest, Step::respond("302 Found", &[("Location", &target)], "")])
            .unwrap();
    let response = fetcher.fetch(Request::get(start.base_url().parse().unwrap()), &FollowAll).await.unwrap();
    assert!(!format!("{response:?}").contains("hunter2"), "removed before the redirect is followed");
    let sent: Vec<_> = end.requests().iter().map(|head| String::from_utf8_lossy(head).into_owned()).collect();
    assert!(!sent.concat().to_lowercase().contains("authorization"), "{sent:?}");
    println!("credentials in URLs: secret sightings 0");
}

/// Only the transport and the resolver of the fetch crate open connections or resolve names.
#[test]
fn only_the_transport_opens_connections() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let constructors = [
        "TcpStream::connect",
        "TcpSocket::",
        "legacy::Client",
        "reqwest::",
        "lookup_host",
        "to_socket_addrs",
        "UdpSocket::",
    ];
    let mut stack = vec![root.clone()];
    let (mut files, mut openers) = (0, Vec::new());
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            let is_ours =
                !name.starts_with("testkit") && name.split('/').nth(1).is_none_or(|part| part == "src");
            if path.is_dir() {
                stack.push(path);
            } else if is_ours && name.ends_with(".rs") {
                files += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                if lines.clone().any(|line| constructors.iter().any(|word| line.contains(word))) {
                    openers.push(name);
                }
            }
        }
    }
    openers.sort();
    assert_eq!(
        openers,
        [
            "fetch/src/resolve.rs",
            "fetch/src/transport/dial.rs",
            "fetch/src/transport/mod.rs",
            // A socket that connects to nothing: whether a tokio runtime has I/O.
            "gleaner/src/builder/executing.rs",
        ]
    );
    println!(
        "{} of {files} source files open connections or resolve names, all in the fetch crate",
        openers.len()
    );
}
