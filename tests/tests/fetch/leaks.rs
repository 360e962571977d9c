//! Redirects carry no headers to another origin, and cookies are sent only where they apply.

use gleaner_fetch::{CookieJar, Fetcher, FollowAll, Request};
use gleaner_testkit::{RawServer, Step};
use hyper::header::{HeaderValue, LOCATION};

use super::support::{fetcher_builder, page};
use super::tls::{Identity, Server};

/// Headers of a caller that another origin must not receive.
const HEADERS: [(&str, &str); 5] = [
    ("authorization", "Bearer c4nary"),
    ("cookie", "session=c4nary"),
    ("x-api-key", "c4nary"),
    ("x-whatever", "c4nary"),
    ("referer", "http://start.example/c4nary"),
];

fn contain_canary(heads: &[bytes::Bytes]) -> bool {
    heads.iter().any(|head| String::from_utf8_lossy(head).contains("c4nary"))
}

/// How many of the headers reach `end`, the target of the redirect from `start`.
async fn received_headers(fetcher: &Fetcher, start: &str, end: &RawServer) -> usize {
    let mut count = 0;
    for (name, value) in HEADERS {
        let request = Request::get(start.parse().unwrap()).header(name, value).unwrap();
        let before = end.requests().len();
        fetcher.fetch(request, &FollowAll).await.unwrap();
        let requests = end.requests();
        let last = requests.get(before..).and_then(<[_]>::last).expect("the redirect was followed");
        count += usize::from(contain_canary(std::slice::from_ref(last)));
    }
    count
}

#[tokio::test]
async fn headers_are_not_sent_to_another_origin() {
    let identity = Identity::new("a.example");
    let fetcher = fetcher_builder().add_root_certificate(identity.authority()).build().unwrap();
    let end = RawServer::start([Step::ReadRequest, page("end"), Step::Repeat]).unwrap();
    let port = end.addr().port();
    let at = |host: &str| format!("http://{host}:{port}/end");
    let (mut leaked, mut pairs) = (0, 0);
    for (name, to) in [
        ("another host", at("b.example")),
        ("another port", at("a.example")),
        ("a subdomain", at("sub.a.example")),
    ] {
        let hop = Step::respond("302 Found", &[("Location", &to)], "");
        let start = RawServer::start([Step::ReadRequest, hop, Step::Repeat]).unwrap();
        let seen =
            received_headers(&fetcher, &format!("http://a.example:{}/", start.addr().port()), &end).await;
        assert_eq!(seen, 0, "{name}");
        (leaked, pairs) = (leaked + seen, pairs + HEADERS.len());
    }
    // The same host without TLS.
    let to = HeaderValue::from_str(&at("a.example")).unwrap();
    let secure = Server::start_with(&identity, &["http/1.1"], move |answer| {
        *answer.status_mut() = hyper::StatusCode::FOUND;
        answer.headers_mut().insert(LOCATION, to.clone());
    })
    .await;
    let seen =
        received_headers(&fetcher, &format!("https://a.example:{}/", secure.addr().port()), &end).await;
    (leaked, pairs) = (leaked + seen, pairs + HEADERS.len());
    // A redirect within the origin keeps the headers.
    let hop = Step::respond("302 Found", &[("Location", "/end")], "");
    let home =
        RawServer::start([Step::ReadRequest, hop, Step::ReadRequest, page("end"), Step::Repeat]).unwrap();
    assert_eq!(received_headers(&fetcher, &home.base_url(), &home).await, HEADERS.len());
    println!("headers across origins: leaked {leaked} of {pairs}");
    assert_eq!((leaked, pairs), (0, 20));
}

