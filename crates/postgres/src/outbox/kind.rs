//! Kinds of events as numbers.

use gleaner_types::plan::EventKind;

use crate::failure::Failure;

/// The number of a kind in the database.
pub(super) const fn number(kind: EventKind) -> i16 {
    match kind {
        EventKind::Started => 1,
        EventKind::Page => 2,
        EventKind::Completed => 3,
        EventKind::Failed => 4,
        EventKind::Cancelled => 5,
    }
}

/// The kind with this number.
pub(super) fn kind(number: i16) -> Result<EventKind, Failure> {
    Ok(match number {
        1 => EventKind::Started,
        2 => EventKind::Page,
        3 => EventKind::Completed,
        4 => EventKind::Failed,
        5 => EventKind::Cancelled,
        _ => return Err(Failure::damaged(format_args!("the kind {number} of an event"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_number() {
        for found in 1..=5 {
            assert_eq!(number(kind(found).unwrap()), found);
        }
        assert!(kind(0).is_err() && kind(6).is_err());
    }
}
