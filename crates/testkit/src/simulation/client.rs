//! A client that starts one job and reads it to its end, through as many processes as it takes. It remembers
//! what it was told, and each process must know it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gleaner_runtime::StartOptions;
use gleaner_store::{JobAccount, JobSnapshot, ReadBound, Reservation, Retention, Store, TeamId};
use gleaner_types::request::{CrawlRequest, Webhook};
use gleaner_types::{JobId, JobState};
use uuid::Uuid;

use super::crawl_task::{CrawlTask, TaskEnd};
use super::job_check::{JobCheck, page_of};
use super::monitor::{Event, Moment};
use super::outside::RECEIVER;
use super::process::Process;
use super::world::PageId;
use crate::site::random::Random;

/// Pause before another attempt of what was refused, or is not durable yet.
const RETRY_PAUSE: u64 = 700;
/// Credits that are reserved for a job at its start.
const FIRST_CREDITS: u64 = 3;

/// What a client does beside its task.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habits {
    pub(super) has_webhook: bool,
    pub(super) keeps_documents: bool,
    /// Its team pays from reserved credits.
    pub(super) is_metered: bool,
    /// The team of the job, and its slots.
    pub(super) team: Option<(usize, u32)>,
}

impl Habits {
    pub(super) fn generate(seed: u64, number: usize, team: Option<(usize, u32)>) -> Self {
        let mut random = Random::new(seed, 0xc11e + number as u64);
        Self {
            has_webhook: random.below(2) == 0,
            keeps_documents: random.below(2) == 0,
            is_metered: team.is_some() && random.below(2) == 0,
            team,
        }
    }
}

/// What the client remembers.
#[derive(Debug, Default)]
struct Memory {
    /// Number of ids that it has tried to start its job with.
    tries: u64,
    /// The last of them.
    id: Option<JobId>,
    /// When the store acknowledged the job.
    started: Option<Moment>,
    /// The position that it reads from.
    next: u64,
    /// The pages of the documents before it.
    pages: Vec<Option<PageId>>,
    check: JobCheck,
    /// The store acknowledged the cancel.
    was_cancelled: bool,
    /// The job was removed.
    was_dropped: bool,
    /// The end of the job, which the store acknowledged.
    end: Option<JobSnapshot>,
    was_full: bool,
}

#[derive(Debug)]
pub(super) struct Client {
    pub(super) number: usize,
    habits: Habits,
    memory: Mutex<Memory>,
}

