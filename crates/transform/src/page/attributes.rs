//! The `attributes` format: values of attributes of the elements that selectors match.

use gleaner_types::plan::AttributeSelector;
use serde_json::{Value, json};

use crate::Error;
use crate::select::Selectors;
use crate::tree::{Edge, NodeId, Tree, Walk};

/// All selectors together give at most so many values.
const MAX_VALUES: usize = 20_000;

/// `[{selector, attribute, values}]`, in the order of the request, and whether a selector was given up.
pub(crate) fn read(tree: &Tree, wanted: &[AttributeSelector]) -> Result<(Value, bool), Error> {
    let mut given_up = false;
    let mut results = Vec::with_capacity(wanted.len());
    let mut left = MAX_VALUES;
    let mut budget = tree.attribute_budget().min(tree.html_bytes());
    for AttributeSelector { selector, attribute } in wanted {
        let selectors = Selectors::parse(std::slice::from_ref(selector))?;
        let name = attribute.to_ascii_lowercase();
        let mut matcher = selectors.matcher(tree);
        let mut values = Vec::new();
        for edge in Walk::new(tree, NodeId::DOCUMENT) {
            let Edge::Enter(node) = edge else { continue };
            if left > 0
                && tree.is_element(node)
                && matcher.matches(node)
                && let Some((_, value)) = tree.attributes(node).find(|(known, _)| *known == name)
                && let Some(rest) = budget.checked_sub(value.len())
            {
                left -= 1;
                budget = rest;
                values.push(value);
            }
        }
        given_up |= matcher.is_given_up();
        results.push(json!({ "selector": selector, "attribute": attribute, "values": values }));
    }
    Ok((Value::Array(results), given_up))
}
