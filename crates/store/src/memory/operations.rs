//! The operations of the store: each takes the lock once, or before and after its slow part.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use gleaner_frontier::{Admitted, Candidate, Deferral, HostFeedback, HostLimits};
use gleaner_types::{Document, JobId, JobKind, JobState};
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

use super::LocalStore;
use super::finish::PreparedPage;
use super::job::Job;
use crate::journal::{Fact, Journal, Row, StoredScrape};
use crate::results::{DocumentSource, to_json};
use crate::scrape;
use crate::{
    Accounting, Admission, Conclusion, DeadLetter, DeliveryOutcome, DueEvents, EndedJob, Error, EventId,
    FailurePosition, FinishedPage, HistoryKey, JobFailure, JobListing, JobSnapshot, JobWarning, JsonSlice,
    LeasedPage, Leases, NewJob, Note, PageFailures, PastScrape, ReadBound, Receipt, Reservation, Slice,
    Store, StoredJob, TeamId, TeamLoad, WorkerId,
};

/// Time until the next lease while the journal cannot write.
const STALL_PAUSE: Duration = Duration::from_secs(1);

#[async_trait]
impl<J: Journal> Store for LocalStore<J> {
    fn is_durable(&self) -> bool {
        self.journal.is_durable()
    }

    fn close(&self) {
        self.journal.close();
    }

    async fn submit(&self, job: NewJob, now: Duration) -> Result<(), Error> {
        self.check_stall()?;
        let ticket = self.start(job, now)?;
        self.durable(ticket).await
    }

    async fn intend(&self, reservation: Reservation, _now: Duration) -> Result<(), Error> {
        self.check_stall()?;
        let ticket = self.record_intent(reservation);
        self.durable(ticket).await
    }

    async fn withdrawn(&self, operation: Uuid) -> Result<(), Error> {
        let mut state = self.lock_to_change()?;
        if state.intents.remove(operation) {
            state.log.push_global(&Fact::Withdrawn { operation });
            self.commit(&mut state, None);
        }
        Ok(())
    }

    async fn admit(&self, job: JobId, admission: Admission, now: Duration) -> Result<Admitted, Error> {
        let (admitted, ticket) = self.admit_pages(job, admission, now)?;
        self.durable(ticket).await?;
        Ok(admitted)
    }

    async fn seal(&self, job: JobId, now: Duration) -> Result<(), Error> {
        let mut state = self.lock_to_change()?;
        let record = state.job(job)?;
        let journal = record.journal.everything().filter(|_| !record.sealed);
        record.sealed = true;
        state.log.push(journal, &Fact::Sealed { at: now });
        state.end_if_done(job, now);
        self.finish_operation(state);
        Ok(())
    }

    async fn lease(&self, worker: WorkerId, max: usize, now: Duration) -> Result<Leases, Error> {
        self.check_journal()?;
        if self.stall().is_some() {
            let next = Some(now.saturating_add(STALL_PAUSE));
            return Ok(Leases { next, ..Leases::default() });
        }
        let mut guard = self.lock();
        let state = &mut *guard;
        state.expire_leases(now);
        let (leased, waited) = state.lease(max, now);
        let expires_at = now.saturating_add(self.config.frontier.lease_time);
        let pages = leased.leases.into_iter().filter_map(|lease| {
            let (job, _) = *state.running.get(&lease.job)?;
            state.lease_holders.insert(lease.id, worker, job, expires_at);
            let waited_for_slot = waited.contains(&lease.id);
            Some(LeasedPage { waited_for_slot, ..LeasedPage::new(lease, state.epoch, job, expires_at) })
        });
        let leases = Leases { pages: pages.collect(), next: leased.next, renew_before: None };
        self.commit(state, None);
        if std::mem::take(&mut state.has_maintenance) {
            drop(guard);
            self.maintenance.send_modify(|version| *version = version.wrapping_add(1));
        }
        Ok(leases)
    }

    async fn release(&self, worker: WorkerId, now: Duration) -> Result<(), Error> {
        let mut state = self.lock_to_change()?;
        state.release(worker, now);
        self.finish_operation(state);
        Ok(())
    }

    async fn finish_many(&self, pages: Vec<FinishedPage>, now: Duration) -> Result<Vec<Receipt>, Error> {
        self.check_journal()?;
        let pages = self.prepare(pages)?;
        let room = match self.journal.is_durable() {
            true => self.journal.room(pages.iter().map(PreparedPage::size).sum()).await,
            false => None,
        };
        let (receipts, ticket) = self.finish_prepared(pages, room, now);
        self.durable(ticket).await?;
        Ok(receipts)
    }

