//! The steps of operations that hold the lock of the store. Each returns the ticket of its facts, for which
//! the operation waits without the lock.

use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, QueueSize};
use gleaner_types::JobId;
use uuid::Uuid;

use super::LocalStore;
use super::arrival::{Arrival, SLICE};
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
        self.check_size(&job.pages)?;
        if job.pages.len() > SLICE {
            return self.start_in_slices(job, record, now);
        }
        let mut state = self.lock();
        state.check_new(&job)?;
        self.check_queue_length(0, job.pages.len())?;
        let slot = state.open_queue(&job)?;
        state.take_key(job.account.as_deref(), now)?;
        state.log_key(job.account.as_deref(), now);
        state.start_job(slot, job, record, self.config.retained_bytes, now);
        Ok(self.finish_operation(state))
    }

    /// As [`start`](Self::start), for many pages.
    fn start_in_slices(
        &self,
        mut job: NewJob,
        record: Option<Box<NewJob>>,
        now: Duration,
    ) -> Result<u64, Error> {
        let pages = std::mem::take(&mut job.pages);
        let mut arrival = self.begin_job(&job, pages, now)?;
        while arrival.queue_slice(self) {}
        self.start_arrived(arrival, job, record, now)
    }

    /// Takes what a job with many pages needs, and keeps it out of sight. They do not fit in part.
    pub(super) fn begin_job(
        &self,
        job: &NewJob,
        pages: Vec<Candidate>,
        now: Duration,
    ) -> Result<Arrival, Error> {
        let size = QueueSize::of(&pages).ok_or_else(queue_full)?;
        let mut state = self.lock();
        state.check_new(job)?;
        self.check_queue_length(0, pages.len())?;
        let slot = state.open_for_slices(job, size, now)?;
        state.take_key(job.account.as_deref(), now)?;
        Ok(Arrival::new(slot, pages, now))
    }

    /// Starts a job whose pages are queued.
    pub(super) fn start_arrived(
        &self,
        arrival: Arrival,
        job: NewJob,
        record: Option<Box<NewJob>>,
        now: Duration,
    ) -> Result<u64, Error> {
        let (id, slot) = (job.id, arrival.slot());
        let (_, facts) = arrival.end();
        let mut state = self.lock();
        if let Err(error) = state.check_id(id) {
            state.return_key(job.account.as_deref());
            state.close_unstarted(&job, slot);
            return Err(error);
        }
        state.frontier.hold(slot, false);
        state.log_key(job.account.as_deref(), now);
        state.start_job(slot, job, record, self.config.retained_bytes, now);
        let journal = state.job(id)?.journal.everything();
        state.log.push_block(journal, facts);
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
        self.check_size(&pages)?;
        if pages.len() > SLICE {
            return self.append_in_slices(job, pages, credits, idempotency_key, now);
        }
        let mut state = self.lock();
        let slot = state.running_slot(job)?;
        let account = state.job(job)?.append_account(idempotency_key);
        if state.is_key_used(account.as_ref()) {
            return Err(Error::key_used());
        }
        let waiting = state.frontier.counts(slot).map_or(0, |counts| counts.waiting);
        self.check_queue_length(waiting, pages.len())?;
        if !state.frontier.has_capacity(slot, &pages) {
            return Err(queue_full());
        }
        state.take_key(account.as_ref(), now)?;
        state.job(job)?.add_budget(credits);
        state.log_append(job, account.as_ref(), credits, now)?;
        let admitted = state.frontier.admit(slot, 0, pages, now);
        state.warn_overflow(job, &admitted);
        state.check_budget(job);
        Ok((admitted, self.finish_operation(state)))
    }

    /// As [`append_pages`](Self::append_pages), for many pages.
    fn append_in_slices(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<(Admitted, u64), Error> {
        let (mut arrival, account) = self.begin_append(job, pages, credits, idempotency_key, now)?;
        while arrival.queue_slice(self) {}
        self.end_append(arrival, job, account.as_ref(), credits, now)
    }

    /// Takes what many more pages of a job need, and holds the job.
    pub(super) fn begin_append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<(Arrival, Option<JobAccount>), Error> {
        let size = QueueSize::of(&pages).ok_or_else(queue_full)?;
        let mut state = self.lock();
        let slot = state.running_slot(job)?;
        let account = state.job(job)?.append_account(idempotency_key);
        if state.is_key_used(account.as_ref()) {
            return Err(Error::key_used());
        }
        let waiting = state.frontier.counts(slot).map_or(0, |counts| counts.waiting);
        self.check_queue_length(waiting, pages.len())?;
        if !state.frontier.reserve(slot, size, now) {
            return Err(queue_full());
        }
        state.take_key(account.as_ref(), now)?;
        let record = state.job(job)?;
        // The credits come first, so that none are asked for in their place.
        record.add_budget(credits);
        record.arriving += 1;
        state.update_hold(job);
        Ok((Arrival::new(slot, pages, now), account))
    }

    /// Goes on with a job whose further pages are queued. It may have ended meanwhile, and the pages with it.
    pub(super) fn end_append(
        &self,
        arrival: Arrival,
        job: JobId,
        account: Option<&JobAccount>,
        credits: u64,
        now: Duration,
    ) -> Result<(Admitted, u64), Error> {
        let (admitted, facts) = arrival.end();
        let mut state = self.lock();
        if let Err(error) = state.running_slot(job) {
            state.return_key(account);
            return Err(error);
        }
        let record = state.job(job)?;
        record.arriving = record.arriving.saturating_sub(1);
        let journal = record.journal.everything();
        state.log_append(job, account, credits, now)?;
        state.log.push_block(journal, facts);
        state.update_hold(job);
        state.check_budget(job);
        // All of the pages may have been known.
        state.end_if_done(job, now);
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
    /// Records an append, except for its pages.
    fn log_append(
        &mut self,
        id: JobId,
        account: Option<&JobAccount>,
        credits: u64,
        now: Duration,
    ) -> Result<(), Error> {
        self.log_key(account, now);
        if credits > 0 {
            let journal = self.job(id)?.journal.everything();
            self.log.push(journal, &Fact::Paid { credits });
        }
        Ok(())
    }

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
