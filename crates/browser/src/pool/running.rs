//! A running browser process: watches whether it responds, measures its memory, and closes pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::browser::Inventory;
use crate::config::BrowserConfig;
use crate::process::{LaunchError, Process, memory};
use crate::protocol::browser::GetVersion;
use crate::protocol::fetch::{Enable, FailRequest, Pattern, Paused};
use crate::protocol::runtime::RunIfWaitingForDebugger;
use crate::protocol::target::{
    Attached, DisposeBrowserContext, GetBrowserContexts, GetTargets, SetAutoAttach,
};
use crate::wire::{CallError, Client, ContextId, EventReceiver};

use super::context::Closing;

/// The memory of a process is measured when a page is closed, at most this often.
const MEASURE_GAP: Duration = Duration::from_secs(1);

/// The browser is asked whether it lives after this pause, apart from its pages: a page waits for much longer.
const PING_PAUSE: Duration = Duration::from_millis(500);

/// An answer to that comes within this time.
const PING_LIMIT: Duration = Duration::from_millis(1_750);

/// A timer that is this late shows that this program was suspended or had no processor. The browser had none
/// either, so the miss does not count.
const MAX_LATE: Duration = Duration::from_millis(250);

/// A browser that misses this many answers in a row is killed.
const MAX_MISSED: u32 = 2;

/// A page is closed within this time. One that takes longer, such as one with many busy workers, keeps the
/// others from their processors, so the browser is killed.
const DISPOSE_LIMIT: Duration = Duration::from_secs(4);

/// A process that serves pages.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) client: Client,
    /// The browser's own user agent, without the word that it is headless.
    pub(crate) user_agent: String,
    /// Its version: four numbers.
    pub(crate) version: String,
    /// Large pictures are taken one at a time, because each needs hundreds of megabytes.
    pub(crate) large_picture: Semaphore,
    process: Arc<Mutex<Option<Process>>>,
    process_id: Option<u32>,
    pages: AtomicU64,
    refused: Arc<AtomicU64>,
    /// Whether it gets no further pages: it uses too much memory, or could not close a page.
    is_used_up: Arc<AtomicBool>,
    pub(super) janitor: mpsc::UnboundedSender<Closing>,
    _tasks: [AbortOnDropHandle<()>; 4],
}

impl Running {
    pub(super) async fn launch(config: &BrowserConfig) -> Result<Self, LaunchError> {
        let (process, events) = Process::launch(config).await?;
        let client = process.client.clone();
        let silent = |cause| LaunchError::Silent { cause, is_sandbox: false };
        let attach = SetAutoAttach { auto_attach: true, wait_for_debugger_on_start: true, flatten: true };
        client.call(None, &attach).await.map_err(silent)?;
        // Pages intercept their own requests. What reaches this interception belongs to no page that is open:
        // it is refused.
        let enable = Enable { patterns: vec![Pattern { url_pattern: "*" }] };
        client.call(None, &enable).await.map_err(silent)?;
        let version = client.call(None, &GetVersion {}).await.map_err(silent)?;
        let (janitor, closing) = mpsc::unbounded_channel();
        let refused = Arc::new(AtomicU64::new(0));
        let is_used_up = Arc::new(AtomicBool::new(false));
        let measure = Measure {
            process_id: process.id(),
            most: config.recycle_above_memory,
            last: None,
            is_used_up: Arc::clone(&is_used_up),
        };
        let process_id = process.id();
        let process = Arc::new(Mutex::new(Some(process)));
        let tasks = [
            tokio::spawn(clear_away(client.clone(), Arc::clone(&process))),
            tokio::spawn(close_contexts(client.clone(), closing, measure, Arc::clone(&process))),
            tokio::spawn(watch(client.clone(), Arc::clone(&process))),
            tokio::spawn(refuse_strays(client.clone(), events, Arc::clone(&refused))),
        ];
        Ok(Self {
            client,
            user_agent: version.user_agent.replace("HeadlessChrome", "Chrome"),
            version: version.product.rsplit('/').next().unwrap_or_default().to_owned(),
            large_picture: Semaphore::new(1),
            process_id,
            process,
            pages: AtomicU64::new(0),
            refused,
            is_used_up,
            janitor,
            _tasks: tasks.map(AbortOnDropHandle::new),
        })
    }

    /// Counts a page; `false` if the process has had its last one.
    pub(super) fn take_page(&self, most: u64) -> bool {
        !self.is_used_up.load(Relaxed) && self.pages.fetch_add(1, Relaxed) < most
    }

    /// Whether the process has ended.
    pub(crate) fn is_ended(&self) -> bool {
        self.client.is_closed()
    }

    /// Requests and connections that belonged to no open page and were refused.
    pub(super) fn refused_connections(&self) -> u64 {
        let process = self.process.try_lock().ok();
        let dead_end = process.and_then(|process| Some(process.as_ref()?.refused_connections())).unwrap_or(0);
        self.refused.load(Relaxed).saturating_add(dead_end)
    }

