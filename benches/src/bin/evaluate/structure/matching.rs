//! Compares the items of a result with those of the truth.

use std::collections::HashMap;

use super::items::{Item, Kind};
use super::normal;

/// Two texts with at least this F1 of their words are the same item.
const MIN_F1: f64 = 0.9;

/// Texts with fewer words have a smaller F1 if they differ in a word.
const MIN_WORDS: usize = 5;

/// How many items of one kind the truth has, the result has, and both have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) truth: usize,
    pub(super) found: usize,
    pub(super) right: usize,
}

impl Count {
    /// Counts the items that a result has in common with the truth, with repeats.
    pub(super) fn of(kind: Kind, truth: &[Item], found: &[Item]) -> Self {
        let right = if kind == Kind::Images { images(truth, found) } else { texts(truth, found) };
        Self { truth: truth.len(), found: found.len(), right }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.truth += other.truth;
        self.found += other.found;
        self.right += other.right;
    }
}

/// Images are the same if they have the same file name, or else the same alternative text.
fn images(truth: &[Item], found: &[Item]) -> usize {
    let mut left: Vec<&Item> = found.iter().collect();
    let mut right = 0;
    for image in truth {
        let by_file = |other: &&Item| !image.key.is_empty() && image.key == other.key;
        let by_text = |other: &&Item| !image.text.is_empty() && image.text == other.text;
        if let Some(at) = left.iter().position(by_file).or_else(|| left.iter().position(by_text)) {
            left.swap_remove(at);
            right += 1;
        }
    }
    right
}

/// Other items are the same if their keys and texts are equal, or their texts nearly so.
fn texts(truth: &[Item], found: &[Item]) -> usize {
    let mut counts: HashMap<&Item, usize> = HashMap::new();
    for item in found {
        *counts.entry(item).or_insert(0) += 1;
    }
    let mut right = 0;
    let mut missed = Vec::new();
    for item in truth {
        match counts.get_mut(item).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                right += 1;
            }
            None => missed.push(item),
        }
    }
    let mut left: Vec<(&str, Vec<&str>)> = Vec::new();
    for item in found {
        if let Some(count) = counts.get_mut(item).filter(|count| **count > 0) {
            *count -= 1;
            left.push((&item.key, item.text.split(' ').collect()));
        }
    }
    for item in missed {
        let words: Vec<&str> = item.text.split(' ').collect();
        let at = left.iter().position(|(key, other)| *key == item.key && is_near(&words, other));
        if let Some(at) = at {
            left.swap_remove(at);
            right += 1;
        }
    }
    right
}

fn is_near(one: &[&str], other: &[&str]) -> bool {
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    short >= MIN_WORDS
        && short * 5 > long * 4
        && normal::f1(one.iter().copied(), other.iter().copied()) > MIN_F1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(list: &[(&str, &str)]) -> Vec<Item> {
        list.iter().map(|(key, text)| Item::new(key, text)).collect()
    }

    #[test]
    fn items_match_as_often_as_they_occur() {
        let truth = items(&[("", "a"), ("", "a"), ("", "b"), ("", "one two three four five six")]);
        let found = items(&[("", "a"), ("", "c"), ("", "one two three four five six seven")]);
        let count = Count::of(Kind::Items, &truth, &found);
        assert_eq!(count, Count { truth: 4, found: 3, right: 2 });
    }

    #[test]
    fn code_matches_in_its_language_only() {
        let count = |one, other| Count::of(Kind::Languages, &items(&[one]), &items(&[other])).right;
        assert_eq!(count(("rust", "x"), ("rust", "x")), 1);
        assert_eq!(count(("rust", "x"), ("c", "x")), 0);
    }

    #[test]
    fn images_match_by_file_or_text() {
        let truth = items(&[("a.png", ""), ("b.png", "cat"), ("c.png", "")]);
        let found = items(&[("a.png", "dog"), ("b-2.png", "cat"), ("d.png", "")]);
        assert_eq!(Count::of(Kind::Images, &truth, &found).right, 2);
    }
}
