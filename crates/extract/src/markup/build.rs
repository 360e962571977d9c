//! Builds the tree of a page from its tokens, and collects the visible text.

use gleaner_types::Interrupt;

use super::attribute::Attributes;
use super::reference::decode;
use super::token::{Token, Tokens};
use super::tree::{Kind, Node, Tree, UNIT_BYTES};
use super::{MAX_DEPTH, MAX_NODES, MAX_PAGE_ATTRIBUTES, lower_case};

/// What the builder needs to know of the name of an element, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kinds(u32);

impl Kinds {
    const NONE: Self = Self(0);
    /// A block, whose text is on lines of its own.
    const BLOCK: Self = Self(1);
    /// It has no content.
    const VOID: Self = Self(1 << 1);
    /// Its content is not HTML.
    const FOREIGN: Self = Self(1 << 2);
    /// Nothing in it is visible.
    const HIDDEN: Self = Self(1 << 3);
    const BREAK: Self = Self(1 << 4);
    const PARAGRAPH: Self = Self(1 << 5);
    const ITEM: Self = Self(1 << 6);
    const LIST: Self = Self(1 << 7);
    /// `dt` or `dd`
    const TERM: Self = Self(1 << 8);
    const TERMS: Self = Self(1 << 9);
    const OPTION: Self = Self(1 << 10);
    const OPTION_GROUP: Self = Self(1 << 11);
    const OPTIONS: Self = Self(1 << 12);
    const CELL: Self = Self(1 << 13);
    const ROW: Self = Self(1 << 14);
    const ROW_GROUP: Self = Self(1 << 15);
    const TABLE: Self = Self(1 << 16);
    /// A block that a paragraph around it survives.
    const CONTAINER: Self = Self(1 << 17);

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is one of these kinds.
    const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    fn of(name: &str) -> Self {
        match lower_case(name, &mut [0; 10]) {
            b"p" => Self::BLOCK.or(Self::PARAGRAPH),
            b"li" => Self::BLOCK.or(Self::ITEM).or(Self::CONTAINER),
            b"ul" | b"ol" => Self::BLOCK.or(Self::LIST),
            b"menu" => Self::LIST,
            b"dt" | b"dd" => Self::BLOCK.or(Self::TERM),
            b"dl" => Self::BLOCK.or(Self::TERMS),
            b"option" => Self::BLOCK.or(Self::OPTION),
            b"optgroup" => Self::OPTION_GROUP,
            b"select" => Self::BLOCK.or(Self::OPTIONS),
            b"datalist" => Self::OPTIONS.or(Self::HIDDEN),
            b"td" | b"th" => Self::BLOCK.or(Self::CELL).or(Self::CONTAINER),
            b"tr" => Self::BLOCK.or(Self::ROW),
            b"tbody" => Self::BLOCK.or(Self::ROW_GROUP),
            b"thead" | b"tfoot" => Self::ROW_GROUP,
            b"table" => Self::BLOCK.or(Self::TABLE).or(Self::CONTAINER),
            b"div" | b"section" | b"article" | b"button" => Self::BLOCK.or(Self::CONTAINER),
            b"hr" => Self::BLOCK.or(Self::VOID),
            b"address" | b"aside" | b"blockquote" | b"body" | b"caption" | b"details" | b"dialog"
            | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form" | b"h1" | b"h2" | b"h3"
            | b"h4" | b"h5" | b"h6" | b"header" | b"html" | b"legend" | b"main" | b"nav" | b"pre"
            | b"summary" => Self::BLOCK,
            b"br" => Self::VOID.or(Self::BREAK),
            b"area" | b"base" | b"col" | b"embed" | b"img" | b"input" | b"link" | b"meta" | b"param"
            | b"source" | b"track" | b"wbr" => Self::VOID,
            b"svg" => Self::FOREIGN.or(Self::HIDDEN),
            b"math" => Self::FOREIGN,
            b"template" | b"noscript" | b"head" => Self::HIDDEN,
            _ => Self::NONE,
        }
    }
}

/// For each start tag, the open elements that it ends and the elements that prevent it (HTML Standard,
/// 13.1.2.4).
const IMPLIED: [(Kinds, Kinds, Kinds); 7] = [
    (Kinds::ITEM, Kinds::ITEM, Kinds::LIST),
    (Kinds::TERM, Kinds::TERM, Kinds::TERMS),
    (Kinds::OPTION.or(Kinds::OPTION_GROUP), Kinds::OPTION, Kinds::OPTIONS),
    (Kinds::CELL, Kinds::CELL, Kinds::ROW.or(Kinds::TABLE)),
    (Kinds::ROW, Kinds::ROW, Kinds::TABLE),
    (Kinds::ROW_GROUP, Kinds::ROW_GROUP, Kinds::TABLE),
    (Kinds::BLOCK, Kinds::PARAGRAPH, Kinds::CONTAINER),
];

struct OpenElement<'a> {
    name: &'a str,
    kinds: Kinds,
    node: usize,
    hidden: bool,
    /// Whether it is in SVG or MathML, where a tag that ends with a slash has no end tag.
    foreign: bool,
}

