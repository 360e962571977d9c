//! Reads a list of records with a model, in calls for a bounded number of records.

use std::ops::Range;

use serde_json::Value;

use super::extractor::Coverage;
use super::matched_run::{MatchedRun, Row, agree, rows_at};
use super::record::PageRecord;
use super::record_run::RecordRun;
use super::row_schema::RowSchema;
use super::session::Session;
use super::{answer, prompt, prose};
use crate::bind::TargetField;
use crate::ground::LinkTable;
use crate::leaf::{Extraction, Leaf, child_pointer};
use crate::page::{Method, Page, truncate};
use crate::schema::{Field, Shape, ShapeKind, WireSchema};

/// Upper bound on the calls for one list.
pub const MAX_LIST_CALLS: usize = 400;
/// Upper bound on the records of one call.
pub const MAX_ROWS_PER_CALL: usize = 40;
/// Calls in a row without a result after which a run of records is taken for something other than the list.
const MAX_EMPTY_CALLS: usize = 2;
/// Upper bound on the page text of one call, in bytes.
const MAX_CALL_BYTES: usize = 24_000;

/// What was read of a list.
#[derive(Debug)]
pub(super) struct ExtractedList {
    pub(super) rows: Vec<Value>,
    pub(super) leaves: Vec<Leaf>,
    /// `None` for rows of running text, whose records cannot be counted.
    pub(super) coverage: Option<Coverage>,
}

/// Reads a list from the page.
///
/// The records of the page are counted before the first model call. Several runs of records may be the list.
/// They are tried in turn until one gives a row: first tables whose header names the requested fields, then
/// the largest run. If none gives a row, the text is read piece by piece. `known` are the rows of the page's
/// own evidence: their records are not asked for, and they come first in the result. `is_missing` says that
/// the evidence has no row, and that pages of this kind are not known to have none.
pub(super) async fn read(
    session: &Session<'_>,
    pointer: &str,
    fields: &[Field],
    known: Vec<Row>,
    is_missing: bool,
) -> Option<ExtractedList> {
    if known.is_empty() && !is_missing {
        return None;
    }
    let markdown = session.page.markdown.as_str();
    let row_schema = RowSchema::new(fields);
    let targets = row_schema.targets();
    let mut candidates = MatchedRun::read(markdown, &known);
    candidates.sort_by_key(|candidate| {
        std::cmp::Reverse(named_targets(markdown.get(candidate.run.header.clone()), &targets))
    });
    if candidates.is_empty() && !known.is_empty() {
        return None;
    }
    let mut calls = MAX_LIST_CALLS;
    // If the calls end early, the coverage reports the first candidate.
    let mut counted = candidates.first().map(|candidate| candidate.run.records.len());
    let mut gained: Vec<Row> = Vec::new();
    for candidate in candidates {
        let found = records(session, &row_schema, &targets, &candidate, &mut calls).await;
        let ended = session.is_stopped() || calls == 0;
        let has_row = |at: usize| {
            ended || candidate.is_known.get(at) == Some(&true) || found.get(at).is_some_and(Option::is_some)
        };
        let parts = candidate.run.count_parts(has_row);
        gained = found.into_iter().flatten().collect();
        if known.is_empty() && !ended && gained.iter().all(|(_, leaves)| session.is_heading(leaves)) {
            gained.clear();
            continue;
        }
        if !gained.is_empty() || !known.is_empty() {
            counted = Some(parts);
        }
        break;
    }
    if gained.is_empty() && known.is_empty() && !session.is_stopped() {
        gained = prose::read(session, &row_schema, &targets).await;
        counted = None;
    }
    // The model may repeat a row of the evidence whose record was not recognised.
    gained.retain(|(_, row)| known.iter().all(|(_, own)| !agree(own, row)));
    let mut rows = Vec::new();
    let mut leaves = Vec::new();
    for (row, row_leaves) in known.into_iter().chain(gained) {
        let row_pointer = child_pointer(pointer, &rows.len().to_string());
        for leaf in row_leaves {
            leaves.push(Leaf { pointer: format!("{row_pointer}{}", leaf.pointer), ..leaf });
        }
        rows.push(row);
    }
    let found = rows.len();
    let coverage =
        counted.map(|counted| Coverage { pointer: pointer.to_owned(), found, counted: counted.max(found) });
    Some(ExtractedList { rows, leaves, coverage })
}

