//! Webhooks: delivery of events, their signatures, and verification for receivers.
//!
//! The [store](gleaner_store::Store) writes events to its outbox in the same transaction as the change that
//! they report. `WebhookSender` takes them from there, one of each job at a time, posts them through the
//! [`Deliver`] port and records the outcome in the store. In memory it keeps only the recent health of
//! receivers, so a crash costs at most a repeated delivery, which has the same `webhookId`.
//!
//! Each event has its own attempts ([`DELIVERY_RETRIES`]). After the last one it is listed as undeliverable,
//! and the next event of the job follows. A receiver that is down accepts no event at all, so its events
//! wait for it ([`DELIVERY_HOLD`]) instead of failing one after the other. While a receiver fails, one
//! delivery at a time probes it.

mod breaker;
mod signature;
mod webhook_sender;

use std::fmt::Debug;
use std::time::Duration;

use gleaner_types::BoxFuture;
use url::Url;

pub use breaker::{BREAKER_FAILURES, BREAKER_PAUSE, MAX_TRACKED_ENDPOINTS};
pub use signature::{SignatureError, sign, verify};
pub(crate) use webhook_sender::WebhookSender;

/// How long a receiver may take to answer before the attempt counts as failed.
pub const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// Pauses before the second and later attempts to deliver an event that was not answered with 2xx. After the
/// last attempt the event is given up and listed.
pub const DELIVERY_RETRIES: [Duration; 3] =
    [Duration::from_secs(60), Duration::from_secs(5 * 60), Duration::from_secs(15 * 60)];
/// How long a receiver may be down before an event without attempts left is given up. Until then the event is
/// sent again after each last pause of [`DELIVERY_RETRIES`]. A receiver counts as down if it gives no answer,
/// or 502, 503 or 504; any other answer means that it is up and rejects the event.
pub const DELIVERY_HOLD: Duration = Duration::from_secs(60 * 60);
/// Upper bound on deliveries at once, over all receivers.
pub const MAX_DELIVERIES: usize = 64;
/// Upper bound on deliveries at once for one team.
pub const MAX_DELIVERIES_PER_TEAM: usize = MAX_DELIVERIES / 2;
/// Upper bound on deliveries at once to one receiver.
pub const MAX_DELIVERIES_PER_ENDPOINT: usize = 8;

/// Posts events; every webhook goes through this port. The `gleaner` crate implements it with its fetcher, so
/// that the same egress guard checks webhooks and pages.
pub trait Deliver: Debug + Send + Sync + 'static {
    /// Checks at submit whether webhooks may be posted to this address.
    ///
    /// # Errors
    /// Why the address is refused.
    fn check<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<(), DeliverError>>;

    /// Posts once and returns the status of the response. The guard checks the address again. The
    /// implementation follows no redirects and reads no more than the status.
    ///
    /// # Errors
    /// Why there is no response.
    fn deliver<'a>(&'a self, delivery: Delivery<'a>) -> BoxFuture<'a, Result<u16, DeliverError>>;
}

/// One POST of an event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Delivery<'a> {
    /// The address of the receiver.
    pub url: &'a Url,
    /// The headers of the request: those of the user and those of the service. Names are in lower case and
    /// unique.
    pub headers: Vec<(String, String)>,
    /// The exact body, which the signature covers.
    pub body: &'a [u8],
    /// Upper bound on the total time of the request.
    pub timeout: Duration,
}

impl<'a> Delivery<'a> {
    /// A POST of this body.
    #[must_use]
    pub fn new(url: &'a Url, headers: Vec<(String, String)>, body: &'a [u8], timeout: Duration) -> Self {
        Self { url, headers, body, timeout }
    }
}

/// Why an event could not be posted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeliverError {
    /// The address is refused, so a retry is useless.
    pub refused: bool,
    /// A message for the user, without secrets and resolved addresses.
    pub message: String,
}

impl DeliverError {
    /// The address is refused.
    #[must_use]
    pub fn refused(message: impl Into<String>) -> Self {
        Self { refused: true, message: message.into() }
    }

    /// There was no response.
    #[must_use]
    pub fn failed(message: impl Into<String>) -> Self {
        Self { refused: false, message: message.into() }
    }
}

/// Delivery of webhooks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WebhookConfig {
    /// The header that carries the signature. Default
    /// [`SIGNATURE_HEADER`](gleaner_types::event::SIGNATURE_HEADER).
    pub signature_header: String,
    /// Pauses before the second and later attempts. Default [`DELIVERY_RETRIES`].
    pub retries: Vec<Duration>,
    /// How long a receiver may be down before its events are given up. With zero, each event is given up
    /// after its own attempts. Default [`DELIVERY_HOLD`].
    pub hold: Duration,
    /// Events to a receiver that has accepted nothing for this long are given up without being sent, except
    /// the one that probes it and the final event of each job, which has its own attempts. Meant for programs
    /// that end with their jobs. Default `None`: events wait until the results of their job expire. Events
    /// that still wait then are dropped, including the final one. They appear in no list, because the list
    /// expires with the job; the log has a warning with the job's id and their number.
    pub give_up_after: Option<Duration>,
    /// How long a receiver may take to answer. It must be well below
    /// [`DELIVERY_LEASE`](gleaner_store::DELIVERY_LEASE), after which the event is sent again. Default
    /// [`DELIVERY_TIMEOUT`].
    pub timeout: Duration,
    /// Upper bound on deliveries at once to one receiver. Default [`MAX_DELIVERIES_PER_ENDPOINT`].
    pub per_endpoint: usize,
    /// Pause of deliveries to a receiver that failed [`BREAKER_FAILURES`] times in a row. Default
    /// [`BREAKER_PAUSE`].
    pub breaker_pause: Duration,
}

impl WebhookConfig {
    /// Sets the pauses before the second and later attempts.
    #[must_use]
    pub fn retries(mut self, retries: Vec<Duration>) -> Self {
        self.retries = retries;
        self
    }

    /// Sets how long a receiver may be down before its events are given up.
    #[must_use]
    pub fn hold(mut self, hold: Duration) -> Self {
        self.hold = hold;
        self
    }

    /// Sets after which time without a delivery events are given up without being sent.
    #[must_use]
    pub fn give_up_after(mut self, give_up_after: Duration) -> Self {
        self.give_up_after = Some(give_up_after);
        self
    }

    /// Sets the pause of deliveries to a receiver that failed often.
    #[must_use]
    pub fn breaker_pause(mut self, breaker_pause: Duration) -> Self {
        self.breaker_pause = breaker_pause;
        self
    }
}

impl Default for WebhookConfig {
    fn default() -> Self {
        Self {
            signature_header: gleaner_types::event::SIGNATURE_HEADER.to_owned(),
            retries: DELIVERY_RETRIES.to_vec(),
            hold: DELIVERY_HOLD,
            give_up_after: None,
            timeout: DELIVERY_TIMEOUT,
            per_endpoint: MAX_DELIVERIES_PER_ENDPOINT,
            breaker_pause: BREAKER_PAUSE,
        }
    }
}
