//! Recognises names, addresses and terms by their words.

use std::sync::OnceLock;

use super::{Described, Features, flag};
use crate::segment::MAX_TEXT_BYTES;
use crate::segment::tag::Tag;
use crate::segment::view::View;
use crate::typed::{is_employment, is_language, is_name, is_place};

/// Longest name of a person or a company, in bytes.
const MAX_NAME_BYTES: usize = 80;
/// Upper bound on the words of a name.
const MAX_NAME_WORDS: usize = 6;
/// Longest address, in bytes.
const MAX_PLACE_BYTES: usize = 160;
/// Longest term of a vocabulary, in bytes.
const MAX_TERM_BYTES: usize = 40;

/// What a text can be by its words. It takes longer to tell than the [types](super::Types) of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextShape {
    /// The name of a person or a company.
    Name,
    /// An address or a town.
    Place,
    /// A form of employment.
    Employment,
    Language,
}

/// The shapes of a text, each read when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    name: OnceLock<bool>,
    place: OnceLock<bool>,
    employment: OnceLock<bool>,
    language: OnceLock<bool>,
}

impl Shapes {
    pub(super) fn has(&self, shape: TextShape, read: impl FnOnce() -> bool) -> bool {
        let slot = match shape {
            TextShape::Name => &self.name,
            TextShape::Place => &self.place,
            TextShape::Employment => &self.employment,
            TextShape::Language => &self.language,
        };
        *slot.get_or_init(read)
    }
}

/// Whether the text of a segment has a shape.
pub(super) fn read(shape: TextShape, view: &View<'_, '_>, text: &str, found: &Described) -> bool {
    let wording = &found.wording;
    if wording.letters < 2 || text.len() > MAX_TEXT_BYTES {
        return false;
    }
    // Menus and other pages are full of names.
    let may_be_named = || {
        wording.small <= wording.words / 2
            && !view.evidence.unrelated().contains(found.draft.node)
            && !view.outline.facts(found.draft.node).is_inside(Tag::Nav)
    };
    let may_be_term = wording.digits == 0 && text.len() <= MAX_TERM_BYTES;
    match shape {
        TextShape::Name => {
            wording.digits == 0
                && wording.words <= MAX_NAME_WORDS
                && text.len() <= MAX_NAME_BYTES
                && may_be_named()
                && is_name(text)
        }
        // Most places have a comma or a number.
        TextShape::Place => {
            text.len() <= MAX_PLACE_BYTES
                && (wording.digits > 0 || text.contains([',', '，', '、']))
                && may_be_named()
                && is_place(text)
        }
        TextShape::Employment => may_be_term && is_employment(text),
        TextShape::Language => may_be_term && is_language(text),
    }
}

/// What its text can be.
pub(super) fn write(has: impl Fn(TextShape) -> bool, to: &mut Features) {
    to.is_name = flag(has(TextShape::Name));
    to.is_place = flag(has(TextShape::Place));
    to.is_employment = flag(has(TextShape::Employment));
    to.is_language = flag(has(TextShape::Language));
}
