//! Exit codes.

/// Success.
pub(crate) const DONE: u8 = 0;

/// No output, or a failed job.
pub(crate) const FAILED: u8 = 1;

/// Wrong usage.
pub(crate) const USAGE: u8 = 2;

/// Interrupted by Ctrl-C or a termination signal: 128 plus the number of SIGINT, like shells.
pub(crate) const INTERRUPTED: u8 = 130;

/// Ends the program immediately.
#[expect(clippy::exit, reason = "the second Ctrl-C ends the program immediately")]
pub(crate) fn at_once(code: u8) -> ! {
    std::process::exit(i32::from(code))
}
