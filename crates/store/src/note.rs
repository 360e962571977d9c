//! Notes: what the engine remembers about a running job beside its pages.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;

/// Maximum number of notes of a job. Further ones are dropped.
pub const MAX_NOTES_PER_JOB: usize = 10_000;
/// Maximum total size of the notes of a job, in bytes. A note that exceeds it is dropped, and its earlier
/// value stays.
pub const MAX_NOTE_BYTES: usize = 4 << 20;

/// A change of what the engine remembers about a running job, for another process that goes on with it. A
/// store merges the notes of a job by kind and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The kind.
    pub kind: NoteKind,
    /// Distinguishes notes of one kind.
    pub key: u64,
    /// The change.
    pub value: NoteValue,
}

/// A kind of [`Note`]. The numbers are part of the formats of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NoteKind {
    /// Used retries.
    Retries = 1,
    /// The progress in one sitemap.
    Sitemap = 2,
    /// The totals of all sitemaps.
    SitemapTotals = 3,
    /// Number of links that were left out, by reason.
    Rejections = 4,
    /// The cookies of the job, always with the key 0. A store keeps them apart from what is not secret.
    Cookies = 5,
    /// What was learned about the templates of the site.
    Templates = 6,
}

impl NoteKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Retries, Self::Sitemap, Self::SitemapTotals, Self::Rejections, Self::Cookies, Self::Templates];

    /// The number of the kind.
    #[must_use]
    pub const fn to_raw(self) -> u8 {
        self as u8
    }

    /// The kind with this number.
    #[must_use]
    pub fn from_raw(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.to_raw() == number)
    }
}

/// A change of a note.
#[derive(Clone, PartialEq, Eq)]
pub enum NoteValue {
    /// The note has these bytes now. The last one wins.
    Set(Bytes),
    /// The number is added to the note. Several processes may add. A note without a number starts at 0.
    Add(u64),
    /// The note is removed.
    Remove,
}

impl fmt::Debug for NoteValue {
    /// Omits the bytes, because they may be cookies.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(bytes) => write!(f, "Set({} bytes)", bytes.len()),
            Self::Add(number) => write!(f, "Add({number})"),
            Self::Remove => f.write_str("Remove"),
        }
    }
}

/// The merged notes of one job.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Never [`NoteValue::Remove`].
    notes: BTreeMap<(NoteKind, u64), NoteValue>,
    bytes: usize,
}

impl Notes {
    /// Applies a change. False if it is dropped, because there are too many notes.
    pub(crate) fn apply(&mut self, note: Note) -> bool {
        let id = (note.kind, note.key);
        let old = self.notes.get(&id);
        let value = match (old, note.value) {
            (Some(NoteValue::Add(sum)), NoteValue::Add(number)) => NoteValue::Add(sum.saturating_add(number)),
            (_, value) => value,
        };
        let bytes = self.bytes - old.map_or(0, size) + size(&value);
        let is_new = old.is_none();
        if value == NoteValue::Remove {
            self.notes.remove(&id);
        } else if bytes > MAX_NOTE_BYTES || (is_new && self.notes.len() >= MAX_NOTES_PER_JOB) {
            return false;
        } else {
            self.notes.insert(id, value);
        }
        self.bytes = bytes;
        true
    }

    /// The notes in the order of kind and key.
    pub(crate) fn list(&self) -> Vec<Note> {
        let note = |(id, value): (&(NoteKind, u64), &NoteValue)| Note {
            kind: id.0,
            key: id.1,
            value: value.clone(),
        };
        self.notes.iter().map(note).collect()
    }
}

fn size(value: &NoteValue) -> usize {
    match value {
        NoteValue::Set(bytes) => bytes.len(),
        NoteValue::Add(_) | NoteValue::Remove => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: u64, bytes: usize) -> Note {
        Note { kind: NoteKind::Sitemap, key, value: NoteValue::Set(vec![0_u8; bytes].into()) }
    }

    #[test]
    fn kinds_have_the_numbers_that_they_are_stored_with() {
        for (number, kind) in (1..).zip(NoteKind::ALL) {
            assert_eq!((kind.to_raw(), NoteKind::from_raw(number)), (number, Some(kind)));
        }
        assert_eq!((NoteKind::from_raw(0), NoteKind::from_raw(7)), (None, None));
    }

    #[test]
    fn the_number_and_the_size_of_notes_are_bounded() {
        let mut notes = Notes::default();
        assert!(notes.apply(set(0, MAX_NOTE_BYTES)));
        assert!(!notes.apply(set(1, 1)) && !notes.apply(set(0, MAX_NOTE_BYTES + 1)));
        assert_eq!(notes.list(), [set(0, MAX_NOTE_BYTES)], "the earlier value stays");
        assert!(notes.apply(Note { value: NoteValue::Remove, ..set(0, 0) }));
        assert!(notes.list().is_empty() && notes.bytes == 0);
        let added = (0..).take_while(|key| notes.apply(set(*key, 1))).count();
        assert_eq!((added, notes.bytes), (MAX_NOTES_PER_JOB, MAX_NOTES_PER_JOB));
        assert!(notes.apply(set(3, 2)), "a known note can change");
    }
}
