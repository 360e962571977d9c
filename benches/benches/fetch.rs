//! One page over loopback, bodies in each content coding, and cookies. Each is compared with a plain client
//! or decoder.
#![expect(clippy::expect_used, reason = "a benchmark stops at the first error")]
#![expect(clippy::disallowed_methods, reason = "a floor does not use the fetcher of gleaner")]

use std::hint::black_box;
use std::io::{Read, Write as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use brotli_decompressor::Decompressor;
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use gleaner_benches::{ORIGIN, floor};
use gleaner_fetch::fuzzing::{cookie_header, decoded, take_cookies};
use gleaner_fetch::{
    CachePolicy, CookieJar, EgressPolicy, Fetcher, FetcherBuilder, FollowAll, MemoryCache, Request,
};
use gleaner_testkit::{LogDetail, ServeOptions, Site, SiteSpec};
use http::header::{CONTENT_ENCODING, SET_COOKIE};
use http::{HeaderMap, HeaderValue, Uri};
use http_body_util::{BodyExt as _, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use url::Url;

/// Concatenated pages of a generated site, compressed by Brotli at its best level. It is a file because the
/// dependencies include no Brotli encoder.
const PACKED: &[u8] = include_bytes!("../samples/pages.html.br");

/// Bytes of a chunk of a body.
const CHUNK_BYTES: usize = 16 * 1024;

/// Upper bound on the bytes of a body.
const MAX_BODY_BYTES: u64 = 16 * 1024 * 1024;

fn fetcher() -> FetcherBuilder {
    let policy = EgressPolicy::public_only().allow_cidr("127.0.0.0/8".parse().expect("the network is valid"));
    Fetcher::builder().egress(policy)
}

fn pages(criterion: &mut Criterion) {
    let options = ServeOptions { log: LogDetail::Off, ..ServeOptions::default() };
    let server = Site::generate(SiteSpec::pages(2)).serve_with(options).expect("the site starts");
    let url = Url::parse(&server.url("/p/1")).expect("the URL is valid");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("the runtime builds");
    let _guard = runtime.enter();
    let mut group = criterion.benchmark_group("fetch, one page over loopback");
    group.throughput(Throughput::Elements(1));

    let uri: Uri = url.as_str().parse().expect("the URI is valid");
    let hyper = Client::builder(TokioExecutor::new()).build_http::<Empty<Bytes>>();
    let by_hyper = async || {
        let body = hyper.get(uri.clone()).await.expect("a response").into_body();
        body.collect().await.expect("a page").to_bytes()
    };
    let page = runtime.block_on(by_hyper());
    group.bench_function("floor: hyper", |bencher| {
        bencher.iter(|| assert_eq!(runtime.block_on(by_hyper()).len(), page.len()));
    });

    let reqwest = floor::client().expect("the client builds");
    let by_reqwest = async || {
        let response = reqwest.get(url.clone()).send().await.expect("a response");
        response.bytes().await.expect("a page")
    };
    group.bench_function("peer: reqwest", |bencher| {
        bencher.iter(|| assert_eq!(runtime.block_on(by_reqwest()).len(), page.len()));
    });

    let plain = fetcher().build().expect("the fetcher builds");
    let caching = fetcher().cache(Arc::new(MemoryCache::default())).build().expect("the fetcher builds");
    let mut cached = Request::get(url.clone());
    cached.cache = Some(CachePolicy::max_age(Duration::from_secs(3_600)));
    for (name, fetcher, request) in [
        ("gleaner: fetcher", plain, Request::get(url.clone())),
        ("gleaner: fetcher, from its cache", caching, cached),
    ] {
        let by_fetcher = async || {
            let response = fetcher.fetch(request.clone(), &FollowAll).await.expect("a response");
            response.body.len()
        };
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(runtime.block_on(by_fetcher()), page.len()));
        });
    }
    group.finish();
}