    fn feedback(&self, url: &Url, feedback: HostFeedback, now: Duration) {
        self.lock().frontier.feedback(url, feedback, now);
        self.notify_work();
    }

    fn limits(&self, url: &Url) -> HostLimits {
        self.lock().frontier.limits(url)
    }

    async fn read(&self, job: JobId, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        let batch = self.take_batch(job, from, bound)?;
        let (slice, lost) = self.load(batch).await?.into_slice();
        if !lost.is_empty()
            && let Some(record) = self.lock().jobs.get_mut(&job)
        {
            let lost = lost.into_iter().filter(|position| record.results.mark_lost(*position));
            record.lost_documents += lost.count() as u64;
        }
        slice
    }

    async fn snapshot(&self, job: JobId) -> Result<JobSnapshot, Error> {
        let (snapshot, ticket) = {
            let state = self.lock();
            (state.snapshot(job)?, state.ticket)
        };
        let is_durable = self.durable_unless_stalled(ticket).await;
        if is_durable && self.stall().is_none() { Ok(snapshot) } else { self.lock().stalled_snapshot(job) }
    }

    async fn failures(&self, job: JobId) -> Result<PageFailures, Error> {
        Ok(self.lock().job(job)?.failures.clone())
    }

    async fn failures_from(
        &self,
        job: JobId,
        from: FailurePosition,
        bytes: usize,
    ) -> Result<PageFailures, Error> {
        Ok(self.lock().job(job)?.failures.part(from, bytes))
    }

    async fn note(&self, job: JobId, notes: Vec<Note>) -> Result<(), Error> {
        let mut guard = self.lock_to_change()?;
        let state = &mut *guard;
        state.running_slot(job)?;
        if let Some(record) = state.jobs.get_mut(&job) {
            record.note(job, notes, &mut state.log);
        }
        self.commit(state, None);
        Ok(())
    }

    async fn stored(&self, job: JobId) -> Result<StoredJob, Error> {
        let mut state = self.lock();
        state.running_slot(job)?;
        let record = state.job(job)?;
        Ok(StoredJob {
            id: job,
            kind: record.kind,
            request: record.request.clone(),
            rules: record.rules.clone(),
            account: record.account.clone(),
            zero_data_retention: record.in_memory,
            created_at: record.created_at,
            notes: record.notes.list(),
        })
    }

    async fn warn(&self, job: JobId, warning: JobWarning) -> Result<(), Error> {
        let mut guard = self.lock_to_change()?;
        let state = &mut *guard;
        let record = state.jobs.get_mut(&job).ok_or_else(|| Error::unknown_job(job))?;
        record.warn(warning, &mut state.log);
        self.commit(state, None);
        Ok(())
    }

    async fn is_key_used(&self, team: &TeamId, idempotency_key: Uuid) -> Result<bool, Error> {
        Ok(self.lock().keys.is_used(team, idempotency_key))
    }

    async fn fail(&self, job: JobId, reason: &str, now: Duration) -> Result<JobSnapshot, Error> {
        let (snapshot, ticket) = self.end(job, |state| state.fail(job, JobFailure::Other, reason, now))?;
        self.durable(ticket).await?;
        Ok(snapshot)
    }

    async fn cancel(&self, job: JobId, now: Duration) -> Result<JobSnapshot, Error> {
        let (snapshot, ticket) = self.end(job, |state| {
            // A repeated call waits for the first one.
            if !state.is_being_cancelled(job) {
                state.running_slot(job)?;
                state.end_job(job, JobState::Cancelled, now);
            }
            Ok(())
        })?;
        if self.durable_unless_stalled(ticket).await {
            return Ok(snapshot);
        }
        // The caller must not wait for the medium: it stops the work of the job.
        self.check_journal()?;
        Err(Error::full("the job is cancelled, but not durably: the medium of the store cannot be written"))
    }

    async fn pause(&self, job: JobId, paused: bool) -> Result<JobSnapshot, Error> {
        let mut state = self.lock_to_change()?;
        state.running_slot(job)?;
        let record = state.job(job)?;
        let journal = record.journal.everything().filter(|_| record.paused != paused);
        record.paused = paused;
        state.log.push(journal, &Fact::Paused { paused });
        state.update_hold(job);
        let snapshot = state.snapshot(job);
        self.finish_operation(state);
        snapshot
    }

