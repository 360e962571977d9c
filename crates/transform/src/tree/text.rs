//! The text below a node.

use super::{Edge, Kind, NodeId, Tag, Tree, Walk};

impl Tree {
    /// All text below a node as in the source, without invisible elements.
    pub(crate) fn text_content(&self, id: NodeId) -> String {
        let mut out = String::new();
        let mut walk = Walk::new(self, id);
        while let Some(edge) = walk.next() {
            if let Edge::Enter(node) = edge {
                if self.is_unshown(node) && node != id {
                    walk.skip_children();
                } else {
                    out.push_str(self.text(node));
                }
            }
        }
        out
    }

    /// True if there is text below a node within the first `edges` steps of a walk.
    pub(crate) fn has_text_within(&self, id: NodeId, edges: usize) -> bool {
        let mut walk = Walk::new(self, id);
        for _ in 0..edges {
            match walk.next() {
                Some(Edge::Enter(node)) if self.is_unshown(node) && node != id => walk.skip_children(),
                Some(Edge::Enter(node)) if !self.text(node).trim().is_empty() => return true,
                Some(_) => {}
                None => break,
            }
        }
        false
    }

    /// All text below a node with folded white space. Reading stops after about `limit` bytes.
    pub(crate) fn folded_text(&self, id: NodeId, limit: usize) -> String {
        let mut out = String::new();
        let mut walk = Walk::new(self, id);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) if self.is_unshown(node) && node != id => walk.skip_children(),
                Edge::Enter(node) if self.kind(node) == Kind::Text => {
                    for (index, word) in self.text(node).split_ascii_whitespace().enumerate() {
                        let glued =
                            index == 0 && !self.text(node).starts_with(|c: char| c.is_ascii_whitespace());
                        if !glued && !out.is_empty() && !out.ends_with(' ') {
                            out.push(' ');
                        }
                        out.push_str(word);
                    }
                    if self.text(node).ends_with(|c: char| c.is_ascii_whitespace())
                        && !out.is_empty()
                        && !out.ends_with(' ')
                    {
                        out.push(' ');
                    }
                    if out.len() > limit {
                        break;
                    }
                }
                Edge::Enter(node) | Edge::Leave(node)
                    if (self.tag(node).is_block() || self.tag(node) == Tag::Br)
                        && !out.is_empty()
                        && !out.ends_with(' ') =>
                {
                    out.push(' ');
                }
                _ => {}
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}
