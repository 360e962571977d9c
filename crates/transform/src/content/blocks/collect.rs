//! Cutting a page into text blocks, in one walk.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::super::{cues, vocabulary};
use super::{AROUND, Block, Blocks, FAR, GROUPS, MAX_BLOCKS, REGION_STEPS, Totals};
use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

const FAR_DEPTH: u16 = u16::MAX;

/// What an open element adds to what is inside of it.
#[derive(Debug, Clone, Copy)]
struct Frame {
    node: NodeId,
    groups: [u16; GROUPS],
    around: [u16; AROUND.len()],
    depth: u16,
    hidden: bool,
    signature: u64,
    totals: Totals,
    number: u32,
    index: u16,
    block: bool,
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
}

fn hash_text(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| mix(hash, u64::from(byte.to_ascii_lowercase())))
}

/// A hash of a text's words, equal for texts that differ in case and punctuation around words.
fn hash_words(text: &str) -> u64 {
    text.split_ascii_whitespace()
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80))
        .fold(0, |hash, word| hash_text(mix(hash, 7), word))
}

/// Cuts what is to be seen of a page into blocks.
pub(crate) fn collect(tree: &Tree, view: &View, url: &Url) -> Blocks {
    let mut collector = Collector {
        known_names: HashMap::new(),
        tree,
        view,
        blocks: Blocks::default(),
        frames: Vec::new(),
        current: Block::default(),
        links_open: 0,
        emphasis_open: 0,
        images: 0,
        last_in_link: false,
        title: HashSet::new(),
        description: HashSet::new(),
    };
    collector.blocks.page.address = cues::of_address(url.path(), url.query());
    collector.page_facts();
    for root in &view.roots {
        collector.run(*root);
    }
    collector.end_block();
    collector.blocks
}

struct Collector<'t> {
    /// Groups of classes and ids by their text: a page repeats a few hundred.
    known_names: HashMap<&'t str, u64>,
    tree: &'t Tree,
    view: &'t View,
    blocks: Blocks,
    frames: Vec<Frame>,
    current: Block,
    links_open: u32,
    emphasis_open: u32,
    images: u32,
    last_in_link: bool,
    /// Hashes of the words of the page's title and of its description.
    title: HashSet<u64>,
    description: HashSet<u64>,
}

/// Words of a title or description that are remembered.
const MAX_KNOWN_WORDS: usize = 200;

fn remember(set: &mut HashSet<u64>, text: &str) {
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2) {
        if set.len() < MAX_KNOWN_WORDS {
            set.insert(hash_text(0, word));
        }
    }
}

