//! Lists of records: rows of tables, entities of one type, cards of a page.

use std::collections::BTreeMap;

use serde_json::Value;

use super::entity::{scalar, values};
use super::list_values;
use super::nested_lists;
use super::page::leaves;
use super::pool::Candidate;
use super::target::{NameIndex, TargetField};
use super::words::{folded, words};
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::schema::Field;
use crate::typed::{NumberStyle, money_amounts};

/// Upper bound on the records of a page.
pub const MAX_RECORDS: usize = 20_000;
/// Longest cell that is used unchanged because its header names the property, in bytes.
const MAX_RAW_CELL_BYTES: usize = 60;
/// Upper bound on the values of all records from one source.
const MAX_CELLS: usize = 400_000;
/// Upper bound on the groups of similar elements that are tried.
const MAX_GROUPS: usize = 12;

/// One record: pointers below it with their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    pub(crate) values: Vec<(String, Candidate)>,
}

/// The records of a page for these fields, from the source that fills the most fields; empty if no source
/// fills any.
pub(crate) fn records(evidence: &Evidence<'_>, fields: &[Field], name: &str) -> Vec<Record> {
    let (targets, lists) = leaves(fields);
    if targets.is_empty() {
        return Vec::new();
    }
    let questions = list_values::stated_questions(evidence, fields, name);
    let asks_questions = questions.is_some();
    let is_pair = targets.len() <= 2 && lists.is_empty();
    // Other entities and cards have names and texts too, but they ask nothing.
    if let Some(stated) = questions.filter(|stated| !stated.is_empty() && is_pair) {
        return stated;
    }
    let names = NameIndex::new(&targets);
    let mut best: Vec<Record> = Vec::new();
    let mut best_fill = 0.0;
    let sources = [
        of_tables(evidence, &targets, &names),
        of_entities(evidence, &targets, &lists, name),
        if asks_questions { Vec::new() } else { of_cards(evidence, &targets, &names) },
    ];
    for found in sources.into_iter().flatten() {
        let fill: f64 = found.iter().map(|record| weight(record, &targets)).sum();
        if fill > best_fill {
            best_fill = fill;
            best = found;
        }
    }
    best
}

/// The weight of a record grows with the square of its filled share, so that three complete records beat ten
/// with one value each.
fn weight(record: &Record, targets: &[TargetField<'_>]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a schema has at most 2,000 properties")]
    let share = (record.values.len() as f64 / targets.len() as f64).min(1.0);
    share * share
}

fn of_tables(evidence: &Evidence<'_>, targets: &[TargetField<'_>], names: &NameIndex) -> Vec<Vec<Record>> {
    let mut out: Vec<Vec<Record>> = Vec::new();
    let mut cells = 0;
    let mut by_headers: BTreeMap<&Vec<String>, usize> = BTreeMap::new();
    for table in evidence.tables.iter().filter(|table| !table.headers.is_empty()) {
        // Each column belongs to the field that its header names best.
        let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
        for (column, header) in table.headers.iter().enumerate() {
            let label = folded(header);
            let mut fits: Vec<(usize, f64)> = names.exactly(&label).to_vec();
            if fits.is_empty() {
                let parts: Vec<String> = words(header);
                fits = names.within(&parts);
            }
            fits.sort_by(|left, right| right.1.total_cmp(&left.1));
            if let Some((target, _)) =
                fits.into_iter().find(|(target, _)| !columns.values().any(|known| known == target))
            {
                columns.insert(column, target);
            }
        }
        // One matching column of a wide table is a coincidence.
        if columns.is_empty() || columns.len() * 2 < targets.len().min(table.headers.len()) {
            continue;
        }
        let mut found = Vec::new();
        for row in table.rows.iter().take(MAX_RECORDS) {
            if cells > MAX_CELLS || evidence.tree.interrupt().spend(columns.len()) {
                break;
            }
            let mut record = Record::default();
            for (column, target) in &columns {
                let (Some(cell), Some(target)) = (row.get(*column), targets.get(*target)) else { continue };
                let Some(value) = cell_value(&cell.text, target) else { continue };
                let html_range = evidence.html_range_of(cell.node);
                let candidate = Candidate {
                    value,
                    quote: cell.text.clone(),
                    method: Method::Table,
                    score: 0.8,
                    html_range,
                };
                record.values.push((target.pointer.clone(), candidate));
            }
            cells += record.values.len();
            if !record.values.is_empty() {
                found.push(record);
            }
        }
        // One list may be split into several tables with the same columns.
        match by_headers.get(&table.headers).and_then(|at: &usize| out.get_mut(*at)) {
            Some(known) => known.extend(found),
            None => {
                by_headers.insert(&table.headers, out.len());
                out.push(found);
            }
        }
    }
    out
}

