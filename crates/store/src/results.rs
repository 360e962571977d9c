//! The documents of one job, in order of completion.
//!
//! Under [`Retention::Stream`] they wait unchanged for the only reader. Under [`Retention::Keep`] each is
//! written as JSON once: it is smaller in memory, and it is what the API sends. Above the memory limit of the
//! job, or of all jobs, the JSON goes to a temporary file
//! ([`ResultSpace`](crate::result_space::ResultSpace)). No stored document is ever dropped to make space: a
//! document without space is rejected, and its job ends with the reason.

mod document;

use std::collections::{HashMap, VecDeque};

use uuid::Uuid;

use self::document::StoredDocument;
pub(crate) use self::document::{DocumentSource, PreparedDocument, StorageForm, to_json};
use crate::journal::NewDocument;
use crate::result_space::TeamQuota;
use crate::scrape;
use crate::{Error, JsonSlice, ReadBound, Retention, Slice};

/// Under [`Retention::Stream`], pages of a job are leased only while fewer documents than this are unread.
/// Documents count as read when the reader reads from a later position.
pub const MAX_UNREAD_DOCUMENTS: usize = 64;
/// Under [`Retention::Stream`], pages of a job are leased only while its unread documents take less memory
/// than this, in bytes.
pub const MAX_UNREAD_BYTES: usize = 8 << 20;
/// Default memory limit for the documents of one job under [`Retention::Keep`], in bytes. Further documents
/// go to temporary files; with zero data retention that is not allowed, and the job fails.
pub const DEFAULT_RETAINED_BYTES: usize = 64 << 20;

#[derive(Debug)]
pub(crate) struct Results {
    retention: Retention,
    /// Position of the first of `items`.
    first: u64,
    items: VecDeque<StoredDocument>,
    /// Positions of kept documents, by the local half of their scrape id.
    scrapes: HashMap<u64, u64>,
    /// Total weight of `items`, in memory and files.
    weight: usize,
    /// Bytes of `items` in memory.
    memory_bytes: usize,
    /// Bytes of `items` in files.
    spilled_bytes: u64,
    retained_bytes: usize,
    /// Documents must not be spilled: above the limit they are rejected.
    in_memory: bool,
    /// The number of the job in the journal that its documents are written to.
    journal: Option<u64>,
    quota: TeamQuota,
}

impl Drop for Results {
    fn drop(&mut self) {
        self.quota.release(self.memory_bytes, self.in_memory);
        self.quota.release_disk(self.spilled_bytes);
    }
}

impl Results {
    pub(crate) fn new(
        retention: Retention,
        retained_bytes: usize,
        in_memory: bool,
        journal: Option<u64>,
        quota: TeamQuota,
    ) -> Self {
        Self {
            retention,
            first: 0,
            items: VecDeque::new(),
            scrapes: HashMap::new(),
            weight: 0,
            memory_bytes: 0,
            spilled_bytes: 0,
            retained_bytes,
            in_memory,
            journal,
            quota,
        }
    }

    /// The position of the next document.
    pub(crate) fn end(&self) -> u64 {
        self.first.saturating_add(self.items.len() as u64)
    }

    /// How its documents are stored.
    pub(crate) fn storage_form(&self) -> StorageForm {
        StorageForm {
            retention: self.retention,
            in_memory: self.in_memory,
            is_journaled: self.journal.is_some(),
            quota: self.quota.clone(),
        }
    }

    /// Stores a document. Returns what must be written to the journal. [`Full`](crate::ErrorKind::Full) if
    /// there is no space.
    pub(crate) fn push(
        &mut self,
        PreparedDocument { item, scrape }: PreparedDocument,
    ) -> Result<Option<NewDocument>, Error> {
        let position = self.end();
        if let (Some(_), StoredDocument::Json(json)) = (self.journal, &item) {
            let document = NewDocument { position, scrape, json: json.clone() };
            self.restore(position, json.len(), scrape);
            return Ok(Some(document));
        }
        let item = self.reserve_or_spill(item)?;
        if let Some(scrape) = scrape {
            self.scrapes.insert(scrape, self.end());
        }
        self.weight += item.weight();
        self.memory_bytes += item.in_memory();
        self.spilled_bytes += item.in_file();
        self.items.push_back(item);
        Ok(None)
    }

