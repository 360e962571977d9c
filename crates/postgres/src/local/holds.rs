//! Holding hosts for requests without a lease.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Weak};
use std::time::Duration;

use gleaner_store::{Error, ErrorKind, HostGuard, HostHold};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_postgres::types::Type;
use url::{Position, Url};

use super::Local;
use super::refill::TakenHost;
use super::term::check_term;
use crate::database::Sql;
use crate::failure::Failure;
use crate::inner::Inner;
use crate::operation::Operation;
use crate::transaction::Transaction;

/// Maximum number of hosts that one transaction takes.
const MAX_WANTED: usize = 256;
/// The longest time that a call waits for the first term.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A call for a host that this process does not hold.
#[derive(Debug)]
struct Wanted {
    name: Box<str>,
    answer: oneshot::Sender<HostHold>,
}

/// Calls to the task that takes these hosts.
#[derive(Debug)]
pub(crate) struct Holds(mpsc::Sender<Wanted>);

/// The calls that the task has not answered.
#[derive(Debug)]
pub(crate) struct HoldQueue(mpsc::Receiver<Wanted>);

/// Counts as a request to the host until it is dropped.
struct Guard {
    inner: Weak<Inner>,
    host: i32,
    epoch: i64,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let is_wanted = inner.local().end_guard(self.host, self.epoch);
        if is_wanted {
            inner.refills.request();
        }
    }
}

/// What this process knows about a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is held, and one guard more is counted in this epoch.
    Guarded { host: i32, epoch: i64 },
    /// It is about to be given back, or the term of this process has ended.
    Leaving,
    /// It is not held.
    Unknown,
}

/// Takes the free ones of these hosts, and tells the workers that hold the others.
struct TakeWanted<'a> {
    sql: &'a Sql,
    epoch: i64,
    now: Duration,
    names: Vec<&'a str>,
}

/// The hosts that were taken, and why others were not.
#[derive(Default)]
struct Found {
    taken: Vec<TakenHost>,
    /// The taken hosts whose address another worker may hold without being asked.
    checked: Vec<i32>,
    /// When free hosts may be asked.
    ready_at: HashMap<String, Duration>,
}

impl TakeWanted<'_> {
    /// Adds rows for new hosts, which this process holds. Before any row is locked: it may wait for another
    /// transaction that adds the same.
    async fn insert(&self, t: &Transaction<'_>) -> Result<Vec<TakenHost>, Failure> {
        let text = self.sql.text(
            "INSERT INTO {schema}.host (name, worker)
             SELECT n.name, $2 FROM unnest($1::text[]) AS n (name)
             WHERE NOT EXISTS (SELECT FROM {schema}.host h WHERE h.name = n.name)
             ORDER BY n.name COLLATE \"C\"
             ON CONFLICT (name) DO NOTHING RETURNING id, name, ready_at, gap, places, address",
        );
        let rows =
            t.query_typed(&text, &[(&self.names, Type::TEXT_ARRAY), (&self.epoch, Type::INT8)]).await?;
        rows.iter().map(TakenHost::read).collect()
    }

    /// Looks at the hosts that exist. Those that are locked are busy for now. A host whose address another
    /// worker holds is waited for, but not for long: that worker may have other hosts of the address for
    /// hours.
    async fn choose(
        &self,
        t: &Transaction<'_>,
        names: &[&str],
        found: &mut Found,
    ) -> Result<(Vec<i32>, Vec<i32>), Failure> {
        let text = self.sql.text(
            "SELECT h.id, h.name, h.ready_at, h.gap, h.places, h.address, h.worker,
                 EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker < $2)
                     OR EXISTS (SELECT FROM {schema}.host o WHERE o.address = h.address AND o.worker > $2),
                 COALESCE(h.wanted_at BETWEEN now() - interval '1 minute' AND now() - interval '2 seconds',
                     false)
             FROM {schema}.host h WHERE h.name = ANY($1) ORDER BY h.id FOR NO KEY UPDATE OF h SKIP LOCKED",
        );
        let rows = t.query_typed(&text, &[(&names, Type::TEXT_ARRAY), (&self.epoch, Type::INT8)]).await?;
        let (mut free, mut wanted) = (Vec::new(), Vec::new());
        for row in &rows {
            let host = TakenHost::read(row)?;
            let worker: Option<i64> = row.try_get(6)?;
            let (shares_address, was_wanted): (bool, bool) = (row.try_get(7)?, row.try_get(8)?);
            if let Some(worker) = worker {
                // A refill of this process may have taken it just now.
                wanted.extend((worker != self.epoch).then_some(host.id));
            } else if host.pace.ready_at > self.now {
                found.ready_at.insert(host.name, host.pace.ready_at);
            } else if shares_address && !was_wanted {
                wanted.push(host.id);
            } else {
                free.push(host.id);
                found.checked.extend((host.pace.address.is_some() && !shares_address).then_some(host.id));
                found.taken.push(host);
            }
        }
        Ok((free, wanted))
    }
}

