//! Change tracking: compares a document with the last scrape of the same page by the same team with the same
//! tag.

mod diff;

use std::sync::Arc;

use gleaner_runtime::{
    Clock, MAX_TRANSFORM_TIME, NOT_COMPARED, Runtime, TrackChanges, TrackingTask, WaitLimits, blocking,
    rfc3339, warn,
};
use gleaner_store::{HistoryKey, PastScrape, Store, TrackedScrape};
use gleaner_types::plan::ChangeTrackingMode;
use gleaner_types::{BoxFuture, Document, Interrupt};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use url::Url;

pub use diff::{MAX_DIFF_BYTES, MAX_REPORTED_LINES};

/// Warning of a document that could not be compared in time.
const NOT_IN_TIME: &str = "the page could not be compared with its last scrape in time";

/// Warning of a diff whose parsed form is truncated.
const TRUNCATED: &str =
    "the parsed form of the diff (`changeTracking.diff.json`) has only the first lines; its `text` has all";

/// Total size of two texts, in bytes, above which they are compared on a blocking thread. Lines may be only a
/// few bytes long, and reporting one takes a microsecond.
const LARGE_TEXTS: usize = 16 << 10;

/// [`TrackChanges`] over the page histories of the store.
#[derive(Debug)]
pub(crate) struct ChangeTracker {
    store: Arc<dyn Store>,
    clock: Clock,
    /// For comparisons of large texts.
    permits: Arc<Semaphore>,
}

impl ChangeTracker {
    /// A tracker for the pages of this runtime.
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let (store, permits) = (Arc::clone(runtime.store()), Arc::clone(runtime.transform_permits()));
        Self { store, clock: runtime.clock(), permits }
    }

    /// Compares the document and sets its `changeTracking`. Fails with a warning for the document.
    async fn compare(
        &self,
        task: TrackingTask<'_>,
        document: &mut Document,
    ) -> Result<TrackedScrape, &'static str> {
        let TrackingTask { job, team, options, fields, zero_data_retention, deadline } = task;
        if zero_data_retention {
            return Err("change tracking has no effect with zero data retention: no history is stored");
        }
        let failed = |error: gleaner_store::Error| {
            tracing::error!(%error, job = %job, "the history of a page could not be read");
            NOT_COMPARED
        };
        let markdown: Arc<str> = Arc::from(document.markdown.as_deref().unwrap_or_default());
        let requested = document.metadata.source_url.as_deref().unwrap_or_default();
        // Parsing adds a missing final slash of the origin, so that both spellings share one history.
        let url = Url::parse(requested).map_or_else(|_| requested.to_owned(), String::from);
        let team = team.cloned().unwrap_or_default();
        let (at, status) = (self.clock.now(), document.metadata.status_code);
        let scrape = PastScrape { at, status, markdown, json: fields };
        let key = HistoryKey { team, url, tag: options.tag.clone() };
        let before = self.store.last_scrape(job, &key).await.map_err(failed)?;
        let size = before.as_ref().map_or(0, |before| before.markdown.len()) + scrape.markdown.len();
        let (change, is_truncated, scrape) = if size <= LARGE_TEXTS {
            let (change, is_truncated) =
                describe_change(before.as_ref(), &scrape, &options.modes, &Interrupt::never());
            (change, is_truncated, scrape)
        } else {
            let (interrupt, modes) = (Interrupt::armed(), options.modes.clone());
            let comparison = {
                let interrupt = interrupt.clone();
                move || {
                    let (change, is_truncated) =
                        describe_change(before.as_ref(), &scrape, &modes, &interrupt);
                    (change, is_truncated, scrape)
                }
            };
            let limits = WaitLimits { deadline, max_wait: MAX_TRANSFORM_TIME };
            blocking(&self.permits, &interrupt, limits, comparison).await.map_err(|_| NOT_IN_TIME)?
        };
        document.change_tracking = Some(change);
        if is_truncated {
            warn(document, TRUNCATED);
        }
        Ok(TrackedScrape { key, scrape })
    }
}

impl TrackChanges for ChangeTracker {
    fn track<'a>(
        &'a self,
        task: TrackingTask<'a>,
        document: &'a mut Document,
    ) -> BoxFuture<'a, Option<Box<TrackedScrape>>> {
        Box::pin(async move {
            match self.compare(task, document).await {
                Ok(tracked_scrape) => Some(Box::new(tracked_scrape)),
                Err(warning) => {
                    warn(document, warning);
                    None
                }
            }
        })
    }
}