impl<'t> Collector<'t> {
    /// What the head says, and counts of the whole document.
    fn page_facts(&mut self) {
        let tree = self.tree;
        let facts = &mut self.blocks.page;
        for edge in Walk::new(tree, NodeId::DOCUMENT) {
            let Edge::Enter(node) = edge else { continue };
            if !tree.is_element(node) {
                continue;
            }
            facts.elements += 1;
            match tree.tag(node) {
                Tag::Form => facts.forms += 1,
                Tag::Article => facts.articles += 1,
                Tag::Main => facts.mains += 1,
                Tag::Table => facts.tables += 1,
                Tag::Img => facts.images += 1,
                Tag::Pre => facts.pres += 1,
                Tag::Li => facts.items += 1,
                Tag::Time => facts.times += 1,
                Tag::Title if facts.title_hash == 0 => {
                    let title = tree.folded_text(node, 400);
                    let head = title.split(['|', '–', '—']).next().unwrap_or_default();
                    facts.title_hash = hash_words(head);
                    remember(&mut self.title, head);
                }
                Tag::Meta if tree.attribute(node, Attr::Property) == Some("og:type") => {
                    let content = tree.attribute(node, Attr::Content).unwrap_or_default();
                    facts.og_article |= content.contains("article");
                    facts.og_product |= content.contains("product");
                }
                Tag::Meta
                    if matches!(
                        tree.attribute(node, Attr::Name).or_else(|| tree.attribute(node, Attr::Property)),
                        Some("description" | "og:description")
                    ) =>
                {
                    remember(&mut self.description, tree.attribute(node, Attr::Content).unwrap_or_default());
                }
                Tag::Script => {
                    let data = tree.first_child(node).map(|text| tree.text(text)).unwrap_or_default();
                    let data = data.get(..data.len().min(20_000)).unwrap_or_default();
                    for (bit, word) in [
                        "\"Product\"",
                        "Article\"",
                        "BlogPosting\"",
                        "DiscussionForumPosting\"",
                        "QAPage\"",
                        "ItemList\"",
                        "CollectionPage\"",
                        "FAQPage\"",
                        "Service\"",
                        "WebPage\"",
                    ]
                    .iter()
                    .enumerate()
                    {
                        facts.structured |= u32::from(data.contains(word)) << bit;
                    }
                }
                _ => {}
            }
            let itemtype = tree.attribute(node, Attr::Itemprop);
            facts.prices += u32::from(itemtype == Some("price"));
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

    fn enter(&mut self, node: NodeId, tag: Tag) {
        let tree = self.tree;
        let block = tag.is_block() || matches!(tag, Tag::Button | Tag::Label | Tag::Summary);
        if block {
            self.end_block();
        }
        match tag {
            Tag::A => self.links_open += 1,
            Tag::B | Tag::Strong | Tag::Em | Tag::I => self.emphasis_open += 1,
            Tag::Img | Tag::Picture => self.images += 1,
            Tag::Br => return,
            _ => {}
        }
        let mut frame = match self.frames.last_mut() {
            Some(parent) => {
                parent.totals.elements += 1;
                let mut frame = *parent;
                frame.index = u16::try_from(parent.totals.elements).unwrap_or(u16::MAX);
                frame
            }
            None => Frame {
                node,
                groups: [FAR_DEPTH; GROUPS],
                around: [FAR_DEPTH; AROUND.len()],
                depth: 0,
                hidden: false,
                signature: 0,
                totals: Totals::default(),
                number: 0,
                index: 0,
                block: true,
            },
        };
        frame.node = node;
        frame.block = block;
        frame.depth = frame.depth.saturating_add(1);
        frame.number = u32::try_from(self.blocks.totals.len()).unwrap_or(u32::MAX);
        frame.totals = Totals::default();
        self.blocks.totals.push(Totals::default());
        let class = tree.attribute(node, Attr::Class).unwrap_or_default();
        let id = tree.attribute(node, Attr::Id).unwrap_or_default();
        let mut groups = self.groups(class) | self.groups(id);
        for name in [Attr::Role, Attr::AriaLabel, Attr::DataTestid, Attr::Itemprop] {
            if let Some(value) = tree.attribute(node, name) {
                groups |= self.groups(value);
            }
        }
        if tag == Tag::Other {
            groups |= self.groups(tree.name(node));
        }
        if matches!(tag, Tag::Body | Tag::Html) {
            groups = 0; // the theme's classes say nothing of a part
        }
        let mut left = groups;
        while left != 0 {
            let group = left.trailing_zeros() as usize;
            left &= left - 1;
            if let Some(slot) = frame.groups.get_mut(group) {
                *slot = frame.depth;
            }
        }
        if let Some(at) = AROUND.iter().position(|known| *known == tag)
            && let Some(slot) = frame.around.get_mut(at)
        {
            *slot = frame.depth;
        }
        frame.hidden |= tree.has(node, Attr::Hidden)
            || tree.attribute(node, Attr::AriaHidden) == Some("true")
            || tree.attribute(node, Attr::Style).is_some_and(|style| {
                let style = style.get(..style.len().min(300)).unwrap_or_default();
                style.contains("display:none")
                    || style.contains("display: none")
                    || style.contains("visibility:hidden")
                    || style.contains("visibility: hidden")
            });
        let first_class = class.split_ascii_whitespace().next().unwrap_or_default();
        frame.signature = hash_text(mix(frame.signature, tag as u64 + 1), first_class);
        self.frames.push(frame);
    }

    fn groups(&mut self, name: &'t str) -> u64 {
        if name.is_empty() {
            return 0;
        }
        *self.known_names.entry(name).or_insert_with(|| vocabulary::groups(name))
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.last().copied() else { return };
        let tag = self.tree.tag(frame.node);
        if frame.block {
            self.end_block();
        }
        match tag {
            Tag::A => self.links_open = self.links_open.saturating_sub(1),
            Tag::B | Tag::Strong | Tag::Em | Tag::I => {
                self.emphasis_open = self.emphasis_open.saturating_sub(1);
            }
            _ => {}
        }
        let Some(frame) = self.frames.pop() else { return };
        let totals = frame.totals;
        if let Some(slot) = self.blocks.totals.get_mut(frame.number as usize) {
            *slot = totals;
        }
        if let Some(parent) = self.frames.last_mut() {
            let sum = &mut parent.totals;
            sum.words += totals.words;
            sum.link_words += totals.link_words;
            sum.blocks += totals.blocks;
            sum.paragraphs += totals.paragraphs;
            sum.paragraph_words += totals.paragraph_words;
            sum.headings += totals.headings;
            sum.elements += totals.elements;
            sum.links += totals.links;
        }
    }

    fn text(&mut self, node: NodeId) {
        let text = self.tree.text(node);
        let block = &mut self.current;
        let mut words = 0;
        for word in text.split_ascii_whitespace() {
            // Scripts without spaces between words count a word for every two characters.
            let wide = if word.is_ascii() {
                0
            } else {
                word.chars().filter(|c| matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{E00}'..='\u{E7F}')).count()
            };
            let letters = if word.is_ascii() { word.len() } else { word.chars().count() };
            let count = u32::try_from(1 + wide / 2).unwrap_or(1);
            if !word.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80) {
                continue;
            }
            if block.words == 0 {
                block.starts_capital = word.chars().next().is_some_and(char::is_uppercase);
            }
            words += count;
            block.words += count;
            block.letters += u32::try_from(letters).unwrap_or(u32::MAX);
            block.capitals += u32::from(word.as_bytes().first().is_some_and(u8::is_ascii_uppercase));
            block.digits += u32::from(word.bytes().any(|byte| byte.is_ascii_digit()));
            block.commas += u32::from(word.ends_with([',', ';', '、', '，']));
            block.ends_sentence = word.ends_with(['.', '!', '?', '…', '。', '！', '？'])
                || word.ends_with(".\"")
                || word.ends_with(".”")
                || word.ends_with(".)");
            block.has_colon_end = word.ends_with(':');
            block.sentences += u32::from(block.ends_sentence);
            block.hash = hash_text(mix(block.hash, 7), word);
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            if bare.len() > 2 {
                let hash = hash_text(0, bare);
                block.title_words += u32::from(self.title.contains(&hash));
                block.description_words += u32::from(self.description.contains(&hash));
            }
        }
        if words == 0 && block.words == 0 && !text.bytes().any(|byte| !byte.is_ascii_whitespace()) {
            return;
        }
        if block.nodes.len() < 6 {
            block.cues |= cues::of_text(text);
        }
        block.nodes.push(node);
        let in_link = self.links_open > 0;
        if in_link {
            block.link_words += words;
            block.links += u32::from(!self.last_in_link && words > 0);
        }
        self.last_in_link = in_link;
        if self.emphasis_open > 0 {
            block.emphasis_words += words;
        }
        if block.container.is_none()
            && let Some(at) = self.frames.iter().rposition(|frame| frame.block)
        {
            self.place(at);
        }
    }

    /// Notes where the current block stands: in the element of this frame.
    fn place(&mut self, at: usize) {
        let (Some(frame), Some(innermost)) = (self.frames.get(at), self.frames.last()) else { return };
        let block = &mut self.current;
        block.container = Some(frame.node);
        let distance = |depths: &[u16], out: &mut [u8]| {
            for (depth, slot) in depths.iter().zip(out) {
                let steps =
                    if *depth == FAR_DEPTH { FAR } else { innermost.depth.saturating_sub(*depth).min(FAR) };
                *slot = u8::try_from(steps).unwrap_or(u8::MAX);
            }
        };
        distance(&innermost.groups, &mut block.groups.0);
        distance(&innermost.around, &mut block.around);
        block.kind = self.tree.tag(frame.node) as u8;
        block.depth = frame.depth;
        block.heading = self
            .frames
            .iter()
            .rev()
            .take(6)
            .find_map(|frame| self.tree.tag(frame.node).heading_level())
            .unwrap_or(0);
        block.hidden = innermost.hidden;
        block.signature = frame.signature;
        block.child_index = frame.index;
        block.images_before = std::mem::take(&mut self.images);
        for (slot, steps) in block.regions.iter_mut().zip(REGION_STEPS) {
            *slot = at
                .checked_sub(steps)
                .and_then(|at| self.frames.get(at))
                .or(self.frames.first())
                .map_or(0, |frame| frame.number);
        }
    }

    fn end_block(&mut self) {
        self.last_in_link = false;
        if self.current.nodes.is_empty() {
            return;
        }
        let block = std::mem::take(&mut self.current);
        if self.blocks.list.len() >= MAX_BLOCKS {
            if let Some(last) = self.blocks.list.last_mut() {
                last.nodes.extend(block.nodes);
            }
            return;
        }
        if block.heading == 1 && self.blocks.page.first_h1.is_none() && block.words > 0 {
            self.blocks.page.first_h1 = u32::try_from(self.blocks.list.len()).ok();
        }
        if let Some(frame) = self.frames.last_mut() {
            let totals = &mut frame.totals;
            totals.words += block.words;
            totals.link_words += block.link_words;
            totals.links += block.links;
            totals.blocks += 1;
            totals.headings += u32::from(block.heading > 0);
            if block.words >= 12 && block.link_words * 3 < block.words && block.heading == 0 {
                totals.paragraphs += 1;
                totals.paragraph_words += block.words;
            }
        }
        self.blocks.list.push(block);
    }
}
