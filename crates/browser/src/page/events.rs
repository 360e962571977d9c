//! Carries out what the events of a page ask for: answers requests, sets up new targets, dismisses dialogs.

use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use serde::Deserialize;
use url::Url;

use super::current::FrameTarget;
use super::load;
use super::setup::set_up;
use super::tab::Tab;
use crate::protocol::fetch::Paused;
use crate::protocol::page::{
    FrameAttached, FrameDetached, FrameEvent, FrameNavigated, HandleJavaScriptDialog,
    NavigatedWithinDocument, ScheduledNavigation, StartedNavigating,
};
use crate::protocol::runtime::RunIfWaitingForDebugger;
use crate::protocol::target::{Attached, CloseTarget, Detached};
use crate::wire::{Event, EventReceiver, OPENED_SOCKETS, SessionId};

/// Most bytes of the requests of a page that are answered at once. They hold the bodies that it sends.
const MAX_BYTES_IN_WORK: usize = 64 * 1024 * 1024;

/// Most requests of a page that are answered at once, or wait for that. A page may send fewer in all
/// ([`MAX_REQUESTS_PER_PAGE`](gleaner_fetch::MAX_REQUESTS_PER_PAGE)).
const MAX_LOADS_IN_WORK: usize = 1_000;

/// Serves a page until its events end: the browser has ended, or too many events are unread.
pub(super) async fn serve(tab: &Tab<'_>, mut events: EventReceiver) {
    let mut loads = FuturesUnordered::new();
    let mut in_work = 0_usize;
    loop {
        tokio::select! {
            event = events.recv() => {
                let Some(event) = event else { return };
                if &*event.method == "Fetch.requestPaused" {
                    let size = event.size();
                    if let (Some(paused), Some(session)) = (event.read::<Paused>(), event.session) {
                        let is_full = loads.len() >= MAX_LOADS_IN_WORK;
                        if is_full || in_work.saturating_add(size) > MAX_BYTES_IN_WORK {
                            load::refuse(tab, &session, &paused).await;
                        } else {
                            in_work += size;
                            loads.push(async move {
                                load::answer(tab, session, paused).await;
                                size
                            });
                        }
                    }
                } else {
                    handle(tab, event).await;
                }
            }
            Some(size) = loads.next() => in_work -= size,
        }
    }
}

#[derive(Deserialize)]
struct DialogOpening {
    #[serde(rename = "type")]
    kind: String,
}

async fn handle(tab: &Tab<'_>, event: Event) {
    let own = tab.shared.lock().session.as_ref() == event.session.as_ref();
    match &*event.method {
        "Target.attachedToTarget" => {
            if let Some(attached) = event.read::<Attached>() {
                attach(tab, attached).await;
            }
        }
        "Target.detachedFromTarget" => {
            if let Some(detached) = event.read::<Detached>() {
                detach(tab, &detached);
            }
        }
        "Page.javascriptDialogOpening" => {
            if let (Some(dialog), Some(session)) = (event.read::<DialogOpening>(), event.session.as_ref()) {
                dismiss(tab, &dialog, session).await;
            }
        }
        method if OPENED_SOCKETS.contains(&method) => {
            tab.shared.change(|state| state.refused_sockets += 1);
        }
        "Page.downloadWillBegin" => tab.shared.change(|state| state.refused_downloads += 1),
        "Inspector.targetCrashed" if own => tab.shared.change(|state| state.is_crashed = true),
        "Page.frameAttached" => {
            let Some(FrameAttached { frame_id, parent_frame_id }) = event.read() else { return };
            tab.shared.change(|state| state.frames.attach(frame_id, parent_frame_id));
        }
        "Page.frameDetached" => {
            let Some(FrameDetached { frame_id, reason }) = event.read() else { return };
            // A frame that is swapped goes on in another process.
            if reason == "remove" {
                tab.shared.change(|state| state.frames.detach(&frame_id));
            }
        }
        "Page.frameNavigated" => navigated(tab, &event, own),
        _ if own => navigation(tab, &event),
        _ => {}
    }
}

