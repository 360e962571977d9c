//! The documents of one job, in order of completion.
//!
//! Under [`Retention::Stream`] they wait, as they are, for the one reader. Under [`Retention::Keep`] each is written
//! to JSON once: small in memory, and what goes over the wire anyway. Where the bound of the job, or that of all jobs
//! together, is reached, the JSON goes to a temporary file ([`ResultSpace`](crate::result_space::ResultSpace)). Nothing that was stored is ever dropped to make
//! room: a document that can be kept nowhere is refused, and its job ends saying so.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use gleaner_types::Document;
use uuid::Uuid;

use crate::result_space::{Spilled, TeamQuota};
use crate::scrape;
use crate::weight::weight;
use crate::{Error, JsonSlice, ReadBound, Retention, Slice};

/// Under [`Retention::Stream`], pages of a job are leased only while fewer documents than this are unread.
pub const MAX_UNREAD_DOCUMENTS: usize = 64;
/// Under [`Retention::Stream`], pages of a job are leased only while unread documents weigh less than this, in bytes.
pub const MAX_UNREAD_BYTES: usize = 8 << 20;
/// Under [`Retention::Keep`], documents of one job beyond so many bytes go to temporary files. With zero data retention
/// nothing may go there, and the job fails.
pub const DEFAULT_RETAINED_BYTES: usize = 64 << 20;

#[derive(Debug)]
enum Stored {
    Live(Box<Document>, usize),
    Json(Bytes),
    Spilled(Spilled),
}

impl Stored {
    fn weight(&self) -> usize {
        match self {
            Self::Live(_, weight) => *weight,
            Self::Json(json) => json.len(),
            Self::Spilled(spilled) => spilled.len(),
        }
    }

    fn in_memory(&self) -> usize {
        match self {
            Self::Live(..) | Self::Json(_) => self.weight(),
            Self::Spilled(_) => 0,
        }
    }

