//! Finds values in declared entities: JSON-LD, microdata, RDFa.

mod object_text;

use serde_json::{Map, Value};

use super::pool::{Candidate, Pool};
use super::target::TargetField;
use super::words::{folded, overlap};
use crate::evidence::{Evidence, Item};
use crate::normalise::{ValueForm, normalise};
use crate::page::Method;
use crate::typed::{NumberStyle, StockState, stock};

pub(crate) use object_text::scalar;

/// Upper bound on the values at one path of one entity.
const MAX_VALUES: usize = 200;

/// Trust in each notation.
const fn trust(method: Method) -> f64 {
    match method {
        Method::JsonLd => 0.88,
        Method::Microdata => 0.86,
        Method::Rdfa => 0.8,
        _ => 0.6,
    }
}

/// Adds the values of the page's entities, those the page is about before those it only mentions.
pub(crate) fn collect(evidence: &Evidence<'_>, targets: &[TargetField<'_>], pools: &mut [Pool]) {
    let paths: Vec<Vec<(String, f64)>> = targets.iter().map(TargetField::paths).collect();
    let mut rated: Vec<(usize, f64)> = Vec::new();
    for (at, item) in evidence.items.iter().enumerate() {
        if evidence.tree.interrupt().spend(targets.len()) {
            return;
        }
        let filled = targets
            .iter()
            .zip(&paths)
            .filter(|(target, paths)| {
                !target.has_concept("name")
                    && !target.has_concept("url")
                    && paths.iter().take(6).any(|(path, _)| !values(&item.properties, path).is_empty())
            })
            .count();
        let named = targets.iter().any(|target| target.has_concept("name") || target.has_concept("url"))
            && item.properties.contains_key("name");
        if filled == 0 && !named {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "a schema has at most 2,000 properties")]
        let mut rating = filled as f64 + if named { 0.5 } else { 0.0 };
        rating += 1.5 * likeness(evidence, item);
        if item.types.is_empty() {
            rating -= 0.5;
        }
        if item.types.iter().any(|name| is_page_type(name)) {
            rating -= 2.5;
        }
        rated.push((at, rating));
    }
    let best = rated.iter().map(|(_, rating)| *rating).fold(f64::MIN, f64::max);
    for (at, rating) in rated {
        let Some(item) = evidence.items.get(at) else { continue };
        if evidence.tree.interrupt().spend(targets.len()) {
            return;
        }
        // An entity that is less about the page than the best one counts less; far below it, it is another
        // thing.
        let relevance = if best - rating < 0.01 {
            1.0
        } else if likeness(evidence, item) > 0.6 {
            0.85
        } else if best - rating < 1.0 {
            0.6
        } else {
            0.3
        };
        for ((target, paths), pool) in targets.iter().zip(&paths).zip(pools.iter_mut()) {
            for (path, weight) in paths {
                let found = values(&item.properties, path);
                if found.is_empty() {
                    continue;
                }
                add(target, pool, &found, item.method, trust(item.method) * relevance * weight);
                break;
            }
        }
    }
    for (target, pool) in targets.iter().zip(pools.iter_mut()) {
        settle_variants(target, pool);
    }
}

/// Settles the values of variants, which are entities of their own: if one variant can be bought, the thing
/// can be bought, and identifiers that differ between variants are not the thing's own.
fn settle_variants(target: &TargetField<'_>, pool: &mut Pool) {
    let strong: Vec<(Value, String)> = pool
        .iter_mut()
        .filter(|candidate| candidate.score > 0.7)
        .map(|candidate| (candidate.value.clone(), candidate.quote.clone()))
        .collect();
    if target.form == ValueForm::Availability
        && strong.iter().any(|(_, quote)| is_orderable(quote) == Some(true))
    {
        for candidate in pool.iter_mut().filter(|candidate| is_orderable(&candidate.quote) == Some(false)) {
            candidate.score *= 0.3;
        }
    }
    if target.has_concept("sku")
        && let Some((first, _)) = strong.first()
        && strong.iter().any(|(value, _)| value != first)
    {
        for candidate in pool.iter_mut() {
            candidate.score *= 0.5;
        }
    }
}

/// Whether a text says that a thing can be ordered, or that it cannot; `None` if it says neither.
fn is_orderable(text: &str) -> Option<bool> {
    stock(text).map(StockState::is_orderable)
}