/// A content coding: its name, its encoder, and the decoder that is the floor.
type Coding = (&'static str, fn(&[u8]) -> Vec<u8>, fn(&[u8]) -> Vec<u8>);

const CODINGS: [Coding; 4] = [
    ("gzip", gzip, |packed| read_to_end(GzDecoder::new(packed))),
    ("deflate", deflate, |packed| read_to_end(ZlibDecoder::new(packed))),
    ("br", |_| PACKED.to_vec(), |packed| read_to_end(Decompressor::new(packed, CHUNK_BYTES))),
    ("zstd", zstd, |packed| zstd::decode_all(packed).expect("a body")),
];

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).expect("writes to memory succeed");
    encoder.finish().expect("writes to memory succeed")
}

fn deflate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).expect("writes to memory succeed");
    encoder.finish().expect("writes to memory succeed")
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    zstd::encode_all(plain, 3).expect("writes to memory succeed")
}

fn read_to_end(mut reader: impl Read) -> Vec<u8> {
    let mut plain = Vec::new();
    reader.read_to_end(&mut plain).expect("a body");
    plain
}

fn codings(criterion: &mut Criterion) {
    let plain = read_to_end(Decompressor::new(PACKED, CHUNK_BYTES));
    let url = Url::parse(ORIGIN).expect("the URL is valid");
    let mut group = criterion.benchmark_group("fetch, content codings");
    group.throughput(Throughput::Bytes(plain.len() as u64));
    for (name, encode, decode) in CODINGS {
        let encoded = encode(&plain);
        let headers = HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static(name))]);
        group.bench_function(format!("floor: {name}"), |bencher| {
            bencher.iter(|| assert_eq!(decode(&encoded).len(), plain.len()));
        });
        group.bench_function(format!("gleaner: {name}"), |bencher| {
            bencher.iter(|| {
                let body = decoded(&url, &headers, &encoded, CHUNK_BYTES, MAX_BODY_BYTES).expect("a body");
                assert_eq!(body.len(), plain.len());
            });
        });
    }
    group.finish();
}

/// The cookies of one response of a shop.
const COOKIES: [&str; 8] = [
    "session=0195c0de0e5e7000800000000001; Path=/; HttpOnly; Secure; SameSite=Lax",
    "csrf=4f2a9c; Path=/; Secure; SameSite=Strict",
    "__Host-id=ab12cd34; Path=/; Secure; HttpOnly",
    "locale=en-GB; Path=/; Max-Age=31536000",
    "currency=GBP; Domain=almanac.example; Path=/; Max-Age=2592000",
    "seen=1; Expires=Wed, 09 Jun 2038 10:18:14 GMT; Path=/",
    "basket=%7B%22items%22%3A%5B%5D%7D; Path=/shop; Max-Age=86400",
    "old=; Path=/; Max-Age=0",
];

fn cookies(criterion: &mut Criterion) {
    let url = Url::parse("https://almanac.example/shop/lanterns").expect("the URL is valid");
    let headers: HeaderMap =
        COOKIES.iter().map(|cookie| (SET_COOKIE, HeaderValue::from_static(cookie))).collect();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let mut group = criterion.benchmark_group("fetch, cookies of one response");
    group.throughput(Throughput::Elements(COOKIES.len() as u64));
    group.bench_function("floor: split and join", |bencher| {
        bencher.iter(|| {
            let mut pairs: Vec<(String, String)> = Vec::new();
            for value in &headers.get_all(SET_COOKIE) {
                let text = value.to_str().expect("ASCII");
                let mut parts = text.split(';').map(|part| part.trim().split_once('=').unwrap_or((part, "")));
                let (name, value) = parts.next().expect("a pair");
                pairs.push((name.to_owned(), value.to_owned()));
                black_box(parts.count());
            }
            let header: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
            black_box(header.join("; "))
        });
    });
    group.bench_function("gleaner: store and send", |bencher| {
        bencher.iter(|| {
            let jar = CookieJar::new();
            take_cookies(&jar, &url, &headers, now);
            black_box(cookie_header(&jar, &url, now).expect("cookies"))
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = pages, codings, cookies
}
criterion_main!(benches);
