//! Computes the features of each block that the model reads.

use gleaner_types::Interrupt;

use super::surroundings::{Section, Surroundings};
use super::{Block, Blocks, Element, Totals};

/// The number of features of a block.
pub(crate) const WIDTH: usize = 273;

/// The features from this index on are the same for all blocks of a page.
pub(crate) const PAGE_FEATURES_START: usize = WIDTH - PAGE_FEATURES;

/// The number of blocks that the model rates together. Their features stay in the processor's cache, and
/// those of a long page are never all in memory.
const BATCH_BLOCKS: usize = 256;

/// Units of work to rate one block.
const UNITS_PER_BLOCK: usize = 100;

/// The features of one block, in a fixed order.
pub(crate) type Features = [f32; WIDTH];

/// Fills a row from its start.
struct Row<'r>(&'r mut [f32]);

impl Row<'_> {
    fn extend<const N: usize>(&mut self, values: [f32; N]) {
        if let Some((filled, rest)) = std::mem::take(&mut self.0).split_first_chunk_mut() {
            *filled = values;
            self.0 = rest;
        }
    }

    fn bits<const N: usize>(&mut self, bits: u32) {
        self.extend::<N>(std::array::from_fn(|bit| (bits >> bit & 1) as f32));
    }
}

fn share(part: u32, whole: u32) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// Longer distances count as this one.
const MAX_BLOCK_DISTANCE: f32 = 400.0;

/// Totals over the blocks with the same key.
#[derive(Debug, Clone, Copy, Default)]
struct GroupTotals {
    count: u32,
    words: u32,
    link_words: u32,
}

/// For each block, the totals over all blocks with its key.
fn group_totals(list: &[Block], key: impl Fn(&Block) -> u64) -> Vec<GroupTotals> {
    let mut order: Vec<(u64, u32)> = list.iter().map(key).zip(0_u32..).collect();
    order.sort_unstable();
    let mut out = vec![GroupTotals::default(); list.len()];
    for alike in order.chunk_by(|a, b| a.0 == b.0) {
        let mut sum = GroupTotals::default();
        for block in alike.iter().filter_map(|(_, at)| list.get(*at as usize)) {
            sum.count += 1;
            sum.words += block.words;
            sum.link_words += block.link_words;
        }
        for (_, at) in alike {
            if let Some(slot) = out.get_mut(*at as usize) {
                *slot = sum;
            }
        }
    }
    out
}

/// Totals of the page, computed before the features of its blocks.
struct PageTotals<'b> {
    blocks: &'b Blocks,
    words: u32,
    prose_words: u32,
    surroundings: Surroundings,
    by_signature: Vec<GroupTotals>,
    by_text: Vec<GroupTotals>,
    /// Prefix sums over the blocks: words, words in links, and paragraphs. The last entry holds the sums of
    /// all blocks.
    before: Vec<[u32; 3]>,
    /// For each block, the distance in blocks to the next paragraph of prose.
    to_prose: Vec<u16>,
    title_at: Option<usize>,
    largest_article: u32,
    /// The features that are the same for all blocks.
    features: [f32; PAGE_FEATURES],
}

/// The number of features that are the same for all blocks of a page.
const PAGE_FEATURES: usize = 40;

/// Running totals of the blocks before the current one.
#[derive(Debug, Default)]
struct Position {
    words_before: u32,
    headings_since: u32,
    since_prose: u32,
    last_heading: u8,
    priced_heading: bool,
    section: usize,
}

impl Blocks {
    /// Passes the features of all blocks to `take`, [`BATCH_BLOCKS`] at a time, until the interrupt is
    /// raised.
    pub(crate) fn features(&self, interrupt: &Interrupt, mut take: impl FnMut(&[Features])) {
        let page = PageTotals::of(self);
        let mut position = Position::default();
        let mut rows = vec![[0.0; WIDTH]; self.list.len().min(BATCH_BLOCKS)];
        for (batch, first) in self.list.chunks(BATCH_BLOCKS).zip((0..).step_by(BATCH_BLOCKS)) {
            if interrupt.spend(batch.len() * UNITS_PER_BLOCK) {
                return;
            }
            for ((at, block), features) in (first..).zip(batch).zip(&mut rows) {
                if block.heading > 0 {
                    position.last_heading = block.heading;
                    position.priced_heading = block.price;
                    position.headings_since = 0;
                    position.section += 1;
                } else {
                    position.headings_since += 1;
                }
                position.since_prose = if block.is_prose() { 0 } else { position.since_prose + 1 };
                let mut row = Row(features);
                page.own(at, block, &position, &mut row);
                page.neighbours(at, block, &mut row);
                page.elements(block, &mut row);
                page.records(block, &position, &mut row);
                row.extend(block.ancestor_tags.map(f32::from));
                row.extend(block.groups.0.map(f32::from));
                row.extend(page.features);
                position.words_before += block.words;
            }
            take(rows.get(..batch.len()).unwrap_or_default());
        }
    }
}

