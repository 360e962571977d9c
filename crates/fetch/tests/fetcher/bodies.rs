//! Tests of bodies: content codings, limits, lengths and content types.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use gleaner_fetch::{Accept, ErrorKind, FollowAll, Method, Request};
use gleaner_types::ErrorCode;
use tokio::io::AsyncWriteExt;
use url::Url;

use super::support::{Site, answer, builder, fetcher, get, page, read_request};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn encoded(coding: &str, body: &[u8]) -> Vec<u8> {
    answer(200, &[("content-type", "text/html"), ("content-encoding", coding)], body)
}

#[tokio::test]
async fn content_codings_are_undone() {
    let text = b"<p>the same page in every coding</p>".repeat(100);
    let rows = [
        ("gzip", gzip(&text)),
        ("X-GZIP", gzip(&text)),
        ("deflate", zlib(&text)),
        ("zstd", zstd::encode_all(&text[..], 1).unwrap()),
        ("identity", text.clone()),
        ("deflate, gzip", gzip(&zlib(&text))),
        ("gzip, identity", gzip(&text)),
    ];
    for (coding, body) in rows {
        let site = Site::serve(move |_| encoded(coding, &body)).await;
        let response = get(site.url("a.test", "/")).await.unwrap();
        assert!(response.body == text, "{coding}");
        assert_eq!(site.seen()[0].header("accept-encoding"), Some("gzip, deflate, br, zstd"));
    }
}

/// Seen on servers that mistake the header for a charset, a transfer encoding or a file type.
#[tokio::test]
async fn a_coding_that_is_none_leaves_the_page_as_it_is() {
    let text = b"<!doctype html><p>a page that nobody compressed</p>".to_vec();
    let lines = |values: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        let mut headers = vec![("content-type", "text/html")];
        headers.extend(values.iter().map(|value| ("content-encoding", *value)));
        headers
    };
    for values in [
        &["UTF-8"][..],
        &["none"],
        &["binary"],
        &["8bit"],
        &["7bit, quoted-printable"],
        &["text/html"],
        &["gzipp"],
        &["identity, utf-8"],
        &["aws-chunked"],
        &["\"gzip\""],
        &["gzip;q=1.0"],
        &[", ,"],
        &[""],
        &["\u{fc}"],
        &["gzip"],
        &["GZIP, gzip"],
        &["gzip", "gzip"],
        &["deflate"],
        &["br"],
        &["zstd"],
        &["none, br"],
        &["compress"],
    ] {
        let (headers, body) = (lines(values), text.clone());
        let site = Site::serve(move |_| answer(200, &headers, &body)).await;
        let response = get(site.url("a.test", "/")).await.unwrap();
        assert!(response.body == text, "{values:?}");
    }
}

#[tokio::test]
async fn a_coding_beside_names_that_are_none_is_undone() {
    let text = b"<p>a page that was compressed once</p>".repeat(100);
    let packed = gzip(&text);
    let without_trailer = packed[..packed.len() - 8].to_vec();
    let with_garbage = [&packed[..], b"<!-- served in 3 ms -->"].concat();
    for (coding, body) in [
        ("gzip, utf-8", packed.clone()),
        ("none,X-Gzip", packed.clone()),
        ("\"gzip\"", packed.clone()),
        ("gzip, gzip", packed.clone()),
        ("br, gzip", packed.clone()),
        ("gzip", without_trailer),
        ("gzip", with_garbage),
    ] {
        let site = Site::serve(move |_| encoded(coding, &body)).await;
        let response = get(site.url("a.test", "/")).await.unwrap();
        assert!(response.body == text, "{coding}");
    }
}

#[tokio::test]
async fn the_error_of_a_broken_coding_names_it() {
    let cut = gzip(&b"<p>cut off</p>".repeat(1000));
    let rows = [
        ("compress", b"\x1f\x9d\x90\x01\x02\x03".to_vec(), "`compress`"),
        ("gzip", b"\x01\x02 neither text nor compressed".to_vec(), "`gzip`"),
        ("gzip", cut[..cut.len() - 9].to_vec(), "`gzip`"),
        ("deflate", b"\x07\x00\x01\x02\x03".to_vec(), "`deflate`"),
        ("br", vec![0x1c; 64], "`br`"),
        ("zstd", b"\x28\xb5\x2f\xfd\x00".to_vec(), "`zstd`"),
        ("gzip, gzip, gzip, gzip", gzip(&gzip(&gzip(&gzip(b"x")))), "more than 3"),
    ];
    for (coding, body, named) in rows {
        let site = Site::serve(move |_| encoded(coding, &body)).await;
        let error = get(site.url("a.test", "/")).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.code()),
            (ErrorKind::Decode, ErrorCode::ScrapeSiteError),
            "{coding}: {error}"
        );
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[tokio::test]
async fn decompression_bombs_are_stopped() {
    let zeros = vec![0; 32 * 1024 * 1024];
    let rows = [
        ("gzip", gzip(&zeros)),
        ("deflate", zlib(&zeros)),
        ("zstd", zstd::encode_all(&zeros[..], 1).unwrap()),
        ("gzip, gzip", gzip(&gzip(&zeros))),
        ("zstd, gzip", gzip(&zstd::encode_all(&zeros[..], 1).unwrap())),
    ];
    for (coding, body) in rows {
        let site = Site::serve(move |_| encoded(coding, &body)).await;
        let error = get(site.url("a.test", "/")).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.code()),
            (ErrorKind::TooLarge, ErrorCode::ScrapeBodyTooLarge),
            "{coding}: {error}"
        );
    }
}

