//! Work that gives all of its result at once, shown while it goes on.

use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// How often the state is looked at.
const TICK: Duration = Duration::from_millis(100);

/// Does `work` and shows its `state` meanwhile.
///
/// # Errors
/// Ctrl-C ended it.
pub(super) async fn shown<T>(
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
