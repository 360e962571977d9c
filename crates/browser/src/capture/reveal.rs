//! Scrolls through a page before its picture is taken, because pictures load and parts appear only when they
//! are seen, and waits until what the picture shows is complete.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::page::Tab;
use crate::wire::CallError;

const SCRIPT: &str = concat!(
    "function run(...all) {",
    include_str!("../js/own.js"),
    include_str!("../js/shot.js"),
    "return shot(...all); }"
);

/// Limits of scrolling through a page.
const MAX_STEPS: u32 = 80;
const MAX_SCROLLING: Duration = Duration::from_secs(5);

/// A page may grow while it is scrolled through, by half or by this many steps. An endless page stops there.
const GROWTH: f64 = 1.5;
const GROWTH_STEPS: f64 = 3.0;

/// Observers of the page see a new position after a frame or two.
const STEP_TIME: Duration = Duration::from_millis(40);

/// How long pictures and fonts may take, and how often they are looked at.
const MAX_SETTLING: Duration = Duration::from_secs(3);
const GAP: Duration = Duration::from_millis(50);

/// The size of a page before it is scrolled through.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Extent {
    /// The height of the window, in CSS pixels.
    step: f64,
    /// The height of the document, in CSS pixels.
    height: f64,
}

/// Hides the caret and stores the scroll position.
pub(super) async fn begin(tab: &Tab<'_>) -> Result<Extent, CallError> {
    tab.run(SCRIPT, vec![json!({ "op": "begin" })]).await
}

/// How many CSS pixels of its content a box hides that scrolls in place of the page. `window` is the height
/// of the window before it was changed.
pub(super) async fn hidden_height(tab: &Tab<'_>, window: u32) -> Result<u32, CallError> {
    tab.run(SCRIPT, vec![json!({ "op": "inner", "bottom": window })]).await
}

/// Restores what [`begin`] has changed.
pub(super) async fn end(tab: &Tab<'_>) -> Result<(), CallError> {
    tab.run::<Value>(SCRIPT, vec![json!({ "op": "end" })]).await.map(drop)
}

#[derive(Deserialize)]
struct Scrolled {
    height: f64,
}

/// Scrolls through the upper `shown` CSS pixels of the page, at most until `deadline`.
pub(super) async fn scroll_through(
    tab: &Tab<'_>,
    extent: Extent,
    shown: f64,
    deadline: Instant,
) -> Result<(), CallError> {
    let deadline = deadline.min(Instant::now() + MAX_SCROLLING);
    let mut path = Path::new(extent, shown);
    while let Some(y) = path.next()
        && Instant::now() < deadline
    {
        let scrolled: Scrolled = tab.run(SCRIPT, vec![json!({ "op": "scroll", "y": y })]).await?;
        sleep(STEP_TIME).await;
        path.height = scrolled.height;
    }
    Ok(())
}

/// Ends animations, and waits until the pictures and fonts in the upper `shown` CSS pixels of the page are
/// loaded, or those in the window if that is `None`; at most until `deadline`.
pub(super) async fn settle(tab: &Tab<'_>, shown: Option<f64>, deadline: Instant) -> Result<(), CallError> {
    let deadline = deadline.min(Instant::now() + MAX_SETTLING);
    // A picture of the whole page is taken from its start: fixed elements are drawn where the window is.
    let first =
        shown.map_or(json!({ "op": "settle" }), |bottom| json!({ "op": "settle", "y": 0, "bottom": bottom }));
    let next = json!({ "op": "settle", "bottom": shown });
    tab.run::<u64>(SCRIPT, vec![first]).await?;
    loop {
        // What has loaded or appeared is laid out and drawn first.
        sleep(GAP).await;
        let pending: u64 = tab.run(SCRIPT, vec![next.clone()]).await?;
        if pending == 0 || Instant::now() >= deadline {
            return Ok(());
        }
    }
}

/// The scroll positions of a pass.
#[derive(Debug)]
struct Path {
    step: f64,
    next: f64,
    steps: u32,
    /// The height of the document at present.
    height: f64,
    /// The pass goes no further.
    limit: f64,
}

impl Path {
    fn new(Extent { step, height }: Extent, shown: f64) -> Self {
        let step = step.max(1.0);
        let limit = (height * GROWTH).max(height + GROWTH_STEPS * step).min(shown);
        Self { step, next: 0.0, steps: 0, height, limit }
    }

    fn next(&mut self) -> Option<f64> {
        let y = self.next;
        if y >= self.height.min(self.limit) || self.steps >= MAX_STEPS {
            return None;
        }
        self.next += self.step;
        self.steps += 1;
        Some(y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(step: f64, height: f64, shown: f64, grows_by: f64) -> Vec<f64> {
        let mut path = Path::new(Extent { step, height }, shown);
        let mut positions = Vec::new();
        while let Some(y) = path.next() {
            positions.push(y);
            path.height += grows_by;
        }
        positions
    }

    #[test]
    fn a_pass_sees_every_part_of_the_picture_and_ends() {
        for step in [0.0, 1.0, 300.0, 800.0, 2_000.0] {
            for height in [0.0, 1.0, 800.0, 801.0, 6_588.0, 40_000.0, 1e12] {
                for shown in [1.0, 915.0, 19_531.0, 32_000.0] {
                    for grows_by in [0.0, 500.0, 1e6] {
                        let positions = positions(step, height, shown, grows_by);
                        let case = format!("{step} {height} {shown} {grows_by}: {positions:?}");
                        let window = step.max(1.0);
                        assert!(positions.len() <= MAX_STEPS as usize, "{case}");
                        assert!(
                            positions.windows(2).all(|pair| matches!(pair, [a, b] if b - a == window)),
                            "{case}"
                        );
                        let limit = (height * GROWTH).max(height + GROWTH_STEPS * window).min(shown);
                        assert!(positions.last().is_none_or(|last| *last < limit), "{case}");
                        let seen = positions.last().map_or(0.0, |last| last + window);
                        let is_complete = seen >= height.min(shown) || positions.len() == MAX_STEPS as usize;
                        assert!(is_complete, "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_endless_page_stops_at_the_growth_it_may_have() {
        assert_eq!(positions(800.0, 1_200.0, 32_000.0, 1_200.0), [0.0, 800.0, 1_600.0, 2_400.0, 3_200.0]);
        assert_eq!(positions(800.0, 1_200.0, 2_000.0, 1_200.0), [0.0, 800.0, 1_600.0]);
    }
}
