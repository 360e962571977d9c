use serde_json::Value;

use super::units::{Units, units};
use crate::bind::folded;
use crate::leaf::{Leaf, step};
use crate::page::cut;

/// Comparisons of a row with a record, for one list.
const MAX_COMPARISONS: usize = 100_000;
/// Bytes of a record that are compared.
const MAX_RECORD_BYTES: usize = 2_000;

/// A row with its proofs, whose pointers begin at the row.
pub(super) type Row = (Value, Vec<Leaf>);

/// The records of a page beside the rows that its own evidence gave.
///
/// Evidence is seldom the whole list: markup names three offers on a page of a hundred. The records are counted all the same, and those that a
/// row of the evidence states need not be asked for.
#[derive(Debug)]
pub(super) struct Stated {
    pub(super) units: Units,
    /// For each record: does a row of the evidence state it?
    pub(super) taken: Vec<bool>,
}

impl Stated {
    /// `None` where the page lists nothing, or something else: fewer than half of the rows stand in its records.
    pub(super) fn read(markdown: &str, rows: &[Row]) -> Option<Self> {
        let units = units(markdown);
        let counted = units.records.len();
        if counted < 2 {
            return None;
        }
        let mut taken = vec![false; counted];
        if rows.is_empty() {
            return Some(Self { units, taken });
        }
        let texts: Vec<String> = units
            .records
            .iter()
            .map(|range| {
                let text = markdown.get(range.clone()).unwrap_or_default();
                spaced(cut(text, MAX_RECORD_BYTES))
            })
            .collect();
        let mut placed = 0;
        let mut left = MAX_COMPARISONS;
        // Rows come in the order of the page: each is looked for behind the one before.
        let mut next = 0;
        for (_, leaves) in rows {
            let quotes: Vec<String> = leaves
                .iter()
                .filter_map(|leaf| leaf.provenance.first())
                .map(|proof| spaced(&proof.quote))
                .filter(|quote| quote.len() > 2)
                .collect();
            let found = (0..counted).map(|step| (next + step) % counted).take(left).find(|at| {
                left = left.saturating_sub(1);
                let free = taken.get(*at) == Some(&false);
                free && texts.get(*at).is_some_and(|text| {
                    let hits = quotes.iter().filter(|quote| text.contains(quote.as_str())).count();
                    hits > 0 && hits * 2 >= quotes.len()
                })
            });
            if let Some(at) = found {
                if let Some(place) = taken.get_mut(at) {
                    *place = true;
                }
                placed += 1;
                next = at + 1;
            }
        }
        (placed * 2 >= rows.len()).then_some(Self { units, taken })
    }

    /// Records that no row states.
    pub(super) fn open(&self) -> Vec<usize> {
        self.taken.iter().enumerate().filter(|(_, taken)| !**taken).map(|(at, _)| at).collect()
    }
}

/// Words between blanks, so that whole ones are compared.
fn spaced(text: &str) -> String {
    // `folded` reads the start of a text only.
    let mut out = String::from(" ");
    for part in text.split_whitespace() {
        let part = folded(part);
        if !part.is_empty() {
            out.push_str(&part);
            out.push(' ');
        }
    }
    out
}

/// The rows at a pointer with their proofs, taken apart.
pub(super) fn rows_at(data: &Value, leaves: &[Leaf], pointer: &str) -> Vec<Row> {
    let values = data.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut rows: Vec<Row> = values.iter().map(|value| (value.clone(), Vec::new())).collect();
    let below = step(pointer, "");
    for leaf in leaves {
        let Some(rest) = leaf.pointer.strip_prefix(&below) else { continue };
        let at = rest.find('/').unwrap_or(rest.len());
        let Some((number, inner)) = rest.split_at_checked(at) else { continue };
        if let Some((_, own)) = number.parse::<usize>().ok().and_then(|at| rows.get_mut(at)) {
            own.push(Leaf { pointer: inner.to_owned(), ..leaf.clone() });
        }
    }
    rows
}

/// Do two rows state the same, as far as both state anything? One value in common, and no other.
pub(super) fn agree(left: &[Leaf], right: &[Leaf]) -> bool {
    let mut common = 0;
    for one in left {
        let Some(other) = right.iter().find(|other| other.pointer == one.pointer) else { continue };
        let same = match (&one.value, &other.value) {
            (Value::String(one), Value::String(other)) => folded(one) == folded(other),
            (one, other) => one
                .as_f64()
                .zip(other.as_f64())
                .map_or(one == other, |(one, other)| (one - other).abs() < 1e-9),
        };
        if !same {
            return false;
        }
        common += 1;
    }
    common > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Method, Provenance};
    use serde_json::json;

    fn row(name: &str, price: f64) -> Row {
        let leaf = |pointer: &str, value: Value, quote: String| Leaf {
            pointer: pointer.to_owned(),
            value,
            confidence: 0.8,
            provenance: vec![Provenance {
                url: "https://a.example/".to_owned(),
                quote,
                span: None,
                method: Method::JsonLd,
            }],
        };
        let leaves = vec![
            leaf("/name", json!(name), name.to_owned()),
            leaf("/price", json!(price), price.to_string()),
        ];
        (json!({ "name": name, "price": price }), leaves)
    }

    #[test]
    fn records_that_evidence_states_are_not_open() {
        let markdown: String = (0..6).map(|at| format!("- **Cup {at}** {at},50 €\n")).collect();
        let stated = Stated::read(&markdown, &[row("Cup 1", 1.5), row("Cup 4", 4.5)]).unwrap();
        assert_eq!(stated.open(), [0, 2, 3, 5]);
        // What the page lists is not what the rows are.
        assert!(Stated::read(&markdown, &[row("Lamp", 9.0), row("Chair", 8.0), row("Cup 1", 1.5)]).is_none());
        assert_eq!(Stated::read(&markdown, &[]).unwrap().open().len(), 6);
    }

    #[test]
    fn rows_agree_by_what_both_state() {
        let (_, one) = row("Red cup", 1.5);
        let (_, other) = row("red  cup", 1.5);
        let (_, dearer) = row("Red cup", 2.5);
        assert!(agree(&one, &other));
        assert!(!agree(&one, &dearer));
        assert!(!agree(&one, &[]));
    }
}
