//! The outbox of a job, and the schedule of all due events.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::event::EventName;
use gleaner_types::plan::{EventKind, WebhookPlan};
use gleaner_types::{JobId, JobKind, SafeUrl};
use url::Url;

use super::facts::FactLog;
use super::job::Job;
use super::state::State;
use crate::journal::{Durability, Fact, Row};
use crate::outbox::{EventContent, EventData, event_body};
use crate::results::DocumentSource;
use crate::{
    Conclusion, DELIVERY_LEASE, DeadLetter, DeliveryOutcome, DueEvent, DueEvents, Error, EventId,
    MAX_LISTED_DEAD_LETTERS,
};

/// Time until events that are not durable yet may be due.
const NOT_DURABLE_PAUSE: Duration = Duration::from_secs(1);

/// The undelivered events of one job, in order.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) webhook: Arc<WebhookPlan>,
    kind: JobKind,
    /// Number of the first of `events`.
    first: u64,
    events: VecDeque<Event>,
    /// The numbers of the events that were not durable when they were added, in order.
    not_durable: VecDeque<(u64, Durability)>,
    /// Number of attempts for the first event.
    pub(super) attempt: u32,
    due: Duration,
    pub(super) dead_letters: Vec<DeadLetter>,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) data: EventData,
    pub(super) error: Option<Box<str>>,
}

impl Event {
    /// The event as a fact.
    fn fact(&self, sequence: u64) -> Fact<'_> {
        let (document, url, slash_added, concludes) = match &self.data {
            EventData::Nothing => (None, None, false, false),
            EventData::Document(position) => (Some(*position), None, false, false),
            EventData::Failure { url, slash_added } => (None, Some(url.as_str()), *slash_added, false),
            EventData::Conclusion => (None, None, false, true),
        };
        let (kind, error) = (self.kind, self.error.as_deref());
        Fact::Event { sequence, kind, document, url, slash_added, concludes, error }
    }
}

