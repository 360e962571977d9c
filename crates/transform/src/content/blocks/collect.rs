//! Cutting a page into text blocks, in one walk.

use url::Url;

use super::super::address;
use super::super::vocabulary::Names;
use super::described;
use super::words::{Compared, hash_text, mix};
use super::{
    AROUND, BLOCK_BYTES, Block, Blocks, ELEMENT_BYTES, Element, FAR, LANDMARKS, MAX_BLOCKS, MAX_ELEMENTS,
    REGION_STEPS, Run, Totals,
};
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// An open element.
#[derive(Debug, Clone, Copy)]
struct Frame {
    node: NodeId,
    tag: Tag,
    block: bool,
    hidden: bool,
    unseen: bool,
    number: u32,
    /// The nearest frame of a block element, itself included.
    block_at: u32,
    groups: u64,
    /// Its place in [`AROUND`], as a bit.
    around: u32,
    depth: u16,
    children: u16,
    signature: u64,
    totals: Totals,
    /// The last child's looks, its run, and its place in that run.
    last_child: (u64, u32, u32),
}

/// The bit of each tag that is in [`AROUND`].
const AROUND_BITS: [u32; 256] = {
    let mut bits = [0; 256];
    let mut at = 0;
    while at < AROUND.len() {
        #[expect(clippy::indexing_slicing, reason = "within the arrays, and checked when compiled")]
        {
            bits[AROUND[at] as usize] = 1 << at;
        }
        at += 1;
    }
    bits
};

/// The groups of names that say that an element is the content: content, article, body of text.
const CONTENT: u64 = 0b111 << 36;

/// Cuts what is to be seen of a page into blocks.
pub(crate) fn collect(tree: &Tree, view: &View, url: &Url) -> Blocks {
    let (structured, described) = described::read(tree);
    let memory = tree.memory_left();
    let mut collector = Collector {
        most_blocks: MAX_BLOCKS.min(memory / 2 / BLOCK_BYTES),
        most_elements: MAX_ELEMENTS.min(memory / 4 / ELEMENT_BYTES),
        names: Names::default(),
        tree,
        view,
        host: url.host_str().unwrap_or_default().trim_start_matches("www."),
        blocks: Blocks::default(),
        frames: Vec::new(),
        current: Block::default(),
        placed: false,
        links_open: 0,
        emphasis_open: 0,
        images: 0,
        link: (false, false),
        last_in_link: false,
        compared: Compared { described, ..Compared::default() },
    };
    // As pages have them; growing step by step would move all of it several times.
    let nodes = tree.len();
    collector.blocks.elements.reserve((nodes / 2).min(collector.most_elements));
    collector.blocks.nodes.reserve(nodes / 3);
    collector.blocks.runs.reserve((nodes / 4).min(collector.most_elements));
    collector.blocks.list.reserve((nodes / 6).min(collector.most_blocks));
    collector.blocks.page.address = address::of_address(url.path(), url.query());
    collector.blocks.page.structured = structured;
    collector.blocks.page.described = collector.compared.described.words;
    // Run 0 is of elements without neighbours that look alike.
    collector.blocks.runs.push(Run::default());
    collector.head();
    for root in &view.roots {
        collector.run(*root);
    }
    collector.end_block();
    collector.blocks
}

struct Collector<'t> {
    /// What the page's memory allows.
    most_blocks: usize,
    most_elements: usize,
    names: Names<'t>,
    tree: &'t Tree,
    view: &'t View,
    host: &'t str,
    blocks: Blocks,
    frames: Vec<Frame>,
    current: Block,
    /// It is noted where the current block stands.
    placed: bool,
    links_open: u32,
    emphasis_open: u32,
    images: u32,
    /// The open link goes to a place on the page, to another host.
    link: (bool, bool),
    last_in_link: bool,
    compared: Compared,
}

impl<'t> Collector<'t> {
    /// What the head says.
    fn head(&mut self) {
        let tree = self.tree;
        if let Some(title) = tree.all(Tag::Title).next() {
            let title = tree.folded_text(title, 400);
            let head = title.split(['|', '–', '—']).next().unwrap_or_default();
            self.blocks.page.title_hash = hash_text(head);
            self.compared.title.remember(head);
        }
        for meta in tree.all(Tag::Meta) {
            let content = || tree.attribute(meta, Attr::Content).unwrap_or_default();
            let name = tree.attribute(meta, Attr::Name).or_else(|| tree.attribute(meta, Attr::Property));
            match name {
                Some("og:type") => {
                    self.blocks.page.og_article |= content().contains("article");
                    self.blocks.page.og_product |= content().contains("product");
                }
                Some("description" | "og:description") => self.compared.description.remember(content()),
                _ => {}
            }
        }
    }

    fn run(&mut self, root: NodeId) {
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
                            ) && !tree.has(node, Attr::Shadowrootmode);
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

