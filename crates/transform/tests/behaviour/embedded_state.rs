//! Pages that carry their text for their scripts: the whole way to a document.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, Page, Selection, transform, transform_within};
use gleaner_types::Interrupt;
use gleaner_types::request::{Format, ScrapeOptions};
use serde_json::{Value, json};

/// Different sentences, so that a part of the text does not occur in the rest.
fn sentences(from: usize, to: usize) -> Vec<String> {
    let parts = ["clay", "glaze", "kiln", "wheel", "shelf", "cone", "slip"];
    let words = ["slowly", "with care", "in winter", "by hand", "at night"];
    let sentence = |at: usize| {
        let (part, word) = (parts.iter().cycle().nth(at).unwrap(), words.iter().cycle().nth(at).unwrap());
        format!("In step {at} of the work the potter moves the {part} {word}, and then waits for an hour.")
    };
    (from..to).map(sentence).collect()
}

fn paragraphs(from: usize, to: usize) -> String {
    sentences(from, to).iter().map(|text| format!("<p>{text}</p>")).collect()
}

fn record() -> Value {
    json!({ "post": { "title": "Firing a bowl", "slug": "firing-a-bowl", "body": paragraphs(0, 30),
        "author": { "name": "Ann Potter" }, "publishedAt": "2024-05-01T08:00:00Z" } })
}

fn page_of(html: &str, options: ScrapeOptions) -> Page {
    let url = "https://pots.example/posts/firing-a-bowl".parse().unwrap();
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    transform(input, &options.check().unwrap()).unwrap()
}

fn read(html: &str) -> Page {
    page_of(html, ScrapeOptions::new().formats([Format::Markdown, Format::Html]))
}

/// A page with a state. The comment makes it as long as a real page.
fn page_with(visible: &str, state: &Value) -> String {
    format!(
        "<!doctype html><title>Firing a bowl | Pots</title><meta property=og:site_name content=Pots>{visible}\
         <script id=__NEXT_DATA__ type=application/json>{state}</script><script src=a.js></script><!--{}-->",
        "x".repeat(2_000)
    )
}

#[test]
fn a_shell_gives_the_text_and_the_metadata_of_its_state() {
    let page = read(&page_with("<div id=__next></div>", &record()));
    let document = &page.document;
    let markdown = document.markdown.as_ref().unwrap();
    assert!(markdown.starts_with("# Firing a bowl\n\nIn step 0"), "{markdown:.200}");
    for text in sentences(0, 30) {
        assert_eq!(markdown.matches(&text).count(), 1, "{text}");
    }
    assert_eq!(document.metadata.title.as_deref(), Some("Firing a bowl"));
    assert_eq!(document.metadata.published_time.as_deref(), Some("2024-05-01T08:00:00Z"));
    assert!(format!("{:?}", document.metadata).contains("Ann Potter"));
    assert_eq!(
        document.warning.as_deref(),
        Some(
            "The page as served shows almost no text: the text of its embedded state (JSON in a script) is \
             given instead."
        )
    );
    assert!(!page.needs_scripts);
}

#[test]
fn a_page_around_an_empty_main_element_gives_the_text_of_its_state() {
    let bar = |n: usize| format!("<div class=bar><a href=/{n}>Section {n} of us</a></div>");
    let bars: String = (0..20).map(bar).collect();
    let page =
        read(&page_with(&format!("{bars}<div id=__next><h1>Firing a bowl</h1></div>{bars}"), &record()));
    let markdown = page.document.markdown.as_ref().unwrap();
    assert!(markdown.contains("In step 0") && markdown.contains("In step 29"), "{markdown:.300}");
    assert!(!markdown.contains("Section 7"), "{markdown:.300}");
    assert!(page.document.warning.unwrap().contains("shows little of its text"));
}

/// Scripts can be elsewhere, and the page can be little more than its text.
#[test]
fn a_small_page_without_programs_gives_the_text_of_its_state() {
    let state =
        json!({ "post": { "title": "Firing a bowl", "slug": "firing-a-bowl", "body": paragraphs(0, 20) } });
    let html = format!(
        "<!doctype html><title>Firing a bowl</title><div><h1>Firing a bowl</h1></div>\
         <script type=application/json>{state}</script>"
    );
    assert!(html.len() < 3_000, "{}", html.len());
    let markdown = read(&html).document.markdown.unwrap();
    assert!(markdown.contains("In step 19"), "{markdown}");
}

