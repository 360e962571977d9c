//! Matches rows that are already known with the records of a page, to find the missing ones.

use serde_json::Value;

use super::record_run::{RecordRun, runs};
use crate::bind::folded;
use crate::leaf::{Leaf, child_pointer};
use crate::page::truncate;

/// Upper bound on the comparisons of a row with a record, for one list.
const MAX_COMPARISONS: usize = 100_000;
/// Bytes of a record that take part in a comparison.
const MAX_RECORD_BYTES: usize = 2_000;

/// A row with its proofs; their pointers start at the row.
pub(super) type Row = (Value, Vec<Leaf>);

/// A run of records matched with the rows that the page's own evidence gave.
///
/// The evidence is seldom the whole list: markup names three offers on a page of a hundred. All records are
/// counted, and those that a row of the evidence states are not asked for.
#[derive(Debug)]
pub(super) struct MatchedRun {
    pub(super) run: RecordRun,
    /// For each record, whether a row of the evidence states it.
    pub(super) is_known: Vec<bool>,
}

impl MatchedRun {
    /// The runs of records that may be the list, the largest first. If rows are known, this is the run that
    /// contains most of them, or none if no run contains at least half of them: then the page lists something
    /// else.
    pub(super) fn read(markdown: &str, rows: &[Row]) -> Vec<Self> {
        let runs = runs(markdown);
        if rows.is_empty() {
            return runs.into_iter().map(Self::unmatched).collect();
        }
        let quotes: Vec<Vec<String>> = rows.iter().map(|(_, leaves)| quotes(leaves)).collect();
        let mut left = MAX_COMPARISONS;
        let mut best: Option<(usize, Self)> = None;
        for run in runs {
            let mut matched = Self::unmatched(run);
            let placed = matched.mark_known(markdown, &quotes, &mut left);
            if placed * 2 >= rows.len() && best.as_ref().is_none_or(|(known, _)| placed > *known) {
                best = Some((placed, matched));
            }
        }
        best.map(|(_, matched)| matched).into_iter().collect()
    }

    fn unmatched(run: RecordRun) -> Self {
        let is_known = vec![false; run.records.len()];
        Self { run, is_known }
    }

    /// Marks the records that rows state, and counts the rows that have a record.
    fn mark_known(&mut self, markdown: &str, rows: &[Vec<String>], left: &mut usize) -> usize {
        let counted = self.is_known.len();
        let texts: Vec<String> = self
            .run
            .records
            .iter()
            .map(|range| {
                let text = markdown.get(range.clone()).unwrap_or_default();
                spaced(truncate(text, MAX_RECORD_BYTES))
            })
            .collect();
        let mut placed = 0;
        // Rows come in the order of the page, so the search for each starts behind the record of the one
        // before.
        let mut next = 0;
        for quotes in rows {
            let found = (0..counted).map(|step| (next + step) % counted).take(*left).find(|at| {
                *left = left.saturating_sub(1);
                let free = self.is_known.get(*at) == Some(&false);
                free && texts.get(*at).is_some_and(|text| {
                    let hits = quotes.iter().filter(|quote| text.contains(quote.as_str())).count();
                    hits > 0 && hits * 2 >= quotes.len()
                })
            });
            if let Some(at) = found {
                if let Some(flag) = self.is_known.get_mut(at) {
                    *flag = true;
                }
                placed += 1;
                next = at + 1;
            }
        }
        placed
    }

    /// The records that no row states.
    pub(super) fn open(&self) -> Vec<usize> {
        self.is_known.iter().enumerate().filter(|(_, is_known)| !**is_known).map(|(at, _)| at).collect()
    }
}

/// The quotes of a row's proofs, in the form in which records are compared.
fn quotes(leaves: &[Leaf]) -> Vec<String> {
    let proofs = leaves.iter().filter_map(|leaf| leaf.provenance.first());
    proofs.map(|proof| spaced(&proof.quote)).filter(|quote| quote.len() > 2).collect()
}

/// The words of a text with a blank around each, so that only whole words match.
fn spaced(text: &str) -> String {
    // `folded` reads only the start of a text, so each word goes through it alone.
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

/// The rows at a pointer, each with its own proofs.
pub(super) fn rows_at(data: &Value, leaves: &[Leaf], pointer: &str) -> Vec<Row> {
    let values = data.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut rows: Vec<Row> = values.iter().map(|value| (value.clone(), Vec::new())).collect();
    let below = child_pointer(pointer, "");
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

/// Whether two rows agree: they share at least one value and contradict each other in none.
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
    fn records_stated_by_the_evidence_are_not_open() {
        let markdown: String = (0..6).map(|at| format!("- **Cup {at}** {at},50 €\n")).collect();
        let stated = MatchedRun::read(&markdown, &[row("Cup 1", 1.5), row("Cup 4", 4.5)]);
        assert_eq!(stated.iter().map(MatchedRun::open).collect::<Vec<_>>(), [[0, 2, 3, 5]]);
        // The page lists something other than the rows.
        assert!(
            MatchedRun::read(&markdown, &[row("Lamp", 9.0), row("Chair", 8.0), row("Cup 1", 1.5)]).is_empty()
        );
        assert_eq!(MatchedRun::read(&markdown, &[])[0].open().len(), 6);
        // The rows are found beside a longer list too.
        let longer: String = (0..9).map(|at| format!("- Guide {at}\n")).collect();
        let both = format!("{longer}\nOr:\n\n{markdown}");
        let stated = MatchedRun::read(&both, &[row("Cup 1", 1.5), row("Cup 4", 4.5)]);
        assert_eq!(stated.iter().map(MatchedRun::open).collect::<Vec<_>>(), [[0, 2, 3, 5]]);
        assert_eq!(MatchedRun::read(&both, &[]).len(), 2);
    }

    #[test]
    fn rows_agree_if_their_common_fields_do() {
        let (_, one) = row("Red cup", 1.5);
        let (_, other) = row("red  cup", 1.5);
        let (_, dearer) = row("Red cup", 2.5);
        assert!(agree(&one, &other));
        assert!(!agree(&one, &dearer));
        assert!(!agree(&one, &[]));
    }
}
