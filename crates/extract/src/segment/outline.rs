//! One pass over the nodes of a page: headings, breadcrumbs, paragraphs, repeated groups.

use hashbrown::HashMap;
use std::ops::Range;

use super::address::Target;
use super::attribute_values;
use super::breadcrumbs;
use super::drafts::Draft;
use super::element_attributes::ElementAttributes;
use super::paragraphs;
use super::site_names;
use super::tag::Tag;
use super::wording::mix;
use crate::markup::{Kind, NodeId, Tree};

/// Upper bound on the headings of a page that are read.
const MAX_HEADINGS: usize = 2_000;
/// Upper bound on the values of attributes that are read.
const MAX_ATTRIBUTE_VALUES: usize = 2_000;
/// Upper bound on the links to start pages, on the logos and on the `link` elements that are read, of each.
const MAX_SITE_ELEMENTS: usize = 200;
/// Upper bound on the paragraphs that the main part is found by.
const MAX_PARAGRAPHS: usize = 5_000;
/// Longest line in bold type that counts as a heading, in bytes.
const MAX_BOLD_HEADING_BYTES: usize = 60;
/// Characters after such a text among which its line must end.
const MAX_HEADING_TAIL: usize = 4;
/// The level of lines that act as headings, below that of `h6`.
const BOLD_LEVEL: u8 = 7;
/// A group of siblings of this size consists of records.
const MIN_RECORDS: u32 = 3;
/// Stands for no link.
const NONE: NodeId = NodeId(u32::MAX);

/// What is known of a node from the elements around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeFacts {
    pub(super) tag: Tag,
    pub(super) depth: u16,
    /// The bits of its tag and of those around it.
    inside: u32,
    link: NodeId,
    /// The group of elements with the same tags and first classes, from the root on.
    path: u32,
    path_nth: u32,
    /// The group of siblings with the same tag and first class.
    siblings: u32,
    sibling_nth: u32,
}

impl Default for NodeFacts {
    fn default() -> Self {
        Self {
            tag: Tag::Other,
            depth: 0,
            inside: 0,
            link: NONE,
            path: u32::MAX,
            path_nth: 0,
            siblings: u32::MAX,
            sibling_nth: 0,
        }
    }
}

impl NodeFacts {
    /// Whether it is an element of this kind or in one.
    pub(super) const fn is_inside(&self, tag: Tag) -> bool {
        self.inside & tag.bit() != 0
    }

    /// The link that it is or that contains it.
    pub(super) fn link(&self) -> Option<NodeId> {
        (self.link != NONE).then_some(self.link)
    }
}

/// A text node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The element that contains it.
    pub(super) parent: NodeId,
}

/// A heading, or a line that acts as one.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) node: NodeId,
    /// From 1; those that are no `h1` to `h6` have a level below them.
    pub(super) level: u8,
    pub(super) range: Range<usize>,
}

/// A position in a repeated group, from 0, with the size of the group.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Repetition {
    pub(super) nth: usize,
    pub(super) count: usize,
    /// Where the first of the group starts in the visible text.
    pub(super) first: usize,
}

#[derive(Debug)]
struct Group {
    /// The hash of the path.
    hash: u64,
    count: u32,
    first: u32,
}

/// What one pass over the nodes of a page finds.
#[derive(Debug, Default)]
pub(super) struct Outline {
    facts: Vec<NodeFacts>,
    paths: Vec<Group>,
    siblings: Vec<Group>,
    /// In page order.
    pub(super) texts: Vec<Run>,
    /// In page order.
    pub(super) headings: Vec<Heading>,
    /// Breadcrumb trails.
    pub(super) trails: Vec<NodeId>,
    /// Elements whose names say that they are texts, such as a description.
    pub(super) named_texts: Vec<NodeId>,
    /// Paragraphs of at least a sentence.
    pub(super) paragraphs: Vec<NodeId>,
    pub(super) attribute_values: Vec<Draft>,
    /// The `title` element.
    pub(super) title: Option<NodeId>,
    /// Links that may lead to the start page of this site or of another one.
    pub(super) start_links: Vec<NodeId>,
    /// Images that are named as logos.
    pub(super) logos: Vec<NodeId>,
    /// `link` elements, which the head of a page has.
    pub(super) head_links: Vec<NodeId>,
}

impl Outline {
    pub(super) fn read(tree: &Tree<'_>) -> Self {
        let mut reader = Reader {
            outline: Self::default(),
            by_path: HashMap::new(),
            by_siblings: HashMap::new(),
            trail_end: NodeId(0),
        };
        for node in tree.nodes() {
            let facts = reader.node(tree, node);
            reader.outline.facts.push(facts);
        }
        reader.outline
    }

