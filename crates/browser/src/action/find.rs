//! Finds the element of a selector, and waits until it can be used.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::failure::Failure;
use super::frames::{Frame, Place};
use super::query::{Query, Seen, State};
use super::runner::Runner;
use crate::wire::CallError;

const ACT: &str = concat!(
    "function run(...all) {",
    include_str!("../js/own.js"),
    include_str!("../js/act.js"),
    "return act(...all); }"
);

/// How long an element may take until it can be used.
pub(super) const ELEMENT_LIMIT: Duration = Duration::from_secs(5);

/// The time between two looks at an element. Whether it moves is seen over two frames, at 60 a second.
pub(super) const GAP: Duration = Duration::from_millis(40);

/// The page's scripts are stopped after this many looks in a row without an answer.
const STOP_SCRIPTS_AFTER: u32 = 2;

/// An element, and the frame that it is in.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) seen: Seen,
}

impl Runner<'_, '_> {
    /// Waits until the operation of `query` is done, for at most `limit`. Looks only into `place` if there is
    /// one, else into all frames.
    pub(super) async fn find(
        &mut self,
        query: &Query<'_>,
        place: Option<&Place>,
        limit: Duration,
    ) -> Result<Found, Failure> {
        let end = self.until(limit);
        let mut unanswered = 0;
        loop {
            let found = match place {
                Some(place) => Found { place: place.clone(), seen: self.ask(place, query).await? },
                None => self.locate(query).await?,
            };
            if found.seen.state == State::Ready {
                return Ok(found);
            }
            unanswered = if found.seen.state == State::Busy { unanswered + 1 } else { 0 };
            if unanswered == STOP_SCRIPTS_AFTER {
                self.stop_scripts().await;
            }
            // The elements of a list do not come back with a new document.
            let is_lost = found.seen.state == State::Missing && query.selector.is_none();
            if found.seen.is_final() || is_lost || Instant::now() >= end {
                return Err(Failure::Action(found.seen.reason()));
            }
            sleep_until((Instant::now() + GAP).min(end)).await;
        }
    }

    /// Looks into the document with the frames of its origin, then into the other frames.
    async fn locate(&mut self, query: &Query<'_>) -> Result<Found, CallError> {
        let seen = self.ask(&Place::Main, query).await?;
        if seen.state != State::Missing {
            return Ok(Found { place: Place::Main, seen });
        }
        for frame in self.frames.list().await {
            let place = Place::Frame(frame);
            match self.ask(&place, query).await {
                Ok(seen) if !matches!(seen.state, State::Missing | State::Busy) => {
                    return Ok(Found { place, seen });
                }
                Err(CallError::Closed) => return Err(CallError::Closed),
                // It has no match, or it has gone.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(Found { place: Place::Main, seen })
    }

    /// Asks once.
    pub(super) async fn ask(&mut self, place: &Place, query: &Query<'_>) -> Result<Seen, CallError> {
        let seen: Seen = match self.frames.run(place, ACT, query.arguments()).await {
            Ok(seen) => seen,
            Err(CallError::TimedOut(_)) => return Ok(Seen::state(State::Busy)),
            Err(error) => return Err(error),
        };
        match place {
            Place::Frame(frame) if query.operation == "probe" && seen.state == State::Ready => {
                self.in_window(frame, seen).await
            }
            _ if query.operation == "list" && seen.state == State::Ready && seen.count == 0 => {
                Ok(Seen::state(State::Missing))
            }
            _ => Ok(seen),
        }
    }

    /// Moves the point of an element in a frame into the window of the page, and looks whether it can be
    /// clicked there.
    async fn in_window(&mut self, frame: &Frame, seen: Seen) -> Result<Seen, CallError> {
        let corner = self.frames.corner(frame).await?;
        let (x, y) = (corner.x + seen.x, corner.y + seen.y);
        let query = Query { argument: json!({ "x": x, "y": y }), ..Query::new("point", None) };
        let hit: Seen = self.tab.run(ACT, query.arguments()).await?;
        if hit.state == State::Outside {
            self.frames.scroll_to(&corner, seen.x, seen.y).await?;
        }
        Ok(Seen { state: hit.state, by: hit.by, x, y, ..seen })
    }
}
