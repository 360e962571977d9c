//! The parts of a document besides its Markdown: fields and warnings, and that a document can be stored and
//! read back.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, MAX_RESOLVED_BYTES, transform};
use gleaner_types::Document;
use gleaner_types::request::{AttributeSelector, AttributesFormat, Format, ScrapeOptions};

fn read_with(body: &str, content_type: &str, options: ScrapeOptions) -> Document {
    let url = "https://example.org/a/".parse().unwrap();
    let input = Input::new(&url, Some(content_type), body.as_bytes());
    transform(input, &options.check().unwrap()).unwrap().document
}

fn read(body: &str, content_type: &str, formats: Vec<Format>) -> Document {
    read_with(body, content_type, ScrapeOptions::new().formats(formats))
}

const HTML: &str = "text/html; charset=utf-8";

#[test]
fn a_serialised_document_can_be_read_back() {
    let pages = [
        "<title>T</title><meta property=og:image content=a.png><meta property=og:image content=b.png>",
        "<meta property=article:tag content=x><meta property=article:tag content=y>",
        "<meta name=ogImage content=x><meta name=statusCode content=1><meta name='status\u{1}Code' content=1>",
        "<meta name=viewport content=1><meta name=viewport content=2><meta name=other content=3>",
        "<meta name=creditsUsed content=1><meta name=sourceURL content=1><meta name=scrapeId content=1>",
        "<meta property=og:locale:alternate content=de><meta name=dc.date content=2024-05-01>",
        "<meta name=author content=A><meta name=author content=B><meta property=og:locale content=de>",
    ];
    for page in pages {
        for formats in [vec![Format::Markdown, Format::Html, Format::Images], vec![Format::Links]] {
            let document = read(page, HTML, formats);
            let text = serde_json::to_string(&document).unwrap();
            assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document, "{page}");
        }
    }
    let document = read(pages[0], HTML, vec![Format::Markdown]);
    assert_eq!(document.metadata.og_image.as_deref(), Some("a.png"));
}

#[test]
fn the_address_of_a_host_keeps_the_form_of_the_page() {
    let page = "<main><h1>Teas</h1><p>See <a href='https://one.example'>one</a>, <a href='https://two.example/'>two</a>,
        <a href='//three.example?q'>three</a>, <a href='https://one.example/'>one again</a> and <a href='/'>home</a>.</p></main>";
    let wanted =
        ["https://one.example", "https://two.example/", "https://three.example?q", "https://example.org/"];
    assert_eq!(read(page, HTML, vec![Format::Links]).links.unwrap(), wanted);
    let document = read(page, HTML, vec![Format::Links, Format::Markdown, Format::Html]);
    assert_eq!(document.links.unwrap(), wanted);
    let (markdown, html) = (document.markdown.unwrap(), document.html.unwrap());
    for (label, url) in [("one", wanted[0]), ("two", wanted[1]), ("three", wanted[2]), ("home", wanted[3])] {
        assert!(markdown.contains(&format!("[{label}]({url})")), "{markdown}");
        assert!(html.contains(&format!("<a href=\"{url}\">{label}</a>")), "{html}");
    }
}

#[test]
fn unclosed_elements_hide_no_link() {
    for tag in ["font color=navy", "b", "b><i", "span", "div"] {
        let rows: String =
            (0..600).map(|n| format!("<{tag}><a href=/row/{n}>Row {n}</a> is net {n}.\n")).collect();
        let page = format!("<h1>List</h1>{rows}");
        let links = read(&page, HTML, vec![Format::Links]).links.unwrap();
        assert_eq!(links.len(), 600, "{tag}");
        let options =
            ScrapeOptions::new().formats([Format::Links, Format::Markdown]).only_main_content(false);
        let document = read_with(&page, HTML, options);
        assert_eq!(document.links.unwrap(), links, "{tag}");
        let markdown = document.markdown.unwrap();
        for row in [0, 62, 63, 511, 599] {
            let link = format!("[Row {row}](https://example.org/row/{row})");
            assert!(markdown.contains(&link), "{tag} {row}");
        }
    }
}

