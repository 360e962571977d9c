//! Parts of a page that belong to its text by the page's own structure, and parts that do not.

#![expect(clippy::unwrap_used, reason = "code of tests: a broken assumption ends the test")]

use gleaner_transform::{Input, transform};
use gleaner_types::request::{Format, ScrapeOptions};

const FIRST: &str = "<p>The pottery in the lower town has burned its kilns for ninety years, and the people who work \
    there say that the best of them is the oldest one, which nobody has been allowed to mend.</p>";

const SECOND: &str = "<p>It takes two days to heat and three to cool, and what stands in its middle comes out with a \
    colour that no other kiln has given. A bowl from there is sold before it is cold.</p>";

const THIRD: &str = "<p>In the autumn, when the river is low, the clay is cut from the bank below the mill. It lies in \
    the yard through the winter, because frost makes it soft, and in the spring it is trodden by foot.</p>";

const FOURTH: &str = "<p>Whoever wants to see it can come on the first Sunday of the month, when the yard is open and \
    someone is there who knows the names of its parts. Children may make a cup, and fetch it a week later.</p>";

fn converted(html: &str, options: ScrapeOptions) -> gleaner_types::Document {
    let url = "https://example.org/notes/kiln".parse().unwrap();
    let options = options.check().unwrap();
    let input = Input::new(&url, Some("text/html; charset=utf-8"), html.as_bytes());
    transform(input, &options).unwrap().document
}

fn markdown(html: &str) -> String {
    converted(html, ScrapeOptions::default()).markdown.unwrap()
}

/// A page with a menu, an article, teasers beside it, and a footer.
fn page(article: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>The old kiln - Clay Notes</title></head><body>\
         <header class=top><a class=logo href=/><img src=/logo.png alt=Clay></a><nav><ul><li><a href=/blog>Blog</a>\
         <li><a href=/about>About</a><li><a href=/shop>Shop</a></ul></nav></header><main><article class=post>{article}\
         </article><section class=related><h2>Related posts</h2><ul><li><a href=/p1><img src=/p1.jpg>The glaze that \
         ran</a><li><a href=/p2><img src=/p2.jpg>A wheel for two</a></ul></section></main>\
         <footer class=bottom><img src=/seal.png alt=Seal><p>© 2026 Clay Notes. <a href=/privacy>Privacy</a></footer>"
    )
}

#[test]
fn hidden_parts_of_a_line_are_not_read() {
    let rows = [
        (
            "a tooltip",
            "<p>A bowl is <span class=tip style='display:none'>XX</span>40 euros.</p>",
            "A bowl is 40 euros.",
        ),
        ("an old price", "<p>A bowl is <s class=old hidden>XX</s> 40 euros.</p>", "A bowl is 40 euros."),
        (
            "at the start",
            "<p><b id=k style='visibility: hidden'>XX </b>A bowl is 40 euros.</p>",
            "A bowl is 40 euros.",
        ),
        (
            "by a style sheet",
            "<style>.tip { display: none }</style><p>A bowl is <span class=tip>XX</span>40 euros.</p>",
            "A bowl is 40 euros.",
        ),
        ("in an item", "<ul><li><i class=key hidden>XX</i>A bowl<li>A jug</ul>", "- A bowl\n- A jug"),
        (
            "a sort key",
            "<table><tr><th>Name<th>Made<tr><td>Bowl<td><span class=sortkey style=display:none>XX</span>May 1890\
             <tr><td>Jug<td><span class=sortkey style=display:none>XX</span>June 1901</table>",
            "| Bowl | May 1890 |",
        ),
        (
            "a hidden column",
            "<table><tr><th class=id hidden>XX<th>Name<th>Made<tr><td class=id hidden>XX<td>Bowl<td>1890</table>",
            "| Bowl | 1890 |",
        ),
        (
            "in code",
            "<pre><code>fire(<span class=popup style='display:none'>XX</span>kiln)</code></pre>",
            "fire(kiln)",
        ),
        ("in a heading", "<h2><span class=n hidden>XX</span>How it is fired</h2>", "## How it is fired"),
    ];
    for (name, part, expected) in rows {
        let article = page(&format!("<h1>The old kiln</h1>{FIRST}{part}{SECOND}{THIRD}"));
        for only_main_content in [true, false] {
            let options = ScrapeOptions::default().only_main_content(only_main_content);
            let written = converted(&article, options).markdown.unwrap();
            assert!(written.contains(expected) && !written.contains("XX"), "{name}: {written}");
        }
    }
}

#[test]
fn what_a_reader_can_open_is_read() {
    let rows = [
        ("a tab", "<div class=panel id=two role=tabpanel hidden><p>The glaze is made of ash and salt.</div>"),
        ("a fold", "<details><summary>Glaze</summary><p>The glaze is made of ash and salt.</details>"),
        (
            "until found",
            "<h3><button>Glaze</button></h3><div hidden=until-found><p>The glaze is made of ash and salt.</div>",
        ),
        (
            "an answer",
            "<h3>Glaze</h3><div class=answer style='display: none'><p>The glaze is made of ash and salt.</div>",
        ),
        (
            "the rest of a paragraph",
            "<p>On glaze: <span id=more style='display:none'>The glaze is made of ash and salt.</span></p>",
        ),
    ];
    for (name, part) in rows {
        let written = markdown(&page(&format!("<h1>The old kiln</h1>{FIRST}{part}{SECOND}{THIRD}")));
        assert!(written.contains("The glaze is made of ash and salt."), "{name}: {written}");
    }
}

