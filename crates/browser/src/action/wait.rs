//! Waits for a time, or for an element.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::failure::Failure;
use super::query::Query;
use super::runner::Runner;

impl Runner<'_, '_> {
    /// Waits for a time, as far as the total of all waits and the time of the page permit.
    pub(super) async fn wait(&mut self, time: Duration) {
        let time = time.min(self.waits_left);
        self.waits_left -= time;
        sleep_until(self.until(time)).await;
    }

    /// Waits until a match is visible.
    pub(super) async fn wait_for(&mut self, selector: &str) -> Result<(), Failure> {
        let began = Instant::now();
        let found = self.find(&Query::new("wait", Some(selector)), None, self.waits_left).await;
        self.waits_left = self.waits_left.saturating_sub(began.elapsed());
        found.map(drop)
    }
}
