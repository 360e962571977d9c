//! Text within a line that no reader sees: sort keys in cells, tooltips and templates in sentences, popups in
//! code.
//!
//! A hidden box may be a fold or a tab that a reader opens. A hidden part of a line is neither: to show it
//! would break the sentence, the cell or the code around it. So its names decide nothing. The exception is
//! the end of a paragraph behind "read more": it is long, it has a name, and nothing follows it. A row of
//! links in a `div`, some of them hidden, is a list and no line.

mod sheet;

use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};
use crate::view::View;
use crate::words::count;
use sheet::Sheet;

/// Maximum number of declarations of a style that are read.
const MAX_DECLARATIONS: usize = 64;

/// Maximum distance of an element to the block that is its line, in elements.
const MAX_LINE_DISTANCE: usize = 12;

/// Maximum number of nodes beside an element that are examined for text of its line.
const MAX_BESIDE: usize = 64;

/// Maximum number of tree edges of a hidden element that are examined for blocks and formulas.
const MAX_EDGES: usize = 200;

/// From this number of words on, a hidden end of a paragraph may be one that a reader opens.
const MIN_FOLD_WORDS: usize = 8;

/// The same if it has no name but its class.
const MIN_CLASS_FOLD_WORDS: usize = 20;

/// Maximum number of words of a sort key that scripts may find by a name of its own.
const MAX_KEY_WORDS: usize = 5;

/// Bytes of a hidden text whose words are counted.
const MAX_COUNTED_BYTES: usize = 200;

/// Properties that hide an element, and their values that do.
const HIDING: [(&str, &[&str]); 3] =
    [("display", &["none"]), ("visibility", &["hidden", "collapse"]), ("content-visibility", &["hidden"])];

/// Does the style attribute of an element hide it? Of several declarations of a property the last one counts,
/// and an important one more than others (CSS Cascading and Inheritance, 6.1).
pub(crate) fn hides(style: &str) -> bool {
    let mut found = [(false, false); HIDING.len()];
    for declaration in style.split(';').take(MAX_DECLARATIONS) {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let property = property.trim();
        for ((name, values), (hidden, fixed)) in HIDING.iter().zip(&mut found) {
            if !property.eq_ignore_ascii_case(name) {
                continue;
            }
            let (value, mark) = value.split_once('!').unwrap_or((value, ""));
            let important = mark.trim().eq_ignore_ascii_case("important");
            if important || !*fixed {
                *hidden = values.iter().any(|listed| value.trim().eq_ignore_ascii_case(listed));
                *fixed |= important;
            }
        }
    }
    found.iter().any(|(hidden, _)| *hidden)
}

/// Is an element hidden by its attributes, and not by those of an ancestor? What a search in the page opens
/// (`hidden=until-found`) is not.
pub(crate) fn is_hidden(tree: &Tree, node: NodeId) -> bool {
    tree.known_attributes(node).any(|(name, value)| match name {
        Attr::Hidden => !value.trim().eq_ignore_ascii_case("until-found"),
        Attr::Style => hides(value),
        Attr::Popover => true,
        _ => false,
    })
}

/// Hides the elements that are hidden within a line, whatever their names. `text` is the source of the page.
pub(crate) fn hide_in_lines(tree: &Tree, text: &str, view: &mut View) {
    let page = Page { tree, sheet: Sheet::of_page(tree, text) };
    for node in tree.all_elements() {
        if page.is_hidden(node) && page.is_in_line(node) {
            view.hidden.insert(node);
        }
    }
}

/// A page with its style sheets.
#[derive(Debug)]
struct Page<'t> {
    tree: &'t Tree,
    sheet: Sheet,
}