#[test]
fn queries_of_links_are_in_the_encoding_of_the_page() {
    let page = "<meta charset=windows-1251><p><a href='/\u{44f}?q=\u{44f}'>x</a> <a href='?q=\u{20ac}\u{4e2d}'>y</a></p><img src='i?\u{44f}'>";
    let (body, _, _) = encoding_rs::WINDOWS_1251.encode(page);
    let url = "https://example.org/a/".parse().unwrap();
    let wanted = ["https://example.org/%D1%8F?q=%FF", "https://example.org/a/?q=%88%26%2320013%3B"];
    for formats in [vec![Format::Links], vec![Format::Links, Format::Markdown, Format::Images]] {
        let has_images = formats.len() > 1;
        let input = Input::new(&url, Some("text/html"), &body);
        let document =
            transform(input, &ScrapeOptions::new().formats(formats).check().unwrap()).unwrap().document;
        assert_eq!(document.links.unwrap(), wanted);
        if has_images {
            assert_eq!(document.images.unwrap(), ["https://example.org/a/i?%FF"]);
            assert!(document.markdown.unwrap().contains(&format!("[x]({})", wanted[0])));
        }
    }
}

#[test]
fn frames_are_in_the_html_if_the_tags_include_them() {
    let page =
        "<main><h1>Film</h1><div class=film><iframe src=/film></iframe></div><p>A film about tea.</p></main>";
    let html = |tags: &[&str]| {
        let options = ScrapeOptions::new().formats([Format::Html]).include_tags(tags.iter().copied());
        read_with(page, HTML, options).html.unwrap()
    };
    let frame = "<iframe src=\"https://example.org/film\"></iframe>";
    assert_eq!(html(&["iframe"]), frame);
    assert_eq!(html(&["main", "iframe"]).matches(frame).count(), 1);
    assert!(!html(&["main"]).contains("iframe") && !html(&[]).contains("iframe"));
}

#[test]
fn a_request_for_links_reads_json_ld_too() {
    let page = r#"<title>T</title><script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-01",
        "dateModified":"2024-06-01","author":{"name":"Ann"}}</script><p>text <a href=x>x</a>"#;
    let links = read(page, HTML, vec![Format::Links]);
    let whole = read(page, HTML, vec![Format::Links, Format::Markdown]);
    assert_eq!(links.metadata, whole.metadata);
    assert_eq!(links.metadata.modified_time.as_deref(), Some("2024-06-01"));
    assert!(links.metadata.other.contains_key("author"));
}

#[test]
fn a_small_page_is_kept_whole() {
    let page = "<html><body><div><h1>Example Domain</h1><p>This domain is for use in examples.</p>
        <p><a href=/more>More information</a></p></div></body></html>";
    assert_eq!(
        read(page, HTML, vec![Format::Markdown]).markdown.unwrap(),
        "# Example Domain\n\nThis domain is for use in examples.\n\n[More information](https://example.org/more)"
    );
    let page = "<nav><a href=/>Home</a></nav><h1>Links</h1><ul><li><a href=/1>One</a><li><a href=/2>Two</a></ul><footer>F</footer>";
    let markdown = read(page, HTML, vec![Format::Markdown]).markdown.unwrap();
    assert!(markdown.starts_with("# Links") && markdown.contains("[Two]"), "{markdown}");
    assert!(!markdown.contains("Home"), "{markdown}");
}

#[test]
fn a_text_that_only_json_ld_has_is_used() {
    let body = "A long text of an article, with *stars* and <tags>. ".repeat(30);
    let linked = serde_json::json!({ "@type": "Article", "articleBody": body });
    let page = format!("<script type=application/ld+json>{linked}</script><div id=app>Loading</div>");
    let document = read(&page, HTML, vec![Format::Markdown]);
    let markdown = document.markdown.unwrap();
    assert!(markdown.len() > 1_000 && markdown.contains("\\*stars\\* and \\<tags>"), "{markdown}");
    assert!(document.warning.unwrap().contains("JSON-LD"));
}

#[test]
fn entries_of_a_feed_are_separate() {
    let feed = "<rss><channel><title>F</title><item><title>One</title><description>&lt;!-- &lt;table&gt;&lt;b&gt;x</description></item>
        <item><title>Two</title><description>&lt;pre&gt;y</description></item><item><title>Three</title></item></channel></rss>";
    let markdown = read(feed, "application/rss+xml", vec![Format::Markdown]).markdown.unwrap();
    for heading in ["# F", "\n## One", "\n## Two", "\n## Three"] {
        assert!(markdown.contains(heading), "{markdown}");
    }
}

