//! Numbers and times in the types of SQL.

use std::time::Duration;

use gleaner_frontier::UrlKey;

/// A time since the Unix epoch, in microseconds.
pub(crate) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// The time of this many microseconds; 0 for negative ones.
pub(crate) fn from_micros(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// A count as a `bigint`.
pub(crate) fn big(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The count in a `bigint`; 0 for a negative one.
pub(crate) fn count(big: i64) -> u64 {
    u64::try_from(big).unwrap_or(0)
}

/// A small number as an `int`.
pub(crate) fn int(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// The number in an `int`; 0 for a negative one.
pub(crate) fn number(int: i32) -> u32 {
    u32::try_from(int).unwrap_or(0)
}

/// A key as a `bigint` with the same bits.
pub(crate) fn key(key: UrlKey) -> i64 {
    key.to_raw().cast_signed()
}

/// The key with these bits.
pub(crate) fn url_key(bits: i64) -> UrlKey {
    UrlKey::from_raw(bits.cast_unsigned())
}
