//! The learned model: gradient-boosted trees that give the probability that an option is the value of a
//! field, made by `training/train.py`.
//!
//! File format, all little-endian: the number of features (u16), which must be [`WIDTH`]; the
//! [`fingerprint`] of their names (u64); the number of groups (u16), which must be that of [`GROUPS`], and for
//! each the probability (f32) below which nothing is chosen; the number of trees (u16); for each tree the
//! number of its splits (u8), the splits, and one value (f32) for each leaf. A split is a feature (u16), a
//! threshold (f32), and a left and right child (i8; a negative number n is the leaf `-n - 1`), the left one if
//! the feature is at most the threshold. Children come after their parents. Trees are in the order of training,
//! the most important first. The sum of a leaf of each tree is the logarithm of the odds.

use std::sync::LazyLock;

use super::features::{WIDTH, feature_names};
use super::groups::GROUPS;

static BYTES: &[u8] = include_bytes!("model.bin");

static SHIPPED: LazyLock<Model> = LazyLock::new(|| Model::read(BYTES).unwrap_or_default());

/// Upper bound on the splits of a tree.
const MAX_SPLITS: u8 = 63;

/// The number of trees after which hopeless options are dropped.
const STAGE_TREES: usize = 30;

/// An option with a lower sum (log odds) is hopeless: no bound is so low, and the other trees hardly raise it.
/// Measured on the saved pages of training, with models that never saw their sites: none of the options below it
/// after a stage ended above .24.
const HOPELESS: f32 = -4.0;

#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    feature: u16,
    /// The next split or leaf if the feature is at most the threshold; a negative number n is the leaf
    /// `-n - 1`.
    left: i8,
    /// The same if the feature is above the threshold.
    right: i8,
}

#[derive(Debug)]
struct Tree {
    /// Children after their parents, so that every walk ends.
    splits: Vec<Split>,
    leaves: Vec<f32>,
}

/// Trees, and the bound of each group of fields. Without trees it is empty: the rules decide alone.
#[derive(Debug, Default)]
pub(crate) struct Model {
    bounds: Vec<f32>,
    trees: Vec<Tree>,
}

struct Reader<'b> {
    bytes: &'b [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*taken)
    }

    fn whole(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn real(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes).filter(|value| value.is_finite())
    }

    fn tree(&mut self) -> Option<Tree> {
        let [count] = self.take()?;
        if count > MAX_SPLITS {
            return None;
        }
        let mut splits = Vec::with_capacity(usize::from(count));
        for at in 0..count {
            let feature = self.whole().filter(|feature| usize::from(*feature) < WIDTH)?;
            let threshold = self.real()?;
            let (left, right) = (self.child(at, count)?, self.child(at, count)?);
            splits.push(Split { threshold, feature, left, right });
        }
        let leaves = (0..=count).map(|_| self.real()).collect::<Option<Vec<f32>>>()?;
        Some(Tree { splits, leaves })
    }

    /// A child of the split at `at`: a later split or a leaf.
    fn child(&mut self, at: u8, splits: u8) -> Option<i8> {
        let child = self.take().map(i8::from_le_bytes)?;
        let fits = match u8::try_from(child) {
            Ok(split) => split > at && split < splits,
            Err(_) => leaf(child) <= usize::from(splits),
        };
        fits.then_some(child)
    }
}

/// FNV-1a of the names of the features, each with a line break behind it: features in another order need
/// other trees.
fn fingerprint(names: &[String]) -> u64 {
    let bytes = names.iter().flat_map(|name| name.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The number of the leaf that a negative child means.
fn leaf(child: i8) -> usize {
    usize::try_from(-1 - i16::from(child)).unwrap_or(usize::MAX)
}

impl Model {
    /// The model that comes with the crate.
    pub(crate) fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Reads a model file; `None` if it is broken or made for other features.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { bytes };
        reader.whole().filter(|features| usize::from(*features) == WIDTH)?;
        reader.take().map(u64::from_le_bytes).filter(|names| *names == fingerprint(&feature_names()))?;
        let groups = reader.whole().filter(|groups| usize::from(*groups) == GROUPS.len())?;
        let bounds = (0..groups).map(|_| reader.real()).collect::<Option<Vec<f32>>>()?;
        let count = reader.whole()?;
        let trees = (0..count).map(|_| reader.tree()).collect::<Option<Vec<Tree>>>()?;
        reader.bytes.is_empty().then_some(Self { bounds, trees })
    }

    /// Whether it says nothing, so that the rules decide alone.
    pub(crate) const fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The probability below which no value is chosen for a field of this group.
    pub(crate) fn bound(&self, group: usize) -> f32 {
        self.bounds.get(group).copied().unwrap_or(1.0)
    }

    /// The probabilities of options, from their features: [`WIDTH`] numbers for each.
    ///
    /// Each tree runs over all options before the next tree, so that it stays in the cache.
    pub(crate) fn probabilities(&self, rows: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0_f32; rows.len() / WIDTH];
        let mut open: Vec<(&[f32], &mut f32)> = rows.chunks_exact(WIDTH).zip(&mut sums).collect();
        for stage in self.trees.chunks(STAGE_TREES) {
            for tree in stage {
                for (row, sum) in &mut open {
                    **sum += tree.value(row);
                }
            }
            open.retain(|(_, sum)| **sum > HOPELESS);
        }
        sums.iter().map(|sum| 1.0 / (1.0 + (-sum).exp())).collect()
    }
}