#[test]
fn a_markdown_body_is_read_as_a_page() {
    let body = "---\ntitle: All kilns\n---\n\n# Kilns\n\nSee [the *guide*](guide.md \"G\") and [notes][n].\n\n- [x] done\n- open\n\n\
        | a | b |\n| :-: | --- |\n| 1 | ~~2~~ |\n\n```rust\nlet a = 1;\n```\n\n<script>x</script>\n\n[n]: /notes\n";
    let formats = vec![Format::Markdown, Format::Links, Format::RawHtml];
    let document = read(body, "text/markdown", formats);
    assert_eq!(
        document.markdown.as_deref(),
        Some(
            "# Kilns\n\nSee [the *guide*](https://example.org/a/guide.md \"G\") and [notes](https://example.org/notes).\n\n\
            - [x] done\n- open\n\n| a | b |\n| :---: | --- |\n| 1 | ~~2~~ |\n\n```rust\nlet a = 1;\n```"
        )
    );
    assert_eq!(document.links.unwrap(), ["https://example.org/a/guide.md", "https://example.org/notes"]);
    assert_eq!(document.raw_html.as_deref(), Some(body));
    assert_eq!(document.metadata.title.as_deref(), Some("All kilns"));
    assert_eq!(document.warning, None);
}

#[test]
fn a_short_page_is_not_replaced_by_the_json_ld_of_its_site() {
    let about =
        serde_json::json!({ "@type": "WebPage", "description": "All about our kilns and us. ".repeat(40) });
    let page =
        format!("<script type=application/ld+json>{about}</script><h1>Contact</h1><p>Call 555-0100.</p>");
    let markdown = read(&page, HTML, vec![Format::Markdown]).markdown.unwrap();
    assert_eq!(markdown, "# Contact\n\nCall 555-0100.");
}

#[test]
fn the_bytes_of_a_long_base_are_bounded() {
    let base = "x".repeat(8_000);
    let links: String = (0..20_000).map(|n| format!("<a href={n}>l</a><img src={n}.png>")).collect();
    let page = format!("<base href=/{base}/>{links}");
    let document = read(&page, HTML, vec![Format::Links, Format::Images, Format::Markdown]);
    let bytes = |list: Option<Vec<String>>| list.unwrap().iter().map(String::len).sum::<usize>();
    assert!(bytes(document.links) <= MAX_RESOLVED_BYTES + page.len());
    assert!(bytes(document.images) <= MAX_RESOLVED_BYTES + page.len());
    assert!(document.markdown.unwrap().len() <= MAX_RESOLVED_BYTES + 20 * page.len());
}

#[test]
fn a_selector_that_costs_too_much_gives_a_warning() {
    let page = format!("<p>start</p><div>{}</div>", "<b>x</b> ".repeat(20_000));
    let options = ScrapeOptions::new().exclude_tags(["i ~ b"]);
    assert!(read_with(&page, HTML, options).warning.unwrap().contains("too many steps"));
}

#[test]
fn long_pages_are_examined_to_their_end() {
    let read = |paragraphs: usize| {
        let text: String = (0..paragraphs)
            .map(|number| {
                format!("<p>Entry {number} tells of the ferry, the orchard and the mill by the river.</p>")
            })
            .collect();
        let links = "<li><a href=/x>Imprint</a><li><a href=/y>Terms of service</a>".repeat(20);
        let page = format!(
            "<body><nav>{links}</nav><main><article><h1>All entries</h1>{text}</article></main>
            <footer class=site-footer><ul>{links}</ul></footer></body>"
        );
        read(&page, HTML, vec![Format::Markdown])
    };
    let long = read(25_000);
    let markdown = long.markdown.unwrap();
    assert!(markdown.contains("Entry 0 tells") && markdown.contains("Entry 24999 tells"));
    assert!(!markdown.contains("Imprint"));
    assert_eq!(long.warning, None);
    let longer = read(101_000);
    assert!(
        longer.markdown.unwrap().contains("Entry 100999 tells"),
        "the end is kept if the part before it is kept"
    );
    assert!(longer.warning.unwrap().contains("more blocks of text"));
}

/// A page with all the parts that options leave out or keep.
const KITES: &str = "<!doctype html><html lang=en><head><title>Kites</title></head><body>
    <header class=site-header><a href=/>Home</a></header>
    <nav><ul><li><a href=/a>Alpha</a><li><a href=/b data-id=9>Beta</a></ul></nav>
    <main><article><h1 data-id=7>Kites</h1>
    <p class=lead>Kites are made of paper and wood, and they fly where the wind is steady and the sky is clear.</p>
    <figure><img src=/kite.png srcset='/kite.png 1x, /kite-2.png 2x' alt='A kite'></figure>
    <p class=note data-ID=8>A note on <em>lines</em>: they are as long as the hill is high.</p></article></main>
    <div class=ad-banner><p>Buy a kite now.</p><img src=/ad.png alt=ad></div>
    <div id=cookie-banner role=dialog><p>We use cookies. Accept all cookies?</p></div>
    <footer><p>All rights reserved.</p></footer></body></html>";

