//! Where the objects of a file are.
//!
//! The loader finds the objects of a file with a damaged table by a search, but not those that are packed in
//! streams. They are found here.

use std::collections::{HashMap, HashSet};

use memchr::memmem;
use pdfboss_core::parser::{NoResolve, Parser};
use pdfboss_core::xref::{Xref, XrefEntry};
use pdfboss_core::{Dict, Object};

/// Most streams of packed objects, and of tables, that a search finds.
const MAX_FOUND: usize = 10_000;

/// The mark of a stream is within this many bytes behind the beginning of its object.
const MAX_ENTRIES_BYTES: usize = 4_096;

/// The places of objects.
pub(super) struct Table {
    entries: HashMap<u32, XrefEntry>,
    pub(super) trailer: Dict,
}

impl Table {
    pub(super) fn of(table: Xref) -> Self {
        Self { entries: table.iter().collect(), trailer: table.trailer }
    }

    pub(super) fn get(&self, number: u32) -> Option<XrefEntry> {
        self.entries.get(&number).copied()
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.entries.keys().copied()
    }

    /// The numbers of the streams with packed objects that a table without packed objects does not know of,
    /// the last first.
    pub(super) fn unknown_packed(&self, bytes: &[u8]) -> Vec<u32> {
        let is_packed = |entry: &XrefEntry| matches!(entry, XrefEntry::InStream { .. });
        if self.entries.values().any(is_packed) {
            return Vec::new();
        }
        self.marked(bytes, b"/ObjStm").into_iter().map(|(number, _)| number).collect()
    }

    /// Adds objects that are packed in a stream, if no other place of them is known.
    pub(super) fn add_packed(&mut self, stream: u32, numbers: Vec<u32>) {
        for (index, number) in (0_u32..).zip(numbers) {
            let entry = XrefEntry::InStream { stream_num: stream, index };
            self.entries.entry(number).or_insert(entry);
        }
    }

    /// Reads where the file begins from the streams of its tables, if the trailer does not say it.
    pub(super) fn find_trailer(&mut self, bytes: &[u8]) {
        if self.trailer.get("Root").is_some() {
            return;
        }
        for (_, offset) in self.marked(bytes, b"/XRef") {
            let found = Parser::at(bytes, offset).parse_indirect(&NoResolve);
            let Ok((_, Object::Stream(stream))) = found else { continue };
            for (key, value) in stream.dict.iter() {
                let is_wanted = matches!(key.0.as_str(), "Root" | "Info" | "ID" | "Encrypt");
                if is_wanted && self.trailer.get(&key.0).is_none() {
                    self.trailer.insert(key.clone(), value.clone());
                }
            }
            if self.trailer.get("Root").is_some() {
                return;
            }
        }
    }

    /// The numbers and offsets of the objects with a mark near their beginning, the last first.
    fn marked(&self, bytes: &[u8], mark: &[u8]) -> Vec<(u32, usize)> {
        let mut places = memmem::find_iter(bytes, mark).peekable();
        if places.peek().is_none() {
            return Vec::new();
        }
        let mut objects: Vec<(usize, u32)> = self
            .entries
            .iter()
            .filter_map(|(number, entry)| match entry {
                XrefEntry::InFile { offset, .. } => Some((usize::try_from(*offset).ok()?, *number)),
                _ => None,
            })
            .collect();
        objects.sort_unstable();
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for place in places {
            let next = objects.partition_point(|(offset, _)| *offset < place);
            let Some((offset, number)) = next.checked_sub(1).and_then(|last| objects.get(last)) else {
                continue;
            };
            if place - offset <= MAX_ENTRIES_BYTES && seen.insert(*number) {
                found.push((*number, *offset));
            }
            if found.len() >= MAX_FOUND {
                break;
            }
        }
        found.reverse();
        found
    }
}
