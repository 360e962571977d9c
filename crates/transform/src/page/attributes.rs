//! The `attributes` format: attribute values of the elements that selectors match.

use gleaner_types::plan::AttributeSelector;
use serde_json::{Value, json};

use crate::select::{Matcher, Selectors, Steps};
use crate::tree::{Edge, NodeId, Tree, Walk};

/// Upper bound on the values of all selectors together.
const MAX_VALUES: usize = 20_000;

/// Returns `[{selector, attribute, values}]` in the order of the request. `selectors` holds the parsed
/// selector of each entry.
pub(crate) fn read(
    tree: &Tree,
    wanted: &[AttributeSelector],
    selectors: &[Selectors],
    steps: &Steps<'_>,
) -> Value {
    let mut left = MAX_VALUES;
    let mut budget = tree.attribute_budget().min(tree.max_html_bytes());
    let results =
        wanted.iter().zip(selectors).map(|(AttributeSelector { selector, attribute, .. }, selectors)| {
            let name = attribute.to_ascii_lowercase();
            let mut matcher = Matcher::new(selectors, tree, steps);
            let mut values = Vec::new();
            for edge in Walk::new(tree, NodeId::DOCUMENT) {
                let Edge::Enter(node) = edge else { continue };
                if left == 0 || steps.is_exhausted() {
                    break;
                }
                if tree.is_element(node)
                    && matcher.matches(node)
                    && let Some((_, value)) = tree.attributes(node).find(|(known, _)| *known == name)
                    && let Some(rest) = budget.checked_sub(value.len())
                {
                    left -= 1;
                    budget = rest;
                    values.push(value);
                }
            }
            json!({ "selector": selector, "attribute": attribute, "values": values })
        });
    Value::Array(results.collect())
}
