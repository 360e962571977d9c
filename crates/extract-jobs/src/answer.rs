//! From pages to the answer of a job: one result, and what its reader should know.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_extract::{
    Cardinality, ExecutionPlan, Extraction, Merged, Missing, Shape, inferred_fields, merge,
};
use gleaner_types::{ErrorCode, Interrupt, PageError, SafeUrl};
use tokio::sync::Semaphore;

use super::blocking::blocking;
use super::job::Job;
use super::reader::{ReadPage, Reader};
use super::result::{ExtractResult, PageCoverage, PageReport};

/// Most reasons that a warning tells.
const MAX_NOTES: usize = 8;
/// Most names of empty places that a warning tells.
const MAX_NAMES: usize = 10;

/// The answer of a job, or where no page could be read, why.
pub(super) async fn of_pages(reader: Reader<'_>, shape: &Shape) -> Result<ExtractResult, PageError> {
    let (request, plan, job, places) = (reader.request(), reader.plan(), reader.job(), reader.places());
    if reader.pages.is_empty() {
        return Err(no_page(reader, job));
    }
    let Reader { pages, failed, left_out, unpaid, mut notes, .. } = reader;
    if left_out > 0 {
        notes.push(format!("{left_out} more pages were known: the limit is {}", plan.page_limit));
    }
    if unpaid > 0 {
        notes.push(format!("{unpaid} more pages were known: the budget ended before them"));
    }
    notes.extend(failed.iter().map(|(url, error)| not_read(url, error)));
    let mut result = of_read(pages, shape, job, places, notes, request.show_sources).await?;
    result.plan = Some(plan.clone());
    if let Some(note) = one_object(&result, plan) {
        result.warning = as_warning(std::iter::once(note).chain(result.warning.take()).collect());
    }
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

/// Values of all pages from which on they are put together on a thread for blocking work.
const MANY_VALUES: usize = 1_000;

/// What was read off pages, put together.
async fn of_read(
    pages: Vec<ReadPage>,
    shape: &Shape,
    job: &Job,
    places: &Arc<Semaphore>,
    mut notes: Vec<String>,
    show_sources: bool,
) -> Result<ExtractResult, PageError> {
    let mut result = ExtractResult::default();
    let several = pages.len() > 1;
    let mut extractions: Vec<Extraction> = Vec::with_capacity(pages.len());
    let mut failure = None;
    for ReadPage { url, found, by_template, drift, remark } in pages {
        let values = found.extraction.leaves.len();
        let report =
            PageReport { url: url.clone(), values, by_template, calls: found.calls, drift, error: None };
        result.pages.push(report);
        // A page that says nothing may say why.
        notes.extend(remark.filter(|_| values == 0).map(|remark| format!("{url}: {remark}")));
        result.coverage.extend(found.coverage.into_iter().map(|list| PageCoverage {
            url: url.clone(),
            pointer: list.pointer,
            found: list.found,
            counted: list.counted,
        }));
        failure = failure.or(found.stopped);
        extractions.push(found.extraction);
    }
    let missing: Vec<Missing> = extractions.iter().flat_map(|page| page.missing.clone()).collect();
    let values: usize = extractions.iter().map(|page| page.leaves.len() + page.missing.len()).sum();
    let shape = shape.clone();
    let merging = async move {
        let merged = merge(extractions, &shape);
        let missing = nowhere(missing, &merged);
        let sources = show_sources.then(|| merged.sources());
        (merged, missing, sources)
    };
    let merged;
    (merged, result.missing, result.sources) = if values < MANY_VALUES {
        merging.await
    } else {
        blocking(places, &Interrupt::never(), merging).await?
    };
    (result.data, result.leaves, result.conflicts) = (merged.data, merged.leaves, merged.conflicts);
    result.stopped = job.ledger.stopped();
    result.spent = job.ledger.spent();
    result.ledger = job.ledger.entries();
    result.tokens_used = result.spent.tokens;

    let mut told = Vec::new();
    told.extend(empty_places(&result.missing, several));
    told.extend(short_lists(&result.coverage));
    let inferred = result.leaves.iter().filter(|leaf| leaf.is_inferred());
    let inferred: Vec<String> = inferred.map(|leaf| spoken(&of_any_row(&leaf.pointer))).collect();
    told.extend(inferred_fields(inferred.iter().map(String::as_str)));
    told.extend(result.stopped.map(|stop| stop.to_string()));
    // What stopped a page is mostly the budget, which has been told then.
    told.extend(
        failure
            .filter(|error| !error.is_over_budget() || result.stopped.is_none())
            .map(|error| error.to_string()),
    );
    told.append(&mut notes);
    result.warning = as_warning(told);
    Ok(result)
}

/// Why a page was not read, with its address once.
fn not_read(url: &SafeUrl, error: &PageError) -> String {
    let url = url.to_string();
    if error.message.contains(&url) {
        return error.message.clone();
    }
    format!("{url} was not read: {}", error.message)
}

/// Says so where pages about different things were put into one object, as the schema has it: the commonest
/// surprise of a wildcard.
fn one_object(result: &ExtractResult, plan: &ExecutionPlan) -> Option<String> {
    if plan.cardinality != Cardinality::One {
        return None;
    }
    let pages = result.pages.iter().filter(|page| page.values > 0).count();
    let differing: BTreeSet<&str> = result.conflicts.iter().map(|conflict| conflict.url.as_str()).collect();
    // Pages that add to each other seldom differ.
    (pages > 1 && differing.len() * 2 >= pages).then(|| {
        format!(
            "the schema has no list of objects, so all {pages} pages add to one object; for an object of each page ask for a list: \
             {{\"type\":\"array\",\"items\":{{...}}}} round the schema"
        )
    })
}

/// Why there is nothing to answer with.
fn no_page(reader: Reader<'_>, job: &Job) -> PageError {
    let site_error = |message| PageError { code: ErrorCode::ScrapeSiteError, message };
    let note = reader.notes.into_iter().next();
    if let Some((_, error)) = reader.failed.into_iter().next() {
        return error;
    }
    if let Some(stop) = job.ledger.stopped() {
        return site_error(format!("no page was read: {stop}"));
    }
    site_error(note.unwrap_or_else(|| "no page was found to read".to_owned()))
}

/// The empty places that no page fills, each once. A place of a row is empty where no row fills it.
fn nowhere(missing: Vec<Missing>, merged: &Merged) -> Vec<Missing> {
    let mut filled: BTreeSet<String> = BTreeSet::new();
    for leaf in &merged.leaves {
        let mut place = of_any_row(&leaf.pointer);
        // A list with rows is filled, and so is whatever a value stands in.
        while filled.insert(place.clone()) {
            let Some((above, _)) = place.rsplit_once('/') else { break };
            place = above.to_owned();
        }
    }
    let mut empty: BTreeMap<String, Missing> = BTreeMap::new();
    let mut order = Vec::new();
    for one in missing {
        let pointer = of_any_row(&one.pointer);
        if !filled.contains(&pointer) && !empty.contains_key(&pointer) {
            order.push(pointer.clone());
            empty.insert(pointer.clone(), Missing { pointer, reason: one.reason });
        }
    }
    order.iter().filter_map(|pointer| empty.remove(pointer)).collect()
}

/// A pointer with the rows of lists written as `*`.
fn of_any_row(pointer: &str) -> String {
    let is_row = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    pointer.split('/').map(|part| if is_row(part) { "*" } else { part }).collect::<Vec<_>>().join("/")
}

/// A pointer as a person writes it: `offers.price`.
fn spoken(pointer: &str) -> String {
    let parts = pointer.split('/').filter(|part| !part.is_empty() && *part != "*");
    let parts: Vec<String> = parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    if parts.is_empty() { "rows".to_owned() } else { parts.join(".") }
}

fn empty_places(missing: &[Missing], several: bool) -> Option<String> {
    let names: Vec<String> = missing.iter().map(|missing| spoken(&missing.pointer)).take(MAX_NAMES).collect();
    let more = missing.len().saturating_sub(names.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let on = if several { "any page" } else { "the page" };
    (!names.is_empty()).then(|| format!("not found on {on}: {}{more}", names.join(", ")))
}

/// For each list of which rows lack, how many of how many there are.
fn short_lists(coverage: &[PageCoverage]) -> Vec<String> {
    let mut lists: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for list in coverage {
        let known = lists.entry(&list.pointer).or_default();
        *known = (known.0 + list.found, known.1 + list.counted);
    }
    let short = lists.into_iter().filter(|(_, (found, counted))| found < counted);
    short.map(|(list, (found, counted))| format!("{}: {found} of {counted} rows", spoken(list))).collect()
}

fn as_warning(mut told: Vec<String>) -> Option<String> {
    let mut seen = BTreeSet::new();
    told.retain(|note| seen.insert(note.clone()));
    let more = told.len().saturating_sub(MAX_NOTES);
    told.truncate(MAX_NOTES);
    if more > 0 {
        told.push(format!("and {more} more remarks"));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_extract::{Leaf, MissingReason};
    use serde_json::Value;

    #[test]
    fn a_place_is_empty_where_no_page_fills_it() {
        let leaf = |pointer: &str| Leaf {
            pointer: pointer.to_owned(),
            value: Value::Null,
            provenance: Vec::new(),
            confidence: 1.0,
        };
        let merged = Merged {
            data: Value::Null,
            leaves: vec![leaf("/name"), leaf("/jobs/3/title")],
            conflicts: Vec::new(),
        };
        let missing = ["/jobs", "/name", "/jobs/0/salary", "/jobs/1/salary", "/jobs/0/title", "/phone"];
        let missing =
            missing.map(|pointer| Missing { pointer: pointer.to_owned(), reason: MissingReason::NotFound });
        let empty = nowhere(missing.into(), &merged);
        let places: Vec<&str> = empty.iter().map(|missing| missing.pointer.as_str()).collect();
        assert_eq!(places, ["/jobs/*/salary", "/phone"]);
        assert_eq!(empty_places(&empty, true).as_deref(), Some("not found on any page: jobs.salary, phone"));
    }

    #[test]
    fn lists_that_lack_rows_say_how_many() {
        let list = |pointer: &str, found, counted| PageCoverage {
            url: SafeUrl::from("https://a.example/".parse::<url::Url>().unwrap()),
            pointer: pointer.to_owned(),
            found,
            counted,
        };
        let told = short_lists(&[list("/jobs", 200, 200), list("/jobs", 35, 83), list("/tags", 5, 5)]);
        assert_eq!(told, ["jobs: 235 of 283 rows"]);
        assert_eq!(short_lists(&[list("", 1, 2)]), ["rows: 1 of 2 rows"]);
    }
}
