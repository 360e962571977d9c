//! Selectors by what an element must have for them to match it.
//!
//! Most selectors of requests end in a class, an id or a name. Held against each element one by one, a list of thousands
//! costs thousands of steps an element; looked up by the element's own classes, id and name, it costs a few. What is but a
//! class, an id or a name needs no more than the look-up.

use std::collections::HashMap;

use selectors::parser::{Component, Selector};

use super::element::class_of;
use super::parse::{Css, MAX_SELECTOR_BYTES, parse};
use super::steps::Steps;
use crate::error::Error;
use crate::tree::{Attr, NodeId, Tree};

/// A selector that is more than a class, an id or a name.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) selector: Selector<Css>,
    /// How many simple selectors it has, those in its pseudo-classes among them: what it may cost at one element.
    pub(super) parts: u64,
    /// Arguments of `:has`.
    pub(super) has_arguments: usize,
}

/// What to do with an element that has a certain class, id or name.
#[derive(Debug, Clone, Default)]
struct Bucket {
    /// It matches as it is.
    matches: bool,
    /// Rules that may match it.
    rules: Vec<u32>,
}

type Buckets = HashMap<Box<str>, Bucket>;

/// Some selectors; an element matches where any of them does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selectors {
    rules: Vec<Rule>,
    classes: Buckets,
    ids: Buckets,
    /// By names in lower case.
    names: Buckets,
    /// Rules that may match any element.
    universal: Vec<u32>,
    /// The longest of the ids, in bytes: one that is longer is not looked up.
    longest_id: usize,
    count: usize,
}

/// What an element must have.
enum Key<'s> {
    Id(&'s str),
    Class(&'s str),
    /// In lower case.
    Name(&'s str),
    Nothing,
}

impl Selectors {
    /// Reads all, or names the first that cannot be read.
    pub(crate) fn parse<'s>(selectors: impl IntoIterator<Item = &'s String>) -> Result<Self, Error> {
        let mut all = Self::default();
        for selector in selectors {
            match plain(selector) {
                Some(keys) => keys.into_iter().for_each(|key| all.add_plain(key)),
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
        if selector.len() == 1 && is_plain(selector) {
            return self.add_plain(key);
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

    fn add_plain(&mut self, key: Key<'_>) {
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

    /// Does an element match as it is? If not, the rules that may match it are put into `candidates`. Nothing of either
    /// where the steps are used up.
    ///
    /// The candidates are the lists themselves and no copies: a class may name a list of thousands of rules thousands of
    /// times.
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
            // Names outside of HTML may have capitals, which are for the rules to tell apart.
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

/// What is looked up for a list of nothing but classes, ids and names, without the parser: it takes a request with
/// thousands of them no longer than reading it takes. `None` for other selectors, faulty ones among them.
fn plain(selector: &str) -> Option<Vec<Key<'_>>> {
    if selector.len() > MAX_SELECTOR_BYTES {
        return None;
    }
    selector.split(',').map(|part| plain_key(part.trim_ascii())).collect()
}

fn plain_key(part: &str) -> Option<Key<'_>> {
    let kind = part.as_bytes().first()?;
    let name = if matches!(kind, b'.' | b'#') { part.get(1..)? } else { part };
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let goes_on = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    match kind {
        _ if !begins || !goes_on => None,
        b'.' => Some(Key::Class(name)),
        b'#' => Some(Key::Id(name)),
        // Whether its case counts depends on the element.
        _ if name.bytes().any(|byte| byte.is_ascii_uppercase()) => None,
        _ => Some(Key::Name(name)),
    }
}

/// Is it one simple selector that an element's class, id or name answers?
fn is_plain(selector: &Selector<Css>) -> bool {
    match selector.iter_raw_match_order().next() {
        Some(Component::ID(_) | Component::Class(_)) => true,
        Some(Component::LocalName(name)) => name.name == name.lower_name,
        _ => false,
    }
}

/// The rarest thing that the last compound of a selector asks for.
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

/// The simple selectors and combinators of a selector, and the arguments of `:has` among them, all levels together.
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
