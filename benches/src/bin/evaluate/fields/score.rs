//! Compares what extraction gives with the truth.

use serde_json::Value;

use super::form::Form;
use super::kinds::Property;
use super::text::ratio;
use super::truth::Truth;
use super::visible::Visible;

/// The outcome for one property of one case. A list counts as one value, of which a share is right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Outcome {
    /// Whether there is a truth.
    pub(super) has_truth: bool,
    /// The right share of a given value.
    pub(super) right: f64,
    /// The wrong share of a given value.
    pub(super) wrong: f64,
    /// The share of the truth that is given.
    pub(super) recalled: f64,
    /// Whether a value is given about which nothing is known.
    pub(super) is_unjudged: bool,
}

impl Outcome {
    const RIGHT: Self = Self { has_truth: true, right: 1.0, wrong: 0.0, recalled: 1.0, is_unjudged: false };
    const SILENT: Self = Self { has_truth: true, right: 0.0, wrong: 0.0, recalled: 0.0, is_unjudged: false };
    const UNJUDGED: Self =
        Self { has_truth: false, right: 0.0, wrong: 0.0, recalled: 0.0, is_unjudged: true };
    const NOTHING: Self = Self { is_unjudged: false, ..Self::UNJUDGED };

    const fn wrong(has_truth: bool) -> Self {
        Self { has_truth, right: 0.0, wrong: 1.0, recalled: 0.0, is_unjudged: false }
    }

    /// One word for it.
    pub(super) fn name(&self) -> &'static str {
        if self.is_unjudged {
            "unjudged"
        } else if self.right >= 1.0 && self.recalled >= 1.0 {
            "right"
        } else if self.right > 0.0 {
            "partly"
        } else if self.wrong > 0.0 {
            "wrong"
        } else if self.has_truth {
            "silent"
        } else {
            "empty"
        }
    }

    /// Judges the given value of a property. A value that the data states but the page does not show counts
    /// neither way; any other value in its place is wrong if the page does not show it either.
    pub(super) fn of(
        property: &Property,
        truth: Option<&Truth>,
        given: Option<&Value>,
        on_page: &Visible,
    ) -> Self {
        let given: Vec<String> = given.map(texts).unwrap_or_default();
        let same = |given: &String, truth: &String| property.form.same(given, truth);
        match (truth, given.as_slice()) {
            (Some(Truth::Values(_) | Truth::List { .. }), []) => Self::SILENT,
            (None | Some(Truth::Absent | Truth::Hidden(_)), []) => Self::NOTHING,
            (None, _) => Self::UNJUDGED,
            (Some(Truth::Absent), _) => Self::wrong(false),
            (Some(Truth::Hidden(known)), given) => {
                let is_possible = |given: &String| {
                    known.iter().any(|known| same(given, known)) || on_page.shows(property.form, given)
                };
                if property.is_list || given.iter().all(is_possible) {
                    Self::UNJUDGED
                } else {
                    Self::wrong(false)
                }
            }
            (Some(Truth::Values(accepted)), given) => {
                let is_right = given.iter().all(|given| accepted.iter().any(|truth| same(given, truth)));
                if is_right { Self::RIGHT } else { Self::wrong(true) }
            }
            (Some(Truth::List { shown, hidden }), given) => {
                let is_known = |given: &String| hidden.iter().any(|known| same(given, known));
                let mut open: Vec<&String> = shown.iter().collect();
                let (mut matched, mut judged) = (0, 0);
                for value in given {
                    if let Some(at) = open.iter().position(|&truth| same(value, truth)) {
                        open.swap_remove(at);
                        matched += 1;
                        judged += 1;
                    } else if !is_known(value) {
                        judged += 1;
                    }
                }
                // Data often states only the main image of a gallery.
                if property.form == Form::Image && shown.len() + hidden.len() == 1 && matched == 1 {
                    return Self::RIGHT;
                }
                if judged == 0 {
                    return Self::UNJUDGED;
                }
                let right = ratio(matched, judged);
                let recalled = ratio(matched, shown.len());
                Self { has_truth: true, right, wrong: 1.0 - right, recalled, is_unjudged: false }
            }
        }
    }
}

/// The value that the data of an extraction has for a property of this name; `None` if it is empty.
pub(super) fn given(data: &Value, name: &str) -> Option<Value> {
    let found = match name.split_once('.') {
        Some((list, field)) => {
            let rows = data.get(list)?.as_array()?;
            Value::Array(rows.iter().filter_map(|row| row.get(field).cloned()).collect())
        }
        None => data.get(name)?.clone(),
    };
    (!texts(&found).is_empty()).then_some(found)
}

