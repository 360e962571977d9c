//! The task that commits finished pages. Pages that finish at about the same time share a transaction.

use std::collections::{BTreeMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use gleaner_store::{Error, ErrorKind, Receipt, TeamId};
use tokio::sync::{mpsc, oneshot};

use super::commit::{Commit, Committed};
use super::finished::{Group, GroupPage, Origin, PreparedPage};
use crate::failure::Failure;
use crate::inner::Inner;

/// A group takes no further call from this weight on: about the number of its pages.
const MAX_GROUP: usize = 256;

/// A page with this many links, or a document of this many bytes, weighs as much as two. So a transaction of
/// pages with many links stays short.
const LINKS: usize = 100;
const BYTES: usize = 256 << 10;

/// Pages of several calls gather for this time after a commit. A commit takes about as many statements for
/// many pages as for one: this spares the server under load. A page waits for half of it on average, which is
/// little beside its request.
const PAUSE: Duration = Duration::from_millis(10);

/// Maximum number of calls that wait for the task.
const MAX_WAITING: usize = 1_024;

/// Maximum number of teams whose last success is remembered.
const MAX_TEAMS: usize = 10_000;

/// Pages of one call.
struct Call {
    pages: Vec<PreparedPage>,
    now: Duration,
    receipts: oneshot::Sender<Result<Vec<Receipt>, Error>>,
}

/// Hands finished pages to the task.
#[derive(Debug)]
pub(crate) struct Committer {
    calls: mpsc::Sender<Call>,
}

/// The calls that wait for the task.
pub(crate) struct CommitQueue {
    calls: mpsc::Receiver<Call>,
    recent_teams: BTreeMap<TeamId, Duration>,
}

fn closed() -> Error {
    Error::new(ErrorKind::Io, "the store stopped before the pages were committed")
}

impl Committer {
    /// A committer, and the queue that its task [runs](CommitQueue::run).
    pub(crate) fn new() -> (Self, CommitQueue) {
        let (sender, calls) = mpsc::channel(MAX_WAITING);
        (Self { calls: sender }, CommitQueue { calls, recent_teams: BTreeMap::new() })
    }

    /// Commits pages. Returns their receipts, in their order.
    pub(super) async fn commit(
        &self,
        pages: Vec<PreparedPage>,
        now: Duration,
    ) -> Result<Vec<Receipt>, Error> {
        let (receipts, answer) = oneshot::channel();
        self.calls.send(Call { pages, now, receipts }).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

impl CommitQueue {
    /// Commits pages until the store is dropped.
    pub(crate) async fn run(mut self, inner: Arc<Inner>) {
        while let Some(first) = self.calls.recv().await {
            let calls = self.gather(first);
            let is_busy = calls.len() > 1;
            self.answer(&inner, calls).await;
            if is_busy {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    /// The call and those that wait behind it, up to the size of a group.
    fn gather(&mut self, first: Call) -> Vec<Call> {
        let mut weight = weight(&first.pages);
        let mut calls = vec![first];
        while weight < MAX_GROUP
            && let Ok(call) = self.calls.try_recv()
        {
            weight += self::weight(&call.pages);
            calls.push(call);
        }
        calls
    }

    /// Commits calls together. If the database refuses a statement, each is tried alone, so that none fails
    /// because of the pages of another.
    async fn answer(&mut self, inner: &Inner, calls: Vec<Call>) {
        let now = calls.iter().map(|call| call.now).max().unwrap_or_default();
        let (mut pages, mut answers) = (Vec::new(), Vec::new());
        for call in calls {
            answers.push((call.pages.len(), call.receipts));
            pages.push(call.pages);
        }
        match self.commit_caught(inner, pages, now).await {
            Ok(receipts) => {
                let mut receipts = receipts.into_iter();
                for (count, answer) in answers {
                    // The caller may be gone.
                    let _ = answer.send(Ok(receipts.by_ref().take(count).collect()));
                }
            }
            Err(Refused { error, pages: Some(pages) }) if answers.len() > 1 => {
                tracing::debug!(%error, "finished pages are committed one call after another");
                for ((_, answer), pages) in answers.into_iter().zip(pages) {
                    let result = self.commit_caught(inner, vec![pages], now).await;
                    let _ = answer.send(result.map_err(|refused| refused.error));
                }
            }
            Err(Refused { error, .. }) => {
                for (_, answer) in answers {
                    let _ = answer.send(Err(Error::new(error.kind(), error.to_string())));
                }
            }
        }
    }

    /// As [`commit`](Self::commit). A panic is an error of these pages alone.
    async fn commit_caught(
        &mut self,
        inner: &Inner,
        pages: Vec<Vec<PreparedPage>>,
        now: Duration,
    ) -> Result<Vec<Receipt>, Refused> {
        let result = AssertUnwindSafe(self.commit(inner, pages, now)).catch_unwind().await;
        result.unwrap_or_else(|_| {
            let error = Error::new(ErrorKind::Io, "the commit of finished pages failed unexpectedly");
            Err(Refused { error, pages: None })
        })
    }

    /// Commits the pages of calls in one transaction, and ends their leases. Returns the receipts of all, in
    /// order.
    async fn commit(
        &mut self,
        inner: &Inner,
        calls: Vec<Vec<PreparedPage>>,
        now: Duration,
    ) -> Result<Vec<Receipt>, Refused> {
        let counts: Vec<usize> = calls.iter().map(Vec::len).collect();
        // Places of the pages whose leases are valid, and the other pages.
        let (mut places, mut stale) = (Vec::new(), Vec::new());
        let (group, paces, held) = {
            let mut local = inner.local();
            let (mut pages, mut seen) = (Vec::new(), HashSet::new());
            for (place, page) in calls.into_iter().flatten().enumerate() {
                let repeats = page.lease().is_some_and(|lease| !seen.insert(lease.lease));
                let entry = match &page.origin {
                    Origin::Lease(_) if repeats => None,
                    Origin::Lease(lease) => local.leased(lease),
                    Origin::GivenUp { entry, epoch } => {
                        Some(entry).filter(|_| *epoch == local.epoch()).cloned()
                    }
                };
                match entry {
                    Some(entry) => {
                        places.push(place);
                        pages.push(GroupPage { entry, page });
                    }
                    None => stale.push(Stale { place, page, repeats }),
                }
            }
            let ended: Vec<_> = pages.iter().filter_map(GroupPage::ended).collect();
            let ended = local.next_ended(&ended);
            let (worker, workers) = (local.epoch(), local.workers());
            // In the same term as the leases.
            (Group { now, worker, workers, pages, ended }, local.pace_changes(), local.held_hosts())
        };
        let mut receipts = vec![Receipt::default(); places.len() + stale.len()];
        if group.pages.is_empty() {
            inner.local().pace_unsaved(paces);
            end_stale(inner, stale, now);
            return Ok(receipts);
        }
        let commit = Commit {
            sql: &inner.db.sql,
            caches: &inner.caches,
            config: &inner.config.memory.frontier,
            held: &held,
            paces: &paces,
            recent_teams: &self.recent_teams,
            group: &group,
        };
        let result = inner.db.write(&commit).await;
        match result {
            Ok(committed) => {
                for (place, (receipt, _)) in places.iter().zip(&committed.pages) {
                    if let Some(slot) = receipts.get_mut(*place) {
                        *slot = *receipt;
                    }
                }
                self.remember_teams(&committed, now);
                apply(inner, group, committed);
                end_stale(inner, stale, now);
                Ok(receipts)
            }
            Err(Failure::TermEnded) => {
                inner.term_ended(group.worker);
                Ok(receipts)
            }
            Err(failure) if failure.is_transient() => {
                // It may have been committed. In a new term no page is committed twice: the end of the former
                // term shows which pages have ended.
                inner.term_ended(group.worker);
                Err(Refused { error: Error::from(failure), pages: None })
            }
            Err(failure) => {
                inner.local().pace_unsaved(paces);
                let is_of_statement = failure.is_answer() && !failure.is_of_server();
                let error = Error::from(failure);
                let pages = is_of_statement.then(|| restore(group, &places, stale, &counts));
                Err(Refused { error, pages })
            }
        }
    }

    fn remember_teams(&mut self, committed: &Committed, now: Duration) {
        if self.recent_teams.len() >= MAX_TEAMS {
            self.recent_teams.clear();
        }
        for team in &committed.teams {
            let last = self.recent_teams.entry(team.clone()).or_insert(now);
            // As the statement does: the time is stored at most once a second.
            if now.saturating_sub(*last) >= Duration::from_secs(1) {
                *last = now;
            }
        }
    }
}

fn weight(pages: &[PreparedPage]) -> usize {
    let bytes = |page: &PreparedPage| page.document.as_ref().map_or(0, |(document, _)| document.body.len());
    pages.iter().map(|page| 1 + page.links.len() / LINKS + bytes(page) / BYTES).sum()
}

/// A page without a valid lease.
struct Stale {
    place: usize,
    page: PreparedPage,
    /// The lease of a page before it in the group.
    repeats: bool,
}

/// Pages that were not committed.
struct Refused {
    error: Error,
    /// The pages of each call, if the calls can be tried alone.
    pages: Option<Vec<Vec<PreparedPage>>>,
}

/// The pages of a group and the others, again by call.
fn restore(group: Group, places: &[usize], stale: Vec<Stale>, counts: &[usize]) -> Vec<Vec<PreparedPage>> {
    let in_group = places.iter().copied().zip(group.pages.into_iter().map(|page| page.page));
    let mut pages: Vec<(usize, PreparedPage)> =
        in_group.chain(stale.into_iter().map(|stale| (stale.place, stale.page))).collect();
    pages.sort_unstable_by_key(|(place, _)| *place);
    let mut pages = pages.into_iter().map(|(_, page)| page);
    counts.iter().map(|count| pages.by_ref().take(*count).collect()).collect()
}

/// Applies a commit to the state of this process.
fn apply(inner: &Inner, group: Group, committed: Committed) {
    let Committed { pages, rows, tokens, additions, .. } = committed;
    inner.caches.committed(additions);
    let mut local = inner.local();
    for (GroupPage { page, .. }, (_, outcome)) in group.pages.iter().zip(pages) {
        if let Some(page) = page.committed(outcome) {
            local.finished(&page, group.now);
        }
    }
    // In another term the tokens and blocks are not those of this process any more.
    if local.epoch() == group.worker {
        local.ended_committed(group.ended);
        for (job, granted, taken_back) in tokens {
            if granted > 0 {
                local.granted(job, granted);
            }
            if taken_back > 0 {
                local.taken_back(job, taken_back);
            }
        }
    }
    drop(local);
    // It also notifies the watchers of the jobs, and drops the cached pages of those that ended.
    rows.iter().for_each(|row| inner.job_committed(row));
    inner.wake();
}

/// Ends leases that are not valid any more: they still count for their hosts.
fn end_stale(inner: &Inner, stale: Vec<Stale>, now: Duration) {
    let ended = stale.iter().filter(|stale| !stale.repeats);
    let ended: Vec<_> = ended.filter_map(|stale| stale.page.committed(None)).collect();
    let mut local = inner.local();
    ended.iter().for_each(|page| local.finished(page, now));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_to_a_store_that_has_stopped_is_an_error() {
        let (committer, queue) = Committer::new();
        drop(queue);
        let error = committer.commit(Vec::new(), Duration::ZERO).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        let (committer, mut queue) = Committer::new();
        let call = committer.commit(Vec::new(), Duration::ZERO);
        // The task ends between the call and the answer, as after a panic.
        let end = async { drop(queue.calls.recv().await) };
        let (result, ()) = tokio::join!(call, end);
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Io);
    }
}
