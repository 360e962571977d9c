//! Finds a short CSS selector that matches exactly one element.

use hashbrown::{HashMap, HashSet};

use crate::markup::{NodeId, Tree};

/// Attributes that name an element, the most stable first.
const NAMING: [&str; 11] = [
    "data-testid",
    "data-test",
    "data-action",
    "name",
    "aria-label",
    "aria-controls",
    "rel",
    "href",
    "value",
    "title",
    "role",
];
/// Parts of class names that say what state an element is in. It changes when the element is pressed.
const STATES: [&str; 10] =
    ["active", "current", "disabled", "focus", "hidden", "hover", "loading", "open", "selected", "visible"];
/// Upper bound on the classes of an element that are tried.
const MAX_CLASSES: usize = 8;
/// Upper bound on the bytes of a name in a selector.
const MAX_NAME_BYTES: usize = 100;
/// Upper bound on the bytes of a selector; an element that needs a longer one has none.
const MAX_SELECTOR_BYTES: usize = 500;

/// A CSS selector for each node, of which the node is the only match; `None` if there is no short one.
///
/// An id is preferred, then a class, then an attribute, then the position below the nearest element with an
/// id. So most selectors stay the same while the page adds elements. Linear in the page.
pub(super) fn selectors(tree: &Tree<'_>, nodes: &[NodeId]) -> Vec<Option<String>> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let mut tags: HashSet<String> = HashSet::new();
    for node in nodes {
        counts.extend(names(tree, *node).into_iter().map(|name| (name, 0)));
        counts.extend(tree.ancestors(*node).filter_map(|above| id_of(tree, above)).map(|id| (id, 0)));
        tags.extend(tag_of(tree, *node));
    }
    for node in tree.nodes() {
        let Some(tag) = tag_of(tree, node) else { continue };
        let found =
            if tags.contains(&tag) { names(tree, node) } else { id_of(tree, node).into_iter().collect() };
        for name in found {
            if let Some(count) = counts.get_mut(&name) {
                *count += 1;
            }
        }
    }
    let is_unique = |name: &String| counts.get(name) == Some(&1);
    let by_name: Vec<Option<String>> =
        nodes.iter().map(|node| names(tree, *node).into_iter().find(is_unique)).collect();
    let unnamed: Vec<NodeId> =
        nodes.iter().zip(&by_name).filter(|(_, name)| name.is_none()).map(|(node, _)| *node).collect();
    let ordinals = ordinals(tree, &unnamed);
    let selectors = nodes.iter().zip(by_name).map(|(node, name)| {
        name.or_else(|| path(tree, *node, &ordinals, is_unique))
            .filter(|selector| selector.len() <= MAX_SELECTOR_BYTES)
    });
    selectors.collect()
}

/// Selectors that may match the node alone, the best first.
fn names(tree: &Tree<'_>, node: NodeId) -> Vec<String> {
    let Some(tag) = tag_of(tree, node) else { return Vec::new() };
    let mut names: Vec<String> = id_of(tree, node).into_iter().collect();
    let classes = tree.attribute(node, "class").unwrap_or_default();
    let is_stable = |class: &&str| {
        let folded = class.to_ascii_lowercase();
        is_identifier(class) && !STATES.iter().any(|state| folded.contains(state))
    };
    let classes = classes.split_ascii_whitespace().filter(is_stable).take(MAX_CLASSES);
    names.extend(classes.map(|class| format!("{tag}.{class}")));
    for attribute in NAMING {
        let value = tree.attribute(node, attribute).unwrap_or_default();
        let is_plain = !value.is_empty()
            && value.len() <= MAX_NAME_BYTES
            && !value.chars().any(|found| found.is_control() || matches!(found, '"' | '\\' | '>'));
        if is_plain {
            names.push(format!("{tag}[{attribute}=\"{value}\"]"));
        }
    }
    names
}

/// Whether an element has the content of a frame, which the browser writes after the frame. The document
/// itself does not have it.
pub(super) fn is_frame_content(tree: &Tree<'_>, node: NodeId) -> bool {
    tree.is(node, &["div"]) && tree.attribute(node, "data-frame-url").is_some()
}

fn id_of(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    let id = tree.attribute(node, "id")?;
    is_identifier(&id).then(|| format!("#{id}"))
}