    /// Counts an element among those of the page.
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
        let block = tag.is_block() || matches!(tag, Tag::Button | Tag::Label | Tag::Summary);
        if block {
            self.end_block();
        }
        self.count(tag);
        if self.blocks.elements.len() >= self.most_elements {
            // Its text is that of the elements around it.
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
        let (mut unseen, mut is_named) = (false, false);
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
                    unseen |= !value.eq_ignore_ascii_case("until-found");
                }
                Attr::AriaHidden => hidden |= value == "true",
                Attr::Style => {
                    let said = is_unseen(value);
                    hidden |= said;
                    unseen |= said;
                }
                Attr::Other | Attr::Name | Attr::Open => is_named = true,
                Attr::Href => href = value,
                _ => {}
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
            groups = 0; // the theme's classes say nothing of a part
        }
        let number = u32::try_from(self.blocks.elements.len()).unwrap_or(u32::MAX);
        let at = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        let looks = mix(tag as u64 + 1, u64::from(first_class));
        let mut frame = Frame {
            node,
            tag,
            block,
            hidden,
            // A fold or a tab has a name that its script finds it by.
            unseen: unseen && !is_named,
            number,
            block_at: at,
            groups,
            around: AROUND_BITS.get(tag as usize).copied().unwrap_or(0),
            depth: 1,
            children: 0,
            signature: looks,
            totals: Totals::default(),
            last_child: (0, 0, 0),
        };
        let mut element =
            Element { parent: 0, end: number, run: 0, place: 0, tag: tag as u8, totals: Totals::default() };
        if let Some(parent) = self.frames.last_mut() {
            parent.children = parent.children.saturating_add(1);
            frame.depth = parent.depth.saturating_add(1);
            frame.hidden |= parent.hidden;
            frame.unseen |= parent.unseen;
            frame.signature = mix(parent.signature, looks);
            if !block {
                frame.block_at = parent.block_at;
            }
            element.parent = parent.number;
            let (last, run, place) = parent.last_child;
            if last != looks || run == 0 {
                let run = u32::try_from(self.blocks.runs.len()).unwrap_or(u32::MAX);
                self.blocks.runs.push(Run { count: 1, totals: Totals::default() });
                parent.last_child = (looks, run, 0);
            } else {
                parent.last_child.2 = place + 1;
                if let Some(run) = self.blocks.runs.get_mut(run as usize) {
                    run.count += 1;
                }
            }
            (element.run, element.place) = (parent.last_child.1, parent.last_child.2);
        }
        if frame.unseen && self.frames.last().is_none_or(|parent| !parent.unseen) {
            self.blocks.unseen.push(node);
        }
        if !frame.hidden && is_main {
            self.blocks.mains.push(number);
        } else if !frame.hidden && tag == Tag::Article {
            self.blocks.articles.push(number);
        }
        self.blocks.elements.push(element);
        self.frames.push(frame);
    }

    /// Does an address name another host?
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
        let words = block.read(text, &self.compared);
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
        if !self.placed {
            self.placed = true;
            self.place();
        }
    }

    /// Notes where the current block stands.
    fn place(&mut self) {
        let Some(innermost) = self.frames.last() else { return };
        let at = innermost.block_at as usize;
        let Some(frame) = self.frames.get(at) else { return };
        let block = &mut self.current;
        block.element = frame.number;
        block.kind = frame.tag as u8;
        block.depth = frame.depth;
        block.hidden = innermost.hidden;
        block.unseen = frame.unseen;
        block.signature = frame.signature;
        block.child_index = self.frames.get(at.wrapping_sub(1)).map_or(0, |parent| parent.children);
        block.images_before = std::mem::take(&mut self.images);
        block.around = [FAR; AROUND.len()];
        let (mut groups, mut around) = (0_u64, 0_u32);
        let mut landmarks = 0_u8;
        for (frame, distance) in self.frames.iter().rev().zip(0..FAR) {
            let mut new = frame.groups & !groups;
            groups |= new;
            while new != 0 {
                if let Some(slot) = block.groups.0.get_mut(new.trailing_zeros() as usize) {
                    *slot = distance;
                }
                new &= new - 1;
            }
            let new = frame.around & !around;
            around |= new;
            if new != 0
                && let Some(slot) = block.around.get_mut(new.trailing_zeros() as usize)
            {
                *slot = distance;
            }
            let kinds = [
                frame.tag == Tag::Article,
                frame.tag == Tag::Section,
                matches!(frame.tag, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table),
                frame.groups & CONTENT != 0,
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
        self.placed = false;
        let mut block = std::mem::replace(&mut self.current, Block { nodes: (end, end), ..Block::default() });
        block.nodes.1 = end;
        if self.blocks.list.len() >= self.most_blocks {
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

/// Does a style say that nothing is shown?
fn is_unseen(style: &str) -> bool {
    let style = style.get(..style.len().min(300)).unwrap_or_default();
    ["display:none", "display: none", "visibility:hidden", "visibility: hidden"]
        .iter()
        .any(|said| style.contains(said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{ParseOptions, parse};

    #[test]
    fn blocks_take_no_more_than_the_tree_leaves() {
        let url = Url::parse("https://example.org/").unwrap();
        let blocks_of = |tree: &Tree| collect(tree, &View::whole(tree), &url);
        for html in ["<p>word word".repeat(5_000), format!("{}<p>x<p>y", "<div></div>".repeat(8_000))] {
            let tree = parse(&html, ParseOptions { memory: Some(1 << 20), ..ParseOptions::default() });
            let blocks = blocks_of(&tree);
            assert!(blocks.cut && !tree.truncated, "{} blocks", blocks.list.len());
            let bytes = blocks.list.len() * BLOCK_BYTES + blocks.elements.len() * ELEMENT_BYTES;
            assert!(bytes <= tree.memory_left(), "{bytes} of {}", tree.memory_left());
            let texts = blocks.list.iter().map(|block| blocks.nodes_of(block).len()).sum::<usize>();
            assert_eq!(texts, blocks.nodes.len(), "each text is part of a block");
            assert!(!blocks_of(&parse(&html, ParseOptions::default())).cut);
        }
        assert!(size_of::<Block>() + 96 <= BLOCK_BYTES);
        assert!(size_of::<Element>() + size_of::<Run>() + 12 <= ELEMENT_BYTES);
    }
}
