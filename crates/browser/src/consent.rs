//! Hides cookie dialogs.

use std::time::Duration;

use crate::page::Tab;
use crate::protocol::runtime::TerminateExecution;
use crate::wire::CallError;

const SCRIPT: &str = concat!(
    "function run(...all) {",
    include_str!("js/own.js"),
    include_str!("js/consent.js"),
    "return consent(...all); }"
);

/// Pages with 180,000 elements take 0.5 s.
const TIMEOUT: Duration = Duration::from_secs(3);
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Hides the cookie dialogs of the page if its request asks for that. Dialogs that appear later need another
/// call. A page that does not answer keeps its dialogs.
pub(crate) async fn hide(tab: &Tab<'_>) {
    if !tab.request.block_ads {
        return;
    }
    let limit = TIMEOUT.min(tab.proxy.remaining());
    if let Err(error) = tab.run_within::<u64>(SCRIPT, Vec::new(), limit).await {
        tracing::debug!(%error, "cookie dialogs were not hidden");
        if matches!(error, CallError::TimedOut(_)) {
            // Our script goes on, and would hold up the next one.
            let _ = tab.call_within(&TerminateExecution {}, STOP_TIMEOUT).await;
        }
    }
}