fn is_gone(scrape: &PastScrape) -> bool {
    matches!(scrape.status, Some(404 | 410))
}

/// The `changeTracking` of a document, and whether its diff is truncated.
fn describe_change(
    before: Option<&PastScrape>,
    now: &PastScrape,
    modes: &[ChangeTrackingMode],
    interrupt: &Interrupt,
) -> (Value, bool) {
    let status = match before {
        None => "new",
        Some(before) if is_gone(now) && !is_gone(before) => "removed",
        Some(before) if is_same(&before.markdown, &now.markdown) => "same",
        Some(_) => "changed",
    };
    let mut change = json!({
        "previousScrapeAt": before.map(|before| rfc3339(before.at)),
        "changeStatus": status,
        // A hidden page is one that no link leads to. Every page here was requested or linked.
        "visibility": "visible",
    });
    let (Some(before), Some(fields)) = (before, change.as_object_mut()) else { return (change, false) };
    let mut is_truncated = false;
    if modes.contains(&ChangeTrackingMode::GitDiff) && matches!(status, "changed" | "removed") {
        let diff;
        (diff, is_truncated) = diff::diff(&before.markdown, &now.markdown, interrupt);
        fields.insert("diff".to_owned(), diff);
    }
    if let Some(json) = now.json.as_ref().filter(|_| modes.contains(&ChangeTrackingMode::Json)) {
        fields.insert("json".to_owned(), changed_fields(before.json.as_ref(), json));
    }
    (change, is_truncated)
}

/// Compares texts with normalized white space: a run counts as one space, and leading and trailing space is
/// ignored. Order matters.
fn is_same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// The fields that differ, as `{field: {previous, current}}`.
fn changed_fields(before: Option<&Value>, now: &Value) -> Value {
    let empty = Map::new();
    let fields = |value: Option<&Value>| value.and_then(Value::as_object).cloned();
    let (before, now) = (fields(before).unwrap_or_else(|| empty.clone()), fields(Some(now)).unwrap_or(empty));
    let mut changed = Map::new();
    for field in before.keys().chain(now.keys()) {
        let (previous, current) = (before.get(field), now.get(field));
        if previous != current {
            changed.insert(field.clone(), json!({ "previous": previous, "current": current }));
        }
    }
    Value::Object(changed)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn scrape(markdown: &str, status: u16, json: Option<Value>) -> PastScrape {
        PastScrape { at: Duration::from_secs(60), status: Some(status), markdown: Arc::from(markdown), json }
    }

    fn change(before: Option<&PastScrape>, now: &PastScrape, modes: &[ChangeTrackingMode]) -> Value {
        describe_change(before, now, modes, &Interrupt::never()).0
    }

    fn status(before: Option<&PastScrape>, now: &PastScrape) -> String {
        change(before, now, &[])["changeStatus"].as_str().unwrap().to_owned()
    }

    #[test]
    fn white_space_does_not_count_and_order_does() {
        let before = scrape("one two\n\nthree", 200, None);
        assert_eq!(status(None, &before), "new");
        assert_eq!(status(Some(&before), &scrape(" one  two three\n", 200, None)), "same");
        assert_eq!(status(Some(&before), &scrape("two one three", 200, None)), "changed");
        assert_eq!(status(Some(&before), &scrape("onetwo three", 200, None)), "changed");
        assert_eq!(status(Some(&before), &scrape("not found", 404, None)), "removed");
        assert_eq!(status(Some(&scrape("x", 404, None)), &scrape("x", 404, None)), "same");
    }

    #[test]
    fn modes_select_the_details_of_a_change() {
        let before = scrape("a\nb", 200, Some(json!({"price": 1, "name": "x"})));
        let now = scrape("a\nc", 200, Some(json!({"price": 2, "name": "x", "new": true})));
        let both = change(Some(&before), &now, &[ChangeTrackingMode::GitDiff, ChangeTrackingMode::Json]);
        assert_eq!(both["previousScrapeAt"], "1970-01-01T00:01:00.000Z");
        assert!(both["diff"]["text"].as_str().unwrap().contains("-b\n+c\n"));
        let fields = json!({
            "price": { "previous": 1, "current": 2 },
            "new": { "previous": null, "current": true },
        });
        assert_eq!(both["json"], fields);
        assert_eq!(change(Some(&before), &now, &[]).get("diff"), None);
    }
}
