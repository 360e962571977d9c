//! The worker process for PDFs: it converts a small one.

use serde_json::json;

use super::MAX_CHECK;
use super::finding::Finding;
use super::pages::Pages;
use crate::demo::LEAFLET;

const CHECK: &str = "pdf";

/// A part of the text of the file.
const WRITTEN: &str = "warm the pot";

const REMEDY: &str = "PDFs fail, other pages do not; the program must be able to start itself: install it \
                      again, and check the limits of memory (ulimit -v) and processes (ulimit -u)";

pub(super) fn late() -> Finding {
    Finding::broken(CHECK, format!("no PDF was converted within {} seconds", MAX_CHECK.as_secs()), REMEDY)
}

pub(super) async fn check(pages: &Pages) -> Vec<Finding> {
    let limit = u64::try_from(MAX_CHECK.as_millis()).unwrap_or(u64::MAX);
    vec![match pages.text(LEAFLET, json!({ "timeout": limit })).await {
        Ok(text) if text.contains(WRITTEN) => Finding::ok(CHECK, "a worker process converts PDFs"),
        Ok(_) => Finding::broken(CHECK, "the worker process lost the text of a PDF", REMEDY),
        Err(reason) => Finding::broken(CHECK, reason, REMEDY),
    }]
}
