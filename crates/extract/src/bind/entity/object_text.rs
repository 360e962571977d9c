//! The texts of values in structured data, which are often objects: addresses, names of persons, quantities.

use serde_json::{Map, Value};

/// Longest part of an address or of a person's name, in bytes.
const MAX_PART_BYTES: usize = 200;
/// Upper bound on the texts of such a part.
const MAX_PART_TEXTS: usize = 4;
/// Upper bound on the types of an object that are read.
const MAX_TYPES: usize = 8;

/// Countries that write the postal code behind the locality and the region, by their codes and their names in
/// lower case.
const CODE_LAST_COUNTRIES: [&str; 21] = [
    "us",
    "usa",
    "united states",
    "united states of america",
    "ca",
    "can",
    "canada",
    "au",
    "aus",
    "australia",
    "nz",
    "nzl",
    "new zealand",
    "gb",
    "gbr",
    "uk",
    "united kingdom",
    "ie",
    "irl",
    "ireland",
    "india",
];

/// The text of a value; of an object, its parts in their usual order if it is a quantity, an address or the
/// name of a person in parts, else its name.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    let Some(object) = value.as_object() else { return plain(value) };
    if is_typed(object, &["QuantitativeValue", "MonetaryAmount"])
        && let Some(found) = quantity(object)
    {
        return Some(found);
    }
    if is_typed(object, &["PostalAddress"])
        && let Some(found) = address(object)
    {
        return Some(found);
    }
    stated(object, &["name", "value", "@value"])
        .or_else(|| person(object))
        .or_else(|| address(object))
        .or_else(|| match object.get("address")? {
            Value::Object(inner) => address(inner),
            inner => plain(inner),
        })
        .or_else(|| stated(object, &["url", "@id"]))
}

/// The text of a value that is no object.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The first of these properties that is a text or a number.
fn stated(object: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    let is_stated = |value: &&Value| value.is_string() || value.is_number();
    keys.iter().find_map(|key| object.get(*key).filter(is_stated).and_then(plain))
}

/// The texts of a property, joined; of objects, their names.
fn joined(object: &Map<String, Value>, key: &str, between: &str) -> String {
    let text = |value: &Value| match value {
        Value::Object(inner) => stated(inner, &["name"]),
        _ => plain(value),
    };
    let texts: Vec<String> = match object.get(key) {
        Some(Value::Array(list)) => list.iter().take(MAX_PART_TEXTS).filter_map(text).collect(),
        value => value.and_then(text).into_iter().collect(),
    };
    let texts: Vec<String> = texts.into_iter().filter(|text| text.len() <= MAX_PART_BYTES).collect();
    texts.join(between)
}

/// Two texts with a space between them, if there are two.
fn spaced(first: &str, second: &str) -> String {
    format!("{first} {second}").trim().to_owned()
}

/// The name of a person in parts.
fn person(object: &Map<String, Value>) -> Option<String> {
    let name = spaced(&joined(object, "givenName", " "), &joined(object, "familyName", " "));
    (!name.is_empty()).then_some(name)
}

/// A schema.org `PostalAddress` in one line; `None` without any part. A part that an earlier one contains is
/// left out, as many pages write the whole address as the street.
fn address(object: &Map<String, Value>) -> Option<String> {
    let part = |key: &str| joined(object, key, ", ");
    let (mut locality, mut region) = (part("addressLocality"), part("addressRegion"));
    let (code, country) = (part("postalCode"), part("addressCountry"));
    if region == locality {
        region.clear();
    }
    if !is_code_last(&region, &country) {
        locality = spaced(&code, &locality);
    } else if region.is_empty() {
        locality = spaced(&locality, &code);
    } else {
        region = spaced(&region, &code);
    }
    let mut out = String::new();
    for line in [part("streetAddress"), part("postOfficeBoxNumber"), locality, region, country] {
        if line.is_empty() || has_words(&out, &line) {
            continue;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(&line);
    }
    (!out.is_empty()).then_some(out)
}

/// Whether the postal code stands behind the locality and the region. Without a country, a region in two or
/// three capitals shows it, as in `Springfield, IL 62701`.
fn is_code_last(region: &str, country: &str) -> bool {
    if country.is_empty() {
        (2..=3).contains(&region.len()) && region.bytes().all(|byte| byte.is_ascii_uppercase())
    } else {
        CODE_LAST_COUNTRIES.contains(&country.to_lowercase().as_str())
    }
}

/// Whether a text has a part that starts and ends where words do.
fn has_words(text: &str, part: &str) -> bool {
    let is_inner = |found: Option<char>| found.is_some_and(char::is_alphanumeric);
    text.match_indices(part).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + part.len()..).and_then(|behind| behind.chars().next());
        !is_inner(before) && !is_inner(behind)
    })
}

