//! The steps of operations that hold the lock of the store. Each returns the ticket of its facts, for which
//! the operation waits without the lock.

use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate};
use gleaner_types::JobId;
use uuid::Uuid;

use super::LocalStore;
use super::finish::PreparedPage;
use super::job::record;
use super::state::{State, queue_full};
use crate::journal::{Fact, Journal, Room, Row};
use crate::results::{Batch, DocumentSource};
use crate::{
    Accounting, Admission, DeliveryOutcome, Error, EventId, JobAccount, JobSnapshot, NewJob, ReadBound,
    Receipt, Reservation,
};

impl<J: Journal> LocalStore<J> {
    pub(super) fn start(&self, mut job: NewJob, now: Duration) -> Result<u64, Error> {
        job.url = job.url.or_else(|| job.pages.first().map(|page| page.url.to_string()));
        // Without the lock, because a request may be large.
        let record = self.journal.is_durable().then(|| record(&job));
        let mut state = self.lock();
        if state.jobs.contains_key(&job.id) || state.removed.contains_key(&job.id) {
            return Err(Error::job_exists(job.id));
        }
        if state.is_key_used(job.account.as_deref()) {
            return Err(Error::key_used());
        }
        self.check_queue_length(0, job.pages.len())?;
        self.check_size(&job.pages)?;
        state.check_job_limit(job.account.as_deref())?;
        state.check_unsettled(job.account.as_deref())?;
        state.check_result_space(&job)?;
        state.check_numbers()?;
        let slot = state.open_queue(&job)?;
        state.use_key(job.account.as_deref(), now)?;
        state.start_job(slot, job, record, self.config.retained_bytes, now);
        Ok(self.finish_operation(state))
    }

    pub(super) fn record_intent(&self, reservation: Reservation) -> u64 {
        let mut state = self.lock();
        if state.log.is_on() {
            let Reservation { operation, job, ref team, credits } = reservation;
            state.log.push_global(&Fact::Intended { operation, job, team: team.as_str(), credits });
            state.intents.insert(reservation, false);
        }
        self.commit(&mut state, None)
    }

    pub(super) fn admit_pages(
        &self,
        job: JobId,
        admission: Admission,
        now: Duration,
    ) -> Result<(Admitted, u64), Error> {
        let Admission { depth, pages, notes } = admission;
        let mut guard = self.lock_to_change()?;
        let state = &mut *guard;
        let slot = state.running_slot(job)?;
        if let Some(record) = state.jobs.get_mut(&job) {
            record.note(job, notes, &mut state.log);
        }
        let admitted = state.frontier.admit(slot, depth, pages, now);
        state.warn_overflow(job, &admitted);
        state.check_budget(job);
        Ok((admitted, self.finish_operation(guard)))
    }

