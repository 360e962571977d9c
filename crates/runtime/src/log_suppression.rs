//! Suppresses the logs of work under zero data retention.

use std::pin::pin;
use std::sync::LazyLock;

use tracing::instrument::WithSubscriber as _;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Runs work, without any log output if `suppress`. Under zero data retention, neither the engine nor a
/// library below it may log a URL or text of a page. Log lines about such pages are written outside of this
/// call and contain the job's id only.
///
/// Alternative: leave the URL out of each log line. That does not cover the log lines of libraries.
pub async fn without_logs<T>(suppress: bool, work: impl Future<Output = T>) -> T {
    /// Lives as long as the process. If it were dropped, `tracing` would keep this subscriber's decision for
    /// callsites first reached here, and never ask the program's own subscriber about them.
    static NO_LOGS: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoLogs));
    let mut work = pin!(work);
    if suppress { work.as_mut().with_subscriber(NO_LOGS.clone()).await } else { work.await }
}

/// Discards all logs.
#[derive(Debug)]
struct NoLogs;

impl Subscriber for NoLogs {
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
    async fn suppression_extends_to_blocking_threads() {
        let is_suppressed = || get_default(Dispatch::is::<NoLogs>);
        assert_eq!(without_logs(true, blocking_to_end(is_suppressed)).await, Some(true));
        assert_eq!(without_logs(false, blocking_to_end(is_suppressed)).await, Some(false));
    }
}
