use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::model::Candidate;
use super::packed::{Loss, PackedQueue, Page};
use super::slab::Handle;
use super::spill::QueueSpill;
use crate::identity::UrlKey;

/// The order of pages within a lane: those put off last, then few clicks first, then high priority, then arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// How far it is put off; 0 for most.
    pub(super) put_off: u8,
    pub(super) depth: u32,
    /// The priority turned round, so that the smaller rank goes first.
    pub(super) patience: u8,
}

impl Rank {
    pub(super) const fn new(put_off: u8, depth: u32, priority: u8) -> Self {
        Self { put_off, depth, patience: u8::MAX - priority }
    }

    /// True for what is no page (see [`Candidate::AUXILIARY`]).
    pub(super) const fn is_auxiliary(self) -> bool {
        self.patience == u8::MAX - Candidate::AUXILIARY
    }
}

/// A page that was leased before and is to be tried again.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PendingRetry {
    pub(super) not_before: Duration,
    /// Tells those of one time apart, in order of arrival.
    pub(super) sequence: u64,
    pub(super) attempt: u32,
    pub(super) rank: Rank,
    pub(super) page: Page,
}

impl Ord for PendingRetry {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.not_before, self.sequence).cmp(&(other.not_before, other.sequence))
    }
}

impl PartialOrd for PendingRetry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In which list a lane is. It is in one at most, so no list ever holds it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In none: it has no page, or is one of a job with a delay and has a request under way.
    Idle,
    /// In its job's list of lanes to look at.
    Ready,
    /// In its host's list of lanes that found it busy.
    Blocked,
    /// An alarm is set.
    Asleep,
}

/// What one job wants of one host.
#[derive(Debug)]
pub(super) struct HostQueue {
    pub(super) job: Handle,
    pub(super) host: Handle,
    /// By rank; none of them is empty.
    levels: VecDeque<(Rank, PackedQueue)>,
    again: BinaryHeap<Reverse<PendingRetry>>,
    pub(super) leased: u32,
    /// Of these, pages that are not put off.
    pub(super) leased_wanted: u32,
    /// Nothing before this time (the job's delay).
    pub(super) ready_at: Duration,
    pub(super) place: Place,
    /// The earliest alarm that is set.
    pub(super) alarm: Option<Duration>,
}

impl HostQueue {
    pub(super) const fn new(job: Handle, host: Handle) -> Self {
        Self {
            job,
            host,
            levels: VecDeque::new(),
            again: BinaryHeap::new(),
            leased: 0,
            leased_wanted: 0,
            ready_at: Duration::ZERO,
            place: Place::Idle,
            alarm: None,
        }
    }

    /// When there is a page to lease, as far as the lane can tell; `None` where there is none.
    pub(super) fn next_page_at(&self) -> Option<Duration> {
        let at = if self.levels.is_empty() { self.again.peek()?.0.not_before } else { Duration::ZERO };
        Some(at.max(self.ready_at))
    }

    /// True where all that it has to lease now are pages that are put off, while others are in work which may lead to
    /// better ones.
    pub(super) fn had_better_wait(&self, now: Duration) -> bool {
        self.leased_wanted > 0
            && self.levels.front().is_some_and(|(rank, _)| rank.put_off > 0)
            && self.again.peek().is_none_or(|Reverse(again)| again.not_before > now)
    }

    pub(super) fn push(
        &mut self,
        rank: Rank,
        key: UrlKey,
        https: bool,
        external: bool,
        rest: &str,
        spill: Option<&mut (dyn QueueSpill + 'static)>,
    ) {
        let index = self.levels.partition_point(|(known, _)| *known < rank);
        let level = match self.levels.get_mut(index) {
            Some((known, level)) if *known == rank => level,
            _ => {
                if self.levels.capacity() == 0 {
                    self.levels.reserve_exact(1);
                }
                self.levels.insert(index, (rank, PackedQueue::default()));
                match self.levels.get_mut(index) {
                    Some((_, level)) => level,
                    None => return,
                }
            }
        };
        level.push(key, https, external, rest, spill);
    }

    pub(super) fn push_again(&mut self, again: PendingRetry) {
        self.again.push(Reverse(again));
    }

    /// The page to lease now, with its rank and how often it was leased before. Pages to be tried again go first. Those
    /// that cannot be read back are dropped and added to `loss`.
    pub(super) fn pop(&mut self, now: Duration, loss: &mut Loss) -> Option<(Rank, u32, Page)> {
        if self.again.peek().is_some_and(|Reverse(again)| again.not_before <= now) {
            let Reverse(again) = self.again.pop()?;
            return Some((again.rank, again.attempt, again.page));
        }
        loop {
            let (rank, level) = self.levels.front_mut()?;
            let (rank, lost) = (*rank, loss.pages);
            let page = level.pop(loss);
            loss.auxiliary += if rank.is_auxiliary() { loss.pages - lost } else { 0 };
            if page.is_none() || level.is_empty() {
                self.levels.pop_front();
            }
            if let Some(page) = page {
                return Some((rank, 0, page));
            }
        }
    }

    /// Bytes of memory that its pages take, those to be tried again left out.
    pub(super) fn bytes_in_memory(&self) -> u64 {
        self.levels.iter().map(|(_, level)| level.bytes_in_memory()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::slab::Slab;
    use super::*;

    #[test]
    fn order_is_depth_then_priority_then_arrival() {
        let handle = Slab::new().insert(());
        let mut host_queue = HostQueue::new(handle, handle);
        for (n, put_off, depth, priority) in [
            (1, 0, 2, 9),
            (2, 0, 1, 1),
            (3, 0, 1, 9),
            (4, 0, 1, 9),
            (5, 0, 0, 0),
            (6, 0, 2, 10),
            (7, 1, 0, 255),
        ] {
            host_queue.push(Rank::new(put_off, depth, priority), UrlKey::from_raw(n), true, false, "/", None);
        }
        let pages = std::iter::from_fn(|| host_queue.pop(Duration::ZERO, &mut Loss::default()));
        let order: Vec<_> = pages.map(|(_, _, page)| page.key.to_raw()).collect();
        assert_eq!(order, [5, 3, 4, 2, 6, 1, 7]);
        assert_eq!(host_queue.next_page_at(), None);
    }

    #[test]
    fn a_page_to_be_tried_again_waits_for_its_time() {
        let handle = Slab::new().insert(());
        let mut host_queue = HostQueue::new(handle, handle);
        let page = |n| Page { key: UrlKey::from_raw(n), https: true, external: false, rest: "/".into() };
        let second = Duration::from_secs(1);
        let rank = Rank::new(0, 0, 0);
        host_queue.push_again(PendingRetry {
            not_before: second,
            sequence: 0,
            attempt: 1,
            rank,
            page: page(1),
        });
        let pop = |host_queue: &mut HostQueue, at| host_queue.pop(at, &mut Loss::default());
        assert_eq!(pop(&mut host_queue, Duration::ZERO), None);
        assert_eq!(host_queue.next_page_at(), Some(second));
        host_queue.push(rank, UrlKey::from_raw(2), true, false, "/", None);
        assert_eq!(
            pop(&mut host_queue, second).map(|(_, attempt, page)| (attempt, page.key.to_raw())),
            Some((1, 1))
        );
        assert_eq!(
            pop(&mut host_queue, second).map(|(_, attempt, page)| (attempt, page.key.to_raw())),
            Some((0, 2))
        );
    }
}
