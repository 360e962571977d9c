//! Ctrl-C and termination signals: the first stops the work and keeps finished results, the second ends the
//! program.

use tokio::sync::watch;

use crate::browser::Browser;
use crate::exit;

/// Receives Ctrl-C and termination signals.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    pressed: watch::Receiver<bool>,
}

impl Interrupt {
    /// Starts to listen. The second signal also ends `browser`.
    ///
    /// A separate task listens, so that the second Ctrl-C works even if handling the first is blocked by a
    /// reader of standard output that does not read.
    pub(crate) fn listen(browser: &Browser) -> Self {
        let (sender, pressed) = watch::channel(false);
        tokio::spawn(forward(Signals::listen(), sender, browser.clone()));
        Self { pressed }
    }

    /// Completes when Ctrl-C was pressed.
    pub(crate) async fn pressed(&mut self) {
        if self.pressed.wait_for(|pressed| *pressed).await.is_err() {
            // The listening task is gone, so this never completes.
            std::future::pending::<()>().await;
        }
    }
}

/// Forwards the first signal, and ends the program at the second.
async fn forward(mut signals: Signals, pressed: watch::Sender<bool>, browser: Browser) {
    signals.next().await;
    let _ = pressed.send(true);
    signals.next().await;
    browser.close_at_once().await;
    exit::at_once(exit::INTERRUPTED)
}

#[cfg(unix)]
use unix::Signals;

#[cfg(unix)]
mod unix {
    use std::fs;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Termination signals. A signal without a handler keeps the system's default: it ends the program.
    #[derive(Debug)]
    pub(super) struct Signals {
        interrupt: Option<Signal>,
        terminate: Option<Signal>,
        hangup: Option<Signal>,
    }

    impl Signals {
        /// Starts to listen.
        pub(super) fn listen() -> Self {
            let hangup = if ignores_hangups() { None } else { signal(SignalKind::hangup()).ok() };
            Self {
                interrupt: signal(SignalKind::interrupt()).ok(),
                terminate: signal(SignalKind::terminate()).ok(),
                hangup,
            }
        }

        /// Completes at the next signal.
        pub(super) async fn next(&mut self) {
            tokio::select! {
                () = arrived(&mut self.interrupt) => {}
                () = arrived(&mut self.terminate) => {}
                () = arrived(&mut self.hangup) => {}
            }
        }
    }

    /// Completes at the next signal; never if it has no handler.
    async fn arrived(signal: &mut Option<Signal>) {
        if let Some(signal) = signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }

    /// Whether the program was started with hangups ignored, for example by `nohup`. A handler would undo
    /// that. If unknown, it is assumed: without a handler, a hangup ends the program, and written results
    /// remain.
    fn ignores_hangups() -> bool {
        let Ok(status) = fs::read_to_string("/proc/self/status") else { return true };
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // Bit 0 is signal 1, which is SIGHUP.
        ignored.is_none_or(|mask| mask & 1 == 1)
    }
}

/// Ctrl-C on systems without signals.
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
            // Without a handler, the system's default ends the program.
            std::future::pending::<()>().await;
        }
    }
}
