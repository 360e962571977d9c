//! Reads and writes numbers and bytes.

use super::Damage;

/// Writes a number in one to ten bytes.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Writes bytes after their length.
pub(super) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads from the beginning of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Decoder<'a> {
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes that were not read.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Damage::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next bytes as an array.
    pub(super) fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], Damage> {
        let (taken, rest) = self.rest.split_first_chunk::<LENGTH>().ok_or(Damage::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Damage> {
        let [byte] = self.array::<1>()?;
        Ok(byte)
    }

    pub(super) fn varint(&mut self) -> Result<u64, Damage> {
        let mut value = 0;
        for shift in (0_u32..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // Only one bit is left for the tenth byte.
            if shift == 63 && bits > 1 {
                return Err(Damage::Invalid);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Damage::Invalid)
    }

    /// The next bytes, which follow their length.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Damage> {
        let length = usize::try_from(self.varint()?).map_err(|_| Damage::Truncated)?;
        self.take(length)
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Damage> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Damage::Invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_one_byte_for_seven_bits() {
        for (value, length) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX, 10)] {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            assert_eq!(bytes.len(), length, "{value}");
            let mut decoder = Decoder::new(&bytes);
            assert_eq!(decoder.varint(), Ok(value));
            assert!(decoder.is_empty());
            bytes.pop();
            assert_eq!(Decoder::new(&bytes).varint(), Err(Damage::Truncated), "{value}");
        }
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_invalid() {
        let above_range = [&[0xff; 9][..], &[2]].concat();
        assert_eq!(Decoder::new(&above_range).varint(), Err(Damage::Invalid));
        let eleven_bytes = [&[0x80; 10][..], &[0]].concat();
        assert_eq!(Decoder::new(&eleven_bytes).varint(), Err(Damage::Invalid));
    }

    #[test]
    fn a_length_beyond_the_end_is_not_allocated() {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, u64::MAX);
        assert_eq!(Decoder::new(&bytes).bytes(), Err(Damage::Truncated));
        let mut text = Vec::new();
        put_bytes(&mut text, b"\xff");
        assert_eq!(Decoder::new(&text).text(), Err(Damage::Invalid));
    }
}
