//! The frames of other origins. Those of the page's own origin are within reach of its document.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::page::{FrameTarget, SCRIPT_TIMEOUT, Tab, WORLD};
use crate::protocol::owner::{GetBoxModel, GetFrameOwner, Rect, ScrollIntoViewIfNeeded};
use crate::protocol::page::{CreateIsolatedWorld, FrameTree, GetFrameTree};
use crate::wire::{CallError, Command, SessionId};

/// Most frames that are looked into.
const MAX_FRAMES: usize = 50;

/// Most frames with processes of their own around each other.
const MAX_NESTED: usize = 8;

/// A frame, and the session through which it is reached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    session: SessionId,
    id: String,
}

/// Where an element is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// The document, with the frames of its origin.
    Main,
    Frame(Frame),
}

/// Where a frame is in the window of the page, and the element that it is in.
#[derive(Debug)]
pub(super) struct Corner {
    pub(super) x: f64,
    pub(super) y: f64,
    owner_session: SessionId,
    owner: i64,
}

/// Runs scripts in frames.
#[derive(Debug)]
pub(super) struct Frames<'t, 'a> {
    tab: &'t Tab<'a>,
    worlds: HashMap<Frame, i64>,
}

impl<'t, 'a> Frames<'t, 'a> {
    pub(super) fn new(tab: &'t Tab<'a>) -> Self {
        Self { tab, worlds: HashMap::new() }
    }

    /// All frames but the main one, in the order of the document. Those that cannot be read are left out.
    pub(super) async fn list(&self) -> Vec<Frame> {
        let Ok(page) = self.tab.session() else { return Vec::new() };
        let mut frames = Vec::new();
        if let Ok(reply) = self.call(&page, &GetFrameTree {}).await {
            for child in reply.frame_tree.child_frames {
                add(&mut frames, &page, child);
            }
        }
        for FrameTarget { session, .. } in self.tab.frame_targets() {
            if let Ok(reply) = self.call(&session, &GetFrameTree {}).await {
                add(&mut frames, &session, reply.frame_tree);
            }
        }
        frames
    }

    /// Calls one of our scripts in the isolated world of a frame. It is a function declaration.
    pub(super) async fn run<T: DeserializeOwned>(
        &mut self,
        place: &Place,
        script: &str,
        arguments: Vec<Value>,
    ) -> Result<T, CallError> {
        let Place::Frame(frame) = place else { return self.tab.run(script, arguments).await };
        let (mut world, mut is_new) = match self.worlds.get(frame) {
            Some(world) => (*world, false),
            None => (self.create_world(frame).await?, true),
        };
        loop {
            let call = self.tab.run_in_world(&frame.session, world, script, &arguments, SCRIPT_TIMEOUT);
            match call.await {
                // The frame has had another document since.
                Err(error) if error.is_gone() && !is_new => {
                    (world, is_new) = (self.create_world(frame).await?, true);
                }
                result => return result,
            }
        }
    }

    async fn create_world(&mut self, frame: &Frame) -> Result<i64, CallError> {
        let create = CreateIsolatedWorld { frame_id: &frame.id, world_name: WORLD };
        let created = self.call(&frame.session, &create).await?;
        self.worlds.insert(frame.clone(), created.execution_context_id);
        Ok(created.execution_context_id)
    }

    /// The corner of a frame's content in the window of the page.
    pub(super) async fn corner(&self, frame: &Frame) -> Result<Corner, CallError> {
        let page = self.tab.session()?;
        let targets = self.tab.frame_targets();
        let mut corner = self.owner(frame, &page, &targets).await?;
        let mut session = corner.owner_session.clone();
        // A box is relative to the frame that the session begins at.
        for _ in 0..MAX_NESTED {
            let Some(target) = targets.iter().find(|target| target.session == session) else { break };
            let root = Frame { session: target.session.clone(), id: target.id.clone() };
            let outer = self.owner(&root, &page, &targets).await?;
            (corner.x, corner.y) = (corner.x + outer.x, corner.y + outer.y);
            session = outer.owner_session;
        }
        Ok(corner)
    }

    /// Scrolls so that a point of a frame's content is in the window.
    pub(super) async fn scroll_to(&self, corner: &Corner, x: f64, y: f64) -> Result<(), CallError> {
        let rect = Rect { x, y, width: 1.0, height: 1.0 };
        let scroll = ScrollIntoViewIfNeeded { backend_node_id: corner.owner, rect };
        self.call(&corner.owner_session, &scroll).await.map(drop)
    }

    /// The element that a frame is in. A frame that a session begins at has it in another session.
    async fn owner(
        &self,
        frame: &Frame,
        page: &SessionId,
        targets: &[FrameTarget],
    ) -> Result<Corner, CallError> {
        let begins_session = targets.iter().any(|target| target.id == frame.id);
        if !begins_session {
            return self.owner_in(&frame.session, frame).await;
        }
        let mut result = self.owner_in(page, frame).await;
        for target in targets.iter().filter(|target| target.session != frame.session) {
            match &result {
                Ok(_) | Err(CallError::Closed) => break,
                Err(_) => result = self.owner_in(&target.session, frame).await,
            }
        }
        result
    }

    async fn owner_in(&self, session: &SessionId, frame: &Frame) -> Result<Corner, CallError> {
        let owner = self.call(session, &GetFrameOwner { frame_id: &frame.id }).await?.backend_node_id;
        let content = self.call(session, &GetBoxModel { backend_node_id: owner }).await?.model.content;
        let [x, y, ..] = content.as_slice() else {
            return Err(CallError::Invalid { method: GetBoxModel::METHOD, detail: "no corner".to_owned() });
        };
        Ok(Corner { x: *x, y: *y, owner_session: session.clone(), owner })
    }

    async fn call<C: Command>(&self, session: &SessionId, command: &C) -> Result<C::Reply, CallError> {
        self.tab.client().call_within(Some(session), command, SCRIPT_TIMEOUT).await
    }
}

/// Adds a frame and those in it, up to [`MAX_FRAMES`].
fn add(frames: &mut Vec<Frame>, session: &SessionId, tree: FrameTree) {
    let mut next = vec![tree];
    while let Some(FrameTree { frame, mut child_frames }) = next.pop() {
        if frames.len() >= MAX_FRAMES {
            return;
        }
        frames.push(Frame { session: session.clone(), id: frame.id });
        child_frames.reverse();
        next.append(&mut child_frames);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn frames_are_listed_in_the_order_of_the_document() {
        let frame = |id: &str| json!({ "id": id, "url": "https://a.example/" });
        let tree = json!({ "frame": frame("1"), "childFrames": [
            { "frame": frame("2"), "childFrames": [{ "frame": frame("3") }] },
            { "frame": frame("4") },
        ] });
        let mut frames = Vec::new();
        add(&mut frames, &SessionId::from("s"), serde_json::from_value(tree).unwrap());
        let ids: Vec<_> = frames.iter().map(|frame| frame.id.as_str()).collect();
        assert_eq!(ids, ["1", "2", "3", "4"]);
    }

    #[test]
    fn the_number_of_frames_is_bounded() {
        let frame = json!({ "frame": { "id": "x", "url": "about:blank" } });
        let many: Vec<_> = std::iter::repeat_n(frame, 2 * MAX_FRAMES).collect();
        let tree = json!({ "frame": { "id": "main", "url": "about:blank" }, "childFrames": many });
        let mut frames = Vec::new();
        add(&mut frames, &SessionId::from("s"), serde_json::from_value(tree).unwrap());
        assert_eq!(frames.len(), MAX_FRAMES);
    }
}
