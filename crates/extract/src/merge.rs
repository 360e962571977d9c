//! One result from several pages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bind::{concept_name, folded, put, skeleton};
use crate::leaf::{Extraction, Leaf, step};
use crate::schema::{Field, Shape, ShapeKind};

/// Conflicts that are kept.
pub const MAX_CONFLICTS: usize = 1_000;

/// The same place with different values on different pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// The place in the result: an RFC 6901 pointer.
    pub pointer: String,
    /// The value that was not taken.
    pub value: Value,
    /// The page that states it.
    pub url: String,
}

/// The result of several pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Merged {
    /// The data in the schema's shape.
    pub data: Value,
    /// A proof for every value.
    pub leaves: Vec<Leaf>,
    /// What was stated differently elsewhere.
    pub conflicts: Vec<Conflict>,
}

impl Merged {
    /// Where each value was found, as clients expect it: a field path such as `offers[0]` or `name` to pages.
    #[must_use]
    pub fn sources(&self) -> BTreeMap<String, Vec<String>> {
        let mut sources: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for leaf in &self.leaves {
            let mut path = String::new();
            for part in leaf.pointer.split('/').skip(1) {
                let part = part.replace("~1", "/").replace("~0", "~");
                if !path.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
                    // A list's rows are told apart, what is in a row is not.
                    path.push_str(&format!("[{part}]"));
                    break;
                }
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&part);
            }
            let pages = sources.entry(path).or_default();
            pages.extend(leaf.provenance.iter().map(|proof| proof.url.as_str()));
        }
        sources
            .into_iter()
            .map(|(path, pages)| (path, pages.into_iter().map(str::to_owned).collect()))
            .collect()
    }
}

/// Merges pages in the given order, which is that of preference.
///
/// A single value comes from the surest page that states it, the first between equals; differing ones are kept as conflicts.
/// Lists are put together: rows with the same identity (an identifier, an address, or else a name) are one row whose empty
/// places are filled from each other; rows without an identity are one where they are equal in every place.
#[must_use]
pub fn merge(pages: Vec<Extraction>, shape: &Shape) -> Merged {
    let mut out = Merged { data: empty(shape), leaves: Vec::new(), conflicts: Vec::new() };
    let lists = lists_of(shape);
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<Rows<'_>> = lists.iter().map(|(pointer, fields)| Rows::new(pointer, fields)).collect();
    for page in pages {
        // Leaves of lists go to their row, the others to their place.
        let mut by_row: BTreeMap<(usize, usize), Vec<Leaf>> = BTreeMap::new();
        for leaf in page.leaves {
            let place = lists.iter().enumerate().find_map(|(at, (pointer, _))| {
                let rest = leaf.pointer.strip_prefix(pointer.as_str())?.strip_prefix('/')?;
                let row = rest.split('/').next()?.parse::<usize>().ok()?;
                Some((at, row))
            });
            match place {
                Some(place) => by_row.entry(place).or_default().push(leaf),
                None => single(&mut out, &mut taken, leaf),
            }
        }
        for ((list, row), leaves) in by_row {
            if let Some(rows) = rows.get_mut(list) {
                rows.add(row, leaves, &mut out.conflicts);
            }
        }
    }
    let singles: Vec<(String, Value)> =
        out.leaves.iter().map(|leaf| (leaf.pointer.clone(), leaf.value.clone())).collect();
    for (pointer, value) in singles {
        put(&mut out.data, &pointer, value);
    }
    for list in rows {
        list.finish(&mut out);
    }
    crate::bind::drop_unknown(&mut out.data, shape.fields());
    out
}

fn conflict(conflicts: &mut Vec<Conflict>, leaf: Leaf) {
    if conflicts.len() < MAX_CONFLICTS {
        let url = leaf.provenance.into_iter().next().map(|proof| proof.url).unwrap_or_default();
        conflicts.push(Conflict { pointer: leaf.pointer, value: leaf.value, url });
    }
}

/// Takes a leaf where none is, adds its proof where it agrees, keeps it as a conflict where not.
fn single(out: &mut Merged, taken: &mut HashMap<String, usize>, leaf: Leaf) {
    let Some(known) = taken.get(&leaf.pointer).and_then(|at| out.leaves.get_mut(*at)) else {
        taken.insert(leaf.pointer.clone(), out.leaves.len());
        out.leaves.push(leaf);
        return;
    };
    if known.value == leaf.value {
        known.provenance.extend(leaf.provenance);
    } else if leaf.confidence > known.confidence {
        conflict(&mut out.conflicts, std::mem::replace(known, leaf));
    } else {
        conflict(&mut out.conflicts, leaf);
    }
}

fn empty(shape: &Shape) -> Value {
    match &shape.kind {
        ShapeKind::Object(fields) => skeleton(fields),
        ShapeKind::List(_) => Value::Array(Vec::new()),
        _ => Value::Null,
    }
}

/// The lists of a shape with the fields of their rows; none for rows that are plain values.
fn lists_of(shape: &Shape) -> Vec<(String, &[Field])> {
    let mut lists = Vec::new();
    let mut waiting = vec![(String::new(), shape)];
    while let Some((pointer, shape)) = waiting.pop() {
        match &shape.kind {
            ShapeKind::Object(fields) => {
                waiting.extend(fields.iter().map(|field| (step(&pointer, &field.name), &field.shape)));
            }
            ShapeKind::List(inner) => lists.push((pointer, inner.fields())),
            _ => {}
        }
    }
    lists
}

