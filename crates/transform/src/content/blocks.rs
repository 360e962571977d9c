//! The text blocks of a page: runs of text between block boundaries, each with the numbers the model looks at.
//!
//! One walk collects the blocks and what surrounds them; features that need the page's totals or a block's neighbours
//! are filled in afterwards. Numbers are shares, counts folded by a logarithm, and distances in elements.

use url::Url;

use super::cues::{self, CUES, PATHS};
use super::vocabulary::{self, GROUPS};
use std::collections::HashSet;

use crate::tree::{Attr, Edge, Kind, NodeId, Tag, Tree, Walk};
use crate::view::View;

/// A page is judged by its first so many blocks; what comes after shares the fate of the last one.
pub(crate) const MAX_BLOCKS: usize = 20_000;

/// A distance that means "not there".
const FAR: u16 = 24;

/// A run of text between block boundaries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// Its text nodes, in order.
    pub(crate) nodes: Vec<NodeId>,
    /// The innermost block element around it.
    pub(crate) container: Option<NodeId>,
    pub(crate) words: u32,
    letters: u32,
    link_words: u32,
    links: u32,
    sentences: u32,
    commas: u32,
    capitals: u32,
    digits: u32,
    emphasis_words: u32,
    ends_sentence: bool,
    starts_capital: bool,
    has_colon_end: bool,
    images_before: u32,
    hash: u64,
    /// Distances to the nearest element around it with a word of each group.
    groups: Distances,
    /// Distances to the nearest element of each kind in [`AROUND`].
    around: [u8; AROUND.len()],
    kind: u8,
    depth: u16,
    heading: u8,
    hidden: bool,
    signature: u64,
    /// Indices of aggregates: the block's container, and elements further out.
    regions: [u32; REGIONS],
    child_index: u16,
    cues: u32,
    title_words: u32,
    description_words: u32,
}

/// Distances to elements around a block with a word of each group.
#[derive(Debug, Clone, Copy)]
struct Distances([u8; GROUPS]);

impl Default for Distances {
    fn default() -> Self {
        Self([0; GROUPS])
    }
}

/// Kinds of elements around a block whose distance counts.
const AROUND: [Tag; 26] = [
    Tag::Main,
    Tag::Article,
    Tag::Section,
    Tag::Nav,
    Tag::Header,
    Tag::Footer,
    Tag::Aside,
    Tag::Form,
    Tag::Ul,
    Tag::Ol,
    Tag::Li,
    Tag::Table,
    Tag::Td,
    Tag::Blockquote,
    Tag::Figure,
    Tag::Figcaption,
    Tag::Dl,
    Tag::Button,
    Tag::Dialog,
    Tag::Details,
    Tag::Label,
    Tag::Pre,
    Tag::A,
    Tag::H2,
    Tag::Time,
    Tag::Noscript,
];

/// Elements around a block whose totals count: its container, and 2, 3, 5 and 8 elements further out.
const REGIONS: usize = 5;
const REGION_STEPS: [usize; REGIONS] = [0, 1, 2, 4, 7];

/// Totals of an element.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    words: u32,
    link_words: u32,
    blocks: u32,
    paragraphs: u32,
    paragraph_words: u32,
    headings: u32,
    elements: u32,
    links: u32,
}

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

/// The blocks of a page and its totals.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    pub(crate) list: Vec<Block>,
    totals: Vec<Totals>,
    page: PageFacts,
}

/// What is true of the whole page.
#[derive(Debug, Clone, Copy, Default)]
struct PageFacts {
    elements: u32,
    forms: u32,
    articles: u32,
    mains: u32,
    tables: u32,
    images: u32,
    prices: u32,
    pres: u32,
    items: u32,
    times: u32,
    og_article: bool,
    og_product: bool,
    structured: u32,
    first_h1: Option<u32>,
    title_hash: u64,
    address: [f32; PATHS + 5],
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
}

fn hash_text(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| mix(hash, u64::from(byte.to_ascii_lowercase())))
}

