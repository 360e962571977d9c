//! Counts of links that do not belong to a crawl.

use std::sync::atomic::{AtomicU64, Ordering};

use gleaner_frontier::SkipReason;
use gleaner_store::{Note, NoteKind, NoteValue};

/// Rejected links of a job or of one page, by reason.
#[derive(Debug, Default)]
pub(crate) struct Rejections([AtomicU64; SkipReason::ALL.len()]);

impl Rejections {
    pub(crate) fn count(&self, reason: SkipReason) {
        self.add(reason, 1);
    }

    fn add(&self, reason: SkipReason, count: u64) {
        let index = SkipReason::ALL.iter().position(|known| *known == reason);
        if let Some(counter) = index.and_then(|index| self.0.get(index)) {
            counter.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Adds the rejections of one page.
    pub(crate) fn add_all(&self, page: &Self) {
        page.all().into_iter().for_each(|(reason, count)| self.add(reason, count));
    }

    /// The reasons with at least one rejection.
    pub(crate) fn all(&self) -> Vec<(SkipReason, u64)> {
        let counts = self.0.iter().map(|counter| counter.load(Ordering::Relaxed));
        SkipReason::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect()
    }

    /// Notes that add these counts to those in the store.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.all().into_iter().filter_map(|(reason, count)| rejection_note(reason, count)).collect()
    }

    /// Takes over the sum of such notes.
    pub(crate) fn restore(&self, note: &Note) {
        let reason = usize::try_from(note.key).ok().and_then(|number| NUMBERED.get(number));
        if let (Some(reason), NoteKind::Rejections, NoteValue::Add(count)) = (reason, note.kind, &note.value)
        {
            self.add(*reason, *count);
        }
    }
}

/// The number of a reason in notes is its index here. New reasons go to the end.
const NUMBERED: [SkipReason; SkipReason::ALL.len()] = [
    SkipReason::UnsupportedScheme,
    SkipReason::TooLong,
    SkipReason::FoundOnExternalPage,
    SkipReason::OtherHost,
    SkipReason::Subdomain,
    SkipReason::BinaryFile,
    SkipReason::OutsideStartPath,
    SkipReason::TooDeep,
    SkipReason::Excluded,
    SkipReason::NotIncluded,
    SkipReason::TooCostly,
    SkipReason::Nofollow,
    SkipReason::RobotsTxt,
    SkipReason::Hook,
];

/// A note that adds rejections to those in the store.
pub(crate) fn rejection_note(reason: SkipReason, count: u64) -> Option<Note> {
    let number = NUMBERED.iter().position(|known| *known == reason)?;
    Some(Note { kind: NoteKind::Rejections, key: number as u64, value: NoteValue::Add(count) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_restored_from_its_note() {
        let page = Rejections::default();
        for (count, reason) in (1..).zip(SkipReason::ALL) {
            (0..count).for_each(|_| page.count(reason));
        }
        let (job, restored) = (Rejections::default(), Rejections::default());
        job.add_all(&page);
        job.notes().iter().for_each(|note| restored.restore(note));
        assert_eq!((restored.all(), restored.all().len()), (page.all(), SkipReason::ALL.len()));
        restored.restore(&Note { kind: NoteKind::Rejections, key: 99, value: NoteValue::Add(1) });
    }
}
