//! Claim verification on saved pages: false claims of a model must not pass, and true claims must.
//!
//! Uses the pages of the folder for `product`. True claims are passages and numbers of the Markdown of a
//! page, with their quotes, as a model would copy them. False claims are passages of other pages and numbers
//! near the true ones, checked to occur nowhere on the page.

use std::path::Path;
use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Extractor, Page, Shape, Task};
use gleaner_transform::html_to_markdown;
use serde_json::{Value, json};

use crate::product::pages;
use crate::{Failure, Outcome};

/// Upper bound on passages, and on numbers, from one page.
const CLAIMS_PER_PAGE: usize = 6;

/// A value that is on a page, with a quote of the page that states it.
#[derive(Debug, Clone, PartialEq)]
struct TrueClaim {
    field: &'static str,
    value: Value,
    quote: String,
}

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let shape = Shape::from_schema(&json!({ "properties": {
        "factText": { "type": ["string", "null"] }, "factNumber": { "type": ["number", "null"] },
        "factUrl": { "type": ["string", "null"] },
    } }))?;
    let mut claims_by_page = Vec::new();
    for labelled in pages(folder)? {
        let markdown = html_to_markdown(&labelled.page.html, Some(&labelled.page.url));
        // Without HTML, all values come from the model.
        let page = Page::new(labelled.page.url, "").with_markdown(markdown);
        let claims = true_claims(&page.markdown);
        if !claims.is_empty() {
            claims_by_page.push((page, claims));
        }
    }
    let (mut false_count, mut passed, mut true_count, mut refused) = (0, Vec::new(), 0, Vec::new());
    for (index, (page, claims)) in claims_by_page.iter().enumerate() {
        for truth in claims {
            true_count += 1;
            let claim = json!({ "value": truth.value, "quote": truth.quote });
            let found = extracted(page, &shape, truth.field, &claim);
            if found.is_null() {
                refused.push(json!({ "url": page.url.as_str(), "claim": claim }));
            }
        }
        let next = claims_by_page.get((index + 1) % claims_by_page.len());
        let other = next.map_or(&[][..], |(_, claims)| claims.as_slice());
        for (truth, false_value) in false_values(&page.markdown, claims, other) {
            // With a true quote, an invented quote, a quote that is half true, and no quote.
            let quotes = [
                json!(truth.quote),
                json!(format!("It is said to be {false_value}")),
                json!(format!("{} {false_value}", truth.quote)),
                Value::Null,
            ];
            for quote in quotes {
                false_count += 1;
                let claim = json!({ "value": false_value, "quote": quote });
                let found = extracted(page, &shape, truth.field, &claim);
                if !found.is_null() {
                    passed.push(json!({ "url": page.url.as_str(), "claim": claim, "passed": found }));
                }
            }
        }
    }
    let table = format!(
        "pages                    {:6}\nfalse claims             {false_count:6}\n\
         false claims that passed {:6}\n\
         true claims              {true_count:6}\ntrue claims refused      {:6}",
        claims_by_page.len(),
        passed.len(),
        refused.len()
    );
    let json = json!({ "grounding": { "pages": claims_by_page.len(), "false_claims": false_count,
        "passed": passed, "true_claims": true_count, "refused": refused } });
    Ok(Outcome { table, json })
}

/// The value that the extractor gives for one field if a model makes this claim; null if it refuses the
/// claim.
fn extracted(page: &Page, shape: &Shape, field: &str, claim: &Value) -> Value {
    let answer = json!({ field: claim }).to_string();
    let model = ScriptedModel::with(move |_| Ok(answer.clone()));
    let result = block_on(Extractor::new(Arc::new(model)).page(page, Task::new(shape)));
    result.extraction.data.get(field).cloned().unwrap_or_default()
}

