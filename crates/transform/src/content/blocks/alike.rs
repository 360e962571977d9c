//! Blocks at the same place in like records: the titles of a list of articles, the texts of posts, the
//! buttons below each product.
//!
//! The model rates each block alone. On a page with twenty like records it keeps some of their titles and
//! drops others at random: by the truth of unseen pages, those that it drops are nearly as good as those that
//! it keeps. So like blocks share what is known about them: each one's likelihood moves halfway to that of
//! all, and if most of them are chosen, all are. Blocks are alike if all their ancestors have the same tags
//! and first classes. Their records need not be next to each other: an advertisement may stand between two.

use super::{Block, Blocks};

/// Lower bound on the number of like blocks that share their likelihood.
const MIN_POOLED: usize = 3;

/// Lower bound on the number of like blocks that are kept if most of them are.
const MIN_COMPLETED: usize = 5;

/// The part of a likelihood, on the scale of log odds, that comes from all like blocks.
const SHARED_PART: f32 = 0.5;

/// Likelihoods nearer to 0 or 1 than this count as this near.
const MIN_DOUBT: f32 = 1e-5;

/// The blocks of a page, grouped by their place.
#[derive(Debug)]
pub(crate) struct AlikeBlocks<'b> {
    list: &'b [Block],
    /// The signatures and indices of all blocks, in order.
    order: Vec<(u64, u32)>,
}

impl Blocks {
    /// Groups the blocks by their place.
    pub(crate) fn alike(&self) -> AlikeBlocks<'_> {
        let signatures = self.list.iter().map(|block| block.signature);
        let mut order: Vec<(u64, u32)> = signatures.zip(0_u32..).collect();
        order.sort_unstable();
        AlikeBlocks { list: &self.list, order }
    }
}

impl AlikeBlocks<'_> {
    /// The likelihoods, each moved halfway to the mean of all like blocks. Long blocks count more: the model
    /// rates them better.
    pub(crate) fn pooled(&self, likelihoods: &[f32]) -> Vec<f32> {
        let mut pooled = likelihoods.to_vec();
        for group in self.groups(MIN_POOLED) {
            let (mut sum, mut words) = (0.0_f32, 0.0_f32);
            for at in indices(group) {
                if let (Some(block), Some(likelihood)) = (self.list.get(at), likelihoods.get(at)) {
                    let weight = block.words.max(1) as f32;
                    sum += weight * log_odds(*likelihood);
                    words += weight;
                }
            }
            let mean = sum / words.max(1.0);
            for at in indices(group) {
                if let Some(slot) = pooled.get_mut(at) {
                    let odds = (1.0 - SHARED_PART) * log_odds(*slot) + SHARED_PART * mean;
                    *slot = 1.0 / (1.0 + (-odds).exp());
                }
            }
        }
        pooled
    }

    /// Keeps all like blocks if at least two thirds of them are kept, except for hidden blocks and blocks
    /// beside the text.
    pub(crate) fn complete(&self, kept: &mut [bool]) {
        for group in self.groups(MIN_COMPLETED) {
            let count = indices(group).filter(|at| kept.get(*at) == Some(&true)).count();
            if count == group.len() || count * 3 < group.len() * 2 {
                continue;
            }
            for at in indices(group) {
                if let (Some(block), Some(kept)) = (self.list.get(at), kept.get_mut(at)) {
                    *kept |= !block.is_beside();
                }
            }
        }
    }

    /// The groups of at least `min` like blocks.
    fn groups(&self, min: usize) -> impl Iterator<Item = &[(u64, u32)]> {
        self.order.chunk_by(|a, b| a.0 == b.0).filter(move |group| group.len() >= min)
    }
}

/// The indices of the blocks of a group.
fn indices(group: &[(u64, u32)]) -> impl Iterator<Item = usize> {
    group.iter().map(|(_, at)| *at as usize)
}

