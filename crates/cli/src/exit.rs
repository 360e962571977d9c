//! How the program ends.

/// All done.
pub(crate) const DONE: u8 = 0;

/// Nothing came out, or the job failed.
pub(crate) const FAILED: u8 = 1;

/// Wrong usage.
pub(crate) const USAGE: u8 = 2;

/// Ended by Ctrl-C, or a signal that asks for the end: 128 and the number of SIGINT, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// Ends the program without waiting for anything.
#[expect(clippy::exit, reason = "the second Ctrl-C asks for exactly this")]
pub(crate) fn at_once(code: u8) -> ! {
    std::process::exit(i32::from(code))
}
