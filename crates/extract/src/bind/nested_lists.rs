//! Lists within the records of a list, such as the tags of each article or the offers of each product.

use serde_json::{Map, Value};

use super::entity::{scalar, values};
use super::pool::Candidate;
use super::target::TargetField;
use crate::leaf::child_pointer;
use crate::normalise::normalise;
use crate::page::Method;
use crate::schema::{Field, Shape, ShapeKind};
use crate::typed::NumberStyle;

/// Upper bound on the values of one list within a record.
const MAX_INNER_VALUES: usize = 200;

/// The values that an entity states for the lists of a record: pointers below the record, with their values.
/// Lists within those lists are not read.
pub(crate) fn of_entity(object: &Map<String, Value>, lists: &[(String, &Field)]) -> Vec<(String, Candidate)> {
    let mut found = Vec::new();
    for (pointer, field) in lists {
        let ShapeKind::List(inner) = &field.shape.kind else { continue };
        let plain = Field { name: field.name.clone(), shape: (**inner).clone(), required: false };
        let own = TargetField::new(String::new(), Vec::new(), &plain);
        let elements = own.paths().into_iter().map(|(path, _)| values(object, &path));
        let Some(elements) = elements.into_iter().find(|values| !values.is_empty()) else { continue };
        let targets = if inner.is_branch() { super::leaf_targets(inner) } else { vec![own] };
        let mut at = 0;
        for element in elements.into_iter().take(MAX_INNER_VALUES) {
            let stated: Vec<(String, Candidate)> = targets
                .iter()
                .filter_map(|target| Some((target.pointer.clone(), stated(element, target, inner)?)))
                .collect();
            if stated.is_empty() {
                continue;
            }
            let element_pointer = child_pointer(pointer, &at.to_string());
            found.extend(
                stated.into_iter().map(|(below, value)| (format!("{element_pointer}{below}"), value)),
            );
            at += 1;
        }
    }
    found
}

fn stated(element: &Value, target: &TargetField<'_>, inner: &Shape) -> Option<Candidate> {
    let of_text = |found: &Value| {
        let text = scalar(found)?;
        let value = normalise(&text, target.form, target.shape, NumberStyle::Data)?;
        Some(Candidate { value, quote: text, method: Method::JsonLd, score: 0.85, html_range: None })
    };
    if !inner.is_branch() {
        return of_text(element);
    }
    let object = element.as_object()?;
    target.paths().iter().find_map(|(path, _)| values(object, path).into_iter().find_map(of_text))
}
