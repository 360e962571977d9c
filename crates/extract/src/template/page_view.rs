//! An index of a page by label, selector and path, for the rules of a template.

use hashbrown::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bind::{folded, scalar, values};
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::page::truncate;

/// Upper bound on the text at a locator, in bytes.
const MAX_TEXT: usize = 600;
/// Upper bound on the elements of a page that locators lead to.
const MAX_ELEMENTS: usize = 50_000;
/// Upper bound on the steps of a path.
const MAX_STEPS: usize = 10;
/// Attributes that carry values for programs.
const VALUE_ATTRIBUTES: [&str; 6] = ["content", "datetime", "value", "href", "src", "title"];

/// A position on the pages of a template, the sturdiest kind first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Locator {
    /// The value of a label, given in folded words.
    Label(String),
    /// A property of the page's own entity of a type.
    Entity(String, String),
    /// The text of the first element that matches a selector.
    Marked(Selector),
    /// An attribute of the first element that matches a selector.
    Attribute(Selector, String),
    /// All visible text; only with context on both sides.
    Text,
    /// The element at the end of these steps, from the nearest element with an id or from the top.
    Path(Option<String>, Vec<(String, u16)>),
}

/// An element's name with one of its attribute values: `span class price`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) struct Selector {
    pub(super) element: String,
    pub(super) key: String,
    pub(super) value: String,
}

/// An index of a page by locator.
#[derive(Debug)]
pub(super) struct PageView<'e> {
    pub(super) evidence: &'e Evidence<'e>,
    labels: HashMap<String, usize>,
    marks: HashMap<Selector, NodeId>,
    ids: HashMap<String, NodeId>,
}

impl<'e> PageView<'e> {
    pub(super) fn new(evidence: &'e Evidence<'e>) -> Self {
        let mut view = Self { evidence, labels: HashMap::new(), marks: HashMap::new(), ids: HashMap::new() };
        for (at, pair) in evidence.pairs.iter().enumerate() {
            let label = folded(&pair.label);
            if !label.is_empty() {
                view.labels.entry(label).or_insert(at);
            }
        }
        for node in evidence.tree.nodes().take(MAX_ELEMENTS) {
            for mark in marks(evidence, node) {
                if mark.key == "id" {
                    view.ids.entry(mark.value.clone()).or_insert(node);
                }
                view.marks.entry(mark).or_insert(node);
            }
        }
        view
    }

    /// Whether the page has a label with one of these words.
    pub(super) fn has_label_with(&self, words: &[String]) -> bool {
        self.labels.keys().any(|label| {
            let own: Vec<&str> = label.split(' ').collect();
            own.len() <= 5 && words.iter().any(|word| own.contains(&word.as_str()))
        })
    }

    /// The text at a locator.
    pub(super) fn text(&self, locator: &Locator) -> Option<String> {
        let tree = &self.evidence.tree;
        let text = match locator {
            Locator::Label(label) => self
                .labels
                .get(label)
                .and_then(|at| self.evidence.pairs.get(*at))
                .map(|pair| pair.value.clone()),
            Locator::Entity(kind, path) => self
                .evidence
                .items
                .iter()
                .filter(|item| item.types.first().map_or("", String::as_str) == kind)
                .find_map(|item| values(&item.properties, path).into_iter().find_map(scalar)),
            Locator::Marked(mark) => self.marks.get(mark).map(|node| tree.text_of(*node).to_owned()),
            Locator::Attribute(mark, name) => self
                .marks
                .get(mark)
                .and_then(|node| tree.attribute(*node, name))
                .map(std::borrow::Cow::into_owned),
            Locator::Text => return Some(tree.text().to_owned()),
            Locator::Path(id, steps) => {
                self.walk(id.as_deref(), steps).map(|node| tree.text_of(node).to_owned())
            }
        };
        text.filter(|text| !text.trim().is_empty() && text.len() <= MAX_TEXT)
    }

    fn walk(&self, id: Option<&str>, steps: &[(String, u16)]) -> Option<NodeId> {
        let tree = &self.evidence.tree;
        let mut current = match id {
            Some(id) => Some(*self.ids.get(id)?),
            None => None,
        };
        for (name, nth) in steps {
            let same = |node: &NodeId| tree.name(*node).eq_ignore_ascii_case(name);
            let nth = usize::from(*nth);
            current = match current {
                Some(above) => tree.children(above).filter(same).nth(nth),
                None => self.top_level().filter(same).nth(nth),
            };
            current?;
        }
        current
    }

