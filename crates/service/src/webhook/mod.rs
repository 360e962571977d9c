//! Webhooks: what is sent, how it is signed, and how a receiver verifies it.
//!
//! Events are written to the [store](gleaner_store::Store)'s outbox together with what they tell of. The
//! courier takes them from there, one of each job at a time, posts them through the [`Deliver`] port and
//! tells the store what came of it. It keeps nothing itself but how receivers did of late, so a crash costs
//! at most a repeated delivery, which has the same `webhookId`.
//!
//! Each event has its own tries ([`DELIVERY_RETRIES`]); then it is listed as undeliverable, and the next
//! one's turn has come. A receiver that is down is another matter: it refuses no event, it takes none at all.
//! So events wait for it ([`DELIVERY_HOLD`]) rather than being given up one after the other, and while it
//! fails it is asked by one delivery at a time.

mod breaker;
mod signature;
mod webhook_sender;

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use url::Url;

pub use breaker::{BREAKER_FAILURES, BREAKER_PAUSE, MAX_ENDPOINTS_KNOWN};
pub use signature::{SignatureError, sign, verify};
pub(crate) use webhook_sender::WebhookSender;

/// How long a receiver may take to answer; after it the try counts as failed.
pub const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait before each further try of an event that was not answered with 2xx; after the last it is
/// given up and listed.
pub const DELIVERY_RETRIES: [Duration; 3] =
    [Duration::from_secs(60), Duration::from_secs(5 * 60), Duration::from_secs(15 * 60)];
/// An event whose tries are spent is not given up while its receiver is down, until that has been so for this
/// long: it is tried on, each time after the last of the waits between tries. A receiver is down that gives
/// no answer, or 502, 503 or 504; any other answer says that it is there and does not want the event.
pub const DELIVERY_HOLD: Duration = Duration::from_secs(60 * 60);
/// Deliveries at once, all receivers together.
pub const MAX_DELIVERIES: usize = 64;
/// Deliveries at once for one team.
pub const MAX_DELIVERIES_PER_TEAM: usize = MAX_DELIVERIES / 2;
/// Deliveries at once to one receiver.
pub const MAX_DELIVERIES_PER_ENDPOINT: usize = 8;

/// Posts events: the one way in which a webhook leaves. The facade fits the fetcher to it, so that the same
/// guard stands before a webhook as before a page.
#[async_trait]
pub trait Deliver: Debug + Send + Sync + 'static {
    /// May this address be posted to? Asked at submit.
    ///
    /// # Errors
    /// Why not.
    async fn check(&self, url: &Url) -> Result<(), DeliverError>;

    /// Posts once and gives the status of the answer. The address is guarded again, redirects are not
    /// followed, and no more than the status is read.
    ///
    /// # Errors
    /// Why there is no answer.
    async fn deliver(&self, delivery: Delivery<'_>) -> Result<u16, DeliverError>;
}

/// What is posted.
#[derive(Debug, Clone)]
pub struct Delivery<'a> {
    /// Where to.
    pub url: &'a Url,
    /// The request's headers, names in lower case, each once: those that the user gave, and ours.
    pub headers: Vec<(String, String)>,
    /// The exact body.
    pub body: &'a [u8],
    /// How long it may take in all.
    pub timeout: Duration,
}

/// Why an event could not be posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliverError {
    /// The address is refused: another try is no use.
    pub refused: bool,
    /// What happened, in words; no secrets and no resolved addresses.
    pub message: String,
}

/// How webhooks are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookConfig {
    /// The header that carries the signature. Default
    /// [`SIGNATURE_HEADER`](gleaner_types::event::SIGNATURE_HEADER).
    pub signature_header: String,
    /// How long to wait before each further try. Default [`DELIVERY_RETRIES`].
    pub retries: Vec<Duration>,
    /// How long a receiver may be down before events are given up for it. Zero gives each up after its own
    /// tries. Default [`DELIVERY_HOLD`].
    pub hold: Duration,
    /// A receiver that has taken nothing for so long is waited for no more: events to it are given up without
    /// having been sent, save the one that tries and the last of each job, which has its own tries. For
    /// programs that end with their jobs. Default none: events wait, one job after the other, until the
    /// results of their job expire. What waits then is dropped, the end of the job included; it is listed
    /// nowhere, since the list of the job is gone as well, and the log has a warning with the job's id and
    /// how many there were.
    pub give_up_after: Option<Duration>,
    /// How long a receiver may take; to be well below the [`DELIVERY_LEASE`](gleaner_store::DELIVERY_LEASE),
    /// after which its event is sent once more. Default [`DELIVERY_TIMEOUT`].
    pub timeout: Duration,
    /// Deliveries at once to one receiver. Default [`MAX_DELIVERIES_PER_ENDPOINT`].
    pub per_endpoint: usize,
    /// How long a receiver that failed [`BREAKER_FAILURES`] times in a row is left alone. Default
    /// [`BREAKER_PAUSE`].
    pub breaker_pause: Duration,
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
