//! Assembles the result of a job from its pages, with a warning about what is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_extract::{
    Cardinality, ExecutionPlan, Extraction, Merged, Missing, MissingReason, Shape, inferred_fields, merge,
};
use gleaner_types::{ErrorCode, Interrupt, PageError, SafeUrl};
use tokio::sync::Semaphore;

use super::blocking::blocking;
use super::job::Job;
use super::reader::{ReadPage, Reader};
use super::result::{ExtractResult, PageCoverage, PageReport};

/// Maximum notes in a warning.
const MAX_NOTES: usize = 8;
/// Maximum names of empty fields in a warning.
const MAX_NAMES: usize = 10;

/// The result of a job, or the reason why no page could be read.
pub(super) async fn assemble(reader: Reader<'_>, shape: &Shape) -> Result<ExtractResult, PageError> {
    let (request, plan, job, slots) = (reader.request(), reader.plan(), reader.job(), reader.slots());
    if reader.pages.is_empty() {
        return Err(no_page_error(reader, job));
    }
    let Reader { pages, failed, over_limit, over_budget, mut notes, acts, .. } = reader;
    if over_limit > 0 {
        notes.push(format!("{over_limit} more pages were known: the limit is {}", plan.page_limit));
    }
    if over_budget > 0 {
        notes.push(format!("{over_budget} more pages were known: the budget ended before them"));
    }
    notes.extend(failed.iter().map(|(url, error)| failure_note(url, error)));
    let mut result = merge_pages(pages, shape, job, slots, notes, request.show_sources).await?;
    let mut plan = plan.clone();
    plan.reasons.extend(acts);
    if let Some(note) = single_object_note(&result, &plan) {
        result.warning = to_warning(std::iter::once(note).chain(result.warning.take()).collect());
    }
    result.plan = Some(plan);
    let failed = failed.into_iter().map(|(url, error)| PageReport {
        url,
        values: 0,
        by_template: 0,
        calls: 0,
        drift: None,
        error: Some(error),
    });
    result.pages.extend(failed);
    Ok(result)
}

/// At least this many values are merged on a blocking thread.
const MANY_VALUES: usize = 1_000;

/// Merges the values of all pages.
async fn merge_pages(
    pages: Vec<ReadPage>,
    shape: &Shape,
    job: &Job,
    slots: &Arc<Semaphore>,
    mut notes: Vec<String>,
    show_sources: bool,
) -> Result<ExtractResult, PageError> {
    let mut result = ExtractResult::default();
    let several = pages.len() > 1;
    let mut extractions: Vec<Extraction> = Vec::with_capacity(pages.len());
    let mut failure = None;
    for ReadPage { url, result: page, by_template, drift, warning } in pages {
        let values = page.extraction.leaves.len();
        let report =
            PageReport { url: url.clone(), values, by_template, calls: page.calls, drift, error: None };
        result.pages.push(report);
        // The warning of a page may explain why it has no values.
        notes.extend(warning.filter(|_| values == 0).map(|warning| format!("{url}: {warning}")));
        result.coverage.extend(page.coverage.into_iter().map(|list| PageCoverage {
            url: url.clone(),
            pointer: list.pointer,
            found: list.found,
            counted: list.counted,
        }));
        failure = failure.or(page.stopped);
        extractions.push(page.extraction);
    }
    let missing: Vec<Missing> = extractions.iter().flat_map(|page| page.missing.clone()).collect();
    let values: usize = extractions.iter().map(|page| page.leaves.len() + page.missing.len()).sum();
    let shape = shape.clone();
    let merging = async move {
        let merged = merge(extractions, &shape);
        let missing = missing_everywhere(missing, &merged);
        let sources = show_sources.then(|| merged.sources());
        (merged, missing, sources)
    };
    let merged;
    (merged, result.missing, result.sources) = if values < MANY_VALUES {
        merging.await
    } else {
        blocking(slots, &Interrupt::never(), merging).await?
    };
    (result.data, result.leaves, result.conflicts) = (merged.data, merged.leaves, merged.conflicts);
    result.stopped = job.ledger.stopped();
    result.spent = job.ledger.spent();
    result.ledger = job.ledger.entries();
    result.tokens_used = result.spent.tokens;

    let mut warnings = Vec::new();
    warnings.extend(empty_fields(&result.missing, several));
    warnings.extend(incomplete_lists(&result.coverage));
    let inferred = result.leaves.iter().filter(|leaf| leaf.is_inferred());
    let inferred: Vec<String> = inferred.map(|leaf| field_name(&with_any_row(&leaf.pointer))).collect();
    warnings.extend(inferred_fields(inferred.iter().map(String::as_str)));
    warnings.extend(result.stopped.map(|stop| stop.to_string()));
    // The budget of the job is already in the warning.
    warnings.extend(
        failure
            .filter(|error| !error.is_over_budget() || result.stopped.is_none())
            .map(|error| error.to_string()),
    );
    warnings.append(&mut notes);
    result.warning = to_warning(warnings);
    Ok(result)
}

