//! Tests of sitemaps: formats, damage, and hostile files.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;

fn base() -> Url {
    Url::parse("https://a.test/sitemap.xml").unwrap()
}

fn read(body: impl AsRef<[u8]>) -> Sitemap {
    parse(body.as_ref(), &base())
}

fn urls(sitemap: &Sitemap) -> Vec<&str> {
    sitemap.pages.iter().map(|page| page.url.as_str()).collect()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn urlset(entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
         {entries}\n</urlset>"
    )
}

#[test]
fn a_declared_encoding_is_decoded() {
    let list = |declared: &str, loc: &[u8]| {
        let head = format!("<?xml version='1.0' {declared}?><urlset><url><loc>/");
        [head.as_bytes(), loc, b"</loc></url></urlset>"].concat()
    };
    let utf16: Vec<u8> = "<?xml version='1.0'?><urlset><url><loc>/ä</loc></url></urlset>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let (umlaut, euro) = ("https://a.test/%C3%A4", "https://a.test/%E2%82%AC");
    for (name, body, charset, expected) in [
        ("Latin-1", list("encoding='ISO-8859-1'", b"\xe4"), None, umlaut),
        ("its quotes and spaces", list("encoding = \"latin1\"", b"\xe4"), None, umlaut),
        ("windows-1252", list("encoding='windows-1252'", b"\x80"), None, euro),
        ("the header alone", list("", b"\xe4"), Some("iso-8859-1"), umlaut),
        ("the header over the declaration", list("encoding='UTF-8'", b"\x80"), Some("cp1252"), euro),
        ("a header that is wrong", list("encoding='ISO-8859-1'", b"\xe4"), Some("utf-8"), umlaut),
        ("UTF-8 by the header", list("encoding='ISO-8859-1'", "ä".as_bytes()), Some("UTF-8"), umlaut),
        ("an unknown label", list("encoding='x-none'", "ä".as_bytes()), None, umlaut),
        ("UTF-16 by mistake", list("encoding='UTF-16'", "ä".as_bytes()), None, umlaut),
        ("UTF-16 without a mark", utf16, None, umlaut),
        ("Shift_JIS", list("encoding='Shift_JIS'", b"\x83\x65"), None, "https://a.test/%E3%83%86"),
        ("a list", b"https://a.test/\xe4\n".to_vec(), Some("latin1"), umlaut),
    ] {
        assert_eq!(urls(&parse_as(&body, &base(), charset)), [expected], "{name}");
        assert_eq!(urls(&parse_as(&gzip(&body), &base(), charset)), [expected], "{name}, compressed");
    }
}

#[test]
fn references_are_relative_to_xml_base() {
    for (name, body, expected) in [
        ("a feed", "<feed xml:base='/ok/'><entry><link href='a'/></entry></feed>", "https://a.test/ok/a"),
        (
            "a feed of another host",
            "<feed xml:base='https://b.test/x/'><entry><link href='a'/></entry></feed>",
            "https://b.test/x/a",
        ),
        (
            "an entry in a feed",
            "<feed xml:base='/ok/'><entry xml:base='more/'><link href='a'/></entry></feed>",
            "https://a.test/ok/more/a",
        ),
        (
            "a link in an entry",
            "<feed><entry xml:base='/ok/'><link xml:base='more/' href='a'/></entry></feed>",
            "https://a.test/ok/more/a",
        ),
        (
            "a channel",
            "<rss><channel xml:base='/ok/'><item><link>a</link></item></channel></rss>",
            "https://a.test/ok/a",
        ),
        ("a sitemap", "<urlset xml:base='/ok/'><url><loc>a</loc></url></urlset>", "https://a.test/ok/a"),
        (
            "a full URL",
            "<feed xml:base='/ok/'><entry><link href='https://c.test/a'/></entry></feed>",
            "https://c.test/a",
        ),
        (
            "a base that is not a URL",
            "<feed xml:base='http://['><entry><link href='/a'/></entry></feed>",
            "https://a.test/a",
        ),
        (
            "a link without an address",
            "<feed><entry xml:base='/ok/'><link xml:base='no/'/><link href='a'/></entry></feed>",
            "https://a.test/ok/a",
        ),
    ] {
        assert_eq!(urls(&read(body)), [expected], "{name}");
    }
    // No file makes a base that grows with each element.
    let channels = "<channel xml:base='abcdefgh/'></channel>".repeat(2_000);
    let grown = read(format!("<rss>{channels}<item><link>a</link></item></rss>"));
    assert!(urls(&grown)[0].len() <= 2_048 + 1, "{}", urls(&grown)[0].len());
    let two =
        read("<feed><entry xml:base='/ok/'><link href='a'/></entry><entry><link href='b'/></entry></feed>");
    assert_eq!(urls(&two), ["https://a.test/ok/a", "https://a.test/b"]);
}

