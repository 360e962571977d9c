//! Rows of running text, of paragraphs or of cards: text without a run of records.

use hashbrown::HashSet;
use std::ops::Range;

use serde_json::Value;

use super::matched_run::Row;
use super::record::{PageRecord, VerifiedRow};
use super::row_schema::RowSchema;
use super::session::{Session, claim, piece_of};
use super::{answer, prompt};
use crate::bind::TargetField;
use crate::ground::{FoldedText, LinkTable};
use crate::page::char_boundary;
use crate::schema::{ShapeKind, WireSchema};

/// Upper bound on the calls for one list in running text.
pub const MAX_PROSE_CALLS: usize = 16;
/// Upper bound on the page text of one call, in bytes.
const MAX_PIECE_BYTES: usize = 16 << 10;
/// Upper bound on the rows of one call.
const MAX_ROWS: usize = 200;
/// Number of rows that the answer's token limit allows for.
const EXPECTED_ROWS: usize = 10;
/// Upper bound on the text of a row on each side of its name, in bytes.
const MAX_NEAR_BYTES: usize = 800;
/// Lower bound on the letters and digits of the rest of a page for another call.
const MIN_REST_CHARS: usize = 40;

/// Reads rows from the page piece by piece. Each piece starts behind the last row of the answer before.
///
/// Rows of running text cannot be counted. A row is verified against the text around its name, from the last
/// value of the previous row to the name of the next row, so that it takes no value of another row. A name
/// that occurs once gives one row.
pub(super) async fn read(
    session: &Session<'_>,
    row_schema: &RowSchema<'_>,
    targets: &[TargetField<'_>],
) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::new();
    let mut offset = 0;
    for _ in 0..MAX_PROSE_CALLS {
        let Some(rest) = session.page.markdown.get(offset..) else { break };
        if rest.chars().filter(|found| found.is_alphanumeric()).take(MIN_REST_CHARS).count() < MIN_REST_CHARS
        {
            break;
        }
        let piece = piece_of(rest, session.chunk_bytes().min(MAX_PIECE_BYTES));
        let mut links = LinkTable::default();
        let sent = links.replace(piece, &session.page.url);
        let note = "Give one row for each such thing that the text is about or lists, in its order, and no \
            rows where there is none.";
        let messages =
            prompt::messages(session.task.system_prompt, session.task.prompt, &row_schema.row, note, &sent);
        let places = targets.len().max(1) * EXPECTED_ROWS;
        let Some(text) = session.ask(messages, &row_schema.answer, places).await else { break };
        let rows = answer::rows(&text, MAX_ROWS);
        let rows: Vec<Value> =
            rows.into_iter().map(|row| WireSchema::restore(&row_schema.row, row)).collect();
        let (verified, reached) = rows_of_piece(session, row_schema, targets, &links, (piece, offset), &rows);
        let gained = !verified.is_empty();
        out.extend(verified);
        offset += if gained { reached.max(1) } else { piece.len().max(1) };
        offset = char_boundary(&session.page.markdown, offset);
    }
    if let [(_, only)] = out.as_slice()
        && session.is_heading(only)
    {
        out.clear();
    }
    out
}

/// The rows of an answer that the piece states, and the offset in the piece that the last of them reaches.
fn rows_of_piece(
    session: &Session<'_>,
    row_schema: &RowSchema<'_>,
    targets: &[TargetField<'_>],
    links: &LinkTable,
    (piece, offset): (&str, usize),
    rows: &[Value],
) -> (Vec<Row>, usize) {
    let folded = FoldedText::new(piece);
    // The position of each row's name, in the order of the rows.
    let mut anchors: Vec<(&Value, Range<usize>)> = Vec::new();
    let mut seen: HashSet<usize> = HashSet::new();
    let mut from = 0;
    for row in rows {
        let Some(anchor) = anchor(&folded, targets, row, from) else { continue };
        if seen.insert(anchor.start) {
            from = anchor.end;
            anchors.push((row, anchor));
        }
    }
    anchors.sort_by_key(|(_, anchor)| anchor.start);
    let starts: Vec<usize> = anchors.iter().map(|(_, anchor)| anchor.start).collect();
    let mut out = Vec::new();
    let (mut reached, mut last_name) = (0, 0);
    for (at, (row, anchor)) in anchors.into_iter().enumerate() {
        let next = starts.get(at + 1).copied().unwrap_or(piece.len());
        let end = char_boundary(piece, next.min(anchor.end.saturating_add(MAX_NEAR_BYTES)));
        // Values may precede the name, but only behind the last value of the previous row.
        let before = anchor.start.saturating_sub(MAX_NEAR_BYTES).max(reached).max(last_name);
        let before = char_boundary(piece, before.min(anchor.start));
        last_name = anchor.end;
        let verified_rows = [anchor.start, before].into_iter().filter_map(|start| {
            let range = start + offset..end + offset;
            let record = PageRecord::new(&session.page.markdown, range, &session.page.url)?;
            Some(record.verify(session, links, row_schema, targets, row)).filter(VerifiedRow::is_supported)
        });
        // Between equals the first: the text behind the name.
        let Some(verified) = verified_rows.min_by_key(|verified| std::cmp::Reverse(verified.leaves.len()))
        else {
            continue;
        };
        let proofs = verified.leaves.iter().flat_map(|leaf| &leaf.provenance);
        let ends = proofs.filter_map(|proof| Some(proof.span.as_ref()?.end.saturating_sub(offset)));
        reached = ends.max().unwrap_or(anchor.end).max(reached);
        out.push((verified.row, verified.leaves));
    }
    (out, reached.min(piece.len()))
}

/// The position of the value that identifies a row best: its name, else its first text, else its first value.
fn anchor(
    folded: &FoldedText,
    targets: &[TargetField<'_>],
    row: &Value,
    from: usize,
) -> Option<Range<usize>> {
    let rank = |target: &TargetField<'_>| match target.shape.kind {
        _ if target.has_concept("name") => 0,
        ShapeKind::Text | ShapeKind::Any => 1,
        ShapeKind::Boolean => 3,
        _ => 2,
    };
    let mut ranked: Vec<&TargetField<'_>> = targets.iter().collect();
    ranked.sort_by_key(|target| rank(target));
    ranked.into_iter().find_map(|target| {
        let (value, quote) = claim(row.pointer(&target.pointer)?);
        let quote = quote.map(str::trim).filter(|quote| !quote.is_empty());
        let text = quote.or_else(|| value.as_str()).filter(|_| !value.is_null())?;
        folded.find(text, from)
    })
}