/// Why a page was not read. The note names its URL once.
fn failure_note(url: &SafeUrl, error: &PageError) -> String {
    let url = url.to_string();
    if error.message.contains(&url) {
        return error.message.clone();
    }
    format!("{url} was not read: {}", error.message)
}

/// A note if the schema merges pages about different things into one object, a common mistake with wildcards.
fn single_object_note(result: &ExtractResult, plan: &ExecutionPlan) -> Option<String> {
    if plan.cardinality != Cardinality::One {
        return None;
    }
    let pages = result.pages.iter().filter(|page| page.values > 0).count();
    let differing: BTreeSet<&str> = result.conflicts.iter().map(|conflict| conflict.url.as_str()).collect();
    // Pages that complement each other seldom differ.
    (pages > 1 && differing.len() * 2 >= pages).then(|| {
        format!(
            "the schema has no list of objects, so all {pages} pages add to one object; for one object per \
             page put the schema into a list: {{\"type\":\"array\",\"items\":{{...}}}}"
        )
    })
}

/// Why there is no result.
fn no_page_error(reader: Reader<'_>, job: &Job) -> PageError {
    let site_error = |message| PageError { code: ErrorCode::ScrapeSiteError, message };
    let note = reader.notes.into_iter().next();
    if let Some((_, error)) = reader.failed.into_iter().next() {
        return error;
    }
    if let Some(stop) = job.ledger.stopped() {
        return site_error(format!("no page was read: {stop}"));
    }
    site_error(note.unwrap_or_else(|| "no page was found".to_owned()))
}

/// The fields that no page fills, each once. A field of a row counts if no row fills it.
fn missing_everywhere(missing: Vec<Missing>, merged: &Merged) -> Vec<Missing> {
    let mut filled: BTreeSet<String> = BTreeSet::new();
    for leaf in &merged.leaves {
        let mut pointer = with_any_row(&leaf.pointer);
        // A value also fills the objects and lists around it.
        while filled.insert(pointer.clone()) {
            let Some((parent, _)) = pointer.rsplit_once('/') else { break };
            pointer = parent.to_owned();
        }
    }
    // Of several pages, one that may state the field says more than one that does not.
    let mut empty: BTreeMap<String, Missing> = BTreeMap::new();
    let mut order = Vec::new();
    for field in missing {
        let pointer = with_any_row(&field.pointer);
        if filled.contains(&pointer) {
            continue;
        }
        match empty.get_mut(&pointer) {
            Some(known) if known.reason == MissingReason::NotFound => known.reason = field.reason,
            Some(_) => {}
            None => {
                order.push(pointer.clone());
                empty.insert(pointer.clone(), Missing::new(pointer, field.reason));
            }
        }
    }
    order.iter().filter_map(|pointer| empty.remove(pointer)).collect()
}

/// A pointer with the rows of lists written as `*`.
pub(super) fn with_any_row(pointer: &str) -> String {
    let is_row = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    pointer.split('/').map(|part| if is_row(part) { "*" } else { part }).collect::<Vec<_>>().join("/")
}

/// The readable form of a pointer: `offers.price`.
pub(super) fn field_name(pointer: &str) -> String {
    let parts = pointer.split('/').filter(|part| !part.is_empty() && *part != "*");
    let parts: Vec<String> = parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    if parts.is_empty() { "rows".to_owned() } else { parts.join(".") }
}