#[tokio::test]
async fn an_endless_body_stops_at_the_limit() {
    const LIMIT: u64 = 100_000;
    // Without a length, in chunks, in one chunk that never ends, and compressed without any output.
    let rows: [(&str, &[u8], &[u8]); 4] = [
        ("until close", b"content-type: text/html\r\n\r\n", &[b'x'; 1000]),
        ("chunked", b"content-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n", &{
            let mut chunk = [b'x'; 1005];
            chunk[0] = b'3';
            chunk[1] = b'e';
            chunk[2] = b'6';
            chunk[3] = b'\r';
            chunk[4] = b'\n';
            chunk[1003] = b'\r';
            chunk[1004] = b'\n';
            chunk
        }),
        (
            "one chunk",
            b"content-type: text/html\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n",
            &[b'x'; 1000],
        ),
        // A gzip header whose file name never ends: input without output.
        (
            "no output",
            b"content-type: text/html\r\ncontent-encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\x03",
            &[b'n'; 1000],
        ),
    ];
    for (name, head, piece) in rows {
        let sent = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&sent);
        let (head, piece) = (head.to_vec(), piece.to_vec());
        let site = Site::script(move |mut stream| {
            let (count, head, piece) = (Arc::clone(&count), head.clone(), piece.clone());
            async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
                let _ = stream.write_all(&head).await;
                while stream.write_all(&piece).await.is_ok() {
                    count.fetch_add(piece.len() as u64, Ordering::SeqCst);
                }
            }
        })
        .await;
        let mut request = Request::get(site.url("a.test", "/"));
        request.max_body = Some(LIMIT);
        let error = fetcher().fetch(request, &FollowAll).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge, "{name}: {error}");
        // When the reader stops, the buffers of both sockets may be full.
        let sent = sent.load(Ordering::SeqCst);
        assert!(sent < LIMIT + 16 * 1024 * 1024, "{name}: {sent}");
    }
}

/// Seen on servers that count characters, send the length from before the compression, or lose the last chunk.
#[tokio::test]
async fn a_page_that_is_whole_is_not_lost_by_a_wrong_length() {
    let text = b"<!doctype html><p>a page to its end</p></HTML>\r\n".to_vec();
    let long = [&b"<p>x</p>".repeat(1000)[..], &text].concat();
    let chunked = |body: &[u8]| [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n"].concat();
    let rows = [
        ("too long", "content-length: 90000", text.clone(), &text),
        ("too long, in pieces", "content-length: 90000", long.clone(), &long),
        ("no last chunk", "transfer-encoding: chunked", chunked(&text), &text),
        (
            "the length before the coding",
            "content-encoding: gzip\r\ncontent-length: 90000",
            gzip(&long),
            &long,
        ),
        ("a short one", "content-encoding: gzip\r\ncontent-length: 90000", gzip(&text), &text),
    ];
    for (name, header, body, expected) in rows {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{header}\r\n\r\n");
        let site = Site::script(move |mut stream| {
            let (head, body) = (head.clone(), body.clone());
            async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(head.as_bytes()).await;
                for piece in body.chunks(4096) {
                    let _ = stream.write_all(piece).await;
                    let _ = stream.flush().await;
                }
                let _ = stream.shutdown().await;
            }
        })
        .await;
        let response = get(site.url("a.test", "/")).await.unwrap();
        assert!(response.body == *expected, "{name}");
    }
}