impl<'b> PageTotals<'b> {
    fn of(blocks: &'b Blocks) -> Self {
        let list = &blocks.list;
        let words: u32 = list.iter().map(|block| block.words).sum();
        let link_words: u32 = list.iter().map(|block| block.link_words).sum();
        let prose = || list.iter().filter(|block| block.is_prose());
        let prose_words: u32 = prose().map(|block| block.words).sum();
        let prose_blocks = u32::try_from(prose().count()).unwrap_or(u32::MAX);
        let surroundings = Surroundings::of(blocks, words - link_words.min(words), prose_words);
        let mut to_prose = vec![0_u16; list.len()];
        let mut next = 400_u16;
        for (block, slot) in list.iter().zip(&mut to_prose).rev() {
            next = if block.is_prose() { 0 } else { (next + 1).min(400) };
            *slot = next;
        }
        let mut before = Vec::with_capacity(list.len() + 1);
        let mut sum = [0_u32; 3];
        before.push(sum);
        for block in list {
            let [words, link_words, paragraphs] = sum;
            sum = [
                words + block.words,
                link_words + block.link_words,
                paragraphs + u32::from(block.is_prose()),
            ];
            before.push(sum);
        }
        let facts = &blocks.page;
        let largest = |tag: crate::tree::Tag| {
            let of_tag = blocks.elements.iter().filter(|element| element.tag == tag as u8);
            of_tag.map(|element| element.totals.words).max().unwrap_or(0)
        };
        let largest_run = blocks.runs.iter().filter(|run| run.count >= 3).max_by_key(|run| run.totals.words);
        let largest_run = largest_run.copied().unwrap_or_default();
        let largest_article = largest(crate::tree::Tag::Article);
        let mut page = Self {
            blocks,
            words,
            prose_words,
            surroundings,
            by_signature: group_totals(list, |block| block.signature),
            by_text: group_totals(list, |block| block.hash),
            before,
            to_prose,
            title_at: list.iter().position(|block| block.hash == facts.title_hash && block.words > 1),
            largest_article,
            features: [0.0; PAGE_FEATURES],
        };
        let mut row = [0.0; PAGE_FEATURES];
        let mut values = Row(&mut row);
        values.extend([
            words as f32,
            share(link_words, words),
            share(prose_words, words),
            prose_blocks as f32,
            list.len() as f32,
            facts.forms as f32,
            facts.articles as f32,
            facts.mains as f32,
            facts.tables as f32,
            facts.images as f32,
            facts.prices as f32,
            facts.pres as f32,
            facts.items as f32,
            facts.times as f32,
            flag(facts.og_article),
            flag(facts.og_product),
            share(largest_article, words),
            share(largest_run.totals.words, words),
            share(largest_run.totals.link_words, largest_run.totals.words),
            largest_run.count as f32,
            largest_run.totals.words as f32 / largest_run.count.max(1) as f32,
            facts.json_ld_words as f32,
            page.surroundings.sections.len() as f32,
            share(facts.images, u32::try_from(list.len()).unwrap_or(1)),
            share(prose_words, prose_blocks),
        ]);
        values.extend(facts.url_features);
        values.bits::<10>(facts.json_ld_types);
        page.features = row;
        page
    }

    /// Features of the block itself and of its position on the page.
    fn own(&self, at: usize, block: &Block, position: &Position, row: &mut Row<'_>) {
        let page = &self.blocks.page;
        let count = self.blocks.list.len();
        row.extend([
            block.words as f32,
            share(block.letters, block.words),
            share(block.link_words, block.words),
            block.links as f32,
            share(block.fragment_links, block.links),
            share(block.outside_links, block.links),
            block.sentences as f32,
            share(block.sentences, block.words),
            share(block.commas, block.words),
            share(block.capitals, block.words),
            share(block.digits, block.words),
            share(block.emphasis_words, block.words),
            flag(block.ends_sentence),
            flag(block.starts_capital),
            flag(block.has_colon_end),
            block.images_before as f32,
            f32::from(block.kind),
            f32::from(block.depth),
            f32::from(block.heading),
            flag(block.hidden),
            f32::from(block.child_index.min(50)),
            share(block.title_words, block.words),
            share(block.description_words, block.words),
            share(block.json_ld_words, block.words),
            f32::from(position.last_heading),
            (position.headings_since as f32).min(MAX_BLOCK_DISTANCE),
            (position.since_prose as f32).min(MAX_BLOCK_DISTANCE),
            self.to_prose.get(at).map_or(MAX_BLOCK_DISTANCE, |blocks| f32::from(*blocks)),
            at as f32 / count.max(1) as f32,
            share(position.words_before, self.words),
            at as f32,
            (count - at) as f32,
            page.first_h1.map_or(-1000.0, |h1| at as f32 - h1 as f32),
            self.title_at.map_or(-1000.0, |title| at as f32 - title as f32),
            flag(block.hash == page.title_hash),
            flag(block.price),
            flag(position.priced_heading),
        ]);
        let alike = self.by_signature.get(at).copied().unwrap_or_default();
        row.extend([
            alike.count as f32,
            share(alike.words, self.words),
            share(alike.link_words, alike.words),
            alike.words as f32 / alike.count.max(1) as f32,
            self.by_text.get(at).map_or(1.0, |same| same.count as f32),
        ]);
    }