    /// The top-level elements.
    fn top_level(&self) -> impl Iterator<Item = NodeId> + '_ {
        let tree = &self.evidence.tree;
        let mut next = tree.nodes().next();
        std::iter::from_fn(move || {
            let node = next.filter(|node| tree.kind(*node).is_some())?;
            next = Some(tree.end(node));
            Some(node)
        })
    }

    /// Every locator of the page with its text, sturdiest kinds first. `use_text` says whether the text is
    /// relevant.
    pub(super) fn locators(&self, mut use_text: impl FnMut(&str) -> bool) -> Vec<(Locator, String)> {
        let tree = &self.evidence.tree;
        let mut found = Vec::new();
        let mut offer = |locator: Locator, text: &str| {
            let text = truncate(text.trim(), MAX_TEXT + 1);
            if !text.is_empty() && text.len() <= MAX_TEXT && use_text(text) {
                found.push((locator, text.to_owned()));
            }
        };
        for (label, at) in &self.labels {
            if let Some(pair) = self.evidence.pairs.get(*at) {
                offer(Locator::Label(label.clone()), &pair.value);
            }
        }
        for item in self.evidence.items.iter().take(50) {
            let kind = item.types.first().cloned().unwrap_or_default();
            for (key, value) in item.properties.iter().take(200) {
                if let Some(text) = scalar(value) {
                    offer(Locator::Entity(kind.clone(), folded(key)), &text);
                }
                for (inner, value) in value.as_object().into_iter().flatten().take(50) {
                    if let Some(text) = scalar(value).filter(|_| !matches!(value, Value::Object(_))) {
                        offer(
                            Locator::Entity(kind.clone(), format!("{}.{}", folded(key), folded(inner))),
                            &text,
                        );
                    }
                }
            }
        }
        for (mark, node) in &self.marks {
            let text = tree.text_of(*node);
            if !tree.is_hidden(*node) {
                offer(Locator::Marked(mark.clone()), text);
            }
            for (name, value) in tree.attributes(*node).iter().copied() {
                let name = name.to_ascii_lowercase();
                if VALUE_ATTRIBUTES.contains(&name.as_str()) || name.starts_with("data-") {
                    let value = crate::markup::decode(value);
                    offer(Locator::Attribute(mark.clone(), name), &value);
                }
            }
        }
        for node in tree.nodes().take(MAX_ELEMENTS) {
            let text = tree.text_of(node);
            if tree.name(node).is_empty() || tree.is_hidden(node) || text.is_empty() || text.len() > MAX_TEXT
            {
                continue;
            }
            if use_text(text)
                && let Some(locator) = self.path_to(node)
            {
                found.push((locator, text.to_owned()));
            }
        }
        found.sort_by(|left, right| left.0.cmp(&right.0));
        found
    }

    fn path_to(&self, node: NodeId) -> Option<Locator> {
        let tree = &self.evidence.tree;
        let mut steps = Vec::new();
        let mut current = node;
        loop {
            let name = tree.name(current).to_ascii_lowercase();
            let before = |other: &NodeId| *other < current && tree.name(*other).eq_ignore_ascii_case(&name);
            let parent = tree.parent(current);
            let nth = match parent {
                Some(parent) => tree.children(parent).take(2_000).filter(before).count(),
                None => self.top_level().take(2_000).filter(before).count(),
            };
            steps.push((name, u16::try_from(nth).ok()?));
            if steps.len() > MAX_STEPS {
                return None;
            }
            let Some(parent) = parent else {
                steps.reverse();
                return Some(Locator::Path(None, steps));
            };
            if let Some(id) = tree.attribute(parent, "id").filter(|id| is_stable(id)) {
                steps.reverse();
                return Some(Locator::Path(Some(id.into_owned()), steps));
            }
            current = parent;
        }
    }
}

/// Whether a name is likely to be the same on each page: it contains no long numbers.
fn is_stable(name: &str) -> bool {
    !name.is_empty() && name.len() <= 60 && name.bytes().filter(u8::is_ascii_digit).count() < 3
}

fn marks(evidence: &Evidence<'_>, node: NodeId) -> Vec<Selector> {
    let tree = &evidence.tree;
    let element = tree.name(node).to_ascii_lowercase();
    let mut found = Vec::new();
    if element.is_empty() {
        return found;
    }
    for (key, value) in tree.attributes(node) {
        let key = key.to_ascii_lowercase();
        let names: Vec<&str> = match key.as_str() {
            "class" => value.split_ascii_whitespace().take(6).collect(),
            "id" | "itemprop" | "property" | "name" | "rel" => vec![value.trim()],
            key if key.starts_with("data-") && value.len() <= 30 => vec![value.trim()],
            _ => Vec::new(),
        };
        for name in names.into_iter().filter(|name| is_stable(name)) {
            found.push(Selector { element: element.clone(), key: key.clone(), value: name.to_owned() });
        }
    }
    found
}
