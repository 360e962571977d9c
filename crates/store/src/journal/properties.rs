//! Properties of the binary form that hold for all facts and all bytes.

use std::time::Duration;

use gleaner_frontier::{Fingerprint, PageEnd, QueuedPage, UrlKey};
use gleaner_types::plan::EventKind;
use gleaner_types::{JobId, JobKind, JobState};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::JobFailure;

/// The values that the fields of facts are filled with.
#[derive(Debug, Clone)]
struct Values {
    number: u64,
    small: u32,
    byte: u8,
    flag: bool,
    optional: Option<u64>,
    text: String,
    optional_text: Option<String>,
    bytes: Vec<u8>,
    time: Duration,
    id: u128,
}

fn values() -> impl Strategy<Value = Values> {
    let numbers = (any::<u64>(), any::<u32>(), any::<u8>(), any::<bool>(), of(any::<u64>()));
    let texts = (".{0,40}", of(".{0,9}"), vec(any::<u8>(), 0..40));
    let time = (any::<u64>(), 0..1_000_000_000_u32).prop_map(|(seconds, rest)| Duration::new(seconds, rest));
    (numbers, texts, time, any::<u128>()).prop_map(|(numbers, texts, time, id)| {
        let (number, small, byte, flag, optional) = numbers;
        let (text, optional_text, bytes) = texts;
        Values { number, small, byte, flag, optional, text, optional_text, bytes, time, id }
    })
}

/// The fields of a page, with few hosts and depths, so that some neighbours have these in common.
type Page = (u64, bool, bool, u8, String, u32, u8);

fn pages() -> impl Strategy<Value = Vec<Page>> {
    vec((any::<u64>(), any::<bool>(), any::<bool>(), 0..3_u8, "/[a-z]{0,9}", 0..3_u32, 0..2_u8), 0..20)
}

const HOSTS: [&str; 3] = ["a.example", "b.example:8080", "[::1]"];

fn queued(page: &Page) -> QueuedPage<'_> {
    let (key, https, external, host, path, depth, deferral) = page;
    QueuedPage {
        key: UrlKey::from_raw(*key),
        https: *https,
        external: *external,
        host: HOSTS[usize::from(*host)],
        path,
        depth: *depth,
        priority: 128 + host,
        deferral: *deferral,
    }
}

