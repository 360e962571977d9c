//! The waiting pages of one job on one host, in their order.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::model::Candidate;
use super::packed::{self, Loss, PackedQueue, Page};
use super::slab::Handle;
use super::spill::QueueSpill;
use crate::identity::UrlKey;

/// The order of pages within a host queue: undeferred first, then few clicks, then high priority, then
/// arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// The distance of the deferral; 0 for most pages.
    pub(super) deferral: u8,
    pub(super) depth: u32,
    /// The inverted priority, so that the smaller rank goes first.
    pub(super) inverse_priority: u8,
}

impl Rank {
    pub(super) const fn new(deferral: u8, depth: u32, priority: u8) -> Self {
        Self { deferral, depth, inverse_priority: u8::MAX - priority }
    }

    /// True for an entry that is not a page (see [`Candidate::AUXILIARY`]).
    pub(super) const fn is_auxiliary(self) -> bool {
        self.inverse_priority == u8::MAX - Candidate::AUXILIARY
    }
}

/// A page that waits for a retry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PendingRetry {
    pub(super) not_before: Duration,
    /// Orders retries with the same time by arrival.
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

/// The list that holds a host queue. It is in at most one list, so no list holds it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueState {
    /// In no list: it has no page, or its job has a delay and a running request.
    Idle,
    /// In the ready list of its job.
    Ready,
    /// In the blocked list of its host.
    Blocked,
    /// A timer is set.
    Sleeping,
}

/// The waiting pages of one job on one host.
#[derive(Debug)]
pub(super) struct HostQueue {
    pub(super) job: Handle,
    pub(super) host: Handle,
    /// By rank; none is empty.
    levels: VecDeque<(Rank, PackedQueue)>,
    retries: BinaryHeap<Reverse<PendingRetry>>,
    /// Number of pages in both.
    waiting: u64,
    pub(super) leased: u32,
    /// Number of leased pages that are not deferred.
    pub(super) leased_undeferred: u32,
    /// No request starts before this time (delay of the job).
    pub(super) ready_at: Duration,
    pub(super) state: QueueState,
    /// The time of the earliest timer that is set.
    pub(super) timer: Option<Duration>,
}

impl HostQueue {
    pub(super) const fn new(job: Handle, host: Handle) -> Self {
        Self {
            job,
            host,
            levels: VecDeque::new(),
            retries: BinaryHeap::new(),
            waiting: 0,
            leased: 0,
            leased_undeferred: 0,
            ready_at: Duration::ZERO,
            state: QueueState::Idle,
            timer: None,
        }
    }

    /// Number of waiting pages.
    pub(super) const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// When the next page can be leased, as far as this queue knows; `None` if it is empty.
    pub(super) fn next_page_at(&self) -> Option<Duration> {
        let at = if self.levels.is_empty() { self.retries.peek()?.0.not_before } else { Duration::ZERO };
        Some(at.max(self.ready_at))
    }

    /// True if only deferred pages can be leased now, while undeferred pages are leased that may lead to
    /// better ones.
    pub(super) fn should_wait(&self, now: Duration) -> bool {
        self.leased_undeferred > 0
            && self.levels.front().is_some_and(|(rank, _)| rank.deferral > 0)
            && self.retries.peek().is_none_or(|Reverse(retry)| retry.not_before > now)
    }

    pub(super) fn push(
        &mut self,
        rank: Rank,
        key: UrlKey,
        https: bool,
        external: bool,
        path: &str,
        spill: Option<&mut (dyn QueueSpill + 'static)>,
    ) {
        let index = self.levels.partition_point(|(existing, _)| *existing < rank);
        let level = match self.levels.get_mut(index) {
            Some((existing, level)) if *existing == rank => level,
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
        level.push(key, https, external, path, spill);
        self.waiting += 1;
    }

    pub(super) fn push_retry(&mut self, retry: PendingRetry) {
        self.retries.push(Reverse(retry));
        self.waiting += 1;
    }

    /// Takes the page to lease now, with its rank and the number of earlier leases. Retries go first. Pages
    /// that cannot be read back are dropped and added to `loss`.
    pub(super) fn pop(&mut self, now: Duration, loss: &mut Loss) -> Option<(Rank, u32, Page)> {
        if self.retries.peek().is_some_and(|Reverse(retry)| retry.not_before <= now) {
            let Reverse(retry) = self.retries.pop()?;
            self.waiting = self.waiting.saturating_sub(1);
            return Some((retry.rank, retry.attempt, retry.page));
        }
        loop {
            let (rank, level) = self.levels.front_mut()?;
            let (rank, lost) = (*rank, loss.pages);
            let page = level.pop(loss);
            let lost = loss.pages - lost;
            loss.auxiliary += if rank.is_auxiliary() { lost } else { 0 };
            self.waiting = self.waiting.saturating_sub(lost + u64::from(page.is_some()));
            if page.is_none() || level.is_empty() {
                self.levels.pop_front();
            }
            if let Some(page) = page {
                return Some((rank, 0, page));
            }
        }
    }

    /// Drops all pages. Returns what they were.
    pub(super) fn clear(&mut self) -> Loss {
        let mut dropped = Loss::default();
        while let Some((rank, _, page)) = self.pop(Duration::MAX, &mut dropped) {
            dropped.pages += 1;
            dropped.auxiliary += u64::from(rank.is_auxiliary());
            dropped.bytes += packed::size_of(&page.path);
        }
        dropped
    }

    /// Bytes of memory used by the pages, without retries.
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
        for (n, deferral, depth, priority) in [
            (1, 0, 2, 9),
            (2, 0, 1, 1),
            (3, 0, 1, 9),
            (4, 0, 1, 9),
            (5, 0, 0, 0),
            (6, 0, 2, 10),
            (7, 1, 0, 255),
        ] {
            host_queue.push(
                Rank::new(deferral, depth, priority),
                UrlKey::from_raw(n),
                true,
                false,
                "/",
                None,
            );
        }
        let pages = std::iter::from_fn(|| host_queue.pop(Duration::ZERO, &mut Loss::default()));
        let order: Vec<_> = pages.map(|(_, _, page)| page.key.to_raw()).collect();
        assert_eq!(order, [5, 3, 4, 2, 6, 1, 7]);
        assert_eq!(host_queue.next_page_at(), None);
    }

    #[test]
    fn a_retry_waits_for_its_time() {
        let handle = Slab::new().insert(());
        let mut host_queue = HostQueue::new(handle, handle);
        let page = |n| Page { key: UrlKey::from_raw(n), https: true, external: false, path: "/".into() };
        let second = Duration::from_secs(1);
        let rank = Rank::new(0, 0, 0);
        host_queue.push_retry(PendingRetry {
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
