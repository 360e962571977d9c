//! An index of selectors by the id, class or name that an element needs to match.
//!
//! Most selectors in requests end in a class, an id or a name. Trying a list of thousands of selectors one by
//! one costs thousands of steps per element. A lookup by the element's own classes, id and name costs a few.
//! A selector that is only a class, an id or a name needs nothing but the lookup.

use std::collections::HashMap;

use selectors::parser::{Component, Selector};

use super::element::class_of;
use super::parse::{Css, MAX_SELECTOR_BYTES, parse};
use super::steps::Steps;
use crate::error::Error;
use crate::tree::{Attr, NodeId, Tree};

/// A selector that is more than one class, id or name.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) selector: Selector<Css>,
    /// The number of simple selectors and combinators, including those in pseudo-classes: its cost at one
    /// element.
    pub(super) parts: u64,
    /// The number of arguments of `:has`.
    pub(super) has_arguments: usize,
}

/// The selectors for elements with a certain class, id or name.
#[derive(Debug, Clone, Default)]
struct Bucket {
    /// A selector asks for nothing else, so that the element matches.
    matches: bool,
    /// Rules that may match the element.
    rules: Vec<u32>,
}

type Buckets = HashMap<Box<str>, Bucket>;

/// A list of selectors. An element matches if any of them matches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selectors {
    rules: Vec<Rule>,
    classes: Buckets,
    ids: Buckets,
    /// By element name in lower case.
    names: Buckets,
    /// Rules that may match any element.
    universal: Vec<u32>,
    /// The length of the longest id, in bytes. Longer ids are not looked up.
    longest_id: usize,
    count: usize,
}

/// The property that an element needs for a selector to match.
enum Key<'s> {
    Id(&'s str),
    Class(&'s str),
    /// In lower case.
    Name(&'s str),
    Any,
}

impl Selectors {
    /// Parses all selectors; the error holds the first that cannot be parsed.
    pub(crate) fn parse<'s>(selectors: impl IntoIterator<Item = &'s String>) -> Result<Self, Error> {
        let mut all = Self::default();
        for selector in selectors {
            match simple_keys(selector) {
                Some(keys) => keys.into_iter().for_each(|key| all.add_simple(key)),
                None => parse(selector)?.slice().iter().for_each(|one| all.add(one)),
            }
        }
        Ok(all)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn rule(&self, number: u32) -> Option<&Rule> {
        self.rules.get(number as usize)
    }

    fn add(&mut self, selector: &Selector<Css>) {
        let key = key(selector);
        if selector.len() == 1 && is_simple(selector) {
            return self.add_simple(key);
        }
        self.count += 1;
        let number = u32::try_from(self.rules.len()).unwrap_or(u32::MAX);
        let (parts, has_arguments) = cost(selector);
        match self.bucket(&key) {
            Some(bucket) => bucket.rules.push(number),
            None => self.universal.push(number),
        }
        self.rules.push(Rule { selector: selector.clone(), parts, has_arguments });
    }

    fn add_simple(&mut self, key: Key<'_>) {
        self.count += 1;
        if let Some(bucket) = self.bucket(&key) {
            bucket.matches = true;
        }
    }

    fn bucket(&mut self, key: &Key<'_>) -> Option<&mut Bucket> {
        let (buckets, key) = match key {
            Key::Id(id) => {
                self.longest_id = self.longest_id.max(id.len());
                (&mut self.ids, id)
            }
            Key::Class(class) => (&mut self.classes, class),
            Key::Name(name) => (&mut self.names, name),
            Key::Any => return None,
        };
        Some(buckets.entry(Box::from(*key)).or_default())
    }

    /// True if the lookup alone shows that an element matches. Otherwise `candidates` holds the rules that
    /// may match it. If the steps are exhausted, the result is false and the candidates are incomplete.
    ///
    /// The candidates are borrowed lists and not copies: a class may name a list of thousands of rules
    /// thousands of times.
    pub(super) fn look_up<'s>(
        &'s self,
        tree: &Tree,
        node: NodeId,
        steps: &Steps<'_>,
        candidates: &mut Vec<&'s [u32]>,
    ) -> bool {
        candidates.clear();
        candidates.push(&self.universal);
        let mut found = |bucket: &'s Bucket| {
            candidates.push(&bucket.rules);
            bucket.matches
        };
        if !steps.spend(1) {
            return false;
        }
        if !self.names.is_empty() {
            let name = tree.name(node);
            // Names outside HTML may have capitals. The rules decide whether their case counts.
            let is_lower = !name.bytes().any(|byte| byte.is_ascii_uppercase());
            let bucket = if is_lower {
                self.names.get(name)
            } else {
                self.names.get(name.to_ascii_lowercase().as_str())
            };
            if bucket.is_some_and(&mut found) && is_lower {
                return true;
            }
        }
        if !self.ids.is_empty()
            && let Some(id) = tree.attribute(node, Attr::Id).filter(|id| id.len() <= self.longest_id)
            && steps.spend_bytes(id.len())
            && self.ids.get(id).is_some_and(&mut found)
        {
            return true;
        }
        if self.classes.is_empty() {
            return false;
        }
        let class = class_of(tree, node);
        steps.spend_bytes(class.len())
            && class
                .split_ascii_whitespace()
                .any(|word| steps.spend(1) && self.classes.get(word).is_some_and(&mut found))
    }
}

