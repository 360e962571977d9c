//! Callouts: notes, tips and warnings in boxes beside the text. They become quotes that begin with a marker,
//! such as `[!NOTE]`, which several readers of Markdown show as boxes again.

use super::Writer;
use super::lines::{BlockKind, Container};
use crate::names;
use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// An open callout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Callout {
    node: NodeId,
    /// The element with its title, if the marker says the same.
    title: Option<NodeId>,
}

/// Kinds of callouts, as pages name them, and the marker of each.
const KINDS: &[(&str, &str)] = &[
    ("note", "NOTE"),
    ("info", "NOTE"),
    ("information", "NOTE"),
    ("seealso", "NOTE"),
    ("tip", "TIP"),
    ("hint", "TIP"),
    ("success", "TIP"),
    ("important", "IMPORTANT"),
    ("warning", "WARNING"),
    ("warn", "WARNING"),
    ("attention", "WARNING"),
    ("caution", "CAUTION"),
    ("danger", "CAUTION"),
    ("error", "CAUTION"),
];

/// Maximum number of tree edges before the title of a callout.
const MAX_TITLE_EDGES: usize = 24;

/// Maximum length of a title that the marker may replace, in bytes.
const MAX_TITLE_BYTES: usize = 16;

impl Writer<'_> {
    /// Starts a callout. Returns false if the element is none.
    pub(super) fn open_callout(&mut self, node: NodeId) -> bool {
        if self.options.faithful {
            return false;
        }
        let Some((kind, marker)) = kind(self.tree, node) else { return false };
        self.lines.push(Container::Quote { started: false });
        self.lines.start(BlockKind::Paragraph);
        self.lines.write(&format!("[!{marker}]"));
        self.ended_list = None;
        let says_kind = |title: &NodeId| {
            let text = self.tree.folded_text(*title, MAX_TITLE_BYTES);
            let text = text.trim().trim_end_matches(':');
            text.eq_ignore_ascii_case(kind) || text.eq_ignore_ascii_case(marker)
        };
        let title = title(self.tree, node).or_else(|| bold_title(self.tree, node)).filter(says_kind);
        self.open_callouts.push(Callout { node, title });
        true
    }

    /// Ends a callout, if the element is one.
    pub(super) fn close_callout(&mut self, node: NodeId) {
        if self.open_callouts.pop_if(|callout| callout.node == node).is_some() {
            self.lines.pop(false);
            self.ended_list = None;
        }
    }

    /// Is an element the title of the innermost callout, and said by its marker?
    pub(super) fn is_callout_title(&self, node: NodeId) -> bool {
        self.open_callouts.last().is_some_and(|callout| callout.title == Some(node))
    }
}

/// Is an element a callout?
pub(crate) fn is_callout(tree: &Tree, node: NodeId) -> bool {
    kind(tree, node).is_some()
}

/// The kind of a callout and its marker. The class names the box and the kind: `admonition note`,
/// `callout-tip`, `alert alert-info`.
fn kind(tree: &Tree, node: NodeId) -> Option<(&'static str, &'static str)> {
    const BOXES: &[&str] =
        &["admonition", "callout", "alert", "markdown-alert", "theme-admonition", "starlight-aside"];
    if !matches!(tree.tag(node), Tag::Div | Tag::Aside | Tag::Section) {
        return None;
    }
    let class = names::class(tree, node);
    // Few classes have these letters. A search for each name would cost more than the rest.
    if !class
        .as_bytes()
        .windows(5)
        .any(|letters| matches!(letters, b"admon" | b"callo" | b"alert" | b"starl"))
    {
        return None;
    }
    let words = names::class_words(class);
    words.clone().find(|word| BOXES.contains(word))?;
    let mut found = words.flat_map(|word| {
        let parts = BOXES.iter().filter_map(move |name| word.strip_prefix(name)?.strip_prefix(['-', '_']));
        std::iter::once(word).chain(parts)
    });
    found.find_map(kind_named).or_else(|| kind_named(tree.attribute(node, Attr::DataCallout)?))
}

fn kind_named(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.trim_start_matches('-');
    KINDS.iter().find(|(kind, _)| name.eq_ignore_ascii_case(kind)).copied()
}

