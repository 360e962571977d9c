//! The forms of a document: prepared, stored, and ready to be read.

use std::sync::Arc;

use bytes::Bytes;
use gleaner_types::{Document, weight};

use crate::result_space::{SpilledDocument, TeamQuota};
use crate::{Error, Retention, scrape};

/// A document in the store.
#[derive(Debug)]
pub(super) enum StoredDocument {
    /// With its weight.
    Document(Arc<Document>, usize),
    Json(Bytes),
    Spilled(SpilledDocument),
    /// In the journal, with the length of its JSON.
    Journaled(usize),
    /// It could not be read from its file.
    Lost,
}

impl StoredDocument {
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Document(_, weight) => *weight,
            Self::Json(json) => json.len(),
            Self::Spilled(spilled) => spilled.len(),
            Self::Journaled(length) => *length,
            Self::Lost => 0,
        }
    }

    pub(super) fn in_memory(&self) -> usize {
        match self {
            Self::Document(..) | Self::Json(_) => self.weight(),
            Self::Spilled(_) | Self::Journaled(_) | Self::Lost => 0,
        }
    }

    pub(super) fn in_file(&self) -> u64 {
        match self {
            Self::Document(..) | Self::Json(_) | Self::Journaled(_) | Self::Lost => 0,
            Self::Spilled(spilled) => spilled.len() as u64,
        }
    }

    /// Where to read it from, for the document at this position of the job with this number in the journal;
    /// `None` if it is lost.
    pub(super) fn source(&self, job: Option<u64>, position: u64) -> Option<DocumentSource> {
        Some(match self {
            Self::Document(document, _) => DocumentSource::Document(Arc::clone(document)),
            Self::Json(json) => DocumentSource::Json(json.clone()),
            Self::Spilled(spilled) => DocumentSource::Spilled(spilled.clone()),
            Self::Journaled(_) => DocumentSource::Journaled { job: job?, position },
            Self::Lost => return None,
        })
    }
}

/// Where to read a document from.
#[derive(Debug)]
pub(crate) enum DocumentSource {
    Document(Arc<Document>),
    Json(Bytes),
    Spilled(SpilledDocument),
    /// The store asks the journal.
    Journaled {
        /// The number of the job.
        job: u64,
        /// The position of the document.
        position: u64,
    },
    /// It cannot be read, for this reason.
    Unreadable(Error),
}

impl DocumentSource {
    pub(super) fn document(self) -> Result<Document, Error> {
        match self {
            Self::Document(document) => Ok(Arc::unwrap_or_clone(document)),
            source => serde_json::from_slice(&source.json()?).map_err(|cause| unreadable(&cause)),
        }
    }

    pub(crate) fn json(self) -> Result<Bytes, Error> {
        match self {
            Self::Document(document) => to_json(&document),
            Self::Json(json) => Ok(json),
            Self::Spilled(spilled) => spilled.read().map(Bytes::from).map_err(|cause| unreadable(&cause)),
            Self::Journaled { .. } => Err(unreadable(&"it is not written yet")),
            Self::Unreadable(error) => Err(error),
        }
    }
}

pub(crate) fn to_json(document: &Document) -> Result<Bytes, Error> {
    let json = serde_json::to_vec(document)
        .map_err(|cause| Error::io("a document could not be written as JSON", &cause))?;
    // Frees the unused capacity.
    Ok(Bytes::from(json.into_boxed_slice()))
}

fn unreadable(cause: &dyn std::fmt::Display) -> Error {
    Error::io("a stored document could not be read", cause)
}

/// How the documents of a job are stored, for work that is done before the store is locked.
#[derive(Debug)]
pub(crate) struct StorageForm {
    pub(super) retention: Retention,
    pub(super) in_memory: bool,
    /// It goes to the journal.
    pub(super) is_journaled: bool,
    pub(super) quota: TeamQuota,
}

impl StorageForm {
    /// Prepares a document for storage. Writing JSON is slow; so a streamed document is written here too if
    /// memory has no capacity for it now, and it will go to a file.
    pub(crate) fn prepare(&self, document: Box<Document>) -> Result<PreparedDocument, Error> {
        if self.retention == Retention::Stream && !self.is_journaled {
            let weight = weight(&document);
            if self.in_memory || self.quota.has_capacity(weight) {
                return Ok(PreparedDocument {
                    item: StoredDocument::Document(Arc::from(document), weight),
                    scrape: None,
                });
            }
        }
        // A streamed document is removed when it is read, so no lookup can find it.
        let keeps = self.retention == Retention::Keep;
        let scrape = scrape::id_of(&document).filter(|_| keeps).map(scrape::local_half);
        Ok(PreparedDocument { item: StoredDocument::Json(to_json(&document)?), scrape })
    }
}

impl From<Bytes> for DocumentSource {
    fn from(json: Bytes) -> Self {
        Self::Json(json)
    }
}

/// A document that is ready to be stored.
#[derive(Debug)]
pub(crate) struct PreparedDocument {
    pub(super) item: StoredDocument,
    /// The local half of its scrape id, if it is kept.
    pub(super) scrape: Option<u64>,
}

impl PreparedDocument {
    /// Its size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.item.weight()
    }
}
