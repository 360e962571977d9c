//! Fills the slots of declarative shadow trees: a browser shows the children of a host in the slots of its
//! shadow tree, and the own content of a slot only if no child is assigned to it (DOM Standard, 4.2.2).

use std::collections::{HashMap, HashSet};

use super::build::MAX_DEPTH;
use super::{Attr, Edge, ElementNamespace, NONE, NodeId, PackedKind, Tag, Tree, Walk};

impl Tree {
    /// Moves the children of each shadow host into the slots that show them. What no slot shows moves into a
    /// template, which is not part of the page.
    pub(super) fn fill_slots(&mut self) {
        // An outer shadow tree comes first: its slots may be children of an inner host.
        let roots: Vec<NodeId> =
            self.elements_with_tag(Tag::Template).filter(|node| self.is_shadow_root(*node)).collect();
        let mut hosts = HashSet::new();
        for root in roots {
            // Slots inside slots could make the tree much deeper than the page.
            let is_deep = self.ancestors(root).nth(usize::from(MAX_DEPTH)).is_some();
            let host = self.parent(root).filter(|host| !is_deep && self.is_host(*host));
            // A host has one shadow tree.
            if let Some(host) = host.filter(|host| hosts.insert(*host)) {
                self.fill_slots_of(host, root);
            }
        }
    }

    /// True for an element that may have a shadow tree (DOM Standard, 4.9).
    fn is_host(&self, node: NodeId) -> bool {
        match self.tag(node) {
            Tag::Other => self.name(node).contains('-'),
            Tag::Article
            | Tag::Aside
            | Tag::Blockquote
            | Tag::Body
            | Tag::Div
            | Tag::Footer
            | Tag::Header
            | Tag::Main
            | Tag::Nav
            | Tag::P
            | Tag::Section
            | Tag::Span => true,
            tag => tag.heading_level().is_some(),
        }
    }

    fn fill_slots_of(&mut self, host: NodeId, root: NodeId) {
        let slots = self.slots(root);
        let children: Vec<NodeId> =
            self.children(host).filter(|child| self.tag(*child) != Tag::Template).collect();
        let slot_of = |tree: &Self, child: NodeId| {
            slots.get(tree.attribute(child, Attr::Slot).unwrap_or_default()).copied()
        };
        let assigned: Vec<(NodeId, Option<NodeId>)> =
            children.into_iter().map(|child| (child, slot_of(self, child))).collect();
        let mut filled: Vec<NodeId> = assigned.iter().filter_map(|(_, slot)| *slot).collect();
        filled.sort_unstable();
        filled.dedup();
        let mut unshown: Vec<NodeId> = Vec::new();
        for slot in filled {
            unshown.extend(self.children(slot));
        }
        unshown.extend(assigned.iter().filter(|(_, slot)| slot.is_none()).map(|(child, _)| *child));
        if !unshown.is_empty() {
            let inert = self.push(PackedKind::Element(ElementNamespace::Html), Tag::Template, NONE);
            self.insert(host.0, inert.0, NONE);
            for node in unshown {
                self.insert(inert.0, node.0, NONE);
            }
        }
        for (child, slot) in assigned {
            if let Some(slot) = slot {
                self.insert(slot.0, child.0, NONE);
            }
        }
    }

    /// The slots of a shadow tree by their names. Of several with one name, the first shows what is assigned.
    fn slots(&self, root: NodeId) -> HashMap<String, NodeId> {
        let mut slots = HashMap::new();
        let mut walk = Walk::new(self, root);
        while let Some(edge) = walk.next() {
            let Edge::Enter(node) = edge else { continue };
            if node != root && self.tag(node) == Tag::Template {
                walk.skip_children(); // another shadow tree, or what is not shown
            } else if self.tag(node) == Tag::Slot {
                let name = self.attribute(node, Attr::Name).unwrap_or_default();
                slots.entry(name.to_owned()).or_insert(node);
            }
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use crate::tree::{NodeId, ParseOptions, parse};

    #[test]
    fn children_of_a_host_are_shown_in_its_slots() {
        let template = |inner: &str, light: &str| {
            format!("<x-card><template shadowrootmode=open>{inner}</template>{light}</x-card>")
        };
        let rows = [
            (
                "by name",
                template("[<slot name=a>none</slot>|<slot>none</slot>]", "<p>b</p><h3 slot=a>A</h3>"),
                "[A|b]",
            ),
            (
                "an empty slot",
                template("[<slot name=a>none</slot>|<slot>x</slot>]", "<b slot=a>A</b>"),
                "[A|x]",
            ),
            ("text", template("(<slot></slot>)", "a <b>b</b>"), "(a b)"),
            ("several in one slot", template("<slot name=i></slot>", "<i slot=i>a</i><i slot=i>b</i>"), "ab"),
            ("no slot of the name", template("x<slot name=a></slot>", "<i slot=b>b</i>c"), "x"),
            ("two slots of one name", template("<slot>1</slot>|<slot>2</slot>", "a"), "a|2"),
            (
                "a slot in a slot",
                template("<slot name=a><slot name=b>x</slot></slot>", "<i slot=b>b</i>"),
                "b",
            ),
            (
                "a slot in a filled slot",
                template("<slot name=a><slot name=b>x</slot></slot>", "<i slot=a>a</i><i slot=b>b</i>"),
                "a",
            ),
            (
                "a slot that is passed on",
                template(&template("{<slot>x</slot>}", "<slot>y</slot>"), "a"),
                "{a}",
            ),
            ("a host in a slot", template("(<slot></slot>)", &template("[<slot></slot>]", "a")), "([a])"),
            ("no host", "<ul><template shadowrootmode=open>x</template><li>a</ul>".to_owned(), "xa"),
            ("no shadow tree", "<p>a<slot>b</slot><template><slot>c</slot></template></p>".to_owned(), "ab"),
        ];
        for (name, html, text) in rows {
            let tree = parse(&html, ParseOptions::default());
            assert_eq!(
                tree.folded_text(NodeId::DOCUMENT, 100).replace(' ', ""),
                text.replace(' ', ""),
                "{name}"
            );
        }
    }

    #[test]
    fn many_hosts_in_each_other_end() {
        let host = "<x-a><template shadowrootmode=open><div><slot></slot></div></template>";
        let html = format!("{}a", host.repeat(2_000));
        let tree = parse(&html, ParseOptions::default());
        assert_eq!(tree.folded_text(NodeId::DOCUMENT, 100), "a");
    }
}
