//! Hides cookie dialogs.

use std::time::Duration;

use crate::page::Tab;
use crate::wire::CallError;

const SCRIPT: &str = include_str!("js/consent.js");

/// Pages with 180,000 elements take 0.5 s.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Hides the cookie dialogs of the page if its request asks for that. Dialogs that come later need another
/// call.
pub(crate) async fn hide_dialogs(tab: &Tab<'_>) -> Result<(), CallError> {
    if !tab.request.block_ads {
        return Ok(());
    }
    let hidden: u64 = tab.run_within(SCRIPT, Vec::new(), TIMEOUT.min(tab.proxy.remaining())).await?;
    tracing::trace!(hidden, "cookie dialogs were hidden");
    Ok(())
}