    pub(super) fn append_pages(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<(Admitted, u64), Error> {
        let mut state = self.lock();
        let slot = state.running_slot(job)?;
        let account = state.job(job)?.account.clone();
        let account = account.map(|account| JobAccount { idempotency_key, ..*account });
        if state.is_key_used(account.as_ref()) {
            return Err(Error::key_used());
        }
        let waiting = state.frontier.counts(slot).map_or(0, |counts| counts.waiting);
        self.check_queue_length(waiting, pages.len())?;
        self.check_size(&pages)?;
        if !state.frontier.has_capacity(slot, &pages) {
            return Err(queue_full());
        }
        state.use_key(account.as_ref(), now)?;
        if credits > 0 {
            let record = state.job(job)?;
            record.add_budget(credits);
            let journal = record.journal.everything();
            state.log.push(journal, &Fact::Paid { credits });
        }
        let admitted = state.frontier.admit(slot, 0, pages, now);
        state.warn_overflow(job, &admitted);
        state.check_budget(job);
        Ok((admitted, self.finish_operation(state)))
    }

    pub(super) fn finish_prepared(
        &self,
        pages: Vec<PreparedPage>,
        room: Room,
        now: Duration,
    ) -> (Vec<Receipt>, u64) {
        let mut state = self.lock();
        let receipts = pages.into_iter().map(|page| state.finish(page, now)).collect();
        (receipts, self.finish_operation_in(state, room))
    }

    /// Ends a job with `end`, and returns its last state and the ticket of its end.
    pub(super) fn end(
        &self,
        job: JobId,
        end: impl FnOnce(&mut State) -> Result<(), Error>,
    ) -> Result<(JobSnapshot, u64), Error> {
        let mut guard = self.lock_to_change()?;
        let state = &mut *guard;
        end(state)?;
        let snapshot = state.snapshot(job)?;
        self.commit(state, None);
        let ticket = state.ticket;
        self.finish_operation(guard);
        Ok((snapshot, ticket))
    }

    pub(super) fn record_outcome(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> u64 {
        let mut guard = self.lock();
        let state = &mut *guard;
        let job = state.jobs.get_mut(&event.job).or_else(|| state.removed.get_mut(&event.job));
        let Some(job) = job.filter(|job| job.outbox.is_some()) else { return 0 };
        state.event_schedule.record_outcome(&mut state.log, event, job, outcome, now);
        job.log_delivered(&mut state.log);
        state.forget_removed(event.job);
        let ticket = self.commit(state, None);
        drop(guard);
        self.maintenance.send_modify(|version| *version = version.wrapping_add(1));
        ticket
    }

    /// The documents to read, which may be in the journal.
    pub(super) fn take_batch(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Batch, Error> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let record = state.jobs.get_mut(&job).ok_or_else(|| Error::unknown_job(job))?;
        let first = record.results.first();
        let mut batch = record.results.read(from, bound);
        batch.end &= record.has_durable_end();
        let before = record.results.first();
        if before > first {
            let journal = record.journal.everything();
            state.log.push(journal, &Fact::Read { position: before });
            state.log.row(journal, || Row::DocumentsRead { before });
        }
        let resume = record.reader_behind && record.results.has_capacity();
        if resume {
            state.set_reader_behind(job, false);
        }
        self.commit(state, None);
        drop(guard);
        if resume {
            self.notify_work();
        }
        Ok(batch)
    }

    /// Reads what the journal has of a batch. The batch ends before the first document that is not durable. A
    /// stream goes on after damaged documents.
    pub(super) async fn load(&self, mut batch: Batch) -> Result<Batch, Error> {
        let (mut next, job) = match batch.items.first() {
            Some((first, DocumentSource::Journaled { job, .. })) => (*first, *job),
            _ => return Ok(batch),
        };
        let mut found: Vec<(u64, DocumentSource)> = Vec::new();
        while next < batch.next {
            let documents = usize::try_from(batch.next - next).unwrap_or(usize::MAX);
            let bound = ReadBound { documents, bytes: usize::MAX };
            match self.journal.documents(job, next, bound).await {
                Ok(read) => {
                    let end = next.saturating_add(read.len() as u64);
                    found.extend((next..).zip(read.into_iter().map(DocumentSource::from)));
                    next = end;
                    break;
                }
                Err(error) if batch.streams && error.is_damaged() => {
                    found.push((next, DocumentSource::Unreadable(error)));
                    next += 1;
                }
                Err(error) => return Err(error),
            }
        }
        if next < batch.next {
            (batch.next, batch.end) = (next, false);
        }
        // The batch has no documents that were lost before.
        let is_in_batch = |position: u64| batch.items.binary_search_by_key(&position, |(at, _)| *at).is_ok();
        found.retain(|(position, _)| is_in_batch(*position));
        batch.items = found;
        Ok(batch)
    }

    /// A document in the journal; `None` if it is not durable yet.
    pub(super) async fn journaled(&self, job: u64, position: u64) -> Result<Option<Bytes>, Error> {
        let bound = ReadBound { documents: 1, bytes: 0 };
        Ok(self.journal.documents(job, position, bound).await?.pop())
    }
}

impl State {
    pub(super) fn charge(&mut self, id: JobId, tokens: u64, credits: u64) -> Result<(), Error> {
        self.running_slot(id)?;
        let job = self.job(id)?;
        (job.tokens, job.credits) = (tokens, credits);
        // Of a job with zero data retention too: it is settled with them.
        let journal = job.journal.number();
        self.log.push(journal, &Fact::Charged { tokens, credits });
        Ok(())
    }

    pub(super) fn accounting(&self, max: usize) -> Accounting {
        Accounting {
            short: self.shortages(max),
            ended: self.unsettled.first(max, |id| self.has_durable_end(id)),
            unsubmitted: self.intents.listed(max),
        }
    }
}
