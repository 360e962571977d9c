//! Holds of hosts for requests that no lease allows. In a store of several processes, they keep other
//! processes from sending requests to the same host. In a store of one process, they cost nothing.

use std::time::Duration;

use gleaner_store::{HostGuard, HostHold, LeasedPage};
use tokio::time::{Instant, sleep_until, timeout_at};
use url::Url;

use crate::shared::Shared;

/// The store is asked again for a busy host after this time.
const HOLD_PAUSE: Duration = Duration::from_millis(250);

/// How long a redirect waits for a host that another process holds, before its page returns to the queue.
pub(crate) const MAX_HOLD_WAIT: Duration = Duration::from_secs(10);

/// How long a page waits for a place at its host before it returns to the queue: it keeps a place among all pages
/// in work meanwhile.
pub(crate) const MAX_PLACE_WAIT: Duration = Duration::from_secs(30);

impl Shared {
    /// Holds the host of `url`. Waits while it is busy.
    pub(crate) async fn hold(&self, url: &Url) -> HostGuard {
        loop {
            match self.try_hold(url).await {
                Ok(hold) => return hold,
                Err(again) => sleep_until(self.clock.instant(again)).await,
            }
        }
    }

    /// Holds the host of `url`, at the latest at this moment.
    ///
    /// # Errors
    /// When it is worth another try, if that is later.
    pub(crate) async fn hold_until(&self, url: &Url, until: Instant) -> Result<HostGuard, Duration> {
        loop {
            let again = match timeout_at(until, self.try_hold(url)).await {
                Ok(Ok(hold)) => return Ok(hold),
                Ok(Err(again)) => again,
                Err(_) => return Err(self.clock.now() + HOLD_PAUSE),
            };
            if self.clock.instant(again) > until {
                return Err(again);
            }
            sleep_until(self.clock.instant(again)).await;
        }
    }

    /// # Errors
    /// When it is worth another try.
    async fn try_hold(&self, url: &Url) -> Result<HostGuard, Duration> {
        self.term.lasts().await;
        let not_before = match self.store.hold_host(url, self.clock.now()).await {
            Ok(HostHold::Held(hold)) => return Ok(hold),
            Ok(HostHold::Busy { not_before }) => not_before,
            Err(error) => {
                tracing::warn!(%error, "a host could not be held");
                Duration::ZERO
            }
        };
        Err(not_before.max(self.clock.now() + HOLD_PAUSE))
    }
}

/// Holds the host of a leased page, unless its lease does.
///
/// # Errors
/// When the page may be leased again, if the host is busy for the first half of the lease.
pub(crate) async fn hold_of(shared: &Shared, page: &LeasedPage) -> Result<HostGuard, Duration> {
    if shared.store.holds_by_lease(page) {
        return Ok(HostGuard::free());
    }
    let left = page.expires_at.saturating_sub(shared.clock.now());
    shared.hold_until(&page.url, shared.clock.instant(page.expires_at) - left / 2).await
}