    /// The process id.
    pub(crate) fn process_id(&self) -> Option<u32> {
        self.process_id
    }

    /// The contexts and targets that it has now.
    pub(crate) async fn inventory(&self) -> Result<Inventory, CallError> {
        let contexts = self.client.call(None, &GetBrowserContexts {}).await?.browser_context_ids.len();
        let targets = self.client.call(None, &GetTargets {}).await?.target_infos.len();
        Ok(Inventory { contexts, targets })
    }

    pub(super) async fn close(&self) {
        let process = self.process.lock().await.take();
        if let Some(process) = process {
            process.close().await;
        }
    }
}

/// Ends what is left of a process whose connection has ended: its children and its profile folder.
async fn clear_away(client: Client, process: Arc<Mutex<Option<Process>>>) {
    client.closed().await;
    let process = process.lock().await.take();
    if let Some(process) = process {
        process.close().await;
    }
}

/// Kills a process that does not answer. The pages in it fail at once, and the next one gets another process.
async fn kill(client: &Client, process: &Mutex<Option<Process>>) {
    // While the lock is held, nothing waits for the process to end by itself.
    if let Some(process) = &*process.lock().await {
        process.kill();
    }
    client.close();
}

/// Kills the process when it hangs, also while it has no page.
async fn watch(client: Client, process: Arc<Mutex<Option<Process>>>) {
    let mut missed = 0;
    while missed < MAX_MISSED {
        if missed == 0 {
            tokio::time::sleep(PING_PAUSE).await;
        }
        let (received, late) = (client.received(), Instant::now() + PING_LIMIT + MAX_LATE);
        missed = match client.call_within(None, &GetVersion {}, PING_LIMIT).await {
            Err(CallError::Closed) => return,
            // Large messages may be on their way before the answer.
            Err(CallError::TimedOut(_)) if client.received() == received => {
                missed + u32::from(Instant::now() < late)
            }
            _ => 0,
        };
    }
    tracing::warn!("the browser hangs, so it is killed");
    kill(&client, &process).await;
}

/// Closes contexts of finished pages. A page's slot is free once its context is closed.
async fn close_contexts(
    client: Client,
    mut closing: mpsc::UnboundedReceiver<Closing>,
    mut measure: Measure,
    process: Arc<Mutex<Option<Process>>>,
) {
    while let Some(Closing { id, slot }) = closing.recv().await {
        measure.update();
        let (client, is_used_up) = (client.clone(), Arc::clone(&measure.is_used_up));
        let process = Arc::clone(&process);
        tokio::spawn(async move {
            dispose(&client, &id, &is_used_up, &process).await;
            drop(slot);
        });
    }
}

/// Measures the memory of a process, at most once in a while.
#[derive(Debug)]
struct Measure {
    process_id: Option<u32>,
    most: u64,
    last: Option<Instant>,
    is_used_up: Arc<AtomicBool>,
}

impl Measure {
    fn update(&mut self) {
        if self.last.is_some_and(|last| last.elapsed() < MEASURE_GAP) {
            return;
        }
        self.last = Some(Instant::now());
        let Some(process_id) = self.process_id else { return };
        let (most, is_used_up) = (self.most, Arc::clone(&self.is_used_up));
        // It reads files.
        tokio::task::spawn_blocking(move || {
            let bytes = memory::of_tree(process_id).unwrap_or(0);
            is_used_up.fetch_or(bytes > most, Relaxed);
        });
    }
}

async fn dispose(client: &Client, id: &ContextId, is_used_up: &AtomicBool, process: &Mutex<Option<Process>>) {
    let dispose = DisposeBrowserContext { browser_context_id: id.clone() };
    match client.call_within(None, &dispose, DISPOSE_LIMIT).await {
        Err(error @ CallError::TimedOut(_)) => {
            tracing::warn!(%error, "a page could not be closed in time, so its browser is killed");
            kill(client, process).await;
        }
        Err(error) if !error.is_gone() => {
            // The page remains until the process ends, after its last page.
            tracing::warn!(%error, "a page could not be closed, so its browser gets no further ones");
            is_used_up.store(true, Relaxed);
        }
        _ => {}
    }
    client.close_context(id);
}

/// Answers the events that belong to no open page: refuses requests, and lets unknown targets run.
async fn refuse_strays(client: Client, mut events: EventReceiver, refused: Arc<AtomicU64>) {
    while let Some(event) = events.recv().await {
        match &*event.method {
            "Fetch.requestPaused" => {
                let Some(paused) = event.read::<Paused>() else { continue };
                refused.fetch_add(1, Relaxed);
                let fail = FailRequest { request_id: &paused.request_id, error_reason: "BlockedByClient" };
                let _ = client.send(event.session.as_ref(), &fail).await;
            }
            "Target.attachedToTarget" => {
                let Some(attached) = event.read::<Attached>() else { continue };
                if attached.waiting_for_debugger {
                    let _ = client.send(Some(&attached.session_id), &RunIfWaitingForDebugger {}).await;
                }
            }
            _ => {}
        }
    }
}
