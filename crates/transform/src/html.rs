//! Cleaned HTML: the `html` format.
//!
//! The output is safe to show. Elements on a deny list and SVG are dropped with their content. Only
//! attributes on an allow list are kept. URLs pass the same check as those of Markdown. Nothing is copied
//! from the page unescaped. An `iframe` is kept only if the request names it; it keeps its URL and loses an
//! inline document (`srcdoc`). The content of a declarative shadow tree replaces that of its host, as in a
//! browser.

use std::borrow::Cow;

use crate::markdown::is_unseen;
use crate::memory::Output;
use crate::page::picture;
use crate::resolver::Resolver;
use crate::tree::{Edge, ElementNamespace, Kind, NodeId, Tag, Tree, Walk, decode_references};
use crate::view::View;

/// Attributes that are kept unchanged.
const ALLOWED_ATTRIBUTES: &[&str] = &[
    "abbr",
    "align",
    "alt",
    "aria-label",
    "border",
    "checked",
    "cite",
    "class",
    "colspan",
    "datetime",
    "dir",
    "disabled",
    "headers",
    "height",
    "hreflang",
    "id",
    "itemprop",
    "itemscope",
    "itemtype",
    "lang",
    "name",
    "open",
    "rel",
    "reversed",
    "role",
    "rowspan",
    "scope",
    "start",
    "title",
    "type",
    "value",
    "width",
    "data-lang",
    "data-language",
    "display",
    "encoding",
    "alttext",
];

/// Attributes that hold a URL.
const URL_ATTRIBUTES: &[&str] = &["href", "src", "poster", "cite", "data-src"];

/// Bytes of text that are escaped between two checks of the output's length. Escaping may multiply them by
/// five.
const CHUNK_BYTES: usize = 65_536;

/// Options of [`write()`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Images embedded in the page as `data:` URLs lose their bytes.
    pub(crate) remove_base64_images: bool,
    /// Keeps every `iframe`. Otherwise only one that is a root of the view stays, because the request names
    /// it.
    pub(crate) iframes: bool,
}

/// Writes a part of a tree as HTML without scripts, styles, event handlers and dangerous URLs.
pub(crate) fn write(tree: &Tree, view: &View, resolver: &Resolver, options: Options) -> Output {
    let mut out = String::new();
    let mut cut = false;
    let most = tree.max_html_bytes();
    let mut budget = tree.attribute_budget();
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        // The node left out at the limit; its end tag is left out too.
        let mut left_out = None;
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) if out.len() >= most => {
                    cut = true;
                    left_out = Some(node);
                    walk.skip_children();
                }
                Edge::Leave(node) if left_out == Some(node) => left_out = None,
                Edge::Enter(node) => match tree.kind(node) {
                    Kind::Text if view.hidden.contains(node) => {}
                    Kind::Text => cut |= escape_up_to(tree.text(node), most, &mut out),
                    Kind::Element if is_iframe(tree, node) && !view.skips(tree, node) => {
                        walk.skip_children();
                        if (options.iframes || node == *root) && budget > 0 && !is_unseen(tree, node) {
                            let before = out.len();
                            write_start_tag(tree, node, resolver, options.remove_base64_images, &mut out);
                            out.push_str("</iframe>");
                            budget = budget.saturating_sub(out.len() - before);
                        }
                    }
                    Kind::Element if view.skips(tree, node) || is_dropped(tree, node) => walk.skip_children(),
                    Kind::Element if tree.is_shadow_root(node) => {}
                    Kind::Element if budget == 0 => {
                        out.push('<');
                        out.push_str(tree.name(node));
                        out.push('>');
                    }
                    Kind::Element => {
                        let before = out.len();
                        write_start_tag(tree, node, resolver, options.remove_base64_images, &mut out);
                        budget = budget.saturating_sub(out.len() - before);
                    }
                    Kind::Document => {}
                },
                Edge::Leave(node) => {
                    let closes = tree.is_element(node)
                        && !view.skips(tree, node)
                        && !is_dropped(tree, node)
                        && !tree.is_shadow_root(node)
                        && !tree.tag(node).is_void();
                    if closes {
                        out.push_str("</");
                        out.push_str(tree.name(node));
                        out.push('>');
                    }
                }
            }
        }
    }
    Output { text: out, cut }
}

/// Writes text like [`escape`] until `out` has `most` bytes. True if the end of the text is left out.
pub(crate) fn escape_up_to(text: &str, most: usize, out: &mut String) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        if out.len() >= most {
            return true;
        }
        let mut end = rest.len().min(CHUNK_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        escape(piece, false, out);
        rest = after;
    }
    false
}

