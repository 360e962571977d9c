//! Which receiver gets the events of a target.
//!
//! A page has a browser context of its own, so everything that it opens (frames, workers, popups) belongs to
//! that context, and one receiver gets the events of all of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{self, error::TrySendError};

use super::message::{Event, SessionId};

/// Events that a receiver may leave unread. A page that exceeds this loses its receiver, so that it cannot
/// block other pages or use unbounded memory.
const MAX_UNREAD_EVENTS: usize = 8_192;

/// Bytes of unread events after which a receiver is lost too. One event may exceed it.
const MAX_UNREAD_BYTES: usize = 64 * 1024 * 1024;

/// The id of a browser context: a profile in memory, with its own cookies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ContextId(Box<str>);

impl From<&str> for ContextId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

/// Receives the events of a context. It ends when the browser ends, the context is forgotten, or too many
/// events are unread.
#[derive(Debug)]
pub(crate) struct EventReceiver {
    events: mpsc::Receiver<Event>,
    unread_bytes: Arc<AtomicUsize>,
}

/// Sends the events of a context, as long as their number and size are bounded.
#[derive(Debug)]
pub(super) struct EventSender {
    events: mpsc::Sender<Event>,
    unread_bytes: Arc<AtomicUsize>,
}

/// A sender and its receiver, of which at most `most` events may be unread.
pub(super) fn event_channel(most: usize) -> (EventSender, EventReceiver) {
    let (sender, receiver) = mpsc::channel(most);
    let unread_bytes = Arc::new(AtomicUsize::new(0));
    let sender = EventSender { events: sender, unread_bytes: Arc::clone(&unread_bytes) };
    (sender, EventReceiver { events: receiver, unread_bytes })
}

impl EventReceiver {
    /// The next event; `None` at their end.
    pub(crate) async fn recv(&mut self) -> Option<Event> {
        let event = self.events.recv().await?;
        self.unread_bytes.fetch_sub(event.size(), Relaxed);
        Some(event)
    }
}

impl EventSender {
    /// Sends an event. Fails if too many are unread, or nobody reads them.
    pub(super) fn try_send(&self, event: Event) -> Result<(), TrySendError<Event>> {
        let size = event.size();
        let sent = if self.unread_bytes.fetch_add(size, Relaxed) > MAX_UNREAD_BYTES {
            Err(TrySendError::Full(event))
        } else {
            self.events.try_send(event)
        };
        if sent.is_err() {
            self.unread_bytes.fetch_sub(size, Relaxed);
        }
        sent
    }
}

/// The receivers of all contexts.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    contexts: HashMap<ContextId, EventSender>,
    sessions: HashMap<SessionId, ContextId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: SessionId,
    target_info: TargetInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TargetInfo {
    browser_context_id: Option<ContextId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: SessionId,
}

impl Routes {
    /// Receives the events of a new context.
    pub(crate) fn open(&mut self, context: ContextId) -> EventReceiver {
        let (sender, receiver) = event_channel(MAX_UNREAD_EVENTS);
        self.contexts.insert(context, sender);
        receiver
    }

    /// Forgets a context and its sessions.
    pub(crate) fn close(&mut self, context: &ContextId) {
        self.contexts.remove(context);
        self.sessions.retain(|_, of| of != context);
    }

    /// Passes an event to its receiver. Returns it if it has none.
    pub(crate) fn pass(&mut self, event: Event) -> Option<Event> {
        let context = self.context_of(&event);
        if &*event.method == "Target.detachedFromTarget"
            && let Some(detached) = event.read::<Detached>()
        {
            self.sessions.remove(&detached.session_id);
        }
        let Some(context) = context else { return Some(event) };
        let Some(sender) = self.contexts.get(&context) else { return Some(event) };
        match sender.try_send(event) {
            Ok(()) => None,
            Err(TrySendError::Full(_)) => {
                tracing::debug!("a page was ended because of too many events");
                self.contexts.remove(&context);
                None
            }
            Err(TrySendError::Closed(event)) => Some(event),
        }
    }