    async fn would_defer(&self, job: JobId, url: &Url) -> Result<Option<Deferral>, Error> {
        let mut state = self.lock();
        let slot = state.running_slot(job)?;
        Ok(state.frontier.would_defer(slot, url))
    }

    async fn remove(&self, job: JobId, now: Duration) -> Result<(), Error> {
        let mut state = self.lock_to_change()?;
        if state.job(job)?.ended_at.is_none() {
            state.end_job(job, JobState::Cancelled, now);
        }
        state.remove_job(job);
        self.finish_operation(state);
        Ok(())
    }

    async fn expire(&self, now: Duration) -> Result<Vec<JobId>, Error> {
        let mut state = self.lock_to_change()?;
        let expired = state.expire_leases(now);
        let mut removed_jobs = Vec::new();
        if let Some(until) = now.checked_sub(self.config.retention) {
            removed_jobs = state.remove_expired(until);
            removed_jobs.extend(state.remove_excess(self.config.ended_jobs));
        }
        if expired || state.has_maintenance {
            self.finish_operation(state);
        } else {
            self.commit(&mut state, None);
        }
        Ok(removed_jobs)
    }

    async fn append(
        &self,
        job: JobId,
        pages: Vec<Candidate>,
        credits: u64,
        idempotency_key: Option<Uuid>,
        now: Duration,
    ) -> Result<Admitted, Error> {
        self.check_stall()?;
        let (admitted, ticket) = self.append_pages(job, pages, credits, idempotency_key, now)?;
        self.durable(ticket).await?;
        Ok(admitted)
    }

    async fn read_json(&self, job: JobId, from: u64, bound: ReadBound) -> Result<JsonSlice, Error> {
        let batch = {
            let mut state = self.lock();
            let record = state.job(job)?;
            let mut batch = record.results.read_json(from, bound);
            batch.end &= record.has_durable_end();
            batch
        };
        self.load(batch).await?.into_json()
    }

    async fn keep_scrape(&self, team: &TeamId, document: &Document, now: Duration) -> Result<(), Error> {
        let Some(scrape) = scrape::id_of(document) else { return Ok(()) };
        let json = to_json(document)?;
        let mut state = self.lock_to_change()?;
        if state.log.is_on() {
            let stored = StoredScrape { team: team.clone(), id: scrape, at: now, json: json.clone() };
            state.log.row(Some(0), || Row::Scrape(stored));
        }
        state.keep_scrape(team, scrape, json, now);
        self.commit(&mut state, None);
        Ok(())
    }

    async fn scraped(&self, team: &TeamId, scrape: Uuid) -> Result<Option<Bytes>, Error> {
        let source = {
            let mut state = self.lock();
            match state.scrapes.find(team, scrape) {
                Some(json) => Some(DocumentSource::Json(json)),
                None => state.job_document(team, scrape),
            }
        };
        match source {
            Some(DocumentSource::Journaled { job, position }) => self.journaled(job, position).await,
            source => source.map(DocumentSource::json).transpose(),
        }
    }

    async fn conclude(
        &self,
        job: JobId,
        conclusion: Conclusion,
        now: Duration,
    ) -> Result<JobSnapshot, Error> {
        let conclusion = Arc::new(conclusion);
        let (snapshot, ticket) = self.end(job, |state| {
            state.charge(job, conclusion.tokens_used, conclusion.credits)?;
            let record = state.job(job)?;
            record.conclusion = Some(Arc::clone(&conclusion));
            let journal = record.journal.everything();
            state.log.row(journal, || Row::Concluded(conclusion));
            state.end_job(job, JobState::Completed, now);
            Ok(())
        })?;
        self.durable(ticket).await?;
        Ok(snapshot)
    }

    async fn charge(&self, job: JobId, tokens_used: u64, credits: u64) -> Result<(), Error> {
        let mut state = self.lock_to_change()?;
        state.charge(job, tokens_used, credits)?;
        self.commit(&mut state, None);
        Ok(())
    }

    async fn conclusion(&self, job: JobId) -> Result<Option<Conclusion>, Error> {
        let mut state = self.lock();
        let record = state.job(job)?;
        let found = record.conclusion.clone().filter(|_| record.has_durable_end());
        drop(state);
        Ok(found.as_deref().cloned())
    }

