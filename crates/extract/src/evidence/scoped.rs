//! Reads microdata and RDFa Lite.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::item::{Item, add, local_name};
use super::{MAX_ITEMS, MAX_VALUE_BYTES};
use crate::markup::{NodeId, Tree};
use crate::page::{Method, truncate};

/// Entities nested deeper than this are not attached to their owner.
const MAX_NESTED: usize = 16;
/// Upper bound on the elements of a page that entities refer to.
const MAX_REFERENCES: usize = 64;
/// Upper bound on the JSON size of what entities get from elements that they refer to.
const MAX_REFERRED_BYTES: usize = 16 << 20;

/// The attribute names of a notation for entities in markup.
#[derive(Debug)]
pub(crate) struct Notation {
    method: Method,
    /// The attribute that starts an entity.
    scope: &'static str,
    /// The attribute with the types.
    kind: &'static str,
    /// The attribute that names a property.
    property: &'static str,
}

/// Microdata (HTML Standard, 5).
pub(crate) const MICRODATA: Notation =
    Notation { method: Method::Microdata, scope: "itemscope", kind: "itemtype", property: "itemprop" };
/// RDFa Lite 1.1.
pub(crate) const RDFA: Notation =
    Notation { method: Method::Rdfa, scope: "typeof", kind: "typeof", property: "property" };

/// What becomes of the properties of a scope.
#[derive(Debug)]
enum Owner {
    /// They are an entity, the value of these properties of the entity around it.
    Entity(Vec<String>),
    /// They belong to the entity that refers to the element with this id.
    Reference(String),
}

#[derive(Debug)]
struct Scope {
    end: NodeId,
    properties: Map<String, Value>,
    owner: Owner,
    /// The ids of the elements that its `itemref` names.
    references: Vec<String>,
}

/// The elements that entities refer to by `itemref`, with their properties.
#[derive(Debug, Default)]
struct References {
    ids: BTreeSet<String>,
    parts: BTreeMap<String, Map<String, Value>>,
    /// The bytes that may still be copied into entities.
    left: usize,
}

impl References {
    /// Adds the properties of the named elements to those of an entity.
    fn fill(&mut self, properties: &mut Map<String, Value>, ids: &[String]) {
        for (id, part) in ids.iter().filter_map(|id| Some((id, self.parts.get(id)?))) {
            let size = serde_json::to_string(part).map_or(usize::MAX, |text| text.len() + id.len());
            let Some(left) = self.left.checked_sub(size) else { return };
            self.left = left;
            for (name, value) in part {
                match value {
                    Value::Array(list) => {
                        list.iter().for_each(|value| add(properties, name, value.clone()));
                    }
                    value => add(properties, name, value.clone()),
                }
            }
        }
    }
}

/// Reads the entities of a page: an element belongs to the innermost open entity, or to the one that refers
/// to it by `itemref`.
///
/// An `itemprop` outside any entity counts as a property of an entity without a type, which is what pages
/// without `itemscope` mean. Returns the number of entities that were dropped, without nested ones.
pub(crate) fn read(tree: &Tree<'_>, notation: &Notation, items: &mut Vec<Item>) -> usize {
    let before = items.len();
    let mut references = References::default();
    let mut dropped = pass(tree, notation, items, &mut references);
    if references.ids.is_empty() {
        return dropped;
    }
    // The elements that the first pass names may stand before the entity: the second pass reads them, and the
    // third fills the entities.
    for _ in 0..2 {
        items.truncate(before);
        dropped = pass(tree, notation, items, &mut references);
    }
    dropped
}

