//! Takes events from the outbox to their receivers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_runtime::Clock;
use gleaner_store::{DELIVERY_LEASE, DeliveryOutcome, DueEvent, Store};
use gleaner_types::SafeUrl;
use gleaner_types::plan::EventKind;
use tokio::task::JoinSet;

use super::breaker::{Endpoints, Leave, Limits, Returned};
use super::{Deliver, Delivery, MAX_DELIVERIES, MAX_DELIVERIES_PER_TEAM, WebhookConfig, signature};
use crate::accounts::{Accounts, Secret};

/// A receiver that is busy is looked at again after this.
const BUSY_PAUSE: Duration = Duration::from_secs(1);
/// What could not be sent for a reason of ours waits for so long.
const UNSENT_PAUSE: Duration = Duration::from_secs(15);
/// To make an event ready takes no longer: a keeper of accounts that hangs would else keep its place among
/// the deliveries, and one more for the same event each time that its lease is over.
const READY_TIMEOUT: Duration = Duration::from_secs(DELIVERY_LEASE.as_secs() / 4);

#[derive(Debug)]
pub(crate) struct WebhookSender {
    store: Arc<dyn Store>,
    deliver: Arc<dyn Deliver>,
    accounts: Arc<dyn Accounts>,
    config: WebhookConfig,
    clock: Clock,
    endpoints: Mutex<Endpoints>,
}

