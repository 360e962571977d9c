//! The truth about a page: what its structured data states and its text shows.

use std::collections::BTreeMap;

use scraper::Html;
use serde_json::{Map, Value};

use super::entities::{self, Entity, types, values};
use super::form::Form;
use super::kinds::{KINDS, Kind, Property, by_name};
use super::number::{key, number};
use super::text::{LONG_WORDS, plain, ratio, words};
use super::visible::Visible;
use crate::Failure;

/// Lower bound on the share of words that the name of an entity and a heading have in common, if the entity
/// is what the page is about.
const LIKE: f64 = 0.5;
/// Upper bound on the headings that are compared.
const MAX_HEADINGS: usize = 8;
/// Parts of an address, in their order.
const ADDRESS_PARTS: [&str; 6] =
    ["name", "streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"];

/// A thing that a page is about.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) kind: &'static Kind,
    pub(super) truths: BTreeMap<&'static str, Truth>,
}

/// What is known about a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truth {
    /// Any of these values is right.
    Values(Vec<String>),
    /// The shown values together. The data states the hidden ones, too, but the page does not show them.
    List { shown: Vec<String>, hidden: Vec<String> },
    /// The data states these values, but the page does not show them.
    Hidden(Vec<String>),
    /// The page is known to have no value.
    Absent,
}

impl Truth {
    /// One word for what is known.
    pub(super) const fn state(&self) -> &'static str {
        match self {
            Self::Values(_) => "shown",
            Self::List { .. } => "list",
            Self::Hidden(_) => "hidden",
            Self::Absent => "absent",
        }
    }

    pub(super) fn values(&self) -> &[String] {
        match self {
            Self::Values(values) | Self::List { shown: values, .. } | Self::Hidden(values) => values,
            Self::Absent => &[],
        }
    }
}

/// The cases that the entities of a page make: at most one of each kind. `is_home` says that it is the first
/// page of its site.
pub(super) fn cases(tree: &Html, visible: &Visible, is_home: bool) -> Vec<Case> {
    let entities = entities::read(tree);
    let (headings, title) = names(tree);
    let all_names: Vec<Vec<String>> = headings.iter().cloned().chain(title).collect();
    let mut cases: Vec<Case> = Vec::new();
    for kind in &KINDS {
        // Every site has an organisation and authors: they count if the page is about nothing else.
        if kind.is_common && cases.iter().any(|case| case.kind.name != "Faq") {
            continue;
        }
        // The title of every page may end with the name of the organisation.
        let names = if kind.is_common && !is_home { &headings } else { &all_names };
        let main = main_entities(kind, &entities, names);
        if main.is_empty() {
            continue;
        }
        let truths: BTreeMap<&'static str, Truth> = kind
            .properties
            .iter()
            .filter_map(|property| Some((property.name, truth(property, &main, visible)?)))
            .collect();
        if truths.values().any(|truth| !matches!(truth, Truth::Hidden(_))) {
            cases.push(Case { kind, truths });
        }
    }
    cases
}

/// The case of a page with labels: `{"kind": "Recipe", "fields": {"title": "...", "calories": null}}`. A null
/// says that the page has no value; a property that is left out is unknown.
pub(super) fn labelled(labels: &Value) -> Result<Option<Case>, Failure> {
    let Some(fields) = labels.get("fields").and_then(Value::as_object) else { return Ok(None) };
    let name = labels.get("kind").and_then(Value::as_str).unwrap_or_default();
    let kind = by_name(name).ok_or_else(|| format!("unknown kind `{name}`"))?;
    let mut truths = BTreeMap::new();
    for property in kind.properties {
        let truth = match fields.get(property.name) {
            None => continue,
            Some(Value::Null) => Truth::Absent,
            Some(Value::Array(list)) => {
                let values: Vec<String> = list.iter().filter_map(scalar).collect();
                if property.is_list {
                    Truth::List { shown: values, hidden: Vec::new() }
                } else {
                    Truth::Values(values)
                }
            }
            Some(value) => Truth::Values(scalar(value).into_iter().collect()),
        };
        truths.insert(property.name, truth);
    }
    Ok(Some(Case { kind, truths }))
}

