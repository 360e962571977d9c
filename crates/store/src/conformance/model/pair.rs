//! Applies random operations to two stores, one of which is reopened, and compares them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gleaner_frontier::{Candidate, JobRules, RobotsLine, UrlKey};
use gleaner_types::plan::{EventKind, WebhookPlan};
use gleaner_types::{Document, ErrorCode, JobId, JobKind, PageError};
use serde_json::json;
use url::Url;
use uuid::Uuid;

use super::super::{START, WORKER, lease_ready};
use super::Reopen;
use super::random::Random;
use crate::{
    Accounting, Admission, Conclusion, DeliveryOutcome, DueEvent, EndedJob, FinishedPage, HistoryKey,
    JobAccount, JobListing, JobRequest, JobWarning, JsonSlice, LeasedPage, MemoryStore, NewJob, Note,
    NoteKind, NoteValue, PageOutcome, PastScrape, ReadBound, Retention, Slice, Store, StoredJob, TeamId,
    TeamLoad, TrackedScrape, scrape_id,
};

const HOUR: Duration = Duration::from_secs(3_600);
const ALL: ReadBound = ReadBound { documents: usize::MAX, bytes: usize::MAX };
/// Different pages of one job.
const PAGES: u64 = 12;

/// Calls both stores and compares the answers.
macro_rules! same {
    ($pair:expr, $method:ident($($argument:expr),*)) => {
        same!($pair, $method($($argument),*), |answer| answer)
    };
    ($pair:expr, $method:ident($($argument:expr),*), $form:expr) => {{
        let form = $form;
        let expected = $pair.memory.$method($($argument),*).await.map(form).map_err(|error| error.kind());
        let found = $pair.tested.store().$method($($argument),*).await.map(form).map_err(|error| error.kind());
        assert_eq!(found, expected, "seed {}, step {}: {}", $pair.seed, $pair.at, stringify!($method));
        found
    }};
}

/// A store that never stops, and one that is opened again.
#[derive(Debug)]
pub(super) struct Pair<R> {
    memory: MemoryStore,
    tested: R,
    random: Random,
    seed: u64,
    /// The number of the step.
    at: usize,
    now: Duration,
    jobs: Vec<Submitted>,
    /// Pages that are leased from both stores.
    held: Vec<(LeasedPage, LeasedPage)>,
    scrapes: Vec<Uuid>,
    pub(super) reopened: u64,
}

#[derive(Debug, Clone, Copy)]
struct Submitted {
    id: JobId,
    number: u64,
    /// Of a streamed job: the position of the reader.
    next: Option<u64>,
}

fn team(number: u64) -> TeamId {
    TeamId::new(format!("team {number}"))
}

fn history(team: TeamId) -> HistoryKey {
    HistoryKey { team, url: "https://tracked.example/".to_owned(), tag: None }
}

fn ids(jobs: Vec<JobListing>) -> Vec<JobId> {
    jobs.into_iter().map(|job| job.snapshot.id).collect()
}

fn slice(slice: Slice) -> (Vec<Document>, u64, bool) {
    (slice.documents, slice.next, slice.end)
}

fn json_slice(slice: JsonSlice) -> (Vec<Bytes>, u64, bool) {
    (slice.documents, slice.next, slice.end)
}

fn stored(job: StoredJob) -> (JobRequest, JobRules, Option<u64>, Duration, Vec<Note>) {
    (job.request, job.rules, job.account.and_then(|account| account.budget), job.created_at, job.notes)
}

/// Without the time of the last document, which a journal does not have.
fn load(mut load: TeamLoad) -> TeamLoad {
    load.last_success = None;
    load
}

/// In the order of the jobs and without warnings, for the same reasons as [`accounting`].
fn activities(jobs: Option<Vec<EndedJob>>) -> Option<Vec<EndedJob>> {
    let mut jobs = jobs?;
    jobs.sort_by_key(|job| job.snapshot.id);
    jobs.iter_mut().for_each(|job| job.snapshot.warnings.clear());
    Some(jobs)
}

