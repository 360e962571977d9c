//! The learned model: gradient-boosted trees in a table, made by `training/train.py`.
//!
//! The file holds the number of trees (u16); for each tree the number of its inner nodes (u8) and those nodes: feature
//! (u16), threshold (f32), left and right (i8; negative: leaf number `-n - 1`), then one value (f32) for each leaf. All
//! little-endian. Trees come in the order of training, the weightiest first: a block about which the first of them
//! leave no doubt is not shown to the others.

use std::sync::LazyLock;

use super::blocks::{Features, SHARED};

static BYTES: &[u8] = include_bytes!("model.bin");

static MODEL: LazyLock<Ensemble> =
    LazyLock::new(|| Ensemble::read(&mut Reader { bytes: BYTES }).unwrap_or_default());

/// How likely each block with these numbers belongs to the main content; all are of one page.
pub(super) fn likelihoods(blocks: &[Features]) -> Vec<f32> {
    MODEL.likelihoods(blocks)
}

/// A tree has at most so many leaves.
const LEAVES: usize = 32;

/// After so many trees, and again after as many more, blocks beyond doubt are done.
const STAGE: usize = 15;

/// A sum (log odds) further from zero than this leaves no doubt.
const CERTAIN: f32 = 2.5;

/// Where a split leads to a leaf, this is added to the leaf's number: beyond the splits, so that one look both finds the
/// next split and tells that there is none.
const LEAF: u8 = LEAVES as u8;

#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    feature: u16,
    /// Where to go: first where the number is at most the threshold, else second.
    next: [u8; 2],
}

impl Default for Split {
    /// Leads to the first leaf, so that a walk ends wherever it strays.
    fn default() -> Self {
        Self { threshold: 0.0, feature: 0, next: [LEAF; 2] }
    }
}

#[derive(Debug, Clone, Default)]
struct Tree {
    splits: [Split; LEAVES],
    leaves: [f32; LEAVES],
    /// The splits by numbers that all blocks of a page share, children before their parents.
    shared: Vec<SharedSplit>,
}

/// A split that goes the same way for all blocks of a page.
#[derive(Debug, Clone, Copy)]
struct SharedSplit {
    number: u8,
    /// The split that leads to it, and by which side; `None` for the first of the tree.
    parent: Option<(u8, u8)>,
}

/// A tree as it is for one page: nothing leads to splits that all blocks share.
#[derive(Debug)]
struct Settled<'t> {
    splits: [Split; LEAVES],
    first: u8,
    leaves: &'t [f32; LEAVES],
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
                    let leaf = u8::try_from(-1 - i16::from(child)).map(|leaf| leaf + LEAF);
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
            tree.shared = tree.shared_splits(splits);
            ensemble.trees.push(tree);
        }
        Some(ensemble)
    }

    /// One tree after the other over all blocks that are in doubt, so that a tree stays in the cache.
    fn likelihoods(&self, blocks: &[Features]) -> Vec<f32> {
        let mut sums = vec![0.0_f32; blocks.len()];
        let mut open: Vec<(&Features, &mut f32)> = blocks.iter().zip(&mut sums).collect();
        for stage in self.trees.chunks(STAGE) {
            let Some((page, _)) = open.first() else { break };
            let page: &Features = page;
            for tree in stage {
                let tree = tree.settle(page);
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
    /// Of so many splits, those by numbers that all blocks share.
    fn shared_splits(&self, splits: u8) -> Vec<SharedSplit> {
        let parent = |number: u8| {
            self.splits.iter().zip(0_u8..splits).find_map(|(split, parent)| {
                let side = split.next.iter().position(|next| *next == number)?;
                Some((parent, u8::try_from(side).ok()?))
            })
        };
        let shared =
            self.splits.iter().zip(0_u8..splits).filter(|(split, _)| usize::from(split.feature) >= SHARED);
        shared.rev().map(|(_, number)| SharedSplit { number, parent: parent(number) }).collect()
    }

    /// The tree for the page of a block.
    fn settle(&self, page: &Features) -> Settled<'_> {
        let mut settled = Settled { splits: self.splits, first: 0, leaves: &self.leaves };
        for shared in &self.shared {
            let next = settled.splits.get(usize::from(shared.number)).map_or(LEAF, |split| split.next(page));
            let slot = match shared.parent {
                None => Some(&mut settled.first),
                Some((parent, side)) => settled
                    .splits
                    .get_mut(usize::from(parent))
                    .and_then(|split| split.next.get_mut(usize::from(side))),
            };
            if let Some(slot) = slot {
                *slot = next;
            }
        }
        settled
    }
}

impl Split {
    /// Where a block goes from here.
    fn next(&self, features: &Features) -> u8 {
        let Some(feature) = features.get(usize::from(self.feature)) else { return LEAF };
        self.next.get(usize::from(*feature > self.threshold)).copied().unwrap_or(LEAF)
    }
}

impl Settled<'_> {
    /// The value of the leaf that a block falls into.
    fn value(&self, features: &Features) -> f32 {
        let mut at = usize::from(self.first);
        while let Some(split) = self.splits.get(at) {
            at = usize::from(split.next(features));
        }
        self.leaves.get(at.wrapping_sub(LEAVES)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::WIDTH;

    #[test]
    fn the_model_is_whole() {
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
    fn what_blocks_share_is_settled_for_all_of_them() {
        let page = |number: usize| -> Features {
            std::array::from_fn(|at| ((at * 7_919 + number * 104_729) % 211) as f32 / 3.0 - 10.0)
        };
        let mut settled = 0;
        for number in 0..20 {
            let block = page(number);
            for tree in &MODEL.trees {
                // Another block of the page, and the same tree with nothing settled.
                let mut other = page(number + 1);
                other[SHARED..].copy_from_slice(&block[SHARED..]);
                let plain = Settled { splits: tree.splits, first: 0, leaves: &tree.leaves };
                let quick = tree.settle(&other);
                assert_eq!(quick.value(&block).to_bits(), plain.value(&block).to_bits());
                settled += tree.shared.len();
            }
        }
        assert!(settled > 0);
    }

    #[test]
    fn a_likelihood_is_between_nothing_and_certainty() {
        for value in [0.0, 1.0, -5.0, f32::NAN] {
            let likely = likelihoods(&[[value; WIDTH], [0.0; WIDTH]]);
            assert!(likely.len() == 2 && likely.iter().all(|likely| (0.0..=1.0).contains(likely)));
        }
    }
}
