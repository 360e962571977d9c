//! A block of facts with version and checksum, as a journal stores it.

use std::hash::Hasher as _;

use siphasher::sip::SipHasher13;

use super::decoder::{Decoder, put_bytes, put_varint};
use super::{Damage, Fact};

/// The version of the format. A reader refuses later ones.
pub const BLOCK_VERSION: u8 = 1;

/// Blocks begin with this byte, so that other data is not mistaken for one.
const MAGIC: u8 = 0xb1;

/// Detects torn and mixed-up blocks. It does not protect against someone who writes to the medium.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 3);
    hasher.write(bytes);
    hasher.finish()
}

/// Collects facts into a block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockWriter {
    /// The facts so far, without the header.
    facts: Vec<u8>,
    /// The fields of one fact, until their length is known.
    fields: Vec<u8>,
}

impl BlockWriter {
    /// Adds a fact.
    pub fn push(&mut self, fact: &Fact<'_>) {
        self.fields.clear();
        fact.write_fields(&mut self.fields);
        put_varint(&mut self.facts, fact.tag());
        put_bytes(&mut self.facts, &self.fields);
    }

    /// Whether it has no facts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Bytes of the facts so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// The block of the facts so far. Leaves an empty writer.
    #[must_use]
    pub fn finish(&mut self) -> Vec<u8> {
        let mut block = Vec::with_capacity(2 + self.facts.len() + size_of::<u64>());
        block.extend_from_slice(&[MAGIC, BLOCK_VERSION]);
        block.append(&mut self.facts);
        let checksum = checksum(&block);
        block.extend_from_slice(&checksum.to_le_bytes());
        block
    }
}

/// A block with a valid checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    facts: &'a [u8],
}

impl<'a> Block<'a> {
    /// Checks the version and the checksum of a block.
    ///
    /// # Errors
    /// [`Damage::Checksum`] and [`Damage::Truncated`] if its bytes have changed, [`Damage::Newer`] if a later
    /// version wrote it.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Damage> {
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or(Damage::Truncated)?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(Damage::Checksum);
        }
        let (&[magic, version], facts) = body.split_first_chunk::<2>().ok_or(Damage::Truncated)?;
        match (magic, version) {
            (MAGIC, BLOCK_VERSION) => Ok(Self { facts }),
            (MAGIC, version) if version > BLOCK_VERSION => Err(Damage::Newer),
            _ => Err(Damage::Invalid),
        }
    }

    /// Its facts as bytes, without header and checksum.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.facts
    }

    /// Its facts, in order.
    #[must_use]
    pub const fn facts(&self) -> Facts<'a> {
        Facts::of(self.facts)
    }
}

/// The facts of a block. Nothing follows an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts<'a> {
    from: Decoder<'a>,
}

impl<'a> Facts<'a> {
    /// The facts in these bytes, which are a block without its header and checksum.
    #[must_use]
    pub const fn of(bytes: &'a [u8]) -> Self {
        Self { from: Decoder::new(bytes) }
    }

    fn read(&mut self) -> Result<Fact<'a>, Damage> {
        let tag = self.from.varint()?;
        let mut fields = Decoder::new(self.from.bytes()?);
        // Fields that a later version has added are left.
        Fact::read_fields(tag, &mut fields)
    }
}

impl<'a> Iterator for Facts<'a> {
    type Item = Result<Fact<'a>, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.from.is_empty() {
            return None;
        }
        let fact = self.read();
        if fact.is_err() {
            self.from = Decoder::default();
        }
        Some(fact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Vec<u8> {
        let mut writer = BlockWriter::default();
        writer.push(&Fact::Paused { paused: true });
        writer.push(&Fact::Read { position: 300 });
        assert!(!writer.is_empty() && writer.len() == 7);
        let block = writer.finish();
        assert!(writer.is_empty(), "the writer can be used again");
        block
    }

    /// A block of these bytes with a valid checksum.
    fn sealed(header: [u8; 2], facts: &[u8]) -> Vec<u8> {
        let mut block = [&header[..], facts].concat();
        let sum = checksum(&block);
        block.extend_from_slice(&sum.to_le_bytes());
        block
    }

    #[test]
    fn a_block_gives_its_facts_in_order() {
        let block = block();
        let facts: Result<Vec<_>, _> = Block::open(&block).unwrap().facts().collect();
        assert_eq!(facts.unwrap(), [Fact::Paused { paused: true }, Fact::Read { position: 300 }]);
        let empty = BlockWriter::default().finish();
        assert_eq!(Block::open(&empty).unwrap().facts().count(), 0);
    }

    #[test]
    fn every_cut_and_every_changed_bit_is_detected() {
        let block = block();
        for length in 0..block.len() {
            assert!(Block::open(&block[..length]).is_err(), "cut to {length} bytes");
        }
        for bit in 0..block.len() * 8 {
            let mut changed = block.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Block::open(&changed), Err(Damage::Checksum), "bit {bit}");
        }
    }

    #[test]
    fn later_versions_and_other_data_are_refused() {
        assert!(Block::open(&sealed([MAGIC, BLOCK_VERSION], &[])).is_ok());
        assert_eq!(Block::open(&sealed([MAGIC, BLOCK_VERSION + 1], &[])), Err(Damage::Newer));
        assert_eq!(Block::open(&sealed([MAGIC, 0], &[])), Err(Damage::Invalid));
        assert_eq!(Block::open(&sealed([0, BLOCK_VERSION], &[])), Err(Damage::Invalid));
    }

    #[test]
    fn an_unknown_fact_ends_the_block() {
        let mut facts = Vec::new();
        put_varint(&mut facts, 1_000_000);
        put_bytes(&mut facts, b"of a later version");
        facts.extend_from_slice(&facts.clone());
        let found: Vec<_> = Facts::of(&facts).collect();
        assert_eq!(found, [Err(Damage::Newer)]);
    }

    #[test]
    fn added_fields_are_skipped_and_missing_optional_fields_are_none() {
        let fact = Fact::Delivered { sequence: 5, given_up: None, at: None, kind: None };
        let mut fields = Vec::new();
        fact.write_fields(&mut fields);
        let mut facts = Vec::new();
        let mut add = |fields: &[u8]| {
            put_varint(&mut facts, fact.tag());
            put_bytes(&mut facts, fields);
        };
        add(&[&fields[..], b"a later field"].concat());
        add(&fields[..1]);
        add(&[]);
        let found: Vec<_> = Facts::of(&facts).collect();
        assert_eq!(found, [Ok(fact), Ok(fact), Err(Damage::Truncated)], "the number is not optional");
    }
}