/// In the order of the jobs, because of several that ended at the same time any may come first. Without
/// warnings, because those that an ended job got later count for a store that is opened again.
fn accounting(mut accounting: Accounting) -> Accounting {
    accounting.ended.sort_by_key(|ended| ended.snapshot.id);
    accounting.ended.iter_mut().for_each(|ended| ended.snapshot.warnings.clear());
    accounting
}

impl<R: Reopen> Pair<R> {
    pub(super) fn new(seed: u64, tested: R) -> Self {
        Self {
            memory: MemoryStore::default(),
            tested,
            random: Random::new(seed),
            seed,
            at: 0,
            now: START,
            jobs: Vec::new(),
            held: Vec::new(),
            scrapes: Vec::new(),
            reopened: 0,
        }
    }

    /// Does one random operation on both stores, and sometimes compares all answers.
    pub(super) async fn step(&mut self, at: usize) {
        self.at = at;
        let reopened = self.reopened;
        self.now += Duration::from_secs(1);
        match self.random.below(28) {
            0..3 => self.submit().await,
            3..7 => self.lease().await,
            7..13 => self.finish().await,
            13 => self.deliver().await,
            14 => self.account().await,
            15 => self.read().await,
            16 => self.keep_scrape().await,
            17 => self.expire().await,
            18..21 => self.reopen().await,
            21 => self.compact().await,
            _ => match self.random.pick(&self.jobs) {
                Some(job) => self.change(job).await,
                None => self.submit().await,
            },
        }
        if self.reopened > reopened || at % 4 == 3 {
            self.compare().await;
        }
    }

    fn page(&mut self, job: u64) -> Candidate {
        let page = self.random.below(PAGES);
        // Each on a host of its own, so that politeness does not decide which pages are leased.
        let url = Url::parse(&format!("https://p{page}-of-{job}.example/path?page={page}")).unwrap();
        let external = page == 1;
        Candidate { url, key: UrlKey::from_raw(page + 1), external, priority: Candidate::NORMAL }
    }

    fn pages(&mut self, job: u64, max: u64) -> Vec<Candidate> {
        (0..self.random.below(max + 1)).map(|_| self.page(job)).collect()
    }

    async fn submit(&mut self) {
        let number = self.jobs.len() as u64 + 1;
        let id = JobId::from_uuid(Uuid::from_u128(u128::from(number) << 64 | 1 << 63));
        let kinds = [JobKind::Crawl, JobKind::Crawl, JobKind::BatchScrape, JobKind::Extract];
        let kind = self.random.pick(&kinds);
        let limit = if self.random.once_in(4) { 1 + self.random.below(4) } else { u64::MAX };
        let max_depth = self.random.once_in(2).then(|| self.random.below(3) as u32);
        let rules = JobRules { max_depth, ..JobRules::with_limit(limit) };
        let pages = if kind == Some(JobKind::Extract) { Vec::new() } else { self.pages(number, 4) };
        let streams = self.random.once_in(3);
        let events = vec![
            EventKind::Started,
            EventKind::Page,
            EventKind::Completed,
            EventKind::Failed,
            EventKind::Cancelled,
        ];
        let webhook = WebhookPlan {
            url: Url::parse("https://hook.example/").unwrap(),
            headers: Default::default(),
            metadata: Default::default(),
            events: if self.random.once_in(3) { vec![EventKind::Page] } else { events },
        };
        let account = JobAccount {
            budget: self.random.once_in(3).then(|| self.random.below(8)),
            idempotency_key: self
                .random
                .once_in(3)
                .then(|| Uuid::from_u128(u128::from(self.random.below(4)))),
            ..JobAccount::of(team(self.random.below(2)))
        };
        let has_webhook = self.random.once_in(3);
        let job = NewJob {
            request: json!({ "number": number }).into(),
            sealed: kind != Some(JobKind::Extract) && !self.random.once_in(4),
            retention: if streams { Retention::Stream } else { Retention::Keep },
            account: (!self.random.once_in(4)).then(|| Box::new(account)),
            webhook: has_webhook.then(|| Arc::new(webhook)),
            ..NewJob::new(id, kind, rules, pages)
        };
        let now = self.now;
        if same!(self, submit(job.clone(), now)).is_ok() {
            let next = (streams && !has_webhook).then_some(0);
            self.jobs.push(Submitted { id, number, next });
        }
    }

