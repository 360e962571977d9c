//! Reads the value of a field from a text. If the text states a range, reads the end that the field asks for.

use serde_json::Value;

use crate::bind::target::TargetField;
use crate::normalise::{ValueForm, normalise};
use crate::typed::{NumberStyle, date_range, money_range};

/// The value that a text of the page states for a field. Of a range, a field for its end gets the end.
pub(super) fn value_in(text: &str, target: &TargetField<'_>) -> Option<Value> {
    let read = |text: &str| normalise(text, target.form, target.shape, NumberStyle::Prose);
    let ends_range = ["end date", "salary max", "highest price"].iter().any(|name| target.has_concept(name));
    match target.form {
        ValueForm::Date | ValueForm::Moment if ends_range => match date_range(text) {
            Some((_, end)) => read(&end),
            None => read(text),
        },
        ValueForm::Price | ValueForm::Number => match money_range(text) {
            Some((low, high, _)) => {
                let end = if ends_range { high.unwrap_or(low) } else { low };
                normalise(&end.decimal, target.form, target.shape, NumberStyle::Data)
            }
            None => read(text),
        },
        _ => read(text),
    }
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
            ("end_date", "string", "3–5 March 2021", json!("2021-03-05")),
            ("start_date", "string", "3–5 March 2021", json!("2021-03-03")),
        ];
        for (name, kind, text, expected) in rows {
            let shape = Shape::from_schema(&json!({ "properties": { name: { "type": kind } } })).unwrap();
            let field = &shape.fields()[0];
            let target = TargetField::new(format!("/{name}"), Vec::new(), field);
            assert_eq!(value_in(text, &target), Some(expected), "{name}: {text}");
        }
    }
}
