//! The learned model: gradient-boosted trees in a table, made by `training/train.py`.
//!
//! The file holds the number of trees (u16); for each tree the number of its
//! inner nodes (u16) and those nodes: feature (u16), threshold (f32), left and right (i16; negative: leaf number
//! `-n - 1`), then one value (f32) for each leaf. All little-endian.

use std::sync::LazyLock;

static BYTES: &[u8] = include_bytes!("model.bin");

static MODEL: LazyLock<Ensemble> =
    LazyLock::new(|| Ensemble::read(&mut Reader { bytes: BYTES }).unwrap_or_default());

/// How likely a block with these numbers belongs to the main content.
pub(super) fn likelihood(features: &[f32]) -> f32 {
    MODEL.likelihood(features)
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

    fn likelihood(&self, features: &[f32]) -> f32 {
        let mut sum = 0.0;
        for (splits, leaves) in &self.trees {
            let mut at = 0_i16;
            // A tree is at most as deep as it has nodes; children come after their parent.
            while let Ok(offset) = u32::try_from(at) {
                let Some(split) = self.splits.get((splits + offset) as usize) else { break };
                let value = features.get(usize::from(split.feature)).copied().unwrap_or(0.0);
                let next = if value <= split.threshold { split.left } else { split.right };
                if next >= 0 && next <= at {
                    break;
                }
                at = next;
            }
            let leaf = usize::try_from(-(i32::from(at) + 1)).unwrap_or(usize::MAX);
            sum += self.leaves.get((*leaves as usize).saturating_add(leaf)).copied().unwrap_or(0.0);
        }
        1.0 / (1.0 + (-sum).exp())
    }
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
            let likely = likelihood(&vec![value; 300]);
            assert!((0.0..=1.0).contains(&likely));
        }
    }
}
