//! Hashes the texts of a page with their paths, to compare pages of one template.

use std::hash::Hasher;
use std::ops::Range;

use siphasher::sip::SipHasher13;

use crate::evidence::Evidence;
use crate::markup::{NodeId, Tree};
use crate::page::truncate;

/// Upper bound on the nodes of a page whose texts are compared, in page order.
const MAX_NODES: usize = 50_000;
/// Upper bound on the texts of a page that are compared, in page order.
pub(super) const MAX_PAGE_TEXTS: usize = 4_000;
/// Longest text that is compared, in bytes.
const MAX_TEXT_BYTES: usize = 2_000;
/// Bytes of a text that are hashed. Of a longer text the length counts too.
const HASHED_BYTES: usize = 240;
/// Longest label, in bytes.
const MAX_LABEL_BYTES: usize = 60;
/// Upper bound on the words of a label.
const MAX_LABEL_WORDS: usize = 5;
/// Upper bound on the elements around a label that contain nothing else.
const MAX_WRAPPERS: usize = 6;
/// Upper bound on the siblings of a label up to its value; all but the last are empty.
const MAX_SIBLINGS: usize = 4;
/// Elements that are menus.
const MENUS: [&str; 2] = ["nav", "menu"];
/// Attributes that say that a `nav` element is a breadcrumb, which names categories.
const BREADCRUMB_ATTRIBUTES: [&str; 3] = ["class", "id", "aria-label"];

/// A text of a page, as a hash, and where it is.
#[derive(Debug)]
pub(super) struct ShortText {
    /// The hash of the text.
    pub(super) text: u64,
    /// The hash of the text with its path: the names of the elements around it.
    pub(super) place: u64,
    /// Whether it is in a menu.
    pub(super) in_menu: bool,
    /// Its range in [`Tree::text`]; empty if it is not visible.
    pub(super) range: Range<usize>,
    /// The text that follows it, if it may be a label.
    pub(super) following: Option<FollowingText>,
}

/// The text of the next sibling.
#[derive(Debug)]
pub(super) struct FollowingText {
    pub(super) node: NodeId,
    /// Its range in [`Tree::text`].
    pub(super) range: Range<usize>,
    /// The hash of the text.
    pub(super) text: u64,
}

/// The path of an element.
#[derive(Debug, Clone, Copy, Default)]
struct Path {
    hash: u64,
    in_menu: bool,
}

impl Path {
    fn below(self, tree: &Tree<'_>, node: NodeId) -> Self {
        let name = tree.name(node);
        if name.is_empty() {
            return self;
        }
        let in_menu = self.in_menu || (tree.is(node, &MENUS) && !is_breadcrumb(tree, node));
        Self { hash: named(self.hash, name), in_menu }
    }
}

impl ShortText {
    /// The title, the values of `meta` elements, and the visible texts: those of text nodes, and those of
    /// elements with several text nodes.
    pub(super) fn read(evidence: &Evidence<'_>) -> Vec<Self> {
        let tree = &evidence.tree;
        let mut texts: Vec<Self> = Vec::new();
        let hidden =
            |place: u64, text: u64| Self { text, place, in_menu: false, range: 0..0, following: None };
        texts.extend(text_key(&evidence.title).map(|text| hidden(title_place(text), text)));
        let mut paths: Vec<Path> = Vec::new();
        let mut visible: Vec<(NodeId, Range<usize>)> = Vec::new();
        for node in tree.nodes().take(MAX_NODES) {
            if texts.len() + visible.len() >= MAX_PAGE_TEXTS {
                break;
            }
            let above = tree.parent(node).and_then(|parent| paths.get(parent.index()));
            paths.push(above.copied().unwrap_or_default().below(tree, node));
            if tree.is(node, &["meta"]) {
                texts.extend(meta(tree, node).map(|(place, text)| hidden(place, text)));
            }
            let range = tree.trimmed_range(node);
            if range.is_empty() || range.len() > MAX_TEXT_BYTES || tree.is_hidden(node) {
                continue;
            }
            // The same text as of the element around it, which then contains nothing else.
            if visible.last().is_some_and(|(_, outer)| *outer == range) {
                visible.pop();
            }
            visible.push((node, range));
        }
        for (node, range) in visible {
            let text = tree.text().get(range.clone()).unwrap_or_default();
            if tree.interrupt().spend(1 + text.len().min(HASHED_BYTES) / 64) {
                break;
            }
            let has_letters = truncate(text, HASHED_BYTES).chars().any(char::is_alphabetic);
            let (true, Some(key), Some(path)) = (has_letters, text_key(text), paths.get(node.index())) else {
                continue;
            };
            texts.push(Self {
                text: key,
                place: place(path.hash, key),
                in_menu: path.in_menu,
                following: following(tree, node, &range),
                range,
            });
        }
        texts
    }
}

