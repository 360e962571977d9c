//! What the parts of a document hold, beyond its Markdown: fields, warnings, and that it can be kept and read back.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, MAX_RESOLVED_BYTES, transform};
use gleaner_types::Document;
use gleaner_types::request::{Format, ScrapeOptions};

fn read_with(body: &str, content_type: &str, options: ScrapeOptions) -> Document {
    let url = "https://example.org/a/".parse().unwrap();
    let input = Input { url: &url, content_type: Some(content_type), body: body.as_bytes() };
    transform(input, &options.check().unwrap()).unwrap().document
}

fn read(body: &str, content_type: &str, formats: Vec<Format>) -> Document {
    read_with(body, content_type, ScrapeOptions { formats: Some(formats), ..ScrapeOptions::default() })
}

const HTML: &str = "text/html; charset=utf-8";

#[test]
fn what_is_written_can_be_read_back() {
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
fn links_alone_bring_what_json_ld_says() {
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
fn a_text_that_stands_in_json_ld_alone_is_given() {
    let body = "A long text of an article, with *stars* and <tags>. ".repeat(30);
    let linked = serde_json::json!({ "@type": "Article", "articleBody": body });
    let page = format!("<script type=application/ld+json>{linked}</script><div id=app>Loading</div>");
    let document = read(&page, HTML, vec![Format::Markdown]);
    let markdown = document.markdown.unwrap();
    assert!(markdown.len() > 1_000 && markdown.contains("\\*stars\\* and \\<tags>"), "{markdown}");
    assert!(document.warning.unwrap().contains("JSON-LD"));
}

#[test]
fn entries_of_a_feed_stay_apart() {
    let feed = "<rss><channel><title>F</title><item><title>One</title><description>&lt;!-- &lt;table&gt;&lt;b&gt;x</description></item>
        <item><title>Two</title><description>&lt;pre&gt;y</description></item><item><title>Three</title></item></channel></rss>";
    let markdown = read(feed, "application/rss+xml", vec![Format::Markdown]).markdown.unwrap();
    for heading in ["# F", "\n## One", "\n## Two", "\n## Three"] {
        assert!(markdown.contains(heading), "{markdown}");
    }
}

#[test]
fn markdown_is_a_page_like_another() {
    let body = "---\ntitle: no\n---\n\n# Kilns\n\nSee [the *guide*](guide.md \"G\") and [notes][n].\n\n- [x] done\n- open\n\n\
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
    assert_eq!(document.metadata.title.as_deref(), Some("Kilns"));
    assert_eq!(document.warning, None);
}

#[test]
fn a_short_page_is_not_replaced_by_what_json_ld_says_of_its_site() {
    let about =
        serde_json::json!({ "@type": "WebPage", "description": "All about our kilns and us. ".repeat(40) });
    let page =
        format!("<script type=application/ld+json>{about}</script><h1>Contact</h1><p>Call 555-0100.</p>");
    let markdown = read(&page, HTML, vec![Format::Markdown]).markdown.unwrap();
    assert_eq!(markdown, "# Contact\n\nCall 555-0100.");
}

#[test]
fn a_long_base_does_not_multiply() {
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
fn a_selector_that_costs_too_much_is_told() {
    let page = format!("<p>start</p><div>{}</div>", "<b>x</b> ".repeat(20_000));
    let options = ScrapeOptions { exclude_tags: Some(vec!["i ~ b".to_owned()]), ..ScrapeOptions::default() };
    assert!(read_with(&page, HTML, options).warning.unwrap().contains("too many steps"));
}

#[test]
fn long_pages_are_judged_to_their_end() {
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
        "the end shares the fate of what is before it"
    );
    assert!(longer.warning.unwrap().contains("more blocks of text"));
}
