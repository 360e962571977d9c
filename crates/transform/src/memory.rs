//! How much memory one page may take while it is transformed.
//!
//! A page of three-byte tags takes many times its length: 28 bytes for each node of the tree, then text
//! blocks, then the outputs. So each page has a bound in bytes. The tree takes at most half of it
//! ([`crate::tree`]); blocks and outputs share what the tree leaves. What exceeds the bound is left out, and
//! the page's warning says so. Real pages stay far below: their trees take one to three times the length of
//! the page.
//!
//! The bound counts stored bytes, not the spare capacity of vectors and allocators.

/// Upper bound on the memory of a page, in bytes. A page longer than a quarter of this may take four times
/// its length.
pub const MAX_PAGE_MEMORY: usize = 256 << 20;

/// Lower bound on the memory limit of a page, in bytes.
pub(crate) const MIN_PAGE_MEMORY: usize = 1 << 20;

/// Bytes that any page may take, however short.
const BASE_MEMORY: usize = 4 << 20;

/// Bytes of memory for each byte of a short page.
const SHORT_FACTOR: usize = 64;

/// Bytes of memory for each byte of a longer page, in addition to [`LONG_BASE_MEMORY`].
const LONG_FACTOR: usize = 16;
const LONG_BASE_MEMORY: usize = 16 << 20;

/// Any page may take this many times its length: its text as received and as written.
const MIN_FACTOR: usize = 4;

/// Bytes of memory that the transform of a body of `body_bytes` may take, in addition to the body.
///
/// ```
/// use gleaner_transform::{MAX_PAGE_MEMORY, page_memory};
///
/// assert_eq!(page_memory(10 << 10), (4 << 20) + 64 * (10 << 10));
/// assert_eq!(page_memory(1 << 20), (4 << 20) + (16 << 20) + 16 * (1 << 20));
/// assert_eq!(page_memory(50 << 20), MAX_PAGE_MEMORY);
/// ```
#[must_use]
pub const fn page_memory(body_bytes: usize) -> usize {
    let short = body_bytes.saturating_mul(SHORT_FACTOR);
    let long = body_bytes.saturating_mul(LONG_FACTOR).saturating_add(LONG_BASE_MEMORY);
    let limit = if short < long { short } else { long };
    let limit = limit.saturating_add(BASE_MEMORY);
    let limit = if limit < MAX_PAGE_MEMORY { limit } else { MAX_PAGE_MEMORY };
    let min = body_bytes.saturating_mul(MIN_FACTOR);
    if limit > min { limit } else { min }
}

/// The text written for a page.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// The text.
    pub(crate) text: String,
    /// The end is left out because of the memory bound.
    pub(crate) cut: bool,
}

#[cfg(test)]
mod tests {
    use gleaner_types::Interrupt;
    use gleaner_types::plan::ScrapeOptionsPlan;
    use gleaner_types::request::{Format, ScrapeOptions};

    use super::*;
    use crate::tree::{NodeId, ParseOptions, parse};
    use crate::{Input, Page, Selection, html_to_markdown, transform_within};

    /// The memory limit of the pages below: small, so that they reach it.
    const MEMORY: usize = 1 << 20;

    /// Pages of half a MiB or more that take many times their length, with a needle at their end.
    fn pages() -> Vec<(&'static str, String)> {
        let shapes: [(&str, &str, &str); 10] = [
            ("breaks", "", "a<br>"),
            ("marks over paragraphs", "", "<b><i><p>x"),
            ("marks around paragraphs", "<b><i><u><s><em><tt><big><code><small><strong><font>", "<p>x"),
            ("attributes", "", "<p a b c d=1 e=2>x"),
            ("tiny texts", "", "x<i>y</i>"),
            ("tables", "", "<table><td>x</table>"),
            ("cells", "<table>", "<td>x"),
            ("nested lists", "", "<ul><li>x"),
            ("links over blocks", "", "<a href=x><div>x"),
            ("end tags", "x", "</p>"),
        ];
        let names = (0..40_000).map(|n| format!("<element-{n}>x</element-{n}>")).collect();
        let marks = (0..40_000).map(|n| format!("<p><b id=x{n}>x")).collect();
        let mut pages: Vec<(&str, String)> = vec![("names", names), ("different marks", marks)];
        for (name, start, unit) in shapes {
            pages.push((name, format!("{start}{}", unit.repeat((512 << 10) / unit.len()))));
        }
        for (_, page) in &mut pages {
            page.push_str(" <p>needle");
        }
        pages
    }

    fn small(html: &str) -> crate::tree::Tree {
        parse(html, ParseOptions { all_attributes: true, memory: Some(MEMORY) })
    }

    fn options(only_main_content: bool) -> ScrapeOptionsPlan {
        let options = ScrapeOptions::new()
            .formats([Format::Markdown, Format::Html, Format::Links])
            .only_main_content(only_main_content);
        options.check().unwrap()
    }

    fn read(body: &str, content_type: &str, only_main_content: bool, memory: usize) -> Page {
        let url = "https://example.org/".parse().unwrap();
        let input = Input { url: &url, content_type: Some(content_type), body: body.as_bytes() };
        let options = options(only_main_content);
        transform_within(input, &options, &Selection::default(), memory, &Interrupt::never()).unwrap()
    }

    #[test]
    fn a_tree_stays_within_its_share_and_keeps_all_text() {
        for (name, html) in pages() {
            let tree = small(&html);
            // Beyond the bound only text is stored, with at most a space for each tag.
            let most = MEMORY / 2 + html.len() + (8 << 10);
            assert!(tree.bytes() <= most, "{name}: {} bytes", tree.bytes());
            assert!(tree.text_content(NodeId::DOCUMENT).contains("needle"), "{name}");
            let whole = parse(&html, ParseOptions::default());
            let most = page_memory(html.len()) / 2;
            assert!(whole.bytes() <= most && !whole.truncated, "{name}: {} of {most} bytes", whole.bytes());
        }
    }