impl Client {
    pub(super) fn new(number: usize, habits: Habits) -> Self {
        Self { number, habits, memory: Mutex::default() }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn violate(&self, process: &Process, what: &str) {
        let context = process.context();
        context.monitor().violate(context.now(), format!("job {}: {what}", self.number));
    }

    fn task<'p>(&self, process: &'p Process) -> &'p CrawlTask {
        &process.setup().tasks[self.number]
    }

    /// The end of its job; `None` while it runs, and for a removed job.
    pub(super) fn end(&self) -> Option<JobSnapshot> {
        self.memory().end.clone()
    }

    /// True if it waits for nothing more.
    pub(super) fn is_done(&self) -> bool {
        let memory = self.memory();
        memory.was_dropped || memory.end.is_some()
    }

    pub(super) fn documents(&self) -> u64 {
        self.memory().check.documents
    }

    pub(super) fn was_full(&self) -> bool {
        self.memory().was_full
    }

    pub(super) fn has_webhook(&self) -> bool {
        self.habits.has_webhook
    }

    pub(super) fn has_team(&self) -> bool {
        self.habits.team.is_some()
    }

    /// Its job, if the store acknowledged it and it was not removed.
    pub(super) fn job(&self) -> Option<JobId> {
        let memory = self.memory();
        memory.id.filter(|_| memory.started.is_some() && !memory.was_dropped)
    }

    /// Checks that a new process knows what the client was told. The worker does not run yet.
    pub(super) async fn check_restart(&self, process: &Process) {
        let store = process.store();
        let (id, is_started, is_dropped, was_cancelled, end, next) = {
            let memory = self.memory();
            let Memory { id, started, was_dropped, was_cancelled, ref end, next, .. } = *memory;
            (id, started.is_some(), was_dropped, was_cancelled, end.clone(), next)
        };
        let Some(id) = id else { return };
        if is_dropped {
            // A removal is durable with a later change only.
            if store.snapshot(id).await.is_ok() {
                let _ = store.remove(id, process.now()).await;
            }
            return;
        }
        let snapshot = match store.snapshot(id).await {
            Ok(snapshot) => snapshot,
            Err(error) if is_started => return self.violate(process, &format!("it is lost: {error}")),
            Err(_) => return,
        };
        if let Some(end) = end {
            let same = |snapshot: &JobSnapshot| {
                let JobSnapshot { state, completed, failed, credits_used, ended_at, .. } = *snapshot;
                (state, completed, failed, credits_used, ended_at)
            };
            if same(&end) != same(&snapshot) {
                self.violate(process, &format!("it ended as {end:?} and is {snapshot:?}"));
            }
        } else if was_cancelled && snapshot.ended_at.is_none() {
            self.violate(process, &format!("it was cancelled and is {snapshot:?}"));
        }
        if is_started {
            let (context, task) = (process.context(), self.task(process));
            self.memory().check.counts(context, task, &snapshot);
        }
        if self.habits.keeps_documents || self.habits.has_webhook {
            self.check_documents(process, id, next).await;
        }
    }

    /// Reads the documents before this position again: they are those that were read before.
    async fn check_documents(&self, process: &Process, id: JobId, next: u64) {
        let bound = ReadBound { documents: usize::try_from(next).unwrap_or(usize::MAX), bytes: usize::MAX };
        if next == 0 {
            return;
        }
        match process.store().read(id, 0, bound).await {
            Ok(slice) => {
                let urls = slice.documents.iter().map(|document| document.metadata.url.as_deref());
                let pages: Vec<_> = urls.map(|url| page_of(process.context(), url)).collect();
                if self.memory().pages != pages {
                    self.violate(process, &format!("its first documents are now of the pages {pages:?}"));
                }
            }
            Err(error) => self.violate(process, &format!("its documents cannot be read: {error}")),
        }
    }

    /// Does what is left to do, in this process.
    pub(super) async fn run(&self, process: &Process) {
        if self.is_done() {
            return;
        }
        let context = process.context();
        let starts_at = self.task(process).starts_at;
        if context.now() < starts_at {
            context.sleep(starts_at - context.now()).await;
        }
        let id = match self.started(process).await {
            Some(id) => id,
            None => self.start(process).await,
        };
        self.read(process, id).await;
    }

    /// The job, if the store has it.
    async fn started(&self, process: &Process) -> Option<JobId> {
        let id = self.memory().id?;
        process.store().snapshot(id).await.ok()?;
        self.set_started(process);
        Some(id)
    }

    fn set_started(&self, process: &Process) {
        let context = process.context();
        let mut memory = self.memory();
        if memory.started.is_none() {
            memory.started = Some(context.now());
            context.note(Event::JobStarted { job: self.number });
        }
    }

    /// Starts the job, with a new id at each attempt.
    async fn start(&self, process: &Process) -> JobId {
        let context = process.context();
        loop {
            let (id, operation) = {
                let mut memory = self.memory();
                memory.tries += 1;
                let id = job_id(context.seed, self.number, memory.tries);
                memory.id = Some(id);
                (id, Uuid::from_u128(!id.as_uuid().as_u128()))
            };
            context.register(id, self.number);
            if let Some(account) = self.reserve(process, id, operation).await
                && self.submit(process, id, account).await
            {
                self.set_started(process);
                return id;
            }
            // The disk is stalled, or the queue is full.
            if self.habits.is_metered {
                process.accounts().settle(context, id, 0);
                let _ = process.store().withdrawn(operation).await;
            }
            context.sleep(RETRY_PAUSE).await;
        }
    }

    /// Reserves the first credits, if the job needs some. `None` if the store refuses.
    async fn reserve(
        &self,
        process: &Process,
        job: JobId,
        operation: Uuid,
    ) -> Option<Option<Box<JobAccount>>> {
        let Some((team, slots)) = self.habits.team else { return Some(None) };
        let team = TeamId::new(format!("team {team}"));
        let mut account = JobAccount { slots: Some(slots), ..JobAccount::of(team.clone()) };
        if self.habits.is_metered {
            let reservation = Reservation { operation, job, team, credits: FIRST_CREDITS };
            process.store().intend(reservation, process.now()).await.ok()?;
            let context = process.context();
            // The provider takes its time.
            context.sleep(5).await;
            account.budget = Some(process.accounts().reserve(context, job, operation, FIRST_CREDITS));
        }
        Some(Some(Box::new(account)))
    }

    /// False if the store refuses the job.
    async fn submit(&self, process: &Process, id: JobId, account: Option<Box<JobAccount>>) -> bool {
        let request = self.request(process);
        let options = StartOptions {
            id,
            retention: if self.habits.keeps_documents { Retention::Keep } else { Retention::Stream },
            account,
            ..StartOptions::default().with_request(CrawlTask::stored(&request))
        };
        let plan = request.check().expect("a valid request");
        match process.runtime().start(plan, options).await {
            Ok(job) => {
                let _id = job.detach();
                true
            }
            Err(_) => false,
        }
    }

    fn request(&self, process: &Process) -> CrawlRequest {
        let request = self.task(process).request(&process.context().world);
        if self.habits.has_webhook { request.webhook(Webhook::new(RECEIVER)) } else { request }
    }

    /// Reads the job to its end.
    async fn read(&self, process: &Process, id: JobId) {
        let (context, task, store) = (process.context(), self.task(process), process.store());
        let mut random = Random::new(context.seed, 0xbead + 16 * process.number() + self.number as u64);
        let mut progress = match store.progress(id).await {
            Ok(progress) => progress,
            Err(error) => return self.violate(process, &format!("it cannot be watched: {error}")),
        };
        loop {
            let rest = self.time_left(process);
            if rest == 0 && self.give_up(process, id).await {
                return;
            }
            progress.borrow_and_update();
            let from = self.memory().next;
            let bound = ReadBound { documents: 1 + random.below(8), ..ReadBound::default() };
            let slice = match store.read(id, from, bound).await {
                Ok(slice) => slice,
                Err(error) => return self.violate(process, &format!("it cannot be read: {error}")),
            };
            if slice.documents.len() as u64 != slice.next - from {
                let (count, next) = (slice.documents.len(), slice.next);
                self.violate(process, &format!("{count} documents from {from} to {next}"));
            }
            {
                let mut memory = self.memory();
                for document in &slice.documents {
                    let page = memory.check.document(context, task, document.metadata.url.as_deref());
                    memory.pages.push(page);
                }
                memory.next = slice.next;
            }
            if slice.end && self.finish(process, id).await {
                return;
            }
            if random.below(8) == 0 {
                self.check_counts(process, id).await;
            }
            if task.reader_pause > 0 && random.below(5) == 0 {
                context.sleep(random.below(task.reader_pause as usize) as u64).await;
            }
            if slice.end {
                context.sleep(RETRY_PAUSE).await;
            } else if slice.documents.is_empty() {
                let rest = self.time_left(process);
                tokio::select! {
                    biased;
                    changed = progress.changed() => if changed.is_err() {
                        return self.violate(process, "its progress cannot be watched any more");
                    },
                    () = context.sleep(rest.min(1 << 40)), if rest < u64::MAX => {}
                }
            }
        }
    }

    /// Milliseconds until it cancels or drops its job; the maximum if it does neither.
    fn time_left(&self, process: &Process) -> u64 {
        let memory = self.memory();
        match self.task(process).end {
            TaskEnd::Cancelled(after) | TaskEnd::Dropped(after) if !memory.was_cancelled => {
                let began = memory.started.unwrap_or_default();
                (began + after).saturating_sub(process.context().now())
            }
            _ => u64::MAX,
        }
    }

    /// Cancels or drops the job. True if the client is done.
    async fn give_up(&self, process: &Process, id: JobId) -> bool {
        let (context, store) = (process.context(), process.store());
        let drops = matches!(self.task(process).end, TaskEnd::Dropped(_));
        if drops {
            self.memory().was_dropped = true;
            if let Err(error) = store.remove(id, process.now()).await {
                self.violate(process, &format!("it cannot be removed: {error}"));
            }
        } else {
            let cancelled = loop {
                match store.cancel(id, process.now()).await {
                    // It is cancelled, but not durably.
                    Err(error) if error.is_full() => process.runtime().stop_job(id),
                    cancelled => break cancelled,
                }
                context.sleep(RETRY_PAUSE).await;
            };
            match cancelled {
                Err(error) if !error.is_job_ended() => {
                    self.violate(process, &format!("it cannot be cancelled: {error}"));
                }
                _ => self.memory().was_cancelled = true,
            }
        }
        process.runtime().stop_job(id);
        context.monitor().cancel(context.now(), self.number);
        drops
    }

    /// Checks the counts of the job. What a stalled store says is not durable.
    async fn check_counts(&self, process: &Process, id: JobId) -> Option<JobSnapshot> {
        match process.store().snapshot(id).await {
            Ok(_) if process.disk().is_stalled() => None,
            Ok(snapshot) => {
                let (context, task) = (process.context(), self.task(process));
                self.memory().check.counts(context, task, &snapshot);
                Some(snapshot)
            }
            Err(error) => {
                self.violate(process, &format!("no counts: {error}"));
                None
            }
        }
    }

    /// Checks the job at its end. False if the end is not durable yet.
    async fn finish(&self, process: &Process, id: JobId) -> bool {
        let Some(snapshot) = self.check_counts(process, id).await else { return false };
        if snapshot.ended_at.is_none() {
            return false;
        }
        let failures = process.store().failures(id).await.unwrap_or_default();
        let (context, task) = (process.context(), self.task(process));
        let mut memory = self.memory();
        if memory.was_cancelled {
            if !matches!(snapshot.state, JobState::Cancelled | JobState::Completed) {
                let what = format!("job {}: it was cancelled and is {:?}", self.number, snapshot.state);
                context.monitor().violate(context.now(), what);
            }
        } else {
            memory.was_full = memory.check.end(context, task, &snapshot, &failures).was_full;
        }
        memory.end = Some(snapshot);
        true
    }
}

/// The id of a job at this attempt: the same in each run of a seed.
fn job_id(seed: u64, number: usize, attempt: u64) -> JobId {
    let mut random = Random::new(seed, (0x1d << 32) + ((number as u64) << 16) + attempt);
    let (high, low) = (u128::from(random.next()), u128::from(random.next()));
    // A UUID of version 7.
    let bits = ((high << 64) | low) & !((0xf << 76) | (0b11 << 62));
    let bits = bits | (0x7 << 76) | (0b10 << 62);
    JobId::from_uuid(Uuid::from_u128(bits))
}