/// The texts of a value or of the elements of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Number(_) | Value::Bool(_) => vec![value.to_string()],
        Value::Null | Value::Object(_) => Vec::new(),
    }
}

/// The sums over cases.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Count {
    pub(super) truths: usize,
    pub(super) right: f64,
    pub(super) wrong: f64,
    pub(super) recalled: f64,
    pub(super) silent: usize,
    pub(super) unjudged: usize,
}

impl Count {
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.truths += usize::from(outcome.has_truth);
        self.right += outcome.right;
        self.wrong += outcome.wrong;
        self.recalled += outcome.recalled;
        self.silent += usize::from(outcome == Outcome::SILENT);
        self.unjudged += usize::from(outcome.is_unjudged);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.truths += other.truths;
        self.right += other.right;
        self.wrong += other.wrong;
        self.recalled += other.recalled;
        self.silent += other.silent;
        self.unjudged += other.unjudged;
    }

    /// Whether nothing was judged.
    pub(super) fn is_empty(&self) -> bool {
        self.truths == 0 && self.right + self.wrong == 0.0
    }

    /// The right share of the judged values; 1 if there are none.
    pub(super) fn precision(&self) -> f64 {
        let judged = self.right + self.wrong;
        if judged > 0.0 { self.right / judged } else { 1.0 }
    }

    /// The given share of the truths.
    pub(super) fn recall(&self) -> f64 {
        if self.truths == 0 { 0.0 } else { self.recalled / self.truths as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::kinds::by_name;
    use serde_json::json;

    #[test]
    fn given_values_are_judged() {
        let recipe = by_name("Recipe").unwrap();
        let property = |name: &str| recipe.properties.iter().find(|one| one.name == name).unwrap();
        let on_page = Visible::new("Apple pie by Ada. Serves 4. Sugar", "");
        let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let truth = Truth::Values(values(&["Apple pie", "Pie"]));
        let hidden = Truth::Hidden(values(&["Apfelkuchen"]));
        let list = Truth::List { shown: values(&["2 apples", "Sugar"]), hidden: values(&["Salt"]) };
        let absent = Truth::Absent;
        let rows = [
            ("title", Some(&truth), json!("apple  Pie"), "right"),
            ("title", Some(&truth), json!("AUTHOR:"), "wrong"),
            ("title", Some(&truth), Value::Null, "silent"),
            ("title", Some(&hidden), json!("Apple pie"), "unjudged"),
            ("title", Some(&hidden), json!("Apfelkuchen"), "unjudged"),
            ("title", Some(&hidden), json!("Cherry pie"), "wrong"),
            ("title", Some(&absent), json!("Apple pie"), "wrong"),
            ("title", Some(&absent), Value::Null, "empty"),
            ("title", None, json!("Apple pie"), "unjudged"),
            ("ingredients", Some(&list), json!(["sugar", "2 apples"]), "right"),
            ("ingredients", Some(&list), json!(["sugar", "Serves 4", "sugar"]), "partly"),
            ("ingredients", Some(&list), json!(["sugar", "Salt", "2 apples"]), "right"),
            ("ingredients", Some(&list), json!([]), "silent"),
        ];
        let mut count = Count::default();
        for (name, truth, given_value, expected) in rows {
            let data = json!({ name: given_value });
            let found = given(&data, name);
            let outcome = Outcome::of(property(name), truth, found.as_ref(), &on_page);
            assert_eq!(outcome.name(), expected, "{data}");
            count.add(outcome);
        }
        assert_eq!((count.truths, count.silent, count.unjudged), (7, 2, 3));
        assert!((count.right - (3.0 + 1.0 / 3.0)).abs() < 1e-9 && (count.recalled - 3.5).abs() < 1e-9);
    }

    #[test]
    fn fields_of_rows_are_one_list() {
        let faq = by_name("Faq").unwrap();
        let data = json!({ "questions": [{ "question": "Why?", "answer": "So." }, { "question": "How?" }] });
        let lists: Vec<Option<Value>> = faq.properties.iter().map(|one| given(&data, one.name)).collect();
        assert_eq!(lists, [Some(json!(["Why?", "How?"])), Some(json!(["So."]))]);
    }
}