#[test]
fn a_hidden_first_part_says_nothing_about_its_block() {
    let steps: String = (1..=6)
        .map(|n| {
            format!(
                "<li><span aria-hidden=true>Step</span> <b>Tread the clay {n} times</b> and let it lie.</li>"
            )
        })
        .collect();
    let written = markdown(&page(&format!("<h1>The old kiln</h1>{FIRST}{SECOND}<ol>{steps}</ol>{THIRD}")));
    assert!((1..=6).all(|n| written.contains(&format!("Tread the clay {n} times"))), "{written}");
}

/// The names of the pictures of an article in its Markdown, and in its HTML too.
fn pictures(article: &str) -> String {
    let page = page(article);
    let written = markdown(&page);
    let html = converted(&page, ScrapeOptions::default().formats([Format::Html])).html.unwrap();
    let names = ["a.jpg", "b.jpg", "c.jpg", "clip.mp4", "embed/1"];
    let found = names.into_iter().filter(|name| written.contains(name));
    assert!(
        names
            .iter()
            .filter(|name| name.ends_with("jpg"))
            .all(|name| written.contains(name) == html.contains(name)),
        "{html}"
    );
    for other in ["logo.png", "p1.jpg", "p2.jpg", "seal.png"] {
        assert!(!written.contains(other), "{other}: {written}");
    }
    found.collect::<Vec<_>>().join(" ")
}

#[test]
fn pictures_stay_with_the_article_that_they_are_in() {
    let title = "<h1>The old kiln</h1>";
    let lead = format!("{FIRST}{FOURTH}");
    let text = format!("{lead}{SECOND}{THIRD}");
    let rows = [
        (
            "after the last text",
            format!(
                "{title}<div class=body>{text}<p><img src=/a.jpg></p><p><a href=/b.jpg><img src=/b.jpg></a></p></div>"
            ),
            "a.jpg b.jpg",
        ),
        ("a figure at the end", format!("{title}{text}<figure><img src=/a.jpg></figure>"), "a.jpg"),
        (
            "a photo story",
            format!("{title}{FIRST}<ul><li><img src=/a.jpg><li><img src=/b.jpg><li><img src=/c.jpg></ul>"),
            "a.jpg b.jpg c.jpg",
        ),
        (
            "before the title",
            format!(
                "<div class=hero><picture><source srcset=/b.webp><img src=/a.jpg></picture></div>{title}{text}"
            ),
            "a.jpg",
        ),
        (
            "before the header",
            format!("<figure><img src=/a.jpg></figure><header>{title}</header>{text}"),
            "a.jpg",
        ),
        (
            "a video",
            format!(
                "{title}{text}<video controls><source src=/clip.mp4>Your browser shows no videos.</video>"
            ),
            "clip.mp4",
        ),
        (
            "a video of another site",
            format!("{title}{text}<iframe src=https://v.example/embed/1></iframe>"),
            "embed/1",
        ),
        (
            "a slider",
            format!(
                "{title}{lead}<div class=slides><button>Previous</button><div><img src=/a.jpg></div><div><img src=/b.jpg></div><button>Next</button></div>{SECOND}{THIRD}"
            ),
            "a.jpg b.jpg",
        ),
        (
            "a button to share it",
            format!(
                "{title}{lead}<div class=pin><img src=/a.jpg><a href='https://pins.example/x'>Pin it</a></div>{SECOND}{THIRD}"
            ),
            "a.jpg",
        ),
        (
            "its size",
            format!(
                "{title}{lead}{SECOND}<div class=file><a href=/a.jpg><img src=/a.jpg></a><span>2048 × 1365</span></div>{THIRD}"
            ),
            "a.jpg",
        ),
        (
            "teasers",
            format!(
                "{title}{text}<div class=more><a href=/x><img src=/a.jpg></a><a href=/x>The glaze that ran away</a></div>"
            ),
            "",
        ),
        ("an icon", format!("{title}{text}<p><img src=/a.jpg width=16 height=16></p>"), ""),
    ];
    for (name, article, expected) in rows {
        assert_eq!(pictures(&article), expected, "{name}");
    }
}

