//! What a journal has about one job, for a store that is opened.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::Damage;
use crate::{Conclusion, Error, NewJob, NoteValue};

/// A part of the blocks of a job. All but the tail are what [`compact`](super::compact) made of earlier
/// blocks. The numbers are part of the formats of journals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Numbers, notes and retries, in one block.
    State = 0,
    /// What stays with the job: its failures, its warnings, and its undeliverable events.
    Kept = 1,
    /// The events that wait for their delivery, among delivered ones.
    Pending = 2,
    /// The pages that have ended. A job that has ended needs none of them.
    Ended = 3,
    /// The pages that wait, among ended ones. A job that has ended needs none of them.
    Queue = 4,
    /// The blocks that came later, as they were appended.
    Tail = 5,
}

impl Part {
    /// The parts that are made of earlier blocks.
    pub const COMPACTED: [Self; 5] = [Self::State, Self::Kept, Self::Pending, Self::Ended, Self::Queue];
}

/// Reads what a journal has about one job, as often as the store asks, so that a long queue is never in
/// memory as a whole.
pub trait ReadFacts: Debug + Send + Sync {
    /// Calls `visit` with each block of a part, in order.
    ///
    /// # Errors
    /// Those of the medium. Damage that `visit` returns becomes an error that names the place.
    fn blocks(&self, part: Part, visit: &mut dyn FnMut(&[u8]) -> Result<(), Damage>) -> Result<(), Error>;

    /// Calls `visit` with each stored document, in order.
    ///
    /// # Errors
    /// Those of the medium.
    fn documents(&self, visit: &mut dyn FnMut(StoredDocument)) -> Result<(), Error>;
}

/// A document in a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredDocument {
    /// Its position in the job.
    pub position: u64,
    /// The length of its JSON in bytes.
    pub length: usize,
    /// The half of its scrape id that distinguishes it within the job.
    pub scrape: Option<u64>,
}

/// Has nothing.
#[derive(Debug)]
struct NoFacts;

impl ReadFacts for NoFacts {
    fn blocks(&self, _part: Part, _visit: &mut dyn FnMut(&[u8]) -> Result<(), Damage>) -> Result<(), Error> {
        Ok(())
    }

    fn documents(&self, _visit: &mut dyn FnMut(StoredDocument)) -> Result<(), Error> {
        Ok(())
    }
}

/// What a journal has about one job.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoredFacts {
    /// The number of the job.
    pub number: u64,
    /// The job as submitted, without its pages.
    pub job: NewJob,
    /// When it was submitted, since the Unix epoch.
    pub at: Duration,
    /// Its blocks and documents.
    pub facts: Arc<dyn ReadFacts>,
    /// Its note with cookies.
    pub cookies: Option<NoteValue>,
    /// Its one result.
    pub conclusion: Option<Arc<Conclusion>>,
    /// It was removed, and its facts are still needed.
    pub is_removed: bool,
}

impl StoredFacts {
    /// A submitted job, without anything that happened later.
    #[must_use]
    pub fn new(number: u64, job: NewJob, at: Duration) -> Self {
        Self { number, job, at, facts: Arc::new(NoFacts), cookies: None, conclusion: None, is_removed: false }
    }

    /// All blocks of a part. Use it for small parts only.
    ///
    /// # Errors
    /// Those of [`ReadFacts::blocks`].
    pub fn blocks(&self, part: Part) -> Result<Vec<Bytes>, Error> {
        let mut blocks = Vec::new();
        self.facts.blocks(part, &mut |block| {
            blocks.push(Bytes::copy_from_slice(block));
            Ok(())
        })?;
        Ok(blocks)
    }

    /// All stored documents.
    ///
    /// # Errors
    /// Those of [`ReadFacts::documents`].
    pub fn documents(&self) -> Result<Vec<StoredDocument>, Error> {
        let mut documents = Vec::new();
        self.facts.documents(&mut |document| documents.push(document))?;
        Ok(documents)
    }
}
