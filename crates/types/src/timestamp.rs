//! Timestamps on the wire: RFC 3339 in UTC with exactly three digits of milliseconds,
//! `2026-01-31T12:00:00.120Z`.
//!
//! The `time` crate omits trailing zeros, but some clients compare timestamps as text.

use serde::Serializer;
use time::{OffsetDateTime, UtcOffset};

pub(crate) use time::serde::rfc3339::deserialize;

/// Formats a timestamp for the wire, such as `2026-01-31T12:00:00.120Z`. It is truncated to milliseconds.
#[must_use]
pub fn rfc3339(moment: OffsetDateTime) -> String {
    // A timestamp that UTC cannot represent is within a day of the calendar's limits.
    let utc = moment.checked_to_offset(UtcOffset::UTC).unwrap_or(moment);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        utc.year(),
        u8::from(utc.month()),
        utc.day(),
        utc.hour(),
        utc.minute(),
        utc.second(),
        utc.millisecond(),
    )
}

pub(crate) fn serialize<S: Serializer>(moment: &OffsetDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&rfc3339(*moment))
}

/// The same for an optional timestamp.
pub(crate) mod option {
    use serde::Serializer;
    use time::OffsetDateTime;

    pub(crate) use time::serde::rfc3339::option::deserialize;

    pub(crate) fn serialize<S: Serializer>(
        moment: &Option<OffsetDateTime>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match moment {
            Some(moment) => super::serialize(moment, serializer),
            None => serializer.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::*;

    #[test]
    fn timestamps_have_exactly_three_digits_of_milliseconds() {
        for (since, text) in [
            (Duration::ZERO, "1970-01-01T00:00:00.000Z"),
            (Duration::milliseconds(1), "1970-01-01T00:00:00.001Z"),
            (Duration::milliseconds(120), "1970-01-01T00:00:00.120Z"),
            (Duration::seconds(1_700_000_000), "2023-11-14T22:13:20.000Z"),
            (Duration::nanoseconds(1_999_999), "1970-01-01T00:00:00.001Z"),
        ] {
            assert_eq!(rfc3339(OffsetDateTime::UNIX_EPOCH + since), text);
        }
        let elsewhere = UtcOffset::from_hms(2, 30, 0).unwrap();
        assert_eq!(rfc3339(OffsetDateTime::UNIX_EPOCH.to_offset(elsewhere)), "1970-01-01T00:00:00.000Z");
    }
}
