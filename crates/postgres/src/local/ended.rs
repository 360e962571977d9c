//! Which rows of `ended` name pages of blocks that are still there.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_frontier::UrlKey;

use super::Local;
use crate::queue::{BlockId, EndedPage, EndedRow};

/// The rows of `ended` of this process.
#[derive(Debug, Default)]
pub(super) struct EndedRows {
    /// The number of the last row.
    last: i64,
    /// How many loaded blocks each row names.
    blocks: BTreeMap<i64, usize>,
    /// Rows that name no block any more.
    obsolete: BTreeSet<i64>,
}

impl EndedRows {
    /// Records that a block that this row names is gone.
    pub(super) fn release(&mut self, row: i64) {
        if let Some(blocks) = self.blocks.get_mut(&row) {
            *blocks = blocks.saturating_sub(1);
            if *blocks == 0 {
                self.blocks.remove(&row);
                self.obsolete.insert(row);
            }
        }
    }

    fn insert(&mut self, row: i64, blocks: usize) {
        self.last = self.last.max(row);
        if blocks > 0 {
            self.blocks.insert(row, blocks);
        }
    }
}

impl Local {
    /// What the commit of these ended pages writes. Nothing of it counts before
    /// [`ended_committed`](Self::ended_committed).
    pub(crate) fn next_ended(&mut self, ended: &[EndedPage]) -> EndedRow {
        let mut by_block: BTreeMap<i64, Vec<&EndedPage>> = BTreeMap::new();
        for page in ended {
            by_block.entry(page.block).or_default().push(page);
        }
        let mut row = EndedRow {
            number: self.ended.last + 1,
            pages: Vec::new(),
            complete: Vec::new(),
            obsolete: Vec::new(),
        };
        let mut released: BTreeMap<i64, usize> = BTreeMap::new();
        for (id, pages) in by_block {
            let Some(block) = self.blocks.get(&id) else { continue };
            let ends = |key: &UrlKey| pages.iter().any(|page| page.key == *key);
            if block.left.iter().all(ends) {
                row.complete.push(BlockId { host: block.host, job: block.job, id });
                for number in &block.rows {
                    *released.entry(*number).or_default() += 1;
                }
            } else {
                row.pages.extend(pages.into_iter().copied());
            }
        }
        row.obsolete.extend(self.ended.obsolete.iter().copied());
        let is_released = |(number, blocks): (&i64, &usize)| {
            (self.ended.blocks.get(number) == Some(blocks)).then_some(*number)
        };
        row.obsolete.extend(released.iter().filter_map(is_released));
        row
    }

    /// Applies a committed [`next_ended`](Self::next_ended).
    pub(crate) fn ended_committed(&mut self, row: EndedRow) {
        for block in &row.complete {
            if let Some(loaded) = self.blocks.get(&block.id)
                && let Some(job) = self.jobs.get_mut(&loaded.job)
            {
                for key in &loaded.left {
                    job.pages.remove(key);
                }
            }
            self.forget_block(block.id);
        }
        for number in &row.obsolete {
            self.ended.obsolete.remove(number);
        }
        let mut named = BTreeSet::new();
        for page in &row.pages {
            let Some(block) = self.blocks.get_mut(&page.block) else { continue };
            block.left.remove(&page.key);
            block.rows.insert(row.number);
            named.insert(page.block);
            if let Some(job) = self.jobs.get_mut(&page.job) {
                job.pages.remove(&page.key);
            }
        }
        self.ended.insert(row.number, named.len());
        if named.is_empty() && !row.pages.is_empty() {
            // Their blocks went with their job while the commit was under way.
            self.ended.obsolete.insert(row.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use gleaner_frontier::FrontierConfig;

    use super::super::hosts::LoadedBlock;
    use super::*;

    fn local(blocks: &[(i64, &[u64])]) -> Local {
        let mut local = Local::new(FrontierConfig::default());
        for (id, keys) in blocks {
            let left: HashSet<UrlKey> = keys.iter().copied().map(UrlKey::from_raw).collect();
            local.blocks.insert(*id, LoadedBlock { host: 1, job: 1, left, rows: BTreeSet::new() });
        }
        local
    }

    fn end(local: &mut Local, pages: &[(i64, u64)]) -> (usize, Vec<i64>, Vec<i64>) {
        let ended: Vec<EndedPage> = pages
            .iter()
            .map(|&(block, key)| EndedPage { block, host: 1, job: 1, key: UrlKey::from_raw(key) })
            .collect();
        let row = local.next_ended(&ended);
        let complete = row.complete.iter().map(|block| block.id).collect();
        let described = (row.pages.len(), complete, row.obsolete.clone());
        local.ended_committed(row);
        described
    }

    #[test]
    fn a_row_is_obsolete_when_its_blocks_are_complete() {
        let mut local = local(&[(7, &[1, 2]), (8, &[3, 4])]);
        assert_eq!(end(&mut local, &[(7, 1), (8, 3)]), (2, vec![], vec![]));
        assert_eq!(end(&mut local, &[(7, 2)]), (0, vec![7], vec![]), "its row still names block 8");
        assert_eq!(end(&mut local, &[(8, 4)]), (0, vec![8], vec![1]));
        assert!(local.blocks.is_empty() && local.ended.blocks.is_empty());
    }

    #[test]
    fn what_is_not_committed_does_not_count() {
        let mut local = local(&[(7, &[1, 2])]);
        let page = |key| EndedPage { block: 7, host: 1, job: 1, key: UrlKey::from_raw(key) };
        let failed = local.next_ended(&[page(1), page(2)]);
        assert_eq!(failed.complete.len(), 1);
        assert_eq!(end(&mut local, &[(7, 1)]), (1, vec![], vec![]));
        assert_eq!(end(&mut local, &[(7, 2)]), (0, vec![7], vec![1]));
    }

    #[test]
    fn the_rows_of_an_ended_job_go_with_the_next_commit() {
        let mut local = local(&[(7, &[1, 2]), (8, &[3])]);
        end(&mut local, &[(7, 1)]);
        local.forget_block(7);
        assert_eq!(end(&mut local, &[(8, 3)]), (0, vec![8], vec![1]));
        assert!(local.ended.obsolete.is_empty());
    }
}
