//! Sends the events of the outbox to their receivers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_runtime::Clock;
use gleaner_store::{DELIVERY_LEASE, DeliveryOutcome, DueEvent, Store};
use gleaner_types::SafeUrl;
use gleaner_types::plan::EventKind;
use tokio::task::JoinSet;

use super::breaker::{Admission, DeliveryResult, EndpointLimits, Endpoints};
use super::{Deliver, Delivery, MAX_DELIVERIES, MAX_DELIVERIES_PER_TEAM, WebhookConfig, signature};
use crate::accounts::{Accounts, Secret};

/// Pause before another attempt to send to a busy receiver.
const BUSY_PAUSE: Duration = Duration::from_secs(1);
/// Pause before another attempt if the service itself could not send the event.
const NOT_SENT_PAUSE: Duration = Duration::from_secs(15);
/// Upper bound on the preparation of an event. Without it, an accounts provider that hangs would keep a
/// delivery slot, and one more for the same event each time its lease ends.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(DELIVERY_LEASE.as_secs() / 4);

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
        let limits = EndpointLimits {
            per_endpoint: config.per_endpoint,
            per_team: MAX_DELIVERIES_PER_TEAM,
            pause: config.breaker_pause,
            give_up_after: config.give_up_after,
        };
        let endpoints = Mutex::new(Endpoints::new(limits));
        Arc::new(Self { store, deliver, accounts, config, clock, endpoints })
    }

    /// Sends due events, up to the free delivery slots, and returns when to call again. With `None`, only a
    /// new event or a finished delivery can make more events due.
    pub(crate) async fn send_due(self: &Arc<Self>, in_flight: &mut JoinSet<()>) -> Option<Duration> {
        let capacity = MAX_DELIVERIES.saturating_sub(in_flight.len());
        if capacity == 0 {
            return None;
        }
        match self.store.due(capacity, self.clock.now()).await {
            Ok(due) => {
                for event in due.events {
                    let sender = Arc::clone(self);
                    in_flight.spawn(async move { sender.send(event).await });
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
        let admission = self.endpoints().admit(&event.team, url, self.clock.now());
        match admission {
            Admission::Granted => {}
            Admission::Busy => return self.postponed(BUSY_PAUSE),
            Admission::Open(not_before) => return DeliveryOutcome::Postponed { not_before },
            // The final event of a job waits for its own attempts.
            Admission::GivenUp(_) if is_final(event) => return self.postponed(self.config.breaker_pause),
            Admission::GivenUp(time) => {
                let reason = format!("the receiver has accepted nothing for {} s", time.as_secs());
                return DeliveryOutcome::GivenUp { reason, tried: false };
            }
        }
        // Build the body only now: a postponed event needs none.
        let posted = self.post(event).await;
        let result = match &posted {
            Ok(()) => DeliveryResult::Accepted,
            Err(Failure::Rejected(_)) => DeliveryResult::Rejected,
            Err(Failure::NoAnswer(_)) => DeliveryResult::NoAnswer,
            Err(Failure::Blocked(_) | Failure::NotSent) => DeliveryResult::NotSent,
        };
        let now = self.clock.now();
        let down_for = self.endpoints().record(&event.team, url, result, now);
        let failure = match posted {
            Ok(()) => return DeliveryOutcome::Delivered,
            Err(Failure::NotSent) => return self.postponed(NOT_SENT_PAUSE),
            Err(Failure::Blocked(reason)) => return DeliveryOutcome::GivenUp { reason, tried: true },
            Err(Failure::Rejected(reason) | Failure::NoAnswer(reason)) => reason,
        };
        let attempt = usize::try_from(event.attempt).unwrap_or(usize::MAX);
        let retries = &self.config.retries;
        let is_held = down_for.is_some_and(|time| time < self.config.hold);
        match retries.get(attempt).or_else(|| retries.last().filter(|_| is_held)) {
            Some(pause) => DeliveryOutcome::Retry { not_before: now + *pause },
            None => {
                let (url, job) = (SafeUrl::from(url), event.id.job);
                tracing::warn!(%url, %job, %failure, "a webhook was given up");
                DeliveryOutcome::GivenUp { reason: failure, tried: true }
            }
        }
    }

    fn postponed(&self, pause: Duration) -> DeliveryOutcome {
        DeliveryOutcome::Postponed { not_before: self.clock.now() + pause }
    }

    /// The secret that signs an event, and its body.
    async fn prepare(&self, event: &DueEvent) -> Result<(Option<Secret>, Vec<u8>), Failure> {
        let secret = self.accounts.webhook_secret(&event.team).await.map_err(|error| {
            tracing::error!(%error, "the secret of a webhook could not be read; it will be sent later");
            Failure::NotSent
        })?;
        let body = self.store.event_body(event.id).await.map_err(|error| {
            tracing::error!(%error, "the body of a webhook could not be read; it will be sent later");
            Failure::NotSent
        })?;
        // Without a body, another process has already sent the event.
        Ok((secret, body.ok_or(Failure::NotSent)?))
    }

    async fn post(&self, event: &DueEvent) -> Result<(), Failure> {
        let prepared = tokio::time::timeout(PREPARE_TIMEOUT, self.prepare(event)).await;
        let (secret, body) = prepared.unwrap_or_else(|_| {
            let (job, seconds) = (event.id.job, PREPARE_TIMEOUT.as_secs());
            tracing::error!(%job, seconds, "a webhook was not prepared in time; it will be sent later");
            Err(Failure::NotSent)
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
                // Gateways answer with these when the server behind them is down.
                let is_down = matches!(status, 502..=504);
                Err(if is_down { Failure::NoAnswer(reason) } else { Failure::Rejected(reason) })
            }
            Ok(Err(error)) if error.refused => Err(Failure::Blocked(error.message)),
            Ok(Err(error)) => Err(Failure::NoAnswer(error.message)),
            Err(_) => {
                let reason = format!("the receiver did not answer within {} ms", timeout.as_millis());
                Err(Failure::NoAnswer(reason))
            }
        }
    }

    /// The headers of the user and of the service; the user cannot replace the latter.
    fn headers(
        &self,
        of_user: &BTreeMap<String, String>,
        secret: Option<&Secret>,
        body: &[u8],
    ) -> Vec<(String, String)> {
        let mut headers: BTreeMap<String, String> =
            of_user.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect();
        let signature_header = self.config.signature_header.to_ascii_lowercase();
        // The user cannot set the default signature header either.
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

/// Whether it is the final event of its job.
fn is_final(event: &DueEvent) -> bool {
    matches!(event.name.event, EventKind::Completed | EventKind::Failed | EventKind::Cancelled)
}

/// Why an event was not delivered.
enum Failure {
    /// The receiver answered and did not accept it.
    Rejected(String),
    /// There was no answer.
    NoAnswer(String),
    /// The guard refuses the address, so a retry is useless.
    Blocked(String),
    /// The service could not send it; the log has the reason.
    NotSent,
}
