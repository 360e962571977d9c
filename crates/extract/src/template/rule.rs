//! A rule that reads a value from all pages of a template, and its induction from examples.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::page_view::{Locator, PageView};
use crate::bind::TargetField;
use crate::normalise::{fold_spaces, normalise};
use crate::plan::to_f64;
use crate::typed::{NumberStyle, amounts};

/// Characters of context kept on each side of a value.
const CONTEXT: usize = 40;
/// Lower bound on the letters and digits before a value in running text.
const MIN_CONTEXT: usize = 5;

/// A rule that reads a value from the pages of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    #[serde(rename = "place")]
    pub(super) locator: Locator,
    /// The text before and after the value, if the value is not the whole text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) around: Option<(String, String)>,
}

impl Rule {
    /// The rules that lead to a value on this page, sturdiest first, at most `limit`.
    pub(super) fn induce(
        view: &PageView<'_>,
        target: &TargetField<'_>,
        value: &Value,
        limit: usize,
    ) -> Vec<Self> {
        let written = written(value);
        let typed = !value.is_string();
        let mut found: Vec<Self> = Vec::new();
        let locators = view.locators(|text| {
            contains(text, &written)
                || typed && text.bytes().any(|byte| byte.is_ascii_digit())
                || normalise(text, target.form, target.shape, NumberStyle::Prose).as_ref() == Some(value)
        });
        for (locator, text) in locators {
            let around =
                if normalise(&text, target.form, target.shape, NumberStyle::Prose).as_ref() == Some(value) {
                    None
                } else if let Some(around) = around(&text, target, value) {
                    Some(around)
                } else {
                    continue;
                };
            found.push(Self { locator, around });
        }
        let all = view.evidence.tree.text();
        if let Some((before, behind)) = around(all, target, value)
            && is_specific(&before)
        {
            found.push(Self { locator: Locator::Text, around: Some((before, behind)) });
        }
        found.sort_by(|left, right| left.rank(target).total_cmp(&right.rank(target)));
        found.truncate(limit);
        found
    }

    /// Lower is sturdier: first by the kind of locator, then by how much its name resembles the property's,
    /// then by whether the text is only the value.
    pub(super) fn rank(&self, target: &TargetField<'_>) -> f64 {
        let (kind, name) = match &self.locator {
            Locator::Label(label) => (0.0, label.as_str()),
            Locator::Entity(_, path) => (1.0, path.as_str()),
            Locator::Marked(mark) | Locator::Attribute(mark, _) => (2.0, mark.value.as_str()),
            Locator::Text => (4.0, ""),
            Locator::Path(_, steps) => (6.0 + 0.01 * to_f64(steps.len()), ""),
        };
        // A selector may match an element that contains many others; its text is then more than the value.
        let part = if self.around.is_some() { 0.6 } else { 0.0 };
        kind + part - 0.3 * crate::bind::overlap(name, target.name)
    }

    /// Whether the rule is a position, the last resort.
    pub(super) const fn is_position(&self) -> bool {
        matches!(self.locator, Locator::Path(..))
    }

    /// The value that the rule leads to, with the text that states it.
    pub(super) fn read(&self, view: &PageView<'_>, target: &TargetField<'_>) -> Option<(Value, String)> {
        let text = view.text(&self.locator)?;
        let part = match &self.around {
            None => text.as_str(),
            Some((before, behind)) => between(&text, before, behind)?,
        };
        let value = normalise(part, target.form, target.shape, NumberStyle::Prose)?;
        Some((value, part.trim().to_owned()))
    }

    /// The rule, if it also leads to this value on this page, with the context reduced to what both pages
    /// share.
    pub(super) fn confirm(
        &self,
        view: &PageView<'_>,
        target: &TargetField<'_>,
        value: &Value,
    ) -> Option<Self> {
        if self.read(view, target).is_some_and(|(found, _)| found == *value) {
            return Some(self.clone());
        }
        let (before, behind) = self.around.as_ref()?;
        let text = view.text(&self.locator)?;
        let (own_before, own_behind) = around(&text, target, value)?;
        let rule = Self {
            locator: self.locator.clone(),
            around: Some((shared_end(before, &own_before), shared_start(behind, &own_behind))),
        };
        let (before, behind) = rule.around.as_ref()?;
        let bare = before.trim().is_empty() && behind.trim().is_empty();
        if bare || (self.locator == Locator::Text && !is_specific(before)) {
            return None;
        }
        rule.read(view, target).is_some_and(|(found, _)| found == *value).then_some(rule)
    }
}

/// Whether the text before a value is specific enough to locate it.
fn is_specific(before: &str) -> bool {
    before.chars().filter(|found| found.is_alphanumeric()).count() >= MIN_CONTEXT
}

fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), fold_spaces)
}

/// Whether a text contains another one as whole words.
fn contains(text: &str, part: &str) -> bool {
    find(text, part).is_some()
}

fn find(text: &str, part: &str) -> Option<std::ops::Range<usize>> {
    if part.is_empty() {
        return None;
    }
    let word = |found: Option<char>| found.is_some_and(char::is_alphanumeric);
    for (at, _) in text.match_indices(part).take(50) {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + part.len()..).and_then(|text| text.chars().next());
        let inside =
            (word(before) && word(part.chars().next())) || (word(behind) && word(part.chars().next_back()));
        if !inside {
            return Some(at..at + part.len());
        }
    }
    None
}