/// Elements that run code, load resources or change how the markup after them is parsed. They are dropped by
/// name in every namespace: an element that is inert in MathML may become active when the output is parsed
/// again elsewhere.
const DROPPED_ELEMENTS: &[&str] = &[
    "annotation-xml",
    "base",
    "embed",
    "frame",
    "frameset",
    "iframe",
    "link",
    "meta",
    "noembed",
    "noframes",
    "object",
    "plaintext",
    "script",
    "style",
    "template",
    "xmp",
];

fn is_dropped(tree: &Tree, node: NodeId) -> bool {
    let name = tree.name(node);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    tree.namespace(node) == ElementNamespace::Foreign
        || (!tree.is_shadow_root(node)
            && DROPPED_ELEMENTS.iter().any(|dropped| name.eq_ignore_ascii_case(dropped)))
        || (tree.tag(node) == Tag::Img && is_unseen(tree, node))
        || !name.bytes().all(plain)
}

fn is_iframe(tree: &Tree, node: NodeId) -> bool {
    tree.tag(node) == Tag::Iframe && tree.namespace(node) == ElementNamespace::Html
}

fn write_start_tag(
    tree: &Tree,
    node: NodeId,
    resolver: &Resolver,
    remove_base64_images: bool,
    out: &mut String,
) {
    out.push('<');
    out.push_str(tree.name(node));
    let tag = tree.tag(node);
    for (name, value) in tree.attributes(node) {
        if tag == Tag::Img && matches!(name, "src" | "data-src") {
            continue;
        }
        if URL_ATTRIBUTES.contains(&name) {
            let is_allowed = |url: &str| tag != Tag::Iframe || url.starts_with("http");
            if let Some(url) = resolver.output_url(value).filter(|url| is_allowed(url)) {
                write_attribute(name, &url, out);
            }
        } else if ALLOWED_ATTRIBUTES.contains(&name) {
            write_attribute(name, value, out);
        } else if name == "style" && value.trim().is_empty() {
            // An empty style is harmless, and clients search the HTML for tags as the page writes them.
            write_attribute(name, "", out);
        }
    }
    if tag == Tag::Img
        && let Some(source) = picture::source(tree, node)
    {
        if picture::is_inline(source) {
            let image =
                source.trim_start().get(..11).is_some_and(|start| start.eq_ignore_ascii_case("data:image/"));
            if remove_base64_images {
                write_attribute("src", "", out);
            } else if image {
                write_attribute("src", source.trim(), out);
            }
        } else if source.starts_with('#') {
            // A fragment of this page: an absolute URL would turn it into a page of its own.
            write_attribute("src", source, out);
        } else if let Some(url) = resolver.output_url(source) {
            write_attribute("src", &url, out);
        }
    }
    out.push('>');
    // A parser drops the first newline of these elements (HTML Standard, 13.2.6.4.7). A newline that counts
    // therefore needs another one before it.
    let drops_newline = matches!(tag, Tag::Pre | Tag::Textarea) || tree.name(node) == "listing";
    if drops_newline && tree.first_child(node).is_some_and(|first| tree.text(first).starts_with('\n')) {
        out.push('\n');
    }
}

fn write_attribute(name: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(value, true, out);
    out.push('"');
}

/// The HTML of a text that is HTML or lines of plain text.
pub(crate) fn of_text(text: &str) -> Cow<'_, str> {
    if text.contains("</") || text.contains("<br") {
        return Cow::Borrowed(text);
    }
    let mut html = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        html.push_str("<p>");
        escape(&decode_references(line, false), false, &mut html);
        html.push_str("</p>");
    }
    Cow::Owned(html)
}

