//! The numbers of each block that the model looks at.

use std::collections::HashMap;

use super::super::cues::CUES;
use super::{Block, Blocks};

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
        let mut by_signature: HashMap<u64, (u32, u32, u32)> = HashMap::new();
        let mut by_text: HashMap<u64, u32> = HashMap::new();
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