    pub(super) fn facts(&self, node: NodeId) -> NodeFacts {
        self.facts.get(node.index()).copied().unwrap_or_default()
    }

    /// Its position among the elements with the same tags and first classes on the way from the root.
    pub(super) fn path(&self, facts: &NodeFacts) -> Repetition {
        position(&self.paths, facts.path, facts.path_nth)
    }

    /// Its position in the nearest list of similar siblings: its own or that of an element around it.
    pub(super) fn record(&self, tree: &Tree<'_>, node: NodeId) -> Repetition {
        std::iter::once(node)
            .chain(tree.ancestors(node))
            .map(|node| self.facts(node))
            .find(|facts| {
                self.siblings.get(facts.siblings as usize).is_some_and(|group| group.count >= MIN_RECORDS)
            })
            .map_or_else(Repetition::default, |facts| {
                position(&self.siblings, facts.siblings, facts.sibling_nth)
            })
    }

    /// The text nodes in a part of the visible text.
    pub(super) fn texts_in(&self, range: &Range<usize>) -> &[Run] {
        let start = self.texts.partition_point(|run| run.end <= range.start);
        let end = self.texts.partition_point(|run| run.start < range.end);
        self.texts.get(start..end).unwrap_or_default()
    }

    /// The smallest element that contains a part of the visible text.
    pub(super) fn element_of(&self, tree: &Tree<'_>, range: &Range<usize>) -> Option<NodeId> {
        let first = self.texts_in(range).first()?.parent;
        std::iter::once(first).chain(tree.ancestors(first)).find(|node| {
            let own = tree.text_range(*node);
            own.start <= range.start && range.end <= own.end
        })
    }

    /// The last heading that starts at or before a position.
    pub(super) fn heading_before(&self, at: usize) -> Option<&Heading> {
        let before = self.headings.partition_point(|heading| heading.range.start <= at);
        self.headings.get(before.checked_sub(1)?)
    }
}

fn position(groups: &[Group], group: u32, nth: u32) -> Repetition {
    groups.get(group as usize).map_or_else(Repetition::default, |group| Repetition {
        nth: nth as usize,
        count: group.count as usize,
        first: group.first as usize,
    })
}

#[derive(Debug)]
struct Reader {
    outline: Outline,
    /// The index of each path by its hash.
    by_path: HashMap<u64, u32>,
    /// The index of each group of siblings by its parent and its path.
    by_siblings: HashMap<u64, u32>,
    /// The end of the last breadcrumb trail.
    trail_end: NodeId,
}

impl Reader {
    fn node(&mut self, tree: &Tree<'_>, node: NodeId) -> NodeFacts {
        let parent = tree.parent(node);
        let above = parent.map_or_else(NodeFacts::default, |parent| self.outline.facts(parent));
        match tree.kind(node) {
            Some(Kind::Element { name, .. }) if !tree.is_hidden(node) => {
                return self.element(tree, node, name, above);
            }
            Some(Kind::Element { name, .. })
                if self.outline.head_links.len() < MAX_SITE_ELEMENTS && name.eq_ignore_ascii_case("link") =>
            {
                self.outline.head_links.push(node);
                attribute_values::read_head_link(tree, node, &mut self.outline.attribute_values);
            }
            Some(Kind::Text { .. }) => {
                let Range { start, end } = tree.text_range(node);
                self.outline.texts.push(Run { start, end, parent: parent.unwrap_or(node) });
            }
            Some(Kind::Raw { name, .. })
                if self.outline.title.is_none() && name.eq_ignore_ascii_case("title") =>
            {
                self.outline.title = Some(node);
            }
            _ => {}
        }
        above
    }

    fn element(&mut self, tree: &Tree<'_>, node: NodeId, name: &str, above: NodeFacts) -> NodeFacts {
        let tag = Tag::of(name);
        let attributes = ElementAttributes::read(tree, node);
        let at = u32::try_from(tree.text_range(node).start).unwrap_or(u32::MAX);
        let first_class = attributes.class.split_ascii_whitespace().next().unwrap_or_default();
        let around = self.outline.paths.get(above.path as usize).map_or(0, |group| group.hash);
        let bytes =
            name.bytes().map(|byte| byte.to_ascii_lowercase()).chain([b'.']).chain(first_class.bytes());
        let hash = bytes.fold(mix(around, b'>'), mix);
        let (path, path_nth) = count(&mut self.outline.paths, &mut self.by_path, hash, hash, at);
        let parent = tree.parent(node).map_or(u32::MAX, |parent| parent.0);
        let key = (u64::from(parent) << 32) | u64::from(path);
        let (siblings, sibling_nth) = count(&mut self.outline.siblings, &mut self.by_siblings, key, hash, at);
        let facts = NodeFacts {
            tag,
            depth: above.depth.saturating_add(1),
            inside: above.inside | tag.bit(),
            link: if tag == Tag::Link { node } else { above.link },
            path,
            path_nth,
            siblings,
            sibling_nth,
        };
        self.collect(tree, node, &facts, &attributes);
        facts
    }