/// The first `h1` headings of a page and its title, in words.
fn names(tree: &Html) -> (Vec<Vec<String>>, Option<Vec<String>>) {
    let named = |name: &'static str| {
        let elements = tree.root_element().descendent_elements();
        let elements = elements.filter(move |element| element.value().name() == name);
        let texts = elements.take(MAX_HEADINGS).map(|element| words(&element.text().collect::<String>()));
        texts.filter(|words| !words.is_empty())
    };
    (named("h1").collect(), named("title").next())
}

/// The entities of a kind that the page is about: those with the name of a heading or the title, else the
/// only one of a kind that few sites have on every page.
fn main_entities<'e>(kind: &Kind, entities: &'e [Entity], names: &[Vec<String>]) -> Vec<&'e Entity> {
    let all: Vec<&Entity> =
        entities.iter().filter(|entity| types(entity).iter().any(|name| kind.types.contains(name))).collect();
    let like: Vec<&Entity> = all.iter().copied().filter(|entity| is_like(entity, names)).collect();
    match (like.is_empty(), all.len()) {
        (false, _) => like,
        (true, 1) if !kind.is_common => all,
        _ => Vec::new(),
    }
}

/// Whether one of the names and the name of the entity share half of the words of the shorter one.
fn is_like(entity: &Entity, names: &[Vec<String>]) -> bool {
    ["name", "headline", "title"].iter().flat_map(|key| values(entity, key)).any(|name| {
        let own = words(&plain(name.as_str().unwrap_or_default()));
        names.iter().any(|other| {
            let shared = own.iter().filter(|word| other.contains(word)).count();
            !own.is_empty() && ratio(shared, own.len().min(other.len())) >= LIKE
        })
    })
}

/// The truth of a property; `None` if the entities state nothing.
fn truth(property: &Property, main: &[&Entity], visible: &Visible) -> Option<Truth> {
    if property.is_list {
        let mut lists = main
            .iter()
            .flat_map(|entity| property.paths.iter().map(move |path| texts(property, entity, path)));
        let items = lists.find(|items| !items.is_empty())?;
        let items = if property.name == "keywords" { split(items) } else { items };
        let (shown, hidden): (Vec<String>, Vec<String>) =
            items.into_iter().partition(|item| visible.shows(property.form, item));
        // A list in one text is no list.
        let is_text =
            hidden.is_empty() && shown.len() == 1 && shown.iter().any(|item| words(item).len() > LONG_WORDS);
        return match shown.len() {
            _ if is_text => None,
            count if count >= hidden.len() => Some(Truth::List { shown, hidden }),
            _ => Some(Truth::Hidden(shown.into_iter().chain(hidden).collect())),
        };
    }
    let mut accepted: Vec<String> = Vec::new();
    for entity in main {
        for path in property.paths {
            let found = texts(property, entity, path);
            if property.form == Form::Names && found.len() > 1 {
                accepted.push(found.join(", "));
            }
            accepted.extend(found);
        }
    }
    // A shop that states no price often states zero.
    accepted.retain(|value| property.form.accepts(value) && !(property.name == "price" && is_zero(value)));
    accepted.dedup();
    if accepted.is_empty() {
        return None;
    }
    // The names of several authors need not stand together.
    let shows = |value: &String| match property.form {
        Form::Names => value.split(", ").all(|name| visible.shows(Form::Names, name)),
        form => visible.shows(form, value),
    };
    let shown: Vec<String> = accepted.iter().filter(|&value| shows(value)).cloned().collect();
    Some(if shown.is_empty() { Truth::Hidden(accepted) } else { Truth::Values(shown) })
}

/// Whether a text states zero in any notation: `0`, `0.00`, `0,00 €`.
fn is_zero(value: &str) -> bool {
    number(value).is_some_and(|value| key(value) == 0)
}

/// The parts of a text between commas, if it is the only one.
fn split(items: Vec<String>) -> Vec<String> {
    match items.as_slice() {
        [one] => one.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect(),
        _ => items,
    }
}

/// The texts at a path of an entity, without repeats.
fn texts(property: &Property, entity: &Entity, path: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for value in values(entity, path) {
        let text = match (property.form, value) {
            (Form::Place, Value::Object(place)) => Some(address(place)),
            (Form::Image, Value::Object(image)) => {
                image.get("url").or_else(|| image.get("contentUrl")).and_then(scalar)
            }
            _ => scalar(value),
        };
        if let Some(text) = text.filter(|text| !text.is_empty() && !found.contains(text)) {
            found.push(text);
        }
    }
    found
}

