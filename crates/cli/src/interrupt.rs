//! Ctrl-C: the first ends the work and keeps what is done, the second ends the program.

use tokio::sync::watch;

use crate::exit;

/// Tells whether Ctrl-C was pressed.
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
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_err() {
                // Without a handler the system's own rule holds: the program ends at once.
                return;
            }
            let _ = sender.send(true);
            if tokio::signal::ctrl_c().await.is_ok() {
                exit::at_once(exit::INTERRUPTED);
            }
        });
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
