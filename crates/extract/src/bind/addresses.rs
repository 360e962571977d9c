//! Addresses on the web: absolute, as the page's own address and its `base` element complete them.

use serde_json::Value;
use url::Url;

use super::page::{leaves, remove, set_at};
use super::target::TargetField;
use crate::evidence::Evidence;
use crate::leaf::{Extraction, Missing, MissingReason};
use crate::normalise::asks_for_address;
use crate::schema::{Field, Shape, ShapeKind};

/// Longest address that is completed, in bytes.
const MAX_ADDRESS_BYTES: usize = 8_192;
/// Upper bound on the nodes among which the `base` element stands.
const MAX_HEAD_NODES: usize = 2_000;
/// Schemes of what is no address of a page or a file.
const OTHER_SCHEMES: [&str; 4] = ["javascript", "data", "blob", "about"];

/// Makes the addresses of a result absolute. One that cannot be completed, or that the schema excludes, is
/// left out.
pub(super) fn complete(evidence: &Evidence<'_>, shape: &Shape, out: &mut Extraction) {
    let fields = fields_with_addresses(shape);
    if fields.is_empty() {
        return;
    }
    let base = address_base(evidence);
    let Extraction { data, leaves, missing } = out;
    leaves.retain_mut(|leaf| {
        let Some(shape) = fields.iter().find(|(path, _)| fits(path, &leaf.pointer)).map(|(_, shape)| shape)
        else {
            return true;
        };
        let Some(text) = leaf.value.as_str() else { return true };
        let absolute = absolute(&base, text).map(Value::from).filter(|value| shape.admits(value));
        match absolute {
            Some(value) => {
                set_at(data, &leaf.pointer, value.clone());
                leaf.value = value;
                true
            }
            // The elements behind one of a list keep their places.
            None if is_element(&leaf.pointer) => true,
            None => {
                missing.push(Missing { pointer: leaf.pointer.clone(), reason: MissingReason::NotFound });
                if shape.nullable {
                    set_at(data, &leaf.pointer, Value::Null);
                } else {
                    remove(data, &leaf.pointer);
                }
                false
            }
        }
    });
}

/// The paths of the fields that ask for addresses, with `*` for the elements of a list.
fn fields_with_addresses(shape: &Shape) -> Vec<(String, &Shape)> {
    let mut found = Vec::new();
    let mut waiting: Vec<(String, &[Field])> = vec![(String::new(), shape.fields())];
    if let ShapeKind::List(inner) = &shape.kind {
        waiting.push(("/*".to_owned(), inner.fields()));
    }
    while let Some((above, fields)) = waiting.pop() {
        let (targets, lists) = leaves(fields);
        let asked = targets.iter().filter(|target| asks_for_address(target.form, target.shape));
        found.extend(asked.map(|target| (format!("{above}{}", target.pointer), target.shape)));
        for (pointer, field) in lists {
            let ShapeKind::List(inner) = &field.shape.kind else { continue };
            let path = format!("{above}{pointer}/*");
            if !inner.is_branch() {
                // The elements have the name of the list.
                let named = Field { name: field.name.clone(), shape: (**inner).clone(), required: false };
                if asks_for_address(TargetField::new(String::new(), Vec::new(), &named).form, inner) {
                    found.push((path.clone(), &**inner));
                }
            }
            waiting.push((path, inner.fields()));
        }
    }
    found
}

/// Whether a pointer is that of an element of a list.
fn is_element(pointer: &str) -> bool {
    pointer.rsplit('/').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a pointer is one of a path.
fn fits(path: &str, pointer: &str) -> bool {
    let (mut steps, mut parts) = (path.split('/'), pointer.split('/'));
    loop {
        match (steps.next(), parts.next()) {
            (None, None) => return true,
            (Some("*"), Some(part)) if part.bytes().all(|byte| byte.is_ascii_digit()) => {}
            (Some(step), Some(part)) if step == part => {}
            _ => return false,
        }
    }
}

/// The address that relative ones are completed with: that of the first `base` element, else the page's.
pub(crate) fn address_base(evidence: &Evidence<'_>) -> Url {
    let tree = &evidence.tree;
    let base = tree
        .nodes()
        .take(MAX_HEAD_NODES)
        .find(|node| tree.is(*node, &["base"]) && tree.attribute(*node, "href").is_some());
    base.and_then(|node| evidence.url.join(tree.attribute(node, "href")?.trim()).ok())
        .filter(|base| !base.cannot_be_a_base())
        .unwrap_or_else(|| evidence.url.clone())
}

/// The absolute form of an address; one that is absolute stays as the page writes it. `None` if it cannot be
/// completed, or is a script.
pub(crate) fn absolute(base: &Url, text: &str) -> Option<String> {
    if text.len() > MAX_ADDRESS_BYTES {
        return None;
    }
    let url = base.join(text.trim()).ok()?;
    let is_absolute = Url::parse(text).is_ok();
    (!OTHER_SCHEMES.contains(&url.scheme()))
        .then(|| if is_absolute { text.to_owned() } else { url.as_str().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use serde_json::json;

    #[test]
    fn addresses_are_absolute() {
        let schema = json!({ "properties": {
            "url": { "type": "string" }, "image": { "type": "string", "format": "uri" },
            "images": { "type": "array", "items": { "type": "string", "format": "uri" } },
        } });
        let html = r#"<base href="/shop/"><h1>Iris</h1><script type="application/ld+json">
            {"@type":"Product","name":"Iris","url":"/lamps/iris","image":"iris.jpg"}</script>"#;
        let page = Page::new("https://shop.example/lamps/iris".parse().unwrap(), html);
        let found = crate::extract(&page, &Shape::from_schema(&schema).unwrap());
        assert_eq!(found.data["url"], "https://shop.example/lamps/iris");
        assert_eq!(found.data["image"], "https://shop.example/shop/iris.jpg");
        assert_eq!(found.data["images"], json!(["https://shop.example/shop/iris.jpg"]));
        for leaf in &found.leaves {
            assert_eq!(found.data.pointer(&leaf.pointer), Some(&leaf.value));
        }
    }

    #[test]
    fn a_script_is_no_address() {
        let base = "https://shop.example/a/".parse().unwrap();
        assert_eq!(absolute(&base, "javascript:void(0)"), None);
        assert_eq!(absolute(&base, "b?c"), Some("https://shop.example/a/b?c".to_owned()));
        assert_eq!(absolute(&base, "//cdn.example/x"), Some("https://cdn.example/x".to_owned()));
        assert_eq!(absolute(&base, "HTTPS://Shop.example"), Some("HTTPS://Shop.example".to_owned()));
    }
}
