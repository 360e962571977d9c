//! What a target needs before it runs.

use crate::emulate;
use crate::protocol::fetch::{Enable, Pattern};
use crate::protocol::inspector;
use crate::protocol::network::{self, SetBypassServiceWorker};
use crate::protocol::page;
use crate::protocol::runtime::RunIfWaitingForDebugger;
use crate::protocol::target::SetAutoAttach;
use crate::wire::{CallError, SessionId};

use super::tab::Tab;

const STAY: &str = include_str!("../js/stay.js");

/// The world of the script that runs before those of each document. Our other scripts have another one.
const EARLY_WORLD: &str = "gleaner-early";

/// Sets up a target that waits, and lets it run. The commands of a session are carried out in their order, so
/// only the last one is awaited, and only for a page: a navigation before its answer would lose events. Other
/// targets may answer only when they run.
pub(super) async fn set_up(tab: &Tab<'_>, session: &SessionId, kind: &str) -> Result<(), CallError> {
    let (client, on) = (tab.client(), Some(session));
    let attach = SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true };
    client.send(on, &attach).await?;
    // A worker has no interception of its own: its page intercepts its requests.
    client.send(on, &Enable { patterns: vec![Pattern { url_pattern: "*" }] }).await?;
    client.send(on, &SetBypassServiceWorker { bypass: true }).await?;
    // Tells of WebSockets, which are not intercepted.
    client.send(on, &network::Enable { max_total_buffer_size: 0, max_resource_buffer_size: 0 }).await?;
    if kind == "page" {
        client.send(on, &inspector::Enable {}).await?;
        emulate::device(tab, session).await?;
    }
    emulate::identify(tab, session).await?;
    if matches!(kind, "page" | "iframe") {
        client.send(on, &page::Enable {}).await?;
        client.send(on, &page::AddScript { source: STAY, world_name: EARLY_WORLD }).await?;
    }
    if kind == "page" {
        return client.call(on, &RunIfWaitingForDebugger {}).await.map(drop);
    }
    client.send(on, &RunIfWaitingForDebugger {}).await
}
