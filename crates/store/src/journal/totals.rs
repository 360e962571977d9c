//! The sums of the facts of a job.

use gleaner_frontier::PageEnd;

use super::decoder::{Decoder, put_varint};
use super::field::Field;
use super::{Damage, Fact};
use crate::{MAX_LISTED_DEAD_LETTERS, MAX_LISTED_FAILURES};

/// What the facts of a job say in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Pages that were queued.
    pub queued: u64,
    /// Pages that gave a document.
    pub documents: u64,
    /// Pages that failed, or were given up.
    pub failed: u64,
    /// Pages that gave neither.
    pub skipped: u64,
    /// Documents that were stored: the position of the next one.
    pub stored: u64,
    /// The price so far, in credits.
    pub credits: u64,
    /// Tokens used.
    pub tokens: u64,
    /// Number of grants of credits.
    pub grants: u64,
    /// Credits that were added to the budget.
    pub added: u64,
    /// Failures that are listed.
    pub failures: u64,
    /// Refusals by robots.txt that are listed.
    pub refusals: u64,
    /// Further refusals, which are only counted.
    pub unlisted_refusals: u64,
    /// Events so far: the number of the next one.
    pub events: u64,
    /// Events that were delivered or given up: the number of the first one that waits.
    pub delivered: u64,
    /// Undeliverable events that are listed.
    pub dead_letters: u64,
    /// Waiting pages that were lost.
    pub lost: u64,
    /// No further credits will be granted.
    pub is_denied: bool,
}

impl Totals {
    /// Pages that have ended.
    #[must_use]
    pub const fn ended(&self) -> u64 {
        self.documents.saturating_add(self.failed).saturating_add(self.skipped)
    }

    /// Pages that wait, including those that are leased.
    #[must_use]
    pub const fn waiting(&self) -> u64 {
        self.queued.saturating_sub(self.ended())
    }

    /// Whether this fact delivers the next event, or gives it up.
    pub(crate) fn is_next_delivery(&self, fact: &Fact<'_>) -> bool {
        matches!(*fact, Fact::Delivered { sequence, .. }
            if sequence == self.delivered && self.delivered < self.events)
    }

    /// Whether this fact gives the next event up, and the event is listed.
    pub(crate) fn is_listed_dead_letter(&self, fact: &Fact<'_>) -> bool {
        self.is_next_delivery(fact)
            && matches!(fact, Fact::Delivered { given_up: Some(_), kind: Some(_), .. })
            && self.dead_letters < MAX_LISTED_DEAD_LETTERS as u64
    }

    /// Whether one more refusal is listed.
    pub(crate) const fn lists_refusal(&self) -> bool {
        self.refusals < MAX_LISTED_FAILURES as u64
    }

    /// Adds a fact.
    ///
    /// # Errors
    /// The damage of its pages.
    pub fn add(&mut self, fact: &Fact<'_>) -> Result<(), Damage> {
        match *fact {
            Fact::Totals { totals } => *self = totals,
            Fact::Admitted { pages, .. } => {
                for page in pages.pages() {
                    page?;
                    self.queued += 1;
                }
            }
            Fact::Ended { end, .. } => match end {
                PageEnd::Document => self.documents += 1,
                PageEnd::Failed => self.failed += 1,
                PageEnd::Skipped => self.skipped += 1,
            },
            Fact::Document { position, credits, .. } => {
                self.stored = position.saturating_add(1);
                self.credits = self.credits.saturating_add(credits);
            }
            Fact::Lost { pages: 0 } => self.lost = 0,
            Fact::Lost { pages } => self.lost = self.lost.saturating_add(pages),
            Fact::Failed { .. } => self.failures += 1,
            Fact::Blocked { .. } if self.lists_refusal() => self.refusals += 1,
            Fact::Blocked { .. } => self.unlisted_refusals += 1,
            Fact::Budget { added, denied } => {
                self.grants += 1;
                self.added = self.added.saturating_add(added);
                self.is_denied |= denied;
            }
            Fact::Paid { credits } => self.added = self.added.saturating_add(credits),
            Fact::Charged { tokens, credits } => (self.tokens, self.credits) = (tokens, credits),
            Fact::Counts { documents, failed, blocked, credits } => {
                (self.documents, self.failed, self.credits) = (documents, failed, credits);
                self.unlisted_refusals = blocked;
            }
            Fact::Event { sequence, .. } => self.events = sequence.saturating_add(1),
            Fact::Delivered { .. } if self.is_next_delivery(fact) => {
                self.dead_letters += u64::from(self.is_listed_dead_letter(fact));
                self.delivered += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// The numbers in the order of their form.
    fn numbers(&mut self) -> [&mut u64; 16] {
        let Self {
            queued,
            documents,
            failed,
            skipped,
            stored,
            credits,
            tokens,
            grants,
            added,
            failures,
            refusals,
            unlisted_refusals,
            events,
            delivered,
            dead_letters,
            lost,
            is_denied: _,
        } = self;
        [
            queued,
            documents,
            failed,
            skipped,
            stored,
            credits,
            tokens,
            grants,
            added,
            failures,
            refusals,
            unlisted_refusals,
            events,
            delivered,
            dead_letters,
            lost,
        ]
    }
}

impl<'a> Field<'a> for Totals {
    fn write(&self, out: &mut Vec<u8>) {
        let mut totals = *self;
        for number in totals.numbers() {
            put_varint(out, *number);
        }
        self.is_denied.write(out);
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        let mut totals = Self::default();
        for number in totals.numbers() {
            *number = from.varint()?;
        }
        totals.is_denied = bool::read(from)?;
        Ok(totals)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_frontier::UrlKey;

    use super::*;
    use crate::journal::Keys;

    fn totals(facts: &[Fact<'_>]) -> Totals {
        let mut totals = Totals::default();
        facts.iter().for_each(|fact| totals.add(fact).unwrap());
        totals
    }

    #[test]
    fn ended_pages_and_documents_are_counted() {
        let ended = |key, end| Fact::Ended {
            key: UrlKey::from_raw(key),
            end,
            target: None,
            fingerprint: None,
            links: Keys::default(),
        };
        let found = totals(&[
            ended(1, PageEnd::Document),
            Fact::Document { position: 0, credits: 3, scrape: None },
            ended(2, PageEnd::Failed),
            ended(3, PageEnd::Document),
            Fact::Document { position: 1, credits: 2, scrape: None },
            ended(4, PageEnd::Skipped),
        ]);
        assert_eq!((found.documents, found.failed, found.skipped, found.ended()), (2, 1, 1, 4));
        assert_eq!((found.stored, found.credits), (2, 5));
        let again = totals(&[Fact::Totals { totals: found }, ended(5, PageEnd::Failed)]);
        assert_eq!((again.ended(), again.credits), (5, 5), "sums go on");
    }

    #[test]
    fn only_the_next_event_is_delivered() {
        let event = |sequence| Fact::Event {
            sequence,
            kind: gleaner_types::plan::EventKind::Page,
            document: None,
            url: None,
            slash_added: false,
            concludes: false,
            error: None,
        };
        let kind = Some(gleaner_types::plan::EventKind::Page);
        let delivered = |sequence, given_up| Fact::Delivered { sequence, given_up, at: None, kind };
        let found = totals(&[
            delivered(0, None),
            event(0),
            event(1),
            delivered(1, None),
            delivered(0, None),
            delivered(0, None),
            delivered(1, Some("gone")),
        ]);
        assert_eq!((found.events, found.delivered, found.dead_letters), (2, 2, 1));
    }
}
