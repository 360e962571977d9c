//! How much of a limit each worker gets.

/// How much of `room` a worker gets that wants this much.
pub(super) fn grant(wanted: u64, room: u64, workers: u64) -> u64 {
    wanted.min((room / workers.max(1)).max(1)).min(room)
}

/// How much of `held` a worker gives back that uses `used` of it, if others need some. `total` is what all
/// workers hold and what is left.
pub(super) fn surplus(held: u64, used: u64, total: u64, workers: u64) -> u64 {
    let fair = total.div_ceil(workers.max(1));
    held.saturating_sub(used.max(fair))
}

/// How many tokens a commit grants again that used some. If another worker needs some, it gets them instead.
pub(crate) fn regrant(used: u64, room: u64, workers: u64, is_wanted: bool) -> u64 {
    if is_wanted && workers > 1 { 0 } else { grant(used, room, workers) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_shrinks_to_one() {
        assert_eq!(grant(50, 1_000, 4), 50);
        assert_eq!(grant(50, 100, 4), 25);
        assert_eq!(grant(50, 3, 4), 1);
        assert_eq!(grant(50, 0, 4), 0);
        assert_eq!(grant(0, 10, 4), 0);
        assert_eq!(grant(7, 7, 1), 7);
    }

    #[test]
    fn a_commit_leaves_tokens_to_a_worker_without_any() {
        assert_eq!(regrant(3, 100, 2, false), 3);
        assert_eq!(regrant(3, 100, 2, true), 0);
        assert_eq!(regrant(3, 100, 1, true), 3, "the only worker wants them itself");
    }

    #[test]
    fn grants_never_exceed_the_room() {
        for workers in 1..10 {
            let (mut room, mut grants) = (1_000, 0);
            while room > 0 {
                let granted = grant(64, room, workers);
                assert!(granted > 0 && granted <= room);
                room -= granted;
                grants += 1;
            }
            assert!(grants < 200, "{grants} grants");
        }
    }

    #[test]
    fn a_worker_keeps_its_fair_share_and_what_is_in_use() {
        assert_eq!(surplus(10, 0, 10, 2), 5);
        assert_eq!(surplus(10, 8, 10, 2), 2);
        assert_eq!(surplus(3, 0, 10, 2), 0);
        assert_eq!(surplus(1, 0, 1, 8), 0, "one of one is a fair share");
    }
}