/// A fact of each kind.
fn facts<'a>(values: &'a Values, pages: PageList<'a>, keys: Keys<'a>, depths: Depths<'a>) -> Vec<Fact<'a>> {
    let Values { number, small, byte, flag, optional, time, .. } = *values;
    let (text, bytes) = (values.text.as_str(), values.bytes.as_slice());
    let optional_text = values.optional_text.as_deref();
    let (key, optional_key) = (UrlKey::from_raw(number), optional.map(UrlKey::from_raw));
    let id = Uuid::from_u128(values.id);
    let job = JobId::from_uuid(id);
    let pick = usize::from(byte);
    let end = [PageEnd::Document, PageEnd::Failed, PageEnd::Skipped][pick % 3];
    let state = [JobState::Scraping, JobState::Completed, JobState::Failed, JobState::Cancelled][pick % 4];
    let failure = [JobFailure::InsufficientCredits, JobFailure::StorageFull, JobFailure::Other][pick % 3];
    let job_kind = [JobKind::Crawl, JobKind::BatchScrape, JobKind::Extract][pick % 3];
    let kinds =
        [EventKind::Started, EventKind::Page, EventKind::Completed, EventKind::Failed, EventKind::Cancelled];
    let change = [NoteChange::Set(bytes), NoteChange::Add(number), NoteChange::Remove][pick % 3];
    vec![
        Fact::Admitted { by: optional_key, pages },
        Fact::TooDeep { key, depth: small, external: flag, priority: byte, url: text },
        Fact::Depths { depths },
        Fact::Ended {
            key,
            end,
            target: optional_key,
            fingerprint: optional.map(Fingerprint::from_raw),
            links: keys,
        },
        Fact::Document { position: number, credits: u64::from(small), scrape: optional },
        Fact::Failed { sequence: number, at: time, url: text, slash_added: flag, code: text, message: text },
        Fact::Blocked { url: text, slash_added: flag, line: Some(small), rule: optional_text },
        Fact::Retried { key, attempt: small },
        Fact::Leased { keys },
        Fact::Lost { pages: number },
        Fact::Sealed { at: time },
        Fact::Paused { paused: flag },
        Fact::Budget { added: number, denied: flag },
        Fact::Charged { tokens: number, credits: number },
        Fact::Counts { documents: number, failed: 0, blocked: number, credits: 1 },
        Fact::Warned { warning: text },
        Fact::Event {
            sequence: number,
            kind: kinds[pick % 5],
            document: optional,
            url: optional_text,
            slash_added: flag,
            concludes: !flag,
            error: optional_text,
        },
        Fact::Attempted { sequence: number, attempt: small, not_before: time },
        Fact::Delivered {
            sequence: number,
            given_up: optional_text,
            at: flag.then_some(time),
            kind: flag.then_some(kinds[pick % 5]),
        },
        Fact::Read { position: number },
        Fact::Noted { kind: byte, key: number, change },
        Fact::JobEnded { at: time, state, failure: flag.then_some(failure), error: optional_text },
        Fact::KeyUsed { team: text, key: id, at: time },
        Fact::Intended { operation: id, job, team: text, credits: number },
        Fact::Withdrawn { operation: id },
        Fact::Settled { job },
        Fact::Logged {
            job,
            kind: flag.then_some(job_kind),
            team: text,
            url: text,
            state,
            documents: number,
            failed: u64::from(small),
            blocked: number,
            tokens: 1,
            credits: number,
            created_at: time,
            ended_at: flag.then_some(time),
            warnings: optional_text,
            failure: flag.then_some(failure),
            error: optional_text,
            zero_data_retention: flag,
        },
        Fact::Paid { credits: number },
        Fact::Totals {
            totals: Totals {
                queued: number,
                credits: u64::from(small),
                is_denied: flag,
                ..Totals::default()
            },
        },
        Fact::Done { keys },
        Fact::Visited { keys },
        Fact::Linked { key, target: optional_key, links: keys },
        Fact::GivenUp { sequence: number, kind: kinds[pick % 5], attempts: small, reason: text, at: time },
        Fact::KeysExpired { until: time },
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(values in values(), pages in pages(), keys in vec(any::<u64>(), 0..20)) {
        let (mut list, mut key_list) = (PageListWriter::default(), KeysWriter::default());
        let mut depths = DepthsWriter::default();
        for page in &pages {
            list.push(&queued(page));
        }
        for key in &keys {
            key_list.push(UrlKey::from_raw(*key));
            depths.push(UrlKey::from_raw(*key), values.small);
        }
        let read: Result<Vec<_>, _> = list.finish().pages().collect();
        let written: Vec<QueuedPage<'_>> = pages.iter().map(queued).collect();
        prop_assert_eq!(read, Ok(written));
        prop_assert_eq!(key_list.finish().len(), keys.len());

        let facts = facts(&values, list.finish(), key_list.finish(), depths.finish());
        let tags: Vec<u64> = facts.iter().map(Fact::tag).collect();
        prop_assert_eq!(&tags, Fact::TAGS, "a fact of each kind");
        let mut writer = BlockWriter::default();
        for fact in &facts {
            writer.push(fact);
        }
        let block = writer.finish();
        let read: Result<Vec<_>, _> = Block::open(&block).unwrap().facts().collect();
        prop_assert_eq!(read, Ok(facts));
    }

    /// Bytes that are damaged in spite of a valid checksum give errors, and no more facts than bytes.
    #[test]
    fn other_bytes_end_with_an_error(bytes in vec(any::<u8>(), 0..300)) {
        let facts: Vec<_> = Facts::of(&bytes).collect();
        prop_assert!(facts.len() <= bytes.len() / 2 + 1);
        prop_assert!(facts.iter().rev().skip(1).all(Result::is_ok), "nothing follows an error");
        let pages: Vec<_> = PageList::from_bytes(&bytes).pages().collect();
        prop_assert!(pages.len() <= bytes.len());
        prop_assert!(pages.iter().rev().skip(1).all(Result::is_ok), "nothing follows an error");
    }
}

#[test]
fn each_kind_of_fact_has_its_own_tag_of_one_byte() {
    let mut tags = Fact::TAGS.to_vec();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), Fact::TAGS.len());
    assert!(tags.iter().all(|tag| (1..128).contains(tag)));
}