/// A list as it grows.
struct Rows<'s> {
    pointer: &'s str,
    fields: &'s [Field],
    /// Leaves of each row by their pointer within it.
    rows: Vec<BTreeMap<String, Leaf>>,
    known: HashMap<String, usize>,
}

impl<'s> Rows<'s> {
    fn new(pointer: &'s str, fields: &'s [Field]) -> Self {
        Self { pointer, fields, rows: Vec::new(), known: HashMap::new() }
    }

    /// What tells a row apart: the strongest identity it has.
    fn identity(&self, row: &BTreeMap<String, Leaf>) -> String {
        for wanted in ["gtin", "sku", "url", "email", "name"] {
            for field in self.fields {
                if concept_name(&field.name) == Some(wanted)
                    && let Some(leaf) = row.get(&step("", &field.name))
                {
                    let value = leaf.value.as_str().map_or_else(|| leaf.value.to_string(), folded);
                    return format!("{wanted} {value}");
                }
            }
        }
        let all: Map<String, Value> =
            row.iter().map(|(pointer, leaf)| (pointer.clone(), leaf.value.clone())).collect();
        Value::Object(all).to_string()
    }

    fn add(&mut self, row: usize, leaves: Vec<Leaf>, conflicts: &mut Vec<Conflict>) {
        let prefix = format!("{}/{row}", self.pointer);
        let new: BTreeMap<String, Leaf> = leaves
            .into_iter()
            .map(|leaf| (leaf.pointer.strip_prefix(&prefix).unwrap_or_default().to_owned(), leaf))
            .collect();
        let identity = self.identity(&new);
        let Some(known) = self.known.get(&identity).and_then(|at| self.rows.get_mut(*at)) else {
            self.known.insert(identity, self.rows.len());
            self.rows.push(new);
            return;
        };
        for (pointer, leaf) in new {
            match known.get_mut(&pointer) {
                None => {
                    known.insert(pointer, leaf);
                }
                Some(own) if own.value == leaf.value => own.provenance.extend(leaf.provenance),
                Some(_) => conflict(conflicts, leaf),
            }
        }
    }

    fn finish(self, out: &mut Merged) {
        let mut rows = Vec::with_capacity(self.rows.len());
        for (at, leaves) in self.rows.into_iter().enumerate() {
            let mut row = if self.fields.is_empty() { Value::Null } else { skeleton(self.fields) };
            for (pointer, leaf) in leaves {
                if pointer.is_empty() {
                    row = leaf.value.clone();
                } else {
                    put(&mut row, &pointer, leaf.value.clone());
                }
                out.leaves.push(Leaf { pointer: format!("{}/{at}{pointer}", self.pointer), ..leaf });
            }
            crate::bind::drop_unknown(&mut row, self.fields);
            rows.push(row);
        }
        if self.pointer.is_empty() {
            out.data = Value::Array(rows);
        } else {
            put(&mut out.data, self.pointer, Value::Array(rows));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Method, Provenance};
    use serde_json::json;

    fn page(url: &str, leaves: &[(&str, Value, f64)]) -> Extraction {
        let leaves = leaves
            .iter()
            .map(|(pointer, value, confidence)| Leaf {
                pointer: (*pointer).to_owned(),
                value: value.clone(),
                provenance: vec![Provenance {
                    url: url.to_owned(),
                    quote: value.to_string(),
                    span: None,
                    method: Method::Label,
                }],
                confidence: *confidence,
            })
            .collect();
        Extraction { data: Value::Null, leaves, missing: Vec::new() }
    }

    #[test]
    fn empty_places_are_filled_and_conflicts_kept() {
        let shape = Shape::from_schema(&json!({ "properties": {
            "name": { "type": "string" }, "phone": { "type": ["string", "null"] },
            "offers": { "type": "array", "items": { "properties": { "sku": { "type": "string" }, "price": { "type": ["number", "null"] } } } },
        } }))
        .unwrap();
        let pages = vec![
            page(
                "a",
                &[
                    ("/name", json!("Acme"), 0.5),
                    ("/offers/0/sku", json!("1"), 0.5),
                    ("/offers/1/sku", json!("2"), 0.5),
                    ("/offers/1/price", json!(9), 0.5),
                ],
            ),
            page(
                "b",
                &[
                    ("/name", json!("Acme Ltd"), 0.9),
                    ("/phone", json!("+1 555"), 0.5),
                    ("/offers/0/sku", json!("2"), 0.5),
                    ("/offers/0/price", json!(8), 0.5),
                    ("/offers/1/sku", json!("1"), 0.5),
                    ("/offers/1/price", json!(5), 0.5),
                ],
            ),
        ];
        let merged = merge(pages, &shape);
        let expected = json!({ "name": "Acme Ltd", "phone": "+1 555", "offers": [{ "sku": "1", "price": 5 }, { "sku": "2", "price": 9 }] });
        assert_eq!(merged.data, expected);
        let conflicts: Vec<&Value> = merged.conflicts.iter().map(|conflict| &conflict.value).collect();
        assert_eq!(conflicts, [&json!("Acme"), &json!(8)]);
        let sources = merged.sources();
        assert_eq!(sources["offers[0]"], ["a", "b"]);
        assert_eq!((&sources["name"], &sources["phone"]), (&vec!["b".to_owned()], &vec!["b".to_owned()]));
    }
}