    /// Adds a document that is in the journal. False if the one before it is missing.
    pub(crate) fn restore(&mut self, position: u64, length: usize, scrape: Option<u64>) -> bool {
        if position < self.first {
            // The reader has it.
            return true;
        }
        let is_next = position == self.end();
        if is_next {
            self.scrapes.extend(scrape.map(|scrape| (scrape, position)));
            self.weight = self.weight.saturating_add(length);
            self.items.push_back(StoredDocument::Journaled(length));
        }
        is_next
    }

    /// The reader has the documents before this position.
    pub(crate) fn restore_read(&mut self, position: u64) {
        self.first = self.first.max(position);
    }

    fn reserve_or_spill(&self, item: StoredDocument) -> Result<StoredDocument, Error> {
        let size = item.in_memory();
        let streams = self.retention == Retention::Stream;
        let within_job_limit = streams || self.memory_bytes + size <= self.retained_bytes;
        if within_job_limit && self.quota.reserve(size, self.in_memory) {
            return Ok(item);
        }
        if !self.in_memory {
            let json = match &item {
                // There was memory for it when it was prepared.
                StoredDocument::Document(document, _) => to_json(document)?,
                StoredDocument::Json(json) => json.clone(),
                StoredDocument::Spilled(_) | StoredDocument::Journaled(_) | StoredDocument::Lost => {
                    return Ok(item);
                }
            };
            return self.quota.spill_to_disk(&json).map(StoredDocument::Spilled);
        }
        if streams {
            // It waits for the only reader, and the limit of unread documents applies.
            self.quota.force_reserve(size, true);
            return Ok(item);
        }
        Err(if within_job_limit { self.quota.memory_full() } else { self.job_memory_full() })
    }

    fn job_memory_full(&self) -> Error {
        Error::full(format!(
            "with zero data retention results stay in memory, and the {} bytes that one job may use are used \
             up; stored results can be read, and another job can fetch the rest",
            self.retained_bytes
        ))
    }

    /// Whether too much is unread to fetch more pages.
    pub(crate) fn is_full(&self) -> bool {
        self.retention == Retention::Stream
            && (self.items.len() >= MAX_UNREAD_DOCUMENTS || self.weight >= MAX_UNREAD_BYTES)
    }

    /// Whether enough has been read to fetch more pages. The threshold is lower than that of
    /// [`is_full`](Self::is_full), so that reading one document does not wake the crawl for one page.
    pub(crate) fn has_capacity(&self) -> bool {
        self.retention == Retention::Keep
            || (self.items.len() <= MAX_UNREAD_DOCUMENTS / 2 && self.weight <= MAX_UNREAD_BYTES / 2)
    }

    /// The documents from `from`; a position before the first document means the first. Under `Stream` this
    /// removes the documents before `from`. It is fast: [`DocumentSource`] does the slow part, without the
    /// lock of the store.
    pub(crate) fn read(&mut self, from: u64, bound: ReadBound) -> Batch {
        let streams = self.retention == Retention::Stream;
        while streams && self.first < from && self.remove_first() {}
        let mut batch = Batch { items: Vec::new(), next: from.max(self.first), end: false, streams };
        let mut bytes = 0_usize;
        while batch.items.len() < bound.documents.max(1) {
            let index = usize::try_from(batch.next - self.first).ok();
            let Some(item) = index.and_then(|index| self.items.get(index)) else { break };
            bytes = bytes.saturating_add(item.weight());
            if !batch.items.is_empty() && bytes > bound.bytes {
                break;
            }
            batch.items.extend(item.source(self.journal, batch.next).map(|source| (batch.next, source)));
            batch.next += 1;
        }
        batch.end = batch.next >= self.end();
        batch
    }