async fn attach(tab: &Tab<'_>, attached: Attached) {
    let (session, target) = (attached.session_id, attached.target_info);
    if target.kind == "page" {
        let is_first = tab.shared.lock().session.is_none();
        if is_first {
            tab.shared.change(|state| state.session = Some(session));
            return;
        }
        // A popup. It runs, because its opener waits for it. What it requests is refused, since nothing
        // answers for it, until it is closed.
        tab.shared.change(|state| state.closed_popups += 1);
        let _ = tab.client().send(Some(&session), &RunIfWaitingForDebugger {}).await;
        let _ = tab.client().send(None, &CloseTarget { target_id: target.target_id }).await;
        return;
    }
    let _ = set_up(tab, &session, &target.kind).await;
    if target.kind == "iframe" {
        let frame = FrameTarget { id: target.target_id, session };
        tab.shared.change(|state| state.frame_targets.push(frame));
    }
}

fn detach(tab: &Tab<'_>, detached: &Detached) {
    tab.shared.change(|state| state.frame_targets.retain(|frame| frame.session != detached.session_id));
}

async fn dismiss(tab: &Tab<'_>, dialog: &DialogOpening, session: &SessionId) {
    // A page cannot prevent its visitor from leaving.
    let accept = dialog.kind == "beforeunload";
    if !accept {
        tab.shared.change(|state| state.dismissed_dialogs += 1);
    }
    let _ = tab.client().send(Some(session), &HandleJavaScriptDialog { accept }).await;
}

/// A frame has another document. `own` tells whether the event comes from the page itself.
fn navigated(tab: &Tab<'_>, event: &Event, own: bool) {
    let Some(FrameNavigated { frame }) = event.read() else { return };
    let url = Url::parse(&frame.url).ok();
    tab.shared.change(|state| match frame.parent_id {
        Some(parent) => state.frames.navigate(frame.id, parent, url),
        None if own => {
            state.main_frame = Some(frame.id);
            state.navigated_to(url);
        }
        None => {}
    });
}

fn navigation(tab: &Tab<'_>, event: &Event) {
    let shared = &tab.shared;
    match &*event.method {
        "Page.navigatedWithinDocument" => {
            let Some(NavigatedWithinDocument { frame_id, url }) = event.read() else { return };
            shared.change(|state| {
                if state.main_frame.as_deref() == Some(&frame_id) {
                    state.url = Url::parse(&url).ok();
                }
            });
        }
        "Page.domContentEventFired" => {
            shared.change(|state| state.parsed = Some(tokio::time::Instant::now()));
        }
        "Page.loadEventFired" => shared.change(|state| state.loaded = Some(tokio::time::Instant::now())),
        "Page.frameScheduledNavigation" => {
            let Some(ScheduledNavigation { frame_id, delay }) = event.read() else { return };
            let delay = Duration::try_from_secs_f64(delay).unwrap_or(Duration::MAX);
            shared.change(|state| {
                if state.main_frame.as_deref() == Some(&frame_id) {
                    state.expect_navigation_in(delay);
                }
            });
        }
        "Page.frameStartedNavigating" => {
            let Some(StartedNavigating { frame_id, navigation_type }) = event.read() else { return };
            shared.change(|state| {
                if state.main_frame.as_deref() == Some(&frame_id) && navigation_type == "differentDocument" {
                    state.expect_navigation();
                }
            });
        }
        method @ ("Page.frameStoppedLoading" | "Page.frameClearedScheduledNavigation") => {
            let Some(FrameEvent { frame_id }) = event.read() else { return };
            shared.change(|state| {
                if state.main_frame.as_deref() != Some(&frame_id) {
                    return;
                }
                if method == "Page.frameStoppedLoading" {
                    state.started_until = None;
                    state.stopped_loading();
                } else {
                    state.scheduled_until = None;
                }
            });
        }
        _ => {}
    }
}
