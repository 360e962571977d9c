//! The documents of a job that were stored together: one row instead of one for each, because the pages that
//! a commit changes decide how much it writes.
//!
//! ```text
//! heads = form (0: as it is, 1: zstd), checksum (8 bytes), for each document: length (4), scrape half (8)
//! bytes = the JSON of all documents, one after the other
//! ```

use bytes::Bytes;
use gleaner_store::journal::{Damage, NewDocument};

use crate::seal::checksum;

/// Documents are stored together up to this size in bytes, before compression.
const MAX_BYTES: usize = 256 << 10;

/// The maximum size of the documents of a row in bytes: a row beyond it is not of this crate.
const MAX_ROW: usize = 1 << 30;

/// Fast, and about a third of the size of most documents.
const LEVEL: i32 = 1;

/// Bytes before the heads, and of one head.
const START: usize = 9;
const HEAD: usize = 12;

const PLAIN: u8 = 0;
const COMPRESSED: u8 = 1;

/// A row of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentRow {
    /// The position of the first document.
    pub(crate) first: u64,
    pub(crate) heads: Vec<u8>,
    pub(crate) bytes: Vec<u8>,
}

/// The rows for these documents, which are in order and without gaps.
pub(crate) fn rows<'a>(documents: impl IntoIterator<Item = &'a NewDocument>) -> Vec<DocumentRow> {
    let mut rows = Vec::new();
    let (mut group, mut size): (Vec<&NewDocument>, usize) = (Vec::new(), 0);
    for document in documents {
        if !group.is_empty() && size + document.json.len() > MAX_BYTES {
            rows.extend(row(&group));
            group.clear();
            size = 0;
        }
        size += document.json.len();
        group.push(document);
    }
    rows.extend(row(&group));
    rows
}

fn row(documents: &[&NewDocument]) -> Option<DocumentRow> {
    let first = documents.first()?.position;
    let mut entries = Vec::with_capacity(documents.len() * HEAD);
    let mut bytes = Vec::with_capacity(documents.iter().map(|document| document.json.len()).sum());
    for document in documents {
        entries.extend_from_slice(&u32::try_from(document.json.len()).unwrap_or(u32::MAX).to_le_bytes());
        // The half of a scrape id has the bits of the UUID variant, so it is not 0.
        entries.extend_from_slice(&document.scrape.unwrap_or(0).to_le_bytes());
        bytes.extend_from_slice(&document.json);
    }
    let mut form = PLAIN;
    if let Ok(compressed) = zstd::bulk::compress(&bytes, LEVEL)
        && compressed.len() < bytes.len()
    {
        (form, bytes) = (COMPRESSED, compressed);
    }
    let mut heads = Vec::with_capacity(START + entries.len());
    heads.push(form);
    heads.extend_from_slice(&checksum(&[&[form], &entries, &bytes]).to_le_bytes());
    heads.extend_from_slice(&entries);
    Some(DocumentRow { first, heads, bytes })
}

/// The form, the checksum and the entries of heads.
fn split_heads(heads: &[u8]) -> Result<(u8, u64, &[u8]), Damage> {
    let (start, entries) = heads.split_first_chunk::<START>().ok_or(Damage::Truncated)?;
    let [form, sum @ ..] = *start;
    if !entries.len().is_multiple_of(HEAD) || entries.is_empty() {
        return Err(Damage::Invalid);
    }
    Ok((form, u64::from_le_bytes(sum), entries))
}

/// The lengths of the documents of a row in bytes. The checksum is not checked, because it covers the text.
pub(crate) fn lengths(heads: &[u8]) -> Result<impl Iterator<Item = usize> + use<'_>, Damage> {
    Ok(entries(heads)?.map(|(length, _)| length))
}

/// As [`lengths`], with the halves of the scrape ids.
pub(crate) fn entries(heads: &[u8]) -> Result<impl Iterator<Item = (usize, Option<u64>)> + use<'_>, Damage> {
    let (_, _, entries) = split_heads(heads)?;
    let (entries, _) = entries.as_chunks::<HEAD>();
    Ok(entries.iter().map(|&[a, b, c, d, scrape @ ..]| {
        let scrape = u64::from_le_bytes(scrape);
        (u32::from_le_bytes([a, b, c, d]) as usize, (scrape != 0).then_some(scrape))
    }))
}

/// The size of compressed bytes before their compression, by their header.
fn content_size(bytes: &[u8]) -> Option<u64> {
    zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten()
}

