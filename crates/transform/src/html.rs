//! Cleaned HTML: the `html` format.
//!
//! Safe to show: of elements, those of a list are dropped with all they hold, and so is SVG; of attributes, those of a list
//! are kept and no others; addresses pass the same check as those of Markdown. Nothing is copied from the page unescaped.
//! An `iframe` stays only where the request names it, with the address of a page and no document of its own.
//! What stands in a declarative shadow tree is written in its host's place, as a browser shows it.

use crate::address::Resolver;
use crate::markdown::is_unseen;
use crate::memory::Output;
use crate::page::picture;
use crate::tree::{Attr, Edge, Kind, NodeId, Space, Tag, Tree, Walk};
use crate::view::View;

/// Attributes that are kept as they are.
const KEPT: &[&str] = &[
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

/// Attributes that hold an address.
const ADDRESSES: &[&str] = &["href", "src", "poster", "cite", "data-src"];

/// Text that is escaped at once, in bytes: it may become five times as long.
const PIECE: usize = 65_536;

/// What is asked of the HTML.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Pictures that are written into the page lose their bytes.
    pub(crate) remove_base64_images: bool,
    /// Each `iframe` stays. Otherwise only one that is a root of the view does, because it was asked for itself.
    pub(crate) frames: bool,
}

/// Writes a part of a tree as HTML without scripts, styles, handlers and dangerous addresses.
pub(crate) fn write(tree: &Tree, view: &View, resolver: &Resolver, options: Options) -> Output {
    let mut out = String::new();
    let mut cut = false;
    let most = tree.html_bytes();
    let mut budget = tree.attribute_budget();
    for root in &view.roots {
        let mut walk = Walk::new(tree, *root);
        // Left out because there is no room: it has no end tag either.
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
                    Kind::Text => cut |= escape_within(tree.text(node), most, &mut out),
                    Kind::Element if is_frame(tree, node) && !view.skips(tree, node) => {
                        walk.skip_children();
                        if (options.frames || node == *root) && budget > 0 && !is_unseen(tree, node) {
                            let before = out.len();
                            open(tree, node, resolver, options.remove_base64_images, &mut out);
                            out.push_str("</iframe>");
                            budget = budget.saturating_sub(out.len() - before);
                        }
                    }
                    Kind::Element if view.skips(tree, node) || drops(tree, node) => walk.skip_children(),
                    Kind::Element if is_shadow_root(tree, node) => {}
                    Kind::Element if budget == 0 => {
                        out.push('<');
                        out.push_str(tree.name(node));
                        out.push('>');
                    }
                    Kind::Element => {
                        let before = out.len();
                        open(tree, node, resolver, options.remove_base64_images, &mut out);
                        budget = budget.saturating_sub(out.len() - before);
                    }
                    Kind::Document => {}
                },
                Edge::Leave(node) => {
                    let closes = tree.is_element(node)
                        && !view.skips(tree, node)
                        && !drops(tree, node)
                        && !is_shadow_root(tree, node)
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

/// Writes text as [`escape`] does until `out` is `most` bytes long; true where the end of the text is left out.
pub(crate) fn escape_within(text: &str, most: usize, out: &mut String) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        if out.len() >= most {
            return true;
        }
        let mut end = rest.len().min(PIECE);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        escape(piece, false, out);
        rest = after;
    }
    false
}