    /// Collects the elements that other readers begin with.
    fn collect(
        &mut self,
        tree: &Tree<'_>,
        node: NodeId,
        facts: &NodeFacts,
        attributes: &ElementAttributes<'_>,
    ) {
        let outline = &mut self.outline;
        if outline.attribute_values.len() < MAX_ATTRIBUTE_VALUES {
            attribute_values::read(tree, node, facts, attributes, &mut outline.attribute_values);
        }
        match facts.tag {
            Tag::Link
                if outline.start_links.len() < MAX_SITE_ELEMENTS
                    && Target::read(attributes.href).is_some_and(|target| target.is_start()) =>
            {
                outline.start_links.push(node);
            }
            Tag::Image if outline.logos.len() < MAX_SITE_ELEMENTS && site_names::is_logo(attributes) => {
                outline.logos.push(node);
            }
            _ => {}
        }
        let range = tree.trimmed_range(node);
        if range.is_empty() || facts.is_inside(Tag::Control) {
            return;
        }
        let level = match facts.tag {
            Tag::Heading(level) => Some(level),
            Tag::Summary => Some(BOLD_LEVEL),
            Tag::Strong if is_bold_heading(tree, facts, &range) => Some(BOLD_LEVEL),
            _ => None,
        };
        if let Some(level) = level.filter(|_| outline.headings.len() < MAX_HEADINGS) {
            outline.headings.push(Heading { node, level, range: range.clone() });
        }
        if node >= self.trail_end && breadcrumbs::is_trail(tree, &range, facts.tag, attributes) {
            self.trail_end = tree.end(node);
            outline.trails.push(node);
        }
        if facts.tag == Tag::Paragraph
            && range.len() >= paragraphs::MIN_PARAGRAPH_BYTES
            && outline.paragraphs.len() < MAX_PARAGRAPHS
        {
            outline.paragraphs.push(node);
        }
        if outline.named_texts.len() < paragraphs::MAX_NAMED_TEXTS
            && paragraphs::is_named_text(&range, attributes)
        {
            outline.named_texts.push(node);
        }
    }
}

/// Counts an element to its group. Returns the index of the group and the element's number in it, from 0.
fn count(groups: &mut Vec<Group>, index: &mut HashMap<u64, u32>, key: u64, hash: u64, at: u32) -> (u32, u32) {
    let next = u32::try_from(groups.len()).unwrap_or(u32::MAX);
    let group = *index.entry(key).or_insert(next);
    if group == next {
        groups.push(Group { hash, count: 0, first: at });
    }
    let Some(found) = groups.get_mut(group as usize) else { return (u32::MAX, 0) };
    let nth = found.count;
    found.count += 1;
    (group, nth)
}

/// Whether a text in bold type is a short line of its own and acts as a heading.
fn is_bold_heading(tree: &Tree<'_>, facts: &NodeFacts, range: &Range<usize>) -> bool {
    let elements =
        [Tag::Heading(1), Tag::Item, Tag::Link, Tag::Cell, Tag::HeaderCell, Tag::Term, Tag::Definition];
    if range.len() > MAX_BOLD_HEADING_BYTES || elements.into_iter().any(|tag| facts.is_inside(tag)) {
        return false;
    }
    let text = tree.text();
    let starts = text.get(..range.start).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
    let mut after = text.get(range.end..).unwrap_or_default().chars().take(MAX_HEADING_TAIL);
    starts && after.find(|found| !matches!(found, ':' | ' ')).is_none_or(|found| found == '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_counted_in_their_groups() {
        let html = "<main><ul><li class=a><b>1</b><li class=a><b>2</b><li class=a><b>3</b></ul><p>4";
        let tree = Tree::parse(html, &gleaner_types::Interrupt::never());
        let outline = Outline::read(&tree);
        let bold: Vec<NodeId> = tree.nodes().filter(|node| tree.is(*node, &["b"])).collect();
        let path = outline.path(&outline.facts(bold[1]));
        assert_eq!((path.nth, path.count), (1, 3));
        let record = outline.record(&tree, bold[2]);
        assert_eq!((record.nth, record.count), (2, 3));
        assert!(outline.facts(bold[0]).is_inside(Tag::Main) && !outline.facts(bold[0]).is_inside(Tag::Nav));
        let last = tree.nodes().find(|node| tree.is(*node, &["p"])).unwrap();
        assert_eq!(outline.record(&tree, last).count, 0, "it has no similar sibling");
    }
}