/// Reads all entities once, with the properties of the elements that are referred to as far as known.
fn pass(tree: &Tree<'_>, notation: &Notation, items: &mut Vec<Item>, references: &mut References) -> usize {
    let mut open: Vec<Scope> = Vec::new();
    let mut dropped = 0;
    let mut loose = Map::new();
    let known = std::mem::take(&mut references.ids);
    references.left = MAX_REFERRED_BYTES;
    for node in tree.nodes() {
        while open.last().is_some_and(|scope| scope.end <= node) {
            close(&mut open, notation, items, references);
        }
        if !known.is_empty()
            && let Some(id) = tree.attribute(node, "id").filter(|id| known.contains(&**id))
            && !open.iter().any(|scope| scope.references.iter().any(|own| **own == *id))
        {
            let owner = Owner::Reference(id.into_owned());
            open.push(Scope { end: tree.end(node), properties: Map::new(), owner, references: Vec::new() });
        }
        let mut scope = None;
        let mut kind = None;
        let mut named = None;
        let mut referred = None;
        for (name, value) in tree.attributes(node) {
            if name.eq_ignore_ascii_case(notation.scope) {
                scope = Some(());
            }
            if name.eq_ignore_ascii_case(notation.kind) {
                kind = Some(crate::markup::decode(value));
            }
            if name.eq_ignore_ascii_case(notation.property) {
                named = Some(crate::markup::decode(value));
            }
            if notation.method == Method::Microdata && name.eq_ignore_ascii_case("itemref") {
                referred = Some(crate::markup::decode(value));
            }
        }
        if scope.is_none() && named.is_none() {
            continue;
        }
        let named: Vec<String> = named
            .unwrap_or_default()
            .split_whitespace()
            .take(8)
            .map(|name| local_name(name).to_owned())
            .collect();
        if scope.is_some() {
            if items.len() + open.len() >= MAX_ITEMS {
                dropped += usize::from(named.is_empty());
                continue;
            }
            let mut properties = Map::new();
            let types: Vec<Value> = kind
                .unwrap_or_default()
                .split_whitespace()
                .take(8)
                .map(|name| Value::from(local_name(name)))
                .collect();
            if !types.is_empty() {
                properties.insert("@type".to_owned(), Value::Array(types));
            }
            let ids = referred.unwrap_or_default();
            let ids: Vec<String> = ids.split_whitespace().take(MAX_REFERENCES).map(str::to_owned).collect();
            references.fill(&mut properties, &ids);
            for id in &ids {
                if references.ids.len() < MAX_REFERENCES {
                    references.ids.insert(id.clone());
                }
            }
            let owner = Owner::Entity(named);
            open.push(Scope { end: tree.end(node), properties, owner, references: ids });
            continue;
        }
        let owner = match open.last_mut() {
            Some(scope) => &mut scope.properties,
            None if notation.method == Method::Microdata && !tree.is(node, &["meta", "link"]) => &mut loose,
            None => continue,
        };
        let value = value_of(tree, node);
        for name in named {
            if !value.is_empty() && owner.len() < 1_000 {
                add(owner, &name, Value::from(value.as_str()));
            }
        }
    }
    while !open.is_empty() {
        close(&mut open, notation, items, references);
    }
    items.extend(Item::from_object(notation.method, loose));
    dropped
}

fn close(open: &mut Vec<Scope>, notation: &Notation, items: &mut Vec<Item>, references: &mut References) {
    let Some(scope) = open.pop() else { return };
    let depth = open.len();
    let named = match scope.owner {
        Owner::Entity(named) => named,
        Owner::Reference(id) => {
            references.parts.insert(id, scope.properties);
            return;
        }
    };
    match open.last_mut() {
        Some(owner) if !named.is_empty() && depth < MAX_NESTED => {
            for name in &named {
                add(&mut owner.properties, name, Value::Object(scope.properties.clone()));
            }
        }
        _ => items.extend(Item::from_object(notation.method, scope.properties)),
    }
}

