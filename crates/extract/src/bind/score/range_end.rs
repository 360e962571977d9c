//! Reads the value of a field from a text. If the text states a range, reads the end that the field asks for.

use serde_json::Value;

use crate::bind::concept_name;
use crate::bind::target::TargetField;
use crate::normalise::{ValueForm, normalise_labelled};
use crate::typed::{NumberStyle, date_range, money_range};

/// Longest text that is a salary without a label, in bytes.
const MAX_SALARY_BYTES: usize = 48;

/// The value that a text of the page states for a field, with the label that the page gives it. Of a range, a
/// field for its end gets the end.
pub(super) fn value_in(
    text: &str,
    label: &str,
    target: &TargetField<'_>,
    style: NumberStyle,
) -> Option<Value> {
    let read = |text: &str| normalise_labelled(text, label, target.form, target.shape, style);
    let ends_range = ["end date", "salary max", "highest price"].iter().any(|name| target.has_concept(name));
    match target.form {
        ValueForm::Date | ValueForm::Moment if ends_range => match date_range(text) {
            Some((_, end)) => read(&end),
            None => read(text),
        },
        ValueForm::Price | ValueForm::Number => match money_range(text, style) {
            Some((_, None, period)) if is_of_salary(target) && !is_salary(text, label, period.is_some()) => {
                None
            }
            Some((low, high, _)) => {
                let end = if ends_range { high.unwrap_or(low) } else { low };
                let sum = format!("{} {}", end.decimal, end.currency.unwrap_or_default());
                normalise_labelled(&sum, label, target.form, target.shape, NumberStyle::Data)
            }
            None => read(text),
        },
        _ => read(text),
    }
}

fn is_of_salary(target: &TargetField<'_>) -> bool {
    target.has_concept("salary min") || target.has_concept("salary max")
}

/// Whether a single sum is a salary: its label says so, or it is hardly more than a sum for a period. In a
/// sentence it may be any sum.
fn is_salary(text: &str, label: &str, has_period: bool) -> bool {
    let is_labelled = concept_name(label).is_some_and(|name| name.starts_with("salary"));
    is_labelled || (has_period && text.len() <= MAX_SALARY_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Shape;
    use serde_json::json;

    #[test]
    fn fields_for_the_end_of_a_range_get_its_end() {
        let rows = [
            ("salary_min", "number", "$50,000 - $70,000 a year", json!(50_000)),
            ("salary_max", "number", "$50,000 - $70,000 a year", json!(70_000)),
            ("price", "number", "12,50 €", json!(12.5)),
            ("price", "number", "$1.2M", json!(1_200_000)),
            ("price_eur", "number", "€1,499.00", json!(1_499)),
            ("price_cents", "integer", "€14.99", json!(1_499)),
            ("weight_g", "number", "31 kg", json!(31_000)),
            ("end_date", "string", "3–5 March 2021", json!("2021-03-05")),
            ("start_date", "string", "3–5 March 2021", json!("2021-03-03")),
        ];
        for (name, kind, text, expected) in rows {
            let shape = Shape::from_schema(&json!({ "properties": { name: { "type": kind } } })).unwrap();
            let field = &shape.fields()[0];
            let target = TargetField::new(format!("/{name}"), Vec::new(), field);
            assert_eq!(value_in(text, "", &target, NumberStyle::Prose), Some(expected), "{name}: {text}");
        }
        let rows = [
            ("salary_max", "We raised $45 million last year and serve many patients.", "", None),
            ("salary_max", "$45 million", "", None),
            ("salary_max", "$25.50 per hour", "", Some(json!(25.5))),
            ("salary_min", "$50,000", "salary", Some(json!(50_000))),
            ("price_usd", "€1,499.00", "", None),
            ("price_eur", "1,499.00", "", None),
            ("price_eur", "1,499.00", "price eur", Some(json!(1_499))),
            ("weight_lbs", "31 kg", "", None),
            ("weight_g", "31", "weight", None),
            ("weight_g", "31", "weight kg", Some(json!(31_000))),
        ];
        for (name, text, label, expected) in rows {
            let shape = Shape::from_schema(&json!({ "properties": { name: { "type": "number" } } })).unwrap();
            let field = &shape.fields()[0];
            let target = TargetField::new(format!("/{name}"), Vec::new(), field);
            assert_eq!(value_in(text, label, &target, NumberStyle::Prose), expected, "{name}: {text}");
        }
    }
}