#[test]
fn all_formats_are_read() {
    let a = &["https://a.test/a"][..];
    let ab = &["https://a.test/a", "https://a.test/b"][..];
    let query = &["https://a.test/?a=1&b=2"][..];
    for (name, body, expected) in [
        ("plain", urlset("<url><loc>https://a.test/a</loc></url>"), a),
        ("white space", urlset("<url>\n <loc>\n  https://a.test/a\n </loc>\n</url>"), a),
        ("CDATA", urlset("<url><loc><![CDATA[https://a.test/a]]></loc></url>"), a),
        ("references", urlset("<url><loc>https://a.test&#47;&#x61;</loc></url>"), a),
        ("ampersand", urlset("<url><loc>https://a.test/?a=1&amp;b=2</loc></url>"), query),
        ("bare ampersand", urlset("<url><loc>https://a.test/?a=1&b=2</loc></url>"), query),
        ("comment inside", urlset("<url><!-- x --><loc>https://a.test/<!-- y -->a</loc></url>"), a),
        ("relative", urlset("<url><loc>/a</loc></url>"), a),
        ("byte order mark", format!("\u{feff}{}", urlset("<url><loc>/a</loc></url>")), a),
        ("no namespace, no declaration", "<urlset><url><loc>/a</loc></url></urlset>".into(), a),
        ("prefix", "<s:urlset xmlns:s='x'><s:url><s:loc>/a</s:loc></s:url></s:urlset>".into(), a),
        (
            "images and videos are no pages",
            urlset(
                "<url><image:image><image:loc>/i.png</image:loc></image:image><loc>/a</loc>\
                 <image:loc>/j</image:loc>\
                 <video:video><video:player_loc>/v</video:player_loc><loc>/w</loc></video:video></url>",
            ),
            a,
        ),
        ("unclosed entry", urlset("<url><loc>/a</loc><url><loc>/b</loc></url>"), ab),
        ("wrong end tags", urlset("<url><loc>/a</LOC></uri><url><loc>/b</loc></url>"), ab),
        ("entry without location", urlset("<url><lastmod>2026</lastmod></url><url><loc>/a</loc></url>"), a),
        ("other schemes", urlset("<url><loc>ftp://a.test/x</loc></url><url><loc>/a</loc></url>"), a),
        (
            "RSS 2.0",
            "<rss version='2.0'><channel><link>https://a.test/</link><item><title>x</title>\
             <link>https://a.test/a</link>\
             </item><item><guid>https://a.test/b</guid></item></channel></rss>"
                .into(),
            ab,
        ),
        (
            "a picture in an item of RSS",
            "<rss version='2.0'><channel><item><image><url>https://a.test/i.png</url></image>\
             <link>https://a.test/a</link></item></channel></rss>"
                .into(),
            a,
        ),
        (
            "RSS 1.0",
            "<rdf:RDF xmlns:rdf='x' xmlns='y'><channel><link>https://a.test/</link></channel>\
             <item rdf:about='z'><link>https://a.test/a</link></item></rdf:RDF>"
                .into(),
            a,
        ),
        (
            "Atom",
            "<feed xmlns='x'><link href='https://a.test/'/><entry><link rel='edit' href='/e'/>\
             <link href='/a'/>\
             </entry><entry><link rel='alternate' href='https://a.test/b'/></entry></feed>"
                .into(),
            ab,
        ),
        ("plain list", "https://a.test/a\r\n\r\n# comment\nhttps://a.test/b\n".into(), ab),
        ("plain list with prose", "my pages\nhttps://a.test/a\n".into(), a),
    ] {
        let sitemap = read(&body);
        assert_eq!(urls(&sitemap), expected, "{name}");
        let packed = read(gzip(body.as_bytes()));
        assert_eq!(packed, sitemap, "{name}: gzip");
        let mut wide = vec![0xff, 0xfe];
        wide.extend(body.trim_start_matches('\u{feff}').encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(urls(&read(wide)), expected, "{name}: UTF-16");
    }
}

#[test]
fn an_index_lists_its_children() {
    let sitemap = read(
        "<sitemapindex><sitemap><loc>https://a.test/1.xml.gz</loc><lastmod>2026-01-01</lastmod></sitemap>\
         <sitemap><loc>/2.xml</loc></sitemap><url><loc>/a</loc></url></sitemapindex>",
    );
    let children: Vec<_> = sitemap.children.iter().map(Url::as_str).collect();
    assert_eq!(children, ["https://a.test/1.xml.gz", "https://a.test/2.xml"]);
    assert_eq!(urls(&sitemap), ["https://a.test/a"]);
    assert_eq!(sitemap.warnings, []);
}

#[test]
fn page_metadata_is_read() {
    let sitemap = read(urlset(
        "<url><loc>/a</loc><lastmod>2026-01-31T00:00:00Z</lastmod><priority> 0.8 </priority>\
         <xhtml:link rel='alternate' hreflang='de' href='https://a.test/de?a=1&amp;b=2'/>\
         <xhtml:link rel='amphtml' href='/amp'/></url>\
         <url><loc>/b</loc><priority>7</priority><lastmod>soon</lastmod></url>\
         <url><loc>/c</loc><priority>high</priority></url>",
    ));
    let facts: Vec<_> = sitemap.pages.iter().map(|page| (page.last_modified, page.priority)).collect();
    assert_eq!(facts, [(Some(1_769_817_600), Some(80)), (None, Some(100)), (None, None)]);
    let alternates: Vec<_> = sitemap.pages[0].alternates.iter().map(Url::as_str).collect();
    assert_eq!(alternates, ["https://a.test/de?a=1&b=2"]);
    let feed = read(
        "<rss><channel><item><link>/a</link>\
         <pubDate>Sat, 31 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>",
    );
    assert_eq!(feed.pages[0].last_modified, Some(1_769_817_600));
}

#[test]
fn a_broken_sitemap_gives_its_readable_part() {
    let whole = urlset("<url><loc>/a</loc></url><url><loc>/b</loc></url><url><loc>/c</loc></url>");
    let cut = whole.find("/c").unwrap();
    let broken = read(&whole.as_bytes()[..cut]);
    assert_eq!(urls(&broken), ["https://a.test/a", "https://a.test/b"]);
    assert!(matches!(broken.warnings[..], [SitemapWarning::Malformed { .. }]), "{:?}", broken.warnings);
    let after_location = read(&whole.as_bytes()[..cut + 2 + "</loc>".len()]);
    assert_eq!(after_location.pages.len(), 3);
    let mut noise = 1_u32;
    let long: String = (0..5000)
        .map(|n| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("<url><loc>/{n}-{noise}</loc></url>")
        })
        .collect();
    let packed = gzip(urlset(&long).as_bytes());
    let torn = read(&packed[..packed.len() / 2]);
    assert!(torn.pages.len() > 500, "{} pages", torn.pages.len());
    assert!(torn.warnings.contains(&SitemapWarning::CorruptGzip));
    let quoted = "<urlset><url><loc>/a</loc><t><![CDATA[<?xml?>]]></t></url></urlset>";
    assert_eq!(urls(&read(quoted)), ["https://a.test/a"], "a declaration inside of a sitemap");
    for (name, body) in [
        ("HTML", "<!DOCTYPE html><html><body>404 <a href='/a'>x</a></body></html>"),
        ("JSON", "{\"a\":1}"),
        ("empty", ""),
        ("prose", "nothing to see here"),
        ("other XML", "<svg><url><loc>/a</loc></url></svg>"),
    ] {
        let sitemap = read(body);
        assert!(sitemap.pages.is_empty(), "{name}");
        assert_eq!(sitemap.warnings, [SitemapWarning::NotASitemap], "{name}");
    }
    // Bytes that are not UTF-8 go back as they came; in a title they do not matter.
    let latin = b"<urlset><url><t>\xe9</t><loc>/caf\xe9</loc></url></urlset>".as_slice();
    assert_eq!(urls(&read(latin)), ["https://a.test/caf%E9"]);
    for before in [
        "\n\n ",
        "\u{feff}\u{feff}",
        "\n\u{feff}",
        "<!-- made in 3 ms -->\n",
        "<br />\n<b>Notice</b>: no such index in <b>map.php</b><br />\n",
        "Warning: no such index in map.php\n",
    ] {
        let body = format!("{before}{}", urlset("<url><loc>/a</loc></url>"));
        assert_eq!(urls(&read(body)), ["https://a.test/a"], "{before:?}");
    }
}

