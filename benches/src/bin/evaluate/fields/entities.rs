//! The entities that a page states in JSON-LD, microdata and RDFa.
//!
//! A reader of its own, over another parser than the extractor's: the truth must not come from the code that
//! is measured.

use std::collections::HashMap;

use scraper::{ElementRef, Html};
use serde_json::{Deserializer, Map, Value};

use crate::dom;

/// Properties by their names; nested entities are objects, repeated values are lists.
pub(super) type Entity = Map<String, Value>;

/// The attribute names of a notation for entities in markup.
struct Notation {
    scope: &'static str,
    kind: &'static str,
    property: &'static str,
}

const MICRODATA: Notation = Notation { scope: "itemscope", kind: "itemtype", property: "itemprop" };
const RDFA: Notation = Notation { scope: "typeof", kind: "typeof", property: "property" };

/// The entities of a page that are no part of another one, and the main entities of its pages.
pub(super) fn read(tree: &Html) -> Vec<Entity> {
    let mut found = Vec::new();
    for script in tree.root_element().descendent_elements() {
        let is_data = script.value().name() == "script"
            && script.attr("type").is_some_and(|kind| kind.to_ascii_lowercase().contains("ld+json"));
        if is_data {
            let text: String = script.text().collect();
            for value in Deserializer::from_str(&cleaned(&text)).into_iter::<Value>().map_while(Result::ok) {
                roots(value, &mut found);
            }
        }
    }
    fill_references(&mut found);
    for notation in [MICRODATA, RDFA] {
        // Properties outside any entity belong to nothing.
        collect(tree.root_element(), &notation, &mut Entity::new(), &mut found);
    }
    let main: Vec<Entity> = found
        .iter()
        .filter(|entity| types(entity).iter().any(|name| name.ends_with("Page") && *name != "FAQPage"))
        .flat_map(|page| values(page, "mainEntity"))
        .filter_map(|value| value.as_object().cloned())
        .collect();
    found.extend(main);
    found
}

/// JSON without the faults that pages have: comments around it, trailing commas, raw line ends in strings.
fn cleaned(text: &str) -> String {
    let text = match text.split_once("CDATA[") {
        Some((before, rest)) if before.len() < 40 => rest,
        _ => text,
    };
    let start = text.find(['{', '[']).unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    let (mut is_quoted, mut is_escaped) = (false, false);
    for found in text.get(start..).unwrap_or_default().chars() {
        if is_quoted {
            let ends = found == '"' && !is_escaped;
            is_escaped = found == '\\' && !is_escaped;
            is_quoted = !ends;
        } else if found == '"' {
            is_quoted = true;
        } else if matches!(found, '}' | ']') {
            let kept = out.trim_end();
            if kept.ends_with(',') {
                let length = kept.len() - 1;
                out.truncate(length);
            }
        }
        out.push(if found.is_control() { ' ' } else { found });
    }
    out
}

/// Adds the objects of a value: the elements of lists and graphs count alone.
fn roots(value: Value, found: &mut Vec<Entity>) {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(list) => waiting.extend(list.into_iter().rev()),
            Value::Object(mut object) => {
                waiting.extend(object.remove("@graph"));
                if object.len() > 1 {
                    found.push(object);
                }
            }
            _ => {}
        }
    }
}

/// Replaces `{"@id": "x"}` in the properties of an entity by the entity `x`.
fn fill_references(found: &mut [Entity]) {
    let by_id: HashMap<String, Entity> = found
        .iter()
        .filter_map(|entity| Some((entity.get("@id")?.as_str()?.to_owned(), entity.clone())))
        .collect();
    let fill = |value: &mut Value| {
        let object = value.as_object();
        let only_id = object.is_some_and(|object| object.keys().all(|key| key == "@id" || key == "@type"));
        let id = object.and_then(|object| object.get("@id")).and_then(Value::as_str);
        if let Some(entity) = id.filter(|_| only_id).and_then(|id| by_id.get(id)) {
            *value = Value::Object(entity.clone());
        }
    };
    for value in found.iter_mut().flat_map(Map::values_mut) {
        match value {
            Value::Array(list) => list.iter_mut().for_each(fill),
            other => fill(other),
        }
    }
}

