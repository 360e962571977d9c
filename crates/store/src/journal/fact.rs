//! The facts of a journal and their binary format.

use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Fingerprint, PageEnd, UrlKey};
use gleaner_types::plan::EventKind;
use gleaner_types::{JobId, JobKind, JobState};
use uuid::Uuid;

use super::decoder::{Decoder, put_varint};
use super::field::{Field, bytes_of, field};
use super::{Damage, Depths, Keys, PageList, Totals};
use crate::{JobFailure, Note, NoteKind, NoteValue};

bytes_of!(PageEnd {
    1 = PageEnd::Document,
    2 = PageEnd::Failed,
    3 = PageEnd::Skipped,
});

/// A change of a note of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteChange<'a> {
    /// The note has these bytes now.
    Set(&'a [u8]),
    /// This number is added to the note.
    Add(u64),
    /// The note is removed.
    Remove,
}

impl<'a> NoteChange<'a> {
    /// The change to this value.
    pub(crate) fn of(value: &'a NoteValue) -> Self {
        match value {
            NoteValue::Set(bytes) => Self::Set(bytes),
            NoteValue::Add(number) => Self::Add(*number),
            NoteValue::Remove => Self::Remove,
        }
    }

    /// This change of the note of this kind with this key.
    pub(crate) fn note(self, kind: u8, key: u64) -> Result<Note, Damage> {
        let kind = NoteKind::from_raw(kind).ok_or(Damage::Newer)?;
        let value = match self {
            Self::Set(bytes) => NoteValue::Set(Bytes::copy_from_slice(bytes)),
            Self::Add(number) => NoteValue::Add(number),
            Self::Remove => NoteValue::Remove,
        };
        Ok(Note { kind, key, value })
    }
}

impl<'a> Field<'a> for NoteChange<'a> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Set(bytes) => {
                out.push(1);
                bytes.write(out);
            }
            Self::Add(number) => {
                out.push(2);
                put_varint(out, *number);
            }
            Self::Remove => out.push(3),
        }
    }

    fn read(from: &mut Decoder<'a>) -> Result<Self, Damage> {
        match from.byte()? {
            1 => Ok(Self::Set(from.bytes()?)),
            2 => Ok(Self::Add(from.varint()?)),
            3 => Ok(Self::Remove),
            _ => Err(Damage::Newer),
        }
    }
}

