//! Tests of errors: kinds, error codes, and the absence of secrets.

use std::error::Error as _;
use std::io;

use gleaner_fetch::{Error, ErrorKind, Request};
use gleaner_types::ErrorCode;
use tokio::io::AsyncWriteExt;
use url::Url;

use super::support::{Site, get, plain_only, read_request, redirect};

const SECRET: &str = "hunter2";

/// The URL with a secret in its query and its fragment.
fn with_secret(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(Some(&format!("token={SECRET}")));
    url.set_fragment(Some(SECRET));
    url
}

fn assert_discreet(error: &Error) {
    for shown in
        [format!("{error}"), format!("{error:?}"), format!("{error:#?}"), error.to_page_error().message]
    {
        assert!(!shown.contains(SECRET), "{shown}");
        assert!(!shown.contains("127.0.0.1"), "the resolved address shows: {shown}");
        assert!(shown.contains("a.test") || shown.contains("nowhere.invalid"), "{shown}");
    }
    let mut source = error.source();
    while let Some(cause) = source {
        let shown = format!("{cause} {cause:?}");
        assert!(!shown.contains(SECRET) && !shown.contains("127.0.0.1"), "{shown}");
        source = cause.source();
    }
}

fn io_kind(error: &Error) -> Option<io::ErrorKind> {
    error.source()?.downcast_ref::<io::Error>().map(io::Error::kind)
}

#[tokio::test]
async fn each_failure_has_its_kind_and_its_code() {
    // Bound, so that no other process gets the port, and not listening.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let refused = format!("http://a.test:{}/", closed.local_addr().unwrap().port());
    let error = get(with_secret(&refused.parse().unwrap())).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Connect, ErrorCode::ScrapeSiteError), "{error}");
    assert!(error.is_retryable() && error.is_connect());
    assert_eq!(io_kind(&error), Some(io::ErrorKind::ConnectionRefused));
    assert_discreet(&error);

    let error = get(with_secret(&"http://nowhere.invalid/".parse().unwrap())).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Dns, ErrorCode::ScrapeDnsResolutionError),
        "{error}"
    );
    assert!(error.is_dns() && !error.is_retryable());
    assert_discreet(&error);

    let error = get(Url::parse("http://fails.nowhere.invalid/").unwrap()).await.unwrap_err();
    assert!(error.is_dns() && error.is_retryable(), "the resolver may work again soon: {error}");
    assert_eq!(io_kind(&error), Some(io::ErrorKind::Other));

    const SHORT: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\ncontent-type: text/html\r\n\r\n12345";
    // A broken connection may work the next time. An answer that is not HTTP will not change.
    let scripts: [(&str, &[u8], bool); 5] = [
        ("closed at once", b"", true),
        ("not HTTP", b"220 mail.example ESMTP ready\r\n\r\n", false),
        ("cut in the head", b"HTTP/1.1 200 OK\r\ncontent-ty", true),
        ("cut in the body", SHORT, true),
        (
            "a redirect to no URL",
            b"HTTP/1.1 302 Found\r\nlocation: http://[\r\ncontent-length: 0\r\n\r\n",
            false,
        ),
    ];
    for (name, bytes, is_retryable) in scripts {
        let site = Site::script(move |mut stream| async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(bytes).await;
        })
        .await;
        let error = get(with_secret(&site.url("a.test", "/"))).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.code()),
            (ErrorKind::Protocol, ErrorCode::ScrapeSiteError),
            "{name}: {error}"
        );
        assert_eq!(error.is_retryable(), is_retryable, "{name}: {error}");
        assert_discreet(&error);
    }

    let plain = plain_only("").await;
    let error = get(with_secret(&plain.https("a.test", "/"))).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Tls, ErrorCode::ScrapeSslError), "{error}");
    assert_discreet(&error);
}

#[tokio::test]
async fn the_error_has_the_url_of_the_hop_that_failed() {
    let site = Site::serve(|seen| match seen.path() {
        "/" => redirect(302, "/hop"),
        _ => b"nonsense\r\n\r\n".to_vec(),
    })
    .await;
    let error = get(site.url("a.test", "/")).await.unwrap_err();
    assert_eq!(error.url().expose().path(), "/hop");
}

#[tokio::test]
async fn secrets_in_headers_are_not_shown() {
    let request = Request::get("http://127.0.0.1/".parse().unwrap()).header("authorization", SECRET).unwrap();
    assert!(!format!("{request:?}").contains(SECRET));
    let error = super::support::fetcher().fetch(request, &gleaner_fetch::FollowAll).await.unwrap_err();
    assert!(!format!("{error:?}").contains(SECRET));
    assert_eq!(error.code(), ErrorCode::ScrapeBlocked);
}