/// An amount or the two ends of a range, with its currency and its unit.
fn quantity(object: &Map<String, Value>) -> Option<String> {
    // An amount of money may have a quantity as its value: a salary with its range and its period.
    let inner = object.get("value").and_then(Value::as_object).unwrap_or(object);
    let ends = || match (stated(inner, &["minValue"]), stated(inner, &["maxValue"])) {
        (Some(low), Some(high)) if low != high => Some(format!("{low} - {high}")),
        (low, high) => low.or(high),
    };
    let amount = stated(inner, &["value", "@value"]).or_else(ends)?;
    let units = [stated(object, &["currency"]), stated(inner, &["unitText"])];
    Some(units.into_iter().flatten().fold(amount, |out, unit| spaced(&out, &unit)))
}

/// Whether an object has one of these types of schema.org.
fn is_typed(object: &Map<String, Value>, names: &[&str]) -> bool {
    let is_one = |kind: &Value| {
        let name = kind.as_str().and_then(|name| name.trim().rsplit(['/', '#', ':']).next());
        name.is_some_and(|name| names.contains(&name))
    };
    match object.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().take(MAX_TYPES).any(is_one),
        kind => kind.is_some_and(is_one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_in_parts_become_one_text() {
        let rows = [
            (
                json!({
                    "@type": "PostalAddress", "addressLocality": "Berlin", "postalCode": "10115",
                    "streetAddress": "1 Long St", "addressCountry": { "@type": "Country", "name": "DE" },
                }),
                Some("1 Long St, 10115 Berlin, DE"),
            ),
            (
                json!({
                    "@type": ["http://schema.org/PostalAddress"], "name": "Head office",
                    "streetAddress": ["5 Main St", "Floor 2"], "addressLocality": "Springfield",
                    "addressRegion": "IL", "postalCode": 62701,
                }),
                Some("5 Main St, Floor 2, Springfield, IL 62701"),
            ),
            (
                json!({ "addressLocality": "London", "postalCode": "SW1A 1AA", "addressCountry": "GB" }),
                Some("London SW1A 1AA, GB"),
            ),
            (
                json!({
                    "streetAddress": "1 Long St, 10115 Berlin", "postalCode": "10115",
                    "addressLocality": "Berlin", "addressRegion": "Berlin", "@id": "#address",
                }),
                Some("1 Long St, 10115 Berlin"),
            ),
            (json!({ "@type": "PostalAddress", "streetAddress": " " }), None),
            (json!({ "@type": "Place", "address": { "addressLocality": "Oslo" } }), Some("Oslo")),
            (json!({ "@type": "Place", "name": "Town Hall", "address": "1 Square" }), Some("Town Hall")),
            (json!({ "givenName": "Ada", "familyName": "Holm", "@id": "#ada" }), Some("Ada Holm")),
            (json!({ "@type": "QuantitativeValue", "unitText": "g", "value": 250 }), Some("250 g")),
            (
                json!({
                    "@type": "MonetaryAmount", "currency": "EUR",
                    "value": { "minValue": 10, "maxValue": 20, "unitText": "HOUR" },
                }),
                Some("10 - 20 EUR HOUR"),
            ),
            (json!({ "value": 5, "currency": "EUR" }), Some("5")),
            (json!({ "url": "/ada" }), Some("/ada")),
        ];
        for (value, expected) in rows {
            assert_eq!(scalar(&value).as_deref(), expected, "{value}");
        }
    }
}