#[async_trait::async_trait]
impl Operation for TakeWanted<'_> {
    type Output = Found;

    async fn run(&self, t: &Transaction<'_>) -> Result<Found, Failure> {
        check_term(t, self.sql, self.epoch).await?;
        let mut found = Found { taken: self.insert(t).await?, ..Found::default() };
        let is_new = |name: &str| found.taken.iter().any(|host| host.name == name);
        let others: Vec<&str> = self.names.iter().copied().filter(|name| !is_new(name)).collect();
        if others.is_empty() {
            return Ok(found);
        }
        let (free, wanted) = self.choose(t, &others, &mut found).await?;
        if !free.is_empty() {
            let text = self
                .sql
                .text("UPDATE {schema}.host SET worker = $2, wanted_at = NULL WHERE id = ANY($1::int[])");
            t.execute_typed(&text, &[(&free, Type::INT4_ARRAY), (&self.epoch, Type::INT8)]).await?;
        }
        if !wanted.is_empty() {
            // That of a free host keeps its time: it tells how long the address was waited for.
            let text = self.sql.text(
                "UPDATE {schema}.host SET wanted_at = now() WHERE id = ANY($1::int[])
                     AND (wanted_at IS NULL OR wanted_at < now() - CASE WHEN worker IS NULL
                         THEN interval '1 minute' ELSE interval '500 milliseconds' END)",
            );
            t.execute_typed(&text, &[(&wanted, Type::INT4_ARRAY)]).await?;
        }
        Ok(found)
    }
}

impl Holds {
    pub(crate) fn new() -> (Self, HoldQueue) {
        let (sender, calls) = mpsc::channel(MAX_WANTED);
        (Self(sender), HoldQueue(calls))
    }
}

impl HoldQueue {
    /// Takes hosts. A task does it, so that no host is taken for a caller that has gone.
    pub(crate) async fn run(mut self, inner: Arc<Inner>) {
        let mut wanted = Vec::new();
        while self.0.recv_many(&mut wanted, MAX_WANTED).await > 0 {
            inner.take_wanted(std::mem::take(&mut wanted)).await;
        }
    }
}

impl Inner {
    /// Holds the host of a URL for a request without a lease.
    pub(crate) async fn hold_host(self: &Arc<Self>, url: &Url, now: Duration) -> Result<HostHold, Error> {
        let name = &url[Position::BeforeHost..Position::AfterPort];
        self.take_part(MAX_WAIT).await;
        let known = {
            let mut local = self.local();
            local.at(now);
            local.guard(name)
        };
        if known != Known::Unknown {
            return Ok(self.hold_of(known, now));
        }
        let closed = || Error::new(ErrorKind::Io, "the store has stopped");
        let (answer, result) = oneshot::channel();
        self.holds.0.send(Wanted { name: name.into(), answer }).await.map_err(|_| closed())?;
        result.await.map_err(|_| closed())
    }

    fn hold_of(self: &Arc<Self>, known: Known, not_before: Duration) -> HostHold {
        match known {
            Known::Guarded { host, epoch } => {
                HostHold::Held(HostGuard::new(Guard { inner: Arc::downgrade(self), host, epoch }))
            }
            Known::Leaving | Known::Unknown => HostHold::Busy { not_before },
        }
    }

    /// Takes the free ones of these hosts, and answers all calls.
    async fn take_wanted(self: &Arc<Self>, wanted: Vec<Wanted>) {
        let take = {
            let local = self.local();
            // A host that is about to be given back is not taken again before that.
            let names = wanted.iter().map(|wanted| &*wanted.name);
            let names: BTreeSet<&str> = names.filter(|name| !local.by_name.contains_key(*name)).collect();
            let names = names.into_iter().collect();
            TakeWanted { sql: &self.db.sql, epoch: local.epoch(), now: local.time(), names }
        };
        let mut found = Found::default();
        if !take.names.is_empty() {
            match self.db.write(&take).await {
                Ok(output) => found = output,
                Err(failure) => {
                    tracing::warn!(?failure, "no host could be held for a request");
                    if failure.is_transient() || matches!(failure, Failure::TermEnded) {
                        // Nobody knows whether it was committed.
                        self.term_ended(take.epoch);
                    }
                }
            }
        }
        let conflicts = self.conflicts(take.epoch, std::mem::take(&mut found.checked)).await;
        let known: Vec<Known> = {
            let mut local = self.local();
            if local.epoch() == take.epoch {
                for host in &found.taken {
                    local.hold_host(host.id, &host.name, host.pace, conflicts.contains(&host.id));
                }
            }
            wanted.iter().map(|wanted| local.guard(&wanted.name)).collect()
        };
        let now = take.now;
        for (wanted, known) in wanted.into_iter().zip(known) {
            let not_before = found.ready_at.get(&*wanted.name).copied().unwrap_or(now);
            // The guard for a caller that has gone ends at once.
            let _gone = wanted.answer.send(self.hold_of(known, not_before));
        }
    }
}

impl Local {
    /// Counts a request without a lease to a host, if it is held and stays so.
    fn guard(&mut self, name: &str) -> Known {
        if !self.is_in_term() {
            return Known::Leaving;
        }
        let Some(&id) = self.by_name.get(name) else { return Known::Unknown };
        let is_leaving = self.hosts.get(&id).is_none_or(|host| host.leaving);
        // A page of the host that is leased may need its robots.txt.
        if is_leaving && !self.is_in_use(id) {
            return Known::Leaving;
        }
        let epoch = self.epoch();
        let Some(host) = self.hosts.get_mut(&id) else { return Known::Leaving };
        host.guards += 1;
        Known::Guarded { host: id, epoch }
    }

    /// Ends a guard. True if its host can be given back now.
    fn end_guard(&mut self, id: i32, epoch: i64) -> bool {
        if epoch != self.epoch() {
            return false;
        }
        let Some(host) = self.hosts.get_mut(&id) else { return false };
        host.guards = host.guards.saturating_sub(1);
        host.idle_since = host.idle_since.map(|_| Instant::now());
        host.leaving && host.guards == 0
    }
}