    /// As [`read`](Self::read), for documents stored as JSON; empty for others.
    pub(crate) fn read_json(&mut self, from: u64, bound: ReadBound) -> Batch {
        match self.retention {
            Retention::Keep => self.read(from, bound),
            Retention::Stream => {
                let next = from.max(self.first);
                Batch { items: Vec::new(), next, end: next >= self.end(), streams: true }
            }
        }
    }

    /// The position of the first document that is not removed.
    pub(crate) const fn first(&self) -> u64 {
        self.first
    }

    /// The document at this position, if documents are kept.
    pub(crate) fn document_at(&mut self, position: u64) -> Option<DocumentSource> {
        let (_, source) = self.read_json(position, ReadBound { documents: 1, bytes: 0 }).items.pop()?;
        Some(source)
    }

    /// The document of this scrape, if documents are kept.
    pub(crate) fn document_by_scrape(&mut self, scrape: Uuid) -> Option<DocumentSource> {
        let position = *self.scrapes.get(&scrape::local_half(scrape))?;
        self.document_at(position)
    }

    /// Makes the spilled document at this index unreadable.
    #[cfg(test)]
    pub(crate) fn corrupt(&self, index: usize) {
        match &self.items[index] {
            StoredDocument::Spilled(spilled) => spilled.corrupt(),
            _ => panic!("the document is in memory"),
        }
    }

    /// Removes the contents of a streamed document that cannot be read. False if it is removed already.
    pub(crate) fn mark_lost(&mut self, position: u64) -> bool {
        let index = position.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        let item = index.and_then(|index| self.items.get_mut(index));
        let Some(item) = item.filter(|item| !matches!(item, StoredDocument::Lost)) else { return false };
        let lost = std::mem::replace(item, StoredDocument::Lost);
        self.release(&lost);
        true
    }

    /// Removes the first document. False if there is none.
    fn remove_first(&mut self) -> bool {
        let Some(item) = self.items.pop_front() else { return false };
        self.first += 1;
        self.release(&item);
        true
    }

    /// Frees the space of a removed document.
    fn release(&mut self, item: &StoredDocument) {
        self.weight = self.weight.saturating_sub(item.weight());
        let freed = item.in_memory();
        self.memory_bytes = self.memory_bytes.saturating_sub(freed);
        self.quota.release(freed, self.in_memory);
        self.spilled_bytes = self.spilled_bytes.saturating_sub(item.in_file());
        self.quota.release_disk(item.in_file());
    }
}

/// Documents to read, in order.
#[derive(Debug)]
pub(crate) struct Batch {
    /// With their positions.
    pub(crate) items: Vec<(u64, DocumentSource)>,
    pub(crate) next: u64,
    pub(crate) end: bool,
    /// Under [`Retention::Stream`].
    pub(crate) streams: bool,
}

impl Batch {
    /// Reads the documents. Returns the positions of lost ones. A kept document that cannot be read is an
    /// error. Streamed documents are returned without the lost ones; it is an error only if there is no
    /// other.
    pub(crate) fn into_slice(self) -> (Result<Slice, Error>, Vec<u64>) {
        let (mut documents, mut failure) = (Vec::with_capacity(self.items.len()), None);
        let mut lost = Vec::new();
        for (position, item) in self.items {
            match item.document() {
                Ok(document) => documents.push(document),
                Err(error) if self.streams => {
                    lost.push(position);
                    failure = Some(error);
                }
                Err(error) => return (Err(error), Vec::new()),
            }
        }
        match failure.filter(|_| documents.is_empty()) {
            Some(error) => (Err(error), lost),
            None => (Ok(Slice { documents, next: self.next, end: self.end }), lost),
        }
    }