/// Elements that act, load or change how what follows is read. Dropped by name whatever space they are in: what is inert in
/// MathML may act once the output is parsed again elsewhere.
const DROPPED: &[&str] = &[
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

fn drops(tree: &Tree, node: NodeId) -> bool {
    let name = tree.name(node);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    tree.space(node) == Space::Foreign
        || (!is_shadow_root(tree, node) && DROPPED.iter().any(|dropped| name.eq_ignore_ascii_case(dropped)))
        || (tree.tag(node) == Tag::Img && is_unseen(tree, node))
        || !name.bytes().all(plain)
}

fn is_frame(tree: &Tree, node: NodeId) -> bool {
    tree.tag(node) == Tag::Iframe && tree.space(node) == Space::Html
}

/// Does an element hold what a browser shows in place of what its parent holds?
fn is_shadow_root(tree: &Tree, node: NodeId) -> bool {
    tree.tag(node) == Tag::Template && tree.has(node, Attr::Shadowrootmode)
}

fn open(tree: &Tree, node: NodeId, resolver: &Resolver, remove_base64_images: bool, out: &mut String) {
    out.push('<');
    out.push_str(tree.name(node));
    let tag = tree.tag(node);
    for (name, value) in tree.attributes(node) {
        if tag == Tag::Img && matches!(name, "src" | "data-src") {
            continue;
        }
        if ADDRESSES.contains(&name) {
            let is_right = |address: &str| tag != Tag::Iframe || address.starts_with("http");
            if let Some(address) = resolver.output(value).filter(|address| is_right(address)) {
                attribute(name, &address, out);
            }
        } else if KEPT.contains(&name) {
            attribute(name, value, out);
        } else if name == "style" && value.trim().is_empty() {
            // It says nothing, and readers of the contract look for tags as the page has them.
            attribute(name, "", out);
        }
    }
    if tag == Tag::Img
        && let Some(source) = picture::source(tree, node)
    {
        if picture::is_inline(source) {
            let image =
                source.trim_start().get(..11).is_some_and(|start| start.eq_ignore_ascii_case("data:image/"));
            if remove_base64_images {
                attribute("src", "", out);
            } else if image {
                attribute("src", source.trim(), out);
            }
        } else if source.starts_with('#') {
            // A part of this very page: another address would make a page of it.
            attribute("src", source, out);
        } else if let Some(address) = resolver.output(source) {
            attribute("src", &address, out);
        }
    }
    out.push('>');
    // A parser drops the first line end of these (HTML Standard, 13.2.6.4.7): one that counts needs another before it.
    let drops_line = matches!(tag, Tag::Pre | Tag::Textarea) || tree.name(node) == "listing";
    if drops_line && tree.first_child(node).is_some_and(|first| tree.text(first).starts_with('\n')) {
        out.push('\n');
    }
}

fn attribute(name: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(value, true, out);
    out.push('"');
}

/// Writes text so that it is read as text, without control characters that a terminal would obey.
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
        let out = write(&tree, &view, &resolver, Options { remove_base64_images: true, frames: false }).text;
        out.trim_start_matches("<body>").trim_end_matches("</body>").to_owned()
    }

    #[test]
    fn nothing_that_runs_comes_out() {
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
            ("<img src=t.gif style='width:1px;height:1px'>t", "t"),
            ("<img src=t.gif style='display: none'>t", "t"),
        ];
        for (html, expected) in rows {
            assert_eq!(cleaned(html), expected, "{html}");
        }
    }

    #[test]
    fn what_says_nothing_and_what_is_within_the_page_stays_as_written() {
        for html in ["<header style=\"\">t</header>", "<img src=\"#q1\">"] {
            assert_eq!(cleaned(html), html);
        }
        assert_eq!(cleaned("<p style=' '>t</p>"), "<p style=\"\">t</p>");
    }

    #[test]
    fn a_frame_stays_where_it_is_asked_for() {
        let html = "<main><iframe src=/film title=Film width=9 srcdoc='<script>x</script>' onload=y()><b>no</b></iframe>
            <iframe src='javascript:x'></iframe><iframe src=mailto:a@b.example></iframe><p>t</p></main>";
        let tree = parse(html, ParseOptions { all_attributes: true, ..ParseOptions::default() });
        let resolver = Resolver::of_tree(&Url::parse("https://example.org/a/b").unwrap(), &tree);
        let film = "<iframe src=\"https://example.org/film\" title=\"Film\" width=\"9\"></iframe>";
        let written = |roots: Vec<NodeId>, frames| {
            let view = View { roots, ..View::whole(&tree) };
            write(&tree, &view, &resolver, Options { remove_base64_images: true, frames }).text
        };
        let (main, first) = (tree.find(Tag::Main).unwrap(), tree.find(Tag::Iframe).unwrap());
        assert_eq!(written(vec![first], false), film);
        assert!(!written(vec![main], false).contains("iframe"));
        let all = written(vec![main], true);
        assert!(all.contains(film) && all.contains("<p>t</p>"), "{all}");
        assert_eq!(all.matches("<iframe></iframe>").count(), 2, "{all}");
    }

    #[test]
    fn the_first_line_ends_of_code_stay_when_it_is_read_again() {
        for html in ["<pre>\n\na\n</pre>", "<pre>\n\n\na</pre>", "<pre>a</pre>", "<textarea>\n\na</textarea>"]
        {
            let once = cleaned(html);
            assert_eq!(once, html);
            assert_eq!(cleaned(&once), once);
        }
        assert_eq!(cleaned("<pre>\na</pre>"), "<pre>a</pre>");
    }
}
