use gleaner_types::Interrupt;

use super::reference::decode;
use super::token::{Token, Tokens};
use super::tree::{Kind, Node, Tree, UNIT_BYTES};
use super::{Attributes, MAX_DEPTH, MAX_NODES};

/// Elements without content.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Block elements, whose text is on lines of its own.
const BLOCK: [&str; 44] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "button",
    "caption",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "legend",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "tr",
    "ul",
];

/// For each start tag, the open elements that it ends and the elements that prevent it (HTML Standard,
/// 13.1.2.4).
const IMPLIED: [(&[&str], &[&str], &[&str]); 6] = [
    (&["li"], &["li"], &["ul", "ol", "menu"]),
    (&["dt", "dd"], &["dt", "dd"], &["dl"]),
    (&["option", "optgroup"], &["option"], &["select", "datalist"]),
    (&["td", "th"], &["td", "th"], &["tr", "table"]),
    (&["tr"], &["tr"], &["table"]),
    (&["tbody", "thead", "tfoot"], &["tbody", "thead", "tfoot"], &["table"]),
];

/// Elements whose content is not HTML.
const FOREIGN: [&str; 2] = ["svg", "math"];

/// Elements that end tags of other elements do not close.
const SCOPE_ELEMENTS: [&str; 3] = ["td", "th", "table"];

fn one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

struct OpenElement<'a> {
    name: &'a str,
    node: usize,
    hidden: bool,
    block: bool,
    /// Whether it is in SVG or MathML, where a tag that ends with a slash has no end tag.
    foreign: bool,
}

impl<'a> Tree<'a> {
    /// Parses a page; never fails.
    pub(crate) fn parse(html: &'a str, interrupt: &Interrupt) -> Self {
        let mut build = TreeBuilder {
            tree: Tree { nodes: Vec::new(), text: String::new(), interrupt: interrupt.clone() },
            open: Vec::new(),
            wants_break: false,
        };
        for token in Tokens::new(html) {
            if build.tree.nodes.len() >= MAX_NODES || interrupt.spend(1) {
                break;
            }
            build.token(token);
        }
        build.close_to(0);
        build.tree
    }
}

struct TreeBuilder<'a> {
    tree: Tree<'a>,
    open: Vec<OpenElement<'a>>,
    /// Whether the next text starts a new line.
    wants_break: bool,
}

fn position(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl<'a> TreeBuilder<'a> {
    fn push(&mut self, kind: Kind<'a>, hidden: bool) -> usize {
        let index = self.tree.nodes.len();
        let text = position(self.tree.text.len());
        let parent = self.open.last().map_or(u32::MAX, |open| position(open.node));
        let end = position(index + 1);
        self.tree.nodes.push(Node { kind, parent, end, text: text..text, hidden });
        index
    }

    fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|open| open.hidden)
    }

    fn token(&mut self, token: Token<'a>) {
        match token {
            Token::Text { raw, span } => self.text(raw, span.start, span.end),
            Token::Raw { name, attributes, text, .. } => {
                self.push(Kind::Raw { name, attributes, text }, true);
            }
            Token::Start { name, attributes } => self.start(name, attributes),
            Token::End { name } => self.end(name),
        }
    }

    fn text(&mut self, raw: &'a str, at: usize, end: usize) {
        let hidden = self.is_hidden();
        if hidden || raw.bytes().all(|byte| byte.is_ascii_whitespace()) {
            if !hidden && !self.tree.text.ends_with([' ', '\n']) && !self.tree.text.is_empty() {
                self.tree.text.push(' ');
            }
            return;
        }
        self.tree.interrupt.spend(raw.len() / UNIT_BYTES);
        let decoded = decode(raw);
        if self.wants_break && !self.tree.text.is_empty() {
            while self.tree.text.ends_with(' ') {
                self.tree.text.pop();
            }
            if !self.tree.text.ends_with('\n') {
                self.tree.text.push('\n');
            }
        }
        self.wants_break = false;
        let index = self.push(Kind::Text { at, end }, false);
        let start = self.tree.text.len();
        for found in decoded.chars() {
            let blank = found.is_whitespace() || matches!(found, '\u{200b}' | '\u{feff}' | '\u{ad}');
            if !blank {
                self.tree.text.push(found);
            } else if !self.tree.text.ends_with([' ', '\n']) && !self.tree.text.is_empty() {
                self.tree.text.push(' ');
            }
        }
        let range = position(start)..position(self.tree.text.len());
        if let Some(node) = self.tree.nodes.get_mut(index) {
            node.text = range;
        }
    }

    fn start(&mut self, name: &'a str, attributes: &'a str) {
        for (starts, ends, held_by) in IMPLIED {
            if one_of(name, starts) {
                self.close_nearest(ends, held_by);
            }
        }
        let block = one_of(name, &BLOCK);
        if block {
            self.close_nearest(&["p"], &["div", "td", "th", "li", "section", "article", "button", "table"]);
        }
        self.wants_break |= block || name.eq_ignore_ascii_case("br");
        let hidden = self.is_hidden() || hides(name, attributes);
        let foreign = self.open.last().is_some_and(|open| open.foreign) || one_of(name, &FOREIGN);
        let foreign = foreign && !name.eq_ignore_ascii_case("foreignObject");
        let index = self.push(Kind::Element { name, attributes }, hidden);
        if one_of(name, &VOID) || (foreign && attributes.ends_with('/')) || self.open.len() >= MAX_DEPTH {
            return;
        }
        self.open.push(OpenElement { name, node: index, hidden, block, foreign });
    }

    /// Ends the innermost open element that is one of `names`, unless one of `held_by` is inside it.
    fn close_nearest(&mut self, names: &[&str], held_by: &[&str]) {
        for (depth, open) in self.open.iter().enumerate().rev() {
            if one_of(open.name, names) {
                self.close_to(depth);
                return;
            }
            if one_of(open.name, held_by) {
                return;
            }
        }
    }

    fn end(&mut self, name: &str) {
        let scope = if one_of(name, &["tr", "tbody", "thead", "tfoot", "table"]) {
            &["table"][..]
        } else {
            &SCOPE_ELEMENTS
        };
        for (depth, open) in self.open.iter().enumerate().rev() {
            if open.name.eq_ignore_ascii_case(name) {
                self.close_to(depth);
                return;
            }
            if one_of(open.name, scope) {
                return;
            }
        }
    }

    fn close_to(&mut self, depth: usize) {
        let end = position(self.tree.nodes.len());
        let text_end = position(self.tree.text.len());
        for open in self.open.drain(depth..) {
            self.wants_break |= open.block;
            if let Some(node) = self.tree.nodes.get_mut(open.node) {
                node.end = end;
                node.text.end = text_end;
            }
        }
    }
}