    /// Leases all ready pages. The limits of a job may admit other pages in the two stores, because a store
    /// that is opened again leases in another order: such pages are returned.
    async fn lease(&mut self) {
        let expected = self.memory.lease(WORKER, 1_000, self.now).await.unwrap().pages;
        let patience = self.tested.patience();
        let mut found =
            lease_ready(self.tested.store(), WORKER, 1_000, expected.len(), self.now, patience).await;
        assert_eq!(found.len(), expected.len(), "seed {}, step {}: leases", self.seed, self.at);
        let mut returned = Vec::new();
        for page in expected {
            let same = |other: &LeasedPage| (other.job, other.key) == (page.job, page.key);
            match found.iter().position(same) {
                Some(index) => {
                    let other = found.swap_remove(index);
                    let facts =
                        |page: &LeasedPage| (page.url.clone(), page.depth, page.attempt, page.external);
                    assert_eq!(facts(&other), facts(&page), "seed {}, step {}", self.seed, self.at);
                    self.held.push((page, other));
                }
                None => returned.push(FinishedPage::new(page, PageOutcome::Return(self.now))),
            }
        }
        let others = found.into_iter().map(|page| FinishedPage::new(page, PageOutcome::Return(self.now)));
        let others = self.tested.store().finish_many(others.collect(), self.now).await.unwrap();
        let returned = self.memory.finish_many(returned, self.now).await.unwrap();
        assert_eq!(others, returned);
    }

    /// Finishes some of the leased pages at once.
    async fn finish(&mut self) {
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.random.below(3) {
            if self.held.is_empty() {
                break;
            }
            let index = usize::try_from(self.random.below(self.held.len() as u64)).unwrap();
            let (page, other) = self.held.swap_remove(index);
            let (one, two) = self.finished(page, other);
            expected.push(one);
            found.push(two);
        }
        let expected = self.memory.finish_many(expected, self.now).await.unwrap();
        let found = self.tested.store().finish_many(found, self.now).await.unwrap();
        assert_eq!(found, expected, "seed {}, step {}: receipts", self.seed, self.at);
    }

    /// The same result for the page of both stores.
    fn finished(&mut self, page: LeasedPage, other: LeasedPage) -> (FinishedPage, FinishedPage) {
        let number = self.jobs.iter().find(|job| job.id == page.job).map_or(0, |job| job.number);
        let links = self.pages(number, 3);
        let redirected_to = self.random.once_in(6).then(|| self.page(number).key);
        let choice = self.random.below(10);
        let mut document = Document::of_markdown(page.url.to_string());
        if self.random.once_in(2) {
            let scrape = scrape_id(page.job, self.random.below(1 << 20));
            document.metadata.scrape_id = Some(scrape.to_string());
            self.scrapes.push(scrape);
        }
        let credits = 1 + self.random.below(2);
        let not_before = self.now;
        let message = "no answer".to_owned();
        let outcome = || match choice {
            0 => {
                PageOutcome::Failed(PageError { code: ErrorCode::ScrapeSiteError, message: message.clone() })
            }
            1 => PageOutcome::RobotsBlocked(Some(RobotsLine::new(2, "Disallow: /".to_owned()))),
            2 => PageOutcome::Skipped,
            3 => PageOutcome::Retry(not_before),
            4 => PageOutcome::Return(not_before),
            _ => PageOutcome::Document(Box::new(document.clone()), credits),
        };
        let scrape = PastScrape {
            at: self.now,
            status: Some(200),
            markdown: Arc::from(format!("step {}", self.at)),
            json: None,
        };
        let tracks = self.random.once_in(4);
        let key = history(team(0));
        let finished = |lease| FinishedPage {
            links: links.clone(),
            redirected_to: redirected_to.filter(|_| !matches!(choice, 3 | 4)),
            tracked_scrape: tracks
                .then(|| Box::new(TrackedScrape { key: key.clone(), scrape: scrape.clone() })),
            notes: vec![Note { kind: NoteKind::Retries, key: 0, value: NoteValue::Add(choice) }],
            slash_added: choice == 0,
            ..FinishedPage::new(lease, outcome())
        };
        (finished(page), finished(other))
    }

