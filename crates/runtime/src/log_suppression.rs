//! Work that must leave no trace in the log.

use std::pin::pin;
use std::sync::LazyLock;

use tracing::instrument::WithSubscriber as _;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Does the work, without any log of it where `log_suppression`: of pages under zero data retention, neither
/// the engine nor what it stands on may write down an address or a text. What is said about them is said
/// around this, by the job's id alone.
///
/// Why the log is taken away and not each line told to leave the address out: the lines of libraries below
/// would not be.
pub async fn without_logs<T>(log_suppression: bool, work: impl Future<Output = T>) -> T {
    /// There for as long as the process is. Where it went, `tracing` would take what it says of a line first
    /// met here for the word of the program's own subscriber, and never ask that again.
    static SILENCE: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Silence));
    let mut work = pin!(work);
    if log_suppression { work.as_mut().with_subscriber(SILENCE.clone()).await } else { work.await }
}

/// Takes nothing down.
#[derive(Debug)]
struct Silence;

impl Subscriber for Silence {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::never()
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        false
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::OFF)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[cfg(test)]
mod tests {
    use tracing::dispatcher::get_default;

    use super::*;
    use crate::blocking::blocking_to_end;

    #[tokio::test]
    async fn silence_goes_with_work_to_other_threads() {
        let is_silent = || get_default(Dispatch::is::<Silence>);
        assert_eq!(without_logs(true, blocking_to_end(is_silent)).await, Some(true));
        assert_eq!(without_logs(false, blocking_to_end(is_silent)).await, Some(false));
    }
}