#[tokio::test]
async fn a_coded_body_that_breaks_off_is_an_error() {
    let packed = gzip(&b"<p>cut off</p></html>".repeat(1000));
    let rows = [packed[..packed.len() - 20].to_vec(), b"<!doctype html><p>neither coded nor whole".to_vec()];
    for body in rows {
        let site = Site::script(move |mut stream| {
            let body = body.clone();
            async move {
                read_request(&mut stream).await;
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-encoding: gzip\r\n\
                    content-length: 90000\r\n\r\n";
                let _ = stream.write_all(head).await;
                let _ = stream.write_all(&body).await;
                let _ = stream.shutdown().await;
            }
        })
        .await;
        let error = get(site.url("a.test", "/")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    }
}

#[tokio::test]
async fn wrong_lengths_are_errors() {
    let head = |length: &str| {
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\n\r\n")
    };
    let rows = [
        ("too long", head("1000"), ErrorKind::Protocol),
        ("beyond the limit", head("99999999999"), ErrorKind::TooLarge),
        ("beyond all numbers", head("99999999999999999999999999"), ErrorKind::Protocol),
        ("negative", head("-1"), ErrorKind::Protocol),
        ("two that differ", head("5\r\ncontent-length: 7"), ErrorKind::Protocol),
        (
            "a chunk that never comes",
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n".to_owned(),
            ErrorKind::Protocol,
        ),
    ];
    for (name, head, kind) in rows {
        let site = Site::script(move |mut stream| {
            let head = head.clone();
            async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(head.as_bytes()).await;
                let _ = stream.write_all(b"5\r\nshort").await;
                let _ = stream.shutdown().await;
            }
        })
        .await;
        let error = get(site.url("a.test", "/")).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
    }
}

#[tokio::test]
async fn an_empty_body_needs_no_coding() {
    let site = Site::serve(|seen| match seen.path() {
        "/head" => b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 77\r\n\r\n".to_vec(),
        _ => encoded("gzip", b""),
    })
    .await;
    assert!(get(site.url("a.test", "/")).await.unwrap().body.is_empty());
    let mut request = Request::get(site.url("a.test", "/head"));
    request.method = Method::HEAD;
    assert!(fetcher().fetch(request, &FollowAll).await.unwrap().body.is_empty());
}

/// The server never sends the body that its head announces, so waiting for it would end in a timeout.
#[tokio::test(start_paused = true)]
async fn binary_types_are_refused_before_their_body() {
    for kind in ["image/png", "VIDEO/mp4", "application/zip", "font/woff2", "audio/ogg; codecs=opus"] {
        let site = Site::script(move |mut stream| async move {
            read_request(&mut stream).await;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: 1000\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            std::future::pending::<()>().await;
        })
        .await;
        let error = get(site.url("a.test", "/")).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ScrapeUnsupportedFileError, "{kind}: {error}");
        let mut request = Request::get(site.url("a.test", "/"));
        request.accept = Accept::Any;
        assert!(fetcher().fetch(request, &FollowAll).await.unwrap_err().is_timeout(), "{kind}");
    }
}

#[tokio::test]
async fn error_statuses_with_a_binary_body_are_responses() {
    for status in [404, 403, 500] {
        let site =
            Site::serve(move |_| answer(status, &[("content-type", "image/png")], b"\x89PNG\r\n\x1a\n...."))
                .await;
        let mut request = Request::get(site.url("a.test", "/"));
        request.accept = Accept::Page;
        let response = fetcher().fetch(request, &FollowAll).await.unwrap();
        assert_eq!((response.status, response.body.len()), (status, 0));
    }
}

#[tokio::test]
async fn bodies_without_a_useful_type_are_judged_by_their_bytes() {
    for (body, accepted) in [
        (&b"%PDF-1.7\n\x00\x01"[..], true),
        (b"<!doctype html><p>text", true),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", false),
    ] {
        for headers in [&[][..], &[("content-type", "application/octet-stream")]] {
            let site = Site::serve(move |_| answer(200, headers, body)).await;
            let outcome = get(site.url("a.test", "/")).await;
            assert_eq!(outcome.is_ok(), accepted, "{body:?} {headers:?}");
        }
    }
}

/// Seen as pages that became a block of code without links.
#[tokio::test]
async fn a_malformed_type_is_the_one_that_a_browser_takes() {
    const NAME: &str = "content-type";
    let rows: [(&[(&str, &str)], &str); 9] = [
        (&[(NAME, "text/html charset=utf-8")], "text/html"),
        (&[(NAME, "text/html, text/html")], "text/html"),
        (&[(NAME, "text/html, TEXT/HTML; charset=gbk")], "text/html; charset=gbk"),
        (&[(NAME, "text/html"), (NAME, "text/html; charset=gbk")], "text/html; charset=gbk"),
        (&[(NAME, "text/html;")], "text/html;"),
        (&[(NAME, "\"text/html\"; charset=gbk")], "text/html; charset=gbk"),
        (&[(NAME, "html")], "text/html"),
        (&[(NAME, "")], "text/html"),
        (&[(NAME, "*/*")], "text/html"),
    ];
    for (headers, expected) in rows {
        let site = Site::serve(move |_| answer(200, headers, b"<!doctype html><p>text")).await;
        let response = get(site.url("a.test", "/")).await.unwrap();
        assert_eq!(response.effective_content_type(), expected, "{headers:?}");
    }
}

