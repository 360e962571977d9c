//! Formulas: TeX where the page has it, between dollars.

use crate::tree::{Attr, Edge, NodeId, Tag, Tree, Walk};

/// The Markdown of a formula that starts at this element; `None` where none does. An empty one is to be left out,
/// because the same formula stands beside it.
pub(super) fn of(tree: &Tree, node: NodeId) -> Option<String> {
    match tree.tag(node) {
        Tag::Math => {
            let display = tree.attribute(node, Attr::Display).is_some_and(|display| display == "block");
            let tex =
                annotation(tree, node).or_else(|| tree.attribute(node, Attr::Alttext).map(str::to_owned))?;
            Some(dollars(&tex, display))
        }
        Tag::Script => {
            let kind = tree.attribute(node, Attr::Type).filter(|kind| kind.starts_with("math/tex"))?;
            Some(dollars(tree.text(tree.first_child(node)?), kind.contains("mode=display")))
        }
        Tag::Span | Tag::Div | Tag::Other => {
            let class = tree.attribute(node, Attr::Class)?;
            let has = |name: &str| class.split_ascii_whitespace().any(|word| word == name);
            if has("katex") || has("katex-display") {
                let display = has("katex-display")
                    || tree
                        .parent(node)
                        .and_then(|parent| tree.attribute(parent, Attr::Class))
                        .is_some_and(|class| class.contains("katex-display"));
                return annotation(tree, node).map(|tex| dollars(&tex, display));
            }
            // What MathJax draws stands beside the script with the source.
            (has("MathJax") || has("MathJax_Display") || has("MathJax_Preview") || has("MathJax_SVG"))
                .then(String::new)
                .filter(|_| source_follows(tree, node))
        }
        _ => None,
    }
}

/// The TeX in an `annotation` below.
fn annotation(tree: &Tree, node: NodeId) -> Option<String> {
    Walk::new(tree, node).find_map(|edge| match edge {
        Edge::Enter(inner)
            if tree.name(inner) == "annotation"
                && tree.attribute(inner, Attr::Encoding).is_some_and(|kind| kind.contains("tex")) =>
        {
            Some(tree.text_content(inner))
        }
        _ => None,
    })
}

fn source_follows(tree: &Tree, node: NodeId) -> bool {
    std::iter::successors(Some(node), |node| tree.next_sibling(*node)).take(4).any(|sibling| {
        tree.tag(sibling) == Tag::Script
            && tree.attribute(sibling, Attr::Type).is_some_and(|kind| kind.starts_with("math/tex"))
    })
}

fn dollars(tex: &str, display: bool) -> String {
    let mut folded = String::with_capacity(tex.len() + 4);
    for word in tex.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    if folded.is_empty() {
        return folded;
    }
    let folded = folded.replace('<', "\\lt ").replace("\\lt  ", "\\lt ");
    if display { format!("$${folded}$$") } else { format!("${folded}$") }
}
