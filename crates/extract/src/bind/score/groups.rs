//! Groups of fields that share a probability bound in the model.

use super::fit::is_long_text;
use crate::bind::target::TargetField;
use crate::normalise::ValueForm;
use crate::schema::ShapeKind;

/// Groups of fields. Each has a probability of its own below which no value is chosen, as a price is decided
/// on other grounds than a description. The model file has the bounds in this order.
pub(crate) const GROUPS: [&str; 26] = [
    "price",
    "other_price",
    "currency",
    "availability",
    "sku",
    "other_code",
    "name",
    "long_text",
    "image",
    "url",
    "date_published",
    "other_date",
    "duration",
    "rating",
    "number",
    "contact",
    "author",
    "brand",
    "publisher",
    "category",
    "names",
    "place",
    "choice",
    "term",
    "named_text",
    "free_text",
];

/// The index of a field's group in [`GROUPS`].
pub(crate) fn group_of(target: &TargetField<'_>) -> usize {
    let name = name_of_group(target);
    GROUPS.iter().position(|group| *group == name).unwrap_or(GROUPS.len() - 1)
}

fn name_of_group(target: &TargetField<'_>) -> &'static str {
    let has = |name: &str| target.has_concept(name);
    match target.form {
        ValueForm::Price if has("price") => "price",
        ValueForm::Price => "other_price",
        ValueForm::Currency | ValueForm::CurrencyCode => "currency",
        ValueForm::Availability => "availability",
        _ if !target.shape.choices.is_empty() || target.shape.kind == ShapeKind::Boolean => "choice",
        ValueForm::Code if has("sku") => "sku",
        ValueForm::Code | ValueForm::Gtin => "other_code",
        ValueForm::Url if has("image") => "image",
        ValueForm::Url => "url",
        ValueForm::Date | ValueForm::Moment if has("date published") => "date_published",
        ValueForm::Date | ValueForm::Moment => "other_date",
        ValueForm::Duration => "duration",
        ValueForm::Email | ValueForm::Phone => "contact",
        _ if has("rating") => "rating",
        ValueForm::Number | ValueForm::Count | ValueForm::Rating => "number",
        _ if has("author") => "author",
        _ if has("brand") => "brand",
        ValueForm::Text if has("publisher") => "publisher",
        ValueForm::Text if has("category") => "category",
        ValueForm::Names => "names",
        ValueForm::Place => "place",
        ValueForm::Term => "term",
        ValueForm::Text if is_long_text(target) => "long_text",
        ValueForm::Text if has("name") => "name",
        _ if target.concept.is_some() => "named_text",
        _ => "free_text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::leaf_targets;
    use crate::schema::Shape;
    use serde_json::json;

    #[test]
    fn each_field_has_the_group_of_its_kind() {
        let rows = [
            ("price", json!({ "type": "number" }), "price"),
            ("availability", json!({ "enum": ["in_stock", "out_of_stock"] }), "availability"),
            ("image", json!({ "type": "string" }), "image"),
            ("publisher", json!({ "type": "string" }), "publisher"),
            ("description", json!({ "type": "string" }), "long_text"),
            ("favourite animal", json!({ "type": "string" }), "free_text"),
            ("is open", json!({ "type": "boolean" }), "choice"),
        ];
        for (name, schema, expected) in rows {
            let shape = Shape::from_schema(&json!({ "properties": { name: schema } })).unwrap();
            assert_eq!(GROUPS[group_of(&leaf_targets(&shape)[0])], expected, "{name}");
        }
    }
}