    fn in_file(&self) -> u64 {
        match self {
            Self::Live(..) | Self::Json(_) => 0,
            Self::Spilled(spilled) => spilled.len() as u64,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Results {
    retention: Retention,
    /// Position of the first of `items`.
    first: u64,
    items: VecDeque<Stored>,
    /// Positions of kept documents, by the half of their scrape's id that is their own.
    scrapes: HashMap<u64, u64>,
    /// What `items` weigh, wherever they are.
    weight: usize,
    /// Bytes that `items` take in memory.
    held: usize,
    /// Bytes that they take in files.
    spilled: u64,
    retained_bytes: usize,
    /// Nothing is put aside: what is beyond the bound is refused.
    in_memory: bool,
    quota: TeamQuota,
}

impl Drop for Results {
    fn drop(&mut self) {
        self.quota.give_back(self.held, self.in_memory);
        self.quota.forgotten(self.spilled);
    }
}

impl Results {
    pub(crate) fn new(
        retention: Retention,
        retained_bytes: usize,
        in_memory: bool,
        quota: TeamQuota,
    ) -> Self {
        Self {
            retention,
            first: 0,
            items: VecDeque::new(),
            scrapes: HashMap::new(),
            weight: 0,
            held: 0,
            spilled: 0,
            retained_bytes,
            in_memory,
            quota,
        }
    }

    /// The position that the next document will have.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    /// How its documents are kept.
    pub(crate) fn form(&self) -> Form {
        Form { retention: self.retention, in_memory: self.in_memory, quota: self.quota.clone() }
    }

    /// Stores a document, or refuses it: [`Full`](crate::ErrorKind::Full) where there is no room anywhere.
    pub(crate) fn push(&mut self, Prepared { item, scrape }: Prepared) -> Result<(), Error> {
        let item = self.place(item)?;
        if let Some(scrape) = scrape {
            self.scrapes.insert(scrape, self.end());
        }
        self.weight += item.weight();
        self.held += item.in_memory();
        self.spilled += item.in_file();
        self.items.push_back(item);
        Ok(())
    }

    fn place(&self, item: Stored) -> Result<Stored, Error> {
        let size = item.in_memory();
        let streams = self.retention == Retention::Stream;
        let within_own = streams || self.held + size <= self.retained_bytes;
        if within_own && self.quota.take(size, self.in_memory) {
            return Ok(item);
        }
        if !self.in_memory {
            let json = match &item {
                // There was room for it when it was prepared.
                Stored::Live(document, _) => to_json(document)?,
                Stored::Json(json) => json.clone(),
                Stored::Spilled(_) => return Ok(item),
            };
            return self.quota.spill_to_disk(&json).map(Stored::Spilled);
        }
        if streams {
            // It waits for its one reader, who is held back by what is unread.
            self.quota.take_anyway(size, true);
            return Ok(item);
        }
        Err(if within_own { self.quota.no_memory() } else { self.no_own_memory() })
    }

    fn no_own_memory(&self) -> Error {
        Error::full(format!(
            "with zero data retention results stay in memory, and the {} bytes that one job may use of it are used up; \
             what was scraped can be read, and the rest asked for in another job",
            self.retained_bytes
        ))
    }

    /// Is so much unread that no further page should be fetched?
    pub(crate) fn is_full(&self) -> bool {
        self.retention == Retention::Stream
            && (self.items.len() >= MAX_UNREAD_DOCUMENTS || self.weight >= MAX_UNREAD_BYTES)
    }

    /// Has enough been read for fetching to go on? Lower than the bound of [`is_full`](Self::is_full), so that reading
    /// one document does not wake the crawl for one page.
    pub(crate) fn has_room(&self) -> bool {
        self.retention == Retention::Keep
            || (self.items.len() <= MAX_UNREAD_DOCUMENTS / 2 && self.weight <= MAX_UNREAD_BYTES / 2)
    }

    /// Takes out what is to be read from `from` on; a position before the first kept one reads from that. Under `Stream` it
    /// is gone then. Cheap: what costs time is done by [`Held`], without the store's lock.
    pub(crate) fn read(&mut self, from: u64, bound: ReadBound) -> Part {
        let streams = self.retention == Retention::Stream;
        while streams && self.first < from && self.pop_first().is_some() {}
        let mut part = Part { items: Vec::new(), next: from.max(self.first), end: false, gone: streams };
        let mut bytes = 0_usize;
        while part.items.len() < bound.documents.max(1) {
            let index = usize::try_from(part.next - self.first).ok();
            let Some(item) = index.and_then(|index| self.items.get(index)) else { break };
            bytes = bytes.saturating_add(item.weight());
            if !part.items.is_empty() && bytes > bound.bytes {
                break;
            }
            let held = match item {
                _ if streams => self.pop_first().map(Held::from),
                Stored::Json(json) => Some(Held::Memory(json.clone())),
                Stored::Spilled(spilled) => Some(Held::File(spilled.clone())),
                Stored::Live(..) => None,
            };
            let Some(held) = held else { break };
            part.items.push(held);
            part.next += 1;
        }
        part.end = part.next >= self.end();
        part
    }

    /// As [`read`](Self::read), of documents that are kept as JSON; of others nothing.
    pub(crate) fn read_json(&mut self, from: u64, bound: ReadBound) -> Part {
        match self.retention {
            Retention::Keep => self.read(from, bound),
            Retention::Stream => {
                let next = from.max(self.first);
                Part { items: Vec::new(), next, end: next >= self.end(), gone: false }
            }
        }
    }

    /// The document at this position, where documents are kept.
    pub(crate) fn held(&mut self, position: u64) -> Option<Held> {
        self.read_json(position, ReadBound { documents: 1, bytes: 0 }).items.pop()
    }

    /// The document of this scrape, where documents are kept.
    pub(crate) fn scraped(&mut self, scrape: Uuid) -> Option<Held> {
        let position = *self.scrapes.get(&scrape::own_half(scrape))?;
        self.held(position)
    }

    /// Makes the document at this place unreadable, which is in a file.
    #[cfg(test)]
    pub(crate) fn spoil(&self, index: usize) {
        match &self.items[index] {
            Stored::Spilled(spilled) => spilled.spoil(),
            _ => panic!("it is in memory"),
        }
    }

    fn pop_first(&mut self) -> Option<Stored> {
        let item = self.items.pop_front()?;
        self.first += 1;
        self.weight = self.weight.saturating_sub(item.weight());
        let freed = item.in_memory();
        self.held = self.held.saturating_sub(freed);
        self.quota.give_back(freed, self.in_memory);
        self.spilled = self.spilled.saturating_sub(item.in_file());
        self.quota.forgotten(item.in_file());
        Some(item)
    }
}

/// Documents as they were taken out, in order.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) items: Vec<Held>,
    pub(crate) next: u64,
    pub(crate) end: bool,
    /// Nobody else has them any more.
    gone: bool,
}

impl Part {
    /// Reads the documents, and tells how many are lost. Where each can be asked for again, one that cannot be read is an
    /// error; where they are gone from the store, the others are given without it, and it is one only where there is no other.
    pub(crate) fn into_slice(self) -> (Result<Slice, Error>, u64) {
        let (mut documents, mut failure, mut lost) = (Vec::with_capacity(self.items.len()), None, 0);
        for item in self.items {
            match item.document() {
                Ok(document) => documents.push(document),
                Err(error) if self.gone => {
                    lost += 1;
                    failure = Some(error);
                }
                Err(error) => return (Err(error), 0),
            }
        }
        match failure.filter(|_| documents.is_empty()) {
            Some(error) => (Err(error), lost),
            None => (Ok(Slice { documents, next: self.next, end: self.end }), lost),
        }
    }

    pub(crate) fn into_json(self) -> Result<JsonSlice, Error> {
        let documents: Result<_, _> = self.items.into_iter().map(Held::json).collect();
        Ok(JsonSlice { documents: documents?, next: self.next, end: self.end })
    }
}

/// A document that is to be read.
#[derive(Debug)]
pub(crate) enum Held {
    Live(Box<Document>),
    Memory(Bytes),
    File(Spilled),
}

impl From<Stored> for Held {
    fn from(item: Stored) -> Self {
        match item {
            Stored::Live(document, _) => Self::Live(document),
            Stored::Json(json) => Self::Memory(json),
            Stored::Spilled(spilled) => Self::File(spilled),
        }
    }
}

impl Held {
    fn document(self) -> Result<Document, Error> {
        match self {
            Self::Live(document) => Ok(*document),
            held => serde_json::from_slice(&held.json()?).map_err(|cause| unreadable(&cause)),
        }
    }

    pub(crate) fn json(self) -> Result<Bytes, Error> {
        match self {
            Self::Live(document) => to_json(&document),
            Self::Memory(json) => Ok(json),
            Self::File(spilled) => spilled.read().map(Bytes::from).map_err(|cause| unreadable(&cause)),
        }
    }
}

pub(crate) fn to_json(document: &Document) -> Result<Bytes, Error> {
    let json = serde_json::to_vec(document)
        .map_err(|cause| Error::io("a document could not be written as JSON", &cause))?;
    // As long as it is, and no longer.
    Ok(Bytes::from(json.into_boxed_slice()))
}

fn unreadable(cause: &dyn std::fmt::Display) -> Error {
    Error::io("a kept document could not be read back", cause)
}

/// How the documents of a job are kept, for what is done before the store is locked.
#[derive(Debug)]
pub(crate) struct Form {
    retention: Retention,
    in_memory: bool,
    quota: TeamQuota,
}

impl Form {
    /// Turns a document into the form it is kept in. To write JSON is costly; so one that streams is written here too where
    /// memory has no room for it now, and it will go to a file.
    pub(crate) fn prepare(&self, document: Box<Document>) -> Result<Prepared, Error> {
        if self.retention == Retention::Stream {
            let weight = weight(&document);
            if self.in_memory || self.quota.has_room(weight) {
                return Ok(Prepared { item: Stored::Live(document, weight), scrape: None });
            }
        }
        // What streams is gone once it is read, so nobody looks for it.
        let keeps = self.retention == Retention::Keep;
        let scrape = scrape::id_of(&document).filter(|_| keeps).map(scrape::own_half);
        Ok(Prepared { item: Stored::Json(to_json(&document)?), scrape })
    }
}

/// A document in the form it is kept in.
#[derive(Debug)]
pub(crate) struct Prepared {
    item: Stored,
    /// The half of its scrape's id that is its own, where it is kept.
    scrape: Option<u64>,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::result_space::{ResultBounds, ResultSpace};

    fn result_space(memory: usize) -> Arc<ResultSpace> {
        ResultSpace::new(ResultBounds { memory, disk: 1 << 20, file: 1 << 20, folder: None })
    }

    fn document(text: &str) -> Box<Document> {
        Box::new(Document { markdown: Some(text.to_owned()), ..Document::default() })
    }

    fn filled(retention: Retention, retained_bytes: usize, count: usize) -> Results {
        let mut results = Results::new(retention, retained_bytes, false, result_space(1 << 20).quota(None));
        for number in 0..count {
            let document = results.form().prepare(document(&number.to_string())).unwrap();
            results.push(document).unwrap();
        }
        results
    }

    fn read(results: &mut Results, from: u64, bound: ReadBound) -> Slice {
        results.read(from, bound).into_slice().0.unwrap()
    }

    fn texts(slice: &Slice) -> Vec<&str> {
        slice.documents.iter().filter_map(|document| document.markdown.as_deref()).collect()
    }

    #[test]
    fn kept_documents_are_read_again_and_again_in_memory_and_from_the_file() {
        for retained_bytes in [0, 100, 1 << 20] {
            let mut results = filled(Retention::Keep, retained_bytes, 10);
            for _ in 0..2 {
                let slice = read(&mut results, 7, ReadBound::default());
                assert_eq!((texts(&slice), slice.next, slice.end), (vec!["7", "8", "9"], 10, true));
            }
            assert!(results.held <= retained_bytes, "{} bytes are held", results.held);
        }
    }

    #[test]
    fn streamed_documents_are_gone_once_read() {
        let mut results = filled(Retention::Stream, 0, 5);
        let bound = ReadBound { documents: 2, bytes: usize::MAX };
        let slice = read(&mut results, 0, bound);
        assert_eq!((texts(&slice), slice.next, slice.end), (vec!["0", "1"], 2, false));
        let slice = read(&mut results, 0, bound);
        assert_eq!((texts(&slice), slice.next), (vec!["2", "3"], 4));
        let slice = read(&mut results, 4, bound);
        assert_eq!((texts(&slice), slice.next, slice.end), (vec!["4"], 5, true));
        assert_eq!(results.held, 0);
    }

    #[test]
    fn a_document_larger_than_the_bound_is_read_alone() {
        let mut results = filled(Retention::Keep, 1 << 20, 3);
        let slice = read(&mut results, 0, ReadBound { documents: 10, bytes: 1 });
        assert_eq!(texts(&slice), vec!["0"]);
    }

    #[test]
    fn a_stream_is_full_at_its_bound_and_has_room_at_half_of_it() {
        let mut results = filled(Retention::Stream, 0, MAX_UNREAD_DOCUMENTS);
        assert!(results.is_full());
        read(&mut results, 0, ReadBound { documents: 1, bytes: 1 });
        assert!(!results.is_full() && !results.has_room());
        read(&mut results, 0, ReadBound { documents: MAX_UNREAD_DOCUMENTS / 2, bytes: usize::MAX });
        assert!(results.has_room());
    }

    #[test]
    fn all_jobs_together_keep_to_their_bound_and_lose_nothing() {
        for retention in [Retention::Keep, Retention::Stream] {
            let result_space = result_space(10_000);
            let new = || Results::new(retention, usize::MAX, false, result_space.quota(None));
            let mut jobs: Vec<Results> = (0..20).map(|_| new()).collect();
            for (number, job) in (0..20).flat_map(|number| (0..20).map(move |job| (number, job))) {
                let text = format!("{number} of {job} {}", "x".repeat(100));
                let prepared = jobs[job].form().prepare(document(&text)).unwrap();
                jobs[job].push(prepared).unwrap();
                let held: usize = jobs.iter().map(|job| job.held).sum();
                assert!(held <= 10_000, "{held} bytes are held");
            }
            for (number, job) in jobs.iter_mut().enumerate() {
                let slice = read(job, 0, ReadBound { documents: 100, bytes: usize::MAX });
                let begins = |text: &&str| text.split(' ').nth(2) == Some(&number.to_string());
                assert_eq!(texts(&slice).iter().filter(|text| begins(text)).count(), 20);
            }
            drop(jobs);
            assert!(result_space.quota(None).take(10_000, false), "all room is free again");
        }
    }

    #[test]
    fn what_will_go_to_the_file_is_json_before_it_is_pushed() {
        let result_space = result_space(10_000);
        let quota = result_space.quota(None);
        assert!(quota.take(5_000, false), "half of the memory is taken");
        let is_json = |prepared: &Prepared| matches!(prepared.item, Stored::Json(_));
        for (retention, in_memory, text, expected) in [
            (Retention::Stream, false, "x".repeat(6_000), true),
            (Retention::Stream, false, String::new(), false),
            (Retention::Stream, true, "x".repeat(6_000), false),
            (Retention::Keep, false, String::new(), true),
        ] {
            let mut results = Results::new(retention, usize::MAX, in_memory, quota.clone());
            let prepared = results.form().prepare(document(&text)).unwrap();
            assert_eq!(is_json(&prepared), expected, "{retention:?}, {} bytes", text.len());
            results.push(prepared).unwrap();
            assert_eq!(texts(&read(&mut results, 0, ReadBound::default())), [text]);
        }
    }

    #[test]
    fn a_streamed_document_that_cannot_be_read_costs_none_beside_it() {
        let mut results = Results::new(Retention::Stream, 0, false, result_space(0).quota(None));
        for number in 0..6 {
            let document = results.form().prepare(document(&number.to_string())).unwrap();
            results.push(document).unwrap();
        }
        (2..4).for_each(|index| results.spoil(index));
        let mut next = |from, documents| {
            let bound = ReadBound { documents, bytes: usize::MAX };
            let (slice, lost) = results.read(from, bound).into_slice();
            (slice.map(|slice| texts(&slice).concat()).map_err(|error| error.kind()), lost)
        };
        assert_eq!(next(0, 3), (Ok("01".to_owned()), 1));
        assert_eq!(next(3, 1), (Err(crate::ErrorKind::Io), 1));
        assert_eq!(next(4, 3), (Ok("45".to_owned()), 0));
    }

    #[test]
    fn what_may_not_be_put_aside_is_refused_with_the_reason() {
        let kept = |results: &mut Results| {
            let document = results.form().prepare(document(&"x".repeat(1_000))).unwrap();
            results.push(document)
        };
        let mut own = Results::new(Retention::Keep, 2_500, true, result_space(1 << 20).quota(None));
        assert!(kept(&mut own).is_ok() && kept(&mut own).is_ok());
        let error = kept(&mut own).unwrap_err();
        assert!(error.is_full() && error.to_string().contains("2500 bytes that one job may use"), "{error}");
        assert_eq!(own.end(), 2, "what is there stays");

        let all = result_space(2_500);
        let new = || Results::new(Retention::Keep, usize::MAX, true, all.quota(None));
        let (mut first, mut second, mut third) = (new(), new(), new());
        assert!(kept(&mut first).is_ok() && kept(&mut second).is_ok());
        let error = kept(&mut third).unwrap_err();
        assert!(error.is_full() && error.to_string().contains("2500 bytes that all jobs"), "{error}");
        drop(first);
        assert!(kept(&mut third).is_ok(), "there is room once results are gone");
    }
}