/// Escapes text for HTML and removes control characters that a terminal would interpret.
pub(crate) fn escape(text: &str, attribute: bool, out: &mut String) {
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(control) {
        let text: String = text.chars().filter(|c| !control(*c)).collect();
        return escape(&text, attribute, out);
    }
    for piece in text.split_inclusive(['&', '<', '>', '"', '\u{a0}']) {
        let mut characters = piece.chars();
        let entity = match characters.next_back() {
            Some('&') => "&amp;",
            Some('<') => "&lt;",
            Some('>') => "&gt;",
            Some('"') if attribute => "&quot;",
            Some('\u{a0}') => "&nbsp;",
            _ => {
                out.push_str(piece);
                continue;
            }
        };
        out.push_str(characters.as_str());
        out.push_str(entity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};
    use url::Url;

    fn cleaned(html: &str) -> String {
        let tree = parse(html, ParseOptions { all_attributes: true, ..ParseOptions::default() });
        let resolver = Resolver::of_tree(&Url::parse("https://example.org/a/b").unwrap(), &tree);
        let view = View { roots: vec![tree.find(Tag::Body).unwrap()], ..View::whole(&tree) };
        let out = write(&tree, &view, &resolver, Options { remove_base64_images: true, iframes: false }).text;
        out.trim_start_matches("<body>").trim_end_matches("</body>").to_owned()
    }

    #[test]
    fn active_content_is_removed() {
        let rows = [
            ("<p onclick=x() class=a>t</p>", "<p class=\"a\">t</p>"),
            ("<script>x</script><style>y</style><p>z", "<p>z</p>"),
            ("<a href='javascript:x'>a</a>", "<a>a</a>"),
            ("<a href=' JAVA\nSCRIPT:x'>a</a>", "<a>a</a>"),
            ("<a href='c?d&e=\"'>a</a>", "<a href=\"https://example.org/a/c?d&amp;e=%22\">a</a>"),
            ("<img src=x onerror=y>", "<img src=\"https://example.org/a/x\">"),
            ("<iframe srcdoc='<script>'></iframe><svg onload=x><script>y</script></svg>t", "t"),
            ("&lt;script>&amp;", "&lt;script&gt;&amp;"),
            ("<body><noscript><p title=\"</noscript><img src=x onerror=alert(1)>\"></noscript>", ""),
            (
                "<p title='\"><script>x</script>'>t</p>",
                "<p title=\"&quot;&gt;&lt;script&gt;x&lt;/script&gt;\">t</p>",
            ),
            (
                "<form action='javascript:x'><button formaction='javascript:y'>b</button></form>",
                "<form><button>b</button></form>",
            ),
            ("<base href=/c/><p style='background:url(javascript:x)'>t", "<p>t</p>"),
            (
                "<div><template shadowrootmode=open><p>s<script>x</script></p></template></div>",
                "<div><p>s</p></div>",
            ),
            ("<template><p>s</p></template>t", "t"),
            ("<template shadowrootmode=none><p>s</p></template>t", "t"),
            ("<img src=t.gif style='width:1px;height:1px'>t", "t"),
            ("<img src=t.gif style='display: none'>t", "t"),
        ];
        for (html, expected) in rows {
            assert_eq!(cleaned(html), expected, "{html}");
        }
    }

    #[test]
    fn empty_styles_and_fragment_images_are_kept() {
        for html in ["<header style=\"\">t</header>", "<img src=\"#q1\">"] {
            assert_eq!(cleaned(html), html);
        }
        assert_eq!(cleaned("<p style=' '>t</p>"), "<p style=\"\">t</p>");
    }

    #[test]
    fn an_iframe_is_kept_only_if_requested() {
        let html = "<main><iframe src=/film title=Film width=9 srcdoc='<script>x</script>' onload=y()><b>no</b></iframe>
            <iframe src='javascript:x'></iframe><iframe src=mailto:a@b.example></iframe><p>t</p></main>";
        let tree = parse(html, ParseOptions { all_attributes: true, ..ParseOptions::default() });
        let resolver = Resolver::of_tree(&Url::parse("https://example.org/a/b").unwrap(), &tree);
        let film = "<iframe src=\"https://example.org/film\" title=\"Film\" width=\"9\"></iframe>";
        let written = |roots: Vec<NodeId>, iframes| {
            let view = View { roots, ..View::whole(&tree) };
            write(&tree, &view, &resolver, Options { remove_base64_images: true, iframes }).text
        };
        let (main, first) = (tree.find(Tag::Main).unwrap(), tree.find(Tag::Iframe).unwrap());
        assert_eq!(written(vec![first], false), film);
        assert!(!written(vec![main], false).contains("iframe"));
        let all = written(vec![main], true);
        assert!(all.contains(film) && all.contains("<p>t</p>"), "{all}");
        assert_eq!(all.matches("<iframe></iframe>").count(), 2, "{all}");
    }

    #[test]
    fn leading_newlines_of_code_survive_a_second_parse() {
        for html in ["<pre>\n\na\n</pre>", "<pre>\n\n\na</pre>", "<pre>a</pre>", "<textarea>\n\na</textarea>"]
        {
            let once = cleaned(html);
            assert_eq!(once, html);
            assert_eq!(cleaned(&once), once);
        }
        assert_eq!(cleaned("<pre>\na</pre>"), "<pre>a</pre>");
    }
}