fn log_odds(likelihood: f32) -> f32 {
    let likelihood = likelihood.clamp(MIN_DOUBT, 1.0 - MIN_DOUBT);
    (likelihood / (1.0 - likelihood)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::blocks::collect;
    use crate::tree::{ParseOptions, parse};
    use crate::view::View;

    fn blocks_of(html: &str) -> Blocks {
        let tree = parse(html, ParseOptions::default());
        let url = "https://example.org/".parse().unwrap();
        collect(&tree, &View::whole(&tree), &url)
    }

    #[test]
    fn like_blocks_share_their_likelihood() {
        // Odds of 4, 1 and 1/4.
        const LIKELY: f32 = 0.8;
        const EVEN: f32 = 0.5;
        const UNLIKELY: f32 = 0.2;
        let rows: &[(&str, &str, &[f32], &[f32])] = &[
            ("equal blocks", "<p>a<p>b<p>c", &[LIKELY; 3], &[LIKELY; 3]),
            (
                "halfway to the mean, on the scale of log odds",
                "<p>a<p>b<p>c",
                &[LIKELY, EVEN, UNLIKELY],
                &[2.0 / 3.0, EVEN, 1.0 / 3.0],
            ),
            ("too few", "<p>a<p>b", &[LIKELY, UNLIKELY], &[LIKELY, UNLIKELY]),
            (
                "other classes",
                "<p>a<p>b<p class=date>c",
                &[LIKELY, EVEN, UNLIKELY],
                &[LIKELY, EVEN, UNLIKELY],
            ),
            (
                "other ancestors",
                "<p>a<p>b<div><p>c</div>",
                &[LIKELY, EVEN, UNLIKELY],
                &[LIKELY, EVEN, UNLIKELY],
            ),
            (
                "records with something between them",
                "<div><p>a</div><div><p>b</div><hr><div><p>c</div>",
                &[LIKELY, EVEN, UNLIKELY],
                &[2.0 / 3.0, EVEN, 1.0 / 3.0],
            ),
            // The mean odds are 4 ^ (2 / 4) = 2.
            ("by their words", "<p>a a<p>b<p>c", &[LIKELY, EVEN, EVEN], &[0.7388, 0.5858, 0.5858]),
            ("a certain block", "<p>a<p>b<p>c", &[1.0, EVEN, 0.0], &[0.9968, EVEN, 0.0032]),
        ];
        for (name, html, likelihoods, expected) in rows {
            let blocks = blocks_of(html);
            assert_eq!(blocks.list.len(), likelihoods.len(), "{name}");
            let pooled = blocks.alike().pooled(likelihoods);
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 0.001;
            assert!(
                pooled.len() == expected.len() && pooled.iter().zip(*expected).all(near),
                "{name}: {pooled:?}"
            );
        }
    }

    #[test]
    fn a_page_that_is_rated_in_part_is_pooled_in_part() {
        let blocks = blocks_of("<p>a<p>b<p>c<p>d");
        let pooled = blocks.alike().pooled(&[0.8, 0.2]);
        assert!(pooled.len() == 2 && pooled[0] > 0.6 && pooled[1] < 0.4, "{pooled:?}");
        assert!(pooled[0] < 0.7, "both are pooled: {pooled:?}");
    }

    #[test]
    fn like_blocks_of_which_most_are_kept_are_all_kept() {
        let record = |title: &str, button: &str| {
            format!("<div class=item><h3>{title}</h3><div class=share>{button}</div></div>")
        };
        let records = |kept: usize, dropped: usize| {
            format!("{}{}", record("Title", "share").repeat(kept), record("title", "share").repeat(dropped))
        };
        // Blocks that begin with a capital are kept before. `+` marks a block that is kept afterwards.
        let rows: &[(&str, String, String)] = &[
            ("the last of six", records(5, 1), "+-".repeat(6)),
            ("two of six", records(4, 2), "+-".repeat(6)),
            ("three of six", records(3, 3), "+-".repeat(3) + "--".repeat(3).as_str()),
            ("too few records", records(3, 1), "+-".repeat(3) + "--"),
            (
                "one of another class",
                records(5, 0) + "<div class=promoted><h3>title</h3></div>",
                "+-".repeat(5) + "-",
            ),
            (
                "a hidden one",
                records(5, 0) + "<div class=item hidden><h3>title</h3></div>",
                "+-".repeat(5) + "-",
            ),
            (
                "after an advertisement",
                records(5, 0) + "<div class=ad>buy</div>" + &records(0, 1),
                "+-".repeat(5) + "-+-",
            ),
        ];
        for (name, html, expected) in rows {
            let blocks = blocks_of(html);
            let mut kept: Vec<bool> = blocks.list.iter().map(|block| block.starts_capital).collect();
            blocks.alike().complete(&mut kept);
            let marks: String = kept.iter().map(|kept| if *kept { '+' } else { '-' }).collect();
            assert_eq!(marks, *expected, "{name}");
        }
    }
}
