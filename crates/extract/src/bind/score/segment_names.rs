//! Finds the names around a segment: label, heading, classes and ids.

use hashbrown::HashMap;

use super::meaning::{Meaning, MeaningTable, NameFound};
use crate::bind::words::{class_words, words};
use crate::evidence::Evidence;
use crate::markup::NodeId;
use crate::page::truncate;
use crate::segment::Segment;

/// The levels of elements above a segment whose names are read; the first is its own element.
pub(crate) const LEVELS: usize = 4;
/// Upper bound on the elements above a segment whose names are read.
const MAX_STEPS: usize = 9;
/// Longest attribute that is read, in bytes.
const MAX_ATTRIBUTE_BYTES: usize = 400;
/// Upper bound on the classes of an element that are read.
const MAX_CLASSES: usize = 12;
/// Longest heading that names what is below it, in bytes.
const MAX_HEADING_BYTES: usize = 80;
/// Upper bound on the names of an element that are kept.
const MAX_ELEMENT_NAMES: usize = 32;
/// Upper bound on the names beside a segment.
const MAX_NAMES: usize = 96;
/// Names beside a segment for one unit of work.
const NAMES_PER_UNIT: usize = 4;

/// Where a name stands in relation to a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamePlace {
    /// The segment's label.
    Label,
    /// The nearest heading above it.
    Heading,
    /// An `itemprop` or `property` of its element.
    Property,
    /// A class, id or test name of an element: 0 for the segment's own, then those around it. Elements with
    /// the same text are on one level.
    Element(usize),
}

/// A name beside a segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SegmentName {
    pub(crate) place: NamePlace,
    pub(crate) meaning: Meaning,
    /// Whether it is the whole label, class or id.
    pub(crate) is_whole: bool,
}

impl SegmentName {
    const fn new(place: NamePlace, found: &NameFound) -> Self {
        Self { place, meaning: found.meaning, is_whole: found.is_whole }
    }
}

/// A name in the attributes of an element.
#[derive(Debug, Clone, Copy)]
struct ElementName {
    found: NameFound,
    is_property: bool,
}

/// Finds the names beside segments. Each label, each class and each element is read once per page.
#[derive(Debug)]
pub(crate) struct NameReader<'p, 'a> {
    evidence: &'p Evidence<'a>,
    table: &'p MeaningTable,
    by_label: HashMap<&'p str, Vec<NameFound>>,
    by_token: HashMap<&'a str, Vec<NameFound>>,
    by_element: HashMap<NodeId, Vec<ElementName>>,
    /// In page order.
    headings: Vec<(NodeId, Vec<NameFound>)>,
}

impl<'p, 'a> NameReader<'p, 'a> {
    pub(crate) fn new(evidence: &'p Evidence<'a>, table: &'p MeaningTable) -> Self {
        let tree = &evidence.tree;
        let is_heading = |node: &NodeId| tree.is(*node, &["h1", "h2", "h3", "h4", "h5", "h6", "legend"]);
        let headings = tree
            .nodes()
            .filter(is_heading)
            .map(|node| {
                let text = tree.text_of(node);
                let names =
                    if text.len() <= MAX_HEADING_BYTES { table.find(&words(text)) } else { Vec::new() };
                (node, names)
            })
            .collect();
        Self {
            evidence,
            table,
            by_label: HashMap::new(),
            by_token: HashMap::new(),
            by_element: HashMap::new(),
            headings,
        }
    }

