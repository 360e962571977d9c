//! What a target needs before it runs.

use crate::emulate;
use crate::protocol::fetch::{Enable, Pattern};
use crate::protocol::inspector;
use crate::protocol::network::SetBypassServiceWorker;
use crate::protocol::page;
use crate::protocol::runtime::RunIfWaitingForDebugger;
use crate::protocol::target::SetAutoAttach;
use crate::wire::{CallError, SessionId};

use super::tab::Tab;

/// Sets up a target that waits, and lets it run. The commands of a session are carried out in their order, so
/// none is awaited.
pub(super) async fn set_up(tab: &Tab<'_>, session: &SessionId, kind: &str) -> Result<(), CallError> {
    let (client, on) = (tab.client(), Some(session));
    let attach = SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true };
    client.send(on, &attach).await?;
    client.send(on, &Enable { patterns: vec![Pattern { url_pattern: "*" }] }).await?;
    client.send(on, &SetBypassServiceWorker { bypass: true }).await?;
    if kind == "page" {
        client.send(on, &inspector::Enable {}).await?;
        emulate::apply(tab, session).await?;
    }
    if matches!(kind, "page" | "iframe") {
        // Awaited for the page, so that no event of it is missed.
        client.send(on, &page::Enable {}).await?;
    }
    client.send(on, &RunIfWaitingForDebugger {}).await
}
