//! The blocks that earlier steps made: what became garbage since.

use gleaner_frontier::UrlKey;

use crate::journal::{Block, BlockWriter, Damage, DepthsWriter, Fact, PageListWriter};

/// A block of the queue without pages that have ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cleaned {
    /// The block; `None` if nothing is left of it.
    pub block: Option<Vec<u8>>,
    /// Number of dropped pages.
    pub dropped: u64,
}

/// Drops the pages of a block of [`Part::Queue`](crate::journal::Part::Queue) whose keys are among `ended`,
/// which is sorted. `None` if none is.
///
/// # Errors
/// The damage of the block.
pub fn clean(block: &[u8], has_max_depth: bool, ended: &[UrlKey]) -> Result<Option<Cleaned>, Damage> {
    let has_ended = |key: UrlKey| ended.binary_search(&key).is_ok();
    let (mut pages, mut depths) = (PageListWriter::default(), DepthsWriter::default());
    let (mut left, mut dropped, mut is_changed) = (BlockWriter::default(), 0, false);
    for fact in Block::open(block)?.facts() {
        match fact? {
            Fact::Admitted { pages: list, .. } => {
                for page in list.pages() {
                    let page = page?;
                    if !has_ended(page.key) {
                        pages.push(&page);
                        continue;
                    }
                    dropped += 1;
                    if has_max_depth {
                        depths.push(page.key, page.depth);
                    }
                }
            }
            // It became less deep, and ended.
            Fact::TooDeep { key, .. } if has_ended(key) => is_changed = true,
            fact @ (Fact::TooDeep { .. } | Fact::Depths { .. }) => left.push(&fact),
            _ => return Err(Damage::Invalid),
        }
    }
    if dropped == 0 && !is_changed {
        return Ok(None);
    }
    if !pages.is_empty() {
        left.push(&Fact::Admitted { by: None, pages: pages.finish() });
    }
    if has_max_depth && dropped > 0 {
        left.push(&Fact::Depths { depths: depths.finish() });
    }
    let block = (!left.is_empty()).then(|| left.finish());
    Ok(Some(Cleaned { block, dropped }))
}

/// Calls `visit` with each page in a block of [`Part::Ended`](crate::journal::Part::Ended).
///
/// # Errors
/// The damage of the block.
pub fn ended_pages(block: &[u8], mut visit: impl FnMut(UrlKey)) -> Result<(), Damage> {
    for fact in Block::open(block)?.facts() {
        match fact? {
            Fact::Done { keys } => keys.iter().for_each(&mut visit),
            Fact::Linked { key, .. } => visit(key),
            Fact::Visited { .. } | Fact::Depths { .. } => {}
            _ => return Err(Damage::Invalid),
        }
    }
    Ok(())
}

/// Whether each event in a block of [`Part::Pending`](crate::journal::Part::Pending) is before the one with
/// this number, which is the first that waits: the block is not needed any more.
///
/// # Errors
/// The damage of the block.
pub fn is_delivered(block: &[u8], first_waiting: u64) -> Result<bool, Damage> {
    for fact in Block::open(block)?.facts() {
        match fact? {
            Fact::Event { sequence, .. } if sequence < first_waiting => {}
            Fact::Event { .. } => return Ok(false),
            _ => return Err(Damage::Invalid),
        }
    }
    Ok(true)
}
