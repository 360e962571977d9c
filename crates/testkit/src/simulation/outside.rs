//! What lies outside of the process and remembers what it was told: the receiver of webhooks and the accounts
//! provider.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gleaner_store::EventId;
use gleaner_types::JobId;
use uuid::Uuid;

use super::context::Context;

/// The URL of the receiver.
pub(super) const RECEIVER: &str = "https://receiver.test/hook";

/// The events of one job, as the receiver got them.
#[derive(Debug, Default)]
struct Received {
    bodies: Vec<Vec<u8>>,
    /// Events before this one are done: the store has acknowledged it.
    done: u64,
    /// Events that were given up: the least number and the greatest.
    given_up: (u64, u64),
}

/// The receiver of all webhooks.
#[derive(Debug, Default)]
pub(super) struct Receiver(Mutex<BTreeMap<JobId, Received>>);

impl Receiver {
    fn jobs(&self) -> MutexGuard<'_, BTreeMap<JobId, Received>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks an event that arrives: it is the next one of its job, or one that arrived before and whose
    /// delivery the store may have forgotten.
    pub(super) fn receive(&self, context: &Context, event: EventId, body: Vec<u8>) {
        let mut jobs = self.jobs();
        let received = jobs.entry(event.job).or_default();
        let problem = match received.bodies.get(event.sequence as usize) {
            _ if event.sequence < received.done => Some("it arrives again after its end"),
            None if event.sequence == received.bodies.len() as u64 => {
                received.bodies.push(body);
                None
            }
            None => Some("events before it are missing"),
            Some(earlier) if *earlier != body => Some("it has another body than before"),
            Some(_) => None,
        };
        drop(jobs);
        if let Some(problem) = problem {
            context.monitor().violate(context.now(), format!("{event:?}: {problem}"));
        }
    }

    /// The store will be told to give up an event. It may end before it acknowledges that.
    pub(super) fn give_up(&self, event: EventId) {
        if let Some(received) = self.jobs().get_mut(&event.job) {
            received.given_up.1 += 1;
        }
    }

    /// Records that the store has acknowledged the end of an event.
    pub(super) fn finish(&self, event: EventId, was_given_up: bool) {
        if let Some(received) = self.jobs().get_mut(&event.job) {
            received.done = received.done.max(event.sequence + 1);
            received.given_up.0 += u64::from(was_given_up);
        }
    }

    /// The bodies of the events of a job, and the least and the greatest number of those that were given up.
    pub(super) fn events(&self, job: JobId) -> (Vec<Vec<u8>>, (u64, u64)) {
        let jobs = self.jobs();
        jobs.get(&job).map_or_else(Default::default, |job| (job.bodies.clone(), job.given_up))
    }

    /// The number of events of all jobs.
    pub(super) fn count(&self) -> u64 {
        self.jobs().values().map(|received| received.bodies.len() as u64).sum()
    }
}

#[derive(Debug, Default)]
struct Books {
    /// The job and the credits of each operation.
    operations: BTreeMap<Uuid, (JobId, u64)>,
    /// The reserved credits of each job that is not settled.
    reserved: BTreeMap<JobId, u64>,
    /// What each settled job has cost.
    settled: BTreeMap<JobId, u64>,
}

/// The accounts provider. An operation counts once, and a job is settled once.
#[derive(Debug, Default)]
pub(super) struct Accounts(Mutex<Books>);

impl Accounts {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves credits for a job. Returns those of the first call with this operation.
    pub(super) fn reserve(&self, context: &Context, job: JobId, operation: Uuid, credits: u64) -> u64 {
        let mut books = self.books();
        let is_settled = books.settled.contains_key(&job);
        let (owner, granted) = *books.operations.entry(operation).or_insert((job, credits));
        if owner != job || is_settled {
            context.monitor().violate(
                context.now(),
                format!("job {job} draws credits by an operation of {owner}, settled: {is_settled}"),
            );
        }
        let sum: u64 = books.operations.values().filter(|(owner, _)| *owner == job).map(|(_, sum)| sum).sum();
        books.reserved.insert(job, sum);
        granted
    }

    /// Charges a job, and returns the rest of its reserved credits.
    pub(super) fn settle(&self, context: &Context, job: JobId, credits: u64) {
        let mut books = self.books();
        let before = books.settled.insert(job, credits);
        let reserved = books.reserved.remove(&job);
        drop(books);
        let is_overdrawn = reserved.is_some_and(|reserved| reserved < credits);
        if is_overdrawn || before.is_some_and(|before| before != credits) {
            let what = format!(
                "job {job} costs {credits} credits, with {reserved:?} reserved and {before:?} settled before"
            );
            context.monitor().violate(context.now(), what);
        }
    }

    /// What a job has cost, if it is settled.
    pub(super) fn settled(&self, job: JobId) -> Option<u64> {
        self.books().settled.get(&job).copied()
    }

    /// The jobs whose credits are still reserved.
    pub(super) fn reserved(&self) -> Vec<JobId> {
        self.books().reserved.keys().copied().collect()
    }
}
