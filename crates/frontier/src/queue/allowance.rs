//! Shares the queue space among groups of jobs by dynamic thresholds.

/// The number of further URL bytes that a group may queue, if `free` bytes of the shared space are free and
/// the group already has `own` bytes.
///
/// For `links` of its pages, a group may grow until it has as much as it leaves free; for pages given from
/// outside, until it has three times that. So one group alone gets half of the space, or three quarters; two
/// groups get a third each; and one more group always finds space, because each takes only a part of what is
/// free. Network switches share their packet buffers among ports by this rule (dynamic thresholds).
/// Alternatives: a fixed share per group is too small for the only group that most engines have, or too large
/// for each of many. A share that shrinks when other groups arrive helps them only after the first group has
/// drained its queue.
pub(super) fn allowance(free: u64, own: u64, links: bool) -> u64 {
    if links { free.saturating_sub(own) / 2 } else { free.saturating_mul(3).saturating_sub(own) / 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: u64 = 1 << 30;

    /// The bytes of each of `groups` groups that take all they can, in turn, and the free bytes.
    fn settled(groups: usize, links: bool) -> (Vec<u64>, u64) {
        let mut own = vec![0; groups];
        for _ in 0..1_000 {
            for group in 0..groups {
                let free = SPACE - own.iter().sum::<u64>();
                // Each step takes at most a thousandth of the space.
                own[group] += allowance(free, own[group], links).min(SPACE / 1000);
            }
        }
        let free = SPACE - own.iter().sum::<u64>();
        (own, free)
    }

    #[test]
    fn greedy_groups_share_the_space() {
        for (groups, links, share) in [(1, true, 2), (2, true, 3), (3, true, 4), (9, true, 10)] {
            let (own, free) = settled(groups, links);
            let expected = SPACE / share;
            for bytes in own.into_iter().chain([free]) {
                assert!(bytes.abs_diff(expected) < SPACE / 200, "{groups}: {bytes}, not {expected}");
            }
        }
        let (own, free) = settled(1, false);
        assert!(
            own[0].abs_diff(SPACE / 4 * 3) < SPACE / 200 && free.abs_diff(SPACE / 4) < SPACE / 200,
            "{own:?}"
        );
    }

    #[test]
    fn a_late_group_has_space_for_a_job_at_its_limit() {
        for (greedy, links) in [(1, true), (2, true), (3, true), (1, false)] {
            let (_, free) = settled(greedy, links);
            let allowed = allowance(free, 0, true);
            assert!(allowed + SPACE / 200 >= SPACE / 8, "{greedy}, {links}: {allowed}");
        }
    }

    #[test]
    fn nothing_overflows() {
        assert_eq!(allowance(u64::MAX, 0, false), u64::MAX / 4);
        assert_eq!(allowance(0, u64::MAX, true), 0);
        assert_eq!(allowance(5, 5, true), 0);
    }
}