#[test]
fn the_links_of_a_page_do_not_depend_on_the_formats() {
    let mut state = record();
    state["post"]["body"] = format!("{}<p><a href=/glazes>Glazes</a></p>", paragraphs(0, 30)).into();
    let html = page_with("<nav><a href=/about>About</a></nav><div id=__next></div>", &state);
    for format in [Format::Links, Format::Markdown, Format::Images] {
        let page = page_of(&html, ScrapeOptions::new().formats([format.clone()]));
        let paths: Vec<&str> = page.links.links.iter().map(|link| link.url.path()).collect();
        assert_eq!(paths, ["/about", "/glazes"], "{format:?}");
        let from_state = page.document.markdown.is_some_and(|markdown| markdown.contains("In step 0"));
        assert_eq!(from_state, format == Format::Markdown, "{format:?}");
    }
    // Nor on the tags.
    for format in [Format::Links, Format::Markdown] {
        let options = || ScrapeOptions::new().formats([format.clone()]);
        for options in [options().include_tags(["nav"]), options().exclude_tags(["p"])] {
            let page = page_of(&html, options);
            let paths: Vec<&str> = page.links.links.iter().map(|link| link.url.path()).collect();
            assert_eq!(paths, ["/about", "/glazes"], "{format:?}");
        }
    }
}

#[test]
fn all_formats_with_text_have_that_of_the_state() {
    let bars = "<div class=bar><a href=/a>Section of us</a></div>".repeat(20);
    let html = page_with(&format!("{bars}<div id=__next><h1>Firing a bowl</h1></div>{bars}"), &record());
    for format in [Format::Markdown, Format::Html, Format::Summary] {
        let page = page_of(&html, ScrapeOptions::new().formats([format.clone()]));
        let document = page.document;
        assert_eq!(document.markdown.is_some(), format == Format::Markdown, "{format:?}");
        let text = document.markdown.or(document.html).or(document.summary).unwrap();
        assert!(text.contains("In step "), "{format:?}: {text:.300}");
        assert!(document.warning.unwrap().contains("shows little of its text"), "{format:?}");
    }
    // A page that shows its text has only the formats that are requested.
    let shown = page_with(&format!("<main><h1>Firing a bowl</h1>{}</main>", paragraphs(0, 30)), &record());
    for format in [Format::Html, Format::Summary] {
        assert_eq!(page_of(&shown, ScrapeOptions::new().formats([format])).document.markdown, None);
    }
}

#[test]
fn a_beginning_on_the_page_is_not_given_twice() {
    let visible =
        format!("<main><h1>Firing a bowl</h1>{}<button>Read more</button></main>", paragraphs(0, 3));
    let markdown = read(&page_with(&visible, &record())).document.markdown.unwrap();
    for text in sentences(0, 30) {
        assert_eq!(markdown.matches(&text).count(), 1, "{text}: {markdown:.300}");
    }
    // A page that only its subscribers may read stays as it is shown.
    let paid = json!({ "@type": "Article", "isAccessibleForFree": false });
    let paid = format!("<script type=application/ld+json>{paid}</script>");
    let markdown = read(&page_with(&format!("{paid}{visible}"), &record())).document.markdown.unwrap();
    assert!(markdown.contains("In step 1 ") && !markdown.contains("In step 20"), "{markdown:.300}");
}

#[test]
fn a_page_that_shows_its_text_is_read_from_it() {
    let visible = format!("<main><h1>Firing a bowl</h1>{}</main>", paragraphs(0, 30));
    let other = json!({ "post": { "title": "Another bowl", "slug": "another-bowl", "body": paragraphs(40,
        90) } });
    let short = format!("<main><h1>Firing a bowl</h1>{}</main>", paragraphs(0, 4));
    for html in [page_with(&visible, &record()), page_with(&short, &other)] {
        let document = read(&html).document;
        assert_eq!(document.warning, None, "{html:.200}");
        assert!(!document.markdown.unwrap().contains("step 40"), "{html:.200}");
    }
}

