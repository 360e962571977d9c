//! Product fields read without a model, held against what people wrote down about each page.
//!
//! A folder holds `schema.json`, `ground-truth.json` (page id to `url` and the accepted values of each field) and the pages as
//! `html/ID.html.gz`. A right value is a true positive, a wrong one a false positive (and a false negative where there is a
//! truth), a missing one a false negative where there is a truth.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use gleaner_extract::{Page, Shape, extract};
use serde_json::{Map, Value, json};

use crate::{Failure, Outcome};

/// The fields that are scored, in the order of the table; `OutOfStock` is the part of `availability` that is hard.
const FIELDS: [&str; 8] = ["price", "sku", "availability", "OutOfStock", "brand", "currency", "gtin", "mpn"];

/// A saved page with what is known about it.
pub(super) struct Known {
    pub(super) page: Page,
    pub(super) truth: Map<String, Value>,
}

/// The pages of a folder, in the order of their ids.
pub(super) fn pages(folder: &Path) -> Result<Vec<Known>, Failure> {
    let truths = fs::read(folder.join("ground-truth.json"))?;
    let truths: BTreeMap<String, Map<String, Value>> = serde_json::from_slice(&truths)?;
    let mut pages = Vec::new();
    for (id, truth) in truths {
        let url = truth.get("url").and_then(Value::as_str).ok_or_else(|| format!("{id} has no url"))?;
        let file = folder.join("html").join(format!("{id}.html.gz"));
        let mut html = Vec::new();
        let opened = fs::File::open(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        GzDecoder::new(opened).read_to_end(&mut html)?;
        let page = Page::new(url.parse()?, String::from_utf8_lossy(&html));
        pages.push(Known { page, truth });
    }
    Ok(pages)
}

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let schema: Value = serde_json::from_slice(&fs::read(folder.join("schema.json"))?)?;
    let shape = Shape::from_schema(&schema)?;
    let mut counts = [Count::default(); FIELDS.len()];
    for known in pages(folder)? {
        let found = extract(&known.page, &shape).data;
        for (field, count) in FIELDS.into_iter().zip(&mut counts) {
            let told = match (field, found.get("availability").and_then(Value::as_str)) {
                ("OutOfStock", state) => state.filter(|state| *state == "OutOfStock").map(str::to_owned),
                _ => found.get(field).and_then(written),
            };
            let truth = known.truth.get(field).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let accepted: Vec<String> =
                truth.iter().filter_map(written).map(|value| same_form(field, &value)).collect();
            count.add(&accepted, told.map(|told| same_form(field, &told)));
        }
    }
    Ok(report(&counts))
}

fn report(counts: &[Count]) -> Outcome {
    let mut table = format!(
        "{:14}{:>6}{:>7}{:>7}{:>7}{:>11}{:>8}{:>7}\n",
        "field", "found", "right", "wrong", "absent", "precision", "recall", "F1"
    );
    let mut fields = Map::new();
    for (field, count) in FIELDS.iter().zip(counts) {
        let Count { right, wrong, missed, absent, truths } = *count;
        let precision = share(right, right + wrong);
        let recall = share(right, right + missed);
        let f1 = share(2 * right, 2 * right + wrong + missed);
        let found = right + wrong;
        let _ = writeln!(
            table,
            "{field:14}{found:6}{right:7}{wrong:7}{absent:7}{precision:11.3}{recall:8.3}{f1:7.3}"
        );
        fields.insert(
            (*field).to_owned(),
            json!({ "found": found, "right": right, "wrong": wrong, "absent": absent, "truths": truths,
                "precision": precision, "recall": recall, "f1": f1 }),
        );
    }
    Outcome { table: table.trim_end().to_owned(), json: json!({ "product": fields }) }
}

/// One field over all pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    right: usize,
    wrong: usize,
    /// Truths that were not told: absent or another value in their place.
    missed: usize,
    /// Truths in whose place there is nothing.
    absent: usize,
    truths: usize,
}

impl Count {
    fn add(&mut self, accepted: &[String], told: Option<String>) {
        let known = usize::from(!accepted.is_empty());
        self.truths += known;
        match told {
            None => {
                self.missed += known;
                self.absent += known;
            }
            Some(told) if accepted.contains(&told) => self.right += 1,
            Some(_) => {
                self.wrong += 1;
                self.missed += known;
            }
        }
    }
}

/// The text of a value; `None` where there is nothing.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        other => Some(other.to_string()),
    }
}

/// Two values are the same if these are: prices as decimal numbers, brands without case, all others as written.
fn same_form(field: &str, value: &str) -> String {
    let value = value.trim();
    match field {
        "price" => decimal(value).unwrap_or_else(|| value.to_owned()),
        "brand" => value.to_lowercase(),
        _ => value.to_owned(),
    }
}

/// A decimal number without needless zeros.
fn decimal(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    Some(format!("{}.{fraction}", if whole.is_empty() { "0" } else { whole }))
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_count_as_the_truth_allows() {
        let mut count = Count::default();
        let rows: [(&[&str], Option<&str>); 5] =
            [(&["1.5"], Some("1.50")), (&["2"], Some("3")), (&["2"], None), (&[], Some("9")), (&[], None)];
        for (truth, told) in rows {
            let accepted: Vec<String> = truth.iter().map(|value| same_form("price", value)).collect();
            count.add(&accepted, told.map(|told| same_form("price", told)));
        }
        assert_eq!(count, Count { right: 1, wrong: 2, missed: 2, absent: 1, truths: 3 });
    }

    #[test]
    fn values_are_the_same_in_another_writing() {
        let rows = [
            ("price", "010.50", "10.5", true),
            ("price", "100", "100.00", true),
            ("price", "1e2", "100", false),
            ("brand", "ACME", "acme", true),
            ("sku", "A1", "a1", false),
        ];
        for (field, one, other, same) in rows {
            assert_eq!(same_form(field, one) == same_form(field, other), same, "{one} {other}");
        }
    }
}
