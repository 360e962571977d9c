//! Hostile input: every case must keep its text, stay within the output bound and need only a small stack.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

mod interrupt;

use gleaner_transform::{Input, MAX_RESOLVED_BYTES, Page, html_to_markdown, links, transform};
use gleaner_types::plan::ScrapeOptionsPlan;
use gleaner_types::request::{AttributeSelector, AttributesFormat, Format, ScrapeOptions};

/// Maximum growth from input to output is this factor plus [`SPARE_BYTES`]. The most expensive known input
/// bytes: a line end in code inside 24 quotes, with 48 columns before each line; a table row of nine bytes
/// that a cell above fills up to 128 columns; a paragraph of four bytes inside twelve kinds of marks, which
/// each paragraph repeats.
const GROWTH: usize = 64;

const SPARE_BYTES: usize = 80_000;

/// Every format and filter at once.
fn options() -> ScrapeOptionsPlan {
    let formats = vec![
        Format::Markdown,
        Format::Html,
        Format::RawHtml,
        Format::Links,
        Format::Images,
        Format::Summary,
        Format::Branding,
        AttributesFormat::new([AttributeSelector::new("a", "href")]).into(),
    ];
    let options = ScrapeOptions::new().formats(formats).exclude_tags(["nav > a"]);
    options.check().unwrap()
}

fn page(html: &str, options: &ScrapeOptionsPlan) -> Page {
    let url = "https://example.org/a/".parse().unwrap();
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    links(input).unwrap();
    transform(input, options).unwrap()
}

