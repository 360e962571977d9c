use std::time::Duration;

use tokio::time::sleep_until;

use super::failure::Failure;
use super::runner::Runner;
use crate::protocol::input::{DispatchMouseEvent, DispatchTouchEvent, TouchPoint};

/// On a page without a viewport for mobile devices, a tap becomes a click only if no second tap follows
/// within 300 ms.
const TAP_DELAY: Duration = Duration::from_millis(350);

impl Runner<'_, '_> {
    /// Clicks at a point of the window; taps if the page is that of a mobile device.
    pub(super) async fn click_at(&self, x: f64, y: f64) -> Result<(), Failure> {
        if self.tab.request.mobile {
            let touch = |kind, touch_points| DispatchTouchEvent { kind, touch_points };
            self.post(&touch("touchStart", vec![TouchPoint { x, y }])).await?;
            self.dispatch(&touch("touchEnd", Vec::new())).await?;
            sleep_until(self.until(TAP_DELAY)).await;
            return Ok(());
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
