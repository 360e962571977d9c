//! Checksums of stored bytes. They detect a medium that changes bytes, not someone who writes to it.

use std::hash::Hasher as _;

use gleaner_store::journal::Damage;
use siphasher::sip::SipHasher13;

/// The checksum of these bytes, one after the other.
pub(crate) fn checksum(parts: &[&[u8]]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 3);
    for part in parts {
        hasher.write(part);
    }
    hasher.finish()
}

/// The bytes with their checksum.
pub(crate) fn seal(bytes: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(bytes.len() + size_of::<u64>());
    sealed.extend_from_slice(bytes);
    sealed.extend_from_slice(&checksum(&[bytes]).to_le_bytes());
    sealed
}

/// The bytes that were sealed.
pub(crate) fn unseal(sealed: &[u8]) -> Result<&[u8], Damage> {
    let (bytes, sum) = sealed.split_last_chunk::<8>().ok_or(Damage::Truncated)?;
    if checksum(&[bytes]) == u64::from_le_bytes(*sum) { Ok(bytes) } else { Err(Damage::Checksum) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_bytes_are_detected() {
        for bytes in [&b""[..], b"a", b"a longer value"] {
            let mut sealed = seal(bytes);
            assert_eq!(unseal(&sealed), Ok(bytes));
            for bit in 0..sealed.len() * 8 {
                sealed[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(unseal(&sealed), Err(Damage::Checksum), "bit {bit}");
                sealed[bit / 8] ^= 1 << (bit % 8);
            }
        }
        assert_eq!(unseal(b"short"), Err(Damage::Truncated));
    }
}