/// Passages and numbers of a page, spread evenly over it.
fn true_claims(markdown: &str) -> Vec<TrueClaim> {
    let lines: Vec<String> =
        markdown.lines().map(plain_text).filter(|line| (12..=160).contains(&line.len())).collect();
    let has_words = |line: &&String| line.chars().filter(|c| c.is_alphabetic()).count() > 8;
    let texts: Vec<TrueClaim> = lines
        .iter()
        .filter(has_words)
        .map(|line| TrueClaim { field: "factText", value: json!(line), quote: line.clone() })
        .collect();
    let numbers: Vec<TrueClaim> = lines
        .iter()
        .filter_map(|line| {
            let value = first_number(line)?;
            Some(TrueClaim { field: "factNumber", value, quote: line.clone() })
        })
        .collect();
    let sample = |all: Vec<TrueClaim>| {
        let step = (all.len() / CLAIMS_PER_PAGE).max(1);
        all.into_iter().step_by(step).take(CLAIMS_PER_PAGE).collect::<Vec<_>>()
    };
    [sample(texts), sample(numbers)].concat()
}

/// Values that are not on a page, each with the true claim that it replaces.
fn false_values<'t>(
    markdown: &str,
    own: &'t [TrueClaim],
    other: &[TrueClaim],
) -> Vec<(&'t TrueClaim, Value)> {
    let page = letters_and_digits(markdown);
    let without_separators: String =
        markdown.chars().filter(|c| !matches!(c, '.' | ',' | ' ' | '\'')).collect();
    let mut values = Vec::new();
    for (truth, foreign) in own.iter().filter(|truth| truth.field == "factText").zip(other) {
        let text = foreign.value.as_str().unwrap_or("A thing that nobody sells");
        if !page.contains(&letters_and_digits(text)) {
            values.push((truth, json!(text)));
        }
    }
    for truth in own.iter().filter(|truth| truth.field == "factNumber") {
        let near = truth.value.as_f64().unwrap_or_default().trunc();
        let absent = (1..200_u32)
            .map(|step| near + f64::from(step * 7))
            .find(|number| !without_separators.contains(&number.to_string()));
        values.extend(absent.map(|number| (truth, json!(number))));
    }
    values
}

/// The letters and digits of a text, in lower case. Two spellings of a text that differ in marks have them in
/// common.
fn letters_and_digits(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A line without the marks of Markdown; of a table, the first cell.
fn plain_text(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line.trim().trim_start_matches(['#', '>', '-', '|', ' ']);
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        rest = match first {
            '!' if after.starts_with('[') => {
                let end = after.find(')').map_or(after.len(), |end| end + 1);
                after.get(end..).unwrap_or_default()
            }
            ']' if after.starts_with('(') => {
                let end = after.find(')').map_or(after.len(), |end| end + 1);
                after.get(end..).unwrap_or_default()
            }
            '|' => "",
            '\\' => {
                out.extend(after.chars().next());
                after.get(after.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default()
            }
            '*' | '`' | '[' | ']' => after,
            other => {
                out.push(other);
                after
            }
        };
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first plain number of a line: at most six digits, and at most two after the decimal point.
fn first_number(line: &str) -> Option<Value> {
    line.split_whitespace().find_map(|word| {
        let word = word.trim_end_matches(['.', ',', ')', ';', ':']);
        let (whole, cents) = word.split_once('.').unwrap_or((word, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let fits =
            (1..=6).contains(&whole.len()) && cents.len() <= 2 && (whole == "0" || !whole.starts_with('0'));
        (fits && digits(whole) && digits(cents)).then(|| word.parse::<f64>().ok().map(Value::from)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_claims_are_on_the_page_and_false_values_are_not() {
        let markdown = "# The **red** [cup](https://x.example/)\n\nIt weighs 120 grams and holds 2.5 cups.\n";
        let own = true_claims(markdown);
        assert!(own.iter().any(|truth| truth.value == json!(120.0)));
        let other = true_claims("Something else that another page says, 7 times.\n");
        let values = false_values(markdown, &own, &other);
        assert!(values.iter().any(|(truth, value)| truth.field == "factText" && value == &other[0].value));
        assert!(values.iter().all(|(_, value)| !markdown.contains(value.as_str().unwrap_or("127 grams"))));
    }
}
