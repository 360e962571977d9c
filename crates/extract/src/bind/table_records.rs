//! Records of tables: one for each row under a header, or one for each column beside a column of labels.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use serde_json::Value;

use super::pool::{Candidate, Record};
use super::target::{NameIndex, TargetField};
use super::words::{folded, words};
use crate::evidence::{Cell, Evidence, Table};
use crate::normalise::{ValueForm, normalise, normalise_labelled};
use crate::page::Method;
use crate::typed::{NumberStyle, style_shown};

/// Longest cell that is used unchanged because its header names the property, in bytes.
const MAX_RAW_CELL_BYTES: usize = 60;
/// Upper bound on the records of a table.
const MAX_ROWS: usize = 20_000;
/// Upper bound on the values of all records.
const MAX_CELLS: usize = 400_000;
/// Upper bound on the cells that show how a column writes numbers.
const MAX_STYLE_CELLS: usize = 100;
/// Fewest labels of a column of labels that name properties.
const MIN_LABELS: usize = 2;
/// Fewest cells of a row whose first one is a label: a row of two is a label with its value.
const MIN_COMPARED: usize = 3;
/// Rows of a comparison that are read for each field.
const ROWS_PER_FIELD: usize = 8;
/// The score of a cell.
const SCORE: f64 = 0.8;
/// What a label that only has the name of a property in it weighs.
const WITHIN_WEIGHT: f64 = 0.5;
/// What each word of such a label takes from its weight.
const WORD_WEIGHT: f64 = 0.01;

/// The records of each table that has some.
pub(super) fn read(
    evidence: &Evidence<'_>,
    targets: &[TargetField<'_>],
    names: &NameIndex,
) -> Vec<Vec<Record>> {
    let mut out: Vec<Vec<Record>> = Vec::new();
    let mut left = MAX_CELLS;
    let mut by_headers: BTreeMap<&Vec<String>, usize> = BTreeMap::new();
    for table in &evidence.tables {
        let (labels, of_columns) = columns(table, targets, names);
        let of_rows = fields_of(table.headers.iter().map(String::as_str), names);
        // One matching column of a wide table is a coincidence.
        let is_wide = of_rows.len() * 2 < targets.len().min(table.headers.len());
        let found = if labels > of_rows.len() {
            records(evidence, of_columns, targets, &BTreeMap::new(), &mut left)
        } else if of_rows.is_empty() || is_wide {
            continue;
        } else {
            let columns = columns_of_fields(evidence, table, &of_rows);
            records(evidence, rows(table, &of_rows), targets, &columns, &mut left)
        };
        // One list may be split into several tables with the same columns.
        let known = by_headers.get(&table.headers).copied().filter(|_| !table.headers.is_empty());
        match known.and_then(|at: usize| out.get_mut(at)) {
            Some(known) => known.extend(found),
            None => {
                by_headers.insert(&table.headers, out.len());
                out.push(found);
            }
        }
    }
    out
}

/// The header of a column, which may state a unit, and how the column writes numbers.
type Column<'t> = (&'t str, NumberStyle);

/// The column of each field.
fn columns_of_fields<'t>(
    evidence: &Evidence<'_>,
    table: &'t Table,
    fields: &BTreeMap<usize, usize>,
) -> BTreeMap<usize, Column<'t>> {
    let of_column = |(column, field): (&usize, &usize)| {
        let cells = table.rows.iter().take(MAX_STYLE_CELLS).filter_map(|row| row.get(*column));
        let shown = style_shown(cells.map(|cell| cell.text.as_str()));
        let header = table.headers.get(*column).map_or("", String::as_str);
        (*field, (header, shown.unwrap_or_else(|| evidence.style())))
    };
    fields.iter().map(of_column).collect()
}

/// A cell, or a header as the value of a record.
#[derive(Debug, Clone, Copy)]
struct CellText<'t> {
    text: &'t str,
    cell: Option<&'t Cell>,
}

impl<'t> CellText<'t> {
    fn of(cell: &'t Cell) -> Self {
        Self { text: &cell.text, cell: Some(cell) }
    }
}

/// The cells of each record with the fields that they state.
type FieldCells<'t> = Vec<(usize, CellText<'t>)>;

/// The cells of each row of a table, whose columns belong to these fields.
fn rows<'t>(table: &'t Table, fields: &BTreeMap<usize, usize>) -> Vec<FieldCells<'t>> {
    let of_row = |row: &'t Vec<Cell>| -> FieldCells<'t> {
        let cells = fields.iter().filter_map(|(column, field)| Some((*field, row.get(*column)?)));
        cells.map(|(field, cell)| (field, CellText::of(cell))).collect()
    };
    table.rows.iter().take(MAX_ROWS).map(of_row).collect()
}

