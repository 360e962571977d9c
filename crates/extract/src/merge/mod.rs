//! Merges the results of several pages into one.

mod rows;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::rows::MergedRows;
use crate::bind::{empty_object, set_at};
use crate::leaf::{Extraction, Leaf, child_pointer};
use crate::schema::{Field, Shape, ShapeKind};

/// Upper bound on the conflicts of a result.
pub const MAX_CONFLICTS: usize = 1_000;

/// A field with different values on different pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Conflict {
    /// The position in the result: an RFC 6901 pointer.
    pub pointer: String,
    /// The value that was not chosen.
    pub value: Value,
    /// The page that states it.
    pub url: String,
}

/// The merged result of several pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Merged {
    /// The data in the schema's shape.
    pub data: Value,
    /// A proof for every value.
    pub leaves: Vec<Leaf>,
    /// Values that other pages state differently.
    pub conflicts: Vec<Conflict>,
}

impl Merged {
    /// The pages that state each value, in the form that clients expect: a field path such as `offers[0]` or
    /// `name` to URLs.
    #[must_use]
    pub fn sources(&self) -> BTreeMap<String, Vec<String>> {
        let mut sources: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for leaf in &self.leaves {
            let mut path = String::new();
            for part in leaf.pointer.split('/').skip(1) {
                let part = part.replace("~1", "/").replace("~0", "~");
                let in_list = !path.is_empty() || self.data.is_array();
                if in_list && part.bytes().all(|byte| byte.is_ascii_digit()) {
                    // The rows of a list get separate paths, the fields of a row do not.
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

/// Merges pages in the given order, which is the order of preference.
///
/// A single value comes from the page that states it with the highest confidence; between equals the first
/// page wins. Different values become conflicts. Lists are combined. Rows that share an identifier, a URL or
/// a name, or whose names are nearly equal, become one row whose empty fields are filled from each other,
/// unless a stronger identity differs. Rows without an identity become one row if they are equal in every
/// field. Rows of one page are separate records and stay separate, except copies with the same URL or article
/// number. A name alone does not join rows that state different things. Each row is compared with a bounded
/// number of others.
#[must_use]
pub fn merge(pages: Vec<Extraction>, shape: &Shape) -> Merged {
    let mut out = Merged { data: empty(shape), leaves: Vec::new(), conflicts: Vec::new() };
    let lists = lists_of(shape);
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<MergedRows<'_>> =
        lists.iter().map(|(pointer, fields)| MergedRows::new(pointer, fields)).collect();
    for (number, page) in pages.into_iter().enumerate() {
        // Leaves of lists go to their row, the others to the object.
        let mut by_row: BTreeMap<(usize, usize), Vec<Leaf>> = BTreeMap::new();
        for leaf in page.leaves {
            let list_row = lists.iter().enumerate().find_map(|(at, (pointer, _))| {
                let rest = leaf.pointer.strip_prefix(pointer.as_str())?.strip_prefix('/')?;
                let row = rest.split('/').next()?.parse::<usize>().ok()?;
                Some((at, row))
            });
            match list_row {
                Some(list_row) => by_row.entry(list_row).or_default().push(leaf),
                None => single(&mut out, &mut taken, leaf),
            }
        }
        for ((list, row), leaves) in by_row {
            if let Some(rows) = rows.get_mut(list) {
                rows.add(number, row, leaves, &mut out.conflicts);
            }
        }
    }
    let singles: Vec<(String, Value)> =
        out.leaves.iter().map(|leaf| (leaf.pointer.clone(), leaf.value.clone())).collect();
    for (pointer, value) in singles {
        set_at(&mut out.data, &pointer, value);
    }
    for list in rows {
        list.finish(&mut out);
    }
    crate::bind::drop_disallowed_nulls(&mut out.data, shape.fields());
    out
}

fn conflict(conflicts: &mut Vec<Conflict>, leaf: Leaf) {
    if conflicts.len() < MAX_CONFLICTS {
        let url = leaf.provenance.into_iter().next().map(|proof| proof.url).unwrap_or_default();
        conflicts.push(Conflict { pointer: leaf.pointer, value: leaf.value, url });
    }
}

/// Adds a leaf to an empty field, adds its proof to an equal value, and makes a different value a conflict.
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
        ShapeKind::Object(fields) => empty_object(fields),
        ShapeKind::List(_) => Value::Array(Vec::new()),
        _ => Value::Null,
    }
}

/// The lists of a shape with the fields of their rows; no fields for rows that are plain values.
fn lists_of(shape: &Shape) -> Vec<(String, &[Field])> {
    let mut lists = Vec::new();
    let mut waiting = vec![(String::new(), shape)];
    while let Some((pointer, shape)) = waiting.pop() {
        match &shape.kind {
            ShapeKind::Object(fields) => {
                waiting
                    .extend(fields.iter().map(|field| (child_pointer(&pointer, &field.name), &field.shape)));
            }
            ShapeKind::List(inner) => lists.push((pointer, inner.fields())),
            _ => {}
        }
    }
    lists
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
    fn empty_fields_are_filled_and_conflicts_kept() {
        let shape = Shape::from_schema(&json!({ "properties": {
            "name": { "type": "string" }, "phone": { "type": ["string", "null"] },
            "offers": {
                "type": "array",
                "items": {
                    "properties": { "sku": { "type": "string" }, "price": { "type": ["number", "null"] } },
                },
            },
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
        let expected = json!({
            "name": "Acme Ltd", "phone": "+1 555",
            "offers": [{ "sku": "1", "price": 5 }, { "sku": "2", "price": 9 }],
        });
        assert_eq!(merged.data, expected);
        let conflicts: Vec<&Value> = merged.conflicts.iter().map(|conflict| &conflict.value).collect();
        assert_eq!(conflicts, [&json!("Acme"), &json!(8)]);
        let sources = merged.sources();
        assert_eq!(sources["offers[0]"], ["a", "b"]);
        assert_eq!((&sources["name"], &sources["phone"]), (&vec!["b".to_owned()], &vec!["b".to_owned()]));
    }

    #[test]
    fn rows_join_by_identity_or_similar_name_unless_a_stronger_identity_differs() {
        let text = json!({ "type": ["string", "null"] });
        let row = json!({ "sku": text, "name": text, "price": { "type": ["number", "null"] } });
        let list = json!({ "type": "array", "items": { "properties": row } });
        let shape = Shape::from_schema(&json!({ "properties": { "offers": list } })).unwrap();
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
    fn rows_of_one_page_stay_separate() {
        let text = json!({ "type": ["string", "null"] });
        let schema = json!({ "properties": { "rows": { "type": "array", "items": { "properties": {
            "name": text, "url": text, "date": text, "amount": { "type": ["number", "null"] },
        } } } } });
        let shape = Shape::from_schema(&schema).unwrap();
        let table = |url: &str, rows: &[(&str, Value, &str)]| {
            let mut leaves = Vec::new();
            for (at, (name, amount, address)) in rows.iter().enumerate() {
                leaves.push((format!("/rows/{at}/name"), json!(name)));
                leaves.push((format!("/rows/{at}/amount"), amount.clone()));
                if !address.is_empty() {
                    leaves.push((format!("/rows/{at}/url"), json!(address)));
                }
            }
            let leaves: Vec<(&str, Value, f64)> =
                leaves.iter().map(|(pointer, value)| (pointer.as_str(), value.clone(), 0.5)).collect();
            page(url, &leaves)
        };
        let deposits = [("Deposit", json!(5), ""), ("Deposit", json!(7), ""), ("Deposit", json!(5), "")];
        let later = [("Deposit", json!(9), ""), ("Deposit", json!(8), "")];
        let copies =
            [("Red cup", json!(5), "https://a.example/1"), ("Red cup", json!(5), "https://a.example/1")];
        let rows: [(&str, Vec<Extraction>, usize); 5] = [
            ("payments of one page", vec![table("a", &deposits)], 3),
            ("payments of two pages", vec![table("a", &deposits), table("b", &later)], 5),
            ("one payment a page", vec![table("a", &deposits[..1]), table("b", &later[..1])], 2),
            ("the same page again", vec![table("a", &deposits), table("b", &deposits)], 3),
            ("copies of one address", vec![table("a", &copies)], 1),
        ];
        for (name, pages, count) in rows {
            let merged = merge(pages, &shape);
            assert_eq!(merged.data["rows"].as_array().map(Vec::len), Some(count), "{name}: {}", merged.data);
        }
        let list =
            Shape::from_schema(&json!({ "type": "array", "items": { "properties": { "name": text } } }));
        let merged = merge(vec![page("a", &[("/0/name", json!("Ada"), 0.5)])], &list.unwrap());
        assert_eq!(merged.sources().into_keys().collect::<Vec<_>>(), ["[0]"]);
    }

    #[test]
    fn many_similar_rows_are_merged() {
        let shape = Shape::from_schema(&json!({
            "properties": {
                "rows": { "type": "array", "items": { "properties": { "name": { "type": "string" } } } },
            },
        }))
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
