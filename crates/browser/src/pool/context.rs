//! The browser context of one page, which isolates its cookies and storage.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::running::Running;
use crate::protocol::browser::SetDownloadBehavior;
use crate::protocol::target::CreateBrowserContext;
use crate::wire::{CallError, ContextId, EventReceiver};

/// A browser context for one page: its cookies, storage and targets. Closed when dropped, even if the future
/// that opens it is cancelled.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) id: ContextId,
    pub(crate) running: Arc<Running>,
    slot: Option<OwnedSemaphorePermit>,
}

/// A context to close, with the slot of its page.
#[derive(Debug)]
pub(super) struct Closing {
    pub(super) id: ContextId,
    pub(super) slot: Option<OwnedSemaphorePermit>,
}

impl Context {
    pub(super) async fn open(running: Arc<Running>, slot: OwnedSemaphorePermit) -> Result<Self, CallError> {
        let (sender, opened) = oneshot::channel();
        // In a task: a context can be closed only by its id, which arrives even if the caller has stopped
        // waiting.
        tokio::spawn(async move {
            let create = CreateBrowserContext { dispose_on_detach: true };
            let created = running.client.call(None, &create).await;
            let context =
                created.map(|created| Self { id: created.browser_context_id, running, slot: Some(slot) });
            let _ = sender.send(context);
        });
        let context = opened.await.map_err(|_| CallError::Closed)??;
        let deny = SetDownloadBehavior { behavior: "deny", browser_context_id: context.id.clone() };
        context.running.client.call(None, &deny).await?;
        Ok(context)
    }

    /// Receives the events of all its targets from now on.
    pub(crate) fn events(&self) -> EventReceiver {
        self.running.client.open_context(self.id.clone())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let closing = Closing { id: self.id.clone(), slot: self.slot.take() };
        // It fails only if the process has ended, and the context with it.
        let _ = self.running.janitor.send(closing);
    }
}