/// Whether nothing in the element is visible, by the markup alone: style sheets are not read.
fn hides(name: &str, attributes: &str) -> bool {
    if one_of(name, &["template", "noscript", "svg", "head", "datalist"]) {
        return true;
    }
    if attributes.is_empty() {
        return false;
    }
    Attributes::new(attributes).any(|(key, value)| {
        key.eq_ignore_ascii_case("hidden")
            || (key.eq_ignore_ascii_case("style") && {
                let folded: String =
                    value.chars().take(512).filter(|found| !found.is_whitespace()).collect::<String>();
                folded.to_ascii_lowercase().contains("display:none")
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_text_is_folded_and_broken_into_lines() {
        let html = "<head><title>t</title></head><h1>A  B</h1><p>one <b>two</b>&nbsp;&amp; three<p>four\
                    <div hidden>no</div><script>no</script><span style='display: none'>no</span>";
        let tree = Tree::parse(html, &Interrupt::never());
        assert_eq!(tree.text(), "A B\none two & three\nfour");
    }

    #[test]
    fn cells_and_items_end_implicitly() {
        let tree = Tree::parse(
            "<table><tr><td>a<td>b<tr><td>c</table><ul><li>x<li>y<ul><li>z</ul></ul>",
            &Interrupt::never(),
        );
        let texts = |name: &str| -> Vec<&str> {
            tree.nodes().filter(|node| tree.is(*node, &[name])).map(|node| tree.text_of(node)).collect()
        };
        assert_eq!(texts("tr"), ["a\nb", "c"]);
        assert_eq!(texts("td"), ["a", "b", "c"]);
        assert_eq!(texts("li"), ["x", "y\nz", "z"]);
    }

    #[test]
    fn nesting_is_bounded_and_stray_end_tags_are_ignored() {
        let html = "<div>".repeat(100_000);
        let tree = Tree::parse(&html, &Interrupt::never());
        let deepest = tree.nodes().last().unwrap();
        assert!(tree.ancestors(deepest).count() <= MAX_DEPTH);
        let tree = Tree::parse("<div><table><tr><td>a</div>b</td></tr></table>c</div>d", &Interrupt::never());
        let outer = tree.nodes().next().unwrap();
        assert_eq!(tree.text_of(outer), "ab\nc");
    }

    #[test]
    fn text_nodes_keep_their_range_in_the_page() {
        let html = "<p>caf&eacute; <b>noir</b></p>";
        let tree = Tree::parse(html, &Interrupt::never());
        let spans: Vec<&str> = tree
            .nodes()
            .filter_map(|node| match tree.kind(node)? {
                Kind::Text { at, end } => html.get(at..end),
                _ => None,
            })
            .collect();
        assert_eq!(spans, ["caf&eacute; ", "noir"]);
    }
}
