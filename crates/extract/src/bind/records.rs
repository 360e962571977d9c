//! Lists of records: rows and columns of tables, entities of one type, cards of a page.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cards::{self, is_telling, singular_words, states_any};
use super::entity::{currency_beside, scalar, values};
use super::list_values::{self, PageView};
use super::nested_lists;
use super::page::leaves;
use super::pool::{Candidate, Record};
use super::table_records;
use super::target::{NameIndex, TargetField};
use super::words::folded;
use crate::evidence::Evidence;
use crate::normalise::normalise_labelled;
use crate::page::Method;
use crate::schema::Field;
use crate::typed::NumberStyle;

/// Upper bound on the records of a page.
pub const MAX_RECORDS: usize = 20_000;
/// Upper bound on the values of all records from one source.
const MAX_CELLS: usize = 400_000;

/// The records of a page for these fields, from the source that fills the most fields; empty if no source
/// fills any.
pub(crate) fn records(view: &PageView<'_, '_>, fields: &[Field], name: &str) -> Vec<Record> {
    let evidence = view.evidence;
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
        table_records::read(evidence, &targets, &names),
        of_entities(evidence, &targets, &lists, name),
        if asks_questions { Vec::new() } else { cards::read(view, &targets, &names, name) },
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

/// Types of entities about the site and its pages, in folded words, and properties for other things.
const OF_SITE: [&str; 16] = [
    "breadcrumb list",
    "site navigation element",
    "search action",
    "read action",
    "web site",
    "web page",
    "image object",
    "wp header",
    "wp footer",
    "is related to",
    "is similar to",
    "is accessory or spare part for",
    "is consumable for",
    "same as",
    "potential action",
    "mentions",
];

/// Whether a group of entities is about the site or about other things, and the list does not ask for these.
/// The key of a group is a type, and a property if its entities are values of it.
fn is_of_site(key: &str, name: &str) -> bool {
    let is_asked = ["related", "similar", "accessor", "breadcrumb", "navigation", "image"];
    let name = folded(name);
    !is_asked.iter().any(|asked| name.contains(asked))
        && key.split('/').any(|part| OF_SITE.contains(&folded(part).as_str()))
}

/// Whether the type of a group of entities is what the list is called.
fn is_named(key: &str, name: &str) -> bool {
    let kind = singular_words(key.split('/').next().unwrap_or_default());
    singular_words(name).last().is_some_and(|wanted| kind.contains(wanted))
}

/// Whether a pointer is in one of the lists of a record.
fn is_within(pointer: &str, lists: &[(String, &Field)]) -> bool {
    lists
        .iter()
        .any(|(list, _)| pointer.strip_prefix(list.as_str()).is_some_and(|rest| rest.starts_with('/')))
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
        if !asked && (group.len() < 2 || is_of_site(&key, name)) {
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
                    let label = currency_beside(value, path, target);
                    values(value, path).into_iter().find_map(|found| {
                        let text = scalar(found)?;
                        let (form, shape) = (target.form, target.shape);
                        let value = normalise_labelled(&text, &label, form, shape, NumberStyle::Data)?;
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
        // Entities that state nothing but names are the list only if they are of its type.
        let is_told = targets.iter().all(|target| !is_telling(target))
            || states_any(&found, targets, is_telling)
            || found.iter().flat_map(|record| &record.values).any(|(pointer, _)| is_within(pointer, lists));
        if asked || is_told || is_named(&key, name) {
            out.push(found);
        }
    }
    out
}