impl<'a> Tree<'a> {
    /// Parses a page; never fails.
    pub(crate) fn parse(html: &'a str, interrupt: &Interrupt) -> Self {
        let mut build = TreeBuilder {
            tree: Tree {
                nodes: Vec::new(),
                attributes: Vec::new(),
                text: String::new(),
                interrupt: interrupt.clone(),
            },
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
    /// Adds a node. Its attributes are those behind the first `attributes`.
    fn push(&mut self, kind: Kind<'a>, attributes: usize, hidden: bool) -> usize {
        let index = self.tree.nodes.len();
        let text = position(self.tree.text.len());
        let parent = self.open.last().map_or(u32::MAX, |open| position(open.node));
        let end = position(index + 1);
        let attributes = position(attributes)..position(self.tree.attributes.len());
        self.tree.nodes.push(Node { kind, parent, end, text: text..text, attributes, hidden });
        index
    }

    /// Splits the attributes of a tag. Returns how many there were before.
    fn attributes(&mut self, raw: &'a str) -> usize {
        let before = self.tree.attributes.len();
        self.tree.interrupt.spend(raw.len() / UNIT_BYTES);
        if !raw.is_empty() {
            self.tree.attributes.extend(Attributes::new(raw));
        }
        before
    }

    fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|open| open.hidden)
    }

    fn token(&mut self, token: Token<'a>) {
        match token {
            Token::Text { raw, span } => self.text(raw, span.start, span.end),
            Token::Raw { name, attributes, text, .. } => {
                let before = self.attributes(attributes);
                self.push(Kind::Raw { name, text }, before, true);
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
        let before = self.tree.attributes.len();
        let index = self.push(Kind::Text { at, end }, before, false);
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
        let kinds = Kinds::of(name);
        for (starts, ends, held_by) in IMPLIED {
            if kinds.has(starts) {
                self.close_nearest(ends, held_by);
            }
        }
        self.wants_break |= kinds.has(Kinds::BLOCK.or(Kinds::BREAK));
        let before = self.attributes(attributes);
        let own = self.tree.attributes.get(before..).unwrap_or_default();
        let hidden = self.is_hidden() || kinds.has(Kinds::HIDDEN) || hides(own);
        // What hides an element counts, however many attributes there are.
        if before >= MAX_PAGE_ATTRIBUTES {
            self.tree.attributes.truncate(before);
        }
        let foreign = self.open.last().is_some_and(|open| open.foreign) || kinds.has(Kinds::FOREIGN);
        let foreign = foreign && !name.eq_ignore_ascii_case("foreignObject");
        let index = self.push(Kind::Element { name }, before, hidden);
        let is_void = kinds.has(Kinds::VOID) || (foreign && attributes.ends_with('/'));
        if is_void || self.open.len() >= MAX_DEPTH {
            return;
        }
        self.open.push(OpenElement { name, kinds, node: index, hidden, foreign });
    }

    /// Ends the innermost open element that is one of `kinds`, unless one of `held_by` is inside it.
    fn close_nearest(&mut self, kinds: Kinds, held_by: Kinds) {
        for (depth, open) in self.open.iter().enumerate().rev() {
            if open.kinds.has(kinds) {
                self.close_to(depth);
                return;
            }
            if open.kinds.has(held_by) {
                return;
            }
        }
    }

    fn end(&mut self, name: &str) {
        let of_table = Kinds::ROW.or(Kinds::ROW_GROUP).or(Kinds::TABLE);
        // End tags of other elements close no cell or table.
        let scope = if Kinds::of(name).has(of_table) { Kinds::TABLE } else { Kinds::CELL.or(Kinds::TABLE) };
        for (depth, open) in self.open.iter().enumerate().rev() {
            if open.name.eq_ignore_ascii_case(name) {
                self.close_to(depth);
                return;
            }
            if open.kinds.has(scope) {
                return;
            }
        }
    }

    fn close_to(&mut self, depth: usize) {
        let end = position(self.tree.nodes.len());
        let text_end = position(self.tree.text.len());
        for open in self.open.drain(depth..) {
            self.wants_break |= open.kinds.has(Kinds::BLOCK);
            if let Some(node) = self.tree.nodes.get_mut(open.node) {
                node.end = end;
                node.text.end = text_end;
            }
        }
    }
}

/// Whether the attributes of an element hide it. Style sheets are not read.
fn hides(attributes: &[(&str, &str)]) -> bool {
    attributes.iter().any(|(key, value)| {
        key.eq_ignore_ascii_case("hidden")
            || (key.eq_ignore_ascii_case("style") && {
                let folded: String = value.chars().take(512).filter(|found| !found.is_whitespace()).collect();
                folded.to_ascii_lowercase().contains("display:none")
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::MAX_ATTRIBUTES;
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
    fn what_is_hidden_stays_hidden_behind_very_many_attributes() {
        let many = format!("<i {}></i>", "a ".repeat(MAX_ATTRIBUTES))
            .repeat(MAX_PAGE_ATTRIBUTES / MAX_ATTRIBUTES + 1);
        let html = format!("{many}<p hidden class=a>no</p><p class=b>yes</p>");
        let tree = Tree::parse(&html, &Interrupt::never());
        assert_eq!(tree.text(), "yes");
        let last = tree.nodes().filter(|node| tree.is(*node, &["p"])).last().unwrap();
        assert!(
            tree.attributes(last).is_empty() && tree.attributes.len() < MAX_PAGE_ATTRIBUTES + MAX_ATTRIBUTES
        );
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