    pub(crate) fn into_json(self) -> Result<JsonSlice, Error> {
        let documents: Result<_, _> = self.items.into_iter().map(|(_, item)| item.json()).collect();
        Ok(JsonSlice { documents: documents?, next: self.next, end: self.end })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gleaner_types::Document;

    use super::*;
    use crate::result_space::{ResultLimits, ResultSpace};

    fn result_space(memory: usize) -> Arc<ResultSpace> {
        ResultSpace::new(ResultLimits { memory, disk: 1 << 20, file: 1 << 20, folder: None })
    }

    fn document(text: &str) -> Box<Document> {
        Box::new(Document::of_markdown(text.to_owned()))
    }

    fn filled(retention: Retention, retained_bytes: usize, count: usize) -> Results {
        let mut results =
            Results::new(retention, retained_bytes, false, None, result_space(1 << 20).quota(None));
        for number in 0..count {
            let document = results.storage_form().prepare(document(&number.to_string())).unwrap();
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
    fn kept_documents_can_be_read_repeatedly() {
        for retained_bytes in [0, 100, 1 << 20] {
            let mut results = filled(Retention::Keep, retained_bytes, 10);
            for _ in 0..2 {
                let slice = read(&mut results, 7, ReadBound::default());
                assert_eq!((texts(&slice), slice.next, slice.end), (vec!["7", "8", "9"], 10, true));
            }
            assert!(results.memory_bytes <= retained_bytes, "{} bytes in memory", results.memory_bytes);
        }
    }

    #[test]
    fn streamed_documents_are_removed_by_a_later_read() {
        let mut results = filled(Retention::Stream, 0, 5);
        let bound = ReadBound { documents: 2, bytes: usize::MAX };
        for _ in 0..2 {
            let slice = read(&mut results, 0, bound);
            assert_eq!((texts(&slice), slice.next, slice.end), (vec!["0", "1"], 2, false));
        }
        let slice = read(&mut results, 2, bound);
        assert_eq!((texts(&slice), slice.next), (vec!["2", "3"], 4));
        let slice = read(&mut results, 0, bound);
        assert_eq!((texts(&slice), slice.next), (vec!["2", "3"], 4), "the first are removed");
        let slice = read(&mut results, 4, bound);
        assert_eq!((texts(&slice), slice.next, slice.end), (vec!["4"], 5, true));
        assert!(results.memory_bytes > 0);
        let slice = read(&mut results, 5, bound);
        assert_eq!((slice.documents.len(), slice.next, slice.end), (0, 5, true));
        assert_eq!(results.memory_bytes, 0);
    }

    #[test]
    fn a_document_above_the_limit_is_read_alone() {
        let mut results = filled(Retention::Keep, 1 << 20, 3);
        let slice = read(&mut results, 0, ReadBound { documents: 10, bytes: 1 });
        assert_eq!(texts(&slice), vec!["0"]);
    }

    #[test]
    fn a_stream_is_full_at_its_limit_and_resumes_at_half() {
        let mut results = filled(Retention::Stream, 0, MAX_UNREAD_DOCUMENTS);
        read(&mut results, 0, ReadBound { documents: MAX_UNREAD_DOCUMENTS, bytes: usize::MAX });
        assert!(results.is_full(), "the reader may ask for them again");
        read(&mut results, 1, ReadBound::default());
        assert!(!results.is_full() && !results.has_capacity());
        read(&mut results, MAX_UNREAD_DOCUMENTS as u64 / 2, ReadBound::default());
        assert!(results.has_capacity());
    }

    #[test]
    fn all_jobs_keep_the_common_limit_and_lose_nothing() {
        for retention in [Retention::Keep, Retention::Stream] {
            let result_space = result_space(10_000);
            let new = || Results::new(retention, usize::MAX, false, None, result_space.quota(None));
            let mut jobs: Vec<Results> = (0..20).map(|_| new()).collect();
            for (number, job) in (0..20).flat_map(|number| (0..20).map(move |job| (number, job))) {
                let text = format!("{number} of {job} {}", "x".repeat(100));
                let prepared = jobs[job].storage_form().prepare(document(&text)).unwrap();
                jobs[job].push(prepared).unwrap();
                let memory_bytes: usize = jobs.iter().map(|job| job.memory_bytes).sum();
                assert!(memory_bytes <= 10_000, "{memory_bytes} bytes in memory");
            }
            for (number, job) in jobs.iter_mut().enumerate() {
                let slice = read(job, 0, ReadBound { documents: 100, bytes: usize::MAX });
                let is_of_job = |text: &&str| text.split(' ').nth(2) == Some(&number.to_string());
                assert_eq!(texts(&slice).iter().filter(|text| is_of_job(text)).count(), 20);
            }
            drop(jobs);
            assert!(result_space.quota(None).reserve(10_000, false), "all space is free again");
        }
    }

    #[test]
    fn a_document_for_the_file_is_prepared_as_json() {
        let result_space = result_space(10_000);
        let quota = result_space.quota(None);
        assert!(quota.reserve(5_000, false), "half of the memory is taken");
        let is_json = |prepared: &PreparedDocument| matches!(prepared.item, StoredDocument::Json(_));
        for (retention, in_memory, text, expected) in [
            (Retention::Stream, false, "x".repeat(6_000), true),
            (Retention::Stream, false, String::new(), false),
            (Retention::Stream, true, "x".repeat(6_000), false),
            (Retention::Keep, false, String::new(), true),
        ] {
            let mut results = Results::new(retention, usize::MAX, in_memory, None, quota.clone());
            let prepared = results.storage_form().prepare(document(&text)).unwrap();
            assert_eq!(is_json(&prepared), expected, "{retention:?}, {} bytes", text.len());
            results.push(prepared).unwrap();
            assert_eq!(texts(&read(&mut results, 0, ReadBound::default())), [text]);
        }
    }

    #[test]
    fn an_unreadable_streamed_document_does_not_affect_others() {
        let mut results = Results::new(Retention::Stream, 0, false, None, result_space(0).quota(None));
        for number in 0..6 {
            let document = results.storage_form().prepare(document(&number.to_string())).unwrap();
            results.push(document).unwrap();
        }
        (2..4).for_each(|index| results.corrupt(index));
        let mut next = |from, documents| {
            let bound = ReadBound { documents, bytes: usize::MAX };
            let (slice, lost) = results.read(from, bound).into_slice();
            let lost = lost.into_iter().filter(|position| results.mark_lost(*position)).count();
            (slice.map(|slice| texts(&slice).concat()).map_err(|error| error.kind()), lost)
        };
        assert_eq!(next(0, 3), (Ok("01".to_owned()), 1));
        assert_eq!(next(3, 1), (Err(crate::ErrorKind::Io), 1));
        assert_eq!(next(3, 1), (Ok("4".to_owned()), 0), "it is counted once");
        assert_eq!(next(4, 3), (Ok("45".to_owned()), 0));
    }

    #[test]
    fn a_document_that_must_not_be_spilled_is_rejected_with_the_reason() {
        let push = |results: &mut Results| {
            let document = results.storage_form().prepare(document(&"x".repeat(1_000))).unwrap();
            results.push(document)
        };
        let mut own = Results::new(Retention::Keep, 2_500, true, None, result_space(1 << 20).quota(None));
        assert!(push(&mut own).is_ok() && push(&mut own).is_ok());
        let error = push(&mut own).unwrap_err();
        assert!(error.is_full() && error.to_string().contains("2500 bytes that one job may use"), "{error}");
        assert_eq!(own.end(), 2, "stored documents stay");

        let all = result_space(2_500);
        let new = || Results::new(Retention::Keep, usize::MAX, true, None, all.quota(None));
        let (mut first, mut second, mut third) = (new(), new(), new());
        assert!(push(&mut first).is_ok() && push(&mut second).is_ok());
        let error = push(&mut third).unwrap_err();
        assert!(error.is_full() && error.to_string().contains("2500 bytes that all jobs"), "{error}");
        drop(first);
        assert!(push(&mut third).is_ok(), "there is space once results are removed");
    }
}