#[test]
fn hostile_xml_expands_nothing() {
    let laughs = "<!DOCTYPE u [<!ENTITY a \"https://a.test/a\"><!ENTITY b \"&a;&a;&a;&a;\">\
                  <!ENTITY x SYSTEM \"file:///etc/passwd\">]>\
                  <urlset><url><loc>&b;&x;</loc></url><url><loc>/a&nbsp;</loc></url></urlset>";
    let sitemap = read(laughs);
    assert_eq!(urls(&sitemap), ["https://a.test/a"]);
    assert!(
        sitemap.warnings.contains(&SitemapWarning::UnknownEntities { count: 3 }),
        "{:?}",
        sitemap.warnings
    );
    assert!(sitemap.warnings.contains(&SitemapWarning::BadUrls { count: 1 }));
    // Deep nesting and floods of attributes and namespaces are read to the end and nothing is kept.
    let deep = format!("<urlset><url>{}<loc>/x</loc>", "<a>".repeat(200_000));
    assert!(read(deep).pages.is_empty());
    let attributes: String = (0..100_000).map(|n| format!(" xmlns:n{n}='u' a{n}='v'")).collect();
    let flood = format!(
        "<urlset><url><loc>/a</loc><xhtml:link{attributes} rel='alternate' href='/b'/></url></urlset>"
    );
    assert_eq!(urls(&read(flood)), ["https://a.test/a"]);
}