/// The value of a cell in a column whose header names the property: the normaliser's value, else the cell's
/// own text, as the header says what it is. `555 1000` is a telephone number if the page says so.
fn cell_value(cell: &str, target: &TargetField<'_>) -> Option<Value> {
    if let Some(value) = normalise(cell, target.form, target.shape, NumberStyle::Prose) {
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

fn of_entities(
    evidence: &Evidence<'_>,
    targets: &[TargetField<'_>],
    lists: &[(String, &Field)],
    name: &str,
) -> Vec<Vec<Record>> {
    let paths: Vec<Vec<(String, f64)>> = targets.iter().map(TargetField::paths).collect();
    let mut groups: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    let wrapped: Vec<(String, Value)> = evidence
        .items
        .iter()
        .map(|item| (item.types.first().cloned().unwrap_or_default(), Value::Object(item.properties.clone())))
        .collect();
    for (kind, value) in &wrapped {
        groups.entry(format!("{kind}/")).or_default().push(value);
        let Some(object) = value.as_object() else { continue };
        for (key, inner) in object {
            if let Value::Array(list) = inner
                && list.iter().any(Value::is_object)
            {
                let group = groups.entry(format!("{kind}/{}", folded(key))).or_default();
                for element in list.iter().take(MAX_RECORDS) {
                    // The elements of an `ItemList` contain the listed items.
                    group.push(element.get("item").filter(|item| item.is_object()).unwrap_or(element));
                }
            }
        }
    }
    let wanted = folded(name);
    let mut out = Vec::new();
    let mut cells = 0;
    for (key, group) in groups {
        let asked = key.rsplit('/').next().is_some_and(|last| {
            !last.is_empty() && last.trim_end_matches('s') == wanted.trim_end_matches('s')
        });
        if group.len() < 2 && !asked {
            continue;
        }
        let mut found = Vec::new();
        for value in group.into_iter().filter_map(Value::as_object) {
            if cells > MAX_CELLS || evidence.tree.interrupt().spend(targets.len()) {
                break;
            }
            let mut record = Record::default();
            for (target, paths) in targets.iter().zip(&paths) {
                let hit = paths.iter().find_map(|(path, _)| {
                    values(value, path).into_iter().find_map(|found| {
                        let text = scalar(found)?;
                        let value = normalise(&text, target.form, target.shape, NumberStyle::Data)?;
                        Some((value, text))
                    })
                });
                if let Some((value, quote)) = hit {
                    let candidate =
                        Candidate { value, quote, method: Method::JsonLd, score: 0.85, html_range: None };
                    record.values.push((target.pointer.clone(), candidate));
                }
            }
            cells += record.values.len();
            if !record.values.is_empty() {
                record.values.extend(nested_lists::of_entity(value, lists));
                found.push(record);
            }
        }
        out.push(found);
    }
    out
}

/// Groups of siblings with the same markup, the largest first.
fn groups(evidence: &Evidence<'_>) -> Vec<Vec<NodeId>> {
    let tree = &evidence.tree;
    let mut by_parent: BTreeMap<(NodeId, String), Vec<NodeId>> = BTreeMap::new();
    for node in tree.nodes() {
        let name = tree.name(node);
        if name.is_empty()
            || tree.is_hidden(node)
            || tree.is(node, &["option", "br", "p", "td", "th", "dt", "dd", "a", "span"])
        {
            continue;
        }
        let Some(parent) = tree.parent(node) else { continue };
        let class = tree.attribute(node, "class").unwrap_or_default();
        // The first class is the kind; later classes are states such as `first` and `selected`.
        let kind = class.split_whitespace().next().unwrap_or_default();
        by_parent.entry((parent, format!("{} {kind}", name.to_ascii_lowercase()))).or_default().push(node);
    }
    let mut found: Vec<Vec<NodeId>> = by_parent.into_values().filter(|group| group.len() >= 2).collect();
    let size =
        |group: &Vec<NodeId>| -> usize { group.iter().map(|node| tree.text_of(*node).len().min(400)).sum() };
    found.sort_by_cached_key(|group| std::cmp::Reverse(size(group)));
    found.truncate(MAX_GROUPS);
    found
}

fn of_cards(evidence: &Evidence<'_>, targets: &[TargetField<'_>], names: &NameIndex) -> Vec<Vec<Record>> {
    groups(evidence)
        .into_iter()
        .map(|group| {
            group
                .into_iter()
                .take(MAX_RECORDS)
                .take_while(|_| !evidence.tree.interrupt().spend(targets.len()))
                .map(|card| card_record(evidence, card, targets, names))
                .filter(|record| !record.values.is_empty())
                .collect::<Vec<Record>>()
        })
        .filter(|found| found.len() >= 2)
        .collect()
}

fn card_record(
    evidence: &Evidence<'_>,
    card: NodeId,
    targets: &[TargetField<'_>],
    names: &NameIndex,
) -> Record {
    let tree = &evidence.tree;
    let mut best: Vec<Option<Candidate>> = targets.iter().map(|_| None).collect();
    let mut offer = |at: usize, text: &str, node: NodeId, score: f64| {
        let (Some(target), Some(slot)) = (targets.get(at), best.get_mut(at)) else { return };
        if slot.as_ref().is_some_and(|known: &Candidate| known.score >= score) {
            return;
        }
        if let Some(value) = normalise(text, target.form, target.shape, NumberStyle::Prose) {
            let quote = text.to_owned();
            *slot = Some(Candidate {
                value,
                quote,
                method: Method::Markup,
                score,
                html_range: evidence.html_range_of(node),
            });
        }
    };
    for node in tree.within(card) {
        if tree.interrupt().spend(targets.len()) {
            break;
        }
        let text = tree.text_of(node);
        if tree.name(node).is_empty() || tree.is_hidden(node) {
            continue;
        }
        let heading = tree.is(node, &["h1", "h2", "h3", "h4", "h5", "h6", "a"]);
        for (at, target) in targets.iter().enumerate() {
            if target.has_concept("name") && heading && !text.is_empty() {
                offer(at, text, node, if tree.is(node, &["a"]) { 0.45 } else { 0.6 });
            }
            if target.has_concept("url")
                && let Some(href) = tree.attribute(node, "href")
            {
                offer(at, &href, node, 0.5);
            }
            if target.has_concept("image")
                && let Some(src) = tree.attribute(node, "src")
            {
                offer(at, &src, node, 0.5);
            }
            if target.form == ValueForm::Price
                && text.len() < 40
                && money_amounts(text).any(|money| money.currency.is_some())
            {
                offer(at, text, node, 0.4);
            }
        }
        if text.is_empty() || text.len() > 400 {
            continue;
        }
        for (key, value) in tree.attributes(node).iter().copied() {
            if !["class", "itemprop", "id", "data-field"].iter().any(|known| known.eq_ignore_ascii_case(key))
            {
                continue;
            }
            for name in value.split_whitespace().take(8) {
                for (at, weight) in names.within(&words(name)) {
                    offer(at, text, node, 0.7 * weight);
                }
            }
        }
    }
    for line in tree.text_of(card).lines() {
        if let Some((label, value)) = line.split_once(':') {
            for (at, weight) in names.exactly(&folded(label)) {
                offer(*at, value.trim(), card, 0.65 * weight);
            }
        }
    }
    let values = targets
        .iter()
        .zip(best)
        .filter_map(|(target, found)| Some((target.pointer.clone(), found?)))
        .collect();
    Record { values }
}
