//! Transforms one page that is made to hurt, of a size: for counting instructions around it.
//!
//! `grow KIND BYTES`; without arguments the kinds are listed. To see whether the cost grows faster than the size:
//!
//! `for n in 65536 1048576; do valgrind --tool=cachegrind --cache-sim=no grow nesting $n; done`

use std::io::Write;

use gleaner_transform::{Input, html_to_markdown, transform};
use gleaner_types::request::{Format, ScrapeOptions};

/// A page of about so many bytes: `unit` over and over between a start and an end.
fn page(kind: &str, bytes: usize) -> Option<String> {
    let (start, unit, end) = match kind {
        "nesting" => ("", "<div>", "needle"),
        "inline nesting" => ("", "<b>", "needle"),
        "adoption agency" => ("", "<a><b><p></a></b>", "needle"),
        "formatting soup" => ("", "<b><i><u></b><p></i>x", "needle"),
        "attributes" => ("<p ", "a1=1 b='2' c=\"3\" ", ">needle"),
        "different attributes" => ("<p ", "", ">needle"),
        "entities" => ("needle", "&amp;&#38;&notin;&bogus;&", ""),
        "wide spans" => ("<table>", "<tr><td colspan=1000000000>needle<td rowspan=1000000000>x", "</table>"),
        "cells" => ("<table><tr>", "<td>needle", "</table>"),
        "tables in tables" => ("needle", "<table><tr><td>x", ""),
        "lists" => ("needle", "<ul><li>x", ""),
        "links" => ("needle", "<a href=x>y</a> ", ""),
        "notes" => ("needle", "<sup><a href='#n'>1</a></sup><p id=n>x", ""),
        "formulas" => ("needle", "<math><mfrac><mi>a</mi><mi>b</mi></mfrac>", ""),
        "code" => ("<pre>needle", "<span class=line>x</span>", "</pre>"),
        "gutters" => ("<pre>needle", "<span class=ln>1x", "</pre>"),
        "noscripts" => ("needle", "<noscript><b><b><b><b><b><b><b><b>x ", ""),
        "links in links" => ("needle", "<a href=x><object>y", ""),
        "style" => ("<style>", "a{color:red;--x:var(--x)}", "</style>needle"),
        _ => return None,
    };
    if kind == "different attributes" {
        let many: String = (0..bytes / 10).map(|n| format!("a{n:06}=1 ")).collect();
        return Some(format!("{start}{many}{end}"));
    }
    Some(format!("{start}{}{end}", unit.repeat(bytes / unit.len())))
}

const KINDS: &[&str] = &[
    "nesting",
    "inline nesting",
    "adoption agency",
    "formatting soup",
    "attributes",
    "different attributes",
    "entities",
    "wide spans",
    "cells",
    "tables in tables",
    "lists",
    "links",
    "notes",
    "formulas",
    "code",
    "gutters",
    "noscripts",
    "links in links",
    "style",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, bytes] = arguments.as_slice() else {
        for kind in KINDS {
            writeln!(out, "{kind}")?;
        }
        return Ok(());
    };
    let html = page(kind, bytes.parse()?).ok_or("unknown kind")?;
    let url = "https://example.org/a/".parse()?;
    let formats = vec![
        Format::Markdown,
        Format::Html,
        Format::Links,
        Format::Images,
        Format::Summary,
        Format::Branding,
    ];
    for only_main_content in [true, false] {
        let options = ScrapeOptions {
            formats: Some(formats.clone()),
            only_main_content: Some(only_main_content),
            ..ScrapeOptions::default()
        };
        let options = options.check().map_err(|faults| faults.to_string())?;
        let input =
            Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: html.as_bytes() };
        let page = transform(input, &options)?;
        writeln!(
            out,
            "{kind}: {} bytes give {}",
            html.len(),
            page.document.markdown.unwrap_or_default().len()
        )?;
    }
    writeln!(out, "{kind}: alone {}", html_to_markdown(&html, None).len())?;
    Ok(())
}
