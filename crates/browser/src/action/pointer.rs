//! Sends mouse and touch events for a click at a point of the window.

use super::failure::Failure;
use super::runner::Runner;
use crate::protocol::input::{DispatchMouseEvent, DispatchTouchEvent, TouchPoint};

impl Runner<'_, '_> {
    /// Clicks at a point of the window; taps if the page is that of a mobile device.
    pub(super) async fn click_at(&self, x: f64, y: f64) -> Result<(), Failure> {
        if self.tab.request.mobile {
            let touch = |kind, touch_points| DispatchTouchEvent { kind, touch_points };
            self.post(&touch("touchStart", vec![TouchPoint { x, y }])).await?;
            return self.dispatch(&touch("touchEnd", Vec::new())).await;
        }
        let moved = DispatchMouseEvent {
            kind: "mouseMoved",
            x,
            y,
            button: "none",
            buttons: 0,
            click_count: 0,
            pointer_type: "mouse",
        };
        let pressed = DispatchMouseEvent {
            kind: "mousePressed",
            button: "left",
            buttons: 1,
            click_count: 1,
            ..moved.clone()
        };
        let released = DispatchMouseEvent { kind: "mouseReleased", buttons: 0, ..pressed.clone() };
        self.post(&moved).await?;
        self.post(&pressed).await?;
        self.dispatch(&released).await
    }
}
