//! Hostile XML: entities are not expanded, external resources are not read, and floods are parsed in linear
//! time.

use std::time::Instant;

use gleaner_frontier::{Sitemap, SitemapWarning, sitemap};

use crate::support::url;

fn read(body: &str) -> Sitemap {
    sitemap::parse(body.as_bytes(), &url("https://a.test/sitemap.xml"))
}

/// Total bytes of the URLs of a sitemap.
fn url_bytes(sitemap: &Sitemap) -> usize {
    let pages = sitemap.pages.iter().flat_map(|page| std::iter::once(&page.url).chain(&page.alternates));
    pages.chain(&sitemap.children).map(|url| url.as_str().len()).sum()
}

fn billion_laughs() -> String {
    let levels: String =
        (1..30).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10))).collect();
    format!(
        "<!DOCTYPE u [<!ENTITY l0 \"https://a.test/ha\">{levels}]><urlset><url><loc>&l29;</loc></url>\
         <url><loc>/real</loc></url></urlset>"
    )
}

#[test]
fn xml_entities_are_not_expanded() {
    let quadratic = format!(
        "<!DOCTYPE u [<!ENTITY a \"{}\">]><urlset><url><loc>/{}</loc></url>\
         <url><loc>/real</loc></url></urlset>",
        "x".repeat(50_000),
        "&a;".repeat(50_000)
    );
    let external = |system: &str| {
        format!(
            "<!DOCTYPE u [<!ENTITY x SYSTEM \"{system}\">]><urlset><url><loc>&x;</loc></url>\
             <url><loc>/real</loc></url></urlset>"
        )
    };
    let rows = [
        ("billion laughs", billion_laughs()),
        ("quadratic blow-up", quadratic),
        ("external entity: a file", external("file:///etc/passwd")),
        ("external entity: a host inside", external("http://127.0.0.1:1/secret")),
        (
            "parameter entity",
            "<!DOCTYPE u [<!ENTITY % p \"<!ENTITY q 'https://a.test/evil'>\">%p;]><urlset>\
             <url><loc>&q;</loc></url><url><loc>/real</loc></url></urlset>"
                .to_owned(),
        ),
        (
            "external DTD",
            "<!DOCTYPE urlset SYSTEM \"http://127.0.0.1:1/evil.dtd\"><urlset><url><loc>&e;</loc></url>\
             <url><loc>/real</loc></url></urlset>"
                .to_owned(),
        ),
        (
            "in a feed",
            "<!DOCTYPE r [<!ENTITY a \"https://a.test/evil\">]><rss><channel><item><link>&a;</link></item>\
             <item><link>/real</link></item></channel></rss>"
                .to_owned(),
        ),
        (
            "in an attribute of a feed",
            "<!DOCTYPE f [<!ENTITY a \"https://a.test/evil\">]><feed><entry><link href='&a;'/></entry>\
             <entry><link href='/real'/></entry></feed>"
                .to_owned(),
        ),
    ];
    let mut expansions = 0;
    for (name, body) in &rows {
        let found = read(body);
        let pages: Vec<_> = found.pages.iter().map(|page| page.url.path()).collect();
        // Parts of the entities' replacement texts.
        let is_expansion =
            |path: &&&str| ["ha", "evil", "xxx", "root", "secret"].iter().any(|text| path.contains(text));
        expansions += pages.iter().filter(is_expansion).count();
        assert_eq!(pages.last(), Some(&"/real"), "{name}: valid entries of the file are read");
        assert!(url_bytes(&found) <= body.len(), "{name}: URLs have no more bytes than the file");
        let is_expected = |warning: &SitemapWarning| {
            matches!(warning, SitemapWarning::UnknownEntities { .. } | SitemapWarning::BadUrls { .. })
        };
        assert!(found.warnings.iter().any(is_expected), "{name}: {:?}", found.warnings);
    }
    println!("XML: {} hostile documents, expansions {expansions}", rows.len());
    assert_eq!(expansions, 0);
}

/// Generates a file with `n` repetitions of a construct around one page.
type Flood = fn(usize) -> String;

/// The parser does not count its work, so the sizes show the complexity: a linear parser reads a million
/// units in less than a second, and a quadratic one takes 15 minutes or more. The printed times are not
/// asserted.
#[test]
fn a_million_repetitions_of_any_construct_are_parsed() {
    let rows: [(&str, Flood); 6] = [
        ("attributes", |n| {
            let flood: String = (0..n).map(|n| format!(" a{n}='v'")).collect();
            format!("<urlset><url{flood}><loc>/real</loc></url></urlset>")
        }),
        ("one repeated attribute", |n| {
            format!("<urlset><url{}><loc>/real</loc></url></urlset>", " a='v'".repeat(n))
        }),
        ("xmlns", |n| {
            let flood: String = (0..n).map(|n| format!(" xmlns:n{n}='u:{n}'")).collect();
            format!("<urlset{flood}><url><loc>/real</loc></url></urlset>")
        }),
        ("nesting", |n| format!("<urlset><url><loc>/real</loc></url><x>{}</x></urlset>", "<a>".repeat(n))),
        ("comments", |n| format!("<urlset>{}<url><loc>/real</loc></url></urlset>", "<!-- -->".repeat(n))),
        ("references", |n| format!("<urlset><x>{}</x><url><loc>/real</loc></url></urlset>", "&e;".repeat(n))),
    ];
    for (name, flood) in rows {
        let mut report = String::new();
        for units in [250_000, 500_000, 1_000_000] {
            let body = flood(units);
            let began = Instant::now();
            let found = read(&body);
            let milliseconds = began.elapsed().as_secs_f64() * 1e3;
            report += &format!(" {:>8.1}", milliseconds / (body.len() as f64 / 1e6));
            let paths: Vec<_> = found.pages.iter().map(|page| page.url.path()).collect();
            assert_eq!(paths, ["/real"], "{name} x {units}");
        }
        println!("XML flood: {name:<26} ms/MB at 1x, 2x, 4x:{report}");
    }
}
