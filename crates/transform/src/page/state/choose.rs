//! Finds the value that is the text of the page, among all that the states of a page hold.

use std::collections::HashSet;

use super::shape::Shape;
use super::sources::{Origin, State, States};
use super::value::{Kind, ValueId};
use super::weigh::Weights;
use super::{keys, record};

/// Letters of a record that has the title or the address of the page.
const MIN_NAMED_LETTERS: usize = 200;

/// Letters of a text that can stand for the page without its name.
pub(super) const MIN_LETTERS: usize = 1_000;

/// Objects around a text that may be its record.
const MAX_CLIMB: usize = 3;

/// A value that is the text of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) value: ValueId,
    pub(super) origin: Origin,
    /// It has the title or the address of the page.
    pub(super) is_named: bool,
}

/// Chooses the record that has the name of the page, or else the text that dominates the states.
pub(super) fn choose(states: &States, weights: &Weights) -> Option<Choice> {
    named(states, weights).or_else(|| Texts::of(states, weights).dominant(states, weights))
}

fn range(states: &States, value: ValueId) -> impl Iterator<Item = ValueId> + use<> {
    states.values.range(value.index(), states.values.end(value))
}

/// The record with the name of the page that has the longest text. Of records one within another, the inner
/// one, if it has most of the text.
fn named(states: &States, weights: &Weights) -> Option<Choice> {
    let mut best: Option<(usize, Choice)> = None;
    for State { root, origin } in states.list.iter().copied() {
        for value in range(states, root).filter(|value| weights.is_named(*value)) {
            let letters = weights.letters(value);
            if letters > best.map_or(0, |(letters, _)| letters) {
                best = Some((letters, Choice { value, origin, is_named: true }));
            }
        }
    }
    let (most, best) = best.filter(|(letters, _)| *letters >= MIN_NAMED_LETTERS)?;
    let has_most = |value: &ValueId| weights.is_named(*value) && weights.letters(*value) * 100 >= most * 85;
    let value = range(states, best.value).filter(has_most).last().unwrap_or(best.value);
    Some(Choice { value, ..best })
}

/// The texts of the states, without the stream of server components, which is a page and no record.
#[derive(Debug, Default)]
struct Texts {
    /// Letters of all texts. A text that occurs again does not count again.
    letters: usize,
    /// The value with the most letters, and the longest string.
    most: Option<(usize, Choice)>,
    longest: Option<(usize, Choice)>,
}

impl Texts {
    fn of(states: &States, weights: &Weights) -> Self {
        let values = &states.values;
        let mut texts = Self::default();
        let mut seen = HashSet::new();
        for State { root, origin } in states.list.iter().copied() {
            if origin == Origin::Stream {
                continue;
            }
            let mut skipped = 0;
            for value in range(states, root) {
                if value.index() < skipped {
                    continue;
                }
                // Translations, menus and the like.
                if keys::is_other(values.key(value)) {
                    skipped = values.end(value);
                    continue;
                }
                let letters = weights.letters(value);
                let choice = Choice { value, origin, is_named: false };
                if let Some(text) = values.string(value).filter(|_| letters > 0)
                    && seen.insert(text)
                {
                    texts.letters += letters;
                    if letters > texts.longest.map_or(0, |(letters, _)| letters) {
                        texts.longest = Some((letters, choice));
                    }
                }
                if letters > texts.most.map_or(0, |(letters, _)| letters) {
                    texts.most = Some((letters, choice));
                }
            }
        }
        texts
    }

    /// True if a text has more letters than all others together.
    const fn dominates(&self, letters: usize) -> bool {
        letters >= MIN_LETTERS && letters >= self.letters.saturating_sub(letters)
    }

    /// The text that is longer than all others together.
    fn dominant(&self, states: &States, weights: &Weights) -> Option<Choice> {
        let whole = self.most.and_then(|(_, choice)| self.whole(choice, states, weights));
        let longest = || self.longest.filter(|(letters, _)| self.dominates(*letters));
        whole.or_else(|| longest().map(|(_, choice)| choice))
    }

    /// The text in a value: where it is divided into pieces, or the record around that.
    fn whole(&self, choice: Choice, states: &States, weights: &Weights) -> Option<Choice> {
        let values = &states.values;
        let mut path = Vec::new();
        let mut value = choice.value;
        while let Some(child) = values.children(value).max_by_key(|child| weights.letters(*child))
            && weights.letters(child) * 10 >= weights.letters(value) * 9
        {
            path.push(value);
            value = child;
        }
        if !self.dominates(weights.letters(value)) {
            return None;
        }
        let has_title = |object: &ValueId| {
            values.kind(*object) == Kind::Object && record::title_of(values, *object).is_some()
        };
        // Texts under different names are different texts, unless they have a common title.
        if values.kind(value) == Kind::Object && !has_title(&value) && Shape::of(values, value).is_none() {
            return None;
        }
        if !has_title(&value) {
            value = path.iter().rev().take(MAX_CLIMB).copied().find(has_title).unwrap_or(value);
        }
        Some(Choice { value, ..choice })
    }
}
