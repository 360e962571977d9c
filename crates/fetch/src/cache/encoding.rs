//! An entry as bytes, for stores that keep bytes.
//!
//! A checksum at the front covers everything, so a flipped bit, a torn write and a file of another version
//! all give the same error. No serialisation library: there are only eight fields, and the body must not be
//! copied.

use std::fmt;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use gleaner_types::ProxyUsed;
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};
use url::Url;

use super::{CacheEntry, CacheKey};
use crate::response::Hop;

/// Identifies the format and its version. Another layout gets another number.
const MAGIC: &[u8; 8] = b"glnrpg\x00\x01";
const CHECKSUM_BYTES: usize = 32;

/// The bytes are not an entry: damaged, cut off, or written by another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorruptEntry;

impl fmt::Display for CorruptEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("these bytes are not a whole cache entry of this version")
    }
}

impl std::error::Error for CorruptEntry {}

impl CacheEntry {
    /// The entry as bytes, with a checksum.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.weight());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; CHECKSUM_BYTES]);
        put(&mut bytes, self.key.as_str().as_bytes());
        put(&mut bytes, self.url.as_str().as_bytes());
        bytes.extend_from_slice(&self.status.to_le_bytes());
        let since = self.stored_at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        bytes.extend_from_slice(&since.as_secs().to_le_bytes());
        bytes.extend_from_slice(&since.subsec_nanos().to_le_bytes());
        bytes.push(u8::from(self.proxy_used == ProxyUsed::Stealth));
        put_count(&mut bytes, self.hops.len());
        for hop in &self.hops {
            put(&mut bytes, hop.url.as_str().as_bytes());
            bytes.extend_from_slice(&hop.status.to_le_bytes());
        }
        put_count(&mut bytes, self.headers.len());
        for (name, value) in &self.headers {
            put(&mut bytes, name.as_str().as_bytes());
            put(&mut bytes, value.as_bytes());
        }
        bytes.extend_from_slice(&self.body);
        let checksum = bytes.get(MAGIC.len() + CHECKSUM_BYTES..).map(Sha256::digest);
        if let (Some(slot), Some(checksum)) =
            (bytes.get_mut(MAGIC.len()..MAGIC.len() + CHECKSUM_BYTES), checksum)
        {
            slot.copy_from_slice(&checksum);
        }
        bytes
    }

    /// The entry that [`CacheEntry::encode`] wrote.
    ///
    /// # Errors
    ///
    /// [`CorruptEntry`] if even one bit differs.
    pub fn decode(bytes: impl Into<Bytes>) -> Result<Self, CorruptEntry> {
        read(bytes.into()).ok_or(CorruptEntry)
    }
}

/// The bytes of an entry with these fields: the magic number, the checksum, and the fields.
pub(crate) fn sealed(fields: &[u8]) -> Vec<u8> {
    [&MAGIC[..], Sha256::digest(fields).as_slice(), fields].concat()
}

fn put(bytes: &mut Vec<u8>, text: &[u8]) {
    put_count(bytes, text.len());
    bytes.extend_from_slice(text);
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    // Texts and lists are bounded far below 4 GiB. A longer one would fail to decode rather than decode
    // wrongly.
    bytes.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

/// Reads from the front. A count reserves no memory: each read checks that its bytes are there.
struct Reader {
    bytes: Bytes,
}

impl Reader {
    fn take(&mut self, count: usize) -> Option<Bytes> {
        (count <= self.bytes.len()).then(|| self.bytes.split_to(count))
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.as_ref().try_into().ok()
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.array()?)).ok()
    }

    fn text(&mut self) -> Option<Bytes> {
        let length = self.count()?;
        self.take(length)
    }

    fn url(&mut self) -> Option<Url> {
        Url::parse(std::str::from_utf8(&self.text()?).ok()?).ok()
    }

    fn status(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.array()?))
    }
}

fn read(bytes: Bytes) -> Option<CacheEntry> {
    let mut reader = Reader { bytes };
    if reader.take(MAGIC.len())? != MAGIC.as_slice() {
        return None;
    }
    let checksum = reader.take(CHECKSUM_BYTES)?;
    if checksum != Sha256::digest(&reader.bytes).as_slice() {
        return None;
    }
    let key = CacheKey::from_text(std::str::from_utf8(&reader.text()?).ok()?);
    let url = reader.url()?;
    let status = reader.status()?;
    let seconds = u64::from_le_bytes(reader.array()?);
    let nanos = u32::from_le_bytes(reader.array()?);
    let since = Duration::from_secs(seconds).checked_add(Duration::from_nanos(u64::from(nanos)))?;
    let stored_at = SystemTime::UNIX_EPOCH.checked_add(since)?;
    let proxy_used = match reader.array()? {
        [0] => ProxyUsed::Basic,
        [1] => ProxyUsed::Stealth,
        _ => return None,
    };
    let mut hops = Vec::new();
    for _ in 0..reader.count()? {
        hops.push(Hop { url: reader.url()?, status: reader.status()? });
    }
    let mut headers = HeaderMap::new();
    for _ in 0..reader.count()? {
        let name = HeaderName::from_bytes(&reader.text()?).ok()?;
        let value = HeaderValue::from_maybe_shared(reader.text()?).ok()?;
        headers.try_append(name, value).ok()?;
    }
    Some(CacheEntry { key, url, status, headers, hops, stored_at, proxy_used, body: reader.bytes })
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::entry;
    use super::*;

    #[test]
    fn entries_survive_encoding() {
        for body in [&b""[..], b"text", &[0xff; 100_000]] {
            let entry = entry("/a?b=c", body);
            assert_eq!(CacheEntry::decode(entry.encode()), Ok(entry));
        }
    }

    #[test]
    fn a_flipped_bit_is_an_error() {
        let bytes = entry("/", b"some text").encode();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert_eq!(CacheEntry::decode(damaged), Err(CorruptEntry), "bit {bit} of byte {at}");
            }
        }
    }

    #[test]
    fn missing_and_extra_bytes_are_errors() {
        let bytes = entry("/", b"some text").encode();
        for length in 0..bytes.len() {
            assert_eq!(CacheEntry::decode(bytes[..length].to_vec()), Err(CorruptEntry), "{length} bytes");
        }
        let longer = [bytes.as_slice(), b"x"].concat();
        assert_eq!(CacheEntry::decode(longer), Err(CorruptEntry));
    }

    proptest::proptest! {
        /// An attacker can compute the checksum of any content.
        #[test]
        fn any_content_decodes_or_is_refused(content: Vec<u8>) {
            let mut bytes = MAGIC.to_vec();
            bytes.extend_from_slice(&Sha256::digest(&content));
            bytes.extend_from_slice(&content);
            if let Ok(entry) = CacheEntry::decode(bytes) {
                proptest::prop_assert_eq!(CacheEntry::decode(entry.encode()), Ok(entry));
            }
        }
    }
}