    /// Features of the blocks before and after.
    fn neighbours(&self, at: usize, block: &Block, row: &mut Row<'_>) {
        let list = &self.blocks.list;
        for step in [-3_isize, -2, -1, 1, 2, 3] {
            let Some(near) = at.checked_add_signed(step).and_then(|at| list.get(at)) else {
                row.extend([-1.0; 4]);
                if step.abs() == 1 {
                    row.extend([-1.0, 0.0]);
                }
                continue;
            };
            row.extend([
                near.words as f32,
                share(near.link_words, near.words),
                f32::from(near.heading),
                flag(near.signature == block.signature),
            ]);
            if step.abs() == 1 {
                row.extend([f32::from(near.kind), f32::from(near.depth) - f32::from(block.depth)]);
            }
        }
        for width in [5_usize, 15] {
            let (from, to) = (at.saturating_sub(width), (at + width + 1).min(list.len()));
            let sum = |at: usize| self.before.get(at).copied().unwrap_or_default();
            let ([words, link_words, paragraphs], [words_to, link_words_to, paragraphs_to]) =
                (sum(from), sum(to));
            let words = words_to - words;
            row.extend([
                words as f32,
                share(link_words_to - link_words, words),
                (paragraphs_to - paragraphs) as f32 / (to - from).max(1) as f32,
            ]);
        }
    }

    fn element(&self, number: u32) -> Element {
        self.blocks.elements.get(number as usize).copied().unwrap_or_default()
    }

    /// Features of the ancestor elements.
    fn elements(&self, block: &Block, row: &mut Row<'_>) {
        for region in block.regions {
            let totals = self.element(region).totals;
            row.extend([
                totals.words as f32,
                share(totals.words, self.words),
                share(totals.link_words, totals.words),
                share(totals.paragraph_words, self.prose_words),
                share(totals.paragraph_words, totals.words),
                totals.words as f32 / totals.blocks.max(1) as f32,
                totals.headings as f32,
                totals.blocks as f32,
            ]);
        }
        for landmark in block.landmarks {
            let totals = if landmark == 0 { Totals::default() } else { self.element(landmark).totals };
            row.extend([
                share(totals.words, self.words),
                share(totals.link_words, totals.words),
                share(totals.paragraph_words, self.prose_words),
            ]);
        }
        let [article, ..] = block.landmarks;
        let own = share(self.element(article).totals.words, self.largest_article);
        row.extend([if article == 0 { -1.0 } else { own }]);
        for (root, end) in self.surroundings.roots {
            let inside = (root..end).contains(&block.element);
            row.extend([flag(inside), share(self.element(root).totals.words, self.words)]);
        }
    }

    /// Features of the records and of the section that contain the block.
    fn records(&self, block: &Block, position: &Position, row: &mut Row<'_>) {
        let (inner, largest) = self.surroundings.records(block.element);
        for record in [inner, largest] {
            let element = self.element(record);
            let run = self.blocks.runs.get(element.run as usize).copied().unwrap_or_default();
            let (run, own) = if record == 0 { Default::default() } else { (run, element.totals) };
            row.extend([
                run.count as f32,
                share(run.totals.words, self.words),
                share(run.totals.link_words, run.totals.words),
                share(run.totals.words, run.count),
                share(run.totals.blocks, run.count),
                share(run.totals.headings, run.count),
                share(run.totals.paragraph_words, run.totals.words),
                own.words as f32,
                element.position as f32,
            ]);
        }
        let section: Section = self.surroundings.sections.get(position.section).copied().unwrap_or_default();
        row.extend([
            section.totals.words as f32,
            share(section.totals.words, self.words),
            share(section.totals.link_words, section.totals.words),
            share(section.totals.paragraph_words, section.totals.words),
            section.totals.blocks as f32,
            f32::from(section.level),
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_of_a_row_is_filled() {
        let blocks = Blocks { list: vec![Block::default()], ..Blocks::default() };
        let page = PageTotals::of(&blocks);
        let mut values = [0.0; WIDTH + 10];
        let mut row = Row(&mut values);
        let position = Position::default();
        let left = |row: &Row<'_>| row.0.len();
        page.own(0, &Block::default(), &position, &mut row);
        page.neighbours(0, &Block::default(), &mut row);
        page.elements(&Block::default(), &mut row);
        page.records(&Block::default(), &position, &mut row);
        assert_eq!(left(&row), 10 + super::super::ANCESTOR_TAGS.len() + super::super::GROUPS + PAGE_FEATURES);
    }
}
