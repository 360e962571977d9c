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

/// Calls for one list.
pub const MAX_LIST_CALLS: usize = 400;
/// Records that one call asks for.
pub const MAX_ROWS_PER_CALL: usize = 40;
/// Calls without a row after which a run of records counts as something else than the list.
const MAX_BARREN_CALLS: usize = 2;
/// Bytes of page text that one call carries.
const MAX_CALL_BYTES: usize = 24_000;

/// A list as far as it was read.
#[derive(Debug)]
pub(super) struct ExtractedList {
    pub(super) rows: Vec<Value>,
    pub(super) leaves: Vec<Leaf>,
    /// `None` where the rows stand in running text, whose records nothing counts.
    pub(super) coverage: Option<Coverage>,
}

/// Reads a list off the page.
///
/// The records of the page are counted before the model is asked. Which of its runs of records is the list is not known, so they are tried in
/// turn, tables first whose header names what is asked for, then the largest, until one gives a row; where none does, the text is read piece by
/// piece. `known` are the rows that the page's own evidence gave: their records are not asked for, and they come first in the result.
/// `is_missing` tells that there are none, and that it is not known already that pages of this kind have none.
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
    let mut runs = MatchedRun::read(markdown, &known);
    runs.sort_by_key(|run| std::cmp::Reverse(named(markdown.get(run.run.header.clone()), &targets)));
    if runs.is_empty() && !known.is_empty() {
        return None;
    }
    let mut calls = MAX_LIST_CALLS;
    // Where the calls end early, it is told what they would have been about.
    let mut counted = runs.first().map(|run| run.run.records.len());
    let mut gained: Vec<Row> = Vec::new();
    for run in runs {
        let found = records(session, &row_schema, &targets, &run, &mut calls).await;
        let ended = session.is_stopped() || calls == 0;
        let gives = |at: usize| {
            ended || run.known_flags.get(at) == Some(&true) || found.get(at).is_some_and(Option::is_some)
        };
        let parts = run.run.count_parts(gives);
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
    // A row of the evidence whose record was not recognised may have been read once more.
    gained.retain(|(_, row)| known.iter().all(|(_, own)| !agree(own, row)));
    let mut rows = Vec::new();
    let mut leaves = Vec::new();
    for (row, row_leaves) in known.into_iter().chain(gained) {
        let here = child_pointer(pointer, &rows.len().to_string());
        for leaf in row_leaves {
            leaves.push(Leaf { pointer: format!("{here}{}", leaf.pointer), ..leaf });
        }
        rows.push(row);
    }
    let found = rows.len();
    let coverage =
        counted.map(|counted| Coverage { pointer: pointer.to_owned(), found, counted: counted.max(found) });
    Some(ExtractedList { rows, leaves, coverage })
}

/// How many of the values a table's header names.
fn named(header: Option<&str>, targets: &[TargetField<'_>]) -> usize {
    let header = header.unwrap_or_default();
    let cells: Vec<String> = header.split('|').map(crate::bind::folded).collect();
    targets.iter().filter(|target| cells.iter().any(|cell| target.has_name(cell))).count()
}

/// Reads the open records of a run: for each, the row that states it.
///
/// Each call carries those that are still open; a row counts for the one record that states its values, so that a row can come twice neither by
/// mistake nor by a page's trick. Records that the model leaves out are asked for again as long as any call gains one.
async fn records(
    session: &Session<'_>,
    row_schema: &RowSchema<'_>,
    targets: &[TargetField<'_>],
    run: &MatchedRun,
    calls: &mut usize,
) -> Vec<Option<Row>> {
    let markdown = session.page.markdown.as_str();
    let RecordRun { header, records, .. } = &run.run;
    let header = markdown.get(header.clone()).unwrap_or_default();
    let mut open = run.open();
    let mut found: Vec<Option<Row>> = records.iter().map(|_| None).collect();
    let (mut barren, mut any) = (0, run.known_flags.contains(&true));
    while !open.is_empty() && *calls > 0 && (any || barren < MAX_BARREN_CALLS) {
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
            "The page text below has {} records. Give one row for each that is one of what is asked for, in order.",
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
                .filter(|(_, verified)| verified.holds())
                // The first of equals, as rows come in order.
                .min_by_key(|(at, verified)| (std::cmp::Reverse(verified.leaves.len()), *at));
            if let Some((at, verified)) = best
                && let Some(place) = found.get_mut(at)
            {
                *place = Some((verified.row, verified.leaves));
                gained += 1;
            }
        }
        if gained == 0 {
            // The model has nothing to say about these; the rest is still worth asking for.
            open.retain(|at| !batch.contains(at));
            barren += 1;
        } else {
            open.retain(|at| found.get(*at).is_some_and(Option::is_none));
            any = true;
        }
    }
    found
}

/// Adds the entities that a page has beyond the bound to what was counted of the lists that are read off entities.
pub(super) fn count_left_out_items(
    cut: usize,
    shape: &Shape,
    found: &Extraction,
    coverage: &mut Vec<Coverage>,
) {
    if cut == 0 {
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
        let counted = rows + cut;
        match coverage.iter_mut().find(|list| list.pointer == pointer) {
            Some(known) => known.counted = known.counted.max(counted),
            None => coverage.push(Coverage { pointer, found: rows, counted }),
        }
    }
}

/// How much of each list a page's evidence gave, where its records can be counted.
pub(super) fn coverage(page: &Page, shape: &Shape, found: &Extraction) -> Vec<Coverage> {
    let lists = lists_of(shape).rows;
    let counted = |(pointer, _): (String, &Shape)| {
        let known = rows_at(&found.data, &found.leaves, &pointer);
        let run =
            MatchedRun::read(&page.markdown, &known).into_iter().next().filter(|_| !known.is_empty())?;
        let counted = run.run.count_parts(|at| run.known_flags.get(at) == Some(&true));
        Some(Coverage { pointer, found: known.len(), counted: counted.max(known.len()) })
    };
    lists.into_iter().filter_map(counted).collect()
}

/// The lists that a shape asks for, by their pointers.
#[derive(Debug, Default)]
pub(super) struct ShapeLists<'s> {
    /// Lists of objects, each with the shape of a row.
    pub(super) rows: Vec<(String, &'s Shape)>,
    /// Lists of plain values, each as a field of its values' shape.
    pub(super) plain: Vec<(String, Field)>,
}

/// Finds the lists of a shape, those of rows aside.
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
            let here = child_pointer(&pointer, &field.name);
            match &field.shape.kind {
                ShapeKind::Object(inner) => waiting.push((here, inner)),
                ShapeKind::List(inner) if !inner.fields().is_empty() => lists.push((here, &**inner)),
                ShapeKind::List(inner) if !inner.is_branch() => {
                    let mut shape = (**inner).clone();
                    if shape.description.is_empty() {
                        shape.description.clone_from(&field.shape.description);
                    }
                    plain.push((here, Field { shape, ..field.clone() }));
                }
                _ => {}
            }
        }
    }
    ShapeLists { rows: lists, plain }
}