/// Cuts what is to be seen of a page into blocks.
pub(crate) fn collect(tree: &Tree, view: &View, url: &Url) -> Blocks {
    let mut collector = Collector {
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

impl Collector<'_> {
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
        let mut groups = if class.is_empty() { 0 } else { vocabulary::groups(class) };
        groups |= if id.is_empty() { 0 } else { vocabulary::groups(id) };
        for name in [Attr::Role, Attr::AriaLabel, Attr::DataTestid, Attr::Itemprop] {
            if let Some(value) = tree.attribute(node, name) {
                groups |= vocabulary::groups(value);
            }
        }
        if tag == Tag::Other {
            groups |= vocabulary::groups(tree.name(node));
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

const FAR_DEPTH: u16 = u16::MAX;

/// A hash of a text's words, equal for texts that differ in case and punctuation around words.
fn hash_words(text: &str) -> u64 {
    text.split_ascii_whitespace()
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80))
        .fold(0, |hash, word| hash_text(mix(hash, 7), word))
}

/// Numbers of one block, in a fixed order.
pub(crate) type Features = Vec<f32>;

impl Blocks {
    /// The numbers of all blocks.
    pub(crate) fn features(&self) -> Vec<Features> {
        let list = &self.list;
        let log = |count: u32| (1.0 + f64::from(count)).ln() as f32;
        let share = |part: u32, whole: u32| {
            if whole == 0 { 0.0 } else { (f64::from(part) / f64::from(whole)) as f32 }
        };
        let total_words: u32 = list.iter().map(|block| block.words).sum();
        let total_links: u32 = list.iter().map(|block| block.link_words).sum();
        let prose =
            |block: &Block| block.words >= 12 && block.link_words * 3 < block.words && block.heading == 0;
        let prose_words: u32 = list.iter().filter(|block| prose(block)).map(|block| block.words).sum();
        let prose_blocks = list.iter().filter(|block| prose(block)).count() as u32;
        let mut by_signature: std::collections::HashMap<u64, (u32, u32, u32)> =
            std::collections::HashMap::new();
        let mut by_text: std::collections::HashMap<u64, u32> = std::collections::HashMap::new();
        for block in list {
            let entry = by_signature.entry(block.signature).or_default();
            entry.0 += 1;
            entry.1 += block.words;
            entry.2 += block.link_words;
            *by_text.entry(block.hash).or_default() += 1;
        }
        let page = &self.page;
        let title_at = list.iter().position(|block| block.hash == page.title_hash && block.words > 1);
        let h1_at = page.first_h1;
        let mut words_before = 0_u32;
        let mut headings_since = 0_u32;
        let mut since_prose = 0_u32;
        let mut last_heading = 0_u8;
        let mut heading_cues = 0_u32;
        let mut to_prose = vec![0_u32; list.len()];
        let mut next = u32::MAX / 2;
        for (at, block) in list.iter().enumerate().rev() {
            next = if prose(block) { 0 } else { next.saturating_add(1) };
            if let Some(slot) = to_prose.get_mut(at) {
                *slot = next.min(200);
            }
        }
        let mut all = Vec::with_capacity(list.len());
        for (at, block) in list.iter().enumerate() {
            let mut f: Features = Vec::with_capacity(220);
            let dense = share(block.link_words, block.words);
            if block.heading > 0 {
                last_heading = block.heading;
                heading_cues = block.cues;
                headings_since = 0;
            } else {
                headings_since += 1;
            }
            since_prose = if prose(block) { 0 } else { since_prose + 1 };
            f.extend([
                log(block.words),
                log(block.letters),
                if block.words == 0 { 0.0 } else { block.letters as f32 / block.words as f32 },
                dense,
                log(block.links),
                log(block.sentences),
                share(block.sentences, block.words),
                share(block.commas, block.words),
                share(block.capitals, block.words),
                share(block.digits, block.words),
                share(block.emphasis_words, block.words),
                f32::from(u8::from(block.ends_sentence)),
                f32::from(u8::from(block.starts_capital)),
                f32::from(u8::from(block.has_colon_end)),
                log(block.images_before),
                f32::from(block.kind),
                f32::from(block.depth),
                f32::from(block.heading),
                f32::from(u8::from(block.hidden)),
                f32::from(last_heading),
                log(headings_since),
                log(since_prose),
                log(to_prose.get(at).copied().unwrap_or(200)),
                f32::from(block.child_index.min(50)),
            ]);
            f.push(share(block.title_words, block.words));
            f.push(share(block.description_words, block.words));
            for bit in 0..CUES {
                f.push(f32::from(u8::from(block.cues >> bit & 1 == 1)));
            }
            for bit in 0..CUES {
                f.push(f32::from(u8::from(heading_cues >> bit & 1 == 1)));
            }
            // Where in the page.
            let at_share = at as f32 / list.len().max(1) as f32;
            f.extend([
                at_share,
                share(words_before, total_words),
                log(at as u32),
                log(u32::try_from(list.len() - at).unwrap_or(0)),
                h1_at.map_or(-1.0, |h1| signed_log(at as i64 - i64::from(h1))),
                title_at.map_or(-9.0, |title| signed_log(at as i64 - title as i64)),
                f32::from(u8::from(block.hash == page.title_hash)),
            ]);
            words_before += block.words;
            // Repetition.
            let (count, words, links) = by_signature.get(&block.signature).copied().unwrap_or_default();
            f.extend([
                log(count),
                share(words, total_words),
                share(links, words),
                words as f32 / count.max(1) as f32,
                log(by_text.get(&block.hash).copied().unwrap_or(1)),
            ]);
            // Neighbours.
            for step in [-3_i64, -2, -1, 1, 2, 3] {
                let near = usize::try_from(at as i64 + step).ok().and_then(|at| list.get(at));
                f.push(near.map_or(-1.0, |near| log(near.words)));
                f.push(near.map_or(-1.0, |near| share(near.link_words, near.words)));
                f.push(near.map_or(-1.0, |near| f32::from(near.heading)));
                f.push(near.map_or(-1.0, |near| f32::from(u8::from(near.signature == block.signature))));
                if step.abs() == 1 {
                    f.push(near.map_or(-1.0, |near| f32::from(near.kind)));
                    f.push(near.map_or(-1.0, |near| f32::from(near.depth) - f32::from(block.depth)));
                }
            }
            for width in [5_usize, 15] {
                let window =
                    list.get(at.saturating_sub(width)..(at + width + 1).min(list.len())).unwrap_or_default();
                let words: u32 = window.iter().map(|near| near.words).sum();
                let links: u32 = window.iter().map(|near| near.link_words).sum();
                f.push(log(words));
                f.push(share(links, words));
                f.push(window.iter().filter(|near| prose(near)).count() as f32 / window.len().max(1) as f32);
            }
            // Elements around.
            for region in block.regions {
                let totals = self.totals.get(region as usize).copied().unwrap_or_default();
                f.extend([
                    log(totals.words),
                    share(totals.words, total_words),
                    share(totals.link_words, totals.words),
                    share(totals.paragraph_words, prose_words),
                    share(totals.paragraph_words, totals.words),
                    totals.words as f32 / totals.blocks.max(1) as f32,
                    log(totals.headings),
                    log(totals.blocks),
                ]);
            }
            f.extend(block.around.iter().map(|distance| f32::from(*distance)));
            f.extend(block.groups.0.iter().map(|distance| f32::from(*distance)));
            // The page.
            f.extend([
                log(total_words),
                share(total_links, total_words),
                share(prose_words, total_words),
                log(prose_blocks),
                log(list.len() as u32),
                log(page.forms),
                log(page.articles),
                log(page.mains),
                log(page.tables),
                log(page.images),
                log(page.prices),
                log(page.pres),
                log(page.items),
                log(page.times),
                f32::from(u8::from(page.og_article)),
                f32::from(u8::from(page.og_product)),
            ]);
            f.extend(page.address);
            f.extend((0..10).map(|bit| f32::from(u8::from(page.structured >> bit & 1 == 1))));
            all.push(f);
        }
        all
    }
}

fn signed_log(value: i64) -> f32 {
    let size = (1.0 + value.unsigned_abs() as f64).ln() as f32;
    if value < 0 { -size } else { size }
}