    async fn running(&self, team: &TeamId, kind: JobKind) -> Result<Vec<JobListing>, Error> {
        let state = self.lock();
        let slots = state.teams.find(team).into_iter().flat_map(|slot| state.teams.jobs(slot));
        let ids = slots.filter_map(|slot| state.running.get(&slot));
        let mut jobs: Vec<JobListing> = ids
            .filter_map(|(id, _)| {
                let is_part = |job: &Job| job.account.as_ref().is_some_and(|own| own.part_of.is_some());
                let job = state.jobs.get(id).filter(|job| job.kind == Some(kind) && !is_part(job));
                job.map(|job| (id, job))
            })
            .filter_map(|(id, job)| {
                Some(JobListing { snapshot: state.snapshot(*id).ok()?, request: job.request.clone() })
            })
            .collect();
        jobs.sort_by_key(|job| (job.snapshot.created_at, job.snapshot.id));
        Ok(jobs)
    }

    async fn orphans(&self, _worker: WorkerId, kind: JobKind) -> Result<Vec<JobId>, Error> {
        Ok(self.lock().take_orphans(kind))
    }

    async fn activities(&self, team: &TeamId, max: usize) -> Result<Option<Vec<EndedJob>>, Error> {
        Ok(Some(self.lock().activities.latest(team, max)))
    }

    async fn load(&self, team: &TeamId) -> Result<TeamLoad, Error> {
        let state = self.lock();
        let Some(slot) = state.teams.find(team) else { return Ok(TeamLoad::default()) };
        let mut load = TeamLoad { last_success: state.teams.last_success(slot), ..TeamLoad::default() };
        // A job whose first pages still come has not started.
        let jobs = state.teams.jobs(slot).filter(|job| state.running.contains_key(job));
        for counts in jobs.filter_map(|job| state.frontier.counts(job)) {
            load.jobs += 1;
            load.leased += counts.leased;
            let pages = counts.leased.saturating_sub(counts.auxiliary);
            load.waiting += counts.total.saturating_sub(counts.documents.saturating_add(pages));
        }
        Ok(load)
    }

    async fn last_scrape(&self, job: JobId, key: &HistoryKey) -> Result<Option<PastScrape>, Error> {
        Ok(self.lock().histories.last(job, key).cloned())
    }

    async fn due(&self, max: usize, now: Duration) -> Result<DueEvents, Error> {
        self.all_durable_unless_stalled().await;
        Ok(self.lock().due(max, now))
    }

    async fn event_body(&self, event: EventId) -> Result<Option<Vec<u8>>, Error> {
        let body = self.lock().pending_body(event);
        let Some(mut body) = body else { return Ok(None) };
        if let Some(source) = body.document_mut()
            && let DocumentSource::Journaled { job, position } = *source
        {
            match self.journaled(job, position).await {
                Ok(Some(json)) => *source = DocumentSource::Json(json),
                Ok(None) => {}
                // The event is sent without the document.
                Err(error) if error.is_damaged() => *source = DocumentSource::Unreadable(error),
                Err(error) => return Err(error),
            }
        }
        body.write().map(Some)
    }

    async fn delivered(&self, event: EventId, outcome: DeliveryOutcome, now: Duration) -> Result<(), Error> {
        self.check_journal()?;
        let ticket = self.record_outcome(event, outcome, now);
        self.durable(ticket).await
    }

    async fn dead_letters(&self, job: JobId) -> Result<Vec<DeadLetter>, Error> {
        let mut state = self.lock();
        Ok(state.job(job)?.outbox.as_ref().map(|outbox| outbox.dead_letters.clone()).unwrap_or_default())
    }

    async fn accounting(&self, max: usize) -> Result<Accounting, Error> {
        self.all_durable_unless_stalled().await;
        Ok(self.lock().accounting(max))
    }

    async fn grant(&self, job: JobId, credits: u64, now: Duration) -> Result<(), Error> {
        let mut state = self.lock_to_change()?;
        state.grant(job, credits, now);
        self.finish_operation(state);
        Ok(())
    }

    async fn settled(&self, job: JobId) -> Result<(), Error> {
        let mut state = self.lock_to_change()?;
        state.settle(job);
        state.forget_removed(job);
        self.commit(&mut state, None);
        Ok(())
    }

    fn maintenance(&self) -> watch::Receiver<u64> {
        self.maintenance.subscribe()
    }

    fn work(&self) -> watch::Receiver<u64> {
        self.work.subscribe()
    }

    async fn progress(&self, job: JobId) -> Result<watch::Receiver<u64>, Error> {
        Ok(self.lock().job(job)?.progress.subscribe())
    }
}