/// Converts a page to all formats in a thread with a stack of 256 KiB and checks the properties that hold for
/// every page. Returns the Markdown of the whole page.
fn check(name: &str, html: String, word: &'static str) -> String {
    let name = name.to_owned();
    let run = move || {
        let limit = html.len() * GROWTH + SPARE_BYTES;
        let whole = html_to_markdown(&html, None);
        assert!(whole.contains(word), "{name}: the text is lost");
        assert!(whole.len() <= limit, "{name}: {} bytes of Markdown from {}", whole.len(), html.len());
        for only_main_content in [true, false] {
            let page = page(&html, &ScrapeOptionsPlan { only_main_content, ..options() });
            let markdown = page.document.markdown.unwrap();
            assert!(only_main_content || markdown.contains(word), "{name}: the text is lost");
            assert!(!markdown.is_empty(), "{name}: nothing is left");
            assert!(markdown.len() <= limit, "{name}: {} bytes of Markdown", markdown.len());
            assert!(page.document.html.unwrap().len() <= limit, "{name}");
        }
        whole
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap()
}

#[test]
fn deep_nesting() {
    for tag in [
        "div",
        "b",
        "blockquote",
        "ul><li",
        "span",
        "a href=x",
        "font",
        "table><tr><td",
        "section",
        "p><b",
        "dl><dd",
        "svg><g",
        "math><mi",
        "math><msup><mi>x</mi",
        "sup><a href=#n",
        "p id=n><sup",
        "ruby><rt",
        "details><summary",
        "x-y",
    ] {
        let html = format!("<{tag}>").repeat(100_000 / tag.len());
        check(tag, format!("{html}<p>needle in the hay</p>"), "needle");
    }
}

#[test]
fn misnesting() {
    check("adoption agency", format!("{}needle", "<a><b><p></a></b>".repeat(4_000)), "needle");
    check("formatting soup", format!("{}needle", "<b><i><u></b><p></i>x".repeat(4_000)), "needle");
    check(
        "different formatting elements",
        format!("{}needle", (0..8_000).fold(String::new(), |html, n| html + &format!("<p><b id=x{n}>"))),
        "needle",
    );
    check(
        "a link that is never closed",
        format!("<a href=https://e.example/{}>{}needle", "x".repeat(5_000), "<p>y".repeat(20_000)),
        "needle",
    );
    check("foster parents", format!("<table>{}needle", "<div>x<table>y".repeat(4_000)), "needle");
    check(
        "stray end tags",
        format!("{}{}needle", "<span>".repeat(600), "</x></p></br>".repeat(8_000)),
        "needle",
    );
    check("frames of text", format!("<table>{}</table>needle", "a<tr>b<td>c".repeat(8_000)), "needle");
}

#[test]
fn floods_of_one_kind() {
    let attributes: String = (0..60_000).map(|n| format!(" a{n}=1")).collect();
    check("attributes", format!("<p{attributes}>needle</p>"), "needle");
    check("bare attributes", format!("<p {}>needle</p>", "x ".repeat(200_000)), "needle");
    check("entities", format!("needle{}", "&amp;&#38;&notin;&bogus;&".repeat(20_000)), "needle");
    check("long class", format!("<p class='{}'>needle</p>", "content-nav ".repeat(40_000)), "needle");
    check("comments", format!("{}needle", "<!--><!-- x --!><!---->".repeat(20_000)), "needle");
    check("angle brackets", format!("needle{}", "<".repeat(200_000)), "needle");
    check("emphasis", format!("needle {}", "<b>.</b>x<i>*</i>".repeat(8_000)), "needle");
    check("backticks", format!("needle{}", "<code>`</code>`".repeat(20_000)), "needle");
    check("brackets", format!("<a href=x>needle{}</a>", "[".repeat(100_000)), "needle");
    check("breaks", format!("<b>needle{}</b>", "<br>".repeat(40_000)), "needle");
    check("items", format!("<ul>{}</ul>", "<li>needle".repeat(20_000)), "needle");
}

/// Attributes that are read from elements around an element: a long one, around many elements that each read
/// it.
#[test]
fn long_attributes_around_many_elements() {
    let text = "<article><p>needle, with a note.<sup><a href='#n'>1</a></sup></article>";
    let (class, id) = ("a ".repeat(100_000), "a".repeat(200_000));
    let rows = [
        ("blocks", format!("<div id=n class='{class}'>"), "<p>x"),
        ("blocks under an id", format!("<div id={id}>"), "<p>x"),
        ("code", format!("<div class='{class}'>"), "<pre>x</pre>"),
        ("code of one language", format!("<figure data-lang={id}>"), "<pre>x</pre>"),
        ("formulas", format!("<div class='{class}'>"), "<span class=katex>x</span>"),
        ("texts in a link", format!("<sup><a href='#{id}'>"), "<i>x</i> "),
        ("references", format!("<p id={id}>"), "<sup><a href='#n'>1</a></sup> "),
        ("a link in every paragraph", format!("<a href='#{id}' class='{class}'>"), "<p>x"),
        ("a mark in every paragraph", format!("<b id={id} class='{class}'>"), "<p>x"),
        ("a mark in every line", format!("<pre><b class='{class}'>"), "<p>1"),
    ];
    for (name, start, unit) in rows {
        check(name, format!("{text}{start}{}", unit.repeat(10_000)), "needle");
    }
}

#[test]
fn tables_with_spans() {
    check(
        "colspan",
        "<table><tr><th colspan=1000000000>needle<td>x<tr><td>y<td>z</table>".to_owned(),
        "needle",
    );
    check(
        "rowspan",
        format!("<table><tr><th rowspan=1000000000>needle<td>x{}</table>", "<tr><td>y".repeat(5_000)),
        "needle",
    );
    check(
        "wide and long",
        format!("<table><tr>{}</tr>{}</table>", "<th>needle".repeat(200), "<tr><td>y".repeat(20_000)),
        "needle",
    );
    check(
        "many spans",
        format!("<table>{}</table>", "<tr><td colspan=1000 rowspan=1000>needle".repeat(2_000)),
        "needle",
    );
    let name = "n".repeat(250);
    check(
        "many names over many rows",
        format!(
            "<table><tr>{}</tr>{}</table>needle",
            format!("<td rowspan=0>{name}").repeat(255),
            "<tr><td>x".repeat(5_000)
        ),
        "needle",
    );
    check(
        "names with a large saved budget",
        format!(
            "<table>{}<tbody><tr>{}</tr>{}</table>needle",
            "<tr><td>x".repeat(3_000),
            format!("<td rowspan=0>{name}").repeat(255),
            "<tr><td>x".repeat(1_000)
        ),
        "needle",
    );
    check(
        "names over many columns",
        format!(
            "<table><thead>{}<tr>{}</thead><tr><td>needle</table>",
            format!("<tr><th colspan=250>{name}<th>x").repeat(3),
            "<th>x".repeat(256)
        )
        .repeat(20),
        "needle",
    );
}

#[test]
fn long_line_prefixes() {
    let lines = "needle\n".repeat(2_000);
    let ends = format!("needle{}.", "\n".repeat(50_000));
    for open in [
        "<ol start=999999999><li>",
        "<blockquote>",
        "<ul><li>",
        "<ul><li><blockquote>",
        "<ol start=99999><li><blockquote>",
    ] {
        let open = open.repeat(30);
        check("lines of code", format!("{open}<pre>{lines}</pre>"), "needle");
        check("line ends of code", format!("{open}<pre>{ends}</pre>"), "needle");
        check("broken lines", format!("{open}needle{}", "<br>x".repeat(10_000)), "needle");
    }
}

#[test]
fn marks_around_many_blocks() {
    let marks = "<strong><em><del><kbd><mark><sub><sub><sub><sup><sup><sup><sup><b><i><s>";
    check("paragraphs", format!("{marks}needle{}", "<p>x".repeat(10_000)), "needle");
    check("breaks", format!("{marks}needle{}", "<br><br>x".repeat(10_000)), "needle");
    check(
        "a long link inside a mark",
        format!("<b><a href=https://e.example/{}>needle{}", "x".repeat(5_000), "<p>y".repeat(5_000)),
        "needle",
    );
    check(
        "a tall and wide cell",
        format!(
            "<table><tr>{}</tr><tr><td colspan=256 rowspan=65534>needle</td></tr>{}</table>",
            "<th>h".repeat(256),
            "<tr><td>x".repeat(5_000)
        ),
        "needle",
    );
}

#[test]
fn a_hundred_thousand_nested_tags() {
    for tag in
        ["div", "b", "blockquote", "ul><li", "table><tr><td", "sup", "pre", "code", "ol start=999999999><li"]
    {
        let html = format!("{}needle", format!("<{tag}>").repeat(100_000));
        let markdown = check(tag, html.clone(), "needle");
        assert!(markdown.len() <= html.len(), "{tag}: {} bytes", markdown.len());
    }
}

/// Four times the input gives at most four times the output: output grows linearly.
#[test]
fn output_grows_linearly() {
    type Shape = (&'static str, fn(usize) -> String);
    let shapes: [Shape; 14] = [
        ("nested tags", |n| "<b>x".repeat(n)),
        ("lists in lists", |n| "<ol start=999999999><li>x".repeat(n)),
        ("code in lists", |n| format!("{}<pre>{}", "<ol start=999999999><li>".repeat(24), "x\n".repeat(n))),
        ("code in quotes", |n| format!("{}<pre>{}", "<blockquote>".repeat(24), "x\n".repeat(n))),
        ("marks and breaks", |n| format!("<b><i><kbd>x{}", "<br><br>x".repeat(n))),
        ("different marks", |n| (0..n).fold(String::new(), |html, id| html + &format!("<p><b id=x{id}>x"))),
        ("a link around paragraphs", |n| format!("<b><a href=/{}>x{}", "y".repeat(n), "<p>x".repeat(n))),
        ("open formulas", |n| "\\(x $y \\[z ".repeat(n)),
        ("cells", |n| format!("<table><tr><th>x{}</table>", "<td>x".repeat(n))),
        ("rows under a cell", |n| {
            format!(
                "<table><tr>{}<tr><td colspan=256 rowspan=65534>x{}",
                "<th>h".repeat(256),
                "<tr><td>x".repeat(n)
            )
        }),
        ("rows under names", |n| {
            format!(
                "<table><tr>{}<tr>{}",
                format!("<td rowspan=0>{}", "n".repeat(200)).repeat(20),
                "<tr><td>x".repeat(n)
            )
        }),
        ("tables of names", |n| {
            "<table><tr><th colspan=8>name<tr><th rowspan=0>x<td>y<tr><td>z</table>".repeat(n)
        }),
        ("breaks in code", |n| format!("<code>x{}</code>", "<br>x".repeat(n))),
        ("tables as code", |n| format!("<table>{}", "<tr><td data-line-number=1><td>x".repeat(n))),
    ];
    for (name, shape) in shapes {
        let bytes = |n| html_to_markdown(&shape(n), None).len();
        let (one, four) = (bytes(1_000), bytes(4_000));
        assert!(four <= 4 * one + 1_024, "{name}: {one} bytes, then {four}");
    }
}

#[test]
fn dangerous_input_is_neutralised() {
    let html = "<title>a\u{1b}]0;x\u{7}</title><body><p>needle <a href='javascript:alert(1)'>a</a>
        <a href='JaVa\tScRiPt:alert(1)'>b</a> <a href='data:text/html;base64,x'>c</a> <img src='javascript:x' alt=d>
        &lt;script>alert(1)&lt;/script> <code>`</code>`<code>``` &lt;img onerror=x></code>
        <pre>```\n&lt;script></pre><svg onload=x></svg><a href='https://e.example/\">&lt;script>'>e</a>
        <iframe src='javascript:x'></iframe><p>\u{1b}[2J</p>";
    let page = page(html, &ScrapeOptionsPlan { only_main_content: false, ..options() });
    let document = page.document;
    let (markdown, html) = (document.markdown.unwrap(), document.html.unwrap());
    let rendered = comrak::markdown_to_html(&markdown, &{
        let mut options = comrak::Options::default();
        options.render.r#unsafe = true;
        options
    });
    for (name, text) in [("markdown", &rendered), ("html", &html)] {
        let text = text.to_ascii_lowercase();
        for bad in ["<script", "javascript:", "data:", "onerror=x>\"", "<svg", "onload", "\u{1b}"] {
            assert!(!text.contains(bad), "{name} holds {bad:?}: {text}");
        }
    }
    assert!(!document.metadata.title.unwrap().contains(['\u{1b}', '\u{7}']));
    assert!(page.links.links.iter().all(|link| matches!(link.url.scheme(), "http" | "https")));
}

/// Large bodies of other media types: no output exceeds the bound, with a short address or one of 8 KB, on a
/// small stack.
#[test]
fn other_media_types_stay_within_the_bound() {
    let item = |content: &str| {
        format!("<item><title>needle</title><description><![CDATA[{content}]]></description></item>")
    };
    let feed = |content: &str, times: usize| {
        format!("<rss><channel>{}</channel></rss>", item(content).repeat(times))
    };
    let linked = |text: &str| {
        let text = serde_json::json!({ "@type": "Article", "articleBody": text });
        format!("<script type=application/ld+json>{text}</script>")
    };
    let rows: Vec<(&str, &str, String)> = vec![
        ("links in entries", "application/rss+xml", feed(&"<a href=a>b</a>".repeat(8), 5_000)),
        (
            "bases in entries",
            "application/rss+xml",
            feed(&format!("<base href=/{}/><a href=a>b</a>", "x".repeat(500)), 500),
        ),
        ("nesting in an entry", "application/rss+xml", feed(&"<b>".repeat(50_000), 1)),
        ("empty cells", "text/csv", format!("needle,{}", ",\n".repeat(200_000))),
        ("wide rows", "text/csv", format!("needle\n{}", ",".repeat(200_000))),
        ("a late wide row", "text/csv", format!("{}{}x", "needle\n".repeat(20_000), ",".repeat(600))),
        ("open quotes", "text/csv", format!("needle,{}", "\"\"\"a,".repeat(50_000))),
        ("escapes", "text/tab-separated-values", format!("needle{}", "*_`<a>\t".repeat(20_000))),
        ("XML", "text/xml", format!("<a>needle{}", "<b>".repeat(100_000))),
        ("JSON", "application/json", format!("\"needle\"{}", "[".repeat(100_000))),
        ("text", "text/plain", format!("needle{}", "```\n".repeat(50_000))),
        ("quotes", "text/markdown", format!("{}needle", "> ".repeat(20_000))),
        ("lists", "text/markdown", format!("{}needle", "- ".repeat(20_000))),
        ("brackets", "text/markdown", format!("needle {}", "[a](".repeat(20_000))),
        ("delimiters", "text/markdown", format!("needle {}", "*a_ ".repeat(20_000))),
        (
            "references",
            "text/markdown",
            format!("[a]: /{}\n\nneedle {}", "x".repeat(10_000), "[a] ".repeat(5_000)),
        ),
        ("links in Markdown", "text/markdown", format!("needle {}", "[a](b) ".repeat(20_000))),
        (
            "a table",
            "text/markdown",
            format!("|{}\n|{}\nneedle", "a|".repeat(500), "-|".repeat(500)) + &"\n|".repeat(5_000),
        ),
        (
            "bases of a feed",
            "application/atom+xml",
            format!(
                "<feed xml:base='/{}/'><entry><title>needle</title>{}",
                "x".repeat(4_000),
                "<channel xml:base='y/'><link href='a'/>".repeat(10_000)
            ),
        ),
        (
            "media of an entry",
            "application/rss+xml",
            format!(
                "<rss><item><title>needle</title>{}",
                "<media:content url='a'><media:title>b</media:title>".repeat(20_000)
            ),
        ),
        (
            "a sitemap",
            "application/xml",
            format!("<urlset><url><loc>/needle</loc></url>{}", "<url><loc>/a</loc></url>".repeat(20_000)),
        ),
        (
            "tags of XHTML",
            "application/xhtml+xml",
            format!("<p>needle</p>{}", "<a/>< <![CDATA[<]]>".repeat(20_000)),
        ),
        ("open tags of XHTML", "application/xhtml+xml", format!("<p>needle</p>{}>", "<a =\"".repeat(50_000))),
        (
            "marks of RTF",
            "application/rtf",
            format!("{{\\rtf1 needle{}", "\\b\\i a\\i0 \\b0 b".repeat(20_000)),
        ),
        ("groups of RTF", "application/rtf", format!("{{\\rtf1 needle{}", "{\\b x".repeat(50_000))),
        (
            "lists of RTF",
            "application/rtf",
            format!("{{\\rtf1 needle\\par{}", "{\\listtext -}\\ilvl8 a\\par".repeat(20_000)),
        ),
        ("notes of RTF", "application/rtf", format!("{{\\rtf1 needle{}", "{\\footnote a}".repeat(10_000))),
        (
            "cells of a notebook",
            "application/x-ipynb+json",
            format!(
                "{{\"nbformat\":4,\"cells\":[{}{{\"cell_type\":\"raw\",\"source\":\"needle\"}}]}}",
                "{\"cell_type\":\"code\",\"source\":\"a\"},".repeat(5_000)
            ),
        ),
        (
            "lines of front matter",
            "text/markdown",
            format!("---\n{}---\nneedle", "author: a\ntags: [b, c]\n".repeat(2_000)),
        ),
        ("text of JSON-LD", "text/html", linked(&format!("needle\n{}", "*a*\n".repeat(20_000)))),
        ("HTML of JSON-LD", "text/html", linked(&format!("needle</p>{}", "<b><p>x".repeat(10_000)))),
    ];
    let addresses =
        ["https://example.org/a/".to_owned(), format!("https://example.org/{}/", "a".repeat(8_000))];
    let run = move || {
        for (name, content_type, body) in &rows {
            for (address, spare) in addresses.iter().zip([0, MAX_RESOLVED_BYTES]) {
                let url = address.parse().unwrap();
                let input = Input::new(&url, Some(content_type), body.as_bytes());
                links(input).unwrap();
                let document = transform(input, &options()).unwrap().document;
                let markdown = document.markdown.unwrap();
                let limit = body.len() * GROWTH + SPARE_BYTES + spare;
                assert!(markdown.contains("needle"), "{name}: the text is lost");
                assert!(markdown.len() <= limit, "{name}: {} bytes from {}", markdown.len(), body.len());
                assert!(document.html.unwrap().len() <= limit, "{name}");
            }
        }
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn any_bytes_are_transformed() {
    let url = "https://example.org/".parse().unwrap();
    let bodies: [&[u8]; 7] =
        [b"", b"\0", b"<", b"<!", b"\xFF\xFE<\0p\0>\0x\0", b"<p>\xF0\x9F", b"<html><head><title>"];
    for body in bodies {
        for content_type in
            [None, Some("text/html"), Some("text/csv"), Some("application/json"), Some("text/xml")]
        {
            let input = Input::new(&url, content_type, body);
            if let Ok(page) = transform(input, &options()) {
                assert!(page.document.markdown.is_some());
            }
        }
    }
}

#[test]
fn a_text_of_several_megabytes_is_kept_whole() {
    let words = "word &amp; ünd ".repeat(200_000);
    for html in [format!("<p>{words}"), format!("<p>{}", words.replace(' ', "\u{a0}"))] {
        let markdown = html_to_markdown(&html, None);
        assert_eq!(markdown.matches("word").count(), 200_000);
        assert_eq!(markdown.matches("& ").count() + markdown.matches("&\u{a0}").count(), 200_000);
        assert!(!markdown.contains("amp"), "no reference is cut");
    }
    let text = "needle ".repeat(100_000);
    let linked = serde_json::json!({ "@type": "Article", "articleBody": text });
    let page = page(&format!("<script type=application/ld+json>{linked}</script>"), &options());
    assert_eq!(page.document.markdown.unwrap().matches("needle").count(), 100_000);
}