#[tokio::test]
async fn too_large_header_sections_are_errors() {
    let one = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(10_000));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n";
    let trailers = format!("{head}2\r\nok\r\n0\r\n{}\r\n", "x: y\r\n".repeat(100_000));
    let extension = format!("{head}2;{}\r\nok\r\n0\r\n\r\n", "e".repeat(1 << 20));
    for (name, text) in [
        ("one of 1 MiB", one),
        ("ten thousand", many),
        ("trailers", trailers),
        ("chunk extension", extension),
    ] {
        let site = Site::serve(move |_| text.clone().into_bytes()).await;
        let error = get(site.url("a.test", "/")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{name}: {error}");
    }
}

#[tokio::test]
async fn malformed_heads_are_accepted_as_in_browsers() {
    let site = Site::serve(|_| {
        b"HTTP/1.1 200\r\ncontent-type : text/html\r\nbad header line\r\nx-long: a\r\n b\r\n\
          content-length: 2\r\n\r\nok"
            .to_vec()
    })
    .await;
    let response = get(site.url("a.test", "/")).await.unwrap();
    assert_eq!((&response.body[..], response.content_type.as_deref()), (&b"ok"[..], Some("text/html")));
}

#[tokio::test]
async fn all_statuses_are_responses() {
    for status in [200, 204, 304, 403, 404, 410, 429, 500, 503] {
        let site =
            Site::serve(move |_| answer(status, &[("retry-after", "7"), ("connection", "close")], b"")).await;
        let mut request = Request::get(site.url("a.test", "/"));
        request.max_redirects = Some(0);
        let response = fetcher().fetch(request, &FollowAll).await.unwrap();
        assert_eq!(response.status, status);
        assert_eq!(response.retry_after.unwrap().as_secs(), 7);
    }
}

#[tokio::test]
async fn requests_have_the_expected_headers() {
    let site = Site::serve(|_| page("")).await;
    let mut request = Request::get(site.url("a.test", "/p?q=1#f"));
    request.languages = vec!["de-CH".to_owned(), "en".to_owned()];
    fetcher().fetch(request.clone(), &FollowAll).await.unwrap();
    request.mobile = true;
    fetcher().fetch(request.clone(), &FollowAll).await.unwrap();
    let request = request.header("User-Agent", "custom/1").unwrap().header("X-Mine", "1").unwrap();
    fetcher().fetch(request, &FollowAll).await.unwrap();
    let seen = site.seen();
    assert_eq!(seen[0].line(), "GET /p?q=1 HTTP/1.1");
    assert_eq!(seen[0].header("user-agent"), Some(gleaner_fetch::DEFAULT_USER_AGENT));
    assert_eq!(seen[0].header("accept-language"), Some("de-CH,en;q=0.9"));
    assert!(seen[0].header("accept").unwrap().starts_with("text/html"));
    assert_eq!(seen[1].header("user-agent"), Some(gleaner_fetch::MOBILE_USER_AGENT));
    assert_eq!((seen[2].header("user-agent"), seen[2].header("x-mine")), (Some("custom/1"), Some("1")));
    assert!(seen.iter().all(|seen| seen.header("referer").is_none() && seen.header("cookie").is_none()));
}

/// The servers of one owner send the beginnings of many large bodies, and then nothing more.
#[tokio::test]
async fn the_slow_bodies_of_one_owner_leave_memory_for_another() {
    const MIB: usize = 1 << 20;
    let slow = Site::script(|mut stream| async move {
        if read_request(&mut stream).await.is_some() {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n",
                32 * MIB
            );
            let beginning = [head.as_bytes(), &b"x".repeat(8 * MIB)].concat();
            if stream.write_all(&beginning).await.is_ok() {
                std::future::pending::<()>().await;
            }
        }
    })
    .await;
    let small = Site::serve(|_| answer(200, &[("content-type", "text/plain")], &b"y".repeat(MIB))).await;
    let fetcher = builder().body_memory(4 << 20).build().unwrap();
    let request = |url: Url, owner: &str| {
        let mut request = Request::get(url);
        request.owner = Some(owner.into());
        request
    };
    let slow_ones: Vec<_> = (0..8)
        .map(|number| {
            let (fetcher, request) =
                (fetcher.clone(), request(slow.url("a.test", &format!("/{number}")), "slow"));
            tokio::spawn(async move { fetcher.fetch(request, &FollowAll).await.is_ok() })
        })
        .collect();
    for _ in 0..20 {
        let response = fetcher.fetch(request(small.url("b.test", "/"), "other"), &FollowAll).await.unwrap();
        assert_eq!(response.body.len(), MIB);
    }
    for task in slow_ones {
        assert!(!task.is_finished(), "their bodies have no end");
        task.abort();
    }
}
