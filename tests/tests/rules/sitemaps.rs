//! Sitemaps that are too large or contain cycles: entries, memory and requests are bounded.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use gleaner::plan::SitemapMode;
use gleaner_frontier::sitemap::{self, MAX_SITEMAP_ENTRIES};
use gleaner_frontier::{Sitemap, SitemapWarning};

use crate::escape::PathServer;
use crate::support::{engine, links_only, print_memory_growth, run_alone, url};

fn read(body: &[u8]) -> Sitemap {
    sitemap::parse(body, &url("https://a.test/sitemap.xml"))
}

fn gzip(parts: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for part in parts {
        encoder.write_all(&part).unwrap();
    }
    encoder.finish().unwrap()
}

fn with_entries(count: usize) -> Vec<u8> {
    let mut body = b"<urlset>".to_vec();
    for n in 0..count {
        body.extend(format!("<url><loc>https://a.test/{n}</loc></url>").into_bytes());
    }
    body
}

/// A million nested entries.
fn nested() -> Vec<u8> {
    [b"<urlset>".to_vec(), b"<url><loc>/x</loc>".repeat(1_000_000)].concat()
}

/// A gigabyte of entries in a few megabytes.
fn bomb() -> Vec<u8> {
    let block = b"<url><loc>https://a.test/x</loc></url>".repeat(27_594);
    gzip(std::iter::once(b"<urlset>".to_vec()).chain(std::iter::repeat_n(block, 1000)))
}

#[test]
fn sitemap_entries_are_capped() {
    for (name, body, warning) in [
        ("twice the entries", with_entries(2 * MAX_SITEMAP_ENTRIES), Some(SitemapWarning::TooManyEntries)),
        ("exactly the maximum", with_entries(MAX_SITEMAP_ENTRIES), None),
        ("a million nested entries", nested(), Some(SitemapWarning::TooManyEntries)),
        ("gzip bomb", bomb(), Some(SitemapWarning::TooManyEntries)),
    ] {
        let found = read(&body);
        println!(
            "sitemap: {name:<26} {:>9} bytes, URLs admitted {} (cap {MAX_SITEMAP_ENTRIES}), warnings {:?}",
            body.len(),
            found.pages.len(),
            found.warnings
        );
        assert!(!found.pages.is_empty() && found.pages.len() <= MAX_SITEMAP_ENTRIES, "{name}");
        assert!(
            warning.is_none_or(|warning| found.warnings.contains(&warning)),
            "{name}: {:?}",
            found.warnings
        );
    }
}

#[test]
fn memory_of_sitemaps_is_bounded() {
    for name in ["nested", "bomb"] {
        let peak = run_alone(&format!("sitemaps::memory_of_{name}"));
        println!("sitemap: {name}: {} MiB at the peak", peak >> 10);
        // The decompressed text (50 MiB), its copy during decoding, and 50,000 URLs.
        assert!(peak < 200 << 10, "{name}: {peak} KiB");
    }
}

#[test]
#[ignore = "run by memory_of_sitemaps_is_bounded in its own process"]
fn memory_of_nested() {
    let body = nested();
    print_memory_growth(|| read(&body));
}

#[test]
#[ignore = "run by memory_of_sitemaps_is_bounded in its own process"]
fn memory_of_bomb() {
    let body = bomb();
    print_memory_growth(|| read(&body));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sitemap_index_that_lists_itself_is_read_once() {
    let sitemap_index = |children: &str| {
        let children: String =
            children.split(' ').map(|child| format!("<sitemap><loc>{child}</loc></sitemap>")).collect();
        format!("<sitemapindex>{children}</sitemapindex>")
    };
    let pages = PathServer::start(vec![
        ("/".to_owned(), "<a href='/a'>a</a>".to_owned()),
        ("/sitemap.xml".to_owned(), sitemap_index("/sitemap.xml /one.xml /two.xml")),
        ("/one.xml".to_owned(), sitemap_index("/two.xml /sitemap.xml")),
        ("/two.xml".to_owned(), format!("{}<url><loc>/b</loc></url>", sitemap_index("/one.xml /two.xml"))),
        ("/a".to_owned(), "a".to_owned()),
        ("/b".to_owned(), "b".to_owned()),
    ]);
    let request = links_only(pages.url("/")).sitemap(SitemapMode::Include);
    let result = engine().crawl(request).await.unwrap().wait().await.unwrap();
    let requested = pages.requested_paths();
    let repeats = requested
        .iter()
        .enumerate()
        .filter(|(index, path)| requested.iter().take(*index).any(|before| before == *path));
    let repeats: Vec<_> = repeats.map(|(_, path)| path).collect();
    println!("sitemap: an index cycle: {} requests, repeated {}", requested.len(), repeats.len());
    assert!(repeats.is_empty(), "{repeats:?}");
    assert!(requested.iter().any(|path| path == "/two.xml") && !result.documents.is_empty());
}