#[test]
fn asides_among_paragraphs_are_read_and_side_columns_are_not() {
    let note = "Ash from the elm gives a green that no other wood gives.";
    let rows = [
        ("a note", format!("<aside class=note><p>{note}</aside>"), true),
        ("a box without a class", format!("<aside><h4>Ash</h4><p>{note}</aside>"), true),
        ("a pull quote", format!("<aside class=pullquote>{note}</aside>"), true),
        (
            "a quote with its source",
            format!("<aside><blockquote><p>{note}</p><footer>A potter</footer></blockquote></aside>"),
            true,
        ),
        (
            "a quoted post",
            format!(
                "<aside class=quote data-post=1><div class=title>Ann said:</div><blockquote><p>{note}</blockquote></aside>"
            ),
            true,
        ),
        ("a note of a book", format!("<aside role=doc-footnote id=n1><p>{note}</aside>"), true),
        (
            "a callout in a wrapper",
            format!(
                "<div><aside class='starlight-aside starlight-aside--note'><p class=starlight-aside__title aria-hidden=true>Note<p>{note}</aside></div>"
            ),
            true,
        ),
        ("a teaser", format!("<aside><h4>Read on</h4><a href=/x>{note}</a></aside>"), false),
        (
            "a form",
            format!(
                "<aside><p>{note}<form action=/mail><input name=mail><button>Send</button></form></aside>"
            ),
            false,
        ),
    ];
    let lead = format!("<h1>The old kiln</h1>{FIRST}{FOURTH}");
    for (name, aside, is_read) in rows {
        for article in [format!("{lead}{aside}{SECOND}{THIRD}"), format!("{lead}{SECOND}{THIRD}{aside}")] {
            let written = markdown(&page(&article));
            assert_eq!(written.contains(note), is_read, "{name}: {written}");
        }
    }
    let column = format!("<div>{lead}{SECOND}{THIRD}</div><aside><h4>Ash</h4><p>{note}</aside>");
    assert!(!markdown(&page(&column)).contains(note), "a side column");
}

#[test]
fn numbers_stay_with_what_they_number() {
    let texts =
        [FIRST, SECOND, THIRD, FOURTH].map(|text| text.trim_start_matches("<p>").trim_end_matches("</p>"));
    let body = |part: fn(usize, &str) -> String| -> String {
        texts.iter().zip(1..).map(|(text, number)| part(number, text)).collect()
    };
    let rows = [
        (
            "before the text",
            body(|n, text| format!("<div class=norm><span class=no>{n}.</span><div>{text}</div></div>")),
            "\\. ",
        ),
        (
            "in a column",
            body(|n, text| {
                format!(
                    "<div class=row><div class=c1><span>({n})</span></div><div class=c2><p>{text}</p></div></div>"
                )
            }),
            ") ",
        ),
        (
            "with a sign",
            body(|n, text| format!("<section><div class=no>§ {n}</div><p>{text}</p></section>")),
            " ",
        ),
        (
            "steps",
            body(|n, text| format!("<div class=step><div class=no>Step {n}</div><p>{text}</p></div>")),
            "\n\n",
        ),
    ];
    for (name, article, between) in rows {
        let written = markdown(&page(&format!("<h1>The old kiln</h1>{article}")));
        for (text, number) in texts.iter().zip(1..) {
            let start = text.get(..20).unwrap();
            assert!(written.contains(&format!("{number}{between}{start}")), "{name}: {written}");
        }
    }
}

#[test]
fn a_text_without_a_heading_begins_with_its_title() {
    let act =
        "<div class=head><p>ACT 7 OF THE POTTERS</p><p>on the burning of kilns in the lower town</p></div>";
    let written = markdown(&format!(
        "<title>32026A7 - 3 March</title><body><header><a href=/>Home</a> <a href=/acts>Acts</a></header>\
         <div id=doc>{act}<div class=text>{FIRST}{FOURTH}{SECOND}{THIRD}</div></div><footer>2026</footer>"
    ));
    assert!(written.contains("on the burning of kilns in the lower town\n\nThe pottery"), "{written}");
    assert!(!written.contains("Home"), "{written}");
}

#[test]
fn the_date_of_a_page_is_not_that_of_a_teaser_or_a_comment() {
    let teaser = "<section class=read-on><h2>Keep reading</h2><a href=/other><h3>Another post</h3>\
        <time datetime=2026-03-05>5 March 2026</time></a></section>";
    let comment =
        "<section><h2>1 comment</h2><div><time datetime=2026-03-05>5 March</time><p>Nice.</div></section>";
    let own = "<p class=line>By Ann on <time datetime=2025-05-01>1 May 2025</time></p>";
    let rows = [
        ("a teaser", format!("{FIRST}{teaser}{SECOND}"), None),
        ("a comment", format!("{FIRST}{SECOND}{THIRD}{comment}"), None),
        (
            "a comment as an article",
            format!("{FIRST}<article><p>Nice. <time datetime=2026-03-05>5 March</time></article>"),
            None,
        ),
        ("its own and a teaser's", format!("{own}{FIRST}{teaser}{SECOND}{comment}"), Some("2025-05-01")),
        ("after a teaser", format!("{teaser}{own}{FIRST}{SECOND}"), Some("2025-05-01")),
    ];
    for (name, article, expected) in rows {
        let html = format!(
            "<title>The old kiln</title><main><article><h1>The old kiln</h1>{article}</article></main>"
        );
        let document = converted(&html, ScrapeOptions::default());
        assert_eq!(document.metadata.published_time.as_deref(), expected, "{name}");
    }
}