/// What a page shows is not given up for another text of its state.
#[test]
fn a_page_with_a_text_that_its_state_does_not_have_stays_as_it_is() {
    let long = paragraphs(40, 90);
    let record = |text: Value| {
        json!({ "page": { "title": "Firing a bowl", "slug": "firing-a-bowl",
        "content": text } })
    };
    let german: String = (0..4)
        .map(|at| format!("<p>In Schritt {at} dreht die Töpferin die Schale und wartet eine Stunde.</p>"))
        .collect();
    for (name, visible, state, wanted) in [
        (
            "contact",
            "<p>Call us: +49 30 1234567</p><p>Mail: info@pots.example</p><p>Street 5, 10115 Berlin</p>"
                .to_owned(),
            record(json!([{ "type": "privacyModal", "text": long }])),
            "1234567",
        ),
        (
            "product",
            "<p>Price: $49.00</p><p>In stock. Ships in 2 days.</p><ul><li>Height 9 cm<li>Width 20 cm</ul>"
                .to_owned(),
            record(json!({ "legalText": long })),
            "Height 9 cm",
        ),
        (
            "API",
            "<p>Lists the bowls.</p><pre>GET /bowls?limit=10</pre>".to_owned(),
            record(json!(long)),
            "GET /bowls",
        ),
        (
            "index",
            (0..6)
                .map(|at| {
                    format!(
                        "<article><h2><a href=/{at}>Bowl number {at}</a></h2><p>A bowl of Ann.</p></article>"
                    )
                })
                .collect(),
            record(json!(long)),
            "Bowl number 5",
        ),
        (
            "language",
            german.clone(),
            json!({ "de": { "title": "Firing a bowl", "body": german },
                "en": { "title": "Firing a bowl", "body": long } }),
            "In Schritt 3",
        ),
    ] {
        let visible = format!("<main><h1>Firing a bowl</h1>{visible}</main>");
        let document = read(&page_with(&visible, &state)).document;
        let markdown = document.markdown.unwrap();
        assert!(markdown.contains(wanted) && !markdown.contains("In step 4"), "{name}: {markdown:.300}");
        assert!(!document.warning.is_some_and(|warning| warning.contains("embedded state")), "{name}");
    }
}

#[test]
fn a_short_text_of_a_shell_is_given_and_a_browser_may_give_more() {
    let state = json!({ "post": { "title": "Firing a bowl", "body": paragraphs(0, 5) } });
    let page = read(&page_with("<div id=__next></div>", &state));
    assert!(page.document.markdown.as_ref().unwrap().contains("In step 4"));
    assert!(page.needs_scripts && page.document.warning.unwrap().contains("embedded state"));
}

/// A text in pieces may end elements that it does not begin.
#[test]
fn a_text_with_end_tags_of_its_own_is_given_to_its_end() {
    for (open, end) in
        [("", "</article>"), ("<div>", "</div></div>"), ("<main><div>", "</div></main></article>")]
    {
        let body = format!("{}{end}{}", paragraphs(0, 10), paragraphs(10, 30));
        let state = json!({ "post": { "title": "Firing a bowl", "slug": "firing-a-bowl", "body": body } });
        let state = state.to_string().replace("</", "<\\/");
        let visible = format!("<nav><a href=/>Pots</a></nav>{open}<div id=__next></div>");
        let html = page_with(&visible, &Value::Null).replace(">null<", &format!(">{state}<"));
        let document = read(&html).document;
        let (markdown, html) = (document.markdown.unwrap(), document.html.unwrap());
        for text in sentences(0, 30) {
            assert!(markdown.contains(&text) && html.contains(&text), "{end}: {text}");
        }
        assert!(!markdown.contains("](https://pots.example/)"), "{end}: {markdown:.200}");
    }
}