/// Whether a type describes the page or its site rather than what the page is about.
fn is_page_type(name: &str) -> bool {
    matches!(
        name,
        "BreadcrumbList"
            | "ListItem"
            | "WebSite"
            | "SearchAction"
            | "Organization"
            | "Corporation"
            | "WebPage"
            | "ImageObject"
            | "SiteNavigationElement"
            | "WPHeader"
            | "WPFooter"
            | "OnlineStore"
            | "Review"
            | "Rating"
            | "AggregateRating"
            | "Question"
            | "Answer"
            | "FAQPage"
    )
}

/// Similarity of the entity's name to the page's headline, 0 to 1.
fn likeness(evidence: &Evidence<'_>, item: &Item) -> f64 {
    let name = ["name", "headline"].iter().find_map(|key| item.properties.get(*key).and_then(Value::as_str));
    name.map_or(0.0, |name| f64::max(overlap(name, evidence.headline()), overlap(name, &evidence.title)))
}

fn add(target: &TargetField<'_>, pool: &mut Pool, found: &[&Value], method: Method, score: f64) {
    let mut is_any_orderable = false;
    let mut out = Vec::new();
    for value in found.iter().take(MAX_VALUES) {
        let Some(text) = scalar(value) else { continue };
        // A zero in data for machines is not a price.
        let Some(value) = normalise(&text, target.form, target.shape, NumberStyle::Data) else { continue };
        if target.form == ValueForm::Price && is_zero(&value) {
            continue;
        }
        is_any_orderable |= target.form == ValueForm::Availability && is_orderable(&text) == Some(true);
        out.push(Candidate { value, quote: text, method, score, html_range: None });
    }
    for mut candidate in out {
        // If one variant can be bought, the thing can be bought.
        if target.form == ValueForm::Availability
            && is_any_orderable
            && is_orderable(&candidate.quote) == Some(false)
        {
            candidate.score *= 0.3;
        }
        pool.add(candidate);
    }
}

/// Whether the page's entities say that there is no price. Shops write 0 for things they do not sell.
pub(crate) fn states_no_price(evidence: &Evidence<'_>) -> bool {
    let mut stated = evidence
        .items
        .iter()
        .flat_map(|item| values(&item.properties, "offers.price"))
        // An amount of money ends with its currency.
        .filter_map(|value| scalar(value)?.split(' ').next()?.parse::<f64>().ok())
        .peekable();
    stated.peek().is_some() && stated.all(|price| price == 0.0)
}

fn is_zero(value: &Value) -> bool {
    value.as_f64() == Some(0.0) || value.as_str().and_then(|text| text.parse::<f64>().ok()) == Some(0.0)
}

/// Whether it is another kind of price: struck, recommended, or per unit (schema.org `priceType` and
/// `referenceQuantity`).
fn is_other_price(object: &Map<String, Value>) -> bool {
    let kind = object.get("priceType").and_then(Value::as_str).unwrap_or_default();
    ["StrikethroughPrice", "ListPrice", "MSRP", "SRP", "InvoicePrice", "MinimumAdvertisedPrice"]
        .iter()
        .any(|other| kind.ends_with(other))
        || (object.contains_key("price") && object.contains_key("referenceQuantity"))
}

/// The values at a path of folded names such as `offers.price`, including all elements of lists on the path.
pub(crate) fn values<'v>(object: &'v Map<String, Value>, path: &str) -> Vec<&'v Value> {
    let mut current: Vec<&Map<String, Value>> = vec![object];
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let mut next: Vec<&Value> = Vec::new();
        for object in &current {
            let direct = object.get(part);
            let value = direct.or_else(|| {
                object.iter().find(|(key, _)| key.len() <= 64 && folded(key) == part).map(|(_, value)| value)
            });
            match value {
                Some(Value::Array(list)) => next.extend(list.iter().take(MAX_VALUES)),
                Some(Value::Null) | None => {}
                Some(value) => next.push(value),
            }
        }
        next.truncate(MAX_VALUES);
        if parts.peek().is_none() {
            return next;
        }
        current =
            next.into_iter().filter_map(Value::as_object).filter(|object| !is_other_price(object)).collect();
        if current.is_empty() {
            break;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_pass_through_lists_and_ignore_spelling() {
        let value = json!({ "offers": [{ "priceCurrency": "EUR", "price": 5 }, { "price": 6 }] });
        let object = value.as_object().unwrap();
        assert_eq!(values(object, "offers.price"), [&json!(5), &json!(6)]);
        assert_eq!(values(object, "offers.price currency"), [&json!("EUR")]);
        assert!(values(object, "offers.sku").is_empty());
    }
}
