//! The learned model: a table of gradient-boosted trees, made by `training/train.py`.
//!
//! File format, all little-endian: the number of trees (u16); for each tree the number of its splits (u8),
//! the splits, and one value (f32) for each leaf. A split is a feature (u16), a threshold (f32), and a left
//! and right child (i8; a negative number n is the leaf `-n - 1`). Trees are in the order of training, the
//! most important first, so that a block which the first trees decide clearly skips the others.

use std::sync::LazyLock;

use super::blocks::{Features, PAGE_FEATURES_START};

static BYTES: &[u8] = include_bytes!("model.bin");

static MODEL: LazyLock<Ensemble> =
    LazyLock::new(|| Ensemble::read(&mut Reader { bytes: BYTES }).unwrap_or_default());

/// The likelihoods that blocks belong to the main content, from their features. All blocks are from one page.
pub(super) fn likelihoods(blocks: &[Features]) -> Vec<f32> {
    MODEL.likelihoods(blocks)
}

/// Upper bound on the leaves of a tree.
const MAX_LEAVES: usize = 32;

/// The number of trees after which clearly decided blocks are removed.
const STAGE_TREES: usize = 15;

/// A sum (log odds) further from zero than this is clearly decided.
const CERTAIN: f32 = 2.5;

/// A leaf with number n is stored as `FIRST_LEAF + n`, above all splits. So one lookup both finds the next
/// split and detects the leaf.
const FIRST_LEAF: u8 = MAX_LEAVES as u8;

#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    feature: u16,
    /// The next split or leaf: the first if the feature is at most the threshold, else the second.
    next: [u8; 2],
}

impl Default for Split {
    /// Leads to the first leaf, so that every walk ends.
    fn default() -> Self {
        Self { threshold: 0.0, feature: 0, next: [FIRST_LEAF; 2] }
    }
}

#[derive(Debug, Clone, Default)]
struct Tree {
    splits: [Split; MAX_LEAVES],
    leaves: [f32; MAX_LEAVES],
    /// The splits by features that all blocks of a page share, children before their parents.
    page_splits: Vec<PageSplit>,
}

/// A split with the same outcome for all blocks of a page.
#[derive(Debug, Clone, Copy)]
struct PageSplit {
    number: u8,
    /// The parent split and its side that leads here; `None` for the root.
    parent: Option<(u8, u8)>,
}

/// A tree specialized for one page: splits by page features are bypassed.
#[derive(Debug)]
struct PageTree<'t> {
    splits: [Split; MAX_LEAVES],
    first: u8,
    leaves: &'t [f32; MAX_LEAVES],
}

#[derive(Debug, Default)]
struct Ensemble {
    trees: Vec<Tree>,
}

struct Reader {
    bytes: &'static [u8],
}

impl Reader {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*taken)
    }
}

impl Ensemble {
    fn read(reader: &mut Reader) -> Option<Self> {
        let mut ensemble = Self::default();
        for _ in 0..u16::from_le_bytes(reader.take()?) {
            let mut tree = Tree::default();
            let [splits] = reader.take()?;
            for at in 0..splits {
                let feature = u16::from_le_bytes(reader.take()?);
                let threshold = f32::from_le_bytes(reader.take()?);
                let mut next = [0; 2];
                for slot in &mut next {
                    let [child] = reader.take()?;
                    let child = i8::from_le_bytes([child]);
                    let leaf = u8::try_from(-1 - i16::from(child)).map(|leaf| leaf + FIRST_LEAF);
                    *slot = leaf.or_else(|_| u8::try_from(child)).ok()?;
                    // Children come after their parent, so that a walk ends.
                    if *slot <= at {
                        return None;
                    }
                }
                *tree.splits.get_mut(usize::from(at))? = Split { threshold, feature, next };
            }
            for leaf in tree.leaves.iter_mut().take(usize::from(splits) + 1) {
                *leaf = f32::from_le_bytes(reader.take()?);
            }
            tree.page_splits = tree.page_splits(splits);
            ensemble.trees.push(tree);
        }
        Some(ensemble)
    }