fn is_breadcrumb(tree: &Tree<'_>, node: NodeId) -> bool {
    let mut values = BREADCRUMB_ATTRIBUTES.iter().filter_map(|name| tree.attribute(node, name));
    values.any(|value| truncate(&value, HASHED_BYTES).to_ascii_lowercase().contains("crumb"))
}

/// The place and the hash of the value of a `meta` element.
fn meta(tree: &Tree<'_>, node: NodeId) -> Option<(u64, u64)> {
    let name = tree.attribute(node, "property").or_else(|| tree.attribute(node, "name"))?;
    let text = text_key(tree.attribute(node, "content")?.trim())?;
    Some((place(named(1, truncate(&name, HASHED_BYTES)), text), text))
}

/// The text of the next sibling that has one, if a text may be a label.
fn following(tree: &Tree<'_>, node: NodeId, range: &Range<usize>) -> Option<FollowingText> {
    let label = tree.text().get(range.clone()).filter(|text| text.len() <= MAX_LABEL_BYTES)?;
    if label.split_whitespace().count() > MAX_LABEL_WORDS {
        return None;
    }
    let is_wrapper = |above: &NodeId| tree.trimmed_range(*above) == *range;
    let outer = tree.ancestors(node).take(MAX_WRAPPERS).take_while(is_wrapper).last().unwrap_or(node);
    let parent = tree.parent(outer);
    let mut next = tree.end(outer);
    for _ in 0..MAX_SIBLINGS {
        if tree.kind(next).is_none() || tree.parent(next) != parent {
            return None;
        }
        let range = tree.trimmed_range(next);
        if !range.is_empty() {
            // `<b>Pages</b>: 320`
            let text = tree.text().get(range.clone())?.trim_start_matches([':', '：', ' ']);
            let key = text_key(text)?;
            return Some(FollowingText { node: next, range: range.end - text.len()..range.end, text: key });
        }
        next = tree.end(next);
    }
    None
}

/// The hash of a text by its letters and digits in lower case; `None` if it has none.
pub(super) fn text_key(text: &str) -> Option<u64> {
    let text = text.trim();
    let mut hasher = SipHasher13::new();
    let mut any = false;
    let mut gap = false;
    for found in truncate(text, HASHED_BYTES).chars() {
        if !found.is_alphanumeric() {
            gap = any;
            continue;
        }
        if std::mem::take(&mut gap) {
            hasher.write_u32(0);
        }
        any = true;
        found.to_lowercase().for_each(|lower| hasher.write_u32(u32::from(lower)));
    }
    if text.len() > HASHED_BYTES {
        hasher.write_usize(text.len());
    }
    any.then(|| hasher.finish())
}

/// The place of a title.
pub(super) fn title_place(text: u64) -> u64 {
    place(named(0, "title"), text)
}

fn place(path: u64, text: u64) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write_u64(path);
    hasher.write_u64(text);
    hasher.finish()
}

/// The hash of a path and a name below it.
fn named(path: u64, name: &str) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write_u64(path);
    for byte in name.bytes() {
        hasher.write_u8(byte.to_ascii_lowercase());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    /// The visible texts of a page, each with the text that follows it.
    fn visible(html: &str) -> Vec<(String, Option<String>)> {
        let page = Page::new("https://shop.example/".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let text = |range: &Range<usize>| evidence.tree.text().get(range.clone()).unwrap().to_owned();
        let texts = ShortText::read(&evidence).into_iter().filter(|found| !found.range.is_empty());
        texts.map(|found| (text(&found.range), found.following.map(|next| text(&next.range)))).collect()
    }

    #[test]
    fn labels_have_the_text_of_their_next_sibling() {
        type Expected<'e> = &'e [(&'e str, Option<&'e str>)];
        let rows: [(&str, Expected<'_>); 4] = [
            (
                "<p><b>Pages</b>: 320 <i>x1</i></p>",
                &[("Pages: 320 x1", None), ("Pages", Some("320")), ("x1", None)],
            ),
            (
                "<tr><td><b>Brand</b><td><img><td>Acme",
                &[("Brand\nAcme", None), ("Brand", Some("Acme")), ("Acme", None)],
            ),
            ("<div><p>Brand</div><p>Acme", &[("Brand", Some("Acme")), ("Acme", None)]),
            ("<ul><li>12,50 €<li>Brand</ul>", &[("12,50 €\nBrand", None), ("Brand", None)]),
        ];
        for (html, expected) in rows {
            let found = visible(html);
            let found: Vec<(&str, Option<&str>)> =
                found.iter().map(|(text, next)| (text.as_str(), next.as_deref())).collect();
            assert_eq!(found, expected, "{html}");
        }
    }

    #[test]
    fn case_and_punctuation_do_not_count() {
        assert_eq!(text_key("Publisher:"), text_key(" PUBLISHER "));
        assert_ne!(text_key("Red cup"), text_key("Redcup"));
        assert_eq!(text_key(" | "), None);
        let (long, longer) = ("word ".repeat(100), "word ".repeat(101));
        assert!(text_key(&long).is_some() && text_key(&long) != text_key(&longer));
    }
}