    /// The names beside a segment, at most [`MAX_NAMES`]: its label's first, those of the outermost element
    /// last.
    pub(crate) fn names_of(&mut self, segment: &'p Segment) -> Vec<SegmentName> {
        let mut out = Vec::new();
        if let Some(label) = &segment.label {
            let table = self.table;
            let names = self.by_label.entry(label.words.as_str()).or_insert_with(|| {
                let words: Vec<String> = label.words.split(' ').map(str::to_owned).collect();
                table.find(&words)
            });
            out.extend(names.iter().map(|found| SegmentName::new(NamePlace::Label, found)));
        }
        let above = self.heading_of(segment.node);
        out.extend(above.iter().map(|found| SegmentName::new(NamePlace::Heading, found)));
        let evidence = self.evidence;
        let tree = &evidence.tree;
        let mut level = 0;
        let mut length = tree.text_of(segment.node).len();
        for node in std::iter::once(segment.node).chain(tree.ancestors(segment.node)).take(MAX_STEPS) {
            let own = tree.text_of(node).len();
            if own != length {
                level += 1;
                length = own;
            }
            if level >= LEVELS || out.len() >= MAX_NAMES || tree.is(node, &["body", "html"]) {
                break;
            }
            self.read_element(node);
            out.extend(self.by_element.get(&node).into_iter().flatten().map(|name| {
                let place = match (name.is_property, level) {
                    (true, 0) => NamePlace::Property,
                    _ => NamePlace::Element(level),
                };
                SegmentName::new(place, &name.found)
            }));
        }
        out.truncate(MAX_NAMES);
        tree.interrupt().spend(out.len() / NAMES_PER_UNIT);
        out
    }

    /// The names in the nearest heading above a node.
    fn heading_of(&self, node: NodeId) -> &[NameFound] {
        let before = self.headings.partition_point(|(heading, _)| *heading < node);
        let heading = before.checked_sub(1).and_then(|at| self.headings.get(at));
        let above = heading.filter(|(heading, _)| self.evidence.tree.end(*heading) <= node);
        above.map_or(&[], |(_, names)| names.as_slice())
    }

    fn read_element(&mut self, node: NodeId) {
        if self.by_element.contains_key(&node) {
            return;
        }
        let mut found = Vec::new();
        for (key, value) in self.evidence.tree.attributes(node).iter().copied() {
            let is_list = key.eq_ignore_ascii_case("class");
            let is_property = key.eq_ignore_ascii_case("itemprop") || key.eq_ignore_ascii_case("property");
            let is_name =
                key.eq_ignore_ascii_case("id") || key.eq_ignore_ascii_case("name") || is_test_name(key);
            if !(is_list || is_property || is_name) {
                continue;
            }
            let value = truncate(value, MAX_ATTRIBUTE_BYTES);
            if is_list || is_property {
                for token in value.split_ascii_whitespace().take(MAX_CLASSES) {
                    // `schema:name` is a name.
                    let token = token.rsplit(':').next().filter(|_| is_property).unwrap_or(token);
                    self.add_token(token, is_property, &mut found);
                }
            } else {
                self.add_token(value, false, &mut found);
            }
        }
        if found.len() > MAX_ELEMENT_NAMES {
            // Whole names say more than their parts.
            found.sort_by_key(|name| !name.found.is_whole);
            found.truncate(MAX_ELEMENT_NAMES);
        }
        self.by_element.insert(node, found);
    }

    fn add_token(&mut self, token: &'a str, is_property: bool, out: &mut Vec<ElementName>) {
        let table = self.table;
        let names = self.by_token.entry(token).or_insert_with(|| table.find(&class_words(token)));
        out.extend(names.iter().map(|found| ElementName { found: *found, is_property }));
    }
}

/// Whether an attribute names an element for the site's own tests.
fn is_test_name(key: &str) -> bool {
    let starts = |known: &str| key.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known));
    ["data-test", "data-qa", "data-auto", "data-role"].into_iter().any(starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;
    use crate::segment;

    #[test]
    fn of_many_names_the_whole_and_the_inner_ones_are_kept() {
        let classes = "my-author-of-sku-brand-price ".repeat(12);
        let open = format!("<div class='{classes}' id=price>x");
        let html = format!("<h1>Cup</h1>{}<p class='{classes}' id=price>5 €</p>", open.repeat(3));
        let page = Page::new("https://shop.example/".parse().unwrap(), html);
        let evidence = Evidence::read(&page);
        let table = MeaningTable::new(&[]);
        let (segments, _) = segment::read(&evidence);
        let segment = segments.iter().find(|segment| segment.text == "5 €").unwrap();
        let names = NameReader::new(&evidence, &table).names_of(segment);
        let at = |level: usize| names.iter().filter(move |name| name.place == NamePlace::Element(level));
        assert!(at(0).any(|name| name.is_whole), "{names:?}");
        assert_eq!((at(0).count(), at(1).count()), (MAX_ELEMENT_NAMES, MAX_ELEMENT_NAMES));
        assert_eq!(names.len(), MAX_NAMES);
    }
}
