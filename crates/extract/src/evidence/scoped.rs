//! Reads microdata and RDFa Lite.

use serde_json::{Map, Value};

use super::item::{Item, add, local_name};
use super::{MAX_ITEMS, MAX_VALUE_BYTES};
use crate::markup::{NodeId, Tree};
use crate::page::{Method, truncate};

/// Entities nested deeper than this are not attached to their owner.
const MAX_NESTED: usize = 16;

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

struct Scope {
    end: NodeId,
    properties: Map<String, Value>,
    /// The properties of the owner whose value it is.
    named: Vec<String>,
}

/// Reads the entities of a page in one pass: an element belongs to the innermost open entity.
///
/// An `itemprop` outside any entity counts as a property of an entity without a type, which is what pages
/// without `itemscope` mean. Returns the number of entities that were dropped, without nested ones.
pub(crate) fn read(tree: &Tree<'_>, notation: &Notation, items: &mut Vec<Item>) -> usize {
    let mut open: Vec<Scope> = Vec::new();
    let mut dropped = 0;
    let mut loose = Map::new();
    for node in tree.nodes() {
        while open.last().is_some_and(|scope| scope.end <= node) {
            close(&mut open, notation, items);
        }
        let attributes = tree.attributes(node);
        let mut scope = None;
        let mut kind = None;
        let mut named = None;
        for (name, value) in attributes {
            if name.eq_ignore_ascii_case(notation.scope) {
                scope = Some(());
            }
            if name.eq_ignore_ascii_case(notation.kind) {
                kind = Some(crate::markup::decode(value));
            }
            if name.eq_ignore_ascii_case(notation.property) {
                named = Some(crate::markup::decode(value));
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
            open.push(Scope { end: tree.end(node), properties, named });
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
        close(&mut open, notation, items);
    }
    items.extend(Item::from_object(notation.method, loose));
    dropped
}

fn close(open: &mut Vec<Scope>, notation: &Notation, items: &mut Vec<Item>) {
    let Some(scope) = open.pop() else { return };
    let depth = open.len();
    match open.last_mut() {
        Some(owner) if !scope.named.is_empty() && depth < MAX_NESTED => {
            for name in &scope.named {
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