    #[test]
    fn a_cut_page_has_a_warning_and_the_content_read_so_far() {
        let mut cut = Vec::new();
        for (name, html) in pages() {
            let tree = small(&html);
            cut.extend(tree.truncated.then_some(name));
            for only_main_content in [true, false] {
                let document = read(&html, "text/html", only_main_content, MEMORY).document;
                let warning = document.warning.unwrap_or_default();
                let says = |text: &str| warning.contains(text);
                assert_eq!(tree.truncated, says("its end is given as text alone"), "{name}: {warning}");
                assert_eq!(
                    tree.formatting_stopped,
                    says("its end is given without formatting"),
                    "{name}: {warning}"
                );
                let (markdown, html) = (document.markdown.unwrap(), document.html.unwrap());
                assert!(!markdown.is_empty(), "{name}");
                if !only_main_content && !says("its end is left out") {
                    assert!(markdown.contains("needle") && html.contains("needle"), "{name}: {warning}");
                }
                let bytes = (markdown.len(), html.len());
                assert!(bytes.0 + bytes.1 <= MEMORY, "{name}: {bytes:?}");
            }
        }
        for name in ["breaks", "tiny texts", "cells", "end tags", "names"] {
            assert!(cut.contains(&name), "{name} must reach the bound: {cut:?}");
        }
    }

    #[test]
    fn unclosed_formatting_is_reconstructed_a_bounded_number_of_times() {
        for unit in ["<b><i><p>x", "<p><b id=NUMBER>x"] {
            let html: String = (0..20_000).map(|n| unit.replace("NUMBER", &n.to_string())).collect();
            let tree = parse(&html, ParseOptions::default());
            assert!(tree.formatting_stopped && !tree.truncated, "{unit}");
            // Four nodes per unit of the page, plus the elements that the tree builder may add.
            let most = 20_000 * 4 + html.len() / 8 + 4 * 4_096;
            assert!(tree.len() <= most, "{unit}: {} of {most} nodes", tree.len());
        }
        // Formatting left open by hand stays within the bound.
        let html = "<p><font size=2><b>Some words of a page that was written long ago.".repeat(10_000);
        assert!(!parse(&html, ParseOptions::default()).formatting_stopped);
    }

    #[test]
    fn links_are_kept_after_formatting_stops() {
        let html = format!("{}<p><a href=/end>needle</a>", "<b><i><p>x".repeat(20_000));
        let document = read(&html, "text/html", false, usize::MAX).document;
        assert!(document.warning.unwrap().contains("its end is given without formatting"));
        assert!(document.markdown.unwrap().contains("[needle](https://example.org/end)"));
    }

    #[test]
    fn outputs_stay_within_the_memory_that_the_tree_leaves() {
        let quotes = "<blockquote>".repeat(24);
        let rows: [(&str, &str, String); 6] = [
            ("code in quotes", "text/html", format!("<p>start{quotes}<pre>x{}y", "\n".repeat(50_000))),
            ("quotes", "text/html", format!("<p>start{quotes}{}", "<p>x".repeat(10_000))),
            ("signs", "text/html", format!("<p>start{}", "&".repeat(300_000))),
            (
                "filled rows",
                "text/html",
                format!(
                    "<p>start<table><tr>{}{}</table>",
                    "<td rowspan=0>name".repeat(100),
                    "<tr><td>x".repeat(5_000)
                ),
            ),
            ("values", "text/csv", "start,b,c,d\n".repeat(60_000)),
            ("text", "text/plain", format!("start{}", "&".repeat(300_000))),
        ];
        for (name, content_type, body) in rows {
            let document = read(&body, content_type, false, MEMORY).document;
            let (markdown, html) = (document.markdown.unwrap(), document.html.unwrap());
            assert!(markdown.contains("start") && html.contains("start"), "{name}");
            assert!(document.warning.unwrap_or_default().contains("its end is left out"), "{name}");
            let most = MEMORY / 2 + 5 * 65_536;
            assert!(markdown.len() <= most, "{name}: {} bytes of Markdown", markdown.len());
            assert!(html.len() <= most, "{name}: {} bytes of HTML", html.len());
        }
    }

    #[test]
    fn markdown_that_exceeds_the_memory_of_its_parser_becomes_plain_text() {
        let says = |body: &str, memory| {
            let document = read(body, "text/markdown", false, memory).document;
            (document.markdown.unwrap(), document.warning.unwrap_or_default())
        };
        let (markdown, warning) = says(&"*a".repeat(20_000), MEMORY);
        assert!(warning.contains("given as plain text") && markdown.contains("*a*a"), "{warning}");
        let (markdown, warning) = says(&"Words, *and* more.\n\n".repeat(20_000), usize::MAX);
        assert!(warning.is_empty() && markdown.contains("Words, *and* more.\n\nWords"), "{warning}");
    }

    #[test]
    fn a_long_block_is_written_in_several_parts() {
        for (start, end) in [("<p>", ""), ("<pre>x</pre><code>", "</code>")] {
            let html = format!("{start}{}needle{end}", "<b>x</b>y<br>".repeat(40_000));
            let markdown = html_to_markdown(&html, None);
            assert!(markdown.contains("needle"), "{start}");
            assert_eq!(markdown.matches('y').count(), 40_000, "{start}");
        }
        let html = format!("<table><tr><th>a<tr><td>x{}needle</table>", "<br>".repeat(40_000));
        assert_eq!(html_to_markdown(&html, None), "| a |\n| --- |\n| x needle |");
    }
}
