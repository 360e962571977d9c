//! Ctrl-C and the signals that ask for the end: the first ends the work and keeps what is done, the second ends the program.

use tokio::sync::watch;

use crate::exit;

/// Tells whether Ctrl-C was pressed, or the end was asked for by a signal.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    pressed: watch::Receiver<bool>,
}

impl Interrupt {
    /// Listens from now on.
    ///
    /// A task of its own listens, so that the second Ctrl-C works also while the first is held up, by a reader of
    /// standard output that does not read.
    pub(crate) fn listen() -> Self {
        let (sender, pressed) = watch::channel(false);
        tokio::spawn(pass_on(Signals::listen(), sender));
        Self { pressed }
    }

    /// Returns once Ctrl-C was pressed.
    pub(crate) async fn pressed(&mut self) {
        if self.pressed.wait_for(|pressed| *pressed).await.is_err() {
            // Nobody listens, so it will never be.
            std::future::pending::<()>().await;
        }
    }
}

/// Tells of the first signal, and ends the program with the second.
async fn pass_on(mut signals: Signals, pressed: watch::Sender<bool>) {
    signals.next().await;
    let _ = pressed.send(true);
    signals.next().await;
    exit::at_once(exit::INTERRUPTED)
}

#[cfg(unix)]
use unix::Signals;

#[cfg(unix)]
mod unix {
    use std::fs;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// The signals that ask for the end. One that cannot be listened for keeps the system's own rule: it ends the program.
    #[derive(Debug)]
    pub(super) struct Signals {
        interrupt: Option<Signal>,
        terminate: Option<Signal>,
        hangup: Option<Signal>,
    }

    impl Signals {
        /// Listens from now on.
        pub(super) fn listen() -> Self {
            let hangup = if ignores_hangups() { None } else { signal(SignalKind::hangup()).ok() };
            Self {
                interrupt: signal(SignalKind::interrupt()).ok(),
                terminate: signal(SignalKind::terminate()).ok(),
                hangup,
            }
        }

        /// Returns with the next of them.
        pub(super) async fn next(&mut self) {
            tokio::select! {
                () = arrived(&mut self.interrupt) => {}
                () = arrived(&mut self.terminate) => {}
                () = arrived(&mut self.hangup) => {}
            }
        }
    }

    /// Returns with the next signal; never where it is not listened for.
    async fn arrived(signal: &mut Option<Signal>) {
        if let Some(signal) = signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }

    /// Was the program started with hangups ignored, as `nohup` does it? A handler would undo that. Assumed where the
    /// system does not tell: without a handler a hangup ends the program at once, and what was written stays.
    fn ignores_hangups() -> bool {
        let Ok(status) = fs::read_to_string("/proc/self/status") else { return true };
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // Bit 0 is signal 1, which is SIGHUP.
        ignored.is_none_or(|mask| mask & 1 == 1)
    }
}

/// Ctrl-C, where the system has no signals.
#[cfg(not(unix))]
#[derive(Debug)]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Self {
        Self
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without a handler the system's own rule holds: the program ends at once.
            std::future::pending::<()>().await;
        }
    }
}