/// The keys of a list of only classes, ids and names, read without the parser, which is much slower for a
/// request with thousands of them. `None` for other selectors, including invalid ones.
fn simple_keys(selector: &str) -> Option<Vec<Key<'_>>> {
    if selector.len() > MAX_SELECTOR_BYTES {
        return None;
    }
    selector.split(',').map(|part| simple_key(part.trim_ascii())).collect()
}

fn simple_key(part: &str) -> Option<Key<'_>> {
    let kind = part.as_bytes().first()?;
    let name = if matches!(kind, b'.' | b'#') { part.get(1..)? } else { part };
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let continues = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    match kind {
        _ if !begins || !continues => None,
        b'.' => Some(Key::Class(name)),
        b'#' => Some(Key::Id(name)),
        // The case of a name counts for some elements only.
        _ if name.bytes().any(|byte| byte.is_ascii_uppercase()) => None,
        _ => Some(Key::Name(name)),
    }
}

/// True for a simple selector that the lookup of a class, id or name decides.
fn is_simple(selector: &Selector<Css>) -> bool {
    match selector.iter_raw_match_order().next() {
        Some(Component::ID(_) | Component::Class(_)) => true,
        Some(Component::LocalName(name)) => name.name == name.lower_name,
        _ => false,
    }
}

/// The most selective key in the last compound of a selector: an id, else a class, else a name.
fn key(selector: &Selector<Css>) -> Key<'_> {
    let mut key = Key::Any;
    for component in selector.iter() {
        match component {
            Component::ID(id) => return Key::Id(id.text()),
            Component::Class(class) => key = Key::Class(class.text()),
            Component::LocalName(name) if matches!(key, Key::Any) => {
                key = Key::Name(name.lower_name.text());
            }
            _ => {}
        }
    }
    key
}

/// The number of simple selectors and combinators of a selector, and of its `:has` arguments, over all
/// levels.
fn cost(selector: &Selector<Css>) -> (u64, usize) {
    let (mut parts, mut has_arguments) = (0, 0);
    let mut open = vec![selector];
    while let Some(selector) = open.pop() {
        for component in selector.iter_raw_match_order() {
            parts += 1;
            match component {
                Component::Negation(list) | Component::Is(list) | Component::Where(list) => {
                    open.extend(list.slice());
                }
                Component::NthOf(data) => open.extend(data.selectors()),
                Component::Has(list) => {
                    has_arguments += list.len();
                    open.extend(list.iter().map(|relative| &relative.selector));
                }
                Component::Host(Some(inner)) => open.push(inner),
                _ => {}
            }
        }
    }
    (parts, has_arguments)
}