impl Tree {
    /// The value of the leaf that an option reaches.
    fn value(&self, row: &[f32]) -> f32 {
        let mut next: i8 = if self.splits.is_empty() { -1 } else { 0 };
        while let Some(split) = usize::try_from(next).ok().and_then(|at| self.splits.get(at)) {
            let above = row.get(usize::from(split.feature)).is_some_and(|value| *value > split.threshold);
            next = if above { split.right } else { split.left };
        }
        self.leaves.get(leaf(next)).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A model with one split: options whose feature is above the threshold have these log odds, others are
    /// unlikely. The bounds are 0.5.
    pub(crate) fn one_split(feature: usize, threshold: f32, likely: f32) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(u16::try_from(WIDTH).unwrap().to_le_bytes());
        bytes.extend(fingerprint(&feature_names()).to_le_bytes());
        bytes.extend(u16::try_from(GROUPS.len()).unwrap().to_le_bytes());
        for _ in GROUPS {
            bytes.extend(0.5_f32.to_le_bytes());
        }
        bytes.extend(1_u16.to_le_bytes());
        bytes.push(1);
        bytes.extend(u16::try_from(feature).unwrap().to_le_bytes());
        bytes.extend(threshold.to_le_bytes());
        bytes.extend((-1_i8).to_le_bytes());
        bytes.extend((-2_i8).to_le_bytes());
        bytes.extend((-3.0_f32).to_le_bytes());
        bytes.extend(likely.to_le_bytes());
        bytes
    }

    #[test]
    fn a_tree_decides_by_its_threshold() {
        let model = Model::read(&one_split(1, 0.5, 3.0)).unwrap();
        let mut rows = vec![0.0; 2 * WIDTH];
        rows[WIDTH + 1] = 0.6;
        let found = model.probabilities(&rows);
        assert!(found[0] < 0.1 && found[1] > 0.9, "{found:?}");
    }

    #[test]
    fn broken_files_are_rejected() {
        let whole = one_split(1, 0.5, 3.0);
        assert!(Model::read(&whole).is_some());
        let start = whole.len() - 17;
        let with = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            bytes
        };
        let mut longer = whole.clone();
        longer.push(0);
        let mut not_a_number = whole[..whole.len() - 4].to_vec();
        not_a_number.extend(f32::NAN.to_le_bytes());
        let rows = [
            ("no features", vec![0, 0]),
            ("other features", with(0, whole[0].wrapping_add(1))),
            ("features with other names", with(2, whole[2].wrapping_add(1))),
            ("other groups", with(10, whole[10] + 1)),
            ("a feature out of range", with(start + 2, 0xff)),
            ("a child that is its own parent", with(start + 7, 0)),
            ("a child that is no split", with(start + 7, 1)),
            ("a leaf out of range", with(start + 8, 0x80)),
            ("a value that is no number", not_a_number),
            ("something behind the end", longer),
        ];
        for (name, bytes) in rows {
            assert!(Model::read(&bytes).is_none(), "{name}");
        }
        for end in 0..whole.len() {
            assert!(Model::read(&whole[..end]).is_none(), "cut at {end}");
        }
    }

    #[test]
    fn the_shipped_file_is_empty_or_whole() {
        assert!(BYTES == [0, 0] || Model::read(BYTES).is_some_and(|model| !model.is_empty()));
    }
}
