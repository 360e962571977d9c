//! One result from several pages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::bind::{concept_name, folded, put, skeleton};
use crate::leaf::{Extraction, Leaf, step};
use crate::plan::real;
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
/// Lists are put together: rows that share an identifier, an address or a name, or whose names are nearly the same, are one row
/// whose empty places are filled from each other, unless something surer tells them apart; rows without an identity are one
/// where they are equal in every place. Each row is compared with a bounded number of others.
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

/// What tells rows apart, the strongest first.
const IDENTITIES: [&str; 5] = ["gtin", "sku", "url", "email", "name"];

/// A list as it grows.
struct Rows<'s> {
    pointer: &'s str,
    fields: &'s [Field],
    /// The fields that identify a row: their rank among [`IDENTITIES`] and their place in a row.
    telling: Vec<(usize, String)>,
    /// Leaves of each row by their pointer within it.
    rows: Vec<BTreeMap<String, Leaf>>,
    /// What identifies each row.
    identities: Vec<Vec<(usize, String)>>,
    /// Rows by what identifies them; `None` where two rows share it.
    known: HashMap<(usize, String), Option<usize>>,
    /// Rows by the words of their names, at most [`MAX_ALIKE`] of each.
    by_word: HashMap<String, Vec<usize>>,
}

/// Rows that one row is compared with for likeness, for each word of its name.
const MAX_ALIKE: usize = 64;
/// Least share of words that two names have in common where they mean the same.
const MIN_LIKENESS: f64 = 0.8;
/// Least words of such a name: short names that differ are different.
const MIN_WORDS: usize = 4;

impl<'s> Rows<'s> {
    fn new(pointer: &'s str, fields: &'s [Field]) -> Self {
        let mut telling = Vec::new();
        for (rank, wanted) in IDENTITIES.iter().enumerate() {
            let fields = fields.iter().filter(|field| concept_name(&field.name) == Some(wanted));
            telling.extend(fields.map(|field| (rank, step("", &field.name))));
        }
        Self {
            pointer,
            fields,
            telling,
            rows: Vec::new(),
            identities: Vec::new(),
            known: HashMap::new(),
            by_word: HashMap::new(),
        }
    }

    /// All that identifies a row; the row itself where nothing else does.
    fn identities(&self, row: &BTreeMap<String, Leaf>) -> Vec<(usize, String)> {
        let mut found: Vec<(usize, String)> = Vec::new();
        for (rank, pointer) in &self.telling {
            if let Some(leaf) = row.get(pointer)
                && found.last().is_none_or(|(known, _)| known != rank)
            {
                found.push((*rank, leaf.value.as_str().map_or_else(|| leaf.value.to_string(), folded)));
            }
        }
        if found.is_empty() {
            let all: Map<String, Value> =
                row.iter().map(|(pointer, leaf)| (pointer.clone(), leaf.value.clone())).collect();
            found.push((IDENTITIES.len(), Value::Object(all).to_string()));
        }
        found
    }

    /// Do two rows differ in something that identifies them more surely than `rank`?
    fn differ(&self, row: usize, own: &[(usize, String)], rank: usize) -> bool {
        let Some(theirs) = self.identities.get(row) else { return true };
        own.iter()
            .filter(|(kind, _)| *kind < rank)
            .any(|(kind, value)| theirs.iter().any(|(other, known)| other == kind && known != value))
    }

    /// The row that means the same: by what identifies it, or else by a name that is nearly the same.
    fn same(&self, identities: &[(usize, String)]) -> Option<usize> {
        for identity in identities {
            if let Some(Some(row)) = self.known.get(identity)
                && !self.differ(*row, identities, identity.0)
            {
                return Some(*row);
            }
        }
        let name_rank = IDENTITIES.len() - 1;
        let (_, name) = identities.iter().find(|(rank, _)| *rank == name_rank)?;
        let own: BTreeSet<&str> = name.split(' ').collect();
        let numbers = |words: &BTreeSet<&str>| -> Vec<String> {
            let number = |word: &&&str| word.bytes().any(|byte| byte.is_ascii_digit());
            words.iter().filter(number).map(|word| (*word).to_owned()).collect()
        };
        let mut tried: BTreeSet<usize> = BTreeSet::new();
        for word in &own {
            for row in self.by_word.get(*word).into_iter().flatten() {
                if !tried.insert(*row) || self.differ(*row, identities, name_rank) {
                    continue;
                }
                let theirs = self.identities.get(*row).map_or(&[][..], Vec::as_slice);
                let Some((_, other)) = theirs.iter().find(|(rank, _)| *rank == name_rank) else { continue };
                let other: BTreeSet<&str> = other.split(' ').collect();
                let shared = real(own.intersection(&other).count()) / real(own.union(&other).count().max(1));
                // `Model 3 red` and `Model 4 red` are two things.
                if own.len().min(other.len()) >= MIN_WORDS
                    && shared >= MIN_LIKENESS
                    && numbers(&own) == numbers(&other)
                {
                    return Some(*row);
                }
            }
        }
        None
    }

