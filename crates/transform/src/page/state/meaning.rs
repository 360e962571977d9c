//! What the names of values say.

use std::collections::HashMap;

use super::keys;
use super::value::{ValueId, Values};

/// Names that are remembered at a time.
const MAX_KNOWN: usize = 4_096;

/// What a name says, of what is asked of every value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Meaning(u8);

impl Meaning {
    const OTHER: u8 = 1;
    const TITLE: u8 = 2;
    const ADDRESS: u8 = 4;
    const ID: u8 = 8;
    const DATE_OR_AUTHOR: u8 = 16;
    const TEXT: u8 = 32;

    fn of(name: &str) -> Self {
        let meanings = [
            (Self::OTHER, keys::is_other(name)),
            (Self::TITLE, keys::is_title(name)),
            (Self::ADDRESS, keys::is_address(name)),
            (Self::ID, keys::is_id(name)),
            (Self::DATE_OR_AUTHOR, keys::is_date(name) || keys::is_author(name)),
            (Self::TEXT, keys::is_text(name)),
        ];
        Self(meanings.into_iter().filter(|(_, is_so)| *is_so).fold(0, |all, (bit, _)| all | bit))
    }

    const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    /// True if the value is no part of the text.
    pub(super) const fn is_other(self) -> bool {
        self.has(Self::OTHER)
    }

    /// True for a title.
    pub(super) const fn is_title(self) -> bool {
        self.has(Self::TITLE)
    }

    /// True for an address of a page.
    pub(super) const fn is_address(self) -> bool {
        self.has(Self::ADDRESS)
    }

    /// True for an identifier.
    pub(super) const fn is_id(self) -> bool {
        self.has(Self::ID)
    }

    /// True for a date of publication or an author.
    pub(super) const fn is_date_or_author(self) -> bool {
        self.has(Self::DATE_OR_AUTHOR)
    }

    /// True for a text in a part of a text.
    pub(super) const fn is_text(self) -> bool {
        self.has(Self::TEXT)
    }
}

/// What the names of all values say. States repeat the same names, so each is read once.
#[derive(Debug)]
pub(super) struct Meanings(Vec<Meaning>);

impl Meanings {
    pub(super) fn of(values: &Values) -> Self {
        let mut known: HashMap<&str, Meaning> = HashMap::new();
        let read = |value| {
            let name = values.key(value);
            if name.is_empty() {
                return Meaning::default();
            }
            if known.len() >= MAX_KNOWN {
                known.clear();
            }
            *known.entry(name).or_insert_with(|| Meaning::of(name))
        };
        Self(values.range(0, values.len()).map(read).collect())
    }

    pub(super) fn get(&self, value: ValueId) -> Meaning {
        self.0.get(value.index()).copied().unwrap_or_default()
    }
}
