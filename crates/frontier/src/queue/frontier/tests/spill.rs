use super::*;
use crate::queue::spill::testing::{Fault, TestSpill};
use crate::{DroppedPages, SPILL_BLOCK_BYTES};

const PAGES: u64 = 20_000;

/// A frontier over this storage, and a job that has 20,000 pages of a site in it.
fn with_a_long_queue(shelf: &TestSpill, in_memory: bool) -> (Frontier, JobSlot) {
    let mut frontier = Frontier::new(FrontierConfig::default()).with_cold_storage(Box::new(shelf.clone()));
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    if in_memory {
        frontier.keep_in_memory(job);
    }
    let long = |n| on_a(&format!("catalogue/a-fairly-long-name-of-an-item-{n:07}"));
    assert_eq!(frontier.admit(job, 0, (0..PAGES).map(long), ZERO).new, PAGES);
    (frontier, job)
}

#[test]
fn a_long_queue_takes_three_blocks_of_memory() {
    let shelf = TestSpill::default();
    let (mut frontier, job) = with_a_long_queue(&shelf, false);
    assert!(frontier.queue_memory() <= 3 * SPILL_BLOCK_BYTES as u64, "{}", frontier.queue_memory());
    assert!(shelf.held() > 50);
    assert_eq!(drain(&mut frontier, |_| vec![]).len() as u64, PAGES);
    assert_eq!((shelf.held(), frontier.take_dropped()), (0, vec![]));
    assert_eq!(frontier.counts(job).map(|counts| counts.documents), Some(PAGES));
    // What is cancelled is dropped unread.
    let (mut frontier, job) = with_a_long_queue(&shelf, false);
    assert!(shelf.held() > 50);
    frontier.close(job);
    assert_eq!(shelf.held(), 0);
}

#[test]
fn a_job_that_is_to_stay_in_memory_does() {
    let shelf = TestSpill::default();
    let (mut frontier, _) = with_a_long_queue(&shelf, true);
    assert_eq!(shelf.held(), 0);
    assert!(frontier.queue_memory() > 50 * SPILL_BLOCK_BYTES as u64);
    assert_eq!(drain(&mut frontier, |_| vec![]).len() as u64, PAGES);
}

#[test]
fn pages_that_do_not_come_back_are_counted_and_told() {
    for fault in [Fault::Error, Fault::Torn, Fault::Changed] {
        for which in ["one in between", "all"] {
            let shelf = TestSpill::default();
            let (mut frontier, job) = with_a_long_queue(&shelf, false);
            let group = Group::default();
            assert_eq!(frontier.load(group).waiting, PAGES);
            match which {
                "all" => (0..shelf.held()).for_each(|place| shelf.fault(place, fault)),
                _ => shelf.fault(shelf.held() / 2, fault),
            }
            let fetched = drain(&mut frontier, |_| vec![]).len() as u64;
            assert!(fetched < PAGES, "{fault:?}, {which}");
            let lost = PAGES - fetched;
            let mut told = 0;
            for dropped in frontier.take_dropped() {
                let DroppedPages { job: whose, pages } = dropped;
                assert_eq!(whose, job, "{fault:?}, {which}");
                told += pages;
            }
            assert_eq!(told, lost, "{fault:?}, {which}");
            assert_eq!(frontier.take_dropped(), [], "once");
            let expected = Counts { documents: fetched, failed: lost, total: fetched, ..Counts::default() };
            assert_eq!(frontier.counts(job), Some(expected), "{fault:?}, {which}");
            assert!(frontier.is_idle(job), "{fault:?}, {which}");
            assert_eq!(
                (frontier.load(group).waiting, frontier.load(group).bytes),
                (0, 0),
                "{fault:?}, {which}"
            );
            assert_eq!(shelf.held(), 0, "{fault:?}, {which}");
        }
    }
}
