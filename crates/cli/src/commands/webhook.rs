//! Events of a job that ends with the program: sent, and waited for.

use std::sync::Arc;
use std::time::Duration;

use gleaner::service::{DeadLetter, Secret, UnlimitedAccounts, WebhookConfig};
use gleaner::{Engine, EngineBuilder, Error};
use url::Url;

use super::{engine, variable};
use crate::args::{EngineArgs, WebhookArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::hint;
use crate::interrupt::Interrupt;
use crate::printable::printable_line;
use crate::say::say;

/// A receiver that failed is tried again after these: a person waits for the program's end, so not after a quarter of an
/// hour as a server does it.
const RETRIES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// One that failed often is left alone for so long, for the same reason.
const BREAKER_PAUSE: Duration = Duration::from_secs(1);

/// One that took nothing for so long gets no further events but the job's last.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// After so long the person is told what is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// The builder of an engine that sends events as the command line wants them.
pub(super) fn with_webhook(builder: EngineBuilder, args: &WebhookArgs) -> Result<EngineBuilder, Failure> {
    let mut builder = builder.webhooks(WebhookConfig {
        retries: RETRIES.to_vec(),
        hold: Duration::ZERO,
        give_up_after: Some(GIVE_UP_AFTER),
        breaker_pause: BREAKER_PAUSE,
        ..WebhookConfig::default()
    });
    if let Some(variable) = &args.webhook_secret_env {
        let secret = Secret::new(variable::read("--webhook-secret-env", variable)?);
        let accounts = UnlimitedAccounts::new().with_webhook_secret(secret);
        builder = builder.accounts(Arc::new(accounts));
    }
    Ok(builder)
}

/// Waits until each event was taken or given up; Ctrl-C ends that, or, where it ended the job already, its second press the
/// program. True where all was waited for.
pub(super) async fn delivered(
    console: &Console,
    engine: &Engine,
    interrupt: &mut Interrupt,
    was_pressed: bool,
) -> Result<bool, Failure> {
    let mut delivered = std::pin::pin!(engine.service().delivered());
    let mut told = false;
    loop {
        tokio::select! {
            delivered = &mut delivered => return delivered.map(|()| true).map_err(Failure::failed),
            () = interrupt.pressed(), if !was_pressed => return Ok(false),
            () = tokio::time::sleep(PATIENCE), if !told => {
                told = true;
                console.note("waiting until the webhook has taken all events (Ctrl-C ends the wait)");
            }
        }
    }
}

/// A refusal to begin the job, with advice where the webhook's address is closed.
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

/// Says which events were given up.
pub(super) fn tell(given_up: &[DeadLetter]) {
    if let Some(first) = given_up.first() {
        let events = if given_up.len() == 1 { "event was" } else { "events were" };
        let reason = printable_line(&first.reason);
        say(format_args!("error: --webhook: {} {events} not delivered: {reason}", given_up.len()));
    }
}
