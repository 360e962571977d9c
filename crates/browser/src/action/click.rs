//! Clicks an element, or all elements that match a selector.

use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::failure::Failure;
use super::find::{ELEMENT_LIMIT, Found};
use super::query::{Kind, Query};
use super::runner::Runner;

/// How long each of many elements may take until it can be clicked.
const EACH_LIMIT: Duration = Duration::from_millis(1_500);

/// How long clicking many elements may take.
const ALL_LIMIT: Duration = Duration::from_secs(30);

/// Most elements that one action clicks.
const MAX_CLICKS: usize = 100;

impl Runner<'_, '_> {
    /// Clicks the first match.
    pub(super) async fn click(&mut self, selector: &str) -> Result<(), Failure> {
        let query = Query::new("probe", Some(selector));
        let found = self.find(&query, None, ELEMENT_LIMIT).await?;
        self.click_found(&query, &found).await
    }

    /// Clicks all elements that match now, until one leads to another document. Those that cannot be clicked
    /// are left out; it is a failure if none can.
    pub(super) async fn click_all(&mut self, selector: &str) -> Result<(), Failure> {
        let listed = self.find(&Query::new("list", Some(selector)), None, ELEMENT_LIMIT).await?;
        let (document, end) = (self.tab.documents(), self.until(ALL_LIMIT));
        let (mut clicks, mut first_reason) = (0, None);
        for index in 0..listed.seen.count.min(MAX_CLICKS) {
            let query = Query { index, ..Query::new("probe", None) };
            let found = self.find(&query, Some(&listed.place), EACH_LIMIT).await;
            if Instant::now() >= end || self.tab.is_leaving() || self.tab.documents() != document {
                break;
            }
            let outcome = match found {
                Ok(found) => self.click_found(&query, &found).await,
                Err(failure) => Err(failure),
            };
            match outcome {
                Ok(()) => clicks += 1,
                Err(Failure::Action(reason)) => _ = first_reason.get_or_insert(reason),
                Err(other) => return Err(other),
            }
        }
        match first_reason {
            Some(reason) if clicks == 0 => Err(Failure::Action(reason)),
            _ => Ok(()),
        }
    }

    async fn click_found(&mut self, query: &Query<'_>, found: &Found) -> Result<(), Failure> {
        // The list of an open select box is drawn by the system, out of reach of clicks.
        if found.seen.kind == Kind::Option {
            let set = Query { operation: "set", argument: Value::Null, ..query.clone() };
            return self.ask(&found.place, &set).await?.done();
        }
        self.click_at(found.seen.x, found.seen.y).await
    }
}