    /// Changes one job.
    async fn change(&mut self, job: Submitted) {
        let (id, now) = (job.id, self.now);
        match self.random.below(12) {
            0 => {
                let pages = self.pages(job.number, 3);
                let value = NoteValue::Set(vec![1_u8, 2, 3].into());
                let notes = vec![Note { kind: NoteKind::Sitemap, key: self.random.below(3), value }];
                let admission = Admission { notes, ..Admission::new(self.random.below(2) as u32, pages) };
                let _ = same!(self, admit(id, admission.clone(), now));
            }
            1 => {
                let (pages, credits) = (self.pages(job.number, 3), self.random.below(3));
                let key = self.random.once_in(2).then(|| Uuid::from_u128(u128::from(self.random.below(4))));
                let _ = same!(self, append(id, pages.clone(), credits, key, now));
            }
            2 => {
                let _ = same!(self, seal(id, now));
            }
            3 => {
                let paused = self.random.once_in(2);
                let _ = same!(self, pause(id, paused));
            }
            4 => {
                let warning = JobWarning::Request(format!("remark {}", self.random.below(3)));
                let _ = same!(self, warn(id, warning.clone()));
            }
            5 => {
                let kinds = [NoteKind::Templates, NoteKind::Rejections];
                let kind = self.random.pick(&kinds).unwrap();
                let values = [
                    NoteValue::Set(vec![7_u8].into()),
                    NoteValue::Add(self.random.below(5)),
                    NoteValue::Remove,
                ];
                let index = usize::try_from(self.random.below(3)).unwrap();
                let cookies = NoteValue::Set(vec![u8::try_from(index).unwrap()].into());
                let notes = vec![
                    Note { kind, key: 0, value: values[index].clone() },
                    Note { kind: NoteKind::Cookies, key: 0, value: cookies },
                ];
                let _ = same!(self, note(id, notes.clone()));
            }
            6 if self.random.once_in(3) => {
                let _ = same!(self, cancel(id, now));
            }
            7 if self.random.once_in(3) => {
                let _ = same!(self, fail(id, "a reason", now));
            }
            8 => {
                let (tokens, credits) = (self.random.below(100), self.random.below(9));
                let running = same!(self, running(&team(0), JobKind::Extract), ids);
                if running.is_ok_and(|running| running.contains(&id)) {
                    let _ = same!(self, charge(id, tokens, credits));
                }
            }
            9 if self.random.once_in(2) => {
                let running = same!(self, running(&team(0), JobKind::Extract), ids);
                if running.is_ok_and(|running| running.contains(&id)) {
                    let data = json!({ "step": self.at });
                    let conclusion =
                        Conclusion { data, credits: 5, tokens_used: 70, ..Conclusion::default() };
                    let _ = same!(self, conclude(id, conclusion.clone(), now));
                }
            }
            10 if self.random.once_in(4) => {
                let _ = same!(self, remove(id, now));
            }
            _ => self.read().await,
        }
    }

    /// Delivers, or fails to deliver, the next event of each job.
    async fn deliver(&mut self) {
        let mut expected = self.memory.due(1_000, self.now).await.unwrap().events;
        let mut found = self.tested.store().due(1_000, self.now).await.unwrap().events;
        expected.sort_by_key(|event| event.id);
        found.sort_by_key(|event| event.id);
        let facts = |event: &DueEvent| (event.id, event.name, event.attempt, event.team.clone());
        let facts = |events: &[DueEvent]| events.iter().map(facts).collect::<Vec<_>>();
        assert_eq!(facts(&found), facts(&expected), "seed {}, step {}: due", self.seed, self.at);
        for event in expected {
            let (id, now) = (event.id, self.now);
            let _ = same!(self, event_body(id));
            let not_before = now + Duration::from_secs(self.random.below(4));
            let outcome = match self.random.below(6) {
                0 => DeliveryOutcome::Retry { not_before },
                1 => DeliveryOutcome::Postponed { not_before },
                2 => DeliveryOutcome::GivenUp { reason: "gone".to_owned(), tried: self.random.once_in(2) },
                _ => DeliveryOutcome::Delivered,
            };
            let _ = same!(self, delivered(id, outcome.clone(), now));
        }
    }

