//! Splits a page into text blocks in one walk.

use url::Url;

use super::super::url_features;
use super::super::vocabulary::NameCache;
use super::word_filters;
use super::words::{PageFilters, hash_text, mix};
use super::{
    ANCESTOR_TAGS, BLOCK_BYTES, Block, Blocks, ELEMENT_BYTES, Element, LANDMARKS, MAX_BLOCKS, MAX_DISTANCE,
    MAX_ELEMENTS, REGION_STEPS, Run, Totals,
};
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::unseen::hides;
use crate::view::View;

/// An open element.
#[derive(Debug, Clone, Copy)]
struct Frame {
    node: NodeId,
    tag: Tag,
    block: bool,
    hidden: bool,
    invisible: bool,
    number: u32,
    /// The index of the nearest frame of a block element, itself included.
    block_at: u32,
    groups: u64,
    /// The bit of its position in [`ANCESTOR_TAGS`].
    tag_bit: u32,
    depth: u16,
    children: u16,
    signature: u64,
    totals: Totals,
    /// The last child's own signature, its run, and its position in that run.
    last_child: (u64, u32, u32),
}

/// For each tag, the bit of its position in [`ANCESTOR_TAGS`]; 0 for other tags.
const ANCESTOR_TAG_BITS: [u32; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < ANCESTOR_TAGS.len() {
        #[expect(clippy::indexing_slicing, reason = "within the arrays, and checked when compiled")]
        {
            bits[ANCESTOR_TAGS[at] as usize] = 1 << at;
        }
        at += 1;
    }
    bits
};

/// Upper bound on the distance of a footer to the quote whose source it names.
const MAX_QUOTE_DISTANCE: usize = 4;

/// The groups of names that mark an element as content: content, article, body of text.
const CONTENT_GROUPS: u64 = 0b111 << 36;

/// Splits the visible part of a page into blocks.
pub(crate) fn collect(tree: &Tree, view: &View, url: &Url) -> Blocks {
    let (json_ld_types, json_ld) = word_filters::read(tree);
    let memory = tree.memory_left();
    let mut collector = Collector {
        max_blocks: MAX_BLOCKS.min(memory / 2 / BLOCK_BYTES),
        max_elements: MAX_ELEMENTS.min(memory / 4 / ELEMENT_BYTES),
        names: NameCache::default(),
        tree,
        view,
        host: url.host_str().unwrap_or_default().trim_start_matches("www."),
        blocks: Blocks::default(),
        frames: Vec::new(),
        current: Block::default(),
        located: false,
        links_open: 0,
        emphasis_open: 0,
        images: 0,
        link: (false, false),
        last_in_link: false,
        filters: PageFilters { json_ld, ..PageFilters::default() },
    };
    // Typical ratios of real pages. Growing step by step would copy everything several times.
    let nodes = tree.len();
    collector.blocks.elements.reserve((nodes / 2).min(collector.max_elements));
    collector.blocks.nodes.reserve(nodes / 3);
    collector.blocks.runs.reserve((nodes / 4).min(collector.max_elements));
    collector.blocks.list.reserve((nodes / 6).min(collector.max_blocks));
    collector.blocks.page.url_features = url_features::of_url(url.path(), url.query());
    collector.blocks.page.json_ld_types = json_ld_types;
    collector.blocks.page.json_ld_words = collector.filters.json_ld.words;
    // Run 0 is for elements without similar siblings.
    collector.blocks.runs.push(Run::default());
    collector.read_head();
    for root in &view.roots {
        collector.walk(*root);
    }
    collector.end_block();
    collector.blocks
}

struct Collector<'t> {
    /// The limits that the page's memory allows.
    max_blocks: usize,
    max_elements: usize,
    names: NameCache<'t>,
    tree: &'t Tree,
    view: &'t View,
    host: &'t str,
    blocks: Blocks,
    frames: Vec<Frame>,
    current: Block,
    /// The ancestors of the current block are recorded.
    located: bool,
    links_open: u32,
    emphasis_open: u32,
    images: u32,
    /// The open link leads to a fragment of the page; to another host.
    link: (bool, bool),
    last_in_link: bool,
    filters: PageFilters,
}

