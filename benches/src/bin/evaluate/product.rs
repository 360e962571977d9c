//! Product fields read without a model, compared with ground truth.
//!
//! A folder has `schema.json`, `ground-truth.json` (page id to `url` and the accepted values of each field)
//! and the pages as `html/ID.html.gz`. A right value is a true positive and a wrong value a false positive.
//! If the field has a truth, a wrong or absent value is also a false negative.
//!
//! `--models FOLDER` has a model for each fold of the sites that was trained without them. `--options NAME`
//! measures nothing: it writes the options of each field, as `fields` does, with the ground truth as labels.
//! A field without truth has no value there, so that each of its options is wrong.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use gleaner_extract::{Page, Shape};
use serde_json::{Map, Value, json};

use crate::fields::{self, Arguments, Models, SavedPage};
use crate::{Failure, Outcome};

/// The scored fields, in the order of the table. `OutOfStock` is the rare and difficult value of
/// `availability`.
const FIELDS: [&str; 8] = ["price", "sku", "availability", "OutOfStock", "brand", "currency", "gtin", "mpn"];

/// A saved page with its ground truth.
pub(super) struct LabelledPage {
    id: String,
    pub(super) page: Page,
    pub(super) truth: Map<String, Value>,
}

/// The pages of a folder, in the order of their ids.
pub(super) fn pages(folder: &Path) -> Result<Vec<LabelledPage>, Failure> {
    let truths = fs::read(folder.join("ground-truth.json"))?;
    let truths: BTreeMap<String, Map<String, Value>> = serde_json::from_slice(&truths)?;
    let mut pages = Vec::new();
    for (id, truth) in truths {
        let url = truth.get("url").and_then(Value::as_str).ok_or_else(|| format!("{id} has no url"))?;
        let file = folder.join("html").join(format!("{id}.html.gz"));
        let mut html = Vec::new();
        let packed = fs::File::open(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        GzDecoder::new(packed).read_to_end(&mut html)?;
        let page = Page::new(url.parse()?, String::from_utf8_lossy(&html));
        pages.push(LabelledPage { id, page, truth });
    }
    Ok(pages)
}

impl LabelledPage {
    /// The page with its ground truth as labels of a `Product`.
    fn saved(self) -> SavedPage {
        let Self { id, page, truth } = self;
        let known = FIELDS.into_iter().filter(|field| *field != "OutOfStock");
        let labels: Map<String, Value> =
            known.map(|field| (field.to_owned(), truth.get(field).cloned().unwrap_or_default())).collect();
        let labels = json!({ "kind": "Product", "fields": labels });
        SavedPage { id, url: page.url, html: page.html, labels }
    }
}

pub(super) fn evaluate(folder: &Path, arguments: &[String]) -> Result<Outcome, Failure> {
    let arguments = Arguments::parse(arguments)?;
    let Arguments { fold, options, models, .. } = &arguments;
    let known =
        Arguments { fold: *fold, options: options.clone(), models: models.clone(), ..Arguments::default() };
    if arguments != known {
        return Err("`product` has no options but --fold, --models and --options".into());
    }
    let pages = pages(folder)?;
    if let Some(name) = options {
        return fields::write_options(pages.into_iter().map(|page| Ok(page.saved())), *fold, name);
    }
    let models = Models::open(models.as_deref())?;
    let schema: Value = serde_json::from_slice(&fs::read(folder.join("schema.json"))?)?;
    let shape = Shape::from_schema(&schema)?;
    let mut counts = [Count::default(); FIELDS.len()];
    for LabelledPage { page, truth, .. } in pages {
        if !fields::is_in(*fold, &page.url) {
            continue;
        }
        let data = models.extract(&page, &shape).data;
        for (field, count) in FIELDS.into_iter().zip(&mut counts) {
            let found = match (field, data.get("availability").and_then(Value::as_str)) {
                ("OutOfStock", state) => state.filter(|state| *state == "OutOfStock").map(str::to_owned),
                _ => data.get(field).and_then(text_of),
            };
            let truths = truth.get(field).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let accepted: Vec<String> =
                truths.iter().filter_map(text_of).map(|value| normalized(field, &value)).collect();
            count.add(&accepted, found.map(|found| normalized(field, &found)));
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

/// The counts of one field over all pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Count {
    right: usize,
    wrong: usize,
    /// Truths for which the value is wrong or absent.
    missed: usize,
    /// Truths without a value.
    absent: usize,
    truths: usize,
}

impl Count {
    fn add(&mut self, accepted: &[String], found: Option<String>) {
        let has_truth = usize::from(!accepted.is_empty());
        self.truths += has_truth;
        match found {
            None => {
                self.missed += has_truth;
                self.absent += has_truth;
            }
            Some(found) if accepted.contains(&found) => self.right += 1,
            Some(_) => {
                self.wrong += 1;
                self.missed += has_truth;
            }
        }
    }
}

/// The text of a value; `None` for null and empty text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then(|| text.clone()),
        other => Some(other.to_string()),
    }
}

/// The form in which values are compared: prices as decimal numbers, brands in lower case, others without
/// changes.
fn normalized(field: &str, value: &str) -> String {
    let value = value.trim();
    match field {
        "price" => decimal(value).unwrap_or_else(|| value.to_owned()),
        "brand" => value.to_lowercase(),
        _ => value.to_owned(),
    }
}

/// A decimal number without redundant zeros.
fn decimal(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    Some(format!("{}.{fraction}", if whole.is_empty() { "0" } else { whole }))
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are small")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_against_the_truth() {
        let mut count = Count::default();
        let rows: [(&[&str], Option<&str>); 5] =
            [(&["1.5"], Some("1.50")), (&["2"], Some("3")), (&["2"], None), (&[], Some("9")), (&[], None)];
        for (truth, found) in rows {
            let accepted: Vec<String> = truth.iter().map(|value| normalized("price", value)).collect();
            count.add(&accepted, found.map(|found| normalized("price", found)));
        }
        assert_eq!(count, Count { right: 1, wrong: 2, missed: 2, absent: 1, truths: 3 });
    }

    #[test]
    fn a_field_without_truth_is_labelled_as_absent() {
        let url = "https://shop.example/cup".parse().unwrap();
        let truth = json!({ "price": ["5.00"], "url": "https://shop.example/cup", "InStock": ["InStock"] });
        let truth = truth.as_object().unwrap().clone();
        let saved = LabelledPage { id: "cup".to_owned(), page: Page::new(url, "<p>5"), truth }.saved();
        assert_eq!(saved.labels["fields"]["price"], json!(["5.00"]));
        assert_eq!(saved.labels["fields"].get("brand"), Some(&Value::Null));
        assert_eq!(saved.labels["fields"].get("OutOfStock"), None);
    }

    #[test]
    fn prices_and_brands_are_compared_in_normalized_form() {
        let rows = [
            ("price", "010.50", "10.5", true),
            ("price", "100", "100.00", true),
            ("price", "1e2", "100", false),
            ("brand", "ACME", "acme", true),
            ("sku", "A1", "a1", false),
        ];
        for (field, one, other, same) in rows {
            assert_eq!(normalized(field, one) == normalized(field, other), same, "{one} {other}");
        }
    }
}
