//! JSON objects in columns of bytes: a zstd frame with a checksum, or the text itself where that is smaller.

use std::io;

use gleaner_store::Error;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;
use zstd::zstd_safe::get_frame_content_size;

/// Fast, and about a third of the size of most documents.
const LEVEL: i32 = 1;
/// Every JSON object begins with it, and no frame does.
const OBJECT: u8 = b'{';

/// Packs a JSON object.
pub(crate) fn pack(json: Vec<u8>) -> Result<Vec<u8>, Error> {
    let packed = compress(&json).map_err(|cause| Error::io("a document could not be compressed", &cause))?;
    Ok(if packed.len() < json.len() { packed } else { json })
}

fn compress(json: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    compressor.compress(json)
}

/// The JSON object of this size in bytes; `None` if it is damaged.
pub(crate) fn unpack(bytes: Vec<u8>, size: u64) -> Option<Vec<u8>> {
    let json = if bytes.first() == Some(&OBJECT) {
        bytes
    } else {
        // No memory is taken for more than the text has.
        let is_size = get_frame_content_size(&bytes).ok().flatten() == Some(size);
        zstd::bulk::decompress(&bytes, usize::try_from(size).ok().filter(|_| is_size)?).ok()?
    };
    (json.len() as u64 == size).then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for json in ["{}".to_owned(), format!("{{\"a\":\"{}\"}}", "x".repeat(100_000))] {
            let packed = pack(json.clone().into_bytes()).unwrap();
            assert!(packed.len() <= json.len().min(1_000));
            assert_eq!(unpack(packed, json.len() as u64), Some(json.into_bytes()));
        }
    }

    #[test]
    fn damage_is_found() {
        let json = format!("{{\"a\":\"{}\"}}", "x".repeat(1_000)).into_bytes();
        let (size, mut packed) = (json.len() as u64, pack(json.clone()).unwrap());
        assert_eq!(unpack(packed.clone(), size + 1), None, "another size");
        assert_eq!(unpack(json.clone(), size - 1), None, "another size");
        assert_eq!(unpack(Vec::new(), 0), None, "nothing");
        for index in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[index] ^= 0x10;
            assert!(unpack(damaged, size).is_none_or(|found| found == json), "byte {index}");
        }
        packed.pop();
        assert_eq!(unpack(packed, size), None, "a part");
    }
}