/// The parts of an address or of a place with one.
fn address(place: &Map<String, Value>) -> String {
    let own = place.get("address").and_then(Value::as_object).unwrap_or(place);
    let parts = ADDRESS_PARTS.iter().filter_map(|part| own.get(*part).and_then(scalar));
    parts.collect::<Vec<_>>().join(", ")
}

/// The text of a value; for an object with a name, its name.
fn scalar(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => plain(text),
        Value::Number(number) => number.to_string(),
        Value::Object(object) => {
            ["name", "@value", "value", "text"].iter().find_map(|key| match object.get(*key) {
                Some(Value::String(text)) => Some(plain(text)),
                Some(Value::Number(number)) => Some(number.to_string()),
                _ => None,
            })?
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(data: &Value, body: &str) -> Vec<Case> {
        let html =
            format!("<title>Cup | Shop</title><script type='application/ld+json'>{data}</script>{body}");
        let text = body.replace(['<', '>'], "\n");
        cases(&Html::parse_document(&html), &Visible::new(&text, &html), false)
    }

    #[test]
    fn only_what_the_page_shows_is_a_truth() {
        let data = json!([
            { "@type": "Product", "name": "Cup", "sku": "X-77", "brand": { "name": "Acme" },
              "offers": { "price": "5.00", "availability": "https://schema.org/InStock" } },
            { "@type": "Organization", "name": "Shop" },
        ]);
        let cases = found(&data, "<h1>Cup</h1><p>by Acme, 5,00 €</p>");
        assert_eq!(cases.len(), 1);
        let truth = |name: &str| cases[0].truths.get(name).cloned();
        let one = |value: &str| vec![value.to_owned()];
        assert_eq!(truth("title"), Some(Truth::Values(one("Cup"))));
        assert_eq!(truth("price"), Some(Truth::Values(one("5.00"))));
        assert_eq!(truth("brand"), Some(Truth::Values(one("Acme"))));
        assert_eq!(truth("sku"), Some(Truth::Hidden(one("X-77"))));
        assert_eq!(truth("gtin"), None);
    }

    #[test]
    fn a_price_of_zero_is_no_truth() {
        for price in ["0", "0.00", "0,00", "0,00 €"] {
            let data = json!({ "@type": "Product", "name": "Cup", "offers": { "price": price } });
            let cases = found(&data, "<h1>Cup</h1><p>0,00 €</p>");
            assert_eq!(cases[0].truths.get("price"), None, "{price}");
        }
    }

    #[test]
    fn several_things_of_a_kind_count_if_one_has_the_name_of_the_page() {
        let recipe = |name: &str| json!({ "@type": "Recipe", "name": name, "recipeYield": "4 servings" });
        let two = json!([recipe("Cup"), recipe("Pie")]);
        assert_eq!(found(&two, "<h1>Cup</h1> serves 4").len(), 1);
        let others = json!([recipe("Soup"), recipe("Pie")]);
        assert_eq!(found(&others, "<h1>All</h1> serves 4").len(), 0);
    }

    #[test]
    fn an_organisation_counts_on_its_own_page() {
        let data = json!({ "@type": "Organization", "name": "Shop", "telephone": "020 7946 0958" });
        assert_eq!(found(&data, "<h1>All cups</h1> 020 7946 0958").len(), 0);
        assert_eq!(found(&data, "<h1>Our shop</h1> 020 7946 0958").len(), 1);
    }

    #[test]
    fn labels_state_values_and_their_absence() {
        let labels = json!({ "kind": "Recipe", "fields": { "title": "Pie", "ingredients": ["a", "b"],
            "calories": null } });
        let case = labelled(&labels).unwrap().unwrap();
        assert_eq!(case.truths["title"], Truth::Values(vec!["Pie".to_owned()]));
        assert_eq!(
            case.truths["ingredients"],
            Truth::List { shown: vec!["a".to_owned(), "b".to_owned()], hidden: Vec::new() }
        );
        assert_eq!(case.truths["calories"], Truth::Absent);
        assert!(!case.truths.contains_key("author"));
        assert!(labelled(&json!({ "kind": "Thing", "fields": {} })).is_err());
    }
}