/// The cells of each column of a table whose rows start with labels, as in a comparison, and the number of
/// labels that name fields; none if the table is another one.
fn columns<'t>(
    table: &'t Table,
    targets: &[TargetField<'_>],
    names: &NameIndex,
) -> (usize, Vec<FieldCells<'t>>) {
    let mut rows: Vec<&'t Vec<Cell>> = Vec::new();
    for row in &table.rows {
        if row.len() >= MIN_COMPARED && rows.len() < targets.len() * ROWS_PER_FIELD {
            rows.push(row);
        }
    }
    let labels = rows.iter().map(|row| row.first().map_or("", |cell| cell.text.as_str()));
    let fields = fields_of(labels, names);
    let has_labels = rows.iter().all(|row| row.first().is_some_and(|cell| cell.header));
    let is_compared = has_labels || !table.headers.is_empty() || fields.len() * 2 > rows.len();
    if fields.len() < MIN_LABELS || !is_compared {
        return (0, Vec::new());
    }
    let name = targets.iter().position(|target| target.has_concept("name"));
    let name = name.filter(|name| !fields.values().any(|field| field == name));
    let width = rows.iter().map(|row| row.len()).max().unwrap_or_default();
    let mut found = Vec::new();
    for column in 1..width {
        let mut cells: FieldCells<'t> = Vec::new();
        if let (Some(name), Some(header)) = (name, table.headers.get(column)) {
            cells.push((name, CellText { text: header.as_str(), cell: None }));
        }
        for (row, field) in &fields {
            if let Some(cell) = rows.get(*row).and_then(|row| row.get(column)) {
                cells.push((*field, CellText::of(cell)));
            }
        }
        found.push(cells);
    }
    (fields.len(), found)
}

/// The field that each label names best. A field that two labels name equally well belongs to neither.
fn fields_of<'l>(labels: impl Iterator<Item = &'l str>, names: &NameIndex) -> BTreeMap<usize, usize> {
    let mut fits: Vec<(f64, usize, usize)> = Vec::new();
    for (at, label) in labels.enumerate() {
        let exact = names.exactly(&folded(label));
        fits.extend(exact.iter().map(|(field, weight)| (1.0 + weight, at, *field)));
        if exact.is_empty() {
            let parts: Vec<String> = words(label);
            #[expect(clippy::cast_precision_loss, reason = "a label has at most 200 words")]
            let longer = WORD_WEIGHT * parts.len() as f64;
            let within = names.within(&parts).into_iter();
            fits.extend(within.map(|(field, weight)| (WITHIN_WEIGHT * weight - longer, at, field)));
        }
    }
    fits.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let mut found: BTreeMap<usize, usize> = BTreeMap::new();
    let mut settled: HashSet<usize> = HashSet::new();
    for (fit, label, field) in &fits {
        if settled.contains(field) || found.contains_key(label) {
            continue;
        }
        settled.insert(*field);
        let is_rival = |other: &&(f64, usize, usize)| {
            other.2 == *field && other.1 != *label && !found.contains_key(&other.1) && other.0 >= *fit
        };
        if *fit >= 1.0 || !fits.iter().any(|other| is_rival(&other)) {
            found.insert(*label, *field);
        }
    }
    found
}

/// The records of a table from the cells of each.
fn records(
    evidence: &Evidence<'_>,
    cells: Vec<FieldCells<'_>>,
    targets: &[TargetField<'_>],
    columns: &BTreeMap<usize, Column<'_>>,
    left: &mut usize,
) -> Vec<Record> {
    let mut found = Vec::new();
    for cells in cells {
        if *left == 0 || evidence.tree.interrupt().spend(cells.len()) {
            break;
        }
        let mut record = Record::default();
        for (field, CellText { text, cell }) in cells {
            let Some(target) = targets.get(field) else { continue };
            let column = columns.get(&field).copied().unwrap_or_else(|| ("", evidence.style()));
            let Some(value) = cell_value(text, column, target) else { continue };
            let html_range = cell.and_then(|cell| evidence.html_range_of(cell.node));
            let (quote, method, score) = (text.to_owned(), Method::Table, SCORE);
            record
                .values
                .push((target.pointer.clone(), Candidate { value, quote, method, score, html_range }));
        }
        *left = left.saturating_sub(record.values.len());
        if !record.values.is_empty() {
            found.push(record);
        }
    }
    found
}

/// The value of a cell in a column whose header names the property: the normaliser's value, else the cell's
/// own text, as the header says what it is. `555 1000` is a telephone number if the page says so.
fn cell_value(cell: &str, (header, style): Column<'_>, target: &TargetField<'_>) -> Option<Value> {
    if let Some(value) = normalise_labelled(cell, header, target.form, target.shape, style) {
        return Some(value);
    }
    let free =
        matches!(target.form, ValueForm::Phone | ValueForm::Code | ValueForm::Date | ValueForm::Moment)
            && target.shape.format.is_none();
    let is_blank = !cell.contains(char::is_alphanumeric) || matches!(cell.trim(), "n/a" | "N/A");
    if !free || is_blank || cell.len() > MAX_RAW_CELL_BYTES {
        return None;
    }
    normalise(cell, ValueForm::Text, target.shape, NumberStyle::Prose)
}
