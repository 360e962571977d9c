//! `-v`: what the engine logs, on standard error.

use std::io::{self, IsTerminal};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// All crates of the engine log under names that begin so.
const OURS: &str = "gleaner";

/// Shows the log from here on: nothing, `info`, `debug` or `trace`, by how often `-v` was given.
pub(crate) fn show(verbosity: u8) {
    let level = match verbosity {
        0 => return,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let lines =
        tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    // Only a second call in one process could fail, and there is none.
    let _ =
        tracing_subscriber::registry().with(lines).with(Targets::new().with_target(OURS, level)).try_init();
}