/// The context of a value in a text.
fn around(text: &str, target: &TargetField<'_>, value: &Value) -> Option<(String, String)> {
    let range = match value {
        Value::String(_) => find(text, &written(value)),
        Value::Number(number) => {
            let meant = number.as_f64()?;
            amounts(text, NumberStyle::Prose)
                .take(200)
                .find(|found| found.decimal.parse::<f64>().is_ok_and(|found| (found - meant).abs() < 1e-9))
                .map(|found| found.range)
        }
        _ => None,
    }
    .or_else(|| {
        // A date or a choice may be worded differently: try each run of up to three words.
        let words: Vec<(usize, &str)> = text
            .split_whitespace()
            .take(400)
            .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
            .collect();
        (1..=3).find_map(|length| {
            words.windows(length).find_map(|window| {
                let ((start, _), (last, word)) = (window.first()?, window.last()?);
                let part = text.get(*start..last + word.len())?;
                let part = part.trim_end_matches(['.', ',', ';']);
                (normalise(part, target.form, target.shape, NumberStyle::Prose).as_ref() == Some(value))
                    .then(|| *start..start + part.len())
            })
        })
    })?;
    let before: Vec<char> = text.get(..range.start)?.chars().rev().take(CONTEXT).collect();
    let behind: String = text.get(range.end..)?.chars().take(CONTEXT).collect();
    Some((before.into_iter().rev().collect(), behind))
}

/// The part of a text between two others. If the second is empty, the part ends with the line.
fn between<'t>(text: &'t str, before: &str, behind: &str) -> Option<&'t str> {
    let start = if before.is_empty() { 0 } else { text.find(before)? + before.len() };
    let rest = text.get(start..)?;
    let end = if behind.is_empty() { rest.find('\n').unwrap_or(rest.len()) } else { rest.find(behind)? };
    let part = rest.get(..end)?;
    (part.len() <= 600).then_some(part)
}

fn shared_end(left: &str, right: &str) -> String {
    let count = left.chars().rev().zip(right.chars().rev()).take_while(|(one, two)| one == two).count();
    let shared_chars: Vec<char> = left.chars().rev().take(count).collect();
    shared_chars.into_iter().rev().collect()
}

fn shared_start(left: &str, right: &str) -> String {
    left.chars().zip(right.chars()).take_while(|(one, two)| one == two).map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::page::Page;
    use crate::schema::{Field, Shape};
    use serde_json::json;

    #[test]
    fn rules_of_one_page_hold_on_the_next() {
        let text = json!({ "type": "string" });
        let number = json!({ "type": "number" });
        let date = json!({ "type": "string", "format": "date" });
        let rows = [
            (
                "label",
                "<dl><dt>Reach<dd>VALUE</dl>",
                &text,
                [("far", json!("far")), ("near by", json!("near by"))],
            ),
            (
                "mark",
                "<p>x</p><p class=reach>VALUE</p>",
                &text,
                [("far", json!("far")), ("near", json!("near"))],
            ),
            (
                "attribute",
                "<b class=r data-reach='VALUE'>z</b>",
                &text,
                [("far", json!("far")), ("near", json!("near"))],
            ),
            (
                "prose",
                "<p>It was drawn by VALUE in a hurry.</p>",
                &text,
                [("Ada Holm", json!("Ada Holm")), ("Bo", json!("Bo"))],
            ),
            (
                "number",
                "<p>It holds up to VALUE people.</p>",
                &number,
                [("1,200", json!(1200)), ("37", json!(37))],
            ),
            (
                "date",
                "<p>It was opened on VALUE by the queen.</p>",
                &date,
                [("4 March 1921", json!("1921-03-04")), ("12 May 2001", json!("2001-05-12"))],
            ),
            (
                "position",
                "<ul><li>q</li><li>VALUE</li><li>w</li></ul>",
                &text,
                [("far", json!("far")), ("near", json!("near"))],
            ),
        ];
        for (name, html, schema, [(first, one), (second, two)]) in rows {
            let field = Field {
                name: "range".to_owned(),
                shape: Shape::from_schema(schema).unwrap(),
                required: false,
            };
            let target = TargetField::new("/range".to_owned(), Vec::new(), &field);
            let page =
                |value: &str| Page::new("https://x.example/".parse().unwrap(), html.replace("VALUE", value));
            let (left, right) = (page(first), page(second));
            let (left, right) = (Evidence::read(&left), Evidence::read(&right));
            let (left, right) = (PageView::new(&left), PageView::new(&right));
            let rules = Rule::induce(&left, &target, &one, 40);
            let confirmed: Vec<Rule> =
                rules.iter().filter_map(|rule| rule.confirm(&right, &target, &two)).collect();
            let best = confirmed.first().unwrap_or_else(|| panic!("{name}: {rules:?}"));
            assert_eq!(best.read(&left, &target).map(|(value, _)| value), Some(one), "{name} {best:?}");
            assert_eq!(best.read(&right, &target).map(|(value, _)| value), Some(two), "{name} {best:?}");
            assert_eq!(best.is_position(), name == "position", "{name} {best:?}");
        }
    }
}
