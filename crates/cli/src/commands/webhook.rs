//! Webhook events of a job: they are sent before the program ends.

use std::sync::Arc;
use std::time::Duration;

use gleaner::service::{DeadLetter, Secret, Serving, UnlimitedAccounts, WebhookConfig};
use gleaner::{Engine, EngineBuilder, Error};
use url::Url;

use super::{engine, variable};
use crate::args::{EngineArgs, WebhookArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::hint;
use crate::interrupt::Interrupt;
use crate::printable::printable_line;

/// Delays of retries. They are shorter than a server's, because a user is waiting for the end of the program.
const RETRIES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// The pause after repeated failures of a receiver, short for the same reason.
const BREAKER_PAUSE: Duration = Duration::from_secs(1);

/// After this time without a delivery, a receiver only gets the job's last event.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// After this time, a note says what the program is waiting for.
const NOTICE_AFTER: Duration = Duration::from_secs(1);

/// Configures the engine's webhooks. `secret` is the variable with the secret that signs them.
pub(super) fn with_webhook(builder: EngineBuilder, secret: Option<&str>) -> Result<EngineBuilder, Failure> {
    let webhooks = WebhookConfig::default()
        .retries(RETRIES.to_vec())
        .hold(Duration::ZERO)
        .give_up_after(GIVE_UP_AFTER)
        .breaker_pause(BREAKER_PAUSE);
    let mut builder = builder.serving(Serving::new().webhooks(webhooks));
    if let Some(variable) = secret {
        let secret = Secret::new(variable::read("--webhook-secret-env", variable)?);
        let accounts = UnlimitedAccounts::new().with_webhook_secret(secret);
        builder = builder.accounts(Arc::new(accounts));
    }
    Ok(builder)
}

/// Waits until each event was delivered or given up. Ctrl-C ends the wait; if it already ended the job, the
/// second press ends the program. Returns true if the wait was complete.
pub(super) async fn delivered(
    console: &Console,
    engine: &Engine,
    interrupt: &mut Interrupt,
    was_pressed: bool,
) -> Result<bool, Failure> {
    let mut delivered = std::pin::pin!(engine.service().wait_for_deliveries());
    let mut noted = false;
    loop {
        tokio::select! {
            delivered = &mut delivered => return delivered.map(|()| true).map_err(Failure::failed),
            () = interrupt.pressed(), if !was_pressed => return Ok(false),
            () = tokio::time::sleep(NOTICE_AFTER), if !noted => {
                noted = true;
                console.note("waiting for the webhook to accept all events (press Ctrl-C to stop waiting)");
            }
        }
    }
}

/// The failure to start the job, with a hint if the webhook's address is private.
pub(super) fn refused(error: Error, args: &WebhookArgs, network: &EngineArgs) -> Failure {
    let closed = error.http_status() == 403;
    match engine::refused(error) {
        Failure::Failed { message, hint: None } => {
            let url = args.webhook.as_ref().filter(|_| closed).and_then(|url| Url::parse(url).ok());
            let hint = url.and_then(|url| hint::for_refused(&url, &network.allow_private));
            Failure::Failed { message, hint }
        }
        failure => failure,
    }
}

/// Reports the events that were given up.
pub(super) fn report_undelivered(console: &Console, given_up: &[DeadLetter]) {
    if let Some(first) = given_up.first() {
        let events = if given_up.len() == 1 { "event was" } else { "events were" };
        let reason = printable_line(&first.reason);
        let text = format!("--webhook: {} {events} not delivered: {reason}", given_up.len());
        match console.report() {
            Some(report) => report.set("error", text),
            None => console.error(format_args!("error: {text}")),
        }
    }
}
