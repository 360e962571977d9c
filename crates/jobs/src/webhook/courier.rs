//! Takes events from the outbox to their receivers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_store::{DeliveryOutcome, DueEvent, Store};
use gleaner_types::SafeUrl;
use tokio::task::JoinSet;

use super::breaker::{Endpoints, Leave, Most};
use super::{Deliver, Delivery, MAX_DELIVERIES, MAX_DELIVERIES_PER_TEAM, WebhookConfig, signature};
use crate::clock::Clock;
use crate::{Accounts, Secret};

/// A receiver that is busy is looked at again after this.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Courier {
    store: Arc<dyn Store>,
    deliver: Arc<dyn Deliver>,
    accounts: Arc<dyn Accounts>,
    config: WebhookConfig,
    clock: Clock,
    endpoints: Mutex<Endpoints>,
}

impl Courier {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        deliver: Arc<dyn Deliver>,
        accounts: Arc<dyn Accounts>,
        config: WebhookConfig,
        clock: Clock,
    ) -> Arc<Self> {
        Arc::new(Self { store, deliver, accounts, config, clock, endpoints: Mutex::default() })
    }

    /// Sends what is due, as far as there is room, and tells when to come again; `None` where only an event can change
    /// anything.
    pub(crate) async fn send_due(self: &Arc<Self>, under_way: &mut JoinSet<()>) -> Option<Duration> {
        let room = MAX_DELIVERIES.saturating_sub(under_way.len());
        if room == 0 {
            return None;
        }
        match self.store.due(room, self.clock.now()).await {
            Ok(due) => {
                for event in due.events {
                    let courier = Arc::clone(self);
                    under_way.spawn(async move { courier.send(event).await });
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
        let outcome = self.outcome(event).await;
        if let Err(error) = self.store.delivered(id, outcome, self.clock.now()).await {
            tracing::error!(%error, "the outcome of a webhook could not be stored; it will be sent again");
        }
    }

    async fn outcome(&self, event: DueEvent) -> DeliveryOutcome {
        let url = &event.webhook.url;
        let most = Most { per_endpoint: self.config.per_endpoint, per_team: MAX_DELIVERIES_PER_TEAM };
        let leave = self.endpoints().leave(&event.team, url, most, self.clock.now());
        let failure = match leave {
            Leave::Busy => {
                return DeliveryOutcome::Postponed { not_before: self.clock.now() + BUSY_PAUSE };
            }
            Leave::Broken(not_before) => return DeliveryOutcome::Postponed { not_before },
            Leave::Hopeless => "the receiver has failed for long".to_owned(),
            Leave::Go => {
                let posted = self.post(&event).await;
                self.endpoints().returned(&event.team, url, posted.is_ok(), self.clock.now());
                match posted {
                    Ok(()) => return DeliveryOutcome::Delivered,
                    Err(Failure { again: false, message }) => {
                        return DeliveryOutcome::GivenUp { reason: message };
                    }
                    Err(Failure { again: true, message }) => message,
                }
            }
        };
        let attempt = usize::try_from(event.attempt).unwrap_or(usize::MAX);
        match self.config.retries.get(attempt).filter(|_| !event.faltering) {
            Some(pause) => DeliveryOutcome::Retry { not_before: self.clock.now() + *pause },
            None => {
                tracing::warn!(url = %SafeUrl::from(url), job = %event.id.job, %failure, "a webhook was given up");
                DeliveryOutcome::GivenUp { reason: failure }
            }
        }
    }

    async fn post(&self, event: &DueEvent) -> Result<(), Failure> {
        let secret = self.accounts.webhook_secret(&event.team).await;
        let secret = secret.map_err(|error| {
            tracing::error!(%error, "the secret of a webhook could not be had");
            Failure { again: true, message: "the engine could not sign the event".to_owned() }
        })?;
        let timeout = self.config.timeout;
        let delivery = Delivery {
            url: &event.webhook.url,
            headers: self.headers(&event.webhook.headers, secret.as_ref(), &event.body),
            body: &event.body,
            timeout,
        };
        let answer = tokio::time::timeout(timeout, self.deliver.deliver(delivery)).await;
        match answer {
            Ok(Ok(200..=299)) => Ok(()),
            Ok(Ok(status)) => {
                Err(Failure { again: true, message: format!("the receiver answered with status {status}") })
            }
            Ok(Err(error)) => Err(Failure { again: !error.refused, message: error.message }),
            Err(_) => {
                let message = format!("the receiver did not answer within {} ms", timeout.as_millis());
                Err(Failure { again: true, message })
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

struct Failure {
    /// Another try may do better.
    again: bool,
    message: String,
}
