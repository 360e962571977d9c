//! Lists of keys, and of keys with depths.

use std::fmt;

use gleaner_frontier::UrlKey;

use super::Damage;
use super::decoder::{Decoder, put_bytes};
use super::field::Field;

/// Collects keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeysWriter {
    bytes: Vec<u8>,
}

impl KeysWriter {
    /// Adds a key.
    pub fn push(&mut self, key: UrlKey) {
        key.write(&mut self.bytes);
    }

    /// The keys so far.
    #[must_use]
    pub fn finish(&self) -> Keys<'_> {
        Keys { bytes: &self.bytes }
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// Keys in their order, eight bytes each.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Keys<'a> {
    bytes: &'a [u8],
}

impl<'a> Keys<'a> {
    /// The number of keys.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes.len() / size_of::<u64>()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The keys.
    pub fn iter(&self) -> impl Iterator<Item = UrlKey> + use<'a> {
        let (keys, _) = self.bytes.as_chunks::<8>();
        keys.iter().map(|bytes| UrlKey::from_raw(u64::from_le_bytes(*bytes)))
    }
}

impl fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> Field<'a> for Keys<'a> {
    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.bytes);
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        let bytes = from.bytes()?;
        if bytes.len().is_multiple_of(size_of::<u64>()) { Ok(Self { bytes }) } else { Err(Damage::Invalid) }
    }
}

/// Collects keys with their depths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DepthsWriter {
    bytes: Vec<u8>,
}

impl DepthsWriter {
    /// Adds a key with its depth.
    pub fn push(&mut self, key: UrlKey, depth: u32) {
        key.write(&mut self.bytes);
        depth.write(&mut self.bytes);
    }

    /// The keys so far.
    #[must_use]
    pub fn finish(&self) -> Depths<'_> {
        Depths { from: Decoder::new(&self.bytes) }
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// Keys with their depths, in their order. Nothing follows an error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depths<'a> {
    from: Decoder<'a>,
}

impl Iterator for Depths<'_> {
    type Item = Result<(UrlKey, u32), Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.from.is_empty() {
            return None;
        }
        let from = &mut self.from;
        let item = UrlKey::read(from).and_then(|key| Ok((key, u32::read(from)?)));
        if item.is_err() {
            self.from = Decoder::default();
        }
        Some(item)
    }
}

impl<'a> Field<'a> for Depths<'a> {
    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.from.rest());
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        Ok(Self { from: Decoder::new(from.bytes()?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_takes_eight_bytes_and_a_depth_one_more() {
        let mut keys = KeysWriter::default();
        let mut depths = DepthsWriter::default();
        for key in [3, u64::MAX, 0].map(UrlKey::from_raw) {
            keys.push(key);
            depths.push(key, 5);
        }
        assert_eq!((keys.bytes.len(), depths.bytes.len()), (24, 27));
        assert!(keys.finish().iter().eq([3, u64::MAX, 0].map(UrlKey::from_raw)));
        assert!(depths.finish().eq([3, u64::MAX, 0].map(|key| Ok((UrlKey::from_raw(key), 5)))));
    }

    #[test]
    fn a_cut_list_is_damaged() {
        let mut out = Vec::new();
        put_bytes(&mut out, &[0; 15]);
        assert_eq!(Keys::read(&mut Decoder::new(&out)), Err(Damage::Invalid));
        // A key with its depth, and a key without.
        put_bytes(&mut out, &[0; 17]);
        let mut from = Decoder::new(&out);
        from.bytes().unwrap();
        let depths: Vec<_> = Depths::read(&mut from).unwrap().collect();
        assert_eq!(depths, [Ok((UrlKey::from_raw(0), 0)), Err(Damage::Truncated)]);
    }
}
