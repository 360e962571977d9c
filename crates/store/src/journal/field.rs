//! The binary form of the fields of facts.

use std::time::Duration;

use gleaner_frontier::{Fingerprint, UrlKey};
use gleaner_types::plan::EventKind;
use gleaner_types::{JobId, JobKind, JobState};
use uuid::Uuid;

use super::Damage;
use super::decoder::{Decoder, put_bytes, put_varint};
use crate::JobFailure;

/// A field of a fact. Its form has at least one byte.
pub(super) trait Field<'a>: Sized {
    fn write(&self, out: &mut Vec<u8>);

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage>;

    /// The value if an earlier version wrote the fact, which did not have the field.
    fn absent() -> Option<Self> {
        None
    }
}

/// Reads the next field of a fact.
pub(super) fn field<'a, T: Field<'a>>(from: &mut Decoder<'a>) -> Result<T, Damage> {
    if from.is_empty() { T::absent().ok_or(Damage::Truncated) } else { T::read(from) }
}

impl<'a> Field<'a> for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, *self);
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        from.varint()
    }
}

impl<'a> Field<'a> for u32 {
    fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, u64::from(*self));
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        Self::try_from(from.varint()?).map_err(|_| Damage::Invalid)
    }
}

impl<'a> Field<'a> for u8 {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        from.byte()
    }
}

impl<'a> Field<'a> for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Damage::Invalid),
        }
    }
}

impl<'a> Field<'a> for UrlKey {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_raw().to_le_bytes());
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        Ok(Self::from_raw(u64::from_le_bytes(from.array()?)))
    }
}

impl<'a> Field<'a> for Fingerprint {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_raw().to_le_bytes());
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        Ok(Self::from_raw(u64::from_le_bytes(from.array()?)))
    }
}

impl<'a> Field<'a> for Uuid {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        Ok(Self::from_bytes(from.array()?))
    }
}

impl<'a> Field<'a> for JobId {
    fn write(&self, out: &mut Vec<u8>) {
        self.as_uuid().write(out);
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        Ok(Self::from_uuid(Uuid::read(from)?))
    }
}

/// Seconds and nanoseconds.
impl<'a> Field<'a> for Duration {
    fn write(&self, out: &mut Vec<u8>) {
        put_varint(out, self.as_secs());
        put_varint(out, u64::from(self.subsec_nanos()));
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        let (seconds, nanoseconds) = (from.varint()?, u32::read(from)?);
        // More would be carried into the seconds, which may overflow.
        if nanoseconds < 1_000_000_000 { Ok(Self::new(seconds, nanoseconds)) } else { Err(Damage::Invalid) }
    }
}

impl<'a> Field<'a> for &'a str {
    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.as_bytes());
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        from.text()
    }
}

impl<'a> Field<'a> for &'a [u8] {
    fn write(&self, out: &mut Vec<u8>) {
        put_bytes(out, self);
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        from.bytes()
    }
}

/// A byte that tells whether there is a value, and the value.
impl<'a, T: Field<'a>> Field<'a> for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        if bool::read(from)? { T::read(from).map(Some) } else { Ok(None) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A field with a byte for each value. The bytes are part of the format: a value keeps its byte.
macro_rules! bytes_of {
    ($type:ty { $( $byte:literal = $value:path, )+ }) => {
        impl<'a> Field<'a> for $type {
            fn write(&self, out: &mut Vec<u8>) {
                out.push(match self { $( $value => $byte, )+ });
            }

            fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
                match from.byte()? {
                    $( $byte => Ok($value), )+
                    _ => Err(Damage::Newer),
                }
            }
        }
    };
}
pub(super) use bytes_of;

bytes_of!(JobState {
    1 = JobState::Scraping,
    2 = JobState::Completed,
    3 = JobState::Failed,
    4 = JobState::Cancelled,
});

bytes_of!(JobKind {
    1 = JobKind::Crawl,
    2 = JobKind::BatchScrape,
    3 = JobKind::Extract,
});

bytes_of!(JobFailure {
    1 = JobFailure::InsufficientCredits,
    2 = JobFailure::StorageFull,
    3 = JobFailure::Other,
});

bytes_of!(EventKind {
    1 = EventKind::Started,
    2 = EventKind::Page,
    3 = EventKind::Completed,
    4 = EventKind::Failed,
    5 = EventKind::Cancelled,
});