impl<'t> Collector<'t> {
    /// Reads the title, the description and the page type.
    fn read_head(&mut self) {
        let tree = self.tree;
        if let Some(title) = tree.elements_with_tag(Tag::Title).next() {
            let title = tree.folded_text(title, 400);
            let head = title.split(['|', '–', '—']).next().unwrap_or_default();
            self.blocks.page.title_hash = hash_text(head);
            self.filters.title.insert(head);
        }
        for meta in tree.elements_with_tag(Tag::Meta) {
            let content = || tree.attribute(meta, Attr::Content).unwrap_or_default();
            let name = tree.attribute(meta, Attr::Name).or_else(|| tree.attribute(meta, Attr::Property));
            match name {
                Some("og:type") => {
                    self.blocks.page.og_article |= content().contains("article");
                    self.blocks.page.og_product |= content().contains("product");
                }
                Some("description" | "og:description") => self.filters.description.insert(content()),
                _ => {}
            }
        }
    }

    fn walk(&mut self, root: NodeId) {
        let tree = self.tree;
        let mut walk = Walk::new(tree, root);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(node) => match tree.kind(node) {
                    Kind::Text => self.text(node),
                    Kind::Element => {
                        let tag = tree.tag(node);
                        let skipped = self.view.skips(tree, node)
                            || matches!(
                                tag,
                                Tag::Select | Tag::Textarea | Tag::Canvas | Tag::Object | Tag::Template
                            ) && !tree.is_shadow_root(node);
                        if skipped {
                            walk.skip_children();
                        } else {
                            self.enter(node, tag);
                        }
                    }
                    Kind::Document => {}
                },
                Edge::Leave(node) => {
                    if self.frames.last().is_some_and(|frame| frame.node == node) {
                        self.leave();
                    }
                }
            }
        }
    }

    /// Counts an element for the page's totals.
    fn count(&mut self, tag: Tag) {
        let facts = &mut self.blocks.page;
        let counter = match tag {
            Tag::Form => &mut facts.forms,
            Tag::Article => &mut facts.articles,
            Tag::Main => &mut facts.mains,
            Tag::Table => &mut facts.tables,
            Tag::Img => &mut facts.images,
            Tag::Pre => &mut facts.pres,
            Tag::Li => &mut facts.items,
            Tag::Time => &mut facts.times,
            _ => return,
        };
        *counter += 1;
    }

    fn enter(&mut self, node: NodeId, tag: Tag) {
        let tree = self.tree;
        // The footer of a quote names its source. It is no footer of the page.
        let mut around = self.frames.iter().rev().take(MAX_QUOTE_DISTANCE);
        let is_source = tag == Tag::Footer && around.any(|frame| frame.tag == Tag::Blockquote);
        let tag = if is_source { Tag::Div } else { tag };
        let block = tag.is_block() || matches!(tag, Tag::Button | Tag::Label | Tag::Summary);
        if block {
            self.end_block();
        }
        self.count(tag);
        if self.blocks.elements.len() >= self.max_elements {
            // Its text counts for its ancestors.
            self.blocks.cut = true;
            return;
        }
        match tag {
            Tag::B | Tag::Strong | Tag::Em | Tag::I => self.emphasis_open += 1,
            Tag::Img | Tag::Picture => self.images += 1,
            Tag::Br => return,
            _ => {}
        }
        let mut groups = 0;
        let mut first_class = 0;
        let mut hidden = false;
        let (mut invisible, mut is_named) = (false, false);
        let mut href = "";
        let mut is_main = tag == Tag::Main;
        for (name, value) in tree.known_attributes(node) {
            match name {
                Attr::Class => {
                    is_named = true;
                    let class = self.names.read(value);
                    groups |= class.groups;
                    first_class = class.first;
                }
                Attr::Id | Attr::Role | Attr::AriaLabel | Attr::DataTestid => {
                    is_named = true;
                    is_main |= name == Attr::Role && value == "main";
                    groups |= self.names.read(value).groups;
                }
                Attr::Itemprop => {
                    is_named = true;
                    groups |= self.names.read(value).groups;
                    self.blocks.page.prices += u32::from(value == "price");
                }
                Attr::Hidden => {
                    hidden = true;
                    invisible |= !value.eq_ignore_ascii_case("until-found");
                }
                Attr::AriaHidden => hidden |= value == "true",
                Attr::Style => {
                    let hides = hides(value);
                    hidden |= hides;
                    invisible |= hides;
                }
                Attr::Href => href = value,
                _ => is_named |= name.is_hook(),
            }
        }
        if tag == Tag::A {
            self.links_open += 1;
            self.link = (href.starts_with('#'), self.is_outside(href));
        }
        if tag == Tag::Other {
            groups |= self.names.read(tree.name(node)).groups;
        }
        if matches!(tag, Tag::Body | Tag::Html) {
            groups = 0; // classes of the whole page say nothing about its parts
        }
        let number = u32::try_from(self.blocks.elements.len()).unwrap_or(u32::MAX);
        let at = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        let own_signature = mix(tag as u64 + 1, u64::from(first_class));
        let mut frame = Frame {
            node,
            tag,
            block,
            hidden,
            // A named element may be a fold or a tab that a script finds by its name and shows.
            invisible: invisible && !is_named,
            number,
            block_at: at,
            groups,
            tag_bit: ANCESTOR_TAG_BITS.get(tag as usize).copied().unwrap_or(0),
            depth: 1,
            children: 0,
            signature: own_signature,
            totals: Totals::default(),
            last_child: (0, 0, 0),
        };
        let mut element = Element {
            node,
            parent: 0,
            end: number,
            run: 0,
            position: 0,
            tag: tag as u8,
            totals: Totals::default(),
        };
        if let Some(parent) = self.frames.last_mut() {
            parent.children = parent.children.saturating_add(1);
            frame.depth = parent.depth.saturating_add(1);
            frame.hidden |= parent.hidden;
            frame.invisible |= parent.invisible;
            frame.signature = mix(parent.signature, own_signature);
            if !block {
                frame.block_at = parent.block_at;
            }
            element.parent = parent.number;
            let (last, run, position) = parent.last_child;
            if last != own_signature || run == 0 {
                let run = u32::try_from(self.blocks.runs.len()).unwrap_or(u32::MAX);
                self.blocks.runs.push(Run { count: 1, totals: Totals::default() });
                parent.last_child = (own_signature, run, 0);
            } else {
                parent.last_child.2 = position + 1;
                if let Some(run) = self.blocks.runs.get_mut(run as usize) {
                    run.count += 1;
                }
            }
            (element.run, element.position) = (parent.last_child.1, parent.last_child.2);
        }
        if frame.invisible && self.frames.last().is_none_or(|parent| !parent.invisible) {
            self.blocks.invisible.push(node);
        }
        if !frame.hidden && is_main {
            self.blocks.mains.push(number);
        } else if !frame.hidden && tag == Tag::Article {
            self.blocks.articles.push(number);
        }
        self.blocks.elements.push(element);
        self.frames.push(frame);
    }

    /// True if a URL names another host.
    fn is_outside(&self, href: &str) -> bool {
        let Some((scheme, rest)) = href.split_once("//") else { return false };
        let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
        scheme.len() <= 6 && !host.ends_with(self.host)
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        if frame.block {
            self.end_block();
        }
        let Some(frame) = self.frames.pop() else { return };
        match frame.tag {
            Tag::A => self.links_open = self.links_open.saturating_sub(1),
            Tag::B | Tag::Strong | Tag::Em | Tag::I => {
                self.emphasis_open = self.emphasis_open.saturating_sub(1);
            }
            _ => {}
        }
        let end = u32::try_from(self.blocks.elements.len()).unwrap_or(u32::MAX);
        if let Some(element) = self.blocks.elements.get_mut(frame.number as usize) {
            element.totals = frame.totals;
            element.end = end;
            if let Some(run) = self.blocks.runs.get_mut(element.run as usize)
                && frame.totals.words > 0
            {
                run.totals.add(&frame.totals);
            }
        }
        if let Some(parent) = self.frames.last_mut()
            && frame.totals.blocks > 0
        {
            parent.totals.add(&frame.totals);
        }
    }

    fn text(&mut self, node: NodeId) {
        let text = self.tree.text(node);
        let block = &mut self.current;
        let words_before = block.words;
        let words = block.read(text, &self.filters);
        if words == 0 && block.words == 0 && text.trim_ascii().is_empty() {
            return;
        }
        self.blocks.nodes.push(node);
        let in_link = self.links_open > 0;
        if in_link {
            block.link_words += words;
            if !self.last_in_link && words > 0 {
                block.links += 1;
                block.fragment_links += u32::from(self.link.0);
                block.outside_links += u32::from(self.link.1);
            }
        }
        self.last_in_link = in_link;
        if self.emphasis_open > 0 {
            block.emphasis_words += words;
        }
        if !self.located {
            self.located = true;
            self.locate();
        } else if words > 0 {
            // A block is hidden if all its words are.
            let hidden = self.frames.last().is_some_and(|frame| frame.hidden);
            let block = &mut self.current;
            block.hidden = hidden && (block.hidden || words_before == 0);
        }
    }

    /// Records the ancestors of the current block.
    fn locate(&mut self) {
        let Some(innermost) = self.frames.last() else { return };
        let at = innermost.block_at as usize;
        let Some(frame) = self.frames.get(at) else { return };
        let block = &mut self.current;
        block.element = frame.number;
        block.kind = frame.tag as u8;
        block.depth = frame.depth;
        block.hidden = innermost.hidden;
        block.invisible = frame.invisible;
        block.signature = frame.signature;
        block.child_index = self.frames.get(at.wrapping_sub(1)).map_or(0, |parent| parent.children);
        block.images_before = std::mem::take(&mut self.images);
        block.ancestor_tags = [MAX_DISTANCE; ANCESTOR_TAGS.len()];
        let (mut groups, mut tag_bits) = (0_u64, 0_u32);
        let mut landmarks = 0_u8;
        for (frame, distance) in self.frames.iter().rev().zip(0..MAX_DISTANCE) {
            let mut new = frame.groups & !groups;
            groups |= new;
            while new != 0 {
                if let Some(slot) = block.groups.0.get_mut(new.trailing_zeros() as usize) {
                    *slot = distance;
                }
                new &= new - 1;
            }
            let new = frame.tag_bit & !tag_bits;
            tag_bits |= new;
            if new != 0
                && let Some(slot) = block.ancestor_tags.get_mut(new.trailing_zeros() as usize)
            {
                *slot = distance;
            }
            let kinds = [
                frame.tag == Tag::Article,
                frame.tag == Tag::Section,
                matches!(frame.tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table),
                frame.groups & CONTENT_GROUPS != 0,
            ];
            for (kind, slot) in block.landmarks.iter_mut().enumerate().take(LANDMARKS) {
                if landmarks >> kind & 1 == 0 && kinds.get(kind) == Some(&true) {
                    landmarks |= 1 << kind;
                    *slot = frame.number;
                }
            }
            if distance < 6 && block.heading == 0 {
                block.heading = frame.tag.heading_level().unwrap_or(0);
            }
        }
        self.current.regions = REGION_STEPS.map(|steps| {
            at.checked_sub(steps)
                .and_then(|at| self.frames.get(at))
                .or(self.frames.first())
                .map_or(0, |frame| frame.number)
        });
    }

    fn end_block(&mut self) {
        self.last_in_link = false;
        let end = u32::try_from(self.blocks.nodes.len()).unwrap_or(u32::MAX);
        if self.current.nodes.0 == end {
            return;
        }
        self.located = false;
        let mut block = std::mem::replace(&mut self.current, Block { nodes: (end, end), ..Block::default() });
        block.nodes.1 = end;
        if self.blocks.list.len() >= self.max_blocks {
            self.blocks.cut = true;
            if let Some(last) = self.blocks.list.last_mut() {
                last.nodes.1 = end;
            }
            return;
        }
        if block.heading == 1 && self.blocks.page.first_h1.is_none() && block.words > 0 {
            self.blocks.page.first_h1 = u32::try_from(self.blocks.list.len()).ok();
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.totals.add(&block.totals());
        }
        self.blocks.list.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn blocks_stay_within_the_memory_that_the_tree_leaves() {
        let url = Url::parse("https://example.org/").unwrap();
        let blocks_of = |tree: &Tree| collect(tree, &View::whole(tree), &url);
        for html in ["<p>word word".repeat(5_000), format!("{}<p>x<p>y", "<div></div>".repeat(8_000))] {
            let tree = parse(&html, ParseOptions { memory: Some(1 << 20), ..ParseOptions::default() });
            let blocks = blocks_of(&tree);
            assert!(blocks.cut && !tree.truncated, "{} blocks", blocks.list.len());
            let bytes = blocks.list.len() * BLOCK_BYTES + blocks.elements.len() * ELEMENT_BYTES;
            assert!(bytes <= tree.memory_left(), "{bytes} of {}", tree.memory_left());
            let texts = blocks.list.iter().map(|block| blocks.nodes_of(block).len()).sum::<usize>();
            assert_eq!(texts, blocks.nodes.len(), "each text node is part of a block");
            assert!(!blocks_of(&parse(&html, ParseOptions::default())).cut);
        }
        assert!(size_of::<Block>() + 96 <= BLOCK_BYTES);
        assert!(size_of::<Element>() + size_of::<Run>() + 12 <= ELEMENT_BYTES);
    }
}