impl Page<'_> {
    /// Is an element hidden by its attributes, or a part of a line by a style sheet? A style of its own may
    /// show it again.
    fn is_hidden(&self, node: NodeId) -> bool {
        is_hidden(self.tree, node)
            || (is_phrasing(self.tree.tag(node))
                && self.sheet.hides(self.tree, node)
                && !self.tree.has(node, Attr::Style))
    }

    /// Is a hidden element a part of a line with text that is shown?
    fn is_in_line(&self, node: NodeId) -> bool {
        let tree = self.tree;
        let tag = tree.tag(node);
        if matches!(tag, Tag::Td | Tag::Th) {
            // A column that is not shown.
            return tree.parent(node).is_some_and(|row| {
                let is_shown_cell = |cell: NodeId| {
                    matches!(tree.tag(cell), Tag::Td | Tag::Th) && cell != node && !is_hidden(tree, cell)
                };
                tree.tag(row) == Tag::Tr && tree.child_elements(row).take(MAX_BESIDE).any(is_shown_cell)
            });
        }
        if holds_more(tree, node) {
            return false;
        }
        let around = || tree.ancestors(node).take(MAX_LINE_DISTANCE);
        let Some(line) = around().find(|around| tree.tag(*around).is_block()) else { return false };
        let after = self.has_text_beside(node, line, true);
        if !after && !self.has_text_beside(node, line, false) {
            return false;
        }
        if is_phrasing(tag) {
            return after || !may_unfold(tree, node);
        }
        match tree.tag(line) {
            Tag::H1
            | Tag::H2
            | Tag::H3
            | Tag::H4
            | Tag::H5
            | Tag::H6
            | Tag::Pre
            | Tag::Caption
            | Tag::Dt
            | Tag::Summary => matches!(tag, Tag::Div | Tag::P),
            Tag::Td | Tag::Th => {
                matches!(tag, Tag::Div | Tag::P)
                    && (!has_own_name(tree, node) || has_words(tree, node, 0..=MAX_KEY_WORDS))
            }
            _ => false,
        }
    }

    /// Is there text on the line of an element before it or after it?
    fn has_text_beside(&self, node: NodeId, line: NodeId, after: bool) -> bool {
        let tree = self.tree;
        let step = |at: NodeId| if after { tree.next_sibling(at) } else { tree.previous_sibling(at) };
        let mut at = node;
        let mut left = MAX_BESIDE;
        while at != line {
            let mut beside = step(at);
            while let Some(found) = beside {
                if left == 0 {
                    return false;
                }
                left -= 1;
                let is_text = if tree.is_element(found) {
                    !is_container(tree.tag(line)) && self.is_shown_part(found)
                } else {
                    !tree.text(found).trim().is_empty()
                };
                if is_text {
                    return true;
                }
                beside = step(found);
            }
            let Some(parent) = tree.parent(at) else { return false };
            at = parent;
        }
        false
    }

    /// Is an element a part of a line, with text that is shown?
    fn is_shown_part(&self, node: NodeId) -> bool {
        let tree = self.tree;
        is_phrasing(tree.tag(node)) && !self.is_hidden(node) && !tree.folded_text(node, 1).is_empty()
    }
}

/// Elements that hold lines, and lists of links and the like. Only text of their own makes them a line.
const fn is_container(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Article
            | Tag::Aside
            | Tag::Body
            | Tag::Div
            | Tag::Fieldset
            | Tag::Footer
            | Tag::Form
            | Tag::Header
            | Tag::Main
            | Tag::Nav
            | Tag::Search
            | Tag::Section
    )
}

/// Is a hidden end of a line long, and can a script find it?
fn may_unfold(tree: &Tree, node: NodeId) -> bool {
    let min = if has_own_name(tree, node) { MIN_FOLD_WORDS } else { MIN_CLASS_FOLD_WORDS };
    (has_own_name(tree, node) || tree.has(node, Attr::Class))
        && tree.attribute(node, Attr::Role) != Some("tooltip")
        && has_words(tree, node, min..=usize::MAX)
}

/// Has an element an id or another attribute by which a script finds it, besides its class?
fn has_own_name(tree: &Tree, node: NodeId) -> bool {
    tree.known_attributes(node).any(|(name, _)| name == Attr::Id || name.is_hook())
}

fn has_words(tree: &Tree, node: NodeId, range: std::ops::RangeInclusive<usize>) -> bool {
    range.contains(&count(&tree.folded_text(node, MAX_COUNTED_BYTES)))
}

/// Does an element hold a block, so that it is no part of a line, or a formula? A formula may stand hidden
/// beside its picture, and Markdown is written from it.
fn holds_more(tree: &Tree, node: NodeId) -> bool {
    Walk::new(tree, node).take(MAX_EDGES).any(|edge| match edge {
        Edge::Enter(inner) => inner != node && (tree.tag(inner).is_block() || tree.tag(inner) == Tag::Math),
        Edge::Leave(_) => false,
    })
}

