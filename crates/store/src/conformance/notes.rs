//! The contract of notes and of stored jobs.

use gleaner_types::{JobId, JobKind};
use serde_json::json;
use uuid::Uuid;

use super::{Fixture, START, candidates, document};
use crate::{
    Admission, ApiVersion, FinishedPage, JobRequest, Note, NoteKind, NoteValue, Retention, Store, StoredJob,
};

pub(super) async fn run<S: Store>(make: &impl AsyncFn() -> Fixture<S>) {
    notes_are_merged_by_kind_and_key(make().await).await;
    notes_are_stored_with_their_cause(make().await).await;
    a_stored_job_has_what_another_process_needs(make().await).await;
}

impl<S: Store> Fixture<S> {
    async fn stored(&self, job: JobId) -> StoredJob {
        self.store.stored(job).await.expect("a running job is stored")
    }

    async fn notes(&self, job: JobId) -> Vec<Note> {
        self.stored(job).await.notes
    }

    async fn note(&self, job: JobId, notes: Vec<Note>) {
        self.store.note(job, notes).await.expect("a running job takes notes");
    }
}

const fn add(kind: NoteKind, key: u64, number: u64) -> Note {
    Note { kind, key, value: NoteValue::Add(number) }
}

fn set(kind: NoteKind, key: u64, text: &'static str) -> Note {
    Note { kind, key, value: NoteValue::Set(text.as_bytes().into()) }
}

async fn notes_are_merged_by_kind_and_key<S: Store>(fixture: Fixture<S>) {
    use NoteKind::{Cookies, Rejections, Retries, Sitemap};
    let job = fixture.submit(1, 10, Retention::Keep, &["a"]).await;
    let other = fixture.submit(2, 10, Retention::Keep, &["a"]).await;
    assert!(fixture.notes(job).await.is_empty());
    fixture.note(job, vec![set(Cookies, 0, "old"), add(Retries, 0, 2), add(Rejections, 5, 1)]).await;
    fixture.note(job, vec![add(Retries, 0, 3), set(Cookies, 0, "new"), add(Rejections, 4, 7)]).await;
    fixture.note(job, vec![set(Sitemap, 9, "done"), set(Sitemap, 8, "gone")]).await;
    fixture.note(job, vec![Note { kind: Sitemap, key: 8, value: NoteValue::Remove }]).await;
    let merged = [
        add(Retries, 0, 5),
        set(Sitemap, 9, "done"),
        add(Rejections, 4, 7),
        add(Rejections, 5, 1),
        set(Cookies, 0, "new"),
    ];
    assert_eq!(fixture.notes(job).await, merged);
    assert!(fixture.notes(other).await.is_empty(), "each job has its own");
    fixture.store.cancel(job, START).await.expect("a running job can be cancelled");
    let late = fixture.store.note(job, vec![add(Retries, 0, 1)]).await;
    assert!(late.is_err_and(|error| error.is_job_ended()), "an ended job takes no notes");
}

async fn notes_are_stored_with_their_cause<S: Store>(fixture: Fixture<S>) {
    let job = fixture.submit(1, 10, Retention::Keep, &["a", "b"]).await;
    let admission =
        Admission { notes: vec![set(NoteKind::Sitemap, 1, "read")], ..Admission::new(0, candidates(&["c"])) };
    fixture.store.admit(job, admission, START).await.expect("pages can be admitted");
    let page = fixture.lease_one().await;
    let with_notes = |notes| FinishedPage { notes, ..FinishedPage::new(page.clone(), document(&page)) };
    let pages = vec![
        with_notes(vec![add(NoteKind::Retries, 0, 1)]),
        // Its lease is over.
        with_notes(vec![add(NoteKind::Retries, 0, 1)]),
    ];
    fixture.store.finish_many(pages, START).await.expect("pages can be finished");
    let expected = [add(NoteKind::Retries, 0, 1), set(NoteKind::Sitemap, 1, "read")];
    assert_eq!(fixture.notes(job).await, expected);
}

async fn a_stored_job_has_what_another_process_needs<S: Store>(fixture: Fixture<S>) {
    let request = JobRequest { api: ApiVersion::V1, body: json!({"url": "http://a.example/", "limit": 3}) };
    let mut submitted = None;
    let job = fixture
        .submit_for(1, "a", &["a", "b"], |job| {
            (job.kind, job.request) = (Some(JobKind::Crawl), request.clone());
            job.rules.max_depth = Some(4);
            submitted = Some(job.rules.clone());
        })
        .await;
    let stored = fixture.stored(job).await;
    assert_eq!((stored.id, stored.kind, stored.created_at), (job, Some(JobKind::Crawl), START));
    assert_eq!((stored.request, Some(stored.rules)), (request, submitted));
    assert_eq!(stored.account.map(|account| account.team.to_string()).as_deref(), Some("a"));
    assert!(!stored.zero_data_retention);
    fixture.store.cancel(job, START).await.expect("a running job can be cancelled");
    assert!(fixture.store.stored(job).await.is_err_and(|error| error.is_job_ended()));
    let unknown = fixture.store.stored(JobId::from_uuid(Uuid::from_u128(9))).await;
    assert!(unknown.is_err_and(|error| error.is_unknown_job()));
}
