//! A page in work: its session, its time limits, and calls of our scripts in it.

use std::time::Duration;

use gleaner_fetch::{RenderProxy, RenderRequest};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::state::Shared;
use crate::pool::Context;
use crate::protocol::dom::CallForObject;
use crate::protocol::page::CreateIsolatedWorld;
use crate::protocol::runtime::{Argument, CallFunctionOn};
use crate::wire::{CallError, Client, Command, SessionId};

/// The name of the world of our own scripts, which pages cannot see.
pub(crate) const WORLD: &str = "gleaner";

/// Share of the time of a page that is reserved for reading it, within these bounds.
const RESERVE_SHARE: u32 = 10;
const MIN_RESERVE: Duration = Duration::from_millis(100);
const MAX_RESERVE: Duration = Duration::from_secs(2);

/// A page that has lost our world has a new document after at most this time, or keeps its document.
const NEW_DOCUMENT: Duration = Duration::from_millis(100);

/// How long one of our scripts may wait for the page's own script to yield.
pub(crate) const SCRIPT_TIMEOUT: Duration = Duration::from_millis(1_500);

/// A page that is being rendered.
#[derive(Debug)]
pub(crate) struct Tab<'a> {
    pub(crate) context: &'a Context,
    pub(crate) request: &'a RenderRequest,
    pub(crate) proxy: &'a RenderProxy<'a>,
    /// The time that is kept for reading the page.
    reserve: Duration,
    pub(super) shared: Shared,
    /// The isolated world, and the number of the document that it belongs to.
    world: Mutex<Option<(u64, i64)>>,
}

impl<'a> Tab<'a> {
    pub(super) fn new(context: &'a Context, request: &'a RenderRequest, proxy: &'a RenderProxy<'a>) -> Self {
        let remaining = proxy.remaining();
        let reserve = (remaining / RESERVE_SHARE).clamp(MIN_RESERVE, MAX_RESERVE);
        Self { context, request, proxy, reserve, shared: Shared::default(), world: Mutex::default() }
    }

    /// When waiting and actions end, so that time is left for reading the page.
    pub(crate) fn until(&self) -> Instant {
        Instant::now() + self.proxy.remaining().saturating_sub(self.reserve)
    }

    pub(crate) fn client(&self) -> &Client {
        &self.context.running.client
    }

    /// The session of the page.
    pub(crate) fn session(&self) -> Result<SessionId, CallError> {
        self.shared.lock().session.clone().ok_or(CallError::Closed)
    }

    /// Sends a command to the page.
    pub(crate) async fn call<C: Command>(&self, command: &C) -> Result<C::Reply, CallError> {
        self.client().call(Some(&self.session()?), command).await
    }

    /// Sends a command to the page, which may take at most `limit`.
    pub(crate) async fn call_within<C: Command>(
        &self,
        command: &C,
        limit: Duration,
    ) -> Result<C::Reply, CallError> {
        self.client().call_within(Some(&self.session()?), command, limit).await
    }

    /// Calls one of our scripts in the isolated world of the current document. It is a function declaration.
    pub(crate) async fn run<T: DeserializeOwned>(
        &self,
        script: &str,
        arguments: Vec<Value>,
    ) -> Result<T, CallError> {
        self.run_within(script, arguments, SCRIPT_TIMEOUT).await
    }

    /// As [`run`](Self::run), for at most `limit`.
    pub(crate) async fn run_within<T: DeserializeOwned>(
        &self,
        script: &str,
        arguments: Vec<Value>,
        limit: Duration,
    ) -> Result<T, CallError> {
        let end = Instant::now() + limit;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let document = self.documents();
            let world = self.world(left).await?;
            match self.run_in_world(&self.session()?, world, script, &arguments, left).await {
                // The document has changed since.
                Err(error) if error.is_gone() && !self.client().is_closed() => {
                    *self.world.lock().await = None;
                    if Instant::now() >= end {
                        return Err(error);
                    }
                    let changed = self.shared.wait_for(|state| (state.documents != document).then_some(()));
                    // Without a new document, the same one gets a new world.
                    let _ = tokio::time::timeout(NEW_DOCUMENT, changed).await;
                }
                result => return result,
            }
        }
    }

    /// Calls one of our scripts once, in a world that may be gone.
    pub(crate) async fn run_in_world<T: DeserializeOwned>(
        &self,
        session: &SessionId,
        world: i64,
        script: &str,
        arguments: &[Value],
        limit: Duration,
    ) -> Result<T, CallError> {
        let invalid = |detail| CallError::Invalid { method: "a script", detail };
        let call = CallFunctionOn {
            function_declaration: script,
            execution_context_id: world,
            arguments: arguments.iter().cloned().map(|value| Argument { value }).collect(),
            return_by_value: true,
            await_promise: false,
            user_gesture: false,
        };
        let evaluated = self.client().call_within(Some(session), &call, limit).await?;
        if let Some(exception) = evaluated.exception_details {
            let description = exception.exception.and_then(|object| object.description);
            return Err(invalid(description.unwrap_or(exception.text)));
        }
        let value = evaluated.result.value.unwrap_or(Value::Null);
        serde_json::from_value(value).map_err(|error| invalid(error.to_string()))
    }

    /// The id of the current document's object in the isolated world.
    pub(crate) async fn document_object(&self, limit: Duration) -> Result<String, CallError> {
        let call = CallForObject {
            function_declaration: "function () { return document; }",
            execution_context_id: self.world(limit).await?,
        };
        let reply = self.call_within(&call, limit).await?;
        reply.result.object_id.ok_or_else(|| CallError::Invalid {
            method: "Runtime.callFunctionOn",
            detail: "it names no object".to_owned(),
        })
    }

    async fn world(&self, limit: Duration) -> Result<i64, CallError> {
        let mut world = self.world.lock().await;
        let (document, frame) = {
            let state = self.shared.lock();
            (state.documents, state.main_frame.clone().unwrap_or_default())
        };
        match *world {
            Some((of, id)) if of == document => Ok(id),
            _ => {
                let create = CreateIsolatedWorld { frame_id: &frame, world_name: WORLD };
                let created = self.call_within(&create, limit).await?;
                *world = Some((document, created.execution_context_id));
                Ok(created.execution_context_id)
            }
        }
    }
}