/// Elements that are parts of a line. Elements of a page's own making may be anything.
const fn is_phrasing(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::A
            | Tag::Abbr
            | Tag::B
            | Tag::Big
            | Tag::Button
            | Tag::Cite
            | Tag::Code
            | Tag::Data
            | Tag::Del
            | Tag::Dfn
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::Ins
            | Tag::Kbd
            | Tag::Label
            | Tag::Mark
            | Tag::Nobr
            | Tag::Q
            | Tag::S
            | Tag::Samp
            | Tag::Small
            | Tag::Span
            | Tag::Strike
            | Tag::Strong
            | Tag::Sub
            | Tag::Sup
            | Tag::Time
            | Tag::Tt
            | Tag::U
            | Tag::Var
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn a_style_hides_by_its_last_declaration() {
        let rows = [
            ("display:none", true),
            ("DISPLAY : None", true),
            ("color:red;display:  none !important", true),
            ("visibility:hidden", true),
            ("visibility: collapse", true),
            ("content-visibility:hidden", true),
            ("display:none;display:block", false),
            ("display:none!important;display:block", true),
            ("display:block", false),
            ("--display:none", false),
            ("background:url(display:none)", false),
            ("", false),
        ];
        for (style, expected) in rows {
            assert_eq!(hides(style), expected, "{style}");
        }
    }

    /// The text of a page without what is hidden in its lines.
    fn shown(html: &str) -> String {
        let tree = parse(html, ParseOptions::default());
        let mut view = View::whole(&tree);
        hide_in_lines(&tree, html, &mut view);
        let mut out = String::new();
        let mut walk = Walk::new(&tree, NodeId::DOCUMENT);
        while let Some(edge) = walk.next() {
            if let Edge::Enter(node) = edge {
                if view.hidden.contains(node) {
                    walk.skip_children();
                }
                out.push_str(tree.text(node));
            }
        }
        out
    }

    #[test]
    fn hidden_parts_of_a_line_are_found_whatever_their_names() {
        let hidden = [
            "<p>a <span class=x hidden>x</span>b",
            "<p>a <span class=x style='display: none !important'>x</span>b",
            "<p>a <span id=t role=tooltip style=visibility:hidden>x x x x x x x x x</span>b",
            "<p><span class=x hidden>x</span>a b",
            "<p>a b<span class=x hidden>x</span>",
            "<p>a <b><span class=x hidden>x</span></b>b",
            "<p>a <a class=x hidden>x</a><abbr class=x hidden>x</abbr><button class=x hidden>x</button>b",
            "<ul><li>a <em id=e hidden>x</em>b</ul>",
            "<table><tr><td><span class=key style=display:none>x</span>a b</table>",
            "<table><tr><td><div class=key style=display:none>x</div>a b</table>",
            "<table><tr><td>a <td class=id hidden>x<td>b</table>",
            "<h2>a <div class=tip hidden>x</div>b</h2>",
            "<pre>a <span class=popup hidden>x\nx</span>b</pre>",
            "<pre>a <div class=popup id=p hidden>x x x x x x x x</div>b</pre>",
            "<dl><dt>a <span class=x hidden>x</span>b<dd></dl>",
            "<div>a <span class=template hidden>x</span>b</div>",
            "<p>a <span popover id=tip>x</span>b",
            "<table><tr><td><span class=key hidden>x</span><span>a b</span></table>",
            "<style>.x{display:none}</style><p>a <span class=x>x</span>b",
        ];
        for html in hidden {
            assert_eq!(shown(html).replace('\n', ""), "a b", "{html}");
        }
    }

    #[test]
    fn what_a_reader_can_open_is_no_part_of_a_line() {
        let rows = [
            "<p>a</p><div class=panel hidden>x</div><p>b",
            "<p>a <span hidden=until-found>x</span>b",
            "<p>a <span id=more style=display:none>x x x x x x x x</span></p>b",
            "<ul><li>a <div class=answer hidden>x</div></ul>b",
            "<ul><li>a <ul class=sub hidden><li>x</ul></ul>b",
            "<details><summary>a</summary>x</details>b",
            "<p>a<p><span class=x hidden>x</span><p>b",
            "<x-tabs>a <x-panel hidden>x</x-panel></x-tabs>b",
            "<table><tr><td>a <div id=d hidden>x x x x x x x x</div><td>b</table>",
            "<table><tr><td>a <div class=d hidden><p>x</div><td>b</table>",
            "<table><tr><td>a<tr class=more hidden><td>x</table>b",
            "<p>a <span style=display:block>x</span>b",
            "<div><a>a</a><a class=tag hidden>x</a><button>b</button></div>",
            "<p>a <span class=rest hidden>x x x x x x x x x x x x x x x x x x x x</span></p>b",
            "<p>a <span class=mathml style='display: none'><math><mi>x</mi></math></span><img src=x.svg>b",
            "<style>.w{visibility:hidden}</style><p><span class=w>x</span> <span class=w>x</span> <i class=w>x</i>",
            "<style>.w{display:none}</style><div class=w>x</div>",
        ];
        for html in rows {
            assert!(shown(html).contains('x'), "{html}");
        }
    }
}
