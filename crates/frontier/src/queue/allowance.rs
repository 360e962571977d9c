/// How many bytes more of addresses a group may queue, of what is `free` of the room of all, where it has `own` already.
///
/// For what its pages `links` to: until it has as much as is left free then; for what is named from outside: three times
/// that. So one group alone comes to half of the room, or three quarters; two to a third each, and however many there are,
/// one more always finds room, since each takes from what is free and leaves it so much. Switches share their buffers
/// among ports by this rule. A fixed share for each, the obvious alternative, is either too small for the one group that
/// most engines have or too large for the others of a busy one; and one that changes when others come helps these only
/// after the first has emptied its queue.
pub(super) fn allowance(free: u64, own: u64, links: bool) -> u64 {
    if links { free.saturating_sub(own) / 2 } else { free.saturating_mul(3).saturating_sub(own) / 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: u64 = 1 << 30;

    /// What each of so many groups has that take all they can, in turn.
    fn settled(groups: usize, links: bool) -> (Vec<u64>, u64) {
        let mut own = vec![0; groups];
        for _ in 0..1_000 {
            for group in 0..groups {
                let free = ROOM - own.iter().sum::<u64>();
                // As they come: a thousandth at a time.
                own[group] += allowance(free, own[group], links).min(ROOM / 1000);
            }
        }
        let free = ROOM - own.iter().sum::<u64>();
        (own, free)
    }

    #[test]
    fn what_greedy_groups_come_to() {
        for (groups, links, share) in [(1, true, 2), (2, true, 3), (3, true, 4), (9, true, 10)] {
            let (own, free) = settled(groups, links);
            let expected = ROOM / share;
            for bytes in own.into_iter().chain([free]) {
                assert!(bytes.abs_diff(expected) < ROOM / 200, "{groups}: {bytes}, not {expected}");
            }
        }
        let (own, free) = settled(1, false);
        assert!(
            own[0].abs_diff(ROOM / 4 * 3) < ROOM / 200 && free.abs_diff(ROOM / 4) < ROOM / 200,
            "{own:?}"
        );
    }

    #[test]
    fn a_group_that_comes_late_finds_room_for_a_job_at_its_bound() {
        for (greedy, links) in [(1, true), (2, true), (3, true), (1, false)] {
            let (_, free) = settled(greedy, links);
            let room = allowance(free, 0, true);
            assert!(room + ROOM / 200 >= ROOM / 8, "{greedy}, {links}: {room}");
        }
    }

    #[test]
    fn nothing_overflows() {
        assert_eq!(allowance(u64::MAX, 0, false), u64::MAX / 4);
        assert_eq!(allowance(0, u64::MAX, true), 0);
        assert_eq!(allowance(5, 5, true), 0);
    }
}
