//! Writes documents in their stored form.

use gleaner_store::Error;
use gleaner_types::{Document, is_heavier};

use crate::blocking;
use crate::packed::pack;

/// A document as it is stored.
#[derive(Debug)]
pub(crate) struct EncodedDocument {
    /// The half of its scrape id that distinguishes the scrapes of a job.
    pub(crate) scrape: Option<u64>,
    /// The size of its JSON in bytes.
    pub(crate) size: u64,
    /// Its JSON, [packed](crate::packed).
    pub(crate) body: Vec<u8>,
}

/// Encodes a document. Call it before the transaction that stores it.
pub(crate) async fn encode(document: Box<Document>) -> Result<EncodedDocument, Error> {
    let is_large = is_heavier(&document, blocking::LARGE);
    blocking::run(is_large, move || {
        let json = serde_json::to_vec(&document)
            .map_err(|cause| Error::io("a document could not be written as JSON", &cause))?;
        let scrape = gleaner_store::parts::scrape_id_of(&document);
        Ok(EncodedDocument {
            scrape: scrape.map(gleaner_store::parts::scrape_local_half),
            size: json.len() as u64,
            body: pack(json)?,
        })
    })
    .await
}