/// Counts the targets that a table's header names.
fn named_targets(header: Option<&str>, targets: &[TargetField<'_>]) -> usize {
    let header = header.unwrap_or_default();
    let cells: Vec<String> = header.split('|').map(crate::bind::folded).collect();
    targets.iter().filter(|target| cells.iter().any(|cell| target.has_name(cell))).count()
}

/// Reads the records of a run that are not known yet: for each record, the row that states it.
///
/// Each call carries the records that are still open. A row counts for one record only, the one that states
/// its values, so neither a mistake nor a trick of the page makes a row appear twice. Records that the model
/// leaves out are asked for again as long as each round gains a row.
async fn records(
    session: &Session<'_>,
    row_schema: &RowSchema<'_>,
    targets: &[TargetField<'_>],
    candidate: &MatchedRun,
    calls: &mut usize,
) -> Vec<Option<Row>> {
    let markdown = session.page.markdown.as_str();
    let RecordRun { header, records, .. } = &candidate.run;
    let header = markdown.get(header.clone()).unwrap_or_default();
    let mut open = candidate.open();
    let mut found: Vec<Option<Row>> = records.iter().map(|_| None).collect();
    let (mut empty_calls, mut has_gained) = (0, candidate.is_known.contains(&true));
    while !open.is_empty() && *calls > 0 && (has_gained || empty_calls < MAX_EMPTY_CALLS) {
        *calls -= 1;
        let mut batch = Vec::new();
        let mut bytes = header.len();
        for at in open.iter().take(MAX_ROWS_PER_CALL) {
            let length = records.get(*at).map_or(0, Range::len).min(MAX_CALL_BYTES);
            if !batch.is_empty() && bytes + length > MAX_CALL_BYTES {
                break;
            }
            bytes += length;
            batch.push(*at);
        }
        let shown: Vec<(usize, PageRecord<'_>)> = batch
            .iter()
            .filter_map(|at| {
                Some((*at, PageRecord::new(markdown, records.get(*at)?.clone(), &session.page.url)?))
            })
            .collect();
        let mut links = LinkTable::default();
        let texts: Vec<&str> =
            shown.iter().map(|(_, record)| truncate(record.text, MAX_CALL_BYTES)).collect();
        let sent = links.replace(&format!("{header}\n{}", texts.join("\n")), &session.page.url);
        let note = format!(
            "The page text below has {} records. Give one row for each that is one of what is asked for, \
                in order.",
            batch.len()
        );
        let messages =
            prompt::messages(session.task.system_prompt, session.task.prompt, &row_schema.row, &note, &sent);
        let Some(text) = session.ask(messages, &row_schema.answer, targets.len() * batch.len()).await else {
            break;
        };
        let mut gained = 0;
        for row in answer::rows(&text, MAX_ROWS_PER_CALL * 2) {
            let row = WireSchema::restore(&row_schema.row, row);
            let best = shown
                .iter()
                .filter(|(at, _)| found.get(*at).is_some_and(Option::is_none))
                .map(|(at, record)| (*at, record.verify(session, &links, row_schema, targets, &row)))
                .filter(|(_, verified)| verified.is_supported())
                // Between equals the first one, as rows come in the order of the page.
                .min_by_key(|(at, verified)| (std::cmp::Reverse(verified.leaves.len()), *at));
            if let Some((at, verified)) = best
                && let Some(slot) = found.get_mut(at)
            {
                *slot = Some((verified.row, verified.leaves));
                gained += 1;
            }
        }
        if gained == 0 {
            // The model reads nothing from these records. The others are still worth a call.
            open.retain(|at| !batch.contains(at));
            empty_calls += 1;
        } else {
            open.retain(|at| found.get(*at).is_some_and(Option::is_none));
            has_gained = true;
        }
    }
    found
}

/// Adds the entities beyond the bound of a page to the counts of the lists that are read from entities.
pub(super) fn count_left_out_items(
    left_out: usize,
    shape: &Shape,
    found: &Extraction,
    coverage: &mut Vec<Coverage>,
) {
    if left_out == 0 {
        return;
    }
    for (pointer, _) in lists_of(shape).rows {
        let first = child_pointer(&child_pointer(&pointer, "0"), "");
        let is_of_entities = found.leaves.iter().any(|leaf| {
            leaf.pointer.starts_with(&first)
                && leaf.provenance.first().is_some_and(|proof| proof.method == Method::JsonLd)
        });
        let rows = found.data.pointer(&pointer).and_then(Value::as_array).map_or(0, Vec::len);
        if !is_of_entities {
            continue;
        }
        let counted = rows + left_out;
        match coverage.iter_mut().find(|list| list.pointer == pointer) {
            Some(known) => known.counted = known.counted.max(counted),
            None => coverage.push(Coverage { pointer, found: rows, counted }),
        }
    }
}

/// How much of each list the page's evidence gave, if the records of the page can be counted.
pub(super) fn coverage(page: &Page, shape: &Shape, found: &Extraction) -> Vec<Coverage> {
    let lists = lists_of(shape).rows;
    let counted = |(pointer, _): (String, &Shape)| {
        let known = rows_at(&found.data, &found.leaves, &pointer);
        let matched =
            MatchedRun::read(&page.markdown, &known).into_iter().next().filter(|_| !known.is_empty())?;
        let counted = matched.run.count_parts(|at| matched.is_known.get(at) == Some(&true));
        Some(Coverage { pointer, found: known.len(), counted: counted.max(known.len()) })
    };
    lists.into_iter().filter_map(counted).collect()
}

/// The lists of a shape, by their pointers.
#[derive(Debug, Default)]
pub(super) struct ShapeLists<'s> {
    /// Lists of objects, each with the shape of a row.
    pub(super) rows: Vec<(String, &'s Shape)>,
    /// Lists of plain values, each as a field with the shape of its values.
    pub(super) plain: Vec<(String, Field)>,
}

/// Finds the lists of a shape. Lists within rows are not included.
pub(super) fn lists_of(shape: &Shape) -> ShapeLists<'_> {
    let ShapeLists { rows: mut lists, mut plain } = ShapeLists::default();
    let mut waiting = vec![(String::new(), shape.fields())];
    match &shape.kind {
        ShapeKind::List(inner) if !inner.fields().is_empty() => lists.push((String::new(), &**inner)),
        ShapeKind::List(inner) if !inner.is_branch() => {
            plain.push((
                String::new(),
                Field { name: "value".to_owned(), shape: (**inner).clone(), required: true },
            ));
        }
        _ => {}
    }
    while let Some((pointer, fields)) = waiting.pop() {
        for field in fields {
            let child = child_pointer(&pointer, &field.name);
            match &field.shape.kind {
                ShapeKind::Object(inner) => waiting.push((child, inner)),
                ShapeKind::List(inner) if !inner.fields().is_empty() => lists.push((child, &**inner)),
                ShapeKind::List(inner) if !inner.is_branch() => {
                    let mut shape = (**inner).clone();
                    if shape.description.is_empty() {
                        shape.description.clone_from(&field.shape.description);
                    }
                    plain.push((child, Field { shape, ..field.clone() }));
                }
                _ => {}
            }
        }
    }
    ShapeLists { rows: lists, plain }
}
