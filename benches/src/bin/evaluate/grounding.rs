//! The gate over saved pages: a model that lies must not pass, and one that tells the truth must.
//!
//! Takes the folder that `product` takes, for its pages. Of each page's Markdown passages and numbers are taken as true values with
//! their quotes, as a model would copy them; the lies are passages of other pages and numbers near the true ones, each made sure to
//! stand nowhere on the page.

use std::path::Path;
use std::sync::Arc;

use gleaner_extract::model::scripted::{ScriptedModel, block_on};
use gleaner_extract::{Extractor, Page, Shape, Task};
use gleaner_transform::html_to_markdown;
use serde_json::{Value, json};

use crate::product::pages;
use crate::{Failure, Outcome};

/// Passages and numbers that are taken of one page.
const OF_A_PAGE: usize = 6;

/// A value that a page states, with words of the page that state it.
#[derive(Debug, Clone, PartialEq)]
struct Truth {
    field: &'static str,
    value: Value,
    quote: String,
}

pub(super) fn evaluate(folder: &Path) -> Result<Outcome, Failure> {
    let shape = Shape::from_schema(&json!({ "properties": {
        "factText": { "type": ["string", "null"] }, "factNumber": { "type": ["number", "null"] },
        "factUrl": { "type": ["string", "null"] },
    } }))?;
    let mut read = Vec::new();
    for known in pages(folder)? {
        let markdown = html_to_markdown(&known.page.html, Some(&known.page.url));
        // The model-free part has nothing to say here, so that all comes by the model.
        let page = Page::new(known.page.url, "").with_markdown(markdown);
        let truths = truths(&page.markdown);
        if !truths.is_empty() {
            read.push((page, truths));
        }
    }
    let (mut planted, mut passed, mut told, mut refused) = (0, Vec::new(), 0, Vec::new());
    for (nth, (page, truths)) in read.iter().enumerate() {
        for truth in truths {
            told += 1;
            let claim = json!({ "value": truth.value, "quote": truth.quote });
            let found = answered(page, &shape, truth.field, &claim);
            if found.is_null() {
                refused.push(json!({ "url": page.url.as_str(), "claim": claim }));
            }
        }
        let other = read.get((nth + 1) % read.len()).map_or(&[][..], |(_, truths)| truths.as_slice());
        for (truth, lie) in lies(&page.markdown, truths, other) {
            // With a true quote, with an invented one, with one that is half true, and with none.
            let quotes = [
                json!(truth.quote),
                json!(format!("It is said to be {lie}")),
                json!(format!("{} {lie}", truth.quote)),
                Value::Null,
            ];
            for quote in quotes {
                planted += 1;
                let claim = json!({ "value": lie, "quote": quote });
                let found = answered(page, &shape, truth.field, &claim);
                if !found.is_null() {
                    passed.push(json!({ "url": page.url.as_str(), "claim": claim, "passed": found }));
                }
            }
        }
    }
    let table = format!(
        "pages                    {:6}\nlies planted             {planted:6}\nlies that passed         {:6}\n\
         true values told         {told:6}\ntrue values refused      {:6}",
        read.len(),
        passed.len(),
        refused.len()
    );
    let json = json!({ "grounding": { "pages": read.len(), "planted": planted, "passed": passed, "told": told,
        "refused": refused } });
    Ok(Outcome { table, json })
}

/// What comes out of a page when a model gives this answer for one field.
fn answered(page: &Page, shape: &Shape, field: &str, claim: &Value) -> Value {
    let answer = json!({ field: claim }).to_string();
    let model = ScriptedModel::with(move |_| Ok(answer.clone()));
    let found = block_on(Extractor::new(Arc::new(model)).page(page, Task::new(shape)));
    found.extraction.data.get(field).cloned().unwrap_or_default()
}

/// Passages and numbers of a page, evenly over it.
fn truths(markdown: &str) -> Vec<Truth> {
    let lines: Vec<String> =
        markdown.lines().map(plain).filter(|line| (12..=160).contains(&line.len())).collect();
    let worded = |line: &&String| line.chars().filter(|found| found.is_alphabetic()).count() > 8;
    let texts: Vec<Truth> = lines
        .iter()
        .filter(worded)
        .map(|line| Truth { field: "factText", value: json!(line), quote: line.clone() })
        .collect();
    let numbers: Vec<Truth> = lines
        .iter()
        .filter_map(|line| {
            let value = number(line)?;
            Some(Truth { field: "factNumber", value, quote: line.clone() })
        })
        .collect();
    let spread = |all: Vec<Truth>| {
        let step = (all.len() / OF_A_PAGE).max(1);
        all.into_iter().step_by(step).take(OF_A_PAGE).collect::<Vec<_>>()
    };
    [spread(texts), spread(numbers)].concat()
}

/// Values that a page does not state, each beside the true one that it stands in for.
fn lies<'t>(markdown: &str, own: &'t [Truth], other: &[Truth]) -> Vec<(&'t Truth, Value)> {
    let page = letters(markdown);
    let digits: String = markdown.chars().filter(|found| !matches!(found, '.' | ',' | ' ' | '\'')).collect();
    let mut lies = Vec::new();
    for (truth, foreign) in own.iter().filter(|truth| truth.field == "factText").zip(other) {
        let text = foreign.value.as_str().unwrap_or("A thing that nobody sells");
        if !page.contains(&letters(text)) {
            lies.push((truth, json!(text)));
        }
    }
    for truth in own.iter().filter(|truth| truth.field == "factNumber") {
        let near = truth.value.as_f64().unwrap_or_default().trunc();
        let lie = (1..200_u32)
            .map(|step| near + f64::from(step * 7))
            .find(|lie| !digits.contains(&lie.to_string()));
        lies.extend(lie.map(|lie| (truth, json!(lie))));
    }
    lies
}

/// Letters and digits only, in lower case: what two writings of one text have in common.
fn letters(text: &str) -> String {
    text.chars().filter(|found| found.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A line as a reader sees it: without Markdown's marks, of a table its first cell.
fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line.trim().trim_start_matches(['#', '>', '-', '|', ' ']);
    while let Some(found) = rest.chars().next() {
        let after = rest.get(found.len_utf8()..).unwrap_or_default();
        rest = match found {
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

/// The first plain number of a line: up to six digits, with at most two behind a point.
fn number(line: &str) -> Option<Value> {
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
    fn truths_are_on_the_page_and_lies_are_not() {
        let markdown = "# The **red** [cup](https://x.example/)\n\nIt weighs 120 grams and holds 2.5 cups.\n";
        let own = truths(markdown);
        assert!(own.iter().any(|truth| truth.value == json!(120.0)));
        let other = truths("Something else that another page says, 7 times.\n");
        let lies = lies(markdown, &own, &other);
        assert!(lies.iter().any(|(truth, lie)| truth.field == "factText" && lie == &other[0].value));
        assert!(lies.iter().all(|(_, lie)| !markdown.contains(lie.as_str().unwrap_or("127 grams"))));
    }
}