/// The tag name in lower case; `None` for text and for names that would need escapes.
fn tag_of(tree: &Tree<'_>, node: NodeId) -> Option<String> {
    let name = tree.name(node).to_ascii_lowercase();
    is_identifier(&name).then_some(name)
}

/// Whether a name can stand in a selector without escapes.
fn is_identifier(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The position of each of the nodes and of their ancestors among the siblings with the same tag, from 1.
fn ordinals(tree: &Tree<'_>, nodes: &[NodeId]) -> HashMap<NodeId, usize> {
    let mut chain: HashSet<NodeId> = HashSet::new();
    for node in nodes {
        chain.insert(*node);
        chain.extend(tree.ancestors(*node));
    }
    let parents: HashSet<NodeId> = chain.iter().filter_map(|node| tree.parent(*node)).collect();
    let mut ordinals = HashMap::new();
    for parent in parents {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for child in tree.children(parent) {
            let Some(tag) = tag_of(tree, child).filter(|_| !is_frame_content(tree, child)) else { continue };
            let count = counts.entry(tag).or_default();
            *count += 1;
            if chain.contains(&child) {
                ordinals.insert(child, *count);
            }
        }
    }
    ordinals
}

/// The path of positions from the body, or from the nearest element with a unique id.
fn path(
    tree: &Tree<'_>,
    node: NodeId,
    ordinals: &HashMap<NodeId, usize>,
    is_unique: impl Fn(&String) -> bool,
) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut current = node;
    loop {
        parts.push(format!("{}:nth-of-type({})", tag_of(tree, current)?, ordinals.get(&current)?));
        let parent = tree.parent(current)?;
        if tree.is(parent, &["body"]) {
            parts.push("body".to_owned());
            break;
        }
        if let Some(id) = id_of(tree, parent).filter(&is_unique) {
            parts.push(id);
            break;
        }
        current = parent;
    }
    parts.reverse();
    Some(parts.join(" > "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_types::Interrupt;

    /// The selectors of all buttons.
    fn of(html: &str) -> Vec<Option<String>> {
        let tree = Tree::parse(html, &Interrupt::never());
        let buttons: Vec<NodeId> = tree.nodes().filter(|node| tree.is(*node, &["button"])).collect();
        selectors(&tree, &buttons)
    }

    #[test]
    fn the_most_stable_selector_is_chosen() {
        let rows = [
            ("<button id=more class=x>a</button>", "#more"),
            ("<button id='a:b' class='btn is-active next'>a</button>", "button.btn"),
            ("<button class=active aria-label='Page 2'>2</button>", "button[aria-label=\"Page 2\"]"),
            ("<button class=active>2</button>", "body > button:nth-of-type(1)"),
            (
                "<ul id=l><li>x</li><li><button>2</button></li></ul>",
                "#l > li:nth-of-type(2) > button:nth-of-type(1)",
            ),
        ];
        for (html, expected) in rows {
            let found = of(&format!("<html><body>{html}</body></html>"));
            assert_eq!(found, [Some(expected.to_owned())], "{html}");
        }
    }

    #[test]
    fn equal_elements_get_their_positions() {
        let html = "<html><body><p>x</p><button class=b id=i>1</button><div><button class=b id=i>2</button>\
                    <span></span><button class=b>3</button></div></body></html>";
        let found: Vec<String> = of(html).into_iter().flatten().collect();
        assert_eq!(
            found,
            [
                "body > button:nth-of-type(1)",
                "body > div:nth-of-type(1) > button:nth-of-type(1)",
                "body > div:nth-of-type(1) > button:nth-of-type(2)"
            ]
        );
    }

    #[test]
    fn the_content_of_frames_has_no_position() {
        let frame = "<iframe></iframe><div data-frame-url='https://a.example/'><p>x</p></div>";
        let found = of(&format!("<html><body>{frame}<div><button>1</button></div></body></html>"));
        assert_eq!(found, [Some("body > div:nth-of-type(1) > button:nth-of-type(1)".to_owned())]);
    }

    #[test]
    fn a_value_cannot_leave_its_quotes_and_a_long_path_is_dropped() {
        let found = of("<html><body><button name='a\"],*[x=\"'>a</button></body></html>");
        assert_eq!(found, [Some("body > button:nth-of-type(1)".to_owned())]);
        let deep = format!("<html><body>{}<button>a</button></body></html>", "<div>".repeat(100));
        assert_eq!(of(&deep), [None]);
    }
}