/// The value of a property (HTML Standard, 5.2.4). A `content` attribute counts on any element, as pages use
/// it that way.
fn value_of(tree: &Tree<'_>, node: NodeId) -> String {
    let attribute = |name| tree.attribute(node, name);
    let by_name = if tree.is(node, &["a", "area", "link"]) {
        attribute("href")
    } else if tree.is(node, &["img", "audio", "embed", "iframe", "source", "track", "video"]) {
        attribute("src")
    } else if tree.is(node, &["time"]) {
        attribute("datetime")
    } else if tree.is(node, &["data", "meter", "input"]) {
        attribute("value")
    } else {
        None
    };
    let value = attribute("content").filter(|value| !value.trim().is_empty()).or(by_name);
    let value = value.as_deref().unwrap_or_else(|| tree.text_of(node));
    truncate(value.trim(), MAX_VALUE_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn items(html: &str, notation: &Notation) -> Vec<Item> {
        let mut items = Vec::new();
        read(&Tree::parse(html, &gleaner_types::Interrupt::never()), notation, &mut items);
        items
    }

    #[test]
    fn microdata_is_read_with_its_nested_entities() {
        let html = r#"<div itemscope itemtype="http://schema.org/Product"><h1 itemprop=name>Cup</h1>
            <a itemprop="url" href="/cup">x</a><div itemprop=offers itemscope itemtype="https://schema.org/Offer">
            <meta itemprop=price content="5.00"><span itemprop=priceCurrency content=EUR>€</span>
            <link itemprop=availability href="http://schema.org/InStock"></div></div><p itemprop=sku>7</p>"#;
        let found = items(html, &MICRODATA);
        assert_eq!(found[0].types, ["Product"]);
        assert_eq!(found[0].properties["name"], "Cup");
        let offer = &found[0].properties["offers"];
        assert_eq!(offer["price"], "5.00");
        assert_eq!(offer["availability"], "http://schema.org/InStock");
        assert_eq!(found[1].properties["sku"], "7");
    }

    #[test]
    fn entities_get_the_properties_of_the_elements_that_they_refer_to() {
        let more = r#"<div id=more><b itemprop=sku>7</b><div itemprop=offers itemscope><i itemprop=price>5</i></div>
            <div itemprop=isRelatedTo itemscope><b itemprop=sku>8</b></div></div>"#;
        let product = r#"<div itemscope itemtype="http://schema.org/Product" itemref="more no">
            <h1 itemprop=name>Cup</h1></div>"#;
        let within = format!("<div itemscope itemref=more><h1 itemprop=name>Cup</h1>{more}</div>");
        for html in [
            format!("{product}{more}"),
            format!("{more}{product}"),
            format!("<body itemscope>{product}{more}"),
            within,
        ] {
            let found = items(&html, &MICRODATA);
            let cup = found.iter().find(|item| item.properties.get("name") == Some(&json!("Cup"))).unwrap();
            assert_eq!(cup.properties["sku"], "7", "{html}");
            assert_eq!(cup.properties["offers"]["price"], "5", "{html}");
            assert_eq!(cup.properties["isRelatedTo"]["sku"], "8", "{html}");
            let others = found.iter().filter(|item| item.properties.contains_key("sku"));
            assert_eq!(others.count(), 1, "{html}");
        }
    }

    #[test]
    fn references_of_many_entities_to_one_element_are_bounded() {
        let large = format!("<p id=a><b itemprop=text>{}</b></p>", "x".repeat(19_000));
        let html = format!("{large}{}", "<i itemscope itemref=a></i>".repeat(3_000));
        let found = items(&html, &MICRODATA);
        assert!(found.len() < 1_000, "{}", found.len());
    }

    #[test]
    fn rdfa_lite_is_read() {
        let html = r#"<div vocab="https://schema.org/" typeof="Product"><span property="schema:name">Cup</span>
            <div property=offers typeof=Offer><span property=price>5</span></div></div>"#;
        let found = items(html, &RDFA);
        assert_eq!(found[0].properties["name"], json!("Cup"));
        assert_eq!(found[0].properties["offers"]["price"], json!("5"));
    }

    #[test]
    fn deep_nesting_is_bounded() {
        let html = "<div itemscope itemprop=a>".repeat(5_000);
        assert!(!items(&html, &MICRODATA).is_empty());
    }
}