/// Defines [`Fact`] and its binary form. The tags and the order of fields are part of the format: a tag is
/// used once, and a new field is an [`Option`] at the end.
macro_rules! facts {
    ($life:lifetime $(
        $(#[$doc:meta])*
        $name:ident = $tag:literal { $( $(#[$field_doc:meta])* $field:ident: $type:ty, )+ }
    )+) => {
        /// What has happened to a job, or to the store.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Fact<$life> {
            $( $(#[$doc])* $name { $( $(#[$field_doc])* $field: $type, )+ }, )+
        }

        impl<$life> Fact<$life> {
            /// The tags of all facts.
            #[cfg(test)]
            pub(super) const TAGS: &'static [u64] = &[$( $tag, )+];

            /// Identifies the kind of fact.
            pub(super) const fn tag(&self) -> u64 {
                match self { $( Self::$name { .. } => $tag, )+ }
            }

            pub(super) fn write_fields(&self, out: &mut Vec<u8>) {
                match self { $( Self::$name { $( $field, )+ } => { $( Field::write($field, out); )+ } )+ }
            }

            pub(super) fn read_fields(tag: u64, from: &mut Decoder<$life>) -> Result<Self, Damage> {
                match tag {
                    $( $tag => Ok(Self::$name { $( $field: field(from)?, )+ }), )+
                    _ => Err(Damage::Newer),
                }
            }
        }
    };
}

facts! { 'a
    /// Pages wait to be fetched.
    Admitted = 1 {
        /// The page that links to them; `None` if they were given from outside.
        by: Option<UrlKey>,
        /// The pages.
        pages: PageList<'a>,
    }
    /// A page is too deep so far, with what is needed to admit it later.
    TooDeep = 2 {
        /// The identity of the page.
        key: UrlKey,
        /// Clicks from the start page.
        depth: u32,
        /// The page is on another site.
        external: bool,
        /// The order among pages of one depth on one host.
        priority: u8,
        /// The URL.
        url: &'a str,
    }
    /// Shorter paths to pages were found.
    Depths = 3 {
        /// The pages with their new depths.
        depths: Depths<'a>,
    }
    /// A page ended.
    Ended = 4 {
        /// The identity of the page.
        key: UrlKey,
        /// How it ended.
        end: PageEnd,
        /// The page that answered after redirects, if it is another.
        target: Option<UrlKey>,
        /// The fingerprint of its text.
        fingerprint: Option<Fingerprint>,
        /// Its links that may still matter, for a job with a depth limit.
        links: Keys<'a>,
    }
    /// A document was stored.
    Document = 5 {
        /// Its position.
        position: u64,
        /// Its price.
        credits: u64,
        /// The half of its scrape id that distinguishes it within the job.
        scrape: Option<u64>,
    }
    /// A failed page is listed.
    Failed = 6 {
        /// The number of the failure.
        sequence: u64,
        /// When, since the Unix epoch.
        at: Duration,
        /// The URL.
        url: &'a str,
        /// The user wrote the URL without its slash.
        slash_added: bool,
        /// The code of the error.
        code: &'a str,
        /// The message of the error.
        message: &'a str,
    }
    /// A page that robots.txt forbids is listed.
    Blocked = 7 {
        /// The URL.
        url: &'a str,
        /// The user wrote the URL without its slash.
        slash_added: bool,
        /// The number of the line that forbids it.
        line: Option<u32>,
        /// The rule in that line.
        rule: Option<&'a str>,
    }
    /// A page waits for a retry.
    Retried = 8 {
        /// The identity of the page.
        key: UrlKey,
        /// Number of leases that ended so.
        attempt: u32,
    }
    /// Pages were leased.
    Leased = 9 {
        /// The pages.
        keys: Keys<'a>,
    }
    /// Waiting pages were lost, because their temporary file could not be read.
    Lost = 10 {
        /// Number of pages; 0 if all that were lost before wait again, because another process goes on.
        pages: u64,
    }
    /// No more pages are added but links.
    Sealed = 11 {
        /// When, since the Unix epoch.
        at: Duration,
    }
    /// The user paused or resumed the job.
    Paused = 12 {
        /// The job is paused.
        paused: bool,
    }
    /// Credits for the next pages of the job were granted or denied.
    Budget = 13 {
        /// Credits that were added.
        added: u64,
        /// No further credits will be granted.
        denied: bool,
    }
    /// The job with one result reported its usage so far.
    Charged = 14 {
        /// Tokens used.
        tokens: u64,
        /// The price.
        credits: u64,
    }
    /// The counts of a job. Nothing else about it is stored.
    Counts = 15 {
        /// Pages with a document.
        documents: u64,
        /// Pages that failed.
        failed: u64,
        /// Pages that robots.txt forbids.
        blocked: u64,
        /// The price of the documents.
        credits: u64,
    }
    /// A warning for the reader was added.
    Warned = 16 {
        /// The warning as JSON.
        warning: &'a str,
    }
    /// An event waits for delivery.
    Event = 17 {
        /// The number of the event.
        sequence: u64,
        /// Its kind.
        kind: EventKind,
        /// The position of its document.
        document: Option<u64>,
        /// The URL of its failed page.
        url: Option<&'a str>,
        /// The user wrote the URL without its slash.
        slash_added: bool,
        /// It reports the conclusion of the job.
        concludes: bool,
        /// Its error.
        error: Option<&'a str>,
    }
    /// The delivery of an event was attempted in vain.
    Attempted = 18 {
        /// The number of the event.
        sequence: u64,
        /// Attempts so far.
        attempt: u32,
        /// The next attempt is not before this time, since the Unix epoch.
        not_before: Duration,
    }
    /// An event was delivered or given up.
    Delivered = 19 {
        /// The number of the event.
        sequence: u64,
        /// Why it was given up; `None` if it was delivered.
        given_up: Option<&'a str>,
        /// When, since the Unix epoch.
        at: Option<Duration>,
        /// The kind of an event that is given up, and is to be listed.
        kind: Option<EventKind>,
    }
    /// The reader of a stream has read the documents before a position.
    Read = 20 {
        /// The position.
        position: u64,
    }
    /// A note of the job changed.
    Noted = 21 {
        /// The kind of note.
        kind: u8,
        /// Distinguishes notes of one kind.
        key: u64,
        /// The change.
        change: NoteChange<'a>,
    }
    /// The job ended.
    JobEnded = 22 {
        /// When, since the Unix epoch.
        at: Duration,
        /// Its final state.
        state: JobState,
        /// Why it failed as a whole.
        failure: Option<JobFailure>,
        /// The same as a message.
        error: Option<&'a str>,
    }
    /// A team used an idempotency key.
    KeyUsed = 23 {
        /// The team.
        team: &'a str,
        /// The key.
        key: Uuid,
        /// When, since the Unix epoch.
        at: Duration,
    }
    /// Credits are about to be reserved for a job that is not submitted yet.
    Intended = 24 {
        /// Identifies the reservation.
        operation: Uuid,
        /// The job.
        job: JobId,
        /// The team that pays.
        team: &'a str,
        /// The credits.
        credits: u64,
    }
    /// The credits of a reservation were returned, or its job was submitted.
    Withdrawn = 25 {
        /// Identifies the reservation.
        operation: Uuid,
    }
    /// The accounts provider knows about the end of a job.
    Settled = 26 {
        /// The job.
        job: JobId,
    }
    /// A settled job is in the log of ended jobs.
    Logged = 27 {
        /// The job.
        job: JobId,
        /// Its kind; `None` for a single scrape.
        kind: Option<JobKind>,
        /// The team that paid.
        team: &'a str,
        /// The URL that it started with.
        url: &'a str,
        /// Its final state.
        state: JobState,
        /// Pages with a document.
        documents: u64,
        /// Pages that failed.
        failed: u64,
        /// Pages that robots.txt forbids.
        blocked: u64,
        /// Tokens used.
        tokens: u64,
        /// The price.
        credits: u64,
        /// When it was submitted, since the Unix epoch.
        created_at: Duration,
        /// When it ended, since the Unix epoch.
        ended_at: Option<Duration>,
        /// Its warnings, each as JSON in one list.
        warnings: Option<&'a str>,
        /// Why it failed as a whole.
        failure: Option<JobFailure>,
        /// The same as a message.
        error: Option<&'a str>,
        /// Nothing about its pages may be kept.
        zero_data_retention: bool,
    }
    /// The user paid credits for appended pages.
    Paid = 28 {
        /// Credits that were added to the budget.
        credits: u64,
    }
    /// What earlier facts say in numbers.
    Totals = 32 {
        /// The sums.
        totals: Totals,
    }
    /// Pages ended.
    Done = 33 {
        /// The pages, in the order of their keys.
        keys: Keys<'a>,
    }
    /// Pages are known as the targets of redirects.
    Visited = 34 {
        /// The pages, in the order of their keys.
        keys: Keys<'a>,
    }
    /// A page ended, in a job with a depth limit.
    Linked = 35 {
        /// The identity of the page.
        key: UrlKey,
        /// The page that answered after redirects, if it is another.
        target: Option<UrlKey>,
        /// Its links that may still matter.
        links: Keys<'a>,
    }
    /// An event was given up, and is listed.
    GivenUp = 36 {
        /// The number of the event.
        sequence: u64,
        /// Its kind.
        kind: EventKind,
        /// Attempts so far.
        attempts: u32,
        /// Why it was given up.
        reason: &'a str,
        /// When, since the Unix epoch.
        at: Duration,
    }
    /// Idempotency keys that were used at or before this time can be used again.
    KeysExpired = 37 {
        /// The time, since the Unix epoch.
        until: Duration,
    }
}
