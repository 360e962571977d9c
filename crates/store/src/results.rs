//! The documents of one job, in order of completion.
//!
//! Under [`Retention::Stream`] they wait, as they are, for the one reader. Under [`Retention::Keep`] each is written
//! to JSON once: small in memory, and what goes over the wire anyway; beyond a bound the JSON goes to an unnamed
//! temporary file, which the system removes with the process.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use gleaner_types::{Document, MetaValue};
use serde_json::Value;

use crate::{Error, JsonSlice, ReadBound, Retention, Slice};

/// Under [`Retention::Stream`], pages of a job are leased only while fewer documents than this are unread.
pub const MAX_UNREAD_DOCUMENTS: usize = 64;
/// Under [`Retention::Stream`], pages of a job are leased only while unread documents weigh less than this, in bytes.
pub const MAX_UNREAD_BYTES: usize = 8 << 20;
/// Under [`Retention::Keep`], documents of one job beyond so many bytes go to a temporary file.
pub const DEFAULT_RETAINED_BYTES: usize = 64 << 20;

#[derive(Debug)]
enum Stored {
    Live(Box<Document>, usize),
    Json(Box<[u8]>),
    Spilled { offset: u64, length: usize },
}

impl Stored {
    fn weight(&self) -> usize {
        match self {
            Self::Live(_, weight) => *weight,
            Self::Json(json) => json.len(),
            Self::Spilled { length, .. } => *length,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Results {
    retention: Retention,
    /// Position of the first of `items`.
    first: u64,
    items: VecDeque<Stored>,
    /// Bytes that `items` take in memory.
    held: usize,
    retained_bytes: usize,
    /// Nothing is put aside: what is beyond the bound is refused.
    in_memory: bool,
    spill: Option<File>,
    spilled: u64,
}

impl Results {
    pub(crate) fn new(retention: Retention, retained_bytes: usize, in_memory: bool) -> Self {
        Self {
            retention,
            first: 0,
            items: VecDeque::new(),
            held: 0,
            retained_bytes,
            in_memory,
            spill: None,
            spilled: 0,
        }
    }

    /// The position that the next document will have.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    /// Turns a document into the form it is kept in. Costly, so it is done before the store is locked.
    pub(crate) fn prepare(retention: Retention, document: Box<Document>) -> Result<Prepared, Error> {
        Ok(Prepared(match retention {
            Retention::Stream => {
                let weight = weight(&document);
                Stored::Live(document, weight)
            }
            Retention::Keep => Stored::Json(
                serde_json::to_vec(&document)
                    .map_err(|cause| Error::io("a document could not be written as JSON", &cause))?
                    .into_boxed_slice(),
            ),
        }))
    }

    pub(crate) fn push(&mut self, Prepared(mut item): Prepared) -> Result<(), Error> {
        if let Stored::Json(json) = &item
            && self.held + json.len() > self.retained_bytes
        {
            if self.in_memory {
                let bound = format!("{} bytes of results are kept in memory", self.retained_bytes);
                return Err(Error::io("a document could not be kept, and may not be put aside", &bound));
            }
            item =
                self.spill(json).map_err(|cause| Error::io("a document could not be put aside", &cause))?;
        }
        if !matches!(item, Stored::Spilled { .. }) {
            self.held += item.weight();
        }
        self.items.push_back(item);
        Ok(())
    }

    fn spill(&mut self, json: &[u8]) -> std::io::Result<Stored> {
        let file = match &mut self.spill {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let offset = self.spilled;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(json)?;
        self.spilled += json.len() as u64;
        Ok(Stored::Spilled { offset, length: json.len() })
    }

    /// Is so much unread that no further page should be fetched?
    pub(crate) fn is_full(&self) -> bool {
        self.retention == Retention::Stream
            && (self.items.len() >= MAX_UNREAD_DOCUMENTS || self.held >= MAX_UNREAD_BYTES)
    }

    /// Has enough been read for fetching to go on? Lower than the bound of [`is_full`](Self::is_full), so that reading
    /// one document does not wake the crawl for one page.
    pub(crate) fn has_room(&self) -> bool {
        self.retention == Retention::Keep
            || (self.items.len() <= MAX_UNREAD_DOCUMENTS / 2 && self.held <= MAX_UNREAD_BYTES / 2)
    }

    /// Reads from `from` on. A position before the first kept one reads from that.
    pub(crate) fn read(&mut self, from: u64, bound: ReadBound) -> Result<Slice, Error> {
        let mut slice = Slice { documents: Vec::new(), next: from.max(self.first), end: false };
        if self.retention == Retention::Stream {
            while self.first < from && self.drop_first() {}
        }
        let mut bytes = 0;
        while slice.documents.len() < bound.documents.max(1) {
            let Some(index) = usize::try_from(slice.next - self.first).ok() else { break };
            let Some(weight) = self.items.get(index).map(Stored::weight) else { break };
            if !slice.documents.is_empty() && bytes + weight > bound.bytes {
                break;
            }
            bytes += weight;
            let Some(document) = self.take(index)? else { break };
            slice.documents.push(document);
            slice.next += 1;
        }
        slice.end = slice.next >= self.first + self.items.len() as u64;
        Ok(slice)
    }

    /// Reads the stored JSON from `from` on.
    pub(crate) fn read_json(&mut self, from: u64, bound: ReadBound) -> Result<JsonSlice, Error> {
        let mut slice = JsonSlice { documents: Vec::new(), next: from.max(self.first), end: false };
        let mut bytes = 0_usize;
        while slice.documents.len() < bound.documents.max(1) {
            let Some(json) = self.json(slice.next, bound.bytes.saturating_sub(bytes), bytes == 0)? else {
                break;
            };
            bytes = bytes.saturating_add(json.len());
            slice.documents.push(json);
            slice.next += 1;
        }
        slice.end = slice.next >= self.end();
        Ok(slice)
    }

    /// The JSON of the document at this position, where it takes no more than `room` bytes or is wanted all the same.
    pub(crate) fn json(
        &mut self,
        position: u64,
        room: usize,
        anyway: bool,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some(index) = position.checked_sub(self.first).and_then(|index| usize::try_from(index).ok())
        else {
            return Ok(None);
        };
        match self.items.get(index) {
            Some(item) if item.weight() > room && !anyway => Ok(None),
            Some(Stored::Json(json)) => Ok(Some(json.to_vec())),
            Some(&Stored::Spilled { offset, length }) => self.unspill(offset, length).map(Some),
            Some(Stored::Live(..)) | None => Ok(None),
        }
    }

    fn unspill(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, Error> {
        let Some(file) = &mut self.spill else { return Err(unreadable(&"it is not there")) };
        let mut json = vec![0; length];
        file.seek(SeekFrom::Start(offset)).map_err(|cause| unreadable(&cause))?;
        file.read_exact(&mut json).map_err(|cause| unreadable(&cause))?;
        Ok(json)
    }

    fn drop_first(&mut self) -> bool {
        let Some(item) = self.items.pop_front() else { return false };
        self.first += 1;
        self.held = self.held.saturating_sub(item.weight());
        true
    }

    fn take(&mut self, index: usize) -> Result<Option<Document>, Error> {
        match self.items.get(index) {
            None => Ok(None),
            Some(Stored::Json(json)) => {
                serde_json::from_slice(json).map(Some).map_err(|cause| unreadable(&cause))
            }
            Some(&Stored::Spilled { offset, length }) => {
                let json = self.unspill(offset, length)?;
                serde_json::from_slice(&json).map(Some).map_err(|cause| unreadable(&cause))
            }
            // Only under `Stream`, which reads from the front.
            Some(Stored::Live(..)) => {
                self.first += 1;
                Ok(self.items.pop_front().and_then(|item| match item {
                    Stored::Live(document, weight) => {
                        self.held = self.held.saturating_sub(weight);
                        Some(*document)
                    }
                    Stored::Json(_) | Stored::Spilled { .. } => None,
                }))
            }
        }
    }
}

fn unreadable(cause: &dyn std::fmt::Display) -> Error {
    Error::io("a kept document could not be read back", cause)
}

/// A document in the form it is kept in.
#[derive(Debug)]
pub(crate) struct Prepared(Stored);

/// About how many bytes a document takes.
fn weight(document: &Document) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let list = |list: &Option<Vec<String>>| {
        list.iter().flatten().map(|item| item.len() + size_of::<String>()).sum::<usize>()
    };
    let value = |value: &Option<Value>| value.as_ref().map_or(0, |value| value.to_string().len());
    let metadata = document.metadata.other.iter().map(|(name, content)| {
        name.len()
            + match content {
                MetaValue::One(text) => text.len(),
                MetaValue::Many(texts) => texts.iter().map(String::len).sum(),
            }
    });
    size_of::<Document>()
        + metadata.sum::<usize>()
        + value(&document.json)
        + value(&document.attributes)
        + text(&document.markdown)
        + text(&document.html)
        + text(&document.raw_html)
        + text(&document.summary)
        + text(&document.screenshot)
        + list(&document.links)
        + list(&document.images)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Box<Document> {
        Box::new(Document { markdown: Some(text.to_owned()), ..Document::default() })
    }

    fn filled(retention: Retention, retained_bytes: usize, count: usize) -> Results {
        let mut results = Results::new(retention, retained_bytes, false);
        for number in 0..count {
            results.push(Results::prepare(retention, document(&number.to_string())).unwrap()).unwrap();
        }
        results
    }

    fn texts(slice: &Slice) -> Vec<&str> {
        slice.documents.iter().filter_map(|document| document.markdown.as_deref()).collect()
    }

    #[test]
    fn kept_documents_are_read_again_and_again_in_memory_and_from_the_file() {
        for retained_bytes in [0, 100, 1 << 20] {
            let mut results = filled(Retention::Keep, retained_bytes, 10);
            for _ in 0..2 {
                let slice = results.read(7, ReadBound::default()).unwrap();
                assert_eq!((texts(&slice), slice.next, slice.end), (vec!["7", "8", "9"], 10, true));
            }
            assert!(results.held <= retained_bytes, "{} bytes are held", results.held);
        }
    }

    #[test]
    fn streamed_documents_are_gone_once_read() {
        let mut results = filled(Retention::Stream, 0, 5);
        let bound = ReadBound { documents: 2, bytes: usize::MAX };
        let slice = results.read(0, bound).unwrap();
        assert_eq!((texts(&slice), slice.next, slice.end), (vec!["0", "1"], 2, false));
        let slice = results.read(0, bound).unwrap();
        assert_eq!((texts(&slice), slice.next), (vec!["2", "3"], 4));
        let slice = results.read(4, bound).unwrap();
        assert_eq!((texts(&slice), slice.next, slice.end), (vec!["4"], 5, true));
        assert_eq!(results.held, 0);
    }

    #[test]
    fn a_document_larger_than_the_bound_is_read_alone() {
        let mut results = filled(Retention::Keep, 1 << 20, 3);
        let slice = results.read(0, ReadBound { documents: 10, bytes: 1 }).unwrap();
        assert_eq!(texts(&slice), vec!["0"]);
    }

    #[test]
    fn a_stream_is_full_at_its_bound_and_has_room_at_half_of_it() {
        let mut results = filled(Retention::Stream, 0, MAX_UNREAD_DOCUMENTS);
        assert!(results.is_full());
        results.read(0, ReadBound { documents: 1, bytes: 1 }).unwrap();
        assert!(!results.is_full() && !results.has_room());
        results.read(0, ReadBound { documents: MAX_UNREAD_DOCUMENTS / 2, bytes: usize::MAX }).unwrap();
        assert!(results.has_room());
    }
}