impl WebhookSender {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        deliver: Arc<dyn Deliver>,
        accounts: Arc<dyn Accounts>,
        config: WebhookConfig,
        clock: Clock,
    ) -> Arc<Self> {
        let limits = Limits {
            per_endpoint: config.per_endpoint,
            per_team: MAX_DELIVERIES_PER_TEAM,
            pause: config.breaker_pause,
            hopeless_after: config.give_up_after,
        };
        let endpoints = Mutex::new(Endpoints::new(limits));
        Arc::new(Self { store, deliver, accounts, config, clock, endpoints })
    }

    /// Sends what is due, as far as there is room, and tells when to come again; `None` where only an event
    /// can change anything.
    pub(crate) async fn send_due(self: &Arc<Self>, in_flight: &mut JoinSet<()>) -> Option<Duration> {
        let capacity = MAX_DELIVERIES.saturating_sub(in_flight.len());
        if capacity == 0 {
            return None;
        }
        match self.store.due(capacity, self.clock.now()).await {
            Ok(due) => {
                for event in due.events {
                    let webhook_sender = Arc::clone(self);
                    in_flight.spawn(async move { webhook_sender.send(event).await });
                }
                due.next
            }
            Err(error) => {
                tracing::error!(%error, "the outbox could not be read");
                Some(self.clock.now() + BUSY_PAUSE)
            }
        }
    }

    async fn send(&self, event: DueEvent) {
        let id = event.id;
        let outcome = self.outcome(&event).await;
        if let Err(error) = self.store.delivered(id, outcome, self.clock.now()).await {
            tracing::error!(%error, "the outcome of a webhook could not be stored; it will be sent again");
        }
    }

    async fn outcome(&self, event: &DueEvent) -> DeliveryOutcome {
        let url = &event.webhook.url;
        let leave = self.endpoints().leave(&event.team, url, self.clock.now());
        match leave {
            Leave::Go => {}
            Leave::Busy => return self.postponed(BUSY_PAUSE),
            Leave::Broken(not_before) => return DeliveryOutcome::Postponed { not_before },
            // The end of a job has its own tries, as they become possible.
            Leave::Hopeless(_) if is_end(event) => return self.postponed(self.config.breaker_pause),
            Leave::Hopeless(time) => {
                let reason = format!("the receiver has taken nothing for {} s", time.as_secs());
                return DeliveryOutcome::GivenUp { reason, tried: false };
            }
        }
        // Only now: of a receiver that is busy, or left alone, no body is made.
        let posted = self.post(event).await;
        let returned = match &posted {
            Ok(()) => Returned::Delivered,
            Err(Failure::Declined(_)) => Returned::Declined,
            Err(Failure::NoAnswer(_)) => Returned::NoAnswer,
            Err(Failure::Refused(_) | Failure::Unsent) => Returned::Unsent,
        };
        let now = self.clock.now();
        let down_for = self.endpoints().returned(&event.team, url, returned, now);
        let failure = match posted {
            Ok(()) => return DeliveryOutcome::Delivered,
            Err(Failure::Unsent) => return self.postponed(UNSENT_PAUSE),
            Err(Failure::Refused(reason)) => return DeliveryOutcome::GivenUp { reason, tried: true },
            Err(Failure::Declined(reason) | Failure::NoAnswer(reason)) => reason,
        };
        let attempt = usize::try_from(event.attempt).unwrap_or(usize::MAX);
        let retries = &self.config.retries;
        let held = down_for.is_some_and(|time| time < self.config.hold);
        match retries.get(attempt).or_else(|| retries.last().filter(|_| held)) {
            Some(pause) => DeliveryOutcome::Retry { not_before: now + *pause },
            None => {
                tracing::warn!(url = %SafeUrl::from(url), job = %event.id.job, %failure, "a webhook was given up");
                DeliveryOutcome::GivenUp { reason: failure, tried: true }
            }
        }
    }

    fn postponed(&self, pause: Duration) -> DeliveryOutcome {
        DeliveryOutcome::Postponed { not_before: self.clock.now() + pause }
    }

    /// The secret that an event is signed with, and its body.
    async fn ready(&self, event: &DueEvent) -> Result<(Option<Secret>, Vec<u8>), Failure> {
        let secret = self.accounts.webhook_secret(&event.team).await.map_err(|error| {
            tracing::error!(%error, "the secret of a webhook could not be had; it will be sent later");
            Failure::Unsent
        })?;
        let body = self.store.event_body(event.id).await.map_err(|error| {
            tracing::error!(%error, "the body of a webhook could not be made; it will be sent later");
            Failure::Unsent
        })?;
        // Where it is gone, somebody else has sent it.
        Ok((secret, body.ok_or(Failure::Unsent)?))
    }

    async fn post(&self, event: &DueEvent) -> Result<(), Failure> {
        let ready = tokio::time::timeout(READY_TIMEOUT, self.ready(event)).await;
        let (secret, body) = ready.unwrap_or_else(|_| {
            let seconds = READY_TIMEOUT.as_secs();
            tracing::error!(job = %event.id.job, seconds, "a webhook was not made ready in time; it will be sent later");
            Err(Failure::Unsent)
        })?;
        let timeout = self.config.timeout;
        let delivery = Delivery {
            url: &event.webhook.url,
            headers: self.headers(&event.webhook.headers, secret.as_ref(), &body),
            body: &body,
            timeout,
        };
        match tokio::time::timeout(timeout, self.deliver.deliver(delivery)).await {
            Ok(Ok(200..=299)) => Ok(()),
            Ok(Ok(status)) => {
                let reason = format!("the receiver answered with status {status}");
                // What stands before a server says so of one that is not there.
                let down = matches!(status, 502..=504);
                Err(if down { Failure::NoAnswer(reason) } else { Failure::Declined(reason) })
            }
            Ok(Err(error)) if error.refused => Err(Failure::Refused(error.message)),
            Ok(Err(error)) => Err(Failure::NoAnswer(error.message)),
            Err(_) => {
                let reason = format!("the receiver did not answer within {} ms", timeout.as_millis());
                Err(Failure::NoAnswer(reason))
            }
        }
    }

    /// The user's headers, and ours, which they cannot replace.
    fn headers(
        &self,
        given: &BTreeMap<String, String>,
        secret: Option<&Secret>,
        body: &[u8],
    ) -> Vec<(String, String)> {
        let mut headers: BTreeMap<String, String> =
            given.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect();
        let signature_header = self.config.signature_header.to_ascii_lowercase();
        // The default's name too: no one else may put a signature there.
        headers.remove(&gleaner_types::event::SIGNATURE_HEADER.to_ascii_lowercase());
        headers.remove(&signature_header);
        headers.insert("content-type".to_owned(), "application/json".to_owned());
        if let Some(secret) = secret {
            headers.insert(signature_header, signature::sign(secret, body));
        }
        headers.into_iter().collect()
    }

    fn endpoints(&self) -> MutexGuard<'_, Endpoints> {
        self.endpoints.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Is it the last of its job?
fn is_end(event: &DueEvent) -> bool {
    matches!(event.name.event, EventKind::Completed | EventKind::Failed | EventKind::Cancelled)
}

/// Why an event was not delivered.
enum Failure {
    /// The receiver answered, and did not take it.
    Declined(String),
    /// There was no answer.
    NoAnswer(String),
    /// The address may not be posted to: another try is no use.
    Refused(String),
    /// Nothing was sent, for a reason of ours that the log has.
    Unsent,
}