impl Outbox {
    pub(super) fn new(webhook: Arc<WebhookPlan>, kind: JobKind) -> Self {
        Self {
            webhook,
            kind,
            first: 0,
            events: VecDeque::new(),
            not_durable: VecDeque::new(),
            attempt: 0,
            due: Duration::ZERO,
            dead_letters: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Whether the next event is durable. Before, it must not be sent: a crash could undo its cause.
    fn is_next_durable(&self) -> bool {
        let mut waiting = self.not_durable.iter().filter(|(_, durability)| !durability.is_reached());
        waiting.next().is_none_or(|(number, _)| *number > self.first)
    }

    /// Forgets the events that have become durable.
    fn drop_durable(&mut self) {
        while self.not_durable.front().is_some_and(|(_, durability)| durability.is_reached()) {
            self.not_durable.pop_front();
        }
    }

    /// The next event.
    pub(super) fn next(&self) -> Option<(u64, EventName, &Event)> {
        let event = self.events.front()?;
        Some((self.first, EventName { job: self.kind, event: event.kind }, event))
    }

    /// The events before this one were delivered.
    pub(super) fn restore_first(&mut self, sequence: u64) {
        self.first = sequence;
    }

    /// Adds an event that the journal has, unless it was delivered.
    pub(super) fn restore_event(&mut self, sequence: u64, event: Event) {
        if sequence < self.first {
            return;
        }
        if self.events.is_empty() {
            self.first = sequence;
        }
        self.events.push_back(event);
    }

    /// Adds an event to the list of undeliverable ones.
    pub(super) fn restore_dead_letter(
        &mut self,
        id: EventId,
        kind: EventKind,
        attempts: u32,
        reason: String,
        at: Duration,
    ) {
        self.list_dead_letter(id, EventName { job: self.kind, event: kind }, attempts, reason, at);
    }

    /// Restores the attempts for the first event.
    pub(super) fn restore_attempt(&mut self, sequence: u64, attempt: u32, not_before: Duration) {
        if self.first == sequence {
            (self.attempt, self.due) = (attempt, not_before);
        }
    }

    /// Removes the first event, which was delivered or given up.
    pub(super) fn restore_delivered(
        &mut self,
        job: JobId,
        sequence: u64,
        given_up: Option<&str>,
        at: Duration,
    ) {
        if self.first != sequence || self.is_empty() {
            return;
        }
        if let Some(reason) = given_up {
            self.give_up(EventId { job, sequence }, self.attempt, reason.to_owned(), at);
        }
        self.drop_first();
        self.due = Duration::ZERO;
    }

    /// Lists the first event as undeliverable.
    fn give_up(&mut self, id: EventId, attempts: u32, reason: String, at: Duration) {
        if let Some(name) = self.next().map(|(_, name, _)| name) {
            self.list_dead_letter(id, name, attempts, reason, at);
        }
    }

    fn list_dead_letter(
        &mut self,
        id: EventId,
        name: EventName,
        attempts: u32,
        reason: String,
        at: Duration,
    ) {
        if self.dead_letters.len() < MAX_LISTED_DEAD_LETTERS {
            let url = SafeUrl::from(&self.webhook.url);
            self.dead_letters.push(DeadLetter { id, name, url, attempts, reason, at });
        }
    }

    fn drop_first(&mut self) {
        self.events.pop_front();
        self.first = self.first.saturating_add(1);
        self.attempt = 0;
        self.drop_durable();
    }
}

/// When the next event of each job is due.
#[derive(Debug, Default)]
pub(super) struct EventSchedule(BTreeSet<(Duration, JobId)>);

impl EventSchedule {
    /// Adds an event of a job, if its webhook asks for its kind.
    pub(super) fn push(
        &mut self,
        log: &mut FactLog,
        (job, record): (JobId, &mut Job),
        event: Event,
        now: Duration,
    ) {
        let journal = record.journal.everything();
        let Some(outbox) = record.outbox.as_deref_mut() else { return };
        if !outbox.webhook.events.contains(&event.kind) {
            return;
        }
        let number = outbox.first.saturating_add(outbox.events.len() as u64);
        log.push(journal, &event.fact(number));
        outbox.drop_durable();
        outbox.not_durable.extend(log.durability().map(|durability| (number, durability)));
        outbox.events.push_back(event);
        if outbox.events.len() == 1 {
            outbox.due = now;
            self.0.insert((now, job));
        }
    }

    /// The jobs with events in the order in which they are due, and when.
    fn iter(&self) -> impl Iterator<Item = (Duration, JobId)> {
        self.0.iter().copied()
    }

    /// Records that the event of a job was taken for delivery.
    pub(super) fn mark_taken(&mut self, job: JobId, outbox: &mut Outbox, now: Duration) {
        self.0.remove(&(outbox.due, job));
        outbox.due = now + DELIVERY_LEASE;
        self.0.insert((outbox.due, job));
    }

    pub(super) fn record_outcome(
        &mut self,
        log: &mut FactLog,
        id: EventId,
        job: &mut Job,
        outcome: DeliveryOutcome,
        now: Duration,
    ) {
        let journal = job.journal.everything();
        let Some(outbox) = job.outbox.as_deref_mut() else { return };
        let sequence = id.sequence;
        if outbox.first != sequence || outbox.is_empty() {
            return;
        }
        self.0.remove(&(outbox.due, id.job));
        outbox.due = now;
        match outcome {
            DeliveryOutcome::Delivered => {
                log.push(journal, &Fact::Delivered { sequence, given_up: None, at: Some(now), kind: None });
                outbox.drop_first();
            }
            DeliveryOutcome::Retry { not_before } => {
                let attempt = outbox.attempt.saturating_add(1);
                (outbox.attempt, outbox.due) = (attempt, not_before);
                log.push(journal, &Fact::Attempted { sequence, attempt, not_before });
            }
            DeliveryOutcome::Postponed { not_before } => {
                outbox.due = not_before;
                log.push(journal, &Fact::Attempted { sequence, attempt: outbox.attempt, not_before });
            }
            DeliveryOutcome::GivenUp { reason, tried } => {
                let attempt = outbox.attempt.saturating_add(u32::from(tried));
                log.push(journal, &Fact::Attempted { sequence, attempt, not_before: now });
                let kind = outbox.events.front().map(|event| event.kind);
                let given_up = Some(reason.as_str());
                log.push(journal, &Fact::Delivered { sequence, given_up, at: Some(now), kind });
                outbox.give_up(id, attempt, reason, now);
                outbox.drop_first();
            }
        }
        if !outbox.is_empty() {
            self.0.insert((outbox.due, id.job));
        }
    }

    /// Adds the next event of a job that the journal has.
    pub(super) fn restore(&mut self, job: JobId, outbox: &Outbox) {
        self.0.insert((outbox.due, job));
    }

    /// Makes the next event of a job due earlier by this time.
    pub(super) fn advance(&mut self, job: JobId, outbox: &mut Outbox, by: Duration) {
        if self.0.remove(&(outbox.due, job)) {
            outbox.due = outbox.due.saturating_sub(by);
            self.0.insert((outbox.due, job));
        }
    }

    /// Removes a job whose events will not be sent any more.
    pub(super) fn remove(&mut self, job: JobId, outbox: &Outbox) {
        self.0.remove(&(outbox.due, job));
    }
}

/// An event whose body is to be built, with its data: no document is copied or read for it under the lock.
pub(super) struct PendingBody {
    id: EventId,
    name: EventName,
    webhook: Arc<WebhookPlan>,
    content: Content,
    error: Option<Box<str>>,
}

enum Content {
    Nothing,
    /// `None` if it was removed.
    Document(Option<DocumentSource>),
    Failure {
        url: Url,
        slash_added: bool,
    },
    Conclusion(Option<Arc<Conclusion>>),
}

impl PendingBody {
    /// Where its document is.
    pub(super) fn document_mut(&mut self) -> Option<&mut DocumentSource> {
        match &mut self.content {
            Content::Document(source) => source.as_mut(),
            _ => None,
        }
    }

    /// Builds the exact bytes. It is slow, so it runs without the lock of the store.
    pub(super) fn write(self) -> Result<Vec<u8>, Error> {
        let Self { id, name, webhook, content, error } = self;
        let body = |content: EventContent<'_>| event_body(id, name, &webhook, content, error.as_deref());
        match content {
            Content::Nothing | Content::Conclusion(None) => body(EventContent::Nothing),
            Content::Document(source) => {
                let json = source.and_then(|source| source.json().ok());
                body(EventContent::Document(json.as_deref()))
            }
            Content::Failure { url, slash_added } => body(EventContent::Failure { url: &url, slash_added }),
            Content::Conclusion(Some(found)) => body(EventContent::Conclusion(&found.data)),
        }
    }
}

impl State {
    /// Takes at most `max` due events.
    pub(super) fn due(&mut self, max: usize, now: Duration) -> DueEvents {
        let Self { event_schedule, jobs, removed, .. } = self;
        let (mut taken, mut later, mut not_durable) = (Vec::new(), None, None);
        for (at, id) in event_schedule.iter() {
            let job = jobs.get(&id).or_else(|| removed.get(&id));
            let Some(outbox) = job.and_then(|job| job.outbox.as_deref()) else { continue };
            if !outbox.is_next_durable() {
                not_durable = Some(now + NOT_DURABLE_PAUSE);
                continue;
            }
            if at > now || taken.len() >= max {
                later = Some(at);
                break;
            }
            taken.push(id);
        }
        let mut due = DueEvents::default();
        for id in taken {
            let Some(job) = jobs.get_mut(&id).or_else(|| removed.get_mut(&id)) else { continue };
            due.events.extend(job.due_event(id));
            let Some(outbox) = job.outbox.as_deref_mut() else { continue };
            event_schedule.mark_taken(id, outbox, now);
        }
        let taken = (!due.events.is_empty()).then_some(now + DELIVERY_LEASE);
        due.next = [taken, later, not_durable].into_iter().flatten().min();
        due
    }

    /// Drops the undelivered events of removed jobs that ended at or before `until`.
    pub(super) fn drop_expired_events(&mut self, until: Duration) {
        let Self { removed, event_schedule, has_maintenance, log, unsettled, .. } = self;
        removed.retain(|id, job| {
            if job.ended_at.is_none_or(|ended| ended > until) {
                return true;
            }
            let journal = job.journal.number();
            if let Some(outbox) = job.outbox.take().filter(|outbox| !outbox.is_empty()) {
                event_schedule.remove(*id, &outbox);
                let (events, url) = (outbox.events.len(), SafeUrl::from(&outbox.webhook.url));
                tracing::warn!(
                    job = %id, events, %url,
                    "webhook events expired undelivered with the results of their job"
                );
                for sequence in (outbox.first..).take(events) {
                    let given_up = Some("expired");
                    let fact = Fact::Delivered { sequence, given_up, at: Some(until), kind: None };
                    log.push(journal, &fact);
                }
                // A caller may be waiting until no event is left.
                *has_maintenance = true;
            }
            let keeps_facts = journal.is_some() && unsettled.contains(*id);
            if !keeps_facts {
                log.row(journal, || Row::Removed { keeps_facts });
            }
            keeps_facts
        });
    }

    /// The body of this event, if it is the next of its job.
    pub(super) fn pending_body(&mut self, id: EventId) -> Option<PendingBody> {
        let job = self.jobs.get_mut(&id.job).or_else(|| self.removed.get_mut(&id.job))?;
        let outbox = job.outbox.as_deref()?;
        let (_, name, event) = outbox.next().filter(|(sequence, ..)| *sequence == id.sequence)?;
        let (webhook, error) = (Arc::clone(&outbox.webhook), event.error.clone());
        let content = match &event.data {
            EventData::Nothing => Content::Nothing,
            EventData::Document(position) => Content::Document(job.results.document_at(*position)),
            EventData::Failure { url, slash_added } => {
                Content::Failure { url: url.clone(), slash_added: *slash_added }
            }
            EventData::Conclusion => Content::Conclusion(job.conclusion.clone()),
        };
        Some(PendingBody { id, name, webhook, content, error })
    }
}

impl Job {
    /// The next event of the job.
    fn due_event(&self, id: JobId) -> Option<DueEvent> {
        let outbox = self.outbox.as_deref()?;
        let (sequence, name, _) = outbox.next()?;
        Some(DueEvent {
            id: EventId { job: id, sequence },
            team: self.account.as_ref().map(|account| account.team.clone()).unwrap_or_default(),
            webhook: Arc::clone(&outbox.webhook),
            name,
            attempt: outbox.attempt,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Mutex;

    use gleaner_frontier::JobRules;
    use uuid::Uuid;

    use super::*;
    use crate::{MemoryConfig, MemoryStore, NewJob, Store};

    const START: Duration = Duration::from_secs(1_700_000_000);

    /// The captured log.
    #[derive(Debug, Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn expired_events_are_logged_and_dropped() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        // A global subscriber: with one per thread, tracing may cache the interest of another thread. Other
        // tests log other job ids.
        tracing::subscriber::set_global_default(subscriber).unwrap();
        let id = JobId::from_uuid(Uuid::from_u128(0x0195_c0de_0e5e));
        let logged = || {
            let all = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
            all.lines().filter(|line| line.contains(&id.to_string())).collect::<String>()
        };

        let retention = Duration::from_secs(3_600);
        let store = MemoryStore::new(MemoryConfig { retention, ..MemoryConfig::default() });
        let webhook = WebhookPlan {
            url: Url::parse("https://hook.example/x?key=secret").unwrap(),
            headers: Default::default(),
            metadata: Default::default(),
            events: vec![EventKind::Started, EventKind::Completed],
        };
        // A job without pages starts and ends at once.
        let job = NewJob::new(id, Some(JobKind::Crawl), JobRules::with_limit(1), Vec::new());
        store.submit(NewJob { webhook: Some(Arc::new(webhook)), ..job }, START).await.unwrap();
        let maintenance = store.maintenance();
        store.expire(START + retention / 2).await.unwrap();
        assert!(!maintenance.has_changed().unwrap() && logged().is_empty());
        assert_eq!(store.expire(START + retention).await.unwrap(), [id]);
        let logged = logged();
        assert!(logged.contains("WARN") && logged.contains("events=2"), "{logged}");
        assert!(!logged.contains("secret"), "{logged}");
        let due = store.due(10, START + retention).await.unwrap();
        assert!(due.events.is_empty() && due.next.is_none());
        assert!(maintenance.has_changed().unwrap(), "a caller that waits for the last event is notified");
    }
}