    /// Runs each tree over all undecided blocks before the next tree, so that the tree stays in the cache.
    fn likelihoods(&self, blocks: &[Features]) -> Vec<f32> {
        let mut sums = vec![0.0_f32; blocks.len()];
        let mut open: Vec<(&Features, &mut f32)> = blocks.iter().zip(&mut sums).collect();
        for stage in self.trees.chunks(STAGE_TREES) {
            let Some((page, _)) = open.first() else { break };
            let page: &Features = page;
            for tree in stage {
                let tree = tree.for_page(page);
                for (features, sum) in &mut open {
                    **sum += tree.value(features);
                }
            }
            open.retain(|(_, sum)| sum.abs() < CERTAIN);
        }
        sums.iter().map(|sum| 1.0 / (1.0 + (-sum).exp())).collect()
    }
}

impl Tree {
    /// Those of the first `splits` splits that use page features.
    fn page_splits(&self, splits: u8) -> Vec<PageSplit> {
        let parent = |number: u8| {
            self.splits.iter().zip(0_u8..splits).find_map(|(split, parent)| {
                let side = split.next.iter().position(|next| *next == number)?;
                Some((parent, u8::try_from(side).ok()?))
            })
        };
        let shared = self
            .splits
            .iter()
            .zip(0_u8..splits)
            .filter(|(split, _)| usize::from(split.feature) >= PAGE_FEATURES_START);
        shared.rev().map(|(_, number)| PageSplit { number, parent: parent(number) }).collect()
    }

    /// Specializes the tree for a page, given the features of any of its blocks.
    fn for_page(&self, page: &Features) -> PageTree<'_> {
        let mut tree = PageTree { splits: self.splits, first: 0, leaves: &self.leaves };
        for split in &self.page_splits {
            let next =
                tree.splits.get(usize::from(split.number)).map_or(FIRST_LEAF, |split| split.next(page));
            let slot = match split.parent {
                None => Some(&mut tree.first),
                Some((parent, side)) => tree
                    .splits
                    .get_mut(usize::from(parent))
                    .and_then(|split| split.next.get_mut(usize::from(side))),
            };
            if let Some(slot) = slot {
                *slot = next;
            }
        }
        tree
    }
}

impl Split {
    /// The next split or leaf for a block.
    fn next(&self, features: &Features) -> u8 {
        let Some(feature) = features.get(usize::from(self.feature)) else { return FIRST_LEAF };
        self.next.get(usize::from(*feature > self.threshold)).copied().unwrap_or(FIRST_LEAF)
    }
}

impl PageTree<'_> {
    /// The value of the leaf that a block reaches.
    fn value(&self, features: &Features) -> f32 {
        let mut at = usize::from(self.first);
        while let Some(split) = self.splits.get(at) {
            at = usize::from(split.next(features));
        }
        self.leaves.get(at.wrapping_sub(MAX_LEAVES)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::WIDTH;

    #[test]
    fn the_model_file_is_complete() {
        let mut reader = Reader { bytes: BYTES };
        let ensemble = Ensemble::read(&mut reader).expect("the file is cut short");
        assert!(!ensemble.trees.is_empty());
        for tree in &ensemble.trees {
            assert!(tree.splits.iter().all(|split| split.threshold.is_finite()));
            assert!(tree.splits.iter().all(|split| usize::from(split.feature) < WIDTH));
        }
        assert!(reader.bytes.is_empty());
    }

    #[test]
    fn a_tree_specialized_for_a_page_gives_the_same_values() {
        let page = |number: usize| -> Features {
            std::array::from_fn(|at| ((at * 7_919 + number * 104_729) % 211) as f32 / 3.0 - 10.0)
        };
        let mut page_splits = 0;
        for number in 0..20 {
            let block = page(number);
            for tree in &MODEL.trees {
                // Another block of the page, and the same tree without specialization.
                let mut other = page(number + 1);
                other[PAGE_FEATURES_START..].copy_from_slice(&block[PAGE_FEATURES_START..]);
                let plain = PageTree { splits: tree.splits, first: 0, leaves: &tree.leaves };
                let quick = tree.for_page(&other);
                assert_eq!(quick.value(&block).to_bits(), plain.value(&block).to_bits());
                page_splits += tree.page_splits.len();
            }
        }
        assert!(page_splits > 0);
    }

    #[test]
    fn a_likelihood_is_between_zero_and_one() {
        for value in [0.0, 1.0, -5.0, f32::NAN] {
            let likely = likelihoods(&[[value; WIDTH], [0.0; WIDTH]]);
            assert!(likely.len() == 2 && likely.iter().all(|likely| (0.0..=1.0).contains(likely)));
        }
    }
}
