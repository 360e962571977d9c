//! The learned model: gradient-boosted trees in a table, made by `training/train.py`.
//!
//! The file holds the number of trees (u16); for each tree the number of its
//! inner nodes (u16) and those nodes: feature (u16), threshold (f32), left and right (i16; negative: leaf number
//! `-n - 1`), then one value (f32) for each leaf. All little-endian.

use std::sync::LazyLock;

static BYTES: &[u8] = include_bytes!("model.bin");

static MODEL: LazyLock<Ensemble> =
    LazyLock::new(|| Ensemble::read(&mut Reader { bytes: BYTES }).unwrap_or_default());

/// How likely each block with these numbers belongs to the main content.
pub(super) fn likelihoods(blocks: &[Vec<f32>]) -> Vec<f32> {
    MODEL.likelihoods(blocks)
}

#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    feature: u16,
    left: i16,
    right: i16,
}

#[derive(Debug, Default)]
struct Ensemble {
    /// Where each tree's splits and leaves begin.
    trees: Vec<(u32, u32)>,
    splits: Vec<Split>,
    leaves: Vec<f32>,
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
        let trees = u16::from_le_bytes(reader.take()?);
        for _ in 0..trees {
            let start =
                (u32::try_from(ensemble.splits.len()).ok()?, u32::try_from(ensemble.leaves.len()).ok()?);
            ensemble.trees.push(start);
            let splits = u16::from_le_bytes(reader.take()?);
            for _ in 0..splits {
                ensemble.splits.push(Split {
                    feature: u16::from_le_bytes(reader.take()?),
                    threshold: f32::from_le_bytes(reader.take()?),
                    left: i16::from_le_bytes(reader.take()?),
                    right: i16::from_le_bytes(reader.take()?),
                });
            }
            for _ in 0..=splits {
                ensemble.leaves.push(f32::from_le_bytes(reader.take()?));
            }
        }
        Some(ensemble)
    }

    /// One tree after the other over all blocks, so that a tree stays in the cache.
    fn likelihoods(&self, blocks: &[Vec<f32>]) -> Vec<f32> {
        let mut sums = vec![0.0_f32; blocks.len()];
        let ends = self.trees.iter().skip(1).copied().chain([(
            u32::try_from(self.splits.len()).unwrap_or(u32::MAX),
            u32::try_from(self.leaves.len()).unwrap_or(u32::MAX),
        )]);
        for ((splits, leaves), (splits_end, leaves_end)) in self.trees.iter().zip(ends) {
            let splits = self.splits.get(*splits as usize..splits_end as usize).unwrap_or_default();
            let leaves = self.leaves.get(*leaves as usize..leaves_end as usize).unwrap_or_default();
            for (features, sum) in blocks.iter().zip(&mut sums) {
                *sum += value(splits, leaves, features);
            }
        }
        sums.iter().map(|sum| 1.0 / (1.0 + (-sum).exp())).collect()
    }
}

/// The value of the leaf that a block falls into.
fn value(splits: &[Split], leaves: &[f32], features: &[f32]) -> f32 {
    let mut at = 0_i16;
    while let Ok(index) = usize::try_from(at) {
        let Some(split) = splits.get(index) else { return 0.0 };
        let feature = features.get(usize::from(split.feature)).copied().unwrap_or(0.0);
        let next = if feature <= split.threshold { split.left } else { split.right };
        // Children come after their parent, so that a walk ends.
        if next >= 0 && next <= at {
            return 0.0;
        }
        at = next;
    }
    leaves.get(usize::from(at.unsigned_abs()).wrapping_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_whole() {
        let mut reader = Reader { bytes: BYTES };
        let ensemble = Ensemble::read(&mut reader).expect("the file is cut short");
        assert!(!ensemble.trees.is_empty());
        assert!(ensemble.splits.iter().all(|split| split.threshold.is_finite()));
        assert!(reader.bytes.is_empty());
    }

    #[test]
    fn a_likelihood_is_between_nothing_and_certainty() {
        for value in [0.0, 1.0, -5.0, f32::NAN] {
            let likely = likelihoods(&[vec![value; 300], Vec::new()]);
            assert!(likely.len() == 2 && likely.iter().all(|likely| (0.0..=1.0).contains(likely)));
        }
    }
}