#[test]
fn a_state_injects_nothing() {
    let attempts = "<script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:alert(1)'>a</a>\
        <iframe src='javascript:alert(1)'></iframe></article><svg onload=alert(1)><p>end of raw";
    let link = json!({ "type": "text", "text": "linked",
        "marks": [{ "type": "link", "attrs": { "href": "javascript:alert(1)" } }] });
    let nodes = json!({ "type": "doc", "content": [
        { "type": "paragraph", "content": [{ "type": "text", "text": "<script>alert(2)</script>" }, link] },
        { "type": "image", "attrs": { "src": "javascript:alert(1)", "alt": "\"><script>alert(1)</script>" } },
        { "type": "element", "tagName": "script", "children": [{ "type": "text", "value": "alert(1)" }] },
        { "type": "codeBlock", "attrs": { "language": "x\"><script>" }, "content": [{ "type": "text",
            "text": "a" }] },
    ] });
    let state = json!({ "post": { "title": "Firing a bowl <script>alert(1)</script>", "slug": "firing-a-bowl",
        "a": paragraphs(0, 30), "nodes": nodes, "text": format!("{}{attempts}", paragraphs(30, 40)) } });
    let state = state.to_string().replace("</", "<\\/");
    let html = page_with("<div id=__next></div>", &Value::Null).replace(">null<", &format!(">{state}<"));
    let document = read(&html).document;
    let (markdown, html) = (document.markdown.unwrap(), document.html.unwrap());
    assert!(markdown.contains("In step 39") && html.contains("In step 39"), "{markdown}");
    for active in ["<script", "javascript:", "<iframe", "<svg", "onerror="] {
        assert!(!html.contains(active), "{active} in {html}");
    }
    for active in ["](javascript:", "\n<script", "<iframe", "<svg"] {
        assert!(!markdown.contains(active), "{active} in {markdown}");
    }
    assert!(html.contains("&lt;script&gt;alert(2)"), "text stays text: {html}");
}

/// Writes a state of about this many parts.
type Shape = fn(usize) -> String;

/// Twice the state costs about twice the work, whatever its shape, with a stack of 256 KiB.
#[test]
fn the_cost_of_a_state_is_linear() {
    let run = || {
        let shapes: [(&str, Shape); 10] = [
            ("brackets", |n| "[".repeat(n * 20)),
            ("objects in objects", |n| "{\"a\":".repeat(n * 4)),
            ("empty objects", |n| format!("[{}1]", "{},".repeat(n * 5))),
            ("strings", |n| format!("[{}1]", "\"a\",".repeat(n * 4))),
            ("open strings", |n| "[\"a".repeat(n * 5)),
            ("texts", |n| {
                format!(
                    "[{}1]",
                    "\"One sentence of words that is long enough to be read as one text.\",".repeat(n / 4)
                )
            }),
            ("table of references", |n| {
                let rows: String = (2..n).map(|next| format!("[{next},{next}],")).collect();
                format!("[{{\"a\":1}},{rows}1,1]")
            }),
            ("records under keys", |n| {
                let row = |at: usize| format!("\"K:{at}\":{{\"a\":{{\"__ref\":\"K:{}\"}}}},", at + 1);
                let rows: String = (0..n / 2).map(row).collect();
                format!("{{{rows}\"end\":1}}")
            }),
            ("JSON in strings", |n| {
                let inner = format!("[{{\\\"a\\\":\\\"{}\\\"}}]", "x".repeat(60));
                format!("[{}1]", format!("\"{inner}\",").repeat(n / 5))
            }),
            ("titles", |n| format!("[{}1]", "{\"title\":\"Firing a bowl\",\"slug\":\"x\"},".repeat(n / 2))),
        ];
        let spent = |state: &str, kind: &str| {
            let html = format!("<title>Firing a bowl</title><div id=root></div>{kind}{state}</script>");
            let url = "https://pots.example/posts/firing-a-bowl".parse().unwrap();
            let input = Input::new(&url, Some("text/html"), html.as_bytes());
            let options = ScrapeOptions::new().check().unwrap();
            let interrupt = Interrupt::armed();
            let page =
                transform_within(input, &options, &Selection::default(), usize::MAX, &interrupt).unwrap();
            assert!(page.document.markdown.is_some_and(|text| text.len() < 4 * html.len()));
            interrupt.spent()
        };
        for (name, shape) in shapes {
            for kind in ["<script type=application/json>", "<script>x=", "<script>f(function(a){return "] {
                let (once, twice) = (spent(&shape(4_000), kind), spent(&shape(8_000), kind));
                assert!(twice <= once * 5 / 2 + 10_000, "{name} {kind}: {once} and {twice} units");
            }
        }
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(run).unwrap().join().unwrap();
}
