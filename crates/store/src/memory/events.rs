//! The outbox of a job, and which is due next.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use gleaner_types::event::EventName;
use gleaner_types::plan::{EventKind, WebhookPlan};
use gleaner_types::{JobId, JobKind, SafeUrl};

use crate::outbox::EventData;
use crate::{DELIVERY_LEASE, DeadLetter, DeliveryOutcome, EventId, MAX_LISTED_DEAD_LETTERS};

/// The events of one job that were not delivered yet, in order.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) webhook: Arc<WebhookPlan>,
    kind: JobKind,
    /// Number of the first of `events`.
    first: u64,
    events: VecDeque<Event>,
    /// Of the first event.
    pub(super) attempt: u32,
    due: Duration,
    pub(super) faltering: bool,
    pub(super) dead: Vec<DeadLetter>,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) kind: EventKind,
    pub(super) data: EventData,
    pub(super) error: Option<Box<str>>,
}

impl Outbox {
    pub(super) fn new(webhook: Arc<WebhookPlan>, kind: JobKind) -> Self {
        Self {
            webhook,
            kind,
            first: 0,
            events: VecDeque::new(),
            attempt: 0,
            due: Duration::ZERO,
            faltering: false,
            dead: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The event whose turn it is.
    pub(super) fn next(&self) -> Option<(u64, EventName, &Event)> {
        let event = self.events.front()?;
        Some((self.first, EventName { job: self.kind, event: event.kind }, event))
    }

    fn drop_first(&mut self) {
        self.events.pop_front();
        self.first += 1;
        self.attempt = 0;
    }
}

/// When the next event of each job is due.
#[derive(Debug, Default)]
pub(super) struct Agenda(BTreeSet<(Duration, JobId)>);

impl Agenda {
    /// Writes an event, where the webhook asks for its kind.
    pub(super) fn tell(&mut self, job: JobId, outbox: &mut Option<Box<Outbox>>, event: Event, now: Duration) {
        let Some(outbox) = outbox else { return };
        if !outbox.webhook.events.contains(&event.kind) {
            return;
        }
        outbox.events.push_back(event);
        if outbox.events.len() == 1 {
            outbox.due = now;
            self.0.insert((now, job));
        }
    }

    /// The job whose event is due first, and when.
    pub(super) fn first(&self) -> Option<(Duration, JobId)> {
        self.0.first().copied()
    }

    /// The event of a job was taken to be delivered.
    pub(super) fn taken(&mut self, job: JobId, outbox: &mut Outbox, now: Duration) {
        self.0.remove(&(outbox.due, job));
        outbox.due = now + DELIVERY_LEASE;
        self.0.insert((outbox.due, job));
    }

    pub(super) fn delivered(
        &mut self,
        id: EventId,
        outbox: &mut Outbox,
        outcome: DeliveryOutcome,
        now: Duration,
    ) {
        if outbox.first != id.sequence || outbox.is_empty() {
            return;
        }
        self.0.remove(&(outbox.due, id.job));
        outbox.due = now;
        match outcome {
            DeliveryOutcome::Delivered => {
                outbox.drop_first();
                outbox.faltering = false;
            }
            DeliveryOutcome::Retry { not_before } => {
                outbox.attempt += 1;
                outbox.due = not_before;
            }
            DeliveryOutcome::Postponed { not_before } => outbox.due = not_before,
            DeliveryOutcome::GivenUp { reason } => {
                let name = outbox.next().map(|(_, name, _)| name);
                if let Some(name) = name.filter(|_| outbox.dead.len() < MAX_LISTED_DEAD_LETTERS) {
                    let url = SafeUrl::from(&outbox.webhook.url);
                    let attempts = outbox.attempt + 1;
                    outbox.dead.push(DeadLetter { id, name, url, attempts, reason, at: now });
                }
                outbox.drop_first();
                outbox.faltering = true;
            }
        }
        if !outbox.is_empty() {
            self.0.insert((outbox.due, id.job));
        }
    }

    /// Forgets a job whose events will not be sent any more.
    pub(super) fn forget(&mut self, job: JobId, outbox: &Outbox) {
        self.0.remove(&(outbox.due, job));
    }
}