    /// Notes by what a row can be found.
    fn index(&mut self, row: usize, identities: Vec<(usize, String)>) {
        match self.identities.get_mut(row) {
            Some(known) => {
                for identity in &identities {
                    if !known.iter().any(|(rank, _)| *rank == identity.0) {
                        known.push(identity.clone());
                    }
                }
            }
            None => self.identities.push(identities.clone()),
        }
        for identity in identities {
            if identity.0 + 1 == IDENTITIES.len() {
                for word in identity.1.split(' ') {
                    let rows = self.by_word.entry(word.to_owned()).or_default();
                    if rows.len() < MAX_ALIKE && !rows.contains(&row) {
                        rows.push(row);
                    }
                }
            }
            self.known
                .entry(identity)
                .and_modify(|known| *known = known.filter(|known| *known == row))
                .or_insert(Some(row));
        }
    }

    fn add(&mut self, row: usize, leaves: Vec<Leaf>, conflicts: &mut Vec<Conflict>) {
        let prefix = format!("{}/{row}", self.pointer);
        let new: BTreeMap<String, Leaf> = leaves
            .into_iter()
            .map(|leaf| (leaf.pointer.strip_prefix(&prefix).unwrap_or_default().to_owned(), leaf))
            .collect();
        let identities = self.identities(&new);
        let found = self.same(&identities);
        let at = found.unwrap_or(self.rows.len());
        if let Some(known) = found.and_then(|at| self.rows.get_mut(at)) {
            for (pointer, leaf) in new {
                match known.get_mut(&pointer) {
                    None => {
                        known.insert(pointer, leaf);
                    }
                    Some(own) if own.value == leaf.value => own.provenance.extend(leaf.provenance),
                    Some(_) => conflict(conflicts, leaf),
                }
            }
        } else {
            self.rows.push(new);
        }
        self.index(at, identities);
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

    #[test]
    fn rows_are_one_by_any_identity_or_a_like_name_and_never_against_a_surer_one() {
        let shape = Shape::from_schema(&json!({ "properties": { "offers": { "type": "array", "items": { "properties": {
            "sku": { "type": ["string", "null"] }, "name": { "type": ["string", "null"] }, "price": { "type": ["number", "null"] },
        } } } } }))
        .unwrap();
        let rows = [
            ("the name alone", [("sku", "1"), ("name", "Red cup")], [("price", "5"), ("name", "red cup")], 1),
            ("another sku", [("sku", "1"), ("name", "Red cup")], [("sku", "2"), ("name", "Red cup")], 2),
            (
                "a like name",
                [("name", "Acme red cup with handle and lid"), ("price", "5")],
                [("name", "Acme Red Cup with Handle & Lid"), ("sku", "7")],
                1,
            ),
            (
                "another number",
                [("name", "Acme red cup with handle 300 ml"), ("price", "5")],
                [("name", "Acme red cup with handle 400 ml"), ("price", "5")],
                2,
            ),
            (
                "another short name",
                [("name", "Red cup"), ("price", "5")],
                [("name", "Blue cup"), ("price", "5")],
                2,
            ),
        ];
        for (name, first, second, count) in rows {
            let one = |url: &str, row: [(&str, &str); 2]| {
                let leaves: Vec<(String, Value, f64)> = row
                    .iter()
                    .map(|(field, value)| (format!("/offers/0/{field}"), json!(value), 0.5))
                    .collect();
                let leaves: Vec<(&str, Value, f64)> = leaves
                    .iter()
                    .map(|(pointer, value, sure)| (pointer.as_str(), value.clone(), *sure))
                    .collect();
                page(url, &leaves)
            };
            let merged = merge(vec![one("a", first), one("b", second)], &shape);
            assert_eq!(
                merged.data["offers"].as_array().map(Vec::len),
                Some(count),
                "{name}: {}",
                merged.data
            );
        }
    }

    #[test]
    fn many_rows_that_are_alike_take_bounded_time() {
        let shape = Shape::from_schema(
            &json!({ "properties": { "rows": { "type": "array", "items": { "properties": { "name": { "type": "string" } } } } } }),
        )
        .unwrap();
        let leaves: Vec<(String, Value, f64)> = (0..20_000)
            .map(|at| (format!("/rows/{at}/name"), json!(format!("the same words each time {at}")), 0.5))
            .collect();
        let leaves: Vec<(&str, Value, f64)> =
            leaves.iter().map(|(pointer, value, sure)| (pointer.as_str(), value.clone(), *sure)).collect();
        assert_eq!(
            merge(vec![page("a", &leaves)], &shape).data["rows"].as_array().map(Vec::len),
            Some(20_000)
        );
    }
}