#[test]
fn bounds() {
    let many: String = (0..=MAX_SITEMAP_ENTRIES).map(|n| format!("<url><loc>/{n}</loc></url>")).collect();
    let sitemap = read(urlset(&many));
    assert_eq!(sitemap.pages.len(), MAX_SITEMAP_ENTRIES);
    assert_eq!(sitemap.warnings, [SitemapWarning::TooManyEntries]);
    let lines: String = (0..=MAX_SITEMAP_ENTRIES).map(|n| format!("https://a.test/{n}\n")).collect();
    assert_eq!(read(lines).warnings, [SitemapWarning::TooManyEntries]);
    // A gzip bomb: 200 MiB of blanks in a few hundred KiB.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"<urlset><url><loc>/a</loc></url>").unwrap();
    for _ in 0..200 {
        encoder.write_all(&[b' '; 1 << 20]).unwrap();
    }
    let bomb = read(encoder.finish().unwrap());
    assert_eq!(urls(&bomb), ["https://a.test/a"]);
    assert!(bomb.warnings.contains(&SitemapWarning::TooLarge));
    let long =
        format!("<urlset><url><loc>/{}</loc></url><url><loc>/a</loc></url></urlset>", "x".repeat(100_000));
    assert_eq!(urls(&read(long)), ["https://a.test/a"]);
    let alternates = "<xhtml:link rel='alternate' href='/b'/>".repeat(MAX_ALTERNATES + 1);
    let page = read(urlset(&format!("<url><loc>/a</loc>{alternates}</url>")));
    assert_eq!(page.pages[0].alternates.len(), MAX_ALTERNATES);
}

/// Fifty thousand short entries of a sitemap with a long URL took 400 MB.
#[test]
fn short_entries_of_a_sitemap_with_a_long_url_are_bounded() {
    let base = Url::parse(&format!("https://a.test/{}/sitemap.xml", "x".repeat(8_000))).unwrap();
    let bytes = |url: &Url| url.as_str().len();
    let alternate = "<xhtml:link rel='alternate' href='2'/>";
    for (form, entry) in [
        ("page", "<url><loc>1</loc></url>".to_owned()),
        ("page with others", format!("<url><loc>1</loc>{}</url>", alternate.repeat(MAX_ALTERNATES))),
        ("sitemap", "<sitemap><loc>1</loc></sitemap>".to_owned()),
    ] {
        let sitemap = parse(urlset(&entry.repeat(7_000)).as_bytes(), &base);
        let pages = sitemap
            .pages
            .iter()
            .map(|page| bytes(&page.url) + page.alternates.iter().map(bytes).sum::<usize>());
        let all: usize = pages.chain(sitemap.children.iter().map(bytes)).sum();
        assert!((MAX_SITEMAP_BYTES / 2..=MAX_SITEMAP_BYTES).contains(&all), "{form}: {all} bytes");
        assert_eq!(sitemap.warnings, [SitemapWarning::TooLarge], "{form}");
    }
}

proptest! {
    #[test]
    fn any_bytes_can_be_read(body in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&body);
        let _ = read([b"<urlset><url><loc>".as_slice(), &body].concat());
        let _ = read([b"\x1f\x8b\x08\0\0\0\0\0\0\x03".as_slice(), &body].concat());
    }

    #[test]
    fn truncation_never_adds_a_page(cut in 0_usize..400) {
        let whole = urlset(
            "<url><loc>/a</loc><priority>0.5</priority></url>\n<url><loc>/b?x=1&amp;y</loc></url>",
        );
        let part = read(&whole.as_bytes()[..cut.min(whole.len())]);
        let full = read(&whole);
        prop_assert!(part.pages.len() <= full.pages.len());
        for (part, full) in part.pages.iter().zip(&full.pages) {
            prop_assert_eq!(&part.url, &full.url);
        }
    }
}
