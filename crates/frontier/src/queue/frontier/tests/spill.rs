//! Tests of long queues that are spilled to storage.

use super::*;
use crate::queue::spill::testing::{Fault, TestSpill};
use crate::{DroppedPages, SPILL_BLOCK_BYTES};

const PAGES: u64 = 20_000;

/// A frontier with this spill, and a job with 20,000 queued pages of a site.
fn with_a_long_queue(spill: &TestSpill, in_memory: bool) -> (Frontier, JobSlot) {
    let mut frontier = Frontier::new(FrontierConfig::default()).with_spill(Box::new(spill.clone()));
    let job = frontier.open(JobRules::with_limit(u64::MAX));
    if in_memory {
        frontier.keep_in_memory(job);
    }
    let long = |n| on_a(&format!("catalogue/a-fairly-long-name-of-an-item-{n:07}"));
    assert_eq!(frontier.admit(job, 0, (0..PAGES).map(long), ZERO).new, PAGES);
    (frontier, job)
}

#[test]
fn a_long_queue_keeps_three_blocks_in_memory() {
    let spill = TestSpill::default();
    let (mut frontier, job) = with_a_long_queue(&spill, false);
    assert!(frontier.queue_memory() <= 3 * SPILL_BLOCK_BYTES as u64, "{}", frontier.queue_memory());
    assert!(spill.blocks() > 50);
    assert_eq!(drain(&mut frontier, |_| vec![]).len() as u64, PAGES);
    assert_eq!((spill.blocks(), frontier.take_dropped()), (0, vec![]));
    assert_eq!(frontier.counts(job).map(|counts| counts.documents), Some(PAGES));
    // A closed job is dropped without reading its blocks.
    let (mut frontier, job) = with_a_long_queue(&spill, false);
    assert!(spill.blocks() > 50);
    frontier.close(job);
    assert_eq!(spill.blocks(), 0);
}

#[test]
fn a_job_can_be_kept_in_memory() {
    let spill = TestSpill::default();
    let (mut frontier, _) = with_a_long_queue(&spill, true);
    assert_eq!(spill.blocks(), 0);
    assert!(frontier.queue_memory() > 50 * SPILL_BLOCK_BYTES as u64);
    assert_eq!(drain(&mut frontier, |_| vec![]).len() as u64, PAGES);
}

#[test]
fn lost_pages_are_counted_and_reported() {
    for fault in [Fault::Error, Fault::Torn, Fault::Changed] {
        for which in ["one in between", "all"] {
            let spill = TestSpill::default();
            let (mut frontier, job) = with_a_long_queue(&spill, false);
            let group = Group::default();
            assert_eq!(frontier.load(group).waiting, PAGES);
            match which {
                "all" => (0..spill.blocks()).for_each(|index| spill.fault(index, fault)),
                _ => spill.fault(spill.blocks() / 2, fault),
            }
            let fetched = drain(&mut frontier, |_| vec![]).len() as u64;
            assert!(fetched < PAGES, "{fault:?}, {which}");
            let lost = PAGES - fetched;
            let mut reported = 0;
            for dropped in frontier.take_dropped() {
                let DroppedPages { job: owner, pages } = dropped;
                assert_eq!(owner, job, "{fault:?}, {which}");
                reported += pages;
            }
            assert_eq!(reported, lost, "{fault:?}, {which}");
            assert_eq!(frontier.take_dropped(), [], "once");
            let expected = Counts { documents: fetched, failed: lost, total: fetched, ..Counts::default() };
            assert_eq!(frontier.counts(job), Some(expected), "{fault:?}, {which}");
            assert!(frontier.is_idle(job), "{fault:?}, {which}");
            assert_eq!(
                (frontier.load(group).waiting, frontier.load(group).bytes),
                (0, 0),
                "{fault:?}, {which}"
            );
            assert_eq!(spill.blocks(), 0, "{fault:?}, {which}");
        }
    }
}