    /// Grants or denies credits, and settles some of the ended jobs.
    async fn account(&mut self) {
        let accounting = self.memory.accounting(1_000).await.unwrap();
        for short in accounting.short {
            let credits = if self.random.once_in(3) { 0 } else { short.credits + self.random.below(3) };
            let now = self.now;
            let _ = same!(self, grant(short.job, credits, now));
        }
        for ended in accounting.ended {
            if self.random.once_in(2) {
                let id = ended.snapshot.id;
                let _ = same!(self, settled(id));
            }
        }
    }

    /// Reads on in the streamed jobs.
    async fn read(&mut self) {
        for index in 0..self.jobs.len() {
            let Submitted { id, next: Some(next), .. } = self.jobs[index] else { continue };
            let bound = ReadBound { documents: 2, bytes: usize::MAX };
            let read = same!(self, read(id, next, bound), slice);
            self.jobs[index].next = Some(read.map_or(next, |(_, next, _)| next));
        }
    }

    async fn keep_scrape(&mut self) {
        let scrape = Uuid::from_u128(u128::from(self.random.below(1 << 40)));
        let mut document = Document::default();
        document.metadata.scrape_id = Some(scrape.to_string());
        let now = self.now;
        let _ = same!(self, keep_scrape(&team(0), &document, now));
        self.scrapes.push(scrape);
    }

    /// Time passes, if no lease would end meanwhile.
    async fn expire(&mut self) {
        if self.held.is_empty() {
            self.now += if self.random.once_in(4) { HOUR * 25 } else { HOUR };
        }
        let now = self.now;
        let _ = same!(self, expire(now));
    }

    async fn compact(&mut self) {
        let Self { tested, random, .. } = self;
        tested.compact(&mut |end| random.below(end)).await;
    }

    /// Opens the store again. The pages that were leased wait again.
    async fn reopen(&mut self) {
        self.compact().await;
        self.reopened += 1;
        let held = self.held.drain(..);
        let returned = held.map(|(page, _)| FinishedPage::new(page, PageOutcome::Return(self.now)));
        self.memory.finish_many(returned.collect(), self.now).await.unwrap();
        self.tested.reopen(self.now).await;
    }

    async fn compare(&self) {
        for Submitted { id, next, .. } in self.jobs.iter().copied() {
            let _ = same!(self, snapshot(id));
            let _ = same!(self, failures(id));
            let _ = same!(self, conclusion(id));
            let _ = same!(self, dead_letters(id));
            let _ = same!(self, stored(id), stored);
            let from = next.unwrap_or_default();
            let _ = same!(self, read(id, from, ALL), slice);
            let _ = same!(self, read_json(id, 1, ALL), json_slice);
        }
        for number in 0..2 {
            let team = team(number);
            let _ = same!(self, load(&team), load);
            let _ = same!(self, running(&team, JobKind::Crawl), ids);
            let _ = same!(self, activities(&team, 1_000), activities);
            for key in 0..4 {
                let _ = same!(self, is_key_used(&team, Uuid::from_u128(key)));
            }
            for scrape in self.scrapes.iter().rev().take(3) {
                let _ = same!(self, scraped(&team, *scrape));
            }
        }
        let other = JobId::from_uuid(Uuid::from_u128(u128::MAX));
        let key = history(team(0));
        let _ = same!(self, last_scrape(other, &key));
        let _ = same!(self, accounting(1_000), accounting);
    }
}