/// The element with the title of a callout, by its class.
fn title(tree: &Tree, callout: NodeId) -> Option<NodeId> {
    Walk::new(tree, callout).take(MAX_TITLE_EDGES).find_map(|edge| match edge {
        Edge::Enter(node) if node != callout => {
            let mut words = names::class_words(names::class(tree, node));
            words
                .any(|word| {
                    word == "title"
                        || word.ends_with("-title")
                        || word.ends_with("_title")
                        || word.ends_with("-heading")
                })
                .then_some(node)
        }
        _ => None,
    })
}

/// Bold text at the start of a callout that is its title: a colon ends it, or nothing or a new sentence
/// follows it.
fn bold_title(tree: &Tree, callout: NodeId) -> Option<NodeId> {
    let first = Walk::new(tree, callout).take(MAX_TITLE_EDGES).find_map(|edge| match edge {
        Edge::Enter(node) => {
            let is_text = !tree.text(node).trim().is_empty();
            (is_text || matches!(tree.tag(node), Tag::Strong | Tag::B)).then_some(node)
        }
        Edge::Leave(_) => None,
    })?;
    let bold = Some(first).filter(|first| tree.is_element(*first))?;
    let begins_sentence = || {
        let mut after = std::iter::successors(tree.next_sibling(bold), |node| tree.next_sibling(*node));
        let next = after.find(|node| tree.is_element(*node) || !tree.text(*node).trim().is_empty());
        next.is_none_or(|next| match tree.text(next).trim_start().chars().next() {
            Some(letter) => letter.is_uppercase(),
            None => tree.tag(next) == Tag::Br || tree.tag(next).is_block(),
        })
    };
    let ends = tree.folded_text(bold, MAX_TITLE_BYTES).trim_end().ends_with(':');
    (ends || begins_sentence()).then_some(bold)
}

#[cfg(test)]
mod tests {
    use crate::markdown::tests::check_page;

    #[test]
    fn callouts_become_quotes_with_a_marker() {
        check_page(&[
            (
                "the marker says the title",
                "<p>a<div class='admonition note'><p class=admonition-title>Note<p>b<ul><li>c</ul></div><p>d",
                "a\n\n> [!NOTE]\n>\n> b\n>\n> - c\n\nd",
            ),
            (
                "a title of its own",
                "<aside class='callout callout-tip'><b class=callout-title>Do</b><p>b</aside>",
                "> [!TIP]\n>\n> **Do**\n>\n> b",
            ),
            (
                "a class of one word",
                "<div class='admonition warning'><p class=title>Warning<p>b</div>",
                "> [!WARNING]\n>\n> b",
            ),
            (
                "a bold title",
                "<aside class='callout note'><strong>Note</strong> This is b.</aside>",
                "> [!NOTE]\n>\n> This is b.",
            ),
            (
                "a bold title with a colon",
                "<div class='alert alert-info'><p><b>Note:</b> use b.</div>",
                "> [!NOTE]\n>\n> use b.",
            ),
            (
                "a bold word of a sentence",
                "<div class='alert alert-warning'><b>Warning</b> signs are red.</div>",
                "> [!WARNING]\n>\n> **Warning** signs are red.",
            ),
            ("without a title", "<div class='alert alert-danger'>b</div><p>c", "> [!CAUTION]\n>\n> b\n\nc"),
            (
                "one in another",
                "<div class='admonition tip'><p>a<div class='admonition warning'><p>b</div></div>",
                "> [!TIP]\n>\n> a\n>\n> > [!WARNING]\n> >\n> > b",
            ),
            (
                "a kind after the name of a box",
                "<aside class='starlight-aside starlight-aside--caution'><p class=starlight-aside__title>Caution<p>b</aside>",
                "> [!CAUTION]\n>\n> b",
            ),
            ("a kind in an attribute", "<div class=callout data-callout=info>b</div>", "> [!NOTE]\n>\n> b"),
            ("a box of no known kind", "<div class=callout><p>b</div>", "b"),
            ("a class with a similar name", "<div class='alert-list info'>b</div>", "b"),
        ]);
    }
}
