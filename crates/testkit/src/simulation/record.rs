//! The records that the simulated disk writes: the batches of one call, with a checksum.
//!
//! Facts and documents lie on the medium as bytes. Rows lie in a list beside it and on the medium only by
//! their numbers: their form belongs to real journals, and a row without its record is nowhere.

use std::hash::{DefaultHasher, Hasher as _};

use bytes::Bytes;
use gleaner_store::journal::{Batch, NewDocument, Row};

use super::medium::SECTOR;

/// Bytes before the content: mark, sequence, length, checksum.
const HEAD: usize = 32;
const MARK: u64 = 0x676c_6561_6e65_7200;

/// A record, padded to whole sectors.
pub(super) fn record(sequence: u64, content: &[u8]) -> Vec<u8> {
    let length = content.len() as u64;
    let mut record = Vec::with_capacity(HEAD + content.len());
    for number in [MARK, sequence, length, checksum(sequence, content)] {
        put(&mut record, number);
    }
    record.extend_from_slice(content);
    record.resize(record.len().next_multiple_of(SECTOR), 0);
    record
}

/// The contents of the whole records from the beginning of a medium, which have the numbers from 1, and the
/// number of their bytes. What follows is damaged.
pub(super) fn whole_records(medium: &[u8]) -> (Vec<&[u8]>, usize) {
    let (mut contents, mut at) = (Vec::new(), 0);
    while let Some(content) = whole_record(&medium[at..], contents.len() as u64 + 1) {
        contents.push(content);
        at += (HEAD + content.len()).next_multiple_of(SECTOR);
    }
    (contents, at)
}

fn whole_record(mut bytes: &[u8], expected: u64) -> Option<&[u8]> {
    let head = bytes.split_off(..HEAD)?;
    let number = |index: usize| u64::from_le_bytes(head[index * 8..][..8].try_into().expect("8 bytes"));
    let content = bytes.get(..usize::try_from(number(2)).ok()?)?;
    let is_whole = number(0) == MARK && number(1) == expected && number(3) == checksum(expected, content);
    is_whole.then_some(content)
}

fn checksum(sequence: u64, content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(sequence);
    hasher.write(content);
    hasher.finish()
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn put_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    put(bytes, part.len() as u64);
    bytes.extend_from_slice(part);
}

/// Batches as bytes. Their rows are added to `rows`.
pub(super) fn encode(batches: &[Batch], rows: &mut Vec<Row>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for batch in batches {
        put(&mut bytes, batch.job);
        put_bytes(&mut bytes, &batch.facts);
        put(&mut bytes, batch.documents.len() as u64);
        for document in &batch.documents {
            put(&mut bytes, document.position);
            put(&mut bytes, document.scrape.is_some().into());
            put(&mut bytes, document.scrape.unwrap_or_default());
            put_bytes(&mut bytes, &document.json);
        }
        put(&mut bytes, batch.rows.len() as u64);
        for row in &batch.rows {
            put(&mut bytes, rows.len() as u64);
            rows.push(row.clone());
        }
    }
    bytes
}

/// The batches of [`encode`].
pub(super) fn decode(bytes: &[u8], rows: &[Row]) -> Vec<Batch> {
    let mut from = Decoder(bytes);
    let mut batches = Vec::new();
    while !from.0.is_empty() {
        let mut batch = Batch::default();
        batch.job = from.number();
        batch.facts = from.bytes().to_vec();
        for _ in 0..from.number() {
            let (position, has_scrape, scrape) = (from.number(), from.number() == 1, from.number());
            let json = Bytes::copy_from_slice(from.bytes());
            batch.documents.push(NewDocument { position, scrape: has_scrape.then_some(scrape), json });
        }
        for _ in 0..from.number() {
            batch.rows.push(rows[from.number() as usize].clone());
        }
        batches.push(batch);
    }
    batches
}

/// Reads bytes whose checksum is right.
struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        self.0.split_off(..length).expect("a whole record")
    }

    fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.take(8).try_into().expect("8 bytes"))
    }

    fn bytes(&mut self) -> &'a [u8] {
        let length = self.number() as usize;
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_store::journal::{BlockWriter, Fact};

    use super::*;

    fn batches() -> Vec<Batch> {
        let mut block = BlockWriter::default();
        block.push(&Fact::Paused { paused: true });
        let mut batch = Batch::default();
        (batch.job, batch.facts) = (7, block.finish());
        let document = |position, scrape| NewDocument { position, scrape, json: Bytes::from_static(b"{}") };
        batch.documents = vec![document(3, None), document(4, Some(0))];
        batch.rows = vec![Row::DocumentsRead { before: 3 }];
        vec![batch, Batch::default()]
    }

    #[test]
    fn batches_are_read_as_written() {
        let mut rows = vec![Row::DocumentsRead { before: 1 }];
        let written = batches();
        let read = decode(&encode(&written, &mut rows), &rows);
        assert_eq!(read.len(), 2);
        for (written, read) in written.iter().zip(&read) {
            assert_eq!((written.job, &written.facts), (read.job, &read.facts));
            assert_eq!(written.documents, read.documents);
            assert_eq!(format!("{:?}", written.rows), format!("{:?}", read.rows));
        }
    }

    #[test]
    fn records_end_at_the_first_damage() {
        let contents: [&[u8]; 3] = [b"one", &[2; 2 * SECTOR], b"three"];
        let records: Vec<Vec<u8>> = (1..).zip(contents).map(|(number, part)| record(number, part)).collect();
        let mut medium = records.concat();
        let ends: Vec<usize> = [0, 1, 2, 3].map(|count| records[..count].concat().len()).to_vec();
        assert_eq!(whole_records(&medium), (contents.to_vec(), ends[3]));
        for (index, end) in ends[1..].iter().enumerate() {
            let at = ends[index] + HEAD;
            medium[at] ^= 1;
            assert_eq!(whole_records(&medium), (contents[..index].to_vec(), ends[index]));
            assert_eq!(whole_records(&medium[..end - SECTOR]).1, ends[index]);
            medium[at] ^= 1;
        }
        // A record that an earlier process left.
        assert_eq!(whole_records(&records[1]), (Vec::new(), 0));
    }
}