#[tokio::test]
async fn cookies_are_sent_only_to_matching_hosts_and_paths() {
    // The URL that sets the cookie, the cookie, the URL requested next, and whether the cookie is sent.
    let rows = [
        ("its own host", "a.co.uk/", "k=c4nary; Path=/", "a.co.uk/x", true),
        ("its own domain", "sub.a.co.uk/", "k=c4nary; Domain=a.co.uk; Path=/", "b.a.co.uk/", true),
        ("its own path", "a.co.uk/in/", "k=c4nary; Path=/in", "a.co.uk/in/x", true),
        ("a public suffix", "a.co.uk/", "k=c4nary; Domain=co.uk; Path=/", "b.co.uk/", false),
        ("the same with a dot", "a.co.uk/", "k=c4nary; Domain=.co.uk; Path=/", "b.co.uk/", false),
        ("a private suffix", "a.github.io/", "k=c4nary; Domain=github.io; Path=/", "b.github.io/", false),
        ("a top-level domain", "a.com/", "k=c4nary; Domain=com; Path=/", "b.com/", false),
        ("an unlisted suffix", "a.example/", "k=c4nary; Domain=example; Path=/", "b.example/", false),
        ("another site", "a.com/", "k=c4nary; Domain=b.com; Path=/", "b.com/", false),
        ("its own child", "a.com/", "k=c4nary; Domain=sub.a.com; Path=/", "sub.a.com/", false),
        ("the parent of a host", "sub.a.com/", "k=c4nary; Path=/", "a.com/", false),
        ("a child of a host", "a.com/", "k=c4nary; Path=/", "sub.a.com/", false),
        ("a lookalike", "a.com/", "k=c4nary; Domain=a.com; Path=/", "nota.com/", false),
        ("a part of an IP address", "127.0.0.1/", "k=c4nary; Domain=0.0.1; Path=/", "x.0.0.1.com/", false),
        ("another path", "a.com/in/", "k=c4nary; Path=/in", "a.com/inside", false),
        ("secure, without TLS", "a.com/", "k=c4nary; Secure; Path=/", "a.com/", false),
        ("a `__Host-` prefix, without TLS", "a.com/", "__Host-k=c4nary; Secure; Path=/", "a.com/", false),
        ("a `__Secure-` prefix without `Secure`", "a.com/", "__Secure-k=c4nary; Path=/", "a.com/", false),
        ("a `__Host-` prefix in a nameless cookie", "a.com/", "=__Host-k=c4nary; Path=/", "a.com/", false),
        ("expired", "a.com/", "k=c4nary; Max-Age=0; Path=/", "a.com/", false),
    ];
    let fetcher = fetcher_builder().build().unwrap();
    let (mut crossings, mut forbidden) = (0, 0);
    for (name, set_at, cookie, requested_at, is_sent) in rows {
        let set = Step::respond("200 OK", &[("Content-Type", "text/html"), ("Set-Cookie", cookie)], "");
        let server = RawServer::start([Step::ReadRequest, set, Step::Repeat]).unwrap();
        let jar = CookieJar::new();
        for address in [set_at, requested_at] {
            let (host, path) = address.split_once('/').unwrap();
            let url = format!("http://{host}:{}/{path}", server.addr().port());
            let mut request = Request::get(url.parse().unwrap());
            request.cookies = Some(jar.clone());
            fetcher.fetch(request, &FollowAll).await.unwrap();
        }
        let sent = contain_canary(&server.requests());
        assert_eq!(sent, is_sent, "{name}");
        crossings += usize::from(sent && !is_sent);
        forbidden += usize::from(!is_sent);
    }
    // Set by a redirect for its target, and by one job for another or for a request without a job.
    let end = RawServer::start([Step::ReadRequest, page("end"), Step::Repeat]).unwrap();
    let to = format!("http://b.com:{}/", end.addr().port());
    let hop = Step::respond("302 Found", &[("Location", &to), ("Set-Cookie", "k=c4nary; Path=/")], "");
    let start = RawServer::start([Step::ReadRequest, hop, Step::Repeat]).unwrap();
    for cookies in [Some(CookieJar::new()), Some(CookieJar::new()), None, None] {
        let mut request = Request::get(format!("http://a.com:{}/", start.addr().port()).parse().unwrap());
        request.cookies = cookies;
        fetcher.fetch(request, &FollowAll).await.unwrap();
        crossings += usize::from(contain_canary(&end.requests()) || contain_canary(&start.requests()));
        forbidden += 1;
    }
    println!("cookie crossings {crossings}/{forbidden}");
    assert_eq!(crossings, 0);
}
