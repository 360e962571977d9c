//! Expensive pages of any size: a unit, repeated.

/// The repeated part of a page.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// The same text.
    Same(&'static str),
    /// A text with a number, which makes each repetition different.
    Numbered(fn(usize) -> String),
    /// Half of the page repeats `word` as the value of one attribute. The other half repeats `unit`: the
    /// elements that share this attribute.
    Behind { word: &'static str, unit: &'static str },
}

use Unit::{Behind, Numbered, Same};

/// A kind of page, of any size.
#[derive(Debug, Clone, Copy)]
pub struct PageShape {
    /// The unique name of the shape.
    pub name: &'static str,
    /// The media type of its pages.
    pub media: &'static str,
    start: &'static str,
    unit: Unit,
    end: &'static str,
}

impl PageShape {
    /// The shape with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PAGE_SHAPES.iter().find(|shape| shape.name == name)
    }

    /// A page of about this many bytes.
    #[must_use]
    pub fn page(&self, bytes: usize) -> String {
        let mut page = String::with_capacity(bytes + self.start.len() + self.end.len() + 64);
        let between = match self.unit {
            Same(unit) => unit.repeat(bytes / unit.len()),
            Numbered(unit) => (0..bytes / unit(100_000).len()).map(unit).collect(),
            Behind { word, unit } => {
                page.push_str(REFERENCE);
                let half = bytes / 2;
                format!("{}'>{}", word.repeat(half / word.len()), unit.repeat(half / unit.len()))
            }
        };
        page.push_str(self.start);
        page.push_str(&between);
        page.push_str(self.end);
        page
    }
}

/// Main content with a reference to a note.
const REFERENCE: &str = "<article><p>Some text of the page that one may read at length, in plain sentences, \
    with a note.<sup><a href='#n'>1</a></sup></article>";

const fn html(name: &'static str, start: &'static str, unit: Unit, end: &'static str) -> PageShape {
    PageShape { name, media: "text/html; charset=utf-8", start, unit, end }
}

const fn other(
    name: &'static str,
    media: &'static str,
    start: &'static str,
    unit: Unit,
    end: &'static str,
) -> PageShape {
    PageShape { name, media, start, unit, end }
}

/// The start of a table whose first row has cells with long names that span all rows below.
const NAMES: &str =
    "<table><tr><td rowspan=0>a long name of many words<td rowspan=0>another one<td rowspan=0>a third";