/// Adds the entities below an element; their properties go to the innermost entity around them.
fn collect(element: ElementRef<'_>, notation: &Notation, owner: &mut Entity, found: &mut Vec<Entity>) {
    for child in element.child_elements() {
        let names: Vec<&str> = child
            .attr(notation.property)
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(local_name)
            .collect();
        if child.attr(notation.scope).is_none() {
            if !names.is_empty() {
                let value = stated(child);
                for name in names {
                    add(owner, name, Value::from(value.as_str()));
                }
            }
            collect(child, notation, owner, found);
            continue;
        }
        let kinds = child.attr(notation.kind).unwrap_or_default().split_ascii_whitespace();
        let kinds: Vec<Value> = kinds.map(|kind| Value::from(local_name(kind))).collect();
        let mut inner = Entity::new();
        inner.insert("@type".to_owned(), Value::Array(kinds));
        collect(child, notation, &mut inner, found);
        if names.is_empty() {
            found.push(inner);
        } else {
            for name in names {
                add(owner, name, Value::Object(inner.clone()));
            }
        }
    }
}

/// The value of a property (HTML Standard, 5.2.4).
fn stated(element: ElementRef<'_>) -> String {
    let by_name = match element.value().name() {
        "a" | "area" | "link" => element.attr("href"),
        "img" | "audio" | "embed" | "iframe" | "source" | "track" | "video" => element.attr("src"),
        "time" => element.attr("datetime"),
        "data" | "meter" => element.attr("value"),
        _ => None,
    };
    let value = element.attr("content").or(by_name);
    value.map_or_else(|| dom::text(&element.inner_html()), str::to_owned).trim().to_owned()
}

fn add(owner: &mut Entity, name: &str, value: Value) {
    match owner.get_mut(name) {
        None => {
            owner.insert(name.to_owned(), value);
        }
        Some(Value::Array(list)) => list.push(value),
        Some(known) => *known = Value::Array(vec![known.take(), value]),
    }
}

/// `http://schema.org/Product`, `schema:Product` and `Product` are all `Product`.
fn local_name(name: &str) -> &str {
    name.trim().rsplit(['/', '#', ':']).next().unwrap_or_default()
}

/// The types of an entity.
pub(super) fn types(entity: &Entity) -> Vec<&str> {
    match entity.get("@type") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(local_name).collect(),
        Some(Value::String(one)) => vec![local_name(one)],
        _ => Vec::new(),
    }
}

/// The values at a path such as `offers.price`, including all elements of lists on the path.
pub(super) fn values<'e>(entity: &'e Entity, path: &str) -> Vec<&'e Value> {
    let mut current = vec![entity];
    let mut found = Vec::new();
    for name in path.split('.') {
        found = current.iter().filter_map(|entity| entity.get(name)).flat_map(elements).collect();
        current = found.iter().filter_map(|value| value.as_object()).collect();
    }
    found
}

/// The elements of a list, else the value.
fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Array(list) => list.as_slice(),
        Value::Null => &[],
        one => std::slice::from_ref(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_notations_are_read() {
        let html = r##"<script type="application/ld+json">/*<![CDATA[*/ {"@graph": [
            {"@type": "WebPage", "mainEntity": {"@type": "Question", "name": "Why"}},
            {"@type": "Article", "headline": "Cups", "author": {"@id": "#ada"},},
            {"@id": "#ada", "@type": "Person", "name": "Ada"}]} /*]]>*/</script>
            <div itemscope itemtype="https://schema.org/Product"><h1 itemprop=name>Red <b>cup</b></h1>
            <div itemprop=offers itemscope itemtype=Offer><meta itemprop=price content=5></div></div>
            <div typeof="schema:Event">
            <time property="schema:startDate" datetime="2021-03-04">x</time></div>"##;
        let found = read(&Html::parse_document(html));
        let all: Vec<Vec<&str>> = found.iter().map(types).collect();
        assert_eq!(
            all,
            [["WebPage"], ["Article"], ["Person"], ["Product"], ["Event"], ["Question"]].map(Vec::from)
        );
        let value = |at: usize, path: &str| values(&found[at], path).into_iter().cloned().collect::<Vec<_>>();
        assert_eq!(value(1, "author.name"), [json!("Ada")]);
        assert_eq!(value(3, "name"), [json!("Red cup")]);
        assert_eq!(value(3, "offers.price"), [json!("5")]);
        assert_eq!(value(4, "startDate"), [json!("2021-03-04")]);
    }
}
