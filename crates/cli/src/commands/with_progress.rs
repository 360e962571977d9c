//! Progress of work that returns its whole result at the end.

use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// The interval of updates.
const TICK: Duration = Duration::from_millis(100);

/// Runs `work` and shows its `state` until it ends.
///
/// # Errors
/// Ctrl-C interrupted the work.
pub(super) async fn with_progress<T>(
    console: &Console,
    interrupt: &mut Interrupt,
    state: impl Fn() -> String,
    work: impl Future<Output = T>,
) -> Result<T, Failure> {
    let mut progress = console.progress();
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return Ok(done),
            () = interrupt.pressed() => return Err(Failure::Interrupted),
            _ = tick.tick() => progress.show(&state, None),
        }
    }
}