    fn context_of(&mut self, event: &Event) -> Option<ContextId> {
        let own = event.session.as_ref().and_then(|session| self.sessions.get(session)).cloned();
        if &*event.method != "Target.attachedToTarget" {
            if own.is_some() || &*event.method != "Target.detachedFromTarget" {
                return own;
            }
            return self.sessions.get(&event.read::<Detached>()?.session_id).cloned();
        }
        let attached: Attached = event.read()?;
        let context = own.or(attached.target_info.browser_context_id)?;
        self.sessions.insert(attached.session_id, context.clone());
        Some(context)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::*;

    fn event(session: Option<&str>, method: &str, params: &Value) -> Event {
        Event {
            session: session.map(SessionId::from),
            method: method.into(),
            params: to_raw_value(params).unwrap(),
        }
    }

    fn attached(session: &str, context: Option<&str>) -> Value {
        json!({ "sessionId": session, "targetInfo": { "browserContextId": context } })
    }

    #[test]
    fn a_receiver_gets_the_events_of_all_targets_of_its_context() {
        let mut routes = Routes::default();
        let mut receiver = routes.open("c1".into());
        assert!(routes.pass(event(None, "Target.attachedToTarget", &attached("page", Some("c1")))).is_none());
        // A worker of the page: its target may name no context.
        let worker = event(Some("page"), "Target.attachedToTarget", &attached("worker", None));
        assert!(routes.pass(worker).is_none());
        assert!(routes.pass(event(Some("worker"), "Fetch.requestPaused", &json!({}))).is_none());
        assert!(routes.pass(event(None, "Target.attachedToTarget", &attached("x", Some("c2")))).is_some());
        assert!(routes.pass(event(Some("unknown"), "Page.loadEventFired", &json!({}))).is_some());
        let methods: Vec<_> =
            std::iter::from_fn(|| receiver.events.try_recv().ok()).map(|event| event.method).collect();
        assert_eq!(
            methods,
            ["Target.attachedToTarget", "Target.attachedToTarget", "Fetch.requestPaused"].map(Into::into)
        );
    }

    #[test]
    fn a_page_with_too_many_events_loses_its_receiver_and_others_do_not() {
        let mut routes = Routes::default();
        let (mut flooded, mut other) = (routes.open("c1".into()), routes.open("c2".into()));
        for (session, context) in [("s1", "c1"), ("s2", "c2")] {
            routes.pass(event(None, "Target.attachedToTarget", &attached(session, Some(context))));
        }
        for _ in 0..MAX_UNREAD_EVENTS + 1 {
            routes.pass(event(Some("s1"), "Page.frameNavigated", &json!({})));
        }
        routes.pass(event(Some("s2"), "Page.loadEventFired", &json!({})));
        let read = std::iter::from_fn(|| flooded.events.try_recv().ok()).count();
        assert_eq!(read, MAX_UNREAD_EVENTS);
        assert!(matches!(flooded.events.try_recv(), Err(mpsc::error::TryRecvError::Disconnected)));
        assert_eq!(std::iter::from_fn(|| other.events.try_recv().ok()).count(), 2);
    }

    #[test]
    fn unread_events_are_bounded_in_bytes() {
        let (sender, _receiver) = event_channel(100);
        let large = || event(None, "Fetch.requestPaused", &json!({ "x": "x".repeat(MAX_UNREAD_BYTES / 4) }));
        let sent = (0..100).take_while(|_| sender.try_send(large()).is_ok()).count();
        assert_eq!(sent, 4);
    }

    #[tokio::test]
    async fn events_that_are_read_make_space() {
        let (sender, mut receiver) = event_channel(100);
        for _ in 0..20 {
            let large = event(None, "Fetch.requestPaused", &json!({ "x": "x".repeat(MAX_UNREAD_BYTES / 4) }));
            sender.try_send(large).unwrap();
            receiver.recv().await.unwrap();
        }
    }

    #[test]
    fn events_that_are_refused_take_no_space() {
        let (sender, receiver) = event_channel(1);
        let small = || event(None, "Fetch.requestPaused", &json!({}));
        sender.try_send(small()).unwrap();
        let unread = receiver.unread_bytes.load(Relaxed);
        for _ in 0..10 {
            sender.try_send(small()).unwrap_err();
        }
        assert_eq!(receiver.unread_bytes.load(Relaxed), unread);
    }
}