/// A sentence for each reason, with the names of the fields that are empty for it.
fn empty_fields(missing: &[Missing], several: bool) -> Vec<String> {
    let mut by_reason: Vec<(&str, Vec<String>)> = Vec::new();
    for missing in missing {
        let reason = match missing.reason {
            MissingReason::NotFound if several => "not found on any page",
            reason => reason.text(),
        };
        let name = field_name(&missing.pointer);
        match by_reason.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((reason, vec![name])),
        }
    }
    let sentences = by_reason.into_iter().map(|(reason, mut names)| {
        let more = names.len().saturating_sub(MAX_NAMES);
        names.truncate(MAX_NAMES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{reason}: {}{more}", names.join(", "))
    });
    sentences.collect()
}

/// For each incomplete list, how many of its rows were found.
fn incomplete_lists(coverage: &[PageCoverage]) -> Vec<String> {
    let mut lists: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for list in coverage {
        let rows = lists.entry(&list.pointer).or_default();
        *rows = (rows.0 + list.found, rows.1 + list.counted);
    }
    let incomplete = lists.into_iter().filter(|(_, (found, counted))| found < counted);
    incomplete
        .map(|(list, (found, counted))| format!("{}: {found} of {counted} rows", field_name(list)))
        .collect()
}

/// Joins distinct notes to a warning.
fn to_warning(mut notes: Vec<String>) -> Option<String> {
    let mut seen = BTreeSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    let more = notes.len().saturating_sub(MAX_NOTES);
    notes.truncate(MAX_NOTES);
    if more > 0 {
        notes.push(format!("and {more} more notes"));
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_extract::Leaf;
    use serde_json::Value;

    #[test]
    fn a_field_is_empty_if_no_page_fills_it() {
        let leaf = |pointer: &str| Leaf::new(pointer, Value::Null, Vec::new(), 1.0);
        let merged = Merged {
            data: Value::Null,
            leaves: vec![leaf("/name"), leaf("/jobs/3/title")],
            conflicts: Vec::new(),
        };
        let missing = ["/jobs", "/name", "/jobs/0/salary", "/jobs/1/salary", "/jobs/0/title", "/phone"];
        let missing = missing.map(|pointer| Missing::new(pointer, MissingReason::NotFound));
        let empty = missing_everywhere(missing.into(), &merged);
        let pointers: Vec<&str> = empty.iter().map(|missing| missing.pointer.as_str()).collect();
        assert_eq!(pointers, ["/jobs/*/salary", "/phone"]);
        assert_eq!(empty_fields(&empty, true), ["not found on any page: jobs.salary, phone"]);
    }

    #[test]
    fn an_empty_field_has_the_reason_that_says_most_and_the_note_agrees() {
        let missing = |pointer: &str, reason| Missing::new(pointer, reason);
        let (not_found, unsure) = (MissingReason::NotFound, MissingReason::Unsure);
        let merged = Merged { data: Value::Null, leaves: Vec::new(), conflicts: Vec::new() };
        let fields = [("/name", not_found), ("/phone", not_found), ("/name", unsure), ("/name", not_found)];
        let fields = fields.map(|(pointer, reason)| missing(pointer, reason));
        let empty = missing_everywhere(fields.into(), &merged);
        assert_eq!(empty, [missing("/name", unsure), missing("/phone", not_found)]);
        assert_eq!(
            empty_fields(&empty, false),
            ["not stated surely enough: name", "not found on the page: phone"]
        );
    }

    #[test]
    fn incomplete_lists_are_reported_with_their_counts() {
        let list = |pointer: &str, found, counted| PageCoverage {
            url: SafeUrl::from("https://a.example/".parse::<url::Url>().unwrap()),
            pointer: pointer.to_owned(),
            found,
            counted,
        };
        let notes = incomplete_lists(&[list("/jobs", 200, 200), list("/jobs", 35, 83), list("/tags", 5, 5)]);
        assert_eq!(notes, ["jobs: 235 of 283 rows"]);
        assert_eq!(incomplete_lists(&[list("", 1, 2)]), ["rows: 1 of 2 rows"]);
    }
}