/// All shapes.
pub const PAGE_SHAPES: &[PageShape] = &[
    // Structure of the tree.
    html("nesting", "", Same("<div>"), "needle"),
    html("inline nesting", "", Same("<b>"), "needle"),
    html("adoption agency", "", Same("<a><b><p></a></b>"), "needle"),
    html("formatting soup", "", Same("<b><i><u></b><p></i>x"), "needle"),
    html("formatting that is not closed", "", Same("<b><i><p>x"), "needle"),
    html("different formatting", "", Numbered(|n| format!("<p><b id={n:06}>x")), "needle"),
    html("cells in nothing", "needle", Same("<td>x"), ""),
    html("rows in nothing", "needle", Same("<tr><p>x"), ""),
    html("foster parents", "<table>", Same("<div>x<table>y"), "needle"),
    html("stray end tags", "<div><span>needle", Same("</x></p></br>"), ""),
    html("comments", "needle", Same("<!-- x --><!--->"), ""),
    html("an open comment", "<p>needle<!--", Same("-"), ""),
    html("an open script", "<p>needle<script>", Same("<!-- <script> -"), ""),
    html("stray signs", "<p>needle", Same("< <1 & &x; "), ""),
    html("attributes", "<p ", Same("a1=1 b='2' c=\"3\" "), ">needle"),
    html("different attributes", "<p ", Numbered(|n| format!("a{n:06}=1 ")), ">needle"),
    html("entities", "needle", Same("&amp;&#38;&notin;&bogus;&"), ""),
    html("custom elements", "needle", Numbered(|n| format!("<x-{n:06}>y</x-{n:06}>")), ""),
    // Text.
    html("line ends", "", Same("a<br>"), ""),
    html("one text", "<p>", Same("Every word of this sentence is read, and so is *this* one. "), ""),
    html("paragraphs", "", Same("<p class=a>x"), ""),
    html("emphasis", "<p>needle", Same("<b>*a_</b> `[x](y)` "), ""),
    html("spaces in marks", "needle<p>", Same("<b>&nbsp;x<i>&nbsp;y&nbsp;</i>&nbsp;</b>~<s>~</s>"), "</p>"),
    html("brackets and dollars", "needle", Same("<a href=x>[$<code>]</code></a>"), "\\(x_1\\)"),
    html("open formulas", "<p>needle", Same("\\(x $y \\[z "), ""),
    html("headings", "<main>needle", Same("<h1>x"), "</main>"),
    html("main regions", "needle", Same("<main><article><h1>x</h1></article></main>"), ""),
    html("a long title", "<title>", Same("word "), "</title><h1>word</h1><p>needle"),
    html("style", "<style>", Same("a{color:red;--x:var(--x)}"), "</style>needle"),
    html(
        "styles of elements",
        "needle",
        Same("<p style='color:#123456;font:12px a,b;background:url(x)'>x"),
        "",
    ),
    html(
        "roles",
        "needle",
        Same("<x-r role=row><span role=cell>x</span><a href=x><span>y z</span><span>A b"),
        "",
    ),
    html("code", "<pre>needle", Same("<span class=line>x</span>"), "</pre>"),
    html("gutters", "<pre>needle", Same("<span class=ln>1x"), "</pre>"),
    html("formulas", "needle", Same("<math><mfrac><mi>a</mi><mi>b</mi></mfrac>"), ""),
    html("noscripts", "needle", Same("<noscript><b><b><b><b><b><b><b><b>x "), ""),
    // Tables and lists.
    html(
        "wide spans",
        "<table>",
        Same("<tr><td colspan=1000000000>needle<td rowspan=1000000000>x"),
        "</table>",
    ),
    html("names over rows", NAMES, Same("<tr><td>needle"), "</table>"),
    html(
        "tables of spans",
        "",
        Same("<table><tr><th colspan=8>name<tr><th rowspan=0>x<td>y<tr><td>needle</table>"),
        "",
    ),
    html("cells", "<table><tr>", Same("<td>needle"), "</table>"),
    html("tables in tables", "needle", Same("<table><tr><td>x"), ""),
    html("lists", "needle", Same("<ul><li>x"), ""),
    html("items", "<ul>needle", Same("<li>x"), "</ul>"),
    html("empty items", "needle", Same("<ul><li><li><ul><li></ul></ul>"), ""),
    html("definitions", "<dl>needle", Same("<dt>Price<dd>5"), "</dl>"),
    html("notes", "needle", Same("<sup><a href='#n'>1</a></sup><p id=n>x"), ""),
    html(
        "different notes",
        "needle",
        Numbered(|n| format!("<sup><a href='#n{n:06}'>1</a></sup><p id=n{n:06}>x")),
        "",
    ),
    html(
        "notes in a list",
        "needle<ol>",
        Same("<li id=n>x<sup><a href='#n'>1</a></sup><a href='#n'>[1]</a>"),
        "</ol>",
    ),
    // Links, images, metadata.
    html("links", "needle", Same("<a href=x>y</a> "), ""),
    html("different links", "needle", Numbered(|n| format!("<a href=/{n:06}>y</a> ")), ""),
    html("links in links", "needle", Same("<a href=x><object>y"), ""),
    html(
        "pictures",
        "needle",
        Numbered(|n| format!("<img src=/{n:06}.png srcset='/{n:06}a.png 1x, /{n:06}b.png 2x' alt=x>")),
        "",
    ),
    html(
        "one picture of many sizes",
        "needle<img srcset='",
        Numbered(|n| format!("/{n:06}.png {n:06}w, ")),
        "' src=/a.png>",
    ),
    html("frames", "needle", Numbered(|n| format!("<iframe src=/{n:06}></iframe>")), ""),
    html("metadata", "", Numbered(|n| format!("<meta name=n{n:06} content=x>")), "<p>needle"),
    html(
        "pictures of the page",
        "",
        Numbered(|n| format!("<meta property=og:image content=/{n:06}.png>")),
        "<p>needle",
    ),
    html("icons", "", Numbered(|n| format!("<link rel=icon sizes=9x9 href=/{n:06}.png>")), "<p>needle"),
    html("charsets", "", Same("<meta charset=utf-16><meta charset=x-user-defined>"), "<p>needle"),
    html("entities of JSON-LD", "needle<script type=application/ld+json>[", Same(ENTITY), "{}]</script>"),
    html("brackets of JSON-LD", "needle<script type=application/ld+json>", Same("["), "</script>"),
    html(
        "microdata",
        "needle",
        Same("<p itemscope itemtype=x><b itemprop=name>a</b><i itemprop=price>1</i></p>"),
        "",
    ),
    html("embedded state", "needle<script>window.__STATE__=", Same("{\"a\":[{\"price\":1},"), "</script>"),
    // Attribute values that are looked up for many elements.
    html(
        "blocks under a long class",
        "<div id=n class='",
        Behind { word: "a ", unit: "<p>x" },
        "</div>needle",
    ),
    html(
        "code under a long class",
        "<div class='",
        Behind { word: "a ", unit: "<pre>x</pre>" },
        "</div>needle",
    ),
    html(
        "texts in a long link",
        "<sup><a href='#",
        Behind { word: "aa", unit: "<i>x</i> " },
        "</a></sup>needle",
    ),
    html(
        "references in a long id",
        "<p id='",
        Behind { word: "aa", unit: "<sup><a href='#n'>1</a></sup> " },
        "<ol><li id=n>needle</ol>",
    ),
    html("repeated long class", "<b class='", Behind { word: "a ", unit: "<p>x" }, "needle"),
    // Other media types than HTML.
    other("entries of a feed", "application/rss+xml", "<rss><channel>", Same(ENTRY), "</channel></rss>"),
    other("an open entry of a feed", "application/atom+xml", "<feed><entry><title>needle", Same("<b>"), ""),
    other("rows", "text/csv", "needle,b,c\n", Same("a,b,*c*\n"), ""),
    other("a wide row", "text/csv", "needle\n", Same(","), ""),
    other("open quotes", "text/csv", "needle,", Same("\"\"\"a,"), ""),
    other("quotes of Markdown", "text/markdown", "", Same("> "), "needle"),
    other("brackets of Markdown", "text/markdown", "needle ", Same("[a]("), ""),
    other("marks of Markdown", "text/markdown", "needle ", Same("*a_ "), ""),
    other("brackets of JSON", "application/json", "", Same("["), ""),
    other("elements of XML", "text/xml", "<a>needle", Same("<b>"), ""),
    other("fences", "text/plain", "needle", Same("```\n"), ""),
];

const ENTITY: &str = r#"{"@type":"Product","name":"Cup","offers":{"price":1,"priceCurrency":"EUR"}},"#;

const ENTRY: &str =
    "<item><title>One</title><description><![CDATA[<p>a<b>b</b> <a href=/x>c</a>]]></description></item>";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn pages_have_about_the_requested_size() {
        let mut names = BTreeSet::new();
        for shape in PAGE_SHAPES {
            assert!(names.insert(shape.name), "{} is listed twice", shape.name);
            assert_eq!(PageShape::named(shape.name).map(|found| found.name), Some(shape.name));
            for bytes in [10_000, 100_000] {
                let page = shape.page(bytes).len();
                assert!((bytes * 3 / 4..bytes * 5 / 4).contains(&page), "{}: {page} of {bytes}", shape.name);
            }
        }
        assert!(PageShape::named("none").is_none());
    }
}