const LEAD: &str =
    "Kites are made of paper and wood, and they fly where the wind is steady and the sky is clear.";
const NOTE: &str = "A note on *lines*: they are as long as the hill is high.";

fn kites(options: ScrapeOptions) -> Document {
    read_with(KITES, HTML, options)
}

#[test]
fn options_select_the_parts_of_a_page() {
    let home =
        "[Home](https://example.org/)\n\n- [Alpha](https://example.org/a)\n- [Beta](https://example.org/b)";
    let ad = "Buy a kite now.\n\n![ad](https://example.org/ad.png)";
    let main = format!("# Kites\n\n{LEAD}\n\n![A kite](https://example.org/kite.png)\n\n{NOTE}");
    let tags = |tags: &[&'static str]| ScrapeOptions::new().include_tags(tags.iter().copied());
    let whole = || ScrapeOptions::new().only_main_content(false);
    let rows: Vec<(&str, ScrapeOptions, String)> = vec![
        ("the whole page", whole(), format!("{home}\n\n{main}\n\nAll rights reserved.")),
        (
            "with advertisements",
            whole().block_ads(false),
            format!(
                "{home}\n\n{main}\n\n{ad}\n\nWe use cookies. Accept all cookies?\n\nAll rights reserved."
            ),
        ),
        ("a tag", tags(&["h1"]), "# Kites".to_owned()),
        (
            "tags in the order of the page",
            tags(&["footer", "p.note", "#none"]),
            format!("{NOTE}\n\nAll rights reserved."),
        ),
        (
            "a requested tag outside the main content",
            tags(&["nav li:first-child"]),
            "- [Alpha](https://example.org/a)".to_owned(),
        ),
        ("a requested advertisement", tags(&[".ad-banner"]).block_ads(false), ad.to_owned()),
        (
            "without tags",
            whole().exclude_tags(["header", "nav", "figure", "#cookie-banner", "em"]),
            format!(
                "# Kites\n\n{LEAD}\n\nA note on : they are as long as the hill is high.\n\nAll rights reserved."
            ),
        ),
        (
            "included tags without excluded ones",
            tags(&["article"]).exclude_tags([".lead", "figure"]),
            format!("# Kites\n\n{NOTE}"),
        ),
        ("nothing matches", tags(&["video"]), String::new()),
    ];
    for (name, options, expected) in rows {
        let document = kites(options.clone());
        assert_eq!(document.markdown.as_deref(), Some(expected.as_str()), "{name}");
        // The HTML is of the same parts of the page.
        let html = kites(options.formats([Format::Html])).html.unwrap();
        for (text, in_html) in [
            (LEAD, "Kites are made"),
            ("Alpha", "Alpha"),
            ("Buy a kite", "Buy a kite"),
            ("Accept all", "Accept all"),
            ("A note on", "A note on"),
            ("All rights", "All rights"),
        ] {
            assert_eq!(html.contains(in_html), expected.contains(text), "{name}: {text}: {html}");
        }
    }
    let markdown = kites(ScrapeOptions::default()).markdown.unwrap();
    assert!(markdown.contains(LEAD), "{markdown}");
    for around in ["Home", "Alpha", "Accept all", "All rights"] {
        assert!(!markdown.contains(around), "only the main content by default: {markdown}");
    }
}

#[test]
fn lists_of_links_and_images_respect_the_tags() {
    let image = |name: &str| format!("https://example.org/{name}.png");
    let link = |path: &str| format!("https://example.org/{path}");
    let base = ScrapeOptions::new().formats([Format::Images, Format::Links]);
    let (kite, ad) = (vec![image("kite")], vec![image("ad")]);
    let rows = [
        ("the page", base.clone(), [kite.clone(), ad.clone()].concat(), vec![link(""), link("a"), link("b")]),
        (
            "the whole page",
            base.clone().only_main_content(false),
            [kite.clone(), ad.clone()].concat(),
            vec![link(""), link("a"), link("b")],
        ),
        ("tags", base.clone().include_tags(["main, nav"]), kite.clone(), vec![link("a"), link("b")]),
        ("without tags", base.exclude_tags(["figure, li"]), ad, vec![link("")]),
    ];
    for (name, options, images, links) in rows {
        let document = kites(options);
        assert_eq!((document.images, document.links), (Some(images), Some(links)), "{name}");
        assert_eq!((document.markdown, document.html), (None, None), "{name}: nothing else was requested");
    }
}

#[test]
fn attributes_of_the_whole_page_are_in_the_order_of_the_request() {
    let format = AttributesFormat::new([
        AttributeSelector::new("[data-id]", "data-id"),
        AttributeSelector::new("h1", "DATA-ID"),
        AttributeSelector::new("nav a", "href"),
        AttributeSelector::new("img", "alt"),
        AttributeSelector::new("p", "data-none"),
        AttributeSelector::new("video", "src"),
    ]);
    // Selectors match on the whole page, not only in the main content or the included tags.
    let options = ScrapeOptions::new().formats([format]).include_tags(["footer"]);
    let row = |selector: &str, attribute: &str, values: &[&str]| serde_json::json!({ "selector": selector, "attribute": attribute, "values": values });
    let expected = serde_json::json!([
        row("[data-id]", "data-id", &["9", "7", "8"]),
        row("h1", "DATA-ID", &["7"]),
        // As the page writes them.
        row("nav a", "href", &["/a", "/b"]),
        row("img", "alt", &["A kite", "ad"]),
        row("p", "data-none", &[]),
        row("video", "src", &[]),
    ]);
    assert_eq!(kites(options).attributes, Some(expected));
}

#[test]
fn json_and_xml_become_code_blocks() {
    let rows = [
        (
            "JSON",
            "application/json",
            "{\"a\": [1, \"<b>*x*</b>\"]}\n",
            "```json\n{\"a\": [1, \"<b>*x*</b>\"]}\n```",
        ),
        ("JSON by suffix", "application/ld+json; charset=utf-8", "{\"a\": 1}", "```json\n{\"a\": 1}\n```"),
        ("JSON with a fence", "application/json", "\"```\"", "```json\n\"```\"\n```"),
        ("a fence at the start of a line", "application/json", "[\n```\n]", "````json\n[\n```\n]\n````"),
        (
            "XML",
            "application/xml",
            "<a b='1'>\n  <c/>&amp;\n</a>",
            "```xml\n<a b='1'>\n  <c/>&amp;\n</a>\n```",
        ),
        ("XML by suffix", "application/vnd.x+xml", "<a/>", "```xml\n<a/>\n```"),
        ("text", "text/plain", "a *b* <c>", "```\na *b* <c>\n```"),
    ];
    for (name, content_type, body, expected) in rows {
        let formats = vec![Format::Markdown, Format::RawHtml, Format::Links, Format::Images];
        let document = read(body, content_type, formats);
        assert_eq!(document.markdown.as_deref(), Some(expected), "{name}");
        assert_eq!(document.raw_html.as_deref(), Some(body), "{name}");
        assert_eq!((document.links, document.images), (Some(vec![]), Some(vec![])), "{name}");
        assert_eq!(document.warning, None, "{name}");
    }
}

#[test]
fn a_body_without_text_gives_a_warning() {
    let rows = [
        ("", "text/plain"),
        (" \r\n", "text/plain"),
        ("", "application/json"),
        (",,\n,,", "text/csv"),
        ("<rss><channel></channel></rss>", "application/rss+xml"),
        ("", HTML),
        ("<title>T</title><p> </p>", HTML),
    ];
    for (body, content_type) in rows {
        let document = read(body, content_type, vec![Format::Markdown]);
        assert_eq!(document.markdown.as_deref(), Some(""), "{body:?} {content_type}");
        assert!(document.warning.unwrap().contains("nothing to read"), "{body:?} {content_type}");
    }
    assert_eq!(read("x", "text/plain", vec![Format::Markdown]).warning, None);
    assert_eq!(read("", HTML, vec![Format::RawHtml]).warning, None, "no text was requested");
}

#[test]
fn binary_data_is_an_error_with_every_content_type() {
    let url = "https://example.org/a".parse().unwrap();
    let options = ScrapeOptions::default().check().unwrap();
    // Pseudo-random bytes: every value is about equally likely.
    let noise: Vec<u8> = (0..3_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    for content_type in [None, Some(HTML), Some("text/plain"), Some("application/json"), Some("text/csv")] {
        let error = transform(Input::new(&url, content_type, &noise), &options).unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("holds no text"), "{error}");
    }
    let latin: Vec<u8> = (0x20..=0x7E).chain(0xA0..=0xFF).collect();
    assert!(transform(Input::new(&url, Some(HTML), &latin), &options).is_ok());
}