/// The documents of a row as JSON, in their order. Cloning one copies no bytes.
pub(crate) fn open(heads: &[u8], bytes: &[u8]) -> Result<Vec<Bytes>, Damage> {
    let (form, sum, entries) = split_heads(heads)?;
    if checksum(&[&[form], entries, bytes]) != sum {
        return Err(Damage::Checksum);
    }
    let size = lengths(heads)?.try_fold(0, usize::checked_add).filter(|size| *size <= MAX_ROW);
    let size = size.ok_or(Damage::Invalid)?;
    let all = match form {
        PLAIN => bytes.to_vec(),
        // No memory is taken for more than the text has.
        COMPRESSED if content_size(bytes) != Some(size as u64) => return Err(Damage::Invalid),
        COMPRESSED => zstd::bulk::decompress(bytes, size).map_err(|_| Damage::Invalid)?,
        _ => return Err(Damage::Newer),
    };
    if all.len() != size {
        return Err(Damage::Invalid);
    }
    let mut rest = Bytes::from(all);
    Ok(lengths(heads)?.map(|length| rest.split_to(length)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(sizes: &[usize]) -> Vec<NewDocument> {
        let document = |(position, size): (u64, &usize)| NewDocument {
            position,
            scrape: (position % 2 == 1).then_some(position | 1 << 63),
            json: Bytes::from("x".repeat(*size)),
        };
        (0..).zip(sizes).map(document).collect()
    }

    #[test]
    fn documents_are_read_as_written() {
        for sizes in [&[0][..], &[1, 0, 2_000], &[300_000], &[100_000, 100_000, 100_000, 300_000, 5]] {
            let documents = documents(sizes);
            let rows = rows(&documents);
            let mut found = Vec::new();
            for row in &rows {
                assert_eq!(row.first, found.len() as u64);
                let texts = open(&row.heads, &row.bytes).unwrap();
                assert!(lengths(&row.heads).unwrap().eq(texts.iter().map(Bytes::len)));
                let scrapes = documents[found.len()..].iter().map(|document| document.scrape);
                assert!(
                    entries(&row.heads).unwrap().zip(scrapes).all(|((_, found), scrape)| found == scrape)
                );
                found.extend(texts);
            }
            let expected: Vec<_> = documents.iter().map(|document| document.json.clone()).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(rows(&documents(&[100_000, 100_000, 100_000, 300_000, 5])).len(), 4);
        assert_eq!(rows(&[]), vec![]);
    }

    #[test]
    fn bytes_that_do_not_compress_are_stored_as_they_are() {
        let json = Bytes::from_static(b"a\x01\xffz");
        let row = rows(&[NewDocument { position: 7, scrape: None, json: json.clone() }]).remove(0);
        assert_eq!((row.first, row.heads[0], &row.bytes[..]), (7, PLAIN, &json[..]));
    }

    #[test]
    fn a_row_that_promises_too_much_is_refused_without_its_memory() {
        let bytes = zstd::bulk::compress(&[b'x'; 100], LEVEL).unwrap();
        let open = |lengths: &[u32]| {
            let head = |length: &u32| [&length.to_le_bytes()[..], &[0; 8]].concat();
            let entries: Vec<u8> = lengths.iter().flat_map(head).collect();
            let sum = checksum(&[&[COMPRESSED], &entries, &bytes]).to_le_bytes();
            open(&[&[COMPRESSED][..], &sum[..], &entries[..]].concat(), &bytes)
                .map(|documents| documents.len())
        };
        assert_eq!(open(&[60, 40]), Ok(2));
        for lengths in [&[u32::MAX; 1000][..], &[u32::MAX], &[100, 1], &[99]] {
            assert_eq!(open(lengths), Err(Damage::Invalid));
        }
    }

    #[test]
    fn every_changed_bit_is_detected() {
        for size in [3, 500] {
            let DocumentRow { mut heads, mut bytes, .. } = rows(&documents(&[size, size])).remove(0);
            for bit in 0..heads.len() * 8 {
                heads[bit / 8] ^= 1 << (bit % 8);
                assert!(open(&heads, &bytes).is_err(), "bit {bit} of the heads");
                heads[bit / 8] ^= 1 << (bit % 8);
            }
            for bit in 0..bytes.len() * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(open(&heads, &bytes), Err(Damage::Checksum), "bit {bit}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            assert_eq!(open(&heads[..5], &bytes), Err(Damage::Truncated));
        }
    }
}
