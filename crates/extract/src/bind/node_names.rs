//! Splits the classes, ids and test names of all elements of a page into words, once.

use std::ops::Range;

use gleaner_types::Interrupt;
use hashbrown::HashMap;

use super::words::{class_words, words};
use crate::markup::{NodeId, Tree};
use crate::page::truncate;

/// Longest attribute that is read, in bytes.
const MAX_ATTRIBUTE_BYTES: usize = 400;
/// Upper bound on the classes of an element that are read.
const MAX_CLASSES: usize = 12;
/// Attributes for the site's own tests, which name the element's purpose.
const TEST_ATTRIBUTES: [&str; 4] = ["data-test", "data-qa", "data-auto", "data-role"];

/// The classes, ids and other names of the elements of a page, each name split into words once.
#[derive(Debug, Default)]
pub(crate) struct NodeNames {
    names: Vec<Vec<String>>,
    /// Numbers of names, element by element.
    numbers: Vec<u32>,
    /// For each node, where its numbers end.
    ends: Vec<u32>,
}

/// What an attribute names its element with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum NameKind {
    Classes,
    Name,
    TestName,
}

/// Reads the names of elements. Each name and each value of an attribute is read once.
#[derive(Debug, Default)]
struct Reader<'a> {
    out: NodeNames,
    /// The number of a name; style sheets write some words of theirs together.
    known: HashMap<(&'a str, bool), u32>,
    /// The numbers that a value of an attribute has, as a range of `out.numbers`.
    values: HashMap<(&'a str, NameKind), Range<usize>>,
}

impl<'a> Reader<'a> {
    fn attribute(&mut self, kind: NameKind, value: &'a str) {
        if let Some(range) = self.values.get(&(value, kind)) {
            self.out.numbers.extend_from_within(range.clone());
            return;
        }
        let start = self.out.numbers.len();
        match kind {
            NameKind::Classes => {
                for class in value.split_ascii_whitespace().take(MAX_CLASSES) {
                    self.name(class, true);
                }
            }
            NameKind::Name => self.name(value, true),
            NameKind::TestName => self.name(value, false),
        }
        self.values.insert((value, kind), start..self.out.numbers.len());
    }

    fn name(&mut self, name: &'a str, is_class: bool) {
        let names = &mut self.out.names;
        let number = *self.known.entry((name, is_class)).or_insert_with(|| {
            names.push(if is_class { class_words(name) } else { words(name) });
            length(names) - 1
        });
        self.out.numbers.push(number);
    }
}

impl NodeNames {
    pub(crate) fn read(tree: &Tree<'_>) -> Self {
        let mut reader = Reader::default();
        for node in tree.nodes() {
            for (key, value) in tree.attributes(node) {
                if let Some(kind) = kind_of(key) {
                    reader.attribute(kind, truncate(value, MAX_ATTRIBUTE_BYTES));
                }
            }
            let end = length(&reader.out.numbers);
            reader.out.ends.push(end);
        }
        reader.out
    }

    /// The words of each name of a node.
    pub(crate) fn of(&self, node: NodeId) -> impl ExactSizeIterator<Item = &[String]> + Clone {
        self.numbers_of(node).iter().map(|number| self.words(*number))
    }

    /// The number of each name of a node. Equal names have one number.
    pub(crate) fn numbers_of(&self, node: NodeId) -> &[u32] {
        let end_of = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        let start = node.index().checked_sub(1).map_or(0, end_of);
        self.numbers.get(start..end_of(node.index())).unwrap_or_default()
    }

    /// The words of the name with a number.
    fn words(&self, number: u32) -> &[String] {
        self.names.get(number as usize).map_or(&[], Vec::as_slice)
    }

    /// What a function says of the words of each name, in the order of the numbers. If the work is interrupted,
    /// the last ones are missing.
    pub(crate) fn map<T>(&self, interrupt: &Interrupt, read: impl FnMut(&[String]) -> T) -> Vec<T> {
        let names = self.names.iter().map(Vec::as_slice);
        names.take_while(|words| !interrupt.spend(1 + words.len())).map(read).collect()
    }
}

/// What an attribute names its element with; `None` if it does not.
fn kind_of(key: &str) -> Option<NameKind> {
    if key.eq_ignore_ascii_case("class") {
        Some(NameKind::Classes)
    } else if ["id", "name", "itemprop"].iter().any(|known| key.eq_ignore_ascii_case(known)) {
        Some(NameKind::Name)
    } else {
        let starts =
            |known: &&str| key.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known));
        TEST_ATTRIBUTES.iter().any(starts).then_some(NameKind::TestName)
    }
}

fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn each_element_has_its_own_names() {
        let html = r#"<div id=mainBox class="box product-price">x<b class=box>y</b><i data-testid="buyNow" name=a>z</i></div><p>w</p>"#;
        let page = Page::new("https://site.example/".parse().unwrap(), html);
        let tree = Tree::parse(html, &page.interrupt);
        let names = NodeNames::read(&tree);
        let of = |name: &str| {
            let node = tree.nodes().find(|node| tree.is(*node, &[name])).unwrap();
            names.of(node).map(|words| words.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(of("div"), ["main box", "box", "product price"]);
        assert_eq!(
            (of("b"), of("i"), of("p")),
            (vec!["box".into()], vec!["buy now".into(), "a".into()], vec![])
        );
    }
}
